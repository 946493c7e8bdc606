"""Forget, then compare, or compare, then forget: the worked example of lab 09, and random inputs."""

from math import exp, log
from random import Random
from statistics import median

from delta_rule import add, distance, forget, gated_delta_rule, inputs, read

N, D, DRAWS = 64, 16, 20


def compared_first(Q, K, V, beta, log_decay):
    S = [[0.0] * len(V[0]) for _ in K[0]]
    outputs = []
    for q, k, v, b, g in zip(Q, K, V, beta, log_decay):
        u = [b * (x - y) for x, y in zip(v, read(S, k))]
        S = add(forget(S, exp(g)), k, u)
        outputs.append(read(S, q))
    return outputs


K, V = [[1.0, 0.0], [0.6, 0.8], [1.0, 0.0]], [[1.0], [2.0], [4.0]]
example = K, K, V, [1.0] * 3, [log(0.5)] * 3
print("worked example, read with its own key right after each write")
for name, rule in ("forget, then compare", gated_delta_rule), ("compare, then forget", compared_first):
    print(f"  {name:22}" + "  ".join(f"{output:.4g}" for [output] in rule(*example)))

random = Random(1)
far = []
for _ in range(DRAWS):
    drawn = inputs(random, N, D)
    far.append(distance(compared_first(*drawn), gated_delta_rule(*drawn)))
print(f"{N} tokens, d = {D}, {DRAWS} draws: largest difference, divided by the largest output")
print(f"  median {median(far):.2f}, from {min(far):.2f} to {max(far):.2f}")
