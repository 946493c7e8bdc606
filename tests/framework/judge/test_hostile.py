"""hostile/ as one class for ./course grade, which is killed once, with honest students in it: no attack earns a point, each ends in
bounded time and leaves nothing behind, and the honest get the points that are due. The table of it is left in
BUILD_FOLDER/hostile.md."""

import contextlib
import csv
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import hostile_file
import pytest
from author import case_file
from author.case_file import Case
from author.judge.result import MEANINGS
from conftest import BUILD, LABS, ROOT, WORKERS, course_process, wait_until
from course.verdicts.verdicts import WORDS

BECOMES_PARENT_OF_ORPHANS = 36  # prctl(PR_SET_CHILD_SUBREAPER)
LEFT_BEHIND = ("linattn_left_behind", "linattn_hidden", "linattn_full", "linattn_deep",
               *(f"lab01.{place}.json" for place in hostile_file.PLACES))
PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/root", "/home", "/out", "/results", ROOT)
IPC_KEY = 0x11a7
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ATTACKS = hostile_file.read_all(LABS)
HONEST_LAB = next(lab for lab in LABS if lab.name == "lab01")
HONEST = ["ada-honest", "s9;=1+1", "x" * 100]  # test_grade.py has names that the class uses itself
FILE = HONEST_LAB.sources[0]
# Student → exercise → what stands in the place of the answer key's, and its verdict. FOLLOWS calls the others.
AT_WORK = {
    "bo-half": {name: (f'throw NotImplemented("{name}");', "todo")
                for name in ("elu_plus_one", "softmax_features", "polynomial_features")},
    "cy-mistakes": {"relu": ("return abs(x);", "fail"), "identity": ('throw std::runtime_error("no idea");', "fail"),
                    "softmax_features": ("return exp(x) / sum(exp(x), -1, keep_dims);", "fail"),
                    "polynomial_features": ("return x * x;", "fail")},
    "di-otherwise": {name: (ROOT / f"tests/lab01_feature_maps/alternatives/{name}-{way}.case", "pass") for name, way in (
        ("relu", "in_place"), ("softmax_features", "one_pass"), ("exp_features", "transposed"))},
}
FOLLOWS = "feature_map"
HEAD = """| attack | what it tries | earned | its exercises ended | s |
|---|---|---|---|---|
"""


def children() -> list:
    """The processes below this one that are still there."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            found += (task / "children").read_text().split()
    return sorted(found)


def command_line(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return "(ended meanwhile)"


def answered(answers: dict) -> str:
    """The answer key's file, with these answers in it."""
    cases = [case_file.read(body, LABS) if isinstance(body, Path) else
             Case("", "lab01", name, "", "", "", {"body": body.splitlines()}) for name, (body, _) in answers.items()]
    return case_file.put_into((ROOT / "reference" / FILE).read_text(), FILE,
                              {exercise.function for exercise in HONEST_LAB.exercises}, cases)


def results_in(out: Path) -> dict:
    return {path.parent.name: path.read_text() for path in out.glob("students/[!.]*/result.json")}


def exercises_of(result: dict, lab: str) -> dict:
    return {each["exercise"]: each for graded in result["labs"] if graded["lab"] == lab for each in graded["exercises"]}


