"""A plain sum copies: position j is a key, symbol j its value, and the answer is the symbol with the highest score."""

from random import Random

from delta_rule import add, read, unit_rows

D, SYMBOLS, TRIALS, LENGTHS = 64, 10, 20, (8, 16, 32, 64, 128, 256)


def axes(_, rows):
    """Orthonormal keys: of width D there are only D."""
    return [[float(a == j) for a in range(D)] for j in range(rows)]


def random_units(random, rows):
    return unit_rows(random, rows, D)


def copied(random, keys_of, length):
    """The share of the symbols that come back."""
    right = 0
    for _ in range(TRIALS):
        keys, symbols = keys_of(random, length), random.choices(range(SYMBOLS), k=length)
        S = [[0.0] * SYMBOLS for _ in range(D)]
        for key, symbol in zip(keys, symbols):
            S = add(S, key, [float(s == symbol) for s in range(SYMBOLS)])
        for key, symbol in zip(keys, symbols):
            scores = read(S, key)
            right += scores.index(max(scores)) == symbol
    return f"{right / (TRIALS * length):.0%}"


print(f"state of {D} × {SYMBOLS} numbers, {SYMBOLS} symbols, {TRIALS} sequences of each length; chance is {1 / SYMBOLS:.0%}")
print(f"{'length':18}" + "".join(f"{length:>6}" for length in LENGTHS))
for name, keys_of, most in (("orthonormal keys", axes, D), ("random unit keys", random_units, LENGTHS[-1])):
    random = Random(1)
    print(f"{name:18}" + "".join(f"{copied(random, keys_of, length) if length <= most else '':>6}" for length in LENGTHS).rstrip())
