"""./course grade: a class around the judge. Here the judge is played by a few lines that give the verdicts a submission
asks for, and are killed, fail or wait where it says so; test_judge.py has the real one.
"""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from datetime import datetime
from unittest import mock
from xml.etree import ElementTree

from course_tree import REPOSITORY, CourseTree, wait_until

from course import manifest
from author.judge import gradebook, result

JUDGE = '''
import json, os, signal, sys, time, zipfile
from pathlib import Path
from types import SimpleNamespace
from author.judge import grade_submission as real
from author.judge.box import BoxTrouble
from author.judge.intake import Intake

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
    return Intake(student, asked.get("unusable", ""), asked.get("handout"), left_out=asked.get("left out", []))

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
exec {sys.executable} -B -c 'import sys; sys.path[:0] = ["{REPOSITORY}/tools", sys.argv[1]]
import judge; from pathlib import Path; from course import __main__
sys.exit(__main__.main(Path(sys.argv[1]), sys.argv[2:]))' "$(dirname "$0")" "$@"
'''
ALL = {"twice": "pass", "thrice": "pass", "once": "pass"}
BAD = "</pre><script>alert(1)</script>\x1b[31m ]]> ``` =cmd|'/C calc'!A0"


class Class(CourseTree):
    """What students ask for is in self.root/in; the results go to self.root/out."""

    def setUp(self):
        super().setUp()
        self.write("judge.py", JUDGE)
        self.enterContext(mock.patch("author.judge.grade_submission.ready"))
        self.write("course", SCRIPT, 0o755)
        self.out = self.root / "out"
        (self.root / "in").mkdir()

    def hand_in(self, **students):
        for student, asked in students.items():
            self.write(f"in/{student}/asked", json.dumps(asked))

    def grade(self, *words, **options):
        """With these texts in the files for its options: roster="…"."""
        for option, name in ("roster", "roster.csv"), ("policy", "policy.toml"), ("marks", "marks.csv"):
            if option in options:
                words += f"--{option}", str(self.write(name, options.pop(option)))
        return self.course("grade", str(self.root / "in"), "--out", str(self.out), "--jobs", "2", *words, **options)

    def gradebook(self, out="out"):
        return {row["SIS Login ID"]: row for row in csv.DictReader(io.StringIO(self.read(f"{out}/gradebook_all.csv")))}

    def read_csv(self, name):
        return list(csv.reader(io.StringIO(self.read(f"out/{name}"))))

    def tries(self, student):
        return self.read(f"tries/{student}").split()

    def results(self):
        labs = manifest.load(self.root)
        return [result.read(folder, labs) for folder in sorted((self.out / "students").iterdir()) if (folder / result.FILE).exists()]


