"""Rotary positions with a feature map: the weight of a query and a key two tokens apart, rotated after φ and before it."""

from math import cos, exp, sin
from random import Random

from vectors import dot, normal_rows

D = 8


def elu_plus_one(x):
    return [a + 1.0 if a > 0.0 else exp(a) for a in x]


def rotated(x, position):
    """Each pair of entries by an angle that grows with the position, every pair at a speed of its own."""
    y = []
    for a in range(0, D, 2):
        angle = position * 10000.0 ** (-a / D)
        y += [x[a] * cos(angle) - x[a + 1] * sin(angle), x[a] * sin(angle) + x[a + 1] * cos(angle)]
    return y


def main():
    [q], [k] = normal_rows(Random(7), 1, D), normal_rows(Random(8), 1, D)
    print(f"{'positions of q and k':24}{'φ, then rotated':>18}{'rotated, then φ':>18}")
    for i, j in ((5, 3), (15, 13)):
        after = dot(rotated(elu_plus_one(q), i), rotated(elu_plus_one(k), j))
        before = dot(elu_plus_one(rotated(q, i)), elu_plus_one(rotated(k, j)))
        print(f"{f'{i} and {j}':24}{after:18.4f}{before:18.4f}")


if __name__ == "__main__":
    main()
