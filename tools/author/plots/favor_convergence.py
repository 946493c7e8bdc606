"""The estimates of the softmax kernel, over the number of directions: mean and spread."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Both estimates of the softmax kernel converge to it"
KINDS = {"positive": "positive features", "trigonometric": "sines and cosines"}
PANELS = {"60": ("60° between q̂ and k̂, kernel 1.65", 2.6), "120": ("120° between q̂ and k̂, kernel 0.61", 3.2)}


def draw(table):
    sheet = Sheet(588)
    said = []
    for panel, (angle, (words, most)) in enumerate(PANELS.items()):
        axes = sheet.axes(50, 98 + 238 * panel, 412, 176, words)
        for (kind, label), style in zip(KINDS.items(), (SERIES[0], SERIES[2])):
            m, lower, mean, upper = table.columns("m", "lower", "mean", "upper", angle=angle, features=kind)
            axes.plot(m, mean, label=label, **style)
            for edge in (lower, upper):
                axes.plot(m, edge, **{**style, "linewidth": 1, "marker": ""})
            axes.fill_between(m, lower, upper, color=style["color"], alpha=0.2, linewidth=0)
            said.append(f"{label} at {angle} degrees: {lower[0]:.2f} to {upper[0]:.2f} with {m[0]:g} directions, "
                        f"{lower[-1]:.2f} to {upper[-1]:.2f} with {m[-1]:g}")
        axes.set(xscale="log", ylim=(-1.2 if angle == "120" else 0, most))
        logarithmic(axes.xaxis, m, number)
    axes.set_xlabel("directions m")
    sheet.text(16, 26, "Estimate divided by the kernel, ‖q̂‖² = ‖k̂‖² = 1", weight="bold")
    sheet.legend(axes, 40, 2)
    sheet.text(16, 572, "Lines with marks: mean of 4000 draws. Bands: 80% of the draws.", "soft")
    return sheet.svg(TITLE, (
        "Two panels, over the number of directions on a logarithmic axis: both means stay at 1, and the bands that hold 80 "
        "percent of 4000 draws become narrower. " + "; ".join(said) + "."))
