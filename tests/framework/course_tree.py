"""A small course in a temporary folder, for the tests of ./course: two labs, no compiler."""

import contextlib
import io
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPOSITORY / "tools"))

from author import tables
from course.__main__ import main

REFERENCE = """// The answer key.

int twice(int x) {
    // Add.
    // BEGIN SOLUTION
    return x + x;
    // END SOLUTION
}

int thrice(int x) {
    // BEGIN SOLUTION
    return 3 * x;
    // END SOLUTION
}
"""


def course_words(root: Path, *words: str) -> list:
    """The command line of `./course words…` in the tree `root`, with the tools of this one."""
    start = ("import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from course import __main__; from course.build import process_group; "
             "process_group.end_when_told(); sys.exit(__main__.main(Path(sys.argv[2]), sys.argv[3:]))")
    return [sys.executable, "-B", "-c", start, REPOSITORY / "tools", root, *words]


def course_process(root: Path, words: list, options: dict | None = None, **environment) -> subprocess.Popen:
    """`./course words…` in the tree `root`, as a process of its own that ignores no signal, whoever runs the tests."""
    def heed_signals():
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL) | (options or {})
    return subprocess.Popen(course_words(root, *words), start_new_session=True, env=os.environ | environment,
                            preexec_fn=heed_signals, **streams)


def run_course(root: Path, words: tuple, environment: dict | None = None) -> SimpleNamespace:
    """What `./course words…` does in the tree `root`, in this process: a start of Python each would take too long."""
    out, err = io.StringIO(), io.StringIO()
    environment = dict(os.environ) if environment is None else environment
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.dict(os.environ, environment, clear=True):
        try:
            status = main(root, list(words))
        except SystemExit as end:
            status = end.code
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())


def wait_until(happened, limit: float = 600) -> None:
    """The limit, in seconds, is for a machine with much else to do."""
    ends = time.monotonic() + limit
    while not happened():
        if time.monotonic() > ends:
            raise AssertionError(f"it did not happen within {limit} s")
        time.sleep(0.02)


def fails_at(number: int, place: object, name: str, code: int):
    """A patch: the call of that number of Path.write_bytes, which has then written ten bytes, or of os.replace fails."""
    real, calls = getattr(place, name), itertools.count(1)

    def call(first, second):
        if next(calls) == number:
            if place is Path:
                real(first, second[:10])
            raise OSError(code, os.strerror(code))
        return real(first, second)
    return mock.patch.object(place, name, call)


def shell_script(path: Path, lines: str) -> Path:
    """Makes it a program of the shell."""
    path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def changed_manifest(manifest: Path, place: Path, **changes) -> Path:
    """A copy of it with other values, beside the lab's headers in a folder of its name."""
    copy = place / manifest.parent.name / "lab.json"
    copy.parent.mkdir(exist_ok=True)
    for header in manifest.parent.glob("*.hpp"):
        if not (link := copy.with_name(header.name)).exists():
            link.symlink_to(header)
    copy.write_text(json.dumps(json.loads(manifest.read_text(encoding="utf-8")) | changes), encoding="utf-8")
    return copy


def own_folder(enter) -> Path:
    """A new folder. `enter` is enterContext or enterClassContext of a test, with which it goes."""
    return Path(enter(tempfile.TemporaryDirectory()))


class CourseTree(unittest.TestCase):
    """self.root holds lab07 (twice; thrice ★) and lab08 (once, which comes solved)."""

    def setUp(self):
        self.root = own_folder(self.enterContext) / "a course"
        self.write("labs/lab07_numbers/lab.json", json.dumps({
            "lab": "lab07", "title": "Numbers", "sources": ["lab07_numbers.cpp"],
            "exercises": [{"function": "twice", "points": 2, "minutes": 5, "section": "7.1"},
                          {"function": "thrice", "points": 1, "minutes": 5, "section": "7.2", "stretch": True}]}))
        self.write("labs/lab08_more/lab.json", json.dumps({
            "lab": "lab08", "title": "More", "sources": ["lab08_more.cpp"],
            "exercises": [{"function": "once", "points": 4, "minutes": 5, "section": "8.1", "solved": True}]}))
        self.write("labs/lab07_numbers/README.md", "# Lab 07\n")
        self.write("README.md", f"# Labs\n\n{tables.BEGIN}{tables.END}")
        self.write("reference/lab07_numbers.cpp", REFERENCE)
        self.write("reference/lab08_more.cpp", "int once(int x) { return x; }\n")

    def write(self, name, text, mode=0o644):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def put_program(self, lab, listing):
        """In the place of a lab's check program: one that answers --list with this."""
        self.write(f"build/reference/{lab}_check", f"#!/bin/sh\ncat <<'END'\n{listing}\nEND\n", 0o755)

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def edit(self, name, old, new, times=1):
        """Returns the number of the first line with it."""
        text = self.read(name)
        self.assertIn(old, text, name)
        (self.root / name).write_text(text.replace(old, new, times), encoding="utf-8")
        return text[:text.index(old)].count("\n") + 1

    def files(self, folder=None):
        """Name → bytes, but for what git keeps in a folder of its own."""
        folder = folder or self.root
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and ".git" not in path.parts}

    def course(self, *words, status=None, **environment):
        """What `./course words…` does, which must end with this status if one is given."""
        result = run_course(self.root, words, os.environ | environment)
        self.assertIn(status, (None, result.returncode), result.stdout + result.stderr)
        return result

    def assert_one_line_error(self, result, *fragments):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("course: "), result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
