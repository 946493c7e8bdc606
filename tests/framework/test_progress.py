"""What ./course test says while it runs, and which parts it runs for a name."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from author.commands.test import CLANG, LABS, Selection, plan
from author.test_progress import Progress, Times
from green import Green, digest_of

LOG = """        Start   1: lab00.build
 1/4 Test   #1: lab00.build .................   Passed    2.00 sec
        Start   2: framework.docs
        Start   3: framework.hostile
 2/4 Test   #3: framework.hostile ...........***Failed    9.00 sec
        Start   4: framework.judge
"""


class Line(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.times = Times(Path(folder.name, "times.json"))

    def line(self, words: str, coming: list = (), names: list = ()) -> str:
        return Progress("test", list(coming), self.times, list(names), jobs=2)._line(words)

    def test_what_is_done_and_what_runs(self):
        self.assertEqual(self.line(LOG), "  test, 2 of 4 done, 1 failed, running docs (0 s) judge (0 s)")
        self.assertEqual(self.line("[3/200] Building CXX object a.o\n[4/200] Linking b\n"), "  test, 4 of 200 done")

    def test_what_is_left_by_the_last_run(self):
        self.times.keep("test", 300, {"framework.docs": 200, "framework.judge": 300, "lab00.build": 9}, whole=True)
        self.assertIn("about 5 min left", self.line(LOG))  # the longest of those that have not ended
        self.times.keep("later", 600, {}, whole=True)
        self.assertIn("about 15 min left", self.line(LOG, ["later"]))
        self.assertNotIn("left", self.line(LOG, ["never ran"]))

    def test_a_part_changes_the_times_of_its_tests_alone(self):
        self.times.keep("test", 300, {"framework.docs": 200, "framework.judge": 300}, whole=True)
        self.times.keep("test", 50, {"framework.docs": 40}, whole=False)
        self.assertEqual(self.times.expected("test", [], 2), 300)
        self.assertEqual(self.times.expected("test", ["docs"], 2), 40)
        self.assertIn("about 40 s left", self.line(LOG, names=["docs"]))


class Parts(unittest.TestCase):
    def commands(self, labels: set, programs: list) -> list:
        rows = plan(0, Selection("docs|lab05", programs, {LABS: "lab05" in labels, CLANG: bool(labels)}))
        return [(step.name, "docs|lab05" in step.command) for row in rows for step in row]

    def test_of_the_course_itself(self):
        self.assertEqual(self.commands(set(), []), [("test reference", True)])

    def test_of_a_lab(self):
        self.assertEqual(self.commands({"lab05"}, ["lab05_check"]), [
            ("build reference", False), ("test reference", True), ("soak, seed 2", True),
            ("configure reference-clang", False), ("test reference-clang", True)])

    def test_of_what_clang_finds(self):
        self.assertEqual(self.commands({"tidy"}, [])[1:], [("configure reference-clang", False),
                                                           ("test reference-clang", True)])


class Remembered(unittest.TestCase):
    def test_a_result_holds_until_a_file_or_a_word_changes(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", LINATTN_ANEW=""):
            file, green = Path(folder, "file"), Green(Path(folder), "gate")
            file.write_text("a")
            green.keep("lab", digest_of([file], "word"), [1])
            self.assertEqual(green.result("lab", digest_of([file], "word")), [1])
            self.assertIsNone(green.result("lab", digest_of([file], "other word")))
            file.write_text("b")
            self.assertIsNone(green.result("lab", digest_of([file], "word")))
            self.assertIsNone(green.result("lab", digest_of([file, file.with_name("gone")], "word")))


if __name__ == "__main__":
    unittest.main()
