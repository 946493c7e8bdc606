"""The softmax kernel without the norms that positive random features subtract: what this does to the weights of the keys."""

from math import exp
from random import Random
from statistics import median

from vectors import attention, dot, normal_rows, relative_error

D, N, DRAWS = 64, 64, 20

random = Random(1)
errors, distortions = [], []
for _ in range(DRAWS):
    Q, K, V = (normal_rows(random, N, D) for _ in range(3))
    halves = [dot(k, k) / D**0.5 / 2 for k in K]  # ‖k̂‖²/2
    right = [[exp(dot(q, k) / D**0.5) for k in K] for q in Q]
    wrong = [[weight * exp(half) for weight, half in zip(row, halves)] for row in right]
    errors.append(relative_error(attention(wrong, V), attention(right, V)))
    distortions.append(exp(max(halves) - min(halves)))
print(f"d = {D}, n = {N}, no mask, {DRAWS} draws, medians; the kernel itself, no random features")
print(f"relative error of the outputs: {median(errors):.2f}")
print(f"ratio of two keys' weights wrong by a factor of up to {median(distortions):.0f}")
