"""`./course test` runs the labs' suites with more than the students' seed, and with as many as it is asked for."""

import pytest

from author.commands.test import LABS, plan


@pytest.mark.parametrize("soak, seeds", [(0, ["2"]), (1, ["2"]), (4, ["2", "3", "4"])])
def test_another_seed_is_always_tried_and_more_are_on_request(soak, seeds):
    assert [step.environment["LINATTN_SEED"] for row in plan(soak) for step in row
            if "LINATTN_SEED" in step.environment and LABS in step.command] == seeds
