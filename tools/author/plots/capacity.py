"""What a state recalls without training, over the number of keys: each written once, and each written four times."""

from author.figures import Table
from author.plots.canvas import SERIES, Sheet

TITLE = "What five rules recall without training"
RULES = {"sum": "plain sum", "decay": "decay 0.95", "delta": "delta rule, β = 1", "least squares": "least squares",
         "forgetting least squares": "least squares, forgetting"}
TIMES = {"1": "each key written once", "4": "each key written four times, its last value wanted"}


def draw(table: Table) -> str:
    sheet = Sheet(576)
    panels = {times: sheet.axes(58, top, 404, 180, title) for (times, title), top in zip(TIMES.items(), (118, 350))}
    said = []
    for (rule, label), style in zip(RULES.items(), SERIES):
        for times, axes in panels.items():
            keys, recalled = table.columns("keys", "recalled", times=times, rule=rule)
            axes.plot(keys, [100 * share for share in recalled], label=label, **style)
            said.append(f"{label}, written {'once' if times == '1' else 'four times'}: " + ", ".join(
                f"{100 * share:.0f} at {n:g}" for n, share in zip(keys, recalled) if n in (4, 16, 32, 64)))
    for axes in panels.values():
        axes.set(ylim=(0, 104), yticks=[0, 50, 100], xticks=[4, 8, 16, 24, 32, 48, 64])
    panels["4"].set_xlabel("keys")
    sheet.text(16, 26, "Keys recalled, in percent; width 32", weight="bold")
    sheet.legend(panels["1"], 40, 2)
    return sheet.svg(TITLE, "Two panels: the share of keys recalled over the number of keys, from 4 to 64, in percent. "
                     + "; ".join(said) + ".")
