"""How far a wrong gradient gets: plants one mistake at a time in the answer key and trains the copy task with it, with three
seeds and with models of one and of two blocks.

  python3 bench/planted_mistakes.py            # prints the table of lab 08's chapter; about four minutes on two cores
  python3 bench/planted_mistakes.py NAME …     # some of them

Needs build/reference. Each mistake is one change of text in a copy of a file in reference/.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from course import build_commands

TREE = ROOT / "build" / "reference"
SEEDS, BLOCKS = (1, 2, 3), (1, 2)
SETTINGS = {"task": "copy", "length": 8, "attention": "linear", "width": 32, "heads": 4, "batch": 32, "rate": 0.003,
            "steps": 400, "every": 25, "resume": 0, "falls": 0, "again": "", "more": "", "file": "", "threads": 1}
NOTHING = "nothing"

MISTAKES = {  # name → (section, lab, what stands there, what stands there instead)
    "gradient of every bias left at 0": ("8.1", 8, "dy), sum(dy, 0)}};", "dy), 0.0 * sum(dy, 0)}};"),
    "gradients of weights averaged over the tokens": (
        "8.1", 8, "{matmul(matrix_transpose(x), dy), sum",
        "{matmul(matrix_transpose(x), dy) / static_cast<double>(length(x, 0)), sum"),
    "mean taken for a constant": ("8.2", 8, "(g - mean(g, -1, keep_dims) - x *", "(g - x *"),
    "deviation taken for a constant": ("8.2", 8, " - x * mean(g * x, -1, keep_dims))", ")"),
    "mean and deviation taken for constants": (
        "8.2", 8, "(g - mean(g, -1, keep_dims) - x * mean(g * x, -1, keep_dims))", "g"),
    "divided by the variance": ("8.2", 8, "keep_dims)) / deviation;", "keep_dims)) / deviation / deviation;"),
    "gain left out of dX": ("8.2", 8, "g = dY * w.gain;", "g = dY;"),
    "Φ taken for a constant": ("8.3", 8, "dY * (cdf + X * density)", "dY * cdf"),
    "GELU left out on the way back": ("8.3", 8, "return dY * (cdf + X * density);", "return dY;"),
    "φ′ forgotten": ("8.4", 8, [("elu_plus_one_backward(Q, d.phi_Q)", "d.phi_Q"),
                                ("elu_plus_one_backward(K, d.phi_K)", "d.phi_K")], None),
    "φ′ taken for φ": ("8.4", 8, [("elu_plus_one_backward(Q, d.phi_Q)", "elu_plus_one_of(Q) * d.phi_Q"),
                                  ("elu_plus_one_backward(K, d.phi_K)", "elu_plus_one_of(K) * d.phi_K")], None),
    "denominator taken for a constant": ("8.4", 6, "dD = -sum(dN * (matmul(A, v) + matmul(q, S)) / D,",
                                         "dD = 0.0 * sum(dN * (matmul(A, v) + matmul(q, S)) / D,"),
    "own token left out on the way back": (
        "8.4", 6, "dD = tokens(all_dD, begin, end);\n        const Tensor mask = causal_mask(end - begin);",
        "dD = tokens(all_dD, begin, end), place = arange(end - begin);\n        const Tensor mask = expand_dims(place, -1) > place;"),
    "path through the queries forgotten": ("8.4", 8, "query.dX + key.dX + value.dX", "key.dX + value.dX"),
    "path through the keys forgotten": ("8.4", 8, "query.dX + key.dX + value.dX", "query.dX + value.dX"),
    "path through the values forgotten": ("8.4", 8, "query.dX + key.dX + value.dX", "query.dX + key.dX"),
    "attention's skip connection forgotten": ("8.5", 8, "{dMiddle + first.dX,", "{first.dX,"),
    "feed-forward's skip connection forgotten": ("8.5", 8, "dMiddle = dY + second.dX;", "dMiddle = second.dX;"),
    "path through the feed-forward layer forgotten": ("8.5", 8, "dMiddle = dY + second.dX;", "dMiddle = dY;"),
    "loss's gradient not divided": ("8.6", 8, "(exp(log_p) - wanted) / positions}", "(exp(log_p) - wanted)}"),
    "every position counts in the gradient": ("8.6", 8, "counted * (exp(log_p) - wanted)", "(exp(log_p) - wanted)"),
    "positions never trained": ("8.7", 8, "sum(reshape(dX, {", "0.0 * sum(reshape(dX, {"),
    "embedding never trained": ("8.7", 8, "result.dw.embedding = matmul(", "result.dw.embedding = 0.0 * matmul("),
    "m and v not corrected": ("8.8", 8, [("state.m / (1.0 - std::pow(beta_1, t))", "state.m"),
                                         ("sqrt(next.state.v / (1.0 - decayed))", "sqrt(next.state.v)")], None),
}
FILES = {6: "lab06_gradients.cpp", 8: "lab08_training.cpp"}


def planted(name: str, text: str) -> str:
    """The text with the mistake; refuses one that no longer fits."""
    _, _, old, new = MISTAKES[name]
    for before, after in old if isinstance(old, list) else [(old, new)]:
        if text.count(before) != 1:
            raise SystemExit(f"{name}: {before!r} stands {text.count(before)} times in the file, not once; adapt this script")
        text = text.replace(before, after)
    return text


def train(program: Path, folder: Path, **settings: int) -> tuple | None:
    """The last step, and the share of the last test's symbols that are right; None if the training broke."""
    words = [str(program), *(f"{name}={value}" for name, value in (SETTINGS | settings | {"out": folder / "out"}).items())]
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    step = 0
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=single) as process:
        for line in process.stdout:
            step = int(line[4:].partition("/")[0]) if line.startswith("step") else step
            if test := re.match(r"last test, .* ([0-9.]+)% right", line):
                process.kill()  # it would measure its speed
                return step, float(test[1]) / 100
    return None


