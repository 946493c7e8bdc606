"""What draws the plots: a function for each figure, with its name, and one for `./course bench --peers`."""

from matplotlib.axes import Axes

from author.canvas import COLOUR, SERIES, Sheet, logarithmic, number, seconds, size_in_bytes
from author.benchmarks import Row
from author.figures import Table
from author.peers import DRAWN, LABELS, per_token


def feature_maps(table: Table) -> str:
    """Four feature maps of one entry x."""
    maps = {"elu_plus_one": "smooth, never 0", "relu": "0 for all x ≤ 0", "identity": "signed",
            "exp": "grows fast; not shifted here"}
    marked = (-1.0, 0.0, 2.0)  # the entries of token 0 in the chapter
    lowest, highest = -2.0, 4.0
    sheet = Sheet(472)
    (x,) = table.columns("x")
    values = {}
    for panel, (name, words) in enumerate(maps.items()):
        (y,) = table.columns(name)
        values[name] = dict(zip(x, y))
        left, top = 40 + 226 * (panel % 2), 62 + 208 * (panel // 2)
        sheet.text(left, top - 26, name, weight="bold")
        sheet.text(left, top - 9, words, "soft")
        axes = sheet.axes(left, top, 190, 136)
        axes.axhspan(lowest, 0, color=COLOUR["b"], alpha=0.15, linewidth=0)
        axes.plot(x, y, color=SERIES[0]["color"])
        axes.plot(marked, [values[name][entry] for entry in marked], "o", color=SERIES[0]["color"])
        axes.set(xlim=(-3, 3), ylim=(lowest, highest))
        axes.set_xticks([-1, 0, 2], ["−1", "0", "2"])
        axes.set_yticks([0, 1, 3], ["0", "1", "3"])
    sheet.text(16, 452, "Orange: features below 0, where weights can turn negative.", "soft")
    at = "; ".join(f"{name} " + ", ".join(f"{values[name][entry]:.3g}" for entry in marked) for name in maps)
    return sheet.svg("Four feature maps of one entry x", (
        "Four panels over x from -3 to 3. elu_plus_one is the exponential up to 0 and the line x + 1 after it, always "
        "above 0. relu is 0 up to x = 0, then x. identity is the line x, negative for negative x. exp is positive and "
        f"leaves the panel before x = 1.5. Dots mark x = -1, 0 and 2: {at}."))


def memories(table: Table) -> str:
    """The state as a sum of rank-1 memories."""
    labels = {"token 1": "φ(k₁) v₁ᵀ", "token 2": "φ(k₂) v₂ᵀ", "token 3": "φ(k₃) v₃ᵀ", "token 4": "φ(k₄) v₄ᵀ", "S": "S"}
    entries = table.matrices()
    largest = {name: max(matrix.values(), key=abs) for name, matrix in entries.items()}
    most = max(abs(value) for value in largest.values())
    sheet = Sheet(216)
    size, left, top = 11, 22, 62
    sheet.text(16, 28, "What each token writes, and what is kept", weight="bold")
    for name in labels:
        sheet.text(left + 3 * size, top - 10, labels[name], ha="center")
        sheet.cells(left, top, size, entries[name], most)
        left += 6 * size
        if name != "S":
            sheet.text(left + 13.5, top + 4.4 * size, "=" if name == "token 4" else "+", ha="center", fontsize=17)
        left += 27
    sheet.text(16, 178, "8 rows: the entries of φ(k). 6 columns: those of v.", "soft")
    steps = 24
    sheet.text(16, 202, f"−{most:.1f}", "soft")
    sheet.cells(64, 191, 13, {(0, i): most * (2 * i / steps - 1) for i in range(steps + 1)}, most)
    sheet.text(64 + 13 * (steps + 1) + 8, 202, f"{most:.1f}", "soft")
    return sheet.svg("A state S is a sum of rank-1 memories", (
        "Five heat maps of 8 rows and 6 columns. In each of the first four every row is a multiple of the same row v: "
        "the outer product of a token's features and its value. The fifth is their sum, S, and has no such pattern. "
        "The entries of largest size: "
        + ", ".join(f"{value:.1f} in {labels[name]}" for name, value in largest.items()) + "."))


def _costs(table: Table, forms: dict[str, str], above: Axes, below: Axes, times: list[float], sizes: list[float]) -> str:
    """Draws time and memory over the number of tokens, a curve for every form, and says what they show. forms: name in the
    table → label; times and sizes: the labelled ticks."""
    said = []
    for (form, label), style in zip(forms.items(), SERIES):
        n, time, memory = table.columns("n", "seconds", "peak_bytes", form=form)
        above.plot(n, time, label=label, **style)
        below.plot(n, memory, **style)
        said.append(f"{label} {seconds(time[-1])} and {size_in_bytes(memory[-1])}")
    for axes in (above, below):
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, n, number)
    logarithmic(above.yaxis, times, seconds)
    logarithmic(below.yaxis, sizes, size_in_bytes)
    below.set_xlabel("tokens n")
    return (f"Time and memory in two panels over n from {n[0]:g} to {n[-1]:g} tokens, all axes logarithmic. At {n[-1]:g} "
            "tokens: " + "; ".join(said) + ".")


