"""./course grade: a class around the judge. Here the judge is played by a few lines that give the verdicts a submission
asks for, and are killed, fail or wait where it says so; test_judge.py has the real one.
"""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from datetime import datetime
from unittest import mock
from xml.etree import ElementTree

import pytest
from conftest import ROOT, SmallCourse, assert_refused, wait_until

from author.judge import grade_submission, gradebook, result
from course.sources import manifest

JUDGE = '''
import json, os, signal, sys, time, zipfile
from author.judge import grade_submission as real
from author.judge.box import BoxTrouble
from author.judge.intake import Intake
from pathlib import Path
from types import SimpleNamespace

asked = {}

def asked_by(submission):
    inside = sorted(submission.glob("*.zip")) if submission.is_dir() else [submission]
    if submission.is_dir() and not inside:
        return json.loads((submission / "asked").read_text())
    if not zipfile.is_zipfile(inside[0]):
        return {"unusable": "it is broken <b>\\x1b[2J"}
    with zipfile.ZipFile(inside[0]) as archive:
        return json.loads(archive.read(next(name for name in archive.namelist() if name.endswith("asked"))))

def taken(submission, into, student):
    into.mkdir()
    asked.update(asked_by(submission))
    root = Path(__file__).parent
    tries = root / "tries" / submission.name
    tries.parent.mkdir(exist_ok=True)
    with open(tries, "a") as file:
        file.write(sys.argv[sys.argv.index("--seed") + 1] + "\\n" if "--seed" in sys.argv else "none\\n")
    number = tries.read_text().count("\\n")
    if number <= asked.get("killed", 0):
        os.kill(os.getpid(), signal.SIGKILL)
    if number <= asked.get("trouble", 0):
        raise BoxTrouble("no box")
    while (root / "wait").exists():
        time.sleep(0.02)
    return Intake(student, into, asked.get("unusable", ""), asked.get("handout"), left_out=asked.get("left out", []))

def verdicts(judge, lab, work, seed, left_out):
    return {"lab": lab.name, "compile_seconds": 1, "exercises": [
        real._verdict(each, asked.get(each.function, "todo"), asked.get("message", ""), asked.get("mistakes", []), 0.1, asked.get("share", 0))
        for each in lab.exercises]}

def nothing(*_):
    pass

real.taken, real._lab, real.ready = taken, verdicts, nothing
real.Judge = lambda *_: SimpleNamespace(prepare=nothing, refuse_another=nothing, box=SimpleNamespace(try_out=nothing))
'''
SCRIPT = f'''#!/bin/sh
exec {sys.executable} -B -c 'import sys; sys.path[:0] = ["{ROOT}/tools", sys.argv[1]]
import judge; from pathlib import Path; from course import __main__
sys.exit(__main__.main(Path(sys.argv[1]), sys.argv[2:]))' "$(dirname "$0")" "$@"
'''
ALL = {"twice": "pass", "thrice": "pass", "once": "pass"}
BAD = "</pre><script>alert(1)</script>\x1b[31m ]]> ``` =cmd|'/C calc'!A0"
MARKS = "student,exercise,points,comment\n"


