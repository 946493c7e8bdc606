"""Verdicts as a page to read. The points and the words are those of the verdicts."""

import re

from course.sources.manifest import Lab
from course.verdicts import summary
from course.verdicts.verdicts import WORDS, Verdict, by_lab, score

BACKTICKS = re.compile("`+")


def markdown(labs: list[Lab], verdicts: list[Verdict]) -> str:
    titles = {lab.name: lab.title for lab in labs}
    lines = ["# Results", "", f"score {score(verdicts)}", ""]
    for lab, of_lab in by_lab(verdicts):
        lines += [f"## {lab} · {titles[lab]}", "", "| exercise | state | points | read |", "|---|---|---|---|"]
        lines += [f"| `{verdict.exercise.function}`{' ★' if verdict.exercise.stretch else ''} | {WORDS[verdict.status]} "
                  f"| {verdict.points} of {verdict.exercise.points} | §{verdict.exercise.section} |" for verdict in of_lab]
        lines.append("")
        for message in dict.fromkeys(verdict.message for verdict in summary.with_words(of_lab)):
            fence = "`" * max(3, 1 + max(map(len, BACKTICKS.findall(message)), default=0))
            lines += [f"{fence}text", message, fence, ""]
    return "\n".join(lines)
