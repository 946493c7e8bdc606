"""Time and memory of causal attention, over the number of tokens."""

from course.plots.canvas import SERIES, Sheet, logarithmic, number, seconds, size_in_bytes

TITLE = "Time and memory of five ways to compute causal attention"
FORMS = {"softmax": "softmax", "parallel": "linear, parallel", "recurrent": "linear, recurrent",
         "loop": "recurrent, float32 loop", "chunkwise": "chunkwise, float32"}


def draw(table):
    sheet = Sheet(640)
    above = sheet.axes(72, 120, 390, 200, "time")
    below = sheet.axes(72, 362, 390, 200, "memory at the peak, beside inputs and output")
    said = []
    for (form, label), style in zip(FORMS.items(), SERIES):
        n, time, memory = table.columns("n", "seconds", "peak_bytes", form=form)
        above.plot(n, time, label=label, **style)
        below.plot(n, memory, **style)
        said.append(f"{label} {seconds(time[-1])} and {size_in_bytes(memory[-1])}")
    for axes in (above, below):
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, n, number)
    logarithmic(above.yaxis, [1e-4, 1e-3, 1e-2, 1e-1, 1], seconds)
    logarithmic(below.yaxis, [1e4, 1e5, 1e6, 1e7, 1e8, 1e9], size_in_bytes)
    below.set_xlabel("tokens n")
    sheet.text(16, 26, "Causal attention over n tokens, one head, d = 64", weight="bold")
    sheet.legend(above, 40, 2)
    sheet.text(16, 612, "φ is elu + 1. The first three: lab 02, in double. Chunks of 32.", "soft")
    sheet.text(16, 630, table.machine, "soft", fontsize=12)
    return sheet.svg(TITLE, (
        f"Time and memory in two panels over n from {n[0]:g} to {n[-1]:g} tokens, all axes logarithmic. At {n[-1]:g} "
        "tokens: " + "; ".join(said) + "."))
