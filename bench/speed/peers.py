"""Measures our causal linear attention beside that of others, in one process and in turns. `./course bench --peers` runs it.

usage: peers.py LIBRARY THREADS [FAST_TRANSFORMERS]     prints a line of JSON for each measurement; the first names the versions

Every function gets the same Q, K and V of 8 heads. Outputs are compared with ours first. PyTorch comes from the PYTHONPATH;
without it only ours are measured. On one thread processor time counts, on more the wall clock.
"""

import ctypes
import json
import re
import statistics
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np

try:
    import torch
except ImportError:
    torch = None

HEADS, EPSILON = 8, 1e-6
LENGTHS, WIDTHS = (1024, 4096, 16384, 65536), (64, 128)
MOST_BYTES = 2 << 30  # of one intermediate array
LONGEST_SOFTMAX = 4096
TOLERANCE = 1e-3
ROUNDS, MOST_ROUNDS = 5, 20
PAUSE = 0.02  # seconds, in which threads of the function before stop to wait for more: they would keep a core busy
SHORTEST = 0.1  # seconds: less is not measured well
STEADY = 0.1  # the deviation of a function's times, as a part of their mean


class Skipped(Exception):
    pass


class Inputs:
    """Three arrays of normally distributed numbers, as floats in memory, and as tensors over the same memory."""

    def __init__(self, n: int, d: int):
        self.n, self.d, self.shape = n, d, (HEADS, n, d)
        self.arrays = np.random.default_rng(1).standard_normal((3, *self.shape), np.float32)
        self.output = np.empty(self.shape, np.float32)
        if torch:
            self.q, self.k, self.v = map(torch.from_numpy, self.arrays)


def addresses(*arrays: np.ndarray) -> list:
    return [ctypes.c_void_p(each.ctypes.data) for each in arrays]


def phi(x):
    return torch.nn.functional.elu(x) + 1


def require_memory(entries: int) -> None:
    if 4 * entries > MOST_BYTES:
        raise Skipped(f"one of its arrays would take {4 * entries / 1e9:.1f} GB")


def torch_chunks(inputs: Inputs, chunk: int):
    """The chunkwise form as one writes it in PyTorch: all chunks at once, states by a cumulative sum."""
    chunks = inputs.n // chunk
    require_memory(HEADS * chunks * inputs.d ** 2)
    q, k, v = (x.view(HEADS, chunks, chunk, inputs.d) for x in (phi(inputs.q), phi(inputs.k), inputs.v))
    scores = (q @ k.transpose(-1, -2)).tril_()
    states, z = (k.transpose(-1, -2) @ v).cumsum_(1), k.sum(2).cumsum_(1)
    output, normalizer = scores @ v, scores.sum(-1)
    output[:, 1:] += q[:, 1:] @ states[:, :-1]
    normalizer[:, 1:] += (q[:, 1:] @ z[:, :-1, :, None])[..., 0]
    return (output / (normalizer + EPSILON)[..., None]).view(inputs.shape)


def torch_cumsum(inputs: Inputs):
    require_memory(HEADS * inputs.n * inputs.d ** 2)
    q, k = phi(inputs.q), phi(inputs.k)
    states = (k[..., :, None] * inputs.v[..., None, :]).cumsum_(1)
    output = (q[..., None, :] @ states)[..., 0, :]
    return output / ((q * k.cumsum(1)).sum(-1, keepdim=True) + EPSILON)


def torch_softmax(inputs: Inputs):
    if inputs.n > LONGEST_SOFTMAX:
        raise Skipped(f"its time grows with n²; measured up to n = {LONGEST_SOFTMAX}")
    return torch.nn.functional.scaled_dot_product_attention(inputs.q[None], inputs.k[None], inputs.v[None], is_causal=True)


class Others:
    """What is there, and what is missing and why."""

    def __init__(self, fast_transformers: str):
        self.missing, self.product = {}, None
        if torch is None:
            self.missing["PyTorch"] = "not installed for this python3; run ./course bench --peers --install"
        if not fast_transformers:
            self.missing["fast-transformers"] = "no path given; --fast-transformers DIR names a clone of it"
        elif torch:
            source = Path(fast_transformers) / "fast_transformers" / "causal_product" / "causal_product_cpu.cpp"
            try:
                from torch.utils import cpp_extension
                self.product = cpp_extension.load("causal_product_cpu", [str(source)], extra_ldflags=["-lgomp"],
                                                  extra_cflags=["-O3", "-march=native", "-fopenmp"]).causal_dot_product
            except Exception as error:  # whatever its build says
                self.missing["fast-transformers"] = "does not build: " + str(error).strip().splitlines()[0]

    def fast_transformers(self, inputs: Inputs):
        q, k = phi(inputs.q), phi(inputs.k)
        output = torch.empty_like(inputs.v)
        self.product(q[None], k[None], inputs.v[None], output[None])
        return output / ((q * k.cumsum(1)).sum(-1, keepdim=True) + EPSILON)


