"""What a student gets back: a page as Markdown and as HTML, and the forms that course systems read."""

import json

from author.judge import exchange_formats, pages
from author.judge.result import Result
from course.sources.files import write_together
from course.sources.manifest import Exercise, Lab
from course.sources.plain_text import plain
from course.verdicts import report_page, summary
from course.verdicts.verdicts import WORDS, Verdict, by_lab

Section = tuple[str, list[tuple[str, str, str, str]], list[str]]  # of a lab: its title, a row for each exercise, the messages
NOT_GRADED = "Handed in, but not graded, or not under this name"
REMARKS = "Points and comments"


def write(result: Result, labs: list[Lab]) -> None:
    """Beside the result. The same result gives the same files."""
    write_together(result.folder, texts(result, labs))


def texts(result: Result, labs: list[Lab]) -> dict[str, str]:
    if result.unusable:
        return _of_unusable(result)
    return {"feedback.md": f"{_lines(REMARKS, result.comments)}{report_page.markdown(labs, result.verdicts)}"
                           f"{_lines(NOT_GRADED, result.left_out)}\n{_origin(result)}\n", "feedback.html": _html(result, labs),
            "results.json": exchange_formats.gradescope(result.verdicts), "junit.xml": exchange_formats.junit(result.verdicts)}


def _lines(title: str, given: list[str]) -> str:
    lines = "\n".join(line.replace("```", "") for line in given)
    return f"\n## {title}\n\n```text\n{lines}\n```\n" if lines else ""


def _origin(result: Result) -> str:
    """Which grading this is."""
    return " · ".join(filter(None, (plain(result.student), result.when, plain(result.course))))


def _of_unusable(result: Result) -> dict[str, str]:
    sentence = f"Nothing could be graded: {result.unusable}."
    verdict = Verdict(Exercise("submission", "can be graded", 0, 0, ""), "not_run", sentence)
    return {"feedback.md": f"# Results\n\n```text\n{sentence.replace('```', '')}\n```\n",
            "feedback.html": _page(sentence, [], result),
            "results.json": json.dumps({"score": 0, "output": sentence, "tests": []}, indent=2, ensure_ascii=False) + "\n",
            "junit.xml": exchange_formats.junit([verdict])}


def _html(result: Result, labs: list[Lab]) -> str:
    titles, shown = {lab.name: lab.title for lab in labs}, list[Section]()
    for lab, of_lab in by_lab(result.verdicts):
        rows = [(verdict.exercise.function + (" ★" if verdict.exercise.stretch else ""), WORDS[verdict.status],
                 f"{verdict.points} of {verdict.exercise.points}", f"§{verdict.exercise.section}") for verdict in of_lab]
        messages = list(dict.fromkeys(verdict.message for verdict in summary.with_words(of_lab)))
        shown.append((f"{lab} · {titles[lab]}", rows, messages))
    return _page(f"score {result.earned} of {result.points}", shown, result)


def _page(score: str, labs: list[Section], result: Result) -> str:
    return pages.render("feedback.html", score=score, labs=labs, left_out=[] if result.unusable else result.left_out,
                        not_graded=NOT_GRADED, comments=result.comments, remarks=REMARKS, origin=_origin(result))
