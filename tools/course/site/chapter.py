"""labs/labNN_*/README.md, the chapter, and the hints beside it in hints.md: folded blocks, below the exercise's heading.

A terminal shows no formulas, so those between dollar signs become text, as far as the commands below go.
"""

import re
from dataclasses import dataclass

from course.errors import CourseError
from course.site.headings import Heading, headings
from course.sources.manifest import Exercise, Lab

FOLDED = re.compile(r"<details>\s*<summary>\s*(?P<title>.*?)\s*</summary>(?P<body>.*?)</details>", re.S)
FORMULA = re.compile(r"(?P<code>^ *```.*?^ *```|`[^`]*`)|\$(?P<formula>[^$]+)\$", re.S | re.M)
COMMAND = re.compile(r"\\([A-Za-z]+|,)( ?)")
POWER = re.compile(r"\^(?:\{(-?\d+|T)\}|(\d|T)(?!\w))")
SYMBOLS = {"varphi": "φ", "varepsilon": "ε", "chi": "χ", "sum": "Σ", "sqrt": "√", "cos": "cos", "sin": "sin", "top": "T",
           "times": "×", "cdot": "·", "le": "≤", "ge": "≥", "infty": "∞", "lceil": "⌈", "rceil": "⌉", "lVert": "‖",
           "rVert": "‖", ",": " "}
OPENING = ("lVert", "lceil")  # a space behind these only ends the command
POWERS = str.maketrans("0123456789-T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ")


@dataclass(frozen=True)
class Hint:
    title: str
    body: str


def hints(lab: Lab, exercise: Exercise) -> list[Hint]:
    """The blocks `<details><summary>Hint 1: …</summary> … </details>` below the exercise's heading."""
    try:
        text = lab.hints.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"the hints are missing; labs/{lab.folder.name}/hints.md; restore it from the repository") from None
    heading = exercise_heading(text, exercise)
    return hints_in("\n".join(text.splitlines()[heading.line:heading.end])) if heading else []


def hints_in(text: str) -> list[Hint]:
    return [Hint(_as_text(re.sub(r"^Hint \d+:?\s*", "", title)), _as_text(body.strip()))
            for title, body in FOLDED.findall(text) if re.match(r"Hint \d", title)]


def _as_text(markdown: str) -> str:
    """Its formulas in Unicode. A command that is not in SYMBOLS stays as it is, and so does code."""
    return FORMULA.sub(lambda match: match["code"] or _formula_as_text(match["formula"]), markdown)


def _formula_as_text(formula: str) -> str:
    text = COMMAND.sub(_symbol, formula)
    text = re.sub(r"\\hat ?(\w)", "\\1\N{COMBINING CIRCUMFLEX ACCENT}", text)
    text = POWER.sub(lambda match: (match[1] or match[2]).translate(POWERS), text)
    text = re.sub(r"_\{(\w+)\}", r"_\1", text)
    return re.sub(r"([_^√])\{([^{}]*)\}", r"\1(\2)", text)


def _symbol(command: re.Match[str]) -> str:
    symbol, space = SYMBOLS.get(command[1]), command[2]
    if symbol is None:
        return command[0]
    return symbol if command[1] in OPENING else symbol + space


def exercise_heading(text: str, exercise: Exercise) -> Heading | None:
    """That of `### Exercise 2.5: `function``, at any level; None when the text has none."""
    wanted = f"Exercise {exercise.section}: `{exercise.function}`"
    return next((heading for heading in headings(text) if heading.title.startswith(wanted)), None)
