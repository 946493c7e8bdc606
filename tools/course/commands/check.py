"""Build what was edited and grade it: all labs, or those named.

If only one exercise is wrong, and no known mistake explains it, check tries small changes to your function next: one that
makes every check pass shows what is wrong. Ctrl-C ends that.
Exit status: 0 when everything graded passes, 1 when something does not, 2 when nothing could be graded.
"""

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from course.sources import manifest
from course.verdicts import summary
from course.verdicts.grading import grade
from course.verdicts.verdicts import Verdict


def arguments(parser: ArgumentParser) -> None:
    choice_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per exercise, a line each, and nothing else")


def choice_arguments(parser: ArgumentParser) -> None:
    """What to grade, and whose."""
    parser.add_argument("labs", nargs="*", metavar="labNN", help="a lab (lab02), or one exercise (lab02.inclusive_scan, or just inclusive_scan)")
    track_argument(parser, "answers")


def track_argument(parser: ArgumentParser, what: str) -> None:
    """A handout has no reference/, so its help does not speak of one."""
    has_reference = (Path(__file__).resolve().parents[3] / "reference").is_dir()
    parser.add_argument("--track", choices=["student", "reference"], default="student",
                        help=f"whose {what} (default: student)" if has_reference else SUPPRESS)


def run(root: Path, options: Namespace) -> int:
    verdicts = grade(root, options.track, options.labs)
    if options.json:
        for verdict in verdicts:
            print(verdict.as_json())
    else:
        unexplained = [verdict.exercise for verdict in verdicts if verdict.unexplained]
        goes_on = len(unexplained) == 1
        print(summary.report(manifest.load(root), verdicts, options.track, goes_on), flush=True)
        if goes_on:
            from course.edits import explain  # only now: most runs do without it
            print(f"\n{explain.of(root, options.track, unexplained[0])}")
    return exit_status(verdicts)


def exit_status(verdicts: list[Verdict]) -> int:
    return 0 if all(verdict.passed for verdict in verdicts) else 1
