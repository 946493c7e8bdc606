"""Moves an update into place. It stands alone, since it replaces the other files of the course while it works.

.update/journal says what moves: each file that is there goes to .update/old/, each new one from .update/new/ to its
place. Once the journal is written the update will be completed, whatever interrupts it: the next ./course of any kind
runs the copy of this file in .update/finish.py before anything else. What was replaced ends up in kept/.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDER = ".update"


def commit(root: Path, put: list[str], remove: list[str], kept: str) -> None:
    """The point of no return. Everything in `put` lies in .update/new/; `kept` is a name that is still free."""
    folder = root / FOLDER
    shutil.copyfile(__file__, folder / "finish.py")
    with open(folder / "journal.new", "w", encoding="utf-8") as file:
        json.dump({"put": put, "remove": remove, "kept": kept}, file)
    os.replace(folder / "journal.new", folder / "journal")


def discard_unbegun(root: Path) -> None:
    """Removes what is left of an update that was stopped before it moved anything, or after it moved everything."""
    if not is_pending(root) and (root / FOLDER).exists():
        shutil.rmtree(root / FOLDER)


def is_pending(root: Path) -> bool:
    return (root / FOLDER / "journal").exists()


def finish(root: Path) -> None:
    """Can be interrupted anywhere and called again: each step looks at what is there."""
    folder, plan = _plan(root)
    for name in plan["put"]:
        new = folder / "new" / name
        if new.exists():
            _set_aside(root / name, folder / "old" / name)
            _move(new, root / name)
    for name in plan["remove"]:
        _set_aside(root / name, folder / "old" / name)
    if (folder / "old").exists():
        _move(folder / "old", root / plan["kept"])
    _end(root)
    _remove_empty_folders(root, plan["remove"])


def undo(root: Path) -> None:
    """Takes back what `finish` did before an error stopped it."""
    folder, plan = _plan(root)
    for name in reversed(plan["put"] + plan["remove"]):
        place, new, old = root / name, folder / "new" / name, folder / "old" / name
        if name in plan["put"] and not new.exists() and place.exists():
            _move(place, new)
        if old.exists():
            _move(old, place)
    _end(root)


def _plan(root: Path) -> tuple[Path, dict[str, Any]]:
    folder = root / FOLDER
    return folder, json.loads((folder / "journal").read_text(encoding="utf-8"))


def _set_aside(place: Path, old: Path) -> None:
    if not place.exists() and not place.is_symlink():
        return
    while old.exists():  # an update was interrupted and the file written again since
        old = old.with_name(f"{old.name}~")
    _move(place, old)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def _end(root: Path) -> None:
    (root / FOLDER / "journal").unlink()
    shutil.rmtree(root / FOLDER, ignore_errors=True)


def _remove_empty_folders(root: Path, names: list[str]) -> None:
    for name in names:
        for folder in list((root / name).parents):
            if folder == root:
                break
            try:
                folder.rmdir()
            except OSError:  # not empty
                break


if __name__ == "__main__":
    try:
        finish(Path(__file__).resolve().parent.parent)
    except OSError as error:
        print(f"course: an update was interrupted and cannot be finished: {error}; fix that and try again", file=sys.stderr)
        sys.exit(2)
    print("course: finished an update that was interrupted", file=sys.stderr)
