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

from course import manifest, version
from course.errors import CourseError
from course.graded_file import LARGEST
from course.plain_text import plain

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


@dataclass
class Intake:
    student: str
    reason: str = ""  # why nothing of it can be graded; empty where something can
    handout: str | None = None  # the version, where the submission says it
    files: list[str] = field(default_factory=list)  # names, as in lab.json
    left_out: list[str] = field(default_factory=list)  # "name: why"
    seen: list[str] = field(default_factory=list)  # some of what it holds


@dataclass(frozen=True)
class Found:
    path: PurePosixPath  # inside the submission
    rejection_reason: str
    read: Callable[[], bytes]  # at most LARGEST + 1 of them


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
    intake = Intake(student or student_id(submission))
    try:
        _take_all(submission, into, intake)
    except Unusable as unusable:
        intake.reason = str(unusable)
        for name in intake.files:
            (into / name).unlink()
        intake.files = []
    return intake


def _take_all(submission: Path, into: Path, intake: Intake) -> None:
    wanted = [source for lab in manifest.load(Path(__file__).resolve().parents[3]) for source in lab.sources]
    if submission.is_symlink():
        raise Unusable("the submission is a link, not a folder or zip; hand in the files themselves")
    if submission.is_dir():
        try:
            found = _in_folder(submission)
        except PermissionError as error:
            raise Unusable(f"the submission cannot be read ({plain(str(error))[:200]})") from None
        _take(found, wanted, into, intake)
        zips = [path for path in submission.glob("*.zip") if _is_file(path)]
        if not intake.files and len(zips) == 1:  # some course systems put what was uploaded into a folder
            _take_zip(zips[0], wanted, into, intake)
    elif _is_file(submission):
        _take_zip(submission, wanted, into, intake)
    else:
        raise Unusable("the submission is neither a folder nor a file; hand in a zip")
    if not intake.files:
        holds = f"; it holds {', '.join(intake.seen[:MOST_SEEN])}" if intake.seen else ""
        raise Unusable(f"the submission holds none of the files to grade ({', '.join(wanted[:2])}, …){holds}"
                       f"{''.join(f'; {line}' for line in intake.left_out[:3])}; make it with ./course submit")


def _take(found: list[Found], wanted: list[str], into: Path, intake: Intake) -> None:
    near = _near_misses(found, wanted)
    intake.seen += [plain(str(each.path))[:100] for each in found[:MOST_SEEN]]
    for name in [*wanted, version.FILE]:
        candidates = sorted((each for each in found if each.path.name == name), key=_rank)
        if not candidates:
            candidates = [each for each in found if each.path.name in near.get(name, ())]
        if len(candidates) > MOST_OF_A_NAME:
            intake.left_out.append(f"{len(candidates) - MOST_OF_A_NAME} more of the name {name}: not looked at")
        for one in candidates[:MOST_OF_A_NAME]:
            data = b""
            if name in intake.files or name == version.FILE and intake.handout:
                rejection_reason = "there is another file of this name, which was taken"
            elif not (rejection_reason := one.rejection_reason):
                data, rejection_reason = _content(one)
            if name != version.FILE and rejection_reason:
                intake.left_out.append(f"{plain(str(one.path))[:200]}: {rejection_reason}")
            elif name == version.FILE:
                intake.handout = intake.handout or _first_line(data)[:80] or None
            else:
                (into / name).write_bytes(data)
                intake.files.append(name)
                if one.path.name != name:
                    intake.left_out.append(f"{plain(str(one.path))[:200]}: taken for {name}; use this name next time")


def _content(one: Found) -> tuple[bytes, str]:
    """And why it is not taken, empty where it is."""
    try:
        data = one.read()
    except OSError as error:
        return b"", f"it cannot be read ({error.strerror})"
    if len(data) > LARGEST:
        return b"", f"larger than {LARGEST >> 10} KiB"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return b"", "saved as UTF-16, which a compiler does not read; save it as UTF-8"
    return data, ""


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


def _first_line(data: bytes) -> str:
    return plain(data.decode("utf-8", errors="replace")).strip().partition("\n")[0]


def _rank(found: Found) -> tuple[bool, bool, int, str]:
    """What lies in student/ comes first, then what lies least deep."""
    return bool(found.rejection_reason), found.path.parent.name != "student", len(found.path.parts), str(found.path)


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


def _is_where_it_belongs(path: PurePosixPath) -> bool:
    folders = path.parts[:-1]
    if any(folder.startswith(".") or folder in NOT_SEARCHED for folder in folders) or len(folders) > DEEPEST:
        return False
    return len(folders) <= 1 or folders[-1] == "student" or path.name == version.FILE


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _in_folder(top: Path) -> list[Found]:
    found, folders, seen = [], [(top, PurePosixPath())], 0
    while folders:
        folder, inside = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                seen += 1
                if seen > MOST:
                    raise Unusable(f"the folder holds more than {MOST} entries; hand in what ./course submit makes")
                path = inside / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in NOT_SEARCHED and len(path.parts) <= DEEPEST:
                        folders.append((Path(entry.path), path))
                elif _is_where_it_belongs(path):
                    mode = entry.stat(follow_symlinks=False).st_mode
                    found.append(Found(path, _rejection_reason(mode), partial(_read_file, entry.path)))
    return found


def _rejection_reason(mode: int) -> str:
    return "" if stat.S_ISREG(mode) else "a link" if stat.S_ISLNK(mode) else "not an ordinary file"


def _read_file(path: str) -> bytes:
    """Of what is still an ordinary file when it is open."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(LARGEST + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""


def _take_zip(path: Path, wanted: list[str], into: Path, intake: Intake) -> None:
    if path.stat().st_size > LARGEST_ZIP:
        raise Unusable(f"the zip is larger than {LARGEST_ZIP >> 20} MiB; hand in what ./course submit makes")
    try:
        with zipfile.ZipFile(path) as archive:
            found = _in_zip(archive)
            _take(found, wanted, into, intake)
            inner = [each for each in found if each.path.suffix.lower() == ".zip"]
            if intake.files or len(inner) != 1 or inner[0].rejection_reason or len(data := inner[0].read()) > LARGEST:
                intake.left_out += [f"{plain(str(each.path))[:200]}: a zip in a zip is only opened where it is the only one, of "
                                    f"at most {LARGEST >> 10} KiB" for each in inner[:MOST_OF_A_NAME]]
                return
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _take(_in_zip(archive), wanted, into, intake)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OverflowError, zlib.error) as error:
        raise Unusable(f"the zip cannot be read ({plain(str(error))[:200]}); make it again and open it once to check") from None


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
