"""A small model's two heads: the weights of attention, and the state after the last token."""

from author.figures import Table
from author.plots.canvas import Sheet

TITLE = "Attention weights and states of a small model"


def draw(table: Table) -> str:
    matrices = table.matrices()
    weights, states = ([matrices[f"{what} {head}"] for head in range(2)] for what in ("weights", "S"))
    tokens, width = (1 + max(row for row, _ in first) for first, _ in (weights, states))
    # The first rows have few keys and large weights: the scale is that of the second half.
    most = max(value for matrix in weights for (row, _), value in matrix.items() if row >= tokens // 2)
    largest = max(abs(value) for state in states for value in state.values())

    sheet = Sheet(556)
    size = 198 / tokens
    for head in range(2):
        top = 62 + 238 * head
        sheet.text(16, top - 12, f"Head {head}: weights of {tokens} tokens")
        sheet.cells(16, top, size, weights[head], most)
        sheet.text(268, top - 12, f"its S, {width} by {width}")
        sheet.cells(268, top, 198 / width, states[head], largest)
    sheet.text(16, 26, "What a head looks at, and what it keeps (not trained)", weight="bold")
    sheet.text(16, 540, f"weights: 0 to {most:.2f} and more", "soft")
    sheet.text(268, 540, f"S: −{largest:.0f} to {largest:.0f}; orange below 0", "soft")
    return sheet.svg(TITLE, (
        f"Two rows, one for each head. On the left the lower triangle of {tokens} by {tokens} attention weights, rows are "
        "queries: faint stripes, some of which come back six columns later, since the same six symbols come three times; the "
        f"first rows are strong, since few keys share the weight. On the right the state S after the last token, {width} by {width} "
        f"entries of both signs, the largest {largest:.1f}; it has this size after any number of tokens."))
