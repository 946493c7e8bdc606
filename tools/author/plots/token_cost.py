"""Time for one more token, over the number of those before it."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number, seconds

TITLE = "Time per generated token"
WAYS = {"recomputed": "softmax, recomputed", "cached": "softmax, key-value cache", "state": "linear, recurrent state"}


def draw(table):
    sheet = Sheet(396)
    axes = sheet.axes(72, 84, 390, 240)
    said = []
    for (way, label), style in zip(WAYS.items(), SERIES):
        n, time = table.columns("n", "seconds", form=way)
        axes.plot(n, time, label=label, **style)
        said.append(f"{label}: {seconds(time[0])} at {n[0]:g} tokens, {seconds(time[-1])} at {n[-1]:g}")
    axes.set(xscale="log", yscale="log", xlabel="tokens so far")
    logarithmic(axes.xaxis, n, number)
    logarithmic(axes.yaxis, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1], seconds)
    sheet.text(16, 26, "One more token: one head, d = 64, double", weight="bold")
    sheet.legend(axes, 40, 2)
    sheet.text(16, 384, table.machine, "soft", fontsize=12)
    return sheet.svg(TITLE, "Both axes logarithmic. " + "; ".join(said) + ".")
