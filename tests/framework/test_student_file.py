"""A student's file that cannot be built: the message names the file and the exercises, and other labs stay gradable."""

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

    def refused(self, text, *fragments):
        """Grades lab00 with this file (None: without one): nothing is graded, and the words hold the fragments."""
        self.write("lab00", text) if text is not None else self.source("lab00").unlink()
        run = self.ctest("lab00")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.results, {}, "results of an earlier run")
        for fragment in ("student/lab00_warm_up.cpp", *fragments):
            self.assertIn(fragment, run.words)
        self.assertNotIn("fault of the course", run.words)
        self.assertNotIn("-std=c++20", run.words, "a command line is noise")
        told = run.words[run.words.index("The following tests FAILED"):]
        self.assertLess(len(told.splitlines()), 45, told)
        self.assertLess(max(map(len, told.splitlines())), 400)
        return told

    def test_it_may_be_missing_from_the_start(self):
        """A folder configured without the file still builds the other labs, and finds the file when it comes."""
        self.refused(None, "is missing: put it back")
        subprocess.run(["cmake", "."], cwd=self.build, check=True, stdout=subprocess.DEVNULL)
        self.assertIn("is missing", self.ctest("lab00").words)
        self.assertEqual(set(self.ctest("lab01").results), {exercise.function for exercise in self.labs[1].exercises})
        self.write("lab00", self.right)
        self.assertEqual(self.ctest("lab00").returncode, 0)

    def test_empty_and_then_fixed(self):
        told = self.refused("", "does not define row_sums, outer_product as labs/lab00_warm_up declares it")
        self.assertNotIn("undefined", told)
        self.write("lab00", self.right)
        run = self.ctest("lab00")
        self.assertEqual(run.returncode, 0, run.words)
        self.assertNotIn("does not define", run.words)

    def test_errors_of_the_compiler(self):
        told = self.refused(self.right.replace("return sum(x, 1);", "return smu(x, 1);  // HERE"), "does not compile",
                            "(row_sums, outer_product)", "smu", "return smu(x, 1);")
        self.assertIn(f"{self.line('lab00')}:", told)
        told = self.refused(self.right.replace("return sum(x, 1);", "return sum(x, 1) + std::string();  // HERE"))
        self.assertIn(f"{self.line('lab00')}:", told, "also when the error lies deep in a library")
        self.refused(self.right.replace('"warm_up.hpp"', '"warmup.hpp"'), "warmup.hpp")
        self.refused("\0\1\2\x7f" * 100, "does not compile")

    def test_what_the_linker_lacks_or_has_twice(self):
        self.refused(self.right.replace("namespace linattn {", "namespace linattn {\nTensor own_part(const Tensor&);")
                     .replace("return sum(x, 1);", "return own_part(x);"), "uses own_part, which nothing defines")
        self.refused(self.right + "\nint main() { return 0; }\n", "defines main, which the course defines already")

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
        source.unlink()
        self.write("lab00", self.right)
        self.assertEqual(self.ctest("lab00").returncode, 0)

    def test_a_signal_ends_compilers_and_exercises(self):
        self.assertEqual(self.course("check", "lab00").returncode, 0)
        slow = "constexpr int slow() { int n = 0; for (int i = 0; i < 30000000; ++i) n ^= i; return n; }\n"
        slow += "constexpr int n = slow();\nnamespace linattn {"
        slow = self.right.replace("namespace linattn {", slow, 1)
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

    def test_other_labs_stay_gradable(self):
        self.answer("relu", "return maximum(x, 0.0);")
        self.write("lab00", "this is not C++\n")
        status, exercises = self.check("lab00", "lab01")
        self.assertEqual(status, 1)
        for name in ("lab00.row_sums", "lab00.outer_product"):
            self.assertEqual((exercises[name]["status"], exercises[name]["points"]), ("not_run", 0))
            self.assertIn("student/lab00_warm_up.cpp does not compile", exercises[name]["message"])
        self.assertEqual(exercises["lab01.relu"]["status"], "pass")
        self.assertEqual(exercises["lab01.identity"]["status"], "todo")
