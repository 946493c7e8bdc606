"""Answers in labNN_*/refused/ that give right numbers by a wrong method, that remember earlier calls, or whose diagnosis is easily
wrong: each is refused, and the message says why."""

import os
from pathlib import Path

import cases
import pytest
from answer_build import AnswerBuild
from author import case_file
from conftest import LABS, ROOT

CASES = [case_file.read(path, LABS) for path in sorted(ROOT.glob("tests/lab*/refused/*"))]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> dict:
    build = AnswerBuild(ROOT, Path(os.environ.get("LINATTN_BUILD", ROOT / "build/reference")), tmp_path_factory.mktemp("refused"))
    return {case.name: verdict for case, verdict in zip(CASES, cases.graded(CASES, LABS, build))}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_refused_for_its_reason(case, verdicts):
    verdict = verdicts[case.name]
    assert cases.as_expected(case, verdict), verdict.message
    assert cases.naming(case, verdict) == "rightly", verdict.message