class AClass(Class):
    def test_it_adds_up_in_every_output(self):
        self.hand_in(ada=ALL, bob={"twice": "pass", "thrice": "fail", "mistakes": ["one too few"]}, cyd={})
        self.write("in/dan.zip", "no zip")
        graded = self.grade()
        self.assertEqual((graded.returncode, graded.stdout.splitlines()[-1].split(":")[1][:14]), (0, " 4 submissions"))
        book = self.gradebook()
        self.assertEqual({name: (row["lab07"], row["lab08"], row["Points"]) for name, row in book.items()},
                         {"ada": ("3", "4", "7"), "bob": ("2", "0", "2"), "cyd": ("0", "0", "0"), "dan": ("0", "0", "0")})
        for one in self.results():
            points = json.loads((one.folder / "results.json").read_text())["score"]
            suites = ElementTree.parse(one.folder / "junit.xml").getroot()
            self.assertEqual(str(points), book[one.student]["Points"])
            self.assertEqual(len(list(suites.iter("testcase"))), 1 if one.unusable else 3)
            for name in ("feedback.md", "feedback.html"):
                page = (one.folder / name).read_text()
                self.assertIn("Nothing could be graded" if one.unusable else f"score {points} of 7", page)
        report = self.read("out/report.html")
        for words in ("3 graded, 1 unusable", "<td>one too few</td><td>lab07.twice</td><td>1</td>",
                      "<td>lab08.once</td><td>2</td>", "1 PASS, 1 FAIL, 1 TODO", "it is broken &lt;b&gt;\ufffd[2J"):
            self.assertIn(words, report)

    def test_students_text_is_escaped_everywhere(self):
        name = "=1+1 <i>"
        self.hand_in(**{name: {"twice": "fail", "message": BAD, "mistakes": [BAD], "handout": BAD, "left out": [BAD]},
                        "ada": {"handout": "2"}, "bob": {"handout": "2"}})
        self.grade(status=0)
        folder = self.out / "students" / name
        ElementTree.parse(folder / "junit.xml")
        self.assertIn("````text", (folder / "feedback.md").read_text())
        self.assertEqual(json.loads((folder / "results.json").read_text())["tests"][0]["output"], BAD.replace("\x1b", "\ufffd"))
        for page in (folder / "feedback.html", self.out / "report.html"):
            text = page.read_text()
            self.assertNotIn("<script", text)
            self.assertNotIn("\x1b", text)
            self.assertIn("&lt;script&gt;", text)
        self.assertIn(f"'{name}", self.gradebook(), "a spreadsheet must not take it for a formula")

    def test_a_name_cannot_become_a_formula(self):
        for name in ("s9;=1+1", "＝1+1", "s8 ; @x", "a,-b", "－5"):
            cell = gradebook._cell(name)
            self.assertNotRegex(cell, "(^|[;,])\\s*[=+@－＝-]", name)
            self.assertEqual(cell.replace("'", ""), name)
        self.hand_in(**{"s9;=1+1": ALL})
        self.grade(status=0)
        for book in self.out.glob("gradebook*.csv"):
            self.assertIn('"s9;\'=1+1"', book.read_text())
            self.assertRegex(book.read_text(), '^("[^"]*",?)+\\n("[^"]*",?|[0-9.]+,?)+\\n')

    def test_what_was_left_out_and_other_handouts_are_named(self):
        self.hand_in(ada={**ALL, "left out": ["a/x.cpp: a link"], "handout": "2"}, bob={**ALL, "handout": "2"},
                     cyd={**ALL, "handout": "1"})
        self.grade(status=0)
        for page in ("out/students/ada/feedback.html", "out/students/ada/feedback.md", "out/report.html"):
            self.assertRegex(self.read(page), r"Handed in, but not graded(?s:.*)a/x.cpp: a link")
        self.assertNotIn("not graded", self.read("out/students/bob/feedback.html") + self.read("out/students/bob/feedback.md"))
        self.assertIn("from handout 1, where most are from 2: cyd<", self.read("out/report.html"))

    def test_what_needs_a_look_is_named(self):
        self.hand_in(**{"ada": ALL, "ada (1)": {}, "bob(2)": ALL})
        self.write("in/eve.rar", "")
        graded = self.grade()
        for words in ("these are no submissions: eve.rar (neither a folder nor a zip)",
                      "a second submission of the same student: ada (1); remove"):
            self.assertIn(words, graded.stderr)
            self.assertIn(words, self.read("out/report.html"))

    def test_labs_are_chosen_and_the_seed_is_one_for_all(self):
        self.hand_in(ada=ALL, bob=ALL)
        self.grade("--labs", "lab07", status=0)
        self.assertEqual(self.gradebook()["ada"]["Points"], "3")
        self.assertNotIn("lab08", self.gradebook()["ada"])
        [seed] = {*self.tries("ada"), *self.tries("bob")}
        self.assertIn(f"seed {seed}", self.read("out/report.html"))
        self.assert_one_line_error(self.grade("--labs", "lab99"), "lab99", "lab07, lab08")

    def test_what_is_refused(self):
        self.hand_in(ada=ALL)
        self.assert_one_line_error(self.grade("--due", "2027-01-15"), "--per-day")
        self.assert_one_line_error(self.grade("--due", "tomorrow", "--per-day", "5"), "tomorrow", "2027-01-15")
        self.assert_one_line_error(self.grade("--jobs", "-1"), "--jobs")
        self.assert_one_line_error(self.grade("--container"), "is gone; ./course autograder")
        self.assert_one_line_error(self.course("grade", "nowhere", "--out", str(self.out)), "nowhere", "not a folder")
        self.assert_one_line_error(self.course("grade", str(self.root / "bin"), "x", "--out", str(self.out)), "one folder")
        self.write("in/ada.zip", "")
        self.assert_one_line_error(self.grade(), "ada.zip", "both by 'ada'")
        (self.root / "in/ada.zip").rename(self.root / "in/Ada.zip")
        self.assert_one_line_error(self.grade(), "Ada.zip and ada are both by 'ada'")
        (self.root / "in/Ada.zip").unlink()
        self.assert_one_line_error(self.grade("--out", str(self.root / "in/results")), "outside of it")
        self.write("one/student/lab07_numbers.cpp", "")
        for folder in ("one", "one/student"):
            self.assert_one_line_error(self.course("grade", str(self.root / folder), "--out", str(self.out)),
                                       "is a submission itself", "./course grade one")
        self.assert_one_line_error(self.course("grade", "one", "nowhere", "--out", str(self.out)), "there is no nowhere")
        self.assert_one_line_error(self.grade("--jobs", "0"), "--jobs 0")
        self.assertFalse(self.out.exists(), "nothing was begun")
        self.write("out/mine", "")
        self.assert_one_line_error(self.grade(), "not empty", "--resume")

    def test_one(self):
        self.hand_in(ada=ALL)
        self.write("in/bob.zip", "")
        for name, status, said in (("ada", 0, "ada: 7 of 7\n"), ("bob.zip", 3, "bob: it is broken <b>\ufffd[2J\n")):
            ran = subprocess.run([self.root / "course", "grade", "one", self.root / "in" / name, "--out", self.out],
                                 capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (status, said, ""), ran.stderr)
            self.assertTrue((self.out / name.partition(".")[0] / "feedback.html").is_file())


