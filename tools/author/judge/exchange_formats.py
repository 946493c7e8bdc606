"""Verdicts in the forms that other programs read. The points and the words are those of the verdicts."""

import json
from xml.etree import ElementTree

from course.verdicts.verdicts import WORDS, Verdict, by_lab, score, total


def junit(verdicts: list[Verdict]) -> str:
    """A <testsuite> for each lab. What was not written, or could not be graded, is no pass: TODO is a failure too."""
    root = ElementTree.Element("testsuites", _counts(verdicts))
    for lab, of_lab in by_lab(verdicts):
        suite = ElementTree.SubElement(root, "testsuite", {"name": lab} | _counts(of_lab))
        for verdict in of_lab:
            case = ElementTree.SubElement(suite, "testcase", {"classname": lab, "name": verdict.exercise.function})
            if not verdict.passed:
                problem = ElementTree.SubElement(case, _kind(verdict), {"type": WORDS[verdict.status],
                                                                        "message": verdict.sentence})
                problem.text = verdict.message
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def gradescope(verdicts: list[Verdict]) -> str:
    """results.json as Gradescope's autograders leave it."""
    tests = [{"name": verdict.exercise.name, "score": verdict.points, "max_score": verdict.exercise.points,
              "status": "passed" if verdict.passed else "failed",
              "output": verdict.message, "output_format": "text", "visibility": "visible", "tags": [verdict.exercise.lab]}
             for verdict in verdicts]
    whole = {"score": total(verdicts), "output": f"score {score(verdicts)}", "tests": tests}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _counts(verdicts: list[Verdict]) -> dict[str, str]:
    kinds = [_kind(verdict) for verdict in verdicts]
    return {"tests": str(len(kinds)), "failures": str(kinds.count("failure")), "errors": str(kinds.count("error"))}


def _kind(verdict: Verdict) -> str:
    if verdict.passed:
        return ""
    return "failure" if verdict.status in ("fail", "todo") else "error"
