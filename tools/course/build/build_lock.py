"""One run at a time in a build folder: two would remove each other's results and rebuild each other's programs.

The lock belongs to an open file. The system releases it when the last process that has this file open has ended, however it
ended, so no lock is ever left over. This is imported at every verdict, so it imports only what starts quickly.
"""

import errno
import fcntl
import os
import sys
import time

HELD = "LINATTN_LOCKED"  # in the environment below a run that holds the lock: the build folder
PATIENCE = 0.3  # seconds before anybody is told of the waiting
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)  # some network file systems have none
NONE = -1


def take(folder: str, name: str = "check.lock") -> int:
    """Waits for the lock, and returns the open file that holds it; NONE when a process above us does, or nobody can."""
    if os.path.realpath(os.environ.get(HELD) or "/") == os.path.realpath(folder) and name == "check.lock":
        return NONE
    file = _opened(f"{folder}/{name}")
    try:
        _wait_for(file, "/".join(folder.split("/")[-2:]))
        return file
    except BaseException as error:
        os.close(file)
        if getattr(error, "errno", None) not in NO_LOCKS:
            raise
    print("the file system of this build folder has no locks: run one check at a time", file=sys.stderr, flush=True)
    return NONE


def release(file: int) -> None:
    if file != NONE:
        os.close(file)


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        return os.open(path, os.O_RDONLY)  # another user's, which can be locked all the same


def _wait_for(file: int, folder: str) -> None:
    patient_until = time.monotonic() + PATIENCE
    while time.monotonic() < patient_until:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
    print(f"another check is running in {folder}, waiting …", file=sys.stderr, flush=True)
    fcntl.flock(file, fcntl.LOCK_EX)