def attention_cost(table: Table) -> str:
    """Time and memory of causal attention, over the number of tokens."""
    forms = {"softmax": "softmax", "parallel": "linear, parallel", "recurrent": "linear, recurrent",
             "loop": "recurrent, float32 loop", "chunkwise": "chunkwise, float32"}
    sheet = Sheet(640)
    above = sheet.axes(72, 120, 390, 200, "time")
    below = sheet.axes(72, 362, 390, 200, "memory at the peak, beside inputs and output")
    description = _costs(table, forms, above, below, [1e-4, 1e-3, 1e-2, 1e-1, 1], [1e4, 1e5, 1e6, 1e7, 1e8, 1e9])
    sheet.head("Causal attention over n tokens, one head, d = 64", above, 2)
    sheet.text(16, 612, "φ is elu + 1. The first three: lab 02, in double. Chunks of 32.", "soft")
    sheet.text(16, 630, table.machine, "soft", fontsize=12)
    return sheet.svg("Time and memory of five ways to compute causal attention", description)


def token_cost(table: Table) -> str:
    """Time for one more token, over the number of those before it."""
    ways = {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "state": "linear, recurrent state"}
    sheet = Sheet(396)
    axes = sheet.axes(72, 84, 390, 240)
    said = []
    for (form, label), style in zip(ways.items(), SERIES):
        n, time = table.columns("n", "seconds", form=form)
        axes.plot(n, time, label=label, **style)
        said.append(f"{label}: {seconds(time[0])} at {n[0]:g} tokens, {seconds(time[-1])} at {n[-1]:g}")
    axes.set(xscale="log", yscale="log", xlabel="tokens so far")
    logarithmic(axes.xaxis, n, number)
    logarithmic(axes.yaxis, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1], seconds)
    sheet.head("One more token: one head, d = 64, double", axes, 2)
    sheet.text(16, 384, table.machine, "soft", fontsize=12)
    return sheet.svg("Time per generated token", "Both axes logarithmic. " + "; ".join(said) + ".")


