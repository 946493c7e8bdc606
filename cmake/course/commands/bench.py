"""(authors) Measure: how fast the answer key is, each figure beside what it is held against, in one run."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import benchmarks

PROGRAMS = ["speed/chunkwise_benchmark"]


def arguments(parser: ArgumentParser) -> None:
    pass


def run(root: Path, options: Namespace) -> int:
    benchmarks.build(root)
    for program in PROGRAMS:
        benchmarks.run(root, program)
    return 0
