"""Runs after every ctest: prints what did not pass, unless ctest was asked to print output itself.

usage: print_results.py SOURCE BUILD        (the project's two folders)
"""

import os
import sys

TOOLS = os.path.abspath(f"{__file__}/../../../..")
sys.path.insert(0, TOOLS)

from course.build.ctest.called_as import lists_only, words_of

PRINTS_ITSELF = {"--output-on-failure", "-V", "-VV", "--verbose", "--extra-verbose", "-Q", "--quiet"}


def main(source: str, build: str) -> None:
    if os.environ.get("LINATTN_RESULTS_ONLY") or os.environ.get("CTEST_OUTPUT_ON_FAILURE"):
        return
    words = words_of(os.getppid())
    if PRINTS_ITSELF.isdisjoint(words) and not lists_only(words) and _something_failed(build):
        from course.build.ctest.what_failed import what_failed  # only now: ./course check should not wait for it
        from course.sources.plain_text import write_utf8
        write_utf8()
        if text := what_failed(source, build):
            print(f"\n{text}")


def _something_failed(build: str) -> bool:
    """ctest lists what did, and then calls this program; where all passes it leaves an earlier run's list as it is."""
    try:
        listed = os.stat(f"{build}/Testing/Temporary/LastTestsFailed.log").st_mtime_ns
        return listed >= os.stat(f"{build}/run_started").st_mtime_ns
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    main(*sys.argv[1:])