def built_with(name: str, folder: Path) -> Path:
    original = ROOT / "reference" / FILES[MISTAKES[name][1]]
    source, made, program = folder / original.name, folder / "planted.o", folder / "train"
    source.write_text(planted(name, original.read_text(encoding="utf-8")), encoding="utf-8")
    command = next(line for line in build_commands.commands(TREE, "lab08_train") if line.endswith(f"-c {original}"))
    compile_it = [*build_commands.compilation(command, source, made), "-w"]
    of_original = command.split()[command.split().index("-o") + 1]
    for words in (compile_it, build_commands.link(TREE, "lab08_train", program, {of_original: made})):
        subprocess.run(words, cwd=TREE, check=True)
    return program


def runs(name: str) -> list[list[tuple | None]]:
    """For each number of blocks, and each seed."""
    with tempfile.TemporaryDirectory() as folder:
        program = TREE / "lab08_train" if name == NOTHING else built_with(name, Path(folder))
        return [[train(program, Path(folder), layers=blocks, seed=seed) for seed in SEEDS] for blocks in BLOCKS]


def row(name: str, section: str, measured: list) -> str:
    cells = []
    for each in measured:
        if None in each:
            cells += ["no number any more", ""]
            continue
        steps, right = zip(*each)
        cells += [f"{100 * statistics.mean(right):.1f} ± {100 * statistics.stdev(right):.1f}%",
                  f"{statistics.mean(steps):.0f} ± {statistics.stdev(steps):.0f}"]
    return f"| {' | '.join([name, section, *cells])} |"


def main(names: list) -> None:
    subprocess.run(["cmake", "--build", str(TREE), "--target", "lab08_train"], check=True, stdout=subprocess.DEVNULL)
    print("| what was changed | where | one block: right | after steps | two blocks: right | after steps |\n|---|---|---|---|---|---|")
    chosen = names or [NOTHING, *MISTAKES]
    learned, wrong = [0] * len(BLOCKS), [name for name in chosen if name != NOTHING]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, measured in zip(chosen, pool.map(runs, chosen)):
            print(row(name, "" if name == NOTHING else MISTAKES[name][0], measured), flush=True)
            for place, each in enumerate(measured):
                learned[place] += name != NOTHING and all(run is not None and run[0] < SETTINGS["steps"] for run in each)
    for blocks, count in zip(BLOCKS, learned):
        print(f"\n{blocks} block{'s' * (blocks > 1)}: with {count} of {len(wrong)} wrong gradients and updates, the training of every seed "
              "ends at a check that finds no mistake.")


if __name__ == "__main__":
    main(sys.argv[1:])
