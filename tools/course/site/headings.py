"""The headings of a page, as a code host reads its Markdown, and the fences that only look as if they held some."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

FENCE = re.compile(r"^\s*(```+|~~~+)\s*(\w*)")
HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +#+)?$")
ANCHOR = re.compile(r'^<a id="([\w-]+)"></a>$')


@dataclass(frozen=True)
class Heading:
    line: int  # counted from 1
    level: int
    title: str  # as written
    slug: str  # what a code host calls it in links
    end: int  # the last line before the next heading of its level or above


@lru_cache
def headings(text: str) -> tuple[Heading, ...]:
    """Every heading outside fences, with the anchor that a code host gives it, or the one of an <a id> just above."""
    found: list[tuple[int, int, str, str]] = []
    used: dict[str, int] = {}
    given, before = None, 0
    for number, line in outside_fences(text):
        heading = HEADING.match(line)
        given = given if number == before + 1 else None
        if heading:
            slug = given or _slug(heading[2])
            used[slug] = used.get(slug, -1) + 1
            found.append((number, len(heading[1]), heading[2], f"{slug}-{used[slug]}" if used[slug] else slug))
        anchor = ANCHOR.match(line)
        given = anchor[1] if anchor else given if not line.strip() else None
        before = number
    total = len(text.splitlines())
    return tuple(Heading(*each, next((line - 1 for line, level, *_ in found[i:] if level <= each[1]), total))
                 for i, each in enumerate(found, start=1))


def outside_fences(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of every line that stands in no fence."""
    fence = None
    for number, line in enumerate(text.splitlines(), start=1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is None:
            yield number, line
        elif line.strip() == fence:
            fence = None


def _slug(title: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", title).lower())
    return kept.replace(" ", "-")
