"""Manifest, suite, mistakes and chapter of every lab speak of the same exercises."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPOSITORY / "tools"))

from course import chapter, manifest

FEWEST_MISTAKES = 3


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.labs = manifest.load(REPOSITORY)
        build = Path(os.environ["LINATTN_BUILD"])
        cls.suites, cls.mistakes = {}, {}
        for lab in cls.labs:
            command = [build / f"{lab.name}_check", "--list"]
            listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            rows = [line.split("\t") for line in listing.splitlines()]
            cls.suites[lab.name] = {row[1] for row in rows if row[0] == "suite"}
            cls.mistakes[lab.name] = [row[1:] for row in rows if row[0] == "mistake"]

    def each_exercise(self):
        for lab in self.labs:
            for exercise in lab.exercises:
                with self.subTest(exercise.name):
                    yield lab, exercise

    def test_every_exercise_has_a_suite_and_every_suite_an_exercise(self):
        for lab in self.labs:
            functions = {exercise.function for exercise in lab.exercises}
            self.assertEqual(self.suites[lab.name], functions, lab.name)
            self.assertEqual({mistake[0] for mistake in self.mistakes[lab.name]}, functions, lab.name)

    def test_every_exercise_has_enough_mistakes_and_each_is_explained(self):
        for lab, exercise in self.each_exercise():
            mine = [mistake for mistake in self.mistakes[lab.name] if mistake[0] == exercise.function]
            self.assertGreaterEqual(len(mine), FEWEST_MISTAKES)
            self.assertEqual(len({name for _, name, _, _ in mine}), len(mine), "a name stands twice")
            for _, name, section, explanation in mine:
                self.assertEqual(section, f"§{exercise.section}", name)
                self.assertRegex(explanation, r"\w+ \w+.*\.$", name)

    def test_every_exercise_says_what_it_is_worth(self):
        for _, exercise in self.each_exercise():
            self.assertGreater(exercise.minutes, 0)
            self.assertEqual(exercise.points > 0, not exercise.solved)
            self.assertRegex(exercise.section, rf"^{int(exercise.lab[3:])}\.\d+$")

    def test_every_chapter_has_the_exercises_and_their_hints(self):
        for lab, exercise in self.each_exercise():
            text = lab.chapter.read_text(encoding="utf-8")
            self.assertRegex(text, re.compile(rf"^## {re.escape(exercise.section)}(?!\d)", re.M))
            found = chapter.hints(lab, exercise)  # raises when the exercise has no heading
            self.assertTrue(found or exercise.solved, "no hint")


if __name__ == "__main__":
    unittest.main()
