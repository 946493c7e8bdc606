#!/usr/bin/env python3
"""The faults of kernel_mutants.py once more, in the PTX that nvcc makes of the kernels: the suite has to fail in the PTX
interpreter too, but for those that are harmless there.

usage: ptx_mutants.py BUILD_FOLDER NVCC

nvcc compiles all mutants of a kernel file at once, each in a namespace of its own. Works in BUILD_FOLDER/ptx_mutants and
exits with 1 unless each does what is expected of it.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kernel_mutants
import workers
from answer_build import run
from course import manifest
from course.errors import CourseError
from green import Green, digest_of

ROOT = kernel_mutants.ROOT
FLAGS = ["-std=c++20", "-O2", "-lineinfo", "-arch=compute_75", "-w", "-ptx"]
BEGIN, END = "namespace linattn::kernels {", "}  // namespace linattn::kernels"
REFUSED_BY_NVCC = [("chunkwise_forward", "host pointer passed to the kernel")]
HARMLESS = {  # in PTX a block's shared memory is one array
    ("chunkwise_forward", "tile overrun"): "the entry behind z is padding, or is written again behind a barrier",
    ("chunkwise_forward", "shared memory requested too small"): "nothing is read or written of what is too much",
}


def mutants_of(kernel: str) -> list:
    return [each for each in kernel_mutants.MUTANTS[kernel] if each[:2] not in REFUSED_BY_NVCC]


def apart(number: int) -> str:
    return f"kernels_{number:04}"


def compiled(nvcc: str, place: Path, lab: manifest.Lab, kernel: str) -> list:
    """The PTX of each mutant, with the names of the original."""
    original = (ROOT / "reference" / kernel).read_text(encoding="utf-8")
    texts = []
    for number, (_, _, changes) in enumerate(mutants_of(kernel)):
        text = kernel_mutants.mutate(kernel, original, changes)
        texts.append(text.replace(BEGIN, f"namespace linattn::{apart(number)} {{\nusing namespace kernels;").replace(END, "}"))
    source, made = place / kernel, place / f"{kernel}.ptx"
    source.write_text("".join(texts), encoding="utf-8")
    labs = [each.folder for each in manifest.load(ROOT) if each.name == lab.name or each.name in lab.needs]
    done = subprocess.run([nvcc, *FLAGS, *(f"-I{folder}" for folder in (*labs, ROOT / "labs")), source, "-o", made],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise CourseError(f"nvcc refuses the mutants of {kernel}\n{done.stdout}")
    text = made.read_text(encoding="utf-8")
    head, *entries = text.split(".visible .entry ")
    files = "\n".join(re.findall(r"^\s*\.file.*", text, re.M)) + "\n"
    return [head + files + "".join(".visible .entry " + entry.replace(f"12{apart(number)}", "7kernels") for entry in entries
                           if entry.startswith(f"_ZN7linattn12{apart(number)}"))
            for number in range(len(texts))]


def message_on(build: Path, place: Path, lab: manifest.Lab, exercise: str, ptx: str, number: int) -> str:
    """What the suite says of a mutant; empty when it passes."""
    results = place / f"{lab.name}.{number}"
    results.mkdir(exist_ok=True)
    kernels = results / "kernels.ptx"
    kernels.write_text(ptx, encoding="utf-8")
    subprocess.run([build / f"{lab.name}_check_ptx", "--manifest", lab.manifest, "--exercise", exercise, "--results", results],
                   env=os.environ | {"PTX_INTERPRETER_KERNELS": str(kernels)}, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    result = json.loads((results / f"{lab.name}.{exercise}.json").read_text(encoding="utf-8"))
    if "PTX interpreter does not know" in result["message"]:
        raise CourseError(f"{exercise}, mutant {number}: {result['message']}")
    return "" if result["status"] == "pass" else result["message"]


def try_all(build: Path, nvcc: str, kernel: str) -> int:
    """How many mutants of one kernel file do not do what is expected."""
    lab = next(each for each in manifest.load(ROOT) if kernel in each.sources)
    place = build / "ptx_mutants"
    place.mkdir(exist_ok=True)
    green = Green(build, "ptx_mutants")
    digest = digest_of([__file__, kernel_mutants.__file__, ROOT / "reference" / kernel, lab.manifest, nvcc,
                        build / f"{lab.name}_check_ptx", build / f"{lab.name}_exercises_ptx"])
    if words := green.result(kernel, digest):
        print(words)
        return 0
    mutants, ptx = mutants_of(kernel), compiled(nvcc, place, lab, kernel)
    with ThreadPoolExecutor(workers.COUNT) as pool:
        messages = list(pool.map(lambda number: message_on(build, place, lab, mutants[number][0], ptx[number], number),
                                 range(len(mutants))))
    wrong = 0
    for (exercise, mistake, _), message in zip(mutants, messages):
        reason = HARMLESS.get((exercise, mistake), "")
        if bool(message) == bool(reason):
            wrong += 1
        print(f"{exercise}: '{mistake}' " + ("passes" if not message else "fails") + (f", as expected: {reason}" if reason else ""))
        if message:
            print("\n".join(message.splitlines()[1:4]))
    words = f"{kernel}: {len(mutants) - wrong} of {len(mutants)} mutants do in PTX what is expected"
    print(words)
    if not wrong:
        green.keep(kernel, digest, words)
    return wrong


def main(build: Path, rest: list) -> int:
    return 1 if sum(try_all(build, rest[0], kernel) for kernel in kernel_mutants.MUTANTS) else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
