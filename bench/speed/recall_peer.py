"""The model of `./course train recall` as one writes it in PyTorch: a memory that is written and then asked."""

import math

import torch
from split_mix import Random

KEYS, VALUES, WRITES, QUERIES, WIDTH, BATCH = 8, 16, 32, 8, 32, 64
RATE = 0.006
NORMS = ("query", "key", "output")


class RecallBatches:
    """What training/recall.cpp draws: keys and values of the writes, keys that are asked, and their last values."""

    def draw(self, step: int) -> tuple:
        random = Random(1000000 + step)
        keys, values, asked, wanted = [], [], [], []
        for _ in range(BATCH):
            writes = [(random.below(KEYS), random.below(VALUES)) for _ in range(WRITES)]
            last = dict(writes)
            queries = [writes[random.below(WRITES)][0] for _ in range(QUERIES)]
            keys.append([key for key, _ in writes])
            values.append([value for _, value in writes])
            asked.append(queries)
            wanted.append([last[key] for key in queries])
        return tuple(torch.tensor(each) for each in (keys, values, asked, wanted))


class RecallModel:
    """A plain sum of k vᵀ, or the gated delta rule, write by write."""

    def __init__(self, memory: str, kind: torch.dtype):
        self.memory, seeds = memory, iter(range(1001, 2000))

        def normal(*shape: int) -> torch.Tensor:
            """Box and Muller, as labs/vocabulary/random.cpp."""
            random, numbers = Random(next(seeds)), []
            for _ in range(math.prod(shape) // 2):
                radius, angle = math.sqrt(-2 * math.log(1 - random.uniform())), 2 * math.pi * random.uniform()
                numbers += [radius * math.cos(angle), radius * math.sin(angle)]
            return torch.tensor(numbers, dtype=torch.float64).reshape(shape)

        w = {"keys": normal(KEYS, WIDTH), "values": normal(VALUES, WIDTH)}
        for name, out in (("q", WIDTH), ("k", WIDTH), ("v", WIDTH), ("head", VALUES)):
            w |= {f"{name}.W": normal(WIDTH, out) / math.sqrt(WIDTH), f"{name}.b": torch.zeros(out)}
        for name, begin in (("gate", 3.0), ("step", 0.0)):
            w |= {f"{name}.W": torch.zeros(WIDTH, 1), f"{name}.b": torch.full((1,), begin)}
        for name in NORMS:
            w |= {f"{name}.gain": torch.ones(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
        self.w = {name: each.to(kind).requires_grad_() for name, each in w.items()}
        self.optimizer = torch.optim.Adam(self.w.values(), lr=RATE, fused=True)

    def affine(self, name: str, x):
        return x @ self.w[f"{name}.W"] + self.w[f"{name}.b"]

    def norm(self, name: str, x):
        return torch.nn.functional.layer_norm(x, (WIDTH,), self.w[f"{name}.gain"], self.w[f"{name}.bias"], 1e-5)

    def read(self, q, k, v, gate, step):
        if self.memory == "sum":
            return q @ (k.transpose(-1, -2) @ v)
        decay, beta = torch.sigmoid(gate), torch.sigmoid(step)
        state = torch.zeros(BATCH, WIDTH, WIDTH, dtype=q.dtype)
        for i in range(WRITES):
            key = k[:, i:i + 1]
            state = decay[:, i:i + 1] * state
            state = state + key.transpose(-1, -2) @ (beta[:, i:i + 1] * (v[:, i:i + 1] - key @ state))
        return q @ state

    def step(self, number: int, batch: tuple) -> float:
        keys, values, asked, wanted = batch
        self.optimizer.zero_grad()
        written = self.w["keys"][keys] + self.w["values"][values]
        scale = WIDTH ** -0.5
        seen = self.read(scale * self.norm("query", self.affine("q", self.w["keys"][asked])),
                         scale * self.norm("key", self.affine("k", written)), self.affine("v", written),
                         self.affine("gate", written), self.affine("step", written))
        logits = self.affine("head", self.norm("output", seen))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())
