"""Brings a student's file in line with a new stub: base is the stub the student began with, theirs the new one.

Function by function, and likewise the text between functions: what only one side changed is taken from that side; what
both changed is merged line by line where the changes lie apart, and is the student's where they do not. In the end every
line that the student wrote must be there, or the file stays as it is.
"""

from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from course.source_pieces import END, START, CannotSplit, Function, Pieces, split

NONE = Function("", "", "")


@dataclass
class Merged:
    text: str
    carried: list[str] = field(default_factory=list)  # functions that the student wrote and that were taken along
    notes: list[str] = field(default_factory=list)


def merge(base: str, mine: str, theirs: str, names: set[str]) -> Merged:
    """`names` are the exercises that the file may hold."""
    if base == theirs:
        return Merged(mine)
    notes = []
    if "\r\n" in mine:  # an editor's doing
        base, theirs = base.replace("\n", "\r\n"), theirs.replace("\n", "\r\n")
    try:
        old, new = split(base, names), split(theirs, names)
        notes = _changed_signatures(old, new)
        if mine in (base, theirs):
            return Merged(theirs, notes=notes)
        own = split(mine, set(old.functions) | set(new.functions))  # a helper of the student's is text
        if not own.functions:
            raise CannotSplit("it defines none of the exercises")
    except CannotSplit as reason:
        if mine in (base, theirs):
            return Merged(theirs)
        notes.append(f"could not be taken apart ({reason}): it stays as it is, without what the course changed in it")
        return Merged(mine, notes=notes)
    merged = _merge_pieces(old, own, new)
    if _lines(mine) - _lines(base) - _lines(merged.text):
        notes.append("could not be merged without losing a line: it stays as it is, without what the course changed in it")
        return Merged(mine, notes=notes)
    merged.notes = notes + merged.notes
    return merged


def _changed_signatures(old: Pieces, new: Pieces) -> list[str]:
    notes = []
    for name, function in old.functions.items():
        now = new.functions[name].signature if name in new.functions else "gone"
        if now != function.signature:
            notes.append(f"{name} is not what it was\n  was  {function.signature}\n  is   {now}")
    return notes


def _merge_pieces(base: Pieces, mine: Pieces, theirs: Pieces) -> Merged:
    result = Merged("")
    result.text = _between(START, base, mine, theirs, result)
    for name, new in theirs.functions.items():
        result.text += _between(name, base, mine, theirs, result)
        result.text += _function(name, base.functions.get(name, NONE), mine.functions.get(name, NONE), new, result)
    for name in base.functions:
        if name not in theirs.functions:
            result.text += _between(name, base, mine, theirs, result)
            result.text += _vanished(name, base, mine, result)
    result.text += _between(END, base, mine, theirs, result)
    return result


def _between(name: str, base: Pieces, mine: Pieces, theirs: Pieces, result: Merged) -> str:
    """The text before a function. Where a file has none (its first function, or one that is not there), it is empty."""
    text, clash = three_way(*(side.between.get(name, "") for side in (base, mine, theirs)))
    if clash:
        place = name if name in (START, END) else f"the text above {name}"
        result.notes.append(f"the course and you both changed {place}: yours stayed")
    return text


def _function(name: str, old: Function, own: Function, new: Function, result: Merged) -> str:
    if own == NONE:
        if old != NONE:
            result.notes.append(f"{name} was missing: its stub was put back")
        return new.text
    if own.body != old.body:
        result.carried.append(name)
    remark, remark_clash = three_way(old.remark, own.remark, new.remark)
    head, head_clash = three_way(old.head, own.head, new.head)
    body, body_clash = three_way(old.body, own.body, new.body)
    clashes = {"comment above it": remark_clash, "signature": head_clash, "lines that you wrote in": body_clash}
    for what in (what for what, clash in clashes.items() if clash):
        result.notes.append(f"{name}: the course and you both changed the {what}: yours stayed")
    return remark + head + body


def _vanished(name: str, base: Pieces, mine: Pieces, result: Merged) -> str:
    """What the student wrote in a function that is gone from the course. It is kept, but not compiled."""
    own = mine.functions.get(name, NONE)
    if own in (NONE, base.functions[name]):
        return ""
    result.notes.append(f"{name}: what you wrote stays, between #if 0 and #endif")
    return f"\n#if 0  // no longer part of the course\n{own.text.rstrip()}\n#endif\n"


def three_way(base: str, mine: str, theirs: str) -> tuple[str, bool]:
    """The text, and whether both sides changed the same lines (then it is mine)."""
    if mine == base or mine == theirs:
        return theirs, False
    if theirs == base:
        return mine, False
    lines = base.splitlines(keepends=True)
    edits = sorted(_edits(lines, mine) + _edits(lines, theirs))
    for (begin, end, text), (next_begin, next_end, next_text) in zip(edits, edits[1:]):
        if next_begin < end or (begin, end) == (next_begin, next_end):
            return mine, True
    for begin, end, text in reversed(edits):
        lines[begin:end] = text
    return "".join(lines), False


def _edits(base: list[str], other: str) -> list[tuple[int, int, list[str]]]:
    """(begin, end, the lines that take their place)."""
    lines = other.splitlines(keepends=True)
    return [(begin, end, lines[i:j]) for what, begin, end, i, j in SequenceMatcher(None, base, lines, False).get_opcodes()
            if what != "equal"]


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.strip())
