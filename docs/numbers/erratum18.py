"""The gated delta rule, one chunk of 64 tokens by matrices: with the decays in both products, and with a mask of 0 and 1."""

from math import exp
from random import Random
from statistics import median

from delta_rule import distance, gated_delta_rule, inputs
from vectors import dot

N, D, DRAWS = 64, 16, 20


def decays(log_decay):
    """Row i, column j ≤ i: how much of what token j wrote is left when token i reads."""
    return [[exp(sum(log_decay[j + 1:i + 1])) for j in range(i + 1)] for i in range(len(log_decay))]


def ones(log_decay):
    return [[1.0] * (i + 1) for i in range(len(log_decay))]


def chunk(Q, K, V, beta, in_the_system, in_the_outputs):
    U = []
    for i, (k, v, b) in enumerate(zip(K, V, beta)):
        weights = [dot(k, K[j]) * in_the_system[i][j] for j in range(i)]
        U.append([b * (x - dot(weights, [u[c] for u in U])) for c, x in enumerate(v)])
    outputs = []
    for i, q in enumerate(Q):
        weights = [dot(q, K[j]) * in_the_outputs[i][j] for j in range(i + 1)]
        outputs.append([dot(weights, [u[c] for u in U[:i + 1]]) for c in range(len(V[0]))])
    return outputs


random = Random(1)
forms = {"decays in both": (decays, decays), "mask in the outputs, as printed": (decays, ones), "mask in the system": (ones, decays)}
far = {name: [] for name in forms}
for _ in range(DRAWS):
    Q, K, V, beta, log_decay = inputs(random, N, D)
    right = gated_delta_rule(Q, K, V, beta, log_decay)
    for name, (system, outputs) in forms.items():
        far[name].append(distance(chunk(Q, K, V, beta, system(log_decay), outputs(log_decay)), right))
print(f"{N} tokens, d = {D}, {DRAWS} draws: largest difference from the recurrence, divided by the largest output")
for name, values in far.items():
    print(f"{name:33}" + ("below 1e-12" if max(values) < 1e-12 else
                          f"median {median(values):.2f}, from {min(values):.2f} to {max(values):.2f}"))
