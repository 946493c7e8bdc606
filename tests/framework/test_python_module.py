"""./course python: every function that the modules offer equals NumPy's definition, nothing that is passed ends Python, and the
interactive figures compute what these functions do."""

import importlib.util
import inspect
import itertools
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import BUILD, LABS, python_modules
from course_tree import REPOSITORY, run_course
from rebuilt import with_answers

from author import stubs
from course import bindings
from course.commands import python as command

np = pytest.importorskip("numpy")
NOT_OFFERED = {"lab02": ["test_linear_attention_parallel"],
               "lab03": ["test_causal_linear_attention_resume"],
               "lab05": ["feature_map_fused", "chunkwise_forward", "chunk_states", "scan_states", "chunk_outputs",  # kernels
                         "packed_chunkwise_forward"],
               "lab06": ["test_causal_attention_backward"],
               "lab09": ["gated_delta_forward"]}
EPSILON = 1e-6


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    sys.path.insert(0, str(python_modules()))


def module(name: str):
    return __import__(f"labs.{name}", fromlist=["labs"])


def run(modules: Path, *words: str, **options) -> subprocess.CompletedProcess:
    environment = {"PYTHONPATH": str(modules), "LINATTN_BUILD": str(BUILD)}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=os.environ | environment, **options)


# The definitions ------------------------------------------------------------------------------------------------------

def elu(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def t(x):
    return np.swapaxes(x, -1, -2)


def weights(phi_Q, phi_K, epsilon=EPSILON, mask=np.tril):
    W = mask(phi_Q @ t(phi_K))
    return W / (W.sum(-1, keepdims=True) + epsilon)


def state(phi_K, V):
    return {"S": t(phi_K) @ V, "z": phi_K.sum(-2)}


def local(Q, K, V, window):
    """Softmax attention over the last tokens."""
    seen = np.tril(np.ones((Q.shape[-2],) * 2)) - np.tril(np.ones((Q.shape[-2],) * 2), -window)
    return softmax(np.where(seen > 0, Q @ t(K) / math.sqrt(Q.shape[-1]), -np.inf)) @ V


def random_features(x, W, shift):
    x = x / x.shape[-1] ** 0.25
    exponents = x @ W.T - (x ** 2).sum(-1, keepdims=True) / 2
    return np.exp(exponents - exponents.max(shift, keepdims=True)) / math.sqrt(len(W))


def patterns(x):
    bits = np.float32(x).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def numbers(pattern):
    return (pattern.astype(np.uint32) << 16).view(np.float32)


def gradients(phi_Q, phi_K, V, dO):
    D = np.tril(phi_Q @ t(phi_K)).sum(-1, keepdims=True) + EPSILON
    W = weights(phi_Q, phi_K)
    dW = np.tril((dO @ t(V) - (dO * (W @ V)).sum(-1, keepdims=True)) / D)
    return {"phi_Q": dW @ phi_K, "phi_K": t(dW) @ phi_Q, "V": t(W) @ dO}


def gated(Q, K, V, log_decay, S=None, beta=None):
    """Outputs and state. Without beta it adds, with beta it corrects; log_decay may have an entry for each of a key."""
    S = np.zeros((*Q.shape[:-2], Q.shape[-1], V.shape[-1])) if S is None else S
    rows = []
    for i in range(Q.shape[-2]):
        k, v, decay = K[..., i, :], V[..., i, :], np.exp(log_decay[..., i, :] if log_decay.ndim == K.ndim else log_decay[..., i, None])
        S = decay[..., None] * S
        if beta is not None:
            v = beta[..., i, None] * (v - np.einsum("...c,...cv->...v", k, S))
        S = S + k[..., :, None] * v[..., None, :]
        rows.append(np.einsum("...c,...cv->...v", Q[..., i, :], S))
    return {"output": np.stack(rows, -2), "S": S}


def norm(X, w):
    centred = X - X.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * w.gain + w.bias


def affine(X, w):
    return X @ w.W + w.b


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def heads_of(X, heads):
    return X.reshape(*X.shape[:-1], heads, -1).swapaxes(-2, -3)


def multi_head(X, w, heads):
    Q, K, V = (heads_of(affine(X, each), heads) for each in (w.Q, w.K, w.V))
    return affine((weights(elu(Q), elu(K)) @ V).swapaxes(-2, -3).reshape(X.shape), w.O)


def block(X, w, heads):
    Y = X + multi_head(norm(X, w.before_attention), w.attention, heads)
    return Y + affine(gelu(affine(norm(Y, w.before_feed_forward), w.feed_forward.up)), w.feed_forward.down)


def logits(ids, w):
    X = w.embedding[ids] + w.positions[:ids.shape[-1]]
    for each in w.blocks:
        X = block(X, each, w.heads)
    return affine(norm(X, w.last), w.head)


def loss_of(rows, targets, counts):
    picked = np.take_along_axis(np.log(softmax(rows)), targets[..., None], -1)[..., 0]
    return -(counts * picked).sum() / counts.sum()


def adam(w, g, m, v, step, rate, rectified=False):
    t, m, v = step + 1, 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g ** 2
    m_hat, v_hat, factor = m / (1 - 0.9 ** t), v / (1 - 0.999 ** t), 1.0
    update = m_hat / (np.sqrt(v_hat) + 1e-8)
    if rectified:
        most = 2 / 0.001 - 1
        rho = most - 2 * t * 0.999 ** t / (1 - 0.999 ** t)
        factor = math.sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)) if rho > 4 else 1.0
        update = update if rho > 4 else m_hat
    return {"w": w - rate * factor * update, "state": {"m": m, "v": v, "step": t}}


