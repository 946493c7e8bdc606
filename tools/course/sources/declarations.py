"""The functions that a lab's headers declare, each below its contract."""

import re
from pathlib import Path
from typing import NamedTuple

from course.sources.manifest import Lab


class Function(NamedTuple):
    name: str
    about: str  # the comment as in the header
    result: str
    types: tuple[str, ...]  # of its parameters
    parameters: tuple[tuple[str, str], ...]  # their names, and defaults or ""
    header: Path


def headers(lab: Lab) -> list[Path]:
    return sorted(lab.folder.glob("*.hpp"))


def find(lab: Lab, name: str) -> Function | None:
    for header in headers(lab):
        found = re.search(rf"((?:^///[^\n]*\n)+)^([\w:<>]+) {name}\((.*?)\);", header.read_text(encoding="utf-8"), re.M | re.S)
        if found:
            split = [re.fullmatch(r"(.*?)\s*(\w+)(?: = (.*))?", each, re.S) for each in re.split(r",\s*(?![^<]*>)", found[3])]
            return Function(name, found[1], found[2], tuple(each[1] for each in split if each),
                            tuple((each[2], each[3] or "") for each in split if each), header)
    return None
