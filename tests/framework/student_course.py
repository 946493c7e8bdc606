"""A course of its own to be a student in: linked to the repository but for student/, which the tests write to, and for the
program behind ./course, which looks for its course around itself.

usage: student_course.py FOLDER      (what the ctest fixture framework.build does: makes FOLDER and builds it)

The tests find the folder in LINATTN_STUDENT_COURSE. Only one of them may use it at a time (RESOURCE_LOCK in
CMakeLists.txt).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from course_tree import REPOSITORY, changed_manifest, run_course  # first: it says where the packages lie

from author import stubs
from course import manifest

LINKED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "grading", "python", "reference", "tests", "training")
LABS = ("lab00", "lab01")  # one to break and one that must not notice; more would only take longer to build
UNARY = ("relu", "identity", "elu_plus_one", "softmax_features", "polynomial_features")  # exercises of lab01, of one Tensor x
OUTER = ("LINATTN_RESULTS_ONLY", "CTEST_OUTPUT_ON_FAILURE", "LINATTN_SEED")  # of the ctest that runs the tests


def environment() -> dict:
    return {name: value for name, value in os.environ.items() if name not in OUTER}


def make(folder: Path) -> None:
    """Links, fresh stubs, and a build of both: half a minute the first time, nothing when nothing changed."""
    link(folder)
    put_stubs(folder)
    if not (folder / "build/student/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "student"], cwd=folder, env=environment(), check=True)
    programs = [f"{lab}_check" for lab in LABS]
    build = ["cmake", "--build", "build/student", "--target", *programs]
    subprocess.run(build, cwd=folder, env=environment(), check=True)


def link(folder: Path) -> None:
    (folder / "labs").mkdir(parents=True, exist_ok=True)
    shared = [path for path in (REPOSITORY / "labs").iterdir()
              if path.name.startswith(LABS) or not re.match(r"lab\d\d_", path.name)]
    for original in [REPOSITORY / name for name in LINKED] + shared:
        place = folder / original.relative_to(REPOSITORY)
        if not place.is_symlink():
            place.symlink_to(original)
    shutil.copy(REPOSITORY / "course", folder)
    shutil.rmtree(folder / "tools", ignore_errors=True)
    shutil.copytree(REPOSITORY / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))


def put_stubs(folder: Path) -> None:
    """Cuts student/ anew. A file that is as cut already is left alone, and so is what was built from it."""
    student = folder / "student"
    student.mkdir(exist_ok=True)
    fresh = stubs.cut_all(folder)
    for path in student.iterdir():
        if path.name not in fresh or not path.is_file():
            path.unlink()
    for name, text in fresh.items():
        path = student / name
        if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != text:
            path.write_text(text, encoding="utf-8")


class StudentCourse(unittest.TestCase):
    """Each test begins with the stubs."""

    @classmethod
    def setUpClass(cls):
        if "LINATTN_STUDENT_COURSE" not in os.environ:
            raise RuntimeError("run this by ctest -R ^framework in build/reference, which builds what it needs")
        cls.root = Path(os.environ["LINATTN_STUDENT_COURSE"])
        cls.build = cls.root / "build/student"
        cls.labs = manifest.load(cls.root)

    def setUp(self):
        self.put_stubs()

    def put_stubs(self) -> None:
        put_stubs(self.root)

    # What a student writes ------------------------------------------------------------------------------------------

    def source(self, lab: str) -> Path:
        [name] = next(each.sources for each in self.labs if each.name == lab)
        return self.root / "student" / name

    def write(self, lab: str, text: str) -> None:
        self.source(lab).write_text(text, encoding="utf-8")

    def answer(self, function: str, body: str, above: str = "") -> None:
        """Puts `body` in the place of a stub's throw; `above` goes above all functions."""
        for lab in self.labs:
            text = self.source(lab.name).read_text(encoding="utf-8")
            throw = f'throw NotImplemented("{function}");'
            if throw in text:
                text = text.replace(throw, body)
                return self.write(lab.name, text.replace("namespace linattn {", f"{above}\nnamespace linattn {{", 1))
        self.fail(f"no stub of {function}")

    def line(self, lab: str, marked: str = "// HERE") -> str:
        """The place of the marked line, as messages spell it."""
        lines = self.source(lab).read_text(encoding="utf-8").splitlines()
        [number] = [number for number, line in enumerate(lines, 1) if marked in line]
        return f"student/{self.source(lab).name}:{number}"

    # What the student gets ------------------------------------------------------------------------------------------

    def ctest(self, lab: str) -> SimpleNamespace:
        """A plain `ctest -L lab`: its exit status, its words, and the results it left."""
        run = subprocess.run(["ctest", "-L", f"^{lab}$"], cwd=self.build, env=environment(), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        left = [json.loads(path.read_text(encoding="utf-8")) for path in (self.build / "results").glob(f"{lab}.*.json")]
        return SimpleNamespace(returncode=run.returncode, words=run.stdout, results={each["exercise"]: each for each in left})

    def grade(self, lab: str, function: str, **changes) -> SimpleNamespace:
        """Builds, then runs the check program itself, with a manifest in which `changes` were made."""
        self._build(lab)
        return self._graded(lab, function, changes)

    def grade_together(self, bodies: list, above: str = "") -> Iterator:
        """What grade() gives for each of these answers, and the place of its marked line. They stand in UNARY, so that five
        are compiled as one file."""
        for first in range(0, len(bodies), len(UNARY)):
            group = dict(zip(UNARY, bodies[first:first + len(UNARY)]))
            self.put_stubs()
            for function, body in group.items():
                self.answer(function, body.replace("// HERE", f"// HERE {function}"), above if function == UNARY[0] else "")
            self._build("lab01")
            for function, body in group.items():
                run = self._graded("lab01", function, {})
                run.line = f"at {self.line('lab01', f'// HERE {function}')}" if "// HERE" in body else ""
                yield run

    def _build(self, lab: str) -> None:
        subprocess.run(["ctest", "-R", f"^{lab}.build$"], cwd=self.build, env=environment(), check=True,
                       stdout=subprocess.DEVNULL)

    def _graded(self, lab: str, function: str, changes: dict) -> SimpleNamespace:
        original = next(each.manifest for each in self.labs if each.name == lab)
        with tempfile.TemporaryDirectory() as place:
            changed = changed_manifest(original, Path(place), **changes)
            run = subprocess.run([self.build / f"{lab}_check", "--manifest", changed, "--exercise", function,
                                  "--results", place], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace")
            left = Path(place) / f"{lab}.{function}.json"
            result = json.loads(left.read_text(encoding="utf-8")) if left.exists() else None
        return SimpleNamespace(returncode=run.returncode, words=run.stdout, result=result)

    def course(self, *words: str) -> SimpleNamespace:
        return run_course(self.root, words, environment())

    def check(self, *words: str) -> tuple:
        """`./course check --json`: its exit status, and its objects by labNN.function."""
        result = self.course("check", *words, "--json")
        objects = [json.loads(line) for line in result.stdout.splitlines()]
        return result.returncode, {f"{each['lab']}.{each['exercise']}": each for each in objects}


if __name__ == "__main__":
    make(Path(sys.argv[1]))
