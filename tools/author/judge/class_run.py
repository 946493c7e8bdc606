"""A class: `./course grade one` for each submission, driven by GNU parallel or by Slurm, and taken up again where it stopped.

The state is what lies in RESULTS: a submission with a result is done, whoever was killed when. class.json holds what all of
them share: the seed and the labs.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from course import manifest, process_group
from course.errors import CourseError
from course.files import explained, write_whole
from author.judge import result
from author.judge.intake import student_id
from course.plain_text import plain

LAST_WORKER = 60  # seconds that --resume waits for the workers of a class that was killed
TRIES = 3  # for what was the grader's trouble, or was killed
UNUSABLE = 3  # exit status of `grade one`, beside 0; anything else is tried again
FILE = "class.json"
PR_SET_PDEATHSIG = 1
LOG = "grader.log"  # what the graders said on stderr


@dataclass(frozen=True)
class Class:
    root: Path
    out: Path
    submissions: dict  # student → folder or zip
    others: list  # names of what is neither
    labs: list  # names; empty: all
    seed: int
    lock: int  # the descriptor that holds it
    gpu: bool = False

    def left(self) -> list:
        return [student for student in self.submissions if not (self.out / student / result.FILE).is_file()]

    def changed(self) -> list:
        """Whose submission is not, or may not be, the one that was graded, by the times of the files."""
        found = []
        for student, path in self.submissions.items():
            graded = self.out / student / result.FILE
            if graded.is_file() and any(each.lstat().st_ctime > graded.stat().st_mtime
                                        for each in (path, *path.glob("*"), *path.glob("student/*"))):
                found.append(student)
        return found

    def repeated(self) -> list:
        """Names like "s001 (1)", which browsers give to the second file of a name, where there is an "s001" as well."""
        counted = {student: re.fullmatch(r"(.*?)[ _-]?\(\d+\)", student) for student in self.submissions}
        return [student for student, match in counted.items() if match and match[1] in self.submissions]

    def last_words(self) -> str:
        """Why the submission that failed last was not graded."""
        with contextlib.suppress(OSError):
            lines = (self.out / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
            return next((plain(line) for line in reversed(lines) if line.startswith(("course: ", "parallel: Error"))), "")
        return ""

    def command(self, submission: str) -> str:
        """For a shell, in which `submission` stands for the folder or zip."""
        words = ["sh", str(self.root / "course"), "grade", "one", "--out", str(self.out), "--seed", str(self.seed),
                 *(["--labs", ",".join(self.labs)] if self.labs else []), *(["--gpu"] if self.gpu else [])]
        return f"{shlex.join(words[:4])} {submission} {shlex.join(words[4:])}"


def submissions_in(folder: Path, sources: list, person) -> tuple:
    """Student → folder or zip, and the names of what is neither. `sources` are the names of the files to grade, `person` is from
    a student's name to what two names of one student have in common."""
    if not folder.is_dir():
        raise CourseError(f"{folder} is not a folder; name the one that holds the submissions, a folder or zip for each student; "
                          "a single one is graded by ./course grade one")
    if any((place / source).exists() for place in (folder, folder / "student") for source in sources):
        raise CourseError(f"{folder} is a submission itself, not a folder of them; ./course grade one {folder} grades it")
    found, persons, others = {}, {}, []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__MACOSX":
            continue
        if not path.is_dir() and path.suffix.lower() != ".zip":
            others.append(plain(path.name))
            continue
        student = student_id(path)
        first = persons.setdefault(person(student), path)
        if first is not path:
            raise CourseError(f"{first.name} and {path.name} are both by '{student}'; remove the one that does not count")
        found[student] = path.absolute()
    if not found:
        raise CourseError(f"{folder} holds no submission: no folder and no zip; name the folder that does")
    return found, others


@contextlib.contextmanager
def opened(root: Path, folder: Path, out: Path, labs: list, seed: int | None, resume: bool, person=str.casefold,
           gpu: bool = False):
    """The class, while nobody else can grade into the same folder."""
    sources = [source for lab in manifest.load(root) for source in lab.sources]
    (submissions, others), out = submissions_in(folder, sources, person), out.absolute()
    if folder.resolve() in (out.resolve(), *out.resolve().parents):
        raise CourseError(f"{out} is in the folder of the submissions and would be taken for one; choose a place outside of it")
    before = out / FILE
    if not resume and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CourseError(f"{out} already exists and is not empty; use --resume to continue with what is in it, "
                          "or choose another folder")
    with explained(out):
        out.mkdir(parents=True, exist_ok=True)
        lock = open(out / ".lock", "w", encoding="utf-8")
    with lock:
        if not _is_locked(lock):
            _wait_for(lock, out, LAST_WORKER if resume else 0)
        for half in (*out.glob(".*.new.*"), *out.glob(".*.old.*"), *out.glob(".new.*")):  # of who was killed while writing
            shutil.rmtree(half, ignore_errors=True)
        if before.exists():
            seed, labs, gpu = _as_before(before, labs, seed, gpu)
        else:
            seed = random.SystemRandom().randrange(1, 1 << 31) if seed is None else seed
            write_whole(before, json.dumps({"seed": seed, "labs": labs, "gpu": gpu}) + "\n")
        yield Class(root, out, submissions, others, labs, seed, lock.fileno(), gpu)


