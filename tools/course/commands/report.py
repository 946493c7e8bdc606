"""Grade, and write the results as files: a page to read, JUnit, and Gradescope's results.json.

report.md, junit.xml and results.json say what ./course check says. Exit status: that of ./course check.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import manifest, results
from course.commands import check
from course.files import write_together


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", type=Path, help="the folder to write to; earlier reports in it are replaced")
    check.choice_arguments(parser)


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    grading = check.grade(root, labs, options)
    write_together(options.out, {"report.md": results.markdown(labs, grading.verdicts),
                                 "junit.xml": results.junit(grading.verdicts),
                                 "results.json": results.gradescope(grading.verdicts)})
    print(f"{options.out}: report.md, junit.xml, results.json")
    return grading.status
