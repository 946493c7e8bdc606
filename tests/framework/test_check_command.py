"""./course check, with a ctest that does what the test tells it: nothing passes unless a result of this run says so."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import unittest

from course_tree import REPOSITORY, CourseTree
from fake_tools import FakeTools

from course.commands import watch


class Check(FakeTools):
    def check(self, *words):
        return self.graded("check", *words)

    def test_everything_passes(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "pass"))
        result = self.check("lab07")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"twice +PASS +2/2 points +5 min  §7\.1")
        self.assertIn("thrice ★", result.stdout)
        self.assertIn("score 3 of 3", result.stdout)
        self.assertIn("next: lab08", result.stdout)
        self.assertNotIn("\033", result.stdout, "no colours in a file")

    def test_messages_table_and_next_step(self):
        self.ctest_does(self.leaves("twice", "fail", "twice differs\n  at token 0") + self.leaves("thrice", "todo", "thrice: to do"))
        result = self.check("lab07")
        self.assertEqual(result.returncode, 1)
        self.assertLess(result.stdout.index("twice differs\n  at token 0"), result.stdout.index("lab07 · Numbers"))
        self.assertRegex(result.stdout, r"thrice ★ +TODO +0/1")
        self.assertIn("score 0 of 3", result.stdout)
        self.assertRegex(result.stdout, r"(?s)next: twice in student/lab07_numbers\.cpp.*README\.md §7\.1.*"
                                        r"\./course hint lab07\.twice.*\./course check lab07")

    def test_a_stretch_exercise_comes_last(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "todo") + self.leaves("once", "crash", lab="lab08"))
        self.assertIn("next: once", self.check().stdout)

    def test_after_one_exercise_comes_its_lab(self):
        self.ctest_does(self.leaves("twice", "pass"))
        result = self.check("lab07.twice")
        self.assertEqual(result.returncode, 0)
        self.assertIn("next: the whole lab: ./course check lab07", result.stdout)

    def test_json_has_one_object_a_line_and_nothing_else(self):
        self.ctest_does(self.leaves("twice", "pass", "fine — 1e-12") + self.leaves("thrice", "timeout", "10 s"))
        result = self.check("lab07", "--json")
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], [
            {"lab": "lab07", "exercise": "twice", "status": "pass", "points": 2, "max_points": 2, "message": "fine — 1e-12"},
            {"lab": "lab07", "exercise": "thrice", "status": "timeout", "points": 0, "max_points": 1, "message": "10 s"}])
        self.assertEqual(result.returncode, 1)

    def test_a_mistyped_lab_is_refused_before_anything_runs(self):
        for mistyped in ("lab99", "Lab07", "lab7", "lab07.", "lab07.twise", "07", ""):
            with self.subTest(mistyped):
                self.assert_one_line_error(self.check("lab08", mistyped), "lab07")
        self.assertEqual(self.read("calls"), "")

    def test_a_stale_result_is_not_graded(self):
        self.ctest_does(self.leaves("twice", "pass") + self.leaves("thrice", "pass"))
        self.check("lab07")
        self.ctest_does(self.leaves("twice", "pass"))
        result = self.check("lab07")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"thrice ★ +NOT RUN +0/1")
        self.assertIn("lab07.thrice left no result; ctest's own words are in build/student/check.log", result.stdout)
        self.assertIn("what ctest prints", self.read("build/student/check.log"))

    def test_what_does_not_compile_is_said_once(self):
        self.ctest_does("echo 'lab07_numbers.cpp:3: expected ;' >build/student/results/lab07.build.txt; exit 8")
        result = self.check("lab07")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count("expected ;"), 1)
        self.assertEqual(result.stdout.count("NOT RUN"), 2)
        self.assertEqual([json.loads(line)["message"] for line in self.check("lab07", "--json").stdout.splitlines()],
                         ["lab07_numbers.cpp:3: expected ;"] * 2)

    def test_forged_and_broken_results_do_not_pass(self):
        for forged in (self.leaves("once", "pass", lab="lab08", exercise="other"), self.leaves("once", "PASS", lab="lab08"),
                       "echo '{' >build/student/results/lab08.once.json", "echo '[]' >build/student/results/lab08.once.json",
                       ": >build/student/results/lab08.once.json"):
            self.ctest_does(forged)
            result = self.check("lab08")
            self.assertEqual(result.returncode, 1, forged)
            self.assertIn("NOT RUN", result.stdout)

    def test_a_complaint_of_ctest_is_no_pass(self):
        self.ctest_does(self.leaves("once", "pass", lab="lab08") + "exit 8")
        result = self.check("lab08")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not counted as a pass", result.stderr)

    def test_only_what_was_asked_for_runs(self):
        self.check("lab07.twice")
        self.assertIn(r"-R ^(lab07\.twice)$ ", self.read("calls"))
        self.check("lab07_numbers", "lab08")
        self.assertIn(r"-R ^(lab07\.twice|lab07\.thrice|lab08\.once)$ ", self.read("calls"))

    def test_it_configures_when_needed_only(self):
        def configured():
            return self.read("calls").count("cmake --preset student")
        self.check("lab07")
        self.check("lab07")
        self.assertEqual(configured(), 1)
        later = time.time() + 10
        os.utime(self.root / "labs/lab08_more/lab.json", (later, later))
        self.check("lab07")
        self.assertEqual(configured(), 2)
        self.write("build/student/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was\n")
        os.utime(self.root / "build/student/build.ninja", (later + 10, later + 10))
        self.check("lab07")
        self.assertIn("cmake --preset student --fresh", self.read("calls"))

    def test_the_reference_track(self):
        self.ctest_does(self.leaves("once", "pass", lab="lab08", track="reference"))
        self.assertEqual(self.check("lab08", "--track", "reference").returncode, 0)
        self.assertIn("cmake --preset reference", self.read("calls"))

    def test_a_failed_configuration_shows_why(self):
        self.write("cmake-fails", "")
        result = self.check("lab07")
        self.assertEqual(result.returncode, 2)
        self.assertIn("CMake Error: no BLAS", result.stderr)
        self.assertIn("course: CMake could not configure build/student", result.stderr)

    def test_a_missing_tool_is_named(self):
        (self.root / "bin/cmake").unlink()
        result = self.course("check", PATH=f"{self.root}/bin")
        self.assertEqual(result.returncode, 2)
        self.assertIn("course: cmake is not on the PATH; run ./course setup", result.stderr)

    def test_a_broken_manifest_is_one_line(self):
        for text, said in (("{", "is not JSON"), ('{"lab": "lab08"}', "lacks 'title'"), ("[]", "does not have the form"),
                           ('{"lab": "lab09", "title": "", "sources": [], "exercises": []}', "folder says otherwise")):
            self.write("labs/lab08_more/lab.json", text)
            self.assert_one_line_error(self.check(), "labs/lab08_more/lab.json", said)


class Watch(CourseTree):
    def assert_wakes(self, file, before):
        waiting = threading.Thread(target=watch.wait_for_change, args=([file], before), daemon=True)
        waiting.start()
        waiting.join(30)  # a limit, not an expectation: a loaded machine takes its time
        self.assertFalse(waiting.is_alive(), "the save was not seen")

    def test_it_wakes_for_every_way_to_save(self):
        file = self.write("student/x.cpp", "one")

        def rename_over():
            self.write("student/y", "two")
            os.replace(self.root / "student/y", file)

        def remove_and_create():
            file.unlink()
            time.sleep(0.1)
            file.write_text("six")

        for save in (lambda: file.write_text("ten"), rename_over, remove_and_create):
            before = watch.fingerprint([file])
            editor = threading.Timer(0.1, save)
            editor.start()
            self.assert_wakes(file, before)
            editor.join()

    def test_a_save_during_the_grading_is_not_missed(self):
        file = self.write("student/x.cpp", "one")
        before = watch.fingerprint([file])
        file.write_text("longer")  # within a tick of the clock the time stamp may stay as it was
        self.assert_wakes(file, before)


class CommandLine(CourseTree):
    def test_the_script_itself_runs(self):
        script = [sys.executable, "-B", str(REPOSITORY / "tools" / "course")]
        refused = subprocess.run([*script, "hint", "lab99.none"], capture_output=True, text=True, encoding="utf-8",
                                 env=os.environ | {"LC_ALL": "C"})
        self.assertEqual((refused.returncode, refused.stderr[:8], refused.stdout), (2, "course: ", ""))

    def test_every_file_in_commands_is_a_command(self):
        listed = self.course("--help").stdout
        for file in (REPOSITORY / "tools/course/commands").glob("*.py"):
            self.assertTrue(re.search(rf"^ +{file.stem.replace('_', '-')}( |$)", listed, re.M), file)
        self.assert_one_line_error(self.course("frobnicate"), "frobnicate", "./course --help")


if __name__ == "__main__":
    unittest.main()
