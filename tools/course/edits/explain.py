"""What ./course check says of an answer that no known mistake explains: which change would make it right."""

import sys
import time
from pathlib import Path

from course.build.build_tree import BuildTree
from course.build.progress_line import ProgressLine
from course.edits.search import Cure, NotSearched, Search, Told
from course.sources import manifest
from course.sources.manifest import Exercise, Lab

MOST_SHOWN = 3


def of(root: Path, track: str, exercise: Exercise) -> str:
    """Searches, which takes some seconds, with progress; gives sentences for people."""
    lab, _ = manifest.find_exercise(manifest.load(root), exercise.name)
    tree, began, line = BuildTree(root, track), time.monotonic(), ProgressLine()
    print(f"no known mistake does the same; trying small changes to {exercise.function} (Ctrl-C ends that) …", file=sys.stderr, flush=True)
    try:
        with tree.locked():
            return found(lab, exercise, root / track, tree.folder, tree.folder / "edits",
                         lambda tried, of_all: line.show(f"{tried} of {of_all} tried, {time.monotonic() - began:.0f} s"))[0]
    except KeyboardInterrupt:
        return "stopped: not all small changes were tried"
    finally:
        line.end()


def found(lab: Lab, exercise: Exercise, sources: Path, build: Path, place: Path, told: Told = lambda tried, of: None) -> tuple[str, int]:
    """The sentences, and how many changes help. `sources`: the folder with the file that defines the function."""
    try:
        search = Search(lab, exercise, lab.source_with(exercise, sources), build, place)
        cures = search.single(told) or search.double(told)
    except NotSearched as reason:
        return f"small changes could not be tried: {reason}", 0
    return in_words(exercise, cures, len(search.edits)), len(cures)


def in_words(exercise: Exercise, cures: list[Cure], tried: int) -> str:
    if not cures:
        return (f"none of {tried} small changes to {exercise.function}, and no two of those that help, make every check pass:\n"
                "more is wrong, or something larger than an operator, a variable, a bracket or the order of lines")
    together = len(cures[0].mistakes) > 1
    shown = cures[:1 if together else MOST_SHOWN]
    lines = [f"  line {line}: {mistake}" for cure in shown for line, mistake in cure.mistakes]
    more = [f"  and {len(cures) - MOST_SHOWN} more"] if len(cures) > MOST_SHOWN and not together else []
    which = "together, these two changes to" if together else "one small change to" if len(cures) == 1 else "any one of these changes to"
    make = "make" if together else "makes"
    return "\n".join([f"{which} {exercise.function} {make} every check pass:", *lines, *more])
