"""(instructors) Grade what students handed in, each in a box: one submission, or a class.

    ./course grade SUBMISSIONS --out RESULTS     a folder with a folder or zip for each student, named by their id
    ./course grade one SUBMISSION --out RESULTS  one of them

    ./course grade --compare OLD NEW             what changed between two RESULTS, and why

RESULTS/students/STUDENT/ gets result.json, the graded files, and the feedback as Markdown, HTML, JUnit and Gradescope's
results.json; RESULTS/ gets gradebooks for Canvas, Moodle and people, feedback.zip and report.html. What was interrupted goes on
with --resume.
Exit status of `grade`: 0 when everything was graded, 75 when something is left, 2 for wrong use. Of `grade one`:
0 graded, 3 unusable, 75 for trouble of the grader's, not the student's (try again).
"""

import dataclasses
import os
import sys
from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path

from author import stubs
from course import manifest
from course.build_tree import BuildTree
from course.errors import CourseError
from course.files import File, write_together, write_zip
from author.judge import class_report, class_run, compare, feedback, gpu, gradebook, marks, one, policy, result
from author.judge.intake import student_id
from author.judge.policy import Policy
from author.judge.result import Result
from course.manifest import Lab

LEFT = 75
FEEDBACK = "feedback.zip"
MOST_NAMES = 10  # in one line


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", nargs="+", metavar="SUBMISSIONS", help="the folder with all of them; or: one SUBMISSION")
    parser.add_argument("--out", type=Path, metavar="RESULTS", help="the folder for the results")
    parser.add_argument("--labs", default="", metavar="LABS", help="as in lab00,lab01 (default: all)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the random inputs (default: a new one, which is recorded)")
    parser.add_argument("--container", action="store_true",
                        help="of `one`, as root: without boxes, where a container refuses them; see docs/threat_model.md first")
    parser.add_argument("--gpu", action="store_true", help="kernels that pass the CPU run must pass on an NVIDIA GPU as well; "
                        "see docs/threat_model.md first")
    parser.add_argument("--id", default="", metavar="STUDENT", help="of `one`: whose it is (default: as its name says)")
    parser.add_argument("--compare", action="store_true", help="two RESULTS instead of grading")
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
    if options.compare:
        if len(options.what) != 2:
            raise CourseError("--compare takes two folders: ./course grade --compare OLD NEW")
        print("\n".join(compare.lines(Path(options.what[0]), Path(options.what[1]), labs)) or "no verdict changed")
        return 0
    if options.out is None:
        raise CourseError("--out RESULTS is missing: name the folder for the results")
    if not (root / "reference").is_dir():
        raise CourseError("there is no reference/ here: a handout cannot grade a class; run this in the instructor's clone")
    if options.container and (options.what[0] != "one" or os.geteuid() != 0):
        raise CourseError("--container is for ./course grade one, as root, in a container that holds one submission; "
                          "elsewhere boxes are the safe way: leave it out")
    if options.gpu:
        if options.container:
            raise CourseError("--gpu needs boxes, and --container does without; leave one of them out")
        tree = BuildTree(root, "reference")
        tree.prepare([lab.manifest for lab in labs], [])
        gpu.refuse(tree, elsewhere=options.slurm)
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
    status = one.grade_one(root, submission, options.out, chosen or [lab.name for lab in labs], options.seed, options.container,
                           options.gpu, student)
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
    rules = _policy(options, labs)
    given = marks.read(options.marks, labs) if options.marks else {}
    roster = gradebook.read_roster(options.roster) if options.roster else gradebook.NOBODY
    jobs = options.jobs if options.jobs is not None else os.cpu_count() or 1
    if jobs < 1:
        raise CourseError(f"--jobs {jobs} is not a number of submissions; use 1 or more")
    with class_run.opened(root, Path(options.what[0]), options.out, chosen, options.seed, options.resume,
                          roster, options.gpu, rules.several) as grading:
        if grading.left():
            one.ready(root, [lab for lab in labs if lab.name in grading.labs or not grading.labs], grading.gpu)
        if options.slurm:
            class_run.by_slurm(grading, options.jobs)
        else:
            class_run.locally(grading, jobs)
        results, left = _read_results(grading, labs, given, rules.partial_credit), grading.left()
        submitted = {student: datetime.fromtimestamp(path.lstat().st_mtime).astimezone()
                     for student, path in grading.submissions.items()}
        notes = [*_notes(grading, left, roster, options.roster), *_unknown(given, grading)]
        notes += _doubts_of_times(results, roster, submitted, rules)
        for note in notes:
            print(f"course: {note}", file=sys.stderr)
        write_together(grading.out, {
            **gradebook.texts(results, labs, roster, submitted, rules),
            "report.html": class_report.html(root, labs, results, stubs.cut_all(root), [f"seed {grading.seed}", *notes])})
        (grading.out / FEEDBACK).unlink(missing_ok=True)
        write_zip(grading.out / FEEDBACK, _feedback_files(grading, results), "")
    print(f"{options.out}: {len(results)} submissions, gradebook.csv, report.html; seed {grading.seed}")
    return LEFT if left else 0


