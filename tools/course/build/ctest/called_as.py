"""How ctest was called: it tells the programs that it runs nothing of its options."""

import os

LISTS = ("-N", "--show-only")


def words_of(process: int) -> list[str]:
    try:
        with open(f"/proc/{process}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:  # not Linux
        return os.popen(f"ps -o args= -p {process} 2>/dev/null").read().split()


def lists_only(words: list[str]) -> bool:
    """Whether it only lists the tests, as editors do."""
    return any(word.partition("=")[0] in LISTS for word in words)
