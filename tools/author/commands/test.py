"""(authors) Run the project's own suite: both tracks, two compilers, the tests of the course itself.

With names, the tests whose names match one of these regular expressions: ./course test docs kill_matrix lab05
"""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from course.build import process_group
from course.errors import CourseError
from course.training import training_program

LABS = "^lab[0-9][0-9]$"
CLANG = "^(lab[0-9][0-9]|stubs|tidy)$"  # labels of the tests that run under clang as well
MARK = "LINATTN_TEST_RUN"  # in the environment of all that a run starts
ANOTHER_SEED = 2  # students' inputs come from seed 1
JOBS = training_program.cores() + 1  # some tests wait


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="a regular expression: only tests whose names match one, with the builds that they need")
    parser.add_argument("--soak", type=int, default=0, metavar="N",
                        help="also run the labs' suites with LINATTN_SEED = 2 … N; without it once, with 2")
    parser.add_argument("--cases", metavar="FOLDER",
                        help="grade the answers in FOLDER's .case and .patch files instead, and say which verdicts are wrong")


def run(root: Path, options: Namespace) -> int:
    if options.cases is not None:
        os.environ["PYTHONPATH"] = str(root / "tests/framework")
        return subprocess.run([sys.executable, "-B", root / "tests/framework/gates/cases.py", options.cases]).returncode
    os.environ.setdefault("LINATTN_COMPILER_CACHE", str(root / "build" / "ccache"))  # see cmake/compiler_cache.cmake
    os.environ[MARK] = str(os.getpid())
    began = time.monotonic()
    failed: list[str] = []
    chosen = _chosen(root, options.names)
    try:
        for preset, target, runs in plan(options.soak):
            if not options.names:
                failed += _run_preset(root, preset, [target], runs, [])
            elif preset == "reference":
                failed += _run_preset(root, preset, _programs(root, chosen), runs, options.names)
            elif any(re.search(CLANG, label) for test in chosen for label in _labels(test)) or not chosen:
                failed += _run_preset(root, preset, [], runs, options.names)
    finally:
        _end_left_over()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\n" + ("\n".join(f"FAILED: {step}" for step in failed) or "everything passed"))
    print(f"all together {time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time")
    return 1 if failed else 0


def plan(soak: int) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """(preset, what to build, [(label, seed) of each ctest]). Under clang only what students run is built."""
    seeds = range(ANOTHER_SEED, max(ANOTHER_SEED, soak) + 1)
    return [("reference", "all", [("", 1), *((LABS, seed) for seed in seeds)]), ("reference-clang", "suites", [(CLANG, 1)])]


def _run_preset(root: Path, preset: str, targets: list[str], runs: list[tuple[str, int]], names: list[str]) -> list[str]:
    """The steps that failed. A failing test keeps no other from running, a failing build does."""
    tree, pattern = f"build/{preset}", ["-R", "|".join(names)] if names else []
    steps = [(f"configure {preset}", ["cmake", "--preset", preset])]
    steps += [(f"build {preset}", ["cmake", "--build", tree, "--target", *targets])] if targets else []
    for step, command in steps:
        if not _passes(root, step, command, {}):
            return [step]
    ctest = ["ctest", "--test-dir", tree, "--output-on-failure", "-j", str(JOBS), *pattern]
    ctest.append(f"--no-tests={'ignore' if names else 'error'}")
    tests = [(f"test {preset}" + f", seed {seed}" * (seed != 1), [*ctest, *(["-L", label] if label else [])],
              {"LINATTN_SEED": str(seed)}) for label, seed in runs]
    return [step for step, command, environment in tests if not _passes(root, step, command, environment)]


def _passes(root: Path, step: str, command: list[str], environment: dict[str, str]) -> bool:
    print(f"\n--- {step}", flush=True)
    try:
        with process_group.started(command, cwd=root, env=os.environ | environment) as running:
            return running.wait() == 0
    except CourseError as error:
        print(f"{error} --with-tests")
        return False


def _chosen(root: Path, names: list[str]) -> list[dict[str, Any]]:
    """Configures the reference track and asks ctest which of its tests have such names, without what these need."""
    pattern = "|".join(names)
    try:
        re.compile(pattern)
    except re.error as error:
        raise CourseError(f"{pattern} is no regular expression: {error}") from None
    if not names:
        return []
    if subprocess.run(["cmake", "--preset", "reference"], cwd=root, stdout=subprocess.DEVNULL).returncode != 0:
        raise CourseError("the reference track cannot be configured; see above")
    listing = subprocess.run(["ctest", "--test-dir", "build/reference", "--show-only=json-v1", "-R", pattern], cwd=root,
                             check=True, capture_output=True, text=True).stdout
    tests = [test for test in json.loads(listing)["tests"] if re.search(pattern, test["name"])]
    if not tests and not re.search(pattern, "framework.tidy"):  # which clang's build alone has
        raise CourseError(f"no test has a name that matches {pattern}; ctest --test-dir build/reference -N lists them")
    return tests


def _properties(test: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"] for each in test.get("properties", [])}


def _labels(test: dict[str, Any]) -> list[str]:
    labels: list[str] = _properties(test).get("LABELS", [])
    return labels


def _programs(root: Path, tests: list[dict[str, Any]]) -> list[str]:
    """What to build for them. ctest does not tell the command of a program that is not there; a fixture builds its own."""
    build = root / "build" / "reference"
    if any(not test.get("command") and "FIXTURES_REQUIRED" not in _properties(test) for test in tests):
        return ["all"]
    programs = {Path(test["command"][0]) for test in tests if test.get("command")}
    return sorted(str(program.relative_to(build)) for program in programs if program.is_relative_to(build))


def _end_left_over() -> None:
    """Tests start programs in groups of their own. Those that an interrupted test has left behind still carry our mark."""
    mark = f"{MARK}={os.environ[MARK]}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
