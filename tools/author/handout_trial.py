"""The handout, tried before it is given out: it has to build, and nothing but what comes solved may pass."""

from pathlib import Path

from author import completeness
from course.build.build_tree import BuildTree
from course.sources.files import File, explained, fill
from course.verdicts.grading import grade
from course.verdicts.verdicts import WORDS, Verdict

FOLDER = "build/handout"  # kept, so that the next trial compiles only what changed


def lay_out(folder: Path, files: dict[str, File]) -> None:
    """Makes the folder hold these files; one that is as it should be keeps its time stamp. What was built stays."""
    with explained(folder):
        for path in [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []:
            name = path.relative_to(folder).as_posix()
            if not name.startswith("build/") and name not in files:
                path.unlink()
        fill(folder, {name: file for name, file in files.items()
                      if not ((folder / name).is_file() and File.read(folder / name) == file)})


def findings(root: Path, files: dict[str, File]) -> list[str]:
    """What is wrong with the course as students would get it."""
    folder = root / FOLDER
    lay_out(folder, files)
    found = completeness.findings(root, BuildTree(folder, "student"))
    if found:
        return found
    return [_complaint(verdict) for verdict in grade(folder) if verdict.status != _wanted(verdict)]


def _wanted(verdict: Verdict) -> str:
    return "pass" if verdict.exercise.solved else "todo"


def _complaint(verdict: Verdict) -> str:
    said = verdict.message.partition("\n")[0]
    return (f"{verdict.exercise.name} comes out as {WORDS[verdict.status]} where it should be {WORDS[_wanted(verdict)]}"
            f"{f' ({said})' if said else ''}; fix reference/, the suite, or tools/handout.txt")
