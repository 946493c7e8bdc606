"""(authors) Run the project's own suite: both tracks, two compilers, the tests of the course itself."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from course import process_group
from course.errors import CourseError

LABS = "^lab[0-9][0-9]$"
CLANG = "^(lab[0-9][0-9]|stubs|tidy)$"
CACHE = "LINATTN_COMPILER_CACHE"  # see cmake/compiler_cache.cmake
ANOTHER_SEED = 2  # students' inputs come from seed 1
SUMMARY = re.compile(r"tests passed, (\d+) tests failed out of (\d+)")
TIMED = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) .*? (\d+\.\d+) sec$", re.M)
SLOWEST = 15  # tests in the table at the end


@dataclass(frozen=True)
class Step:
    name: str
    command: list
    environment: dict = field(default_factory=dict)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--soak", type=int, default=0, metavar="N",
                        help="also run the labs' suites with LINATTN_SEED = 2 … N; without it once, with 2")
    parser.add_argument("--cases", metavar="FOLDER",
                        help="grade the answers in FOLDER's .case and .patch files instead, and say which verdicts are wrong")


def run(root: Path, options: Namespace) -> int:
    if options.cases is not None:
        return subprocess.run([sys.executable, "-B", root / "tests" / "framework" / "cases.py", options.cases]).returncode
    logs = root / "build" / "test"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    os.environ.setdefault(CACHE, str(root / "build" / "ccache"))
    failed = total = 0
    began, timed = time.monotonic(), []
    for steps in plan(options.soak):
        broken = False
        for step in steps:
            if broken:  # what comes before it failed
                print(f"{step.name:.<50} not run")
                counts = (1, 1)
            else:
                counts, broken = _run_step(root, step, logs, timed)
            failed += counts[0]
            total += counts[1]
    print("\nThe slowest:")
    for seconds, name in sorted(timed, reverse=True)[:SLOWEST]:
        print(f"{name:.<60} {seconds:7.1f} s")
    print(f"{'all together':.<60} {time.monotonic() - began:7.1f} s, {_processor_seconds():.1f} s of processor time")
    percent = 100 * (total - failed) // total
    print(f"\n{percent}% tests passed, {failed} tests failed out of {total}")
    return 1 if failed else 0


def plan(soak: int) -> list:
    """Rows of steps; within a row each step needs the ones before it."""
    rows = []
    for preset in ("reference", "reference-clang"):
        rows.append([Step(f"configure {preset}", ["cmake", "--preset", preset, "-DLINATTN_WERROR=ON"]),
                     Step(f"build {preset}", ["cmake", "--build", f"build/{preset}"])])
    rows[0].append(_ctest("test reference", "reference"))
    rows[1].append(_ctest("test reference-clang", "reference-clang", "-L", CLANG))
    for seed in range(ANOTHER_SEED, max(ANOTHER_SEED, soak) + 1):
        rows[0].append(_ctest(f"soak, seed {seed}", "reference", "-L", LABS, LINATTN_SEED=str(seed)))
    return rows


def _ctest(name: str, tree: str, *options: str, **environment: str) -> Step:
    return Step(name, ["ctest", "--test-dir", f"build/{tree}", "--no-tests=error", "--output-on-failure",
                       "-j", str((os.cpu_count() or 1) + 1), *options], environment)  # one more: some tests wait


def _processor_seconds() -> float:
    """Of all programs that have ended: what another program takes from the machine is not in it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run_step(root: Path, step: Step, logs: Path, timed: list) -> tuple:
    """Returns (failed, total) and whether what follows is out of reach. A failing test breaks nothing that follows."""
    print(f"{step.name:.<50} ", end="", flush=True)
    log = logs / (re.sub(r"\W+", "-", step.name) + ".log")
    began, worked = time.monotonic(), _processor_seconds()
    with open(log, "wb") as output:
        try:
            with process_group.started(step.command, cwd=root, env=os.environ | step.environment, stdout=output,
                                       stderr=subprocess.STDOUT) as running:
                status = running.wait()
        except CourseError as error:
            output.write(f"{error} --with-tests\n".encode())
            status = 127
    words = log.read_text(encoding="utf-8", errors="replace")
    summary = (list(SUMMARY.finditer(words)) or [None])[-1]  # the last: a failing test may print a ctest of its own
    failed, total = (int(summary[1]), int(summary[2])) if summary else (int(status != 0), 1)
    if status != 0:
        failed = max(failed, 1)
    seconds = time.monotonic() - began
    timed += [(float(each[2]), f"{each[1]} ({step.name})") for each in TIMED.finditer(words)] or [(seconds, step.name)]
    print(f"{'ok' if failed == 0 else 'FAILED'} {f'({total} tests) ' if summary else ''}{seconds:.1f} s, "
          f"{_processor_seconds() - worked:.1f} s of processor time")
    if failed:
        print("\n".join("    " + line for line in words.splitlines()[-80:]))
        print(f"    all of it: {log.relative_to(root)}")
    return (failed, total), failed > 0 and not summary
