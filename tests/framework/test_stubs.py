"""student/ as it comes: every exercise TODO, score 0, no warning, and not a line of a solution."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPOSITORY / "tools"))

from course import manifest

BUILD = Path(os.environ.get("LINATTN_BUILD", "."))


@unittest.skipUnless((REPOSITORY / "student").is_dir(), "there is no student/")
class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.labs = manifest.load(REPOSITORY)

    def test_everything_is_to_do_and_nothing_scores(self):
        for lab in self.labs:
            with tempfile.TemporaryDirectory() as results:
                for exercise in lab.exercises:
                    with self.subTest(exercise.name):
                        run = subprocess.run([BUILD / f"{lab.name}_check", "--manifest", lab.manifest, "--exercise",
                                              exercise.function, "--results", results], capture_output=True, text=True)
                        result = json.loads((Path(results) / f"{exercise.name}.json").read_text(encoding="utf-8"))
                        self.assertEqual(result["status"], "pass" if exercise.solved else "todo", run.stdout)
                        self.assertEqual(run.returncode, 0 if exercise.solved else 1)
                        self.assertEqual(result["points"], 0)
                        if not exercise.solved:
                            self.assertRegex(result["message"], rf"{exercise.function} .*student/{lab.name}_\w+\.\w+")

    def test_they_compile_without_a_warning(self):
        entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        commands = {Path(entry["file"]).name: entry for entry in entries}
        for source in (source for lab in self.labs for source in lab.sources if source.endswith(".cpp")):
            with self.subTest(source):
                entry = commands[source]
                said = subprocess.run(entry["command"] + " -Werror -o /dev/null", shell=True, cwd=entry["directory"],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual((said.returncode, said.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
