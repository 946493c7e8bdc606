"""reference/: the solution of each exercise as a whole function, without the markers."""

from pathlib import Path

from course.cutter import MARKER, Cut
from course.manifest import Lab


def of_lab(root: Path, lab: Lab) -> tuple:
    """Function → its text, for the exercises that are there; and what the solutions share: the regions at top level."""
    exercises = {exercise.function for exercise in lab.exercises}
    functions, shared = {}, []
    for source in lab.sources:
        path = root / "reference" / source
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for function, line in Cut(text, f"reference/{source}", exercises).functions.items():
            if function in exercises:
                functions[function] = _function(lines, line - 1)
        shared += _shared(lines)
    return functions, "\n\n".join(shared)


def _function(lines: list, begin: int) -> str:
    """From the definition's first line to the brace that closes it: the first one that is not indented."""
    end = next((i for i in range(begin, len(lines)) if lines[i].startswith("}")), len(lines) - 1)
    if lines[begin].rstrip().endswith("}"):
        end = begin
    return "\n".join(line for line in lines[begin:end + 1] if not MARKER.match(line))


def _shared(lines: list) -> list:
    regions, region = [], None
    for line in lines:
        marker = MARKER.match(line)
        if marker and not marker["indent"]:
            if marker["which"] == "BEGIN":
                region = []
            else:
                regions.append("\n".join(region).strip("\n"))
                region = None
        elif region is not None:
            region.append(line)
    return [text for text in regions if text]
