"""Bring in a newer handout around what you wrote.

Functions that you wrote, your helpers and includes stay; the rest follows the handout. Whatever is replaced is kept in
kept/ first. Interrupted, it leaves the old state or completes the new one. A handout that is older than this one is
refused, unless --downgrade is given. Not for a clone of the whole course, which is updated by git.
"""

import contextlib
import json
import shutil
import signal
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from course import journal, merge, version
from course.errors import CourseError
from course.files import File, explained, fill
from course.handout_record import RECORD, STUBS, digest, parse, read_handout


@dataclass
class Plan:
    put: dict[str, File] = field(default_factory=dict)  # name → File: what changes or is new
    remove: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("handout", metavar="NEW_HANDOUT", type=Path, help="the folder or the zip that you received")
    parser.add_argument("--downgrade", action="store_true", help="also bring in a handout that is older than this one")


def run(root: Path, options: Namespace) -> int:
    record = root / RECORD
    if not record.is_file():
        raise CourseError(f"this folder is not a handout: it has no {RECORD}; run this in the folder that you were given "
                          "(a clone of the whole course is updated by git)")
    if options.handout.resolve() == root.resolve():
        raise CourseError(f"{options.handout} is this folder itself; name the newer handout")
    new = read_handout(options.handout)
    if not options.downgrade:
        _refuse_older(root, options.handout, new)
    with explained(root):
        journal.discard_unbegun(root)
    plan = make_plan(root, parse(record.read_text(encoding="utf-8", errors="replace")), new)
    print("\n".join(plan.notes), end="\n" if plan.notes else "")
    if not plan.put and not plan.remove:
        print("nothing to do: this folder is up to date")
        return 0
    replaced = [name for name in [*plan.put, *plan.remove] if (root / name).exists()]
    kept = _free_name(root)
    apply(root, plan, kept)
    print(f"{len(plan.put)} files brought in, {len(plan.remove)} removed"
          + (f"; what they replaced is in {kept}/" if replaced else ""))
    return 0


def _refuse_older(root: Path, handout: Path, new: dict[str, File]) -> None:
    mine = _text(_read(root / version.FILE) or b"").strip()
    theirs = _text(new[version.FILE].data).strip() if version.FILE in new else ""
    if version.is_older(theirs, mine):
        raise CourseError(f"{handout} is older ({theirs or 'it has no version'}) than this folder ({mine}); "
                          "get the newest handout, or use --downgrade")


def make_plan(root: Path, old: dict[str, str], new: dict[str, File]) -> Plan:
    """`old` maps the names of the old handout to digests, `new` those of the new one to files."""
    plan = Plan()
    exercises = _exercises({name: _read(root / name) for name in old}) | _exercises(
        {name: file.data for name, file in new.items()})
    for name, file in new.items():
        present = _read(root / name)
        if _is_students(name):
            file = _merged(root, name, old, present, file, exercises, plan)
        elif name != RECORD and present is not None and digest(present) not in (old.get(name), digest(file.data)):
            if old.get(name) == digest(file.data):
                continue  # the student's change of a file that the course did not change
            plan.notes.append(f"{name}: both you and the course changed it; yours is kept only as a copy")
        if present != file.data:
            plan.put[name] = file
    for name in sorted(set(old) - set(new)):
        present = _read(root / name)
        if present is None:
            continue
        if _is_students(name) and digest(present) != old[name]:
            plan.notes.append(f"{name} is no longer part of the course; you wrote in it, so it stays")
        else:
            plan.remove.append(name)
    if RECORD in plan.put:
        plan.put[RECORD] = plan.put.pop(RECORD)  # last
    return plan


def _merged(root: Path, name: str, old: dict[str, str], present: bytes | None, file: File, exercises: set[str],
            plan: Plan) -> File:
    if present is None:
        return file
    base = _read(root / STUBS / Path(name).name)
    if base is None or digest(base) != old.get(name):
        if digest(present) != old.get(name):
            plan.notes.append(f"{name} stays as it is: {STUBS}/ no longer has the stub that you began with")
            return File(present, file.executable)
        base = present
    result = merge.merge(_text(base), _text(present), _text(file.data), exercises)
    if result.carried:
        plan.notes.append(f"{name}: carried over {', '.join(result.carried)}")
    plan.notes += [f"{name}: {note}" for note in result.notes]
    return File(File.of(result.text).data, file.executable)


def apply(root: Path, plan: Plan, kept: str) -> None:
    folder = root / journal.FOLDER
    with explained(root):
        try:
            fill(folder / "new", plan.put)
            journal.commit(root, list(plan.put), plan.remove, kept)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with _uninterrupted():
            try:
                journal.finish(root)
            except OSError as error:
                _undo(root, error)
                raise


def _undo(root: Path, reason: OSError) -> None:
    try:
        journal.undo(root)
    except OSError:
        raise CourseError(f"the update stopped in the middle ({reason.strerror}); fix that and run ./course again, which "
                          "completes it") from None


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the few milliseconds that the moves take."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_students(name: str) -> bool:
    return name.startswith("student/") and not name.startswith(f"{STUBS}/")


def _exercises(files: dict[str, bytes | None]) -> set[str]:
    """The functions that the manifests among these files name."""
    functions: set[str] = set()
    for name, data in files.items():
        if name.endswith("/lab.json") and data:
            with contextlib.suppress(ValueError, KeyError, TypeError):  # the student's copy may be broken
                functions |= {entry["function"] for entry in json.loads(data)["exercises"]}
    return functions


def _free_name(root: Path) -> str:
    stamp = time.strftime("kept/%Y%m%d-%H%M%S")
    names = [stamp, *(f"{stamp}-{number}" for number in range(2, 1000))]
    return next(name for name in names if not (root / name).exists())


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="surrogateescape")
