"""(authors) Measure: how fast the answer key is, each figure with its comparison.

--figures instead computes, and measures, what the plots of the chapters show, and draws them (bench/figures/draw.py). Medians of
repeated runs; let the machine be idle.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from author import benchmarks
from course.errors import CourseError
from course.training import training_program

FIGURES = {  # name → folder of the chapter that shows it
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
TIMED = {"attention_cost", "token_cost", "gradient_cost", "generation"}  # by google-benchmark


def arguments(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--figures", nargs="*", metavar="NAME", help="the plots, or some: " + ", ".join(FIGURES))
    what.add_argument("--gpu", action="store_true", help="measure lab 05's kernels on a GPU instead; prints Markdown")
    what.add_argument("--peers", action="store_true", help="measure attention and a training step against PyTorch")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=2, help="with --peers: at most (default: 2)")
    parser.add_argument("--draw", action="store_true", help="with --figures: time nothing, draw the times that are kept")


def run(root: Path, options: Namespace) -> int:
    if options.figures is not None:
        return _figures(root, options.figures or list(FIGURES), options.draw)
    if options.draw:
        raise CourseError("--draw goes with --figures; run ./course bench --figures --draw")
    if options.gpu:
        program = benchmarks.build(root, "gpu_forward_benchmark") / "gpu" / "gpu_forward_benchmark"
        if not program.exists():
            raise CourseError("nvcc or its library cudart_static is not here, so nothing was measured on a GPU; run it where "
                              "the CUDA toolkit is")
        return subprocess.run([program], cwd=root).returncode  # it says itself when there is no GPU
    if options.peers:
        return _peers(root, options.threads)
    return subprocess.run([benchmarks.build(root, "speed") / "speed"], cwd=root, env=os.environ | benchmarks.SINGLE).returncode


def _figures(root: Path, names: list[str], draw_only: bool) -> int:
    for name in names:
        if name not in FIGURES:
            raise CourseError(f"there is no figure {name}; choose from {', '.join(FIGURES)}")
    if not find_spec("matplotlib"):
        raise CourseError(f"{sys.executable} has no matplotlib to draw with; run ./course setup --with-tests, or "
                          "install it for this python3")
    if TIMED & set(names) and not draw_only:
        benchmarks.build(root, "figures")
    command = [str(root / "course"), "python", "--track", "reference", str(root / "bench" / "figures" / "draw.py")]
    targets = [f"{name}={root / FIGURES[name] / name}.svg" for name in names]
    return subprocess.run([*command, *["--draw"] * draw_only, *targets], cwd=root, env=os.environ | benchmarks.SINGLE).returncode


def _peers(root: Path, threads: int) -> int:
    if not find_spec("torch"):
        raise CourseError(f"{sys.executable} has no PyTorch to compare with; {sys.executable} -m pip install torch")
    library = benchmarks.build(root, "peers") / "libpeers.so"
    program = training_program.build(training_program.prepared(root, "reference", "lab08"), "lab08_train", "lab08")
    command = [sys.executable, *map(str, (root / "bench" / "peers.py", library, program, threads))]
    return subprocess.run(command, cwd=root, env=os.environ | benchmarks.SINGLE).returncode
