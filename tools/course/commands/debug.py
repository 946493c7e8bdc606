"""Start gdb (or lldb) in an exercise, at the call that goes wrong.

Builds and grades the exercise first. Then the debugger stops at the first line of your function, in the call after which
the first check fails (if the report shows a smaller input, in the call with that one), or in the first call of all
if none fails; `continue` goes on to the next call, or to a crash.
What follows the exercise's name goes to the debugger. Exit status: 2 when there is nothing to debug, else the debugger's.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from pathlib import Path

from course.build.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.sources import manifest
from course.sources.manifest import Exercise, Lab
from course.verdicts import verdicts
from course.verdicts.grading import grade

LIMIT = 60  # seconds: after so long a call is taken for endless, and stopped in
ON_FAILURE = ("throwException", "test_case_exception")  # of doctest, where a REQUIRE fails, and of grading/run/reporter.cpp


def arguments(parser: ArgumentParser) -> None:
    check.track_argument(parser, "answer")
    parser.add_argument("exercise", metavar="labNN.function", help="as in lab02.linear_attention_recurrent")
    parser.add_argument("words", nargs=REMAINDER, metavar="…", help="for the debugger, as in -ex 'info locals'")


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    lab, exercise = manifest.find_exercise(labs, options.exercise)
    debugger = next((name for name in ("gdb", "lldb") if shutil.which(name)), None)
    if debugger is None:
        raise CourseError("neither gdb nor lldb is on the PATH; install one of them, as in apt-get install gdb")
    [verdict] = grade(root, options.track, [exercise.name])
    if verdict.status == "not_run":
        raise CourseError(f"{exercise.name} was not run, so there is nothing to debug; run ./course check {exercise.name}")

    function = f"linattn::{'kernels::' if exercise.kernel else ''}{exercise.function}"
    program = _build(BuildTree(root, options.track), lab, exercise)
    if verdict.counterexample:
        program.append("--counterexample")
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                                "ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0"}  # a debugger stops at an abort
    if debugger == "lldb":
        command = ["lldb", "-o", f"breakpoint set --name {function}", "-o", "run", *options.words, "--", *program]
    else:
        call = 1 if verdict.passed or verdict.status == "todo" else _failing_call(function, program, environment)
        print(f"stopping in call {call} of {exercise.function}; {exercise.name} is {verdicts.WORDS[verdict.status]}")
        command = ["gdb", "-q", "-iex", "set debuginfod enabled off", "-ex", f"source {root}/tools/course/verdicts/gdb_tensor.py",
                   *_stop_at(function, ignore=call - 1), "-ex", "run", *options.words, "--args", *program]
    sys.stdout.flush()
    os.execvpe(debugger, command, environment)


def _build(tree: BuildTree, lab: Lab, exercise: Exercise) -> list[str]:
    """Builds the lab for debuggers; gives the command that runs the exercise in a single process."""
    print(f"building {lab.name} for the debugger …", file=sys.stderr)
    program = tree.program(f"{lab.name}_debug", "debug.log", "fix that")
    return [str(program), "--alone", "--exercise", exercise.function, "--manifest", str(lab.manifest),
            "--results", str(tree.folder)]


def _stop_at(function: str, ignore: int) -> list[str]:
    return ["-ex", f"break -qualified {function}", "-ex", f"ignore 1 {ignore}"]


def _failing_call(function: str, program: list[str], environment: dict[str, str]) -> int:
    """How often the function is called until a check fails, or until it crashes or stays in it."""
    failures = [word for name in ON_FAILURE for word in ("-ex", f"break {name}")]
    gdb = subprocess.Popen(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off",
                            *_stop_at(function, ignore=10**9), *failures, "-ex", "run", "-ex", "info breakpoints",
                            "--args", *program], env=environment, text=True, encoding="utf-8", errors="replace",
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = gdb.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        gdb.send_signal(signal.SIGINT)  # stops the program; what follows `run` is done
        output = gdb.communicate()[0]
    hits = re.search(r"(?m)^1 +breakpoint .*\n(?:\s+.*\n)*?\s+breakpoint already hit (\d+) times?", output)
    return int(hits[1]) if hits else 1
