"""What memories have learned over the steps of their training: in a terminal, as CSV and as an SVG, drawn without a package."""

import statistics

BARS = "▁▂▃▄▅▆▇█"
COLOURS = ("#0b6e99", "#b35900", "#2e7d32", "#8e24aa")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 340, 56, 40, 40, 16
Curve = list[tuple[int, float]]  # (step, what was measured)


def in_terminal(means: dict[str, list[float]], steps: int) -> str:
    """A memory a line, a measurement a column: its height is the share."""
    lines = [f"recalled while it learns, 0 to {steps} steps; █ is everything"]
    for label, shares in means.items():
        bars = "".join(BARS[min(len(BARS) - 1, int(share * len(BARS)))] for share in shares)
        lines.append(f"{label:10}  {bars}  {100 * shares[-1]:.1f}%" if shares else label)
    return "\n".join(lines)


def csv(curves: dict[str, list[Curve]], seeds: range, key: str) -> str:
    rows = [f"{label},{seed},{step},{value!r}" for label, runs in curves.items() for seed, run in zip(seeds, runs)
            for step, value in run]
    return "\n".join([f"memory,seed,step,{key}", *rows]) + "\n"


def svg(curves: dict[str, list[Curve]], title: str, highest: float) -> str:
    """A line for each memory, the mean over the seeds; a band from the least to the most of them."""
    steps = max(step for runs in curves.values() for run in runs for step, _ in run)

    def place(step: float, value: float) -> str:
        return (f"{LEFT + (WIDTH - LEFT - RIGHT) * step / steps:.1f},"
                f"{TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest):.1f}")

    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
             f'font-size="12"><title>{title}</title><rect width="100%" height="100%" fill="white"/>',
             f'<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#888"/>']
    for part in (0, 0.5, 1):
        x, y = place(part * steps, part * highest).split(",")
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{round(part * steps)}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end" dominant-baseline="middle">{f"{part:.0%}" if highest == 1 else f"{part * highest:.1f}"}</text>')
    parts.append(f'<text x="{(LEFT + right) // 2}" y="{HEIGHT - 6}" text-anchor="middle">step</text>')
    parts.append(f'<text x="{LEFT}" y="16">{title}</text>')
    for number, (label, runs) in enumerate(curves.items()):
        colour, points = COLOURS[number % len(COLOURS)], list(zip(*runs))
        parts.append(f'<text x="{LEFT + 120 * number}" y="32" fill="{colour}">{label}</text>')
        if len(runs) > 1:
            edges = [place(at[0][0], most(value for _, value in at)) for most, way in ((max, 1), (min, -1))
                     for at in points[::way]]
            parts.append(f'<polygon points="{" ".join(edges)}" fill="{colour}" opacity="0.25"/>')
        means = " ".join(place(at[0][0], statistics.mean(value for _, value in at)) for at in points)
        parts.append(f'<polyline points="{means}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return "\n".join(parts) + "\n</svg>\n"
