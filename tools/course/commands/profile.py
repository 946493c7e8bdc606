"""Show why a function of lab 05 or lab 09 is slow: what it does and how long it takes, or for kernels, what a GPU would need.

For a CPU function (./course profile lab05.chunkwise_linear_attention), it measures the time, the multiply-adds in products of
matrices and what the rest takes. It does not check the result.

For kernels, the CPU run counts, for the first block of each launch, what every line's accesses cost: passes of shared memory,
sectors of device memory, and the fewest possible for as many requests.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

from course.build import process_group
from course.build.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.sources import manifest
from course.training import training_program

LABS = ["lab05", "lab09"]


class Size(NamedTuple):
    help: str
    most: int
    usual: int


OF_FUNCTIONS = {"heads": Size("heads of all sequences together", 1 << 20, 1), "n": Size("tokens of a sequence", 1 << 24, 1024)}
SIZES = OF_FUNCTIONS | {"d": Size("numbers in a query, key and value", 256, 64), "chunk": Size("tokens of a chunk", 256, 64)}
MOST_ENTRIES = 1 << 26  # of a query, for a function that really runs
LONGEST = 120  # seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="labNN", default=LABS[0],
                        help=f"a lab, for its kernels (default: {LABS[0]}), or one exercise (lab05.chunkwise_linear_attention)")
    for name, size in SIZES.items():
        of = ", of a function for the CPU" if name in OF_FUNCTIONS else ""
        parser.add_argument(f"--{name}", type=int, help=f"{size.help}{of} (default: {size.usual})")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    labs, name = manifest.load(root), options.name
    exercise: manifest.Exercise | None = None
    lab = next((lab for lab in labs if lab.name == name), None)
    if lab is None:
        lab, exercise = manifest.find_exercise(labs, name)
    if lab.name not in LABS:
        raise CourseError(f"{name} is not measured; this command looks at {' and '.join(LABS)}")
    measured = exercise if exercise and not exercise.kernel else None
    sizes: dict[str, int] = {}
    for each, size in SIZES.items():
        given = getattr(options, each)
        sizes[each] = value = given if given is not None else size.usual
        if not 1 <= value <= size.most:
            raise CourseError(f"--{each} {value} is not between 1 and {size.most}")
        if given is not None and each in OF_FUNCTIONS and measured is None:
            raise CourseError(f"--{each} is for CPU functions; for a kernel, one block with two chunks is counted")
    tree = BuildTree(root, options.track)
    if measured is None:
        return _kernels(tree, lab, exercise, sizes)
    if sizes["heads"] * sizes["n"] * sizes["d"] > MOST_ENTRIES:
        raise CourseError(f"a query would have more than {MOST_ENTRIES} entries; choose a smaller --n")
    source = lab.source_with(measured, root / options.track)
    if source is None:
        raise CourseError(f"no file of {options.track}/ defines {measured.function}; write it there")
    print("building it, optimised for this machine …", file=sys.stderr, flush=True)
    program = _build(tree, lab, "profile_functions")
    print(f"measuring {measured.function} …", file=sys.stderr, flush=True)
    found = of_function(program, measured, sizes)
    print(f"\n{measured.name}  {source.relative_to(root)}  {', '.join(f'{size} {value}' for size, value in sizes.items())}\n{found}")
    return 0


def of_function(program: Path, exercise: manifest.Exercise, sizes: dict[str, int]) -> str:
    """What the program finds of it."""
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with process_group.started([str(program), exercise.function, *map(str, sizes.values())], stdout=subprocess.PIPE, env=single) as running:
        try:
            found = running.communicate(timeout=LONGEST)[0].rpartition("\f")[2].rstrip()
        except subprocess.TimeoutExpired:
            raise CourseError(f"{exercise.function} was not measured within {LONGEST} s; choose a smaller --n") from None
    if running.returncode == 3:
        words = found if found.startswith(exercise.function) else f"{exercise.function} says: {found}"
        raise CourseError(f"{words}; run ./course check {exercise.name}")
    if running.returncode != 0:
        raise CourseError(f"the program that calls {exercise.function} ended with {training_program.fate(running.returncode)}; "
                          f"run ./course check {exercise.name}")
    return found


def _kernels(tree: BuildTree, lab: manifest.Lab, exercise: manifest.Exercise | None, sizes: dict[str, int]) -> int:
    program = _build(tree, lab, "profile")
    only = [exercise.function] if exercise else []
    done = subprocess.run([program, lab.name, str(sizes["d"]), str(sizes["chunk"]), *only], cwd=tree.root, stdin=subprocess.DEVNULL)
    if exercise and done.returncode == 3:
        raise CourseError(f"{exercise.name} moves no arrays that could be counted; ./course profile {lab.name} shows the kernels that do")
    if done.returncode != 0:
        raise CourseError(f"{program.name} ended with status {done.returncode}; its output is above")
    return 0


def _build(tree: BuildTree, lab: manifest.Lab, program: str) -> Path:
    with tree.locked():
        tree.prepare([lab.manifest], [])
    return tree.program(f"{lab.name}_{program}", "profile.log", f"run ./course check {lab.name}, which explains them")
