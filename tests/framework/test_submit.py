"""./course submit makes a zip that is taken as it is, and never touches student/; the workflow in the handout."""

import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from course_tree import REPOSITORY
from fake_tools import FakeTools

from course import manifest, version
from course.__main__ import read_command_line
from author.judge import intake


class Submit(FakeTools):
    def setUp(self):
        super().setUp()
        self.write("student/lab07_numbers.cpp", "int twice(int x) { return 2 * x; }  // zwölf\r\n")
        self.write("student/lab08_more.cpp", "\xa0stub")
        self.write(version.FILE, "2027-01-15\n")
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "todo", "thrice: not written")
                        + self.leaves("once", "fail", "wrong", lab="lab08"))
        self.zip = self.root / "s001.zip"

    def submit(self, *words, status=None):
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (self.root / "student").rglob("*")
                  if path.is_file()}
        result = self.graded("submit", *words, status=status)
        self.assertEqual({path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before}, before)
        return result

    def test_the_zip_is_what_the_grader_takes(self):
        made = self.submit("s001", "--out", str(self.zip), status=0)
        self.assertEqual(made.stdout, f"lab07  2 of 3 points\n  TODO: thrice\nlab08  0 of 4 points\n  FAIL: once\nscore 2 of 7\n"
                                      f"{self.zip}: 2 files of student/; hand in this file\n")
        with tempfile.TemporaryDirectory() as into, mock.patch("course.manifest.load", return_value=manifest.load(self.root)):
            taken = intake.taken(self.zip, Path(into))
            self.assertEqual((taken.student, taken.handout, taken.files, taken.left_out),
                             ("s001", "2027-01-15", ["lab07_numbers.cpp", "lab08_more.cpp"], []))
            for name in taken.files:
                self.assertEqual(Path(into, name).read_bytes(), (self.root / "student" / name).read_bytes())
        first = self.zip.read_bytes()
        self.zip.unlink()
        self.submit("s001", "--out", str(self.zip), "--unchecked")
        self.assertEqual(self.zip.read_bytes(), first)

    def test_labs_that_were_never_built_are_named(self):
        for said, words in (("so lab07, lab08 are built for the first time; --unchecked does without\n", ["s001"]),
                            ("so lab08 is built for", ["s002"]), ("", ["s003", "--unchecked"])):
            result = self.submit(*words, "--out", str(self.root / f"{words[0]}.zip"))
            (self.assertIn if said else self.assertEqual)(said, result.stderr)
            (self.root / "build/student/built_once/lab08").unlink(missing_ok=True)

    def test_what_is_refused(self):
        self.write("s001.zip", "mine")
        self.assert_one_line_error(self.submit("s001", "--out", str(self.zip)), "already exists")
        self.assertEqual(self.zip.read_text(), "mine")
        self.assert_one_line_error(self.submit("s001", "--out", "x.tar"), "x.tar.zip")
        for name in ("../s001", "a/b", "", "-", "s\nt"):
            self.assert_one_line_error(self.graded("submit", "--", name, status=2), "letters, digits, spaces and . - @ + _ only")
        self.assertEqual(self.read("calls"), "", "nothing was built")
        path = self.root / "student/lab08_more.cpp"
        path.write_bytes(b"x" * (300 << 10))
        self.assert_one_line_error(self.submit("s002", "--out", str(self.root / "s002.zip")), "256 KiB")
        path.unlink()
        self.assert_one_line_error(self.submit("s002", "--out", str(self.root / "s002.zip")), "lab08_more.cpp is missing")
        path.symlink_to("/dev/zero")
        self.assert_one_line_error(self.submit("s002", "--out", str(self.root / "s002.zip")), "not an ordinary file")
        self.assertFalse((self.root / "s002.zip").exists())

    def test_an_edit_while_it_is_graded(self):
        self.ctest_does("echo '// saved meanwhile' >>student/lab07_numbers.cpp")
        self.assertIn("changed while it was graded", self.graded("submit", "s001", "--out", str(self.zip), status=2).stderr)
        self.assertFalse(self.zip.exists())


class Workflow(unittest.TestCase):
    TEXT = (REPOSITORY / "docs/handout/check.yml").read_text(encoding="utf-8")

    def test_its_commands_are_there(self):
        handed_out = (REPOSITORY / "tools/handout.txt").read_text(encoding="utf-8")
        runs = re.findall(r"- run: \./course (\w+)(.*?)(?: \|\||$)", self.TEXT, re.M)
        self.assertEqual([command for command, _ in runs], ["setup", "report"])
        self.assertIn("tools/course/\n", handed_out)
        for command, words in runs[1:]:
            self.assertTrue((REPOSITORY / f"tools/course/commands/{command}.py").is_file())
            self.assertEqual(read_command_line([command, *words.split()]).out, "out")

    def test_nothing_in_it_floats(self):
        self.assertRegex(self.TEXT, r"container: debian:bookworm-\d{8}-slim\n")
        self.assertNotIn("latest", self.TEXT)
        self.assertIn("contents: read\n", self.TEXT)
