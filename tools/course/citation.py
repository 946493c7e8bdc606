"""How to cite the course: what CITATION.cff says, the version, and the address of the clone where it has a public one."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from course import version
from course.errors import CourseError

FILE = "CITATION.cff"
PUBLIC = re.compile(r"https://[^\s/@]+/[^\s@]+")  # neither a path nor an address with somebody's name in it


class Citation(NamedTuple):
    title: str
    authors: str
    version: str
    address: str  # empty where there is none


def of(root: Path) -> Citation:
    try:
        text = (root / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{FILE} is missing; restore it from the repository") from None
    title, authors = re.search(r"^title: (.+)$", text, re.M), re.findall(r"^ +- name: (.+)$", text, re.M)
    if not (title and authors):
        raise CourseError(f"{FILE} needs a line `title: …` and, below `authors:`, lines `  - name: …`; add them")
    return Citation(title[1], ", ".join(authors), version.of(root), _origin(root))


def _origin(root: Path) -> str:
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""
    return said.removesuffix(".git") if PUBLIC.fullmatch(said) else ""
