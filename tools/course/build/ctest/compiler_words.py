"""What a compiler said of the student's own lines, without the rest: errors first, in their order, then warnings.

Errors are kept whole, the notes and lists of candidates that follow them only where they point into the student's file;
none of the commands that ninja echoes.
"""

import os
import re
from dataclasses import dataclass, field

from course.build.ctest.advice import CONST_ADVICE, OF_A_CONST, advice

MOST_LINES = 30
LONGEST = 300  # characters of a line
NOISE = re.compile(r"(In file included| +from |\[[0-9]+/|FAILED:|ninja:|cc1plus:|compilation terminated)"
                   r"|[0-9]+ (error|warning)s? |fatal error: too many|.* -std=|.*: note: suggested alternatives:")
HEAD = re.compile(r".*: (?:fatal )?(error|warning): ")
ABOUT_WHAT_FOLLOWS = re.compile(r".*(required from| instantiation |: In |: At )")  # g++; clang says it in a note
DETAIL = ": note:   "  # of the candidate above, which may be a library's
ECHO = re.compile(r" *\d+ \| ?")  # g++ writes this before a line of code
ALSO_KNOWN_AS = re.compile(r" (\{aka [^}]*\}|\(aka '[^']*'\))")  # the name that it has in the code is enough


@dataclass
class Complaint:
    """An error or a warning, with the lines that lead to it and those that follow."""
    kind: str = ""
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Essence:
    text: str
    file: str  # where the student should look first: a graded file and its line, if any error names one
    line: int


def short(source: str) -> str:
    """"student/lab02_….cpp" for a graded file."""
    return "/".join(source.split("/")[-2:])


def essence(output: str, sources: list[str]) -> Essence:
    complaints = _complaints(output, sources)
    errors = [line for complaint in complaints if complaint.kind == "error" for line in complaint.lines]
    others = [line for complaint in complaints if complaint.kind != "error" for line in complaint.lines]
    file, line = _first_place(errors, sources)
    kept = [readable(line, sources) for line in (errors + others)[:MOST_LINES]]
    text = "\n".join(kept).strip() or output.strip()
    said = _advice(errors, sources, file) or (CONST_ADVICE if re.search(OF_A_CONST, output) else "")
    return Essence(text + (f"\n\n{said}" if said else ""), file, line)


def _complaints(output: str, sources: list[str]) -> list[Complaint]:
    found, keep = [Complaint()], False
    for line in output.splitlines():
        own = line.startswith(tuple(f"{source}:" for source in sources))
        head = HEAD.match(line)
        if NOISE.match(line):
            keep = False
            continue
        if ": note: " in line and not head:
            keep = own and (keep or DETAIL not in line)
        elif head or ABOUT_WHAT_FOLLOWS.match(line):
            if found[-1].kind:
                found.append(Complaint())
            found[-1].kind = head[1] if head else ""
            keep = own
        if keep or (head and head[1] == "error"):
            found[-1].lines.append(line)
    return found


def _advice(errors: list[str], sources: list[str], first: str) -> str:
    """What to write instead, a line for each sentence: those of the errors that we know, with the places that it is about."""
    places: dict[str, list[str]] = {}
    for words, code in zip(errors, errors[1:]):
        source, line = _first_place([words], sources)
        if source and HEAD.match(words) and (sentence := advice(words, ECHO.sub("", code))):
            place = f"line {line}" if source == first else f"{os.path.basename(source)}, line {line}"
            places.setdefault(sentence, [])
            if place not in places[sentence]:
                places[sentence].append(place)
    return "\n".join(f"{' and '.join(where)}: {sentence}" for sentence, where in places.items())


def _first_place(lines: list[str], sources: list[str]) -> tuple[str, int]:
    for line in lines:
        for source in sources:
            if place := re.match(re.escape(source) + r":(\d+):", line):
                return source, int(place[1])
    return "", 0


def readable(line: str, sources: list[str]) -> str:
    for source in sources:
        line = line.replace(f"{source}:", f"{short(source)}:")
    line = ALSO_KNOWN_AS.sub("", line)
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"
