"""./course gradcheck on the answer key, on the stubs, and on answers that are wrong, that crash and that print."""

import re
from unittest import mock

import pytest
from conftest import BUILD, ROOT, built, with_answers

from author import stubs
from course.training import training_program

build = built("lab06_gradcheck")
FILE = "lab06_gradients.cpp"
KEY = (ROOT / "reference" / FILE).read_text()
ROWS = 15  # functions and arguments
FORMS = ["attention_backward_quadratic", "causal_attention_backward_parallel", "causal_attention_backward", "causal_attention_backward_chunkwise"]


@pytest.fixture
def gradcheck(printed, tmp_path):
    def run(*words, answers=None, status=1):
        program = with_answers("lab06_gradcheck", FILE, answers, tmp_path) if answers else BUILD / "lab06_gradcheck"
        with mock.patch.object(training_program, "prepared"), mock.patch.object(training_program, "build", return_value=program):
            result = printed("gradcheck", *words, "--out", tmp_path / "out")
        assert result.returncode == status, result.stdout + result.stderr
        rows = re.finditer(r"^(\w+) +(φ\(\w\)|x|V|) .*? ([A-Z]{2,}.*|ok)$", result.stdout.partition("\nn = ")[0], re.M)
        result.rows = {row.group(1, 2): row[3] for row in rows}  # (function, argument) → how its row ends
        return result
    return run


def changed(before: str, after: str) -> str:
    assert before in KEY
    return KEY.replace(before, after)


def errors(folder, function: str) -> list:
    lines = (folder / "out/error.csv").read_text().splitlines()
    return [float(line.split(",")[2]) for line in lines if line.startswith(f"{function},")]


def test_the_answer_key_agrees_and_its_error_is_a_v(gradcheck, tmp_path):
    result = gradcheck(status=0)
    assert len(result.rows) == ROWS and set(result.rows.values()) == {"ok"}
    assert "\nda_1, da_2, da_3 of section 6.6 by your 6.1: 0, -1.875, -2\n" in result.stdout  # hint 4 of 6.6
    for form in FORMS:
        assert re.search(rf"^{form} +[\d.]+ m?s +\d+ [KM]B$", result.stdout, re.M)
        curve = errors(tmp_path, form)  # from the longest step to the shortest
        assert len(curve) == 25 and curve[0] > 1e-4 and curve[-1] > 1e-2 and min(curve[6:14]) < 1e-6
    assert "      +-----" in result.stdout
    assert (tmp_path / "out/error.svg").read_text().count("<polyline") == 7


def test_stubs_are_todo_and_nothing_is_written(gradcheck, tmp_path):
    result = gradcheck(answers=stubs.cut_all(ROOT)[FILE])
    assert len(result.rows) == ROWS and set(result.rows.values()) == {"TODO"}
    assert re.findall(r"^(\w+) +TODO$", result.stdout, re.M) == FORMS
    assert "write 6.1, central_differences, first" in result.stderr and not (tmp_path / "out").exists()


def test_without_61_the_other_functions_wait_for_it(gradcheck):
    body = KEY[KEY.index("    Tensor gradient = zeros"):KEY.index("    return gradient;")]
    result = gradcheck("reverse_cumsum", "attention_backward_quadratic",
                       answers=changed(body + "    return gradient;", 'throw NotImplemented("central_differences");'))
    assert result.rows["central_differences", "x"] == "TODO"
    assert result.rows["attention_backward_quadratic", "φ(K)"] == "TODO: waits for central_differences"
    assert re.search(r"^attention_backward_quadratic +[\d.]+ m?s", result.stdout, re.M)


def test_one_wrong_gradient_is_named_with_its_argument(gradcheck, tmp_path):
    """dφ(k) without r; a function that crashes, one that throws and one that prints, beside it."""
    text = changed("set_token(d.phi_K, i, times_column(R, token(V, i)) + r);", "set_token(d.phi_K, i, times_column(R, token(V, i)));")
    text = text.replace("return dY * exp(minimum(x, 0.0));", "__builtin_trap();")
    text = text.replace("return flip(cumsum(flip(x, axis), axis), axis);", 'return zeros({2});')
    text = text.replace("const Tensor mask = causal_mask(shape.n);", 'std::puts("{here I am"); const Tensor mask = causal_mask(shape.n);')
    result = gradcheck(answers="#include <cstdio>\n" + text)
    wrong = {name: end for name, end in result.rows.items() if end != "ok"}
    assert wrong.pop(("elu_plus_one_backward", "")).startswith("CRASH: signal")
    assert wrong.pop(("reverse_cumsum", "x")) == "FAILED: the gradient has shape (2,), not (2, 5, 3)"
    assert wrong.pop((FORMS[1], "φ(K)")).startswith("FAILED: ") and wrong.pop((FORMS[1], "V")) == "WRONG"  # it calls the one before
    assert wrong == {("causal_attention_backward", "φ(K)"): "WRONG"}
    assert min(errors(tmp_path, "causal_attention_backward")) > 0.1 and min(errors(tmp_path, FORMS[0])) < 1e-6
    assert "{here I am" in result.stdout and "not all gradients agree" in result.stderr


@pytest.mark.parametrize("text", [changed("x.data()[e] - h;", "x.data()[e];").replace("/ (2.0 * h)", "/ h"),
                                  changed("        moved.data()[e] = x.data()[e];\n", "")], ids=["one-sided", "nothing is put back"])
def test_a_wrong_judge_is_named_first(gradcheck, text):
    result = gradcheck(answers=text)
    assert result.rows.pop(("central_differences", "x")) == "WRONG"
    assert set(result.rows.values()) == {"NOT CHECKED: 6.1 is wrong"}
    assert "your 6.1 is wrong, so the other rows say nothing yet" in result.stderr
