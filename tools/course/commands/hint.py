"""Show the next hint of an exercise, one more at each call."""

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.errors import CourseError
from course.site import chapter
from course.sources import manifest
from course.sources.files import write_whole


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", metavar="labNN.function", help="as in lab02.linear_attention_recurrent")
    parser.add_argument("--reset", action="store_true", help="forget how many were shown, and begin again at the first")


def run(root: Path, options: Namespace) -> int:
    lab, exercise = manifest.find_exercise(manifest.load(root), options.exercise)
    section = f"labs/{lab.folder.name}/README.md §{exercise.section}"
    hints = chapter.hints(lab, exercise)
    if not hints:
        print(f"there are no hints for {exercise.name}{', which comes solved' if exercise.solved else ''}; read {section}")
        return 0

    state = root / "build" / "hints.json"
    shown = _shown(state)
    if options.reset:
        shown.pop(exercise.name, None)
        write_whole(state, json.dumps(shown, indent=2) + "\n")
        print(f"the next call shows hint 1 of {len(hints)} again")
        return 0

    before = shown.get(exercise.name, 0)
    for number, hint in enumerate(hints):
        if number == before or before >= len(hints):
            print("\n".join(filter(None, (f"hint {number + 1} of {len(hints)}: {hint.title}", hint.body))), end="\n\n")
    sys.stdout.flush()  # what nobody could see was not shown
    try:
        write_whole(state, json.dumps(shown | {exercise.name: min(before + 1, len(hints))}, indent=2) + "\n")
    except CourseError as error:
        print(f"course: the next call shows this hint again; {error}", file=sys.stderr)
    if before + 1 >= len(hints):
        print(f"there are no more hints; read {section}")
    return 0


def _shown(state: Path) -> dict[str, int]:
    """How many hints of each exercise were shown. A file that cannot be read costs nothing: the hints begin again."""
    try:
        data = json.loads(state.read_text(encoding="utf-8"))
        return {name: count for name, count in data.items() if isinstance(count, int)}
    except (OSError, ValueError, AttributeError):
        return {}