class Class(SmallCourse):
    """What students ask for is in self.root/in; the results go to self.root/out."""

    def __init__(self, place):
        super().__init__(place)
        self.write("judge.py", JUDGE)
        self.write("course", SCRIPT, 0o755)
        self.out, self.handed_in = self.root / "out", self.root / "in"
        self.handed_in.mkdir()

    def hand_in(self, *names, **students):
        """Those who are only named ask for all points."""
        for student, asked in {**dict.fromkeys(names, ALL), **students}.items():
            self.write(f"in/{student}/asked", json.dumps(asked))

    def hand_in_zip(self, name, asked=ALL, inside="", at=None):
        """As ./course submit makes it for the id `inside`."""
        path = self.write(f"in/{name}", "")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{inside or 'work'}/student/asked", json.dumps(asked))
            archive.writestr(f"{inside or 'work'}/.handout.version" if inside else "work/README", "1")
        self.set_time(name, at or path.stat().st_mtime)

    def set_time(self, name, seconds):
        os.utime(self.handed_in / name, (seconds, seconds))

    def grade(self, *words, status=0, **options):
        """With these texts in the files for its options: roster="…"."""
        for option, name in ("roster", "roster.csv"), ("policy", "policy.toml"), ("marks", "marks.csv"):
            if option in options:
                words += f"--{option}", str(self.write(name, options.pop(option)))
        return self.course("grade", str(self.handed_in), "--out", str(self.out), "--jobs", "2", *words, status=status, **options)

    def regrade(self, student, *words, **options):
        shutil.rmtree(self.out / "students" / student)
        return self.grade("--resume", *words, **options)

    def refused(self, words, *fragments, **options):
        assert_refused(self.grade(*words.split(), status=2, **options), *fragments)

    def gradebook(self, *columns, out="out"):
        """Student → what is in these columns."""
        rows = csv.DictReader(io.StringIO(self.read(f"{out}/gradebook_all.csv")))
        return {row["SIS Login ID"]: [row[column] for column in columns] for row in rows}

    def points(self, out="out"):
        return {student: points for student, [points] in self.gradebook("Points", out=out).items()}

    def read_csv(self, name):
        return list(csv.reader(io.StringIO(self.read(f"out/{name}"))))

    def tries(self, *students):
        """The seeds of each."""
        return [self.read(f"tries/{student}").split() for student in students]

    def results(self):
        labs = manifest.load(self.root)
        return [result.read(folder, labs) for folder in sorted((self.out / "students").iterdir()) if (folder / result.FILE).exists()]

    def at_work(self):
        """Processes that grade in this tree."""
        listed = subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, errors="replace", check=True)
        return [words for words in listed.stdout.splitlines() if f"{self.root} grade" in words]


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setattr(grade_submission, "ready", lambda *_: None)
    return Class(tmp_path)


def test_it_adds_up_in_every_output(course):
    course.hand_in("ada", bob={"twice": "pass", "thrice": "fail", "mistakes": ["one too few"]}, cyd={})
    course.write("in/dan.zip", "no zip")
    assert course.grade().stdout.splitlines()[-1].split(":")[1][:14] == " 4 submissions"
    points = course.points()
    assert course.gradebook("lab07", "lab08", "Points") == {
        "ada": ["3", "4", "7"], "bob": ["2", "0", "2"], "cyd": ["0", "0", "0"], "dan": ["0", "0", "0"]}
    for one in course.results():
        score = json.loads((one.folder / "results.json").read_text())["score"]
        suites = ElementTree.parse(one.folder / "junit.xml").getroot()
        assert (str(score), len(list(suites.iter("testcase")))) == (points[one.student], 1 if one.unusable else 3)
        for name in ("feedback.md", "feedback.html"):
            assert ("Nothing could be graded" if one.unusable else f"score {score} of 7") in (one.folder / name).read_text()
    report = course.read("out/report.html")
    for words in ("3 graded, 1 unusable", "<td>one too few</td><td>lab07.twice</td><td>1</td>",
                  "<td>lab08.once</td><td>2</td>", "1 PASS, 1 FAIL, 1 TODO", "it is broken &lt;b&gt;\ufffd[2J"):
        assert words in report


def test_students_text_is_escaped_everywhere(course):
    name, formula = "=1+1 <i>", "s9;=1+1"
    course.hand_in(formula, **{name: {"twice": "fail", "message": BAD, "mistakes": [BAD], "handout": BAD, "left out": [BAD]},
                               "ada": {"handout": "2"}, "bob": {"handout": "2"}})
    course.grade()
    folder = course.out / "students" / name
    ElementTree.parse(folder / "junit.xml")
    assert "````text" in (folder / "feedback.md").read_text()
    assert json.loads((folder / "results.json").read_text())["tests"][0]["output"] == BAD.replace("\x1b", "\ufffd")
    for page in (folder / "feedback.html", course.out / "report.html"):
        text = page.read_text()
        assert ("<script" in text, "\x1b" in text, "&lt;script&gt;" in text) == (False, False, True)
    assert f"'{name}" in course.points()  # a spreadsheet must not take it for a formula
    for book in course.out.glob("gradebook*.csv"):
        assert '"s9;\'=1+1"' in book.read_text()
        assert re.match('("[^"]*",?)+\\n(("[^"]*",?|[0-9.]+,?)+\\n)+$', book.read_text())


