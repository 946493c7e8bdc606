"""Copy your work into a newer handout, in a new folder next to this one.

It copies functions that you wrote, your helpers and your own files in student/, and names what it cannot place. This
folder stays as it is. An older handout needs --downgrade. A clone of the whole course is updated by git instead.
"""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.errors import CourseError
from course.sources import version
from course.sources.files import File, write_folder
from course.sources.handout_record import RECORD, STUBS, digest, parse, read_handout
from course.sources.moved_answers import Answers

MADE = ("build", "kept", "out")  # what commands leave in the folder, and no file of the student's
HINTS = "build/hints.json"  # how many were shown


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("handout", metavar="NEW_HANDOUT", type=Path, help="the folder, the zip or the tar that you received")
    parser.add_argument("--downgrade", action="store_true", help="also with a handout that is older than this one")


def run(root: Path, options: Namespace) -> int:
    record = root / RECORD
    if not record.is_file():
        raise CourseError(f"this folder is not a handout: it has no {RECORD}; run this in the folder that you were given "
                          "(a clone of the whole course is updated by git)")
    if options.handout.resolve() == root.resolve():
        raise CourseError(f"{options.handout} is this folder itself; name the newer handout")
    new = read_handout(options.handout)
    mine, theirs = ((text or b"").decode(errors="replace").strip() for text in (
        _read(root / version.FILE), new[version.FILE].data if version.FILE in new else None))
    if version.is_older(theirs, mine) and not options.downgrade:
        raise CourseError(f"{options.handout} is older ({theirs or 'it has no version'}) than this folder ({mine}); "
                          "get the newest handout, or use --downgrade")
    folder = _beside(root, theirs)
    said = carry_over(root, parse(record.read_text(encoding="utf-8", errors="replace")), new)
    write_folder(folder, new)
    print("\n".join([*said, f"the new handout is in {folder}; {root} stays as it was", f"go on there: cd '{folder}'"]))
    return 0


def carry_over(root: Path, old: dict[str, str], new: dict[str, File]) -> list[str]:
    """Puts the student's work into the files of the new handout; returns what there is to say. `old` maps the names of the old
    handout's files to digests."""
    answers = Answers({name: _text(file.data) for name, file in new.items() if _is_students(name)},
                      _exercises([_read(root / name) for name in old if name.endswith("/lab.json")]
                                 + [file.data for name, file in new.items() if name.endswith("/lab.json")]))
    left = []
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] not in MADE):
        name = path.relative_to(root).as_posix()
        if name.startswith(".") and name not in old:
            continue
        if digest(path.read_bytes()) == old.get(name) or name in (RECORD, version.FILE) or name.startswith(f"{STUBS}/"):
            continue
        if _is_students(name) and name in old:
            stub = _read(root / STUBS / path.name)
            answers.take(name, _text(path.read_bytes()), None if stub is None else _text(stub))
        elif _is_students(name) and name not in new:
            new[name] = File.read(path)
            answers.said.append(f"{name}: copied as it is")
        else:
            left.append(name)
    new.update({name: File(File.of(text).data, new[name].executable) for name, text in answers.texts().items()})
    if (root / HINTS).is_file():
        new[HINTS] = File.read(root / HINTS)
    if left:
        answers.said.append(f"your changes to these files were not copied: {', '.join(left[:9])}{', …' * (len(left) > 9)}")
    if (root / ".git").exists():
        answers.said.append("the history of your own repository was not copied; to go on with it, copy it into the new folder: "
                            f"cp -r '{root / '.git'}' …")
    return answers.said


def _is_students(name: str) -> bool:
    return name.startswith("student/") and not name.startswith(f"{STUBS}/")


def _exercises(manifests: list[bytes | None]) -> set[str]:
    """The functions that they name. The student's copy may be broken."""
    return {name for text in manifests for name in re.findall(r'"function": *"(\w+)"', _text(text or b""))}


def _beside(root: Path, number: str) -> Path:
    """A name that is free, of this folder's and the version's date."""
    name = re.sub(r"-(?:\d{4}-\d\d-\d\d|new)(?:-\d+)?$", "", root.name) + f"-{number.partition(' ')[0] or 'new'}"
    names = [name, *(f"{name}-{count}" for count in range(2, 1000))]
    return next(root.parent / each for each in names if not (root.parent / each).exists())


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="surrogateescape")
