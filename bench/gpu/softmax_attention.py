"""Causal softmax attention by PyTorch, as more rows for the table that forward_benchmark.cu prints.

The same batch, heads and lengths in float32; PyTorch picks the kernel. "of the floor" is the time of its own
device-to-device copy of half of Q, K, V and the output, divided by the row's.
"""

import statistics
import sys
from collections.abc import Callable

try:
    import torch
except ImportError:
    sys.exit("Softmax attention is not in the table: the python3 here has no PyTorch.")
if not torch.cuda.is_available():
    sys.exit("Softmax attention is not in the table: PyTorch finds no GPU.")

BATCH, HEADS, REPETITIONS = 4, 16, 9


def median_time(run: Callable[[], object]) -> float:
    """Milliseconds, the median of some runs after one that does not count."""
    times = []
    for _ in range(REPETITIONS + 1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[1:])


def row(d: int, n: int) -> str:
    Q, K, V = (torch.rand(BATCH, HEADS, n, d, device="cuda") * 4 - 2 for _ in range(3))
    source = torch.empty(2 * Q.numel(), device="cuda")
    target = torch.empty_like(source)
    floor = median_time(lambda: target.copy_(source))
    time = median_time(lambda: torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True))
    speed = 4 * Q.numel() * Q.element_size() / time * 1e-6  # Q, K, V and the output, once
    return (f"| {d} | {n} | causal softmax attention, PyTorch {torch.__version__} | {time:.3f} ms | {speed:.0f} | "
            f"{floor / time:.2f} | another function |")


for d in (64, 128):
    for n in (4096, 16384, 65536):
        print(row(d, n), flush=True)
