"""What the tests in Python and the gates share: this course and its build, small courses, copies, and ways to run ./course.

    python3 -m pytest tests/framework/commands/test_NAME.py      runs one of the tests
    conftest.py                                                  makes the course to be a student in (framework.build)

Only one test at a time may use that course: CMakeLists.txt looks for the files whose tests ask for `student`.
"""

import contextlib
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/framework/gates")]

from author import link_missing, stubs, tables
from author.judge import grade_submission
from course.__main__ import main
from course.build.build_tree import BuildTree
from course.commands import python
from course.errors import CourseError
from course.sources import manifest

BUILD = Path(os.environ.get("LINATTN_BUILD", ROOT / "build/reference")).resolve()  # the build that ctest tests
STUDENT = Path(os.environ.get("LINATTN_STUDENT_COURSE", ""))
LABS = manifest.load(ROOT)
EXERCISES = pytest.mark.parametrize("lab, exercise", [(lab, exercise) for lab in LABS for exercise in lab.exercises],
                                    ids=lambda each: getattr(each, "function", each.name))
# How many programs a test that tries many of them runs at once: ctest runs other tests beside it, and taskset may leave us only
# some of the cores.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WORKERS = max(1, CORES // 2)


# Ways to run ./course ---------------------------------------------------------------------------------------------------

def course_words(root: Path, *words: str) -> list:
    """The command line of `./course words…` in the tree `root`, with the tools of this one."""
    start = ("import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from course import __main__; "
             "from course.build import process_group; process_group.end_when_told(); "
             "sys.exit(__main__.main(Path(sys.argv[2]), sys.argv[3:]))")
    return [sys.executable, "-B", "-c", start, ROOT / "tools", root, *words]


def course_process(root: Path, words: list, options: dict | None = None, **environment) -> subprocess.Popen:
    """`./course words…` in the tree `root`, as a process of its own that ignores no signal, whoever runs the tests."""
    def heed_signals():
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL) | (options or {})
    return subprocess.Popen(course_words(root, *words), start_new_session=True, env=os.environ | environment,
                            preexec_fn=heed_signals, **streams)


def run_course(root: Path, words: tuple, environment: dict | None = None) -> SimpleNamespace:
    """What `./course words…` does in the tree `root`, in this process: a start of Python each would take too long."""
    out, err = io.StringIO(), io.StringIO()
    environment = dict(os.environ) if environment is None else environment
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.dict(os.environ, environment, clear=True):
        try:
            status = main(root, [*map(str, words)])
        except SystemExit as end:
            status = end.code
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())


@pytest.fixture
def printed(capfd):
    """run_course() in this course, with what the programs that it starts print."""
    def run(*words) -> SimpleNamespace:
        status = main(ROOT, [*map(str, words)])
        return SimpleNamespace(returncode=status, **dict(zip(("stdout", "stderr"), capfd.readouterr())))
    return run


def assert_refused(result: SimpleNamespace, *fragments: str) -> None:
    """In one line, which has these fragments."""
    assert (result.returncode, result.stderr.count("\n"), result.stderr[:8]) == (2, 1, "course: "), result.stdout + result.stderr
    assert [fragment for fragment in fragments if fragment not in result.stderr] == [], result.stderr


def wait_until(happened, limit: float = 600) -> None:
    """The limit, in seconds, is for a machine with much else to do."""
    ends = time.monotonic() + limit
    while not happened():
        assert time.monotonic() < ends, f"it did not happen within {limit} s"
        time.sleep(0.02)


def fails_at(number: int, place: object, name: str, code: int):
    """A patch: the call of that number of Path.write_bytes, which has then written ten bytes, or of os.replace fails."""
    real, calls = getattr(place, name), itertools.count(1)

    def call(first, second):
        if next(calls) == number:
            if place is Path:
                real(first, second[:10])
            raise OSError(code, os.strerror(code))
        return real(first, second)
    return mock.patch.object(place, name, call)


def shell_script(path: Path, lines: str) -> Path:
    """Makes it a program of the shell."""
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen]]:
    """A list of processes, which end with the test."""
    processes: list[subprocess.Popen] = []
    yield processes
    for each in processes:
        each.kill()
        each.communicate()


# This course and its build ----------------------------------------------------------------------------------------------

def built_tree() -> BuildTree:
    tree = BuildTree(ROOT, "reference")
    tree.folder = BUILD
    return tree


def built(*targets: str):
    """A fixture of a module, which has these built before its tests."""
    @pytest.fixture(scope="module", autouse=True)
    def build() -> None:
        subprocess.run(["cmake", "--build", BUILD, "--target", *targets], check=True, stdout=subprocess.DEVNULL)
    return build


def with_answers(target: str, file: str, text: str, folder: Path) -> Path:
    """The target of the reference build, with `text` in the place of reference/FILE."""
    return link_missing.with_source(BUILD, target, ROOT / "reference" / file, text, folder)


