"""What the tests in Python share. `python3 -m pytest tests/framework/test_NAME.py` runs one of them."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from author.judge import one
from course import manifest
from course.errors import CourseError


@pytest.fixture(scope="session")
def labs() -> list:
    return manifest.load(ROOT)


def need_boxes(labs: list) -> None:
    """Builds the judge. A machine that lets nobody make namespaces cannot run the tests that grade, and says so."""
    try:
        one.ready(ROOT, labs)
    except CourseError as reason:
        if "nothing can be graded" not in str(reason):
            raise
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def boxes(labs) -> None:
    need_boxes(labs)
