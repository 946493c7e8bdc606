"""From what a student handed in, a folder or a zip, to the files that are graded: copies of regular files, by known names.

A file is found at the top, in a folder `student`, or in the one folder that a zip usually holds. Everything else is left
out: links, devices, hidden folders, build folders, whatever no lab.json names. A file that is missing is not an error here.
"""

import codecs
import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NoReturn

from course.build.graded_file import LARGEST
from course.errors import CourseError
from course.sources import manifest, version
from course.sources.plain_text import plain

LARGEST_ZIP = 32 << 20  # bytes
DEEPEST = 6  # folders within folders
MOST = 20000  # entries of a folder or a zip
LONGEST_ID, MOST_BYTES_OF_ID = 100, 200  # characters; a file system counts bytes
MOST_OF_A_NAME = 10  # files that are looked at
MOST_SEEN = 8  # names in a message
COPY = re.compile(r" ?\(\d+\)(?=\.)| ?- ?(copy|kopie)(?=\.)")
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others can ask for gigabytes of memory
NOT_SEARCHED = {"build", "kept", "__MACOSX"}


class Unusable(Exception):
    """Nothing here can be graded; the sentence says why."""


@dataclass(frozen=True)
class Found:
    path: PurePosixPath  # inside the submission
    rejection_reason: str
    read: Callable[[], bytes]  # at most LARGEST + 1 of them

    def __str__(self) -> str:
        return plain(str(self.path))[:200]

    def content(self) -> tuple[bytes, str]:
        """And why it is not taken, empty where it is."""
        if self.rejection_reason:
            return b"", self.rejection_reason
        try:
            data = self.read()
        except OSError as error:
            return b"", f"it cannot be read ({error.strerror})"
        if len(data) > LARGEST:
            return b"", f"larger than {LARGEST >> 10} KiB"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return b"", "saved as UTF-16, which a compiler does not read; save it as UTF-8"
        return data, ""


def _graded_files() -> list[str]:
    return [source for lab in manifest.load(Path(__file__).resolve().parents[3]) for source in lab.sources]


@dataclass
class Intake:
    student: str
    into: Path  # the folder for what can be graded
    reason: str = ""  # why nothing of it can be graded; empty where something can
    handout: str | None = None  # the version, where the submission says it
    files: list[str] = field(default_factory=list)  # names, as in lab.json
    left_out: list[str] = field(default_factory=list)  # "name: why"
    seen: list[str] = field(default_factory=list)  # some of what it holds
    wanted: list[str] = field(default_factory=_graded_files)

    def take_all(self, submission: Path) -> None:
        if submission.is_symlink():
            raise Unusable("the submission is a link, not a folder or zip; hand in the files themselves")
        if submission.is_dir():
            self._take(_in_folder(submission))
            zips = [path for path in submission.glob("*.zip") if _is_file(path)]
            if not self.files and len(zips) == 1:  # some course systems put what was uploaded into a folder
                self._take_zip(zips[0])
        elif _is_file(submission):
            self._take_zip(submission)
        else:
            raise Unusable("the submission is neither a folder nor a file; hand in a zip")
        if not self.files:
            holds = f"; it holds {', '.join(self.seen[:MOST_SEEN])}" if self.seen else ""
            raise Unusable(f"the submission holds none of the files to grade ({', '.join(self.wanted[:2])}, …){holds}"
                           f"{''.join(f'; {line}' for line in self.left_out[:3])}; make it with ./course submit")

    def _take(self, found: list[Found]) -> None:
        near = _near_misses(found, self.wanted)
        self.seen += [str(each)[:100] for each in found[:MOST_SEEN]]
        for name in self.wanted:
            named = _called(name, found) or [each for each in found if each.path.name in near.get(name, ())]
            if len(named) > MOST_OF_A_NAME:
                self.left_out.append(f"{len(named) - MOST_OF_A_NAME} more called {name}: ignored")
            for one in named[:MOST_OF_A_NAME]:
                data, remark = (b"", "there is another file of this name, which was taken") if name in self.files else one.content()
                if not remark:
                    (self.into / name).write_bytes(data)
                    self.files.append(name)
                    remark = "" if one.path.name == name else f"taken for {name}; use this name next time"
                if remark:
                    self.left_out.append(f"{one}: {remark}")
        for one in _called(version.FILE, found)[:MOST_OF_A_NAME]:
            words = plain(one.content()[0].decode("utf-8", errors="replace")).strip()
            self.handout = self.handout or words.partition("\n")[0][:80] or None

    def _take_zip(self, path: Path) -> None:
        if path.stat().st_size > LARGEST_ZIP:
            raise Unusable(f"the zip is larger than {LARGEST_ZIP >> 20} MiB; hand in what ./course submit makes")
        try:
            with zipfile.ZipFile(path) as archive:
                found = _in_zip(archive)
                self._take(found)
                inner = [each for each in found if each.path.suffix.lower() == ".zip"]
                if self.files or len(inner) != 1 or inner[0].rejection_reason or len(data := inner[0].read()) > LARGEST:
                    self.left_out += [f"{each}: a zip in a zip is only opened where it is the only one, of at most {LARGEST >> 10} KiB"
                                      for each in inner[:MOST_OF_A_NAME]]
                    return
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self._take(_in_zip(archive))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError, zlib.error) as error:
            raise Unusable(f"the zip cannot be read ({plain(str(error))[:200]}); make it again and open it once to check") from None