class Gradient:
    """What equals the slope of a loss of some arguments along a random direction, in all of them at once."""

    def __init__(self, loss, *arguments):
        self.loss, self.arguments = loss, arguments

    def agrees(self, got) -> None:
        numbers = [np.random.default_rng(5).normal(size=leaf.shape) for leaf in leaves(self.arguments)]
        up, down = (self.loss(*moved(self.arguments, iter(numbers), h)) for h in (1e-5, -1e-5))
        slope = sum((leaf * each).sum() for leaf, each in zip(leaves(got), numbers, strict=True))
        np.testing.assert_allclose(slope, (up - down) / 2e-5, rtol=1e-5)


class Holds:
    """A claim about a result that random numbers decide."""

    def __init__(self, claim):
        self.claim = claim

    def agrees(self, got) -> None:
        assert self.claim(got), got


def fields(value) -> list:
    return list(inspect.signature(type(value)).parameters)


def leaves(value) -> list:
    """All arrays in it."""
    if isinstance(value, (int, float, np.ndarray)):
        return [value] if isinstance(value, np.ndarray) else []
    parts = value if isinstance(value, (list, tuple)) else [getattr(value, name) for name in fields(value)]
    return [leaf for part in parts for leaf in leaves(part)]


def moved(value, directions, h):
    if isinstance(value, np.ndarray):
        return value + h * next(directions)
    if isinstance(value, (list, tuple)):
        return [moved(part, directions, h) for part in value]
    return value if isinstance(value, (int, float)) else type(value)(*(moved(getattr(value, name), directions, h) for name in fields(value)))


def agrees(got, expected, tolerance: float) -> None:
    if isinstance(expected, (Gradient, Holds)):
        expected.agrees(got)
    elif isinstance(expected, dict):
        for name, each in expected.items():
            agrees(got[name] if isinstance(got, dict) else getattr(got, name), each, tolerance)
    elif isinstance(expected, list):
        for one, each in zip(got, expected, strict=True):
            agrees(one, each, tolerance)
    elif isinstance(expected, str):
        assert got == expected
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


# What is called, and what must come of it -----------------------------------------------------------------------------

def cases(name: str) -> dict:
    """function → its arguments and what it must return."""
    rng = np.random.default_rng(int(name[3:]))
    Q, K, V, dO = (rng.normal(size=(2, 3, 7, width)) for width in (4, 4, 5, 5))
    return globals()[f"of_{name}"](module(name), rng, Q, K, V, dO)


def of_lab00(lab, rng, Q, K, V, dO):
    return {"row_sums": ((Q[0, 0],), Q[0, 0].sum(1)), "outer_product": (([1, 2], [3.0, 4, 5]), np.outer([1, 2], [3, 4, 5]))}


def of_lab01(lab, rng, Q, K, V, dO):
    return {"elu_plus_one": ((Q,), elu(Q)), "relu": ((Q,), np.maximum(Q, 0)), "identity": ((Q,), Q), "softmax_features": ((Q,), softmax(Q)),
            "exp_features": ((Q, "per_sequence"), np.exp(Q - Q.max((-1, -2), keepdims=True))),
            "polynomial_features": ((Q,), (Q[..., :, None] * Q[..., None, :]).reshape(2, 3, 7, 16)),
            "feature_map": ((Q, "softmax"), softmax(Q))}


def of_lab02(lab, rng, Q, K, V, dO):
    causal = np.tril(elu(Q) @ t(elu(K))) @ V
    S, q, k, v = rng.normal(size=(2, 3, 4, 5)), Q[..., 0, :], K[..., 0, :], V[..., 0, :]
    after = S + elu(k)[..., None] * v[..., None, :]
    return {"softmax_attention": ((Q, K, V, "causal"), local(Q, K, V, 7)), "linear_attention_quadratic": ((Q, K, V, elu, "none"), elu(Q) @ t(elu(K)) @ V),
            "linear_attention_bidirectional": ((Q, K, V, elu), elu(Q) @ t(elu(K)) @ V), "linear_attention_parallel": ((Q, K, V, elu), causal),
            "linear_attention_recurrent": ((Q, K, V, "elu_plus_one"), causal),
            "linear_attention_step": ((q, k, v, S, elu), {"output": (elu(q)[..., None, :] @ after)[..., 0, :], "S": after}),
            "inclusive_scan": ((list("abcdeö"), lambda a, b: a + b), list(itertools.accumulate("abcdeö")))}


