"""The error of attention with random features, over their number."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Error of FAVOR+ against the number of random directions"
KINDS = {"positive independent": "positive, independent", "positive orthogonal": "positive, orthogonal (FAVOR+)",
         "trigonometric": "trigonometric"}
PANELS = {"1": "short queries and keys: ‖q̂‖² = ‖k̂‖² ≈ 1", "8": "entries from N(0, 1): ‖q̂‖² = ‖k̂‖² ≈ 8"}


def draw(table):
    sheet = Sheet(554)
    said = []
    for panel, (norm, words) in enumerate(PANELS.items()):
        axes = sheet.axes(66, 108 + 228 * panel, 396, 166, words)
        for (kind, label), style in zip(KINDS.items(), SERIES):
            rows = [row for row in table.rows if row["norm"] == norm and row["features"] == kind]
            m, median, lower, upper = ([float(row[name]) for row in rows] for name in ("m", "median", "lower", "upper"))
            axes.plot(m, median, label=label, **style)
            axes.fill_between(m, lower, upper, color=style["color"], alpha=0.18, linewidth=0)
            said.append(f"{label}, squared norm {norm}: {median[0]:.2g} with {m[0]:g} directions, "
                        f"{median[-1]:.2g} with {m[-1]:g}")
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, m, number)
        logarithmic(axes.yaxis, [0.03, 0.1, 0.3, 1] if norm == "1" else [1, 10, 100, 1000], number)
    axes.set_xlabel("directions m")
    sheet.text(16, 26, "Relative error of the outputs, against softmax attention", weight="bold")
    sheet.legend(axes, 40, 2)
    return sheet.svg(TITLE, (
        "Two panels, both axes logarithmic; relative error of the outputs, median of 20 draws with quartiles. "
        + "; ".join(said) + "."))
