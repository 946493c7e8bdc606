"""Every lab keeps to this course's own rules, beyond what ./course check-course asks of any lab."""

import re

import pytest
from conftest import EXERCISES, LABS, built_tree
from course.verdicts import mistakes

FEWEST_MISTAKES = 3


@pytest.fixture(scope="module")
def known() -> dict:
    return {lab.name: mistakes.of_lab(built_tree(), lab).mistakes for lab in LABS}


@EXERCISES
def test_it_has_enough_mistakes_and_each_is_explained(lab, exercise, known):
    mine = [mistake for mistake in known[lab.name] if mistake.exercise == exercise.function]
    assert len(mine) >= FEWEST_MISTAKES
    assert [mistake.name for mistake in mine if mistake.section != exercise.section
            or not re.search(r"\w+ \w+.*\.$", mistake.explanation)] == []


@EXERCISES
def test_only_what_comes_solved_is_worth_nothing(lab, exercise):
    assert (exercise.points > 0) == (not exercise.solved)
    assert re.fullmatch(rf"{int(lab.name[3:])}\.\d+", exercise.section)