def student_id(submission: Path) -> str:
    """The name of the folder or zip, as a name that is safe for a folder and in every output."""
    return safe_id(submission.name[:-4] if submission.name.lower().endswith(".zip") and not submission.is_dir()
                   else submission.name)


def safe_id(name: str) -> str:
    given = name
    name = plain(unicodedata.normalize("NFC", name)).replace("\n", "\ufffd").replace("\t", " ").replace("/", "_").strip().lstrip(".")
    if not name or len(name) > LONGEST_ID or len(name.encode()) > MOST_BYTES_OF_ID:
        raise CourseError(f"{plain(given)[:200]} is not named by a student; name the folder or zip by the student's "
                          f"id, at most {LONGEST_ID} characters that do not begin with a dot")
    return name


def taken(submission: Path, into: Path, student: str = "") -> Intake:
    """Copies what can be graded to the folder `into`. Of an unusable submission nothing is there."""
    into.mkdir(exist_ok=True)
    intake = Intake(student or student_id(submission), into)
    try:
        intake.take_all(submission)
    except Unusable as unusable:
        intake.reason = str(unusable)
        for name in intake.files:
            (into / name).unlink()
        intake.files = []
    return intake


def _near_misses(found: list[Found], wanted: list[str]) -> dict[str, list[str]]:
    """Wanted name → the one name that can mean nothing else: another case, a copy's number, or only the lab's number."""
    meant: dict[str, set[str]] = {}
    for name in {each.path.name for each in found} - set(wanted):
        stem, dot, suffix = COPY.sub("", name.casefold()).rpartition(".")
        number = re.fullmatch(r"lab[ _-]?0*(\d+)", stem)
        for each in wanted:
            of_the_lab = number and [one for one in wanted if one.startswith(f"lab{int(number[1]):02}_")
                                     and one.endswith(f".{suffix}")] == [each]
            if of_the_lab or stem.strip() + dot + suffix == each.casefold():
                meant.setdefault(each, set()).add(name)
    return {each: list(names) for each, names in meant.items() if len(names) == 1}


def _called(name: str, found: list[Found]) -> list[Found]:
    """What lies in student/ comes first, then what lies least deep."""
    return sorted((each for each in found if each.path.name == name), key=lambda each: (
        bool(each.rejection_reason), each.path.parent.name != "student", len(each.path.parts), str(each.path)))


def id_inside(path: Path) -> str:
    """The id that ./course submit wrote in a zip: the folder that holds student/ and the version, and nothing else."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = [PurePosixPath(name).parts for name in archive.namelist()[:MOST] if not name.endswith("/")]
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError):
        return ""
    tops = {each[0] for each in parts if each}
    inside = {each[1:2] for each in parts}
    return tops.pop() if len(tops) == 1 and inside == {("student",), (version.FILE,)} else ""


def _is_searched(folders: tuple[str, ...]) -> bool:
    return len(folders) <= DEEPEST and not any(folder.startswith(".") or folder in NOT_SEARCHED for folder in folders)


def _is_where_it_belongs(path: PurePosixPath) -> bool:
    folders = path.parts[:-1]
    return _is_searched(folders) and (len(folders) <= 1 or folders[-1] == "student" or path.name == version.FILE)


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _in_folder(top: Path) -> list[Found]:
    def refuse(error: OSError) -> NoReturn:
        raise Unusable(f"the submission cannot be read ({plain(str(error))[:200]})")
    found, seen = [], 0
    for folder, folders, names in os.walk(top, onerror=refuse):
        inside = PurePosixPath(os.path.relpath(folder, top))
        seen += len(folders) + len(names)
        if seen > MOST:
            raise Unusable(f"the folder holds more than {MOST} entries; hand in what ./course submit makes")
        folders[:] = [name for name in folders if _is_searched((inside / name).parts)]
        for name in names:
            if _is_where_it_belongs(inside / name):
                place = os.path.join(folder, name)
                found.append(Found(inside / name, _rejection_reason(os.lstat(place).st_mode), partial(_read_file, place)))
    return found


def _rejection_reason(mode: int) -> str:
    return "" if stat.S_ISREG(mode) else "a link" if stat.S_ISLNK(mode) else "not an ordinary file"


def _read_file(path: str) -> bytes:
    """Of what is still an ordinary file when it is open."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(LARGEST + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""


def _in_zip(archive: zipfile.ZipFile) -> list[Found]:
    entries = archive.infolist()
    if len(entries) > MOST:
        raise Unusable(f"the zip holds more than {MOST} entries; hand in what ./course submit makes")
    found = {}
    for entry in entries:
        path = PurePosixPath(entry.filename.replace("\\", "/"))
        if not entry.is_dir() and ".." not in path.parts and not path.is_absolute() and _is_where_it_belongs(path):
            found[path] = Found(path, _zip_rejection_reason(entry), partial(_unpacked, archive, entry))
    return list(found.values())  # of two with one name the later, as unzip has it


def _zip_rejection_reason(entry: zipfile.ZipInfo) -> str:
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return _rejection_reason(mode)
    if entry.flag_bits & 1:
        return "encrypted"
    return "" if entry.compress_type in PACKED else "packed in a way that is not common; use an ordinary zip"


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        return file.read(LARGEST + 1)
