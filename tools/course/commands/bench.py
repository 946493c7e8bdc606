"""(authors) Measure: how fast the answer key is, each figure beside what it is held against, in one run.

--figures instead measures what the plots of the chapters show, writes it to bench/figures/, and draws them. Medians of
repeated runs; let the machine be idle.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import benchmarks, figures, files, speed_claims
from course.errors import CourseError


def arguments(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--figures", nargs="*", metavar="NAME", help="the plots, or some: " + ", ".join(figures.FOLDERS))
    what.add_argument("--gpu", action="store_true", help="measure lab 05's kernels on a GPU instead; prints Markdown")
    parser.add_argument("--draw", action="store_true", help="with --figures: only draw, from the numbers there are")


def run(root: Path, options: Namespace) -> int:
    if options.figures is not None:
        return _figures(root, options.figures or list(figures.FOLDERS), options.draw)
    if options.draw:
        raise CourseError("--draw goes with --figures; run ./course bench --figures --draw")
    if options.gpu:
        return benchmarks.run_on_gpu(root)
    benchmarks.build(root)
    chunkwise = benchmarks.run(root, "speed/chunkwise_benchmark")
    cpu_run = benchmarks.run(root, "speed/cpu_run_benchmark")
    print("\n" + speed_claims.table(chunkwise, cpu_run))
    return 0


def _figures(root: Path, names: list, draw_only: bool) -> int:
    for name in names:
        if name not in figures.FOLDERS:
            raise CourseError(f"there is no figure {name}; choose from {', '.join(figures.FOLDERS)}")
    if not draw_only:
        figures.measure(root, names)
    for name in names:
        files.write_whole(figures.picture(root, name), figures.draw(root, name))
        print(f"wrote {figures.picture(root, name).relative_to(root)}", file=sys.stderr)
    return 0
