"""./course autograder: the zip and its scripts, what stands in for a box where the container is one, and what it leaves."""

import json
import os
import shutil
import subprocess
import zipfile

import pytest
from conftest import ROOT, built_tree
from course_tree import run_course

from author.judge import build, container

SCRIPTS = "tools/author/judge/autograder"


def test_the_zip(tmp_path):
    scripts = [f"{SCRIPTS}/{name}" for name in ("setup.sh", "run_autograder")]
    shutil.copytree(ROOT / SCRIPTS, tmp_path / SCRIPTS)
    for script in scripts:
        (tmp_path / script).chmod(0o755)
    (tmp_path / "notes").write_text("not for git")
    for said, then in (("git does not know", "git init -q && git add tools"),
                       ("not committed", "git -c user.name=a -c user.email=a@x.invalid commit -qm all"),
                       ("keep it private", f"sh -n {scripts[0]} && sh -n {scripts[1]}")):
        ran = run_course(tmp_path, ("autograder", "gradescope", "--out", str(tmp_path / "out.zip")))
        assert said in ran.stdout + ran.stderr
        subprocess.run(then, shell=True, cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert modes == dict.fromkeys(["setup.sh", "run_autograder", *(f"course/{script}" for script in scripts)], 0o755)


def test_close(tmp_path):
    build = tmp_path / "build/reference"
    for name in ("labs/a.hpp", "tests/b.cpp", "reference/c.cpp", "build/reference/open.a", "build/reference/d/answer.o",
                 "build/reference/pch/x.gch"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    container.close(tmp_path, build, [str(build / "open.a"), str(build / "pch")])
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o077 for path in tmp_path.rglob("*")}
    assert {name for name, mode in modes.items() if mode == 0} == {"tests", "reference", "build/reference/d/answer.o"}
    assert modes["build/reference/d"] == 0o11  # nothing in it can be listed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, who takes the place of a box")
def test_a_submission(boxes, open_folder, monkeypatch):
    stub = (ROOT / "student/lab01_feature_maps.cpp").read_text(encoding="utf-8")
    (open_folder / "lab01_feature_maps.cpp").write_text(stub.replace('throw NotImplemented("relu");', "return x;").replace(
        'throw NotImplemented("identity");', "return x;"), encoding="utf-8")
    for name, text in (("CLASSROOM", "cs"), ("ASSIGNMENT", "lab01"), ("COMMIT_URL", "https://x.invalid/c")):
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(open_folder)
    monkeypatch.setattr(build, "BuildTree", lambda *_: built_tree())
    monkeypatch.setattr(container, "close", lambda *_: None)
    assert container.main(ROOT) == 0
    result = json.loads((open_folder / "result.json").read_text(encoding="utf-8"))
    assert (result["schema"], result["classroom"], result["review"]) == ("classroom50/result/v1", "cs", "https://x.invalid/c")
    assert (result["score"], [each["test-name"] for each in result["tests"] if each["passed"]]) == (1, ["lab01.identity"])
