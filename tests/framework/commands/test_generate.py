"""./course generate digits on the answer key, on stubs, and on answers that are wrong or crash."""

import re
from unittest import mock

import pytest
from conftest import BUILD, ROOT, built, with_answers

from author import stubs
from course.commands import generate as command
from course.errors import CourseError
from course.training import training_program

build = built("lab08_train")
FILE = "lab07_transformer_layer.cpp"
KEY = (ROOT / "reference" / FILE).read_text()


@pytest.fixture
def generate(printed, tmp_path):
    """With few lengths: the long ones take a minute."""
    def run(*words, answers=None, status=0, **constants):
        program = with_answers("lab08_train", FILE, answers, tmp_path) if answers else BUILD / "lab08_train"
        with mock.patch.multiple(command, **({"LENGTHS": (64,)} | constants)), mock.patch.object(training_program, "prepared"), \
                mock.patch.object(training_program, "build", return_value=program):
            result = printed("generate", "digits", "--out", tmp_path / "out", *words)
        assert result.returncode == status, result.stdout + result.stderr
        return result
    return run


def pictures(text: str, heading: str) -> list:
    """The lines of five pictures, as wide as they are."""
    return [f"{line:92}" for line in text.split(f"{heading}:\n")[1].split("\n")[:8]]


def distance(lines: list, others: list) -> int:
    return sum(abs(" ·░▒▓█".index(a) - " ·░▒▓█".index(b)) for line, other in zip(lines, others) for a, b in zip(line, other))


def test_the_answer_key_completes_digits_that_resemble_what_they_were(generate, tmp_path):
    """Greedy completions share more pixels with the images than white paper does: the weights are trained ones."""
    result = generate(LENGTHS=(64, 96))
    given, completed, were = (pictures(result.stdout, heading) for heading in ("given", "completed by your generate", "were"))
    assert given[:4] == completed[:4] == were[:4] and not "".join(given[4:]).strip()
    assert 0 < distance(completed, were) < 0.75 * distance(given, were)
    assert re.search(r"^   64 pixels, these weights( +[\d.e+]+){3}\n   96 pixels, untrained( +[\d.e+]+){3}$", result.stdout, re.M)
    assert (tmp_path / "out/digits.svg").read_text().count("<text") == 3


def test_rows_that_are_given_and_what_is_left_out(generate):
    result = generate("--rows", 6, PATIENCE=0)
    assert pictures(result.stdout, "completed by your generate")[:6] == pictures(result.stdout, "were")[:6]
    assert re.search(r"these weights +[\d.e+]+ +[\d.e+]+ +> 0 min an image$", result.stdout, re.M)


STUBS = stubs.cut_all(ROOT)[FILE].replace('throw NotImplemented("generate");', "return split_heads(prompt, 1);")
READS = "Tensor next = most_likely("


@pytest.mark.parametrize("text, status, sentence", [
    (STUBS, 1, "split_heads is not written yet, and this command needs it"),
    (KEY.replace(READS, "__builtin_trap(); " + READS), 2, "stopped unexpectedly (signal"),
    (KEY.replace(READS, 'throw std::runtime_error("no idea"); ' + READS), 2, "generate stopped with an error: no idea;")])
def test_stubs_and_answers_that_crash(generate, text, status, sentence):
    said = generate(answers=text, status=status).stderr
    assert sentence in said and said.count("\n") == 1


@pytest.mark.parametrize("text", ["", "window.DIGITS = {};", 'window.DIGITS = {"weights": 3, "bytes": "AAA"};'])
def test_damaged_weights_are_refused(tmp_path, text):
    assert len(command.read_weights(ROOT / command.WEIGHTS)[1]) == 106514
    (tmp_path / "weights.js").write_text(text)
    with pytest.raises(CourseError, match="does not hold the weights"):
        command.read_weights(tmp_path / "weights.js")
