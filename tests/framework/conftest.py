"""What the tests in Python share. `python3 -m pytest tests/framework/test_NAME.py` runs one of them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from course_tree import REPOSITORY as ROOT  # first: it says where the packages lie
from student_course import StudentCourse

sys.path.insert(0, str(ROOT / "tests/framework/gates"))

from author.judge import grade_submission
from course.sources import manifest
from course.build.build_tree import BuildTree
from course.commands import python
from course.errors import CourseError

BUILD = Path(os.environ.get("LINATTN_BUILD", ROOT / "build/reference")).resolve()  # the build that ctest tests
LABS = manifest.load(ROOT)
EXERCISES = pytest.mark.parametrize("lab, exercise", [(lab, exercise) for lab in LABS for exercise in lab.exercises],
                                    ids=lambda each: getattr(each, "function", each.name))


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


@pytest.fixture
def student() -> StudentCourse:
    """For one test at a time: CMakeLists.txt looks for the files that ask for it."""
    return StudentCourse()


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen]]:
    """A list of processes, which end with the test."""
    processes: list[subprocess.Popen] = []
    yield processes
    for each in processes:
        each.kill()
        each.communicate()


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
