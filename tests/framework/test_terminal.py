"""How a message looks in a terminal: lines end between words, and what went wrong and its name have colours."""

import sys

import pytest

from course import messages

MESSAGE = ("lab07 · gelu                                                           FAIL\n"
           "    first differs at [token 0, 1]: expected 0.9999998, got 0.9999999; 10 of 12 values differ\n"
           "    looks like: not halved (matches exactly)")


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return monkeypatch


def test_lines_fit_and_go_on_further_in(terminal):
    lines = messages.arrange([(MESSAGE, "")]).split("\n")
    assert lines[0].endswith(" \033[31mFAIL\033[0m")
    assert lines[1:3] == ["    first differs at [token 0, 1]: expected 0.9999998, got",
                          "      0.9999999; 10 of 12 values differ"]
    assert lines[3] == "    \033[33mlooks like: not halved (matches exactly)\033[0m"


def test_whoever_wants_no_colours_gets_none(terminal):
    terminal.setenv("NO_COLOR", "1")
    assert "\033" not in messages.arrange([(MESSAGE, "")])


def test_a_file_gets_the_lines_as_they_are(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert messages.arrange([(MESSAGE, "")]) == MESSAGE
