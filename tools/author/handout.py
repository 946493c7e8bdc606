"""What students get, gathered from the repository: the files that tools/handout.txt lists, and freshly cut stubs.

Nothing is written here. The caller writes the files that `gather` returns.
"""

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from author import leaks, stubs
from author.self_study import answers
from course.commands import answer
from course.errors import CourseError
from course.site import instructors
from course.sources import manifest, version
from course.sources.files import File
from course.sources.handout_record import RECORD, STUBS, record_of
from course.sources.manifest import Lab

LIST = "tools/handout.txt"


def gather(root: Path, dirty: bool, number: str = "", self_study: bool = False) -> dict[str, File]:
    """Name in the handout → File. `dirty` permits a tree with changes that are not committed or not cut; `number` is the
    version, where it is not the commit's. With `self_study` it holds the answers, for ./course answer."""
    labs = manifest.load(root)
    cut = stubs.cut_all(root)
    patterns = _read_list(root, labs)
    if not dirty:
        _refuse_half_edited(root, cut)
        _refuse_uncommitted(root, patterns)
    files = {}
    for pattern, moved_to in patterns:
        for path in _matches(root, pattern):
            name = path.relative_to(root).as_posix()
            files[moved_to or name] = File(_for_students(name, path.read_bytes()), bool(path.stat().st_mode & 0o100))
    for name, text in cut.items():
        files[f"student/{name}"] = files[f"{STUBS}/{name}"] = File(text.encode())
    _refuse_leaks(root, labs, cut, files)
    if self_study:
        files[answer.FILE] = answers(root, labs)
    files[version.FILE] = File(f"{number or _commit(root)}\n".encode())
    files[RECORD] = File(record_of(files).encode())
    return files


def _commit(root: Path) -> str:
    found = version.of_commit(root)
    if not found:
        raise CourseError("git has no commit of this tree, from which a handout takes its version; "
                          "give one, as in --version 2027-01-15")
    return found


def _read_list(root: Path, labs: list[Lab]) -> list[tuple[str, str]]:
    """(pattern, new name if it gets one), with LAB and GIVEN spelt out."""
    patterns = []
    for line in (root / LIST).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, _, moved_to = line.partition(" -> ")
            patterns += [(spelt, moved_to) for spelt in _spelt_out(pattern, labs)]
    for pattern, _ in patterns:
        if "*" not in pattern and not _matches(root, pattern):
            raise CourseError(f"{LIST} asks for {pattern}, which is missing; write it, or fix the list")
    return patterns


def _spelt_out(pattern: str, labs: list[Lab]) -> list[str]:
    if "LAB" not in pattern:
        return [pattern]
    return [pattern.replace("LAB", lab.folder.name).replace("GIVEN", given)
            for lab in labs for given in (lab.given if "GIVEN" in pattern else [""])]


def _matches(root: Path, pattern: str) -> list[Path]:
    found = (root / pattern).rglob("*") if pattern.endswith("/") else root.glob(pattern)
    return sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)


def _is_named(name: str, pattern: str) -> bool:
    return name.startswith(pattern) if pattern.endswith("/") else PurePosixPath(name).match(pattern)


def _for_students(name: str, data: bytes) -> bytes:
    if name.endswith(".md"):
        page = instructors.blanked(name, data.decode("utf-8"))
        return (re.sub(r"\n{3,}", "\n\n", page).strip("\n") + "\n").encode()
    if name == "CMakePresets.json":
        return _without_reference(data).encode()
    return data


def _without_reference(data: bytes) -> str:
    """The presets without those that build the answer key or measure it."""
    presets = json.loads(data)
    for key, entries in presets.items():
        if key.endswith("Presets"):
            presets[key] = [entry for entry in entries if not entry["name"].startswith(("reference", "bench"))]
    return json.dumps(presets, indent=2, ensure_ascii=False) + "\n"


def _refuse_half_edited(root: Path, cut: dict[str, str]) -> None:
    for name in stubs.drifted(root, cut):
        raise CourseError(f"student/{name} is not what reference/{name} gives; run ./course cut, "
                          "or use --dirty: the handout takes the stub from reference/")


def _refuse_uncommitted(root: Path, patterns: list[tuple[str, str]]) -> None:
    """Where the tree is a clone, everything that goes in is to be committed."""
    refuse_changes(name for name in (changed(root, "all") if (root / ".git").exists() else [])
                   if name == LIST or name.startswith("reference/") or any(_is_named(name, pattern) for pattern, _ in patterns))


def changed(root: Path, untracked: str) -> list[str]:
    """The files that git calls changed; `untracked` says which it does not know are among them, as git status does."""
    try:
        git = subprocess.run(["git", "-C", str(root), "status", "--porcelain", "-z", f"--untracked-files={untracked}", "--no-renames"],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise CourseError("git is not on the PATH to say whether the tree is clean; install it, or use --dirty") from None
    if git.returncode != 0:
        said = " ".join(git.stderr.split())
        raise CourseError(f"git cannot say whether the tree is clean ({said}); fix that, or use --dirty")
    return [entry[3:] for entry in git.stdout.split("\0") if entry]


def refuse_changes(names: Iterable[str]) -> None:
    for name in names:
        raise CourseError(f"{name} has changes that are not committed; commit or revert them, or use --dirty")


def _refuse_leaks(root: Path, labs: list[Lab], cut: dict[str, str], files: dict[str, File]) -> None:
    sources = {f"reference/{name}": (root / "reference" / name).read_text(encoding="utf-8")
               for lab in labs for name in lab.sources}
    texts = {name: file.data.decode("utf-8", errors="replace") for name, file in files.items()}
    for leak in leaks.find(sources, list(cut.values()), texts):
        raise CourseError(f"{leak.file} would hand out the solution: it contains {leak.reference}; "
                          "write it in another way there, or take it out")
