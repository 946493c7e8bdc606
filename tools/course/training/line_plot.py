"""Curves, with error bars where a point was measured several times: in a terminal and as an SVG, drawn without a package."""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

COLOURS = ("#0b6e99", "#b35900", "#2e7d32", "#8e24aa", "#c62828", "#5d4037", "#546e7a")
MARKS = "ox+*#@%"
WIDTH, HEIGHT, LEFT, BOTTOM, RIGHT = 640, 340, 64, 40, 16  # pixels
ROWS = 13  # of a terminal
Curve = list[tuple[float, list[float]]]  # (x, what was measured there)


@dataclass(frozen=True)
class Axis:
    label: str
    lowest: float
    highest: float
    ticks: dict[float, str]
    is_log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis the value is, from 0 to 1; what is beyond an end, or no number, is drawn at the end."""
        if math.isnan(value):
            return 1.0
        inside = min(max(value, self.lowest), self.highest)
        lowest, at, highest = (math.log(each) if self.is_log else each for each in (self.lowest, inside, self.highest))
        return (at - lowest) / (highest - lowest)


def from_zero(label: str, highest: float, write: Callable[[float], str]) -> Axis:
    return Axis(label, 0.0, highest, {part * highest: write(part * highest) for part in (0.0, 0.5, 1.0)})


def in_terminal(curves: dict[str, Curve], x: Axis, y: Axis) -> str:
    """A column for each x; a mark of its own for each curve. Of marks in the same place the first curve's is seen."""
    places = sorted({at for curve in curves.values() for at, _ in curve})
    column = 3 if len(places) <= 12 else 2  # characters
    cells = {(row, at): " " for row in range(ROWS) for at in places}

    def row_of(value: float) -> int:
        return round((1 - y.share(value)) * (ROWS - 1))

    for mark, curve in reversed(list(zip(MARKS, curves.values()))):
        for at, values in curve:
            for row in range(row_of(max(values)), row_of(min(values)) + 1):
                cells[row, at] = "|" if cells[row, at] == " " else cells[row, at]
        for at, values in curve:
            cells[row_of(statistics.mean(values)), at] = mark
    labels = {row_of(value): words for value, words in y.ticks.items()}
    indent = max(map(len, labels.values()))
    lines = [f"{labels.get(row, ''):>{indent}} |" + "".join(f"{cells[row, at]:^{column}}" for at in places) for row in range(ROWS)]
    below = [" "] * (column * len(places) + column)
    for value, words in x.ticks.items():
        begin = column * min(range(len(places)), key=lambda place: abs(x.share(places[place]) - x.share(value)))
        below[begin:begin + len(words)] = words
    lines += [" " * indent + " +" + "-" * column * len(places), " " * (indent + 2) + "".join(below).rstrip() + f"   {x.label}"]
    legend = [f"{mark} {name}" for mark, name in zip(MARKS, curves)]
    between = "   " if sum(map(len, legend)) < 80 else "\n  "
    return "\n".join([between.join([f"{y.label}:", *legend]), *(line.rstrip() for line in lines)])


def svg(curves: dict[str, Curve], title: str, x: Axis, y: Axis) -> str:
    """A line through the means of each curve; error bars from the least to the most of what was measured."""
    legend = 20 + 7 * max(map(len, curves))
    per_row = max(1, (WIDTH - LEFT) // legend)
    top = 40 + 16 * ((len(curves) - 1) // per_row)
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT

    def place(at: float, value: float) -> str:
        return f"{LEFT + (right - LEFT) * x.share(at):.1f},{bottom - (bottom - top) * y.share(value):.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
             f'font-size="12"><title>{title}</title><rect width="100%" height="100%" fill="white"/>',
             f'<path d="M{LEFT},{top}V{bottom}H{right}" fill="none" stroke="#888"/>',
             f'<text x="{LEFT}" y="16">{title}</text>',
             f'<text x="{(LEFT + right) // 2}" y="{HEIGHT - 6}" text-anchor="middle">{x.label}</text>']
    for value, words in x.ticks.items():
        parts.append(f'<text x="{place(value, y.lowest).split(",")[0]}" y="{bottom + 16}" text-anchor="middle">{words}</text>')
    for value, words in y.ticks.items():
        parts.append(f'<text x="{LEFT - 6}" y="{place(x.lowest, value).split(",")[1]}" text-anchor="end" '
                     f'dominant-baseline="middle">{words}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        if name:
            parts.append(f'<text x="{LEFT + legend * (number % per_row)}" y="{32 + 16 * (number // per_row)}" fill="{colour}">{name}</text>')
        bars = "".join(f"M{place(at, min(values))}L{place(at, max(values))}" for at, values in curve if len(values) > 1)
        if bars:
            parts.append(f'<path d="{bars}" stroke="{colour}"/>')
        means = " ".join(place(at, statistics.mean(values)) for at, values in curve)
        parts.append(f'<polyline points="{means}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return "\n".join(parts) + "\n</svg>\n"
