"""Our answer key beside PyTorch, timed by torch.utils.benchmark in one run; `./course bench --peers` runs it.

usage: peers.py LIBRARY PROGRAM THREADS     LIBRARY: of peers.cpp, PROGRAM: lab08_train, both with the answer key

On the CPU the forward pass of lab 05 (causal linear attention) and of 9.11 (the gated delta rule), 8 heads in float32, and a step
of `./course train` beside the same model in PyTorch. On a GPU flash-linear-attention, where it is installed, on the sizes of
`./course bench --gpu`. Outputs are compared first.
"""

import ctypes
import sys
import time
from functools import partial
from pathlib import Path

import torch
from torch.nn import functional
from torch.utils import benchmark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from author import benchmarks

HEADS, EPSILON = 8, 1e-6
MODEL = {"layers": 2, "width": 64, "heads": 4, "length": 64, "batch": 32}  # of the training step


def phi(x):
    return functional.elu(x) + 1


def in_chunks(chunk, q, k, v):
    """The chunkwise form as one writes it in PyTorch: all chunks at once, states by a cumulative sum. (heads, n, d)"""
    heads, n, d = q.shape
    q, k, v = (x.view(heads, n // chunk, chunk, d) for x in (phi(q), phi(k), v))
    scores = (q @ k.transpose(-1, -2)).tril_()
    states, z = (k.transpose(-1, -2) @ v).cumsum_(1), k.sum(2).cumsum_(1)
    output, normalizer = scores @ v, scores.sum(-1)
    output[:, 1:] += q[:, 1:] @ states[:, :-1]
    normalizer[:, 1:] += (q[:, 1:] @ z[:, :-1, :, None])[..., 0]
    return (output / (normalizer + EPSILON)[..., None]).view(heads, n, d)


def rule_in_chunks(chunk, q, k, v, beta, log_decay):
    """9.11 as one writes it in PyTorch: what needs no state for all chunks at once, then a loop over the chunks."""
    heads, n, d = q.shape
    q, k, v = (x.view(heads, n // chunk, chunk, d) for x in (q, k, v))
    beta, sums = beta.view(heads, n // chunk, chunk, 1), log_decay.view(heads, n // chunk, chunk).cumsum(-1)
    decays = (sums[..., :, None] - sums[..., None, :]).tril_().exp_().tril_()
    since_begin, until_end = sums.exp()[..., None], (sums[..., -1:] - sums).exp()[..., None]
    scores = (q @ k.transpose(-1, -2)) * decays
    lower = (beta * (k @ k.transpose(-1, -2)) * decays).tril_(-1)
    right = torch.cat((beta * v, beta * since_begin * k), -1)
    values, readers = torch.linalg.solve_triangular(lower, right, upper=False, unitriangular=True).split(d, -1)
    S, output = q.new_zeros(heads, d, d), torch.empty_like(v)
    for c in range(n // chunk):
        written = values[:, c] - readers[:, c] @ S
        output[:, c] = since_begin[:, c] * (q[:, c] @ S) + scores[:, c] @ written
        S = since_begin[:, c, -1:] * S + (until_end[:, c] * k[:, c]).transpose(-1, -2) @ written
    return output.view(heads, n, d)


def inputs(heads, n, d):
    """q, k, v; keys of length 1, beta between 0 and 1, log decays."""
    q, k, v = torch.randn(3, heads, n, d, generator=torch.Generator().manual_seed(1))
    return [q / d ** 0.5, functional.normalize(k, dim=-1), v], [torch.rand(heads, n), -0.1 * torch.rand(heads, n)]


def ours(function, arrays, *last):
    """Calls a function of the library, which writes to the tensor that comes back."""
    output = torch.empty_like(arrays[0])
    function(*(ctypes.c_void_p(each.data_ptr()) for each in (*arrays, output)), *output.shape, *last)
    return output


def timed(label, column, threads, candidates, tolerance):
    """A row for each name → call in a column of the table; the outputs of all are compared with the first one's."""
    first = next(iter(candidates.values()))()
    for name, call in candidates.items():
        apart = (call().float() - first.float()).abs().max().item() if tolerance else 0.0
        if not apart <= tolerance:  # of a NaN too
            raise SystemExit(f"{label}, {column}: {name} differs from the first by {apart:.1e}")
        timer = benchmark.Timer("call()", globals={"call": call}, num_threads=threads, label=label, sub_label=name, description=column)
        yield timer.blocked_autorange(min_run_time=0.5)


def forward(library, threads):
    library.use_blas_threads(threads)
    torch.set_num_threads(threads)
    for n in (1024, 4096):
        for d in (64, 128):
            qkv, gates = inputs(HEADS, n, d)
            yield from timed("lab 05, 8 heads", f"n = {n}, d = {d}", threads, {
                "ours, fused": partial(ours, library.fused, qkv, threads),
                "ours, lab 05 (BLAS), C = 16": partial(ours, library.chunkwise, qkv),
                **{f"PyTorch, chunks of {chunk}": partial(in_chunks, chunk, *qkv) for chunk in (32, 64, 128)}}, 1e-3)
            yield from timed("softmax, which is not the same function", f"n = {n}, d = {d}", threads, {
                "PyTorch": partial(functional.scaled_dot_product_attention, *(x[None] for x in qkv), is_causal=True)}, 0.0)
            yield from timed("9.11, 8 heads", f"n = {n}, d = {d}", threads, {
                "ours, fused": partial(ours, library.fused_delta, qkv + gates, threads),
                **{f"PyTorch, chunks of {chunk}": partial(rule_in_chunks, chunk, *qkv, *gates) for chunk in (16, 32, 64)}}, 1e-3)


class Block(torch.nn.Module):
    """Lab 07's."""

    def __init__(self):
        super().__init__()
        width = MODEL["width"]
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.maps = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(4))
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        normed = self.norms[0](x)
        q, k, v = (each(normed).unflatten(-1, (MODEL["heads"], -1)).transpose(1, 2) for each in self.maps[:3])
        weights = (phi(q) @ phi(k).transpose(-1, -2)).tril()
        read = weights @ v / (weights.sum(-1, keepdim=True) + EPSILON)
        x = x + self.maps[3](read.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


def training_step(kind):
    """A call that makes one step of lab 08 with a model of the same sizes, in PyTorch."""
    width, length, batch = MODEL["width"], MODEL["length"], MODEL["batch"]
    model = torch.nn.Sequential(torch.nn.Embedding(18, width), *(Block() for _ in range(MODEL["layers"])),
                                torch.nn.LayerNorm(width), torch.nn.Linear(width, 18)).to(kind)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    ids = torch.randint(18, (batch, length + 1))

    def step():
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


def our_step(program, threads):
    """Seconds of a step of our program: of 80 more of them."""
    def seconds(steps):
        began = time.perf_counter()
        benchmarks.trained(program, **MODEL, task="digits", file="training/digits.txt", steps=steps, threads=threads)
        return time.perf_counter() - began
    return (seconds(90) - seconds(10)) / 80


def on_gpu():
    try:
        from fla.ops.gated_delta_rule import chunk_gated_delta_rule
        from fla.ops.linear_attn import chunk_linear_attn
    except ImportError as error:
        print(f"left out: flash-linear-attention cannot be imported: {error}")
        return
    for n in (4096, 16384):
        for d in (64, 128):
            qkv, gates = ([x.cuda() for x in each] for each in inputs(64, n, d))
            q, k, v, beta, decay = (x.transpose(0, 1)[None].contiguous() for x in qkv + gates)  # (1, n, heads, …)
            column = f"n = {n}, d = {d}"
            yield from timed("on a GPU, lab 05, 64 heads", column, 1, {
                "PyTorch, chunks of 64": partial(in_chunks, 64, *qkv),
                "flash-linear-attention": lambda: chunk_linear_attn(phi(q), phi(k), v, scale=1.0)[0][0].transpose(0, 1)}, 2e-2)
            yield from timed("on a GPU, 9.11, 64 heads", column, 1, {
                "PyTorch, chunks of 64": partial(rule_in_chunks, 64, *qkv, *gates),
                "flash-linear-attention": lambda: chunk_gated_delta_rule(q, k, v, decay, beta, scale=1.0)[0][0].transpose(0, 1)}, 2e-2)


def main(library, program, threads):
    print(f"PyTorch {torch.__version__}; the model of a training step: " + ", ".join(f"{name} {size}" for name, size in MODEL.items()))
    library = ctypes.CDLL(library)
    for count in range(1, int(threads) + 1):
        with torch.no_grad():
            benchmark.Compare([*forward(library, count)]).print()
        print(f"\na step of training, {count} threads: ours, double {our_step(program, count) * 1e3:.1f} ms")
        steps = {f"PyTorch, {kind}".replace("torch.", ""): training_step(kind) for kind in (torch.float64, torch.float32)}
        benchmark.Compare([*timed("a step of training", "", count, steps, 0.0)]).print()
    if torch.cuda.is_available():
        with torch.no_grad():
            benchmark.Compare([*on_gpu()]).print()


if __name__ == "__main__":
    main(*sys.argv[1:])
