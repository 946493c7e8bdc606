#!/usr/bin/env python3
"""The mutation gate: every mistake, put in its function's place, must make the suite fail and be named in the message.

usage: kill_matrix.py BUILD_FOLDER LAB=MANIFEST …

Runs each lab's check program once per mistake, writes BUILD_FOLDER/kill_matrix.csv (lab, exercise, mistake, killed,
named, and the names that were given beside it) and exits with 1 unless every row says yes twice. The suite is the one in
BUILD_FOLDER/mistakes, which is linked without the address sanitizer: that one watches the functions that a mistake replaces.

The rows of a lab share what its mistakes give in the calls of its suite, in a file (known_outcomes.cpp). A row that does not say
yes twice is tried once more without it.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conftest import CORES

MOST_BYTES = 8 << 30  # see known_outcomes.cpp; the file is sparse


def program_of(build: Path, lab: str) -> Path:
    """The check program, beside the suite. A handout's build has only the suite that students run."""
    suite, check = build / "mistakes" / f"{lab}_exercises", build / f"{lab}_check"
    if not suite.parent.exists():
        suite = build / f"{lab}_exercises"
    for program in (suite, check):
        if not program.exists():
            sys.exit(f"kill_matrix: {program.name} is not built; build {build} first")
    return check if suite.parent == build else Path(shutil.copy2(check, suite.parent))


def mistakes_of(program: Path) -> list[tuple[str, str]]:
    """(exercise, mistake) pairs, in the order in which the program lists them."""
    listing = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in listing.splitlines()]
    return [(row[1], row[2]) for row in rows if row[0] == "mistake"]


def verdict_on(program: Path, manifest: str, exercise: str, mistake: str, outcomes: str = "") -> tuple[bool, list[str]]:
    """Whether the suite refused the mistake, and which names its message gives."""
    command = [program, "--manifest", manifest, "--exercise", exercise, "--mistake", mistake]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([*command, "--results", folder], capture_output=True, env=os.environ | {"LINATTN_OUTCOMES": outcomes})
        [written] = Path(folder).glob(f"*.{exercise}.json")
        result = json.loads(written.read_text())
    killed, names = run.returncode != 0 and result["status"] == "fail", result["mistakes"]
    if outcomes and not (killed and mistake in names):
        return verdict_on(program, manifest, exercise, mistake)
    return killed, names


def rows_of(program: Path, lab: str, manifest: str) -> list[list[str]]:
    """lab, exercise, mistake, killed, named, beside"""
    listed = mistakes_of(program)
    with tempfile.NamedTemporaryFile() as outcomes, ThreadPoolExecutor(CORES) as pool:
        outcomes.truncate(MOST_BYTES)
        verdicts = list(pool.map(lambda row: verdict_on(program, manifest, *row, outcomes.name), listed))
    return [[lab, exercise, mistake, "yes" if killed else "no", "yes" if mistake in names else "no",
             " | ".join(name for name in names if name != mistake)]
            for (exercise, mistake), (killed, names) in zip(listed, verdicts)]


def main(build: Path, labs: list[str]) -> int:
    rows = sum((rows_of(program_of(build.resolve(), lab), lab, manifest) for lab, manifest in (each.split("=", 1) for each in labs)), [])
    wrong = [f"{lab}.{exercise}: '{mistake}' is {'not named' if killed == 'yes' else 'not killed'}"
             for lab, exercise, mistake, killed, named, _ in rows if (killed, named) != ("yes", "yes")]
    table = build / "kill_matrix.csv"
    with open(f"{table}.new", "w", newline="") as file:
        csv.writer(file).writerows([["lab", "exercise", "mistake", "killed", "named", "beside"], *rows])
    os.replace(f"{table}.new", table)
    print(*wrong, sep="\n")
    print(f"{len(rows) - len(wrong)} of {len(rows)} mistakes killed and named; see {table.name}")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
