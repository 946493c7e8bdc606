"""tools/author/new_lab/: the files of a lab as ./course new writes them, with @WORDS@ to fill in."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "new_lab"


def fill_in(template: str, lab: str, name: str, title: str) -> str:
    """`name` is that of the lab's files and of its one function."""
    words = {"LAB": lab, "NAME": name, "TITLE": title, "NUMBER": str(int(lab[3:])), "LAB_TITLE": f"Lab {lab[3:]}: {title}"}
    text = (FOLDER / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda word: words[word[1]], text)
