"""An unusual machine: what it forbids is never told as the student's mistake, and what the student wrote stays as it is. A verdict is
about the folder that it is asked in."""

import os
import shutil
import subprocess
import sys
import time
from unittest import mock

import pytest
from conftest import ROOT, environment

from course.build import dates
from course.build.ctest import run_ahead

RIGHT, WRONG = "return expand_dims(a, -1) * expand_dims(b, 0);", "return expand_dims(a, -1) * expand_dims(b, 0)"
LATER = time.time() + 10**7


def grade(folder, tool, before=":", after=""):
    """By check or ctest, below a shell that does `before`: the exit status and all that is said. The student's file stays as it is."""
    command = {"check": [sys.executable, "-B", folder / "tools/course", "check", "lab00"],
               "ctest": ["ctest", "--test-dir", folder / "build/student", "-L", "^lab00$"]}[tool]
    wrote = (folder / "student/lab00_warm_up.cpp").read_bytes()
    run = subprocess.run(["sh", "-c", f'{before}; exec "$@" {after}', "sh", *command], env=environment(), stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace")
    assert (folder / "student/lab00_warm_up.cpp").read_bytes() == wrote
    return run.returncode, run.stdout


@pytest.mark.parametrize("tool", ["check", "ctest"])
@pytest.mark.parametrize("before, body, edited, said", [
    ("ulimit -v 2000000", RIGHT, False, "not graded, by no fault of your code: AddressSanitizer, which finds accesses outside an array, cannot "
                                        "start on this machine: it limits memory, which has to be unlimited (ulimit -v)\n"),
    ("ulimit -t 2", "std::raise(SIGKILL); return a;", False, "it was stopped, as this machine limits processor time (ulimit -t)\n"),
    ("ulimit -f 20", RIGHT, True, "student/lab00_warm_up.cpp is not the cause. The machine keeps the compiler or the linker from its work (df "
                                  "shows the room on a disk, ulimit -a other limits):\n")], ids=["memory", "time", "file size"])
def test_what_the_machine_forbids_is_not_the_students_mistake(student, tool, before, body, edited, said):
    student.answer("outer_product", body, "#include <csignal>")
    if not edited:
        subprocess.run(["cmake", "--build", student.build, "--target", "lab00_check"], check=True, stdout=subprocess.DEVNULL)
    status, words = grade(student.root, tool, before)
    assert status != 0 and said in words and "CRASH" not in words and "does not compile" not in words
    assert tool == "ctest" and not edited or "next: what the machine forbids, as said above\n" in words


def test_an_output_that_is_closed(student):
    assert grade(student.root, "check", after=">&-") == (
        2, "course: the output cannot be written: it is closed; leave >&- out and try again\n")


@pytest.mark.parametrize("tool", ["check", "ctest"])
def test_a_copy_is_graded_and_not_what_it_was_copied_from(student, tmp_path, tool):
    """Nor does a link count as a copy."""
    student.answer("outer_product", RIGHT)
    (tmp_path / "link").symlink_to(student.root)
    status, words = grade(tmp_path / "link", tool)
    assert status == 0 and "belongs to" not in words
    shutil.copytree(student.root, tmp_path / "a copy", symlinks=True)
    source, said = tmp_path / "a copy/student/lab00_warm_up.cpp", "student/lab00_warm_up.cpp does not compile"
    source.write_text(source.read_text(encoding="utf-8").replace(RIGHT, WRONG), encoding="utf-8")
    if tool == "check":  # it builds all of the lab, and ctest only what is wrong
        (tmp_path / "a copy/CMakeLists.txt").unlink()
        said = "course: CMake could not configure build/student"
    status, words = grade(tmp_path / "a copy", tool)
    assert f"build/student belongs to {student.root}: configuring it anew …\n" in words
    assert status != 0 and said in words


@pytest.mark.parametrize("tool", ["check", "ctest"])
def test_dates_in_the_future_are_set_back(student, tool):
    student.answer("outer_product", RIGHT)
    own = student.root / "CMakeLists.txt"
    own.unlink()
    shutil.copy(ROOT / "CMakeLists.txt", own)
    os.utime(own, (LATER, LATER))
    os.utime(student.lab00, (LATER, LATER))
    status, words = grade(student.root, tool)
    assert status == 0 and "files are dated in the future: they get today's date" in words
    assert max(own.stat().st_mtime, student.lab00.stat().st_mtime) <= time.time()
    own.unlink()
    own.symlink_to(ROOT / "CMakeLists.txt")


def test_what_was_built_in_the_future_is_built_anew(tmp_path):
    (tmp_path / "build/student").mkdir(parents=True)
    began, source = tmp_path / "build/student/run_started", tmp_path / "lab00.cpp"
    for path in (began, source):
        path.touch()
        os.utime(path, (LATER, LATER))
    dates.set_back(str(tmp_path), str(began.parent))
    assert began.stat().st_mtime == 1 < source.stat().st_mtime <= time.time()


def test_what_cannot_run_ahead_is_run_by_its_own_test(tmp_path):
    with mock.patch.object(os, "memfd_create", side_effect=PermissionError):
        run_ahead.run(str(tmp_path), "lab00", str(ROOT / "labs/lab00_warm_up/lab.json"))
    assert list((tmp_path / "results").iterdir()) == []
