"""Whose a submission is, in a folder as course systems give it out: Canvas, Moodle, Gradescope, clones of repositories.

The id that ./course submit wrote in a zip decides. Without one it is what the course system says, by the roster's number, id,
login, name or address; without a roster it is the name of the folder or zip.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from os.path import commonprefix
from pathlib import Path

from author.judge.intake import id_inside, safe_id, student_id
from course.errors import CourseError
from course.sources.plain_text import plain

CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)", re.S)
MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.S)
GRADESCOPE = "submission_metadata.yml"
RUBBISH = {"__MACOSX", ".DS_Store", ".git", ".gitignore", GRADESCOPE}
Known = Callable[[str], str]  # a name → the id that the roster has for this person, "" where it has none


@dataclass(frozen=True)
class Handed:
    """In by one student."""
    student: str
    path: Path
    doubt: str = ""  # where the course system and the submission name two people


def found_in(folder: Path, known: Known) -> tuple[list[Handed], list[str]]:
    """All submissions, and the names of what is none, with the reason."""
    metadata = _gradescope(folder / GRADESCOPE)
    prefix = _prefix_of_clones(folder)
    handed: list[Handed] = []
    others: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.name in RUBBISH or path.name.startswith("._"):
            continue
        if not path.is_dir() and path.suffix.lower() != ".zip":
            others.append(f"{plain(path.name)[:100]} (neither a folder nor a zip)")
            continue
        try:
            handed.append(_of_one(path.absolute(), metadata.get(path.name, []), prefix, known))
        except CourseError:
            others.append(f"{plain(path.name)[:100]} (its name is too long for an id, empty, or nothing but dots)")
    return handed, others


def _of_one(path: Path, of_gradescope: list[str], prefix: str, known: Known) -> Handed:
    says, fallback = _names(path, of_gradescope, prefix)
    by_system = next((found for name in says if (found := known(name))), "")
    inside = _inside(path)
    if not inside:
        return Handed(safe_id(by_system or fallback), path)
    student = safe_id(known(inside) or inside)
    doubt = f"{plain(path.name)[:100]} is by '{by_system}' and holds the work of '{student}', who gets the points"
    return Handed(student, path, doubt if by_system and by_system != student else "")


def _names(path: Path, of_gradescope: list[str], prefix: str) -> tuple[list[str], str]:
    """What the course system calls its author, best first, and what to call one whom the roster does not know."""
    plain_id = path.name[:-4] if path.is_file() and path.suffix.lower() == ".zip" else path.name
    if of_gradescope:
        return of_gradescope, of_gradescope[0]
    if match := MOODLE.fullmatch(plain_id):
        return [f"Participant {match['number']}", match["number"], match["name"]], match["name"]
    if match := CANVAS.fullmatch(plain_id):
        file = re.sub(r"(-\d+)?$", "", match["file"])  # Canvas counts what a student hands in again
        return [match["number"], file], f"{match['name']}_{match['number']}"
    if prefix and plain_id.startswith(prefix):
        plain_id = plain_id[len(prefix):]
        return [plain_id], plain_id
    return [], student_id(path)


def _inside(path: Path) -> str:
    """The id in the zip, or in the one zip of the folder."""
    zips = [path] if path.is_file() else [each for each in path.glob("*.zip") if each.is_file() and not each.is_symlink()]
    return id_inside(zips[0]) if len(zips) == 1 else ""


def _prefix_of_clones(folder: Path) -> str:
    """"homework-" of clones called homework-ada and homework-bob."""
    clones = [path.name for path in folder.iterdir() if (path / ".git").exists()]
    return re.sub(r"[^-]*$", "", commonprefix(clones)) if len(clones) > 1 else ""


def _gradescope(file: Path) -> dict[str, list[str]]:
    """Folder → student id, address and name of the first submitter, as far as the file says them."""
    if not file.is_file():
        return {}
    found: dict[str, dict[str, str]] = {}
    at: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if top := re.match(r"(submission_\d+):", line):
            at = found.setdefault(top[1], {})
        elif pair := re.match(r"[\s-]+:(sid|email|name):\s*['\"]?(.*?)['\"]?\s*$", line):
            at.setdefault(pair[1], pair[2])
    return {name: names for name, pairs in found.items()
            if (names := [pairs[key] for key in ("sid", "email", "name") if pairs.get(key)])}
