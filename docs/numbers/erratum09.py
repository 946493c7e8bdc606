"""What a state of d_k × d_v numbers can recall: by a plain sum, by least squares, and with elu + 1."""

from math import exp, sqrt
from random import Random
from statistics import median

from vectors import attention, dot, norm, normal_rows, relative_error


def unit(x):
    return [a / norm(x) for a in x]


def elu_plus_one(x):
    return [a + 1 if a > 0 else exp(a) for a in x]


def solve(A, B):
    """X with A X = B, by elimination with row pivoting."""
    rows = [list(a) + list(b) for a, b in zip(A, B)]
    n = len(rows)
    for j in range(n):
        best = max(range(j, n), key=lambda i: abs(rows[i][j]))
        rows[j], rows[best] = rows[best], rows[j]
        rows[j] = [a / rows[j][j] for a in rows[j]]
        for i in range(n):
            if i != j:
                factor = rows[i][j]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[j])]
    return [row[n:] for row in rows]


random = Random(1)
keys, values = normal_rows(random, 64, 64), normal_rows(random, 64, 16)
S = list(zip(*solve(keys, values)))
recalled = [[dot(k, column) for column in S] for k in keys]
print("64 random keys, d_k = 64, d_v = 16, least squares: relative error below 1e-9:",
      relative_error(recalled, values) < 1e-9)

sums, normalised = [], []
for _ in range(10):
    keys, values = normal_rows(random, 32, 64), normal_rows(random, 32, 64)
    units = [unit(k) for k in keys]
    columns = list(zip(*values))
    recalled = [[dot([dot(q, k) for k in units], column) for column in columns] for q in units]
    sums.append(relative_error(recalled, values))
    features = [elu_plus_one(k) for k in keys]
    weights = [[dot(q, k) for k in features] for q in features]
    normalised.append(relative_error(attention(weights, values), values))
print(f"32 random unit keys, d_k = d_v = 64, a plain sum: {median(sums):.2f}; the formula √(31/64) is {sqrt(31 / 64):.2f}")
print(f"32 random keys, normalised, elu + 1: {median(normalised):.2f}")
