"""A state as a list of rows, d_k × d_v: read with a query, written by the delta rule of lab 09."""

from math import exp, log

from vectors import dot, norm, normal_rows


def unit_rows(random, rows, length):
    return [[a / norm(k) for a in k] for k in normal_rows(random, rows, length)]


def read(S, q):
    """Sᵀq"""
    return [dot(q, column) for column in zip(*S)]


def add(S, k, u):
    """S + k uᵀ"""
    return [[s + a * b for s, b in zip(row, u)] for row, a in zip(S, k)]


def forget(S, a):
    return [[a * s for s in row] for row in S]


def corrections(K, V, beta, log_decay):
    """(S, u) for each token: the state before it is written, and what its key writes: u = β (v − Sᵀk) with S decayed."""
    S = [[0.0] * len(V[0]) for _ in K[0]]
    steps = []
    for k, v, b, g in zip(K, V, beta, log_decay):
        S = forget(S, exp(g))
        steps.append((S, [b * (x - y) for x, y in zip(v, read(S, k))]))
        S = add(S, k, steps[-1][1])
    return steps


def gated_delta_rule(Q, K, V, beta, log_decay):
    return [read(add(S, k, u), q) for q, k, (S, u) in zip(Q, K, corrections(K, V, beta, log_decay))]


def inputs(random, n, d):
    """Keys of length 1, step sizes and decays between 0 and 1: Q, K, V, beta, log_decay."""
    beta = [1.0 / (1.0 + exp(-random.gauss(0.0, 1.0))) for _ in range(n)]
    log_decay = [-log(1.0 + exp(random.gauss(0.0, 1.0))) for _ in range(n)]
    return normal_rows(random, n, d), unit_rows(random, n, d), normal_rows(random, n, d), beta, log_decay


def distance(got, expected):
    """The largest difference of two matrices, divided by the largest entry of the second."""
    largest = max(abs(a - b) for rows in zip(got, expected) for a, b in zip(*rows))
    return largest / max(abs(b) for row in expected for b in row)
