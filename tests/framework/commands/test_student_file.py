"""A student's file that cannot be built keeps no other lab from being graded, and a signal leaves nothing at work. What it says is in
tests/transcripts."""

import os
import re
import shutil
import signal
import subprocess

import pytest
from conftest import course_process, wait_until

RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
SLOW = "constexpr int slow() { int n = 0; for (int i = 0; i < 30000000; ++i) n ^= i; return n; }\nconstexpr int n = slow();"


def configure(student):
    subprocess.run(["cmake", "."], cwd=student.build, check=True, stdout=subprocess.DEVNULL)


def test_it_may_be_missing_from_the_start(student):
    """A folder configured without the file still builds the other labs, and finds the file when it comes."""
    student.answer("outer_product", RIGHT)
    text = student.lab00.read_text()
    student.lab00.unlink()
    configure(student)
    refused = student.ctest("lab00")
    assert "is missing" in refused.words and (refused.returncode, refused.results) == (8, {})
    assert set(student.ctest("lab01").results) == {exercise.function for exercise in student.labs[1].exercises}
    student.lab00.write_text(text)
    assert student.ctest("lab00").returncode == 0


def test_what_is_no_ordinary_file_is_refused(student):
    """By ctest, and by ./course check also where it would build the lab for the first time."""
    student.lab00.unlink()
    os.mkfifo(student.lab00)  # a compiler would wait for ever
    shutil.rmtree(student.build / "built_once", ignore_errors=True)
    status, exercises = student.check("lab00", "lab01.relu")
    assert (status, exercises["lab01.relu"]["status"]) == (1, "todo")
    for name in ("lab00.row_sums", "lab00.outer_product"):
        assert exercises[name]["status"] == "not_run"
        assert "student/lab00_warm_up.cpp is not an ordinary file" in exercises[name]["message"]
    assert "is not an ordinary file" in student.ctest("lab00").words
    configure(student)


def test_what_is_no_text_at_all(student):
    student.lab00.write_text("\0\1\2\x7f" * 100)
    words = student.ctest("lab00").words
    told = words[words.index("The following tests FAILED"):].splitlines()
    assert "does not compile" in "".join(told) and len(told) < 45 and max(map(len, told)) < 400


def test_endless_recursion_is_told_in_a_single_process_too(student):
    student.answer("outer_product", "return outer_product(a, b);")
    assert "called itself without end" in student.ctest("lab00").words
    run = subprocess.run([student.build / "lab00_check", "--alone", "--exercise", "outer_product"], capture_output=True,
                         text=True, errors="replace")
    assert run.returncode != 0 and "stack overflow" in run.stderr


@pytest.mark.parametrize("body, above, at_work, number", [
    (RIGHT, SLOW, "cc1plus|clang", signal.SIGINT), (RIGHT, SLOW, "cc1plus|clang", signal.SIGHUP),
    ("for (;;) {}", "", "--exercise outer_product", signal.SIGTERM)])
def test_a_signal_ends_compilers_and_exercises(student, started, body, above, at_work, number):
    student.check("lab00")  # so that no first build is left to do
    student.answer("outer_product", body, above)
    check = course_process(student.root, ["check", "lab00"])
    started.append(check)
    wait_until(lambda: any(re.search(at_work, words) for words in processes(student, check)))
    check.send_signal(number)
    assert check.wait(600) == 128 + number
    wait_until(lambda: not processes(student, check))


def processes(student, check):
    """The command lines of what works on this course, besides `check` itself."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid=,stat=,args="], stdout=subprocess.PIPE, text=True, check=True)
    split = [line.split(None, 2) for line in found.stdout.splitlines() if str(student.root) in line]
    return [words for pid, state, words in split if state[0] != "Z" and int(pid) not in (check.pid, os.getpid())]
