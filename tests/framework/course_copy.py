"""A copy of this course, cut down to a few labs, for the tests that change it or build it."""

import re
import shutil
import subprocess
from pathlib import Path

from course_tree import REPOSITORY

from author import stubs, tables
from course.sources import manifest

MADE = {".git", "build", "out"}  # and no folder of the course: tools/course/build is one


def copy_course(folder: Path, labs: tuple) -> None:
    """Everything but what belongs to other labs, with stubs that are as cut."""
    def skip(place, names):
        made = MADE if Path(place) == REPOSITORY else {"__pycache__"}
        return [name for name in names if name in made or (re.match(r"lab\d\d_", name) and name[:5] not in labs)]
    shutil.copytree(REPOSITORY, folder, ignore=skip)
    shutil.rmtree(folder / "student")
    stubs.write(folder, stubs.cut_all(folder), force=False)
    tables.update(folder, manifest.load(folder))


def commit(folder: Path) -> None:
    """Makes the copy a clean clone."""
    git = ["git", "-C", str(folder), "-c", "user.name=Author", "-c", "user.email=author@course", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "The course"]):
        subprocess.run(git + words, check=True, stdout=subprocess.DEVNULL)


def reset(folder: Path, untracked: str) -> None:
    """As it was committed; `untracked` says which other files go, as git clean does."""
    for words in (["checkout", "-q", "."], ["clean", untracked]):
        subprocess.run(["git", "-C", folder, *words], check=True)
