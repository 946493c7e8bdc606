"""What the tests in Python share. `python3 -m pytest tests/framework/test_NAME.py` runs one of them."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from course import manifest
from course.errors import CourseError
from course.judge import one


@pytest.fixture(scope="session")
def labs() -> list:
    return manifest.load(ROOT)


@pytest.fixture(scope="session")
def boxes(labs) -> None:
    """The judge, built. A machine that lets nobody make namespaces cannot run the tests that grade, and says so."""
    try:
        one.ready(ROOT, labs)
    except CourseError as reason:
        if "nothing can be graded" not in str(reason):
            raise
        pytest.skip(str(reason))
