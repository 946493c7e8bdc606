"""How far something is that takes long: to a terminal at once, on one line; to a pipe now and then."""

import sys
import time

BETWEEN_LINES = 10  # seconds


class ProgressLine:
    def __init__(self) -> None:
        self._said = time.monotonic()

    def show(self, text: str) -> None:
        now = time.monotonic()
        if sys.stderr.isatty():
            print(f"\r  {text} \033[K", end="", file=sys.stderr, flush=True)
        elif now - self._said >= BETWEEN_LINES:
            print(f"  {text}", file=sys.stderr, flush=True)
            self._said = now

    def end(self) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
