"""The kernels of lab 05 on cards that are not here: the answer key's, and the one on tensor cores with several blocks per head.

gpu_model.py has the model; this is what `./course bench --gpu-model` asks it.
"""

from pathlib import Path

from author import benchmarks
from course import gpu_model
from course.errors import CourseError
from course.gpu_model import CARDS, Work

KERNEL, TENSOR_CORES = "reference/lab05_chunkwise_kernel.cu", "reference/beyond/lab05_chunkwise_tensor_cores.cu"
PASSES = ("chunk_states", "scan_states", "chunk_outputs")


def report(root: Path, heads: int, n: int) -> str:
    """Everything known of each kernel, and a table in Markdown."""
    if heads < 1 or n < 1:
        raise CourseError("--batch, --heads and --n are at least 1")
    benchmarks.build(root, "gpu_model")
    compiled = {source: gpu_model.compile_for_cards(root, root / source) for source in (KERNEL, TENSOR_CORES)}
    details, rows = [], []
    for d in (64, 128):
        for source, name, work, profiles in _kernels(root, heads, n, d):
            details += [gpu_model.describe(profile, compiled[source], work, gpu_model.where(root, root / source, profile.kernel))
                        for profile in profiles]
            rows.append((d, name, work, [[gpu_model.bound(card, profile, compiled[source].get(card.arch, {}).get(profile.kernel),
                                                          work) for profile in profiles] for card in CARDS]))
    head = (f"{heads} heads in all, n = {n}. Every time is {gpu_model.SAID}: a bound, in ms, with what limits it, how many SMs are "
            f"active, and how many times the floor of one pass over Q, K, V and O it is.\n\n")
    return "\n\n".join(details) + "\n\n" + head + _table(rows)


def _kernels(root: Path, heads: int, n: int, d: int):
    """(source, name, work, profiles) of each row."""
    programs = root / "build" / "bench"
    work = Work(heads, n, d, d, 64, d)
    own = {profile.kernel: profile for profile in gpu_model.profiles([programs / "lab05_profile", d, d, 64], root)}
    yield KERNEL, "chunkwise_forward, C = 64", work, [_sound(own["chunkwise_forward"])]
    yield KERNEL, "three passes, C = 64", work, [_sound(own[name]) for name in PASSES]
    chunk = 64 if d <= 64 else 32  # its tiles are wider
    for slices in (1, 2, 4):
        work = Work(heads, n, d, d, chunk, d // slices)
        name = f"tensor cores, C = {chunk}" + (f", {slices} blocks per head" if slices > 1 else "")
        program = programs / "bench" / "gpu" / "gpu_beyond_profile"
        yield TENSOR_CORES, name, work, [_sound(profile) for profile in gpu_model.profiles(
            [program, d, d, chunk, work.columns], root)]


def _sound(profile: gpu_model.Profile) -> gpu_model.Profile:
    if profile.error:
        raise CourseError(f"{profile.kernel} does not run on the CPU run: {profile.error.splitlines()[0]}; run ./course test")
    return profile


def _table(rows: list) -> str:
    """What is parallel over d_v is compared with the row of one block per head above it."""
    lines = ["| d | kernel | " + " | ".join(card.name for card in CARDS) + " |", "|-|-|" + "-|" * len(CARDS)]
    alone = {}
    for d, name, work, bounds in rows:
        cells = []
        for card, passes in zip(CARDS, bounds):
            if any(each.fit == 0 for each in passes):
                cells.append("does not fit")
                continue
            time = sum(each.time for each in passes)
            longest = max(passes, key=lambda each: each.time)
            cell = f"{time * 1e3:.3f}, {longest.limit}, {longest.active} SMs, {time / gpu_model.floor(card, work):.1f}×"
            if "tensor cores" in name and work.columns < d:
                cell += f"; gain {alone[d, card] / time:.2f}×" if (d, card) in alone else ""
            elif "tensor cores" in name:
                alone[d, card] = time
            cells.append(cell)
        lines.append(f"| {d} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
