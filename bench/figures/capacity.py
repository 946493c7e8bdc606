"""What a state of 32 × 32 recalls without training, by five rules: each of several keys is written as many times, in random
order, each time with another value, and then asked for. Recalled: what is read is nearer to the last value written under the
key than to every other value that was written."""

import sys
from pathlib import Path

import numpy as np
from labs import lab04, lab09

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))

from split_mix import Random

d, trials = 32, 100
nothing = np.zeros((trials, d, d))


def of_length_one(rows, seed):
    x = lab04.gaussian_projection(trials * rows, d, seed).reshape(trials, rows, d)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def delta(K, V):
    numbers = np.ones(K.shape[:2])
    return lab09.gated_delta_rule_resume(K, K, V, numbers, 0 * numbers, nothing).S


def decayed_sum(K, V, decay):
    S = nothing
    for k, v in zip(K.swapaxes(0, 1), V.swapaxes(0, 1)):
        S = decay * S + k[:, :, None] * v[:, None]
    return S


def least_squares(K, V, decay):
    """As 9.13, but what came before counts `decay` times as much at every write."""
    S, P = nothing, nothing + np.eye(d) / 1e-3
    for k, v in zip(K.swapaxes(0, 1), V.swapaxes(0, 1)):
        Pk = (P @ k[:, :, None])[..., 0]
        gain = Pk / (decay + np.sum(k * Pk, axis=-1, keepdims=True))
        S = S + gain[:, :, None] * (v - (k[:, None] @ S)[:, 0])[:, None]
        P = (P - gain[:, :, None] * Pk[:, None]) / decay
    return S


RULES = {"sum": lambda K, V: decayed_sum(K, V, 1.0), "decay": lambda K, V: decayed_sum(K, V, 0.95), "delta": delta,
         "least squares": lambda K, V: least_squares(K, V, 1.0),
         "forgetting least squares": lambda K, V: least_squares(K, V, 0.9)}


def written(keys, times, seed):
    """The keys; K and V of all writes; for each trial and key the write that counts."""
    table, V, random = of_length_one(keys, seed), of_length_one(keys * times, seed + 1), Random(seed + 2)
    order = np.tile(np.arange(keys * times) % keys, (trials, 1))
    for row in order:
        for i in range(len(row) - 1, 0, -1):
            other = random.below(i + 1)
            row[i], row[other] = row[other], row[i]
    last = np.array([[np.flatnonzero(row == key)[-1] for key in range(keys)] for row in order])
    return table, np.take_along_axis(table, order[..., None], 1), V, last


print(f"# d_k = d_v = {d}, random keys and values of length 1, {trials} trials; decay 0.95; least squares with ridge "
      "0.001, forgetting 0.9\ntimes,keys," + ",".join(RULES))
for times in (1, 4):
    for keys in (4, 8, 16, 24, 32, 48, 64):
        table, K, V, last = written(keys, times, 100 * times + keys)
        nearest = [np.argmax(table @ state(K, V) @ V.swapaxes(1, 2), axis=-1) for state in RULES.values()]  # all have length 1
        print(times, keys, *("%.4f" % np.mean(each == last) for each in nearest), sep=",")
