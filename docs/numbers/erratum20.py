"""What a chunk of 64 tokens writes by the delta rule, β = 1: by substitution, and by an inverse as a product of powers.

Entries are drawn uniformly from -1 to 1 and sums are loops, so that rounding is the same in all releases of Python.
"""

from math import sqrt
from random import Random
from statistics import median

from delta_rule import distance

C, D, DRAWS = 64, 16, 10


def times(row, B):
    """A row times a matrix; entries that are 0 are left out."""
    result = [0.0] * len(B[0])
    for a, b in zip(row, B):
        if a != 0.0:
            result = [x + a * y for x, y in zip(result, b)]
    return result


def product(A, B):
    return [times(row, B) for row in A]


def plus_identity(A, factor=1.0):
    return [[factor * a + (i == j) for j, a in enumerate(row)] for i, row in enumerate(A)]


def recurrence(K, V):
    S, U = [[0.0] * D for _ in range(D)], []
    for k, v in zip(K, V):
        U.append([x - y for x, y in zip(v, times(k, S))])
        S = [[s + a * u for s, u in zip(row, U[-1])] for row, a in zip(S, k)]
    return U


def substituted(L, V):
    U = []
    for row, v in zip(L, V):
        U.append([x - y for x, y in zip(v, times(row, U))] if U else v)
    return U


def by_powers(L, V):
    """(I + L)⁻¹ V = (I − L)(I + L²)(I + L⁴) … (I + L³²) V, exact in algebra since L⁶⁴ = 0; and the largest entry of a power."""
    inverse, power, largest = plus_identity(L, -1.0), L, 0.0
    for _ in range(5):
        power = product(power, power)
        largest = max(largest, max(abs(a) for row in power for a in row))
        inverse = product(inverse, plus_identity(power))
    return product(inverse, V), largest


def measure(random, own):
    """Relative errors for keys that are one vector plus `own` times another for each token."""
    one, *rest = [[random.uniform(-1.0, 1.0) for _ in range(D)] for _ in range(2 * C + 1)]
    keys = [[(own < 1.0) * a + own * b for a, b in zip(one, k)] for k in rest[:C]]
    K = [[a / sqrt(times(k, [[x] for x in k])[0]) for a in k] for k in keys]
    V = rest[C:]
    right = recurrence(K, V)
    L = [[times(k, [[x] for x in K[j]])[0] if j < i else 0.0 for j in range(C)] for i, k in enumerate(K)]
    powers, largest = by_powers(L, V)
    return distance(substituted(L, V), right), distance(powers, right), largest


random = Random(1)
print(f"chunk of {C}, d = {D}, {DRAWS} draws, medians: largest error of U, divided by its largest entry")
print(f"{'keys':40}substitution  product of powers  largest entry")
for name, own in (("independent keys", 1.0), ("one vector + half of another for each", 0.5),
                  ("one vector + a tenth", 0.1), ("one key, 64 times", 0.0)):
    solved, powers, largest = (median(values) for values in zip(*(measure(random, own) for _ in range(DRAWS))))
    print(f"{name:40}{'below 1e-13' if solved < 1e-13 else f'{solved:.0e}':>12}"
          f"{'below 1e-13' if powers < 1e-13 else f'{powers:.2g}':>19}{largest:15.0e}")
