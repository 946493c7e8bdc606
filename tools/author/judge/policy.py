"""When each lab is due, for whom it is due later, what a late day costs, which of several submissions counts, and whether
part of an exercise earns part of its points.

    several = "best"          # or "last"; without it, two submissions of one student are an error
    late_percent = 10         # of the points earned, lost for each day begun
    partial_credit = false    # or true: an exercise that fails earns the share of its checks that hold
    [due]
    all = 2027-01-15          # the end of that day; or 2027-01-15T18:00:00
    lab02 = 2027-01-29
    [extensions.s001]
    lab02 = 2027-02-05
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from course.errors import CourseError

ALL = "all"  # labs
SEVERAL = ("", "last", "best")
Dates = dict[str, datetime]  # lab → the moment after which it is late


@dataclass(frozen=True)
class Policy:
    late_percent: float = 0
    due: Dates = field(default_factory=dict)
    extensions: dict[str, Dates] = field(default_factory=dict)  # a name of the student, in small letters → what is due when
    several: str = ""
    partial_credit: bool = False

    def days_late(self, lab: str, names: Iterable[str], submitted: datetime) -> int:
        later = [dates for name in names if (dates := self.extensions.get(name))]
        due = [moment for dates in later for moment in (dates.get(lab) or dates.get(ALL),) if moment]
        if not due and (one := self.due.get(lab) or self.due.get(ALL)):
            due = [one]
        return max(0, math.ceil((submitted - max(due)) / timedelta(days=1))) if due else 0

    def points(self, earned: float, days_late: int) -> float:
        return round(earned * max(0.0, 1 - days_late * self.late_percent / 100), 2)


def read(path: Path, labs: list[str]) -> Policy:
    try:
        import tomllib
    except ModuleNotFoundError:
        raise CourseError("--policy needs Python 3.11 or later, which reads TOML") from None
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read ({error})") from None
    several, percent, partial = data.pop("several", ""), data.pop("late_percent", 0), data.pop("partial_credit", False)
    due, extensions = data.pop("due", {}), data.pop("extensions", {})
    if data:
        raise CourseError(f"{path} has '{next(iter(data))}', which means nothing; it may have several, late_percent, "
                          "partial_credit, [due] and [extensions.STUDENT]")
    if several not in SEVERAL or not isinstance(percent, (int, float)) or not 0 <= percent <= 100 or not isinstance(partial, bool):
        raise CourseError(f"{path}: several is \"last\" or \"best\", late_percent a number from 0 to 100, and partial_credit true or "
                          "false")
    if not isinstance(due, dict) or not isinstance(extensions, dict):
        raise CourseError(f"{path}: due and extensions are tables: [due], [extensions.STUDENT]")
    return Policy(percent, _dates(path, due, labs), {str(name).casefold(): _dates(path, dates, labs)
                                                    for name, dates in extensions.items()}, several, partial)


def _dates(path: Path, table: Any, labs: list[str]) -> Dates:
    if not isinstance(table, dict) or (unknown := [name for name in table if name not in (*labs, ALL)]):
        raise CourseError(f"{path}: dates are given by lab, as in lab01 = 2027-01-15 or all = 2027-01-15"
                          + (f"; there is no {unknown[0]}" if isinstance(table, dict) else ""))
    return {name: moment(str(value), str(path)) for name, value in table.items()}


def moment(text: str, where: str) -> datetime:
    """A date means its end. A time without a zone is local."""
    try:
        if len(text) == len("2027-01-15"):
            return (datetime.fromisoformat(text) + timedelta(days=1)).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise CourseError(f"{where} '{text}' is not a date; write it as 2027-01-15, which means the end of that day, "
                          "or as 2027-01-15T18:00") from None
