"""How to cite the course: what CITATION.cff says, the version, and the address of the clone where it has a public one."""

import re
import socket
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from course.errors import CourseError
from course.sources import version

FILE = "CITATION.cff"
# Neither a path, nor an address with somebody's name in it, nor one that only a local network knows.
PUBLIC = re.compile(r"https://(?P<host>(?:[\w-]+\.)+(?!local|internal|intranet|lan|home|corp)[a-z]{2,})/[^\s@]+")


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
    return Citation(title[1], ", ".join(authors), version.of(root), address(root))


def address(root: Path) -> str:
    """Where everybody finds the repository: what CITATION.cff calls repository-code, else the origin of the clone."""
    written = re.search(r"^repository-code: *['\"]?([^\s'\"]+)", (root / FILE).read_text(encoding="utf-8"), re.M)
    found = PUBLIC.fullmatch(written[1] if written else version.git(root, "config", "--get", "remote.origin.url"))
    return found[0].removesuffix(".git") if found and found["host"] not in (socket.gethostname(), socket.getfqdn()) else ""


def report(repository: str, page: str) -> str:
    """Where to report a mistake on a page of the site; empty without a repository."""
    new = "-/issues/new?issue[title]=" if "gitlab" in repository else "issues/new?title="
    return f"{repository}/{new}{quote(page)}" if repository else ""
