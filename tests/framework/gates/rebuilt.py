"""A program of training/ linked with another file of answers, as a student's differs from the reference's."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

from course_tree import REPOSITORY

from course.build import build_commands
from course.__main__ import main


def with_answers(build: Path, target: str, file: str, text: str, folder: Path) -> Path:
    """The target of the reference build, with `text` in the place of reference/FILE."""
    original = REPOSITORY / "reference" / file
    source, made, program = folder / file, folder / "answers.o", folder / target
    source.write_text(text, encoding="utf-8")
    command = next(line for line in build_commands.commands(build, target) if line.endswith(f"-c {original}"))
    words = command.split()
    subprocess.run([*build_commands.compilation(command, source, made), "-w"], cwd=build, check=True)
    subprocess.run(build_commands.link(build, target, program, {words[words.index("-o") + 1]: made}), cwd=build, check=True)
    return program


def captured(capfd, *words) -> SimpleNamespace:
    """What `./course words…` and the programs that it starts print."""
    status = main(REPOSITORY, [*map(str, words)])
    return SimpleNamespace(returncode=status, **dict(zip(("stdout", "stderr"), capfd.readouterr())))
