"""Build the site: chapters, contracts, exercises, mistakes, papers, errata; it needs no network.

The instructors' edition adds the solutions and what each mistake's message says: do not hand it out.
What is to be fixed (a dead link, a parameter without a word) is listed, and then the exit status is 1.
The labs are built first, since their programs list the mistakes; a lab that does not compile is shown without them.
"""

import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import manifest, mistakes
from course.errors import CourseError
from course.site import doxygen


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--edition", choices=["student", "instructor"], default="student",
                        help="for whom (default: student)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")


def run(root: Path, options: Namespace) -> int:
    tree = mistakes.tree(root)
    not_built = []
    try:
        tree.build(manifest.load(root))
    except CourseError as error:
        not_built.append(str(error))
    start, complaints = doxygen.build(root, options.edition, tree)
    complaints = not_built + complaints
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"wrote {start.relative_to(root)}")
    if options.open:
        webbrowser.open(start.as_uri())
    return 1 if complaints else 0
