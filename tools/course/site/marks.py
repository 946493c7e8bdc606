"""What the pages know of the reader's results: docs/theme/marks.js ticks the exercises that ./course check passed."""

import json
from pathlib import Path

from course import manifest, verdicts
from course.build_tree import BuildTree


def passed(root: Path) -> tuple[str, list[str]]:
    """When the suites last ran on the student's answers, and the exercises that pass; nothing before their first run."""
    results = BuildTree(root, "student").results
    exercises = [exercise for lab in manifest.load(root) for exercise in lab.exercises]
    times = [file.stat().st_mtime_ns for file in results.glob("*.json")]
    found = verdicts.read(results, exercises, set(), "")
    return str(max(times, default="")), [verdict.exercise.name for verdict in found if verdict.passed]


def write(site: Path, when: str, names: list[str]) -> None:
    results = json.dumps({"when": when, "passed": names})
    (site / "results.js").write_text(f"window.RESULTS = {results};\n", encoding="utf-8")