def _feedback_files(grading: class_run.Class, results: list[Result]) -> dict[str, File]:
    """Under the names that the course system gave to the submissions, by which it finds the students again."""
    files = {}
    for each in results:
        path = grading.submissions[each.folder.name]
        name = f"{path.name}/feedback.html" if path.is_dir() else f"{path.stem}.html"
        files[name] = File((each.folder / "feedback.html").read_bytes())
    return files


def _read_results(grading: class_run.Class, labs: list[Lab], given: marks.Marks, partial: bool) -> list[Result]:
    """Those that count, each with its feedback: somebody may have removed it, or points by hand may be other ones now."""
    best: dict[str, Result] = {}
    for name in grading.submissions:
        if found := result.read(grading.folder(name), labs):
            student = grading.earlier.get(name, name)
            found = dataclasses.replace(found, student=student)
            if partial:
                found = marks.applied(found, marks.partial(found))
            found = marks.applied(found, given.get(student.casefold(), {}))
            feedback.write(found, labs)
            if student not in best or found.earned > best[student].earned:
                best[student] = found
    return list(best.values())


def _unknown(given: marks.Marks, grading: class_run.Class) -> list[str]:
    known = {student.casefold() for student in grading.submissions}
    names = [student for student in given if student not in known]
    return [f"in the marks but not in the class: {_some(names)}"] if names else []


def _notes(grading: class_run.Class, left: list[str], roster: gradebook.Roster, file: Path | None) -> list[str]:
    notes = []
    if left:
        notes.append(f"not graded: {_some(left)}; {class_run.LOG} in the results says why; fix that, then continue with --resume")
        if words := grading.last_failure():
            notes.append(f"the last line there: {words.removeprefix('course: ')}")
    if grading.others:
        notes.append(f"not graded, since these are no submissions: {_some(grading.others)}")
    notes += grading.doubts
    if repeated := grading.repeated():
        notes.append(f"looks like a second submission of the same student: {_some(repeated)}; remove the one that does not count, "
                     "and continue with --resume")
    if changed := grading.changed():
        notes.append(f"changed since it was graded: {_some(changed)}; the earlier result counts; to grade it again, remove the "
                     "student's folder from the results and continue with --resume")
    if file:
        unlisted = [student for student in grading.submissions if not roster.row(student)]
        handed_in = [id(roster.row(student)) for student in grading.submissions]
        missing = [row.get("Student") or next(iter(row.values())) for row in roster.rows if id(row) not in handed_in]
        if unlisted:
            notes.append(f"not in {file.name}: {', '.join(unlisted)}")
        if missing:
            notes.append(f"no submission of {', '.join(missing)}")
    return notes


def _some(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _doubts_of_times(results: list[Result], roster: gradebook.Roster, submitted: dict[str, datetime],
                     rules: Policy) -> list[str]:
    """A download, or unpacking, may have given all files the time at which it was done."""
    if gradebook.SUBMITTED in roster.columns or not results or any(
            rules.days_late(lab, [each.student.casefold()], submitted[each.student]) == 0
            for each in results for lab in (*rules.due, policy.ALL)):
        return []
    return ["every submission counts as late, by the times of the files; if these are the times of a download, give a --roster "
            f"with a column '{gradebook.SUBMITTED}'"]
