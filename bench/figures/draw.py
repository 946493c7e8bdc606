"""Computes and draws the plots of the chapters with the answer key's functions; `./course bench --figures` runs it.

usage: ./course python --track reference bench/figures/draw.py [--draw] NAME=FILE…     a function below has each figure's name

What is measured takes minutes on an idle machine, and is kept in NAME.csv here; with --draw, that is drawn again.
"""

import csv
import os
import re
import sys
import time
from functools import partial
from math import exp
from pathlib import Path

import numpy as np
from labs import lab01, lab02, lab03, lab04, lab06, lab07, lab09

from sheet import COLOUR, SERIES, Sheet, logarithmic, number, seconds, size_in_bytes

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from author import benchmarks
from course.training import training_program

DRAW_ONLY = "--draw" in sys.argv
normal = lab04.gaussian_projection  # (rows, columns, seed)


def curves(axes, x, series, words=number, styles=SERIES, **others):
    """Draws one for each label, and says where it begins and ends. Each is a list of y, or (lower, middle, upper) of them."""
    said = []
    for (label, y), style in zip(series.items(), styles):
        lower, y, upper = y if isinstance(y, tuple) else (None, y, None)
        axes.plot(x[:len(y)], y, label=label, **style | others)
        if lower is not None:
            axes.fill_between(x, lower, upper, color=style["color"], alpha=0.2, linewidth=0)
        said.append(f"{label}: {words(float(f'{y[0]:.3g}'))} at {number(x[0])}, {words(float(f'{y[-1]:.3g}'))} at {number(x[len(y) - 1])}")
    return "; ".join(said) + ". "


def recorded(name, rows_of):
    """(where it was measured, rows of NAME.csv), which rows_of() measures first unless there is --draw."""
    path = HERE / f"{name}.csv"
    if not DRAW_ONLY:
        rows = rows_of()
        with open(path, "w", encoding="utf-8") as file:
            print(f"# ./course bench --figures {name}\n# measured on {benchmarks.machine(ROOT)}, {time.strftime('%Y-%m-%d')}", file=file)
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    lines = path.read_text(encoding="utf-8").splitlines()
    where = next(line for line in lines if line.startswith("# measured on "))
    return where.removeprefix("# measured on "), list(csv.DictReader(line for line in lines if not line.startswith("#")))


def timed(name):
    """(where, {form: {column: numbers}}) of what google-benchmark measures."""
    def measured():
        rows = []
        for row in benchmarks.run(ROOT, name):
            form, n = re.match(r"\w+/(\w+)/n:(\d+)", row["run_name"]).groups()
            rows.append({"form": form, "n": int(n), "seconds": float(f"{row['seconds']:.4g}"),
                         "cv": float(f"{row['cv']:.2g}")} | {each: int(row[each]) for each in ("peak_bytes", "kept_bytes") if each in row})
        return rows

    where, rows = recorded(name, measured)
    forms = {}
    for row in rows:
        for column, text in row.items():
            forms.setdefault(row["form"], {}).setdefault(column, []).append(float(text) if column != "form" else text)
    for columns in forms.values():
        columns["per_second"] = [1 / each for each in columns["seconds"]]
    return where, forms


