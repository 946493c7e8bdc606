"""Programs that end when we end: with all that they started, however deep.

A compiler hangs below ninja, ninja below ctest; a signal that reaches only us would leave them all at work.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

from course.errors import CourseError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5  # seconds that they get to end by themselves; ninja uses them to end its compilers


class Ended(BaseException):
    """A signal asked us to end."""

    def __init__(self, number: int):
        super().__init__(number)
        self.status = 128 + number


def end_when_told() -> None:
    """Turns SIGTERM and SIGHUP into Ended, as Python turns SIGINT into KeyboardInterrupt, and only the first of them: what
    follows is cleaning up, which must not be interrupted. A signal that is ignored (nohup) stays so."""
    def told(number: int, _: FrameType | None) -> NoReturn:
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt() if number == signal.SIGINT else Ended(number)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, told)


@contextlib.contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process in a group of its own, which is ended if we leave before it has."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, encoding="utf-8", errors="replace",
                                   start_new_session=True, **options)
    except FileNotFoundError:
        raise CourseError(f"{command[0]} is not on the PATH; run ./course setup") from None
    try:
        yield process
    except BaseException:
        end(process)
        raise
    finally:
        if process.stdout:
            process.stdout.close()
        process.wait()


def end(process: subprocess.Popen[Any]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        patient_until = time.monotonic() + PATIENCE
        while _is_alive(process) and time.monotonic() < patient_until:
            time.sleep(0.02)


def _is_alive(process: subprocess.Popen[Any]) -> bool:
    """Whether anything of its group is left; the first may be gone long before the rest."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
        return True
    except ProcessLookupError:
        return False
