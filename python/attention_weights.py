"""Plots what your functions of labs 02 and 03 compute: attention weights, and how the state grows from token to token.

    ./course python python/attention_weights.py [PICTURE.png]
"""

import sys

import numpy as np
from labs import lab02, lab03

try:
    import matplotlib
except ModuleNotFoundError:
    sys.exit("this example draws with matplotlib, which is not installed; ./course setup --with-python installs it")
picture = sys.argv[1] if len(sys.argv) > 1 else "attention_weights.png"
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402  # once it knows that there need be no screen


def elu_plus_one(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


random = np.random.default_rng(1)
n, d = 24, 8
Q, K, V = random.normal(size=(3, n, d)).cumsum(axis=1) / 3  # neighbours resemble each other

# The weights of softmax attention are its outputs for values that are the rows of the identity.
softmax = lab02.softmax_attention(Q, K, np.eye(n), mask="causal")
linear = lab03.attention_weights(Q, K, phi=elu_plus_one, mask="causal", epsilon=1e-6)

S, sizes = np.zeros((d, d)), []
for q, k, v in zip(Q, K, V):
    step = lab02.linear_attention_step(q, k, v, S, phi=elu_plus_one)
    S = step.S
    sizes.append(np.linalg.norm(S))

figure, axes = plt.subplots(1, 4, figsize=(14, 3.4), layout="constrained")
for axis, values, title in zip(axes, (softmax, linear, S), ("softmax: weights", "linear: weights", "state S after the last token")):
    figure.colorbar(axis.imshow(values), ax=axis)
    axis.set_title(title)
axes[3].plot(range(1, n + 1), sizes)
axes[3].set(title="norm of S", xlabel="tokens")
figure.savefig(picture)
print(f"rows of the weights sum to {softmax.sum(1).mean():.6f} (softmax) and {linear.sum(1).mean():.6f} (linear); wrote {picture}")
