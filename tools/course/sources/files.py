"""Writing files so that nobody ever sees half of one: everything gets a temporary name first and is renamed."""

import contextlib
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from course.errors import CourseError

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time stamp of everything in a zip: the same contents give the same bytes


@dataclass(frozen=True)
class File:
    data: bytes
    executable: bool = False

    @classmethod
    def of(cls, text: str) -> "File":
        return cls(text.encode("utf-8", errors="surrogateescape"))

    @classmethod
    def read(cls, path: Path) -> "File":
        return cls(path.read_bytes(), bool(path.stat().st_mode & 0o100))


def write_whole(path: Path, text: str) -> None:
    with explained(path), _renamed(path) as file:
        file.write(File.of(text).data)


@contextlib.contextmanager
def _renamed(path: Path) -> Iterator[BinaryIO]:
    """A file of a temporary name in the same folder, which gets this name once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_together(folder: Path, texts: dict[str, str]) -> None:
    """Several files of one folder: all are written to temporary names before the first is renamed."""
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new.") as temporary:
            fill(Path(temporary), {name: File.of(text) for name, text in texts.items()})
            for name in texts:
                os.replace(Path(temporary, name), folder / name)


def write_folder(out: Path, files: dict[str, File]) -> None:
    """A new folder with these files (relative name → File). A folder that is there and not empty is refused."""
    with explained(out):
        refuse_what_is_there(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as temporary:
            new = Path(temporary, out.name)
            new.mkdir()
            fill(new, files)
            os.replace(new, out)


def write_zip(out: Path, files: dict[str, File], folder: str) -> None:
    """A new zip file in which everything lies in `folder`, which may be ""."""
    with explained(out):
        refuse_what_is_there(out)
        with _renamed(out) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in sorted(files.items()):
                entry = zipfile.ZipInfo(f"{folder}/{name}".lstrip("/"), LONG_AGO)
                entry.create_system = 3  # so that the mode bits count, whatever this machine is
                entry.external_attr = (0o100755 if file.executable else 0o100644) << 16
                archive.writestr(entry, file.data, zipfile.ZIP_DEFLATED)


def fill(folder: Path, files: dict[str, File]) -> None:
    for name, file in sorted(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o755 if file.executable else 0o644)


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what the system says (no space left, read-only, not permitted) into one sentence."""
    try:
        yield
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror or error}; nothing was left half-written; "
                          "fix that, or choose another place") from None


def refuse_what_is_there(out: Path) -> None:
    if out.is_dir() and not any(out.iterdir()):
        return
    if out.exists() or out.is_symlink():
        raise CourseError(f"{out} already exists{' and is not empty' if out.is_dir() else ''}; nothing was written; "
                          "choose another name, or move it away")
