"""Two similarities of 8 unit vectors, 45 degrees apart: a sum that a product of features cannot make negative."""

from math import cos, exp, pi, sin

from vectors import dot

SIMILARITIES = {"exp(q·k)": exp, "relu(q·k)": lambda score: max(score, 0.0)}

vectors = [(cos(pi * i / 4), sin(pi * i / 4)) for i in range(8)]
for name, similarity in SIMILARITIES.items():
    sum_of_all = sum((-1) ** (i + j) * similarity(dot(vectors[i], vectors[j])) for i in range(8) for j in range(8))
    print(f"{name:10} sum over i and j of (-1)^(i+j) sim(x_i, x_j): {sum_of_all:.2f}")
