"""What a state returns for a key: the value that was stored, what the others add to it, and no "not found"."""

from random import Random
from statistics import median

from delta_rule import add, read, unit_rows
from vectors import norm, relative_error

D, DRAWS = 64, 20

print(f"d = {D}, a plain sum, keys and values of length 1, {DRAWS} draws, medians")
print(f"a read takes {2 * D * D} FLOPs, however few pairs there are")
print("pairs  error of a read  length of what a key returns that was never stored")
for pairs in (1, 8, 32, 64):
    random, errors, strangers = Random(1), [], []
    for _ in range(DRAWS):
        keys, values = unit_rows(random, pairs, D), unit_rows(random, pairs, D)
        S = [[0.0] * D for _ in range(D)]
        for k, v in zip(keys, values):
            S = add(S, k, v)
        errors.append(relative_error([read(S, k) for k in keys], values))
        strangers.append(norm(read(S, unit_rows(random, 1, D)[0])))
    print(f"{pairs:5}  {median(errors):15.2f}  {median(strangers):.2f}")
