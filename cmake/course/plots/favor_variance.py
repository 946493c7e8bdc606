"""The variance of positive and of trigonometric features, over the product of query and key."""

from course.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Relative variance of the two estimators"


def draw(table):
    product, positive, trigonometric = ([float(row[name]) for row in table.rows]
                                        for name in ("product", "positive", "trigonometric"))
    middle = product.index(0.0)
    sheet = Sheet(330)
    axes = sheet.axes(74, 74, 388, 196)
    for values, label, style in ((positive, "positive features", SERIES[0]), (trigonometric, "trigonometric features", SERIES[1])):
        shown = [value if value > 0 else float("nan") for value in values]  # a logarithmic axis has no zero
        axes.plot(product, shown, label=label, color=style["color"], linestyle=style["linestyle"])
    axes.set(yscale="log", ylim=(1e-3, 1e4), xlim=(-2.05, 2.05), xlabel="q̂·k̂ (the kernel is its exponential: 0.14 to 7.4)")
    logarithmic(axes.yaxis, [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000], number)
    axes.set_xticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
    sheet.text(16, 26, "m · variance / kernel², where ‖q̂‖² = ‖k̂‖² = 2", weight="bold")
    sheet.legend(axes, 40, 2)
    description = (f"Over the product of query and key from -2 to 2, both of squared norm 2, on a logarithmic axis: m times the "
                   f"variance, divided by the square of the kernel. Positive features rise from {positive[0]:.0f} to "
                   f"{positive[-1]:.0f}, trigonometric ones fall from {trigonometric[0]:.0f} to {trigonometric[-1]:.0f}. At 0 they "
                   f"stand at {positive[middle]:.0f} and {trigonometric[middle]:.0f}.")
    return sheet.svg(TITLE, description)