@pytest.mark.parametrize("name", ["s9;=1+1", "＝1+1", "s8 ; @x", "a,-b", "－5"])
def test_a_name_cannot_become_a_formula(name):
    cell = gradebook._cell(name)
    assert not re.search("(^|[;,])\\s*[=+@－＝-]", cell)
    assert cell.replace("'", "") == name


def test_what_needs_a_look_is_named(course):
    course.hand_in("eve(2)", ada={**ALL, "left out": ["a/x.cpp: a link"], "handout": "2"}, bob={**ALL, "handout": "2"},
                   cyd={**ALL, "handout": "1"}, **{"ada (1)": {}})
    course.write("in/eve.rar", "")
    said, report = course.grade().stderr, course.read("out/report.html")
    for words in ("these are no submissions: eve.rar (neither a folder nor a zip)",
                  "a second submission of the same student: ada (1); remove"):
        assert words in said and words in report
    assert "from handout 1, where most are from 2: cyd<" in report
    of_ada, of_bob = ([course.read(f"out/students/{name}/feedback.{kind}") for kind in ("html", "md")] for name in ("ada", "bob"))
    for page in (*of_ada, report):
        assert re.search(r"Handed in, but not graded(?s:.*)a/x.cpp: a link", page)
    assert "not graded" not in "".join(of_bob)


def test_labs_are_chosen_and_the_seed_is_one_for_all(course):
    course.hand_in("ada", "bob")
    course.grade("--labs", "lab07")
    assert (course.points()["ada"], "lab08" in course.read("out/gradebook_all.csv")) == ("3", False)
    [[of_ada], [of_bob]] = course.tries("ada", "bob")
    assert of_ada == of_bob and f"seed {of_ada}" in course.read("out/report.html")
    course.refused("--labs lab99", "lab99", "lab07, lab08")


def test_what_is_refused(course):
    course.hand_in("ada")
    for words, *fragments in (("--due 2027-01-15", "--per-day"), ("--due tomorrow --per-day 5", "tomorrow", "2027-01-15"),
                              ("--jobs -1", "--jobs"), ("--jobs 0", "--jobs 0"), ("--container", "is gone; ./course autograder")):
        course.refused(words, *fragments)
    for name in ("ada.zip", "Ada.zip"):
        course.write(f"in/{name}", "")
        course.refused("", f"{name} and ada are both by 'ada'" if name == "Ada.zip" else "both by 'ada'", name)
        (course.handed_in / name).unlink()
    assert_refused(course.grade("--out", str(course.handed_in / "results"), status=2), "outside of it")
    own = course.write("one/student/lab07_numbers.cpp", "").parent
    for words, *fragments in ((["nowhere"], "nowhere", "not a folder"), ([course.root / "bin", "x"], "one folder"),
                              ([own.parent], "is a submission itself", "./course grade one"), ([own], "is a submission itself"),
                              (["one", "nowhere"], "there is no nowhere")):
        assert_refused(course.course("grade", *map(str, words), "--out", str(course.out)), *fragments)
    assert not course.out.exists()  # nothing was begun
    course.write("out/mine", "")
    course.refused("", "not empty", "--resume")


def test_one(course):
    course.hand_in("ada")
    course.write("in/bob.zip", "")
    for name, status, said in (("ada", 0, "ada: 7 of 7\n"), ("bob.zip", 3, "bob: it is broken <b>\ufffd[2J\n")):
        ran = subprocess.run([course.root / "course", "grade", "one", course.handed_in / name, "--out", course.out],
                             capture_output=True, text=True)
        assert (ran.returncode, ran.stdout, ran.stderr) == (status, said, "")
        assert (course.out / name.partition(".")[0] / "feedback.html").is_file()


