"""Tokens per second of a whole model and the bytes it keeps, over the number of tokens so far."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number, size_in_bytes

TITLE = "Generation: tokens per second, and bytes kept"
WAYS = {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "linear": "linear, memories"}


def draw(table):
    sheet = Sheet(622)
    above = sheet.axes(72, 108, 390, 200, "tokens per second")
    below = sheet.axes(72, 350, 390, 200, "bytes kept for the next token")
    said = []
    for (way, label), style in zip(WAYS.items(), SERIES):
        n, time, kept = table.columns("n", "seconds", "kept_bytes", form=way)
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
    sheet.text(16, 26, "Two blocks, d = 64, four heads, double", weight="bold")
    sheet.legend(above, 40, 2)
    sheet.text(16, 612, table.machine, "soft", fontsize=12)
    return sheet.svg(TITLE, "Two panels, all axes logarithmic. " + "; ".join(said) + ".")
