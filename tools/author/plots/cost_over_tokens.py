"""Time and memory over the number of tokens, in two panels: one curve in each for every form."""

from author.plots.canvas import SERIES, logarithmic, number, seconds, size_in_bytes


def panels(table, forms: dict, above, below, times: list, sizes: list) -> str:
    """Draws both and says what they show. forms: name in the table → label; times and sizes: the labelled ticks."""
    said = []
    for (form, label), style in zip(forms.items(), SERIES):
        n, time, memory = table.columns("n", "seconds", "peak_bytes", form=form)
        above.plot(n, time, label=label, **style)
        below.plot(n, memory, **style)
        said.append(f"{label} {seconds(time[-1])} and {size_in_bytes(memory[-1])}")
    for axes in (above, below):
        axes.set(xscale="log", yscale="log")
        logarithmic(axes.xaxis, n, number)
    logarithmic(above.yaxis, times, seconds)
    logarithmic(below.yaxis, sizes, size_in_bytes)
    below.set_xlabel("tokens n")
    return (f"Time and memory in two panels over n from {n[0]:g} to {n[-1]:g} tokens, all axes logarithmic. At {n[-1]:g} "
            "tokens: " + "; ".join(said) + ".")