def of_lab03(lab, rng, Q, K, V, dO):
    W = weights(elu(Q), elu(K))
    before, after = state(elu(K[..., :6, :]), V[..., :6, :]), state(elu(K), V)
    given = lab.CausalState(**before)
    some = [state(elu(K[..., :seen, :]), V[..., :seen, :]) for seen in (0, 3, 6)]
    saved = lab.CausalState(S=np.stack([each["S"] for each in some], -3), z=np.stack([each["z"] for each in some], -2))
    padding = rng.random((2, 3, 7)) < 0.7
    masked = np.tril(elu(Q) @ t(elu(K))) * padding[..., None, :]
    begins = rng.random((2, 3, 7)) < 0.3
    number = begins.cumsum(-1)
    packed = np.tril(elu(Q) @ t(elu(K))) * (number[..., :, None] == number[..., None, :])
    return {"attention_weights": ((Q, K, elu, "causal", EPSILON), W),
            "normalized_linear_attention": ((Q, K, V, elu, 0.5), weights(elu(Q), elu(K), 0.5, lambda x: x) @ V),
            "causal_linear_attention": ((Q, K, V, elu, EPSILON), W @ V),
            "causal_linear_attention_step": ((Q[..., 6, :], K[..., 6, :], V[..., 6, :], given, elu, EPSILON), {"output": (W @ V)[..., 6, :], "state": after}),
            "causal_linear_attention_resume": ((Q[..., 6:, :], K[..., 6:, :], V[..., 6:, :], given, elu, EPSILON), {"output": (W @ V)[..., 6:, :], "state": after}),
            "masked_causal_linear_attention": ((Q, K, V, padding, elu, EPSILON), masked / (masked.sum(-1, keepdims=True) + EPSILON) @ V),
            "packed_causal_linear_attention": ((Q, K, V, begins, elu, EPSILON), packed / (packed.sum(-1, keepdims=True) + EPSILON) @ V),
            "rewind_state": ((saved, 3, K, V, elu, 5), state(elu(K[..., :5, :]), V[..., :5, :])),
            "streaming_exp_attention": ((Q, K, V, 0), weights(np.exp(Q), np.exp(K), 0) @ V)}


def of_lab04(lab, rng, Q, K, V, dO):
    W, x = rng.normal(size=(9, 4)), Q / 4 ** 0.25
    trigonometric = np.exp((x ** 2).sum(-1, keepdims=True) / 2) * np.concatenate([np.cos(x @ W.T), np.sin(x @ W.T)], -1) / 3
    q, k = Q[0] / 4 ** 0.25, K[0] / 4 ** 0.25
    return {"gaussian_projection": ((20000, 4, 2**64 - 1), Holds(lambda W: W.shape == (20000, 4) and abs(W.mean()) < 0.02 and abs(W.var() - 1) < 0.02)),
            "orthogonal_projection": ((4, 4, 1), Holds(lambda W: np.allclose(W @ W.T, np.diag((W ** 2).sum(1))))),
            "positive_random_features": ((Q, W, "per_token"), random_features(Q, W, -1)), "trigonometric_random_features": ((Q, W), trigonometric),
            "favor_attention": ((Q, K, V, W, "causal", EPSILON), weights(random_features(Q, W, -1), random_features(K, W, (-1, -2))) @ V),
            "kernel_variance": ((Q[0], K[0], 8), np.exp(2 * (q * k).sum(-1)) * np.expm1(((q + k) ** 2).sum(-1)) / 8)}


def of_lab05(lab, rng, Q, K, V, dO):
    Q, K, V = (np.float32(each[0]) for each in (Q, K, V))
    sizes, half = lab.Sizes(3, 7, 4, 5), [patterns(each) for each in (Q, K, V)]
    phi_Q, phi_K = (numbers(patterns(elu(numbers(each)))) for each in half[:2])
    return {"chunkwise_linear_attention": ((Q, K, V, sizes, 3, EPSILON), weights(elu(Q), elu(K)) @ V), "to_bfloat16": ((Q,), patterns(Q.ravel())),
            "chunkwise_mixed_precision": ((*half, sizes, 3, EPSILON), weights(phi_Q, phi_K) @ numbers(half[2]))}


