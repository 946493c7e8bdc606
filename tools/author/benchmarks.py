"""Programs of google-benchmark, as bench/ has them: build them, run them, read their results."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from course.errors import CourseError

Row = dict[str, Any]  # one of google-benchmark's
REPETITIONS = 5  # of which the medians count
MOST_SPREAD = 0.15  # of what is written to a file: the standard deviation as a part of the mean
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
SINGLE = {"OPENBLAS_NUM_THREADS": "1"}
TRAINING = {"task": "copy", "length": 16, "attention": "linear", "layers": 2, "width": 64, "heads": 4, "batch": 32, "rate": 0.003,
            "steps": 120, "seed": 1, "every": 1000, "threads": 1, "resume": 0, "falls": 0, "again": "", "more": "", "file": ""}


def build(root: Path, target: str) -> Path:
    """Configures the preset "bench" and builds the target in it. \\return where it puts bench/'s programs"""
    for command in (["cmake", "--preset", "bench"], ["cmake", "--build", "--preset", "bench", "--target", target]):
        print(" ".join(command), "…", file=sys.stderr)
        done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout.rstrip(), file=sys.stderr)
            raise CourseError(f"{' '.join(command)} failed; its output is above; ./course setup --with-tests installs "
                              "what bench/ needs")
    return root / "build" / "bench" / "bench"


def run(root: Path, figure: str) -> list[Row]:
    """What the program `figures` measures for one of them: medians, in seconds, and how far the repetitions lie apart (cv)."""
    results = root / "build" / "bench" / f"{figure}.json"
    done = subprocess.run([root / "build" / "bench" / "bench" / "figures", f"--benchmark_filter=^{figure}/",
                           f"--benchmark_repetitions={REPETITIONS}", "--benchmark_report_aggregates_only=true",
                           f"--benchmark_out={results}"], cwd=root, stdin=subprocess.DEVNULL, env=os.environ | SINGLE)
    if done.returncode != 0:
        raise CourseError(f"figures ended with status {done.returncode}; its output is above")
    return medians(json.loads(results.read_text(encoding="utf-8"))["benchmarks"])


def medians(rows: list[Row]) -> list[Row]:
    """One row for each benchmark; rejects what failed, and what is too noisy to be kept."""
    by_name: dict[str, Row] = {}
    for row in rows:
        if row.get("error_occurred"):
            raise CourseError(f"{row['name']}: {row['error_message']}")
        found = by_name.setdefault(row["run_name"], {})
        if row["aggregate_name"] == "median":
            found |= row | {"seconds": row["real_time"] * UNITS[row["time_unit"]]}
        elif row["aggregate_name"] == "cv":
            found["cv"] = row["real_time"]
    worst = max(by_name.values(), key=lambda row: float(row["cv"]))
    if worst["cv"] > MOST_SPREAD:
        raise CourseError(f"the repetitions of {worst['run_name']} lie {worst['cv']:.0%} apart, and nothing was written; try again "
                          "when the machine is idle")
    return list(by_name.values())


def trained(program: Path, **settings: Any) -> tuple[float, list[float]]:
    """With lab08_train, whose settings are TRAINING's where nothing else is said: the percentage of the last test's symbols that
    are right, for the task copy, and the loss of every step."""
    with tempfile.TemporaryDirectory() as out:
        words = [str(program), *(f"{name}={value}" for name, value in (TRAINING | settings | {"out": out}).items())]
        said = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | SINGLE).stdout
        losses = (Path(out) / "loss.csv").read_text(encoding="utf-8").split()[1:]
    right = re.search(r"^last test, .* ([\d.]+)% right", said, re.M)
    return float(right[1] if right else "nan"), [float(row.partition(",")[2]) for row in losses]


def machine(root: Path) -> str:
    """Processor and compiler, as far as this system tells; no name of a host or a person."""
    about = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*\S)", about.read_text(encoding="utf-8") if about.exists() else "", re.M)
    compilers = [path for tree in ("reference", "bench")  # the same compiler builds both
                 for path in sorted((root / "build" / tree / "CMakeFiles").glob("*/CMakeCXXCompiler.cmake"))]
    text = compilers[-1].read_text(encoding="utf-8") if compilers else ""
    compiler = " ".join(re.findall(r'set\(CMAKE_CXX_COMPILER_(?:ID|VERSION) "([^"]*)"\)', text)).replace("GNU", "GCC")
    return f"{model[1] if model else 'an unknown processor'}, 1 of {os.cpu_count()} cores, {compiler}"
