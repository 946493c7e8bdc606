"""Grades one submission: takes its files, compiles each lab in a box, runs each exercise in one, and writes result.json and the
feedback."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from author import stubs
from author.judge import feedback, result
from author.judge.box import Box, BoxTrouble, adopt_orphans, end_orphans
from author.judge.build import READY, Judge
from author.judge.intake import Intake, taken
from course.errors import CourseError
from course.sources import manifest, version
from course.sources.files import explained
from course.sources.manifest import Lab
from course.sources.plain_text import plain

T = TypeVar("T")
Record = dict[str, Any]  # what result.json holds, or a part of it
GRADED, UNUSABLE, TROUBLE = 0, 3, 75
TRIES = 3  # of a box that does not start
WORK = "linattn-judge-"  # with the number of the process, a folder of its own in the one for temporary files
LONG_CALL, SLOWEST = 0.05, 25  # seconds; times what the answer key takes
RUN_SECONDS = int(os.environ.get("LINATTN_RUN_SECONDS", "3600"))  # at most: many attacks do nothing but wait for the limit
MOST_WORDS = 20000  # of one message
MOST_LEFT_OUT = 20  # files that are named


def grade_one(root: Path, submission: Path, results: Path, labs: list[str], seed: int | None = None, student: str = "",
              box: type[Box] = Box) -> int:
    """Leaves results/<student>/ with result.json and the feedback, whole or not at all. Returns 0: graded, 3: the submission is
    unusable, 75: it could not be graded, and it is not the submission's fault."""
    chosen = [lab for lab in manifest.load(root) if not labs or lab.name in labs]
    seed = random.SystemRandom().randrange(1, 1 << 32) if seed is None else seed
    adopt_orphans()
    try:
        results.mkdir(parents=True, exist_ok=True)
        judge = Judge(root, box)
        judge.prepare(chosen)
        with _work_folder() as work:
            judge.box.try_out(work, root / "labs")
            files = work / "files"
            came = taken(submission, files, student)
            graded = [] if came.reason else [_lab(judge, lab, work, seed, came.left_out) for lab in chosen]
            judge.refuse_another(chosen)
            with explained(results):
                _keep(_record(came, version.of(root), seed, graded), files, results / came.student, chosen)
        return UNUSABLE if came.reason else GRADED
    except (CourseError, BoxTrouble, OSError) as trouble:
        print(f"course: {plain(submission.name)} was not graded: {plain(str(trouble))}", file=sys.stderr)
        return TROUBLE


def ready(root: Path, labs: list[Lab]) -> None:
    """Builds the judge and tries a box, before a class is graded; raises CourseError where that cannot be."""
    judge = Judge(root)
    judge.prepare(labs)
    with _work_folder() as work:
        judge.box.try_out(work, root / "labs")
    os.environ[READY] = judge.state(labs)
    os.environ["COURSE_SKIP_SETUP"] = "1"  # of the workers' ./course


def _record(came: Intake, course: str, seed: int, graded: list[Record]) -> Record:
    exercises = [exercise for lab in graded for exercise in lab["exercises"]]
    return {"student": came.student, "handout": came.handout, "status": "unusable" if came.reason else "graded",
            "course": course, "when": time.strftime("%Y-%m-%d %H:%M"), "reason": plain(came.reason), "left_out": came.left_out[:MOST_LEFT_OUT], "seed": seed,
            "compile_seconds": round(sum(lab.pop("compile_seconds") for lab in graded), 3),
            "seconds": round(sum(exercise["seconds"] for exercise in exercises), 3), "labs": graded,
            "earned": sum(exercise["earned"] for exercise in exercises),
            "points": sum(exercise["points"] for exercise in exercises)}


def _lab(judge: Judge, lab: Lab, work: Path, seed: int, left_out: list[str]) -> Record:
    files, out = work / "files", work / lab.name
    given = [source for source in lab.sources if (files / source).exists()]
    if not given:
        reasons = [line for line in left_out if PurePosixPath(line.partition(": ")[0]).name in lab.sources]
        if reasons:
            return _all_alike(lab, "build", f"nothing of {lab.name} was graded: {'; '.join(reasons)}", 0.0)
        return _all_alike(lab, "todo", f"{' and '.join(lab.sources)} is not in the submission", 0.0)
    student = out / "student"
    student.mkdir(parents=True)
    for source in lab.sources:
        text = (files / source).read_bytes() if source in given else stubs.cut_lab(judge.root, lab)[source].encode()
        (student / source).write_bytes(text)
        (student / source).chmod(0o644)
    for folder in (out, student):  # whatever the umask is: graded by root, the box is another user's
        folder.chmod(0o755)
    began = time.monotonic()
    build_error = _tried(lambda: judge.build(lab, student, out))
    seconds = time.monotonic() - began
    if build_error:
        return _all_alike(lab, "build", build_error, seconds)
    graded = [_exercise(judge, lab, exercise, out, seed) for exercise in lab.exercises]
    shutil.rmtree(out)
    return {"lab": lab.name, "compile_seconds": seconds, "exercises": graded}


def _tried(work: Callable[[], T]) -> T:
    """A box that does not start gets another chance: the machine may have been out of something for a moment."""
    for _ in range(TRIES - 1):
        try:
            return work()
        except BoxTrouble:
            time.sleep(0.5)
    return work()