def feature_maps():
    maps = {"elu_plus_one": "smooth, never 0", "relu": "0 for all x ≤ 0", "identity": "signed",
            "exp": "grows fast; not shifted here"}  # exp_features would shift it by the other entries
    marked, x = np.array([-1.0, 0.0, 2.0]), np.arange(-60, 61) / 20  # the entries of token 0 in the chapter
    sheet, said = Sheet(472), []
    for panel, (name, words) in enumerate(maps.items()):
        phi = getattr(lab01, name, np.exp)
        left, top = 40 + 226 * (panel % 2), 62 + 208 * (panel // 2)
        sheet.text(left, top - 26, name, weight="bold")
        sheet.text(left, top - 9, words, "soft")
        axes = sheet.axes(left, top, 190, 136)
        axes.axhspan(-2, 0, color=COLOUR["b"], alpha=0.15, linewidth=0)
        axes.plot(x, phi(x), color=COLOUR["a"])
        axes.plot(marked, phi(marked), "o", color=COLOUR["a"])
        axes.set(xlim=(-3, 3), ylim=(-2, 4))
        axes.set_xticks([-1, 0, 2], ["−1", "0", "2"])
        axes.set_yticks([0, 1, 3], ["0", "1", "3"])
        said.append(f"{name} " + ", ".join(f"{value:.3g}" for value in phi(marked)))
    sheet.text(16, 452, "Orange: features below 0, where weights can turn negative.", "soft")
    return sheet.svg("Four feature maps of one entry x", (
        "Four panels over x from -3 to 3. elu_plus_one is the exponential up to 0 and the line x + 1 after it, always "
        "above 0. relu is 0 up to x = 0, then x. identity is the line x, negative for negative x. exp is positive and "
        f"leaves the panel before x = 1.5. Dots mark x = -1, 0 and 2: {'; '.join(said)}."))


def memories():
    S = nothing = np.zeros((8, 6))
    matrices = {}
    for i, (k, v) in enumerate(zip(normal(4, 8, 5), normal(4, 6, 6))):
        matrices["φ(k{0}) v{0}ᵀ".format("₁₂₃₄"[i])] = lab02.linear_attention_step(k, k, v, nothing, lab01.elu_plus_one).S
        S = lab02.linear_attention_step(k, k, v, S, lab01.elu_plus_one).S
    matrices["S"] = S
    largest = {name: max(matrix.flat, key=abs) for name, matrix in matrices.items()}
    most = max(map(abs, largest.values()))
    sheet, size, left, top = Sheet(216), 11, 22, 62
    sheet.text(16, 28, "What each token writes, and what is kept", weight="bold")
    for sign, (name, matrix) in zip("+++= ", matrices.items()):
        sheet.text(left + 3 * size, top - 10, name, ha="center")
        sheet.cells(left, top, size, matrix, most)
        if name != "S":
            sheet.text(left + 6 * size + 13.5, top + 4.4 * size, sign, ha="center", fontsize=17)
        left += 6 * size + 27
    sheet.text(16, 178, "8 rows: the entries of φ(k). 6 columns: those of v.", "soft")
    sheet.text(16, 202, f"−{most:.1f}", "soft")
    sheet.cells(64, 191, 13, [np.linspace(-most, most, 25)], most)
    sheet.text(64 + 13 * 25 + 8, 202, f"{most:.1f}", "soft")
    return sheet.svg("A state S is a sum of rank-1 memories", (
        "Five heat maps of 8 rows and 6 columns. In each of the first four every row is a multiple of the same row v: "
        "the outer product of a token's features and its value. The fifth is their sum, S, and has no such pattern. "
        "The entries of largest size: " + ", ".join(f"{value:.1f} in {name}" for name, value in largest.items()) + "."))


def over_tokens(name, title, head, labels, size, panels, about, note="", x="tokens so far"):
    """Several forms over the number of tokens. size: where the first panel begins, the sheet's height, and where the machine is
    named, from below. Each panel: what the text alternative calls it, its title, the column, how its numbers are written, ticks."""
    where, forms = timed(name)
    top, height, below = size
    sheet, said, n = Sheet(height), "", forms[list(labels)[-1]]["n"]
    for place, (words, caption, column, unit, ticks) in enumerate(panels):
        axes = sheet.axes(72, top + 242 * place, 390, 200 if len(panels) > 1 else 240, caption)
        said += words + curves(axes, n, {label: forms[form][column] for form, label in labels.items()}, unit)
        logarithmic(axes.xaxis, n, number)
        logarithmic(axes.yaxis, ticks, unit)
        if place == 0:
            sheet.head(head, axes, 2)
    axes.set_xlabel(x)
    sheet.text(16, height - 28, note, "soft")
    sheet.text(16, height - below, where, "soft", fontsize=12)
    return sheet.svg(title, about + said)


def powers(first, last):
    return [float(f"1e{power}") for power in range(first, last + 1)]


def costs(times, sizes, beside):
    return [("Time: ", "time", "seconds", seconds, times),
            ("Memory: ", f"memory at the peak, beside {beside}", "peak_bytes", size_in_bytes, sizes)]


COSTS = "Two panels over the number of tokens, all axes logarithmic. "
attention_cost = partial(
    over_tokens, "attention_cost", "Time and memory of five ways to compute causal attention",
    "Causal attention over n tokens, one head, d = 64",
    {"softmax": "softmax", "parallel": "linear, parallel", "recurrent": "linear, recurrent", "loop": "recurrent, float32 loop",
     "chunkwise": "chunkwise, float32"},
    (120, 640, 10), costs(powers(-4, 0), powers(4, 9), "inputs and output"), COSTS,
    "φ is elu + 1. The first three: lab 02, in double. Chunks of 32.", "tokens n")
gradient_cost = partial(
    over_tokens, "gradient_cost", "Time and memory of four ways to compute the gradients",
    "Gradients over n tokens, one head, c = d_v = 64",
    {"quadratic": "matrices", "parallel": "all states at once", "loops": "two loops", "chunkwise": "chunks of 32"},
    (104, 622, 18), costs(powers(-3, 0), powers(5, 9), "inputs and gradients"), COSTS, x="tokens n")
token_cost = partial(
    over_tokens, "token_cost", "Time per generated token", "One more token: one head, d = 64, double",
    {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "state": "linear, recurrent state"},
    (84, 396, 12), [("", "", "seconds", seconds, powers(-6, 0))], "Both axes logarithmic. ")
generation = partial(
    over_tokens, "generation", "Generation: tokens per second, and bytes kept", "Two blocks, d = 64, four heads, double",
    {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "linear": "linear, memories"},
    (108, 622, 10), [("Tokens per second: ", "tokens per second", "per_second", number, powers(-1, 4)),
                     ("Kept: ", "bytes kept for the next token", "kept_bytes", size_in_bytes, powers(2, 7))],
    "Two panels, all axes logarithmic. ")


def attention_matrices():
    n, d, seed, lag, square = 20, 16, 1, 4, 2.0

    def with_square(x):
        """Rows of this squared length after scaling by d^(-1/4)."""
        return x / np.linalg.norm(x, axis=-1, keepdims=True) * np.sqrt(square * np.sqrt(d))

    # A head that looks back: the query of token i resembles the key of token i - lag.
    K = with_square(normal(n, d, seed))
    Q = with_square(0.5 * normal(n, d, seed + 1) + K[np.maximum(0, np.arange(n) - lag)])
    weights = {"softmax": lab02.softmax_attention(Q, K, np.eye(n), "causal"),
               "elu + 1": lab03.attention_weights(Q, K, lab01.elu_plus_one, "causal", 0.0)}
    for m in (32, 1024):
        W = lab04.orthogonal_projection(m, d, seed + 2)
        weights[f"FAVOR+, m = {m}"] = lab04.favor_attention(Q, K, np.eye(n), W, "causal", 0.0)
    most = weights["softmax"][n // 2:].max()  # early rows have few keys, large weights
    sheet, size, said = Sheet(574), 210 / n, []
    for panel, (name, matrix) in enumerate(weights.items()):
        left, top = 16 + 236 * (panel % 2), 56 + 264 * (panel // 2)
        elsewhere = f"{np.abs(matrix - weights['softmax']).sum() / 2 / n:.0%} of the weight elsewhere"
        said += [f"{name}: {elsewhere}"] * bool(panel)
        sheet.text(left, top - 28, name, weight="bold")
        sheet.text(left, top - 10, elsewhere if panel else "what FAVOR+ approximates", "soft")
        sheet.cells(left, top, size, [row[:i + 1] for i, row in enumerate(matrix)], most)
    sheet.text(16, 560, "weight 0", "soft")
    sheet.cells(82, 549, 13, [np.linspace(0, most, 17)], most)
    sheet.text(312, 560, f"{most:.2f} and more", "soft")
    return sheet.svg("The attention matrix of softmax, elu + 1 and FAVOR+", (
        f"Four lower triangles of {n} by {n} weights; rows are queries. Softmax: a band of strong weights four places below the "
        "diagonal, from queries that resemble the key four tokens earlier. elu + 1: almost even rows. FAVOR+: the band again, the "
        f"clearer the more features. Of the weight of a row, on average, by {'; '.join(said)} than with softmax."))


def favor_convergence():
    draws, m = 4000, 2 ** np.arange(2, 11)
    W = np.stack([normal(m[-1], 2, seed) for seed in range(draws)])
    sheet, said = Sheet(588), []
    for panel, (degrees, words, limits) in enumerate(((60, "60° between q̂ and k̂, kernel 1.65", (0, 2.6)),
                                                      (120, "120° between q̂ and k̂, kernel 0.61", (-1.2, 3.2)))):
        axes = sheet.axes(50, 98 + 238 * panel, 412, 176, words)
        angle = np.radians(degrees)
        w_q, w_k = W[..., 0], np.cos(angle) * W[..., 0] + np.sin(angle) * W[..., 1]
        # What each direction contributes, by the formulas of 4.3 and 4.4, for q̂ = (1, 0) and k̂ of length 1.
        kinds = {"positive features": np.exp(w_q + w_k - 1), "sines and cosines": np.exp(1) * np.cos(w_q - w_k)}
        for (label, each), style in zip(kinds.items(), SERIES[::2]):
            means = np.sort((np.cumsum(each, axis=1) / np.exp(np.cos(angle)))[:, m - 1] / m, axis=0)
            lower, upper = means[draws // 10], means[-1 - draws // 10]
            curves(axes, m, {label: (lower, means.mean(axis=0), upper)}, styles=[style])
            for edge in (lower, upper):
                axes.plot(m, edge, **style | {"linewidth": 1, "marker": ""})
            said.append(f"{label} at {degrees} degrees: {lower[0]:.2f} to {upper[0]:.2f} with {m[0]} directions, "
                        f"{lower[-1]:.2f} to {upper[-1]:.2f} with {m[-1]}")
        axes.set_ylim(limits)
        logarithmic(axes.xaxis, m, number)
    axes.set_xlabel("directions m")
    sheet.head("Estimate divided by the kernel, ‖q̂‖² = ‖k̂‖² = 1", axes, 2)
    sheet.text(16, 572, "Lines with marks: mean of 4000 draws. Bands: 80% of the draws.", "soft")
    return sheet.svg("Both estimates of the softmax kernel converge to it", (
        "Two panels, over the number of directions on a logarithmic axis: both means stay at 1, and the bands that hold 80 "
        "percent of 4000 draws become narrower. " + "; ".join(said) + "."))


def favor_variance():
    square = 2.0  # ‖q̂‖² = ‖k̂‖²
    product, length = square * np.arange(-80, 81) / 80, np.sqrt(square * np.sqrt(2))
    angle = np.arccos(product / square)
    ends = length * np.stack([np.cos(angle), np.sin(angle)], -1)
    positive = np.array([abs(lab04.kernel_variance(np.array([length, 0.0]), k, 1)) for k in ends])
    trigonometric = np.exp(2 * square) * (1 - np.exp(-2 * (square - product))) ** 2 / 2  # the chapter's formula
    sheet = Sheet(336)
    axes = sheet.axes(74, 88, 388, 196)
    shown = [np.where(values > 0, values, np.nan) / np.exp(2 * product) for values in (positive, trigonometric)]  # no logarithm of 0
    labels = ("positive: exact at q̂ = −k̂", "trigonometric: exact at q̂ = k̂")
    curves(axes, product, dict(zip(labels, shown)), styles=SERIES[::2], markevery=10)
    axes.set(ylim=(1e-3, 1e4), xlim=(-2.05, 2.05), xlabel="q̂·k̂ (the kernel is its exponential: 0.14 to 7.4)")
    logarithmic(axes.yaxis, [0.01, 0.1, 1, 10, 100, 1000, 10000], number)
    axes.set_ylim(1e-3, 1e4)
    axes.set_xticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
    sheet.head("m · variance / kernel², where ‖q̂‖² = ‖k̂‖² = 2", axes, 1)
    return sheet.svg("Relative variance of the two estimators", (
        "Over the product of query and key from -2 to 2, both of squared norm 2, on a logarithmic axis: m times the variance, "
        f"divided by the square of the kernel. Positive features rise from 0 to {shown[0][-1]:.0f}, trigonometric ones fall from "
        f"{shown[1][0]:.0f} to 0. At 0 they stand at {shown[0][80]:.0f} and {shown[1][80]:.0f}."))


def favor_error():
    n, d, draws, numbers = 256, 64, 20, 2 ** np.arange(4, 12)

    def trigonometric(Q, K, V, m, seed):
        W = normal(m, d, seed)
        return lab03.normalized_linear_attention(Q, K, V, lambda x: lab04.trigonometric_random_features(x, W), 0.0)

    def positive(projection, Q, K, V, m, seed):
        return lab04.favor_attention(Q, K, V, projection(m, d, seed), "none", 0.0)

    kinds = {"positive, independent": partial(positive, normal), "positive, orthogonal (FAVOR+)": partial(positive, lab04.orthogonal_projection),
             "trigonometric": trigonometric}
    sheet, said = Sheet(554), ""
    for panel, (square, words, ticks) in enumerate(((1, "short queries and keys: ‖q̂‖² = ‖k̂‖² ≈ 1", [0.03, 0.1, 0.3, 1]),
                                                    (8, "entries from N(0, 1): ‖q̂‖² = ‖k̂‖² ≈ 8", [1, 10, 100, 1000]))):
        scale = np.sqrt(square / np.sqrt(d))
        inputs = [(scale * normal(n, d, 4 * draw), scale * normal(n, d, 4 * draw + 1), normal(n, d, 4 * draw + 2)) for draw in range(draws)]
        wanted = [lab02.softmax_attention(*each, "none") for each in inputs]
        series = {}
        for label, attention in kinds.items():
            errors = np.sort([[np.linalg.norm(attention(*each, m, 4 * draw + 3) - right) / np.linalg.norm(right) for m in numbers]
                              for draw, (each, right) in enumerate(zip(inputs, wanted))], axis=0)
            series[label] = errors[draws // 4], np.median(errors, axis=0), errors[-1 - draws // 4]
        axes = sheet.axes(66, 108 + 228 * panel, 396, 166, words)
        said += f"Squared norm {square}: " + curves(axes, numbers, series)
        logarithmic(axes.xaxis, numbers, number)
        logarithmic(axes.yaxis, ticks, number)
    axes.set_xlabel("directions m")
    sheet.head("Relative error of the outputs, against softmax attention", axes, 2)
    return sheet.svg("Error of FAVOR+ against the number of random directions", (
        f"Two panels, both axes logarithmic; relative error of the outputs, median of {draws} draws with quartiles. {said}"))


def difference_error():
    points, steps = [0.5 + p / 100 for p in range(101)], [10.0 ** (-0.5 * half) for half in range(29)]
    sides = {"one-sided, (f(x+h) − f(x)) / h": lambda at, h: (exp(at + h) - exp(at)) / h,
             "central, (f(x+h) − f(x−h)) / 2h": lambda at, h: lab06.central_differences(lambda x: exp(x[0]), np.array([at]), h)[0]}
    # The median: at a single point rounding may cancel by luck.
    errors = {label: [np.median([abs(slope(at, h) / exp(at) - 1.0) for at in points]) for h in steps] for label, slope in sides.items()}
    sheet = Sheet(414)
    axes = sheet.axes(66, 104, 396, 250)
    curves(axes, steps, errors)
    axes.set_xlabel("step h")
    for axis, apart in ((axes.xaxis, 3), (axes.yaxis, 2)):
        logarithmic(axis, [10.0 ** power for power in range(-12, 1, apart)],
                    lambda value: f"{value:.0e}".replace("e-0", "e-").replace("e+00", "").replace("-", "−"))
    sheet.head("Relative error of the slope of exp", axes, 1)
    said = [f"{label.split(',')[0]} differences do best with h = {steps[np.argmin(each)]:.0e}, where the error is {min(each):.0e}"
            for label, each in errors.items()]
    return sheet.svg("Error of a difference against its step", (
        f"Relative error over steps from {steps[-1]:.0e} to {steps[0]:g}, both axes logarithmic, the median of {len(points)} points. Both "
        "curves have the shape of a V: they fall as h shrinks, by the first and by the second power of it, until rounding takes over and "
        f"they rise again. {'; '.join(said)}."))


def recall():
    d, draws, pairs = 64, 20, 2 ** np.arange(10)

    def of_length_one(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    def summed(keys, V, phi=lab01.identity):
        return lab02.linear_attention_bidirectional(keys, keys, V, phi)

    memories_of = {  # what each answers to the keys themselves; K has entries from N(0, 1)
        "softmax over all pairs": lambda K, V: lab02.softmax_attention(K, K, V, "none"),
        "sum, φ(k) of 4096 products": lambda K, V: summed(of_length_one(K), V, lab01.polynomial_features),
        "sum, orthonormal keys": lambda K, V: summed(np.linalg.qr(K.T)[0].T, V),  # d of them at most
        "sum, random unit keys": lambda K, V: summed(of_length_one(K), V),
        "elu + 1, normalised": lambda K, V: lab03.normalized_linear_attention(K, K, V, lab01.elu_plus_one, 0.0)}
    errors = {}
    for label, recalled in memories_of.items():
        for n in pairs[pairs <= d] if "orthonormal" in label else pairs:
            inputs = [[normal(n, d, 2 * draw + of) for of in (0, 1)] for draw in range(draws)]
            apart = [np.linalg.norm(recalled(K, V) - V) / np.linalg.norm(V) for K, V in inputs]
            errors.setdefault(label, []).append(np.median(apart))
    sheet = Sheet(402)
    axes = sheet.axes(58, 104, 404, 250)
    said = curves(axes, pairs, errors)
    logarithmic(axes.xaxis, pairs, number)
    axes.set(ylim=(-0.04, 1.6), yticks=[0, 0.5, 1, 1.5], xlabel="pairs n")
    sheet.head("Relative error of the values that come back, d = 64", axes, 2)
    return sheet.svg("Recall against the number of stored pairs", f"Relative error over the number of pairs, median of {draws} draws. {said}")


def small_model():
    n, heads, d, seed = 18, 2, 12, 1

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
    most, largest = weights[:, n // 2:].max(), np.abs(memory.S).max()  # the first rows have few keys and large weights
    sheet = Sheet(556)
    for head in range(heads):
        top = 62 + 238 * head
        sheet.text(16, top - 12, f"Head {head}: weights of {n} tokens")
        sheet.cells(16, top, 198 / n, [row[:i + 1] for i, row in enumerate(weights[head])], most)
        sheet.text(268, top - 12, f"its S, {d // heads} by {d // heads}")
        sheet.cells(268, top, 198 / (d // heads), memory.S[head], largest)
    sheet.text(16, 26, "What a head looks at, and what it keeps (not trained)", weight="bold")
    sheet.text(16, 540, f"weights: 0 to {most:.2f} and more", "soft")
    sheet.text(268, 540, f"S: −{largest:.0f} to {largest:.0f}; orange below 0", "soft")
    return sheet.svg("Attention weights and states of a small model", (
        f"Two rows, one for each head. On the left the lower triangle of {n} by {n} attention weights, rows are queries: faint stripes, "
        "some of which come back six columns later, since the same six symbols come three times; the first rows are strong, since few "
        f"keys share the weight. On the right the state S after the last token, {d // heads} by {d // heads} entries of both signs, the "
        f"largest {largest:.1f}; it has this size after any number of tokens."))


def copying():
    names, each, steps = ("linear", "softmax", "hybrid"), 5, 120  # a point of the loss is the mean of 5 steps

    def measured():
        program = training_program.build(training_program.prepared(ROOT, "reference", "lab08"), "lab08_train", "lab08")
        rows = []
        for length in (4, 8, 16, 32):
            found = {name: benchmarks.trained(program, attention=name, length=length, steps=steps, threads=training_program.cores())
                     for name in names}
            if length == 16:
                rows += [{"what": "loss", "at": at} | {name: "%.4f" % np.mean(losses[at - each:at]) for name, (_, losses) in found.items()}
                         for at in range(each, steps + 1, each)]
            rows.append({"what": "accuracy", "at": length} | {name: "%.3f" % (right / 100) for name, (right, _) in found.items()})
        return rows

    _, rows = recorded("copying", measured)
    sheet = Sheet(576)
    panels = {"loss": sheet.axes(58, 96, 404, 190, "loss on symbols to copy, length 16"),
              "accuracy": sheet.axes(58, 344, 404, 176, "unseen symbols right after 120 steps, in percent")}
    said = ""
    for what, axes in panels.items():
        chosen = [row for row in rows if row["what"] == what]
        at, percent = [int(row["at"]) for row in chosen], 100 if what == "accuracy" else 1
        series = {name: [percent * float(row[name]) for row in chosen] for name in names}
        said += f"{what}: " + curves(axes, at, series, markevery=4 if what == "loss" else 1)
    panels["loss"].set_xlabel("steps")
    logarithmic(panels["loss"].yaxis, [0.001, 0.01, 0.1, 1], number)
    axes.set(xlabel="symbols to copy", xticks=at, ylim=(0, 104), yticks=[10, 50, 100])
    sheet.head("Learning to copy: two blocks of width 64", panels["loss"], 3)
    return sheet.svg("Learning to copy with linear, softmax and hybrid attention", (
        "Two panels. Above, the loss over 120 steps, logarithmic; below, the share of unseen symbols that is copied over the length, in "
        f"percent. {said}"))


def below(state, count):
    """SplitMix64, as labs/vocabulary/random.cpp has it: (next state, number below count, or all of its bits)."""
    mask = (1 << 64) - 1
    state = z = (state + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    z ^= z >> 31
    return (state, z) if count is None else (state, int((z >> 11) * 2.0 ** -53 * count))


def capacity():
    """Each of several keys is written as many times, in random order, each time with another value, and then asked for. Recalled: what
    is read is nearer to the last value written under the key than to every other value that was written."""
    d, trials = 32, 100
    nothing = np.zeros((trials, d, d))

    def of_length_one(rows, seed):
        x = normal(trials * rows, d, seed).reshape(trials, rows, d)
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    def delta(K, V):
        numbers = np.ones(K.shape[:2])
        return lab09.gated_delta_rule_resume(K, K, V, numbers, 0 * numbers, nothing).S

    def summed(decay, K, V):
        S = nothing
        for k, v in zip(K.swapaxes(0, 1), V.swapaxes(0, 1)):
            S = decay * S + k[:, :, None] * v[:, None]
        return S

    def least_squares(decay, K, V):
        """As 9.13, but what came before counts `decay` times as much at every write."""
        S, P = nothing, nothing + np.eye(d) / 1e-3
        for k, v in zip(K.swapaxes(0, 1), V.swapaxes(0, 1)):
            Pk = (P @ k[:, :, None])[..., 0]
            gain = Pk / (decay + np.sum(k * Pk, axis=-1, keepdims=True))
            S = S + gain[:, :, None] * (v - (k[:, None] @ S)[:, 0])[:, None]
            P = (P - gain[:, :, None] * Pk[:, None]) / decay
        return S

    rules = {"plain sum": partial(summed, 1.0), "decay 0.95": partial(summed, 0.95), "delta rule, β = 1": delta,
             "least squares": partial(least_squares, 1.0), "least squares, forgetting": partial(least_squares, 0.9)}
    counts, sheet, said = (4, 8, 16, 24, 32, 48, 64), Sheet(576), ""
    for times, words, top in ((1, "each key written once", 118), (4, "each key written four times, its last value wanted", 350)):
        series = {rule: [] for rule in rules}
        for keys in counts:
            seed = 100 * times + keys
            table, V = of_length_one(keys, seed), of_length_one(keys * times, seed + 1)
            state, order = below(seed + 2, None)[1], np.tile(np.arange(keys * times) % keys, (trials, 1))
            for row in order:
                for i in range(len(row) - 1, 0, -1):
                    state, other = below(state, i + 1)
                    row[i], row[other] = row[other], row[i]
            last = np.array([[np.flatnonzero(row == key)[-1] for key in range(keys)] for row in order])
            K = np.take_along_axis(table, order[..., None], 1)
            for rule, state_of in rules.items():  # all values have length 1
                nearest = np.argmax(table @ state_of(K, V) @ V.swapaxes(1, 2), axis=-1)
                series[rule].append(100 * np.mean(nearest == last))
        axes = sheet.axes(58, top, 404, 180, words)
        said += f"{words}: " + curves(axes, counts, series)
        axes.set(ylim=(0, 104), yticks=[0, 50, 100], xticks=counts)
    axes.set_xlabel("keys")
    sheet.head("Keys recalled, in percent; width 32", axes, 2)
    return sheet.svg("What five rules recall without training", f"Two panels: the share of keys recalled over the number of keys, in percent. {said}")


if __name__ == "__main__":
    for target in sys.argv[1:]:
        if target != "--draw":
            name, _, path = target.partition("=")
            Path(path).write_text(globals()[name](), encoding="utf-8")
            print(f"wrote {os.path.relpath(path, ROOT)}", file=sys.stderr)
