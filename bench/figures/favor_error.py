"""The error of attention with random features, against softmax attention: three kinds of features, more and more of them, for
short queries and keys and for such as a layer without training has."""

import numpy as np
from labs import lab02, lab03, lab04

n, d, draws = 256, 64, 20
FEATURES = ("positive independent", "positive orthogonal", "trigonometric")
normal = lab04.gaussian_projection


def attention(features, Q, K, V, m, seed):
    if features == "positive orthogonal":
        return lab04.favor_attention(Q, K, V, lab04.orthogonal_projection(m, d, seed), "none", 0.0)
    W = normal(m, d, seed)
    if features == "positive independent":
        return lab04.favor_attention(Q, K, V, W, "none", 0.0)
    return lab03.normalized_linear_attention(Q, K, V, lambda x: lab04.trigonometric_random_features(x, W), 0.0)


print(f"# n = {n}, d = d_v = {d}, no mask; median and quartiles of {draws} draws of Q, K, V and W, seeds 0 to {4 * draws - 1}")
print("norm,m", *(f"{features} {what}" for features in FEATURES for what in ("lower", "median", "upper")), sep=",")
for square in (1, 8):  # ‖q̂‖²; the entries of Q and K are N(0, scale²)
    scale = np.sqrt(square / np.sqrt(d))
    inputs = [(scale * normal(n, d, 4 * draw), scale * normal(n, d, 4 * draw + 1), normal(n, d, 4 * draw + 2))
              for draw in range(draws)]
    wanted = [lab02.softmax_attention(*each, "none") for each in inputs]
    for m in 2 ** np.arange(4, 12):
        errors = [np.sort([np.linalg.norm(attention(features, *each, m, 4 * draw + 3) - right) / np.linalg.norm(right)
                           for draw, (each, right) in enumerate(zip(inputs, wanted))]) for features in FEATURES]
        quartiles = [(each[draws // 4], np.median(each), each[-1 - draws // 4]) for each in errors]
        print(square, m, *("%.4g,%.4g,%.4g" % each for each in quartiles), sep=",")
