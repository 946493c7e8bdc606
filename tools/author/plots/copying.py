"""The copy task: the loss over the steps, and what is right after all of them over the length."""

from author.plots.canvas import SERIES, Sheet, logarithmic, number

TITLE = "Learning to copy with linear, softmax and hybrid attention"


def draw(table):
    sheet = Sheet(576)
    above = sheet.axes(58, 96, 404, 190, "loss on symbols to copy, length 16")
    below = sheet.axes(58, 344, 404, 176, "unseen symbols right after 120 steps, in percent")
    said = []
    for attention, style in zip(("linear", "softmax", "hybrid"), SERIES):
        steps, loss = table.columns("at", "value", what="loss", attention=attention)
        lengths, right = table.columns("at", "value", what="accuracy", attention=attention)
        above.plot(steps, loss, label=attention, markevery=4, **style)
        below.plot(lengths, [100 * share for share in right], **style)
        half = next((step for step, value in zip(steps, loss) if value < 1), None)
        said.append(f"{attention}: loss below 1 " + (f"at step {half:g}" if half else "never") + ", right at the lengths "
                    + ", ".join(f"{length:g}: {100 * share:.0f}" for length, share in zip(lengths, right)) + " percent")
    above.set(yscale="log", xlabel="steps")
    logarithmic(above.yaxis, [0.001, 0.01, 0.1, 1], number)
    below.set(xlabel="symbols to copy", xticks=lengths, ylim=(0, 104), yticks=[10, 50, 100])
    sheet.text(16, 26, "Learning to copy: two blocks of width 64", weight="bold")
    sheet.legend(above, 40, 3)
    return sheet.svg(TITLE, "Two panels. Above, the loss over 120 steps, logarithmic; below, the share of unseen symbols "
                            "that is copied over the length. " + "; ".join(said) + ".")
