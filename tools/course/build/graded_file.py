"""Whether a file can be graded at all: what is not an ordinary file could keep a compiler waiting for ever, and what it includes
of a student's other files is not handed in.
"""

import os
import stat

LARGEST = 256 << 10  # bytes that a submission's file may have; those of the answer key have at most 11 KiB


def rejection_reason(source: str) -> str:
    """One sentence, or nothing where `source` is an ordinary file."""
    folder, file = os.path.split(source)
    name = f"{os.path.basename(folder)}/{file}"
    put_back = f"put it back (git checkout {name}, or copy it from the handout)"
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return f"{name} is missing: {put_back}."
    if not stat.S_ISREG(mode):
        return f"{name} is not an ordinary file, so nothing was read from it: remove it and {put_back}."
    if included := _included(source, folder):
        return (f"{name} includes {included}, which is not handed in: only the files that came with the course are. Put what it holds "
                f"into {name}.")
    return ""


def _included(source: str, folder: str) -> str:
    """The first file beside it that it includes. (Without `re`, which every verdict would wait for.)"""
    try:
        with open(source, "rb") as file:
            lines = [line.split(b'"') for line in file]
    except OSError:
        return ""
    names = [os.fsdecode(words[1]) for words in lines if len(words) > 2 and words[0].replace(b" ", b"").strip() == b"#include"]
    return next((name for name in names if os.path.exists(os.path.join(folder, name))), "")
