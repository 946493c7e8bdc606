"""student/ as it comes: every exercise TODO, score 0, no warning, and not a line of a solution."""

import re

import pytest
from answer_build import AnswerBuild
from conftest import BUILD, LABS, ROOT


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_everything_is_to_do_and_nothing_scores_and_no_compiler_warns(lab, tmp_path):
    """The stubs are linked in the place of the reference: their flags are the same."""
    texts = {source: (ROOT / "student" / source).read_text() for source in lab.sources}
    functions = [exercise.function for exercise in lab.exercises]
    verdicts = AnswerBuild(ROOT, BUILD, tmp_path).verdicts(lab, texts, functions, lab.name, "-Werror")
    for exercise in lab.exercises:
        found = verdicts[exercise.function]
        assert (found.status, found.points) == ("pass" if exercise.solved else "todo", 0), found.message
        assert exercise.solved or re.search(rf"{exercise.function} .*student/{lab.name}_\w+\.\w+", found.message)
