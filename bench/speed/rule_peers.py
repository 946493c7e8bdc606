"""Measures lab 09's chunkwise forms beside others', in one process and in turns. `./course bench --peers` runs it.

usage: rule_peers.py LIBRARY     prints a line of JSON for each measurement; the first says what is missing and why

Eight heads, one thread, processor time. Ours are in double, the fused kernel of the gated delta rule is in float32, PyTorch's are
in both, and flash-linear-attention's reference is in float32. Outputs are compared with ours in double first. Without PyTorch only
ours are measured.
"""

import ctypes
import json
import sys

import numpy as np

from peers import HEADS, addresses, measure, require_memory, torch

LENGTHS, WIDTHS, CHUNKS = (1024, 4096), (64, 128), (16, 32, 64)
RULES = ("gated", "delta", "both")  # 9.4, 9.9, 9.11
TOLERANCE = {"double": 1e-10, "float32": 1e-3}

missing = {}  # what is left out: why
try:
    from fla.ops.gated_delta_rule.naive import naive_chunk_gated_delta_rule as fla_rule  # type: ignore[import-not-found]
except Exception as error:  # it may be there and not work on this machine
    fla_rule = None
    missing["flash-linear-attention"] = f"cannot be imported: {error}"


class Inputs:
    """q, k and v of 8 heads, keys of length 1, β between 0 and 1, decays from 0.9 on: as doubles in memory."""

    def __init__(self, n: int, d: int):
        self.shape, random = (HEADS, n, d), np.random.default_rng(1)
        q, k, v = random.standard_normal((3, *self.shape)) / d ** 0.5
        self.arguments = [q, k / np.linalg.norm(k, axis=-1, keepdims=True), v,
                          1 / (1 + np.exp(-random.standard_normal((HEADS, n)))), -0.1 * random.random((HEADS, n))]
        self.output = np.empty(self.shape)
        self.single = [each.astype(np.float32) for each in self.arguments]
        self.single_output = np.empty(self.shape, np.float32)

    def tensors(self, kind: str) -> list:
        return list(map(torch.from_numpy, self.arguments if kind == "double" else self.single))


def torch_rule(rule: str, tensors: list, chunk: int):
    """As one writes it in PyTorch: what needs no state for all chunks at once, then a loop over the chunks."""
    q, k, v, beta, log_decay = tensors
    heads, n, d = q.shape
    require_memory(heads * n * chunk)
    q, k, v = (x.view(heads, n // chunk, chunk, d) for x in (q, k, v))
    beta = beta.view(heads, n // chunk, chunk, 1)
    sums = (log_decay if rule != "delta" else torch.zeros_like(log_decay)).view(heads, n // chunk, chunk).cumsum(-1)
    decays = (sums[..., :, None] - sums[..., None, :]).tril_().exp_().tril_()
    since_begin, until_end = sums.exp()[..., None], (sums[..., -1:] - sums).exp()[..., None]
    scores = (q @ k.transpose(-1, -2)) * decays
    values, readers = v, None
    if rule != "gated":
        lower = (beta * (k @ k.transpose(-1, -2)) * decays).tril_(-1)
        right = torch.cat((beta * v, beta * since_begin * k), -1)
        values, readers = torch.linalg.solve_triangular(lower, right, upper=False, unitriangular=True).split(d, -1)
    S, output = q.new_zeros(heads, d, d), torch.empty_like(v)
    for c in range(n // chunk):
        written = values[:, c] if readers is None else values[:, c] - readers[:, c] @ S
        output[:, c] = since_begin[:, c] * (q[:, c] @ S) + scores[:, c] @ written
        S = since_begin[:, c, -1:] * S + (until_end[:, c] * k[:, c]).transpose(-1, -2) @ written
    return output


def functions(library, rule: str, inputs: Inputs) -> dict:
    """name → (call, how far its output may lie from ours)"""
    double, own = addresses(*inputs.arguments, inputs.output), getattr(library, f"lab09_{rule}")
    calls = {f"ours, double, chunks of {C}": (lambda C=C: own(*double, *inputs.shape, C), TOLERANCE["double"]) for C in CHUNKS}
    if rule == "both":
        single = addresses(*inputs.single, inputs.single_output)
        calls["ours, fused, float32"] = (lambda: library.fused_delta(*single, *inputs.shape) or inputs.single_output,
                                         TOLERANCE["float32"])
    for kind in ("double", "float32") if torch else ():
        tensors = inputs.tensors(kind)
        for C in CHUNKS:
            calls[f"PyTorch, {kind}, chunks of {C}"] = (lambda tensors=tensors, C=C: torch_rule(rule, tensors, C), TOLERANCE[kind])
    if fla_rule and rule == "both":
        q, k, v, beta, g = (x.transpose(0, 1)[None] for x in inputs.tensors("float32"))  # (1, n, heads, …)
        for C in CHUNKS:
            calls[f"flash-linear-attention, float32, chunks of {C}"] = (
                lambda C=C: fla_rule(q, k, v, g, beta, chunk_size=C, scale=1.0)[0][0].transpose(0, 1),
                TOLERANCE["float32"])
    return calls


def main(path: str) -> None:
    library = ctypes.CDLL(path)
    library.use_blas_threads.restype = None
    library.use_blas_threads(1)
    library.fused_delta.restype = None
    for rule in RULES:
        getattr(library, f"lab09_{rule}").restype = None
    print(json.dumps({"missing": missing}), flush=True)
    if torch:
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    for rule in RULES:
        for n in LENGTHS:
            for d in WIDTHS:
                inputs = Inputs(n, d)
                measure({"rule": rule, "n": n, "d": d, "threads": 1}, functions(library, rule, inputs), inputs.output)


if __name__ == "__main__":
    main(*sys.argv[1:])
