"""Grade, then make the zip to hand in: ./course submit YOUR_ID makes YOUR_ID.zip.

It holds your files from student/ as they are, and says which handout they are for. Submit lists what is still TODO, but
makes a zip all the same.
"""

import re
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.build import graded_file
from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.sources import manifest, version
from course.sources.files import File, refuse_what_is_there, write_zip
from course.sources.manifest import Lab
from course.verdicts.grading import grade
from course.verdicts.verdicts import WORDS, Verdict, by_lab, score


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="YOUR_ID", help="by which your instructor knows you")
    parser.add_argument("--out", type=Path, metavar="ZIP", help="the file to make (default: YOUR_ID.zip)")
    parser.add_argument("--unchecked", action="store_true", help="do not grade first")


def run(root: Path, options: Namespace) -> int:
    name = options.id.strip()
    if not re.fullmatch(r"\w[\w .@+-]{0,99}", name):
        raise CourseError(f"{options.id!r} is not an id; write letters, digits, spaces and . - @ + _ only, 100 characters at most, "
                          "the first a letter, a digit or _")
    out = options.out or Path(f"{name}.zip")
    if out.suffix != ".zip":
        raise CourseError(f"{out} is not the name of a zip; write {out}.zip")
    refuse_what_is_there(out)
    labs = manifest.load(root)
    files = _files(root, labs)
    if not options.unchecked:
        if new := BuildTree(root, "student").never_built(labs):
            print(f"grading before the zip is made, so {', '.join(new)} {'is' if len(new) == 1 else 'are'} built for the first "
                  f"time; --unchecked skips this", file=sys.stderr)
        _say(grade(root))
    if _files(root, labs) != files:
        raise CourseError("student/ changed while it was graded; nothing was written; save your files and try again")
    write_zip(out, files | {version.FILE: File(f"{version.of(root)}\n".encode())}, name)
    print(f"{out}: {len(files)} files of student/; hand in this file")
    return 0


def _files(root: Path, labs: list[Lab]) -> dict[str, File]:
    files = {}
    for source in (source for lab in labs for source in lab.sources):
        path = root / "student" / source
        rejection_reason = graded_file.rejection_reason(str(path))
        if not rejection_reason and path.stat().st_size > graded_file.LARGEST:
            rejection_reason = (f"student/{source} is larger than {graded_file.LARGEST >> 10} KiB, which is more than is graded: "
                       "make it smaller.")
        if rejection_reason:
            raise CourseError(f"{rejection_reason} Nothing was written.")
        files[f"student/{source}"] = File(path.read_bytes())
    return files


def _say(verdicts: list[Verdict]) -> None:
    for lab, of_lab in by_lab(verdicts):
        print(f"{lab}  {score(of_lab)} points")
        for status, word in WORDS.items():
            names = [verdict.exercise.function for verdict in of_lab if verdict.status == status]
            if names and status != "pass":
                print(f"  {word}: {', '.join(names)}")
    print(f"score {score(verdicts)}")
