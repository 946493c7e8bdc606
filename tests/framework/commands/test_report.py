"""./course report: what the student saw, as a page; and the forms that other programs read, which the judge writes, each as its
documentation has it."""

import json
import os
from unittest import mock
from xml.etree import ElementTree

import pytest
from conftest import assert_refused

from author.judge import exchange_formats
from course.commands import check, report
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


@pytest.fixture
def verdicts(small):
    twice, thrice, once = (exercise for lab in manifest.load(small.root) for exercise in lab.exercises)
    return [Verdict(twice, "crash", ENDED), Verdict(thrice, "fail", LEFT, named=True), Verdict(once, "pass", "")]


@pytest.fixture
def graded(small, verdicts, monkeypatch):
    """`./course words…` as if grading had given the verdicts."""
    verdicts[0], verdicts[2] = Verdict(verdicts[0].exercise, "pass", ""), Verdict(verdicts[2].exercise, "todo", "once: not written")
    for command in (check, report):
        monkeypatch.setattr(command, "grade", lambda *_: verdicts)
    return small.course


def test_the_page_has_the_words_that_check_prints(small, graded, verdicts):
    out = small.root / "out"
    assert graded("report", out, status=1).stdout == f"{out}/report.md\n"
    page, printed = small.read("out/report.md"), graded("check").stdout
    assert f"````text\n{FAILURE}\n````\n" in page, "a fence in a message does not end the block"
    assert "| `thrice` ★ | FAIL | 0 of 1 | §7.2 |" in page
    for words in (FAILURE, "TODO", "score 2 of 7"):
        assert words in page and words in printed
    with mock.patch("os.replace", side_effect=OSError(28, os.strerror(28))):
        assert_refused(graded("report", out), "No space left on device", "out")
    assert (small.read("out/report.md"), os.listdir(out)) == (page, ["report.md"]), "the earlier page is left"
    del verdicts[1:]
    graded("report", out, "lab07.twice", status=0)  # replaces it
    assert "thrice" not in small.read("out/report.md") and os.listdir(out) == ["report.md"]


@pytest.mark.parametrize("word", ["lab07", "lab07_numbers", "lab07.twice", "twice", "lab99"])
def test_a_lab_is_no_folder(small, word):
    assert_refused(small.course("report", word, "lab08"), f"./course report OUT {word} lab08")


def test_a_mistyped_lab_is_refused(small):
    assert_refused(small.course("report", small.root / "out", "lab99"), "lab07")
    assert not (small.root / "out").exists()


def test_gradescope(verdicts):
    data = json.loads(exchange_formats.gradescope(verdicts))
    for form, entry in [(GRADESCOPE, data), *((GRADESCOPE_TEST, test) for test in data["tests"])]:
        for key, value in entry.items():
            assert value in form[key] if isinstance(form[key], set) else isinstance(value, form[key]), key
    assert data["score"] == 4
    assert [(test["name"], test["score"], test["max_score"], test["status"]) for test in data["tests"]] == [
        ("lab07.twice", 0, 2, "failed"), ("lab07.thrice", 0, 1, "failed"), ("lab08.once", 4, 4, "passed")]
    assert data["tests"][1]["output"] == FAILURE


def test_junit(verdicts):
    root = ElementTree.fromstring(exchange_formats.junit(verdicts).encode())
    for element in root.iter():
        allowed, demanded, children = JUNIT[element.tag]
        assert demanded <= set(element.attrib) <= allowed and {child.tag for child in element} <= children
    assert root.attrib == {"tests": "3", "failures": "1", "errors": "1"}
    assert [(problem.tag, problem.get("type"), problem.get("message")) for case in root.iter("testcase") for problem in case] == [
        ("error", "CRASH", "went outside an array, in twice with n = 3"),
        ("failure", "FAIL", "differs at token 0 <&> \u2212 \ufffd[31m")]
    assert next(root.iter("failure")).text == FAILURE
