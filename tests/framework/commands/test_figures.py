"""The plots of the chapters: each is what its function draws, readable in light and dark mode, and shown with words."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from conftest import ROOT, python_modules

from author.commands.bench import FIGURES, TIMED

SVG = "{http://www.w3.org/2000/svg}"
PLOTS = {name: ROOT / folder / f"{name}.svg" for name, folder in FIGURES.items()}
PAGES = [*(ROOT / "labs").glob("lab*/README.md"), *(ROOT / "docs").glob("*.md")]
QUICK = {"feature_maps", "memories", "attention_matrices", "favor_variance", "small_model", "difference_error"}  # to compute
EACH = pytest.mark.parametrize("name", FIGURES)
NUMBER = r"-?\d+(?:\.\d+)?"


def test_a_plot_is_what_its_function_draws(tmp_path):
    """Those whose numbers are kept, and those that are computed in a moment."""
    matplotlib = pytest.importorskip("matplotlib")
    names = sorted(QUICK | TIMED | {"copying"})
    subprocess.run([sys.executable, ROOT / "bench/figures/draw.py", "--draw", *(f"{name}={tmp_path / name}" for name in names)],
                   check=True, env=os.environ | {"PYTHONPATH": str(python_modules())})
    for name in names:
        committed, drawn = PLOTS[name].read_text(), (tmp_path / name).read_text()
        if f"with matplotlib {matplotlib.__version__} " not in committed:
            pytest.skip(f"{name} was drawn with another matplotlib than {matplotlib.__version__}, which may draw otherwise")
        (old, old_numbers), (new, new_numbers) = (picture(text) for text in (committed, drawn))
        assert new == old, f"./course bench --figures {name} --draw"
        assert new_numbers == pytest.approx(old_numbers, abs=0.05), name


def picture(text):
    """(without its numbers, the numbers); a name of matplotlib's holds a digest of all that it draws."""
    text = re.sub(r"\b[mp][0-9a-f]{10}\b", "name", text[text.index("<rect"):])
    return re.sub(NUMBER, "#", text), [float(number) for number in re.findall(NUMBER, text)]


@pytest.mark.parametrize("name", sorted(TIMED | {"copying"}))
def test_numbers_that_are_kept_say_where_they_were_measured(name):
    text = (ROOT / "bench/figures" / f"{name}.csv").read_text()
    assert re.match(rf"# \./course bench --figures {name}\n# measured on \S.*, 1 of \d+ cores, \w+ [\d.]+, \d{{4}}-\d\d-\d\d\n", text)
    assert all(float(cv) <= 0.15 for cv in re.findall(r"^\w+,\d+,[\d.e-]+,([\d.]+)", text, re.M) if name in TIMED)


@EACH
def test_it_has_a_title_and_a_description(name):
    root = xml.parse(PLOTS[name]).getroot()
    labels = {element.tag: element for element in root if element.tag in (SVG + "title", SVG + "desc")}
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [element.get("id") for element in labels.values()]
    assert len(labels[SVG + "desc"].text) > 100


@EACH
def test_text_stands_out_in_both_modes(name):
    text = PLOTS[name].read_text()
    style, _, body = text.partition("<style>")[2].partition("</style>")  # matplotlib adds one of its own
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in style.split("prefers-color-scheme: dark"))
    assert list(light) == list(dark)
    assert not re.search(r"#[0-9a-f]{6}\b(?!\")", body)  # every colour is one of the palette
    used = set(re.findall(r"var\(--(\w+)\)", body))
    for palette in (light, dark):
        for colour in used - {"card", "edge", "grid"} | {"ink", "soft"}:
            assert contrast(palette[colour], palette["card"]) > (4.5 if colour in ("ink", "soft") else 3), colour  # WCAG 2


@EACH
def test_nothing_comes_from_elsewhere_and_the_file_is_small(name):
    text = PLOTS[name].read_text().replace("http://www.w3.org/", "")
    assert not re.search(r"https?:|<script|<image|@import|url\((?!#)|href=\"(?!#)", text)
    assert len(text) < 100_000


@EACH
def test_a_page_shows_it_with_words(name):
    shown = [words for page in PAGES for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text())
             if (page.parent / target).resolve() == PLOTS[name].resolve()]
    assert len(shown) == 1 and len(shown[0]) > 60


def contrast(one: str, other: str) -> float:
    """WCAG 2: from 1 to 21."""
    def luminance(colour):
        channels = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
