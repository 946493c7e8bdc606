"""Solution text must not leave the house: looks for the answer key in what students get.

First for its lines: white space does not count. Some lines anybody may write (a loop, an include, a short statement), so a
leak is one line of LONG characters, or RUN lines in a row that are as long together. Then for its form, in which all names
are alike, and all numbers, and comments are gone: WINDOW tokens in a row are a leak, whatever they were renamed to. A
shorter answer is no secret that a scan could keep.
"""

import functools
import re
from dataclasses import dataclass

from course.sources.cutter import regions
from course.sources.source_pieces import KEYWORDS

LONG = 40  # characters, without white space
RUN = 3
WINDOW = 48  # tokens; two nested loops that anybody writes have about 40
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d(?:[\w.]|(?<=[eE])[-+])*|\S')
ORDINARY = re.compile(r"(?:for|if|while)\(.*\)\{?$|#include|using|namespace|[{}]+;?$")  # at the start of a packed line


@dataclass(frozen=True)
class Leak:
    file: str
    reference: str  # reference/x.cpp:12


def find(sources: dict[str, str], stubs: list[str], files: dict[str, str]) -> list[Leak]:
    """Leaks of `sources` (name → text of a reference) into `files` (name → text). What a stub gives is no secret."""
    given = "\n".join(map(packed, stubs))
    contents = {name: packed(text) for name, text in files.items()}
    verbatim = [Leak(file, where) for source, text in sources.items() for where, secret in secrets(source, text)
                if secret not in given for file, content in contents.items() if secret in content]
    return verbatim + _renamed(sources, stubs, files)


def secrets(source: str, text: str) -> list[tuple[str, str]]:
    """(where, what) for everything between markers that nobody would write by chance."""
    found = []
    for _, lines in regions(text):
        region = [(number, packed(line)) for number, line in lines if line.strip()]
        for at, (number, line) in enumerate(region):
            where = f"{source}:{number}"
            run = [each for _, each in region[at:at + RUN]]
            if len(line) >= LONG and not ORDINARY.match(line):
                found.append((where, line))
            elif len(run) == RUN and len("".join(run)) >= LONG and not all(map(ORDINARY.match, run)):
                found.append((where, "".join(run)))
    return found


def _renamed(sources: dict[str, str], stubs: list[str], files: dict[str, str]) -> list[Leak]:
    given = {window for text in stubs for window in _windows([(0, text)])}
    secret: dict[str, str] = {}  # the form of WINDOW tokens → where they stand
    for source, text in sources.items():
        for _, lines in regions(text):
            for window, line in _windows(lines).items():
                if window not in given:
                    secret.setdefault(window, f"{source}:{line}")
    found = []
    for file, text in files.items():
        shared = secret.keys() & _windows([(0, text)]).keys()
        found += [Leak(file, where) for where in sorted({secret[window] for window in shared})]
    return found


def _windows(lines: list[tuple[int, str]]) -> dict[str, int]:
    """Each run of WINDOW tokens of these (number, text), one character a token, and the line on which it begins."""
    tokens = [(_form(token), number) for number, text in lines for token in TOKEN.findall(COMMENT.sub(" ", text))]
    form = "".join(each for each, _ in tokens)
    return {form[at:at + WINDOW]: tokens[at][1] for at in range(len(form) - WINDOW + 1)}


@functools.cache
def _form(token: str) -> str:
    if token in KEYWORDS:
        return chr(0xE000 + KEYWORDS.index(token))
    if token[0].isalpha() or token[0] == "_":
        return "n"
    return "1" if token[0].isdigit() else token[0]


def packed(text: str) -> str:
    return "".join(text.split())
