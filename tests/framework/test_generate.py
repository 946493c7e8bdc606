"""./course generate digits on the answer key, on stubs, and on answers that are wrong or crash."""

import re
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import BUILD, built
from course_tree import REPOSITORY, run_course, shell_script
from rebuilt import with_answers

from author import stubs
from course import digit_pictures, training_program
from course.commands import generate as command
from course.errors import CourseError

build = built("lab07_generate")
FILE = "lab07_transformer_layer.cpp"
KEY = (REPOSITORY / "reference" / FILE).read_text(encoding="utf-8")


def generate(folder: Path, *words: str, program: Path = BUILD / "lab07_generate", lengths: tuple = (64,)) -> SimpleNamespace:
    """With few lengths: the long ones take a minute."""
    with mock.patch.object(command, "LENGTHS", lengths), mock.patch.object(training_program, "prepared"), \
            mock.patch.object(training_program, "build", return_value=program):
        return run_course(REPOSITORY, ("generate", "digits", "--out", str(folder / "out"), *words))


def pictures(text: str, heading: str, lines: int = 8) -> str:
    return "\n".join(text.split(f"{heading}:\n")[1].split("\n")[:lines])


def test_the_answer_key_completes_digits_that_resemble_what_they_were(tmp_path):
    result = generate(tmp_path, lengths=(64, 96))
    assert result.returncode == 0, result.stdout + result.stderr
    given, completed, were = (pictures(result.stdout, heading) for heading in ("given", "completed by your generate", "were"))
    assert given.split("\n")[:4] == completed.split("\n")[:4] == were.split("\n")[:4]
    assert not "".join(given.split("\n")[4:]).strip()
    assert completed.split("\n")[4:] != were.split("\n")[4:]
    _, weights = command.read_weights(REPOSITORY / command.WEIGHTS)
    assert len(weights) == 106514
    assert re.search(r"^   64 pixels, these weights( +[\d.e+]+){3}\n   96 pixels, untrained( +[\d.e+]+){3}$", result.stdout, re.M)
    assert (tmp_path / "out/digits.svg").read_text(encoding="utf-8").count("<text") == 3


def test_the_weights_are_trained_ones(tmp_path):
    """Greedy completions share more pixels with the images than white paper does."""
    originals = command._images(REPOSITORY / command.IMAGES)
    completed: list = []
    with mock.patch.object(digit_pictures, "svg", side_effect=lambda rows, title: completed.extend(dict(rows)["completed"]) or ""):
        assert generate(tmp_path).returncode == 0

    def ink(image: str) -> list:
        return [digit_pictures.GREYS.index(pixel) for pixel in image[32:]]

    def distance(images: list) -> int:
        return sum(abs(a - b) for image, original in zip(images, originals) for a, b in zip(ink(image), ink(original)))
    assert len(completed) == 10
    assert distance(completed) < 0.75 * distance(["0" * 64] * 10)


def test_rows_that_are_given(tmp_path):
    result = generate(tmp_path, "--rows", "6")
    assert pictures(result.stdout, "completed by your generate", 6) == pictures(result.stdout, "were", 6)


def test_what_is_left_out_says_so(tmp_path):
    left_out = '{"event":"left out","pixels":64,"way":"nothing kept","least seconds":600}'
    speeds = "".join(f"""echo '{{"event":"speed","pixels":64,"way":"{way}","speed":2}}'\n""" for way in ("state", "cache"))
    program = shell_script(tmp_path / "program", f"{speeds}echo '{left_out}'")
    assert re.search(r"these weights +2 +2 +> 10 min an image$", generate(tmp_path, program=program).stdout, re.M)


STUBS = stubs.cut_all(REPOSITORY)[FILE].replace('throw NotImplemented("generate");', "return split_heads(prompt, 1);")
READS = "Tensor next = most_likely("


@pytest.mark.parametrize("text, status, sentence", [
    (STUBS, 1, "split_heads is not written yet, and this command needs it"),
    (KEY.replace(READS, "__builtin_trap(); " + READS), 2, "stopped unexpectedly (signal"),
    (KEY.replace(READS, 'throw std::runtime_error("no idea"); ' + READS), 2, "stopped with an error: no idea;")])
def test_stubs_and_answers_that_crash(tmp_path, text, status, sentence):
    result = generate(tmp_path, program=with_answers(BUILD, "lab07_generate", FILE, text, tmp_path))
    assert result.returncode == status, result.stdout + result.stderr
    assert sentence in result.stderr and result.stderr.count("\n") == 1


def test_damaged_weights_are_refused(tmp_path):
    damaged = tmp_path / "weights.js"
    for text in ("", "window.DIGITS = {};", 'window.DIGITS = {"weights": 3, "bytes": "AAA"};'):
        damaged.write_text(text, encoding="utf-8")
        with pytest.raises(CourseError, match="does not hold the weights"):
            command.read_weights(damaged)
