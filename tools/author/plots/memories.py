"""The state as a sum of rank-1 memories."""

from author.figures import Table
from author.plots.canvas import Sheet

TITLE = "A state S is a sum of rank-1 memories"
LABELS = {"token 1": "φ(k₁) v₁ᵀ", "token 2": "φ(k₂) v₂ᵀ", "token 3": "φ(k₃) v₃ᵀ", "token 4": "φ(k₄) v₄ᵀ", "S": "S"}


def draw(table: Table) -> str:
    entries = table.matrices()
    largest = {name: max(matrix.values(), key=abs) for name, matrix in entries.items()}
    most = max(abs(value) for value in largest.values())

    sheet = Sheet(216)
    size, left, top = 11, 22, 62
    sheet.text(16, 28, "What each token writes, and what is kept", weight="bold")
    for name in LABELS:
        sheet.text(left + 3 * size, top - 10, LABELS[name], ha="center")
        sheet.cells(left, top, size, entries[name], most)
        left += 6 * size
        if name != "S":
            sheet.text(left + 13.5, top + 4.4 * size, "=" if name == "token 4" else "+", ha="center", fontsize=17)
        left += 27
    sheet.text(16, 178, "8 rows: the entries of φ(k). 6 columns: those of v.", "soft")
    steps = 24
    sheet.text(16, 202, f"−{most:.1f}", "soft")
    sheet.cells(64, 191, 13, {(0, i): most * (2 * i / steps - 1) for i in range(steps + 1)}, most)
    sheet.text(64 + 13 * (steps + 1) + 8, 202, f"{most:.1f}", "soft")
    return sheet.svg(TITLE, (
        "Five heat maps of 8 rows and 6 columns. In each of the first four every row is a multiple of the same row v: "
        "the outer product of a token's features and its value. The fifth is their sum, S, and has no such pattern. "
        "The entries of largest size: "
        + ", ".join(f"{value:.1f} in {LABELS[name]}" for name, value in largest.items()) + "."))
