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
from dataclasses import dataclass, field
from pathlib import Path

from author.test_progress import TIMED, Progress, Times
from course import process_group, training_program
from course.errors import CourseError

LABS = "^lab[0-9][0-9]$"
CLANG = "^(lab[0-9][0-9]|stubs|tidy)$"
CACHE = "LINATTN_COMPILER_CACHE"  # see cmake/compiler_cache.cmake
MARK = "LINATTN_TEST_RUN"  # in the environment of all that a run starts
ANOTHER_SEED = 2  # students' inputs come from seed 1
SUMMARY = re.compile(r"tests passed, (\d+) tests failed out of (\d+)")
SLOWEST = 15  # tests in the table at the end
JOBS = training_program.cores() + 1  # some tests wait


@dataclass(frozen=True)
class Step:
    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="a regular expression: only tests whose names match one, with the builds that they need")
    parser.add_argument("--soak", type=int, default=0, metavar="N",
                        help="also run the labs' suites with LINATTN_SEED = 2 … N; without it once, with 2")
    parser.add_argument("--anew", action="store_true",
                        help="also try again what was green before and depends on nothing that has changed since")
    parser.add_argument("--cases", metavar="FOLDER",
                        help="grade the answers in FOLDER's .case and .patch files instead, and say which verdicts are wrong")


def run(root: Path, options: Namespace) -> int:
    if options.cases is not None:
        return subprocess.run([sys.executable, "-B", root / "tests" / "framework" / "cases.py", options.cases]).returncode
    logs = root / "build" / "test"
    logs.mkdir(parents=True, exist_ok=True)
    for old in logs.glob("*.log"):
        old.unlink()
    os.environ.setdefault(CACHE, str(root / "build" / "ccache"))
    os.environ[MARK] = str(os.getpid())
    if options.anew:
        os.environ["LINATTN_ANEW"] = "1"  # see tests/framework/green.py
    try:
        return _run_all(root, options, logs)
    finally:
        _end_left_over()


def _run_all(root: Path, options: Namespace, logs: Path) -> int:
    failed = total = 0
    timed: list[tuple[float, str, str]] = []
    began = time.monotonic()
    times = Times(logs / "times.json")
    rows = plan(options.soak, _selection(root, options.names))
    coming = [step.name for steps in rows for step in steps]
    for steps in rows:
        broken = False
        for step in steps:
            del coming[0]
            if broken:  # what comes before it failed
                print(f"{step.name:.<50} not run")
                counts = (1, 1)
            else:
                progress = Progress(step.name, coming, times, options.names, JOBS)
                counts, broken = _run_step(root, step, logs, timed, progress)
            failed += counts[0]
            total += counts[1]
    print("\nThe slowest, and their processor time:")
    for seconds, name, worked in sorted(timed, reverse=True)[:SLOWEST]:
        print(f"{name:.<60} {seconds:7.1f} s{worked}")
    print(f"{'all together':.<60} {time.monotonic() - began:7.1f} s, {_processor_seconds():.1f} s of processor time")
    percent = 100 * (total - failed) // total
    print(f"\n{percent}% tests passed, {failed} tests failed out of {total}")
    return 1 if failed else 0


@dataclass(frozen=True)
class Selection:
    """What the names on the command line ask for."""
    pattern: str  # of names of tests
    programs: list[str]  # of the reference track that these tests run
    by_label: dict[str, bool]  # whether a test with such a label is among them
    by_gcc: bool = True  # whether g++'s build has any of them: clang-tidy runs in clang's alone


def plan(soak: int, chosen: Selection | None = None) -> list[list[Step]]:
    """Rows of steps; within a row each step needs the ones before it. Under clang only what students run is built."""
    rows = []
    for preset, target in (("reference", "all"), ("reference-clang", "suites")):
        rows.append([Step(f"configure {preset}", ["cmake", "--preset", preset]),
                     Step(f"build {preset}", ["cmake", "--build", f"build/{preset}", "--target", target])])
    rows[0].append(_ctest("test reference", "reference"))
    rows[1].append(_ctest("test reference-clang", "reference-clang", "-L", CLANG))
    for seed in range(ANOTHER_SEED, max(ANOTHER_SEED, soak) + 1):
        rows[0].append(_ctest(f"soak, seed {seed}", "reference", "-L", LABS, LINATTN_SEED=str(seed)))
    return rows if chosen is None else _narrowed(rows, chosen)


def _narrowed(rows: list[list[Step]], chosen: Selection) -> list[list[Step]]:
    """Without configuring the reference track, which is done, and with what the chosen tests need. What scripts run is built by
    the tests that ctest runs before them."""
    def narrowed(step: Step) -> Step | None:
        if step.name == "build reference":
            return Step(step.name, [*step.command[:-1], *chosen.programs]) if chosen.programs else None
        if step.name == "build reference-clang" or "-L" in step.command and not chosen.by_label[step.command[-1]]:
            return None
        return Step(step.name, [*step.command, "-R", chosen.pattern], step.environment) if "ctest" in step.command else step

    reference = [step for step in map(narrowed, rows[0][1:]) if step] if chosen.by_gcc else []
    clang = [step for step in map(narrowed, rows[1]) if step]
    return [reference, clang] if chosen.by_label[CLANG] else [reference]


