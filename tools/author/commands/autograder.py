"""(instructors) Make what a course system needs to grade each submission as it comes in: ./course autograder gradescope

The zip holds a Dockerfile, and in course/ every file that git knows here, the answer key included: keep it, and images
made of it, private. docs/instructors.md says how to use it.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import version
from course.errors import CourseError
from course.files import File, write_zip

DOCKERFILE = "tools/author/judge/gradescope/Dockerfile"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("system", choices=["gradescope"], help="which course system")
    parser.add_argument("--out", type=Path, default=Path("gradescope.zip"), metavar="ZIP", help="(default: gradescope.zip)")
    parser.add_argument("--dirty", action="store_true", help="also with changes that are not committed")


def run(root: Path, options: Namespace) -> int:
    names = _tracked(root)
    if not options.dirty and (changed := version.git(root, "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames")):
        raise CourseError(f"{changed.partition(chr(0))[0].split(maxsplit=1)[1]} has changes that are not committed; commit or revert them, "
                          "or use --dirty")
    files = {f"course/{name}": File.read(root / name) for name in names}
    files["Dockerfile"] = files[f"course/{DOCKERFILE}"]
    write_zip(options.out, files, "")
    print(f"{options.out}: {len(files)} files, with the answer key: keep it private")
    return 0


def _tracked(root: Path) -> list[str]:
    names = [name for name in version.git(root, "ls-files", "-z").split("\0") if name and (root / name).is_file()]
    if DOCKERFILE not in names:
        raise CourseError("git does not know the files of this folder; run this in the instructor's clone")
    return names
