"""Programs of google-benchmark, as bench/ has them: build them, run them, read their results."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.errors import CourseError

Row = dict[str, Any]  # one of google-benchmark's, or a line that a script in bench/speed/ prints
Results = dict[str, Any]  # all that it writes
REPETITIONS = 5  # of which the medians count
MOST_SPREAD = 0.15  # of what is written to a file: the standard deviation as a part of the mean


def build(root: Path, target: str = "linattn_benchmarks") -> None:
    """Configures the preset "bench" and builds the target in it."""
    for command in (["cmake", "--preset", "bench"], ["cmake", "--build", "--preset", "bench", "--target", target]):
        print(" ".join(command), "…", file=sys.stderr)
        done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout.rstrip(), file=sys.stderr)
            raise CourseError(f"{' '.join(command)} failed; its output is above; ./course setup --with-tests installs "
                              "what bench/ needs")


def run_on_gpu(root: Path) -> int:
    """The program says itself when there is no GPU."""
    build(root, "gpu_forward_benchmark")
    program = root / "build" / "bench" / "bench" / "gpu" / "gpu_forward_benchmark"
    if not program.exists():
        raise CourseError("nvcc or its library cudart_static is not here, so nothing was measured on a GPU; run it where "
                          "the CUDA toolkit is")
    with subprocess.Popen([program], cwd=root, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stdout is not None
        lines = []
        for line in running.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    wrong = [line for line in lines if is_wrong(line)]
    if wrong:
        print("\nThese are wrong:\n" + "".join(wrong), end="", file=sys.stderr)
    return running.returncode or int(bool(wrong))


def is_wrong(line: str) -> bool:
    """A row of that table whose result differs by more than rounding explains, or that has none. A card may have too little
    shared memory for a kernel."""
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) != 10 or not cells[1].isdigit() or cells[4].startswith("shared memory for one block"):
        return False
    if not cells[4].endswith(" ms"):
        return True
    return cells[7] != "" and not float(cells[7]) <= float(cells[8])  # of a NaN too


def run(root: Path, program: str) -> Results:
    """The program's own JSON, of all repetitions together. Its table goes to the terminal, line by line, as it runs."""
    results = root / "build" / "bench" / f"{Path(program).name}.json"
    command = [str(root / "build" / "bench" / "bench" / program), f"--benchmark_repetitions={REPETITIONS}",
               "--benchmark_report_aggregates_only=true", f"--benchmark_out={results}", "--benchmark_out_format=json"]
    print(f"{program} …", file=sys.stderr)
    done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise CourseError(f"{program} ended with status {done.returncode}; its output is above")
    return dict(json.loads(results.read_text(encoding="utf-8")))


def aggregates(results: Results) -> dict[str, dict[str, Row]]:
    """Of that JSON: for each benchmark its rows by what they are, "median" or "cv"."""
    rows: dict[str, dict[str, Row]] = {}
    for row in results["benchmarks"]:
        if row.get("error_occurred"):
            raise CourseError(f"{row['name']}: {row['error_message']}")
        rows.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
    return rows


def rows_of(root: Path, command: list[str], environment: dict[str, str], in_words: Callable[[Row], str]) -> list[Row]:
    """The lines of JSON that a script in bench/speed/ prints. What they mean goes to the terminal, as it runs."""
    lines: list[Row] = []
    with subprocess.Popen([sys.executable, *command], cwd=root, env=os.environ | environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            lines.append(json.loads(line))
            if len(lines) > 1:  # the first names the versions
                print(in_words(lines[-1]), file=sys.stderr)
    if running.returncode != 0 or not lines:
        raise CourseError(f"speed/{Path(command[0]).name} ended with status {running.returncode}; its output is above")
    return lines


def load() -> float:
    """How many processes have wanted a core, on average over the last minute."""
    return os.getloadavg()[0]


def load_in_words() -> str:
    now, cores = load(), os.cpu_count() or 1
    return f"load {now:.1f} on {cores} cores" + ("" if now <= cores / 2 else ": this machine is not idle")


def too_noisy(spreads: dict[str, float]) -> str:
    """What is wrong with these, in words; "" if nothing. spreads: by what was measured"""
    worst = max(spreads, key=spreads.__getitem__, default=None)
    if worst is None or spreads[worst] <= MOST_SPREAD:
        return ""
    count = sum(spread > MOST_SPREAD for spread in spreads.values())
    return (f"the repetitions of {count} of {len(spreads)} measurements lie further apart than {MOST_SPREAD:.0%}, furthest by "
            f"{spreads[worst]:.0%}: {worst}")
