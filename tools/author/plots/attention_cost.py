"""Time and memory of causal attention, over the number of tokens."""

from author.plots.canvas import Sheet
from author.plots.cost_over_tokens import panels

TITLE = "Time and memory of five ways to compute causal attention"
FORMS = {"softmax": "softmax", "parallel": "linear, parallel", "recurrent": "linear, recurrent",
         "loop": "recurrent, float32 loop", "chunkwise": "chunkwise, float32"}


def draw(table):
    sheet = Sheet(640)
    above = sheet.axes(72, 120, 390, 200, "time")
    below = sheet.axes(72, 362, 390, 200, "memory at the peak, beside inputs and output")
    description = panels(table, FORMS, above, below, [1e-4, 1e-3, 1e-2, 1e-1, 1], [1e4, 1e5, 1e6, 1e7, 1e8, 1e9])
    sheet.text(16, 26, "Causal attention over n tokens, one head, d = 64", weight="bold")
    sheet.legend(above, 40, 2)
    sheet.text(16, 612, "φ is elu + 1. The first three: lab 02, in double. Chunks of 32.", "soft")
    sheet.text(16, 630, table.machine, "soft", fontsize=12)
    return sheet.svg(TITLE, description)
