"""What orthogonal directions gain over independent ones: a closed form, and a simulation of it.

One block of d orthogonal rows with χ_d lengths, s = ‖q̂ + k̂‖²: the variance divided by that of d independent rows is
1 + (d - 1) (e^{-s} ₁F₁(d; d/2; s/2) - 1) / (e^s - 1).
"""

from math import exp, sqrt
from random import Random
from statistics import mean, stdev

from vectors import dot, norm, normal, normal_rows


def hypergeometric_1f1(a, b, x):
    term = total = 1.0
    k = 0
    while term > 1e-17 * total:
        term *= (a + k) * x / ((b + k) * (k + 1))
        total += term
        k += 1
    return total


def closed_form(d, s):
    return 1 + (d - 1) * (exp(-s) * hypergeometric_1f1(d, d / 2, s / 2) - 1) / (exp(s) - 1)


def orthogonal_rows(random, d):
    """Gram and Schmidt's way, whose diagonal of R is positive; then a χ_d length for each row."""
    rows = []
    for row in normal_rows(random, d, d):
        for earlier in rows:
            along = dot(row, earlier)
            row = [a - along * b for a, b in zip(row, earlier)]
        length = norm(row)
        rows.append([a / length for a in row])
    return [[a * length for a in row] for row in rows for length in (norm(normal(random, d)),)]


def simulated(d, s, random, blocks):
    """Var of the mean of exp(w·z - s/2) over a block, times d / (e^s - 1), and its standard error."""
    z = [sqrt(s)] + [0.0] * (d - 1)
    squares = []
    for _ in range(blocks):
        estimate = sum(exp(dot(w, z) - s / 2) for w in orthogonal_rows(random, d)) / d
        squares.append((estimate - 1) ** 2 * d / (exp(s) - 1))
    return f"{mean(squares):.2f} ± {stdev(squares) / sqrt(blocks):.2f}"


print("   s    d = 4    d = 8   d = 16   d = 64")
for s in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
    print(f"{s:4}", " ".join(f"{closed_form(d, s):8.3f}" for d in (4, 8, 16, 64)))
random = Random(1)
print(f"simulated, s = 0.5: d = 4 {simulated(4, 0.5, random, 30000)}, d = 8 {simulated(8, 0.5, random, 6000)}")
