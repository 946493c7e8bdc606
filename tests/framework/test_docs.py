"""./course docs: both editions of the site, built from copies of the course; links, HTML, a browser's view, leaks."""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zipfile
from fractions import Fraction
from importlib import resources
from pathlib import Path
from unittest import mock

import lxml.html
from browser import PATIENCE, Browser
from course_copy import LEFT_OUT, REPOSITORY
from course_tree import CourseTree, own_folder
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.wait import WebDriverWait

from course import citation, manifest, mistakes
from course.chapter import hints
from course.build_tree import BuildTree
from course.commands import trace
from course.cutter import regions
from course.errors import CourseError
from course.headings import headings
from course.site import edition, markdown
from course.site.site_map import FOR_INSTRUCTORS, SiteMap, lab_folders

CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")
NO_AXE = "axe-core is not here: pip could not download axe-playwright-python from PyPI"
SHAPES = ((320, 900, False), (1280, 900, False), (1280, 900, True), (390, 900, True))  # width, height, dark


LINKS_FOUND = """const [query, done] = arguments, field = document.querySelector("#search input");
const status = document.querySelector("#search [role=status]");
if (query) { status.textContent = ""; field.value = query; field.dispatchEvent(new Event("input")); }
const look = () => status.textContent === "" ? setTimeout(look, 5) :
  done([...document.querySelectorAll("#search li a")].map(link => link.getAttribute("href")));
look();"""
# axe's time is that of the elements, and those of one kind have the same faults: of each kind, three of all pages are asked (a
# kind is a tag with its class, its attributes and the kinds within). page_checks.js has looked at all formulas, colours and ids.
FEW_OF_EACH_KIND = """const times = new Map(Object.entries(arguments[0])), main = document.querySelector("main");
for (const formula of main.querySelectorAll(".katex")) formula.replaceWith("x");
for (const code of main.querySelectorAll("pre, div.line")) code.textContent = code.textContent;
const thin = element => {
  const said = !element.textContent.trim(), kinds = [...element.children].map(child => {
    const kind = thin(child), many = (times.get(kind) ?? 0) + 1;
    times.set(kind, many);
    if (many > 3 && !child.matches("tr:nth-child(-n+3), td, th, tbody, dt, dd, summary, label, a *")) child.remove();
    return kind;
  });
  const told = [...element.attributes].map(({ name, value }) => name + (/^(role|type|aria-(?!label|desc))/.test(name) ? value : !value));
  return [element.tagName, element.className, said, ...told, "(", ...new Set(kinds), ")"].join();
};
thin(main);
return [Object.fromEntries(times), main.innerHTML];"""
VIOLATIONS = """const [rules, done] = arguments;
requestAnimationFrame(() => requestAnimationFrame(() => axe.run({ ...rules, resultTypes: ["violations"], preload: false }).then(
  found => done(found.violations.map(rule => `${rule.id}: ${rule.nodes[0].html}`)))));"""
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "rules": {"color-contrast": {"enabled": False}}}