def python_modules() -> Path:
    """Where the functions of all labs are, built as modules of Python; skips what needs them where they cannot be."""
    try:
        flags = python.flags()
    except CourseError as missing:
        pytest.skip(str(missing))
    tree = built_tree()
    with mock.patch.object(tree, "prepare"):
        assert python.build(tree, LABS, flags) == [lab.name for lab in LABS], (BUILD / "python.log").read_text()
    return BUILD / "python"


@pytest.fixture(scope="session")
def boxes() -> None:
    """Builds the judge. A machine that lets nobody make namespaces cannot run the tests that grade, and says so."""
    try:
        grade_submission.ready(ROOT, LABS)
    except CourseError as reason:
        if "nothing can be graded" not in str(reason):
            raise
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A folder that the user of a box may enter, too. Pytest closes its own each time that another pytest begins."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def changed_manifest(original: Path, place: Path, **changes) -> Path:
    """A copy of it with other values, beside the lab's headers in a folder of its name."""
    copy = place / original.parent.name / "lab.json"
    copy.parent.mkdir(exist_ok=True)
    for header in original.parent.glob("*.hpp"):
        if not (link := copy.with_name(header.name)).exists():
            link.symlink_to(header)
    copy.write_text(json.dumps(json.loads(original.read_text()) | changes))
    return copy


# Courses of their own ---------------------------------------------------------------------------------------------------

class Course:
    """A course in a folder: what a test writes there, reads there and asks ./course there."""

    def __init__(self, root: Path):
        self.root = root

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def edit(self, name: str, old: str, new: str, times: int = 1) -> int:
        """Returns the number of the first line with it."""
        text = self.read(name)
        assert old in text, name
        (self.root / name).write_text(text.replace(old, new, times))
        return text[:text.index(old)].count("\n") + 1

    def files(self, folder: Path | None = None) -> dict:
        """Name → bytes, but for what git keeps in a folder of its own."""
        folder = folder or self.root
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and ".git" not in path.parts}

    def course(self, *words: str, status: int | None = None, **environment: str) -> SimpleNamespace:
        """What `./course words…` does, which must end with this status if one is given."""
        result = run_course(self.root, words, os.environ | environment)
        assert status in (None, result.returncode), result.stdout + result.stderr
        return result


REFERENCE = """// The answer key.

int twice(int x) {
    // Add.
    // BEGIN SOLUTION
    return x + x;
    // END SOLUTION
}

int thrice(int x) {
    // BEGIN SOLUTION
    return 3 * x;
    // END SOLUTION
}
"""


class SmallCourse(Course):
    """It holds lab07 (twice; thrice ★) and lab08 (once, which comes solved). Nothing of it is compiled."""

    def __init__(self, place: Path):
        super().__init__(place / "a course")
        twice, thrice, once = ({"function": name, "points": points, "minutes": 5, "section": section} | more for name, points, section, more in (
            ("twice", 2, "7.1", {}), ("thrice", 1, "7.2", {"stretch": True}), ("once", 4, "8.1", {"solved": True})))
        for lab, title, exercises in ("lab07", "Numbers", [twice, thrice]), ("lab08", "More", [once]):
            self.write(f"labs/{lab}_{title.lower()}/lab.json", json.dumps(
                {"lab": lab, "title": title, "sources": [f"{lab}_{title.lower()}.cpp"], "exercises": exercises}))
        self.write("labs/lab07_numbers/README.md", "# Lab 07\n")
        self.write("README.md", f"# Labs\n\n{tables.BEGIN}{tables.END}")
        self.write("reference/lab07_numbers.cpp", REFERENCE)
        self.write("reference/lab08_more.cpp", "int once(int x) { return x; }\n")


@pytest.fixture
def small(tmp_path) -> SmallCourse:
    return SmallCourse(tmp_path)


