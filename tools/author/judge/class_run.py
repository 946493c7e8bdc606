"""A class: `./course grade one` for each submission, on this machine or by Slurm, and taken up again where it stopped.

The state is what lies in RESULTS/students: a submission with a result is done, whoever was killed when. class.json holds what all of
them share, the seed and the labs, and who was graded.
"""

import contextlib
import fcntl
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

from author.judge import downloads, result
from author.judge.gradebook import NOBODY, Roster
from author.judge.manual_points import Given
from author.judge.policy import Policy
from course.build import process_group
from course.build.progress_line import ProgressLine
from course.errors import CourseError
from course.sources import manifest
from course.sources.files import explained, write_whole
from course.sources.plain_text import plain

LAST_WORKER = 60  # seconds that --resume waits for the workers of a class that was killed
MOST_ELEMENTS = 1000  # of a job array, as Slurm is set up where nobody changed MaxArraySize
TRIES = 3  # for what was the grader's trouble, or was killed
UNUSABLE = 3  # exit status of `grade one`, beside 0; anything else is tried again
FILE = "class.json"
STUDENTS = "students"  # the folder in RESULTS
LOG = "grader.log"  # what the graders said on stderr


@dataclass
class Class:
    root: Path
    folder: Path  # of the submissions
    out: Path
    labs: list[str]  # names; empty: all
    seed: int | None = None  # of all of them; None: a new one
    roster: Roster = NOBODY
    rules: Policy = Policy()
    given: Given = field(default_factory=dict)  # points by hand
    submissions: dict[str, Path] = field(default_factory=dict)  # student → folder or zip
    others: list[str] = field(default_factory=list)  # names of what is neither
    doubts: list[str] = field(default_factory=list)  # about who handed in what
    earlier: dict[str, str] = field(default_factory=dict)  # name of a submission → its student, where the best counts
    graded: list[str] = field(default_factory=list)  # who has seen feedback
    lock: int = -1  # the descriptor that holds it

    def result(self, student: str) -> Path:
        """The folder for it: a name that a student chose is never beside one of ours."""
        return self.out / STUDENTS / student

    def left(self) -> list[str]:
        return [student for student in self.submissions if not (self.result(student) / result.FILE).is_file()]

    def changed(self) -> list[str]:
        """Whose submission is not, or may not be, the one that was graded, by the times of the files."""
        found = []
        for student, path in self.submissions.items():
            graded = self.result(student) / result.FILE
            if graded.is_file() and any(each.lstat().st_ctime > graded.stat().st_mtime
                                        for each in (path, *path.glob("*"), *path.glob("student/*"))):
                found.append(student)
        return found

    def repeated(self) -> list[str]:
        """Names like "s001 (1)", which browsers give to the second file of a name, where there is an "s001" as well."""
        counted = {student: re.fullmatch(r"(.*?)[ _-]?\(\d+\)", student) for student in self.submissions}
        return [student for student, match in counted.items() if match and match[1] in self.submissions]

    def last_failure(self) -> str:
        """Why the submission that failed last was not graded."""
        with contextlib.suppress(OSError):
            lines = (self.out / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
            return next((plain(line) for line in reversed(lines) if line.startswith("course: ")), "")
        return ""

    def command(self, student: str) -> list[str]:
        """What grades this one."""
        return ["sh", str(self.root / "course"), "grade", "one", str(self.submissions[student]), "--id", student,
                "--out", str(self.out / STUDENTS), "--seed", str(self.seed), *(["--labs", ",".join(self.labs)] if self.labs else [])]

    def find(self) -> None:
        """The submissions: whose each is, and which of several counts. Earlier ones get names that no student has."""
        sources = [source for lab in manifest.load(self.root) for source in lab.sources]
        if not self.folder.is_dir():
            raise CourseError(f"{self.folder} is not a folder; name the one that holds the submissions, a folder or zip for each student; "
                              "a single one is graded by ./course grade one")
        if any((place / source).exists() for place in (self.folder, self.folder / "student") for source in sources):
            raise CourseError(f"{self.folder} is a submission itself, not a folder of them; ./course grade one {self.folder} grades it")
        handed, self.others = downloads.found_in(self.folder, self.roster.id_of)
        persons: dict[object, list[downloads.Handed]] = {}
        for each in handed:
            persons.setdefault(self.roster.person(each.student), []).append(each)
        students = {each.student for each in handed}
        for of_one in persons.values():
            of_one.sort(key=lambda each: (not each.doubt, each.path.lstat().st_mtime, each.path.name))
            if len(of_one) > 1 and not self.rules.several:
                first, second = sorted(of_one, key=lambda each: each.path.name)[:2]
                raise CourseError(f"{plain(first.path.name)} and {plain(second.path.name)} are both by '{second.student}'; remove the "
                                  "one that does not count, or write several = \"last\" or \"best\" in a --policy file")
            *earlier, last = of_one
            self.submissions[last.student] = last.path
            if self.rules.several == "best":
                free = (name for number in range(1, len(handed) + 1) if (name := f"{last.student}~{number}") not in students)
                for name, each in zip(free, earlier):
                    self.submissions[name], self.earlier[name] = each.path, last.student
        if not self.submissions:
            raise CourseError(f"{self.folder} holds no submission: no folder and no zip; name the folder that does")
        self.doubts += [each.doubt for each in handed if each.doubt]
        if self.folder.resolve() in (self.out.resolve(), *self.out.resolve().parents):
            raise CourseError(f"{self.out} is in the folder of the submissions and would be taken for one; choose a place outside of it")

    @contextlib.contextmanager
    def opened(self, resume: bool) -> Iterator[None]:
        """While nobody else can grade into the same folder."""
        if not resume and self.out.exists() and (not self.out.is_dir() or any(self.out.iterdir())):
            raise CourseError(f"{self.out} already exists and is not empty; use --resume to continue with what is in it, "
                              "or choose another folder")
        with explained(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
            lock = open(self.out / ".lock", "w", encoding="utf-8")
        with lock:
            _lock(lock, self.out, LAST_WORKER if resume else 0)
            self.lock = lock.fileno()
            for half in (*self.out.glob("students/.*.new.*"), *self.out.glob("students/.*.old.*"), *self.out.glob(".new.*")):
                shutil.rmtree(half, ignore_errors=True)  # of who was killed while writing
            before = self._as_before() if (self.out / FILE).exists() else _drawn()
            again = [student for student in self.left() if student in self.graded]
            if again:  # whose feedback says the seed
                self.doubts.append(f"graded again, with another seed: {', '.join(again)}")
            if self.seed is None:
                self.seed = _drawn() if again else before
            (self.out / STUDENTS).mkdir(exist_ok=True)
            self._record()
            yield
            self._record()

    def _as_before(self) -> int:
        """Reads what --resume needs. Returns the seed."""
        path = self.out / FILE
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            seed, labs, self.graded = int(data["seed"]), [str(lab) for lab in data["labs"]], [str(each) for each in data["graded"]]
        except (ValueError, KeyError, TypeError) as error:
            raise CourseError(f"{path} cannot be read ({error!r}); grade into another folder") from None
        if self.labs and self.labs != labs:
            named = f"--labs {','.join(labs)}" if labs else "all labs"
            raise CourseError(f"{self.out} was begun with {named}; leave this option out, or grade into another folder")
        self.labs = labs
        return seed

    def _record(self) -> None:
        left = self.left()
        known = dict.fromkeys([*self.graded, *(student for student in self.submissions if student not in left)])
        write_whole(self.out / FILE, json.dumps({"seed": self.seed, "labs": self.labs, "graded": list(known)}) + "\n")


def _drawn() -> int:
    return random.SystemRandom().randrange(1, 1 << 31)


def _lock(lock: TextIO, out: Path, seconds: float) -> None:
    """Waits so long for who has it."""
    ends, told = time.monotonic() + seconds, not seconds
    while True:
        with contextlib.suppress(OSError):
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.monotonic() > ends:
            raise CourseError(f"another ./course grade is writing to {out}; wait for it, or end it")
        if not told:
            print(f"course: workers of an earlier ./course grade still write to {out}; waiting for them, {seconds} s at most",
                  file=sys.stderr)
        told = True
        time.sleep(0.1)


def locally(grading: Class, jobs: int) -> None:
    """As many at a time as there are jobs; leaves only when everything was tried."""
    left = grading.left()
    if not left:
        return
    began, line = time.monotonic(), ProgressLine()
    with explained(grading.out):
        log = open(grading.out / LOG, "ab")
    with log, ThreadPoolExecutor(jobs) as threads:
        workers = Workers(grading, log)
        grades = [threads.submit(workers.grade, student) for student in left]
        try:
            for count, grade in enumerate(as_completed(grades), start=1):
                grade.result()
                minutes = (time.monotonic() - began) / count * (len(left) - count) / 60
                line.show(f"{count} of {len(left)}, about {minutes:.0f} min left")
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            workers.end()
            with contextlib.suppress(OSError):  # of a terminal that was closed
                print("course: stopped; to go on, give the same command with --resume", file=sys.stderr)
            raise
    line.end()
    seconds = time.monotonic() - began
    done = len(left) - len(grading.left())
    print(f"{done} of {len(left)} in {seconds:.0f} s, {60 * done / max(seconds, 0.1):.0f} a minute", file=sys.stderr)


class Workers:
    """The processes of `./course grade one`. They hold the class's lock, too, so that none of them outlives it unnoticed."""

    def __init__(self, grading: Class, log: BinaryIO):
        self._grading, self._log = grading, log
        self._environment = os.environ | {"TMPDIR": tempfile.gettempdir()}  # a place that is there, and has room
        self._running: set[subprocess.Popen[bytes]] = set()
        self._starting = threading.Lock()
        self._ended = False

    def grade(self, student: str) -> None:
        """A worker that was killed, or in trouble, is tried again; a submission that is unusable is done."""
        for _ in range(TRIES):
            with self._starting:
                if self._ended:
                    return
                worker = subprocess.Popen(self._grading.command(student), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                          stderr=self._log, env=self._environment, pass_fds=(self._grading.lock,),
                                          start_new_session=True)
                self._running.add(worker)
            status = worker.wait()
            self._running.discard(worker)
            if status in (0, UNUSABLE):
                return

    def end(self) -> None:
        with self._starting:
            self._ended = True
        for worker in tuple(self._running):
            worker.terminate()
        for worker in tuple(self._running):
            process_group.end(worker)


def by_slurm(grading: Class, jobs: int | None) -> None:
    """A job array whose elements grade one submission after the other; waits until the last has ended. Ctrl-C ends the waiting,
    not the jobs."""
    left = grading.left()
    if not left:
        return
    job, elements = grading.out / "slurm" / "job.sh", min(len(left), MOST_ELEMENTS)
    commands = "\n".join(f"    {number}) {shlex.join(grading.command(student))} ;;" for number, student in enumerate(left, start=1))
    write_whole(job, f"""#!/bin/sh
#SBATCH --job-name=grade
#SBATCH --array=1-{elements}{f"%{jobs}" if jobs else ""}
#SBATCH --output="{job.parent}/%a.log"
#SBATCH --requeue
grade() {{
    case $1 in
{commands}
    esac
}}
failed=0
for number in $(seq "$SLURM_ARRAY_TASK_ID" {elements} {len(left)}); do
    for try in $(seq {TRIES}); do
        grade "$number" && continue 2
        [ $? != {UNUSABLE} ] || continue 2
    done
    failed=1
done
exit $failed
""")
    if not shutil.which("sbatch"):
        raise CourseError(f"sbatch is not on the PATH, so nothing was submitted; where Slurm is: sbatch {job}; "
                          "then ./course grade … --resume writes the gradebook")
    print(f"submitting {len(left)} submissions in {elements} jobs{f', at most {jobs} at a time' if jobs else ''}; waiting for the "
          "last …", file=sys.stderr)
    subprocess.run(["sbatch", "--wait", str(job)], check=False)
