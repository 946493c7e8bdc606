"""Curves in a terminal and as an SVG: points lie where they belong, error bars reach from the least to the most."""

import re

import pytest

from course.training import line_plot

KEYS = line_plot.Axis("keys", 4, 64, {4: "4", 16: "16", 64: "64"}, is_log=True)
SHARES = line_plot.from_zero("recalled", 1.0, lambda share: f"{share:.0%}")


def test_a_terminal_shows_means_and_spreads():
    lines = line_plot.in_terminal({"width 8": [(4, [1.0]), (16, [0.9, 0.5, 0.1]), (64, [0.0])]}, KEYS, SHARES).splitlines()
    assert lines[0] == "recalled:   o width 8"
    assert lines[1] == "100% | o"
    assert [line[9:12].strip() for line in lines[2:13]] == ["|"] * 5 + ["o"] + ["|"] * 5
    assert lines[7] == " 50% |    o"
    assert lines[13] == "  0% |       o"
    assert lines[15].split() == ["4", "16", "64", "keys"]


def test_marks_of_the_first_curve_are_seen_and_what_is_no_number_is_at_the_end():
    text = line_plot.in_terminal({"a": [(4, [0.5])], "b": [(4, [0.5]), (64, [float("nan")])]}, KEYS, SHARES)
    assert " 50% | o" in text.splitlines()
    assert "100% |    x" in text.splitlines()


def test_an_svg_has_a_line_for_each_curve_and_bars_where_there_are_several_seeds():
    text = line_plot.svg({"a": [(4, [0.0]), (64, [1.0])], "b": [(16, [0.25, 0.75])]}, "what", KEYS, SHARES)
    assert re.findall(r'<polyline points="([^"]*)"', text) == ["64.0,300.0 624.0,40.0", "344.0,170.0"]
    assert re.findall(r'<path d="(M344[^"]*)"', text) == ["M344.0,235.0L344.0,105.0"]


@pytest.mark.parametrize("value, share", [(4, 0.0), (16, 0.5), (64, 1.0), (1000, 1.0), (1, 0.0)])
def test_a_logarithmic_axis(value, share):
    assert KEYS.share(value) == pytest.approx(share)
