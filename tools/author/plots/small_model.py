"""A small model's two heads: the weights of attention, and the state after the last token."""

from author.plots.canvas import Sheet

TITLE = "Attention weights and states of a small model"


def draw(table):
    matrices = {}
    for row in table.rows:
        matrices.setdefault((row["what"], int(row["head"])), {})[int(row["row"]), int(row["column"])] = float(row["value"])
    heads = sorted({head for _, head in matrices})
    tokens = 1 + max(row for row, _ in matrices["weights", 0])
    width = 1 + max(row for row, _ in matrices["S", 0])
    # The first rows have few keys and large weights: the scale is that of the second half.
    most = max(value for head in heads for (row, _), value in matrices["weights", head].items() if row >= tokens // 2)
    largest = max(abs(value) for head in heads for value in matrices["S", head].values())

    sheet = Sheet(556)
    size = 198 / tokens
    for head in heads:
        top = 62 + 238 * head
        sheet.text(16, top - 12, f"Head {head}: weights of {tokens} tokens")
        sheet.cells(16, top, size, matrices["weights", head], most)
        sheet.text(268, top - 12, f"its S, {width} by {width}")
        sheet.cells(268, top, 198 / width, matrices["S", head], largest)
    sheet.text(16, 26, "What a head looks at, and what it keeps (not trained)", weight="bold")
    sheet.text(16, 540, f"weights: 0 to {most:.2f} and more", "soft")
    sheet.text(268, 540, f"S: −{largest:.0f} to {largest:.0f}; orange below 0", "soft")
    return sheet.svg(TITLE, (
        f"Two rows, one for each head. On the left the lower triangle of {tokens} by {tokens} attention weights, rows are "
        "queries: faint stripes, some of which come back six columns later, since the same six symbols come three times; the "
        f"first rows are strong, since few keys share the weight. On the right the state S after the last token, {width} by {width} "
        f"entries of both signs, the largest {largest:.1f}; it has this size after any number of tokens."))
