"""`./course test` runs the labs' suites with more than the students' seed, and with as many as it is asked for."""

import unittest


from author.commands.test import LABS, plan


def seeds(soak: int) -> list:
    """Those of the steps that run the reference labs once more."""
    return [step.environment["LINATTN_SEED"] for row in plan(soak) for step in row
            if "LINATTN_SEED" in step.environment and LABS in step.command]


class Seeds(unittest.TestCase):
    def test_another_seed_is_always_tried(self):
        self.assertEqual(seeds(0), ["2"])
        self.assertEqual(seeds(1), ["2"])

    def test_soak_tries_the_seeds_up_to_its_number(self):
        self.assertEqual(seeds(4), ["2", "3", "4"])
