"""(authors) Cut the stubs in student/ out of reference/, and make the tables of the README and of docs/uses.md.

It overwrites no edited file of a student, except with --force, which keeps a copy.
"""

import sys
from argparse import ArgumentParser, Namespace
from difflib import unified_diff
from pathlib import Path

from author import stubs, tables
from course.sources import manifest


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; show where student/ or a table differs, and exit 1 if one does")
    parser.add_argument("--force", action="store_true", help="overwrite edited files too, keeping NAME.<time>.bak")


def run(root: Path, options: Namespace) -> int:
    fresh = stubs.cut_all(root)
    if options.check:
        return _check(root, fresh)
    written = [f"student/{name}" for name in stubs.write(root, fresh, options.force)]
    written += tables.update(root, manifest.load(root))
    for name in written:
        print(f"wrote {name}")
    if not written:
        print("student/ is up to date")
    return 0


def _check(root: Path, fresh: dict[str, str]) -> int:
    drifted, unlisted = stubs.drifted(root, fresh), stubs.unlisted_sources(root / "student", fresh)
    for name in drifted:
        path = root / "student" / name
        present = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        sys.stdout.writelines(unified_diff(present.splitlines(True), fresh[name].splitlines(True),
                                           f"student/{name}", f"cut from reference/{name}"))
    for name in unlisted:
        print(f"student/{name} belongs to no lab; remove it, or name it in a lab.json")
    differs = bool(drifted or unlisted)
    if not differs and stubs.record_is_stale(root, fresh):
        differs = True
        print(f"student/{stubs.RECORD} is out of date")
    if differs:
        print("student/ is not what reference/ gives; run ./course cut")
    stale = tables.stale(root, manifest.load(root))
    for name in stale:
        print(f"{name} has a table that is not what its data give; run ./course cut")
    return 1 if differs or stale else 0
