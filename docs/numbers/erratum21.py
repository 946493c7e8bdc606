"""The weights of elu + 1 and those of softmax, for the same tokens."""

from math import exp, log, sqrt
from random import Random
from statistics import median

from vectors import attention, dot, norm, normal, normal_rows, relative_error

D, N, DRAWS = 64, 64, 20


def elu_plus_one(x):
    return [a + 1 if a > 0 else exp(a) for a in x]


SIMILARITIES = {"softmax": lambda q, k: exp(dot(q, k) / sqrt(D)),
                "elu + 1": lambda q, k: dot(elu_plus_one(q), elu_plus_one(k))}


def weights(name, Q, K):
    rows = [[SIMILARITIES[name](q, k) for k in K] for q in Q]
    return [[w / sum(row) for w in row] for row in rows]


def keys_used(row):
    """exp of the entropy: 1 if one key has all the weight, N if all have the same."""
    return exp(-sum(w * log(w) for w in row))


def of_length(length, x):
    return [length * a / norm(x) for a in x]


random, errors, used = Random(1), [], {name: [] for name in SIMILARITIES}
for _ in range(DRAWS):
    Q, K, V = (normal_rows(random, N, D) for _ in range(3))
    rows = {name: weights(name, Q, K) for name in SIMILARITIES}
    errors.append(relative_error(attention(rows["elu + 1"], V), attention(rows["softmax"], V)))
    for name in SIMILARITIES:
        used[name].append(median(map(keys_used, rows[name])))
print(f"d = {D}, n = {N}, no mask, {DRAWS} draws, medians")
print(f"relative error of the outputs of elu + 1, against softmax: {median(errors):.2f}")
q, other = of_length(1, normal(random, D)), normal(random, D)
across = [a - dot(q, other) * b for a, b in zip(other, q)]
q, across = of_length(sqrt(D), q), of_length(sqrt(D), across)
for name, similarity in SIMILARITIES.items():
    print(f"{name}: a query uses {median(used[name]):.0f} of {N} keys; its own key has "
          f"{similarity(q, q) / similarity(q, across):.4g} times the weight of one at right angles")
