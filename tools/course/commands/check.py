"""Build what was edited and grade it: all labs, or those named.

Exit status: 0 when everything graded passes, 1 when something does not, 2 when nothing could be graded.
"""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

from course import manifest, progress, verdicts
from course.build_tree import BuildTree
from course.errors import CourseError


@dataclass(frozen=True)
class Grading:
    verdicts: list
    status: int  # 0 when everything passes, else 1


def arguments(parser: ArgumentParser) -> None:
    choice_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per exercise, a line each, and nothing else")


def choice_arguments(parser: ArgumentParser) -> None:
    """What to grade, and whose."""
    parser.add_argument("labs", nargs="*", metavar="labNN", help="a lab, or one exercise of it: lab02.inclusive_scan")
    parser.add_argument("--track", choices=["student", "reference"], default="student", help="whose answers (default: student)")


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    grading = grade(root, labs, options)
    if options.json:
        for verdict in grading.verdicts:
            print(verdict.as_json())
    else:
        print(progress.report(labs, grading.verdicts, options.track))
    return grading.status


def grade(root: Path, labs: list, options: Namespace) -> Grading:
    exercises = manifest.select(labs, options.labs)
    if options.track == "reference" and not (root / "reference").is_dir():
        raise CourseError("there is no reference/ here: a handout comes without the answer key; leave --track out")
    tree = BuildTree(root, options.track)
    chosen = {exercise.lab for exercise in exercises}
    tree.prepare([lab.manifest for lab in labs], [lab for lab in labs if lab.name in chosen])
    verdicts.forget(tree.results, exercises)
    doubted = tree.run_tests(exercises)
    found = verdicts.read(tree.results, exercises, doubted, str(tree.log.relative_to(root)))
    return Grading(found, 0 if all(verdict.passed for verdict in found) else 1)
