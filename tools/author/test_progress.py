"""What ./course test says while it runs: what is running, how much of it is done, and by the last run's times what is left."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from course.files import write_whole

STARTED = re.compile(r"^ *Start +\d+: (\S+)$", re.M)
TIMED = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) .*? (\d+\.\d+) sec$", re.M)
FAILED = re.compile(r"^ *\d+/\d+ Test +#\d+: \S+ .*\*\*\*(?!Skipped)", re.M)
OF = re.compile(r"^ *(?:\[(\d+)/(\d+)\]|(\d+)/(\d+) Test )", re.M)  # ninja's count, and ctest's
PAUSE = 15  # seconds between two lines, where lines stay
LOOK = 0.2  # seconds between two looks at whether it has ended
NAMES = 4  # of running tests that a line names


class Times:
    """How long the steps and their tests took when they last ran."""

    def __init__(self, file: Path):
        self._file = file
        try:
            self._steps: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._steps = {}

    def keep(self, step: str, seconds: float, tests: dict[str, float], whole: bool) -> None:
        before = self._steps.get(step, {})
        self._steps[step] = {"seconds": seconds if whole else before.get("seconds", seconds),
                             "tests": tests if whole else before.get("tests", {}) | tests}
        write_whole(self._file, json.dumps(self._steps, indent=1))

    def of_tests(self, step: str) -> dict[str, float]:
        return dict(self._steps.get(step, {}).get("tests", {}))

    def expected(self, step: str, names: list[str], jobs: int) -> float | None:
        """Seconds; None for a step that never ran. With names, of the tests with such names."""
        if step not in self._steps:
            return None
        tests = self.of_tests(step)
        if not (names and tests):
            return float(self._steps[step]["seconds"])
        return at_once([seconds for test, seconds in tests.items() if re.search("|".join(names), test)], jobs)


def at_once(seconds: list[float], jobs: int) -> float:
    """How long programs take that need so many seconds each, `jobs` of them at a time."""
    return max([sum(seconds) / jobs, *seconds])


class Progress:
    """Of one step, before others that are still `coming`."""

    def __init__(self, step: str, coming: list[str], times: Times, names: list[str], jobs: int):
        self._step, self._times, self._names, self._jobs = step, times, names, jobs
        later = [times.expected(each, names, jobs) for each in coming]
        known = [seconds for seconds in later if seconds is not None]
        self._later = sum(known) if len(known) == len(later) else None
        self._began = self._spoke = time.monotonic()
        self._started: dict[str, float] = {}  # test → when we saw that it had begun

    def watch(self, running: subprocess.Popen[str], log: Path) -> int:
        """Waits for the end of the step; returns its exit status."""
        pause = 1 if sys.stdout.isatty() else PAUSE
        while True:
            try:
                return running.wait(LOOK)
            except subprocess.TimeoutExpired:
                if time.monotonic() - self._spoke >= pause:
                    self._say(self._line(log.read_text(encoding="utf-8", errors="replace")))

    def done(self, seconds: float, tests: dict[str, float]) -> None:
        if sys.stdout.isatty():
            self._say("")
        self._times.keep(self._step, seconds, tests, whole=not self._names)

    def _say(self, line: str) -> None:
        self._spoke = time.monotonic()
        if sys.stdout.isatty():
            print("\r\033[K" + line[:os.get_terminal_size().columns - 1], end="", flush=True)
        else:
            print(line, flush=True)

    def _line(self, words: str) -> str:
        now = time.monotonic()
        ended = {each[1] for each in TIMED.finditer(words)}
        running = {}
        for each in STARTED.finditer(words):
            if each[1] not in ended:
                running[each[1]] = now - self._started.setdefault(each[1], now)
        counts = [(int(each[1] or each[3]), int(each[2] or each[4])) for each in OF.finditer(words)]
        parts = [f"  {self._step}"]
        if counts:
            parts.append(f"{counts[-1][0]} of {counts[-1][1]} done")
        if wrong := len(FAILED.findall(words)):
            parts.append(f"{wrong} failed")
        if running:
            longest = sorted(running, key=running.__getitem__, reverse=True)
            parts.append("running " + " ".join(f"{each.removeprefix('framework.')} ({running[each]:.0f} s)"
                                               for each in longest[:NAMES]))
        left = self._left(counts[-1] if counts else None, ended, running, now - self._began)
        if left is not None:
            parts.append(f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left")
        return ", ".join(parts)

    def _left(self, count: tuple[int, int] | None, ended: set[str], running: dict[str, float], elapsed: float) -> float | None:
        """Seconds until the end of the last step; None if some step has never run."""
        expected = self._times.expected(self._step, self._names, self._jobs)
        if expected is None or self._later is None:
            return None
        tests = {test: seconds for test, seconds in self._times.of_tests(self._step).items()
                 if not self._names or re.search("|".join(self._names), test)}
        if tests:
            own = at_once([max(0.0, seconds - running.get(test, 0.0)) for test, seconds in tests.items()
                           if test not in ended], self._jobs)
        elif count and count[0] > 0:  # it may be built only in part
            own = elapsed * (count[1] - count[0]) / count[0]
        else:
            own = max(0.0, expected - elapsed)
        return own + self._later
