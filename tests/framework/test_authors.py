"""./course new and ./course check-course: a new lab is complete at once, and what a lab lacks is said with file and fix."""

import errno
import os
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from conftest import built_tree
from course_copy import REPOSITORY, commit, copy_course
from course_tree import CourseTree, fails_at, own_folder

from author import completeness
from course import manifest
from course.build_tree import BuildTree
from course.errors import CourseError


def listing(lab):
    """What the program of a lab says that has a suite and a mistake for each exercise."""
    return "\n".join(f"suite\t{exercise.function}\nmistake\t{exercise.function}\tforgotten\t§{exercise.section}\tDo it."
                     for exercise in lab.exercises)


class Authors(CourseTree):
    """self.root is a clone with lab00 only, in which nothing is compiled."""

    @classmethod
    def setUpClass(cls):
        cls.clone = own_folder(cls.enterClassContext) / "a course"
        copy_course(cls.clone, ("lab00",))
        commit(cls.clone)

    def setUp(self):
        self.root = self.clone
        git = ["git", "-C", str(self.root)]
        subprocess.run([*git, "checkout", "-q", "."], check=True)
        subprocess.run([*git, "clean", "-fdxq"], check=True)
        self.broken = []  # labs that do not compile
        self.enterContext(mock.patch.object(BuildTree, "build", lambda _, labs: [lab for lab in labs if lab.name in self.broken]))

    def put_programs(self):
        for lab in manifest.load(self.root):
            self.put_program(lab.name, listing(lab))


class New(Authors):
    def test_it_works_at_once_and_is_complete(self):
        before = self.files()
        self.assertEqual(self.course("new", "lab91_gated_attention", "--title", "Gated attention: S forgets", status=0).stderr, "")
        after = self.files()
        changed = [name for name in before if before[name] != after[name]]
        self.assertEqual(sorted(changed), ["README.md", "student/.stubs.sha256"], "another file was touched")
        self.assertIn("| lab91 | [Gated attention: S forgets](labs/lab91_gated_attention/README.md)", self.read("README.md"))
        self.put_programs()
        self.assertEqual(self.course("check-course").stdout, "the course is complete: 2 labs, 4 exercises, 4 mistakes\n")
        self.assertEqual(self.course("cut", "--check").stdout, "")
        self.assertIn("hint 1 of 3", self.course("hint", "outer_product_91").stdout)
        for name in set(after) - set(before):
            self.assertNotRegex(name + self.read(name), r"lab00|ab 00|warm_up|(row_sums|outer_product)(?!_91)|[^\d.]0\.[12]\b", name)
        self.assertIn("# Lab 91: Gated attention: S forgets\n", self.read("labs/lab91_gated_attention/README.md"))

    def test_a_name_that_will_not_do_is_refused(self):
        before = self.files()
        for words, said in ((["lab9_x"], "two digits"), (["lab91"], "lab10_mixture"), (["Lab91_x"], "small letters"),
                            (["lab91_x/../../y"], "not the name of a lab"), (["lab00_again"], "labs/lab00_warm_up already exists"),
                            (["lab91_suite"], "suite.hpp already"), (["lab91_gate", "--title", 'a "title"'], "quotes")):
            self.assert_one_line_error(self.course("new", *words), said)
        self.write("student/lab00_warm_up.cpp", "mine")
        self.assert_one_line_error(self.course("new", "lab91_gate"), "run ./course cut first")
        self.setUp()
        self.assertEqual(self.files(), before)

    def test_a_write_that_fails_leaves_nothing(self):
        before = self.files()
        for number in range(1, 14):
            with fails_at(number, Path, "write_bytes", errno.ENOSPC):
                self.assert_one_line_error(self.course("new", "lab91_gated_attention"), "No space left on device")
            self.assertEqual(self.files(), before)


