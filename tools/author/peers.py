"""Our causal linear attention, and lab 09's rules, beside those of others: what `./course bench --peers` prints, writes and draws.

bench/speed/peers.py and rule_peers.py measure, each in one process. PyTorch comes from PyPI into build/peers when it is asked for.
"""

import subprocess
import sys
import textwrap
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from author import benchmarks, figures
from author.benchmarks import Row
from course import files
from course.errors import CourseError

OURS = "fused"
OWN = ("fused", "chunkwise, C = 16", "tokens")
LABELS = {"fused": "ours, fused", "chunkwise, C = 16": "ours, lab 05 (BLAS), C = 16", "tokens": "ours, token by token",
          "PyTorch, chunks": "PyTorch, chunks, at its best", "PyTorch, softmax": "PyTorch, causal softmax",
          "PyTorch, cumsum": "PyTorch, cumsum", "fast-transformers": "fast-transformers"}
RULES = {"gated": "gated attention (9.4)", "delta": "delta rule (9.9)", "both": "gated delta rule (9.11)"}
DRAWN = ("fused", "chunkwise, C = 16", "PyTorch, chunks", "fast-transformers", "PyTorch, softmax")


def install(root: Path) -> None:
    """PyTorch for the python3 that runs ./course, into build/peers: 5 GB, so what is needed beside it is looked for first. Then
    flash-linear-attention, where it installs."""
    figures.plots()
    if find_spec("pip") is None:
        raise CourseError(f"{sys.executable} has no pip to install PyTorch with; run ./course setup --with-tests")
    for package in ("torch", "fla-core"):
        command = [sys.executable, "-m", "pip", "install", "--upgrade", "--target", str(root / "build" / "peers"), package]
        print(" ".join(command), "…", file=sys.stderr)
        if subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL).returncode != 0:
            if package == "fla-core":
                print("flash-linear-attention does not install here; its rows are left out", file=sys.stderr)
                return
            raise CourseError("pip could not install PyTorch into build/peers; its output is above; without it, leave --install "
                              "away, and PyTorch's rows are left out")


def report(root: Path, threads: int, fast_transformers: str | None) -> None:
    """Measures, prints the table, and writes it with its plot, unless the machine was not quiet enough for ours."""
    if fast_transformers and not (Path(fast_transformers) / "fast_transformers" / "causal_product").is_dir():
        raise CourseError(f"{fast_transformers} is not a clone of fast-transformers: it has no folder "
                          "fast_transformers/causal_product")
    plots = figures.plots()  # before anything takes time
    benchmarks.build(root, "peers_library")
    load = [benchmarks.load()]
    known, *rows = _measure(root, "peers", str(threads), fast_transformers)
    known_of_rules, *of_rules = _measure(root, "rule_peers")
    known = known | {"missing": known["missing"] | known_of_rules["missing"]}
    of_rules = best_chunks(of_rules)
    load.append(benchmarks.load())
    rows = best_chunks(rows)
    for row in [*rows, *of_rules]:
        leave_out_if_unsteady(row)
    options = f" --threads {threads}" + (" --fast-transformers DIR" if fast_transformers else "")
    text = page(options, figures.machine(root, threads), known, rows, load) + page_of_rules(of_rules)
    print(text)
    if noisy := benchmarks.too_noisy({f"{row['peer']}, n = {row['n']}, d = {row['d']}, {row['threads']} threads": row["spread"]
                                      for row in [*rows, *of_rules] if "spread" in row}):
        raise CourseError(f"{noisy}; nothing was written; try again when the machine is idle")
    base = root / "bench" / "results" / f"{time.strftime('%Y-%m-%d')}-peers"
    picture = plots.peers(rows, figures.machine(root, threads))
    files.write_whole(base.with_suffix(".md"), text)
    files.write_whole(base.with_suffix(".svg"), picture)
    print(f"wrote {base.relative_to(root)}.md and .svg", file=sys.stderr)


def _measure(root: Path, program: str, *arguments: str | None) -> list[Row]:
    library = root / "build" / "bench" / "bench" / "speed" / "libpeers_library.so"
    print(f"speed/{program} …", file=sys.stderr)
    return benchmarks.rows_of(root, [str(root / "bench" / "speed" / f"{program}.py"), str(library), *filter(None, arguments)],
                              {"PYTHONPATH": str(root / "build" / "peers"),
                               "TORCH_EXTENSIONS_DIR": str(root / "build" / "peers-extensions")}, _short)


def _short(row: Row) -> str:
    what = row["skipped"] if "skipped" in row else f"{per_token(row):.0f} ns per token and head"
    return f"  n = {row['n']}, d = {row['d']}, {row['threads']} threads, {row['peer']}: {what}"


def per_token(row: Row) -> float:
    """Nanoseconds per token and head, of eight heads."""
    return float(row["seconds"] / (8 * row["n"]) * 1e9)


def best_chunks(rows: list[Row]) -> list[Row]:
    """Chunks are tried in several lengths: of each peer and case, the fastest one's row, with its length."""
    kept: list[Row] = []
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        name, _, length = row["peer"].partition(" of ")
        if not length:
            kept.append(row)
            continue
        case = name, row.get("rule"), row["n"], row["d"], row["threads"]
        row = row | {"peer": name, "chunk": int(length)}
        if case not in best or row.get("seconds", 1e9) < best[case].get("seconds", 1e9):
            best[case] = row
    return kept + list(best.values())


def leave_out_if_unsteady(row: Row) -> None:
    """Another's function whose times lie far apart has no number; ours must have one."""
    if not row["peer"].startswith(("ours", *OWN)) and row.get("spread", 0) > benchmarks.MOST_SPREAD:
        row["skipped"] = f"its times lie {row.pop('spread'):.0%} apart"


def page(options: str, machine: str, known: Row, rows: list[Row], load: list[float]) -> str:
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


def page_of_rules(rows: list[Row]) -> str:
    """Lab 09's part of the page."""
    said = ("The rules of lab 09 a chunk at a time, eight heads, one thread, processor time; the length of a chunk is the quickest of "
            "16, 32 and 64, in brackets. × ours: beside the fused kernel for the gated delta rule, else beside ours in double.")
    lines = ["", *textwrap.wrap(said, 118), "", "| | n | d | | ns per token and head | × ours | memory |", "|-|-|-|-|-|-|-|"]
    ours = {(row["rule"], row["n"], row["d"]): row["seconds"] for row in rows if row["peer"] == "ours, double, chunks"}
    ours |= {(row["rule"], row["n"], row["d"]): row["seconds"] for row in rows if row["peer"] == "ours, fused, float32"}
    for row in rows:
        what = f"| {RULES[row['rule']]} | {row['n']} | {row['d']} | {row['peer'].removesuffix(', chunks')}"
        if "skipped" in row:
            lines.append(f"{what} | left out: {row['skipped']} | | |")
            continue
        memory = row["peak_bytes"]
        chunk = f" ({row['chunk']})" if "chunk" in row else ""
        lines.append(f"{what}{chunk} | {per_token(row):.0f} | {row['seconds'] / ours[row['rule'], row['n'], row['d']]:.2f} | "
                     f"{'–' if memory is None else f'{memory / 1e6:.1f} MB'} |")
    return "\n".join(lines) + "\n"
