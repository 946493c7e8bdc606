"""The tests labNN.<function>.gpu and others of that ending: builds a program for a GPU and runs it, or says why not.

usage: run_on_gpu.py NVCC CUDART CMAKE BUILD WHAT TARGET ARGUMENT…      (the first two need not exist)
"""

import io
import os
import subprocess
import sys

DEVICES = ("/dev/nvidiactl", "/dev/dxg")  # the second is Windows' Linux


def reason_to_skip(nvcc: str, cudart: str) -> str:
    if not os.path.exists(nvcc):
        return "no nvcc of CUDA 12 or later here"
    if not os.path.exists(cudart):
        return "nvcc is here, but its library cudart_static is not"
    return "" if any(map(os.path.exists, DEVICES)) else "no NVIDIA GPU here"


def main(nvcc: str, cudart: str, cmake: str, build: str, what: str, target: str, *arguments: str) -> int:
    if why := reason_to_skip(nvcc, cudart):
        print(f"Skipped: {why}; {what} " + ("was graded on the CPU run only" if arguments else "has no CPU run"))
        return 0
    built = subprocess.run([cmake, "--build", build, "--target", target], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace")
    if built.returncode != 0:
        print(f"{what} does not compile for a GPU:\n{built.stdout}")
        return 1
    if subprocess.run([f"{build}/{target}", *arguments]).returncode != 0:
        print(f"{what} does not pass on the GPU; its message is above")
        return 1
    return 0


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main(*sys.argv[1:]))
