"""What the plots share: a sheet measured in pixels, colours that follow light and dark mode, and the SVG it becomes.

The drawing is matplotlib's. It gets a placeholder for each colour, which stands for a CSS variable in the end: then one
file has both palettes. Text stays text.
"""

import io
import re
from collections.abc import Callable
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, NullLocator

# name: (light, dark). Ink and soft are for text; a to e for series, on either card.
PALETTE = {
    "card": ("#ffffff", "#0d1117"), "edge": ("#d0d7de", "#30363d"), "grid": ("#d8dee4", "#2d333b"),
    "ink": ("#1f2328", "#e6edf3"), "soft": ("#57606a", "#9ea7b3"),
    "a": ("#0969da", "#58a6ff"), "b": ("#bc4c00", "#f0883e"), "c": ("#1a7f37", "#3fb950"), "d": ("#8250df", "#bc8cff"),
    "e": ("#57606a", "#9ea7b3"),
}
COLOUR = {name: f"#0000{number:02x}" for number, name in enumerate(PALETTE, start=1)}  # the placeholders
# How the n-th series looks; no two differ in colour alone.
SERIES = [{"color": COLOUR[name], "marker": marker, "linestyle": dashes} for name, marker, dashes in (
    ("a", "o", "-"), ("b", "s", (0, (5, 2))), ("c", "^", (0, (1, 1.5))), ("d", "D", (0, (6, 2, 1, 2))),
    ("e", "v", (0, (3, 1.5))))]
FONT = 13
WIDTH = 480  # a phone shows it at three quarters of that
LEVELS = 25  # of a heat map
STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "course", "font.size": FONT, "axes.titlesize": FONT,
    "axes.labelsize": FONT, "xtick.labelsize": FONT, "ytick.labelsize": FONT, "legend.fontsize": FONT,
    "text.color": COLOUR["ink"], "axes.labelcolor": COLOUR["ink"], "axes.titlecolor": COLOUR["ink"],
    "xtick.color": COLOUR["ink"], "ytick.color": COLOUR["ink"], "xtick.major.size": 0, "ytick.major.size": 0,
    "axes.edgecolor": COLOUR["soft"], "axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": COLOUR["grid"], "grid.linewidth": 1,
    "lines.linewidth": 2, "lines.markersize": 6, "legend.frameon": False, "legend.handlelength": 2.6,
    "legend.borderpad": 0, "legend.borderaxespad": 0, "legend.labelspacing": 0.35, "legend.columnspacing": 1.2,
    "axes.titlelocation": "left", "axes.titlepad": 8,
}


class Sheet:
    """Lengths in pixels, from the upper left corner."""

    def __init__(self, height: float):
        self.height = height
        self.style = {**matplotlib.rcParamsDefault, **STYLE}
        with matplotlib.rc_context(self.style):
            self.figure = Figure(figsize=(WIDTH / 72, height / 72))  # matplotlib's SVG has 72 to the inch
            FigureCanvasSVG(self.figure)

    def axes(self, left: float, top: float, width: float, height: float, title: str = "") -> Axes:
        place = (left / WIDTH, 1 - (top + height) / self.height, width / WIDTH, height / self.height)
        with matplotlib.rc_context(self.style):
            axes = self.figure.add_axes(place)
            axes.set_title(title)
            return axes

    def text(self, left: float, baseline: float, words: str, colour: str = "ink", **how: object) -> None:
        with matplotlib.rc_context(self.style):
            self.figure.text(left / WIDTH, 1 - baseline / self.height, words, color=COLOUR[colour], **how)

    def legend(self, axes: Axes, top: float, columns: int) -> None:
        with matplotlib.rc_context(self.style):
            self.figure.legend(*axes.get_legend_handles_labels(), loc="upper left", ncol=columns,
                               bbox_to_anchor=(16 / WIDTH, 1 - top / self.height))

    def head(self, words: str, axes: Axes, columns: int) -> None:
        self.text(16, 26, words, weight="bold")
        self.legend(axes, 40, columns)

    def cells(self, left: float, top: float, size: float, entries: dict[tuple[int, int], float], most: float) -> None:
        """A heat map: squares of this size; entries maps (row, column) to a number. The further from zero,
        the stronger; negative ones have a colour of their own."""
        rows, columns = (1 + max(index) for index in zip(*entries))
        axes = self.axes(left, top, columns * size, rows * size)
        axes.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[])
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set(visible=True, color=COLOUR["edge"])
        squares: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        for (row, column), value in entries.items():
            level = round(min(abs(value) / most, 1) * LEVELS)
            if level:
                corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1), (column, row)]
                squares.setdefault((value > 0, level), []).extend(corners)
        outline = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
        for (positive, level), corners in sorted(squares.items()):  # one path for all squares of a level
            axes.add_patch(PathPatch(Path(corners, outline * (len(corners) // 5)), linewidth=0, alpha=level / LEVELS,
                                     facecolor=COLOUR["a" if positive else "b"]))

    def svg(self, title: str, description: str) -> str:
        drawn = io.StringIO()
        with matplotlib.rc_context(self.style):
            self.figure.savefig(drawn, format="svg", metadata={"Date": None}, facecolor="none")
        return _both_modes(drawn.getvalue(), self.height, title, description)


def _both_modes(drawn: str, height: float, title: str, description: str) -> str:
    body = drawn[drawn.index("</metadata>") + len("</metadata>"):drawn.rindex("</svg>")]
    body = re.sub(r"<[^>]*>", lambda tag: _shortened(tag[0]), body)
    for name, placeholder in COLOUR.items():
        body = body.replace(placeholder, f"var(--{name})")
    body = re.sub(r"\s*\n\s*", "\n", re.sub(r"(?<=[\d.]) ?\n(?=[A-Zz\"])", " ", body)).strip()
    light, dark = ("; ".join(f"--{name}: {colours[mode]}" for name, colours in PALETTE.items()) for mode in (0, 1))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img" aria-labelledby="title desc">
<!-- drawn from bench/figures/ with matplotlib {matplotlib.__version__} -->
<title id="title">{escape(title)}</title>
<desc id="desc">{escape(description)}</desc>
<style>
svg {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ svg {{ {dark} }} }}
text {{ fill: var(--ink); font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif }}
</style>
<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="8" fill="var(--card)" stroke="var(--edge)"/>
{body}
</svg>
"""


def _shortened(tag: str) -> str:
    """Two decimals are enough, and the family of the font is said once for all."""
    tag = re.sub(r"font: bold ", "font-weight: 600; font: ", tag)
    tag = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", tag)
    return re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), tag)


def logarithmic(axis: Axis, ticks: list[float], words: Callable[[float], str]) -> None:
    """Labels `ticks`, and nothing else, with words(tick)."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(ticks)


def number(value: float) -> str:
    return f"{value:,.10g}".replace(",", "\u2009")


def seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.999 * size:
            break
    return f"{value / size:.3g} {unit}"


def size_in_bytes(value: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= 0.999 * size:
            break
    return f"{value / size:.3g} {unit}"
