"""What a state is made of: each token's outer product φ(k)vᵀ alone, and S, their sum, as lab 02's step writes it."""

import numpy as np
from labs import lab01, lab02, lab04

tokens, d_k, d_v, seed = 4, 8, 6, 5
S = nothing = np.zeros((d_k, d_v))
matrices = {}
for i, (k, v) in enumerate(zip(lab04.gaussian_projection(tokens, d_k, seed), lab04.gaussian_projection(tokens, d_v, seed + 1))):
    matrices[f"token {i + 1}"] = lab02.linear_attention_step(k, k, v, nothing, lab01.elu_plus_one).S
    S = lab02.linear_attention_step(k, k, v, S, lab01.elu_plus_one).S

print(f"# {tokens} tokens, d_k = {d_k}, d_v = {d_v}, elu + 1, entries of K and V from N(0, 1), seeds {seed} and {seed + 1}")
print("matrix,row,entries")
for name, matrix in (matrices | {"S": S}).items():
    for i, row in enumerate(matrix):
        print(f"{name},{i},{' '.join('%.4f' % entry for entry in row)}")
