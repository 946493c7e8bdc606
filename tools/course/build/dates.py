"""Files dated in the future, by a clock that was wrong or an archive from elsewhere: ninja would configure again and again, or take
what was built then for newer than what was edited since.
"""

import os
import sys
import time

AHEAD = 60  # seconds that the clock of a file server may be ahead of ours


def set_back(root: str, build: str) -> None:
    """Where one of a few files is dated in the future, all that are get the date of today, and what was built then such an old one
    that it is built anew. (It runs at every verdict: to look at all would take too long.)"""
    limit = time.time() + AHEAD
    some = [f"{root}/CMakeLists.txt", f"{root}/cmake/lab.cmake", f"{build}/build.ninja", f"{build}/run_started"]
    if not any(_is_after(limit, path) for path in some):
        return
    print("files are dated in the future: they get today's date, and what was built from them is built anew", file=sys.stderr, flush=True)
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for path in (f"{folder}/{name}" for name in names):
            if _is_after(limit, path):
                os.utime(path, (1, 1) if path.startswith(f"{root}/build/") else None)


def _is_after(limit: float, path: str) -> bool:
    return os.path.exists(path) and os.stat(path).st_mtime > limit
