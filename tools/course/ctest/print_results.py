"""Runs after every ctest: prints what did not pass, unless ctest was asked to print output itself.

usage: print_results.py SOURCE BUILD        (the project's two folders)
"""

import os
import sys

TOOLS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOOLS)

PRINTS_ITSELF = {"--output-on-failure", "-V", "-VV", "--verbose", "--extra-verbose", "-N", "--show-only", "-Q", "--quiet"}


def main(source: str, build: str) -> None:
    if os.environ.get("LINATTN_RESULTS_ONLY") or os.environ.get("CTEST_OUTPUT_ON_FAILURE"):
        return
    if PRINTS_ITSELF.isdisjoint(_words_of_parent()):
        from course.ctest.what_failed import what_failed  # only now: ./course check should not wait for it
        from course.plain_text import write_utf8
        write_utf8()
        if text := what_failed(source, build):
            print(f"\n{text}")


def _words_of_parent() -> list[str]:
    """How ctest was called: it tells the programs it runs nothing of its options."""
    try:
        with open(f"/proc/{os.getppid()}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:  # not Linux
        return os.popen(f"ps -o args= -p {os.getppid()} 2>/dev/null").read().split()


if __name__ == "__main__":
    main(*sys.argv[1:])
