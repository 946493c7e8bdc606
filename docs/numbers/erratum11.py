"""The gradient of normalised causal attention, checked by differences; and what the numerator's gradient lacks."""

from math import exp
from random import Random
from statistics import median

from vectors import dot, normal_rows, relative_error

N, D, DRAWS = 32, 8, 20


def elu_plus_one(x):
    return [a + 1 if a > 0 else exp(a) for a in x]


def loss(Q, K, V, G):
    """Σ_i G_i·o_i"""
    total = 0.0
    for i, q in enumerate(Q):
        weights = [dot(q, k) for k in K[: i + 1]]
        total += sum(w * dot(G[i], v) for w, v in zip(weights, V)) / sum(weights)
    return total


def gradients(Q, K, V, G, whole):
    """dQ and dK. Weight w_ij = q_i·k_j gets G_i·v_j / s_i, and with the normaliser g_i = -G_i·o_i / s_i as well."""
    dQ, dK = ([[0.0] * D for _ in range(N)] for _ in range(2))
    for i in range(N):
        weights = [dot(Q[i], k) for k in K[: i + 1]]
        s = sum(weights)
        arriving = [dot(G[i], v) for v in V[: i + 1]]
        g = -dot(weights, arriving) / s**2 if whole else 0.0
        for j, a in enumerate(arriving):
            for b in range(D):
                dQ[i][b] += (a / s + g) * K[j][b]
                dK[j][b] += (a / s + g) * Q[i][b]
    return dQ, dK


random = Random(1)
worst, errors = 0.0, ([], [])
for _ in range(DRAWS):
    Q, K = ([elu_plus_one(x) for x in normal_rows(random, N, D)] for _ in range(2))
    V, G = normal_rows(random, N, D), normal_rows(random, N, D)
    whole, numerator = (gradients(Q, K, V, G, whole) for whole in (True, False))
    for X, dX in ((Q, whole[0]), (K, whole[1])):
        i, a = random.randrange(N), random.randrange(D)
        x, h = X[i][a], 1e-5
        X[i][a] = x + h
        above = loss(Q, K, V, G)
        X[i][a] = x - h
        worst = max(worst, abs((above - loss(Q, K, V, G)) / (2 * h) - dX[i][a]))
        X[i][a] = x
    for found, got, expected in zip(errors, numerator, whole):
        found.append(relative_error(got, expected))
print(f"n = {N}, d = {D}, features elu + 1 of N(0, 1), {DRAWS} draws")
print("the whole gradient agrees with central differences to 1e-8:", worst < 1e-8)
print(f"without the normaliser's part: dq wrong by {median(errors[0]):.0%}, dk by {median(errors[1]):.0%}")
