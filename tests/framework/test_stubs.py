"""student/ as it comes: every exercise TODO, score 0, no warning, and not a line of a solution."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import cases  # first: it says where the package `course` lies
from answer_build import AnswerBuild
from course import manifest

STUDENT = cases.ROOT / "student"
BUILD = Path(os.environ.get("LINATTN_BUILD", cases.ROOT / "build/reference"))


@unittest.skipUnless(STUDENT.is_dir(), "there is no student/")
class Stubs(unittest.TestCase):
    """Linked in the place of the reference: their flags are the same."""

    @classmethod
    def setUpClass(cls):
        cls.labs = manifest.load(cases.ROOT)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.build = AnswerBuild(cases.ROOT, BUILD, Path(folder.name))

    def test_everything_is_to_do_and_nothing_scores(self):
        for lab in self.labs:
            program = self.build.program(lab, STUDENT, lab.name)
            for exercise in lab.exercises:
                with self.subTest(exercise.name):
                    results = program.parent / "results"
                    run = subprocess.run([program, "--manifest", lab.manifest, "--exercise", exercise.function, "--results",
                                          results], capture_output=True, text=True)
                    result = json.loads((results / f"{exercise.name}.json").read_text(encoding="utf-8"))
                    self.assertEqual(result["status"], "pass" if exercise.solved else "todo", run.stdout)
                    self.assertEqual(run.returncode, 0 if exercise.solved else 1)
                    self.assertEqual(result["points"], 0)
                    if not exercise.solved:
                        self.assertRegex(result["message"], rf"{exercise.function} .*student/{lab.name}_\w+\.\w+")

    def test_they_compile_without_a_warning(self):
        for source in (source for lab in self.labs for source in lab.sources if source.endswith(".cpp")):
            with self.subTest(source):
                command = self.build.compile_command(source, STUDENT / source, Path("/dev/null"))
                said = subprocess.run([*command, "-Werror"], cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True)
                self.assertEqual((said.returncode, said.stdout), (0, ""))
