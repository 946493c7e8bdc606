"""Runs before every ctest: waits while another run works in the build folder, and marks when this one began.

usage: begin_run.py BUILD [anew]      (anew: only configures BUILD, which belongs to another place)
"""

import os
import sys

TOOLS = os.path.abspath(f"{__file__}/../../../..")
sys.path.insert(0, TOOLS)

from course.build import build_lock, dates
from course.build.ctest import run_ahead
from course.build.ctest.called_as import lists_only, words_of


def main(build: str, anew: str = "") -> int:
    if anew:
        from course.__main__ import in_words  # only now: the verdict does not wait for it
        return in_words(lambda: _configure(build))
    ctest = os.getppid()
    if lists_only(words_of(ctest)):
        return 0
    lock = build_lock.take(build)
    if os.getppid() != ctest:
        return 1  # it was killed while we waited
    if lock != build_lock.NONE and os.fork() == 0:
        _keep_open_until_the_end_of(ctest)
    dates.set_back(os.path.dirname(TOOLS), build)
    run_ahead.remove_left_over(build)
    with open(f"{build}/run_started", "w") as mark:
        os.utime(mark.fileno())
    return 0


def _configure(build: str) -> int:
    from pathlib import Path
    from course.build.build_tree import BuildTree
    tree = BuildTree(Path(TOOLS).parent, os.path.basename(build))
    with tree.locked():
        tree.prepare([], [])
    return 0


def _keep_open_until_the_end_of(ctest: int) -> None:
    """ctest itself cannot hold a lock, so this process does, which no signal to a terminal's processes reaches."""
    import select  # only now: the verdict does not wait for it
    import time
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # ctest waits until they are closed
        os.dup2(nothing, stream)
    try:
        select.select([os.pidfd_open(ctest)], [], [])
    except ProcessLookupError:
        pass
    except (AttributeError, OSError):  # not Linux, or an old one
        while _is_alive(ctest):
            time.sleep(0.05)
    os._exit(0)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        return True
    except ProcessLookupError:
        return False


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        sys.exit(f"nothing was graded: {error}; fix that and try again")
    except KeyboardInterrupt:
        sys.exit(130)
