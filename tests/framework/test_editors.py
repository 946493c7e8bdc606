"""What an editor shows in a student's files: clangd finds no error in a stub, and VS Code's files can be read."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from conftest import BUILD, ROOT


class Editors(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clangd"), "clangd is not installed")
    def test_clangd_finds_no_error_in_any_stub(self):
        commands = (BUILD / "compile_commands.json").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:  # the reference's files are compiled in the same way
            (Path(folder) / "compile_commands.json").write_text(
                commands.replace(f"{ROOT}/reference/", f"{ROOT}/student/"), encoding="utf-8")
            for stub in sorted((ROOT / "student").glob("lab*.c[pu]*")):
                check = subprocess.run(["clangd", f"--compile-commands-dir={folder}", f"--check={stub}"], text=True,
                                       capture_output=True, cwd=ROOT)
                errors = [line for line in check.stderr.splitlines() if line.startswith("E[")]
                self.assertEqual((check.returncode, errors), (0, []), stub.name)
                self.assertIn("Compile command from CDB", check.stderr)

    def test_clangd_reads_how_the_student_s_track_is_compiled(self):
        self.assertIn("CompilationDatabase: build/student\n", (ROOT / ".clangd").read_text(encoding="utf-8"))

    def test_the_files_of_vs_code_can_be_read(self):
        files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / ".vscode").glob("*.json")}
        tasks = [task["label"] for task in files["tasks.json"]["tasks"]]
        for configuration in files["launch.json"]["configurations"]:
            self.assertIn(configuration["preLaunchTask"], tasks)
            self.assertIn("tools/course/gdb_tensor.py", json.dumps(configuration))
