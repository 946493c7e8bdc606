"""(instructors) Make what a course system needs to grade each submission as it comes in: ./course autograder gradescope

The zip holds a Dockerfile, and in course/ every file that git knows here, the answer key included: keep it, and images
made of it, private. docs/instructors.md says how to use it.
"""

import subprocess
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.errors import CourseError
from course.files import File, write_zip

DOCKERFILE = "tools/author/judge/gradescope/Dockerfile"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("system", choices=["gradescope"], help="which course system")
    parser.add_argument("--out", type=Path, default=Path("gradescope.zip"), metavar="ZIP", help="(default: gradescope.zip)")
    parser.add_argument("--dirty", action="store_true", help="also with changes that are not committed")


def run(root: Path, options: Namespace) -> int:
    names = _tracked(root)
    if not options.dirty and (changed := _git(root, "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames")[1]):
        raise CourseError(f"{changed.partition(chr(0))[0][3:]} has changes that are not committed; commit or revert them, "
                          "or use --dirty")
    files = {f"course/{name}": _file(root / name) for name in names}
    files["Dockerfile"] = files[f"course/{DOCKERFILE}"]
    write_zip(options.out, files, "")
    print(f"{options.out}: {len(files)} files, with the answer key: keep it private")
    return 0


def _file(path: Path) -> File:
    return File(path.read_bytes(), bool(path.stat().st_mode & 0o100))


def _tracked(root: Path) -> list[str]:
    listed, said = _git(root, "ls-files", "-z")
    names = [name for name in said.split("\0") if name and (root / name).is_file()]
    if not listed or DOCKERFILE not in names:
        raise CourseError("git does not know the files of this folder; run this in the instructor's clone")
    return names


def _git(root: Path, *words: str) -> tuple[bool, str]:
    done = subprocess.run(["git", "-C", str(root), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode == 0, done.stdout