def of_lab06(lab, rng, Q, K, V, dO):
    arguments = (elu(Q), elu(K), V, dO, EPSILON)
    wanted = gradients(*arguments[:4])
    return {"central_differences": ((lambda x: (x ** 2).sum(), Q, 0.01), 2 * Q), "elu_plus_one_backward": ((Q, K), K * np.where(Q >= 0, 1, np.exp(Q))),
            "reverse_cumsum": ((Q, -2), np.flip(np.flip(Q, -2).cumsum(-2), -2)), "attention_backward_quadratic": (arguments, wanted),
            "causal_attention_backward_parallel": (arguments, wanted), "causal_attention_backward": (arguments, wanted),
            "causal_attention_backward_chunkwise": ((*arguments, 3), wanted)}


def a_model():
    return module("lab08").initial_model(vocabulary=6, positions=9, layers=2, d=8, heads=2, seed=3)


def of_lab07(lab, rng, Q, K, V, dO):
    w, X, ids = a_model(), rng.normal(size=(2, 7, 8)), rng.integers(6, size=(2, 5))
    layer = w.blocks[0]
    K_heads, V_heads = (heads_of(affine(norm(X, layer.before_attention), each), 2) for each in (layer.attention.K, layer.attention.V))
    memory, after = (state(elu(K_heads[..., :n, :]), V_heads[..., :n, :]) for n in (6, 7))
    continued = ids
    for _ in range(3):
        continued = np.concatenate([continued, logits(continued, w)[:, -1:].argmax(-1)], -1)
    gate = rng.random((2, 3, 7))
    hybrid = gate[..., None] * local(Q, K, V, 3) + (1 - gate[..., None]) * (weights(elu(Q), elu(K)) @ V)
    held = lab.HybridMemory(**state(elu(K[..., :6, :]), V[..., :6, :]), K=K[..., 3:6, :], V=V[..., 3:6, :])
    return {"split_heads": ((X, 2), heads_of(X, 2)), "merge_heads": ((Q,), Q.swapaxes(-2, -3).reshape(2, 7, 12)), "layer_norm": ((X, w.last), norm(X, w.last)),
            "gelu": ((X,), gelu(X)), "dropout": ((X, 0.25, 1), Holds(lambda Y: set(np.round(Y / X, 9).ravel()) == {0, round(4 / 3, 9)})),
            "multi_head_attention": ((X, layer.attention, 2), multi_head(X, layer.attention, 2)), "transformer_block": ((X, layer, 2), block(X, layer, 2)),
            "logits": ((ids, w), logits(ids, w)), "generate": ((ids, 3, w), continued[:, 5:]),
            "block_step": ((X[:, 6], layer, 2, lab.Memory(**memory)), {"output": block(X, layer, 2)[:, 6], "memory": after}),
            "hybrid_attention": ((Q, K, V, gate, 3), hybrid),
            "hybrid_attention_step": ((Q[..., 6, :], K[..., 6, :], V[..., 6, :], gate[..., 6], 3, held),
                                      {"output": hybrid[..., 6, :], "memory": {**state(elu(K), V), "K": K[..., 4:, :], "V": V[..., 4:, :]}})}


def of_lab08(lab, rng, Q, K, V, dO):
    w, X, dY = a_model(), rng.normal(size=(2, 7, 8)), rng.normal(size=(2, 7, 8))
    layer, ids, targets, rows = w.blocks[0], rng.integers(6, size=(2, 7)), rng.integers(6, size=(2, 7)), rng.normal(size=(2, 7, 6))
    counts = np.arange(14).reshape(2, 7) % 3 > 0
    moments = lab.Moments(X ** 2, dY ** 2, 9)
    into = lambda forward: lambda X, w: (forward(X, w) * dY).sum()  # noqa: E731
    one_hot = np.eye(6)[targets]
    batch = lambda made: (np.array_equal(made.ids[:, 1:], made.targets[:, :-1]) and np.array_equal(made.ids[:, :3], made.targets[:, 3:])  # noqa: E731
                          and (made.ids[:, 3] == 5).all() and np.array_equal(made.counts, [[0, 0, 0, 1, 1, 1]] * 4))
    return {"affine_backward": ((X, layer.attention.Q, dY), Gradient(into(affine), X, layer.attention.Q)),
            "layer_norm_backward": ((X, w.last, dY), Gradient(into(norm), X, w.last)),
            "gelu_backward": ((X, dY), Gradient(lambda X: (gelu(X) * dY).sum(), X)),
            "attention_backward": ((X, layer.attention, 2, dY), Gradient(into(lambda X, w: multi_head(X, w, 2)), X, layer.attention)),
            "block_backward": ((X, layer, 2, dY), Gradient(into(lambda X, w: block(X, w, 2)), X, layer)),
            "cross_entropy": ((rows, targets, counts), {"loss": loss_of(rows, targets, counts), "dlogits": (softmax(rows) - one_hot) * counts[..., None] / counts.sum()}),
            "model_gradients": ((ids, targets, counts, w), {"loss": loss_of(logits(ids, w), targets, counts), "dw": Gradient(lambda w: loss_of(logits(ids, w), targets, counts), w)}),
            "adam_step": ((X, dY, moments, 0.01), adam(X, dY, X ** 2, dY ** 2, 9, 0.01)), "copy_batch": ((4, 3, 5, 1), Holds(batch)),
            "radam_step": ((X, dY, moments, 0.01), adam(X, dY, X ** 2, dY ** 2, 9, 0.01, True)),
            "initial_model": ((6, 9, 2, 8, 2, 1), Holds(lambda w: w.embedding.shape == (6, 8) and len(w.blocks) == 2 and w.heads == 2))}


