"""The plots of the chapters: each is what its numbers draw, readable in light and dark mode, and shown with words."""

import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

import pytest
from conftest import ROOT, python_modules

from author import benchmarks, figures

SVG = "{http://www.w3.org/2000/svg}"
PLOTS = [(name, figures.picture(ROOT, name)) for name in figures.FOLDERS]
PAGES = [*(ROOT / "labs").glob("lab*/README.md"), *(ROOT / "docs").glob("*.md")]


class Plots(unittest.TestCase):
    def test_a_plot_is_what_its_numbers_draw(self):
        matplotlib = pytest.importorskip("matplotlib")
        for name, path in PLOTS:
            committed = path.read_text(encoding="utf-8")
            drawn_with = re.search(r"matplotlib ([\d.]+\d)", committed)[1]
            if drawn_with != matplotlib.__version__:
                self.skipTest(f"drawn with matplotlib {drawn_with}; {matplotlib.__version__} may draw otherwise")
            self.assertEqual(figures.draw(ROOT, name), committed, f"./course bench --figures {name} --draw")

    def test_numbers_say_where_and_when_they_were_measured(self):
        for name, _ in PLOTS:
            text = figures.data(ROOT, name).read_text(encoding="utf-8")
            self.assertTrue(text.startswith(f"# ./course bench --figures {name}\n# measured on "), text[:80])
            table = figures.read(figures.data(ROOT, name))
            self.assertRegex(table.machine, r"^\S.*, 1 of \d+ cores, \w+ [\d.]+, \d{4}-\d\d-\d\d$")
            self.assertGreater(len(table.rows), 10)
            for row in table.rows:
                self.assertTrue(None not in row and all(row.values()), row)

    def test_no_time_in_a_file_is_noisy(self):
        for name in figures.TIMED:
            for row in figures.read(figures.data(ROOT, name)).rows:
                self.assertLessEqual(float(row["cv"]), benchmarks.MOST_SPREAD, (name, row))

    def test_a_program_still_gives_its_numbers(self):
        """One that takes no time, with the modules of the reference track; the random numbers are those of its seeds."""
        printed = subprocess.run([sys.executable, ROOT / "bench/figures/memories.py"], text=True, capture_output=True, check=True,
                                 env=os.environ | {"PYTHONPATH": str(python_modules())}).stdout.splitlines()
        committed = figures.data(ROOT, "memories").read_text(encoding="utf-8").splitlines()[2:]
        self.assertEqual(len(printed), len(committed))
        for new, old in zip(printed, committed):
            (*place, entries), (*old_place, old_entries) = new.split(","), old.split(",")
            self.assertEqual(place, old_place)
            if "." not in entries:  # a head
                self.assertEqual(entries, old_entries)
                continue
            self.assertEqual(len(entries.split()), len(old_entries.split()))
            for entry, old_entry in zip(entries.split(), old_entries.split()):
                self.assertAlmostEqual(float(entry), float(old_entry), delta=2e-4)

    def test_each_has_a_title_and_a_description(self):
        for name, path in PLOTS:
            root = xml.parse(path).getroot()
            self.assertEqual(root.get("role"), "img")
            labels = [element.get("id") for element in root if element.tag in (SVG + "title", SVG + "desc")]
            self.assertEqual(root.get("aria-labelledby").split(), labels)
            for element in root.iter():
                if element.tag == SVG + "desc":
                    self.assertGreater(len(element.text), 100)

    def test_text_stands_out_in_both_modes(self):
        for name, path in PLOTS:
            text = path.read_text(encoding="utf-8")
            light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in
                           text.split("<style>")[1].split("</style>")[0].split("prefers-color-scheme: dark"))
            self.assertEqual(list(light), list(dark))
            body = text.split("</style>")[1]
            self.assertNotRegex(body, r"#[0-9a-f]{6}\b(?!\")")  # every colour is one of the palette
            used = set(re.findall(r"var\(--(\w+)\)", body))
            self.assertLessEqual(used, set(light))
            for palette in (light, dark):
                for name in {"ink", "soft"}:
                    self.assertGreater(contrast(palette[name], palette["card"]), 4.5, name)
                for name in used - {"card", "edge", "grid"}:
                    self.assertGreater(contrast(palette[name], palette["card"]), 3, name)  # WCAG 2: lines and marks

    def test_nothing_comes_from_elsewhere_and_files_are_small(self):
        for name, path in PLOTS:
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            self.assertNotRegex(text, r"https?:|<script|<image|@import|url\((?!#)|href=\"(?!#)")
            self.assertLess(len(text), 100_000)

    def test_a_page_shows_each_with_words(self):
        for name, path in PLOTS:
            shown = [words for page in PAGES for words, target in
                     re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
                     if (page.parent / target).resolve() == path.resolve()]
            self.assertEqual(len(shown), 1, path.name)
            self.assertGreater(len(shown[0]), 60)

    def test_every_program_has_its_figure(self):
        programs = {path.stem for kind in ("*.cpp", "*.py") for path in (ROOT / "bench" / "figures").glob(kind)}
        self.assertEqual(programs, set(figures.FOLDERS))


def contrast(one: str, other: str) -> float:
    """WCAG 2: from 1 to 21."""
    def luminance(colour):
        channels = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
