"""What was green and depends on nothing that has changed since: it need not be tried again, and most of a course stays as it
was from one ./course test to the next. A fresh clone has none of it; --anew (LINATTN_ANEW) tries all.
"""

import hashlib
import json
import os
from pathlib import Path


class Green:
    """The green results of one gate, in `build`/green/: under a name, a digest of all that the result depends on."""

    def __init__(self, build: Path, gate: str):
        self._folder = build / "green" / gate
        self._anew = bool(os.environ.get("LINATTN_ANEW"))

    def result(self, name: str, digest: str):
        """As it was kept; None where something has changed since."""
        kept = self._read(name)
        return kept["result"] if kept and kept["digest"] == digest else None

    def kept(self, name: str):
        """The result, whatever has changed since; None where there is none."""
        return (self._read(name) or {"result": None})["result"]

    def keep(self, name: str, digest: str, result) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        new = self._folder / f"{name}.new"
        new.write_text(json.dumps({"digest": digest, "result": result}), encoding="utf-8")
        os.replace(new, self._folder / f"{name}.json")

    def _read(self, name: str):
        file = self._folder / f"{name}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() and not self._anew else None


def digest_of(files, *words) -> str:
    """Of the contents of files, and of words."""
    digest = hashlib.sha256("\0".join(map(str, words)).encode())
    for file in map(Path, files):
        digest.update(f"\0{file}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest() if file.exists() else b"missing")
    return digest.hexdigest()
