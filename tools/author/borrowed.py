"""A training program in which functions that are not written yet are those of the reference build.

Object files of both are linked. In the student's the missing functions are made weak, in the reference's all others: of a
strong and a weak definition the linker takes the strong one. (The files are compiled with -fPIC, so that a call of a
function in the same file can go to another one, too.)
"""

import subprocess
from pathlib import Path


def link(student: Path, reference: Path, target: str, missing: list, track: str = "student") -> Path:
    """student, reference: build folders in which the target is built. Returns the program, below the student's folder."""
    folder = student / "borrowed"
    folder.mkdir(exist_ok=True)
    command = _lines(["ninja", "-t", "commands", target], student)[-1]
    wanted = [f"_ZN7linattn{len(name)}{name}E" for name in missing]  # how names are mangled
    added = []
    for number, path in enumerate(sorted(word for word in command.split() if f"_trainable.dir/__/{track}/" in word)):
        theirs = reference / path.replace(f"_trainable.dir/__/{track}/", "_trainable.dir/__/reference/")
        defined = [line.split()[-1] for line in _lines(["nm", "--defined-only", theirs]) if " T " in line]
        borrowed = [symbol for symbol in defined if any(map(symbol.startswith, wanted))]
        for original, copy, weak in ((student / path, folder / f"ours{number}.o", borrowed),
                                     (theirs, folder / f"theirs{number}.o", set(defined) - set(borrowed))):
            subprocess.run(["objcopy", *(f"--weaken-symbol={symbol}" for symbol in weak), original, copy], check=True)
            added.append(copy)
        command = command.replace(path, " ".join(f"'{copy}'" for copy in added[-2:]), 1)
    program = folder / target
    subprocess.run(command.replace(f"-o {target} ", f"-o '{program}' "), shell=True, cwd=student, check=True)
    return program


def _lines(command: list, folder: Path = None) -> list:
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
