"""student/ as it comes: every exercise TODO, score 0, no warning, and not a line of a solution."""

import json
import re
import subprocess

import pytest
from answer_build import AnswerBuild
from conftest import BUILD, LABS, ROOT

STUDENT = ROOT / "student"


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> AnswerBuild:
    """The stubs are linked in the place of the reference: their flags are the same."""
    return AnswerBuild(ROOT, BUILD, tmp_path_factory.mktemp("stubs"))


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_everything_is_to_do_and_nothing_scores_and_no_compiler_warns(lab, build):
    program = build.program(lab, STUDENT, lab.name, "-Werror")
    for exercise in lab.exercises:
        results = program.parent / "results"
        run = subprocess.run([program, "--manifest", lab.manifest, "--exercise", exercise.function, "--results", results],
                             capture_output=True, text=True)
        result = json.loads((results / f"{exercise.name}.json").read_text(encoding="utf-8"))
        assert result["status"] == ("pass" if exercise.solved else "todo"), run.stdout
        assert (run.returncode, result["points"]) == (0 if exercise.solved else 1, 0)
        assert exercise.solved or re.search(rf"{exercise.function} .*student/{lab.name}_\w+\.\w+", result["message"])

