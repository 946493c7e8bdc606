"""Complete handwritten digits with your generate from lab 07, and weights that come with the course.

  digits   completes the lower halves of ten images, pixel by pixel, and compares images a second: from the state, by your
           functions; from a cache of softmax attention; and from scratch; for 64 pixels, and untrained for 784 and 3072

Exit status: 0 when they were completed, 1 when a function is not written, 2 when nothing could be generated, 130 when it was
stopped.
"""

import base64
import json
import tempfile
from argparse import ArgumentParser, Namespace
from array import array
from math import prod
from pathlib import Path

from course.commands import check
from course.errors import CourseError
from course.training import training_program
from course.training.training_program import Settings

LAB, GIVEN = "lab07", "lab08"  # of GIVEN is what generates from a cache
WEIGHTS, IMAGES = "docs/interactive/digits_weights.js", "training/digits.txt"
LENGTHS = (64, 784, 3072)  # pixels: of these images, and of MNIST and CIFAR-10 (three colours) in the 2020 paper
PATIENCE = 30  # seconds for an image


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("task", choices=["digits"], help="what to generate")
    parser.add_argument("--rows", type=int, default=4, help="rows of each image that are given, 1 to 7 of 8 (default: 4)")
    parser.add_argument("--out", metavar="DIR", help="where the picture goes (default: build/train/generate-digits)")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    if not 1 <= options.rows <= 7:
        raise CourseError(f"--rows {options.rows} is not between 1 and 7")
    folder = training_program.folder_for(options.out, root / "build/train/generate-digits")
    settings, weights = read_weights(root / WEIGHTS)
    tree = training_program.prepared(root, options.track, GIVEN)
    program = training_program.build(tree, f"{GIVEN}_train", f"lab06 {LAB} {GIVEN}")
    with tempfile.NamedTemporaryFile(suffix=".weights") as file:
        file.write(weights.tobytes())
        file.flush()
        return training_program.run(program, settings | {
            "task": "complete", "weights": file.name, "file": root / IMAGES, "rows": options.rows, "out": folder,
            "shown": training_program.shown(root, folder), "lengths": ",".join(map(str, LENGTHS)), "patience": PATIENCE},
            "generate", f"./course check {LAB} may say what is wrong")


def read_weights(path: Path) -> "tuple[Settings, array[float]]":
    """What tools/author/digits_weights.py wrote: the sizes of the model, and all its numbers."""
    try:
        made = json.loads(path.read_text(encoding="utf-8").partition("window.DIGITS = ")[2].strip().rstrip(";"))
        packed, numbers = array("b", base64.b64decode(made["bytes"])), array("d")
        for _, shape, scale in made["weights"]:
            begin = len(numbers)
            numbers.extend(scale * byte for byte in packed[begin:begin + prod(shape)])
        names = [name for name, *_ in made["weights"]]
        layers = 1 + max(int(name.split(".")[1]) for name in names if name.startswith("blocks."))
        return {"layers": layers, "width": made["weights"][0][1][1], "heads": made["heads"]}, numbers
    except (OSError, ValueError, KeyError, TypeError):
        raise CourseError(f"{path} does not hold the weights of a model; restore it from the course") from None
