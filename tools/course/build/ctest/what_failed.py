"""What a run of ctest that just ended left to say, from its result files."""

from pathlib import Path

from course.sources import manifest
from course.sources.manifest import Exercise
from course.verdicts import messages, verdicts
from course.verdicts.verdicts import Verdict

COMMANDS = {"results": "./course check {}", "results/gpu": "ctest -R '{}.gpu$'"}  # which shows it alone, by folder


def what_failed(source: str, build: str) -> str:
    """The messages of this run: first those of labs that could not be built, last the first exercise to fix."""
    exercises = [exercise for lab in manifest.load(Path(source)) for exercise in lab.exercises]
    left = [(verdict, command) for folder, command in COMMANDS.items()
            for verdict in _left_by_this_run(Path(build), folder, exercises) if not verdict.passed]
    left.sort(key=lambda each: _place(each[0]))
    text = messages.arrange([(verdict.message, command.format(_shown_as(verdict))) for verdict, command in left])
    if left and left[0][0].place:
        return f"{text}\n\nnext: {left[0][0].place}"
    for verdict, command in left:
        if verdict.unexplained and command == COMMANDS["results"]:
            again = command.format(_shown_as(verdict))
            return f"{text}\n\n{again} tries small changes to that function, to find what is wrong with it"
    return text


def _left_by_this_run(build: Path, folder: str, exercises: list[Exercise]) -> list[Verdict]:
    began = (build / "run_started").stat().st_mtime_ns
    new = {path.name for path in (build / folder).glob("*") if path.stat().st_mtime_ns >= began}
    ended = [each for each in exercises if not new.isdisjoint((f"{each.name}.json", f"{each.lab}.not_built"))]
    return verdicts.read(build / folder, ended, set(), "")


def _place(verdict: Verdict) -> tuple[bool, ...]:
    """Labs that were not built first. What waits for another comes after all; so does what no later lab needs."""
    return () if verdict.status == "not_run" else (verdict.status == "todo", bool(verdict.begin_with), verdict.exercise.stretch)


def _shown_as(verdict: Verdict) -> str:
    return verdict.exercise.lab if verdict.status == "not_run" else verdict.exercise.name