class Interrupted(Class):
    def test_killed_workers_and_trouble_are_tried_again(self):
        self.hand_in(ada={**ALL, "killed": 1}, bob={**ALL, "trouble": 2}, cyd=ALL, dan={**ALL, "trouble": 5})
        graded = self.grade(status=75)
        self.assertIn("not graded: dan;", graded.stderr)
        self.assertIn("the last line there: dan was not graded: no box\n", graded.stderr)
        self.assertIn("no box", self.read("out/grader.log"))
        self.assertEqual([len(self.tries(name)) for name in ("ada", "bob", "cyd", "dan")], [2, 3, 1, 3])
        self.assertEqual(set(self.gradebook()), {"ada", "bob", "cyd"})
        self.grade("--resume", status=0)
        self.assertEqual([len(self.tries(name)) for name in ("ada", "bob", "cyd", "dan")], [2, 3, 1, 6], "nobody twice")
        self.assertEqual({row["Points"] for row in self.gradebook().values()}, {"7"})
        self.assertEqual(len({seed for name in ("ada", "dan") for seed in self.tries(name)}), 1, "nobody saw it before")
        self.assert_one_line_error(self.grade("--resume", "--labs", "lab07"), "all labs")

    def test_a_later_submission_is_not_taken_for_the_one_that_was_graded(self):
        self.hand_in(ada=ALL, bob=ALL)
        self.write("in/cyd.zip", "")
        self.assertEqual(self.grade().stderr.count("course:"), 0)
        self.hand_in(ada={})
        again = self.write("in/other.zip", "")
        os.utime(again, (1, 1))
        again.replace(self.root / "in/cyd.zip")
        self.assertIn("changed since it was graded: ada, cyd;", self.grade("--resume").stderr)
        shutil.rmtree(self.out / "students" / "ada")
        self.assertIn("graded: cyd;", self.grade("--resume").stderr)
        self.assertEqual(self.gradebook()["ada"]["Points"], "0")

    def test_ctrl_c_and_kill_leave_nothing_at_work_and_lose_nothing(self):
        self.hand_in(**{f"s{number}": ALL for number in range(4)})
        for number in (signal.SIGINT, signal.SIGKILL):
            self.write("wait", "")
            running = subprocess.Popen([self.root / "course", "grade", self.root / "in", "--out", self.out, "--jobs", "2",
                                        "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            wait_until(lambda: len(list(self.root.glob("tries/*"))) >= 2)
            with mock.patch("author.judge.class_run.LAST_WORKER", 0.2):
                refused = self.grade("--resume")
            self.assertEqual((refused.returncode, refused.stderr.count("course: ")), (2, 2), refused.stderr)
            self.assertRegex(refused.stderr, "waiting for them, 0.2 s at most\n.*another ./course grade is writing")
            running.send_signal(number)
            said = running.communicate(timeout=600)[1] if number == signal.SIGINT else ""
            self.assertNotEqual(running.wait(timeout=600), 0)
            running.stderr.close()
            if number == signal.SIGINT:
                self.assertIn("stopped; to go on, give the same command with --resume", said)
                self.assertEqual(self.at_work(), [])
            (self.root / "wait").unlink()
            wait_until(lambda: not self.at_work())  # what a kill leaves ends by itself
            for path in self.root.glob("tries/*"):
                path.unlink()
        done = {one.student for one in self.results()}
        self.grade("--resume", status=0)
        self.assertEqual(len(self.gradebook()), 4)
        self.assertEqual({path.name for path in self.root.glob("tries/*")}, set(self.gradebook()) - done)

    def at_work(self):
        """Processes that grade in this tree."""
        listed = subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, errors="replace", check=True)
        return [words for words in listed.stdout.splitlines() if f"{self.root} grade" in words]

    def test_a_full_disk(self):
        self.hand_in(ada=ALL)
        with mock.patch("author.commands.grade.write_together", side_effect=OSError(28, os.strerror(28), "out")):
            self.assertIn("No space left", self.grade().stderr)
        self.grade("--resume", status=0)
        self.assertEqual((len(self.tries("ada")), self.gradebook()["ada"]["Points"]), (1, "7"))

    def test_a_tmpdir_that_is_not_there(self):
        self.hand_in(ada=ALL)
        self.grade(TMPDIR="/nowhere", status=0)

    def test_a_result_that_does_not_add_up_is_named(self):
        self.hand_in(ada=ALL)
        self.grade()
        path = self.out / "students" / "ada" / "result.json"
        for text, words in ((path.read_text().replace('"earned": 7', '"earned": 8'), "does not add up: 8 of 7"), ("{", "cannot be read"),
                            ("{}", "not of this version")):
            path.write_text(text)
            self.assert_one_line_error(self.grade("--resume"), *words.split(": "))


class Slurm(Class):
    SBATCH = """#!/bin/sh
[ "$1" = --wait ] || exit 1
for number in $(seq $(sed -n 's/^#SBATCH --array=1-\\([0-9]*\\).*/\\1/p' "$2")); do
    SLURM_ARRAY_TASK_ID=$number sh "$2" >"$2.log" 2>&1 || :
done
"""

    def test_a_job_array(self):
        self.hand_in(**{"a b": ALL, "cyd's": {**ALL, "trouble": 1}, "dan": {**ALL, "trouble": 9}})
        self.write("in/eve.zip", "")
        self.write("bin/sbatch", self.SBATCH, 0o755)
        with mock.patch("author.judge.class_run.MOST_ELEMENTS", 3):
            self.grade("--slurm", PATH=f"{self.root}/bin:{os.environ['PATH']}", status=75)
        self.assertEqual({name: row["Points"] for name, row in self.gradebook().items()}, {"a b": "7", "cyd's": "7", "eve": "0"})
        self.assertIn("\n#SBATCH --array=1-3%2\n", self.read("out/slurm/job.sh"), "four submissions in three jobs")

    def test_without_slurm(self):
        self.hand_in(ada=ALL)
        with mock.patch("shutil.which", return_value=None):
            self.assert_one_line_error(self.grade("--slurm"), "sbatch is not on the PATH", "job.sh")
        self.assertIn("--array=1-1%2\n", self.read("out/slurm/job.sh"))


class Gradebook(Class):
    ROSTER = ("\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,lab07: Numbers (4711),Submitted\n"
              "    Points Possible,,,,,3,\n"
              '"Lovelace, Ada",1,u1,ada,A,,2027-01-15T23:59\n'
              "Bob,2,u2,bob,A,1,2027-01-17\nCyd,3,u3,cyd,B,1.5,\n")

    def test_with_a_roster_and_a_late_policy(self):
        self.hand_in(ada=ALL, BOB=ALL, zed=ALL)
        now = datetime(2027, 1, 16, 0, 0, 1).timestamp()
        os.utime(self.root / "in/zed", (now, now))
        graded = self.grade("--due", "2027-01-15", "--per-day", "10", roster=self.ROSTER, status=0)
        self.assertIn("not in roster.csv: zed\n", graded.stderr)
        self.assertIn("no submission of Cyd\n", graded.stderr)
        self.assertEqual(self.read_csv("gradebook.csv"), [
            [*gradebook.HEADER, "lab07: Numbers (4711)", "lab08"],
            ["Lovelace, Ada", "1", "u1", "ada", "A", "3", "4"],
            ["Bob", "2", "u2", "bob", "A", "2.4", "3.2"],
            ["Cyd", "3", "u3", "cyd", "B", "1.5", ""],
            ["zed", "", "", "zed", "", "2.7", "3.6"]])
        self.assertEqual({name: [row[column] for column in ("lab07", "lab07 after late days", "Points", "After late days", "Days late")]
                          for name, row in self.gradebook().items()},
                         {"ada": ["3", "3", "7", "7", "0"], "bob": ["3", "2.4", "7", "5.6", "2"], "cyd": [""] * 5,
                          "zed": ["3", "2.7", "7", "6.3", "1"]})

    def test_everyone_is_late(self):
        self.hand_in(ada=ALL, bob=ALL)
        for due, doubted in (("2020-01-15", True), ("2220-01-15", False)):
            graded = self.grade("--due", due, "--per-day", "1", "--resume")
            self.assertEqual("every submission counts as late, by the times of the files" in graded.stderr, doubted)

    def test_a_roster_as_spreadsheets_write_it(self):
        self.hand_in(**{"Zoë": ALL, "O'Neil, Pat": ALL})
        roster = "Student;SIS Login ID\nZoe\u0308;z1\nO'Neil, Pat;p1\n"
        graded = self.grade(roster=roster)
        self.assertEqual((graded.returncode, graded.stderr.count("course:")), (0, 0), graded.stderr)
        self.assertEqual({name: row["Student"] for name, row in self.gradebook().items()}, {"z1": "Zoë", "p1": "O'Neil, Pat"})
        self.hand_in(Z1=ALL)
        self.assert_one_line_error(self.grade("--resume", roster=roster), "Z1 and Zoë are both by")

    def test_a_roster_that_does_not_serve(self):
        self.hand_in(ada=ALL)
        for text, words in (("a,b\n1,2\n", "none of the columns"), ("ID\nada\nADA\n", "two rows with 'ada'"),
                            ("\0", "none of the columns"), ("", "none of the columns")):
            self.assert_one_line_error(self.grade(roster=text), words)
        (self.root / "roster.csv").write_bytes(b"ID\n\xff\xfe")
        self.assert_one_line_error(self.grade("--roster", str(self.root / "roster.csv")), "UTF-8")
        self.assertFalse(self.out.exists())


class Downloads(Class):
    """Folders as course systems give them out, and files as they take them."""
    CANVAS = ("Student,ID,SIS User ID,SIS Login ID,Section,lab07: Numbers (4711)\n    Points Possible,,,,,3\n"
              + "".join(f'"Last{n}, First",{100 + n},u{n},s{n:03},A,\n' for n in range(12)))

    def hand_in_zip(self, name, asked, inside=""):
        """As ./course submit makes it for the id `inside`."""
        path = self.root / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{inside or 'work'}/student/asked", json.dumps(asked))
            archive.writestr(f"{inside or 'work'}/.handout.version" if inside else "work/README", "1")

    def test_canvas(self):
        for n in range(10):
            late = "_LATE" if n == 3 else ""
            self.hand_in_zip(f"lastfirst{late}_{100 + n}_{9000 + n}_work-2.zip", ALL)
        self.hand_in_zip("lastfirst_110_9010_s010.zip", ALL, "s010")
        graded = self.grade("--labs", "lab07", roster=self.CANVAS, status=0)
        self.assertIn("no submission of Last11, First\n", graded.stderr)
        self.assertNotIn("not in roster", graded.stderr)
        rows = self.read_csv("gradebook.csv")
        self.assertEqual(rows[0], [*gradebook.HEADER, "lab07: Numbers (4711)"])
        self.assertEqual(rows[1:], [[f"Last{n}, First", str(100 + n), f"u{n}", f"s{n:03}", "A", "3" if n < 11 else ""]
                                    for n in range(12)])
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            self.assertIn("lastfirst_LATE_103_9003_work-2.html", archive.namelist())
            self.assertEqual(len(archive.namelist()), 11)

    def test_moodle(self):
        people = [(f"Ada {chr(65 + n)}. Lovelace", 771 + n) for n in range(12)]
        header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Last modified (submission)",
                  "Last modified (grade)", "Feedback comments"]
        roster = ",".join(header) + "\n" + "".join(
            f"Participant {number},{name},a{number}@x.invalid,Submitted,,3.00,-,-,\n" for name, number in people)
        for name, number in people[:11]:
            self.hand_in_zip(f"{name}_{number}_assignsubmission_file_/upload.zip", ALL)
        self.grade("--labs", "lab07", roster=roster, status=0)
        rows = self.read_csv("gradebook_moodle.csv")
        self.assertEqual((rows[0], len(rows)), (header, 13))
        self.assertEqual(rows[1], ["Participant 771", "Ada A. Lovelace", "a771@x.invalid", "Submitted", "3", "3.00", "-", "-", ""])
        self.assertEqual(rows[12][4], "")
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            self.assertIn("Ada A. Lovelace_771_assignsubmission_file_/feedback.html", archive.namelist())
        self.grade("--resume", status=0)
        self.assertEqual(self.read_csv("gradebook_moodle.csv")[0], [*gradebook.MOODLE, "lab07"], "without the worksheet")

    def test_gradescope(self):
        self.hand_in(submission_1=ALL, submission_2={})
        self.write("in/submission_metadata.yml", "---\nsubmission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: 's001'\n"
                   "    :email: ada@x.invalid\n  :created_at: 2027-01-15\nsubmission_2:\n  :submitters:\n  - :name: Bob\n"
                   "    :sid: ''\n    :email: bob@x.invalid\n")
        self.grade(status=0)
        self.assertEqual({name: row["Points"] for name, row in self.gradebook().items()}, {"s001": "7", "bob@x.invalid": "0"})

    def test_clones(self):
        self.hand_in(**{"labs-2027-ada": ALL, "labs-2027-bo-b": ALL, "cyd": {}})
        for name in ("labs-2027-ada", "labs-2027-bo-b"):
            (self.root / "in" / name / ".git").mkdir()
        self.grade(status=0)
        self.assertEqual(set(self.gradebook()), {"ada", "bo-b", "cyd"})

    def test_the_id_in_the_zip_decides_and_a_doubt_is_named(self):
        self.hand_in_zip("lastfirst_101_9001_s002.zip", ALL, "s002")
        graded = self.grade(roster=self.CANVAS)
        self.assertIn("lastfirst_101_9001_s002.zip is by 's001' and holds the work of 's002', who gets the points", graded.stderr)
        self.assertEqual({name for name, row in self.gradebook().items() if row["Points"]}, {"s002"})

    def test_a_work_under_anothers_name_does_not_replace_theirs(self):
        self.hand_in_zip("lastfirst_102_9002_s002.zip", ALL, "s002")
        self.hand_in_zip("lastfirst_101_9001_s002.zip", {}, "s002")
        os.utime(self.root / "in" / "lastfirst_102_9002_s002.zip", (1_700_000_000,) * 2)
        graded = self.grade(roster=self.CANVAS, policy='several = "last"\n')
        self.assertIn("lastfirst_101_9001_s002.zip is by 's001'", graded.stderr)
        self.assertEqual(self.gradebook()["s002"]["Points"], "7")

    def test_names_that_would_stop_or_destroy_a_class(self):
        taken = ("gradebook.csv", "report.html", "class.json", "grader.log", "feedback", "feedback.zip", "students", "slurm")
        for name in (*taken, "x" * 101, "   ", ".hidden", "."):
            self.hand_in_zip(f"{name}.zip", ALL)
        for words in ((), ("--resume",)):
            graded = self.grade(*words, status=0)
            self.assertEqual({row["Points"] for row in self.gradebook().values()}, {"7"})
            self.assertLessEqual({*taken}, {*self.gradebook()})
            for name in ("x" * 100, "   .zip", "..zip"):
                self.assertIn(name, graded.stderr)

    def test_one_of_several(self):
        for n, asked in enumerate(({"twice": "pass"}, ALL, {})):
            self.hand_in_zip(f"s001 ({n}).zip", asked, "s001")
            os.utime(self.root / "in" / f"s001 ({n}).zip", (1_700_000_000 + n,) * 2)
        self.assert_one_line_error(self.grade(), "s001 (0).zip and s001 (1).zip are both by 's001'", "several")
        for several, points in (("last", "0"), ("best", "7")):
            self.grade("--out", str(self.out / several), policy=f'several = "{several}"\n', status=0)
            self.assertEqual({name: row["Points"] for name, row in self.gradebook(f"out/{several}").items()}, {"s001": points})
        self.hand_in(**{"s001~1": {"once": "pass"}})
        self.grade("--out", str(self.out / "again"), policy='several = "best"\n', status=0)
        self.assertEqual({name: row["Points"] for name, row in self.gradebook("out/again").items()}, {"s001": "7", "s001~1": "4"},
                         "another's id")


class ByHand(Class):
    def test_a_policy(self):
        self.hand_in(ada=ALL, bob=ALL)
        for name in ("ada", "bob"):
            os.utime(self.root / "in" / name, (datetime(2027, 1, 17, 12).timestamp(),) * 2)
        self.grade(policy="late_percent = 10\n[due]\nall = 2027-01-15\nlab08 = 2027-02-01\n"
                          "[extensions.Ada]\nlab07 = 2027-01-16T18:00:00\n", status=0)
        self.assertEqual({name: [row[column] for column in ("lab07 after late days", "lab08 after late days", "Days late")]
                          for name, row in self.gradebook().items()}, {"ada": ["2.7", "4", "1"], "bob": ["2.4", "4", "2"]})
        for text, words in (("due = 3", "tables"), ("[due]\nlab99 = 2027-01-15", "there is no lab99"), ("x = 1", "'x'"),
                            ("several = \"first\"", "several is"), ("partial_credit = 1", "true or false"), ("[due", "cannot be read"), ("[due]\nall = 'soon'", "soon")):
            self.assert_one_line_error(self.grade("--resume", policy=text), words)

    def test_marks_survive_a_regrade(self):
        self.hand_in(ada={"twice": "pass"}, bob=ALL)
        header = "student,exercise,points,comment\n"
        marks = f"{header}Ada,lab08.once,3,nearly right\nbob,lab08.once,,see me\nzed,lab08.once,1,\n"
        graded = self.grade(marks=marks, status=0)
        self.assertIn("in the marks but not in the class: zed\n", graded.stderr)
        shutil.rmtree(self.out / "students" / "ada")
        self.grade("--resume", marks=marks, status=0)
        self.assertEqual({name: row["Points"] for name, row in self.gradebook().items()}, {"ada": "5", "bob": "7"})
        self.assertIn("lab08.once: 3 of 4 points; nearly right", self.read("out/students/ada/feedback.html"))
        too_many = self.grade("--resume", marks=f"{header}ada,lab08.once,5,\n")
        self.assert_one_line_error(too_many, "line 2", "not more than it is worth")

    def test_part_of_an_exercise_earns_part_of_its_points(self):
        self.hand_in(ada={"twice": "fail", "once": "fail", "share": 0.6}, bob={"once": "fail"}, cyd={"once": "todo", "share": 0.5})
        self.grade(policy="partial_credit = true\nlate_percent = 0\n",
                   marks="student,exercise,points,comment\nada,lab08.once,,see me\nbob,lab08.once,1.5,\n", status=0)
        self.assertEqual({name: row["Points"] for name, row in self.gradebook().items()}, {"ada": "3.6", "bob": "1.5", "cyd": "0"})
        page = self.read("out/students/ada/feedback.html")
        for line in ("score 3.6 of 7", "lab07.twice: 1.2 of 2 points; 60% of its checks hold", "lab08.once: 2.4 of 4 points; see me"):
            self.assertIn(line, page)
        self.grade("--resume", status=0)
        self.assertEqual(self.gradebook()["ada"]["Points"], "0", "off without a policy")
        self.assertIn("score 0 of 7", self.read("out/students/ada/feedback.html"))

    def test_a_regrade_has_another_seed_unless_told(self):
        self.hand_in(ada=ALL, bob=ALL)
        self.grade("--seed", "7", status=0)
        shutil.rmtree(self.out / "students" / "ada")
        graded = self.grade("--resume")
        self.assertIn("graded again, with another seed: ada\n", graded.stderr)
        self.assertNotEqual(self.tries("ada")[1], "7")
        self.assertIn(f"seed {self.tries('ada')[1]}", graded.stdout)
        shutil.rmtree(self.out / "students" / "ada")
        self.grade("--resume", "--seed", "7", status=0)
        self.assertEqual((self.tries("ada")[2], self.tries("bob")), ("7", ["7"]))
