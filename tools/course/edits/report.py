"""What ./course check says of an answer that no known mistake explains: which one change would make it right."""

import sys
import time
from pathlib import Path

from course import manifest
from course.build_tree import BuildTree
from course.edits.search import Cure, NotSearched, Search
from course.manifest import Exercise
from course.progress_line import ProgressLine

MOST_SHOWN = 3


def of(root: Path, track: str, exercise: Exercise) -> str:
    """Searches, which takes some seconds, with progress; gives sentences for people."""
    lab, _ = manifest.find_exercise(manifest.load(root), exercise.name)
    tree, began, line = BuildTree(root, track), time.monotonic(), ProgressLine()
    print(f"no known mistake does the same; trying small changes of {exercise.function} (Ctrl-C ends that) …", file=sys.stderr, flush=True)
    try:
        with tree.locked():
            search = Search(lab, exercise, lab.source_with(exercise, root / track), tree.folder, tree.folder / "edits")
            cures = search.cures(lambda tried, of_all: line.show(f"{tried} of {of_all} tried, {time.monotonic() - began:.0f} s"))
    except NotSearched as reason:
        return f"small changes could not be tried: {reason}"
    except KeyboardInterrupt:
        return "stopped: not all small changes were tried"
    finally:
        line.end()
    return in_words(exercise, cures, len(search.edits))


def in_words(exercise: Exercise, cures: list[Cure], tried: int) -> str:
    if not cures:
        return (f"with none of {tried} small changes of {exercise.function} does every check pass: more than one thing is wrong,\n"
                "or something larger than an operator, a variable, a bracket or the order of lines")
    lines = [f"  line {cure.line}: {cure.mistake}" for cure in cures[:MOST_SHOWN]]
    more = [f"  and {len(cures) - MOST_SHOWN} more"] if len(cures) > MOST_SHOWN else []
    which = "one small change of" if len(cures) == 1 else "any one of these changes of"
    return "\n".join([f"{which} {exercise.function} makes every check pass:", *lines, *more])
