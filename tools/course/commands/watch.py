"""Grade a lab again on every save of its student files, until Ctrl-C."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.errors import CourseError
from course.sources import manifest
from course.verdicts import summary
from course.verdicts.grading import grade

SETTLED = 0.05  # seconds without a change: an editor that empties the file and then fills it has finished
Fingerprint = list[tuple[int, int, int] | None]


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("labs", nargs="+", metavar="labNN", help="a lab (lab02), or one exercise (lab02.inclusive_scan, or just inclusive_scan)")


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    chosen = {exercise.lab for exercise in manifest.select(labs, options.labs)}
    files = [root / "student" / source for lab in labs if lab.name in chosen for source in lab.sources]
    try:
        while True:
            before = fingerprint(files)
            _grade(root, options.labs)
            print(f"\nwatching {' '.join(str(file.relative_to(root)) for file in files)} (Ctrl-C ends)", flush=True)
            wait_for_change(files, before)
    except KeyboardInterrupt:
        print()
        return 0


def _grade(root: Path, names: list[str]) -> None:
    print(f"\n── {time.strftime('%H:%M:%S')} ── {' '.join(names)} ──\n", flush=True)
    try:
        print(summary.report(manifest.load(root), grade(root, names=names), "student"))
    except CourseError as error:  # a save may fix it
        print(f"course: {error}", file=sys.stderr)


def fingerprint(files: list[Path]) -> Fingerprint:
    """Differs after every save, also when the editor renames a new file over the old one."""
    def of_one(file: Path) -> tuple[int, int, int] | None:
        try:
            status = os.stat(file)
            return status.st_ino, status.st_mtime_ns, status.st_size
        except FileNotFoundError:
            return None
    return [of_one(file) for file in files]


def wait_for_change(files: list[Path], before: Fingerprint) -> None:
    """Returns once the files differ from `before` and have come to rest."""
    while fingerprint(files) == before:
        time.sleep(SETTLED)
    while True:
        now = fingerprint(files)
        time.sleep(SETTLED)
        if fingerprint(files) == now:
            return
