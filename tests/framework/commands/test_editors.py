"""What an editor shows in a student's files: clangd finds no error in a stub, and VS Code's files can be read."""

import json
import shutil
import subprocess

import pytest
from conftest import BUILD, ROOT


@pytest.mark.skipif(not shutil.which("clangd"), reason="clangd is not installed")
def test_clangd_finds_no_error_in_any_stub(tmp_path):
    commands = (BUILD / "compile_commands.json").read_text()  # the reference's files are compiled in the same way
    (tmp_path / "compile_commands.json").write_text(commands.replace(f"{ROOT}/reference/", f"{ROOT}/student/"))
    for stub in sorted((ROOT / "student").glob("lab*.c[pu]*")):
        check = subprocess.run(["clangd", f"--compile-commands-dir={tmp_path}", f"--check={stub}"], text=True, capture_output=True,
                               cwd=ROOT)
        errors = [line for line in check.stderr.splitlines() if line.startswith("E[")]
        assert (check.returncode, errors) == (0, []), stub.name
        assert "Compile command from CDB" in check.stderr


def test_the_files_of_vs_code_can_be_read_and_clangd_reads_how_the_student_s_track_is_compiled():
    assert "CompilationDatabase: build/student\n" in (ROOT / ".clangd").read_text()
    files = {path.name: json.loads(path.read_text()) for path in (ROOT / ".vscode").glob("*.json")}
    tasks = [task["label"] for task in files["tasks.json"]["tasks"]]
    for configuration in files["launch.json"]["configurations"]:
        assert configuration["preLaunchTask"] in tasks
        assert "tools/course/verdicts/gdb_tensor.py" in json.dumps(configuration)
