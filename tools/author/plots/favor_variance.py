"""The variance of positive and of trigonometric features, over the product of query and key."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Relative variance of the two estimators"


def draw(table):
    product, positive, trigonometric = ([float(row[name]) for row in table.rows]
                                        for name in ("product", "positive", "trigonometric"))
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
    sheet.text(16, 26, "m · variance / kernel², where ‖q̂‖² = ‖k̂‖² = 2", weight="bold")
    sheet.legend(axes, 40, 1)
    ends = [f"{values[0]:.0f} to {values[-1]:.0f}" for values in (positive, trigonometric)]
    return sheet.svg(TITLE, (
        "Over the product of query and key from -2 to 2, both of squared norm 2, on a logarithmic axis: m times the "
        f"variance, divided by the square of the kernel. Positive features rise from {ends[0]}, trigonometric ones "
        f"fall from {ends[1]}. At 0 they stand at {positive[middle]:.0f} and {trigonometric[middle]:.0f}."))