class Site(CourseTree):
    """A copy of the whole course in self.root; class attribute, since it is built once for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.root = own_folder(cls.enterClassContext) / "a course"
        shutil.copytree(REPOSITORY, cls.root, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for lab in manifest.load(cls.root):
            program = Path(os.environ["LINATTN_BUILD"]) / f"{lab.name}_check"
            cls().put_program(lab.name, subprocess.run([program, "--list"], check=True, text=True, capture_output=True).stdout)

    def setUp(self):
        pass  # no small course

    def build(self, *words):
        with mock.patch.object(BuildTree, "build", return_value=[]):  # the programs are there
            return self.course("docs", *words)

    def mistakes(self, lab):
        return mistakes.of_lab(mistakes.tree(self.root), lab).mistakes

    def written_labs(self):
        """Those with a chapter. (./course check-course says what a lab lacks.)"""
        return [lab for lab in manifest.load(self.root) if lab.chapter.exists()]

    def site(self, edition="student"):
        return self.root / "build/docs" / edition / "html"

    def pages(self, edition="student"):
        return sorted(self.site(edition).glob("*.html"))

    def page(self, name):
        return page_of(self.site() / f"{name}.html")

    def links(self, name):
        return self.page(name).xpath("//a/@href")

    def files(self, edition):
        return [path for path in sorted((self.root / "build" / "docs" / edition).rglob("*"))
                if path.is_file()]


class TheSite(Site):
    """Nothing to complain of. In its copy of the course two labs are half there, and marks, in words that nothing else
    has, stand in every place that students must not see."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        course = cls()
        cls.marks = plant_marks(cls.root)
        course.write("labs/lab88_half/README.md", "# Lab 88: Half\n\nNothing yet.\n")
        course.write("labs/lab89_other/lab.json",
                     '{"lab": "lab89", "title": "Other", "sources": ["lab89_other.cpp"], "exercises": '
                     '[{"function": "nothing_yet", "points": 1, "minutes": 5, "section": "89.1"}]}')
        cls.built = course.build()
        cls.instructors = course.build("--edition", "instructor")
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.axe = axe_core()

    def test_it_is_built_without_complaint(self):
        for result in (self.built, self.instructors):
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.built.stdout, "wrote build/docs/student/html/index.html\n")

    def test_every_lab_is_there(self):
        for lab in self.written_labs():
            self.assertIn(f"{lab.name}.html", self.links("index"))
            for exercise in lab.exercises:
                for page in "exercises", f"group__{lab.name}__functions":
                    self.assertTrue(self.page(page).xpath("//code[. = $command]", command=f"./course check {exercise.name}"), page)
                link, = self.page("functions").xpath(f"//h2[@id='functions-{lab.name}']/following-sibling::table[1]"
                                                     f"//a[text()='{exercise.function}']/@href")
                self.assertRegex(link, rf"^group__{lab.name}__functions.html#\w+$")

    def test_a_lab_that_is_half_there(self):
        self.assertIn("lab88.html", self.links("index"))
        self.assertNotIn("lab89.html", self.links("index"))
        self.assertIn("nothing_yet", self.page("exercises").xpath("//code/text()"))

    def test_links_and_anchors_lead_somewhere(self):
        for each in ("student", "instructor"):
            self.assertEqual(dead_links(self.site(each)), [])

    def test_all_of_it_as_one_document(self):
        whole = edition._joined(self.site())
        self.assertEqual(len(whole.xpath("//h1")), 1 + len(whole.xpath("/html/body/section")))
        self.assertIn("Lab 06: Gradients", whole.xpath("//section//h1/text()"))
        anchors = {f"#{each}" for each in whole.xpath("//@id")}
        self.assertEqual([link for link in whole.xpath("//a/@href") if link.startswith("#") and link not in anchors], [])
        self.assertEqual([link for link in whole.xpath("//a/@href") if not link.startswith(("#", "http", "mailto:"))], [])
        for section in whole.findall("body/section")[3:]:  # to print all takes a minute
            section.drop_tree()
        with mock.patch.object(edition, "_joined", return_value=whole):
            pdf = edition.write(self.site()).read_bytes()
        self.assertEqual(pdf[:5], b"%PDF-")
        self.assertGreater(len(pdf), 100_000)
        self.assertIn(b"/Outlines", pdf)
        with mock.patch.dict(os.environ, PATH=""), self.assertRaisesRegex(CourseError, "Chromium is not on the PATH"):
            edition.write(self.site())

    def test_a_dead_link_would_be_found(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "b c.html").write_text('<p id="here&amp;">b</p>')
            for href, dead in (("b%20c.html#here&amp;", False), ("b%20c.html", False), ("https://example.org/", False),
                               ("b%20c.html#there", True), ("d.html", True), ("#here&amp;", True)):
                (Path(folder) / "index.html").write_text(f'<a class="a"\n href="{href}">a</a>')
                self.assertEqual(bool(dead_links(Path(folder))), dead, href)

    def test_the_html_is_sound(self):
        tidy = subprocess.run(["tidy", "-eq", "-utf8", *self.pages("instructor")], text=True, capture_output=True)
        self.assertEqual([line for line in tidy.stderr.splitlines() if "Error:" in line], [])

    def test_every_mistake_has_its_sentence(self):
        shown = words(self.site() / "mistakes.html")
        for lab in self.written_labs():
            for mistake in self.mistakes(lab):
                for text in mistake.name, mistake.explanation:
                    self.assertIn(squeezed(text), shown)

    def test_what_is_for_instructors_stays_there(self):
        self.assertTrue(all(self.marks.values()), self.marks)
        for path in self.files("student"):
            self.assertNotIn(b"CANARY", path.read_bytes(), path)
            self.assertNotIn("canary", path.name.lower())
        shown = " ".join(path.read_text(encoding="utf-8", errors="replace") for path in self.files("instructor"))
        for kind in self.marks:
            (self.assertNotIn if kind == "BODY" else self.assertIn)(f"CANARY{kind}", shown)

    def test_the_answers_stand_beside_their_exercises(self):
        for lab in self.written_labs():
            chapter = words(self.site("instructor") / f"{lab.name}.html")
            for source in lab.sources:
                for line in solution_lines(self.root, source):
                    self.assertIn(line, chapter)
            for mistake in self.mistakes(lab):
                self.assertIn(squeezed(mistake.explanation), chapter)

    def test_hints_are_folded_below_their_exercises(self):
        for lab in self.written_labs():
            folds = self.page(lab.name).xpath("//details[not(@open)][starts-with(summary, 'Hint ')]")
            above = [fold.xpath("string(preceding::h3[1])") for fold in folds]
            for exercise in lab.exercises:
                title = f"Exercise {exercise.section}: {exercise.function}"
                self.assertEqual(len([each for each in above if each.startswith(title)]), len(hints(lab, exercise)), title)

    def test_errata_name_exercises_and_mistakes_that_exist(self):
        labs = self.written_labs()
        exercises = {exercise.name for lab in labs for exercise in lab.exercises}
        known = {(f"{lab.name}.{mistake.exercise}", mistake.name) for lab in labs for mistake in self.mistakes(lab)}
        text = re.sub(r"\s+", " ", (self.root / "docs" / "errata.md").read_text(encoding="utf-8"))
        for exercise, names in re.findall(r"`(lab\d\d\.\w+)`((?:[:,]? \*[^*]+\*)*)", text):
            self.assertIn(exercise, exercises)
            for name in re.findall(r"\*([^*]+)\*", names):
                self.assertIn((exercise, name), known)

    def test_every_page_in_a_browser(self):
        times, parts = {}, ""
        for page in self.pages("instructor"):
            self.assertEqual(defects(self.browser, page), [], page.name)
            times, part = self.browser.execute_script(FEW_OF_EACH_KIND, times)
            parts += f'<section data-page="{page.name}">{part}</section>'
        if not self.axe:
            self.skipTest(NO_AXE)
        self.show("glossary.html")
        self.browser.execute_script("document.querySelector('main').innerHTML = arguments[0]", parts)
        self.assertEqual(list(violations(self.browser, self.axe)), [])

    def test_the_browser_would_find_a_defect(self):
        plants = ((r"\(\frac{1}{2}\)", r"unrendered: \("),
                  ("<h5>deep</h5>", "h1 is followed by h5"),
                  ("<h1>twice</h1>", "not one h1"),
                  (r"$\phi_1$", "unrendered: $"),
                  ('<img src="none.png" alt="no"/>', "missing image"),
                  ('<img src="nil.png" alt="no"/>', "nil.png - Failed to load resource: net::ERR_FILE_NOT_FOUND"),
                  ('<span style="color: #999; background: #fff">faint</span>', "contrast 2.85"),
                  ('<div style="width: 3000px">wide</div>', "too wide"),
                  ("<script>nonsense()</script>", "nonsense is not defined"),
                  ('<script src="https://example.org/a.js"></script>', "asked for https://example.org/a.js"))
        planted = "".join(f"<p>{plant}</p>" for plant, _ in plants)
        found = " ".join(defects(self.browser, self.planted(planted)))
        for _, complaint in plants:
            self.assertIn(complaint, found)

    def test_the_search_leads_to_the_right_section(self):
        self.show("index.html")
        self.press("/")
        for first, queries in (("glossary.html#glossary-normaliser", "normaliser, Normalizer, nowhere normaliser, normalzier"),
                               ("glossary.html#glossary-epsilon", "epsilon"),
                               ("lab04.html#lab04-42-orthogonal-directions", "orthogonal"),
                               ("lab01.html#lab01-11-elu--1", "elu+1"),
                               ("group__lab03__functions.html#", "streaming_exp_attention"),
                               ("mistakes.html#mistakes-lab02-softmax_attention", "no 1/√d_k scale"),
                               ("papers.html#papers-katharopoulos2020", "Katharopoulos, Transformers are RNNs"),
                               ("papers.html#papers-vaswani2017", "attention is all you need"),
                               ("uses.html#uses-where-it-loses-recall", "where does it lose?"),
                               ("glossary.html#glossary-key-value-cache", "KV cache"), ("setup.html#setup-nan", "NaN"),
                               ("setup.html#setup-the-hint", "hint"), ("lab02.html#", "transpose"),
                               ("setup.html#setup-a-crash", "segfault, core dump, segmentation fault, core dumped, Floating point exception"),
                               ("setup.html#setup-windows", "install windows"), ("setup.html#", "install"),
                               ("glossary.html#glossary-learning-rate", "learning rate"),
                               ("glossary.html#glossary-chunk", "chunk size"), ("lab09.html#lab09-9", "delta rule"),
                               ("glossary.html#glossary-race-condition", "race condition"),
                               ("lab03.html#lab03-36", "padding mask"),
                               ("setup.html#setup-it-does-not-link", "linker error, undefined reference to, collect2: error"),
                               ("setup.html#setup-it-does-not-compile", "no matching function"),
                               ("setup.html#setup-a-wrong-shape", "wrong shape, shape mismatch, invalid_argument, terminate called"),
                               ("setup.html#setup-a-timeout", "timeout, infinite loop, time limit exceeded"),
                               ("setup.html#setup-command-not-found", "permission denied"),
                               ("setup.html#setup-nothing-of-this", "broken pipe"), ("lab00.html#lab00-numpy", "einsum"),
                               ("setup.html#setup-memory-leaks", "memory leak"),
                               ("grading.html#grading-what-must-not-pass", "cheating"), ("lab02.html#lab02-25", "recurence"),
                               ("glossary.html", "glosary"), ("lab09.html#lab09-98", "triangualr"), ("errata.html", "erata")):
            for query in queries.split(", "):
                links = self.browser.execute_async_script(LINKS_FOUND, query)
                self.assertEqual(links[0][:len(first)], first, query)
        self.press(Keys.ESCAPE)
        self.press("/")
        self.press(*"zzzz")
        self.browser.execute_async_script(LINKS_FOUND, "")
        self.assertEqual(self.browser.value("document.querySelector('#search [role=status]').textContent"), "Nothing found.")
        self.press(Keys.ESCAPE)
        self.press("/")
        self.press(Keys.BACKSPACE, *"inclusive_scan")
        self.browser.execute_async_script(LINKS_FOUND, "")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
        self.assertRegex(self.browser.current_url, r"/group__lab02__functions.html#\w+$")

    def test_the_search_shows_no_answer(self):
        sections = (self.site() / "search-sections.js").read_text(encoding="utf-8")
        answers = [words for page in self.pages() for words in
                   page_of(page).xpath("//details[starts-with(summary, 'Answer')]/p[not(*)]/text()") if len(words) > 30]
        self.assertGreater(len(answers), 5)
        self.assertEqual([words for words in answers if words in sections], [])

    def test_keys_reach_everything(self):
        self.show("lab02.html")
        self.press(Keys.TAB)
        self.assertEqual(self.browser.value("document.activeElement.className"), "skip")
        self.press(Keys.ENTER, Keys.TAB)
        self.assertTrue(self.browser.value("document.querySelector('main').contains(document.activeElement)"))
        for dark in (True, False):
            self.press(Keys.SPACE, at="#theme-button")
            self.assertEqual(self.browser.value("document.documentElement.classList.contains('dark-mode')"), dark)
            self.assertEqual(self.browser.value("document.activeElement.ariaPressed"), str(dark).lower())
        self.browser.execute_script("localStorage.clear()")
        self.press(Keys.ENTER, at=".copy")
        self.wait_until(lambda: self.browser.value("document.activeElement.textContent") in ("Copied", "Copy failed"))
        self.assertGreater(self.browser.value("Number(getComputedStyle(document.activeElement).opacity)"), 0)

    def test_mistakes_of_one_lab(self):
        self.show("mistakes.html")
        shown = "[...document.querySelectorAll('[data-lab]')].filter(part => part.checkVisibility()).map(part => part.dataset.lab)"
        labs = self.browser.value(shown)
        self.assertEqual(labs, [lab.name for lab in self.written_labs()])
        opened = "[...document.querySelectorAll('[data-lab] details[open]')].map(fold => fold.parentElement.dataset.exercise)"
        self.assertEqual(self.browser.value(opened), [])
        of_lab01 = [exercise.function for lab in self.written_labs() if lab.name == "lab01" for exercise in lab.exercises]
        for place, folds in ("mistakes-lab02-inclusive_scan", ["inclusive_scan"]), ("mistakes-lab01", [*of_lab01, "inclusive_scan"]):
            self.browser.execute_script("location.hash = arguments[0]", place)
            self.wait_until(lambda: self.browser.value(opened) == folds)
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, at="select")
        self.assertEqual(self.browser.value(shown), labs[1:2])

    def test_mistakes_with_some_words(self):
        self.show("mistakes.html")
        rows = "[...document.querySelectorAll('table.mistakes td:first-child')].filter(cell => cell.checkVisibility()).map(cell => cell.innerText)"
        self.assertEqual(self.browser.value(rows), [])
        self.press("ROWS instead colum", at="input[data-filters]")
        found = [mistake.name for lab in self.written_labs() for mistake in self.mistakes(lab)
                 if all(word in f"{mistake.name} §{mistake.section} {mistake.explanation}".lower() for word in ("rows", "instead", "colum"))]
        self.assertIn("columns summed instead of rows", found)
        self.assertEqual(self.browser.value(rows), found)

    def test_a_table_that_does_not_fit_a_phone_is_stacked(self):
        def table(pixels):
            return (f'<table class="markdownTable"><tr class="markdownTableHead"><th>model</th><th>size</th></tr><tr>'
                    f'<td><div style="width: {pixels}px">a</div></td><td><div style="width: {pixels}px">b</div></td></tr></table>')

        page = self.planted(table(250) + table(50))
        for width, shown in ((1280, ["a", "a"]), (390, ["model a", "a"])):
            self.show(page.name, width)
            cells = "[...document.querySelectorAll('main table')].map(table => table.querySelector('td').innerText.trim())"
            self.assertEqual([" ".join(cell.split()) for cell in self.browser.value(cells)[:2]], shown)
            self.assertTrue(self.browser.value(
                "[...document.querySelectorAll('main :is(table, tbody)')].every(box => box.scrollWidth <= box.clientWidth + 1)"))

    def test_the_start_page_says_how_to_cite_this_copy(self):
        copy = citation.of(self.root)
        start = words(self.site() / "index.html")
        for part in (copy.title, copy.authors, copy.version):
            self.assertIn(squeezed(part), start)

    def test_letters_in_figures_are_large_enough(self):
        """A phone shows them at three quarters: page_checks.js."""
        for figure in [*REPOSITORY.glob("labs/*/*.svg"), *REPOSITORY.glob("docs/figures/*.svg")]:
            sizes = re.findall(r'font(?:-size)?[:=]\s*"?[^;">]*?([\d.]+)(?:px|")', figure.read_text(encoding="utf-8"))
            self.assertGreaterEqual(min(map(float, sizes)), 12, figure.name)

    def test_letters_say_what_they_mean(self):
        found = {url for page in self.pages() for url in page_of(page).xpath("//a[@class='term']/@href")}
        self.assertEqual(found, {f"glossary.html#glossary-{name}" for name in ("phi", "state", "normaliser", "epsilon", "chunk")})

    def test_a_contract_is_a_section_as_in_a_chapter(self):
        page = self.page("group__lab03__functions")
        self.assertEqual(page.xpath("//*[starts-with(@class, 'mem') or starts-with(@class, 'param') or @align or @class='groupheader']"), [])
        lab = next(lab for lab in manifest.load(self.root) if lab.name == "lab03")
        headings = page.xpath("//h2")
        names = [heading.text_content().removesuffix("#").strip() for heading in headings]
        self.assertEqual(names, [*(exercise.function for exercise in lab.exercises), "CausalState", "OutputAndState",
                                 "ResumableAttention"])
        self.assertEqual(page.xpath("//*[@id='toc']//a/@href"), [f"#{heading.get('id')}" for heading in headings])
        for exercise, heading in zip(lab.exercises, headings):
            link, = heading.xpath("following-sibling::*[1][@class='facts']/a")
            self.assertRegex(link.get("href"), f"^lab03.html#lab03-exercise-{exercise.section.replace('.', '')}-")
        step = headings[names.index("causal_linear_attention_step")]
        declaration = step.xpath("string(following-sibling::div[1])")
        self.assertEqual(declaration, "OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, "
                                      "const CausalState& state, const FeatureMap& phi, double epsilon);")
        rows = [[" ".join(cell.xpath("string()").split()) for cell in row.xpath("*")] for row in step.xpath("following-sibling::table[1]//tr")]
        self.assertEqual([row[:2] for row in rows], [["name", "shape"], ["q", "(…, d_k)"], ["k", "(…, d_k)"], ["v", "(…, d_v)"],
                                                     ["state", ""], ["phi", ""], ["epsilon", ""], ["returns", "(…, d_v)"]])
        self.assertEqual(rows[-1][2], "the token's output and the state after it, of the same size")
        self.assertEqual(rows[-2][2], "ε ≥ 0")
        self.assertEqual(step.xpath("following-sibling::dl[1]/dt/text()"), ["Throws", "Cost", "Source"])

    def test_a_figure_keeps_its_state_in_the_address(self):
        self.show_figures("state")
        steps = "document.querySelectorAll('[data-figure=state] button')"
        for _ in range(20):
            self.browser.execute_script(f"{steps}[1].click()")
        self.assertIn("Token 4 of 4, read", self.sentence("state"))
        self.assertEqual(self.browser.value(f"{steps}[1].getAttribute('aria-disabled')"), "true")
        self.assertRegex(self.browser.current_url, r"\?state.step=8#figure-state$")
        self.browser.refresh()
        self.assertIn("Token 4 of 4, read", self.sentence("state"))
        for wrong in "state.step=%22x%22", "state.mistake=1", "state.Q=[[1]]", "state.K=7", "state.step={":
            self.browser.get(f"{self.browser.current_url.partition('?')[0]}?{wrong}")
            self.assertIn("Token 1 of 4, update", self.sentence("state"), wrong)

    def test_a_trace_stands_beside_the_right_one(self):
        """As ./course trace prints it: of the answer key, of a mistake, cut short, of another function, in a narrow terminal."""
        self.show_figures("state")
        field = self.browser.find_element("css selector", "[data-figure=state] textarea")
        self.browser.execute_script("arguments[0].closest('details').open = true", field)
        for function, mistake, columns, says in (
                ("lab03", "", 80, "4 of 4 tokens are there, and they are right."), ("lab03", "", 24, "4 of 4 tokens are there"),
                ("lab03", "z read before it is updated", 80, "First difference: token 0, output[0]: yours "),
                ("lab03", "key and query exchanged", 40, "First difference: token 0, S[0, 0]: yours 2, right 1."),
                ("lab02", "", 80, "These are not the tokens of the example.")):
            with mock.patch.dict(os.environ, COLUMNS=str(columns)):
                folder = Path(os.environ["LINATTN_BUILD"]) / ("mistakes" if mistake else "")
                name = {"lab02": "linear_attention_step", "lab03": "causal_linear_attention_step"}[function]
                steps, _ = trace.follow([str(folder / f"{function}_exercises"), "--trace", "--exercise", name,
                                         *(["--mistake", mistake] if mistake else [])], self.root / "trace.log")
                text = "\n\n".join("\n".join(trace._shown(f"token {at}", step, False)) for at, step in enumerate(steps))
                self.browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", field, text)
                shown = self.browser.value("document.querySelector('[data-figure=state] details [role=status]').textContent")
                self.assertEqual(shown[:len(says)], says, text)
                wrong = self.browser.value("document.querySelectorAll('[data-figure=state] details .wrong').length")
                self.assertEqual(wrong > 0, bool(mistake))
        begun = "token 0   q 1 0   k 0 1   v 1 0 2\n  S         1 0 2\n            2 0 4\n  z         1 2\n  output    {} 0 2\ntoken 1   q 0 2"
        for output, says in ("1", "First difference: token 1 is not whole."), ("nan", "First difference: token 0, output[0]: yours NaN, right 1."):
            self.assertEqual(self.browser.execute_script("return Figures.trace(arguments[0]).says", begun.format(output)), says)

    def test_figures_show_the_numbers_of_their_chapters(self):
        self.show_figures("chunks", "banks", "barrier")
        chapter = (self.root / "labs/lab05_chunkwise_cuda/README.md").read_text(encoding="utf-8")
        for name, C, flops, intensity in re.findall(r"\| (recurrence|chunkwise, \$C = (\d+)\$) \| ([\d ]+) \| (\d+) \|", chapter):
            shown = self.browser.value(f"Figures.chunks({{ C: {C or 0}, d: 64 }})")
            self.assertEqual((shown["flops"], shown["intensity"]), (int(flops.replace(" ", "")), int(intensity)), name)
        self.assertEqual(self.browser.value("[0, 1, 2, 64, 65].map(stride => Figures.banks({ stride }).passes)"), [1, 1, 2, 32, 1])
        for first in ("thread 0", "thread 2"):
            for barrier in ("false", "true"):
                read = self.browser.value(f"Figures.barrier({{ first: '{first}', barrier: {barrier} }}).value")
                self.assertEqual(read, "old" if (first, barrier) == ("thread 0", "false") else "new")

    def test_two_passes_show_the_worked_example(self):
        """Both tables of the chapter; in the first, the outputs are written with a common divisor."""
        self.show_figures("passes")
        chapter = (self.root / "labs/lab06_gradients/README.md").read_text(encoding="utf-8")
        example = chapter[chapter.index("## A worked example"):chapter.index("**Three quick checks.**")]
        rows = re.findall(r"(?m)^\| (\d) \| (.*) \|$", example)
        self.assertEqual([token for token, _ in rows], ["1", "2", "3", "3", "2", "1"])
        settings = "Object.fromEntries(['Q', 'K', 'V', 'dO'].map((name, at) => [name, [...document.querySelectorAll(" \
                   "'[data-figure=passes] .controls table')[at].rows].map(row => [...row.querySelectorAll('input')].map(cell => cell.valueAsNumber))]))"
        shown = self.browser.value(f"Figures.passes({settings})")
        for place, (token, cells) in enumerate(rows):
            mine, columns = shown[int(token) - 1], cells.split(" | ")
            if place < 3:
                results = [mine["S"][0] + mine["S"][1], mine["z"], [mine["D"]], None, mine["dN"], [mine["dD"]], mine["dQ"]]
            else:
                results = [mine["R"][0] + mine["R"][1], mine["r"], mine["dK"], mine["dV"]]
            for text, expected in zip(columns, results, strict=True):
                numbers = [float(Fraction(each)) for each in re.findall(r"-?\d+(?:/\d+)?", text.split(" = ")[-1].replace("−", "-"))]
                if expected is not None:
                    for number, value in zip(numbers, expected, strict=True):
                        self.assertAlmostEqual(value, number, delta=1e-12)

    def test_the_still_picture_of_adam_is_the_first_of_the_figure(self):
        self.show_figures("adam")
        drawn = self.browser.value("[...document.querySelectorAll('[data-figure=adam] svg path')].map(path => path.getAttribute('d'))")
        still = (REPOSITORY / "labs/lab08_training/adam.svg").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r'<path d="([^"]+)"', still), drawn)

    def test_figures_work_by_keyboard_and_name_real_mistakes(self):
        self.show_figures("state", "passes", "brackets")
        for name, figure in ("lab06", "passes"), ("lab03", "state"):
            names = self.browser.value(f"[...document.querySelectorAll('[data-figure={figure}] option')].map(option => option.value)")
            known = next(lab for lab in manifest.load(self.root) if lab.name == name)
            self.assertLessEqual(set(names[1:]), {mistake.name for mistake in self.mistakes(known)})
        self.assertIn("Token 1 of 4, update", self.sentence("state"))
        self.press(Keys.ENTER, at="[data-figure=state] button", number=1)
        self.assertIn("Token 1 of 4, read", self.sentence("state"))
        self.press(Keys.TAB, "z")  # the choice of a mistake
        self.assertIn("the output is wrong", self.sentence("state"))
        self.press(*[Keys.ARROW_LEFT] * 3, at="[data-figure=brackets] input")
        self.assertIn("both orders cost the same", self.sentence("brackets"))

    def test_both_passes_and_adam_by_keyboard(self):
        self.show_figures("passes", "adam")
        self.press(*[Keys.ENTER] * 11, at="[data-figure=passes] button", number=1)
        self.assertIn("Backwards, token 1 of 3, read", self.sentence("passes"))
        self.assertIn("All gradients are there", self.sentence("passes"))
        self.press(Keys.TAB, "r o")  # r omitted
        self.assertIn("“r omitted” a gradient is wrong", self.sentence("passes"))
        self.press("b", at="[data-figure=adam] select")  # b flips its sign
        self.press(Keys.END, at="[data-figure=adam] input[type=range]", number=2)
        self.assertIn("Step 60: Adam moves a by -0.03 and b by 0.00", self.sentence("adam"))

    def test_a_memory_is_written_by_keyboard(self):
        self.show_figures("memory")
        self.assertIn("3 writes, plain sum: what is read is nearest to the last value for 1 of 2", self.sentence("memory"))
        self.press("de", Keys.ARROW_DOWN, at="[data-figure=memory] select")  # decay, then the delta rule
        self.assertIn("last value for 2 of 2 keys.", self.sentence("memory"))
        write, clear, forget, undo, again = range(5)
        for button, says in ((clear, "for 2 of 2 keys."), (forget, "for 1 of 2 keys, not for B"), (undo, "4 writes"),
                             (again, "nothing was written"), (write, "1 write, delta rule")):
            self.press(Keys.ENTER, at="[data-figure=memory] button", number=button)
            self.assertIn(says, self.sentence("memory"))

    def test_a_figure_can_start_again(self):
        self.show_figures("favor")
        figure = "document.querySelector('[data-figure=favor]')"
        first = self.sentence("favor")
        self.browser.execute_script(f"const m = {figure}.querySelector('input'); m.value = 1; m.dispatchEvent(new Event('input'))")
        self.assertNotEqual(self.sentence("favor"), first)
        self.browser.execute_script(f"[...{figure}.querySelectorAll('button')].find(button => button.textContent === 'start again').click()")
        self.assertEqual(self.sentence("favor"), first)

    def test_a_model_draws(self):
        self.show_figures("draws")
        self.browser.execute_script("document.querySelector('[data-figure=draws] button').click()")
        self.wait_until(lambda: "64 pixels" in self.sentence("draws"))
        numbers = r"held (\d+) numbers after the first pixel and (\d+) after the last"
        first, last = re.search(numbers, self.sentence("draws")).groups()
        self.assertEqual(first, last)
        inked = "[...document.querySelectorAll('[data-figure=draws] .pixels button')].filter(cell => cell.dataset.grey > 8).length"
        self.assertIn(self.browser.value(inked), range(3, 50))  # a digit, not noise and not nothing

    def test_without_scripts_the_still_pictures_are_there(self):
        figures = {name for lab in self.written_labs() for name in
                   re.findall(r"<!-- interactive: (\w+) -->", lab.chapter.read_text(encoding="utf-8"))}
        shown = {name for page in self.pages() for name in page_of(page).xpath(
            "//figure[@class='interactive'][img[starts-with(@src, 'figures/')][string-length(@alt) > 20]]/@data-figure")}
        self.assertEqual(shown, figures)

    def test_axe_would_find_a_violation(self):
        if not self.axe:
            self.skipTest(NO_AXE)
        self.show("glossary.html")
        self.browser.execute_script("document.querySelector('main').append(document.createElement('button'))")
        self.browser.execute_script(FEW_OF_EACH_KIND, {})
        self.assertIn("button-name", str(list(violations(self.browser, self.axe, SHAPES[:1]))))

    def planted(self, text, name="planted.html"):
        """A short page with this above its text."""
        page = self.site() / name
        self.addCleanup(page.unlink)
        whole = (page.parent / "glossary.html").read_text(encoding="utf-8")
        page.write_text(whole.replace('"textblock">', f'"textblock">{text}', 1), encoding="utf-8")
        return page

    def show_figures(self, *names):
        """The figures alone: a chapter takes a browser seconds."""
        figures = [figure for page in map(page_of, self.pages()) for figure in page.find_class("interactive")]
        chosen = [lxml.html.tostring(figure, encoding="unicode", with_tail=False) for figure in figures if figure.get("data-figure") in names]
        scripts = "".join(f'<script src="interactive/{name}.js" defer="defer"></script>' for name in ("figure", *names))
        self.show(self.planted("".join(chosen) + scripts, "figures.html").name)

    def show(self, name, width=1280):
        self.browser.get((self.site() / name).as_uri())
        self.browser.shape(width, 900, dark=False)

    def press(self, *keys, at="", number=0):
        """Where the keyboard is, or at the element of this number among those that the selector `at` chooses."""
        if at:
            self.browser.execute_script("document.querySelectorAll(arguments[0])[arguments[1]].focus()", at, number)
        ActionChains(self.browser, 0).send_keys(*keys).perform()

    def sentence(self, figure):
        """What stands below it."""
        return self.browser.value(f"document.querySelector('[data-figure={figure}] .sentence').textContent")

    def wait_until(self, happened):
        WebDriverWait(self.browser, PATIENCE).until(lambda _: happened())


