"""The weights of one head: softmax, elu + 1, FAVOR+ with few and with many features."""

from author.figures import Table
from author.plots.canvas import Sheet

TITLE = "The attention matrix of softmax, elu + 1 and FAVOR+"


def draw(table: Table) -> str:
    matrices = table.matrices()
    softmax = matrices["softmax"]
    rows = 1 + max(row for row, _ in softmax)
    most = max(softmax[index] for index in softmax if index[0] >= rows // 2)  # early rows have few keys, large weights
    elsewhere = {name: sum(abs(matrix[index] - softmax[index]) for index in softmax) / 2 / rows
                 for name, matrix in matrices.items()}

    sheet = Sheet(574)
    size = 210 / rows
    for number, name in enumerate(matrices):
        left, top = 16 + 236 * (number % 2), 56 + 264 * (number // 2)
        sheet.text(left, top - 28, name.replace("+ m", "+, m"), weight="bold")
        words = f"{elsewhere[name]:.0%} of the weight elsewhere" if number else "what FAVOR+ approximates"
        sheet.text(left, top - 10, words, "soft")
        sheet.cells(left, top, size, matrices[name], most)
    sheet.text(16, 560, "weight 0", "soft")
    sheet.cells(82, 549, 13, {(0, i): most * i / 16 for i in range(17)}, most)
    sheet.text(312, 560, f"{most:.2f} and more", "soft")
    shares = ", ".join(f"{share:.0%} with {name}" for name, share in list(elsewhere.items())[1:])
    return sheet.svg(TITLE, (
        f"Four lower triangles of {rows} by {rows} weights; rows are queries. Softmax: a band of strong weights four "
        "places below the diagonal, from queries that resemble the key four tokens earlier. elu + 1: almost even rows. "
        "FAVOR+: the band again, the clearer the more features. Of the weight of a row, on average, "
        f"{shares} lies elsewhere than with softmax."))
