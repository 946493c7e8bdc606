"""Submissions that a person should look at: pairs that are alike once the stub is subtracted, and text of the suites.

Neither is a proof: a right answer leaves little freedom. Names, layout and comments do not count (Debian's
similarity-tester). Independent answers, made from the alternatives that the suites accept, came out at most 75 % alike.
"""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from author.leaks import LONG, ORDINARY, packed

PERCENT = 85
LEAST = 500  # characters without white space; less than this is alike by chance
RUN = 24  # tokens that have to be alike in a row
LINE = re.compile(r"(\d+)\.cpp consists for (\d+) % of \S*?(\d+)\.cpp material")
TOOL = "sim_c++"
DISGUISES = [(re.compile(pattern), same) for pattern, same in (  # what changes the tokens and not the program
    (r"\(void\)\s*\w+\s*;", ""), (r";(\s*;)+", ";"), (r"\b(?:const|constexpr|static|inline)\b", ""),
    (r"\b(?:auto|int|long|unsigned|double|float|size_t|ptrdiff_t|(?:std::)?(?:size_t|ptrdiff_t)|Tensor)\b\s*&?", "auto "),
    (r"\b(\w+)\b(?:\s*\+=\s*1\b|\s*=\s*\1\s*\+\s*1\b|\+\+)", r"++\1"))]  # \b: a word of 256 KiB is tried once


@dataclass(frozen=True)
class Pair:
    percent: int
    source: str
    students: tuple[str, str]


@dataclass(frozen=True)
class Group:
    """Of students who are alike in pairs, all of them by some way through the others."""
    source: str
    students: tuple[str, ...]
    percent: tuple[int, int]  # of its least and most alike pair


def groups(pairs: list[Pair]) -> list[Group]:
    """Largest first."""
    found = []
    for source in sorted({pair.source for pair in pairs}):
        of_source = [pair for pair in pairs if pair.source == source]
        sets: list[set[str]] = []
        for pair in of_source:
            touched = [one for one in sets if one & set(pair.students)]
            sets = [one for one in sets if one not in touched] + [set(pair.students).union(*touched)]
        for one in sets:
            percents = [pair.percent for pair in of_source if pair.students[0] in one]
            found.append(Group(source, tuple(sorted(one)), (min(percents), max(percents))))
    return sorted(found, key=lambda group: (group.source, -len(group.students), group.students))


@dataclass(frozen=True)
class Pasted:
    student: str
    source: str
    lines: int
    where: str  # tests/…:12


def tool_is_there() -> bool:
    return shutil.which(TOOL) is not None


def pairs(folders: dict[str, Path], stubs: dict[str, str]) -> list[Pair]:
    """`folders` is from a student to the folder with the graded files, `stubs` from a file's name to its stub. Most alike
    first."""
    found = []
    for source, stub in stubs.items():
        own = {student: _without(stub, _read(folder / source)) for student, folder in folders.items()
               if (folder / source).is_file()}
        found += _pairs_of(source, {student: text for student, text in own.items() if len(packed(text)) >= LEAST})
    return sorted(found, key=lambda pair: (-pair.percent, pair.source, pair.students))


def _pairs_of(source: str, texts: dict[str, str]) -> list[Pair]:
    students = sorted(texts)
    with tempfile.TemporaryDirectory() as place:
        for number, student in enumerate(students):
            Path(place, f"{number}.cpp").write_text(texts[student], encoding="utf-8")
        names = "".join(f"{number}.cpp\n" for number in range(len(students)))
        said = subprocess.run([TOOL, "-peTi", "-r", str(RUN), "-t", str(PERCENT)], cwd=place, input=names,
                              capture_output=True, encoding="utf-8", errors="replace").stdout
    best: dict[tuple[str, str], int] = {}
    for line in said.splitlines():
        if match := LINE.match(line):
            one, other = sorted((students[int(match[1])], students[int(match[3])]))
            best[one, other] = max(best.get((one, other), 0), int(match[2]))
    return [Pair(percent, source, pair) for pair, percent in best.items()]


def _without(stub: str, text: str) -> str:
    given = {line.strip() for line in stub.splitlines()}
    own = "".join(f"{line}\n" for line in text.splitlines() if line.strip() not in given)
    for pattern, same in DISGUISES:
        own = pattern.sub(same, own)
    return own


def pasted(root: Path, folders: dict[str, Path], stubs: dict[str, str]) -> list[Pasted]:
    """Two or more lines of tests/labNN_*/ that nobody would write by chance."""
    given = {packed(line) for path in [*root.glob("labs/**/*.[ch]*"), *root.glob("grading/*.[ch]pp"),
                                          *root.glob("tests/attention/*.[ch]pp")] if path.is_file()
             for line in _read(path).splitlines()}
    given |= {packed(line) for stub in stubs.values() for line in stub.splitlines()}
    tests: dict[str, str] = {}
    for path in sorted(root.glob("tests/lab*/**/*.[ch]pp")):
        for number, line in enumerate(_read(path).splitlines(), start=1):
            form = packed(line)
            if len(form) >= LONG and form not in given and not ORDINARY.match(form):
                tests.setdefault(form, f"{path.relative_to(root)}:{number}")
    found = []
    for student, folder in sorted(folders.items()):
        for source in stubs:
            if (folder / source).is_file():
                lines = [tests[form] for form in map(packed, _read(folder / source).splitlines()) if form in tests]
                if len(lines) >= 2:
                    found.append(Pasted(student, source, len(lines), lines[0]))
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