def _wait_for(lock, out: Path, seconds: float) -> None:
    if seconds:
        print(f"course: workers of an earlier ./course grade still write to {out}; waiting for them, {seconds} s at most",
              file=sys.stderr)
    ends = time.monotonic() + seconds
    while not _is_locked(lock):
        if time.monotonic() > ends:
            raise CourseError(f"another ./course grade is writing to {out}; wait for it, or end it")
        time.sleep(0.1)


def _is_locked(lock) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _as_before(path: Path, labs: list, seed: int | None, gpu: bool) -> tuple:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        before = int(data["seed"]), [str(lab) for lab in data["labs"]], data.get("gpu") is True
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path} cannot be read ({error!r}); grade into another folder") from None
    if seed not in (None, before[0]) or labs and labs != before[1] or gpu and not before[2]:
        named = f"--labs {','.join(before[1])}" if before[1] else "all labs"
        raise CourseError(f"{path.parent} was begun with --seed {before[0]} and {named}{'' if before[2] else ', without --gpu'}; "
                          "leave these options out, or grade into another folder")
    return before


def by_parallel(grading: Class, jobs: int) -> None:
    """Leaves only when everything was tried."""
    left = grading.left()
    if not left:
        return
    if not shutil.which("parallel"):
        raise CourseError("GNU parallel is not on the PATH; install it (Debian: apt-get install parallel)")
    log = shlex.quote(str(grading.out / LOG))
    # A worker that was killed, or in trouble, fails and is tried again; a submission that is unusable is done.
    job = f"{grading.command('{}')} >/dev/null 2>>{log} || [ $? = {UNUSABLE} ]"
    bar = ["--bar"] if sys.stderr.isatty() else []
    command = ["parallel", "--will-cite", "--plain", "--ungroup", *bar, "-0", "-j", str(jobs), "--retries", str(TRIES),
               "--arg-file", str(grading.out / ".left"), job]  # ungrouped, it keeps no files of its own in TMPDIR
    write_whole(grading.out / ".left", "".join(f"{grading.submissions[student]}\0" for student in left))
    began = time.monotonic()
    options = {"stdout": subprocess.DEVNULL, "preexec_fn": _end_with_parent,
               "env": os.environ | {"TMPDIR": tempfile.gettempdir()},  # a place that is there, and has room
               "pass_fds": (grading.lock,)}  # parallel and its workers hold it until the last has ended
    with explained(grading.out):
        said = open(grading.out / LOG, "ab")
    with said, process_group.started(command, **options, stderr=None if bar else said) as running:
        try:
            running.wait()
        except BaseException:
            for _ in range(2):  # the first ends what is not begun, the second what is
                running.terminate()
                time.sleep(0.3)
            with contextlib.suppress(OSError):  # of a terminal that was closed
                print("course: stopped; to go on, give the same command with --resume", file=sys.stderr)
            raise
    seconds = time.monotonic() - began
    done = len(left) - len(grading.left())
    print(f"{done} of {len(left)} in {seconds:.0f} s, {60 * done / max(seconds, 0.1):.0f} a minute", file=sys.stderr)


def _end_with_parent() -> None:
    """In parallel, before it begins: where we are killed, it begins no other submission."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def by_slurm(grading: Class, jobs: int) -> None:
    """A job array of one submission each; waits until the last has ended. Ctrl-C ends the waiting, not the jobs."""
    left = grading.left()
    if not left:
        return
    folder = grading.out / "slurm"
    one_gpu = "\n#SBATCH --gres=gpu:1" if grading.gpu else ""
    write_whole(folder / "submissions", "".join(f"{grading.submissions[student]}\0" for student in left))
    write_whole(folder / "job.sh", f"""#!/bin/sh
#SBATCH --job-name=grade
#SBATCH --array=1-{len(left)}%{jobs}
#SBATCH --output="{folder}/%a.log"
#SBATCH --requeue{one_gpu}
submission=$(sed -z -n "${{SLURM_ARRAY_TASK_ID}}p" {shlex.quote(str(folder / "submissions"))} | tr -d '\\0')
for try in $(seq {TRIES}); do
    {grading.command('"$submission"')} && exit 0
    [ $? != {UNUSABLE} ] || exit 0
done
exit 1
""")
    if not shutil.which("sbatch"):
        raise CourseError(f"sbatch is not on the PATH, so nothing was submitted; where Slurm is: sbatch {folder / 'job.sh'}; "
                          "then ./course grade … --resume writes the gradebook")
    print(f"submitting {len(left)} jobs, at most {jobs} at a time; waiting for the last …", file=sys.stderr)
    subprocess.run(["sbatch", "--wait", str(folder / "job.sh")], check=False)
