"""What the heads of a small model look at, and what their memory holds after the last token."""

import numpy as np
from labs import lab01, lab03, lab04, lab07

n, heads, d, seed = 18, 2, 12, 1
normal = lab04.gaussian_projection


def affine(wide, narrow, seed):
    """Keeps a token's size."""
    return lab07.Affine(normal(wide, narrow, seed) / np.sqrt(wide), np.zeros(narrow))


own, plain = seed + 10, lab07.Norm(np.ones(d), np.zeros(d))
block = lab07.Block(plain, lab07.Attention(*(affine(d, d, own + i) for i in range(4))),
                    plain, lab07.FeedForward(affine(d, 4 * d, own + 4), affine(4 * d, d, own + 5)))
X = normal(6, d, seed)[np.arange(n) % 6] + 0.3 * normal(n, d, seed + 1)  # six symbols, three times over

normed = lab07.layer_norm(X, plain)
Q, K = (lab07.split_heads(normed @ each.W, heads) for each in (block.attention.Q, block.attention.K))
weights = lab03.attention_weights(Q, K, lab01.elu_plus_one, "causal", 1e-6)
memory = lab07.Memory(np.zeros((heads, d // heads, d // heads)), np.zeros((heads, d // heads)))
for x in X:
    memory = lab07.block_step(x, block, heads, memory).memory

print(f"# one block, d = {d}, {heads} heads, untrained, seed {seed}; six symbols, three times over\nmatrix,row,entries")
for head in range(heads):
    for i, row in enumerate(weights[head]):
        print(f"weights {head},{i},{' '.join('%.4f' % weight for weight in row[:i + 1])}")
    for i, row in enumerate(memory.S[head]):
        print(f"S {head},{i},{' '.join('%.4f' % entry for entry in row)}")