def test_killed_workers_and_trouble_are_tried_again(course):
    names = ("ada", "bob", "cyd", "dan")
    course.hand_in("cyd", ada={**ALL, "killed": 1}, bob={**ALL, "trouble": 2}, dan={**ALL, "trouble": 5})
    said = course.grade(status=75).stderr
    assert "not graded: dan;" in said
    assert "the last line there: dan was not graded: no box\n" in said
    assert "no box" in course.read("out/grader.log")
    assert (list(map(len, course.tries(*names))), set(course.points())) == ([2, 3, 1, 3], {"ada", "bob", "cyd"})
    course.grade("--resume")
    assert list(map(len, course.tries(*names))) == [2, 3, 1, 6]  # nobody twice
    assert set(course.points().values()) == {"7"}
    assert len({seed for seeds in course.tries("ada", "dan") for seed in seeds}) == 1  # nobody saw it before
    course.refused("--resume --labs lab07", "all labs")


def test_a_later_submission_is_not_taken_for_the_one_that_was_graded(course):
    course.hand_in("ada", "bob")
    course.write("in/cyd.zip", "")
    assert "course:" not in course.grade().stderr
    course.hand_in(ada={})
    again = course.write("in/other.zip", "")
    course.set_time("other.zip", 1)
    again.replace(course.handed_in / "cyd.zip")
    assert "changed since it was graded: ada, cyd;" in course.grade("--resume").stderr
    assert "graded: cyd;" in course.regrade("ada").stderr
    assert course.points()["ada"] == "0"


