"""Show what your kernels of lab 05 or lab 09 would cost on a GPU, line by line, without one.

The CPU run counts, for the first block of each launch, what every line's accesses cost: passes of shared memory, sectors of
device memory, and the fewest possible for as many requests. nvcc, where it is, says how many registers each kernel takes.
From both follows a lower bound on the time on three cards. It is predicted, not measured.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import gpu_model, manifest
from course.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError

LABS = ["lab05", "lab09"]
MOST = {"heads": 1 << 20, "n": 1 << 24, "d": 256, "chunk": 256}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("lab", nargs="?", choices=LABS, default=LABS[0], help=f"whose kernels (default: {LABS[0]})")
    for name, default, help_text in (("heads", 64, "heads of all sequences together"), ("n", 4096, "tokens of a sequence"),
                                     ("d", 64, "numbers in a query, key and value"), ("chunk", 64, "tokens of a chunk")):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{help_text} (default: {default})")
    check.track_argument(parser, "kernels")


def run(root: Path, options: Namespace) -> int:
    for name, most in MOST.items():
        if not 1 <= getattr(options, name) <= most:
            raise CourseError(f"--{name} {getattr(options, name)} is not between 1 and {most}")
    work = gpu_model.Work(options.heads, options.n, options.d, options.d, options.chunk, options.d)
    lab = next((lab for lab in manifest.load(root) if lab.name == options.lab), None)
    if lab is None:
        raise CourseError(f"there is no {options.lab} here, whose kernels this command looks at")
    source = next(root / options.track / name for name in lab.sources if name.endswith(".cu"))
    profiles = gpu_model.profiles(_build(BuildTree(root, options.track), lab), (work.d_k, work.d_v, work.chunk), root)
    try:
        compiled = gpu_model.compile_for_cards(root, source)
    except CourseError as error:
        print(f"{error}\nso registers are unknown here", file=sys.stderr)
        compiled = {}
    print(gpu_model.heading(work))
    for profile in profiles:
        if profile.error:
            print(f"\n{profile.error.splitlines()[0]}; run ./course check {options.lab}.{profile.kernel}")
        else:
            print("\n" + gpu_model.describe(profile, compiled, work, gpu_model.where(root, source, profile.kernel)))
            print(_lines(profile))
    return 0


def _build(tree: BuildTree, lab: manifest.Lab) -> Path:
    with tree.locked():
        tree.prepare([lab.manifest], [])
    target, log = f"{lab.name}_profile", tree.folder / "profile.log"
    if not tree.make(target, log):
        print(log.read_text(encoding="utf-8", errors="replace").rstrip())
        raise CourseError(f"{target} could not be built in build/{tree.track}; the compiler's output is above; run ./course "
                          f"check {lab.name}, which explains them")
    return tree.folder / target


def _lines(profile: gpu_model.Profile) -> str:
    """A row for each line and array, of a block with two chunks; the most expensive lines first."""
    rows = [f"  {'requests':>9} {'cost':>9} {'fewest':>9} {'ratio':>6}   two chunks: passes of shared, sectors of device memory"]
    for access in sorted(profile.runs[0]["accesses"], key=lambda access: (-access["shared"], -access["cost"], access["line"])):
        memory = "shared" if access["shared"] else "device"
        did = "write" if access["writes"] else "read"
        rows.append(f"  {access['requests']:9} {access['cost']:9} {access['fewest']:9} "
                    f"{access['cost'] / max(1, access['fewest']):5.2f}x   {memory} {did:5} {access['array']:11} {access['line']}")
    return "\n".join(rows)
