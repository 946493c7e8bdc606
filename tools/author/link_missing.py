"""A training program in which functions that are not written yet are those of the reference build.

Object files of both are linked. In the student's the missing functions are made weak, in the reference's all others: of a
strong and a weak definition the linker takes the strong one. (The files are compiled with -fPIC, so that a call of a
function in the same file can go to another one, too.)
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from course.build import build_commands


def link(student: Path, reference: Path, target: str, missing: list[str], track: str = "student") -> Path:
    """student, reference: build folders in which the target is built. Returns the program, below the student's folder."""
    folder = student / "with_reference"
    folder.mkdir(exist_ok=True)
    wanted = tuple(f"_ZN7linattn{len(name)}{name}E" for name in missing)  # how names are mangled
    ours, theirs = f"_trainable.dir/__/{track}/", "_trainable.dir/__/reference/"
    objects: dict[str, Path] = {}
    more: list[Path] = []
    for name in build_commands.commands(student, target)[-1].split():
        if ours not in name:
            continue
        original = reference / name.replace(ours, theirs)
        defined = [line.split()[-1] for line in _run(["nm", "--defined-only", original]).splitlines() if " T " in line]
        taken = [symbol for symbol in defined if symbol.startswith(wanted)]
        objects[name], more = folder / f"ours{len(more)}.o", [*more, folder / f"theirs{len(more)}.o"]
        _weaken(taken, student / name, objects[name])
        _weaken(set(defined) - set(taken), original, more[-1])
    subprocess.run(build_commands.link(student, target, folder / target, objects, more), cwd=student, check=True)
    return folder / target


def with_source(build: Path, target: str, original: Path, text: str, folder: Path) -> Path:
    """The target, made again in `folder` with this text in the place of a source."""
    source, made, program = folder / original.name, folder / "replaced.o", folder / target
    source.write_text(text, encoding="utf-8")
    command = next(line for line in build_commands.commands(build, target) if line.endswith(f"-c {original}"))
    words = command.split()
    for each in ([*build_commands.compilation(command, source, made), "-w"],
                 build_commands.link(build, target, program, {words[words.index("-o") + 1]: made})):
        subprocess.run(each, cwd=build, check=True)
    return program


def _weaken(symbols: Iterable[str], original: Path, copy: Path) -> None:
    _run(["objcopy", *(f"--weaken-symbol={symbol}" for symbol in symbols), original, copy])


def _run(command: list[str | Path]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
