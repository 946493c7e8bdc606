"""What a call of a function for the CPU multiplies, and how long it takes, as the program labNN_profile_functions measures it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from course import process_group, training_program
from course.errors import CourseError
from course.manifest import Exercise

LONGEST = 120  # seconds

Measured = dict[str, Any]  # as the program prints it


def measured(program: Path, exercise: Exercise, sizes: dict[str, int]) -> Measured:
    command = [str(program), exercise.function, *map(str, sizes.values())]
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with process_group.started(command, stdout=subprocess.PIPE, env=single) as running:
        try:
            said = running.communicate(timeout=LONGEST)[0]
        except subprocess.TimeoutExpired:
            raise CourseError(f"{exercise.function} was not measured within {LONGEST} s; choose a smaller --n") from None
    if running.returncode != 0:
        raise CourseError(f"the program that calls {exercise.function} ended with {training_program.fate(running.returncode)}; "
                          f"run ./course check {exercise.name}")
    found: Measured = json.loads(said.splitlines()[-1])  # a student's function may print, too
    if "error" in found:
        words = found["error"] if found["error"].startswith(exercise.function) else f"{exercise.function} says: {found['error']}"
        raise CourseError(f"{words}; run ./course check {exercise.name}")
    return found


def described(found: Measured, tokens: int) -> list[str]:
    seconds, products = found["seconds"], found["product_seconds"]
    speed, floor = found["multiply_adds"] / seconds, found["product_speed"]
    lines = [f"  time        {_time(seconds)} a call, {_time(seconds / tokens)} for each token of a head: the median of {found['calls']}"]
    if found["multiply_adds"]:
        lines.append(f"  needed      {_count(found['multiply_adds'])} multiply-adds by this method, with what lies above a mask left "
                     f"out: {2e-9 * speed:.1f} GFLOP/s,\n{'':14}{_percent(speed / floor)} of the {2e-9 * floor:.1f} GFLOP/s of a "
                     "large product of matrices in the same run")
    else:
        lines.append("  needed      how many multiply-adds this method needs is not known here, so there is no GFLOP/s")
    if found["products"]:
        done = found["product_multiply_adds"]
        lines.append(f"  products    {found['products']} of matrices did {_count(done)} multiply-adds in {_time(products)}, "
                     f"{_percent(products / seconds)} of the time: {2e-9 * done / products if products else 0:.1f} GFLOP/s")
    else:
        lines.append("  products    none of matrices: all of the time goes into the next line")
    entries = max(0, found["work"] - found["product_multiply_adds"])
    lines.append(f"  the rest    {_time(max(0, seconds - products))}, {_percent(1 - products / seconds)} of the time: your loops, and "
                 f"{_count(entries)} entries by the vocabulary")
    return lines


def _percent(share: float) -> str:
    return f"{100 * max(0.0, share):.0f}%"


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _count(number: float) -> str:
    for unit, factor in (("billion", 1e9), ("million", 1e6), ("thousand", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.0f}"
