"""The README's table of labs: ./course cut makes it of the manifests."""

import re
from pathlib import Path

from author.page_findings import total
from course.errors import CourseError
from course.sources.files import write_whole
from course.sources.manifest import Lab

BEGIN, END = "<!-- LABS: made from each lab.json -->\n", "<!-- END LABS -->\n"
HEAD = "| lab | chapter | your file | points | minutes |\n|---|---|---|---|---|\n"


def update(root: Path, labs: list[Lab]) -> bool:
    """Whether the table had to be written anew."""
    present, fresh = _with_table(root, labs)
    if fresh != present:
        write_whole(root / "README.md", fresh)
    return fresh != present


def is_stale(root: Path, labs: list[Lab]) -> bool:
    present, fresh = _with_table(root, labs)
    return fresh != present


def _with_table(root: Path, labs: list[Lab]) -> tuple[str, str]:
    """The README as it is, and with the table that the manifests give."""
    if not (root / "README.md").is_file():
        raise CourseError("README.md is missing; write it")
    present = (root / "README.md").read_text(encoding="utf-8")
    fresh, tables = re.subn(f"{BEGIN}[^<]*{END}", lambda _: BEGIN + table(labs) + END, present)
    if tables != 1:
        raise CourseError(f"README.md needs one table of labs between the lines {BEGIN.strip()} and {END.strip()}; add them")
    return present, fresh


def table(labs: list[Lab]) -> str:
    rows = [(lab.name, f"[{lab.title}](labs/{lab.folder.name}/README.md)",
             ", ".join(f"`student/{source}`" for source in lab.sources), total(lab, "points"), total(lab, "minutes"))
            for lab in labs]
    rows.append(("", "together", "", sum(row[3] for row in rows), sum(row[4] for row in rows)))
    return HEAD + "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)
