"""./course autograder: the zip and its scripts, what stands in for a box where the container is one, and what it leaves."""

import json
import os
import re
import shutil
import subprocess
import zipfile

import pytest
from conftest import ROOT, built_tree, run_course

from author.judge import build, container

SCRIPTS = "tools/author/judge/autograder"


def test_the_zip(tmp_path):
    shutil.copytree(ROOT / SCRIPTS, tmp_path / SCRIPTS)
    (tmp_path / "notes").write_text("not for git")
    for said, then in (("git does not know", "git init -q && git add tools"),
                       ("not committed", "git -c user.name=a -c user.email=a@x.invalid commit -qm all"),
                       ("keep it private", f"sh -n {SCRIPTS}/setup.sh && sh -n {SCRIPTS}/run_autograder")):
        ran = run_course(tmp_path, ("autograder", "gradescope", "--out", tmp_path / "out.zip"))
        assert said in ran.stdout + ran.stderr
        subprocess.run(then, shell=True, cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert modes == {f"{at}{name}": 0o755 for at in ("", f"course/{SCRIPTS}/") for name in ("setup.sh", "run_autograder")}


def test_close(tmp_path):
    tests, reference, build = tmp_path / "tests", tmp_path / "reference", tmp_path / "build/reference"
    given, answer = build / "pch/x.gch", build / "d/answer.o"
    for file in (tests / "a.cpp", reference / "b.cpp", given, answer):
        file.parent.mkdir(parents=True)
        file.touch()
    container.close(tmp_path, build, [str(build / "pch")])
    modes = {path: path.stat().st_mode & 0o077 for path in (tests, reference, answer, answer.parent, given)}
    assert list(modes.values()) == [0, 0, 0, 0o11, 0o44]  # nothing in a folder of the build can be listed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, who takes the place of a box")
def test_a_submission(boxes, open_folder, monkeypatch):
    stub = (ROOT / "student/lab01_feature_maps.cpp").read_text()
    answered = re.sub(r'throw NotImplemented\("(relu|identity)"\);', "return x;", stub)
    (open_folder / "lab01_feature_maps.cpp").write_text(answered)
    for name, text in (("CLASSROOM", "cs"), ("ASSIGNMENT", "lab01"), ("COMMIT_URL", "https://x.invalid/c")):
        monkeypatch.setenv(name, text)
    monkeypatch.chdir(open_folder)
    monkeypatch.setattr(build, "BuildTree", lambda *_: built_tree())
    monkeypatch.setattr(container, "close", lambda *_: None)
    assert container.main(ROOT) == 0
    result = json.loads((open_folder / "result.json").read_text())
    assert [result[key] for key in ("schema", "classroom", "review", "score")] == ["classroom50/result/v1", "cs", "https://x.invalid/c", 1]
    assert [each["test-name"] for each in result["tests"] if each["passed"]] == ["lab01.identity"]
