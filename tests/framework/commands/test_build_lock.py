"""Runs that begin at the same moment in one build folder: each waits for the one before, and none gets a false verdict."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import ROOT, course_process, course_words, environment, run_course, shell_script, wait_until

from course.build import build_lock

WORK = """import sys, time
from course.build import build_lock
folder, journal = sys.argv[1:]
lock = build_lock.take(folder)
for word in "begin", "end":
    with open(journal, "a") as file:
        file.write(word + chr(10))
    time.sleep(0.01)
print("done", flush=True)
sys.stdin.read()
"""
WAITING = "another check is running in build/student, waiting …\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "build/student"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def start(folder, started):
    """Starts a process that takes the lock, works, says "done", and keeps the lock until its input ends."""
    def start(stdin=subprocess.PIPE):
        started.append(subprocess.Popen([sys.executable, "-B", "-c", WORK, folder, folder / "journal"], text=True, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=os.environ | {"PYTHONPATH": str(ROOT / "tools")}))
        return started[-1]
    return start


def test_one_after_the_other(start, folder):
    for worker in [start(subprocess.DEVNULL) for _ in range(8)]:
        worker.wait(600)
    assert (folder / "journal").read_text() == "begin\nend\n" * 8


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_lock_ends_with_its_process(start, number):
    first = start()
    assert first.stdout.readline() == "done\n"
    second = start()
    assert second.stderr.readline() == WAITING
    first.send_signal(number)
    assert second.stdout.readline() == "done\n"


def test_below_a_run_that_holds_it_there_is_no_lock_to_take(folder, monkeypatch):
    monkeypatch.setenv(build_lock.HELD, f"{folder}/.")
    assert build_lock.take(str(folder)) == build_lock.NONE
    build_lock.release(build_lock.NONE)


@pytest.mark.parametrize("number", build_lock.NO_LOCKS)
def test_a_file_system_may_have_no_locks(folder, monkeypatch, number):
    monkeypatch.setattr(fcntl, "flock", failing(number))
    assert build_lock.take(str(folder)) == build_lock.NONE


def failing(number, path=None):
    def fail(*_):
        raise OSError(number, os.strerror(number), path)
    return fail


def test_a_file_of_another_user_can_be_locked(folder, monkeypatch):
    real = os.open
    (folder / "check.lock").touch()
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda path, flags, *mode: (failing(errno.EACCES) if flags & os.O_RDWR else real)(path, flags, *mode))
        lock = build_lock.take(str(folder))
    with open(folder / "check.lock") as file:
        assert lock != build_lock.NONE and is_locked(file)
    build_lock.release(lock)


def test_a_folder_that_cannot_be_written_to(tmp_path, folder, monkeypatch):
    (tmp_path / "labs").symlink_to(ROOT / "labs")
    monkeypatch.setattr(os, "open", failing(errno.EROFS, f"{folder}/check.lock"))
    refused = run_course(tmp_path, ("check",))
    assert (refused.returncode, refused.stderr[:8]) == (2, "course: ")
    assert refused.stderr.endswith("check.lock: Read-only file system; fix that and try again\n")


def is_locked(file):
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


@pytest.fixture
def check(tmp_path, folder, started):
    """Starts a check whose cmake tells that it was called, and whose ctest works until the file `pid` is gone."""
    (tmp_path / "labs").symlink_to(ROOT / "labs")
    shell_script(tmp_path / "cmake", f"cd '{tmp_path}'\ntouch called build/student/build.ninja")
    shell_script(tmp_path / "ctest", f"cd '{tmp_path}'\ntouch pid\nwhile [ -e pid ]; do sleep 0.02; done")

    def start():
        started.append(course_process(tmp_path, ["check", "lab00"], {"stderr": subprocess.PIPE, "text": True},
                                      PATH=f"{tmp_path}:{os.environ['PATH']}"))
        return started[-1]
    return start


def test_ctrl_c_while_waiting(check, tmp_path, folder):
    lock = build_lock.take(str(folder))
    waiting = check()
    assert waiting.stderr.readline() == WAITING
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(600) == 130
    assert not (tmp_path / "called").exists(), "it began while another run held the lock"
    build_lock.release(lock)


def test_ctest_keeps_the_lock_of_a_check_that_was_killed(check, tmp_path, folder):
    killed = check()
    wait_until((tmp_path / "pid").exists)
    killed.kill()
    killed.wait()
    with open(folder / "check.lock") as file:
        assert is_locked(file)
        (tmp_path / "pid").unlink()
        fcntl.flock(file, fcntl.LOCK_EX)


# With right answers of lab00, and a wrong one of lab01.
RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
EXPECTED = {"row_sums": "pass", "outer_product": "pass", "relu": "fail"}
CALLS = (["./course", "check", "lab00", "--json"], ["ctest", "-L", "^lab00$"], ["ctest", "-L", "^lab00$", "-j2"],
         ["./course", "check", "lab00.outer_product", "lab01.relu", "--json"])
NO_LOCK_OPEN = """for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(each.path(), gone).extension() == ".lock") std::abort();
    }"""


def start_in(student, words, place):
    """Its output goes to a file; a pipe that nobody reads might stop it."""
    own = course_words(student.root, *words[1:])
    with open(place, "w") as file:
        return subprocess.Popen(own if words[0] == "./course" else words, cwd=student.build, env=environment(),
                                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)


def assert_right(words, run, place):
    status, said = run.wait(), place.read_text()
    if words[0] == "ctest":
        assert status == 0 and "100% tests passed" in said, said
        return
    found = {each["exercise"]: each["status"] for each in map(json.loads, said.splitlines())}
    assert len(found) == 2 and found.items() <= EXPECTED.items(), said


def test_each_gets_the_verdict_that_it_would_get_alone(student, tmp_path):
    """LINATTN_STARTS=100: as many as you like."""
    student.answer("outer_product", RIGHT)
    student.answer("relu", "return x;")
    chosen = [CALLS[at % len(CALLS)] for at in range(int(os.environ.get("LINATTN_STARTS", "8")))]
    runs = [start_in(student, words, tmp_path / str(at)) for at, words in enumerate(chosen)]
    for at, (words, run) in enumerate(zip(chosen, runs)):
        assert_right(words, run, tmp_path / str(at))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only Linux lists the files that a process has open")
def test_a_students_program_does_not_get_the_lock(student):
    """It could keep it for ever."""
    student.answer("outer_product", f"{NO_LOCK_OPEN} {RIGHT}", "#include <cstdlib>\n#include <filesystem>")
    for words in (["lab00"], ["lab00", "lab01.relu"]):
        assert student.check(*words)[1]["lab00.outer_product"]["status"] == "pass"


def test_a_ctest_that_is_killed_while_it_builds(student, tmp_path):
    """Its ninja works on; the next run waits for that."""
    student.answer("outer_product", "throw 1;")
    with open(student.build / "build.lock", "w") as file:
        ctest = start_in(student, CALLS[1], tmp_path / "out")
        wait_until(lambda: is_locked(file) or ctest.poll() is not None)
        ctest.kill()
        ctest.wait()
    student.put_stubs()
    student.answer("outer_product", RIGHT)
    assert_right(CALLS[1], start_in(student, CALLS[1], tmp_path / "out"), tmp_path / "out")
