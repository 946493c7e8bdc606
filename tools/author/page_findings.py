"""What chapters and the README say of the labs, compared with the manifests: totals, the table of labs, template text."""

import re
from pathlib import Path

from author import lab_template
from course.headings import headings, outside_fences
from course.manifest import Lab

TOLD = {"minutes": re.compile(r"(\d+) minutes?\b|\((\d+) without\b"),
        "points": re.compile(r"(\d+) points?\b|\*\*Points\*\* (\d+)")}
MAY_STAY = ("Check it: ", "When an output is wrong, ")  # sentences of the template that hold for every lab
NO_PROSE = re.compile(r"#|\||<|\S+$|\s*$")


def of_chapter(lab: Lab, text: str) -> list:
    return _template(lab, text) + _totals(lab, text)


def _template(lab: Lab, text: str) -> list:
    template = lab_template.fill_in("chapter.md", lab.name, lab.folder.name.partition("_")[2], lab.title)
    prose = {line for _, line in outside_fences(template) if not NO_PROSE.match(line) and not line.startswith(MAY_STAY)}
    left = [(number, line) for number, line in outside_fences(text) if line in prose]
    return [f"{_where(lab)}:{left[0][0]} still has {len(left)} line{'s' * (len(left) != 1)} of the template, the first is "
            f"'{left[0][1]}'; write your own, or remove them"] if left else []


def _totals(lab: Lab, text: str) -> list:
    """The numbers above the first section. Each may be that of the whole lab or of the lab without its stretch exercises."""
    end = next((heading.line for heading in headings(text) if heading.level == 2), len(text.splitlines()) + 1)
    found = []
    for unit, pattern in TOLD.items():
        whole, needed = _total(lab, unit), _total(lab, unit, stretch=False)
        for number, line in outside_fences(text):
            told = [int(words[1] or words[2]) for words in pattern.finditer(line)] if number < end else []
            found += [f"{_where(lab)}:{number} says {said} {unit}; those of lab.json add up to {whole}"
                      f"{f', or {needed} without ★' if needed != whole else ''}; fix one of the two"
                      for said in told if said not in (whole, needed)]
    return found


def _total(lab: Lab, unit: str, stretch: bool = True) -> int:
    numbers = [getattr(exercise, unit) for exercise in lab.exercises if stretch or not exercise.stretch]
    return sum(number for number in numbers if isinstance(number, (int, float)))  # what is no number is a finding elsewhere


def _where(lab: Lab) -> str:
    return f"labs/{lab.folder.name}/README.md"


def of_readme(root: Path, labs: list) -> list:
    """Its table has a row for each lab, with its chapter, its files and its points."""
    path = root / "README.md"
    if not path.is_file():
        return ["README.md is missing; write it"]
    rows, found = {}, []
    for number, line in outside_fences(path.read_text(encoding="utf-8")):
        name = re.match(r"\| *(lab\d\d) *\|", line)
        if name and name[1] in rows or name and name[1] not in [lab.name for lab in labs]:
            reason = "stands above" if name[1] in rows else "is no lab"
            found.append(f"README.md:{number} has a row of {name[1]}, which {reason}; remove it")
        elif name:
            rows[name[1]] = number, line
    for lab in labs:
        files = ", ".join(f"`student/{source}`" for source in lab.sources)
        points = _total(lab, "points")
        if lab.name not in rows:
            found.append(f"README.md has no row of {lab.name} in its table; add "
                         f"| {lab.name} | [{lab.title}]({_where(lab)}) | {files} | {points} |")
            continue
        number, row = rows[lab.name]
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        for what in (_where(lab), *lab.sources):
            if what not in row:
                found.append(f"README.md:{number}: the row of {lab.name} does not name {what}; fix it")
        if cells[-1] != str(points):
            found.append(f"README.md:{number} gives {lab.name} {cells[-1]} points; those of lab.json add up to {points}; "
                         "fix one of the two")
    return found
