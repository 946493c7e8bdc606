"""What labs 05 and 09 are meant to reach, each goal beside the figures of one run. Nothing is asserted here: machines differ."""

from dataclasses import dataclass

from author.benchmarks import Row

RECURRENCES = {"tokens": "token by token, two sweeps over S", "tokens_one_sweep": "token by token, one sweep",
               "tokens_one_sweep_vector_exp": "the same, e^x by vectors"}


@dataclass
class Goal:
    what: str
    figures: str
    ratio: float
    bound: float | None = None  # None: no goal, a figure to compare with
    at_most: bool = True

    def line(self) -> str:
        if self.bound is None:
            return f"{self.what:64} {self.figures:>16} {self.ratio:6.2f}"
        met = self.ratio <= self.bound if self.at_most else self.ratio >= self.bound
        bound = f"{'at most' if self.at_most else 'at least'} {self.bound:g}"
        return f"{self.what:64} {self.figures:>16} {self.ratio:6.2f}   {bound:12} {'met' if met else 'NOT MET'}"


def compared(what: str, ns: float, other: float, bound: float | None = None, at_most: bool = True) -> Goal:
    return Goal(what, f"{ns:.0f} / {other:.0f} ns", ns / other, bound, at_most)


OF_THE_FLOOR = {64: 1.8, 128: 1.6}  # how many times the floor the fused kernel of attention may take


def chunkwise_goals(rows: dict[str, Row], d: int) -> list[Goal]:
    def ns(name: str) -> float:
        return float(rows[name]["ns/token"])

    chunk = min((16, 32), key=lambda C: ns(f"chunkwise/d:{d}/C:{C}"))
    chunkwise = ns(f"chunkwise/d:{d}/C:{chunk}")
    floor = 4 * d * d / rows["sgemm"]["GFLOP/s"]  # in ns
    goals = [compared(f"d = {d}: {words} / chunkwise, C = {chunk}", ns(f"{name}/d:{d}"), chunkwise, 3 if name == "tokens" else None,
                      at_most=False) for name, words in RECURRENCES.items()]
    return [*goals, compared(f"d = {d}: chunkwise, C = {chunk} / 4d² FLOPs at sgemm's speed", chunkwise, floor, 1.8),
            compared(f"d = {d}: fused / 4d² FLOPs at sgemm's speed", ns(f"fused/d:{d}"), floor, OF_THE_FLOOR[d]),
            compared(f"d = {d}: fused gated delta rule / 6d² FLOPs at sgemm's speed", ns(f"fused_delta/d:{d}"), 1.5 * floor, 2)]


RULES = {"gated": "gated attention", "delta": "delta rule", "both": "gated delta rule"}


def rules_goals(rows: dict[str, Row], d: int) -> list[Goal]:
    """Lab 09: what chunks gain over the recurrence, and what a correction costs beside a gate."""
    def ns(name: str) -> float:
        return float(rows[name]["ns/token"])

    def best(rule: str) -> int:
        return min((16, 32, 64), key=lambda C: ns(f"{rule}_chunks/d:{d}/C:{C}"))

    quickest = {rule: ns(f"{rule}_chunks/d:{d}/C:{best(rule)}") for rule in RULES}
    goals = [compared(f"d = {d}: {words}, token by token / chunks of {best(rule)}", ns(f"{rule}_tokens/d:{d}"), quickest[rule])
             for rule, words in RULES.items()]
    backward = min(ns(f"both_backward/d:{d}/C:{C}") for C in (16, 32, 64))
    return [*goals, *(compared(f"d = {d}: {RULES[rule]} / gated attention, in chunks", quickest[rule], quickest["gated"])
                      for rule in ("delta", "both")),
            compared(f"d = {d}: gradients of the gated delta rule / its output", backward, quickest["both"])]


def table(rows: dict[str, Row], blas: str) -> str:
    """Of the medians of each benchmark."""
    seconds = rows["cpu_run"]["cpu_time"] / 1e3
    goals = [*chunkwise_goals(rows, 64), *chunkwise_goals(rows, 128),
             Goal("CPU run: 8 heads, n = 1024, d = 64, in seconds", f"{seconds:.3f} s", seconds, 0.15),
             *rules_goals(rows, 64), *rules_goals(rows, 128)]
    return "\n".join([f"per token and head; lab 05 and what is fused in float32, lab 09 in double; sgemm: {rows['sgemm']['GFLOP/s']:.0f} GFLOP/s on "
                      f"one core, {blas}", *(goal.line() for goal in goals)])
