"""How far a wrong gradient gets: plants one mistake at a time in the answer key and trains the copy task with it.

  python3 bench/planted_mistakes.py            # prints the table of lab 08's chapter; about five minutes
  python3 bench/planted_mistakes.py NAME …     # some of them

Needs build/reference. Each mistake is one change of text in a copy of a file in reference/.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from author import build_commands

TREE = ROOT / "build" / "reference"
STEPS = 200
SETTINGS = {"task": "copy", "length": 8, "attention": "linear", "layers": 1, "width": 32, "heads": 4, "batch": 32,
            "rate": 0.003, "seed": 1, "steps": STEPS, "every": 25, "resume": 0, "file": "", "threads": 1}

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
    "denominator taken for a constant": ("8.4", 6, "dD = -sum(dN * row_times(q, S), -1, keep_dims) / D;",
                                         "dD = 0.0 * sum(dN * row_times(q, S), -1, keep_dims) / D;"),
    "own token left out on the way back": ("8.4", 6, [
        ("        R += outer(q, token(d.V, i));\n        r += q * token(d.phi_K, i);\n",
         "        const Tensor dN = token(d.V, i), dD = token(d.phi_K, i);\n"),
        ("        set_token(d.V, i, row_times(token(phi_K, i), R));\n",
         "        set_token(d.V, i, row_times(token(phi_K, i), R));\n        R += outer(q, dN);\n        r += q * dD;\n")], None),
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


def train(program: Path, out: str) -> tuple | None:
    """The last step, and the share of the last test's symbols that are right; None if the training broke."""
    words = [str(program), *(f"{name}={value}" for name, value in (SETTINGS | {"out": out}).items())]
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run(words, capture_output=True, text=True, env=single, check=False).stdout
    last = {event["event"]: event for event in map(json.loads, said.splitlines())}
    return (last["end"]["step"], last["test"]["accuracy"]) if "test" in last else None


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


def row(name: str, section: str, measured: tuple | None) -> str:
    if measured is None:
        return f"| {name} | {section} | no number any more | |"
    step, right = measured
    return f"| {name} | {section} | {100 * right:.1f}% | {step} |"


def main(names: list) -> None:
    subprocess.run(["cmake", "--build", str(TREE), "--target", "lab08_train"], check=True, stdout=subprocess.DEVNULL)
    print("| what was changed | where | unseen symbols right | after steps |\n|---|---|---|---|")
    learned = 0
    with tempfile.TemporaryDirectory() as folder:
        if not names:
            print(row("nothing", "", train(TREE / "lab08_train", f"{folder}/out")), flush=True)
        for name in names or MISTAKES:
            measured = train(built_with(name, Path(folder)), f"{folder}/out")
            learned += measured is not None and measured[1] == 1.0
            print(row(name, MISTAKES[name][0], measured), flush=True)
    print(f"\n{learned} of {len(names or MISTAKES)} wrong gradients and updates learn every symbol.")


if __name__ == "__main__":
    main(sys.argv[1:])
