"""Runs that begin at the same moment in one build folder: each waits for the one before, and none gets a false verdict."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from course_tree import REPOSITORY, CourseTree, course_process, course_words, wait_until
from fake_tools import FakeTools
from student_course import StudentCourse, environment

from course import build_lock

WORK = """import os, sys, time
from course import build_lock
folder, journal = sys.argv[1:]
lock = build_lock.take(folder)
for word in "begin", "end":
    with open(journal, "a") as file:
        file.write(word + chr(10))
    time.sleep(0.01)
print("done", flush=True)
sys.stdin.read()
"""


class Lock(CourseTree):
    def setUp(self):
        super().setUp()
        self.folder = self.root / "build/student"
        self.folder.mkdir(parents=True)

    def start(self, **more):
        """A process that takes the lock, works, says "done", and keeps the lock until its input ends."""
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | more
        worker = subprocess.Popen([sys.executable, "-B", "-c", WORK, self.folder, self.root / "journal"], text=True,
                                  env=os.environ | {"PYTHONPATH": str(REPOSITORY / "tools")}, **streams)
        self.addCleanup(worker.communicate)
        self.addCleanup(worker.kill)
        return worker

    def test_one_after_the_other(self):
        for worker in [self.start(stdin=subprocess.DEVNULL) for _ in range(8)]:
            worker.wait(600)
        self.assertEqual(self.read("journal"), "begin\nend\n" * 8)

    def test_a_lock_ends_with_its_process(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            first = self.start()
            self.assertEqual(first.stdout.readline(), "done\n")
            second = self.start()
            self.assertEqual(second.stderr.readline(), "another check is running in build/student, waiting …\n")
            first.send_signal(number)
            self.assertEqual(second.stdout.readline(), "done\n")
            second.kill()

    def test_what_a_lock_below_us_or_no_lock_means(self):
        with mock.patch.dict(os.environ, {build_lock.HELD: f"{self.folder}/."}):
            self.assertEqual(build_lock.take(str(self.folder)), build_lock.NONE)
        for number in build_lock.NO_LOCKS:
            with mock.patch.object(fcntl, "flock", side_effect=OSError(number, os.strerror(number))):
                self.assertEqual(build_lock.take(str(self.folder)), build_lock.NONE)
        build_lock.release(build_lock.NONE)

    def test_a_file_of_another_user_can_be_locked(self):
        real = os.open

        def readable(path, flags, *mode):
            if flags & os.O_RDWR:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return real(path, flags, *mode)
        self.write("build/student/check.lock", "")
        with mock.patch("os.open", readable):
            lock = build_lock.take(str(self.folder))
        self.addCleanup(build_lock.release, lock)
        self.assertNotEqual(lock, build_lock.NONE)
        with open(self.folder / "check.lock") as file, self.assertRaises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_a_folder_that_cannot_be_written_to(self):
        with mock.patch("os.open", side_effect=OSError(errno.EROFS, os.strerror(errno.EROFS), f"{self.folder}/check.lock")):
            self.assert_one_line_error(self.course("check"), "check.lock: Read-only file system; fix that")


class Commands(FakeTools):
    def start(self, **options):
        return course_process(self.root, ["check", "lab07"], options, CALLS=str(self.calls),
                              PATH=f"{self.root}/bin:{os.environ['PATH']}")

    def test_ctrl_c_while_waiting(self):
        (self.root / "build/student").mkdir(parents=True)
        lock = build_lock.take(str(self.root / "build/student"))
        check = self.start(stderr=subprocess.PIPE, text=True)
        self.addCleanup(check.communicate)
        self.assertEqual(check.stderr.readline(), "another check is running in build/student, waiting …\n")
        check.send_signal(signal.SIGINT)
        self.assertEqual(check.wait(600), 130)
        self.assertEqual(self.read("calls"), "", "it began while another run held the lock")
        build_lock.release(lock)

    def test_ctest_keeps_the_lock_of_a_check_that_was_killed(self):
        self.ctest_does('echo $$ >pid.new; mv pid.new pid; while [ -e pid ]; do sleep 0.02; done')
        check = self.start()
        wait_until((self.root / "pid").exists)
        check.kill()
        check.wait()
        with open(self.root / "build/student/check.lock") as file:
            with self.assertRaises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (self.root / "pid").unlink()
            fcntl.flock(file, fcntl.LOCK_EX)


def is_locked(file):
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


class Simultaneous(StudentCourse):
    """With right answers of lab00, and a wrong one of lab01."""

    RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
    EXPECTED = {"row_sums": "pass", "outer_product": "pass", "relu": "fail"}
    CALLS = (["./course", "check", "lab00", "--json"], ["ctest", "-L", "^lab00$"], ["ctest", "-L", "^lab00$", "-j2"],
             ["./course", "check", "lab00.outer_product", "lab01.relu", "--json"])

    def setUp(self):
        super().setUp()
        self.answer("outer_product", self.RIGHT)
        self.answer("relu", "return x;")

    def start(self, words, place):
        """Its output goes to a file; a pipe that nobody reads might stop it."""
        own = course_words(self.root, *words[1:])
        with open(place, "w", encoding="utf-8") as file:
            return subprocess.Popen(own if words[0] == "./course" else words, cwd=self.build, env=environment(),
                                    stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)

    def assert_right(self, words, status, said):
        if words[0] == "ctest":
            self.assertEqual((status, "100% tests passed" in said), (0, True), said)
            return
        found = {each["exercise"]: each["status"] for each in map(json.loads, said.splitlines())}
        self.assertEqual(len(found), 2, said)
        self.assertEqual(found, {name: self.EXPECTED[name] for name in found}, said)

    def test_each_gets_the_verdict_that_it_would_get_alone(self):
        """LINATTN_STARTS=100: as many as you like."""
        chosen = [self.CALLS[at % len(self.CALLS)] for at in range(int(os.environ.get("LINATTN_STARTS", "8")))]
        with tempfile.TemporaryDirectory() as folder:
            runs = [self.start(words, f"{folder}/{at}") for at, words in enumerate(chosen)]
            for at, (words, run) in enumerate(zip(chosen, runs)):
                self.assert_right(words, run.wait(), Path(folder, str(at)).read_text(encoding="utf-8"))

    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "only Linux lists the files that a process has open")
    def test_a_students_program_does_not_get_the_lock(self):
        """It could keep it for ever."""
        self.write("lab00", self.source("lab00").read_text(encoding="utf-8").replace(self.RIGHT, f"{self.NO_LOCK_OPEN} {self.RIGHT}")
                   .replace("namespace linattn {", "#include <cstdlib>\n#include <filesystem>\nnamespace linattn {", 1))
        for words in (["lab00"], ["lab00", "lab01.relu"]):
            self.assertEqual(self.check(*words)[1]["lab00.outer_product"]["status"], "pass")

    NO_LOCK_OPEN = """for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(each.path(), gone).extension() == ".lock") std::abort();
    }"""

    def test_a_ctest_that_is_killed_while_it_builds(self):
        """Its ninja works on; the next run waits for that."""
        self.write("lab00", self.source("lab00").read_text(encoding="utf-8").replace(self.RIGHT, "throw 1;"))
        with tempfile.NamedTemporaryFile() as out, open(self.build / "build.lock", "w") as file:
            ctest = self.start(self.CALLS[1], out.name)
            wait_until(lambda: is_locked(file) or ctest.poll() is not None)
            ctest.kill()
            ctest.wait()
            self.setUp()
            self.assert_right(self.CALLS[1], self.start(self.CALLS[1], out.name).wait(), Path(out.name).read_text())
