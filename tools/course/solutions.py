"""reference/: the solution of each exercise as a whole function, without the markers."""

from pathlib import Path

from course.cutter import MARKER, Cut, regions
from course.manifest import Lab


def of_lab(root: Path, lab: Lab) -> tuple[dict[str, str], str]:
    """Function → its text, for the exercises that are there; and what the solutions share: the regions at top level."""
    exercises = {exercise.function for exercise in lab.exercises}
    functions: dict[str, str] = {}
    shared: list[str] = []
    for source in lab.sources:
        path = root / "reference" / source
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        for name, definition in Cut(text, f"reference/{source}", exercises).functions.items():
            if name in exercises:
                lines = text.splitlines()[definition.first_line - 1:definition.last_line]
                functions[name] = "\n".join(line for line in lines if not MARKER.match(line))
        shared += ["\n".join(line for _, line in lines).strip("\n") for indent, lines in regions(text) if not indent]
    return functions, "\n\n".join(filter(None, shared))
