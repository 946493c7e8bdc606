"""Build the site: chapters, contracts, exercises, mistakes, papers, errata; it needs no network.

The instructors' edition adds the solutions, and which mistakes the suites caught: do not hand it out.
It lists what is to be fixed (a dead link, a parameter without a word); the exit status is then 1.
The labs are built first, since their programs list the mistakes; a lab that does not compile is named, and shown
without them.
"""

import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.errors import CourseError
from course.sources import manifest
from course.verdicts import mistakes


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--edition", choices=["student", "instructor"], default="student",
                        help="for whom (default: student)")
    parser.add_argument("--no-mistakes", action="store_true", help="do not build the labs, and leave their mistakes out")
    parser.add_argument("--pdf", action="store_true", help="also all of it as one PDF, made by Chromium")
    parser.add_argument("--open", action="store_true", help="show it in the browser")


def run(root: Path, options: Namespace) -> int:
    try:
        from course.site import doxygen, edition  # a machine without its libraries has the other commands
    except ModuleNotFoundError as error:
        raise CourseError(f"{sys.executable} has no module {error.name}; run ./course setup --with-docs") from None
    tree, not_built, complaints = None, [], []
    if not options.no_mistakes:
        tree = mistakes.tree(root)
        try:
            not_built = tree.build(manifest.load(root))
        except CourseError as error:
            complaints.append(str(error))
    start, found = doxygen.build(root, options.edition, tree, [lab.name for lab in not_built])
    complaints += found
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"wrote {start.relative_to(root)}")
    if options.pdf:
        print(f"wrote {edition.write(start.parent).relative_to(root)}")
    if options.open:
        webbrowser.open(start.as_uri())
    return 1 if complaints else 0
