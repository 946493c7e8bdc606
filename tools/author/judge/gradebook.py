"""gradebook.csv: a row for each student, with the header that Canvas exports and imports; Moodle asks which column is which."""

import csv
import io
import math
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from course.errors import CourseError
from course.plain_text import plain

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
WAYS_IN = "=+-@\t\r"  # a spreadsheet takes a cell that begins so for a formula
SUBMITTED = "Submitted"


@dataclass(frozen=True)
class LatePolicy:
    due: datetime
    percent: float  # of the points earned, for each day that has begun

    def days_late(self, submitted: datetime) -> int:
        return max(0, math.ceil((submitted - self.due) / timedelta(days=1)))

    def points(self, earned: int, submitted: datetime) -> float:
        return round(earned * max(0.0, 1 - self.days_late(submitted) * self.percent / 100), 2)


def moment(text: str, where: str) -> datetime:
    """A date means its end. A time without a zone is local."""
    try:
        if len(text) == len("2027-01-15"):
            return (datetime.fromisoformat(text) + timedelta(days=1)).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise CourseError(f"{where} '{text}' is not a date; write it as 2027-01-15, which means the end of that day, "
                          "or as 2027-01-15T18:00") from None


@dataclass(frozen=True)
class Roster:
    columns: list
    rows: list
    by_name: dict  # every name that a student has → their row

    def row(self, student: str) -> dict | None:
        return self.by_name.get(student.casefold())

    def person(self, student: str):
        """The same for two names of one student."""
        row = self.row(student)
        return id(row) if row else student.casefold()


NOBODY = Roster([], [], {})


def read_roster(path: Path) -> Roster:
    """What Canvas exports, or any CSV file that has one of its columns. Time zones aside, nothing in it is interpreted."""
    try:
        words = unicodedata.normalize("NFC", path.read_text(encoding="utf-8-sig"))  # as in a submission's name
        header = words.partition("\n")[0]
        reader = csv.DictReader(io.StringIO(words), delimiter=max(",;\t", key=header.count))
        rows = [{key: (value or "").strip() for key, value in row.items() if isinstance(key, str)} for row in reader]
        columns = [column for column in reader.fieldnames or [] if column]
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} is not a CSV file in UTF-8 ({error}); export it as 'CSV UTF-8'") from None
    if not set(columns) & set(HEADER[:4]):
        raise CourseError(f"{path} has none of the columns {', '.join(HEADER[:4])}; name the one with the students' ids "
                          f"'{HEADER[3]}'")
    rows = [row for row in rows if row.get("Student") != "Points Possible" and any(row.values())]
    by_name = {}
    for row in rows:
        for name in {row.get(column, "").casefold() for column in HEADER[:4]} - {""}:
            if by_name.setdefault(name, row) is not row:
                raise CourseError(f"{path} has two rows with '{name}'; a submission of that name could be either's; "
                                  "give each student an id of their own")
    return Roster(columns, rows, by_name)


def text(results: list, labs: list, roster: Roster, submitted: dict, policy: LatePolicy | None) -> str:
    """`submitted` is from a student to the time of the submission, where the roster does not say another."""
    graded = [lab for lab in labs if any(result.of_lab(lab.name) for result in results)]
    titles = [_title(lab.name, roster) for lab in graded]
    header = [*HEADER, *titles, _title("Points", roster)] + (["Days late", "After late days"] if policy else [])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(name) for name in header])
    rows = {id(row): [row.get(column, "") for column in HEADER] + [""] * (len(header) - len(HEADER)) for row in roster.rows}
    for result in sorted(results, key=lambda result: result.student):
        row = roster.row(result.student)
        person = [row.get(column, "") for column in HEADER] if row else [result.student, "", "", result.student, ""]
        earned = [sum(verdict.points for verdict in result.of_lab(lab.name)) for lab in graded]
        late = []
        if policy:
            when = moment(row[SUBMITTED], "the roster's") if row and row.get(SUBMITTED) else submitted[result.student]
            late = [policy.days_late(when), policy.points(sum(earned), when)]
        rows[id(row) if row else result.student] = [*person, *earned, sum(earned), *late]
    for row in rows.values():
        writer.writerow([_cell(cell) for cell in row])
    return out.getvalue()


def _title(name: str, roster: Roster) -> str:
    """Canvas's own name of an assignment, "lab01 Feature maps (4711)", where its export has one that begins like this."""
    return next((column for column in roster.columns if column.split()[0].rstrip(":").casefold() == name.casefold()), name)


def _cell(value):
    if not isinstance(value, str):
        return value
    value = " ".join(plain(value).split())
    return f"'{value}" if value.startswith(tuple(WAYS_IN)) else value