class Complaints(Site):
    """What is to be fixed is named with file and line; the site is there all the same, and the exit status is 1."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        course, chapter = cls(), "labs/lab00_warm_up/README.md"
        contract, warm_up = "labs/lab02_parallel_vs_recurrent/linear_attention.hpp", "labs/lab00_warm_up/warm_up.hpp"
        dead_link = course.edit(chapter, "Next: [Lab 01", "Next: [nowhere](../lab77_none/README.md), [Lab 01")
        no_figure = course.edit(chapter, "](broadcasting.svg)", "](broadcast.svg)")
        dead_anchor = course.edit("docs/papers.md", "errata.md#path-x", "errata.md#path-y")
        unknown = course.edit(contract, r"\paper{vaswani2017, equation 1}   \solves{2,1}",
                              r"\paper{vaswani2071, equation 1}   \solves{2,17}")
        course.edit("docs/memory.md", "\n\n## ", "\n\n$\\frac{1$ and $\\nosuch$\n\n## ")
        course.edit(warm_up, "/// \\param b \\shape{(n)}\n", "")
        (cls.root / "build/reference/lab01_check").unlink()
        with mock.patch.object(BuildTree, "build", side_effect=CourseError("CMake could not configure it; fix that")):
            cls.built = course.course("docs")
        cls.expected = [r"CMake could not configure it; fix that",
                        rf"{chapter}:{dead_link}: \S*lab77_none/README.md does not exist; fix the link",
                        rf"{chapter}:{no_figure}: broadcast.svg does not exist; fix the link",
                        rf"docs/papers.md:{dead_anchor}: docs/errata.md has no heading with the anchor #path-y; .*",
                        rf"{contract}:{unknown}: docs/papers.md has no paper vaswani2071; .*",
                        rf"{contract}:{unknown}: lab02 has no exercise 2.17; .*",
                        r"lab01 has no program that could list its mistakes, .*; .*",
                        rf"{warm_up}:\d+: .*outer_product.*", r"  parameter 'b'",
                        r"memory.html: KaTeX rejects \\frac\{1: .*; fix the formula",
                        r"memory.html: KaTeX rejects \\nosuch: .*; fix the formula"]

    def test_each_has_its_line_and_there_are_no_others(self):
        said = self.built.stderr.splitlines()
        for pattern in self.expected:
            self.assertEqual(len([line for line in said if re.fullmatch(pattern, line)]), 1, f"{pattern}\n{self.built.stderr}")
        self.assertEqual(len(said), len(self.expected), self.built.stderr)

    def test_the_site_is_there_all_the_same(self):
        self.assertEqual((self.built.returncode, self.built.stdout), (1, "wrote build/docs/student/html/index.html\n"))
        shown = self.read("build/docs/student/html/mistakes.html")
        self.assertNotIn("lab01.html", re.sub(r"(?s)<ul.*?</ul>", "", shown))
        self.assertIn("lab02.html", shown)

    def test_the_labs_need_not_be_built(self):
        with mock.patch.object(BuildTree, "build", side_effect=AssertionError):
            built = self.course("docs", "--no-mistakes")
        self.assertNotRegex(built.stderr, "mistakes|CMake")
        self.assertEqual(self.page("mistakes").xpath("//main//table"), [])

    def test_a_lab_that_does_not_compile_is_named(self):
        site_map = SiteMap(self.root, "student", lab_folders(self.root, "student"), mistakes.tree(self.root), ["lab02"])
        with_mistakes = [lab.name for lab in site_map.labs if site_map.mistakes(lab)]
        self.assertNotIn("lab02", with_mistakes)
        self.assertIn("lab03", with_mistakes)
        self.assertIn("lab02 does not compile, so the site leaves out its mistakes; "
                      "./course check lab02 --track reference says why", site_map.complaints)

    def test_a_block_for_instructors_that_is_not_closed_stops_everything(self):
        text = self.read("docs/errata.md")
        self.addCleanup(self.write, "docs/errata.md", text)
        self.edit("docs/errata.md", "# Errata", "<!-- BEGIN INSTRUCTORS -->\n\n# Errata")
        self.assert_one_line_error(self.build(), "docs/errata.md:", "inside the one of line 1")


class Translation(unittest.TestCase):
    """Markdown as code hosts read it → what Doxygen reads."""

    CASES = (  # {…}: copied as it is
        ("so $a_i$ ($n$).", '<p>so <span class="math">a_i</span> (<span class="math">n</span>).</p>'),
        ("`$HOME` and $5 or $6", r"<p><code>\$HOME</code> and \$5 or \$6</p>"),
        ("```math\na &\n= \\b\n```", r'<div class="formulaDsp">a &amp; = \\b</div>'),
        ("*no 1/√d_k*: **b** d_k `a*b*c`", "<p><em>no 1/√d_k</em>: <strong>b</strong> d_k <code>a*b*c</code></p>"),
        ("--track @me std::pi 5% \"x\" <!-- no -->", r"<p>\--track \@me std\::pi 5\% &quot;x&quot; </p>"),
        ("a\n[b\nc](d.md#e) [f](none)", '<p>a <a href="d.md#e@3">b c</a> f</p>'),
        ("![one\ntwo](f.svg)\n\nb", '{<figure><img src="f.svg" alt="one two"/></figure>} <p>b</p>'),
        ("> [!NOTE]\n> a\n>\n> b\n\nc", '{<div class="alert note"><b class="kind">Note</b>} <p>a</p> <p>b</p> {</div>} <p>c</p>'),
        ("> [a]\n> b", "<blockquote> <p>[a] b</p> </blockquote>"),
        ("```text\n$x$ *y*\n```", r"\code{.unparsed} $x$ *y* \endcode"),
        ("```sh\n./course check lab02 --json  # a < b\n```",
         '{<div class="fragment shell"><div class="line"><span class="program">./course check</span> lab02 '
         '<span class="option">--json</span> <span class="comment"># a &lt; b</span></div></div>}'),
        ("<details><summary>Hint 1: `x` < $y$</summary>\n\n$z$\n\n</details>",
         '{<details><summary>Hint 1: <code>x</code> &lt; <span class="math">y</span></summary>} '
         '<p><span class="math">z</span></p> {</details>}'),
        ("# T\n<a id=\"key\"></a>\n## 2.1 `f(x)`: a", '\\page p T <p></p> <h2 id="p-key">2.1 f(x): a</h2>'))

    class Links:
        def href(self, target, line):
            return None if target == "none" else f"{target}@{line}"

        def figure(self, target, line):
            return target, ""

        def mention(self, code):
            return None

    def test_each_case(self):
        for text, expected in self.CASES:
            out = markdown.Page(text, "p", self.Links(), {}, {}).translate()
            out = out.replace(r"\htmlonly[block]", "{").replace(r"\endhtmlonly", "}")
            self.assertEqual(out.replace("}<", "} <").split(), expected.split())

    def test_a_line_does_not_end_anywhere(self):
        for text, expected in (("262 144 numbers in 4 ms", "262~144 numbers in 4~ms"), ("p in [0, 1), at (3, 1)", "p in [0,~1), at (3,~1)"),
                               ("99.9 ± 0.1%", "99.9 ±~0.1%"), ("elu + 1, 0 · ∞, j ≤ i", "elu~+ 1, 0~· ∞, j~≤ i"),
                               ("one of 0, …, v", "one of 0,~…, v"), (" · (softmax", "~· (softmax"), ("a - b and -inf", "a~- b and -inf")):
            self.assertEqual(markdown.joined(text).replace("\u00a0", "~"), expected)

    def test_slugs(self):
        text = '# T\n## 2.1 `f(x)`: a, b\n```\n# no\n```\n<a id="key"></a>\n\n### Other\n## Other\n'
        self.assertEqual([heading.slug for heading in headings(text)], ["t", "21-fx-a-b", "key", "other"])


class ListedMistakes(CourseTree):
    """What the program of lab07 says of itself."""

    def listed(self):
        return mistakes.of_lab(mistakes.tree(self.root), manifest.load(self.root)[0])

    def test_they_come_in_the_order_of_the_exercises(self):
        self.put_program("lab07", "suite\tthrice\nmistake\thalf\tno\t§7.9\tNo.\nmistake\tthrice\tlast\t§7.2\tAdd.\n"
                         'mistake\ttwice\ta, "b")\t§7.1\tDo this: f(x, y).')
        listing = self.listed()
        self.assertEqual(listing.suites, ["thrice"])
        self.assertEqual([mistake.name for mistake in listing.mistakes], ['a, "b")', "last", "no"])
        self.assertEqual(listing.mistakes[0], mistakes.Mistake("twice", 'a, "b")', "7.1", "Do this: f(x, y)."))

    def test_where_there_is_no_answer_key_the_students_programs_are_asked(self):
        self.put_program("lab07", "mistake\ttwice\tstudent\t§7.1\tAdd.", track="student")
        shutil.rmtree(self.root / "reference")
        self.assertEqual([mistake.name for mistake in self.listed().mistakes], ["student"])

    def test_what_cannot_be_listed_is_said(self):
        with self.assertRaisesRegex(CourseError, "lab07 .* not built; ./course check lab07 --track reference says why"):
            self.listed()
        self.write("build/reference/lab07_check", "#!/bin/sh\necho no such option >&2; exit 2\n", 0o755)
        with self.assertRaisesRegex(CourseError, "build/reference/lab07_check --list failed; no such option; "):
            self.listed()


class Address(unittest.TestCase):
    """That of a clone is shown where everybody can follow it."""

    def test_only_a_public_address_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(REPOSITORY / citation.FILE, Path(folder) / citation.FILE)
            self.assertEqual(citation.of(Path(folder)).address, "")
            git = ["git", "-C", folder]
            subprocess.run([*git, "init", "-q"], check=True)
            for origin, shown in (("https://example.org/a/b.git", "https://example.org/a/b"), ("/home/ada/b", ""),
                                  ("git@example.org:a/b.git", ""), ("https://ada:secret@example.org/b", ""), ("https://localhost/a/b", ""),
                                  ("https://git.lan/a/b", ""), ("https://192.168.0.1/a/b", "")):
                subprocess.run([*git, "config", "remote.origin.url", origin], check=True)
                self.assertEqual(citation.of(Path(folder)).address, shown)
            with open(Path(folder) / citation.FILE, "a", encoding="utf-8") as file:
                file.write("repository-code: https://gitlab.com/c/d\n")
            self.assertEqual(citation.address(Path(folder)), "https://gitlab.com/c/d")

    def test_where_to_report_a_mistake(self):
        self.assertEqual(citation.report("", "Lab 02"), "")
        self.assertEqual(citation.report("https://github.com/a/b", "Lab 02"), "https://github.com/a/b/issues/new?title=Lab%2002")
        self.assertEqual(citation.report("https://gitlab.com/a/b", "x"), "https://gitlab.com/a/b/-/issues/new?issue[title]=x")


def plant_marks(root):
    """How many of each kind: in solutions, in what mistakes are made of, in pages and in parts of pages."""
    marks = {"SOLUTION": 0, "PAGE": 0, "BLOCK": 0, "BODY": 0}

    def plant(kind):
        marks[kind] += 1
        return f"CANARY{kind}{marks[kind]}"

    def change(path, pattern, replacement):
        path.write_text(re.sub(pattern, replacement, path.read_text(encoding="utf-8")), encoding="utf-8")

    for source in (root / "reference").glob("*.c*"):
        change(source, r"(?m)^([ \t]*)// BEGIN SOLUTION.*$", lambda m: f"{m[0]}\n{m[1]}int {plant('SOLUTION')};")
    for source in (root / "tests").glob("lab*/mistakes/*.c*"):
        change(source, r'"\) \{\n', lambda m: f'{m[0]}// {plant("BODY")}\n')
    for name in FOR_INSTRUCTORS:
        change(root / "docs" / f"{name}.md", r"\Z", lambda m: f"\n\n## {plant('PAGE')}\n\n{plant('PAGE')}\n")
    for page in [*(root / "labs").glob("lab*/README.md"), root / "docs/errata.md"]:
        change(page, r"\Z", lambda m: f"\n<!-- BEGIN INSTRUCTORS -->\n\n## {plant('BLOCK')}\n\n<!-- END INSTRUCTORS -->\n")
    return marks


def squeezed(text):
    return re.sub(r"\W+", "", text)


def words(path):
    """What a file says, without tags and without anything between its letters, so that highlighting hides nothing."""
    return squeezed(page_of(path).text_content() if path.suffix == ".html" else path.read_text(encoding="utf-8", errors="replace"))


def page_of(path):
    """To be read, not changed: each is parsed once."""
    return _parsed(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=None)
def _parsed(path, _):
    return lxml.html.fromstring(path.read_text(encoding="utf-8"))


def solution_lines(root, source="*.c*"):
    """The longer lines between the markers of reference/, squeezed."""
    for path in sorted((root / "reference").glob(source)):
        for _, lines in regions(path.read_text(encoding="utf-8")):
            yield from (squeezed(line) for _, line in lines if len(squeezed(line)) >= 20)


def dead_links(site):
    """Links of the pages and the style sheets to files that do not exist, or to anchors that no page has."""
    pages = {path.name: page_of(path) for path in site.glob("*.html")}
    anchors = {name: {*page.xpath("//@id | //@name")} for name, page in pages.items()}
    links = {name: page.xpath("//@href | //@src") for name, page in pages.items()}
    links |= {path.name: re.findall(r"url\(['\"]?([^)'\"]*)", path.read_text(encoding="utf-8")) for path in site.glob("*.css")}
    dead = []
    for name, link in sorted({(name, link) for name, all_links in links.items() for link in all_links}):
        target, _, anchor = link.partition("#")
        target = urllib.parse.unquote(target) or name
        if not re.match(r"https?:|mailto:|data:|javascript:", link) and not (
                (site / target).is_file() and (not anchor or anchor in anchors.get(target, ()))):
            dead.append(f"{name}: {link}")
    return dead


def axe_core():
    """The script of axe-core, or None. Debian has no package of it; a wheel of PyPI brings it along."""
    try:
        return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--timeout", "20", "--retries", "1", "-d", folder,
               "axe-playwright-python==0.1.8"]
        if subprocess.run(pip, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read("axe_playwright_python/axe.min.js").decode()


def defects(browser, page):
    """Each once, however many shapes of the window show it."""
    browser.shape(*SHAPES[0])
    browser.complaints(), browser.requests()  # of the page before
    browser.get(page.as_uri())
    found = []
    for shape in SHAPES:
        browser.shape(*shape)
        browser.execute_script("for (const folded of document.querySelectorAll('details')) folded.open = true")
        browser.settle()
        found += [defect for defect in browser.value(CHECKS) if defect not in found]
    found += [f"asked for {url}" for url in browser.requests() if not url.startswith(("file:", "data:"))]
    return found + browser.complaints()


def violations(browser, axe, shapes=SHAPES):
    """Those of WCAG 2.2, A and AA, that axe finds on the page that is shown, but for contrast, which page_checks.js measures."""
    browser.execute_script(axe)
    for shape in shapes:
        browser.shape(*shape)
        yield from (f"{violation} at {shape}" for violation in browser.execute_async_script(VIOLATIONS, RULES))
