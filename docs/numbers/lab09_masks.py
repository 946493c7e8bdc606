"""Five ways to compute the mask of decays of 64 tokens: how many entries are not finite, and the error of the others."""

from fractions import Fraction
from itertools import accumulate
from math import exp, inf, isfinite, nan
from operator import add, mul
from struct import pack, unpack

N = 64


def single(x):
    """x rounded to float32."""
    try:
        return unpack("f", pack("f", x))[0]
    except OverflowError:
        return inf


def double(x):
    return x


def exponential(x, to):
    return inf if x > 709.0 else to(exp(x))


def ratios(log_a, to):
    P = list(accumulate((exponential(x, to) for x in log_a), lambda p, a: to(p * a)))
    return [[to(P[i] / P[j]) if P[j] else (nan if P[i] == 0.0 else inf) for j in range(i + 1)] for i in range(N)]


def masked_afterwards(log_a, to):
    G = list(accumulate(log_a, lambda g, x: to(g + x)))
    return [[exponential(to(G[i] - G[j]), to) * (j <= i) for j in range(N)] for i in range(N)]


def differences(log_a, to):
    G = list(accumulate(log_a, lambda g, x: to(g + x)))
    return [[exponential(to(G[i] - G[j]), to) for j in range(i + 1)] for i in range(N)]


def own(log_a, to, operation, start):
    """Column j starts at the diagonal; each entry is made of the one above it and of token i's own term."""
    columns = [list(accumulate(log_a[j + 1:], lambda x, y: to(operation(x, y)), initial=start)) for j in range(N)]
    return [[columns[j][i - j] for j in range(i + 1)] for i in range(N)]


def own_sums(log_a, to):
    return [[exponential(x, to) for x in row] for row in own(log_a, to, add, 0.0)]


def own_products(log_a, to):
    return own([exponential(x, to) for x in log_a], to, mul, 1.0)


def judged(mask, log_a):
    """How many entries are not finite, and the largest relative error of those whose right value is above 1e-30."""
    bad, worst = sum(not isfinite(x) for row in mask for x in row), 0.0
    for j in range(N):
        exponent = Fraction(0)
        for i in range(j, N):
            if i > j and log_a[i] == -inf:
                break  # 0 from here on
            exponent += Fraction(log_a[i]) if i > j else 0
            if exponent < -69:
                break
            if isfinite(mask[i][j]):
                worst = max(worst, abs(mask[i][j] / exp(exponent) - 1.0))
    return f"{bad:>5}{'-' if worst < 1e-14 else f'{worst:.0e}' if worst < 1.0 else 'lost':>8}"


def one_of(value):
    return [-0.01] * 3 + [value] + [-0.01] * (N - 4)


cases = (("all -5", [-5.0] * N, single), ("all -20", [-20.0] * N, double), ("one -1e4", one_of(-1e4), single),
         ("one -1e4", one_of(-1e4), double), ("one -inf", one_of(-inf), double))
ways = {"ratios of products": ratios, "exp, then the mask": masked_afterwards, "mask, then exp: differences": differences,
        "own terms added, exp": own_sums, "own decays multiplied": own_products}
print(f"{'log a of the 64 tokens':28}" + "".join(f"{name:>13}" for name, *_ in cases))
print(f"{'computed in':28}" + "".join(f"{'float32' if to is single else 'double':>13}" for *_, to in cases))
print(f"{'':28}" + f"{'bad':>5}{'error':>8}" * len(cases))
for name, way in ways.items():
    cells = []
    for _, log_a, to in cases:
        log_a = [to(x) for x in log_a]
        cells.append(judged(way(log_a, to), log_a))
    print(f"{name:28}" + "".join(cells))
print("""
bad    how many of the 4096 entries are NaN or infinite
error  the largest relative error of the other entries
-      an error below 1e-14
lost   an entry is 0 whose right value is above 1e-30""")
