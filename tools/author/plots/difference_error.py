"""The error of one-sided and of central differences, over the step."""

from author.plots.canvas import SERIES, Sheet, logarithmic

TITLE = "Error of a difference against its step"
SIDES = {"one-sided": "one-sided, (f(x+h) − f(x)) / h", "central": "central, (f(x+h) − f(x−h)) / 2h"}


def power_of_ten(value: float) -> str:
    return f"{value:.0e}".replace("e-0", "e-").replace("e+00", "").replace("-", "−")


def draw(table):
    sheet = Sheet(414)
    axes = sheet.axes(66, 104, 396, 250)
    said = []
    for (sides, label), style in zip(SIDES.items(), SERIES):
        step, error = table.columns("h", "error", sides=sides)
        axes.plot(step, error, label=label, **style)
        best = min(range(len(error)), key=error.__getitem__)
        said.append(f"{sides} differences do best with h = {step[best]:.0e}, where the error is {error[best]:.0e}")
    axes.set(xscale="log", yscale="log", xlabel="step h")
    logarithmic(axes.xaxis, [10.0 ** power for power in range(-12, 1, 3)], power_of_ten)
    logarithmic(axes.yaxis, [10.0 ** power for power in range(-12, 1, 2)], power_of_ten)
    sheet.text(16, 26, "Relative error of the slope of exp", weight="bold")
    sheet.legend(axes, 40, 1)
    return sheet.svg(TITLE, (
        f"Relative error over steps from {step[-1]:.0e} to {step[0]:g}, both axes logarithmic. Both curves have the shape "
        "of a V: they fall as h shrinks, by the first and by the second power of it, until rounding takes over and they "
        "rise again. " + "; ".join(said) + "."))