def of_lab09(lab, rng, Q, K, V, dO):
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    decay, channels, beta, S = -rng.random((2, 3, 7)), -rng.random((2, 3, 7, 4)), rng.random((2, 3, 7)), rng.normal(size=(2, 3, 4, 5))
    total = decay.cumsum(-1)
    D, none, A, B = np.tril(np.exp(total[..., :, None] - total[..., None, :])), np.zeros_like(decay), rng.normal(size=(2, 7, 7)), rng.normal(size=(2, 7, 3))
    plain, delta, both = (gated(Q, K, V, *more)["output"] for more in ((decay,), (none, None, beta), (decay, None, beta)))
    fitted = [np.linalg.solve(t(K[..., :i, :]) @ K[..., :i, :] + 0.1 * np.eye(4), t(K[..., :i, :]) @ V[..., :i, :]) for i in range(1, 8)]
    return {"gated_attention_recurrent": ((Q, K, V, decay), plain), "decay_mask": ((decay,), D), "gated_attention_quadratic": ((Q, K, V, decay), (Q @ t(K) * D) @ V),
            "gated_attention_chunkwise": ((Q, K, V, decay, 3), plain),
            "gated_attention_backward": ((Q, K, V, decay, dO), Gradient(lambda Q, K, V, decay: (gated(Q, K, V, decay)["output"] * dO).sum(), Q, K, V, decay)),
            "channel_gated_attention": ((Q, K, V, channels), gated(Q, K, V, channels)["output"]), "delta_rule_recurrent": ((Q, K, V, beta), delta),
            "solve_unit_lower": ((A, B), np.linalg.solve(np.eye(7) + np.tril(A, -1), B)), "delta_rule_chunkwise": ((Q, K, V, beta, 3), delta),
            "gated_delta_rule_resume": ((Q, K, V, beta, decay, S), gated(Q, K, V, decay, S, beta)), "gated_delta_rule_chunkwise": ((Q, K, V, beta, decay, 3), both),
            "gated_delta_rule_backward": ((Q, K, V, beta, decay, dO, 3), Gradient(
                lambda Q, K, V, beta, decay: (gated(Q, K, V, decay, None, beta)["output"] * dO).sum(), Q, K, V, beta, decay)),
            "least_squares_recurrent": ((Q, K, V, 0.1), np.stack([np.einsum("...c,...cv->...v", Q[..., i, :], each) for i, each in enumerate(fitted)], -2))}


# The interactive figures: settings, and what the answer key computes for them -------------------------------------------

def figure_state(rng):
    lab = module("lab03")
    example = [[1, 0], [0, 2], [0, 0], [1, 2]], [[0, 1], [1, 0], [0, 0], [2, 1]], [[1, 0, 2], [0, 1, 1], [3, 0, 1], [1, 2, 0]]
    for Q, K, V in (example, *([rng.normal(size=(n, width)) for width in (c, c, d)] for n, c, d in ((4, 2, 3), (7, 3, 1)))):
        held, tokens = lab.CausalState(np.zeros((len(K[0]), len(V[0]))), np.zeros(len(K[0]))), []
        for token in zip(Q, K, V):
            step = lab.causal_linear_attention_step(*token, held, "elu_plus_one", EPSILON)
            held = step.state
            tokens.append({"S": held.S, "z": held.z, "output": step.output})
        yield {"Q": Q, "K": K, "V": V, "mistake": "none"}, tokens


def figure_favor(rng):
    lab = module("lab04")
    for q, k, m in (([1, 0], [0.5, 1], 1), ([-0.3, 2], [1, 1], 16), ([0.1, -0.2, 0.7], [1, 0, -1], 64)):
        W, x = rng.normal(size=(m, len(q))), np.array(q) / len(q) ** 0.25
        not_shifted = np.exp((W @ x).max() - x @ x / 2)  # as the figure's features are
        yield {"q": q, "k": k, "W": W}, {"variance": lab.kernel_variance(q, k, m), "features": {
            "positive": lab.positive_random_features([q], W, "per_token")[0] * not_shifted,
            "trigonometric": lab.trigonometric_random_features([q], W)[0]}}


