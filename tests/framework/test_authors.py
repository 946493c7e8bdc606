"""./course new and ./course check-course: a new lab is complete at once, and what a lab lacks is said with file and fix."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from course_copy import REPOSITORY, commit, copy_course
from course_tree import CourseTree

from course import completeness


class Authors(CourseTree):
    """self.root is a clone with lab00 only."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.clone = Path(folder.name) / "a course"
        copy_course(cls.clone, ("lab00",))
        commit(cls.clone)

    def setUp(self):
        self.root = self.clone
        git = ["git", "-C", str(self.root)]
        subprocess.run([*git, "checkout", "-q", "."], check=True)
        subprocess.run([*git, "clean", "-fdq"], check=True)

    def files(self):
        return {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts}


class New(Authors):
    def test_it_is_complete_at_once(self):
        before = self.files()
        result = self.course("new", "lab91_gated_attention", "--title", "Gated attention: S forgets")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        after = self.files()
        changed = [path.relative_to(self.root).as_posix() for path in before if before[path] != after[path]]
        self.assertEqual(changed, ["student/.stubs.sha256"], "another file was touched")
        self.assertEqual(self.course("check-course").stdout, "the course is complete: 2 labs, 3 exercises, 9 mistakes\n")
        self.assertEqual(self.course("cut", "--check").stdout, "")
        self.assertIn("hint 1 of 2", self.course("hint", "lab91.gated_attention").stdout)
        for path in set(after) - set(before):
            text = path.read_text(encoding="utf-8")
            self.assertNotRegex(text, "@[A-Z]", path)
            self.assertLessEqual(max(map(len, text.splitlines())), 120, path)
        self.assertIn("# Lab 91: Gated attention: S forgets\n", self.read("labs/lab91_gated_attention/README.md"))

    def test_a_name_that_will_not_do_is_refused(self):
        before = self.files()
        for words, said in ((["lab9_x"], "two digits"), (["lab91"], "lab09_gated_attention"), (["Lab91_x"], "small letters"),
                            (["lab91_x/../../y"], "not the name of a lab"), (["lab00_again"], "labs/lab00_warm_up is there already"),
                            (["lab91_class"], "a word of C++"), (["lab91_matmul"], "taken by labs/vocabulary/tensor.hpp"),
                            (["lab91_suite"], "suite.hpp already"), (["lab91_gate", "--title", 'a "title"'], "quotes")):
            self.assert_one_line_error(self.course("new", *words), said)
        self.write("student/lab00_warm_up.cpp", "mine")
        self.assert_one_line_error(self.course("new", "lab91_gate"), "run ./course cut first")
        self.setUp()
        self.assertEqual(self.files(), before)

    def test_a_write_that_fails_leaves_nothing(self):
        before = self.files()
        real = Path.write_bytes
        for fails in range(1, 8):
            count = [fails]

            def write_bytes(path, data):
                count[0] -= 1
                if count[0] == 0:
                    real(path, data[:10])
                    raise OSError(28, os.strerror(28))
                return real(path, data)
            with mock.patch.object(Path, "write_bytes", write_bytes):
                self.assert_one_line_error(self.course("new", "lab91_gated_attention"), "No space left on device")
            self.assertEqual(self.files(), before)
            self.assertFalse((self.root / "labs/lab91_gated_attention").exists())


