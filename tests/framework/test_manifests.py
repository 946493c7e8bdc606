"""Every lab keeps to this course's own rules, beyond what ./course check-course asks of any lab."""

import os
import unittest
from pathlib import Path

from conftest import ROOT
from course import manifest, mistakes
from course.build_tree import BuildTree

FEWEST_MISTAKES = 3


class Manifests(unittest.TestCase):
    def each_exercise(self):
        for lab in manifest.load(ROOT):
            for exercise in lab.exercises:
                with self.subTest(exercise.name):
                    yield lab, exercise

    def test_every_exercise_has_enough_mistakes_and_each_is_explained(self):
        tree = BuildTree(ROOT, "reference")
        tree.folder = Path(os.environ["LINATTN_BUILD"])
        known = {lab.name: mistakes.of_lab(tree, lab).mistakes for lab in manifest.load(ROOT)}
        for lab, exercise in self.each_exercise():
            mine = [mistake for mistake in known[lab.name] if mistake.exercise == exercise.function]
            self.assertGreaterEqual(len(mine), FEWEST_MISTAKES)
            for mistake in mine:
                self.assertEqual(mistake.section, exercise.section, mistake.name)
                self.assertRegex(mistake.explanation, r"\w+ \w+.*\.$", mistake.name)

    def test_only_what_comes_solved_is_worth_nothing(self):
        for _, exercise in self.each_exercise():
            self.assertEqual(exercise.points > 0, not exercise.solved)
            self.assertRegex(exercise.section, rf"^{int(exercise.lab[3:])}\.\d+$")
