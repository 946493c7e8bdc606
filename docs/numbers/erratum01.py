"""Rows of length 1, √d and χ_d: the mean of the FAVOR+ estimate as a part of the true kernel.

A uniformly distributed direction u of length L has E exp(L u·z) = ₀F₁(; d/2; L²‖z‖²/4). The kernel needs exp(‖z‖²/2).
"""

from math import exp, sqrt
from random import Random

from vectors import dot, norm, normal


def hypergeometric_0f1(b, x):
    term = total = 1.0
    k = 0
    while term > 1e-17 * total:
        term *= x / ((b + k) * (k + 1))
        total += term
        k += 1
    return total


def closed_form(d, length, squared_norm):
    return hypergeometric_0f1(d / 2, length**2 * squared_norm / 4) / exp(squared_norm / 2)


def simulated(d, length, squared_norm, random, draws=10000):
    """The same mean over random rows; `length` None stands for rows as they are drawn."""
    z = [sqrt(squared_norm)] + [0.0] * (d - 1)
    total = 0.0
    for _ in range(draws):
        w = normal(random, d)
        total += exp(dot(w, z) * (1.0 if length is None else length / norm(w)))
    return total / draws / exp(squared_norm / 2)


random = Random(1)
print("estimate / kernel at squared norm 2     d = 16            d = 64")
print("length of the rows              formula  simulated  formula  simulated")
for name, length in (("1", lambda d: 1.0), ("√d", sqrt), ("Gaussian", lambda d: None)):
    cells = []
    for d in (16, 64):
        exact = 1.0 if length(d) is None else closed_form(d, length(d), 2.0)
        cells.append(f"{exact:9.3f} {simulated(d, length(d), 2.0, random):9.2f}")
    print(f"{name:<28}", " ".join(cells))

print("rows of length 1, d = 64, unit q and k: the estimate where the kernel goes from exp(-0.9) to exp(0.9)")
for cosine in (-0.9, 0.0, 0.9):
    kernel = exp(cosine)
    print(f"  kernel {kernel:.2f}  estimate {closed_form(64, 1.0, 2 + 2 * cosine) * kernel:.3f}")
