"""./course debug with a real gdb: in which call it stops. (What it shows there is in tests/transcripts/debug.)"""

import os
import shutil
import subprocess

import pytest
from conftest import BUILD, course_words, environment

from course.commands import debug

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")


def test_it_stops_in_the_call_with_the_smallest_input_that_was_found(student):
    student.answer("relu", "Tensor y = maximum(x, 0.0);\n    if (y.size() > 3) y.data()[3] += 7.0;\n    return y;")
    # The debugger takes the place of the process, so here it needs one of its own.
    result = subprocess.run(course_words(student.root, "debug", "relu", "-batch"), text=True, capture_output=True,
                            stdin=subprocess.DEVNULL, env=environment())
    assert result.returncode == 0 and "linattn::relu (x=Tensor (2, 2)" in result.stdout, result.stderr


def test_a_condition_of_the_suite_that_holds_is_no_failing_check():
    """It follows the first call of generate."""
    program = [str(BUILD / "lab07_exercises"), "--alone", "--exercise", "generate"]
    assert debug._failing_call("linattn::generate", program, os.environ | {"OPENBLAS_NUM_THREADS": "1"}) > 20