def figure_brackets(rng):
    flops = lambda A, B: 2 * A.size * B.shape[1]  # noqa: E731
    for n, d in ((16, 8), (256, 16), (16, 64)):
        Q = K = V = np.ones((n, d))
        left, right = flops(Q, K.T) + flops(Q @ K.T, V), flops(K.T, V) + flops(Q, K.T @ V)
        yield {"n": n, "d": d}, {"left": {"flops": left}, "right": {"flops": right}}


def figure_passes(rng):
    example = [[1, 1], [2, 1], [1, 0]], [[1, 1], [1, 3], [2, 0]], [[1, 0, 2], [0, 1, 1], [3, 0, 1]], [[2, 0, 0], [0, 8, 0], [4, 0, 4]], 0
    for Q, K, V, dO, epsilon in (example, (*np.exp(rng.normal(size=(2, 5, 3))), *rng.normal(size=(2, 5, 2)), 0.5)):
        d = module("lab06").causal_attention_backward(Q, K, V, dO, epsilon)
        yield ({"Q": Q, "K": K, "V": V, "dO": dO, "epsilon": epsilon, "mistake": "none"},
               [{"dQ": dq, "dK": dk, "dV": dv} for dq, dk, dv in zip(d.phi_Q, d.phi_K, d.V)])


def figure_draws(rng):
    ids, w = [4, 0, 3, 3, 1, 2], moved(a_model(), (rng.normal(size=leaf.shape) for leaf in leaves(a_model())), 1)
    yield {"model": w, "ids": ids}, module("lab07").logits(ids, w)


def figure_adam(rng):
    lab, gradients = module("lab08"), rng.normal(size=(30, 2))
    for gradients, rate, warm_up, clip, decay in (
            (np.array([[0.5, -2]]), 0.1, 0, False, "none"), (gradients, 0.03, 0, False, "L2"),
            (2 * gradients, 0.03, 10, True, "AdamW"), (2 * gradients, 0.1, 40, True, "none")):
        w, moments, steps = np.ones(2), lab.Moments(np.zeros(2), np.zeros(2), 0), []
        for t, g in enumerate(gradients, 1):
            now, g = rate * min(1, t / max(1, warm_up)), g / max(1, np.linalg.norm(g)) if clip else g
            update = lab.adam_step(w, g + (decay == "L2") * w, moments, now)
            w, moments = update.w - (decay == "AdamW") * now * w, update.state
            steps.append({"w": w})
        yield {"gradients": gradients, "rate": rate, "warmUp": warm_up, "clip": clip, "decay": decay}, {"adam": steps}


def figure_memory(rng):
    """The state after all tokens: its row r is what a query with a 1 at place r reads."""
    lab, example = module("lab09"), ([[1, 0, 0, 0], [0.6, 0.8, 0, 0], [1, 0, 0, 0]], [[1], [2], [4]], np.log([0.5, 0.5, 0.5]), 1)
    decays = np.array([-0.1, -1.2, 0, -np.inf, -0.2, -0.05])
    for K, V, decay, beta in (example, (rng.normal(size=(6, 4)), rng.normal(size=(6, 3)), decays, 0.7)):
        betas, nothing = np.full(len(K), beta), np.zeros((4, len(V[0])))
        for rule, attention, *more in (
                ("plain sum", lab.gated_attention_recurrent, 0 * betas), ("decay", lab.gated_attention_recurrent, decay),
                ("delta rule", lab.delta_rule_recurrent, betas), ("both", lab.gated_delta_rule_resume, betas, decay, nothing),
                ("least squares", lab.least_squares_recurrent, 0.3)):
            results = [attention([query] * len(K), K, V, *more) for query in np.eye(4)]
            yield ({"rule": rule, "beta": beta, "ridge": 0.3, "tokens": list(zip(K, V, np.exp(decay)))},
                   {"S": [getattr(result, "output", result)[-1] for result in results]})


# The tests --------------------------------------------------------------------------------------------------------------

OFFERED = [(lab.name, name) for lab in LABS for name in bindings.offered(lab)]
EACH = pytest.mark.parametrize("lab, name", OFFERED, ids=[".".join(each) for each in OFFERED])


@EACH
def test_it_equals_its_definition_however_arrays_lie_in_memory(lab, name):
    arguments, expected = cases(lab)[name]
    tolerance = 1e-5 if lab == "lab05" else 1e-9
    f = getattr(module(lab), name)
    agrees(f(*arguments), expected, tolerance)
    strided = [np.asfortranarray(np.stack([each, each]))[1] if isinstance(each, np.ndarray) else each for each in arguments]
    named = dict(zip(inspect.signature(f).parameters, strided, strict=False))
    agrees(f(**named), expected, tolerance)


@pytest.fixture(scope="module")
def browser():
    with pytest.importorskip("browser").Browser() as browser:
        yield browser