@pytest.fixture(scope="module")
def graded(boxes, open_folder) -> dict:
    """Student → result, of one ./course grade."""
    handed_in, out, honest = (open_folder / name for name in ("class", "results", "honest"))
    for attack in ATTACKS:
        attack.submit(ROOT, handed_in / attack.submission)
    (honest / "student").mkdir(parents=True)
    shutil.copy2(ROOT / "reference" / FILE, honest / "student")
    for name in HONEST:
        shutil.make_archive(str(handed_in / name), "zip", honest)
    for name, answers in AT_WORK.items():
        (handed_in / name / "student").mkdir(parents=True)
        (handed_in / name / "student" / FILE).write_text(answered(answers))
    (open_folder / "temporary").mkdir()
    ctypes.CDLL(None).prctl(BECOMES_PARENT_OF_ORPHANS, 1)
    labs = ",".join(sorted({attack.lab.name for attack in ATTACKS}))
    environment = {"TMPDIR": str(open_folder / "temporary"), "LINATTN_COMPILE_SECONDS": "6",  # some compile without end
                   "LINATTN_RUN_SECONDS": "5"}  # and some run
    words = ["grade", handed_in, "--out", out, "--labs", labs, "--jobs", str(4 * WORKERS)]  # many wait for their deadline
    with open(__file__, "rb") as typed:
        killed = course_process(ROOT, words, {"stdin": typed}, **environment)
        wait_until(lambda: results_in(out) or killed.poll() is not None)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        done = results_in(out)
        run = subprocess.run([ROOT / "course", *words, "--resume"], env=os.environ | environment, stdin=typed,
                             capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stderr
    left = results_in(out)
    assert {name: left[name] for name in done} == done  # nothing was graded again
    results = {name: json.loads(text) for name, text in left.items()}
    assert sorted(results) == sorted([*HONEST, *AT_WORK, *{attack.submission for attack in ATTACKS}])
    (BUILD / "hostile.md").write_text(table(results))
    return results


def table(results: dict) -> str:
    text = HEAD
    students = [(attack.name, attack.submission, attack.idea, attack.lab, attack.expected) for attack in ATTACKS]
    honest = {exercise.function for exercise in HONEST_LAB.exercises}
    for name, submission, idea, lab, tried in [*sorted(students, key=lambda student: student[0]),
                                               *((name, name, "honest: the answer key", HONEST_LAB, honest) for name in HONEST)]:
        exercises = [each for function, each in exercises_of(results[submission], lab.name).items() if function in tried]
        earned, points = (sum(each[what] for each in exercises) for what in ("earned", "points"))
        ended = Counter(WORDS[MEANINGS.get(each["status"], each["status"])] for each in exercises)
        words = ", ".join(f"{count} {word}" for word, count in ended.items())
        text += f"| {name[:40]} | {idea} | {earned} of {points} | {words} | {sum(each['seconds'] for each in exercises):.0f} |\n"
    return text


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_earns_nothing(attack, graded):
    result = graded[attack.submission]
    assert result["status"] == "graded", result["reason"]
    exercises = {name: each for name, each in exercises_of(result, attack.lab.name).items() if name in attack.expected}
    assert exercises.keys() == attack.expected.keys()
    others = {name: (each["status"], each["message"][-600:]) for name, each in exercises.items()
              if each["status"] not in attack.expected[name]}
    assert others == {}
    assert (result["earned"], sum(each["earned"] for each in exercises.values())) == (0, 0)
    said = "".join(each["message"] for each in exercises.values())
    assert not CONTROL.search(said)
    assert len(said) < 1 << 20
    assert [words for words in attack.hidden if words in said] == []


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_gets_all_points(name, graded):
    assert graded[name]["earned"] == sum(exercise.points for exercise in HONEST_LAB.exercises)


@pytest.mark.parametrize("name", AT_WORK)
def test_work_in_progress_gets_what_is_due(name, graded):
    result, answers = graded[name], AT_WORK[name]
    due = {exercise.function: {"pass"} for exercise in HONEST_LAB.exercises}
    due |= {each: {status} for each, (_, status) in answers.items()}
    if any(status != "pass" for _, status in answers.values()):
        due[FOLLOWS] = {"pass", "fail", "todo"}
    exercises = exercises_of(result, "lab01")
    assert {each: (found["status"], found["message"]) for each, found in exercises.items() if found["status"] not in due[each]} == {}
    assert result["earned"] == sum(found["points"] for found in exercises.values() if found["status"] == "pass")


def test_the_gradebook_agrees(graded, open_folder):
    with open(open_folder / "results" / "gradebook.csv", newline="") as file:
        points = {row["SIS Login ID"]: sum(float(row.get(lab.name, 0)) for lab in LABS) for row in csv.DictReader(file)}
    assert {name.replace(";", ";'"): result["earned"] for name, result in graded.items()} == points


def test_nothing_is_left(graded, open_folder):
    ends = time.monotonic() + 60
    while children() and time.monotonic() < ends:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # what has ended is not left behind
                pass
        time.sleep(0.1)
    assert [command_line(child) for child in children()] == []
    assert list((open_folder / "temporary").iterdir()) == []
    assert [place for place in PLACES for name in LEFT_BEHIND if (Path(place) / name).exists()] == []
    for kind in ("shm", "sem", "msg"):
        table = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
        assert [row for row in table if row.split()[0] == str(IPC_KEY)] == []


def test_there_is_an_attack_of_every_kind():
    assert len(ATTACKS) > 75
