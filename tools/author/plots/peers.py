"""Time per token of causal attention, ours and others', over the number of tokens."""

from author.peers import DRAWN, LABELS, per_token
from author.plots.canvas import SERIES, Sheet, logarithmic, number, seconds

TITLE = "Time per token of causal attention on one core, ours and others'"


def draw(rows: list, machine: str) -> str:
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
    return sheet.svg(TITLE, "Two panels over n, all axes logarithmic; lower is better. " + "; ".join(said) + ".")
