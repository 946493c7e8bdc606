"""student/: what the cutter makes of reference/, and which of its files somebody edited."""

import time
from collections.abc import Iterable
from pathlib import Path

from course.errors import CourseError
from course.sources import manifest
from course.sources.cutter import Cut
from course.sources.files import File, write_whole
from course.sources.handout_record import digest, parse, record_of

RECORD = ".stubs.sha256"  # in student/: the digests of the stubs as cut, in the form that sha256sum reads


def cut_all(root: Path) -> dict[str, str]:
    """File name → stub, for every source of every lab. Nothing is written."""
    stubs = {}
    for lab in manifest.load(root):
        stubs.update(cut_lab(root, lab))
    return stubs


def cut_lab(root: Path, lab: manifest.Lab) -> dict[str, str]:
    where = f"labs/{lab.folder.name}/lab.json"
    exercises = {exercise.function for exercise in lab.exercises}
    cuts = {}
    for source in lab.sources:
        path = root / "reference" / source
        if not path.is_file():
            raise CourseError(f"reference/{source} is missing; {where} names it; write it, or fix the name there")
        cuts[source] = Cut(path.read_text(encoding="utf-8"), f"reference/{source}", exercises)
    for exercise in lab.exercises:
        _require_one(exercise, [cut for cut in cuts.values() if exercise.function in cut.functions], where)
    return {source: cut.text for source, cut in cuts.items()}


def _require_one(exercise: manifest.Exercise, cuts: list[Cut], where: str) -> None:
    name = exercise.function
    if not cuts:
        raise CourseError(f"no source of {exercise.lab} defines {name}; {where} names it; define it, or remove it there")
    if len(cuts) > 1:
        raise CourseError(f"{name} is defined in {cuts[0].file} and in {cuts[1].file}; keep one")
    line = f"{cuts[0].file}:{cuts[0].functions[name].first_line}"
    if exercise.solved and name in cuts[0].stubs:
        raise CourseError(f"{line}: {name} has a solution marker, but {where} says it comes solved; remove one of the two")
    if not exercise.solved and name not in cuts[0].stubs:
        raise CourseError(f"{line}: {name} has no `// BEGIN SOLUTION`; put its body between markers, "
                          f"or say \"solved\": true in {where}")


def write(root: Path, stubs: dict[str, str], force: bool) -> list[str]:
    """Brings student/ in line; returns the names it wrote. Edited files stop it before anything is written, or, with
    `force`, are kept as a copy first."""
    student = root / "student"
    changed = drifted(root, stubs)
    edited = [name for name in changed if is_edited(student, name)]
    if edited and not force:
        raise CourseError(f"{', '.join(f'student/{name}' for name in edited)} was edited; nothing was written; "
                          "move it away, or use --force, which keeps a copy")
    for name in edited:
        write_whole(student / f"{name}.{time.strftime('%Y%m%d-%H%M%S')}.bak", _read(student / name) or "")
    record = record_of({name: File.of(text) for name, text in stubs.items()})
    # A stub that is as recorded counts as unedited, so the record goes last: interrupted, it errs towards "edited".
    for name in changed:
        write_whole(student / name, stubs[name])
    if _read(student / RECORD) != record:
        write_whole(student / RECORD, record)
    return changed


def drifted(root: Path, stubs: dict[str, str]) -> list[str]:
    """The files of student/ that are not what was cut."""
    return [name for name, text in stubs.items() if _read(root / "student" / name) != text]


def is_edited(student: Path, name: str) -> bool:
    """Whether the file is there and is not the stub that was cut."""
    text = _read(student / name)
    return text is not None and _recorded(student).get(name) != digest(File.of(text).data)


def unlisted_sources(folder: Path, listed: Iterable[str]) -> list[str]:
    """Sources in student/ or reference/ that no manifest names."""
    return sorted({path.name for path in folder.glob("*") if path.suffix.startswith(".c")} - set(listed))


def record_is_stale(root: Path, stubs: dict[str, str]) -> bool:
    return _recorded(root / "student") != {name: digest(File.of(text).data) for name, text in stubs.items()}


def _recorded(student: Path) -> dict[str, str]:
    return parse(_read(student / RECORD) or "")


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None
