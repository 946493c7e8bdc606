"""exp features with a shift for each key: the error of the outputs, and how far weights are distorted."""

from math import exp
from random import Random
from statistics import median

from vectors import attention, dot, normal_rows, relative_error

D, N, DRAWS = 4, 64, 50

random = Random(1)
errors, distortions = [], []
for _ in range(DRAWS):
    Q, K, V = (normal_rows(random, N, D) for _ in range(3))
    queries = [[exp(a) for a in q] for q in Q]
    right = [[dot(q, [exp(a) for a in k]) for k in K] for q in queries]
    wrong = [[dot(q, [exp(a - max(k)) for a in k]) for k in K] for q in queries]
    errors.append(relative_error(attention(wrong, V), attention(right, V)))
    shifts = [max(k) for k in K]
    distortions.append(exp(max(shifts) - min(shifts)))
print(f"d = {D}, n = {N}, no mask, {DRAWS} draws, medians")
print(f"relative error of the outputs: {median(errors):.2f}")
print(f"ratio of two keys' weights wrong by a factor of up to {median(distortions):.0f}")
