"""What ./course test says while it runs, which parts it runs for a name, and what it need not try again."""

import pytest

from author.commands.test import CLANG, LABS, Selection, plan
from author.test_progress import Progress, Times
from green import Green, digest_of

LOG = """        Start   1: lab00.build
 1/4 Test   #1: lab00.build .................   Passed    2.00 sec
        Start   2: framework.docs
        Start   3: framework.hostile
 2/4 Test   #3: framework.hostile ...........***Failed    9.00 sec
        Start   4: framework.judge
"""


@pytest.fixture
def times(tmp_path) -> Times:
    return Times(tmp_path / "times.json")


def line(times: Times, words: str, coming: tuple = (), names: tuple = ()) -> str:
    return Progress("test", list(coming), times, list(names), jobs=2)._line(words)


def test_what_is_done_and_what_runs(times):
    assert line(times, LOG) == "  test, 2 of 4 done, 1 failed, running docs (0 s) judge (0 s)"
    assert line(times, "[3/200] Building CXX object a.o\n[4/200] Linking b\n") == "  test, 4 of 200 done"


def test_what_is_left_by_the_last_run(times):
    times.keep("test", 300, {"framework.docs": 200, "framework.judge": 300, "lab00.build": 9}, whole=True)
    assert "about 5 min left" in line(times, LOG)  # the longest of those that have not ended
    times.keep("later", 600, {}, whole=True)
    assert "about 15 min left" in line(times, LOG, ["later"])
    assert "left" not in line(times, LOG, ["never ran"])


def test_a_part_changes_the_times_of_its_tests_alone(times):
    times.keep("test", 300, {"framework.docs": 200, "framework.judge": 300}, whole=True)
    times.keep("test", 50, {"framework.docs": 40}, whole=False)
    assert times.expected("test", [], 2) == 300
    assert times.expected("test", ["docs"], 2) == 40
    assert "about 40 s left" in line(times, LOG, names=["docs"])


@pytest.mark.parametrize("labels, programs, steps", [
    (set(), [], ["test reference"]),
    ({"tidy"}, [], ["test reference", "configure reference-clang", "test reference-clang"]),
    ({"lab05"}, ["lab05_check"],
     ["build reference", "test reference", "soak, seed 2", "configure reference-clang", "test reference-clang"])])
def test_the_parts_that_a_name_needs(labels, programs, steps):
    chosen = Selection("docs|lab05", programs, {LABS: "lab05" in labels, CLANG: bool(labels)})
    planned = [step for row in plan(0, chosen) for step in row]
    assert [step.name for step in planned] == steps
    assert all("docs|lab05" in step.command for step in planned if step.command[0] == "ctest")


@pytest.mark.parametrize("soak, seeds", [(0, ["2"]), (1, ["2"]), (4, ["2", "3", "4"])])
def test_another_seed_is_always_tried_and_more_are_on_request(soak, seeds):
    assert [step.environment["LINATTN_SEED"] for row in plan(soak) for step in row
            if "LINATTN_SEED" in step.environment and LABS in step.command] == seeds


def test_a_result_holds_until_a_file_or_a_word_changes(tmp_path, monkeypatch):
    monkeypatch.delenv("LINATTN_ANEW", raising=False)
    file, green = tmp_path / "file", Green(tmp_path, "gate")
    file.write_text("a")
    green.keep("lab", digest_of([file], "word"), [1])
    assert green.result("lab", digest_of([file], "word")) == [1]
    assert green.result("lab", digest_of([file], "other word")) is None
    file.write_text("b")
    assert green.result("lab", digest_of([file], "word")) is None
