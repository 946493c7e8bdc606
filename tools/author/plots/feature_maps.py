"""Four feature maps of one entry x."""

from author.plots.canvas import COLOUR, SERIES, Sheet

TITLE = "Four feature maps of one entry x"
MAPS = {"elu_plus_one": "smooth, never 0", "relu": "0 for all x ≤ 0", "identity": "signed",
        "exp": "grows fast; not shifted here"}
MARKED = (-1.0, 0.0, 2.0)  # the entries of token 0 in the chapter
LOWEST, HIGHEST = -2.0, 4.0


def draw(table):
    sheet = Sheet(472)
    (x,) = table.columns("x")
    values = {}
    for number, (name, words) in enumerate(MAPS.items()):
        (y,) = table.columns(name)
        values[name] = dict(zip(x, y))
        left, top = 40 + 226 * (number % 2), 62 + 208 * (number // 2)
        sheet.text(left, top - 26, name, weight="bold")
        sheet.text(left, top - 9, words, "soft")
        axes = sheet.axes(left, top, 190, 136)
        axes.axhspan(LOWEST, 0, color=COLOUR["b"], alpha=0.15, linewidth=0)
        axes.plot(x, y, color=SERIES[0]["color"])
        axes.plot(MARKED, [values[name][entry] for entry in MARKED], "o", color=SERIES[0]["color"])
        axes.set(xlim=(-3, 3), ylim=(LOWEST, HIGHEST))
        axes.set_xticks([-1, 0, 2], ["−1", "0", "2"])
        axes.set_yticks([0, 1, 3], ["0", "1", "3"])
    sheet.text(16, 452, "Orange: features below 0, where weights can turn negative.", "soft")
    at = "; ".join(f"{name} " + ", ".join(f"{values[name][entry]:.3g}" for entry in MARKED) for name in MAPS)
    return sheet.svg(TITLE, (
        "Four panels over x from -3 to 3. elu_plus_one is the exponential up to 0 and the line x + 1 after it, always "
        "above 0. relu is 0 up to x = 0, then x. identity is the line x, negative for negative x. exp is positive and "
        f"leaves the panel before x = 1.5. Dots mark x = -1, 0 and 2: {at}."))
