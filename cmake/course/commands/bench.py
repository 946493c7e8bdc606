"""(authors) Measure: how fast the answer key is, each figure beside what it is held against, in one run."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import benchmarks, speed_claims


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--gpu", action="store_true", help="measure lab 05's kernels on a GPU instead; prints Markdown")


def run(root: Path, options: Namespace) -> int:
    if options.gpu:
        return benchmarks.run_on_gpu(root)
    benchmarks.build(root)
    chunkwise = benchmarks.run(root, "speed/chunkwise_benchmark")
    cpu_run = benchmarks.run(root, "speed/cpu_run_benchmark")
    print("\n" + speed_claims.table(chunkwise, cpu_run))
    return 0
