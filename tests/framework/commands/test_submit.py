"""./course submit makes a zip that is taken as it is, and never touches student/; the workflow in the handout. What it says is in
tests/transcripts."""

import re
from unittest import mock

import pytest
from conftest import ROOT, run_course

from author.judge import intake
from course.__main__ import read_command_line
from course.commands import submit
from course.sources import manifest, version


@pytest.fixture
def zip_file(tmp_path):
    return tmp_path / "s001.zip"


def submitted(student, zip_file, *words):
    return run_course(student.root, ("submit", "s001", "--out", str(zip_file), *words))


def files_of(student):
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (student.root / "student").iterdir()}


def test_the_zip_is_what_the_grader_takes(student, zip_file, tmp_path, monkeypatch):
    before = files_of(student)
    assert submitted(student, zip_file, "--unchecked").returncode == 0
    assert files_of(student) == before
    monkeypatch.setattr(manifest, "load", lambda _: student.labs)
    taken = intake.taken(zip_file, tmp_path)
    assert (taken.student, taken.handout, taken.files, taken.left_out) == (
        "s001", version.of(student.root), ["lab00_warm_up.cpp", "lab01_feature_maps.cpp"], [])
    for name in taken.files:
        assert (tmp_path / name).read_bytes() == before[student.root / "student" / name][0]
    first = zip_file.read_bytes()
    assert submitted(student, zip_file, "--unchecked").returncode == 2, "one that is there already"
    assert zip_file.read_bytes() == first
    zip_file.unlink()
    submitted(student, zip_file, "--unchecked")
    assert zip_file.read_bytes() == first, "the same files make the same zip"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(submit, "grade", lambda _: [])
    monkeypatch.setattr(submit, "_say", mock.Mock())


def test_labs_that_were_never_built_are_named(student, zip_file, quick):
    with mock.patch.object(submit.BuildTree, "never_built", return_value=["lab00", "lab01"]):
        assert "so lab00, lab01 are built for the first time; --unchecked skips this\n" in submitted(student, zip_file).stderr


def test_an_edit_while_it_is_graded(student, zip_file, quick, monkeypatch):
    monkeypatch.setattr(submit, "grade", lambda _: student.lab00.write_text("// saved meanwhile"))
    assert "changed while it was graded" in submitted(student, zip_file).stderr
    assert not zip_file.exists()


@pytest.mark.parametrize("name", ["../s001", "a/b", "", "-", "s\nt"])
def test_a_name_that_is_no_id_is_refused(name):
    assert "letters, digits, spaces and . - @ + _ only" in run_course(ROOT, ("submit", "--", name)).stderr


def test_the_workflow_s_commands_are_there_and_nothing_in_it_floats():
    text = (ROOT / "docs/handout/check.yml").read_text()
    runs = re.findall(r"- run: \./course (\w+)(.*?)(?: \|\||$)", text, re.M)
    assert [command for command, _ in runs] == ["setup", "report"]
    assert "tools/course/\n" in (ROOT / "tools/handout.txt").read_text()
    assert read_command_line(["report", *runs[1][1].split()]).out == "out"
    assert re.search(r"container: debian:bookworm-\d{8}-slim\n", text)
    assert "latest" not in text and "contents: read\n" in text