class Clone(Course):
    """A copy of this course with lab00 alone, with stubs that are as cut; in git once it is committed."""

    def __init__(self, place: Path):
        super().__init__(place / "a course")

        def skip(folder, names):
            made = {".git", "build", "out"} if Path(folder) == ROOT else {"__pycache__"}  # tools/course/build is not made
            return [name for name in names if name in made or re.match("lab(?!00)[0-9]{2}_", name)]
        shutil.copytree(ROOT, self.root, ignore=skip)
        shutil.rmtree(self.root / "student")
        stubs.write(self.root, stubs.cut_all(self.root), force=False)
        tables.update(self.root, manifest.load(self.root))

    def git(self, *words: str) -> None:
        author = ["-c", "user.name=Author", "-c", "user.email=author@course", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", self.root, *author, *words], check=True, stdout=subprocess.DEVNULL)

    def reset(self, untracked: str) -> None:
        """As it was committed; `untracked` says which other files go, as git clean does."""
        self.git("checkout", "-q", ".")
        self.git("clean", untracked)


@pytest.fixture(scope="module")
def clone(request, tmp_path_factory) -> Clone:
    """A clean clone, to which the module's fill(), if it has one, has added."""
    made = Clone(tmp_path_factory.mktemp("clone"))
    getattr(request.module, "fill", lambda _: None)(made)
    for words in ("init -q", "add -A", "commit -q -m one"):
        made.git(*words.split())
    return made


# A course to be a student in: linked to the repository but for student/, which the tests write to, and for the program behind
# ./course, which looks for its course around itself.
LINKED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "grading", "python", "reference", "tests", "training")
STUDENTS_LABS = ("lab00", "lab01")  # one to break and one that must not notice; more would only take longer to build
OUTER = ("LINATTN_RESULTS_ONLY", "CTEST_OUTPUT_ON_FAILURE", "LINATTN_SEED")  # of the ctest that runs the tests


def environment() -> dict:
    return {name: value for name, value in os.environ.items() if name not in OUTER}


class StudentCourse(Course):
    """It begins with the stubs."""

    def __init__(self) -> None:
        assert STUDENT.name, "run this by ctest -R ^framework in build/reference, which builds what it needs"
        super().__init__(STUDENT)
        self.build, self.lab00 = self.root / "build/student", self.root / "student/lab00_warm_up.cpp"
        self.labs = manifest.load(self.root)
        self.put_stubs()

    def put_stubs(self) -> None:
        """Cuts student/ anew. A file that is as cut already is left alone, and so is what was built from it."""
        student, fresh = self.root / "student", stubs.cut_all(self.root)
        student.mkdir(exist_ok=True)
        for path in student.iterdir():
            if path.name not in fresh or not path.is_file():
                path.unlink()
        for name, text in fresh.items():
            path = student / name
            if not path.exists() or path.read_text(errors="replace") != text:
                path.write_text(text)

    # What a student writes ------------------------------------------------------------------------------------------

    def answer(self, function: str, body: str, above: str = "") -> None:
        """Puts `body` in the place of a stub's throw; `above` goes above all functions."""
        throw = f'throw NotImplemented("{function}");'
        [source] = [path for path in (self.root / "student").iterdir() if throw in path.read_text()]
        text = source.read_text().replace(throw, body)
        if above:
            text = text.replace("namespace linattn {", f"{above}\nnamespace linattn {{", 1)
        source.write_text(text)

    # What the student gets ------------------------------------------------------------------------------------------

    def ctest(self, lab: str) -> SimpleNamespace:
        """A plain `ctest -L lab`: its exit status, its words, and the results it left."""
        run = self._run(["ctest", "-L", f"^{lab}$"])
        left = [json.loads(path.read_text()) for path in (self.build / "results").glob(f"{lab}.*.json")]
        return SimpleNamespace(**vars(run), results={each["exercise"]: each for each in left})

    def grade(self, lab: str, function: str, **changes) -> SimpleNamespace:
        """Builds, then runs the check program itself, with a manifest in which `changes` were made."""
        assert self._run(["ctest", "-R", f"^{lab}.build$"]).returncode == 0
        original = next(each.manifest for each in self.labs if each.name == lab)
        with tempfile.TemporaryDirectory() as place:
            changed = changed_manifest(original, Path(place), **changes)
            run = self._run([self.build / f"{lab}_check", "--manifest", changed, "--exercise", function, "--results", place])
            left = Path(place) / f"{lab}.{function}.json"
            result = json.loads(left.read_text()) if left.exists() else None
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


@pytest.fixture
def student() -> StudentCourse:
    return StudentCourse()


def make_student_course() -> None:
    """Links, fresh stubs, and a build of both: half a minute the first time, nothing when nothing changed."""
    (STUDENT / "labs").mkdir(parents=True, exist_ok=True)
    shared = [path for path in (ROOT / "labs").iterdir()
              if path.name.startswith(STUDENTS_LABS) or not re.match(r"lab\d\d_", path.name)]
    for original in [ROOT / name for name in LINKED] + shared:
        place = STUDENT / original.relative_to(ROOT)
        if not place.is_symlink():
            place.symlink_to(original)
    shutil.copy(ROOT / "course", STUDENT)
    shutil.rmtree(STUDENT / "tools", ignore_errors=True)
    shutil.copytree(ROOT / "tools", STUDENT / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    programs = [f"{lab}_check" for lab in STUDENTS_LABS]
    configure = [] if (StudentCourse().build / "build.ninja").exists() else [["cmake", "--preset", "student"]]
    for command in (*configure, ["cmake", "--build", "build/student", "--target", *programs]):
        subprocess.run(command, cwd=STUDENT, env=environment(), check=True)


if __name__ == "__main__":
    make_student_course()