def functions(library, others: Others, inputs: Inputs, threads: int) -> dict:
    """name → (call, how far its output may lie from ours; None where it computes something else)"""
    *own, output = addresses(*inputs.arrays, inputs.output)
    here = {"fused": (lambda: library.fused(*own, output, *inputs.shape, threads), TOLERANCE)}
    if threads == 1:
        here["tokens"] = (lambda: library.tokens(*own, output, *inputs.shape), TOLERANCE)
    here["chunkwise, C = 16"] = (lambda: library.chunkwise(*own, *inputs.shape, 16), TOLERANCE)
    if torch:
        for chunk in (32, 64, 128):
            here[f"PyTorch, chunks of {chunk}"] = (lambda chunk=chunk: torch_chunks(inputs, chunk), TOLERANCE)
        here["PyTorch, cumsum"] = (lambda: torch_cumsum(inputs), TOLERANCE)
        here["PyTorch, softmax"] = (lambda: torch_softmax(inputs), None)
    if others.product:
        here["fast-transformers"] = (lambda: others.fast_transformers(inputs), TOLERANCE)
    return here


def difference(result, output: np.ndarray, expected: np.ndarray) -> float:
    """The largest, where `output` is what a function that returns nothing has written. A NaN is no small difference."""
    if isinstance(result, int):  # an address
        result = np.ctypeslib.as_array((ctypes.c_float * expected.size).from_address(result))
    got = output if result is None else np.asarray(result)
    return float(np.abs(got.reshape(-1) - expected.reshape(-1)).max())


def peak_bytes(call) -> int | None:
    """What it takes beside what was there before; None where the system does not tell."""
    def field(name: str) -> int:
        return int(re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.M)[1]) * 1024
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = field("VmRSS")
        call()
        return max(0, field("VmHWM") - before)
    except (OSError, TypeError, AttributeError):
        return None


def measure(case: dict, candidates: dict, output: np.ndarray) -> None:
    """The first of the candidates writes to `output` what the others are compared with."""
    next(iter(candidates.values()))[0]()
    expected = output.copy()
    rows, calls = {}, {}
    for name, (call, tolerance) in candidates.items():
        row = rows[name] = case | {"peer": name}
        try:
            result = call()
            if tolerance and not (apart := difference(result, output, expected)) < tolerance:
                raise SystemExit(f"{row}: its output differs from ours by {apart}")
            result = None
            row["peak_bytes"] = peak_bytes(call)
            calls[name] = call
        except Skipped as why:
            row["skipped"] = str(why)
    times = in_turns(calls, time.thread_time if case["threads"] == 1 else time.perf_counter)
    for name, row in rows.items():
        if name in times:
            row["seconds"], row["spread"] = statistics.median(times[name]), spread(times[name])
        print(json.dumps(row), flush=True)


def in_turns(calls: dict, clock) -> dict:
    """name → seconds of a call, in each of the last ROUNDS rounds: those before may have met another process."""
    times = {name: deque(maxlen=ROUNDS) for name in calls}
    for turn in range(MOST_ROUNDS):
        if turn >= ROUNDS and all(spread(each) < STEADY for each in times.values()):
            break
        for name, call in calls.items():
            time.sleep(PAUSE)
            begin = clock()
            repeats = 0
            while repeats == 0 or clock() - begin < SHORTEST:
                call()
                repeats += 1
            times[name].append((clock() - begin) / repeats)
    return {name: [*each] for name, each in times.items()}


def spread(times: list) -> float:
    return statistics.stdev(times) / statistics.mean(times)


def main(path: str, most_threads: str, fast_transformers: str = "") -> None:
    library = ctypes.CDLL(path)
    library.chunkwise.restype = ctypes.c_void_p
    library.fused.restype = library.tokens.restype = library.use_blas_threads.restype = None
    others = Others(fast_transformers)
    if torch:
        torch.set_grad_enabled(False)
    blas = re.findall(r"/(lib(?:openblas|blas|cblas|blis|flexiblas|mkl)[^/\s]*)$", Path("/proc/self/maps").read_text(), re.M)
    blas.sort(key=lambda name: "openblas" not in name)  # NumPy may have come with another
    print(json.dumps({"torch": torch and torch.__version__, "missing": others.missing, "blas": blas[0] if blas else "unknown"}),
          flush=True)
    for n in LENGTHS:
        for d in WIDTHS:
            for threads in range(1, int(most_threads) + 1):
                library.use_blas_threads(threads)
                if torch:
                    torch.set_num_threads(threads)
                inputs = Inputs(n, d)
                measure({"n": n, "d": d, "threads": threads}, functions(library, others, inputs, threads), inputs.output)


if __name__ == "__main__":
    main(*sys.argv[1:])
