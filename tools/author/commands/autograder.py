"""(instructors) Make what a course system needs to grade each submission as it comes in: ./course autograder gradescope

The zip holds, in course/, every file that git knows here, the answer key included: keep it, and images made of it, private."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import handout
from course.errors import CourseError
from course.sources import version
from course.sources.files import File, write_zip

SCRIPTS = "tools/author/judge/autograder"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("system", choices=["gradescope"], help="which course system")
    parser.add_argument("--out", type=Path, default=Path("gradescope.zip"), metavar="ZIP", help="(default: gradescope.zip)")
    parser.add_argument("--dirty", action="store_true", help="also with changes that are not committed")


def run(root: Path, options: Namespace) -> int:
    files = {name: File.read(root / name) for name in version.git(root, "ls-files", "-z").split("\0") if (root / name).is_file()}
    at_top = {Path(name).name: file for name, file in files.items() if name.startswith(SCRIPTS)}
    if not at_top:
        raise CourseError("git does not know the files of this folder; run this in the instructor's clone")
    if not options.dirty:
        handout.refuse_changes(handout.changed(root, "no"))
    write_zip(options.out, {**at_top, **{f"course/{name}": file for name, file in files.items()}}, "")
    print(f"{options.out}: {len(files)} files, with the answer key: keep it private")
    return 0
