"""How many programs a test that tries many of them runs at once: ctest runs other tests beside it, and taskset may leave us
only some of the cores. And how much processor time it took."""

import os
from pathlib import Path

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
COUNT = max(1, CORES // 2)


def tell_processor_time() -> None:
    """`./course test` prints it: how long a test takes depends on what else the machine does."""
    if file := os.environ.get("LINATTN_PROCESSOR_TIME"):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text(str(sum(os.times()[:4])), encoding="utf-8")
