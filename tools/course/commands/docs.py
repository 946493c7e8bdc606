"""Build the site: chapters, contracts, exercises, mistakes, papers, errata; it needs no network.

The instructors' edition adds the solutions and what each mistake's message says: do not hand it out.
What is to be fixed (a dead link, a parameter without a word) is listed, and then the exit status is 1.
"""

import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.site import doxygen


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--edition", choices=["student", "instructor"], default="student",
                        help="for whom (default: student)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")


def run(root: Path, options: Namespace) -> int:
    start, complaints = doxygen.build(root, options.edition)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"wrote {start.relative_to(root)}")
    if options.open:
        webbrowser.open(start.as_uri())
    return 1 if complaints else 0
