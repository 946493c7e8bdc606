"""./course report: what the student saw, in the forms that other programs read, each as its documentation has it."""

import json
import os
from unittest import mock
from xml.etree import ElementTree

from fake_tools import FakeTools

LEFT = ("lab07 · thrice   FAIL\n  your output:\n    \a ```\n      \0\n  a case\n    called with n = 3\n"
        "    differs at token 0 <&> \u2212 \x1b[31m\n    expected 3\n  read: §7.2")
FAILURE = LEFT.replace("\a", "\ufffd").replace("\0", "\ufffd").replace("\x1b", "\ufffd")

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
# Gradescope, "Autograder specifications", Output Format: key → type, or the words that it may be.
GRADESCOPE = {"score": (int, float), "output": str, "tests": list, "execution_time": (int, float), "visibility": str,
              "stdout_visibility": str, "extra_data": dict, "leaderboard": list, "output_format": str}
GRADESCOPE_TEST = {"score": (int, float), "max_score": (int, float), "status": {"passed", "failed"}, "name": str, "number": str,
                   "output": str, "output_format": {"text", "html", "simple_format", "md", "ansi"}, "tags": list,
                   "visibility": {"hidden", "after_due_date", "after_published", "visible"}, "extra_data": dict}


class Report(FakeTools):
    def setUp(self):
        super().setUp()
        self.ctest_does(self.leaves("twice", "pass", "lab07 · twice   PASS") + self.leaves("thrice", "fail", LEFT)
                        + self.leaves("once", "todo", "once: not written", lab="lab08"))
        self.out = self.root / "out"

    def report(self, *words, status=None):
        return self.graded("report", str(self.out), *words, status=status)

    def assert_form(self, data, form):
        for key, value in data.items():
            self.assertIn(key, form)
            if isinstance(form[key], set):
                self.assertIn(value, form[key])
            else:
                self.assertIsInstance(value, form[key], key)

    def test_the_exit_status_and_the_files(self):
        self.assertEqual(self.report(status=1).stdout, f"{self.out}: report.md, junit.xml, results.json\n")
        self.report("lab07.twice", status=0)  # replaces it
        self.assertNotIn("thrice", self.read("out/report.md"))
        self.assertEqual(sorted(os.listdir(self.out)), ["junit.xml", "report.md", "results.json"])

    def test_gradescope(self):
        self.report()
        data = json.loads(self.read("out/results.json"))
        self.assert_form(data, GRADESCOPE)
        for test in data["tests"]:
            self.assert_form(test, GRADESCOPE_TEST)
        self.assertEqual(data["score"], 2)
        self.assertEqual([(test["name"], test["score"], test["max_score"], test["status"]) for test in data["tests"]],
                         [("lab07.twice", 2, 2, "passed"), ("lab07.thrice", 0, 1, "failed"), ("lab08.once", 0, 4, "failed")])
        self.assertEqual(data["tests"][1]["output"], FAILURE)

    def test_junit(self):
        self.report()
        root = ElementTree.fromstring(self.read("out/junit.xml").encode())
        for element in root.iter():
            allowed, demanded, children = JUNIT[element.tag]
            self.assertLessEqual(set(element.attrib), allowed)
            self.assertGreaterEqual(set(element.attrib), demanded)
            self.assertLessEqual({child.tag for child in element}, children)
        self.assertEqual(root.attrib, {"tests": "3", "failures": "2", "errors": "0"})
        self.assertEqual([(case.get("name"), [problem.get("type") for problem in case]) for case in root.iter("testcase")],
                         [("twice", []), ("thrice", ["FAIL"]), ("once", ["TODO"])])
        self.assertEqual([problem.get("message") for problem in root.iter("failure")],
                         ["differs at token 0 <&> \u2212 \ufffd[31m", "once: not written"])
        self.assertEqual(next(root.iter("failure")).text, FAILURE)

        ended = "  a case\n    {}, in {} with n = 3\n    at student/lab07_numbers.cpp:4\n  read: §7.1"
        self.ctest_does(self.leaves("twice", "crash", "lab07 · twice" + " " * 40 + "CRASH\n"
                                    + ended.format("went outside an array", "twice"))
                        + self.leaves("thrice", "timeout", "lab07 · thrice" + " " * 40 + "TIMEOUT\n"
                                      + ended.format("did not end within 10 s", "thrice")))
        self.report()
        root = ElementTree.fromstring(self.read("out/junit.xml").encode())
        self.assertEqual(root.attrib, {"tests": "3", "failures": "0", "errors": "3"}, "one left no result")
        self.assertEqual([problem.get("message") for problem in root.iter("error")],
                         ["went outside an array, in twice with n = 3", "did not end within 10 s, in thrice with n = 3",
                          "lab08.once left no result; ctest's output is in build/student/check.log"])

    def test_the_page_has_the_words_that_check_prints(self):
        self.report()
        page = self.read("out/report.md")
        self.assertIn(f"````text\n{FAILURE}\n````\n", page, "a fence in a message does not end the block")
        self.assertIn("| `thrice` ★ | FAIL | 0 of 1 | §7.2 |", page)
        self.assertIn("score 2 of 7", page)
        printed = self.graded("check").stdout
        for words in (FAILURE, "TODO", "score 2 of 7"):
            self.assertIn(words, page)
            self.assertIn(words, printed)

    def test_nothing_is_left_half_written(self):
        self.report()
        before = {name: self.read(f"out/{name}") for name in os.listdir(self.out)}
        self.ctest_does("")
        for full in ([OSError(28, os.strerror(28))], [0, 0, OSError(28, os.strerror(28))]):
            with mock.patch("pathlib.Path.write_bytes", side_effect=full), mock.patch("pathlib.Path.chmod"):
                self.assert_one_line_error(self.report(), "No space left on device", "out")
        with mock.patch("tempfile.mkdtemp", side_effect=OSError(30, os.strerror(30))):
            self.assert_one_line_error(self.report(), "Read-only file system")
        self.assertEqual({name: self.read(f"out/{name}") for name in os.listdir(self.out)}, before)

    def test_a_lab_is_no_folder(self):
        for word in ("lab07", "lab07_numbers", "lab07.twice", "twice", "lab99"):
            self.assert_one_line_error(self.graded("report", word, "lab08"), f"./course report OUT {word} lab08")
        self.assertEqual(self.read("calls"), "")

    def test_a_mistyped_lab_is_refused(self):
        self.assert_one_line_error(self.report("lab99"), "lab07")
        self.assertFalse(self.out.exists())
