"""A sheet measured in pixels, colours that follow light and dark mode, and the SVG it becomes.

The drawing is matplotlib's, in the light palette. In the file each of its colours is a CSS variable: so one file has both
palettes. Text stays text.
"""

import io
import re
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, NullLocator

# Light and dark. Ink and soft are for text; a to e for series, on either card.
PALETTE = {
    "card": ("#ffffff", "#0d1117"), "edge": ("#d0d7de", "#30363d"), "grid": ("#d8dee4", "#2d333b"),
    "ink": ("#1f2328", "#e6edf3"), "soft": ("#57606a", "#9ea7b3"),
    "a": ("#0969da", "#58a6ff"), "b": ("#bc4c00", "#f0883e"), "c": ("#1a7f37", "#3fb950"), "d": ("#8250df", "#bc8cff"),
    "e": ("#57606b", "#9ea7b3"),
}
COLOUR = {name: light for name, (light, _) in PALETTE.items()}
# How the n-th series looks; no two differ in colour alone.
SERIES = [{"color": COLOUR[name], "marker": marker, "linestyle": dashes} for name, marker, dashes in (
    ("a", "o", "-"), ("b", "s", (0, (5, 2))), ("c", "^", (0, (1, 1.5))), ("d", "D", (0, (6, 2, 1, 2))),
    ("e", "v", (0, (3, 1.5))))]
WIDTH = 480  # a phone shows it at three quarters of that
LEVELS = 25  # of a heat map
matplotlib.rcdefaults()
matplotlib.rcParams |= {
    "svg.fonttype": "none", "svg.hashsalt": "course", "font.size": 13, "axes.titlesize": 13, "axes.labelsize": 13,
    "xtick.labelsize": 13, "ytick.labelsize": 13, "legend.fontsize": 13, "text.color": COLOUR["ink"],
    "axes.labelcolor": COLOUR["ink"], "axes.titlecolor": COLOUR["ink"], "xtick.color": COLOUR["ink"],
    "ytick.color": COLOUR["ink"], "xtick.major.size": 0, "ytick.major.size": 0, "axes.edgecolor": COLOUR["soft"],
    "axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": COLOUR["grid"], "grid.linewidth": 1, "lines.linewidth": 2,
    "lines.markersize": 6, "legend.frameon": False, "legend.handlelength": 2.6, "legend.borderpad": 0,
    "legend.borderaxespad": 0, "legend.labelspacing": 0.35, "legend.columnspacing": 1.2, "axes.titlelocation": "left",
    "axes.titlepad": 8,
}


class Sheet:
    """Lengths in pixels, from the upper left corner."""

    def __init__(self, height):
        self.height = height
        self.figure = Figure(figsize=(WIDTH / 72, height / 72))  # matplotlib's SVG has 72 to the inch
        FigureCanvasSVG(self.figure)

    def axes(self, left, top, width, height, title=""):
        place = (left / WIDTH, 1 - (top + height) / self.height, width / WIDTH, height / self.height)
        axes = self.figure.add_axes(place)
        axes.set_title(title)
        return axes

    def text(self, left, baseline, words, colour="ink", **how):
        self.figure.text(left / WIDTH, 1 - baseline / self.height, words, color=COLOUR[colour], **how)

    def head(self, words, axes, columns):
        """What is drawn, and below it the legend of these axes."""
        self.text(16, 26, words, weight="bold")
        self.figure.legend(*axes.get_legend_handles_labels(), loc="upper left", ncol=columns,
                           bbox_to_anchor=(16 / WIDTH, 1 - 40 / self.height))

    def cells(self, left, top, size, entries, most):
        """A heat map of squares: entries[row][column]. The further from zero, the stronger; negative ones in another colour."""
        columns = max(map(len, entries))
        axes = self.axes(left, top, columns * size, len(entries) * size)
        axes.set(xlim=(0, columns), ylim=(len(entries), 0), xticks=[], yticks=[])
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set(visible=True, color=COLOUR["edge"])
        squares = {}  # one path for all squares of a level
        for y, row in enumerate(entries):
            for x, value in enumerate(row):
                corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
                level = round(min(abs(value) / most, 1) * LEVELS)
                squares.setdefault((value > 0, level), []).extend(corners if level else [])
        outline = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
        for (positive, level), corners in sorted(filter(lambda each: each[1], squares.items())):
            axes.add_patch(PathPatch(Path(corners, outline * (len(corners) // 5)), linewidth=0, alpha=level / LEVELS,
                                     facecolor=COLOUR["a" if positive else "b"]))

    def svg(self, title, description):
        drawn = io.StringIO()
        self.figure.savefig(drawn, format="svg", metadata={"Date": None}, facecolor="none")
        text = drawn.getvalue()
        body = re.sub(r"<[^>]*>", _shortened, text[text.index("</metadata>") + len("</metadata>"):text.rindex("</svg>")])
        for name, colour in COLOUR.items():
            body = body.replace(colour, f"var(--{name})")
        body = re.sub(r"\s*\n\s*", "\n", re.sub(r"(?<=[\d.]) ?\n(?=[A-Zz\"])", " ", body)).strip()
        light, dark = ("; ".join(f"--{name}: {colours[mode]}" for name, colours in PALETTE.items()) for mode in (0, 1))
        return f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" height="{self.height}" role="img" aria-labelledby="title desc">
<!-- drawn by bench/figures/draw.py with matplotlib {matplotlib.__version__} -->
<title id="title">{escape(title)}</title>
<desc id="desc">{escape(description)}</desc>
<style>
svg {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}
text {{ fill: var(--ink); font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif }}
</style>
<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{self.height - 1}" rx="8" fill="var(--card)" stroke="var(--edge)"/>
{body}
</svg>
"""


def _shortened(tag):
    """Two decimals are enough, and the family of the font is said once for all."""
    text = tag[0].replace("font: bold ", "font-weight: 600; font: ")
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), text)


def logarithmic(axis, ticks, words):
    """Labels `ticks`, and nothing else, with words(tick)."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(ticks)


def number(value):
    return f"{value:,.10g}".replace(",", "\u2009")


def in_units(units, value):
    unit, size = next((each for each in units if value >= 0.999 * each[1]), units[-1])
    return f"{value / size:.3g} {unit}"


def seconds(value):
    return in_units((("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)), value)


def size_in_bytes(value):
    return in_units((("GB", 1e9), ("MB", 1e6), ("KB", 1e3)), value)
