"""What memories have learned over the steps of their training: in a terminal, as CSV and as an SVG."""

from course import line_plot

BARS = "▁▂▃▄▅▆▇█"
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
    """A line for each memory, the mean over the seeds."""
    points: dict[str, line_plot.Curve] = {label: [(at[0][0], [value for _, value in at]) for at in zip(*runs)]
                                          for label, runs in curves.items()}
    steps = max(step for curve in points.values() for step, _ in curve)
    return line_plot.svg(points, title, line_plot.from_zero("step", steps, lambda step: f"{step:.0f}"),
                         line_plot.from_zero("", highest, lambda value: f"{value:.0%}" if highest == 1 else f"{value:.1f}"))
