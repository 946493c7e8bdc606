"""The copy task with three kinds of attention: the loss while a model learns one length, and what is right after as many steps
at every length. Trained by the program behind ./course train copy."""

import sys
import tempfile
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from course import training_program

SETTINGS = {"task": "copy", "layers": 2, "width": 64, "heads": 4, "batch": 32, "rate": 0.003, "steps": 120, "seed": 1, "resume": 0,
            "file": "", "every": 1000, "threads": training_program.cores()}
ATTENTIONS = ("hybrid", "linear", "softmax")
SHOWN_LENGTH, EACH = 16, 5  # steps between two points of the loss, which is their mean

print("# {layers} blocks, width {width}, {heads} heads; Adam {rate}, {batch} sequences a step, {steps} steps, seed {seed}".format(**SETTINGS))
print("what,at", *ATTENTIONS, sep=",")
tree = training_program.prepared(ROOT, "reference", "lab08")
program = training_program.build(tree, "lab08_train", "lab08")
for length in (4, 8, 16, 32):
    losses, accuracies = [], []
    for attention in ATTENTIONS:
        events: list[training_program.Event] = []
        with tempfile.TemporaryDirectory() as out:
            training_program.listen(program, SETTINGS | {"attention": attention, "length": length, "out": out}, None, events.append)
        losses.append([event["loss"] for event in events if event["event"] == "step"])
        accuracies += ["%.4f" % event["accuracy"] for event in events if event["event"] == "test"]
    for at in range(EACH, len(losses[0]) + 1, EACH) if length == SHOWN_LENGTH else ():
        print("loss", at, *("%.4f" % mean(each[at - EACH:at]) for each in losses), sep=",")
    print("accuracy", length, *accuracies, sep=",", flush=True)