class CheckCourse(Authors):
    LAB = "labs/lab91_gated_attention"
    SUITE = "tests/lab91_gated_attention/gated_attention_test.cpp"
    MISTAKES = "tests/lab91_gated_attention/mistakes/gated_attention.cpp"
    REFERENCE = "reference/lab91_gated_attention.cpp"

    def setUp(self):
        super().setUp()
        self.assertEqual(self.course("new", "lab91_gated_attention").returncode, 0)

    def assert_found(self, *fragments):
        result = self.course("check-course")
        self.assertEqual((result.returncode, result.stderr), (1, ""), result.stdout)
        matching = [line for line in result.stdout.splitlines() if all(fragment in line for fragment in fragments)]
        self.assertEqual(len(matching), 1, f"{fragments}\n{result.stdout}")
        self.assertIn("; ", matching[0], "no fix is named")
        return result.stdout.splitlines()

    def edit(self, name, old, new):
        text = self.read(name)
        self.assertIn(old, text, name)
        self.write(name, text.replace(old, new))

    def line(self, words):
        """Where these words are in the suite."""
        return 1 + next(number for number, line in enumerate(self.read(self.SUITE).splitlines()) if words in line)

    def test_what_is_missing_is_named_with_its_file(self):
        for name, old, new, said in (
                (f"{self.LAB}/lab.json", '"points": 1', '"points": 0', "has no points"),
                (f"{self.LAB}/lab.json", '"points": 1, ', "", "lacks 'points'"),
                (f"{self.LAB}/lab.json", '"minutes": 15', '"minutes": 0', "has no minutes"),
                (f"{self.LAB}/lab.json", '"timeout_seconds": 10,', "", "has no timeout_seconds"),
                (f"{self.LAB}/lab.json", '["lab00"]', '["lab42"]', "needs lab42"),
                (f"{self.LAB}/lab.json", '"exercises": [', '"exercises": ', "is not JSON"),
                (f"{self.LAB}/gated_attention.hpp", "gated_attention(", "gates_attention(", "declares no gated_attention"),
                (f"{self.LAB}/README.md", "## 91.1 The mean", "## The mean", "has no section '## 91.1 …'"),
                (f"{self.LAB}/README.md", "### Exercise 91.1: `gated_attention`", "### Exercise", "no heading '### Exercise 91.1"),
                (f"{self.LAB}/README.md", "<summary>Hint", "<summary>Remark", "has no hint for gated_attention"),
                (self.SUITE, "TEST_CASE(", "IGNORED(", "has no case for gated_attention"),
                (self.MISTAKES, "MISTAKE(gated_attention", "MISTAKE(other", "a mistake of other"),
                (self.MISTAKES, "\nMISTAKE(", "\n// MISTAKE(", "has no mistake of gated_attention"),
                (self.MISTAKES, '"sum instead of mean"', '"mean over all tokens"', "two mistakes called 'mean over all tokens'"),
                (self.MISTAKES, "§91.1", "§91.7", "'sum instead of mean' of gated_attention refers to §91.7"),
                (self.REFERENCE, "    // END SOLUTION\n", "", "add `// END SOLUTION`"),
                (self.REFERENCE, "// BEGIN SOLUTION", "// BEGIN SOLUTON", "looks like a solution marker"),
                (self.REFERENCE, '#include "gated_attention.hpp"', '#include "gated_attention.hpp"\n#include <vector>',
                 "student/lab91_gated_attention.cpp is not what")):
            with self.subTest(said):
                self.setUp()
                self.edit(name, old, new)
                lines = self.assert_found(said)
                self.assertIn(Path(name).parts[1].split(".")[0], "".join(lines))

    def test_one_finding_does_not_hide_another(self):
        self.edit(f"{self.LAB}/README.md", "<summary>Hint", "<summary>Remark")
        self.edit("labs/lab00_warm_up/lab.json", '"points": 1', '"points": 0')
        self.assert_found("has no hint")
        self.assertEqual(len(self.assert_found("has no points")), 2)

    def test_a_suite_no_manifest_names(self):
        self.edit(self.SUITE, 'TEST_SUITE("gated_attention")', 'TEST_SUITE("gate")')
        self.assert_found(f"{self.SUITE}:{self.line('TEST_SUITE')}: no manifest names the suite 'gate'")
        self.assert_found("tests/lab91_gated_attention/ has no suite for gated_attention")

    def test_files_and_folders_of_no_lab(self):
        self.write("tests/lab92_lost/a_test.cpp", "")
        self.write("reference/lab92_lost.cpp", "")
        self.write("student/lab92_lost.cpp", "")
        (self.root / "labs/lab93_empty").mkdir()
        for said in ("tests/lab92_lost/", "reference/lab92_lost.cpp", "student/lab92_lost.cpp", "labs/lab93_empty/lab.json is missing"):
            self.assert_found(said)
        (self.root / self.LAB / "README.md").unlink()
        self.assert_found(f"{self.LAB}/README.md is missing")
        (self.root / self.REFERENCE).unlink()
        self.assert_found(f"{self.REFERENCE} is missing")

    def test_an_include_of_the_answer_key(self):
        for include in ('#include "../../reference/lab00_warm_up.cpp"', "  #  include <reference/x.hpp>"):
            self.setUp()
            self.edit(self.SUITE, '#include "suite.hpp"', f'#include "suite.hpp"\n{include}')
            self.assert_found(f"{self.SUITE}:{self.line('reference/')} includes a file of reference/")
        self.setUp()
        self.edit(self.SUITE, '#include "suite.hpp"', '#include "suite.hpp"  // not reference/')
        self.assertEqual(self.course("check-course").returncode, 0)

    def test_stub_and_record(self):
        self.write("student/.stubs.sha256", "")
        self.assert_found("student/.stubs.sha256 is out of date")


class ThisCourse(unittest.TestCase):
    def test_it_lacks_nothing(self):
        self.assertEqual(completeness.findings(REPOSITORY), [])


if __name__ == "__main__":
    unittest.main()
