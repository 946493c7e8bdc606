"""Show why a function of lab 05 or lab 09 is slow: what it does and how long it takes, or for kernels, what a GPU would need.

Of a function for the CPU (./course profile lab05.chunkwise_linear_attention) all is measured here: its time, the multiply-adds
in products of matrices and what the rest takes, its memory, the loops that the compiler did not turn into vectors, and the
times of earlier runs. Whether its result is right is not looked at.

Of kernels, the CPU run counts, for the first block of each launch, what every line's accesses cost: passes of shared memory,
sectors of device memory, and the fewest possible for as many requests. nvcc, where it is, says how many registers each kernel
takes. From both follows a lower bound on the time on three cards. It is predicted, not measured.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

from course import cpu_profile, gpu_model, manifest
from course.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError

LABS = ["lab05", "lab09"]


class Size(NamedTuple):
    help: str
    most: int
    of_kernels: int  # where it is not given
    of_function: int


SIZES = {"heads": Size("heads of all sequences together", 1 << 20, 64, 1),
         "n": Size("tokens of a sequence", 1 << 24, 4096, 1024),
         "d": Size("numbers in a query, key and value", 256, 64, 64),
         "chunk": Size("tokens of a chunk", 256, 64, 64)}
MOST_ENTRIES = 1 << 26  # of a query, for a function that really runs


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="labNN", default=LABS[0],
                        help=f"a lab, for its kernels (default: {LABS[0]}), or one exercise (lab05.chunkwise_linear_attention)")
    for name, size in SIZES.items():
        default = str(size.of_kernels) if size.of_kernels == size.of_function else f"{size.of_kernels}, or {size.of_function} on the CPU"
        parser.add_argument(f"--{name}", type=int, help=f"{size.help} (default: {default})")
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
        sizes[each] = value = given if given is not None else size.of_function if measured else size.of_kernels
        if not 1 <= value <= size.most:
            raise CourseError(f"--{each} {value} is not between 1 and {size.most}")
    tree = BuildTree(root, options.track)
    if measured is None:
        return _kernels(tree, lab, exercise, sizes)
    if sizes["heads"] * sizes["n"] * sizes["d"] > MOST_ENTRIES:
        raise CourseError(f"a query would have more than {MOST_ENTRIES} entries; choose a smaller --n")
    print("building it, optimised for this machine …", file=sys.stderr, flush=True)
    cpu_profile.report(tree, lab, measured, _build(tree, lab, "profile_functions"), sizes)
    return 0


def _kernels(tree: BuildTree, lab: manifest.Lab, exercise: manifest.Exercise | None, sizes: dict[str, int]) -> int:
    root = tree.root
    work = gpu_model.Work(sizes["heads"], sizes["n"], sizes["d"], sizes["d"], sizes["chunk"], sizes["d"])
    source = next(root / tree.track / name for name in lab.sources if name.endswith(".cu"))
    profiles = [profile for profile in gpu_model.profiles(_build(tree, lab, "profile"), (work.d_k, work.d_v, work.chunk), root)
                if exercise is None or exercise.function == profile.kernel]
    if not profiles:
        raise CourseError(f"{lab.name}.{exercise.function if exercise else ''} moves no arrays that could be counted; ./course profile "
                          f"{lab.name} shows the kernels that do")
    try:
        compiled = gpu_model.compile_for_cards(root, source)
    except CourseError as error:
        print(f"{error}\nso registers are unknown here", file=sys.stderr)
        compiled = {}
    print(gpu_model.heading(work))
    for profile in profiles:
        if profile.error:
            print(f"\n{profile.error.splitlines()[0]}; run ./course check {lab.name}.{profile.kernel}")
        else:
            print("\n" + gpu_model.describe(profile, compiled, work, gpu_model.where(root, source, profile.kernel)))
            print(_lines(profile))
    return 0


def _build(tree: BuildTree, lab: manifest.Lab, program: str) -> Path:
    with tree.locked():
        tree.prepare([lab.manifest], [])
    return tree.program(f"{lab.name}_{program}", "profile.log", f"run ./course check {lab.name}, which explains them")


def _lines(profile: gpu_model.Profile) -> str:
    """A row for each line and array, of a block with two chunks; the most expensive lines first."""
    rows = [f"  {'requests':>9} {'cost':>9} {'fewest':>9} {'ratio':>6}   two chunks: passes of shared, sectors of device memory"]
    for access in sorted(profile.runs[0]["accesses"], key=lambda access: (-access["shared"], -access["cost"], access["line"])):
        memory = "shared" if access["shared"] else "device"
        did = "write" if access["writes"] else "read"
        rows.append(f"  {access['requests']:9} {access['cost']:9} {access['fewest']:9} "
                    f"{access['cost'] / max(1, access['fewest']):5.2f}x   {memory} {did:5} {access['array']:11} {access['line']}")
    return "\n".join(rows)
