"""What ./course check says of an answer that no known mistake explains: which one change would make it right."""

import sys
import time
from pathlib import Path

from course import manifest
from course.build_tree import BETWEEN_LINES, BuildTree
from course.edits.search import Cure, NotSearched, Search
from course.manifest import Exercise

MOST_SHOWN = 3
MAKES_PASS = "makes every check pass:"


def of(root: Path, track: str, exercise: Exercise) -> str:
    """Searches, which takes some seconds, with progress; gives sentences for people."""
    lab, _ = manifest.find_exercise(manifest.load(root), exercise.name)
    tree = BuildTree(root, track)
    told = Progress(exercise)
    try:
        with tree.locked():
            source = next(path for path in (root / track / name for name in lab.sources_of(exercise)) if exercise.function in path.read_text("utf-8"))
            search = Search(lab, exercise, source, tree.folder, tree.folder / "edits")
            cures = search.cures(told)
    except (NotSearched, StopIteration) as reason:
        return f"small changes could not be tried: {reason}"
    except KeyboardInterrupt:
        return "stopped: not all small changes were tried"
    finally:
        told.end()
    return in_words(exercise, cures, len(search.edits))


def in_words(exercise: Exercise, cures: list[Cure], tried: int) -> str:
    if not cures:
        return (f"with none of {tried} small changes of {exercise.function} does every check pass: more than one thing is wrong,\n"
                "or something larger than an operator, a variable, a bracket or the order of lines")
    lines = [f"  line {cure.line}: {cure.mistake}" for cure in cures[:MOST_SHOWN]]
    more = [f"  and {len(cures) - MOST_SHOWN} more"] if len(cures) > MOST_SHOWN else []
    which = "one small change of" if len(cures) == 1 else "any one of these changes of"
    return "\n".join([f"{which} {exercise.function} {MAKES_PASS}", *lines, *more])


class Progress:
    """Says how far it is: to a terminal at once, to a pipe now and then."""

    def __init__(self, exercise: Exercise):
        self.began = self.said = time.monotonic()
        print(f"no known mistake does the same; trying small changes of {exercise.function} (Ctrl-C ends that) …", file=sys.stderr, flush=True)

    def __call__(self, tried: int, of_all: int) -> None:
        now = time.monotonic()
        text = f"  {tried} of {of_all} tried, {now - self.began:.0f} s"
        if sys.stderr.isatty():
            print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
        elif now - self.said >= BETWEEN_LINES:
            print(text, file=sys.stderr, flush=True)
            self.said = now

    def end(self) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
