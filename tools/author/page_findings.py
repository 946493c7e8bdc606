"""The totals that chapters tell of the labs, compared with the manifests."""

import re

from course.site.headings import headings, outside_fences
from course.sources.manifest import Lab

TOLD = {"minutes": re.compile(r"(\d+) minutes?\b|\((\d+) without\b"),
        "points": re.compile(r"(\d+) points?\b|\*\*Points\*\* (\d+)")}


def totals(lab: Lab, text: str) -> list[str]:
    """The numbers above the first section. Each may be that of the whole lab or of the lab without its stretch exercises."""
    end = next((heading.line for heading in headings(text) if heading.level == 2), len(text.splitlines()) + 1)
    found = []
    for unit, pattern in TOLD.items():
        whole, needed = total(lab, unit), total(lab, unit, stretch=False)
        for number, line in outside_fences(text):
            told = [int(words[1] or words[2]) for words in pattern.finditer(line)] if number < end else []
            found += [f"labs/{lab.folder.name}/README.md:{number} says {said} {unit}; those of lab.json add up to {whole}"
                      f"{f', or {needed} without ★' if needed != whole else ''}; fix one of the two"
                      for said in told if said not in (whole, needed)]
    return found


def total(lab: Lab, unit: str, stretch: bool = True) -> int:
    numbers: list[object] = [getattr(exercise, unit) for exercise in lab.exercises if stretch or not exercise.stretch]
    return sum(number for number in numbers if isinstance(number, int))  # what is no number is a finding elsewhere
