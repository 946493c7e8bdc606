"""What a handout says of itself: .handout.sha256, a line for each of its files in the form that sha256sum reads.

From it an update can tell what the student edited, what the course changed, and what is the student's own.
"""

import hashlib
import zipfile
from pathlib import Path, PurePosixPath

from course.errors import CourseError
from course.files import File

RECORD = ".handout.sha256"  # earlier handouts read it too, so its form cannot change
STUBS = "student/.stubs"  # the stubs as they were handed out, to tell what the student wrote from what was there

BUILT_FROM = ("CMake", "cmake/", "grading/", "labs/", "tests/")


def record_of(files: dict[str, File]) -> str:
    return "".join(f"{digest(file.data)}  {name}\n" for name, file in sorted(files.items()))


def parse(text: str) -> dict[str, str]:
    """File name → digest."""
    return {name: value for value, _, name in (line.partition("  ") for line in text.splitlines())}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def not_as_handed_out(root: Path) -> list[str]:
    """The files that labs are built from, without the student's, that are missing or were changed; in a clone, which has no
    record, none."""
    record = root / RECORD
    listed = parse(record.read_text(encoding="utf-8", errors="replace")) if record.is_file() else {}
    return [name for name, value in listed.items() if name.startswith(BUILT_FROM) and not name.endswith((".md", ".svg"))
            and not ((root / name).is_file() and digest((root / name).read_bytes()) == value)]


def read_handout(path: Path) -> dict[str, File]:
    """The files of a handout, a folder or a zip, with its record. It must be whole, and as it was made."""
    if path.is_dir():
        files = _from_folder(path)
    elif zipfile.is_zipfile(path):
        files = _from_zip(path)
    else:
        raise CourseError(f"{path} is neither a folder nor a zip file; give the handout as you received it")
    if RECORD not in files:
        raise CourseError(f"{path} is not a handout: it has no {RECORD}; give the folder or the zip as you received it")
    listed = parse(files[RECORD].data.decode("utf-8", errors="replace"))
    for name, expected in listed.items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise CourseError(f"{path} lists {name!r}, which lies outside of it; get a fresh copy of the handout")
        if name not in files:
            raise CourseError(f"{path} is incomplete: {name} is missing; get a fresh copy of the handout")
        if digest(files[name].data) != expected:
            raise CourseError(f"{path}: {name} is not as it was handed out; get a fresh copy of the handout")
    return {name: files[name] for name in [*listed, RECORD]}


def _from_folder(path: Path) -> dict[str, File]:
    record = path / RECORD
    if not record.is_file():
        return {}
    files = {}
    for name in [*parse(record.read_text(encoding="utf-8", errors="replace")), RECORD]:
        file = path / name
        if file.is_file():
            files[name] = File.read(file)
    return files


def _from_zip(path: Path) -> dict[str, File]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            top = next((entry.filename[:-len(RECORD)] for entry in entries
                        if PurePosixPath(entry.filename).name == RECORD), "")
            return {entry.filename[len(top):]: File(archive.read(entry), bool(entry.external_attr >> 16 & 0o100))
                    for entry in entries if entry.filename.startswith(top)}
    except (zipfile.BadZipFile, RuntimeError, EOFError) as error:
        raise CourseError(f"{path} cannot be read ({error}); get a fresh copy of the handout") from None
