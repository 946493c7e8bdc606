"""Vectors as lists, for the scripts beside this file."""

from math import sqrt
from operator import mul


def dot(a, b):
    return sum(map(mul, a, b))


def norm(a):
    return sqrt(dot(a, a))


def normal(random, length):
    """Independent N(0, 1) entries."""
    return [random.gauss(0.0, 1.0) for _ in range(length)]


def normal_rows(random, rows, length):
    return [normal(random, length) for _ in range(rows)]


def attention(weights, V):
    """Row i of the result: the values averaged with the weights of row i."""
    columns = list(zip(*V))
    return [[dot(row, column) / sum(row) for column in columns] for row in weights]


def relative_error(got, expected):
    """The length of the difference of two matrices, divided by the length of the second."""
    difference = [[a - b for a, b in zip(*rows)] for rows in zip(got, expected)]
    return sqrt(sum(map(dot, difference, difference)) / sum(map(dot, expected, expected)))
