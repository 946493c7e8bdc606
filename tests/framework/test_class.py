"""A small class, graded by ./course grade with its workers killed in between: every submission gets the verdicts that it was
built to get."""

import contextlib
import json
import os
import shutil
import signal
from pathlib import Path

import hostile_file
import pytest
from author import case_file
from author.case_file import Case
from conftest import ROOT
from course_tree import course_process, wait_until

LABS = ("lab00", "lab01")
# Student → exercise of lab01 → what stands in the place of the answer, and its verdict. What calls one of these follows below.
STUDENTS = {
    "ada-honest": {},
    "bo-half": {name: (f'throw NotImplemented("{name}");', "todo")
                for name in ("elu_plus_one", "softmax_features", "polynomial_features")},
    "cy-mistakes": {"relu": ("return abs(x);", "fail"), "identity": ('throw std::runtime_error("no idea");', "fail"),
                    "softmax_features": ("return exp(x) / sum(exp(x), -1, keep_dims);", "fail"),
                    "polynomial_features": ("return x * x;", "fail")},
    "di-otherwise": {name: (ROOT / f"tests/lab01_feature_maps/alternatives/{name}-{way}.case", "pass") for name, way in (
        ("relu", "in_place"), ("softmax_features", "one_pass"), ("exp_features", "transposed"))},
}
FOLLOWS = "feature_map"  # calls the other functions
ATTACK = "constructor_exits"


@pytest.fixture
def handed_in(boxes, labs, tmp_path) -> tuple:
    """The folder of the submissions; student → exercise → the statuses that it may have."""
    folder, expected = tmp_path / "class", {}
    chosen = [lab for lab in labs if lab.name in LABS]
    for student, answers in STUDENTS.items():
        cases = [case_file.read(body, labs) if isinstance(body, Path) else
                 Case("", "lab01", name, "", "", "", {"body": body.splitlines()}) for name, (body, _) in answers.items()]
        (folder / student / "student").mkdir(parents=True)
        for lab in chosen:
            for source in lab.sources:
                text = case_file.put_into((ROOT / "reference" / source).read_text(encoding="utf-8"), source,
                                          {exercise.function for exercise in lab.exercises},
                                          [case for case in cases if case.lab == lab.name])
                (folder / student / "student" / source).write_text(text, encoding="utf-8")
        expected[student] = {exercise.function: {"pass"} for lab in chosen for exercise in lab.exercises}
        expected[student] |= {name: {status} for name, (_, status) in answers.items()}
        if any(status != "pass" for _, status in answers.values()):
            expected[student][FOLLOWS] = {"pass", "fail", "todo"}
    attack = next(attack for attack in hostile_file.read_all(labs) if attack.name == ATTACK)
    attack.submit(ROOT, folder / "eve-attacks")
    expected["eve-attacks"] = {exercise.function: {"todo"} for exercise in chosen[0].exercises} | attack.expected
    shutil.copytree(folder / "ada-honest", folder / "fay-honest")
    expected["fay-honest"] = expected["ada-honest"]
    return folder, expected


def workers(out: Path) -> list:
    """The processes that grade into this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may end meanwhile
            found += [line for line in (path.read_bytes(),) if str(out).encode() in line]
    return found


def test_verdicts_are_as_built_with_killed_workers(handed_in, tmp_path):
    folder, expected = handed_in
    out = tmp_path / "out"
    words = ["grade", str(folder), "--out", str(out), "--labs", ",".join(LABS), "--jobs", "2"]
    grading = course_process(ROOT, words)
    wait_until(lambda: any(out.glob("students/[!.]*/result.json")) or grading.poll() is not None)
    os.kill(grading.pid, signal.SIGKILL)  # before all are graded, or where the machine is quick, after
    grading.wait()
    done = {path: path.read_bytes() for path in out.glob("students/[!.]*/result.json")}
    assert course_process(ROOT, [*words, "--resume"]).wait(timeout=900) == 0
    assert workers(out) == []
    assert {path: path.read_bytes() for path in done} == done  # nothing was graded again
    results = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in out.glob("students/[!.]*/result.json")}
    assert results.keys() == expected.keys()
    for student, result in results.items():
        exercises = {each["exercise"]: each for lab in result["labs"] for each in lab["exercises"]}
        others = {name: (each["status"], each["message"]) for name, each in exercises.items()
                  if each["status"] not in expected[student][name]}
        assert others == {}, student
        assert result["earned"] == sum(each["points"] for each in exercises.values() if each["status"] == "pass")
    assert [results[student]["earned"] for student in ("ada-honest", "fay-honest")] == [12, 12]
