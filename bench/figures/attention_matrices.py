"""The weights of one head by softmax, by elu + 1, and by FAVOR+ with few and with many features. Attention whose values are
the rows of the identity matrix returns its weights."""

import numpy as np
from labs import lab01, lab02, lab03, lab04

n, d, lag, seed, square = 20, 16, 4, 1, 2.0


def with_square(x):
    """Every token at the length where ‖x̂‖² = ‖x‖²/√d is `square`."""
    return x / np.linalg.norm(x, axis=-1, keepdims=True) * np.sqrt(square * np.sqrt(d))


# A head that looks back: the query of token i resembles the key of token i - lag.
K = with_square(lab04.gaussian_projection(n, d, seed))
Q = with_square(0.5 * lab04.gaussian_projection(n, d, seed + 1) + K[np.maximum(0, np.arange(n) - lag)])
weights = {"softmax": lab02.softmax_attention(Q, K, np.eye(n), "causal"),
           "elu + 1": lab03.attention_weights(Q, K, lab01.elu_plus_one, "causal", 0.0)}
for m in (32, 1024):
    W = lab04.orthogonal_projection(m, d, seed + 2)
    weights[f"FAVOR+ m = {m}"] = lab04.favor_attention(Q, K, np.eye(n), W, "causal", 0.0)

print(f"# n = {n}, d = {d}, causal, |q|^2 = |k|^2 = {square:g} after scaling by d^(-1/4), seeds {seed} to {seed + 2}")
print("matrix,row,entries")
for method, matrix in weights.items():
    for i, row in enumerate(matrix):
        print(f"{method},{i},{' '.join('%.4f' % weight for weight in row[:i + 1])}")
