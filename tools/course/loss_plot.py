"""loss.csv and loss.svg: what a model lost at each step of its training."""

from course import line_plot


def csv(losses: list[float]) -> str:
    return "step,loss\n" + "".join(f"{step},{loss!r}\n" for step, loss in enumerate(losses, 1))


def svg(losses: list[float], title: str) -> str:
    """The loss in nats over the steps, both axes linear from 0."""
    return line_plot.svg({"": [(step, [loss]) for step, loss in enumerate(losses, 1)]}, f"loss in nats: {title}",
                         line_plot.from_zero("step", len(losses), lambda step: f"{step:.0f}"),
                         line_plot.from_zero("loss", max(losses), lambda loss: f"{loss:.2f}"))
