"""The programs in training/: build them, run them, and hear what they say, a JSON object a line."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

from course import files, manifest, process_group
from course.build_tree import BuildTree
from course.errors import CourseError

Event = dict[str, Any]  # a line of what the program prints, read as JSON
Settings = dict[str, Any]  # its arguments


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


def listen(program: Path, settings: Settings, words: TextIO | None, on_event: Callable[[Event], None]) -> int:
    """Runs the program and passes on what it says. Ctrl-C asks it to finish its step; that is all that Ctrl-C does."""
    command = [str(program), *(f"{name}={value}" for name, value in settings.items())]
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # the matrices are small: a second thread makes it slower
    with process_group.started(command, stdout=subprocess.PIPE, stderr=words, env=single) as training:
        while True:
            try:
                line = training.stdout.readline() if training.stdout else ""
            except KeyboardInterrupt:
                print("\nfinishing this step …", file=sys.stderr)
                training.send_signal(signal.SIGTERM)
                continue
            if not line:
                return training.wait()
            if line.startswith('{"event":'):
                on_event(json.loads(line))
            else:  # a function of the student's prints
                print(line.rstrip("\n"), file=sys.stderr)


def is_missing(events: Iterable[Event]) -> bool:
    """Whether a function is not written; what else went wrong is raised."""
    for event in events:
        if event["event"] == "error":
            raise CourseError(event["why"])
        if event["event"] == "missing":
            print(f"course: {event['function']} is not written yet, and the training needs it; "
                  f"./course check lists what is missing", file=sys.stderr)
            return True
    return False


def fate(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"
