"""The commands of a build folder, as ninja knows them: to build a program again with other files in the place of some."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from course.errors import CourseError


def commands(build: Path, target: str) -> list[str]:
    """What makes the target, for the shell; the link comes last."""
    asked = subprocess.run(["ninja", "-C", build, "-t", "commands", target], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True)
    lines = [line for line in asked.stdout.splitlines() if line.strip()]
    if asked.returncode != 0 or not lines:
        raise CourseError(f"ninja does not say how {target} is made; {build} needs the Ninja generator")
    return lines


def graded(build: Path) -> dict[str, list[str]]:
    """Name of a graded file → the command that compiles it."""
    database = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {Path(entry["file"]).name: shlex.split(entry["command"]) for entry in database
            if re.search(r"/lab\d\d_graded(_kernels)?\.dir/", entry["command"])}


def compilation(command: str | list[str], source: Path, made: Path) -> list[str]:
    """The same compiler and flags, for another source; a warning is no error."""
    words = [word for word in _words(command) if word != "-Werror"]
    words[words.index("-o") + 1] = str(made)
    words[words.index("-c") + 1] = str(source)
    return words


def link(build: Path, target: str, program: Path, objects: Mapping[str, Path], more: Iterable[Path] = ()) -> list[str]:
    """Links `program` as the target is linked, with other objects in the place of some, and with more of them."""
    words = _words(commands(build, target)[-1])
    if missing := objects.keys() - words:
        raise CourseError(f"{target} is not linked with {missing.pop()}")
    words = [str(objects.get(word, word)) for word in words]
    at = words.index("-o") + 1
    return [*words[:at], str(program), *map(str, more), *words[at + 1:]]


def _words(command: str | list[str]) -> list[str]:
    return shlex.split(re.sub(r"^: && | && :$", "", command)) if isinstance(command, str) else command
