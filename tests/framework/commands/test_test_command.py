"""Which parts ./course test runs for a name, and what it need not try again."""

from types import SimpleNamespace

import pytest

from author.commands import test as command
from course.errors import CourseError


@pytest.fixture
def ran(tmp_path, monkeypatch) -> SimpleNamespace:
    """What `./course test words…` starts where ctest lists `tests` and the steps in `fails` fail."""
    state = SimpleNamespace(root=tmp_path, steps={}, fails=(), tests=[])
    listed = {"tests": state.tests}

    def passes(_, step: str, words: list, environment: dict) -> bool:
        state.steps[step] = (words, environment)
        return step not in state.fails
    monkeypatch.setattr(command, "_passes", passes)
    monkeypatch.setattr(command, "_end_left_over", lambda: None)
    monkeypatch.setattr(command.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0, stdout=command.json.dumps(listed)))
    monkeypatch.setattr(command.os, "environ", dict(command.os.environ))

    def run(*names: str, soak: int = 0) -> int:
        return command.run(tmp_path, SimpleNamespace(names=list(names), soak=soak, cases=None))
    state.run = run
    return state


def listed(name: str, label: str, program: str = "", fixture: str = "") -> dict:
    properties = [{"name": "LABELS", "value": [label]}] + [{"name": "FIXTURES_REQUIRED", "value": [fixture]}] * bool(fixture)
    return {"name": name, "properties": properties} | ({"command": [program]} if program else {})


@pytest.mark.parametrize("soak, seeds", [(0, [2]), (1, [2]), (4, [2, 3, 4])])
def test_another_seed_is_always_tried_and_more_are_on_request(ran, soak, seeds, capsys):
    assert ran.run(soak=soak) == 0
    soaked = [f"test reference, seed {seed}" for seed in seeds]
    assert list(ran.steps) == ["configure reference", "build reference", "test reference", *soaked, "configure reference-clang",
                               "build reference-clang", "test reference-clang"]
    assert all(command.LABS in ran.steps[step][0] and ran.steps[step][1] == {"LINATTN_SEED": step[-1]} for step in soaked)
    assert "s of processor time" in capsys.readouterr().out


def test_a_failing_test_keeps_no_other_from_running_and_a_failing_build_does(ran, capsys):
    ran.fails = ("test reference", "build reference-clang")
    assert ran.run() == 1
    assert "test reference, seed 2" in ran.steps and "test reference-clang" not in ran.steps
    assert "FAILED: test reference\nFAILED: build reference-clang\n" in capsys.readouterr().out


@pytest.mark.parametrize("tests, built, clang", [
    ([("framework.docs", "framework", "/usr/bin/python3")], None, False),
    ([("lab05.build", "lab05", "/usr/bin/python3"), ("lab05.f", "lab05", "{}/lab05_check", "lab05_built")], ["lab05_check"], True),
    ([("lab05.f", "lab05", "", "lab05_built")], None, True),  # its fixture builds it
    ([("framework.grading", "framework")], ["all"], False)])
def test_the_parts_that_a_name_needs(ran, tests, built, clang):
    ran.tests += [listed(name, label, *(each.format(ran.root / "build/reference") for each in more)) for name, label, *more in tests]
    assert ran.run("docs", "lab05", "grading") == 0
    assert (ran.steps["build reference"][0][4:] if built else None) == built and ("build reference" in ran.steps) == bool(built)
    assert ("test reference-clang" in ran.steps) == clang and "build reference-clang" not in ran.steps
    assert all(words[words.index("-R") + 1] == "docs|lab05|grading" for words, _ in ran.steps.values() if words[0] == "ctest")


def test_names_of_no_test(ran):
    for name, why in (("(", "is no regular expression"), ("nothing", "no test has a name that matches nothing")):
        with pytest.raises(CourseError, match=why):
            ran.run(name)
    assert ran.run("tidy") == 0  # clang's build alone has it
    assert "test reference-clang" in ran.steps
