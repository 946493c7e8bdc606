"""Time and memory of the gradients of causal linear attention, over the number of tokens."""

from author.plots.canvas import Sheet
from author.plots.cost_over_tokens import panels

TITLE = "Time and memory of four ways to compute the gradients"
FORMS = {"quadratic": "matrices", "parallel": "all states at once", "loops": "two loops", "chunkwise": "chunks of 32"}


def draw(table):
    sheet = Sheet(622)
    above = sheet.axes(72, 104, 390, 200, "time")
    below = sheet.axes(72, 346, 390, 200, "memory at the peak, beside inputs and gradients")
    description = panels(table, FORMS, above, below, [1e-3, 1e-2, 1e-1, 1], [1e5, 1e6, 1e7, 1e8, 1e9])
    sheet.text(16, 26, "Gradients over n tokens, one head, c = d_v = 64", weight="bold")
    sheet.legend(above, 40, 2)
    sheet.text(16, 604, table.machine, "soft", fontsize=12)
    return sheet.svg(TITLE, description)
