"""Linear attention whose inputs and features are bfloat16, with the state in float32 and in bfloat16: errors of the outputs;
then the largest error of one rounding, and of a rounded feature.

Sums are made in double, so that only roundings to bfloat16 show. Tokens are independent N(0, 1), d = 8, chunks of 16.
"""

from math import exp, frexp, ldexp
from random import Random

from vectors import dot, normal_rows, relative_error

D, CHUNK, LENGTHS = 8, 16, (64, 256, 1024, 4096)


def bfloat16(x):
    """The nearest number with 8 bits; Python's round() takes the even one of two."""
    exponent = frexp(x)[1] - 8
    return ldexp(round(ldexp(x, -exponent)), exponent)


def exact(x):
    return x


def elu_plus_one(x):
    return x + 1.0 if x > 0.0 else exp(x)


def outputs(Q, K, V, factor, state):
    """`factor` rounds inputs and features, `state` rounds S and z after each chunk."""
    features = [[[factor(elu_plus_one(factor(x))) for x in row] for row in X] for X in (Q, K)]
    values = [[*map(factor, v), 1.0] for v in V]  # the last column of S is z
    S, result = [[0.0] * (D + 1) for _ in range(D)], []
    for start in range(0, len(Q), CHUNK):
        read = [row[:] for row in S]
        for q, k, v in list(zip(*features, values))[start:start + CHUNK]:
            for row, entry in zip(S, k):
                for b, x in enumerate(v):
                    row[b] += entry * x
            sums = [dot(q, column) for column in zip(*S)]
            result.append([x / sums[-1] for x in sums[:-1]])
        brought = [[a - b for a, b in zip(*rows)] for rows in zip(S, read)]
        S = [[state(a + b) for a, b in zip(*rows)] for rows in zip(read, brought)]
    return result


def main():
    random = Random(5)
    Q, K, V = (normal_rows(random, max(LENGTHS), D) for _ in range(3))
    expected = outputs(Q, K, V, exact, exact)
    rows = {"inputs and features bfloat16": outputs(Q, K, V, bfloat16, exact),
            "S and z bfloat16 as well": outputs(Q, K, V, bfloat16, bfloat16)}
    print(f"{'error of the last 16 of n outputs':34}" + "".join(f"{f'n = {n}':>10}" for n in LENGTHS))
    for name, got in rows.items():
        print(f"{name:34}" + "".join(f"{relative_error(got[n - 16:n], expected[n - 16:n]):10.4f}" for n in LENGTHS))
    ones = 0.0
    for _ in range(1000):
        ones = bfloat16(ones + 1.0)
    print(f"1000 ones added up in bfloat16: {ones:.0f}")
    inputs = [k / 4096 for k in range(-8192, 8193)]  # from -2 to 2
    numbers = max(abs(bfloat16(x) / x - 1.0) for x in inputs if x)
    features = max(abs(bfloat16(elu_plus_one(bfloat16(x))) / elu_plus_one(x) - 1.0) for x in inputs)
    print(f"largest relative error for |x| <= 2: {numbers:.5f} of x, {features:.5f} of its feature")
    print(f"bounds: u = {2 ** -8:.5f} and 3u = {3 * 2 ** -8:.5f}")


if __name__ == "__main__":
    main()
