"""Grade, and write the results as a page.

OUT/report.md says what ./course check says. Exit status: that of ./course check.
"""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.commands import check
from course.errors import CourseError
from course.sources import manifest
from course.sources.files import write_whole
from course.sources.manifest import Lab
from course.verdicts import report_page
from course.verdicts.grading import grade


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", help="the folder to write to; an earlier report in it is replaced")
    check.choice_arguments(parser)


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    _refuse_a_lab(labs, options)
    verdicts = grade(root, options.track, options.labs)
    page = Path(options.out) / "report.md"
    write_whole(page, report_page.markdown(labs, verdicts))
    print(page)
    return check.exit_status(verdicts)


def _refuse_a_lab(labs: list[Lab], options: Namespace) -> None:
    """`./course report lab02` means the lab, not a folder of that name; ./lab02 would be the folder."""
    names = {name for lab in labs for name in (lab.folder.name, *(exercise.function for exercise in lab.exercises))}
    if options.out in names or re.fullmatch(r"lab\d*(\.\w*)?", options.out):
        raise CourseError(f"'{options.out}' is not a folder to write to; say where the results go, then what to grade: "
                          f"./course report OUT {' '.join([options.out, *options.labs])}")
