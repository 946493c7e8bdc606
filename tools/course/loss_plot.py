"""loss.csv, loss.svg and a plot in the terminal: what a model lost at each step of its training."""

from course import line_plot

COLUMNS = 32  # of the terminal's plot, at most


def csv(losses: list[float]) -> str:
    return "step,loss\n" + "".join(f"{step},{loss!r}\n" for step, loss in enumerate(losses, 1))


def svg(losses: list[float], title: str) -> str:
    """The loss in nats over the steps, both axes linear from 0."""
    return line_plot.svg({"": [(step, [loss]) for step, loss in enumerate(losses, 1)]}, f"loss in nats: {title}", *_axes(losses))


def in_terminal(losses: list[float]) -> str:
    """The mean of each few steps, and a bar over what it is the mean of."""
    few = -(-len(losses) // COLUMNS)
    curve = [(begin + few / 2, losses[begin:begin + few]) for begin in range(0, len(losses), few)]
    return line_plot.in_terminal({f"mean of {few} steps" if few > 1 else "each step": curve}, *_axes(losses))


def _axes(losses: list[float]) -> tuple[line_plot.Axis, line_plot.Axis]:
    return (line_plot.from_zero("step", len(losses), lambda step: f"{step:.0f}"),
            line_plot.from_zero("loss", max(losses), lambda loss: f"{loss:.2f}"))
