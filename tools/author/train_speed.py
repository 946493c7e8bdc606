"""A step of training with the answer key beside PyTorch: what `./course bench --train` prints and writes.

bench/speed/train_peers.py measures, with the program that `./course train --track reference` runs. PyTorch comes from where
`./course bench --peers --install` puts it.
"""

import sys
import tempfile
import textwrap
import time
from pathlib import Path

from author import benchmarks, figures, peers
from author.benchmarks import Row
from course import files, training_program
from course.errors import CourseError

OURS = "ours"


def report(root: Path, threads: int) -> None:
    if not (root / "build" / "peers" / "torch").is_dir():
        raise CourseError("PyTorch is not in build/peers; ./course bench --peers --install gets it from PyPI, 5 GB")
    tree = training_program.prepared(root, "reference", "lab08")
    programs = [training_program.build(tree, f"{lab}_train", lab) for lab in ("lab08", "lab09")]
    load = [benchmarks.load()]
    known, *rows = _measure(root, programs, threads)
    for row in rows:
        peers.leave_out_if_unsteady(row)
    load.append(benchmarks.load())
    text = page(figures.machine(root, threads), known, rows, load)
    print(text)
    if noisy := benchmarks.too_noisy({f"{row['task']}, {row['peer']}, {row['threads']} threads": row["spread"] for row in rows
                                      if "spread" in row}):
        raise CourseError(f"{noisy}; nothing was written; try again when the machine is idle")
    out = root / "bench" / "results" / f"{time.strftime('%Y-%m-%d')}-train.md"
    files.write_whole(out, text)
    print(f"wrote {out.relative_to(root)}", file=sys.stderr)


def _measure(root: Path, programs: list[Path], threads: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return benchmarks.rows_of(
            root, [str(root / "bench" / "speed" / "train_peers.py"), *map(str, programs), str(root), folder, str(threads)],
            {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(root / "build" / "peers")},
            lambda row: f"  {row['task']}, {row['peer']}, {row['threads']} threads: {row['seconds'] * 1e3:.1f} ms")


def page(machine: str, known: Row, rows: list[Row], load: list[float]) -> str:
    """In Markdown."""
    said = (f"`./course bench --train` on {machine}; PyTorch {known['torch']}. A step of `./course train` with the answer key, in "
            "double, which keeps what the backward passes read, beside the same model with the same weights and batches in PyTorch. Wall clock, medians of five rounds in "
            "turns, of eight steps or of as many as take 0.7 s. The losses of the first ten agree to "
            f"{max(row['apart'] for row in rows):.0e} of their size. Load when it began and ended: "
            f"{', '.join(f'{each:.1f}' for each in load)}. Largest spread: {max(row['spread'] for row in rows if 'spread' in row):.0%}. In recall, "
            "PyTorch writes to the delta rule's memory one write after the other, as one does without a kernel; the sum is computed in "
            "closed form by PyTorch and by what lab 08 gives, token by token by lab 09's backward pass.")
    ours = {(row["task"], row["threads"]): row["seconds"] for row in rows if row["peer"] == OURS}
    lines = [f"# A step of training, {time.strftime('%Y-%m-%d')}", "", *textwrap.wrap(said, 118), "",
             "| | threads | | ms a step | ours / theirs |", "|-|-|-|-|-|"]
    for row in rows:
        if "skipped" in row:
            lines.append(f"| {row['task']} | {row['threads']} | {row['peer']} | | left out: {row['skipped']} |")
            continue
        of_us = ours.get((row["task"], row["threads"]))
        ratio = f"{of_us / row['seconds']:.2f}" if of_us and row["peer"] != OURS else ""
        lines.append(f"| {row['task']} | {row['threads']} | {row['peer']} | {row['seconds'] * 1e3:.1f} | {ratio} |")
    return "\n".join(lines) + "\n"
