"""hostile/ against ./course grade: no attack earns a point, each ends in bounded time and leaves nothing behind, and honest
work that is graded meanwhile gets all points."""

import contextlib
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hostile_file
import pytest
import workers
from conftest import ROOT
from course import manifest

GRADED, UNUSABLE, BECOMES_PARENT_OF_ORPHANS = 0, 3, 36  # prctl(PR_SET_CHILD_SUBREAPER)
LONGEST = 600  # seconds for a submission: a slow machine with much else to do waits, but not for ever
LEFT_BEHIND = ("linattn_left_behind", "linattn_hidden", "linattn_full", "linattn_deep", "lab01.relu.json")
PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/root", "/home", "/out", "/results", ROOT)
IPC_KEY = 0x11a7
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SCRIPT = [ROOT / "course"]
# What the script starts once it has looked for packages and for a Python that has the modules.
PROGRAM = [sys.executable, "-B", ROOT / "tools" / "course"]
# The same, whose compilers may use less of the processor: no need to wait 20 s for the end of each that would never end.
IMPATIENT = [sys.executable, "-c",
             f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(ROOT / 'tools')!r}); "
             "from author.judge import box; box.COMPILE_SECONDS = 4; from course.__main__ import main; "
             f"from pathlib import Path; sys.exit(main(Path({str(ROOT)!r}), sys.argv[1:]))"]
ATTACKS = hostile_file.read_all(manifest.load(ROOT))
HONEST = [f"honest{number}" for number in range(8)]


def children() -> list:
    """The processes below this one that are still there."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            found += (task / "children").read_text().split()
    return sorted(set(found))


def command_line(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return "(ended meanwhile)"


def grade(place: Path, name: str, lab: str, program: list) -> tuple:
    """What `./course grade one` did, and the result."""
    environment = os.environ | {"TMPDIR": str(place / "temporary")}
    with open(__file__, "rb") as typed:
        run = subprocess.run([*program, "grade", "one", place / name, "--out", place / "results", "--labs", lab],
                             env=environment, stdin=typed, capture_output=True, text=True, errors="replace", timeout=LONGEST)
    result = place / "results" / name / "result.json"
    return run, json.loads(result.read_text(encoding="utf-8")) if result.exists() else None


def hand_in(place: Path, name: str, labs: list) -> None:
    """An honest submission: the reference."""
    student = place / name / "student"
    student.mkdir(parents=True)
    for lab in labs:
        for source in lab.sources:
            shutil.copy2(ROOT / "reference" / source, student)


@pytest.fixture(scope="module")
def graded(boxes, labs, open_folder) -> dict:
    """Attackers and honest students, all of them: name → what grade() returns."""
    place = open_folder
    (place / "temporary").mkdir()
    ctypes.CDLL(None).prctl(BECOMES_PARENT_OF_ORPHANS, 1)
    jobs = {}
    # What may wait for its deadline most of the time begins first, and many of these wait side by side.
    with ThreadPoolExecutor(6 * workers.COUNT) as waiting, ThreadPoolExecutor(2 * workers.COUNT) as working:
        for number, attack in enumerate(sorted(ATTACKS, key=lambda attack: attack.kind != "compiling")):
            attack.submit(ROOT, place / attack.name)
            statuses = [*attack.expected.values()]
            pool = waiting if any("timeout" in each for each in statuses) else working
            jobs[attack.name] = pool.submit(grade, place, attack.name, attack.lab.name,
                                            IMPATIENT if statuses and all("build" in each for each in statuses) else PROGRAM)
            if number % 20 == 19:
                name = HONEST[number // 20]
                hand_in(place, name, labs)
                jobs[name] = working.submit(grade, place, name, "lab01", SCRIPT)
        return {name: job.result() for name, job in jobs.items()} | {"place": place}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_earns_nothing(attack, graded):
    run, result = graded[attack.name]
    assert run.returncode == (GRADED if attack.expected else UNUSABLE), run.stdout + run.stderr
    exercises = {each["exercise"]: each for lab in result["labs"] for each in lab["exercises"]}
    assert list(exercises) == list(attack.expected)
    others = {name: (each["status"], each["message"][-600:]) for name, each in exercises.items()
              if each["status"] not in attack.expected[name]}
    assert others == {}
    assert (result["earned"], sum(each["earned"] for each in exercises.values())) == (0, 0)
    said = "".join(each["message"] for each in exercises.values())
    assert not CONTROL.search(said)
    assert len(said) < 1 << 20
    assert [words for words in attack.hidden if words in said] == []


@pytest.mark.parametrize("name", HONEST[:len(ATTACKS) // 20])
def test_honest_work_gets_all_points(name, graded):
    run, result = graded[name]
    assert run.returncode == GRADED, run.stderr
    assert (result["earned"], result["points"]) == (result["points"], 11)


def test_nothing_is_left(graded):
    ends = time.monotonic() + 60
    while children() and time.monotonic() < ends:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # what has ended is not left behind
                pass
        time.sleep(0.1)
    assert [command_line(child) for child in children()] == []
    assert list((graded["place"] / "temporary").iterdir()) == []
    assert [place for place in PLACES for name in LEFT_BEHIND if (Path(place) / name).exists()] == []
    for kind in ("shm", "sem", "msg"):
        table = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
        assert [row for row in table if row.split()[0] == str(IPC_KEY)] == []


def test_there_is_an_attack_of_every_kind():
    assert len(ATTACKS) > 150
