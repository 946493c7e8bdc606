"""(instructors) Grade what students handed in, each in a box: one submission, or a class.

    ./course grade SUBMISSIONS --out RESULTS     a folder with a folder or zip for each student, named by their id
    ./course grade one SUBMISSION --out RESULTS  one of them

RESULTS/students/STUDENT/ gets result.json, the graded files, and the feedback as Markdown, HTML, JUnit and Gradescope's
results.json; RESULTS/ gets gradebooks for Canvas, Moodle and people, feedback.zip and report.html. --resume continues what
was interrupted.
Exit status of `grade`: 0 when everything was graded, 75 when something is left, 2 for wrong use. Of `grade one`:
0 graded, 3 unusable, 75 if the grader, not the student, is at fault (try again).
"""

import dataclasses
import os
import sys
from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path

from author.judge import class_report, class_run, feedback, grade_submission, gradebook, manual_points, policy, result
from author.judge.class_run import Class
from author.judge.intake import student_id
from author.judge.policy import Policy
from author.judge.result import Result
from course.errors import CourseError
from course.sources import manifest
from course.sources.files import File, write_together, write_zip
from course.sources.manifest import Lab

LEFT = 75
FEEDBACK = "feedback.zip"
MOST_NAMES = 10  # in one line


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="SUBMISSIONS", help="the folder with all of them; or: one SUBMISSION")
    parser.add_argument("--out", type=Path, required=True, metavar="RESULTS", help="the folder for the results")
    parser.add_argument("--labs", default="", metavar="LABS", help="as in lab00,lab01 (default: all)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the random inputs (default: a new one, which is recorded)")
    parser.add_argument("--id", default="", metavar="STUDENT", help="of `one`: whose it is (default: as its name says)")
    a_class = parser.add_argument_group("for a class")
    a_class.add_argument("--jobs", type=int, metavar="N", help="how many at a time (default: as many as there are cores, and no limit with --slurm)")
    a_class.add_argument("--resume", action="store_true", help="continue with what is in RESULTS")
    a_class.add_argument("--slurm", action="store_true", help="as a Slurm job array")
    a_class.add_argument("--roster", type=Path, metavar="FILE", help="the course system's list of students, a CSV file")
    a_class.add_argument("--policy", type=Path, metavar="FILE", help="policy.toml: due dates, extensions, late points; see "
                         "docs/instructors.md")
    a_class.add_argument("--marks", type=Path, metavar="FILE", help="points and comments by hand, a CSV file: "
                         "student,exercise,points,comment")
    a_class.add_argument("--due", metavar="DATE", help="as in 2027-01-15 (the end of that day) or 2027-01-15T18:00")
    a_class.add_argument("--per-day", type=float, metavar="PERCENT", help="of the points, lost for each day begun after --due")


def run(root: Path, options: Namespace) -> int:
    labs = manifest.load(root)
    chosen = [name.strip() for name in options.labs.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in [lab.name for lab in labs]]:
        raise CourseError(f"there is no lab '{unknown[0]}'; the labs are {', '.join(lab.name for lab in labs)}, "
                          "as in --labs lab00,lab01")
    if not (root / "reference").is_dir():
        raise CourseError("there is no reference/ here: a handout cannot grade a class; run this in the instructor's clone")
    if options.what[0] == "one" and len(options.what) == 2:
        return _one(root, labs, chosen, Path(options.what[1]), options)
    if len(options.what) != 1:
        raise CourseError("one folder of submissions is graded at a time: ./course grade SUBMISSIONS --out RESULTS, "
                          "or ./course grade one SUBMISSION --out RESULTS")
    if (options.due is None) != (options.per_day is None) or options.per_day is not None and not 0 <= options.per_day <= 100:
        raise CourseError("a late policy needs both --due DATE and --per-day PERCENT, which is from 0 to 100")
    return _class(root, labs, chosen, options)


def _one(root: Path, labs: list[Lab], chosen: list[str], submission: Path, options: Namespace) -> int:
    if not os.path.lexists(submission):
        raise CourseError(f"there is no {submission}; name a folder or zip")
    student = options.id or student_id(submission)
    if student.startswith(".") or "/" in student:
        raise CourseError(f"--id {student} is not the name of a folder; leave out / and a dot at its beginning")
    status = grade_submission.grade_one(root, submission, options.out, chosen, options.seed, student)
    if status in (0, class_run.UNUSABLE):
        if graded := result.read(options.out / student, labs):
            print(f"{graded.student}: {graded.unusable or f'{graded.earned} of {graded.points}'}")
    return status


def _policy(options: Namespace, labs: list[Lab]) -> Policy:
    if not options.policy:
        due = {policy.ALL: policy.moment(options.due, "--due")} if options.due else {}
        return Policy(options.per_day or 0, due)
    if options.due:
        raise CourseError("--due and --per-day stand in the --policy file, as due and late_percent; leave them out here")
    return policy.read(options.policy, [lab.name for lab in labs])


