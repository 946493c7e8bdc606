"""Grade a lab again on every save of its student files, until Ctrl-C."""

import os
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import manifest, progress
from course.errors import CourseError
from course.grading import grade

SETTLED = 0.05  # seconds without a change: an editor that empties the file and then fills it has finished
Fingerprint = list[tuple[int, int, int] | None]
LONGEST_SLEEP = 2  # seconds; a save that entr does not see is found after this


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
        print(progress.report(manifest.load(root), grade(root, names=names), "student"))
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
    """Returns once the files differ from `before` and have come to rest. The fingerprint decides; entr only wakes us."""
    while fingerprint(files) == before:
        _sleep_until_woken(files)
    while True:
        now = fingerprint(files)
        time.sleep(SETTLED)
        if fingerprint(files) == now:
            return


def _sleep_until_woken(files: list[Path]) -> None:
    if shutil.which("entr") and all(file.exists() for file in files):
        try:
            woken = subprocess.run(["entr", "-n", "-p", "-z", "true"], input="\n".join(map(str, files)), text=True,
                                   timeout=LONGEST_SLEEP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if woken.returncode == 0:
                return
        except subprocess.TimeoutExpired:
            return
    time.sleep(0.2)
