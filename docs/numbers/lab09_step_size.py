"""The delta rule with steps that are too large: one key written again and again, and random keys that are not of length 1."""

from math import sqrt
from random import Random

from delta_rule import add, read
from vectors import norm, normal

D, WRITES = 32, (16, 64, 256)

print("one key of length 1, v = 1, written 10 times: what is read after each of the first writes, and after the last")
for beta in (0.5, 1.0, 1.5, 1.9, 2.0, 2.1):
    s, shown = 0.0, []
    for _ in range(10):
        s += beta * (1.0 - s)
        shown.append(f"{s:8.3f}")
    print(f"  β = {beta}:" + "".join(shown[:3]) + "  …" + shown[-1])

print(f"random keys, β = 1, d = {D}: largest entry of S after {', '.join(map(str, WRITES))} writes")
for name, length in (("length 1", 1.0), ("N(0, 1) entries, length near 5.7", None), ("the same / √d, length near 1", sqrt(D))):
    random, S = Random(1), [[0.0] * D for _ in range(D)]
    line = f"  {name:34}"
    for i in range(max(WRITES)):
        k, v = normal(random, D), normal(random, D)
        scale = 1.0 if length is None else norm(k) if length == 1.0 else length
        k = [a / scale for a in k]
        S = add(S, k, [x - y for x, y in zip(v, read(S, k))])
        if i + 1 in WRITES:
            line += f"{max(abs(s) for row in S for s in row):9.0e}"
    print(line)
