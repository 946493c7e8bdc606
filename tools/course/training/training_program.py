"""The programs in training/: build them and run them; they print what they find, and write it down for plots."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from course.build import process_group
from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.sources import files, manifest

Settings = dict[str, Any]  # its arguments
ENDINGS = (0, 1, 2, 130)  # it has said all that there is to say


def build(tree: BuildTree, program: str, labs: str) -> Path:
    """labs: whose functions are linked with it."""
    print(f"building {program}, optimised …", file=sys.stderr, flush=True)
    if not tree.make(program, "train.log"):
        raise CourseError(f"your functions do not build; ./course check {labs} says why (the compiler's output: "
                          f"build/{tree.track}/train.log)")
    return tree.folder / program


def prepared(root: Path, track: str, lab: str) -> BuildTree:
    """A build folder that is configured; for commands that grade nothing first."""
    found = next((each for each in manifest.load(root) if each.name == lab), None)
    if found is None:
        raise CourseError(f"there is no {lab} here, which this command needs; use a copy of the course that has it")
    tree = BuildTree(root, track)
    with tree.locked():
        tree.prepare([found.manifest], [])
    return tree


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def folder_for(out: str | None, usual: Path) -> Path:
    """Where a command writes what it shows; what it wrote there before is replaced."""
    folder = Path(out).resolve() if out else usual
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{out} is a file; --out names a folder")
    return folder


def shown(root: Path, path: Path) -> Path:
    """As a message names it."""
    return path.relative_to(root) if path.is_relative_to(root) else path


def write_plot(root: Path, folder: Path, name: str, csv: str, svg: str) -> None:
    files.write_together(folder, {f"{name}.csv": csv, f"{name}.svg": svg})
    print(f"wrote {shown(root, folder)}/{name}.csv and {name}.svg", file=sys.stderr)


def run(program: Path, settings: Settings, what: str, advice: str) -> int:
    """Runs the program, and returns its exit status; that it broke is an error, of which `what` and `advice` say more."""
    status = status_of(program, settings)
    if status not in ENDINGS:
        raise CourseError(f"{what} stopped unexpectedly ({fate(status)}); {advice}")
    return status


def status_of(program: Path, settings: Settings) -> int:
    """Ctrl-C asks the program to finish its step; that is all that Ctrl-C does."""
    command = [str(program), *(f"{name}={value}" for name, value in settings.items())]
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # the matrices are small: a second thread makes it slower
    sys.stdout.flush()
    with process_group.started(command, env=single) as process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:
                print("\nfinishing this step …", file=sys.stderr)
                os.killpg(process.pid, signal.SIGTERM)
    if status in (-signal.SIGTERM, -signal.SIGINT):
        raise KeyboardInterrupt
    return status


def fate(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"