def _class(root: Path, labs: list[Lab], chosen: list[str], options: Namespace) -> int:
    jobs = options.jobs if options.jobs is not None else os.cpu_count() or 1
    if jobs < 1:
        raise CourseError(f"--jobs {jobs} is not a number of submissions; use 1 or more")
    grading = Class(root, Path(options.what[0]), options.out.absolute(), chosen, options.seed,
                    gradebook.read_roster(options.roster) if options.roster else gradebook.NOBODY, _policy(options, labs),
                    manual_points.read(options.marks, labs) if options.marks else {})
    grading.find()
    with grading.opened(options.resume):
        if grading.left():
            grade_submission.ready(root, [lab for lab in labs if lab.name in grading.labs or not grading.labs])
        if options.slurm:
            class_run.by_slurm(grading, options.jobs)
        else:
            class_run.locally(grading, jobs)
        results, left = _read_results(grading, labs), grading.left()
        submitted = {student: datetime.fromtimestamp(path.lstat().st_mtime).astimezone()
                     for student, path in grading.submissions.items()}
        notes = [*_notes(grading, left, options.roster), *_doubts_of_times(grading, results, submitted)]
        for note in notes:
            print(f"course: {note}", file=sys.stderr)
        write_together(grading.out, {**gradebook.texts(results, labs, grading.roster, submitted, grading.rules),
                                     "report.html": class_report.html(labs, results, [f"seed {grading.seed}", *notes])})
        (grading.out / FEEDBACK).unlink(missing_ok=True)
        write_zip(grading.out / FEEDBACK, _feedback_files(grading, results), "")
    print(f"{options.out}: {len(results)} submissions, gradebook.csv, report.html; seed {grading.seed}")
    return LEFT if left else 0


def _feedback_files(grading: Class, results: list[Result]) -> dict[str, File]:
    """Under the names that the course system gave to the submissions, by which it finds the students again."""
    files = {}
    for each in results:
        path = grading.submissions[each.folder.name]
        name = f"{path.name}/feedback.html" if path.is_dir() else f"{path.stem}.html"
        files[name] = File((each.folder / "feedback.html").read_bytes())
    return files


def _read_results(grading: Class, labs: list[Lab]) -> list[Result]:
    """Those that count, each with its feedback: somebody may have removed it, or points by hand may be other ones now."""
    best: dict[str, Result] = {}
    for name in grading.submissions:
        if found := result.read(grading.result(name), labs):
            student = grading.earlier.get(name, name)
            found = dataclasses.replace(found, student=student)
            if grading.rules.partial_credit:
                found = manual_points.applied(found, manual_points.partial(found))
            found = manual_points.applied(found, grading.given.get(student.casefold(), {}))
            feedback.write(found, labs)
            if student not in best or found.earned > best[student].earned:
                best[student] = found
    return list(best.values())


def _notes(grading: Class, left: list[str], roster: Path | None) -> list[str]:
    known = {student.casefold() for student in grading.submissions}
    rows = [grading.roster.row(student) for student in grading.submissions]
    unlisted = [student for student, row in zip(grading.submissions, rows) if roster and not row]
    missing = [row.get("Student") or next(iter(row.values())) for row in grading.roster.rows if not any(row is each for each in rows)]
    unknown = [student for student in grading.given if student not in known]
    again, changed, failure = grading.repeated(), grading.changed(), grading.last_failure() if left else ""
    return [words for names, words in (
        (left, f"not graded: {_some(left)}; {class_run.LOG} in the results says why; fix that, then continue with --resume"),
        (failure, f"the last line there: {failure.removeprefix('course: ')}"),
        (grading.others, f"not graded, since these are no submissions: {_some(grading.others)}"),
        *((doubt, doubt) for doubt in grading.doubts),
        (again, f"looks like a second submission of the same student: {_some(again)}; remove the one that does not count, "
                "and continue with --resume"),
        (changed, f"changed since it was graded: {_some(changed)}; the earlier result counts; to grade it again, remove the "
                  "student's folder from the results and continue with --resume"),
        (unlisted, f"not in {roster and roster.name}: {', '.join(unlisted)}"),
        (missing, f"no submission of {', '.join(missing)}"),
        (unknown, f"in the marks but not in the class: {_some(unknown)}")) if names]


def _some(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _doubts_of_times(grading: Class, results: list[Result], submitted: dict[str, datetime]) -> list[str]:
    """A download, or unpacking, may have given all files the time at which it was done."""
    if gradebook.SUBMITTED in grading.roster.columns or not results or any(
            grading.rules.days_late(lab, [each.student.casefold()], submitted[each.student]) == 0
            for each in results for lab in (*grading.rules.due, policy.ALL)):
        return []
    return ["every submission counts as late, by the times of the files; if these are the times of a download, give a --roster "
            f"with a column '{gradebook.SUBMITTED}'"]
