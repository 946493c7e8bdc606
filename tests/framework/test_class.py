"""A small class, graded twice by ./course grade with its workers killed in between: every submission gets the verdicts that it
was built to get."""

import json
import os
import signal
import tempfile
import unittest
from pathlib import Path

from course_tree import REPOSITORY, course_process, wait_until

import boxes
from class_of_students import ClassOfStudents, differences
from course import manifest

LABS = "lab00,lab01"
ALL_GRADED = 0


def workers(out: Path) -> list:
    """The processes that grade into this folder."""
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return [line for line in lines if str(out).encode() in line]


class AClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        boxes.needed(REPOSITORY, [lab for lab in manifest.load(REPOSITORY) if lab.name in LABS.split(",")])

    def test_verdicts_are_as_built_twice_with_killed_workers(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "class"
            expected = ClassOfStudents(6).write(folder)
            for turn in ("first", "second"):
                out = Path(place) / turn
                words = ["grade", str(folder), "--out", str(out), "--labs", LABS, "--jobs", "2"]
                grading = course_process(REPOSITORY, words)
                wait_until(lambda: any(out.glob("s*/result.json")) or grading.poll() is not None, 120)
                os.kill(grading.pid, signal.SIGKILL)  # before all six are graded, or where the machine is quick, after
                grading.wait()
                done = {path: path.read_bytes() for path in out.glob("s*/result.json")}
                self.assertEqual(course_process(REPOSITORY, [*words, "--resume"]).wait(timeout=300), ALL_GRADED)
                self.assertEqual(workers(out), [])
                self.assertEqual(differences(expected, out), [])
                self.assertEqual({path: path.read_bytes() for path in done}, done)  # nothing was graded again
                results = [json.loads(path.read_text(encoding="utf-8")) for path in out.glob("s*/result.json")]
                self.assertEqual(len(results), len(expected))
                self.assertEqual([each["earned"] for each in results if each["student"].endswith("honest")], [12])


if __name__ == "__main__":
    unittest.main()
