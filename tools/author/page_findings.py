"""What chapters say of the labs, compared with the manifests: totals, and text that is left of the template."""

import re
from pathlib import Path

from course.headings import headings, outside_fences
from course.manifest import Lab

TEMPLATES = Path(__file__).resolve().parent / "new_lab"
TOLD = {"minutes": re.compile(r"(\d+) minutes?\b|\((\d+) without\b"),
        "points": re.compile(r"(\d+) points?\b|\*\*Points\*\* (\d+)")}
MAY_STAY = ("Check it: ", "When an output is wrong, ", "`./course hint` prints ")  # sentences of the template that hold for every lab
NO_PROSE = re.compile(r"#|\||<|\S+$|\s*$")


def of_chapter(lab: Lab) -> list[str]:
    pages = [_template(lab, *each) for each in ((lab.chapter, "chapter.md"), (lab.hints, "hints.md")) if each[0].is_file()]
    return [finding for page in pages for finding in page] + _totals(lab, lab.chapter.read_text(encoding="utf-8"))


def _template(lab: Lab, page: Path, name: str) -> list[str]:
    template = filled_in(name, lab.name, lab.folder.name.partition("_")[2], lab.title)
    prose = {line for _, line in outside_fences(template) if not NO_PROSE.match(line) and not line.startswith(MAY_STAY)}
    left = [(number, line) for number, line in outside_fences(page.read_text(encoding="utf-8")) if line in prose]
    return [f"labs/{lab.folder.name}/{page.name}:{left[0][0]} still has {len(left)} line{'s' * (len(left) != 1)} of the template, the first is "
            f"'{left[0][1]}'; write your own, or remove them"] if left else []


def filled_in(template: str, lab: str, name: str, title: str) -> str:
    """A file of new_lab/, as ./course new writes it. `name` is that of the lab's files and of its one function."""
    words = {"LAB": lab, "NAME": name, "TITLE": title, "NUMBER": str(int(lab[3:])), "LAB_TITLE": f"Lab {lab[3:]}: {title}"}
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda word: words[word[1]], text)


def _totals(lab: Lab, text: str) -> list[str]:
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
