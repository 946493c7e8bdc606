"""./course trace: the right answers are traced as right, a mistake at its first step, and each ending has its words."""

import argparse
from unittest import mock

import pytest
from conftest import BUILD, LABS, ROOT, shell_script
from course.commands import trace

TRACED = [(lab.name, exercise.function) for lab in LABS for exercise in lab.exercises if exercise.function in trace.functions(ROOT)]


def followed(tmp_path, lab, function, mistake=""):
    program = BUILD / ("mistakes" if mistake else "") / f"{lab}_exercises"
    return trace.follow([str(program), "--trace", "--exercise", function, *(["--mistake", mistake] if mistake else [])],
                        tmp_path / "log")


@pytest.mark.parametrize("lab, function", TRACED)
def test_the_answer_key_is_right_at_every_step(tmp_path, lab, function):
    steps, ending = followed(tmp_path, lab, function)
    assert (ending, len(steps) >= 3) == ("", True)
    assert [trace._first_difference(str(at), step) for at, step in enumerate(steps)] == [""] * len(steps)
    assert all(step.input and "output" in step.yours or "w" in step.yours for step in steps)


WRONG_STATE = "the steps after it go on from what yours returned, so begin there"


@pytest.mark.parametrize("lab, function, mistake, first, then", [
    ("lab02", "linear_attention_recurrent", "", "these 4 steps are right, with Q (4, 2), K (4, 2), V (4, 3), phi identity",
     "that does not mean that the exercise is: ./course check lab02.linear_attention_recurrent"),
    ("lab03", "causal_linear_attention_resume", "",
     "these 4 steps are right, with q (1, 2), k (1, 2), v (1, 3), S (2, 3), z (2,), elu_plus_one, epsilon 0", "that does not mean that "),
    ("lab02", "linear_attention_step", "key and query exchanged", "first difference: token 0, S[1, 0]: yours 0, right 1", WRONG_STATE),
    ("lab02", "linear_attention_recurrent", "state replaced instead of added to", "first difference: token 1, S[0, 0]", WRONG_STATE),
    ("lab09", "delta_rule_recurrent", "value added, nothing subtracted", "first difference: token 1, S[0, 0]: yours 2.2, right 1.84", WRONG_STATE),
    ("lab07", "block_step", "ReLU instead of GELU", "first difference: token 0, ", "the state is right; only the output differs")])
def test_the_last_words_say_where_a_mistake_begins(tmp_path, capsys, lab, function, mistake, first, then):
    run = followed(tmp_path, lab, function, mistake)
    with mock.patch.object(trace, "BuildTree") as tree, mock.patch.object(trace, "follow", return_value=run):
        tree.return_value.folder, tree.return_value.build.return_value = tmp_path, []
        trace.run(ROOT, argparse.Namespace(exercise=function, track="reference"))
    *shown, last_but_one, last = capsys.readouterr().out.splitlines()
    assert last_but_one.startswith(first) and last.startswith(then)
    assert sum(trace.FIRST.strip() in line for line in shown) == (1 if mistake else 0)
    assert any("≠" in line for line in shown) == bool(mistake)


@pytest.mark.parametrize("script, ending", [
    ("exit 0", "it ended the program"), ("kill -SEGV $$", "it crashed ("), ("kill -XCPU $$", "it did not return within 10 seconds"),
    ("echo '==1==ERROR: AddressSanitizer: heap-buffer-overflow on' >&2; exit 1", "it crashed (heap-buffer-overflow)")])
def test_each_ending_has_its_words(tmp_path, script, ending):
    program = shell_script(tmp_path / "program", f"echo mine\necho '@trace step output ,'\n{script}")
    [step], said = trace.follow([str(program)], tmp_path / "log")
    assert step.printed == ["mine"] and said.startswith(ending)


def test_it_fits_a_narrow_terminal(tmp_path, monkeypatch):
    steps, _ = followed(tmp_path, "lab02", "linear_attention_step")
    monkeypatch.setenv("COLUMNS", "24")
    assert max(len(line) for line in trace._shown("token 3", steps[3], False)) <= 24
    monkeypatch.setenv("COLUMNS", "80")
    assert trace._shown("token 3", steps[3], False) == [
        "token 3   q 2 1   k 2 1   v 1 2 0", "  S         6 4 3     6 4 3", "            2 4 4     2 4 4", "  output    14 12 10     14 12 10"]
