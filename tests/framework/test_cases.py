"""Case files: what is read from one, where it is put, what is said of a broken one, and which diagnosis is a right one."""

import subprocess
import sys
import unittest

from conftest import LABS
from course_tree import REPOSITORY, own_folder

import acceptance_matrix
import cases
from answer_build import NOT_COMPILED, Verdict
from author import case_file
from course.errors import CourseError

GOOD = """id: a7
lab: lab02
function: softmax_attention
what: a way of one's own
expect: refuse
right: mask|later
--- include
#include <valarray>
--- before
static int helper() { return 1; }
--- body
    return V * helper();
"""


def case(function):
    return case_file.Case(function, "lab07", function, "", "pass", "", {})


class CaseFile(unittest.TestCase):
    def setUp(self):
        self.folder = own_folder(self.enterContext)

    def read(self, text, name="one.case"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return case_file.read(path, LABS)

    def assert_refused(self, text, line, *fragments):
        with self.assertRaises(CourseError) as raised:
            self.read(text)
        words = str(raised.exception)
        self.assertIn(f"one.case:{line}: " if line else "one.case is ", words)
        self.assertEqual(words.count("\n"), 0, words)
        for fragment in fragments:
            self.assertIn(fragment, words)

    def test_reads_every_line_and_section(self):
        read = self.read(GOOD)
        self.assertEqual((read.name, read.lab, read.function, read.expect, read.right),
                         ("a7", "lab02", "softmax_attention", "refuse", "mask|later"))
        self.assertEqual(read.lines("include"), ["#include <valarray>"])
        self.assertEqual(read.lines("body"), ["    return V * helper();"])

    def test_a_right_answer_needs_no_more_than_lab_function_what_and_body(self):
        read = self.read("lab: lab01\nfunction: relu\nwhat: w\n--- body\nreturn x;\n")
        self.assertEqual((read.name, read.expect, read.right, read.lines("before")), ("one", "pass", "", []))

    def test_its_path_says_of_which_lab_and_function_it_is_and_whether_it_is_right(self):
        for path, expected in (("lab01_feature_maps/alternatives/relu-copied.case", ("lab01", "relu", "pass")),
                               ("lab01_feature_maps/refused/relu-copied.case", ("lab01", "relu", "refuse")),
                               ("lab01_feature_maps/alternatives/silu-copied.case", "the line lab: is missing"),
                               ("lab01_feature_maps/relu-copied.case", "the line lab: is missing")):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(expected, tuple):
                read = self.read("what: w\n--- body\nreturn x;\n", path)
                self.assertEqual((read.lab, read.function, read.expect), expected)
            else:
                with self.assertRaisesRegex(CourseError, expected):
                    self.read("what: w\n--- body\nreturn x;\n", path)

    def test_includes_and_an_indented_body_need_no_line_of_their_own(self):
        read = self.read("lab: lab01\nfunction: relu\nwhat: w\n#include <array>\n    return\n        x;\n")
        self.assertEqual((read.lines("include"), read.lines("body")), (["#include <array>"], ["    return", "        x;"]))

    def test_a_broken_file_is_named_with_its_line(self):
        self.assert_refused(GOOD.replace("expect: refuse", "expect: perhaps"), 5, "perhaps", "pass, refuse")
        self.assert_refused(GOOD.replace("id: a7", "id: ../a7"), 1, "not an id")
        self.assert_refused(GOOD.replace("right: mask|later", "right: (mask"), 6, "regular expression")
        self.assert_refused(GOOD.replace("lab: lab02", "lab: lab42"), 2, "lab42", "lab05")
        self.assert_refused(GOOD.replace("softmax_attention", "softmax"), 3, "softmax", "softmax_attention")
        self.assert_refused(GOOD.replace("lab: lab02\n", ""), 2, "before lab:")
        self.assert_refused(GOOD.replace("what: a", "why: a"), 4, "what:")
        self.assert_refused(GOOD.replace("what: a way of one's own\n", ""), 1, "what:")
        self.assert_refused(GOOD.replace("--- before", "--- after"), 9, "after", "body")
        self.assert_refused(GOOD.replace("--- before", "--- include"), 9, "second section")
        self.assert_refused(GOOD.replace("id: a7", "id: a7\nid: a8"), 2, "second line id:")
        self.assert_refused(GOOD[:GOOD.index("--- body")], 10, "no body")
        self.assert_refused("", 1, "lab:")
        self.assert_refused(b"what: \xff", 0, "UTF-8")

    def test_a_folder_is_searched_to_the_bottom(self):
        with self.assertRaisesRegex(CourseError, "holds no .case or .patch file"):
            case_file.read_folder(self.folder, LABS)
        with self.assertRaisesRegex(CourseError, "is no folder"):
            case_file.read_folder(self.folder / "none", LABS)
        (self.folder / "deep/er").mkdir(parents=True)
        self.read(GOOD, "deep/er/two.patch")
        self.read(GOOD)
        self.read(GOOD, "notes.md")
        self.assertEqual(len(case_file.read_folder(self.folder, LABS)), 2)

    def test_the_command_ends_with_that_line_before_anything_is_built(self):
        (self.folder / "one.case").write_text("lab: lab42\n")
        run = subprocess.run([sys.executable, "-B", REPOSITORY / "tools" / "course", "test", "--cases", self.folder],
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        self.assertRegex(run.stderr, r"^course: \S*one.case:1: there is no lab 'lab42'; .*\n$")

    # That each part has its place: acceptance_matrix.py, and test_handout.py by what ./course answer shows.
    def test_a_function_without_a_solution_takes_no_case(self):
        with self.assertRaisesRegex(CourseError, "reference/x.cpp has no BEGIN SOLUTION in once"):
            case_file.put_into("int once() { return 1; }\n", "reference/x.cpp", {"once"}, [case("once")])


class Judging(unittest.TestCase):
    def named(self, right, mistakes, message, expect="refuse", status="fail"):
        tried = case_file.Case("a", "lab02", "f", "", expect, right, {})
        return cases.naming(tried, Verdict(status, 0, 2, mistakes, "title, masked\n" + message))

    def test_a_wrong_name_beside_a_right_one_is_told(self):
        tried = case_file.Case("a", "lab01", "relu", "", "refuse", "mask", {})

        def verdict(*names):
            return Verdict("fail", 0, 1, list(names), "")
        self.assertEqual(cases.other_names(tried, verdict("no mask", "sign")), ["sign"])
        self.assertEqual(cases.other_names(tried, verdict("no mask", "mask too late")), [])
        self.assertEqual(cases.other_names(tried, verdict("sign")), [])  # wrongly, and counted as that
        self.assertFalse(acceptance_matrix.as_it_should_be(tried, verdict("no mask", "sign")))
        self.assertTrue(acceptance_matrix.as_it_should_be(tried, verdict("no mask")))
        self.assertIn("named rightly 1 (1 beside another name)", cases.totals("lab01", [(tried, verdict("no mask", "sign"))]))

    def test_names_count_before_words(self):
        self.assertEqual(self.named("mask", ["the mask is missing", "other"], ""), "rightly")
        self.assertEqual(self.named("mask", ["other"], "the mask"), "wrongly")
        self.assertEqual(self.named("mask", [], "the mask"), "rightly")

    def test_words_that_every_failure_has_are_no_diagnosis(self):
        self.assertEqual(self.named("mask", [], "    called with mask causal\n  read: mask.md\n  again: mask"), "not at all")
        self.assertEqual(self.named("", [], "anything"), "not at all")
        self.assertEqual(self.named("", ["other"], "anything"), "wrongly")

    def test_what_does_not_compile_is_never_as_expected(self):
        for expect in ("pass", "refuse"):
            tried = case_file.Case("a", "lab02", "f", "", expect, "", {})
            self.assertFalse(cases.as_expected(tried, Verdict(NOT_COMPILED, 0, 2, [], "")))
            self.assertEqual(cases.as_expected(tried, Verdict("fail", 0, 2, [], "")), expect == "refuse")
            self.assertEqual(cases.as_expected(tried, Verdict("pass", 2, 2, [], "")), expect == "pass")

    def test_what_passes_has_no_diagnosis(self):
        self.assertEqual(self.named("mask", [], "the mask", status="pass"), "")
        self.assertEqual(self.named("", [], "the mask", expect="pass"), "")


class Alternatives(unittest.TestCase):
    def test_each_is_named_after_its_exercise_and_is_what_its_folder_says(self):
        for lab in LABS:
            for path in [path for kind in case_file.FOLDERS for path in (REPOSITORY / "tests" / lab.folder.name / kind).glob("*")]:
                read = case_file.read(path, LABS)
                self.assertEqual((read.lab, read.expect, path.suffix),
                                 (lab.name, case_file.FOLDERS[path.parent.name], ".case"), path)
                self.assertTrue(path.name.startswith(f"{read.function}-"), path)

    def test_an_exercise_of_two_points_or_more_has_five(self):
        for lab in LABS:
            folder = REPOSITORY / "tests" / lab.folder.name / "alternatives"
            for exercise in lab.exercises:
                if exercise.points >= 2:
                    self.assertGreaterEqual(len(list(folder.glob(f"{exercise.function}-*.case"))), 5,
                                            f"write more right answers of {exercise.name} in {folder}")

    def test_no_two_of_a_round_are_of_one_exercise(self):
        several = [case(function) for function in ("a", "a", "b", "a", "c", "b")]
        rounds = acceptance_matrix.rounds(several)
        self.assertEqual([[each.function for each in one] for one in rounds], [["a", "b", "c"], ["a", "b"], ["a"]])
