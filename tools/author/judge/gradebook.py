"""The gradebooks: gradebook.csv with the columns that Canvas imports, gradebook_moodle.csv with Moodle's, and
gradebook_all.csv for people, with everything."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from author.judge.policy import Policy, moment
from author.judge.result import Result
from course.errors import CourseError
from course.sources.manifest import Lab
from course.sources.plain_text import plain
from course.verdicts.verdicts import total

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
MOODLE = ["Username", "ID number", "Email address", "Full name"]
# What a roster may name a student by. The first that a row has is what we call them.
NAMES = ["SIS Login ID", "SIS User ID", "Username", "ID number", "SID", "ID", "Email address", "Email", "Student", "Full name", "Name",
         "Identifier"]
# A spreadsheet takes a cell that begins so for a formula, and so may one that splits lines at other signs than commas.
WAY_IN = re.compile(r"(?!-$)(?:^|[;,\t\r])(?=\s*[=+\-@\t\r＝＋－＠])")  # but Moodle writes - where there is nothing
SUBMITTED = "Submitted"
LATE = " after late days"
Row = dict[str, str]  # column → cell
Cells = dict[str, str | float]


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
    names = [lab.name for lab in labs if any(result.of_lab(lab.name) for result in results)]
    lines = [_line(result, names, roster, submitted, policy) for result in sorted(results, key=lambda result: result.student)]
    by_row = {id(line.row): line for line in lines if line.row}
    lines = [by_row.get(id(row)) or Line(row) for row in roster.rows] + [line for line in lines if not line.row]
    titles = {name: _title(name, roster) for name in names}
    people = [*HEADER, *MOODLE[1:]]
    columns = [*people, *(column for name in names for column in (name, name + LATE)), "Points", "After late days", "Days late"]
    return {"gradebook.csv": _csv([*HEADER, *titles.values()], [line.known(roster, HEADER + list(titles.values())) | {
                title: line.cells[name + LATE] for name, title in titles.items() if line.cells} for line in lines]),
            "gradebook_moodle.csv": _moodle(lines, names, roster),
            "gradebook_all.csv": _csv(columns, [line.known(roster, people) | line.cells for line in lines])}


@dataclass(frozen=True)
class Line:
    """Of one student; of one in the roster who handed in nothing, the row alone."""
    row: Row | None
    student: str = ""
    cells: Cells = field(default_factory=dict)  # what was graded, as in gradebook_all.csv

    def known(self, roster: Roster, columns: list[str]) -> Cells:
        """Of the person. Without a submission also of a lab: an empty cell would take back a grade that was given by hand."""
        person = {"Username": self.student} if not set(MOODLE) & set(roster.columns) or not self.row else {}
        if not self.row:
            person |= {"Student": self.student, "SIS Login ID": self.student}
        return {column: value for column, value in (person | (self.row or {})).items() if column in columns}


def _line(result: Result, labs: list[str], roster: Roster, submitted: dict[str, datetime], policy: Policy) -> Line:
    row = roster.row(result.student)
    when = moment(row[SUBMITTED], "the roster's") if row and row.get(SUBMITTED) else submitted[result.student]
    names = [result.student.casefold(), *(value.casefold() for value in (row or {}).values())]
    earned = {lab: total(result.of_lab(lab)) for lab in labs}
    late = {lab: policy.days_late(lab, names, when) for lab in labs}
    points = {lab: policy.points(value, late[lab]) for lab, value in earned.items()}
    return Line(row, result.student, {**earned, **{lab + LATE: value for lab, value in points.items()},
                                      "Points": round(sum(earned.values()), 2), "After late days": round(sum(points.values()), 2),
                                      "Days late": max(late.values(), default=0)})


def _moodle(lines: list[Line], names: list[str], roster: Roster) -> str:
    """Moodle's own worksheet of one assignment, filled in, or what "Grades, Import, CSV file" takes."""
    if len(names) == 1 and {"Identifier", "Grade"} <= set(roster.columns):
        return _csv(roster.columns, [line.row | ({"Grade": line.cells[names[0] + LATE]} if line.cells else {})
                                     for line in lines if line.row])
    return _csv([*MOODLE, *names], [line.known(roster, MOODLE) | {name: line.cells[name + LATE] for name in names if line.cells}
                                    for line in lines])


def _csv(columns: list[str], rows: Iterable[Mapping[str, str | float]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(map(_cell, columns))
    writer.writerows([_cell(row.get(column, "")) for column in columns] for row in rows)
    return out.getvalue()


def _title(name: str, roster: Roster) -> str:
    """Canvas's own name of an assignment, "lab01 Feature maps (4711)", where its export has one that begins like this."""
    return next((column for column in roster.columns if column.split()[0].rstrip(":").casefold() == name.casefold()), name)


def _cell(value: str | float) -> str | float:
    if not isinstance(value, str):
        return int(value) if value == int(value) else value
    return WAY_IN.sub(lambda found: f"{found[0]}'", " ".join(plain(value).split()))
