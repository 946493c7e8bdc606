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
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import boxes
import hostile_file
import workers
from course import manifest

GRADED, UNUSABLE, BECOMES_PARENT_OF_ORPHANS = 0, 3, 36  # prctl(PR_SET_CHILD_SUBREAPER)
LONGEST = 120  # seconds for a submission, on a slow machine with much else to do
LEFT_BEHIND = ("linattn_left_behind", "linattn_hidden", "linattn_full", "linattn_deep", "lab01.relu.json")
PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/root", "/home", "/out", "/results", ROOT)
IPC_KEY = 0x11a7
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


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


class Hostile(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.labs = manifest.load(ROOT)
        boxes.needed(ROOT, cls.labs)
        ctypes.CDLL(None).prctl(BECOMES_PARENT_OF_ORPHANS, 1)
        cls.attacks = hostile_file.read_all(cls.labs)
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        cls.place.chmod(0o755)  # graded by root, the box is another user's
        (cls.place / "temporary").mkdir()

    def grade(self, name: str, lab: str) -> tuple:
        """The result of `./course grade one`, and its exit status."""
        environment = os.environ | {"TMPDIR": str(self.place / "temporary")}
        with open(__file__, "rb") as typed:
            run = subprocess.run([ROOT / "course", "grade", "one", self.place / name, "--out", self.place / "results",
                                  "--labs", lab], env=environment, stdin=typed, capture_output=True, text=True,
                                 errors="replace", timeout=LONGEST)
        result = self.place / "results" / name / "result.json"
        return run, json.loads(result.read_text(encoding="utf-8")) if result.exists() else None

    def hand_in(self, name: str) -> None:
        """An honest submission: the reference."""
        student = self.place / name / "student"
        student.mkdir(parents=True)
        for lab in self.labs:
            for source in lab.sources:
                shutil.copy2(ROOT / "reference" / source, student)

    def test_a_class_of_attackers_and_honest_students(self):
        jobs = []
        for number, attack in enumerate(self.attacks):
            attack.submit(ROOT, self.place / attack.name)
            jobs.append((attack.name, attack.lab.name))
            if number % 12 == 6:
                self.hand_in(f"honest{number}")
                jobs.append((f"honest{number}", "lab01"))
        # What waits for its end most of the time begins first.
        jobs.sort(key=lambda job: not re.search("sleep|stop|endless|drip|bomb|flood|without_end", job[0]))
        with ThreadPoolExecutor(2 * workers.COUNT) as pool:
            graded = dict(zip([name for name, _ in jobs], pool.map(lambda job: self.grade(*job), jobs)))
        for attack in self.attacks:
            with self.subTest(attack.name):
                self.check_attack(attack, *graded[attack.name])
        for name in filter(lambda name: name.startswith("honest"), graded):
            with self.subTest(name):
                run, result = graded[name]
                self.assertEqual(run.returncode, GRADED, run.stderr)
                self.assertEqual((result["earned"], result["points"]), (result["points"], 11))
        self.check_that_nothing_is_left()

    def check_attack(self, attack, run, result) -> None:
        self.assertEqual(run.returncode, GRADED if attack.expected else UNUSABLE, run.stdout + run.stderr)
        exercises = {each["exercise"]: each for lab in result["labs"] for each in lab["exercises"]}
        self.assertEqual(list(exercises), list(attack.expected))
        others = {name: (each["status"], each["message"][-600:]) for name, each in exercises.items()
                  if each["status"] not in attack.expected[name]}
        self.assertEqual(others, {})
        self.assertEqual((result["earned"], sum(each["earned"] for each in exercises.values())), (0, 0))
        said = "".join(each["message"] for each in exercises.values())
        self.assertIsNone(CONTROL.search(said))
        self.assertLess(len(said), 1 << 20)
        for words in attack.hidden:
            self.assertNotIn(words, said)

    def check_that_nothing_is_left(self) -> None:
        ends = time.monotonic() + 5
        while children() and time.monotonic() < ends:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:  # what has ended is not left behind
                    pass
            time.sleep(0.1)
        self.assertEqual([command_line(child) for child in children()], [])
        self.assertEqual(list((self.place / "temporary").iterdir()), [])
        left = [str(Path(place) / name) for place in PLACES for name in LEFT_BEHIND if (Path(place) / name).exists()]
        self.assertEqual(left, [])
        for kind in ("shm", "sem", "msg"):
            table = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
            self.assertEqual([row for row in table if row.split()[0] == str(IPC_KEY)], [])

    def test_there_is_an_attack_of_every_kind(self):
        self.assertGreater(len(self.attacks), 70)


if __name__ == "__main__":
    unittest.main()
