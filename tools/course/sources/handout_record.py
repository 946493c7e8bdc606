"""What a handout says of itself: .handout.sha256, a line for each of its files in the form that sha256sum reads.

From it an update can tell what the student edited, what the course changed, and what is the student's own.
"""

import hashlib
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from course.errors import CourseError
from course.sources.files import File

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
    """The files of a handout, a folder, a zip or a tar, with its record. It must be whole, and as it was made."""
    try:
        if path.is_dir():
            record = (path / RECORD).read_text(encoding="utf-8", errors="replace") if (path / RECORD).is_file() else ""
            files = {name: File.read(path / name) for name in [*parse(record), RECORD] if (path / name).is_file()}
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                files = {entry.filename: File(archive.read(entry), bool(entry.external_attr >> 16 & 0o100))
                         for entry in archive.infolist() if not entry.is_dir()}
        elif path.is_file() and tarfile.is_tarfile(path):
            with tarfile.open(path) as tar:
                files = {each.name.removeprefix("./"): File(data.read(), bool(each.mode & 0o100))
                         for each in tar if (data := tar.extractfile(each))}
        else:
            raise CourseError(f"{path} is neither a folder nor a zip or tar file; give the handout as you received it")
    except (zipfile.BadZipFile, tarfile.TarError, RuntimeError, EOFError) as error:
        raise CourseError(f"{path} cannot be read ({error}); get a fresh copy of the handout") from None
    top = next((name[:-len(RECORD)] for name in files if PurePosixPath(name).name == RECORD), "")  # the folder in an archive
    files = {name[len(top):]: file for name, file in files.items() if name.startswith(top)}
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
