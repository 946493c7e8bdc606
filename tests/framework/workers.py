"""How many programs a test that tries many of them runs at once: ctest runs other tests beside it, and taskset may leave us
only some of the cores."""

import os

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
COUNT = max(1, CORES // 2)