class CheckCourse(Authors):
    LAB = "labs/lab91_gated_attention"
    SUITE = "tests/lab91_gated_attention/gated_attention_test.cpp"
    PROGRAM = "build/reference/lab91_check"
    REFERENCE = "reference/lab91_gated_attention.cpp"

    def setUp(self):
        super().setUp()
        self.course("new", "lab91_gated_attention", status=0)
        self.put_programs()

    def assert_found(self, *fragments):
        result = self.course("check-course", status=1)
        self.assertEqual(result.stderr, "")
        matching = [line for line in result.stdout.splitlines() if all(fragment in line for fragment in fragments)]
        self.assertEqual(len(matching), 1, f"{fragments}\n{result.stdout}")
        self.assertIn("; ", matching[0], "no fix is named")
        return result.stdout.splitlines()

    def test_what_is_missing_is_named_with_its_file(self):
        for name, old, new, said in (
                (f"{self.LAB}/lab.json", '"points": 1', '"points": 0', "has no points"),
                (f"{self.LAB}/lab.json", '"points": 1', '"points": "1"', "has no points"),
                (f"{self.LAB}/lab.json", '"points": 1, ', "", "lacks 'points'"),
                (f"{self.LAB}/lab.json", '"minutes": 10', '"minutes": 0', "has no minutes"),
                (f"{self.LAB}/lab.json", '"timeout_seconds": 10,', "", "has no timeout_seconds"),
                (f"{self.LAB}/lab.json", '"needs": []', '"needs": ["lab42"]', "needs lab42"),
                (f"{self.LAB}/lab.json", '"exercises": [', '"exercises": ', "is not JSON"),
                (f"{self.LAB}/gated_attention.hpp", "row_sums_91(", "sums_91(", "declares no row_sums_91"),
                (f"{self.LAB}/README.md", "## 91.1 Row", "## Row", "has no section '## 91.1 …'"),
                (f"{self.LAB}/README.md", "### Exercise 91.1: `row_sums_91`", "### Exercise", "no heading '### Exercise 91.1"),
                (f"{self.LAB}/hints.md", "<summary>Hint", "<summary>Remark", "has no hint for outer_product_91"),
                (f"{self.LAB}/hints.md", "## Exercise 91.2: `", "## Exercise 91.3: `", "has no hint for outer_product_91"),
                (f"{self.LAB}/README.md", "## Pitfalls", "<details><summary>Hint 1: a</summary>b</details>\n\n## Pitfalls", "shows hints"),
                (self.PROGRAM, "suite\trow_sums_91", "", "has no suite with a case for row_sums_91"),
                (self.PROGRAM, "suite\trow", "suite\tarrow", "no manifest names the suite 'arrow_sums_91'"),
                (self.SUITE, ".remembers_nothing()", ".result()", "the suite 'row_sums_91' passes an answer that keeps"),
                (self.PROGRAM, "mistake\trow", "mistake\tarrow", "a mistake of arrow_sums_91"),
                (self.PROGRAM, "mistake\trow_sums_91", "", "has no mistake of row_sums_91"),
                (self.PROGRAM, "mistake\trow", "mistake\trow_sums_91\tforgotten\t§91.1\tDo.\nmistake\trow", "two mistakes called 'forgotten'"),
                (self.PROGRAM, "§91.1", "§91.7", "'forgotten' of row_sums_91 refers to §91.7"),
                (f"{self.LAB}/README.md", "about 15 minutes", "about 25 minutes", "says 25 minutes; those of lab.json add up to 15"),
                (f"{self.LAB}/README.md", "**Points** 1", "**Points** 3", "says 3 points; those of lab.json add up to 1"),
                (self.REFERENCE, "    // END SOLUTION\n", "", "add `// END SOLUTION`"),
                (self.REFERENCE, "// BEGIN SOLUTION", "// BEGIN SOLUTON", "looks like a solution marker")):
            self.setUp()
            self.edit(name, old, new, times=-1)
            lines = self.assert_found(said)
            self.assertIn("lab91_gated_attention", "".join(lines))

    def test_what_the_kill_matrix_says(self):
        matrix, head = "build/reference/kill_matrix.csv", "lab,exercise,mistake,killed,named,beside\n"
        self.edit(self.PROGRAM, "mistake", "mistake\trow_sums_91\tinverted\t§0.2\tDo.\nmistake")
        self.write(matrix, head + "lab91,row_sums_91,forgotten,no,no,\n")
        self.assert_found("no suite refuses 'forgotten' of row_sums_91")
        self.write(matrix, head + "lab91,row_sums_91,forgotten,yes,yes,inverted\n"
                   "lab91,row_sums_91,inverted,yes,yes,other | forgotten\n")
        self.assert_found("no input tells 'forgotten' and 'inverted' of row_sums_91 apart")
        self.edit(self.PROGRAM, "§0.2", "§91.1")
        self.course("check-course", status=0)  # both send the student to one section
        self.write(matrix, head + "lab91,row_sums_91,forgotten,no,no,\n")
        self.write("build/reference/lab91_exercises", "")
        os.utime(self.root / matrix, (0, 0))
        self.course("check-course", status=0)  # the matrix is older than the program

    def test_one_finding_does_not_hide_another(self):
        (self.root / f"{self.LAB}/hints.md").unlink()
        self.edit("labs/lab00_warm_up/lab.json", '"points": 1', '"points": 0')
        self.assert_found("hints are missing; labs/lab91_gated_attention/hints.md")
        self.assertEqual(len(self.assert_found("has no points")), 3)  # the chapter now says another total

    def test_what_does_not_compile_is_one_finding(self):
        self.broken = ["lab91"]
        [found] = self.assert_found("lab91_gated_attention does not compile")
        self.assertIn("build/reference/programs.log says why", found)
        with mock.patch.object(BuildTree, "build", side_effect=CourseError("CMake could not configure it; fix that")):
            self.assert_found("CMake could not configure it")

    def test_totals_without_the_stretch_exercises_may_be_told(self):
        self.edit(f"{self.LAB}/lab.json", '"exercises": [', '"exercises": [\n    {"function": "gate", "points": 4, "minutes": 30, '
                  '"section": "91.1", "stretch": true},')
        self.edit(f"{self.LAB}/README.md", "about 15 minutes", "45 minutes (15 without) for 5 points;")
        self.assertNotIn(f"{self.LAB}/README.md:", self.course("check-course").stdout)
        self.edit(f"{self.LAB}/README.md", "(15 without)", "(30 without)")
        self.assert_found("says 30 minutes; those of lab.json add up to 45, or 15 without ★")

    def test_files_and_folders_of_no_lab(self):
        self.write("tests/lab92_lost/a_test.cpp", "")
        self.write("reference/lab92_lost.cpp", "")
        (self.root / "labs/lab93_empty").mkdir()
        for said in ("tests/lab92_lost/", "reference/lab92_lost.cpp", "labs/lab93_empty/lab.json is missing"):
            self.assert_found(said)
        (self.root / self.LAB / "README.md").unlink()
        self.assert_found(f"{self.LAB}/README.md is missing")
        (self.root / self.REFERENCE).unlink()
        self.assert_found(f"{self.REFERENCE} is missing")


class ThisCourse(unittest.TestCase):
    def test_it_lacks_nothing(self):
        tree = built_tree()
        with mock.patch.object(tree, "build", return_value=[]):  # ctest did
            self.assertEqual(completeness.findings(REPOSITORY, tree), [])
