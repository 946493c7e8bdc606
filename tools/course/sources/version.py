"""Which course this is: the version of the handout, and in a clone the commit's date, time (UTC) and name.

A handout takes its version from the commit, so that the same tree gives the same bytes on every machine.
"""

import os
import subprocess
from pathlib import Path

FILE = ".handout.version"  # in a handout; a file of its own, since earlier handouts would not read one in their record


def of(root: Path) -> str:
    try:
        return (root / FILE).read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return of_commit(root) or "unknown: this is neither a handout nor a clone with a commit"


def of_commit(root: Path) -> str:
    """"2026-11-21 23:21:54 d2e3817"; empty where git knows no commit of this very folder."""
    return git(root, "log", "-1", "--format=%cd %h", "--abbrev=10", "--date=format-local:%Y-%m-%d %H:%M:%S")


def git(root: Path, *words: str) -> str:
    """What git says of this very folder; empty where it knows nothing, or is not here."""
    if not (root / ".git").exists():
        return ""
    try:
        said = subprocess.run(["git", "-C", str(root), *words], env=os.environ | {"TZ": "UTC"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def is_older(version: str, other: str) -> bool:
    """By date and time; no version is older than any."""
    return version.split()[:2] < other.split()[:2]