def attention_matrices(table: Table) -> str:
    """The weights of one head: softmax, elu + 1, FAVOR+ with few and with many features."""
    matrices = table.matrices()
    softmax = matrices["softmax"]
    rows = 1 + max(row for row, _ in softmax)
    most = max(softmax[index] for index in softmax if index[0] >= rows // 2)  # early rows have few keys, large weights
    elsewhere = {name: sum(abs(matrix[index] - softmax[index]) for index in softmax) / 2 / rows
                 for name, matrix in matrices.items()}
    sheet = Sheet(574)
    size = 210 / rows
    for panel, name in enumerate(matrices):
        left, top = 16 + 236 * (panel % 2), 56 + 264 * (panel // 2)
        sheet.text(left, top - 28, name.replace("+ m", "+, m"), weight="bold")
        words = f"{elsewhere[name]:.0%} of the weight elsewhere" if panel else "what FAVOR+ approximates"
        sheet.text(left, top - 10, words, "soft")
        sheet.cells(left, top, size, matrices[name], most)
    sheet.text(16, 560, "weight 0", "soft")
    sheet.cells(82, 549, 13, {(0, i): most * i / 16 for i in range(17)}, most)
    sheet.text(312, 560, f"{most:.2f} and more", "soft")
    shares = ", ".join(f"{share:.0%} with {name}" for name, share in list(elsewhere.items())[1:])
    return sheet.svg("The attention matrix of softmax, elu + 1 and FAVOR+", (
        f"Four lower triangles of {rows} by {rows} weights; rows are queries. Softmax: a band of strong weights four "
        "places below the diagonal, from queries that resemble the key four tokens earlier. elu + 1: almost even rows. "
        "FAVOR+: the band again, the clearer the more features. Of the weight of a row, on average, "
        f"{shares} lies elsewhere than with softmax."))


def favor_convergence(table: Table) -> str:
    """The estimates of the softmax kernel, over the number of directions: mean and spread."""
    kinds = {"positive": "positive features", "trigonometric": "sines and cosines"}
    panels = {"60": ("60° between q̂ and k̂, kernel 1.65", 2.6), "120": ("120° between q̂ and k̂, kernel 0.61", 3.2)}
    sheet = Sheet(588)
    said = []
    for panel, (angle, (words, most)) in enumerate(panels.items()):
        axes = sheet.axes(50, 98 + 238 * panel, 412, 176, words)
        for (kind, label), style in zip(kinds.items(), (SERIES[0], SERIES[2])):
            m, lower, mean, upper = table.columns("m", *(f"{kind} {what}" for what in ("lower", "mean", "upper")), angle=angle)
            axes.plot(m, mean, label=label, **style)
            for edge in (lower, upper):
                axes.plot(m, edge, **{**style, "linewidth": 1, "marker": ""})
            axes.fill_between(m, lower, upper, color=style["color"], alpha=0.2, linewidth=0)
            said.append(f"{label} at {angle} degrees: {lower[0]:.2f} to {upper[0]:.2f} with {m[0]:g} directions, "
                        f"{lower[-1]:.2f} to {upper[-1]:.2f} with {m[-1]:g}")
        axes.set(xscale="log", ylim=(-1.2 if angle == "120" else 0, most))
        logarithmic(axes.xaxis, m, number)
    axes.set_xlabel("directions m")
    sheet.head("Estimate divided by the kernel, ‖q̂‖² = ‖k̂‖² = 1", axes, 2)
    sheet.text(16, 572, "Lines with marks: mean of 4000 draws. Bands: 80% of the draws.", "soft")
    return sheet.svg("Both estimates of the softmax kernel converge to it", (
        "Two panels, over the number of directions on a logarithmic axis: both means stay at 1, and the bands that hold 80 "
        "percent of 4000 draws become narrower. " + "; ".join(said) + "."))


def favor_variance(table: Table) -> str:
    """The variance of positive and of trigonometric features, over the product of query and key."""
    product, positive, trigonometric = table.columns("product", "positive", "trigonometric")
    middle = product.index(0.0)
    sheet = Sheet(336)
    axes = sheet.axes(74, 88, 388, 196)
    for values, label, style in ((positive, "positive: exact at q̂ = −k̂", SERIES[0]),
                                 (trigonometric, "trigonometric: exact at q̂ = k̂", SERIES[2])):
        shown = [value if value > 0 else float("nan") for value in values]  # a logarithmic axis has no zero
        axes.plot(product, shown, label=label, markevery=10, **style)
    axes.set(yscale="log", ylim=(1e-3, 1e4), xlim=(-2.05, 2.05))
    axes.set_xlabel("q̂·k̂ (the kernel is its exponential: 0.14 to 7.4)")
    logarithmic(axes.yaxis, [0.01, 0.1, 1, 10, 100, 1000, 10000], number)
    axes.set_xticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
    sheet.head("m · variance / kernel², where ‖q̂‖² = ‖k̂‖² = 2", axes, 1)
    ends = [f"{values[0]:.0f} to {values[-1]:.0f}" for values in (positive, trigonometric)]
    return sheet.svg("Relative variance of the two estimators", (
        "Over the product of query and key from -2 to 2, both of squared norm 2, on a logarithmic axis: m times the "
        f"variance, divided by the square of the kernel. Positive features rise from {ends[0]}, trigonometric ones "
        f"fall from {ends[1]}. At 0 they stand at {positive[middle]:.0f} and {trigonometric[middle]:.0f}."))


def favor_error(table: Table) -> str:
    """The error of attention with random features, over their number."""
    kinds = {"positive independent": "positive, independent", "positive orthogonal": "positive, orthogonal (FAVOR+)",
             "trigonometric": "trigonometric"}
    panels = {"1": "short queries and keys: ‖q̂‖² = ‖k̂‖² ≈ 1", "8": "entries from N(0, 1): ‖q̂‖² = ‖k̂‖² ≈ 8"}
    sheet = Sheet(554)
    said = []
    for panel, (norm, words) in enumerate(panels.items()):
        axes = sheet.axes(66, 108 + 228 * panel, 396, 166, words)
        for (kind, label), style in zip(kinds.items(), SERIES):
            m, median, lower, upper = table.columns("m", *(f"{kind} {what}" for what in ("median", "lower", "upper")), norm=norm)
            axes.plot(m, median, label=label, **style)
            axes.fill_between(m, lower, upper, color=style["color"], alpha=0.18, linewidth=0)
            said.append(f"{label}, squared norm {norm}: {median[0]:.2g} with {m[0]:g} directions, "
                        f"{median[-1]:.2g} with {m[-1]:g}")
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, m, number)
        logarithmic(axes.yaxis, [0.03, 0.1, 0.3, 1] if norm == "1" else [1, 10, 100, 1000], number)
    axes.set_xlabel("directions m")
    sheet.head("Relative error of the outputs, against softmax attention", axes, 2)
    return sheet.svg("Error of FAVOR+ against the number of random directions", (
        "Two panels, both axes logarithmic; relative error of the outputs, median of 20 draws with quartiles. "
        + "; ".join(said) + "."))


def difference_error(table: Table) -> str:
    """The error of one-sided and of central differences, over the step."""
    labels = {"one-sided": "one-sided, (f(x+h) − f(x)) / h", "central": "central, (f(x+h) − f(x−h)) / 2h"}
    sheet = Sheet(414)
    axes = sheet.axes(66, 104, 396, 250)
    said = []
    for (sides, label), style in zip(labels.items(), SERIES):
        step, error = table.columns("h", sides)
        axes.plot(step, error, label=label, **style)
        best = min(range(len(error)), key=error.__getitem__)
        said.append(f"{sides} differences do best with h = {step[best]:.0e}, where the error is {error[best]:.0e}")
    axes.set(xscale="log", yscale="log", xlabel="step h")
    for axis, apart in ((axes.xaxis, 3), (axes.yaxis, 2)):
        logarithmic(axis, [10.0 ** power for power in range(-12, 1, apart)],
                    lambda value: f"{value:.0e}".replace("e-0", "e-").replace("e+00", "").replace("-", "−"))
    sheet.head("Relative error of the slope of exp", axes, 1)
    return sheet.svg("Error of a difference against its step", (
        f"Relative error over steps from {step[-1]:.0e} to {step[0]:g}, both axes logarithmic. Both curves have the shape "
        "of a V: they fall as h shrinks, by the first and by the second power of it, until rounding takes over and they "
        "rise again. " + "; ".join(said) + "."))


def gradient_cost(table: Table) -> str:
    """Time and memory of the gradients of causal linear attention, over the number of tokens."""
    forms = {"quadratic": "matrices", "parallel": "all states at once", "loops": "two loops", "chunkwise": "chunks of 32"}
    sheet = Sheet(622)
    above = sheet.axes(72, 104, 390, 200, "time")
    below = sheet.axes(72, 346, 390, 200, "memory at the peak, beside inputs and gradients")
    description = _costs(table, forms, above, below, [1e-3, 1e-2, 1e-1, 1], [1e5, 1e6, 1e7, 1e8, 1e9])
    sheet.head("Gradients over n tokens, one head, c = d_v = 64", above, 2)
    sheet.text(16, 604, table.machine, "soft", fontsize=12)
    return sheet.svg("Time and memory of four ways to compute the gradients", description)


def recall(table: Table) -> str:
    """The error of what a memory recalls, over the number of pairs in it."""
    labels = {"softmax": "softmax over all pairs", "products": "sum, φ(k) of 4096 products",
              "orthonormal": "sum, orthonormal keys", "sum": "sum, random unit keys", "elu + 1": "elu + 1, normalised"}
    sheet = Sheet(402)
    axes = sheet.axes(58, 104, 404, 250)
    said = []
    for (memory, label), style in zip(labels.items(), SERIES):
        pairs, error = table.columns("pairs", "error", memory=memory)
        axes.plot(pairs, error, label=label, **style)
        said.append(f"{label}: " + ", ".join(f"{value:.2f} at {n:g}" for n, value in zip(pairs, error)
                                             if n in (2, 32, 64, 512)))
    axes.set(xscale="log", ylim=(-0.04, 1.6), yticks=[0, 0.5, 1, 1.5], xlabel="pairs n")
    logarithmic(axes.xaxis, [2 ** power for power in range(10)], number)
    sheet.head("Relative error of the values that come back, d = 64", axes, 2)
    return sheet.svg("Recall against the number of stored pairs",
                     "Relative error over the number of pairs, from 1 to 512. " + "; ".join(said) + ".")


def generation(table: Table) -> str:
    """Tokens per second of a whole model and the bytes it keeps, over the number of tokens so far."""
    ways = {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "linear": "linear, memories"}
    sheet = Sheet(622)
    above = sheet.axes(72, 108, 390, 200, "tokens per second")
    below = sheet.axes(72, 350, 390, 200, "bytes kept for the next token")
    said = []
    for (form, label), style in zip(ways.items(), SERIES):
        n, time, kept = table.columns("n", "seconds", "kept_bytes", form=form)
        above.plot(n, [1 / each for each in time], label=label, **style)
        below.plot(n, kept, **style)
        first, last = (float(f"{1 / each:.2g}") for each in (time[0], time[-1]))
        said.append(f"{label}: {first:g} tokens per second at {n[0]:g} tokens, {last:g} at {n[-1]:g}, where "
                    f"{size_in_bytes(kept[-1])} are kept")
    for axes in (above, below):
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, n, number)
    logarithmic(above.yaxis, [1e-1, 1, 10, 100, 1e3, 1e4], number)
    logarithmic(below.yaxis, [1e2, 1e3, 1e4, 1e5, 1e6, 1e7], size_in_bytes)
    below.set_xlabel("tokens so far")
    sheet.head("Two blocks, d = 64, four heads, double", above, 2)
    sheet.text(16, 612, table.machine, "soft", fontsize=12)
    return sheet.svg("Generation: tokens per second, and bytes kept", "Two panels, all axes logarithmic. " + "; ".join(said) + ".")