def test_ctrl_c_and_kill_leave_nothing_at_work_and_lose_nothing(course):
    course.hand_in("s0", "s1", "s2", "s3")
    for number in (signal.SIGINT, signal.SIGKILL):
        course.write("wait", "")
        running = subprocess.Popen([course.root / "course", "grade", course.handed_in, "--out", course.out, "--jobs", "2", "--resume"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: len(list(course.root.glob("tries/*"))) >= 2)
        with mock.patch("author.judge.class_run.LAST_WORKER", 0.2):
            refused = course.grade("--resume", status=2).stderr
        assert refused.count("course: ") == 2
        assert re.search("waiting for them, 0.2 s at most\n.*another ./course grade is writing", refused)
        running.send_signal(number)
        said = running.communicate(timeout=600)[1] if number == signal.SIGINT else ""
        assert running.wait(timeout=600) != 0
        running.stderr.close()
        if number == signal.SIGINT:
            assert "stopped; to go on, give the same command with --resume" in said
            assert course.at_work() == []
        (course.root / "wait").unlink()
        wait_until(lambda: not course.at_work())  # what a kill leaves ends by itself
        shutil.rmtree(course.root / "tries")
    done = {one.student for one in course.results()}
    course.grade("--resume")
    assert len(course.points()) == 4
    assert {path.name for path in course.root.glob("tries/*")} == set(course.points()) - done


def test_a_full_disk_a_tmpdir_that_is_not_there_and_damaged_results(course):
    course.hand_in("ada")
    with mock.patch("author.commands.grade.write_together", side_effect=OSError(28, os.strerror(28), "out")):
        assert "No space left" in course.grade(status=None, TMPDIR="/nowhere").stderr
    course.grade("--resume")
    assert (len(course.tries("ada")[0]), course.points()["ada"]) == (1, "7")
    path = course.out / "students" / "ada" / "result.json"
    for text, *words in ((path.read_text().replace('"earned": 7', '"earned": 8'), "does not add up", "8 of 7"), ("{", "cannot be read"),
                         ("{}", "not of this version")):
        path.write_text(text)
        course.refused("--resume", *words)


SBATCH = """#!/bin/sh
[ "$1" = --wait ] || exit 1
for number in $(seq $(sed -n 's/^#SBATCH --array=1-\\([0-9]*\\).*/\\1/p' "$2")); do
    SLURM_ARRAY_TASK_ID=$number sh "$2" >"$2.log" 2>&1 || :
done
"""


def test_slurm(course):
    course.hand_in("a b", **{"cyd's": {**ALL, "trouble": 1}, "dan": {**ALL, "trouble": 9}})
    course.write("in/eve.zip", "")
    with mock.patch("shutil.which", return_value=None):
        course.refused("--slurm", "sbatch is not on the PATH", "job.sh")
    assert "\n#SBATCH --array=1-4%2\n" in course.read("out/slurm/job.sh")
    course.write("bin/sbatch", SBATCH, 0o755)
    with mock.patch("author.judge.class_run.MOST_ELEMENTS", 3):
        course.grade("--slurm", "--resume", PATH=f"{course.root}/bin:{os.environ['PATH']}", status=75)
    assert course.points() == {"a b": "7", "cyd's": "7", "eve": "0"}
    assert "\n#SBATCH --array=1-3%2\n" in course.read("out/slurm/job.sh")  # four submissions in three jobs


ROSTER = ("\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,lab07: Numbers (4711),Submitted\n"
          "    Points Possible,,,,,3,\n"
          '"Lovelace, Ada",1,u1,ada,A,,2027-01-15T23:59\n'
          "Bob,2,u2,bob,A,1,2027-01-17\nCyd,3,u3,cyd,B,1.5,\n")


def test_with_a_roster_and_a_late_policy(course):
    course.hand_in("ada", "BOB", "zed")
    course.set_time("zed", datetime(2027, 1, 16, 0, 0, 1).timestamp())
    said = course.grade("--due", "2027-01-15", "--per-day", "10", roster=ROSTER).stderr
    assert "not in roster.csv: zed\n" in said and "no submission of Cyd\n" in said
    assert course.read_csv("gradebook.csv") == [
        [*gradebook.HEADER, "lab07: Numbers (4711)", "lab08"],
        ["Lovelace, Ada", "1", "u1", "ada", "A", "3", "4"],
        ["Bob", "2", "u2", "bob", "A", "2.4", "3.2"],
        ["Cyd", "3", "u3", "cyd", "B", "1.5", ""],
        ["zed", "", "", "zed", "", "2.7", "3.6"]]
    assert course.gradebook("lab07", "lab07 after late days", "Points", "After late days", "Days late") == {
        "ada": ["3", "3", "7", "7", "0"], "bob": ["3", "2.4", "7", "5.6", "2"], "cyd": [""] * 5, "zed": ["3", "2.7", "7", "6.3", "1"]}


def test_everyone_is_late(course):
    course.hand_in("ada", "bob")
    for due, doubted in (("2020-01-15", True), ("2220-01-15", False)):
        said = course.grade("--due", due, "--per-day", "1", "--resume").stderr
        assert ("every submission counts as late, by the times of the files" in said) == doubted


def test_a_roster_as_spreadsheets_write_it(course):
    course.hand_in("Zoë", "O'Neil, Pat")
    roster = "Student;SIS Login ID\nZoe\u0308;z1\nO'Neil, Pat;p1\n"
    assert "course:" not in course.grade(roster=roster).stderr
    assert course.gradebook("Student") == {"z1": ["Zoë"], "p1": ["O'Neil, Pat"]}
    course.hand_in("Z1")
    course.refused("--resume", "Z1 and Zoë are both by", roster=roster)


def test_a_roster_that_does_not_serve(course):
    course.hand_in("ada")
    for text, words in (("a,b\n1,2\n", "none of the columns"), ("ID\nada\nADA\n", "two rows with 'ada'"),
                        ("\0", "none of the columns"), ("", "none of the columns")):
        course.refused("", words, roster=text)
    path = course.write("roster.csv", "")
    path.write_bytes(b"ID\n\xff\xfe")
    assert_refused(course.grade("--roster", str(path), status=2), "UTF-8")
    assert not course.out.exists()


CANVAS = ("Student,ID,SIS User ID,SIS Login ID,Section,lab07: Numbers (4711)\n    Points Possible,,,,,3\n"
          + "".join(f'"Last{n}, First",{100 + n},u{n},s{n:03},A,\n' for n in range(12)))


def test_a_download_of_canvas(course):
    for n in range(10):
        course.hand_in_zip(f"lastfirst{'_LATE' if n == 3 else ''}_{100 + n}_{9000 + n}_work-2.zip")
    course.hand_in_zip("lastfirst_110_9010_s010.zip", inside="s010")
    said = course.grade("--labs", "lab07", roster=CANVAS).stderr
    assert "no submission of Last11, First\n" in said and "not in roster" not in said
    assert course.read_csv("gradebook.csv") == [[*gradebook.HEADER, "lab07: Numbers (4711)"], *(
        [f"Last{n}, First", str(100 + n), f"u{n}", f"s{n:03}", "A", "3" if n < 11 else ""] for n in range(12))]
    with zipfile.ZipFile(course.out / "feedback.zip") as archive:
        assert "lastfirst_LATE_103_9003_work-2.html" in archive.namelist()
        assert len(archive.namelist()) == 11


def test_a_download_of_moodle(course):
    people = [(f"Ada {chr(65 + n)}. Lovelace", 771 + n) for n in range(12)]
    header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Last modified (submission)",
              "Last modified (grade)", "Feedback comments"]
    roster = ",".join(header) + "\n" + "".join(
        f"Participant {number},{name},a{number}@x.invalid,Submitted,,3.00,-,-,\n" for name, number in people)
    for name, number in people[:11]:
        course.hand_in_zip(f"{name}_{number}_assignsubmission_file_/upload.zip")
    course.grade("--labs", "lab07", roster=roster)
    rows = course.read_csv("gradebook_moodle.csv")
    assert (rows[0], len(rows), rows[12][4]) == (header, 13, "")
    assert rows[1] == ["Participant 771", "Ada A. Lovelace", "a771@x.invalid", "Submitted", "3", "3.00", "-", "-", ""]
    with zipfile.ZipFile(course.out / "feedback.zip") as archive:
        assert "Ada A. Lovelace_771_assignsubmission_file_/feedback.html" in archive.namelist()
    course.grade("--resume")
    assert course.read_csv("gradebook_moodle.csv")[0] == [*gradebook.MOODLE, "lab07"]  # without the worksheet


