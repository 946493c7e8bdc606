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
SHOWN_LENGTH, EACH = 16, 5  # steps between two points of the loss, which is their mean

print("# {layers} blocks, width {width}, {heads} heads; Adam {rate}, {batch} sequences a step, {steps} steps, seed {seed}".format(**SETTINGS))
print("what,attention,at,value")
tree = training_program.prepared(ROOT, "reference", "lab08")
program = training_program.build(tree, "lab08_train", "lab08")
for attention in ("hybrid", "linear", "softmax"):
    for length in (4, 8, 16, 32):
        events: list[training_program.Event] = []
        with tempfile.TemporaryDirectory() as out:
            training_program.listen(program, SETTINGS | {"attention": attention, "length": length, "out": out}, None, events.append)
        losses = [event["loss"] for event in events if event["event"] == "step"]
        for at in range(EACH, len(losses) + 1, EACH) if length == SHOWN_LENGTH else ():
            print(f"loss,{attention},{at},{mean(losses[at - EACH:at]):.4f}")
        accuracy = next(event["accuracy"] for event in events if event["event"] == "test")
        print(f"accuracy,{attention},{length},{accuracy:.4f}", flush=True)
