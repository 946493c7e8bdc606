"""The README's table of labs: ./course cut makes it of the manifests."""

import re
from pathlib import Path

from author.page_findings import total
from course.errors import CourseError
from course.files import write_whole
from course.manifest import Lab

BEGIN, END = "<!-- LABS: made from each lab.json -->\n", "<!-- END LABS -->\n"
HEAD = "| lab | chapter | your file | points | minutes |\n|---|---|---|---|---|\n"


def update(root: Path, labs: list[Lab]) -> bool:
    """Whether the table had to be written anew."""
    stale = is_stale(root, labs)
    if stale:
        before, after = _around_the_table(root)
        write_whole(root / "README.md", before + BEGIN + table(labs) + END + after)
    return stale


def is_stale(root: Path, labs: list[Lab]) -> bool:
    if not (root / "README.md").is_file():
        raise CourseError("README.md is missing; write it")
    before, after = _around_the_table(root)
    return (root / "README.md").read_text(encoding="utf-8") != before + BEGIN + table(labs) + END + after


def _around_the_table(root: Path) -> tuple[str, str]:
    parts = re.split(f"{BEGIN}[^<]*{END}", (root / "README.md").read_text(encoding="utf-8"))
    if len(parts) != 2:
        raise CourseError(f"README.md needs one table of labs between the lines {BEGIN.strip()} and {END.strip()}; add them")
    return parts[0], parts[1]


def table(labs: list[Lab]) -> str:
    rows = [(lab.name, f"[{lab.title}](labs/{lab.folder.name}/README.md)",
             ", ".join(f"`student/{source}`" for source in lab.sources), total(lab, "points"), total(lab, "minutes"))
            for lab in labs]
    rows.append(("", "together", "", sum(row[3] for row in rows), sum(row[4] for row in rows)))
    return HEAD + "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)