def test_a_download_of_gradescope_and_clones(course):
    course.hand_in("submission_1", "labs-2027-ada", "labs-2027-bo-b", submission_2={}, cyd={})
    course.write("in/submission_metadata.yml", "---\nsubmission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: 's001'\n"
                 "    :email: ada@x.invalid\n  :created_at: 2027-01-15\nsubmission_2:\n  :submitters:\n  - :name: Bob\n"
                 "    :sid: ''\n    :email: bob@x.invalid\n")
    for name in ("labs-2027-ada", "labs-2027-bo-b"):
        (course.handed_in / name / ".git").mkdir()
    course.grade()
    assert course.points() == {"s001": "7", "bob@x.invalid": "0", "ada": "7", "bo-b": "7", "cyd": "0"}


def test_the_id_in_the_zip_decides_but_does_not_replace_anothers_work(course):
    name, doubt = "lastfirst_101_9001_s002.zip", "lastfirst_101_9001_s002.zip is by 's001' and holds the work of 's002', who gets the points"
    course.hand_in_zip(name, inside="s002")
    assert doubt in course.grade(roster=CANVAS).stderr
    assert {name for name, points in course.points().items() if points} == {"s002"}
    course.hand_in_zip("lastfirst_102_9002_s002.zip", inside="s002", at=1_700_000_000)
    course.hand_in_zip(name, {}, "s002")
    assert doubt in course.grade("--out", str(course.out / "two"), roster=CANVAS, policy='several = "last"\n').stderr
    assert course.points("out/two")["s002"] == "7"


def test_names_that_would_stop_or_destroy_a_class(course):
    taken = ("gradebook.csv", "report.html", "class.json", "grader.log", "feedback", "feedback.zip", "students", "slurm")
    for name in (*taken, "x" * 101, "   ", ".hidden", "."):
        course.hand_in_zip(f"{name}.zip")
    for words in ((), ("--resume",)):
        said = course.grade(*words).stderr
        assert set(course.points().values()) == {"7"}
        assert {*taken} <= {*course.points()}
        assert [name for name in ("x" * 100, "   .zip", "..zip") if name not in said] == []


