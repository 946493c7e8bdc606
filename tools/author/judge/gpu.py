"""The GPUs of this machine: why kernels cannot be graded on one, and which of them this grader holds. What a box needs for one
is in box.py and deny_syscalls.cpp.
"""

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from course.build_tree import BuildTree
from course.ctest import run_on_gpu
from course.errors import CourseError


def refuse(tree: BuildTree, elsewhere: bool) -> None:
    """Where kernels cannot be graded on a GPU; `elsewhere`: it will be on other machines, which may have one."""
    cache = (tree.folder / "CMakeCache.txt").read_text(encoding="utf-8")
    nvcc, cudart = ("".join(re.findall(rf"^{name}:\w+=(.*)$", cache, re.M)) for name in ("LINATTN_NVCC", "LINATTN_CUDART"))
    why = run_on_gpu.reason_to_skip(nvcc, cudart)
    if why and not (elsewhere and why == run_on_gpu.NO_GPU):
        raise CourseError(f"--gpu: {why}; leave --gpu out, and the CPU run grades the kernels")


def devices() -> list[str]:
    """The device files of the GPUs that may be used: all, or those that Slurm or CUDA_VISIBLE_DEVICES names by number."""
    found = sorted(str(path) for path in Path("/dev").iterdir() if re.fullmatch("nvidia[0-9]+|dxg", path.name))
    named = os.environ.get("SLURM_JOB_GPUS") or os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = [path for path in found if not named or path.removeprefix("/dev/nvidia") in named.split(",")]
    if not chosen:
        raise CourseError(f"--gpu: {named} names no /dev/nvidia… by its number" if found else f"--gpu: {run_on_gpu.NO_GPU}")
    return chosen


@contextlib.contextmanager
def held() -> Iterator[str]:
    """The device file of a GPU, while no other grader of this machine holds it."""
    while True:
        for path in devices():
            with open(path, "rb", buffering=0) as device:
                try:
                    fcntl.flock(device, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield path
                return
        time.sleep(0.1)
