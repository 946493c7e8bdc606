"""labs/labNN_*/README.md: the hints are the chapter's own folded blocks, so they are written once."""

import re
from dataclasses import dataclass

from course.errors import CourseError
from course.manifest import Exercise, Lab

HEADING = re.compile(r"^#{1,3} ")
FENCE = re.compile(r"^\s*(```|~~~)")
FOLDED = re.compile(r"<details>\s*<summary>\s*(?P<title>.*?)\s*</summary>(?P<body>.*?)</details>", re.S)


@dataclass(frozen=True)
class Hint:
    title: str
    body: str


def hints(lab: Lab, exercise: Exercise) -> list:
    """The blocks `<details><summary>Hint 1: …</summary> … </details>` below the exercise's heading."""
    where = f"labs/{lab.folder.name}/README.md"
    try:
        text = lab.chapter.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"the chapter is missing; {where}; bring it back from the repository") from None
    blocks = FOLDED.findall(_section(text, exercise, where))
    return [Hint(re.sub(r"^Hint \d+:?\s*", "", title), body.strip()) for title, body in blocks if re.match(r"Hint \d", title)]


def _section(text: str, exercise: Exercise, where: str) -> str:
    """From `### Exercise 2.5: `function`` to the next heading of that rank; what a code fence holds is no heading."""
    wanted = re.compile(rf"^### Exercise {re.escape(exercise.section)}: `{re.escape(exercise.function)}`")
    inside, fenced, kept = False, False, []
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif HEADING.match(line) and not fenced:
            if inside:
                break
            inside = bool(wanted.match(line))
        if inside:
            kept.append(line)
    if not kept:
        raise CourseError(f"the chapter has no heading '### Exercise {exercise.section}: `{exercise.function}`'; {where}; add it")
    return "\n".join(kept)
