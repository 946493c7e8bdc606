"""Our causal linear attention beside that of others: what `./course bench --peers` prints, writes and draws.

bench/speed/peers.py measures, in one process. PyTorch comes from PyPI into build/peers when it is asked for.
"""

import json
import os
import subprocess
import sys
import textwrap
import time
from importlib.util import find_spec
from pathlib import Path

from author import benchmarks, figures
from course import files
from course.errors import CourseError

OURS = "fused"
LABELS = {"fused": "ours, fused", "chunkwise, C = 16": "ours, lab 05 (BLAS), C = 16", "tokens": "ours, token by token",
          "PyTorch, chunks": "PyTorch, chunks, at its best", "PyTorch, softmax": "PyTorch, causal softmax",
          "PyTorch, cumsum": "PyTorch, cumsum", "fast-transformers": "fast-transformers"}
DRAWN = ("fused", "chunkwise, C = 16", "PyTorch, chunks", "fast-transformers", "PyTorch, softmax")


def install(root: Path) -> None:
    """PyTorch for the python3 that runs ./course, into build/peers: 5 GB, so what is needed beside it is looked for first."""
    figures.plot("peers")
    if find_spec("pip") is None:
        raise CourseError(f"{sys.executable} has no pip to install PyTorch with; run ./course setup --with-tests")
    command = [sys.executable, "-m", "pip", "install", "--upgrade", "--target", str(root / "build" / "peers"), "torch"]
    print(" ".join(command), "…", file=sys.stderr)
    if subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL).returncode != 0:
        raise CourseError("pip could not install PyTorch into build/peers; its output is above; without it, leave --install "
                          "away, and PyTorch's rows are left out")


def report(root: Path, threads: int, fast_transformers: str | None) -> None:
    """Measures, prints the table, and writes it with its plot, unless the machine was not quiet enough for that."""
    if fast_transformers and not (Path(fast_transformers) / "fast_transformers" / "causal_product").is_dir():
        raise CourseError(f"{fast_transformers} is not a clone of fast-transformers: it has no folder "
                          "fast_transformers/causal_product")
    plot = figures.plot("peers")  # before anything takes time
    benchmarks.build(root, "peers_library")
    load = [benchmarks.load()]
    known, rows = _measure(root, threads, fast_transformers)
    load.append(benchmarks.load())
    rows = best_chunks(rows)
    options = f" --threads {threads}" + (" --fast-transformers DIR" if fast_transformers else "")
    text = page(options, figures.machine(root, threads), known, rows, load)
    print(text)
    if noisy := benchmarks.too_noisy({f"{row['peer']}, n = {row['n']}, d = {row['d']}, {row['threads']} threads": row["spread"]
                                      for row in rows if "spread" in row}):
        raise CourseError(f"{noisy}; nothing was written; try again when the machine is idle")
    base = root / "bench" / "results" / f"{time.strftime('%Y-%m-%d')}-peers"
    picture = plot.draw(rows, figures.machine(root, threads))
    files.write_whole(base.with_suffix(".md"), text)
    files.write_whole(base.with_suffix(".svg"), picture)
    print(f"wrote {base.relative_to(root)}.md and .svg", file=sys.stderr)


def _measure(root: Path, threads: int, fast_transformers: str | None) -> tuple[dict, list[dict]]:
    library = root / "build" / "bench" / "bench" / "speed" / "libpeers_library.so"
    environment = os.environ | {"PYTHONPATH": str(root / "build" / "peers"),
                                "TORCH_EXTENSIONS_DIR": str(root / "build" / "peers-extensions")}
    command = [sys.executable, str(root / "bench" / "speed" / "peers.py"), str(library), str(threads),
               *filter(None, [fast_transformers])]
    print("speed/peers …", file=sys.stderr)
    lines = []
    with subprocess.Popen(command, cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True) as running:
        for line in running.stdout:
            lines.append(json.loads(line))
            if "n" in lines[-1]:
                print(_short(lines[-1]), file=sys.stderr)
    if running.returncode != 0 or not lines:
        raise CourseError(f"speed/peers.py ended with status {running.returncode}; its output is above")
    return lines[0], lines[1:]


def _short(row: dict) -> str:
    what = row["skipped"] if "skipped" in row else f"{per_token(row):.0f} ns per token and head"
    return f"  n = {row['n']}, d = {row['d']}, {row['threads']} threads, {row['peer']}: {what}"


def per_token(row: dict) -> float:
    """Nanoseconds per token and head, of eight heads."""
    return row["seconds"] / (8 * row["n"]) * 1e9


def best_chunks(rows: list[dict]) -> list[dict]:
    """PyTorch's chunks are tried in several lengths: of each case, the fastest one's row, with its length."""
    kept, best = [], {}
    for row in rows:
        name, _, length = row["peer"].partition(" of ")
        if not length:
            kept.append(row)
            continue
        case = row["n"], row["d"], row["threads"]
        row = row | {"peer": name, "chunk": int(length)}
        if case not in best or row.get("seconds", 1e9) < best[case].get("seconds", 1e9):
            best[case] = row
    return kept + list(best.values())


def page(options: str, machine: str, known: dict, rows: list[dict], load: list[float]) -> str:
    """In Markdown."""
    said = (f"`./course bench --peers{options}` on {machine}; PyTorch {known['torch'] or 'missing'}; our BLAS is {known['blas']}. "
            "Eight heads, float32, medians of the last five rounds, in turns in one process, outputs compared first. One thread: "
            "processor time; two: wall clock. Memory: the peak beside what was there before. Load when it began and ended: " +
            ", ".join(f"{each:.1f}" for each in load) + ". Largest spread: " +
            f"{max((row['spread'] for row in rows if 'spread' in row), default=0):.0%}.")
    lines = [f"# Beside others, {time.strftime('%Y-%m-%d')}", "", *textwrap.wrap(said, 118), ""]
    lines += [f"Left out: {name}: {why}." for name, why in known["missing"].items()]
    ours = {(row["n"], row["d"], row["threads"]): row["seconds"] for row in rows if row["peer"] == OURS}
    lines += ["", "| n | d | threads | | ns per token and head | × ours, fused | memory |", "|-|-|-|-|-|-|-|"]
    for row in sorted(rows, key=lambda row: (row["d"], row["threads"], row["n"], list(LABELS).index(row["peer"]))):
        case = row["n"], row["d"], row["threads"]
        label = LABELS[row["peer"]] + (f" ({row['chunk']})" if "chunk" in row and "seconds" in row else "")
        if "skipped" in row:
            cells = f"left out: {row['skipped']} | |"
        else:
            memory = row["peak_bytes"]
            cells = f"{per_token(row):.0f} | {row['seconds'] / ours[case]:.2f} | {'–' if memory is None else f'{memory / 1e6:.1f} MB'}"
        lines.append(f"| {row['n']} | {row['d']} | {row['threads']} | {label} | {cells} |")
    return "\n".join(lines) + "\n"