@pytest.mark.parametrize("figure", ["state", "favor", "brackets", "passes", "draws", "adam", "memory"])
def test_figures_compute_what_the_answer_key_computes(browser, figure):
    scripts = "".join((REPOSITORY / f"docs/interactive/{name}.js").read_text(encoding="utf-8") for name in ("figure", figure))
    for settings, expected in globals()[f"figure_{figure}"](np.random.default_rng(1)):
        given = json.dumps(settings, default=lambda each: each.tolist() if isinstance(each, np.ndarray) else
                           {name: getattr(each, name) for name in fields(each)})
        agrees(browser.execute_script(f"{scripts} return Figures.{figure}({given})"), expected, 1e-12)


def test_what_is_not_offered_says_why():
    for lab in LABS:
        left_out = [each.function for each in lab.exercises if each.function not in bindings.offered(lab)]
        assert left_out == NOT_OFFERED.get(lab.name, [])
        for name in left_out:
            with pytest.raises(NotImplementedError, match=f"{name} (is a kernel|tests functions).*; ./course check {lab.name}.{name} runs it"):
                getattr(module(lab.name), name)(1, x=2)


def test_names_defaults_and_comments_are_those_of_the_contracts():
    for lab in LABS:
        text = "".join(header.read_text(encoding="utf-8") for header in lab.folder.glob("*.hpp"))
        for name in bindings.offered(lab):
            f = getattr(module(lab.name), name)
            declared = re.sub(r"\s+", " ", re.search(rf" {name}\(([^;]*)\);", text)[1])
            assert [each.split(" = ")[0].split()[-1] for each in declared.split(", ")] == list(inspect.signature(f).parameters)
            assert "\\" not in f.__doc__ and "///" not in f.__doc__ and len(f.__doc__) > 40, f.__doc__
    assert inspect.signature(module("lab01").feature_map).parameters["method"].default == "elu_plus_one"
    about = module("lab02").linear_attention_step.__doc__
    assert "\nq: (…, d_k)\nk: (…, d_k)\nv: (…, d_v)\nS: state before the token (…, c, d_v); zeros before the first\n" in about
    assert about.endswith("exercise 2.6")


