"""./course submit makes a zip that is taken as it is, and never touches student/; the workflow in the handout. What it says is in
tests/transcripts."""

import re
from unittest import mock

import pytest
from course_tree import REPOSITORY, run_course
from student_course import StudentCourse

from author.judge import intake
from course import manifest, version
from course.__main__ import read_command_line
from course.commands import submit


class Submit(StudentCourse):
    def setUp(self):
        super().setUp()
        self.zip = self.build / "s001.zip"
        self.addCleanup(self.zip.unlink, missing_ok=True)

    def submit(self, *words):
        return run_course(self.root, ("submit", "s001", "--out", str(self.zip), *words))

    def student(self):
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (self.root / "student").iterdir()}

    def test_the_zip_is_what_the_grader_takes(self):
        before = self.student()
        self.assertEqual(self.submit("--unchecked").returncode, 0)
        self.assertEqual(self.student(), before)
        into = self.build / "taken"
        into.mkdir(exist_ok=True)
        with mock.patch("course.manifest.load", return_value=manifest.load(self.root)):
            taken = intake.taken(self.zip, into)
        self.assertEqual((taken.student, taken.handout, taken.files, taken.left_out),
                         ("s001", version.of(self.root), ["lab00_warm_up.cpp", "lab01_feature_maps.cpp"], []))
        for name in taken.files:
            self.assertEqual((into / name).read_bytes(), before[self.root / "student" / name][0])
        first = self.zip.read_bytes()
        self.assertEqual(self.submit("--unchecked").returncode, 2, "one that is there already")
        self.assertEqual(self.zip.read_bytes(), first)
        self.zip.unlink()
        self.submit("--unchecked")
        self.assertEqual(self.zip.read_bytes(), first, "the same files make the same zip")

    def test_labs_that_were_never_built_are_named(self):
        with mock.patch.object(submit, "grade", return_value=[]), mock.patch.object(submit, "_say"), \
                mock.patch.object(submit.BuildTree, "never_built", return_value=["lab00", "lab01"]):
            self.assertIn("so lab00, lab01 are built for the first time; --unchecked does without\n", self.submit().stderr)

    def test_an_edit_while_it_is_graded(self):
        def edit(_):
            self.source("lab00").write_text("// saved meanwhile")
            return []
        with mock.patch.object(submit, "grade", edit), mock.patch.object(submit, "_say"):
            self.assertIn("changed while it was graded", self.submit().stderr)
        self.assertFalse(self.zip.exists())


@pytest.mark.parametrize("name", ["../s001", "a/b", "", "-", "s\nt"])
def test_a_name_that_is_no_id_is_refused(name):
    assert "letters, digits, spaces and . - @ + _ only" in run_course(REPOSITORY, ("submit", "--", name)).stderr


TEXT = (REPOSITORY / "docs/handout/check.yml").read_text(encoding="utf-8")


def test_the_workflow_s_commands_are_there():
    runs = re.findall(r"- run: \./course (\w+)(.*?)(?: \|\||$)", TEXT, re.M)
    assert [command for command, _ in runs] == ["setup", "report"]
    assert "tools/course/\n" in (REPOSITORY / "tools/handout.txt").read_text(encoding="utf-8")
    for command, words in runs[1:]:
        assert (REPOSITORY / f"tools/course/commands/{command}.py").is_file()
        assert read_command_line([command, *words.split()]).out == "out"


def test_nothing_in_the_workflow_floats():
    assert re.search(r"container: debian:bookworm-\d{8}-slim\n", TEXT)
    assert "latest" not in TEXT and "contents: read\n" in TEXT
