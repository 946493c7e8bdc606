"""./course trace: the right answers are traced as right, a mistake at its first step, and each ending has its words."""

import argparse
import textwrap
from unittest import mock

import pytest
from conftest import BUILD, LABS, ROOT
from course_tree import shell_script
from course.commands import trace

TRACED = [(lab.name, function) for lab in LABS for exercise in lab.exercises
          if (function := exercise.function) in trace.functions(ROOT)]


def followed(tmp_path, lab, function, mistake=""):
    program = BUILD / ("mistakes" if mistake else "") / f"{lab}_exercises"
    return trace.follow([str(program), "--trace", "--exercise", function, *(["--mistake", mistake] if mistake else [])],
                        tmp_path / "log")


def told(tmp_path, capsys, lab, function, mistake=""):
    """The last two lines of the command."""
    run = followed(tmp_path, lab, function, mistake)
    with mock.patch.object(trace, "BuildTree") as tree, mock.patch.object(trace, "follow", return_value=run):
        tree.return_value.folder, tree.return_value.build.return_value = tmp_path, []
        trace.run(ROOT, argparse.Namespace(exercise=function, track="reference"))
    return capsys.readouterr().out.splitlines()[-2:]


def scripted(tmp_path, script):
    """What a program that prints this and ends so is said to have done."""
    return trace.follow([str(shell_script(tmp_path / "program", textwrap.dedent(script)))], tmp_path / "log")


@pytest.mark.parametrize("lab, function", TRACED)
def test_the_answer_key_is_right_at_every_step(tmp_path, lab, function):
    steps, ending = followed(tmp_path, lab, function)
    assert ending == ""
    assert len(steps) >= 3
    assert [trace._first_difference(str(at), step) for at, step in enumerate(steps)] == [""] * len(steps)
    assert all(step.inputs and "output" in step.yours or "w" in step.yours for step in steps)


@pytest.mark.parametrize("lab, function, mistake, first", [
    ("lab02", "linear_attention_step", "key and query exchanged", "token 0, S[1, 0]: yours 0, right 1"),
    ("lab02", "linear_attention_recurrent", "state replaced instead of added to", "token 1, S[0, 0]"),
    ("lab09", "delta_rule_recurrent", "value added, nothing subtracted", "token 1, S[0, 0]: yours 2.2, right 1.84"),
])
def test_a_mistake_is_marked_where_it_begins(tmp_path, lab, function, mistake, first):
    steps, _ = followed(tmp_path, lab, function, mistake)
    found = [trace._first_difference(f"token {number}", step) for number, step in enumerate(steps)]
    assert next(filter(None, found)).startswith(first)
    shown = [line for number, step in enumerate(steps) for line in trace._shown(f"token {number}", step, any(found[:number]))]
    assert sum(trace.FIRST.strip() in line for line in shown) == 1
    assert sum("≠" in line for line in shown) >= 1


@pytest.mark.parametrize("lab, function, arguments", [
    ("lab02", "linear_attention_recurrent", "Q (4, 2), K (4, 2), V (4, 3), phi identity"),
    ("lab03", "causal_linear_attention_resume", "q (1, 2), k (1, 2), v (1, 3), S (2, 3), z (2,), elu_plus_one, epsilon 0"),
])
def test_what_is_right_is_these_steps_alone(tmp_path, capsys, lab, function, arguments):
    assert told(tmp_path, capsys, lab, function) == [
        f"these 4 steps are right, with {arguments}", f"that does not mean that the exercise is: ./course check {lab}.{function}"]


@pytest.mark.parametrize("lab, function, mistake, last", [
    ("lab07", "block_step", "ReLU instead of GELU", "the state is right; only the output differs"),
    ("lab02", "linear_attention_step", "key and query exchanged", "the steps after it go on from what yours returned, so begin there"),
])
def test_it_says_whether_the_state_is_wrong(tmp_path, capsys, lab, function, mistake, last):
    first, then = told(tmp_path, capsys, lab, function, mistake)
    assert first.startswith("first difference: token 0, ") and then == last


def test_each_ending_has_its_words(tmp_path):
    step = "echo '@trace step output ,'\n"
    assert scripted(tmp_path, step + "exit 0")[1] == "it ended the program"
    assert scripted(tmp_path, step + "kill -SEGV $$")[1].startswith("it crashed (")
    assert scripted(tmp_path, step + "kill -XCPU $$")[1] == "it did not return within 10 seconds"
    assert scripted(tmp_path, step + "echo '==1==ERROR: AddressSanitizer: heap-buffer-overflow on' >&2; exit 1")[1] == \
        "it crashed (heap-buffer-overflow)"
    steps, ending = scripted(tmp_path, "echo mine\n" + step + "echo '@trace end output ,'")
    assert (ending, steps[0].printed) == ("", ["mine"])


def test_it_fits_a_narrow_terminal(tmp_path, monkeypatch):
    steps, _ = followed(tmp_path, "lab02", "linear_attention_step")
    monkeypatch.setenv("COLUMNS", "24")
    assert max(len(line) for line in trace._shown("token 3", steps[3], False)) <= 24
    monkeypatch.setenv("COLUMNS", "80")
    assert trace._shown("token 3", steps[3], False) == [
        "token 3   q 2 1   k 2 1   v 1 2 0",
        "  S         6 4 3     6 4 3",
        "            2 4 4     2 4 4",
        "  output    14 12 10     14 12 10"]


def test_a_function_without_steps_is_refused():
    for exercise, can in (("lab01.relu", "linear_attention_recurrent, "), ("lab03.causal_linear_attention", "causal_linear_attention_step, "),
                          ("lab07.generate", "hybrid_attention_step, block_step, linear_attention_recurrent, ")):
        with pytest.raises(trace.CourseError, match=f"trace cannot follow {exercise}; it can follow {can}"):
            trace.run(ROOT, argparse.Namespace(exercise=exercise, track="reference"))
