"""(authors) Measure: how fast the answer key is, each figure beside what it is compared with.

--figures instead measures what the plots of the chapters show, writes it to bench/figures/, and draws them. Medians of
repeated runs; let the machine be idle.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import benchmarks, figures, gpu_prediction, peers, speed_claims, train_speed
from course import files
from course.errors import CourseError


def arguments(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--figures", nargs="*", metavar="NAME", help="the plots, or some: " + ", ".join(figures.FOLDERS))
    what.add_argument("--gpu", action="store_true", help="measure lab 05's kernels on a GPU instead; prints Markdown")
    what.add_argument("--gpu-model", action="store_true", help="predict those kernels' times on three cards, without a GPU")
    what.add_argument("--peers", action="store_true", help="measure labs 05's and 09's functions beside others': PyTorch, fast-transformers")
    what.add_argument("--train", action="store_true", help="measure a step of training beside the same model in PyTorch")
    parser.add_argument("--install", action="store_true", help="with --peers: PyTorch from PyPI into build/peers first, 5 GB")
    parser.add_argument("--fast-transformers", metavar="DIR", help="with --peers: a clone of it, which is built")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=2, help="with --peers and --train: at most (default: 2)")
    parser.add_argument("--batch", type=int, default=4, help="with --gpu-model: sequences (default: 4)")
    parser.add_argument("--heads", type=int, default=16, help="with --gpu-model: heads of each (default: 16)")
    parser.add_argument("--n", type=int, default=4096, help="with --gpu-model: tokens of each (default: 4096)")
    parser.add_argument("--draw", action="store_true", help="with --figures: only draw, from the numbers there are")


def run(root: Path, options: Namespace) -> int:
    if options.figures is not None:
        return _figures(root, options.figures or list(figures.FOLDERS), options.draw)
    if options.draw:
        raise CourseError("--draw goes with --figures; run ./course bench --figures --draw")
    if options.gpu:
        return benchmarks.run_on_gpu(root)
    if options.gpu_model:
        print(gpu_prediction.report(root, options.batch * options.heads, options.n))
        return 0
    if options.train:
        train_speed.report(root, options.threads)
        return 0
    if (options.install or options.fast_transformers) and not options.peers:
        raise CourseError("--install and --fast-transformers go with --peers; run ./course bench --peers --install")
    if options.peers:
        if options.install:
            peers.install(root)
        peers.report(root, options.threads, options.fast_transformers)
        return 0
    benchmarks.build(root)
    before = benchmarks.load_in_words()
    results = benchmarks.run(root, "speed/speed")
    rows = benchmarks.aggregates(results)
    print("\n" + speed_claims.table({name: row["median"] for name, row in rows.items()}, results["context"]["sgemm"]))
    spreads = {name: row["cv"]["cpu_time"] for name, row in rows.items()}
    print(f"before: {before}; after: {benchmarks.load_in_words()}; largest spread {max(spreads.values()):.0%}")
    if noisy := benchmarks.too_noisy(spreads):
        print(f"{noisy}; do not keep these numbers")
    return 0


def _figures(root: Path, names: list[str], draw_only: bool) -> int:
    for name in names:
        if name not in figures.FOLDERS:
            raise CourseError(f"there is no figure {name}; choose from {', '.join(figures.FOLDERS)}")
    if not draw_only:
        figures.measure(root, names)
    for name in names:
        files.write_whole(figures.picture(root, name), figures.draw(root, name))
        print(f"wrote {figures.picture(root, name).relative_to(root)}", file=sys.stderr)
    return 0
