"""Tables that ./course cut makes: the README's labs, of the manifests and chapters, and the models of docs/uses.md."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from author.page_findings import total
from course.errors import CourseError
from course.sources.files import write_whole
from course.sources.manifest import Lab

README, BEGIN, END = "README.md", "<!-- LABS: made from each lab.json -->\n", "<!-- END LABS -->\n"
USES, MODELS = "docs/uses.md", "docs/models.csv"
BEGIN_MODELS, END_MODELS = f"<!-- MODELS: made from {MODELS} -->\n", "<!-- END MODELS -->\n"
HEAD = ("lab", "chapter", "your file", "points", "minutes", "reading")
HEAD_OF_MODELS = {"date": "date", "model": "model, parameters", "state": "layers with a state of fixed size", "rest": "other layers",
                  "source": "source"}  # column of the data → its title
DATE, LINK = re.compile(r"\d{4}-\d\d"), re.compile(r"\]\(https?://")
WORDS_A_MINUTE = 180


def update(root: Path, labs: list[Lab]) -> list[str]:
    """The pages that had to be written anew."""
    stale = _stale(root, labs)
    for name, text in stale.items():
        write_whole(root / name, text)
    return list(stale)


def stale(root: Path, labs: list[Lab]) -> list[str]:
    """The pages whose table is not what its data give."""
    return list(_stale(root, labs))


def _stale(root: Path, labs: list[Lab]) -> dict[str, str]:
    """Page → its text with the right table, for those that have another."""
    pages = {README: (BEGIN, of_labs(labs), END)}
    if (root / USES).is_file():
        pages[USES] = (BEGIN_MODELS, of_models(root), END_MODELS)
    found = {}
    for name, (begin, table, end) in pages.items():
        if not (root / name).is_file():
            raise CourseError(f"{name} is missing; write it")
        present = (root / name).read_text(encoding="utf-8")
        before, beginning, rest = present.partition(begin)
        old, ending, after = rest.partition(end)
        if not ending or begin in after:
            raise CourseError(f"{name} needs one table between the lines {begin.strip()} and {end.strip()}; add them")
        if old != table:
            found[name] = before + beginning + table + ending + after
    return found


def of_labs(labs: list[Lab]) -> str:
    numbers = [(total(lab, "points"), total(lab, "minutes"), reading(lab)) for lab in labs]
    rows = [(lab.name, f"[{lab.title}](labs/{lab.folder.name}/README.md)", ", ".join(f"`student/{source}`" for source in lab.sources),
             *of_lab) for lab, of_lab in zip(labs, numbers)]
    return _table(HEAD, [*rows, ("", "together", "", *map(sum, zip(*numbers)))])


def reading(lab: Lab) -> int:
    """Minutes to read the chapter without its folded parts, a multiple of 5."""
    text = lab.chapter.read_text(encoding="utf-8") if lab.chapter.is_file() else ""
    words = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL).split()
    return max(5, 5 * round(len(words) / WORDS_A_MINUTE / 5))


def of_models(root: Path) -> str:
    """Each row needs all that it has to say, and a source that is a link."""
    if not (root / MODELS).is_file():
        raise CourseError(f"{MODELS} is missing; the table of {USES} is made of it; restore it")
    with (root / MODELS).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, start=2):
        if list(row) != list(HEAD_OF_MODELS) or not all(row.values()) or not (DATE.fullmatch(row["date"]) and LINK.search(row["source"])):
            raise CourseError(f"{MODELS}:{number} needs {', '.join(HEAD_OF_MODELS)}, with a date such as 2026-07 and a source such as "
                              "[arXiv:2510.26692](https://arxiv.org/abs/2510.26692); add what it lacks")
    dated = sorted(({**row, "date": row["date"].replace("-", "\u2011")} for row in rows), key=lambda row: row["date"])  # a line may not end there
    return _table(HEAD_OF_MODELS.values(), [tuple(row.values()) for row in dated])


def _table(head: Iterable[str], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |\n" for row in (tuple(head), *rows)]
    return "".join([lines[0], re.sub("[^|\n]+", "---", lines[0]), *lines[1:]])
