"""Sines and cosines against positive features: denominators that are not positive, and the error of the outputs."""

from math import cos, exp, sin
from random import Random
from statistics import median

from vectors import attention, dot, normal_rows, relative_error

D, M, N, QUERIES, DRAWS = 64, 256, 256, 64, 5


def trigonometric(angles, half_norm):
    scale = exp(half_norm)
    return [scale * cos(a) for a in angles] + [scale * sin(a) for a in angles]


def positive(angles, half_norm):
    return [exp(a - half_norm) for a in angles]


random = Random(1)
negative, errors = [], {trigonometric: [], positive: []}
for _ in range(DRAWS):
    Q, K = ([[a / D**0.25 for a in x] for x in normal_rows(random, rows, D)] for rows in (QUERIES, N))
    V, W = normal_rows(random, N, D), normal_rows(random, M, D)
    expected = attention([[exp(dot(q, k)) for k in K] for q in Q], V)
    queries, keys = ([([dot(w, x) for w in W], dot(x, x) / 2) for x in X] for X in (Q, K))
    for features in errors:
        phi_K = [features(*k) for k in keys]
        weights = [[dot(phi_q, phi_k) for phi_k in phi_K] for phi_q in (features(*q) for q in queries)]
        errors[features].append(relative_error(attention(weights, V), expected))
        if features is trigonometric:
            negative.append(sum(sum(row) <= 0 for row in weights) / QUERIES)
print(f"d = {D}, m = {M}, n = {N} keys, {QUERIES} queries, no mask, {DRAWS} draws: median (smallest, largest)")
print(f"trigonometric denominators at or below 0: {median(negative):.0%} ({min(negative):.0%}, {max(negative):.0%})")
for features, found in errors.items():
    print(f"error of the outputs, {features.__name__:<14} {median(found):6.1f} ({min(found):.1f}, {max(found):.1f})")