def test_errors_are_in_the_words_of_the_course():
    lab02, lab03, x = module("lab02"), module("lab03"), np.ones((3, 2))
    for error, words, call in (
            (ValueError, r"softmax_attention: .*\(3, 2\)", lambda: lab02.softmax_attention(x, x, np.ones((4, 2)), "causal")),
            (TypeError, "softmax_attention: Q must be an array of numbers; got None", lambda: lab02.softmax_attention(None, x, x, "causal")),
            (TypeError, "K must be an array of numbers; got an array of complex128", lambda: lab02.softmax_attention(x, x + 1j, x, "causal")),
            (ValueError, "mask must be \"none\" or \"causal\"; got 'casual'", lambda: lab02.softmax_attention(x, x, x, "casual")),
            (TypeError, "state must be CausalState; got a value of type tuple", lambda: lab03.causal_linear_attention_step(x, x, x, (x, x), elu, 0)),
            (ValueError, "what phi returns must be of the shape of its argument", lambda: lab02.linear_attention_parallel(x, x, x, np.sum)),
            (TypeError, "what phi returns must be an array of numbers; got None", lambda: lab02.linear_attention_parallel(x, x, x, lambda x: None)),
            (ZeroDivisionError, "", lambda: lab02.linear_attention_recurrent(x, x, x, lambda x: 1 // 0)),
            (ValueError, "method must be elu_plus_one, relu", lambda: lab02.linear_attention_parallel(x, x, x, "elo")),
            (ValueError, "m must be a whole number from 0 to 2147483647; got -1", lambda: module("lab04").gaussian_projection(-1, 2, 0)),
            (ValueError, "read-only", lambda: lab03.CausalState(x, x).S.fill(0)), (AttributeError, "", lambda: setattr(lab03.CausalState(x, x), "S", x))):
        with pytest.raises(error, match=words):
            call()
    assert repr(lab03.CausalState(x[0], [1])) == "CausalState(S=array([1., 1.]), z=array([1.]))"


def wrong_values() -> list:
    """One after another in the place of each argument."""
    return [None, "text", "\ud800", b"x", object(), {}, [], [[1], [1, 2]], 1j, True, -1, 0, 2.5, 2**63, 2**70, float("nan"), float("inf"), np.nan * np.ones(3),
            np.zeros(()), np.zeros((0, 3)), np.zeros((2, 0)), np.ones((2, 2, 2, 2, 2)), np.ones(7)[::-3], np.array(["a"]), np.array([None]),
            np.array([1, 2], ">i2"), np.ones(3, [("a", "f8")]), np.datetime64("now"), np.broadcast_to(1.0, (2, 3, 7, 4)), np.ma.masked_array([1.0], [True]), np.sum,
            lambda *x: 1 // 0, lambda *x: None, lambda *x: "\ud800", lambda *x: np.ones(x[0].shape + (1,)), lambda x: x[..., :0], lambda x: np.ones(np.random.randint(1, 9, 3)),
            module("lab03").CausalState([1], [1]), module("lab05").Sizes(-1, -2, 0, 2**31 - 1), module("lab05").Sizes(2**31 - 1, 2**31 - 1, 2, 2), a_model()]


def call_with_wrong_values() -> None:
    """In a process of its own, which reports that it is at the end."""
    structs = [(lab.name, name, tuple(inspect.signature(each).parameters)) for lab in LABS for name, each in vars(module(lab.name)).items() if inspect.isclass(each)]
    calls = [(lab, name, cases(lab)[name][0]) for lab, name in OFFERED] + [(lab, name, (None,) * len(of)) for lab, name, of in structs]
    for lab, name, arguments in calls:
        for place, value in itertools.product(range(len(arguments)), wrong_values()):
            try:
                getattr(module(lab), name)(*arguments[:place], value, *arguments[place + 1:])
            except Exception:  # whichever it is
                pass
        for few in ((), arguments[1:], (*arguments, 1)):
            with pytest.raises(TypeError):
                getattr(module(lab), name)(*few[:0], *few, nothing_of_this_name=1)
    print("at the end")


def test_no_value_ends_python():
    script = f"import sys; sys.path.insert(0, {str(REPOSITORY / 'tests/framework')!r}); import test_python_module as t; t.call_with_wrong_values()"
    result = run(BUILD / "python", "-W", "ignore", "-X", "faulthandler", "-c", script)
    assert (result.returncode, result.stdout[-11:]) == (0, "at the end\n"), result.stderr


def with_file(folder: Path, lab: str, file: str, text: str) -> None:
    """The module of one lab in FOLDER, with this text as the answers."""
    labs = folder / "labs"
    labs.mkdir()
    with_answers(BUILD, f"{lab}_python", file, text, labs).rename(labs / f"{lab}.so")
    (labs / "__init__.py").touch()


def test_a_stub_names_the_file_to_write_in(tmp_path):
    file = "lab02_parallel_vs_recurrent.cpp"
    with_file(tmp_path, "lab02", file, stubs.cut_all(REPOSITORY)[file])
    result = run(tmp_path, "-c", "from labs import lab02; lab02.softmax_attention([[1]], [[1]], [[1]], 'none')")
    assert re.search(rf"NotImplementedError: softmax_attention is not written yet: replace YOUR CODE HERE in \w+/{file}\n$", result.stderr)


@pytest.mark.parametrize("body, status, words", [("std::raise(SIGINT); std::raise(SIGINT); for (volatile unsigned i = 0;; ++i) {}", 130, "Python ends"),
                                                 ("std::raise(SIGINT); return a;", -2, "KeyboardInterrupt"),
                                                 ("throw 1;", 1, "RuntimeError: outer_product threw something")])
def test_a_function_that_does_not_return(tmp_path, body, status, words):
    file = "lab00_warm_up.cpp"
    stub = stubs.cut_all(REPOSITORY)[file].replace('throw NotImplemented("outer_product");', body)
    with_file(tmp_path, "lab00", file, f"#include <csignal>\n{stub}")
    result = run(tmp_path, "-c", "from labs import lab00; lab00.outer_product([1.0], [1.0])")
    assert result.returncode == status and words in result.stderr, result


def test_the_example_of_the_start_page_prints_what_it_says():
    page = (REPOSITORY / "docs/start.md").read_text(encoding="utf-8")
    script, printed = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.S).groups()
    result = run(BUILD / "python", "-c", script)
    assert (result.stdout, result.stderr) == (printed, "")


def test_the_given_examples_run_or_say_what_is_missing(tmp_path):
    for file, module_name, said in (("attention_weights.py", "matplotlib", "rows of the weights sum to 1.000000 (softmax) and 1.000000 (linear)"),
                                    ("autograd_function.py", "torch", "gradcheck: your backward pass is the gradient of your forward pass")):
        result = run(BUILD / "python", str(REPOSITORY / "python" / file), cwd=tmp_path)
        if importlib.util.find_spec(module_name):
            assert result.returncode == 0 and result.stdout.startswith(said), result.stderr
        else:
            assert result.returncode == 1 and re.fullmatch(r"this example .* not installed.*\n", result.stderr)


def test_the_command_names_what_is_missing():
    for has, words in (((), "has no NumPy; ./course setup --with-python installs it (python3-numpy)"),
                       (("numpy",), "there is no pybind11; ./course setup --with-python installs it (pybind11-dev)")):
        with mock.patch.object(command, "find_spec", lambda name: None if name not in has else SimpleNamespace(submodule_search_locations=())), mock.patch.object(command, "PREFIXES", ()), \
                mock.patch.object(command, "build") as build:
            result = run_course(REPOSITORY, ("python",), {})
        assert result.returncode == 2 and words in result.stderr
        build.assert_not_called()
