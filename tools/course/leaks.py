"""Solution text must not leave the house: looks for the answer key's lines in what students get.

White space does not count. Some lines anybody may write (a loop, an include, a short statement), so a leak is one line of
LONG characters, or RUN lines in a row that are as long together. A shorter answer is no secret that a scan could keep.
"""

import re
from dataclasses import dataclass

from course.cutter import regions

LONG = 40  # characters, without white space
RUN = 3
ORDINARY = re.compile(r"(?:for|if|while)\(.*\)\{?$|#include|using|namespace|[{}]+;?$")  # at the start of a packed line


@dataclass(frozen=True)
class Leak:
    file: str
    reference: str  # reference/x.cpp:12


def find(sources: dict, stubs: list, files: dict) -> list:
    """Leaks of `sources` (name → text of a reference) into `files` (name → text). What a stub gives is no secret."""
    given = "\n".join(map(_packed, stubs))
    packed = {name: _packed(text) for name, text in files.items()}
    return [Leak(file, where) for source, text in sources.items() for where, secret in secrets(source, text)
            if secret not in given for file, content in packed.items() if secret in content]


def secrets(source: str, text: str) -> list:
    """(where, what) for everything between markers that nobody would write by chance."""
    found = []
    for _, lines in regions(text):
        region = [(number, _packed(line)) for number, line in lines if line.strip()]
        for at, (number, line) in enumerate(region):
            where = f"{source}:{number}"
            run = [each for _, each in region[at:at + RUN]]
            if len(line) >= LONG and not ORDINARY.match(line):
                found.append((where, line))
            elif len(run) == RUN and len("".join(run)) >= LONG and not all(map(ORDINARY.match, run)):
                found.append((where, "".join(run)))
    return found


def _packed(text: str) -> str:
    return "".join(text.split())
