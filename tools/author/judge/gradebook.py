"""The gradebooks: gradebook.csv with the columns that Canvas imports, gradebook_moodle.csv with Moodle's, and
gradebook_all.csv for people, with everything."""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from author.judge.policy import Policy, moment
from author.judge.result import Result
from course.errors import CourseError
from course.manifest import Lab
from course.plain_text import plain
from course.verdicts import total

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
MOODLE = ["Username", "ID number", "Email address", "Full name"]
# What a roster may name a student by. The first that a row has is what we call them.
NAMES = ["SIS Login ID", "SIS User ID", "Username", "ID number", "SID", "ID", "Email address", "Email", "Student", "Full name", "Name",
         "Identifier"]
# A spreadsheet takes a cell that begins so for a formula, and so may one that splits lines at other signs than commas.
WAY_IN = re.compile(r"(?!-$)(?:^|[;,\t\r])(?=\s*[=+\-@\t\r＝＋－＠])")  # but Moodle writes - where there is nothing
SUBMITTED = "Submitted"


Row = dict[str, str]  # column → cell


@dataclass(frozen=True)
class Roster:
    columns: list[str]
    rows: list[Row]
    by_name: dict[str, Row]  # every name that a student has → their row

    def row(self, student: str) -> Row | None:
        return self.by_name.get(student.casefold())

    def id_of(self, name: str) -> str:
        """What we call the student of this name; empty where there is none."""
        row = self.row(name) or {}
        return next((row[column] for column in NAMES if row.get(column)), "")

    def person(self, student: str) -> object:
        """The same for two names of one student."""
        row = self.row(student)
        return id(row) if row else student.casefold()


NOBODY = Roster([], [], {})


def read_roster(path: Path) -> Roster:
    """What Canvas, Moodle or Gradescope export, or any CSV file that has one of their columns. Time zones aside, nothing in it is interpreted."""
    try:
        words = unicodedata.normalize("NFC", path.read_text(encoding="utf-8-sig"))  # as in a submission's name
        header = words.partition("\n")[0]
        reader = csv.DictReader(io.StringIO(words), delimiter=max(",;\t", key=header.count))
        rows = [{key: (value or "").strip() for key, value in row.items() if isinstance(key, str)} for row in reader]
        columns = [column for column in reader.fieldnames or [] if column]
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} is not a CSV file in UTF-8 ({error}); export it as 'CSV UTF-8'") from None
    if not set(columns) & set(NAMES):
        raise CourseError(f"{path} has none of the columns {', '.join(NAMES)}; name the one with the students' ids '{NAMES[0]}'")
    rows = [row for row in rows if row.get("Student", "").strip() != "Points Possible" and any(row.values())]
    by_name: dict[str, Row] = {}
    for row in rows:
        for name in {row.get(column, "").casefold() for column in NAMES} - {""}:
            if by_name.setdefault(name, row) is not row:
                raise CourseError(f"{path} has two rows with '{name}'; a submission of that name could be either's; "
                                  "give each student an id of their own")
    return Roster(columns, rows, by_name)


def texts(results: list[Result], labs: list[Lab], roster: Roster, submitted: dict[str, datetime], policy: Policy) -> dict[str, str]:
    """File → text. `submitted` is from a student to the time of the submission, where the roster does not say another."""
    graded = [lab for lab in labs if any(result.of_lab(lab.name) for result in results)]
    lines = [_line(result, graded, roster, submitted, policy) for result in sorted(results, key=lambda result: result.student)]
    by_row = {id(line.row): line for line in lines if line.row}
    ordered = [by_row.get(id(row)) or Line("", row, {}, {}, 0) for row in roster.rows] + [line for line in lines if not line.row]
    titles = [_title(lab.name, roster) for lab in graded]
    names = [lab.name for lab in graded]
    canvas = [[*_cells(line, HEADER, ("Student", "SIS Login ID")), *(_points(line, *column) for column in zip(names, titles))]
              for line in ordered]
    everything = [[*_cells(line, [*HEADER, *MOODLE[1:]], ("Student", "SIS Login ID")),
                   *(cell for name in names for cell in (line.earned.get(name, ""), line.points.get(name, ""))), *_totals(line)]
                  for line in ordered]
    return {"gradebook.csv": _csv([*HEADER, *titles], canvas), "gradebook_moodle.csv": _moodle(ordered, names, roster),
            "gradebook_all.csv": _csv([*HEADER, *MOODLE[1:], *(cell for name in names for cell in (name, f"{name} after late days")),
                                       "Points", "After late days", "Days late"], everything)}


@dataclass(frozen=True)
class Line:
    """Of one student; of one in the roster who handed in nothing, without a name."""
    student: str
    row: Row | None
    earned: dict[str, float]  # lab → points
    points: dict[str, float]  # the same after late days
    days_late: int  # for the lab that is latest


def _line(result: Result, labs: list[Lab], roster: Roster, submitted: dict[str, datetime], policy: Policy) -> Line:
    row = roster.row(result.student)
    when = moment(row[SUBMITTED], "the roster's") if row and row.get(SUBMITTED) else submitted[result.student]
    names = [result.student.casefold(), *(value.casefold() for value in (row or {}).values())]
    earned = {lab.name: total(result.of_lab(lab.name)) for lab in labs}
    late = {lab.name: policy.days_late(lab.name, names, when) for lab in labs}
    points = {name: policy.points(value, late[name]) for name, value in earned.items()}
    return Line(result.student, row, earned, points, max(late.values(), default=0))


def _cells(line: Line, columns: list[str], of_a_stranger: tuple[str, ...]) -> list[str | float]:
    if line.row:
        return [line.row.get(column, "") for column in columns]
    return [line.student if column in of_a_stranger else "" for column in columns]


def _points(line: Line, lab: str, column: str) -> str | float:
    """Without a submission, what the roster has: an empty cell would take back a grade that was given by hand."""
    return line.points.get(lab, (line.row or {}).get(column, ""))


def _moodle(lines: list[Line], names: list[str], roster: Roster) -> str:
    """Moodle's own worksheet of one assignment, filled in, or what "Grades, Import, CSV file" takes."""
    if len(names) == 1 and {"Identifier", "Grade"} <= set(roster.columns):
        return _csv(roster.columns, [[_points(line, names[0], column) if column == "Grade" else (line.row or {}).get(column, "")
                                      for column in roster.columns] for line in lines if line.row])
    of_moodle = bool(set(MOODLE) & set(roster.columns))
    return _csv([*MOODLE, *names], [[*(_cells(line, MOODLE, ("Username",)) if of_moodle else [line.student, "", "", ""]),
                                     *(line.points.get(name, "") for name in names)] for line in lines])


def _totals(line: Line) -> list[str | float]:
    return [round(sum(line.earned.values()), 2), round(sum(line.points.values()), 2), line.days_late] if line.student else ["", "", ""]


def _csv(header: list[str], rows: list[list[str | float]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(map(_cell, header))
    for row in rows:
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _title(name: str, roster: Roster) -> str:
    """Canvas's own name of an assignment, "lab01 Feature maps (4711)", where its export has one that begins like this."""
    return next((column for column in roster.columns if column.split()[0].rstrip(":").casefold() == name.casefold()), name)


def _cell(value: str | float) -> str | float:
    if not isinstance(value, str):
        return int(value) if value == int(value) else value
    return WAY_IN.sub(lambda found: f"{found[0]}'", " ".join(plain(value).split()))
