"""What a memory of width 32 recalls without any training: keys written once or several times, then asked for."""

from random import Random

from delta_rule import add, forget, read, unit_rows
from vectors import dot

D, TRIALS = 32, 40


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


def recalled(random, times):
    """Key i is written times[i] times. For keys written once and for the others: [how many of them return their last value
    more nearly than any other, how many there are], by memory."""
    which = [key for key, count in enumerate(times) for _ in range(count)]
    random.shuffle(which)
    writes = len(which)
    table, V = unit_rows(random, len(times), D), unit_rows(random, writes, D)
    counts = {name: [[0, 0], [0, 0]] for name in MEMORIES}
    for name, memory in MEMORIES.items():
        S = memory([table[at] for at in which], V)
        for at, k in enumerate(table):
            o = read(S, k)
            nearest = max(range(writes), key=lambda i: dot(o, V[i]))  # all values have length 1
            last = max(i for i in range(writes) if which[i] == at)
            count = counts[name][times[at] > 1]
            count[0] += nearest == last
            count[1] += 1
    return counts


def shares(seed, times):
    random, totals = Random(seed), {name: [[0, 0], [0, 0]] for name in MEMORIES}
    for _ in range(TRIALS):
        for name, counts in recalled(random, times).items():
            for total, count in zip(totals[name], counts):
                total[0] += count[0]
                total[1] += count[1]
    return {name: [f"{right / asked:.2f}" if asked else "" for right, asked in total] for name, total in totals.items()}


once = shares(1, [1] * 32)
mixed = shares(2, [1] * 8 + [7] * 8)
print(f"d = {D}, {TRIALS} trials              32 keys, each once   8 keys once, 8 keys seven times")
print(f"{'share of keys recalled':30}{'':>15}{'once':>21}{'seven times':>14}")
for name in MEMORIES:
    print(f"{name:30}{once[name][0]:>15}{mixed[name][0]:>21}{mixed[name][1]:>14}")
