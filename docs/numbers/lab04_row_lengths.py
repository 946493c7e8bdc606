"""Where the lengths of orthogonal rows may come from: the mean of the estimate as a part of the kernel, along two axes.

A = QR is orthogonalised column by column. Only lengths that are independent of the directions give 1.
"""

from math import exp, sqrt
from random import Random

from vectors import dot, norm, normal_rows

D, BLOCKS, SQUARED_NORM = 8, 8000, 2.0


def orthogonalised(columns):
    Q = []
    for column in columns:
        for earlier in Q:
            along = dot(column, earlier)
            column = [a - along * b for a, b in zip(column, earlier)]
        length = norm(column)
        Q.append([a / length for a in column])
    return Q


random = Random(1)
sums = {}
for _ in range(BLOCKS):
    columns = normal_rows(random, D, D)
    Q = orthogonalised(columns)
    rows_of_A, rows_of_Q = list(zip(*columns)), list(zip(*Q))
    for name, directions, lengths in (("columns of Q, lengths drawn for them", Q, normal_rows(random, D, D)),
                                      ("columns of Q, lengths of A's columns", Q, columns),
                                      ("columns of Q, lengths of A's rows", Q, rows_of_A),
                                      ("rows of Q, lengths of A's rows", rows_of_Q, rows_of_A)):
        totals = sums.setdefault(name, [0.0, 0.0])
        for direction, source in zip(directions, lengths):
            for i, axis in enumerate((0, D - 1)):
                totals[i] += exp(norm(source) * direction[axis] * sqrt(SQUARED_NORM) - SQUARED_NORM / 2)
print(f"d = {D}, squared norm {SQUARED_NORM:g}, {BLOCKS} blocks        first axis  last axis")
for name, totals in sums.items():
    print(f"{name:<42} {totals[0] / (BLOCKS * D):6.2f} {totals[1] / (BLOCKS * D):10.2f}")
