"""A student's file that cannot be built keeps no other lab from being graded, and a signal leaves nothing at work. What it says is in
tests/transcripts."""

import os
import re
import shutil
import signal
import subprocess

from course_tree import course_process, wait_until
from student_course import StudentCourse

RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"


class StudentFile(StudentCourse):
    def setUp(self):
        super().setUp()
        self.answer("outer_product", RIGHT)
        self.right = self.source("lab00").read_text(encoding="utf-8")

    def test_it_may_be_missing_from_the_start(self):
        """A folder configured without the file still builds the other labs, and finds the file when it comes."""
        self.source("lab00").unlink()
        subprocess.run(["cmake", "."], cwd=self.build, check=True, stdout=subprocess.DEVNULL)
        refused = self.ctest("lab00")
        self.assertIn("is missing", refused.words)
        self.assertEqual((refused.returncode, refused.results), (8, {}))
        self.assertEqual(set(self.ctest("lab01").results), {exercise.function for exercise in self.labs[1].exercises})
        self.write("lab00", self.right)
        self.assertEqual(self.ctest("lab00").returncode, 0)

    def test_what_is_no_ordinary_file_is_refused(self):
        """By ctest, and by ./course check also where it would build the lab for the first time."""
        source = self.source("lab00")
        source.unlink()
        os.mkfifo(source)  # a compiler would wait for ever
        shutil.rmtree(self.build / "built_once", ignore_errors=True)
        status, exercises = self.check("lab00", "lab01.relu")
        self.assertEqual((status, exercises["lab01.relu"]["status"]), (1, "todo"))
        for name in ("lab00.row_sums", "lab00.outer_product"):
            self.assertEqual(exercises[name]["status"], "not_run")
            self.assertIn("student/lab00_warm_up.cpp is not an ordinary file", exercises[name]["message"])
        self.assertIn("is not an ordinary file", self.ctest("lab00").words)
        subprocess.run(["cmake", "."], cwd=self.build, check=True, stdout=subprocess.DEVNULL)

    def test_what_is_no_text_at_all(self):
        self.write("lab00", "\0\1\2\x7f" * 100)
        words = self.ctest("lab00").words
        told = words[words.index("The following tests FAILED"):].splitlines()
        self.assertIn("does not compile", "".join(told))
        self.assertLess(len(told), 45)
        self.assertLess(max(map(len, told)), 400)

    def test_endless_recursion_is_told_in_a_single_process_too(self):
        self.write("lab00", self.right.replace(RIGHT, "return outer_product(a, b);"))
        self.assertIn("called itself without end", self.ctest("lab00").words)
        run = subprocess.run([self.build / "lab00_check", "--alone", "--exercise", "outer_product"], capture_output=True,
                             text=True, errors="replace")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("stack overflow", run.stderr)

    def test_a_signal_ends_compilers_and_exercises(self):
        self.assertEqual(self.course("check", "lab00").returncode, 0)
        slow = "constexpr int slow() { int n = 0; for (int i = 0; i < 30000000; ++i) n ^= i; return n; }\n"
        slow = self.right.replace("namespace linattn {", f"{slow}constexpr int n = slow();\nnamespace linattn {{", 1)
        for text, at_work, number in (
                (slow, "cc1plus|clang", signal.SIGINT), (slow, "cc1plus|clang", signal.SIGHUP),
                (self.right.replace(RIGHT, "for (;;) {}"), "--exercise outer_product", signal.SIGTERM)):
            self.write("lab00", text)
            check = course_process(self.root, ["check", "lab00"])
            self.addCleanup(check.kill)
            wait_until(lambda: any(re.search(at_work, words) for words in self.processes(check)))
            check.send_signal(number)
            self.assertEqual(check.wait(600), 128 + number)
            wait_until(lambda: not self.processes(check))

    def processes(self, check):
        """The command lines of what works on this course, besides `check` itself."""
        found = subprocess.run(["ps", "-ww", "-eo", "pid=,stat=,args="], stdout=subprocess.PIPE, text=True, check=True)
        split = [line.split(None, 2) for line in found.stdout.splitlines() if str(self.root) in line]
        return [words for pid, state, words in split if state[0] != "Z" and int(pid) not in (check.pid, os.getpid())]
