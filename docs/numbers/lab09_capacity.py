"""What a memory of width 32 recalls without any training: 8 keys written once among 8 written seven times."""

from random import Random

from delta_rule import add, forget, read, unit_rows
from vectors import dot

D, TRIALS = 32, 40
TIMES = [1] * 8 + [7] * 8  # how often each key is written


def zeros():
    return [[0.0] * D for _ in range(D)]


def decayed(gamma):
    def memory(K, V):
        S = zeros()
        for k, v in zip(K, V):
            S = add(S if gamma == 1.0 else forget(S, gamma), k, v)
        return S
    return memory


def delta_rule(beta, gamma=1.0):
    def memory(K, V):
        S = zeros()
        for k, v in zip(K, V):
            S = S if gamma == 1.0 else forget(S, gamma)
            S = add(S, k, [beta * (x - y) for x, y in zip(v, read(S, k))])
        return S
    return memory


def least_squares(gamma, ridge=1e-3):
    def memory(K, V):
        S, P = zeros(), [[(i == j) / ridge for j in range(D)] for i in range(D)]
        for k, v in zip(K, V):
            Pk = read(P, k)  # P is symmetric
            gain = [x / (gamma + dot(k, Pk)) for x in Pk]
            S = add(S, gain, [x - y for x, y in zip(v, read(S, k))])
            P = add(P, [-x for x in gain], Pk)
            P = P if gamma == 1.0 else forget(P, 1.0 / gamma)
        return S
    return memory


MEMORIES = {"plain sum": decayed(1.0), "decay 0.90": decayed(0.90), "decay 0.95": decayed(0.95),
            "decay 0.98": decayed(0.98), "delta rule, β = 0.5": delta_rule(0.5), "delta rule, β = 1": delta_rule(1.0),
            "both: β = 1, decay 0.99": delta_rule(1.0, 0.99),
            "least squares": least_squares(1.0), "least squares, forgetting 0.9": least_squares(0.9)}


def count_recalled(random, counts):
    """Adds to counts, by memory, how many keys written once and how many of the others return their last value more nearly than
    any other."""
    which = [key for key, count in enumerate(TIMES) for _ in range(count)]
    random.shuffle(which)
    writes = len(which)
    table, V = unit_rows(random, len(TIMES), D), unit_rows(random, writes, D)
    for name, memory in MEMORIES.items():
        S = memory([table[at] for at in which], V)
        for at, k in enumerate(table):
            o = read(S, k)
            nearest = max(range(writes), key=lambda i: dot(o, V[i]))  # all values have length 1
            last = max(i for i in range(writes) if which[i] == at)
            counts[name][TIMES[at] > 1] += nearest == last


random, counts = Random(2), {name: [0, 0] for name in MEMORIES}
for _ in range(TRIALS):
    count_recalled(random, counts)
asked = [TRIALS * sum(times == 1 for times in TIMES), TRIALS * sum(times > 1 for times in TIMES)]
print(f"d = {D}, {TRIALS} trials; share recalled of the keys written")
print(f"{'':30}{'once':>6}{'seven times':>14}")
for name, (once, often) in counts.items():
    print(f"{name:30}{once / asked[0]:>6.2f}{often / asked[1]:>14.2f}")
