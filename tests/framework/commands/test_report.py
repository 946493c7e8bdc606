"""./course report: what the student saw, as a page; and the forms that other programs read, which the judge writes, each as its
documentation has it."""

import json
import os
from unittest import mock
from xml.etree import ElementTree

from fake_tools import FakeTools

from author.judge import exchange_formats
from course.sources import manifest
from course.verdicts.verdicts import Verdict

LEFT = ("lab07 · thrice   FAIL\n  your output:\n    \a ```\n      \0\n  a case\n    called with n = 3\n"
        "    differs at token 0 <&> \u2212 \x1b[31m\n    expected 3\n  read: §7.2")
FAILURE = LEFT.replace("\a", "\ufffd").replace("\0", "\ufffd").replace("\x1b", "\ufffd")
ENDED = "lab07 · twice   CRASH\n  a case\n    went outside an array, in twice with n = 3\n    at student/lab07_numbers.cpp:4\n  read: §7.1"

# The attributes and children that JUnit's format allows (the schema that Jenkins publishes), and those it demands.
JUNIT = {
    "testsuites": ({"name", "time", "tests", "failures", "disabled", "errors"}, set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"},
                  {"name"}, {"testcase", "properties", "system-out", "system-err"}),
    "testcase": ({"name", "assertions", "time", "classname", "status"}, {"name", "classname"},
                 {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
}
# Gradescope, "Autograder specifications", Output Format: what we write of it, key → type, or the words that it may be.
GRADESCOPE = {"score": (int, float), "output": str, "tests": list}
GRADESCOPE_TEST = {"score": (int, float), "max_score": (int, float), "status": {"passed", "failed"}, "name": str, "output": str,
                   "output_format": {"text", "html", "simple_format", "md", "ansi"}, "tags": list,
                   "visibility": {"hidden", "after_due_date", "after_published", "visible"}}


class Report(FakeTools):
    def setUp(self):
        super().setUp()
        self.ctest_does(self.leaves("twice", "pass", "lab07 · twice   PASS") + self.leaves("thrice", "fail", LEFT)
                        + self.leaves("once", "todo", "once: not written", lab="lab08"))
        self.out = self.root / "out"

    def report(self, *words, status=None):
        return self.graded("report", str(self.out), *words, status=status)

    def verdicts(self):
        twice, thrice, once = (exercise for lab in manifest.load(self.root) for exercise in lab.exercises)
        return [Verdict(twice, "crash", ENDED), Verdict(thrice, "fail", LEFT), Verdict(once, "pass", "")]

    def test_the_page_has_the_words_that_check_prints(self):
        self.assertEqual(self.report(status=1).stdout, f"{self.out}/report.md\n")
        page = self.read("out/report.md")
        self.assertIn(f"````text\n{FAILURE}\n````\n", page, "a fence in a message does not end the block")
        self.assertIn("| `thrice` ★ | FAIL | 0 of 1 | §7.2 |", page)
        printed = self.graded("check").stdout
        for words in (FAILURE, "TODO", "score 2 of 7"):
            self.assertIn(words, page)
            self.assertIn(words, printed)
        self.report("lab07.twice", status=0)  # replaces it
        self.assertNotIn("thrice", self.read("out/report.md"))
        self.assertEqual(os.listdir(self.out), ["report.md"])

    def test_a_write_that_fails_leaves_the_earlier_page(self):
        self.report()
        before = self.read("out/report.md")
        self.ctest_does("")
        with mock.patch("os.replace", side_effect=OSError(28, os.strerror(28))):
            self.assert_one_line_error(self.report(), "No space left on device", "out")
        self.assertEqual((self.read("out/report.md"), os.listdir(self.out)), (before, ["report.md"]))

    def test_a_lab_is_no_folder_and_a_mistyped_lab_is_refused(self):
        for word in ("lab07", "lab07_numbers", "lab07.twice", "twice", "lab99"):
            self.assert_one_line_error(self.graded("report", word, "lab08"), f"./course report OUT {word} lab08")
        self.assertEqual(self.read("calls"), "")
        self.assert_one_line_error(self.report("lab99"), "lab07")
        self.assertFalse(self.out.exists())

    def test_gradescope(self):
        data = json.loads(exchange_formats.gradescope(self.verdicts()))
        for form, entry in [(GRADESCOPE, data), *((GRADESCOPE_TEST, test) for test in data["tests"])]:
            for key, value in entry.items():
                self.assertTrue(value in form[key] if isinstance(form[key], set) else isinstance(value, form[key]), key)
        self.assertEqual(data["score"], 4)
        self.assertEqual([(test["name"], test["score"], test["max_score"], test["status"]) for test in data["tests"]],
                         [("lab07.twice", 0, 2, "failed"), ("lab07.thrice", 0, 1, "failed"), ("lab08.once", 4, 4, "passed")])
        self.assertEqual(data["tests"][1]["output"], FAILURE)

    def test_junit(self):
        root = ElementTree.fromstring(exchange_formats.junit(self.verdicts()).encode())
        for element in root.iter():
            allowed, demanded, children = JUNIT[element.tag]
            self.assertLessEqual(set(element.attrib), allowed)
            self.assertGreaterEqual(set(element.attrib), demanded)
            self.assertLessEqual({child.tag for child in element}, children)
        self.assertEqual(root.attrib, {"tests": "3", "failures": "1", "errors": "1"})
        self.assertEqual([(problem.tag, problem.get("type"), problem.get("message")) for case in root.iter("testcase") for problem in case],
                         [("error", "CRASH", "went outside an array, in twice with n = 3"),
                          ("failure", "FAIL", "differs at token 0 <&> \u2212 \ufffd[31m")])
        self.assertEqual(next(root.iter("failure")).text, FAILURE)