def _all_alike(lab: Lab, status: str, message: str, seconds: float) -> Record:
    return {"lab": lab.name, "compile_seconds": seconds,
            "exercises": [_verdict(exercise, status, message, [], 0.0) for exercise in lab.exercises]}


def _verdict(exercise: manifest.Exercise, status: str, message: str, mistakes: list[str], seconds: float,
             share: float = 0.0) -> Record:
    return {"exercise": exercise.function, "points": exercise.points, "earned": exercise.points if status == "pass" else 0,
            "status": status, "message": plain(message)[:MOST_WORDS], "mistakes": mistakes, "share": share,
            "seconds": round(seconds, 3)}


def _exercise(judge: Judge, lab: Lab, exercise: manifest.Exercise, out: Path, seed: int) -> Record:
    began, name = time.monotonic(), f"{lab.name}_runner"
    found = _tried(lambda: _run(judge, lab, exercise, out, seed, out / "build" / name))
    if found["status"] == "pass" and max(found["times"], default=0.0) > LONG_CALL:
        found = _beside_the_key(found, _tried(lambda: _run(judge, lab, exercise, out, seed, judge.folder / name)))
    status = found["status"] if found["status"] in ("pass", "fail", "todo", "crash", "timeout") else "crash"
    return _verdict(exercise, status, found["message"], found["mistakes"], time.monotonic() - began, found.get("share", 0.0))


def _beside_the_key(found: Record, key: Record) -> Record:
    """Refuses an answer so slow that its cost may be hidden in the time that it takes anyway. Both ran here, one after the
    other, and only processor time counts."""
    for seconds, of_the_key in zip(found["times"], key["times"]):
        if key["status"] == "pass" and seconds > SLOWEST * max(of_the_key, LONG_CALL / SLOWEST):
            return {"status": "fail", "mistakes": [], "message":
                    f"{found['message']}\n  a call took {seconds:.2g} s of processor time, more than {SLOWEST} times the "
                    f"{of_the_key:.2g} s that the answer key took on the same machine: how the cost grows cannot be told\n"}
    return found


def _run(judge: Judge, lab: Lab, exercise: manifest.Exercise, out: Path, seed: int, runner: Path) -> Record:
    trouble, start, times = out / "trouble", out / "start", out / "times"
    for file in (trouble, times):
        file.unlink(missing_ok=True)
    known = json.loads(lab.manifest.read_text(encoding="utf-8"))
    limit = min(known.get("timeout_seconds", 10), RUN_SECONDS)
    changed, lines = out / lab.folder.name / "lab.json", out / "lines"
    changed.parent.mkdir(exist_ok=True)
    changed.write_text(json.dumps(known | {"timeout_seconds": limit}), encoding="utf-8")
    start.write_text("\n".join(judge.box.runs(runner, limit + 5)) + "\n", encoding="utf-8")
    judge.box.addr2line(runner, lines)
    environment = {"PATH": f"{lines}:{os.environ.get('PATH', '/usr/bin:/bin')}", "LINATTN_SEED": str(seed),
                   "LINATTN_BOX": str(start), "LINATTN_TROUBLE": str(trouble), "LINATTN_TIMES": str(times),
                   "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [str(judge.folder / f"{lab.name}_check_judge"), "--manifest", str(changed), "--exercise", exercise.function,
               "--results", str(out)]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        said = process.communicate(timeout=6 * limit + 30)[1]
    except subprocess.TimeoutExpired:
        raise BoxTrouble(f"{command[0]} did not end") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        end_orphans()
    verdict = out / f"{lab.name}.{exercise.function}.json"
    if trouble.exists() or not verdict.exists():
        words = trouble.read_text(encoding="utf-8") if trouble.exists() else said.decode(errors="replace")
        raise BoxTrouble(f"{lab.name}.{exercise.function}: {words.strip()[:1000]}")
    told = times.read_text(encoding="ascii").split() if times.exists() else []
    return {**json.loads(verdict.read_text(encoding="utf-8")), "times": [float(seconds) for seconds in told]}


def _remove_left_over() -> None:
    """The work folders of graders that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{WORK}*"):
        process = folder.name.removeprefix(WORK).partition("-")[0]
        with contextlib.suppress(FileNotFoundError):  # another grader has just removed its own
            if folder.lstat().st_uid == os.geteuid() and not Path("/proc", process).exists():
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _work_folder() -> Iterator[Path]:
    _remove_left_over()
    with tempfile.TemporaryDirectory(prefix=f"{WORK}{os.getpid()}-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o711)  # graded by root, the box is another user's
        yield Path(folder)


def _keep(record: Record, files: Path, folder: Path, labs: list[Lab]) -> None:
    """The finished folder takes the place of an earlier one."""
    new, old = (folder.with_name(f".{folder.name}.{what}.{os.getpid()}") for what in ("new", "old"))
    try:
        new.mkdir()
        (new / "files").mkdir()
        for file in files.iterdir():
            shutil.copy(file, new / "files")
        (new / result.FILE).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        feedback.write(result.parse(new, record, labs), labs)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    finally:
        if old.exists() and not folder.exists():  # the new one could not take its place
            old.rename(folder)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)
