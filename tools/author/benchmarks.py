"""Programs of google-benchmark, as bench/ has them: build them, run them, read their results."""

import json
import os
import subprocess
import sys
from pathlib import Path

from course.errors import CourseError

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
    return subprocess.run([program], cwd=root).returncode


def run(root: Path, program: str) -> dict:
    """The program's own JSON, of all repetitions together. Its table goes to the terminal, line by line, as it runs."""
    results = root / "build" / "bench" / f"{Path(program).name}.json"
    command = [str(root / "build" / "bench" / "bench" / program), f"--benchmark_repetitions={REPETITIONS}",
               "--benchmark_report_aggregates_only=true", f"--benchmark_out={results}", "--benchmark_out_format=json"]
    print(f"{program} …", file=sys.stderr)
    done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise CourseError(f"{program} ended with status {done.returncode}; its output is above")
    return json.loads(results.read_text(encoding="utf-8"))


def aggregates(results: dict) -> dict:
    """Of that JSON: for each benchmark its rows by what they are, "median" or "cv"."""
    rows = {}
    for row in results["benchmarks"]:
        if row.get("error_occurred"):
            raise CourseError(f"{row['name']}: {row['error_message']}")
        rows.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
    return rows


def load() -> float:
    """How many processes have wanted a core, on average over the last minute."""
    return os.getloadavg()[0]


def load_in_words() -> str:
    now, cores = load(), os.cpu_count() or 1
    return f"load {now:.1f} on {cores} cores" + ("" if now <= cores / 2 else ": this machine is not idle")


def too_noisy(spreads: dict[str, float]) -> str:
    """What is wrong with these, in words; "" if nothing. spreads: by what was measured"""
    worst = max(spreads, key=spreads.get, default=None)
    if worst is None or spreads[worst] <= MOST_SPREAD:
        return ""
    count = sum(spread > MOST_SPREAD for spread in spreads.values())
    return (f"the repetitions of {count} of {len(spreads)} measurements lie further apart than {MOST_SPREAD:.0%}, furthest by "
            f"{spreads[worst]:.0%}: {worst}")
