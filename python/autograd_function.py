"""Your forward and backward pass of labs 03 and 06 as a function of PyTorch, checked by torch.autograd.gradcheck.

    ./course python python/autograd_function.py
"""

import sys

from labs import lab03, lab06

try:
    import torch
except ModuleNotFoundError:
    sys.exit(f"this example needs PyTorch, which is not installed for {sys.executable}")

EPSILON = 1e-6


class LinearAttention(torch.autograd.Function):
    """Normalised causal linear attention of features: φ has been applied to Q and K before."""

    @staticmethod
    def forward(ctx, phi_Q, phi_K, V):
        ctx.save_for_backward(phi_Q, phi_K, V)
        arrays = (each.detach().numpy() for each in (phi_Q, phi_K, V))
        return torch.from_numpy(lab03.causal_linear_attention(*arrays, phi=lambda x: x, epsilon=EPSILON))

    @staticmethod
    def backward(ctx, dO):
        arrays = (each.detach().numpy() for each in (*ctx.saved_tensors, dO))
        found = lab06.causal_attention_backward(*arrays, epsilon=EPSILON)
        return tuple(torch.tensor(each) for each in (found.phi_Q, found.phi_K, found.V))


torch.manual_seed(1)
Q, K = (torch.randn(2, 3, 5, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))  # batch, heads, tokens, width
V = torch.randn(2, 3, 5, 6, dtype=torch.float64, requires_grad=True)
phi = torch.nn.functional.elu
assert torch.autograd.gradcheck(lambda Q, K, V: LinearAttention.apply(phi(Q) + 1, phi(K) + 1, V), (Q, K, V))
print("gradcheck: your backward pass is the gradient of your forward pass")
