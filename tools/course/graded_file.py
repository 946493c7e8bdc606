"""Whether a file can be graded at all: what is not an ordinary file could keep a compiler waiting for ever."""

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
    return ""
