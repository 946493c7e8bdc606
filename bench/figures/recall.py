"""What comes back from a memory of n pairs: each is asked for by its own key, and the answer is compared with its value."""

import numpy as np
from labs import lab01, lab02, lab03, lab04

d, draws, most = 64, 20, 512


def of_length_one(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def summed(keys, V, phi=lab01.identity):
    return lab02.linear_attention_bidirectional(keys, keys, V, phi)


MEMORIES = {  # what each answers to the keys themselves; K has entries from N(0, 1)
    "softmax": lambda K, V: lab02.softmax_attention(K, K, V, "none"),
    "products": lambda K, V: summed(of_length_one(K), V, lab01.polynomial_features),
    "orthonormal": lambda K, V: summed(np.linalg.qr(K.T)[0].T, V),
    "sum": lambda K, V: summed(of_length_one(K), V),
    "elu + 1": lambda K, V: lab03.normalized_linear_attention(K, K, V, lab01.elu_plus_one, 0.0)}

print(f"# d_k = d_v = {d}; median of {draws} draws of K and V, entries from N(0, 1), seeds 0 to {2 * draws - 1}\nmemory,pairs,error")
for memory, recalled in MEMORIES.items():
    for n in 2 ** np.arange(10):
        if memory == "orthonormal" and n > d:
            break  # there are no more of them
        pairs = [[lab04.gaussian_projection(n, d, 2 * draw + of) for of in (0, 1)] for draw in range(draws)]
        errors = [np.linalg.norm(recalled(K, V) - V) / np.linalg.norm(V) for K, V in pairs]
        print("%s,%d,%.4g" % (memory, n, np.median(errors)))
