"""Times a step of training with the answer key beside the same model in PyTorch, in turns. `./course bench --train` runs it.

usage: train_peers.py PROGRAM RECALL_PROGRAM ROOT FOLDER THREADS     prints a line of JSON for each measurement

Both begin with the same weights and train on the same batches. The losses of the first ten steps have to agree before anything
is timed. Wall clock, from the second step on: after the first, our program also looks whether a function remembers something.
PyTorch's batches are drawn before; ours are drawn while the time runs, which takes it some microseconds.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy
import torch
from peers import ROUNDS, spread
from recall_peer import KEYS, RATE, WIDTH, WRITES, RecallBatches, RecallModel
from split_mix import Random

STEPS, TOLERANCE = 10, 1e-10
LEAST = 0.7  # seconds that a measurement takes: of short steps, more are timed
HEADS, NORM_EPSILON, ATTENTION_EPSILON = 4, 1e-5, 1e-6
COMMON = {"heads": HEADS, "seed": 1, "attention": "linear", "resume": 0, "every": 10000}
TASKS = {
    "copy": {"length": 8, "layers": 1, "width": 32, "batch": 32, "rate": 0.003, "steps": 4000, "file": ""},
    "digits": {"length": 64, "layers": 2, "width": 64, "batch": 32, "rate": 0.01, "steps": 400, "file": "training/digits.txt"},
    "text": {"length": 128, "layers": 2, "width": 64, "batch": 16, "rate": 0.005, "steps": 400,
             "file": "labs/lab01_feature_maps/README.md"},
}


class Batches:
    """What training/train.cpp draws: ids, targets, and where a target counts, for a step from 1 on."""

    def __init__(self, root: Path, task: str, settings: dict):
        self.task, self.length, self.batch = task, settings["length"], settings["batch"]
        if task == "digits":
            lines = (root / settings["file"]).read_text(encoding="utf-8").splitlines()
            images = [[int(grey, 36) for grey in line[:64]] for line in lines if len(line) > 64 and line[0] != "#"]
            self.images = torch.tensor(images)[:len(images) - 297]
        elif task == "text":
            words = (root / settings["file"]).read_bytes()
            place = {byte: at for at, byte in enumerate(sorted(set(words), key=lambda byte: byte - 256 * (byte > 127)))}  # char is signed
            self.text = torch.tensor([place[byte] for byte in words])

    def draw(self, step: int) -> tuple:
        random = Random(1000000 + step)
        if self.task == "copy":
            rows = []
            for _ in range(self.batch):
                symbols = [random.below(10) for _ in range(self.length)]
                rows.append([*symbols, 10, *symbols])
            sequences = torch.tensor(rows)
            counts = torch.arange(2 * self.length).ge(self.length).expand(self.batch, -1)
        elif self.task == "digits":
            chosen = self.images[[random.below(len(self.images)) for _ in range(self.batch)]]
            sequences = torch.cat([torch.full((self.batch, 1), 17), chosen], 1)
            counts = torch.ones(self.batch, 64)
        else:
            places = len(self.text) * 9 // 10 - self.length - 1
            starts = [random.below(places) for _ in range(self.batch)]
            sequences = torch.stack([self.text[start:start + self.length + 1] for start in starts])
            counts = torch.ones(self.batch, self.length)
        return sequences[:, :-1], sequences[:, 1:], counts


class Model:
    """Labs 07 and 08 as one writes them in PyTorch."""

    def __init__(self, weights: Path, layers: int, kind: torch.dtype, settings: dict):
        self.layers, self.settings = layers, settings
        names = json.loads((weights / "model.json").read_text(encoding="utf-8"))["weights"]
        self.w = {name: torch.tensor(numpy.load(weights / f"{name}.npy"), dtype=kind, requires_grad=True) for name in names}
        self.optimizer = torch.optim.Adam(self.w.values(), fused=True)

    def affine(self, name: str, x):
        return torch.addmm(self.w[f"{name}.b"], x.flatten(0, -2), self.w[f"{name}.W"]).view(*x.shape[:-1], -1)

    def norm(self, name: str, x):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.w[f"{name}.gain"], self.w[f"{name}.bias"], NORM_EPSILON)

    def attention(self, name: str, x):
        batch, n, d = x.shape
        q, k, v = (self.affine(f"{name}.{map}", x).view(batch, n, HEADS, d // HEADS).transpose(1, 2) for map in "QKV")
        q, k = (torch.nn.functional.elu(each) + 1 for each in (q, k))
        weights = (q @ k.transpose(-1, -2)).tril()
        read = weights @ v / (weights.sum(-1, keepdim=True) + ATTENTION_EPSILON)
        return self.affine(f"{name}.O", read.transpose(1, 2).reshape(batch, n, d))

    def loss(self, ids, targets, counts):
        x = self.w["embedding"][ids] + self.w["positions"][:ids.shape[1]]
        for layer in range(self.layers):
            name = f"blocks.{layer}"
            x = x + self.attention(f"{name}.attention", self.norm(f"{name}.before_attention", x))
            hidden = torch.nn.functional.gelu(self.affine(f"{name}.feed_forward.up", self.norm(f"{name}.before_feed_forward", x)))
            x = x + self.affine(f"{name}.feed_forward.down", hidden)
        logits = self.affine("head", self.norm("last", x))
        of_each = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
        return (of_each * counts.flatten()).sum() / counts.sum()

    def step(self, number: int, batch: tuple) -> float:
        self.optimizer.zero_grad()
        loss = self.loss(*batch)
        loss.backward()
        norm = torch.sqrt(sum((each.grad * each.grad).sum() for each in self.w.values()))
        if norm > 1:
            for each in self.w.values():
                each.grad /= norm
        falls = 1 - (number - 1) / self.settings["steps"] if self.settings["task"] != "copy" else 1
        self.optimizer.param_groups[0]["lr"] = self.settings["rate"] * falls
        self.optimizer.step()
        return float(loss.detach())


def ours(program: str, settings: dict, steps: int) -> list:
    """(loss, seconds since the start) after each step. The program is stopped after the last one."""
    words = [f"{name}={value}" for name, value in settings.items()]
    said = []
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            event = json.loads(line)
            if event["event"] == "step" and len(said) < steps:
                said.append((event["loss"], event["seconds"]))
                if len(said) == steps:
                    run.terminate()
    return said


def theirs(model, kind: torch.dtype, threads: int, batches: list) -> list:
    torch.set_num_threads(threads)
    trained = model(kind)
    as_kind = [tuple(each.to(kind) if each.is_floating_point() else each for each in batch) for batch in batches]
    began, said = time.perf_counter(), []
    for number, batch in enumerate(as_kind, start=1):
        said.append((trained.step(number, batch), time.perf_counter() - began))
    return said


def seconds_a_step(said: list) -> float:
    return (said[-1][1] - said[1][1]) / (len(said) - 2)


def models_of(program: str, root: Path, folder: Path, task: str) -> tuple:
    """Settings of our program, what makes a model in PyTorch with the same weights, and what draws its batches."""
    settings = COMMON | TASKS[task] | {"task": task}
    if settings["file"]:
        settings["file"] = str(root / settings["file"])
    first = folder / f"{task}-first"
    subprocess.run([program, *(f"{name}={value}" for name, value in (settings | {"steps": 0, "threads": 1, "out": first}).items())],
                   check=True, stdout=subprocess.DEVNULL)
    return settings, lambda kind: Model(first / "checkpoint", settings["layers"], kind, settings), Batches(root, task, settings)


def recall_of(memory: str, own: str) -> tuple:
    settings = {"task": "recall", "memories": memory, "own": own, "keys": KEYS, "writes": WRITES, "width": WIDTH, "clears": 0,
                "once": 0, "seed": 1, "rate": RATE, "steps": 4000, "every": 10000}
    return settings, lambda kind: RecallModel(memory, kind), RecallBatches()


def measure(task: str, program: str, settings: dict, model, batches, folder: Path, most_threads: int) -> None:
    first = ours(program, settings | {"threads": 1, "out": folder / "first"}, STEPS)
    drawn = [batches.draw(number) for number in range(1, max(STEPS, 2 + round(LEAST / seconds_a_step(first))) + 1)]
    expected = theirs(model, torch.float64, 1, drawn[:STEPS])
    apart = max(abs(loss - right) / right for (loss, _), (right, _) in zip(expected, first))
    if not apart < TOLERANCE:
        raise SystemExit(f"{task}: the losses of the first {STEPS} steps differ from PyTorch's by {apart:.1e} of their size")
    candidates = {}
    for threads in range(1, most_threads + 1):
        ways = settings | {"threads": threads, "out": folder / f"{task}-{threads}"}
        candidates[threads, "ours"] = lambda ways=ways: ours(program, ways, len(drawn))
        for name, kind in (("PyTorch, float64", torch.float64), ("PyTorch, float32", torch.float32)):
            candidates[threads, name] = lambda kind=kind, threads=threads: theirs(model, kind, threads, drawn)
    times: dict = {each: [] for each in candidates}
    for _ in range(ROUNDS):
        for each, run in candidates.items():
            times[each].append(seconds_a_step(run()))
    for (threads, peer), of_peer in times.items():
        print(json.dumps({"task": task, "threads": threads, "peer": peer, "seconds": statistics.median(of_peer),
                          "spread": spread(of_peer), "apart": apart}), flush=True)


def main(program: str, recall_program: str, root: str, folder: str, threads: str) -> None:
    print(json.dumps({"torch": torch.__version__}), flush=True)
    for task in TASKS:
        measure(task, program, *models_of(program, Path(root), Path(folder), task), Path(folder), int(threads))
    for name, its_program, memory, own in (("recall, sum of lab 08", program, "sum", ""),
                                           ("recall, sum of lab 09", recall_program, "sum", "sums,gradient"),
                                           ("recall, both", recall_program, "both", "sums,gradient")):
        measure(name, its_program, *recall_of(memory, own), Path(folder), int(threads))


if __name__ == "__main__":
    main(*sys.argv[1:])
