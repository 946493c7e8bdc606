"""What a student gets back: a page as Markdown and as HTML, and the forms that course systems read."""

import json
from pathlib import Path
from xml.etree import ElementTree

from course import progress, results
from course.files import write_together
from author.judge import page
from author.judge.result import Result
from course.verdicts import WORDS

NOT_GRADED = "Handed in, but not graded"


def write(result: Result, labs: list) -> None:
    """Beside the result. The same result gives the same files."""
    write_together(result.folder, texts(result, labs))


def is_written(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("feedback.md", "feedback.html", "results.json", "junit.xml"))


def texts(result: Result, labs: list) -> dict:
    if result.unusable:
        return _of_unusable(result)
    return {"feedback.md": results.markdown(labs, result.verdicts) + _left_out(result), "feedback.html": _html(result, labs),
            "results.json": results.gradescope(result.verdicts), "junit.xml": results.junit(result.verdicts)}


def _left_out(result: Result) -> str:
    lines = "\n".join(line.replace("```", "") for line in result.left_out)
    return f"\n## {NOT_GRADED}\n\n```text\n{lines}\n```\n" if lines else ""


def _of_unusable(result: Result) -> dict:
    sentence = f"Nothing could be graded: {result.unusable}."
    suites = ElementTree.Element("testsuites", {"tests": "1", "failures": "0", "errors": "1"})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "submission", "tests": "1", "failures": "0", "errors": "1"})
    case = ElementTree.SubElement(suite, "testcase", {"classname": "submission", "name": "can be graded"})
    ElementTree.SubElement(case, "error", {"type": "UNUSABLE", "message": sentence})
    return {"feedback.md": f"# Results\n\n```text\n{sentence.replace('```', '')}\n```\n",
            "feedback.html": page.page("Results", page.paragraph(sentence)),
            "results.json": json.dumps({"score": 0, "output": sentence, "tests": []}, indent=2, ensure_ascii=False) + "\n",
            "junit.xml": '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"}


def _html(result: Result, labs: list) -> str:
    parts = [page.paragraph(f"score {result.earned} of {result.points}")]
    for lab in labs:
        of_lab = result.of_lab(lab.name)
        if of_lab:
            parts += [page.heading(f"{lab.name} · {lab.title}"),
                      page.table(["exercise", "state", "points", "read"],
                                 [(verdict.exercise.function + (" ★" if verdict.exercise.stretch else ""), WORDS[verdict.status],
                                   f"{verdict.points} of {verdict.exercise.points}", f"§{verdict.exercise.section}")
                                  for verdict in of_lab])]
            parts += [page.block(message)
                      for message in dict.fromkeys(verdict.message for verdict in progress.with_words(of_lab))]
    if result.left_out:
        parts += [page.heading(NOT_GRADED), page.block("\n".join(result.left_out))]
    return page.page("Results", *parts)
