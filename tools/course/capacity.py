"""What ./course train recall --sweep does: one memory, trained for several widths and numbers of keys, with several seeds."""

import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from course import line_plot, training_program
from course.errors import CourseError
from course.memories import LABELS, share
from course.training_program import Event, Settings

WIDTHS, KEYS, SEEDS = (4, 8, 16), (2, 4, 8, 16, 32), 3
PER_KEY = 2  # writes, where keys are overwritten


@dataclass(frozen=True, order=True)
class Run:
    width: int
    keys: int
    seed: int


def sweep(root: Path, program: Path, settings: Settings, name: str, seeds: range, folder: Path) -> int:
    once = bool(settings["once"])
    runs = [Run(width, keys, seed) for keys in reversed(KEYS) for width in WIDTHS for seed in seeds]  # the longest first
    began, recalled = time.monotonic(), dict[Run, float]()
    print(f"{len(runs)} models of {LABELS[name]}, {settings['steps']} steps each, {training_program.cores()} at a time", flush=True)
    pool = ThreadPoolExecutor(training_program.cores())
    try:
        futures: dict[Future[float], Run] = {
            pool.submit(_recalled, program, settings | {"width": run.width, "keys": run.keys, "seed": run.seed, "memories": name,
                                                        "writes": run.keys * (1 if once else PER_KEY)}): run for run in runs}
        for future in as_completed(futures):
            run = futures[future]
            recalled[run] = future.result()
            print(f"{len(recalled):3} of {len(runs)}  width {run.width:2}, {run.keys:2} keys, seed {run.seed}: "
                  f"{100 * recalled[run]:5.1f}%  {time.monotonic() - began:6.1f} s", flush=True)
    finally:  # those that train now end by themselves, in seconds
        pool.shutdown(cancel_futures=True)
    _show(root, recalled, f"{LABELS[name]}, each key written {'once' if once else 'twice on average'}", seeds, folder)
    return 0


def _recalled(program: Path, settings: Settings) -> float:
    """Runs in a thread: what goes wrong is raised where its result is asked for."""
    events: list[Event] = []
    status = training_program.listen(program, settings, None, events.append)
    measured = [event["recall"] for event in events if "recall" in event]
    for event in events:
        if event["event"] in ("missing", "error"):
            raise CourseError(event.get("why") or f"{event['function']} is not written yet, and the training needs it; ./course "
                              "check lists what is missing")
    if not measured:
        raise CourseError(f"the training stopped unexpectedly ({training_program.fate(status)}); ./course check may say what is wrong")
    return float(measured[-1])


def _show(root: Path, recalled: dict[Run, float], title: str, seeds: range, folder: Path) -> None:
    curves: dict[str, line_plot.Curve] = {
        f"width {width}": [(keys, [recalled[Run(width, keys, seed)] for seed in seeds]) for keys in KEYS] for width in WIDTHS}
    x = line_plot.Axis("keys", min(KEYS), max(KEYS), {keys: str(keys) for keys in KEYS}, is_log=True)
    y = line_plot.from_zero("recalled", 1.0, lambda part: f"{part:.0%}")
    rows = [["recalled", *(f"{keys} keys" for keys in KEYS)]]
    rows += [[label, *(share(values) for _, values in curve)] for label, curve in curves.items()]
    print("\n" + "\n".join(f"{row[0]:9}" + "".join(f"{cell:>14}" for cell in row[1:]) for row in rows))
    print(f"\n{title}; {len(seeds)} seeds\n{line_plot.in_terminal(curves, x, y)}")
    csv = ["width,keys,seed,recalled", *(f"{run.width},{run.keys},{run.seed},{recalled[run]!r}" for run in sorted(recalled))]
    training_program.write_plot(root, folder, "sweep", "\n".join(csv) + "\n",
                                line_plot.svg(curves, f"last values recalled: {title}", x, y))
