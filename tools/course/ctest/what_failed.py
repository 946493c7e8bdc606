"""What a run of ctest that just ended left to say, from its result files."""

import json
import os
from pathlib import Path
from typing import Any

from course import messages
from course.plain_text import plain

Left = tuple[tuple[int | bool | str, ...], str, str]


def what_failed(source: str, build: str) -> str:
    """The messages of this run: first those of labs that could not be built, last the first exercise to fix."""
    left = sorted(_not_built(build) + _failed(source, build))
    text = messages.arrange([(plain(message).strip("\n"), command) for _, message, command in left])
    unexplained = next((command for place, _, command in left if place[-1]), "")
    return f"{text}\n\n{unexplained} tries small changes of that function, to find what is wrong with it" if unexplained else text


def _not_built(build: str) -> list[Left]:
    """(place, message, command that shows it) of every lab that could not be built."""
    return [((0, path, False), data["message"], f"./course check {os.path.basename(path).partition('.')[0]}")
            for path, data in _left_by_this_run(build, "results", ".not_built")]


def _failed(source: str, build: str) -> list[Left]:
    """The same of every exercise. What waits for another comes after all; so does what no later lab needs."""
    found: list[Left] = []
    for folder in ("results", "results/gpu"):
        for _, data in _left_by_this_run(build, folder, ".json"):
            if data["status"] != "pass":
                lab, function = data["lab"], data["exercise"]
                name = f"{lab}.{function}"
                command = f"ctest -R '{name}.gpu$'" if folder == "results/gpu" else f"./course check {name}"
                unexplained = data["status"] in ("fail", "crash", "timeout") and data.get("mistakes") == [] and folder == "results"
                unexplained = unexplained and not data.get("begin_with") and not function.startswith("test_")
                place = (data["status"] == "todo", bool(data.get("begin_with")), *_place(source, lab, function), folder, unexplained)
                found.append(((1, *place), data["message"], command))
    return found


def _place(source: str, lab: str, function: str) -> tuple[bool, str, int]:
    """Whether it is a stretch exercise, and where the manifest lists it."""
    listed = [each for path in Path(source).glob(f"labs/{lab}_*/lab.json")
              for each in json.loads(path.read_text(encoding="utf-8"))["exercises"]]
    return next(((each.get("stretch", False), lab, number) for number, each in enumerate(listed) if each["function"] == function),
                (True, lab, 0))


def _left_by_this_run(build: str, folder: str, ending: str) -> list[tuple[str, Any]]:
    began = os.stat(f"{build}/run_started").st_mtime_ns
    found = []
    for name in sorted(os.listdir(f"{build}/{folder}")) if os.path.isdir(f"{build}/{folder}") else []:
        path = f"{build}/{folder}/{name}"
        if name.endswith(ending) and os.stat(path).st_mtime_ns >= began:
            with open(path, encoding="utf-8", errors="replace") as file:
                found.append((path, json.load(file)))
    return found