def test_one_of_several(course):
    for n, asked in enumerate(({"twice": "pass"}, ALL, {})):
        course.hand_in_zip(f"s001 ({n}).zip", asked, "s001", 1_700_000_000 + n)
    course.refused("", "s001 (0).zip and s001 (1).zip are both by 's001'", "several")
    for several, points, more in (("last", {"s001": "0"}, {}), ("best", {"s001": "7"}, {}),
                                  ("best", {"s001": "7", "s001~1": "4"}, {"s001~1": {"once": "pass"}})):  # another's id
        course.hand_in(**more)
        course.grade("--out", str(course.out / f"{several}{len(more)}"), policy=f'several = "{several}"\n')
        assert course.points(f"out/{several}{len(more)}") == points


def test_a_policy(course):
    course.hand_in("ada", "bob")
    for name in ("ada", "bob"):
        course.set_time(name, datetime(2027, 1, 17, 12).timestamp())
    course.grade(policy="late_percent = 10\n[due]\nall = 2027-01-15\nlab08 = 2027-02-01\n"
                        "[extensions.Ada]\nlab07 = 2027-01-16T18:00:00\n")
    assert course.gradebook("lab07 after late days", "lab08 after late days", "Days late") == {
        "ada": ["2.7", "4", "1"], "bob": ["2.4", "4", "2"]}
    for text, words in (("due = 3", "tables"), ("[due]\nlab99 = 2027-01-15", "there is no lab99"), ("x = 1", "'x'"),
                        ('several = "first"', "several is"), ("partial_credit = 1", "true or false"), ("[due", "cannot be read"),
                        ("[due]\nall = 'soon'", "soon")):
        course.refused("--resume", words, policy=text)


def test_marks_survive_a_regrade(course):
    course.hand_in("bob", ada={"twice": "pass"})
    marks = f"{MARKS}Ada,lab08.once,3,nearly right\nbob,lab08.once,,see me\nzed,lab08.once,1,\n"
    assert "in the marks but not in the class: zed\n" in course.grade(marks=marks).stderr
    course.regrade("ada", marks=marks)
    assert course.points() == {"ada": "5", "bob": "7"}
    assert "lab08.once: 3 of 4 points; nearly right" in course.read("out/students/ada/feedback.html")
    course.refused("--resume", "line 2", "not more than it is worth", marks=f"{MARKS}ada,lab08.once,5,\n")


def test_part_of_an_exercise_earns_part_of_its_points(course):
    course.hand_in(ada={"twice": "fail", "once": "fail", "share": 0.6}, bob={"once": "fail"}, cyd={"once": "todo", "share": 0.5})
    course.grade(policy="partial_credit = true\nlate_percent = 0\n", marks=f"{MARKS}ada,lab08.once,,see me\nbob,lab08.once,1.5,\n")
    assert course.points() == {"ada": "3.6", "bob": "1.5", "cyd": "0"}
    page = course.read("out/students/ada/feedback.html")
    for line in ("score 3.6 of 7", "lab07.twice: 1.2 of 2 points; 60% of its checks hold", "lab08.once: 2.4 of 4 points; see me"):
        assert line in page
    course.grade("--resume")  # off without a policy
    assert (course.points()["ada"], "score 0 of 7" in course.read("out/students/ada/feedback.html")) == ("0", True)


def test_a_regrade_has_another_seed_unless_told(course):
    course.hand_in("ada", "bob")
    course.grade("--seed", "7")
    graded = course.regrade("ada")
    new = course.tries("ada")[0][1]
    assert "graded again, with another seed: ada\n" in graded.stderr
    assert new != "7" and f"seed {new}" in graded.stdout
    course.regrade("ada", "--seed", "7")
    assert course.tries("ada", "bob") == [["7", new, "7"], ["7"]]
