"""The error of what a memory recalls, over the number of pairs in it."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Recall against the number of stored pairs"
MEMORIES = {"softmax": "softmax over all pairs", "products": "sum, φ(k) of 4096 products",
            "orthonormal": "sum, orthonormal keys", "sum": "sum, random unit keys", "elu + 1": "elu + 1, normalised"}


def draw(table):
    sheet = Sheet(402)
    axes = sheet.axes(58, 104, 404, 250)
    said = []
    for (memory, label), style in zip(MEMORIES.items(), SERIES):
        pairs, error = table.columns("pairs", "error", memory=memory)
        axes.plot(pairs, error, label=label, **style)
        said.append(f"{label}: " + ", ".join(f"{value:.2f} at {n:g}" for n, value in zip(pairs, error)
                                             if n in (2, 32, 64, 512)))
    axes.set(xscale="log", ylim=(-0.04, 1.6), yticks=[0, 0.5, 1, 1.5], xlabel="pairs n")
    logarithmic(axes.xaxis, [2 ** power for power in range(10)], number)
    sheet.text(16, 26, "Relative error of the values that come back, d = 64", weight="bold")
    sheet.legend(axes, 40, 2)
    return sheet.svg(TITLE, "Relative error over the number of pairs, from 1 to 512. " + "; ".join(said) + ".")
