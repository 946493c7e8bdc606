"""What a call of a function for the CPU does, measured: its work, its memory, its time, and what the compiler made of its loops.

The program labNN_profile_functions counts and takes the time. The file under test is compiled as in it once more, for the
compiler's remarks.
"""

import datetime
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import build_commands, process_group, training_program
from course.build_tree import BuildTree
from course.errors import CourseError
from course.manifest import Exercise, Lab

LONGEST = 120  # seconds
EARLIER = 5  # times that are shown
REMARKS = {"g++": ["-fopt-info-vec-missed", "-fopt-info-vec-optimized"],
           "clang": ["-Rpass=loop-vectorize", "-Rpass-missed=loop-vectorize", "-Rpass-analysis=loop-vectorize"]}
REMARK = re.compile(r"^(.+?):(\d+):(\d+): (missed|optimized|remark): +(.*?)(?: \[-Rpass[\w=-]*\])?$")
UNKNOWN = "no reason given"

Measured = dict[str, Any]  # as the program prints it


@dataclass(frozen=True)
class Loop:
    line: int
    column: int
    reason: str  # of the compiler; "" for one that it vectorised


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


def remarks(tree: BuildTree, lab: Lab, source: Path, compiler: str) -> list[Loop]:
    """Of the loops of a file, as the compiler that built the program tells them."""
    command = next((line for line in build_commands.commands(tree.folder, f"{lab.name}_profile_functions")
                    if line.endswith(f" {source}") and f"{lab.name}_profiled.dir" in line), None)
    if command is None:
        raise CourseError(f"ninja does not say how {source.name} is compiled; remove build/{tree.track} and try again")
    command_line = build_commands.compilation(command, source, Path(os.devnull))
    with process_group.started([*command_line, *REMARKS[compiler]], cwd=tree.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT) as compiling:
        said = compiling.communicate()[0]
    if compiling.returncode != 0:
        raise CourseError(f"{compiler} makes no remarks on {source.name}; it says: {said.splitlines()[0] if said else 'nothing'}")
    return read_remarks(said, source)


def read_remarks(said: str, source: Path) -> list[Loop]:
    """g++ says the reason after the loop, clang before it; either may place it in a header."""
    loops: dict[tuple[int, int], str] = {}
    at, reason = None, ""
    for found in filter(None, map(REMARK.match, said.splitlines())):
        here, place, words = Path(found[1]) == source, (int(found[2]), int(found[3])), found[5]
        if words.startswith("loop not vectorized: "):
            reason = words.partition(": ")[2]
        elif words in ("couldn't vectorize loop", "loop not vectorized"):
            at = place if here and loops.get(place) != "" else None
            if at:
                loops[at] = reason or loops.get(at, UNKNOWN)
            reason = ""
        elif words.startswith(("loop vectorized", "vectorized loop")):
            loops.update({place: ""} if here else {})
            at = None
        elif at and loops[at] == UNKNOWN:
            loops[at] = words.removeprefix("not vectorized: ").rstrip(".")
            at = None
    return [Loop(*place, reason) for place, reason in sorted(loops.items())]


def not_vectorised(loops: list[Loop], text: str, function: str, others: set[str]) -> list[Loop]:
    """The innermost ones, of this function and of what the exercises share. What else is a loop was inlined, as of a header."""
    lines = text.splitlines()
    owner, owners = "", []
    for line in lines:
        begins = re.match(r"\S.*?\b(\w+)\(", line)
        owner = begins[1] if begins else owner
        owners.append(owner)
        owner = "" if line.startswith("}") else owner

    def holds(outer: Loop, inner: Loop) -> bool:
        if outer.line == inner.line:
            return outer.column < inner.column or not inner.reason
        between = [line for line in lines[outer.line:inner.line] if line.strip()]
        return outer.line < inner.line and all(_indent(line) > _indent(lines[outer.line - 1]) for line in between)

    return [loop for loop in loops if loop.reason and not any(holds(loop, each) for each in loops)
            and re.search(r"\b(for|while) ?\(|\bdo \{", " ".join(lines[max(0, loop.line - 3):loop.line]))
            and owners[loop.line - 1] not in others - {function}]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def earlier(record: Path, key: dict[str, Any], found: Measured) -> list[dict[str, Any]]:
    """The last times of the same call, before this one, which is added."""
    before = []
    for line in record.read_text(encoding="utf-8").splitlines() if record.exists() else []:
        try:
            before.append(json.loads(line))
        except ValueError:
            continue  # cut off when the disk was full
    when = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    with open(record, "a", encoding="utf-8") as file:
        file.write(json.dumps({**key, "when": when, "seconds": found["seconds"], "product_speed": found["product_speed"]}) + "\n")
    return [each for each in before if key.items() <= each.items()][-EARLIER:]


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
    return [*lines, f"  memory      {_count(found['bytes_in'])} bytes in, {_count(found['bytes_out'])} out; {found['allocations']} allocations "
                    f"of {_count(found['allocated'])} bytes together"]


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


def report(tree: BuildTree, lab: Lab, exercise: Exercise, program: Path, sizes: dict[str, int]) -> None:
    source = lab.source_with(exercise, tree.root / tree.track)
    if source is None:
        raise CourseError(f"no file of {tree.track}/ defines {exercise.function}; write it there")
    print(f"measuring {exercise.function} …", file=sys.stderr, flush=True)
    found = measured(program, exercise, sizes)
    before = earlier(tree.folder / "profile.jsonl", {"exercise": exercise.name, **sizes}, found)
    name = source.relative_to(tree.root)
    print(f"\n{exercise.name}  {name}  {', '.join(f'{size} {value}' for size, value in sizes.items())}")
    print("\n".join(described(found, sizes["heads"] * sizes["n"])))
    loops = not_vectorised(remarks(tree, lab, source, found["compiler"]), source.read_text(encoding="utf-8", errors="replace"),
                           exercise.function, {each.function for each in lab.exercises})
    print(f"  loops       {found['compiler']} says that it did not turn these into vectors:"
          if loops else f"  loops       {found['compiler']} names none of yours that it did not turn into vectors")
    for loop in loops:
        print(f"{'':14}{name}:{loop.line}  {loop.reason}")
    for each in before:
        share = found["seconds"] / each["seconds"]
        print(f"  earlier     {each['when']}  {_time(each['seconds'])} a call, {_time(found['seconds'])} now: "
              f"{f'{share:.2f}' if share >= 0.1 else f'1/{1 / share:.0f}'} of it")
    if not before:
        print("  earlier     no time of this call is kept yet")
