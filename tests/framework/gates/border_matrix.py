#!/usr/bin/env python3
"""The borders of blocks: answers that are right up to entry 8, 16, 32, 64 or 128 of an axis must be refused. So must those that
are right up to entry 256, 512, … 4096, wherever the suite has such a length, and answers that no work went into: zeros, ones,
the mean, a copy of an argument.

usage: border_matrix.py BUILD_FOLDER LAB=MANIFEST …

Runs every exercise once with LINATTN_BORDERS set (borders.cpp) and exits with 1 unless, for every axis of every
array that the exercise takes or returns, each such answer was refused by some expectation.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import changed_manifest

PATIENCE = 600  # seconds, which only an endless loop needs: each expectation is tried many times
LOSSES = [f"{how} {block}" for how in ("from entry", "the rest after blocks of", "the last of whole blocks of")
          for block in (8, 16, 32, 64, 128)]
LONG_LOSSES = [256, 512, 1024, 2048, 4096]  # from this entry on
MANY_TOKENS = 4100
# Exercise → the longest axis it gets, where that is not so long: of what takes O(n²), and of what has no tokens.
SHORTER = {"attention_weights": 600, "decay_mask": 600, "gated_attention_quadratic": 620, "linear_attention_quadratic": 1100,
           "softmax_attention": 600, "solve_unit_lower": 520}
SHORTER |= dict.fromkeys(("causal_linear_attention_step", "linear_attention_step", "block_step", "hybrid_attention_step"), 300)
# Their definitions take O(n²), or a forward pass for each number.
SHORTER |= dict.fromkeys(("attention_backward_quadratic", "multi_head_attention", "transformer_block", "logits", "hybrid_attention"), 1100)
SHORTER |= dict.fromkeys(("affine_backward", "layer_norm_backward", "gelu_backward", "cross_entropy"), 300)
SHORTER |= dict.fromkeys(("attention_backward", "block_backward", "model_gradients", "generate"), 0)
# Exercise → how the axes begin that no call could show, and why.
EXEMPT = {"generate": "argument 3."}  # it returns the symbol of the largest logit: a small change of a weight may not show
# The gradients expected of these cost a forward pass for every number, so that their suites keep all arrays small.
EXEMPT |= dict.fromkeys(("attention_backward", "block_backward", "model_gradients"), "")
# Null answers that are right, or that claims about several calls refuse and not one comparison.
RIGHT = {("identity", "a copy of argument 1"), ("dropout", "a copy of argument 1")}


def tried(program: Path, manifest: Path, exercise: str, folder: str) -> tuple[dict, set, dict]:
    """The axes that the exercise's arrays have and how long they get, the (axis, loss) pairs that were refused, and for each
    null answer whether it was."""
    log = Path(folder, exercise)
    command = [program, "--manifest", manifest, "--exercise", exercise, "--results", folder]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LINATTN_BORDERS": str(log)})
    if run.returncode != 0:
        sys.exit(f"border_matrix: {exercise} does not pass:\n{run.stdout}{run.stderr}")
    lines = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
    nulls = {line[2]: ["null refused", *line[1:]] in lines for line in lines if line[0] == "null"}
    axes = {}
    for _, _, axis, length in (line for line in lines if line[0] == "has"):
        axes[axis] = max(int(length), axes.get(axis, 0))
    return axes, {tuple(line[2:]) for line in lines if line[0] == "refused"}, nulls


def verdicts_on(lab: str, program: Path, manifest: Path, folder: str) -> tuple[list, int]:
    """The answers that were not refused, and how many there are."""
    wrong, count = [], 0
    for exercise in [each["function"] for each in json.loads(manifest.read_text())["exercises"]]:
        axes, refused, nulls = tried(program, manifest, exercise, folder)
        nulls = {null: was for null, was in nulls.items() if (exercise, null) not in RIGHT}
        count += len(nulls)
        wrong += [f"{lab}.{exercise}: {null} is not refused" for null, was in nulls.items() if not was]
        for axis in sorted(axes):
            if exercise in EXEMPT and axis.startswith(EXEMPT[exercise]):
                continue
            losses = LOSSES + [f"from entry {block}" for block in LONG_LOSSES if block < axes[axis]]
            count += len(losses)
            wrong += [f"{lab}.{exercise}: right but for '{axis}: {loss}' is not refused"
                      for loss in losses if (axis, loss) not in refused]
        if axes and max(axes.values()) < (least := SHORTER.get(exercise, MANY_TOKENS)):
            wrong.append(f"{lab}.{exercise}: no axis of an array is as long as {least}")
    return wrong, count


def main(build: Path, labs: list) -> int:
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for lab, manifest in (entry.split("=", 1) for entry in labs):
            program = (build / f"{lab}_check").resolve()
            if not program.exists():
                sys.exit(f"border_matrix: {program.name} is not built; build {build} first")
            here, tried_here = verdicts_on(lab, program, changed_manifest(Path(manifest), Path(folder), timeout_seconds=PATIENCE), folder)
            wrong += here
            count += tried_here
    print(*wrong, sep="\n")
    print(f"{count - len(wrong)} of {count} answers that end at a border, or are null, refused")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
