"""The weights of one head: softmax, elu + 1, FAVOR+ with few and with many features."""

from course.plots.canvas import Sheet

TITLE = "The attention matrix of softmax, elu + 1 and FAVOR+"


def draw(table):
    matrices = {}
    for row in table.rows:
        matrices.setdefault(row["method"], {})[int(row["query"]), int(row["key"])] = float(row["weight"])
    softmax = matrices["softmax"]
    later = [index for index in softmax if index[0] >= 4]  # from here on there are five keys and more
    most = max(softmax[index] for index in later)
    off = {name: sum(abs(matrix[index] - softmax[index]) for index in later) / len({row for row, _ in later})
           for name, matrix in matrices.items()}

    sheet = Sheet(574)
    size = 10.5
    shape = (20, 20)
    for number, name in enumerate(("softmax", "elu + 1", *[name for name in matrices if "FAVOR" in name])):
        left, top = 16 + 236 * (number % 2), 56 + 264 * (number // 2)
        sheet.text(left, top - 28, name.replace("+ m", "+, m"), weight="bold")
        sheet.text(left, top - 10, "the weights to approximate" if name == "softmax" else f"misplaced: {off[name] / 2:.0%} of the weight",
                   "soft")
        sheet.cells(left, top, size, matrices[name], most, shape=shape)
    sheet.text(16, 560, "weight 0", "soft")
    sheet.cells(82, 549, 13, {(0, i): most * i / 16 for i in range(17)}, most)
    sheet.text(312, 560, f"{most:.2f} and more", "soft")
    description = (f"Four lower triangles of 20 by 20 weights, rows are queries. Softmax: a band of strong weights four places "
                   "below the diagonal, from queries that resemble the key four tokens earlier. " + " ".join(
                       f"{name}: {off[name] / 2:.0%} of the weight of a row lies elsewhere than with softmax."
                       for name in matrices if name != "softmax"))
    return sheet.svg(TITLE, description)
