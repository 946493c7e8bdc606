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
from pathlib import Path
from types import SimpleNamespace

from course_tree import REPOSITORY, changed_manifest, run_course  # first: it says where the packages lie

from author import stubs
from course.sources import manifest

LINKED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "grading", "python", "reference", "tests", "training")
LABS = ("lab00", "lab01")  # one to break and one that must not notice; more would only take longer to build
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


class StudentCourse:
    """It begins with the stubs."""

    def __init__(self) -> None:
        if "LINATTN_STUDENT_COURSE" not in os.environ:
            raise RuntimeError("run this by ctest -R ^framework in build/reference, which builds what it needs")
        self.root = Path(os.environ["LINATTN_STUDENT_COURSE"])
        self.build = self.root / "build/student"
        self.labs = manifest.load(self.root)
        self.lab00 = self.root / "student/lab00_warm_up.cpp"
        self.put_stubs()

    def put_stubs(self) -> None:
        put_stubs(self.root)

    # What a student writes ------------------------------------------------------------------------------------------

    def answer(self, function: str, body: str, above: str = "") -> None:
        """Puts `body` in the place of a stub's throw; `above` goes above all functions."""
        throw = f'throw NotImplemented("{function}");'
        [source] = [path for path in (self.root / "student").iterdir() if throw in path.read_text(encoding="utf-8")]
        text = source.read_text(encoding="utf-8").replace(throw, body)
        if above:
            text = text.replace("namespace linattn {", f"{above}\nnamespace linattn {{", 1)
        source.write_text(text, encoding="utf-8")

    # What the student gets ------------------------------------------------------------------------------------------

    def ctest(self, lab: str) -> SimpleNamespace:
        """A plain `ctest -L lab`: its exit status, its words, and the results it left."""
        run = self._run(["ctest", "-L", f"^{lab}$"])
        left = [json.loads(path.read_text(encoding="utf-8")) for path in (self.build / "results").glob(f"{lab}.*.json")]
        return SimpleNamespace(**vars(run), results={each["exercise"]: each for each in left})

    def grade(self, lab: str, function: str, **changes) -> SimpleNamespace:
        """Builds, then runs the check program itself, with a manifest in which `changes` were made."""
        assert self._run(["ctest", "-R", f"^{lab}.build$"]).returncode == 0
        original = next(each.manifest for each in self.labs if each.name == lab)
        with tempfile.TemporaryDirectory() as place:
            changed = changed_manifest(original, Path(place), **changes)
            run = self._run([self.build / f"{lab}_check", "--manifest", changed, "--exercise", function, "--results", place])
            left = Path(place) / f"{lab}.{function}.json"
            result = json.loads(left.read_text(encoding="utf-8")) if left.exists() else None
        return SimpleNamespace(**vars(run), result=result)

    def _run(self, command: list) -> SimpleNamespace:
        run = subprocess.run(command, cwd=self.build, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace")
        return SimpleNamespace(returncode=run.returncode, words=run.stdout)

    def check(self, *words: str) -> tuple:
        """`./course check --json`: its exit status, and its objects by labNN.function."""
        result = run_course(self.root, ("check", *words, "--json"), environment())
        objects = [json.loads(line) for line in result.stdout.splitlines()]
        return result.returncode, {f"{each['lab']}.{each['exercise']}": each for each in objects}


if __name__ == "__main__":
    make(Path(sys.argv[1]))