def small_model(table: Table) -> str:
    """A small model's two heads: the weights of attention, and the state after the last token."""
    matrices = table.matrices()
    weights, states = ([matrices[f"{what} {head}"] for head in range(2)] for what in ("weights", "S"))
    tokens, width = (1 + max(row for row, _ in first) for first, _ in (weights, states))
    # The first rows have few keys and large weights: the scale is that of the second half.
    most = max(value for matrix in weights for (row, _), value in matrix.items() if row >= tokens // 2)
    largest = max(abs(value) for state in states for value in state.values())
    sheet = Sheet(556)
    size = 198 / tokens
    for head in range(2):
        top = 62 + 238 * head
        sheet.text(16, top - 12, f"Head {head}: weights of {tokens} tokens")
        sheet.cells(16, top, size, weights[head], most)
        sheet.text(268, top - 12, f"its S, {width} by {width}")
        sheet.cells(268, top, 198 / width, states[head], largest)
    sheet.text(16, 26, "What a head looks at, and what it keeps (not trained)", weight="bold")
    sheet.text(16, 540, f"weights: 0 to {most:.2f} and more", "soft")
    sheet.text(268, 540, f"S: −{largest:.0f} to {largest:.0f}; orange below 0", "soft")
    return sheet.svg("Attention weights and states of a small model", (
        f"Two rows, one for each head. On the left the lower triangle of {tokens} by {tokens} attention weights, rows are "
        "queries: faint stripes, some of which come back six columns later, since the same six symbols come three times; the "
        f"first rows are strong, since few keys share the weight. On the right the state S after the last token, {width} by {width} "
        f"entries of both signs, the largest {largest:.1f}; it has this size after any number of tokens."))


def copying(table: Table) -> str:
    """The copy task: the loss over the steps, and what is right after all of them over the length."""
    sheet = Sheet(576)
    above = sheet.axes(58, 96, 404, 190, "loss on symbols to copy, length 16")
    below = sheet.axes(58, 344, 404, 176, "unseen symbols right after 120 steps, in percent")
    said = []
    for attention, style in zip(("linear", "softmax", "hybrid"), SERIES):
        steps, loss = table.columns("at", attention, what="loss")
        lengths, right = table.columns("at", attention, what="accuracy")
        above.plot(steps, loss, label=attention, markevery=4, **style)
        below.plot(lengths, [100 * share for share in right], **style)
        half = next((step for step, value in zip(steps, loss) if value < 1), None)
        said.append(f"{attention}: loss below 1 " + (f"at step {half:g}" if half else "never") + ", right at the lengths "
                    + ", ".join(f"{length:g}: {100 * share:.0f}" for length, share in zip(lengths, right)) + " percent")
    above.set(yscale="log", xlabel="steps")
    logarithmic(above.yaxis, [0.001, 0.01, 0.1, 1], number)
    below.set(xlabel="symbols to copy", xticks=lengths, ylim=(0, 104), yticks=[10, 50, 100])
    sheet.head("Learning to copy: two blocks of width 64", above, 3)
    return sheet.svg("Learning to copy with linear, softmax and hybrid attention",
                     "Two panels. Above, the loss over 120 steps, logarithmic; below, the share of unseen symbols "
                     "that is copied over the length. " + "; ".join(said) + ".")


def capacity(table: Table) -> str:
    """What a state recalls without training, over the number of keys: each written once, and each written four times."""
    rules = {"sum": "plain sum", "decay": "decay 0.95", "delta": "delta rule, β = 1", "least squares": "least squares",
             "forgetting least squares": "least squares, forgetting"}
    titles = {"1": "each key written once", "4": "each key written four times, its last value wanted"}
    sheet = Sheet(576)
    panels = {times: sheet.axes(58, top, 404, 180, title) for (times, title), top in zip(titles.items(), (118, 350))}
    said = []
    for (rule, label), style in zip(rules.items(), SERIES):
        for times, axes in panels.items():
            keys, recalled = table.columns("keys", rule, times=times)
            axes.plot(keys, [100 * share for share in recalled], label=label, **style)
            said.append(f"{label}, written {'once' if times == '1' else 'four times'}: " + ", ".join(
                f"{100 * share:.0f} at {n:g}" for n, share in zip(keys, recalled) if n in (4, 16, 32, 64)))
    for axes in panels.values():
        axes.set(ylim=(0, 104), yticks=[0, 50, 100], xticks=[4, 8, 16, 24, 32, 48, 64])
    panels["4"].set_xlabel("keys")
    sheet.head("Keys recalled, in percent; width 32", panels["1"], 2)
    return sheet.svg("What five rules recall without training",
                     "Two panels: the share of keys recalled over the number of keys, from 4 to 64, in percent. "
                     + "; ".join(said) + ".")


def peers(rows: list[Row], machine: str) -> str:
    """Time per token of causal attention, ours and others', over the number of tokens."""
    sheet = Sheet(640)
    said = []
    for place, d in enumerate((64, 128)):
        axes = sheet.axes(72, 132 + 240 * place, 390, 190, f"time per token and head, d = {d}")
        for peer, style in zip(DRAWN, SERIES):
            points = sorted((row["n"], per_token(row) * 1e-9) for row in rows
                            if (row["peer"], row["d"], row["threads"]) == (peer, d, 1) and "seconds" in row)
            if points:
                axes.plot(*zip(*points), label=LABELS[peer], **style)
                said.append(f"d = {d}, {LABELS[peer]}: {seconds(points[-1][1])} at n = {points[-1][0]}")
        axes.set(xscale="log", yscale="log", xlim=(800, 84000))
        logarithmic(axes.xaxis, [1024, 4096, 16384, 65536], number)
        logarithmic(axes.yaxis, [2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5, 2e-5], seconds)
        if place == 0:
            first = axes
    axes.set_xlabel("tokens n")
    sheet.text(16, 26, "Causal attention, 8 heads, float32, one thread", weight="bold")
    sheet.legend(first, 38, 2)
    sheet.text(16, 630, machine, "soft", fontsize=12)
    return sheet.svg("Time per token of causal attention on one core, ours and others'",
                     "Two panels over n, all axes logarithmic; lower is better. " + "; ".join(said) + ".")
