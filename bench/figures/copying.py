"""The copy task with three kinds of attention: the loss while a model learns one length, and what is right after as many steps
at every length. Trained by the program behind ./course train copy."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from course import training_program

SETTINGS = {"task": "copy", "layers": 2, "width": 64, "heads": 4, "batch": 32, "rate": 0.003, "steps": 120, "seed": 1, "resume": 0,
            "falls": 0, "again": "", "more": "", "file": "", "every": 1000, "threads": training_program.cores()}
ATTENTIONS = ("hybrid", "linear", "softmax")
SHOWN_LENGTH, EACH = 16, 5  # steps between two points of the loss, which is their mean

print("# {layers} blocks, width {width}, {heads} heads; Adam {rate}, {batch} sequences a step, {steps} steps, seed {seed}".format(**SETTINGS))
print("what,at", *ATTENTIONS, sep=",")
tree = training_program.prepared(ROOT, "reference", "lab08")
program = training_program.build(tree, "lab08_train", "lab08")
for length in (4, 8, 16, 32):
    losses, accuracies = [], []
    for attention in ATTENTIONS:
        with tempfile.TemporaryDirectory() as out:
            settings = SETTINGS | {"attention": attention, "length": length, "out": out}
            said = subprocess.run([program, *(f"{name}={value}" for name, value in settings.items())], env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                                  stdout=subprocess.PIPE, text=True, check=True).stdout
            losses.append([float(line.partition(",")[2]) for line in Path(out, "loss.csv").read_text(encoding="utf-8").splitlines()[1:]])
        accuracies.append("%.4f" % (float(re.search(r"([0-9.]+)% right", said)[1]) / 100))
    for at in range(EACH, len(losses[0]) + 1, EACH) if length == SHOWN_LENGTH else ():
        print("loss", at, *("%.4f" % mean(each[at - EACH:at]) for each in losses), sep=",")
    print("accuracy", length, *accuracies, sep=",", flush=True)
