"""How far a wrong gradient gets: plants one mistake at a time in the answer key and trains the copy task with it, with three
seeds and with models of one and of two blocks. Prints the table of lab 08's chapter; about seven minutes on two cores.

Needs build/reference. Each mistake is one change of text in a copy of a file in reference/.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, stdev

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from author import benchmarks, link_missing

TREE = ROOT / "build" / "reference"
FILES = {6: "lab06_gradients.cpp", 8: "lab08_training.cpp"}
NOTHING = ("", 8, {})
MISTAKES = {  # name → (section, lab, {what stands there: what stands there instead})
    "gradient of every bias left at 0": ("8.1", 8, {"dy), sum(dy, 0)}};": "dy), 0.0 * sum(dy, 0)}};"}),
    "gradients of weights averaged over the tokens": ("8.1", 8, {
        "{matmul(matrix_transpose(x), dy), sum": "{matmul(matrix_transpose(x), dy) / static_cast<double>(length(x, 0)), sum"}),
    "mean taken for a constant": ("8.2", 8, {"(g - mean(g, -1, keep_dims) - x *": "(g - x *"}),
    "deviation taken for a constant": ("8.2", 8, {" - x * mean(g * x, -1, keep_dims))": ")"}),
    "mean and deviation taken for constants": ("8.2", 8, {"(g - mean(g, -1, keep_dims) - x * mean(g * x, -1, keep_dims))": "g"}),
    "divided by the variance": ("8.2", 8, {"keep_dims)) / deviation;": "keep_dims)) / deviation / deviation;"}),
    "gain left out of dX": ("8.2", 8, {"g = dY * w.gain;": "g = dY;"}),
    "Φ taken for a constant": ("8.3", 8, {"dY * (cdf + X * density)": "dY * cdf"}),
    "GELU left out on the way back": ("8.3", 8, {"return dY * (cdf + X * density);": "return dY;"}),
    "φ′ forgotten": ("8.4", 8, {"elu_plus_one_backward(Q, d.phi_Q)": "d.phi_Q", "elu_plus_one_backward(K, d.phi_K)": "d.phi_K"}),
    "φ′ taken for φ": ("8.4", 8, {"elu_plus_one_backward(Q, d.phi_Q)": "elu_plus_one_of(Q) * d.phi_Q",
                                  "elu_plus_one_backward(K, d.phi_K)": "elu_plus_one_of(K) * d.phi_K"}),
    "denominator taken for a constant": ("8.4", 6, {
        "dD = -sum(dN * (matmul(A, v) + matmul(q, S)) / D,": "dD = 0.0 * sum(dN * (matmul(A, v) + matmul(q, S)) / D,"}),
    "own token left out on the way back": ("8.4", 6, {
        "dD = tokens(all_dD, begin, end);\n        const Tensor mask = causal_mask(end - begin);":
            "dD = tokens(all_dD, begin, end), place = arange(end - begin);\n        const Tensor mask = expand_dims(place, -1) > place;"}),
    "path through the queries forgotten": ("8.4", 8, {"query.dX + key.dX + value.dX": "key.dX + value.dX"}),
    "path through the keys forgotten": ("8.4", 8, {"query.dX + key.dX + value.dX": "query.dX + value.dX"}),
    "path through the values forgotten": ("8.4", 8, {"query.dX + key.dX + value.dX": "query.dX + key.dX"}),
    "attention's skip connection forgotten": ("8.5", 8, {"{dMiddle + first.dX,": "{first.dX,"}),
    "feed-forward's skip connection forgotten": ("8.5", 8, {"dMiddle = dY + second.dX;": "dMiddle = second.dX;"}),
    "path through the feed-forward layer forgotten": ("8.5", 8, {"dMiddle = dY + second.dX;": "dMiddle = dY;"}),
    "loss's gradient not divided": ("8.6", 8, {"(exp(log_p) - wanted) / positions}": "(exp(log_p) - wanted)}"}),
    "every position counts in the gradient": ("8.6", 8, {"counted * (exp(log_p) - wanted)": "(exp(log_p) - wanted)"}),
    "positions never trained": ("8.7", 8, {"sum(reshape(dX, {": "0.0 * sum(reshape(dX, {"}),
    "embedding never trained": ("8.7", 8, {"result.dw.embedding = matmul(": "result.dw.embedding = 0.0 * matmul("}),
    "m and v not corrected": ("8.8", 8, {"state.m / (1.0 - std::pow(beta_1, t))": "state.m",
                                         "sqrt(next.state.v / (1.0 - decayed))": "sqrt(next.state.v)"}),
}


def planted(changes: dict, text: str) -> str:
    """The text with the mistake; refuses one that no longer fits."""
    for before, after in changes.items():
        if text.count(before) != 1:
            raise SystemExit(f"{before!r} stands {text.count(before)} times in the file, not once; adapt this script")
        text = text.replace(before, after)
    return text


def row(name: str) -> str:
    section, lab, changes = MISTAKES.get(name, NOTHING)
    cells = [name, section]
    with tempfile.TemporaryDirectory() as folder:
        original = ROOT / "reference" / FILES[lab]
        text = planted(changes, original.read_text(encoding="utf-8"))
        program = link_missing.with_source(TREE, "lab08_train", original, text, Path(folder))
        for blocks in (1, 2):
            runs = [benchmarks.trained(program, length=8, layers=blocks, width=32, steps=400, every=25, seed=seed) for seed in (1, 2, 3)]
            right, steps = [share for share, _ in runs], [len(losses) for _, losses in runs]
            cells += [f"{mean(right):.1f} ± {stdev(right):.1f}%", f"{mean(steps):.0f} ± {stdev(steps):.0f}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    subprocess.run(["cmake", "--build", str(TREE), "--target", "lab08_train"], check=True, stdout=subprocess.DEVNULL)
    print("| what was changed | where | one block: right | after steps | two blocks: right | after steps |\n|---|---|---|---|---|---|")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for each in pool.map(row, ["nothing", *MISTAKES]):
            print(each, flush=True)
