"""Builds what was edited and grades it: what every command that needs verdicts calls."""

from pathlib import Path

from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.sources import manifest
from course.verdicts import verdicts
from course.verdicts.verdicts import Verdict


def grade(root: Path, track: str = "student", names: list[str] | None = None) -> list[Verdict]:
    """`names` are labs and exercises, as ./course check takes them; without any, everything is graded."""
    labs = manifest.load(root)
    exercises = manifest.select(labs, names or [])
    if track == "reference" and not (root / "reference").is_dir():
        raise CourseError("there is no reference/ here: a handout comes without the answer key; leave --track out")
    tree = BuildTree(root, track)
    chosen = {exercise.lab for exercise in exercises}
    with tree.locked():
        tree.prepare([lab.manifest for lab in labs], [lab for lab in labs if lab.name in chosen])
        verdicts.forget(tree.results, exercises)
        refused = tree.run_tests(exercises)
        return verdicts.read(tree.results, exercises, refused, str(tree.log.relative_to(root)))
