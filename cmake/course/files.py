"""Writing a file so that nobody ever sees half of it."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes to a temporary name in the same folder, then renames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
