"""Build what was edited and grade it: all labs, or those named.

Exit status: 0 when everything graded passes, 1 when something does not, 2 when nothing could be graded.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import manifest, progress
from course.grading import grade
from course.verdicts import Verdict


def arguments(parser: ArgumentParser) -> None:
    choice_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per exercise, a line each, and nothing else")


def choice_arguments(parser: ArgumentParser) -> None:
    """What to grade, and whose."""
    parser.add_argument("labs", nargs="*", metavar="labNN", help="a lab, or one exercise of it: lab02.inclusive_scan")
    parser.add_argument("--track", choices=["student", "reference"], default="student", help="whose answers (default: student)")


def run(root: Path, options: Namespace) -> int:
    verdicts = grade(root, options.track, options.labs)
    if options.json:
        for verdict in verdicts:
            print(verdict.as_json())
    else:
        print(progress.report(manifest.load(root), verdicts, options.track))
    return exit_status(verdicts)


def exit_status(verdicts: list[Verdict]) -> int:
    return 0 if all(verdict.passed for verdict in verdicts) else 1