def _selection(root: Path, names: list[str]) -> Selection | None:
    """Configures the reference track and asks ctest which of its tests have such names."""
    if not names:
        return None
    pattern = "|".join(names)
    try:
        re.compile(pattern)
    except re.error as error:
        raise CourseError(f"{pattern} is no regular expression: {error}") from None
    if subprocess.run(["cmake", "--preset", "reference"], cwd=root, stdout=subprocess.DEVNULL).returncode != 0:
        raise CourseError("the reference track cannot be configured; see above")
    listing = subprocess.run(["ctest", "--test-dir", "build/reference", "--show-only=json-v1", "-R", pattern], cwd=root,
                             check=True, capture_output=True, text=True).stdout
    tests = [test for test in json.loads(listing)["tests"] if re.search(pattern, test["name"])]  # without fixtures
    labels = {label for test in tests for each in test.get("properties", []) if each["name"] == "LABELS"
              for label in each["value"]} | ({"tidy"} if re.search(pattern, "framework.tidy") else set())
    if not tests and not labels:
        raise CourseError(f"no test has a name that matches {pattern}; ctest --test-dir build/reference -N lists them")
    build = root / "build" / "reference"
    programs = {Path(test["command"][0]) for test in tests if test.get("command")}
    # ctest does not tell the command of a program that is not there; one with a fixture is built by that.
    not_built = any(not test.get("command") and not any(each["name"] == "FIXTURES_REQUIRED" for each in test["properties"])
                    for test in tests)
    targets = sorted(str(program.relative_to(build)) for program in programs if program.is_relative_to(build))
    return Selection(pattern, ["all"] if not_built else targets,
                     {wanted: any(re.search(wanted, label) for label in labels) for wanted in (LABS, CLANG)}, bool(tests))


def _ctest(name: str, tree: str, *options: str, **environment: str) -> Step:
    return Step(name, ["ctest", "--test-dir", f"build/{tree}", "--no-tests=error", "--output-on-failure", "-j", str(JOBS),
                       *options], environment)


def _processor_seconds() -> float:
    """Of all programs that have ended: what another program takes from the machine is not in it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _told(root: Path, step: Step, test: str) -> str:
    """The processor time of a test in Python, as it has told it: see tests/framework/workers.py."""
    file = root / step.command[2] / "processor_time" / test
    return f"{float(file.read_text(encoding='utf-8')):9.1f} s" if file.exists() else ""


def _run_step(root: Path, step: Step, logs: Path, timed: list[tuple[float, str, str]],
              progress: Progress) -> tuple[tuple[int, int], bool]:
    """Returns (failed, total) and whether what follows is out of reach. A failing test breaks nothing that follows."""
    log = logs / (re.sub(r"\W+", "-", step.name) + ".log")
    began, worked = time.monotonic(), _processor_seconds()
    with open(log, "wb") as output:
        try:
            with process_group.started(step.command, cwd=root, env=os.environ | step.environment, stdout=output,
                                       stderr=subprocess.STDOUT) as running:
                status = progress.watch(running, log)
        except CourseError as error:
            output.write(f"{error} --with-tests\n".encode())
            status = 127
    words = log.read_text(encoding="utf-8", errors="replace")
    summary = next(reversed(list(SUMMARY.finditer(words))), None)  # the last: a failing test may print a ctest of its own
    failed, total = (int(summary[1]), int(summary[2])) if summary else (int(status != 0), 1)
    if status != 0:
        failed = max(failed, 1)
    seconds = time.monotonic() - began
    tests = {each[1]: float(each[2]) for each in TIMED.finditer(words)}
    progress.done(seconds, tests)
    worked = _processor_seconds() - worked
    timed += [(took, f"{name} ({step.name})", _told(root, step, name)) for name, took in tests.items()] or \
        [(seconds, step.name, f"{worked:9.1f} s")]
    print(f"{step.name:.<50} {'ok' if failed == 0 else 'FAILED'} {f'({total} tests) ' if summary else ''}{seconds:.1f} s, "
          f"{worked:.1f} s of processor time", flush=True)
    if failed:
        print("\n".join("    " + line for line in words.splitlines()[-80:]))
        print(f"    all of it: {log.relative_to(root)}")
    return (failed, total), failed > 0 and not summary


def _end_left_over() -> None:
    """Tests start programs in groups of their own. Those that an interrupted test has left behind still carry our mark."""
    mark = f"{MARK}={os.environ[MARK]}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
