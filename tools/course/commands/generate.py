"""Complete handwritten digits with your own generate of lab 07, and weights that come with the course.

  digits   completes the lower halves of ten images, pixel by pixel, and compares images a second: from the state, by your
           functions; from a cache of softmax attention; and from nothing kept; for 64 pixels, and untrained for 784 and 3072

Exit status: 0 when they were completed, 1 when a function is not written, 2 when nothing could be generated, 130 when it was
stopped.
"""

import base64
import json
import signal
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from array import array
from math import prod
from pathlib import Path

from course import digit_pictures, files, training_program
from course.commands import check
from course.errors import CourseError
from course.training_program import Event, Settings

LAB, GIVEN = "lab07", "lab08"  # of GIVEN is what generates from a cache
WEIGHTS, IMAGES = "docs/interactive/digits_weights.js", "training/digits.txt"
HELD_OUT, SHOWN = 297, 10  # images that no weight was trained on
LENGTHS = (64, 784, 3072)  # pixels: of these images, and of MNIST and CIFAR-10 (three colours) in the 2020 paper
WAYS = {"state": "from the state", "cache": "from a cache", "nothing kept": "from nothing kept"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("task", choices=["digits"], help="what to generate")
    parser.add_argument("--rows", type=int, default=4, help="rows of each image that are given, 1 to 7 of 8 (default: 4)")
    parser.add_argument("--out", metavar="DIR", help="where the picture goes (default: build/train/generate-digits)")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    if not 1 <= options.rows <= 7:
        raise CourseError(f"--rows {options.rows} is not between 1 and 7")
    folder = training_program.folder_for(options.out, root / "build/train/generate-digits")
    originals = _images(root / IMAGES)
    settings, weights = read_weights(root / WEIGHTS)
    tree = training_program.prepared(root, options.track, GIVEN)
    program = training_program.build(tree, f"{LAB}_generate", f"lab06 {LAB} {GIVEN}")
    given = [image[:digit_pictures.SIDE * options.rows] for image in originals]
    completed: list[str] = []
    speeds: dict[int, dict[str, str]] = {}
    last: Event = {}

    def on_event(event: Event) -> None:
        nonlocal last
        last = event
        if event["event"] == "completed":
            completed.append(given[len(completed)] + event["pixels"])
            if len(completed) == SHOWN:
                _show(root, folder, given, completed, originals)
        elif event["event"] in ("speed", "left out"):
            speeds.setdefault(event["pixels"], {})[event["way"]] = _speed(event)
            if event["way"] == list(WAYS)[-1]:
                _print_speeds(event["pixels"], speeds[event["pixels"]])

    with tempfile.NamedTemporaryFile(suffix=".weights") as file:
        file.write(weights.tobytes())
        file.flush()
        status = training_program.listen(program, settings | {
            "weights": file.name, "images": ",".join(given), "lengths": ",".join(map(str, LENGTHS))}, None, on_event)
    if status in (-signal.SIGTERM, -signal.SIGINT):
        raise KeyboardInterrupt
    if last.get("event") == "missing":
        print(f"course: {last['function']} is not written yet, and this command needs it; ./course check {LAB} lists what is missing", file=sys.stderr)
        return 1
    if last.get("event") == "error":
        raise CourseError(f"generate stopped with an error: {last['why']}; ./course check {LAB} says more")
    if status:
        raise CourseError(f"generate stopped unexpectedly ({training_program.fate(status)}); ./course check {LAB} may say what is wrong")
    return 0


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


def _images(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise CourseError(f"{path} cannot be read; restore it from the course") from None
    return [line[:64] for line in lines if len(line) > 64 and not line.startswith("#")][-HELD_OUT:][:SHOWN]


def _show(root: Path, folder: Path, given: list[str], completed: list[str], originals: list[str]) -> None:
    blank = [image + "0" * (64 - len(image)) for image in given]
    for words, images in (("given", blank), ("completed by your generate", completed), ("were", originals)):
        print(f"{words}:\n{digit_pictures.in_terminal(images[:5])}\n")
    rows = [("given", blank), ("completed", completed), ("were", originals)]
    files.write_whole(folder / "digits.svg", digit_pictures.svg(rows, "digits completed by generate, from the state of linear attention"))
    print(f"all {len(completed)}: {training_program.shown(root, folder)}/digits.svg\n")
    print(f"{'images a second, one at a time':34}" + "".join(f"{words:>19}" for words in WAYS.values()), flush=True)


def _speed(event: Event) -> str:
    if event["event"] == "left out":
        return f"> {event['least seconds'] / 60:.0f} min an image"
    return f"{event['speed']:.3g}"


def _print_speeds(pixels: int, speeds: dict[str, str]) -> None:
    weights = "these weights" if pixels == LENGTHS[0] else "untrained"
    print(f"{f'{pixels:5} pixels, {weights}':34}" + "".join(f"{speeds[way]:>19}" for way in WAYS), flush=True)
