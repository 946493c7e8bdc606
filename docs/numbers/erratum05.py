"""The identity as feature map: how many denominators Σ_j q_i·k_j are negative."""

from random import Random
from statistics import median

from vectors import dot, normal_rows

D, N, DRAWS = 16, 64, 100

random = Random(1)
negative = []
for _ in range(DRAWS):
    Q, K = normal_rows(random, N, D), normal_rows(random, N, D)
    z = [sum(column) for column in zip(*K)]
    negative.append(sum(dot(q, z) < 0 for q in Q) / N)
print(f"d = {D}, n = {N}, no mask, {DRAWS} draws")
print(f"negative denominators: median {median(negative):.0%}, from {min(negative):.0%} to {max(negative):.0%}")
