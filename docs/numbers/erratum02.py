"""The signs of a QR factorisation: one-sided exponentials with rows of Q as LAPACK's reflections give them, and fixed."""

from math import copysign, exp, sqrt
from random import Random

from vectors import dot, norm, normal, normal_rows

D, DRAWS = 16, 1500


def qr(columns):
    """Householder's reflections with LAPACK's choice: column j becomes -sign(a_jj) times its length.

    Returns the columns of Q, and the diagonal of R.
    """
    d = len(columns)
    columns = [list(column) for column in columns]
    reflections, diagonal = [], []
    for j in range(d - 1):
        v = [0.0] * j + columns[j][j:]
        diagonal.append(-copysign(norm(v), v[j]))
        v[j] -= diagonal[j]
        scale = 2.0 / dot(v, v)
        reflections.append((v, scale))
        for k in range(j, d):
            factor = scale * dot(v, columns[k])
            columns[k] = [a - factor * b for a, b in zip(columns[k], v)]
    diagonal.append(columns[-1][-1])
    Q = [[float(a == j) for a in range(d)] for j in range(d)]
    for v, scale in reversed(reflections):
        for j, q in enumerate(Q):
            factor = scale * dot(v, q)
            Q[j] = [a - factor * b for a, b in zip(q, v)]
    return Q, diagonal


random = Random(1)
u = [sqrt(2.0 / D)] * D  # squared norm 2, along (1, …, 1)
sums = {"as LAPACK gives them": [0.0, 0.0], "fixed": [0.0, 0.0]}
for _ in range(DRAWS):
    Q, diagonal = qr(normal_rows(random, D, D))
    for q, r in zip(Q, diagonal):
        along = norm(normal(random, D)) * dot(q, u)
        for name, sign in (("as LAPACK gives them", 1.0), ("fixed", copysign(1.0, r))):
            sums[name][0] += exp(sign * along)
            sums[name][1] += exp(-sign * along)
print("mean of exp(w·u) / exp(‖u‖²/2)       u       -u")
for name, (plus, minus) in sums.items():
    print(f"signs {name:<24} {plus / (DRAWS * D * exp(1)):9.2f} {minus / (DRAWS * D * exp(1)):8.2f}")
