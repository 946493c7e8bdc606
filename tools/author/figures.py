"""The plots of the chapters: programs in bench/figures/ give the numbers, plots.py draws them.

A figure has one name everywhere: bench/figures/NAME.py, which ./course python runs, prints NAME.csv there, or NAME.cpp
measures it; NAME() in plots.py draws NAME.svg in the folder of its chapter.
"""

import csv
import importlib
import io
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from author import benchmarks
from course import files
from course.errors import CourseError

FOLDERS = {  # of the chapter that shows it
    "feature_maps": "labs/lab01_feature_maps",
    "memories": "labs/lab02_parallel_vs_recurrent",
    "attention_cost": "labs/lab02_parallel_vs_recurrent",
    "token_cost": "labs/lab02_parallel_vs_recurrent",
    "attention_matrices": "labs/lab04_favor_plus",
    "favor_convergence": "labs/lab04_favor_plus",
    "favor_variance": "labs/lab04_favor_plus",
    "favor_error": "labs/lab04_favor_plus",
    "difference_error": "labs/lab06_gradients",
    "gradient_cost": "labs/lab06_gradients",
    "recall": "docs/figures",
    "generation": "labs/lab07_transformer_layer",
    "small_model": "labs/lab07_transformer_layer",
    "copying": "labs/lab08_training",
    "capacity": "labs/lab09_forgetting_and_correcting",
}
TIMED = ("attention_cost", "token_cost", "gradient_cost", "generation")  # by google-benchmark; the others print their table
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Table:
    machine: str
    rows: list[dict[str, str]]  # column → text

    def columns(self, *names: str, **where: str) -> list[list[float]]:
        """For each name its numbers, in the rows where the other columns are as given."""
        rows = [row for row in self.rows if all(row[column] == text for column, text in where.items())]
        return [[float(row[name]) for row in rows] for name in names]

    def matrices(self) -> dict[str, dict[tuple[int, int], float]]:
        """By name, (row, column) → entry."""
        found: dict[str, dict[tuple[int, int], float]] = {}
        for row in self.rows:
            entries = enumerate(row["entries"].split())
            found.setdefault(row["matrix"], {}).update({(int(row["row"]), column): float(entry) for column, entry in entries})
        return found


def data(root: Path, name: str) -> Path:
    return root / "bench" / "figures" / f"{name}.csv"


def picture(root: Path, name: str) -> Path:
    return root / FOLDERS[name] / f"{name}.svg"


def read(path: Path) -> Table:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line[2:] for line in lines if line.startswith("# ")]
    machine = next((line.removeprefix("measured on ") for line in comments if line.startswith("measured on ")), None)
    if machine is None:
        raise CourseError(f"{path} does not say where it was measured; run ./course bench --figures {path.stem}")
    return Table(machine, list(csv.DictReader(line for line in lines if not line.startswith("#"))))


def measure(root: Path, names: list[str]) -> None:
    if set(names) & set(TIMED):
        benchmarks.build(root, "linattn_figures")
    for name in names:
        if name in TIMED:
            results = _medians(benchmarks.run(root, f"figures/{name}"))
            print(benchmarks.load_in_words(), file=sys.stderr)
            if noisy := benchmarks.too_noisy({_case(row): row["cv"] for row in results}):
                raise CourseError(f"{noisy}; {data(root, name).relative_to(root)} stays as it was; try again when "
                                  "the machine is idle")
            table = _timed(results)
        else:
            table = _printed(root, name)
        where = f"{machine(root)}, {time.strftime('%Y-%m-%d')}"
        files.write_whole(data(root, name), f"# ./course bench --figures {name}\n# measured on {where}\n{table}")


def draw(root: Path, name: str) -> str:
    """The SVG that the figure's data give."""
    return str(getattr(plots(), name)(read(data(root, name))))


def plots() -> ModuleType:
    """What draws them."""
    try:
        return importlib.import_module("author.plots")
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise CourseError(f"{sys.executable} has no matplotlib to draw with; run ./course setup --with-tests, or "
                          "install it for this python3") from None


def _printed(root: Path, name: str) -> str:
    print(f"figures/{name} …", file=sys.stderr)
    command = [str(root / "course"), "python", "--track", "reference", str(root / "bench" / "figures" / f"{name}.py")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                          env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise CourseError(f"figures/{name} ended with status {done.returncode}; its output is above")
    return done.stdout


def _medians(results: benchmarks.Results) -> list[benchmarks.Row]:
    """Of google-benchmark's JSON what matters: medians, the counters, and how far the repetitions lie apart (cv)."""
    medians = []
    for name, entry in benchmarks.aggregates(results).items():
        median = entry["median"]
        form, *arguments = re.sub(r"/min_time:[^/]*", "", name).split("/")
        row: benchmarks.Row = {"form": form} | {key: int(value) for key, value in (argument.split(":") for argument in arguments)}
        row["seconds"] = float(f"{median['real_time'] * UNITS[median['time_unit']]:.4g}")
        row["cv"] = float(f"{entry['cv']['real_time']:.2g}")
        row |= {counter: int(median[counter]) for counter in ("peak_bytes", "kept_bytes") if counter in median}
        medians.append(row)
    return medians


def _case(row: benchmarks.Row) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.items() if key not in ("seconds", "cv", "peak_bytes", "kept_bytes"))


def _timed(results: list[benchmarks.Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(results[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(results)
    return text.getvalue()


def machine(root: Path, threads: int = 1) -> str:
    """Processor and compiler, as far as this system tells; no name of a host or a person."""
    about = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*\S)", about.read_text(encoding="utf-8") if about.exists() else "", re.M)
    cpu = model[1] if model else "an unknown processor"
    folders = [root / "build" / tree / "CMakeFiles" for tree in ("reference", "bench")]  # the same compiler builds both
    compilers = [path for folder in folders for path in sorted(folder.glob("*/CMakeCXXCompiler.cmake"))]
    text = compilers[-1].read_text(encoding="utf-8") if compilers else ""
    known = re.findall(r'set\(CMAKE_CXX_COMPILER_(?:ID|VERSION) "([^"]*)"\)', text)
    compiler = " ".join(known).replace("GNU", "GCC")
    return f"{cpu}, {threads} of {os.cpu_count()} cores, {compiler}"
