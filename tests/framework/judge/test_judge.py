"""One submission, graded by the judge: what an honest answer and a stub earn, and what is the grader's trouble. test_hostile.py has
the attacks."""

import json
import os
import re
from unittest import mock

import pytest
from author.judge import box, build, grade_submission
from conftest import LABS, ROOT, built_tree
from course.errors import CourseError

SOURCE = "lab01_feature_maps.cpp"


def key(source: str) -> str:
    return (ROOT / "reference" / source).read_text()


def stub(*changes: tuple[str, str]) -> dict:
    return {SOURCE: changed((ROOT / "student" / SOURCE).read_text(), *changes)}


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.fixture
def judged(boxes, tmp_path, monkeypatch):
    """Grades these files; returns the exit status, and the result or None."""
    monkeypatch.setattr(build, "BuildTree", lambda *_: built_tree())

    def grade(files: dict, *labs: str) -> tuple:
        (tmp_path / "s001").mkdir(exist_ok=True)
        for name, text in files.items():
            (tmp_path / "s001" / name).write_text(text)
        status = grade_submission.grade_one(ROOT, tmp_path / "s001", tmp_path / "results", list(labs), 7)
        left = list((tmp_path / "results").iterdir())
        return status, json.loads((left[0] / "result.json").read_text()) if left else None
    return grade


def exercises(graded: tuple) -> dict:
    assert graded[0] == 0
    return {exercise["exercise"]: exercise for lab in graded[1]["labs"] for exercise in lab["exercises"]}


def test_the_answer_key_earns_everything(judged, tmp_path):
    sources = [source for lab in LABS for source in lab.sources]
    graded = judged({source: key(source) for source in sources})
    assert {name for name, each in exercises(graded).items() if each["status"] != "pass"} == set()
    assert graded[1]["earned"] == sum(exercise.points for lab in LABS for exercise in lab.exercises)
    assert sorted(path.name for path in (tmp_path / "results/s001/files").iterdir()) == sorted(sources)


def test_stubs_are_to_do_and_a_mistake_and_a_crash_are_named_as_at_home(judged):
    graded = judged(stub(('throw NotImplemented("relu");', "return x;"), (
        'throw NotImplemented("identity");', "return x * *new double[1]() + (&*x.begin())[x.size()];")), "lab01", "lab02")
    found = exercises(graded)
    relu, identity = found.pop("relu"), found.pop("identity")
    assert (relu["status"], identity["status"], {each["status"] for each in found.values()}) == ("fail", "crash", {"todo"})
    assert (graded[1]["earned"], graded[1]["seed"], relu["mistakes"]) == (0, 7, ["negative entries kept"])
    assert "seed 7" in relu["message"]
    assert re.search(rf"went outside an array(?s:.*)student/{SOURCE}:\d+", identity["message"])


def test_forged_counts_do_not_hide_a_quadratic_cost(judged):
    name = "lab02_parallel_vs_recurrent.cpp"
    forged = changed(key(name), ("return matmul(phi(Q), matmul(matrix_transpose(phi(K)), V));",
                                 """const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
            const Tensor O = matmul(matmul(phi(Q), matrix_transpose(phi(K))), V);
            work_done = work, largest_work = most, testing::blocks_run = blocks;
            return O;"""), ("namespace linattn {", """#include "work_counter.hpp"
            namespace linattn::testing { extern std::size_t blocks_run; }
            namespace linattn {"""))
    found = exercises(judged({name: forged, "lab02_tests.cpp": key("lab02_tests.cpp")}, "lab02"))
    [(wrong, message)] = [(name, each["message"]) for name, each in found.items() if each["status"] != "pass"]
    assert wrong == "linear_attention_bidirectional" and "KiB of memory" in message


def test_a_fault_of_a_kernel_names_the_line(judged):
    name, guard = "lab05_chunkwise_kernel.cu", "if (i < count) "
    place = f"{guard}y[i] = feature_map_fused(x[i]);"
    text = key(name)
    found = exercises(judged({name: changed(text, (place, place.removeprefix(guard)))}, "lab05"))["feature_map_fused"]
    line = text[:text.index(place)].count("\n") + 1
    assert (found["status"], "apply_feature_map: read 4 bytes" in found["message"]) == ("fail", True)
    assert f"at student/{name}:{line}\n" in found["message"]


@pytest.mark.parametrize("text, words", [
    ('static_assert(false, "nonsense");', "nonsense"), ('asm("nop");', "Leave out assembler"),
    ("char one[3UL << 30], two[3UL << 30]; int three = 3; char use() { return one[1] + two[three]; }",
     "cannot be (built with this submission|linked)")])
def test_why_nothing_could_be_built_names_no_path_of_the_graders(text, words, judged):
    found = exercises(judged(stub(("namespace linattn {", f"{text}\nnamespace linattn {{")), "lab01"))["relu"]
    assert found["status"] == "build" and re.search(words, found["message"])
    assert [path for path in (str(ROOT), "/tmp/", "reference/") if path in found["message"]] == []


@pytest.mark.parametrize("place, name, fault, files, words", [
    (box.Box, "_command", lambda *_: ["sh", "-c", "echo no namespaces >&2; exit 1"], stub(), "no namespaces"),
    (box.Box, "runs", lambda *_: ["sh", "-c", "exit 1"], stub(), ""),  # it fails before the runner runs
    (box, "ROOM", 1 << 62, {SOURCE: "#error"}, "there is no room left in"),
    ("author.judge.feedback", "write_together", mock.Mock(side_effect=OSError(28, os.strerror(28))), {"notes.txt": ""},
     "^course: s001 was not graded: cannot write .*results: No space left on device")], ids=["box", "runner", "disk", "result"])
def test_what_is_the_graders_trouble_leaves_no_verdict(place, name, fault, files, words, judged, capsys, monkeypatch):
    monkeypatch.setattr(*((f"{place}.{name}", fault) if isinstance(place, str) else (place, name, fault)))
    assert judged(files, "lab01") == (75, None)
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize("refused, words", [(str(ROOT / "labs"), "move it out of /root"), ("/program", "noexec")])
def test_why_nothing_can_be_graded(refused, words, tmp_path, monkeypatch):
    monkeypatch.setattr(box.Box, "compile", lambda _, command, folder, see, log: log.touch() or refused not in see)
    with pytest.raises(CourseError, match=f"^nothing can be graded: .*{words}"):
        box.Box(tmp_path).try_out(tmp_path, ROOT / "labs")


def test_a_submission_without_files_is_unusable(judged):
    status, result = judged({"notes.txt": ""}, "lab01")
    assert (status, result["status"], result["labs"]) == (3, "unusable", [])
