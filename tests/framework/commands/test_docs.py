"""./course docs: both editions of the site, built from copies of the course; links, HTML, a browser's view, leaks."""

import functools
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
import zipfile
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import lxml.html
import pytest
from browser import PATIENCE, Browser
from conftest import BUILD, LABS, ROOT, Course, shell_script
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.wait import WebDriverWait

from course.build.build_tree import BuildTree
from course.commands import trace
from course.errors import CourseError
from course.site import citation, edition, markdown
from course.site.chapter import hints
from course.site.headings import headings
from course.site.site_map import FOR_INSTRUCTORS, SiteMap
from course.sources.cutter import regions
from course.verdicts import mistakes

CHECKS = (Path(__file__).parent / "page_checks.js").read_text()
SHAPES = ((320, 900, False), (1280, 900, False), (1280, 900, True), (390, 900, True))  # width, height, dark
EACH_LAB = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
STEP = "lab03.causal_linear_attention_step"
FIND = "const $ = each => document.querySelector(each), $$ = each => [...document.querySelectorAll(each)];"
FOUND = """const [query, done] = arguments, field = document.querySelector("#search input");
const status = document.querySelector("#search [role=status]");
if (query) { status.textContent = ""; field.value = query; field.dispatchEvent(new Event("input")); }
const look = () => status.textContent ? done(document.querySelector("#search li a")?.getAttribute("href")) : setTimeout(look, 5);
look();"""
# page_checks.js has looked at all formulas, colours and ids; without them, and with three rows of each table, axe takes a second.
VIOLATIONS = """const done = arguments[0], runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
document.querySelectorAll("main :is(tr, li):nth-child(n+4)").forEach(part => part.remove());
document.querySelectorAll(".katex, .line > *, code > *").forEach(part => part.replaceWith("x"));
axe.run({ runOnly, rules: { "color-contrast": { enabled: false } }, resultTypes: ["violations"], preload: false }).then(
  found => done(found.violations.map(rule => `${rule.id}: ${rule.nodes[0].html}`)));"""


class Site(Course):
    """A copy of the whole course with the programs of the build that is tested, the site made in it, and a browser to look at it."""

    def __init__(self, root, browser=None):
        super().__init__(root)
        self.browser = browser
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".git", "build", "__pycache__", "out"))
        (root / "build/reference").mkdir(parents=True)
        for lab in LABS:
            (root / f"build/reference/{lab.name}_check").symlink_to(BUILD / f"{lab.name}_check")

    def build(self, *words, **result):
        with mock.patch.object(BuildTree, "build", **(result or {"return_value": []})):  # the programs are there
            return self.course("docs", *words)

    def folder(self, edition="student"):
        return self.root / "build/docs" / edition / "html"

    def pages(self, edition="student"):
        return sorted(self.folder(edition).glob("[!_]*.html"))

    def page(self, name, edition="student"):
        return page_of(self.folder(edition) / f"{name}.html")

    @functools.cache
    def mistakes(self, lab):
        return mistakes.of_lab(mistakes.tree(self.root), lab).mistakes

    def plant(self, text):
        """A short page with this above its text."""
        page, whole = self.folder() / "_planted.html", (self.folder() / "glossary.html").read_text()
        page.write_text(whole.replace('"textblock">', f'"textblock">{text}', 1))
        return page

    def show(self, name, width=1280):
        self.browser.get((self.folder() / f"{name}.html").as_uri())
        self.browser.shape(width, 900, dark=False)

    def show_figures(self, *names):
        """Alone: a chapter takes a browser seconds."""
        figures = [lxml.html.tostring(figure, encoding="unicode", with_tail=False) for page in self.pages()
                   for figure in page_of(page).find_class("interactive") if figure.get("data-figure") in names]
        self.plant("".join(figures) + "".join(f'<script src="interactive/{name}.js" defer="defer"></script>' for name in ("figure", *names)))
        self.show("_planted")

    def press(self, *keys, at="", number=0):
        """Where the keyboard is, or at the element of this number among those that the selector `at` chooses."""
        if at:
            self.browser.execute_script("document.querySelectorAll(arguments[0])[arguments[1]].focus()", at, number)
        ActionChains(self.browser, 0).send_keys(*keys).perform()

    def value(self, expression, *arguments):
        """Of a JavaScript expression, in which $ and $$ find the first element and all elements that a selector chooses."""
        return self.browser.execute_script(f"{FIND} return (\n{expression}\n)", *arguments)

    def wait_until(self, condition, *arguments):
        WebDriverWait(self.browser, PATIENCE).until(lambda _: self.value(condition, *arguments))

    def defects(self, page):
        """Each once, however many shapes of the window show it."""
        self.browser.shape(*SHAPES[0])
        self.browser.complaints()  # of the page before
        self.browser.get(page.as_uri())
        found = []
        for shape in SHAPES:
            self.browser.shape(*shape)
            self.browser.execute_script("for (const folded of document.querySelectorAll('details')) folded.open = true")
            self.browser.settle()
            found += [defect for defect in self.value(CHECKS) if defect not in found]
        return found + self.browser.complaints()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Nothing to complain of; in every place that students must not see stands a mark."""
    with Browser() as browser:
        site = Site(tmp_path_factory.mktemp("docs") / "a course", browser)
        plant_marks(site.root)
        built = [site.build(), site.build("--edition", "instructor")]
        assert [(each.returncode, each.stderr) for each in built] == [(0, ""), (0, "")]
        assert built[0].stdout == "wrote build/docs/student/html/index.html\n"
        yield site


def plant_marks(root):
    """In solutions, in what mistakes are made of, in pages and in parts of pages."""
    block = "\n<!-- BEGIN INSTRUCTORS -->\n\n## CANARYBLOCK\n\n<!-- END INSTRUCTORS -->\n"
    for place, pattern, mark in (("reference/*.c*", r"(?m)^[ \t]*// BEGIN SOLUTION.*$", "\nint CANARYSOLUTION;"),
                                 ("tests/lab*/mistakes/*.c*", r'"\) \{\n', "// CANARYBODY\n"),
                                 *((f"docs/{name}.md", r"\Z", "\n\n## CANARYPAGE\n\nCANARYPAGE\n") for name in FOR_INSTRUCTORS),
                                 ("labs/lab*/README.md", r"\Z", block), ("docs/errata.md", r"\Z", block)):
        texts = {path: re.subn(pattern, rf"\g<0>{mark}", path.read_text()) for path in root.glob(place)}
        assert any(times for _, times in texts.values()), place
        for path, (text, _) in texts.items():
            path.write_text(text)


@functools.cache
def page_of(path):
    """To be read, not changed."""
    return lxml.html.fromstring(path.read_text())


@functools.cache
def words(page):
    """What it says, without anything between its letters, so that highlighting hides nothing."""
    return squeezed(page.text_content())


def squeezed(text):
    return re.sub(r"\W+", "", text)


def dead_links(folder):
    """Links of the pages and the style sheets to files that do not exist, or to anchors that no page has."""
    pages = {path.name: page_of(path) for path in folder.glob("*.html")}
    links = {(name, link) for name, page in pages.items() for link in page.xpath("//@href | //@src")}
    links |= {(path.name, link) for path in folder.glob("*.css")
              for link in re.findall(r"url\(['\"]?([^)'\"]*)", path.read_text())}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    there |= {f"{name}#{anchor}" for name, page in pages.items() for anchor in page.xpath("//@id | //@name")}
    return sorted(f"{name}: {link}" for name, link in links if not re.match(r"https?:|mailto:|data:|javascript:", link)
                  and urllib.parse.unquote(urllib.parse.urljoin(name, link)) not in there)


# --- the pages ---

@EACH_LAB
def test_a_lab_is_there_with_its_exercises_and_hints(site, lab):
    assert f"{lab.name}.html" in site.page("index").xpath("//a/@href")
    folds = [fold.xpath("string(preceding::h3[1])")
             for fold in site.page(lab.name).xpath("//details[not(@open)][starts-with(summary, 'Hint ')]")]
    for exercise in lab.exercises:
        title = f"Exercise {exercise.section}: {exercise.function}"
        assert len([each for each in folds if each.startswith(title)]) == len(hints(lab, exercise)), title
        for page in "exercises", f"group__{lab.name}__functions":
            assert site.page(page).xpath("//code[. = $command]", command=f"./course check {exercise.name}"), page
        link, = site.page("functions").xpath(f"//h2[@id='functions-{lab.name}']/following-sibling::table[1]"
                                             f"//a[text()='{exercise.function}']/@href")
        assert re.fullmatch(rf"group__{lab.name}__functions.html#\w+", link)


@EACH_LAB
def test_its_mistakes_have_their_sentences_and_its_solutions_their_place(site, lab):
    shown, chapter = words(site.page("mistakes")), words(site.page(lab.name, "instructor"))
    for mistake in site.mistakes(lab):
        assert squeezed(mistake.name) in shown
        assert squeezed(mistake.explanation) in shown and squeezed(mistake.explanation) in chapter
    for source in lab.sources:
        for _, lines in regions((ROOT / "reference" / source).read_text()):
            assert [line for _, text in lines if len(line := squeezed(text)) >= 20 and line not in chapter] == []


def test_links_and_anchors_lead_somewhere(site, tmp_path):
    assert dead_links(site.folder()) == dead_links(site.folder("instructor")) == []
    (tmp_path / "b c.html").write_text('<p id="here&amp;">b</p>')
    links = {"b%20c.html#here&amp;": False, "b%20c.html": False, "https://example.org/": False, "b%20c.html#there": True,
             "d.html": True, "#here&amp;": True}
    (tmp_path / "a.html").write_text("".join(f'<a class="a"\n href="{href}">a</a>' for href in links))
    assert dead_links(tmp_path) == ["a.html: #here&", "a.html: b%20c.html#there", "a.html: d.html"], "a dead one would not be found"


def test_all_of_it_as_one_document(site):
    whole = edition._joined(site.folder())
    assert len(whole.xpath("//h1")) == 1 + len(whole.xpath("/html/body/section"))
    assert "Lab 06: Gradients" in whole.xpath("//section//h1/text()")
    anchors = {f"#{each}" for each in whole.xpath("//@id")}
    assert [link for link in whole.xpath("//a/@href") if link not in anchors and not link.startswith(("http", "mailto:"))] == []
    for section in whole.findall("body/section")[3:]:  # to print all takes a minute
        section.drop_tree()
    with mock.patch.object(edition, "_joined", return_value=whole):
        pdf = edition.write(site.folder()).read_bytes()
    assert pdf[:5] == b"%PDF-" and len(pdf) > 100_000 and b"/Outlines" in pdf
    with mock.patch.dict(os.environ, PATH=""), pytest.raises(CourseError, match="Chromium is not on the PATH"):
        edition.write(site.folder())


def test_the_html_is_sound(site):
    tidy = subprocess.run(["tidy", "-eq", "-utf8", *site.pages("instructor")], text=True, capture_output=True)
    assert [line for line in tidy.stderr.splitlines() if "Error:" in line] == []


def test_what_is_for_instructors_stays_there(site):
    for path in site.folder().parent.rglob("*"):
        assert "canary" not in path.name.lower() and (path.is_dir() or b"CANARY" not in path.read_bytes()), path
    shown = " ".join(path.read_text() for path in site.pages("instructor"))
    assert {*re.findall("CANARY([A-Z]+)", shown)} == {"SOLUTION", "PAGE", "BLOCK"}


def test_errata_name_exercises_and_mistakes_that_exist(site):
    known = {(exercise.name, "") for lab in LABS for exercise in lab.exercises}
    known |= {(f"{lab.name}.{mistake.exercise}", mistake.name) for lab in LABS for mistake in site.mistakes(lab)}
    text = re.sub(r"\s+", " ", (ROOT / "docs/errata.md").read_text())
    named = {(exercise, name) for exercise, names in re.findall(r"`(lab\d\d\.\w+)`((?:[:,]? \*[^*]+\*)*)", text)
             for name in ["", *re.findall(r"\*([^*]+)\*", names)]}
    assert named and named - known == set()


def test_the_start_page_says_how_to_cite_this_copy(site):
    copy, start = citation.of(site.root), words(site.page("index"))
    assert [part for part in (copy.title, copy.authors, copy.version) if squeezed(part) not in start] == []


def test_letters_in_figures_are_large_enough():
    """A phone shows them at three quarters: page_checks.js."""
    for figure in [*ROOT.glob("labs/*/*.svg"), *ROOT.glob("docs/figures/*.svg")]:
        sizes = re.findall(r'font(?:-size)?[:=]\s*"?[^;">]*?([\d.]+)(?:px|")', figure.read_text())
        assert min(map(float, sizes)) >= 12, figure.name


def test_letters_lead_to_the_glossary(site):
    found = {url for page in site.pages() for url in page_of(page).xpath("//a[@class='term']/@href")}
    assert found == {f"glossary.html#glossary-{name}" for name in ("phi", "state", "normaliser", "epsilon", "chunk")}


def test_a_contract_is_a_section_as_in_a_chapter(site):
    page, lab = site.page("group__lab03__functions"), LABS[3]
    assert page.xpath("//*[starts-with(@class, 'mem') or starts-with(@class, 'param') or @align or @class='groupheader']") == []
    titles = page.xpath("//h2")
    names = [title.text_content().removesuffix("#").strip() for title in titles]
    assert names == [*(exercise.function for exercise in lab.exercises), "CausalState", "OutputAndState", "ResumableAttention"]
    assert page.xpath("//*[@id='toc']//a/@href") == [f"#{title.get('id')}" for title in titles]
    for exercise, title in zip(lab.exercises, titles):
        link, = title.xpath("following-sibling::*[1][@class='facts']/a/@href")
        assert link.startswith(f"lab03.html#lab03-exercise-{exercise.section.replace('.', '')}-")
    step = titles[names.index("causal_linear_attention_step")]
    assert step.xpath("string(following-sibling::div[1])") == (
        "OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, "
        "const CausalState& state, const FeatureMap& phi, double epsilon);")
    rows = [[" ".join(cell.xpath("string()").split()) for cell in row] for row in step.xpath("following-sibling::table[1]//tr")]
    assert [row[:2] for row in rows] == [["name", "shape"], ["q", "(…, d_k)"], ["k", "(…, d_k)"], ["v", "(…, d_v)"],
                                         ["state", ""], ["phi", ""], ["epsilon", ""], ["returns", "(…, d_v)"]]
    assert [row[2] for row in rows[-2:]] == ["ε ≥ 0", "the token's output and the state after it, of the same size"]
    notes = step.xpath("following-sibling::dl[1]/*")
    assert [title.text for title in notes[::2]] == ["Throws", "Cost", "Source"]
    assert r"O(c\,d_v)" in notes[3].xpath("string(.//annotation[1])")


# --- in a browser ---

def test_every_page_in_a_browser(site):
    assert {page.name: found for page in site.pages("instructor") if (found := site.defects(page))} == {}


def test_the_browser_would_find_a_defect(site):
    plants = {r"\(\frac{1}{2}\)": r"unrendered: \(", "<h5>deep</h5>": "h1 is followed by h5", "<h1>twice</h1>": "not one h1",
              r"$\phi_1$": "unrendered: $", '<img src="none.png" alt="no"/>': "missing image",
              '<img src="nil.png" alt="no"/>': "nil.png - Failed to load resource: net::ERR_FILE_NOT_FOUND",
              '<span style="color: #999; background: #fff">faint</span>': "contrast 2.85",
              '<div style="width: 3000px">wide</div>': "too wide", "<script>nonsense()</script>": "nonsense is not defined",
              '<script src="https://example.org/a.js"></script>': "asked for https://example.org/a.js"}
    found = " ".join(site.defects(site.plant("".join(f"<p>{plant}</p>" for plant in plants))))
    assert [complaint for complaint in plants.values() if complaint not in found] == []


def test_pages_of_each_kind_are_accessible(site, tmp_path):
    """Debian has no package of axe-core; a wheel of PyPI brings it along."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--timeout", "20", "--retries", "1", "-d", tmp_path,
           "axe-playwright-python==0.1.8"]
    if subprocess.run(pip, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("axe-core is not here: pip could not download axe-playwright-python from PyPI")
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        axe = wheel.read("axe_playwright_python/axe.min.js").decode()
    site.plant("<button></button>")
    pages, found = ("lab05", "index", "group__lab03__functions", "exercises", "mistakes", "glossary", "_planted"), {}
    for name, width in (*((lab.name, 1280) for lab in LABS), *((name, width) for name in pages for width in (1280, 390))):
        site.show(name, width)
        site.browser.execute_script(axe)
        found[name, width] = site.browser.execute_async_script(VIOLATIONS)
    assert {name: rules for (name, _), rules in found.items() if rules} == {"_planted": ["button-name: <button></button>"]}


SEARCHES = (  # the first that is found, and by what: words, other spellings, slips, letters, names, phrases, what people call it
    ("glossary.html#glossary-normaliser", "normaliser, Normalizer, nowhere normaliser, normalzier"), ("errata.html", "erata"),
    ("glossary.html#glossary-epsilon", "epsilon"), ("glossary.html#glossary-key-value-cache", "KV cache"),
    ("glossary.html#glossary-chunk", "chunk size"), ("group__lab03__functions.html#", "streaming_exp_attention"),
    ("lab00.html#lab00-numpy", "einsum"), ("lab01.html#lab01-11-elu--1", "elu+1"), ("lab02.html#lab02-25", "recurence"),
    ("lab03.html#lab03-36", "padding mask"), ("lab04.html#lab04-42-orthogonal-directions", "orthogonal"), ("lab09.html#lab09-9", "delta rule"),
    ("mistakes.html#mistakes-lab02-softmax_attention", "no 1/√d_k scale"), ("uses.html#uses-where-it-loses-recall", "where does it lose?"),
    ("papers.html#papers-katharopoulos2020", "Katharopoulos, Transformers are RNNs"), ("papers.html#papers-vaswani2017", "attention is all you need"),
    ("grading.html#grading-what-must-not-pass", "cheating"), ("setup.html#setup-windows", "install windows"), ("setup.html#setup-nan", "NaN"),
    ("setup.html#setup-a-crash", "segfault, core dump, segmentation fault"), ("setup.html#setup-a-timeout", "infinite loop, time limit exceeded"),
    ("setup.html#setup-it-does-not-link", "linker error, undefined reference to"), ("setup.html#setup-a-wrong-shape", "shape mismatch, terminate called"),
    ("setup.html#setup-command-not-found", "permission denied"), ("setup.html#setup-it-does-not-compile", "no matching function"))


def test_the_search_leads_to_the_right_section(site):
    site.show("index")
    site.press("/")
    found = [(first, query, site.browser.execute_async_script(FOUND, query)) for first, queries in SEARCHES for query in queries.split(", ")]
    assert [each for each in found if not each[2].startswith(each[0])] == []


def test_the_search_by_keyboard(site):
    site.show("index")
    site.press("/", "zzzz")
    site.browser.execute_async_script(FOUND, "")
    assert site.value("$('#search [role=status]').textContent") == "Nothing found."
    site.press(Keys.ESCAPE)
    site.press("/", Keys.BACKSPACE, "inclusive_scan")
    site.browser.execute_async_script(FOUND, "")
    site.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
    assert re.search(r"/group__lab02__functions.html#\w+$", site.browser.current_url)


def test_the_search_shows_no_answer(site):
    sections = (site.folder() / "search-sections.js").read_text()
    answers = [text for page in site.pages() for text in
               page_of(page).xpath("//details[starts-with(summary, 'Answer')]/p[not(*)]/text()") if len(text) > 30]
    assert len(answers) > 5
    assert [text for text in answers if text in sections] == []


def test_keys_reach_everything(site):
    site.show("lab02")
    site.press(Keys.TAB)
    assert site.value("document.activeElement.className") == "skip"
    site.press(Keys.ENTER, Keys.TAB)
    assert site.value("$('main').contains(document.activeElement)")
    for dark in (True, False):
        site.press(Keys.SPACE, at="#theme-button")
        assert site.value("[document.documentElement.classList.contains('dark-mode'), document.activeElement.ariaPressed]") == [dark, str(dark).lower()]
    site.browser.execute_script("localStorage.clear()")
    site.press(Keys.ENTER, at=".copy")
    site.wait_until("['Copied', 'Select it, then copy'].includes(document.activeElement.textContent)")
    assert site.value("Number(getComputedStyle(document.activeElement).opacity)") > 0


def test_mistakes_of_one_lab_and_with_some_words(site):
    site.show("mistakes")
    shown = "$$('[data-lab]').filter(part => part.checkVisibility()).map(part => part.dataset.lab)"
    opened = "$$('[data-lab] details[open]').map(fold => fold.parentElement.dataset.exercise)"
    rows = "$$('table.mistakes td:first-child').filter(cell => cell.checkVisibility()).map(cell => cell.innerText)"
    assert [site.value(each) for each in (shown, opened, rows)] == [[lab.name for lab in LABS], [], []]
    site.press("ROWS instead colum", at="input[data-filters]")
    found = [mistake.name for lab in LABS for mistake in site.mistakes(lab)
             if all(word in f"{mistake.name} §{mistake.section} {mistake.explanation}".lower() for word in ("rows", "instead", "colum"))]
    assert "columns summed instead of rows" in found
    assert site.value(rows) == found
    site.show("mistakes")
    of_lab01 = [exercise.function for exercise in LABS[1].exercises]
    for place, folds in ("mistakes-lab02-inclusive_scan", ["inclusive_scan"]), ("mistakes-lab01", [*of_lab01, "inclusive_scan"]):
        site.browser.execute_script("location.hash = arguments[0]", place)
        site.wait_until(f"String({opened}) === String(arguments[0])", folds)
    site.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, at="select")
    assert site.value(shown) == ["lab01"]


def test_a_table_that_does_not_fit_a_phone_is_stacked(site):
    site.plant("".join(
        f'<table class="markdownTable"><tr class="markdownTableHead"><th>model</th><th>size</th></tr><tr>'
        f'<td><div style="width: {pixels}px">a</div></td><td><div style="width: {pixels}px">b</div></td></tr></table>' for pixels in (250, 50)))
    for width, shown in ((1280, ["a", "a"]), (390, ["model a", "a"])):
        site.show("_planted", width)
        cells = site.value("$$('main table').map(table => table.querySelector('td').innerText)")
        assert [" ".join(cell.split()) for cell in cells[:2]] == shown
        assert site.value("$$('main :is(table, tbody)').every(box => box.scrollWidth <= box.clientWidth + 1)")


# --- the interactive figures ---

PRESSED = (  # a figure; the element in it, its number, the keys, and what the sentence below then says
    ("adam", ("select", 0, "b", ""), ("input[type=range]", 2, Keys.END, "Step 60: Adam moves a by -0.03 and b by 0.00")),  # b flips its sign
    ("brackets", ("input", 0, Keys.ARROW_LEFT * 3, "both orders cost the same")),
    ("draws", ("button", 0, Keys.ENTER, "64 pixels")),
    ("favor", ("input", 0, Keys.HOME, "draws of 1 directions"), (".controls > button:last-child", 0, Keys.ENTER, "")),  # starts again
    ("memory", ("select", 0, "", "3 writes, plain sum: what is read is nearest to the last value for 1 of 2"),
     ("select", 0, "de" + Keys.ARROW_DOWN, "last value for 2 of 2 keys."),  # decay, then the delta rule
     ("button", 1, Keys.ENTER, "for 2 of 2 keys."), ("button", 2, Keys.ENTER, "for 1 of 2 keys, not for B"),
     ("button", 3, Keys.ENTER, "4 writes"), ("button", 4, Keys.ENTER, "nothing was written"), ("button", 0, Keys.ENTER, "1 write, delta rule")),
    ("passes", ("button", 1, Keys.ENTER * 11, "Backwards, token 1 of 3, read"), ("button", 1, "", "All gradients are there"),
     ("select", 0, "r o", "“r omitted” a gradient is wrong")),
    ("state", ("button", 1, "", "Token 1 of 4, update"), ("button", 1, Keys.ENTER, "Token 1 of 4, read"),
     ("select", 0, "z", "the output is wrong")))


@pytest.mark.parametrize("figure, steps", [pytest.param(figure, steps, id=figure) for figure, *steps in PRESSED])
def test_a_figure_works_by_keyboard(site, figure, steps):
    site.show_figures(figure)
    sentence = f"$('[data-figure={figure}] .sentence').textContent"
    first = site.value(sentence)
    for place, number, keys, says in steps:
        site.press(*keys, at=f"[data-figure={figure}] {place}", number=number)
        site.wait_until(f"{sentence}.includes(arguments[0])", says)
    if figure == "favor":
        assert site.value(sentence) == first, "it did not start again"
    if figure == "draws":
        numbers = re.search(r"held (\d+) numbers after the first pixel and (\d+) after the last", site.value(sentence))
        assert numbers[1] == numbers[2]
        inked = site.value("$$('.pixels button').filter(cell => cell.dataset.grey > 8).length")
        assert 3 <= inked < 50, "not a digit, but noise or nothing"


def test_figures_compute_what_the_chapter_says(site):
    site.show_figures("chunks", "banks", "barrier")
    chapter = (ROOT / "labs/lab05_chunkwise_cuda/README.md").read_text()
    for C, flops, intensity in re.findall(r"\| (?:recurrence|chunkwise, \$C = (\d+)\$) \| ([\d ]+) \| (\d+) \|", chapter):
        shown = site.value("Figures.chunks({ C: arguments[0], d: 64 })", int(C or 0))
        assert (shown["flops"], shown["intensity"]) == (int(flops.replace(" ", "")), int(intensity)), C
    assert site.value("[0, 1, 2, 64, 65].map(stride => Figures.banks({ stride }).passes)") == [1, 1, 2, 32, 1]
    assert site.value("['thread 0', 'thread 2'].map(first => [false, true].map(barrier => Figures.barrier({ first, barrier }).value))") == [
        ["old", "new"], ["new", "new"]]


def test_two_passes_show_the_worked_example(site):
    """Both tables of the chapter; in the first, the outputs are written with a common divisor."""
    site.show_figures("passes")
    chapter = (ROOT / "labs/lab06_gradients/README.md").read_text()
    example = chapter[chapter.index("## A worked example"):chapter.index("**Three quick checks.**")]
    rows = re.findall(r"(?m)^\| (\d) \| (.*) \|$", example)
    assert [token for token, _ in rows] == ["1", "2", "3", "3", "2", "1"]
    shown = site.value("Figures.passes(Object.fromEntries(['Q', 'K', 'V', 'dO'].map((name, at) => [name, [...$$("
                       "'.controls table')[at].rows].map(row => [...row.querySelectorAll('input')].map(cell => cell.valueAsNumber))])))")
    for place, (token, cells) in enumerate(rows):
        mine, names = shown[int(token) - 1], ("S", "z", "D", "", "dN", "dD", "dQ") if place < 3 else ("R", "r", "dK", "dV")
        for text, name in zip(cells.split(" | "), names, strict=True):
            numbers = [float(Fraction(each)) for each in re.findall(r"-?\d+(?:/\d+)?", text.split(" = ")[-1].replace("−", "-"))]
            expected = sum(mine[name], []) if name in ("S", "R") else mine.get(name, numbers)
            assert numbers == pytest.approx(expected if isinstance(expected, list) else [expected], abs=1e-12), (token, name)


def test_a_figure_keeps_its_state_in_the_address(site):
    site.show_figures("state")
    site.press(*Keys.ENTER * 20, at="[data-figure=state] button", number=1)
    assert site.value("document.activeElement.getAttribute('aria-disabled')") == "true"
    assert re.search(r"\?state.step=8#figure-state$", site.browser.current_url)
    site.browser.refresh()
    assert "Token 4 of 4, read" in site.value("$('.sentence').textContent")
    for wrong in "state.step=%22x%22", "state.mistake=1", "state.Q=[[1]]", "state.K=7", "state.step={":
        site.browser.get(f"{site.browser.current_url.partition('?')[0]}?{wrong}")
        assert "Token 1 of 4, update" in site.value("$('.sentence').textContent"), wrong


@pytest.mark.parametrize("function, mistake, columns, says", [
    (STEP, "", 80, "4 of 4 tokens are there, and they are right."), (STEP, "", 24, "4 of 4 tokens are there"),
    (STEP, "z read before it is updated", 80, "First difference: token 0, output[0]: yours "),
    (STEP, "key and query exchanged", 40, "First difference: token 0, S[0, 0]: yours 2, right 1."),
    ("lab02.linear_attention_step", "", 80, "These are not the tokens of the example.")])
def test_a_trace_stands_beside_the_right_one(site, tmp_path, monkeypatch, function, mistake, columns, says):
    """As ./course trace prints it: of the answer key, of a mistake, of another function, in a narrow terminal."""
    site.show_figures("state")
    monkeypatch.setenv("COLUMNS", str(columns))
    lab, _, name = function.partition(".")
    program = [str(BUILD / ("mistakes" if mistake else "") / f"{lab}_exercises"), "--trace", "--exercise", name]
    steps, _ = trace.follow(program + (["--mistake", mistake] if mistake else []), tmp_path / "log")
    text = "\n\n".join("\n".join(trace._shown(f"token {at}", step, False)) for at, step in enumerate(steps))
    site.browser.execute_script("const field = document.querySelector('textarea'); field.closest('details').open = true;"
                                "field.value = arguments[0]; field.dispatchEvent(new Event('input'))", text)
    assert site.value("$('figure details [role=status]').textContent").startswith(says), text
    assert bool(site.value("$$('figure details .wrong').length")) == bool(mistake)


def test_a_trace_that_is_cut_short_and_one_that_is_no_number(site):
    site.show_figures("state")
    begun = "token 0   q 1 0   k 0 1   v 1 0 2\n  S         1 0 2\n            2 0 4\n  z         1 2\n  output    {} 0 2\ntoken 1   q 0 2"
    assert [site.value("Figures.trace(arguments[0]).says", begun.format(output)) for output in ("1", "nan")] == [
        "First difference: token 1 is not whole.", "First difference: token 0, output[0]: yours NaN, right 1."]


@pytest.mark.parametrize("lab, figure", [(LABS[6], "passes"), (LABS[3], "state")])
def test_figures_name_real_mistakes(site, lab, figure):
    site.show_figures(figure)
    names = site.value("$$('figure option').map(option => option.value)")
    assert set(names[1:]) <= {mistake.name for mistake in site.mistakes(lab)}


def test_the_still_picture_of_adam_is_the_first_of_the_figure(site):
    site.show_figures("adam")
    drawn = site.value("$$('[data-figure=adam] svg path').map(path => path.getAttribute('d'))")
    assert re.findall(r'<path d="([^"]+)"', (ROOT / "labs/lab08_training/adam.svg").read_text()) == drawn


def test_without_scripts_the_still_pictures_are_there(site):
    figures = {name for lab in LABS for name in re.findall(r"<!-- interactive: (\w+) -->", lab.chapter.read_text())}
    assert figures == {name for page in site.pages() for name in page_of(page).xpath(
        "//figure[@class='interactive'][img[starts-with(@src, 'figures/')][string-length(@alt) > 20]]/@data-figure")}


# --- what is to be fixed ---

CHAPTER, CONTRACT = "labs/lab00_warm_up/README.md", "labs/lab02_parallel_vs_recurrent/linear_attention.hpp"
BROKEN = (  # a file, what stands there, what is written instead, and what is said of that line
    (CHAPTER, "Next: [Lab 01", "Next: [nowhere](../lab77_none/README.md), [Lab 01", r"\S*lab77_none/README.md does not exist; fix the link"),
    (CHAPTER, "](broadcasting.svg)", "](broadcast.svg)", "broadcast.svg does not exist; fix the link"),
    ("docs/papers.md", "errata.md#path-x", "errata.md#path-y", "docs/errata.md has no heading with the anchor #path-y; .*"),
    (CONTRACT, "{vaswani2017, equation 1}", "{vaswani2071, equation 1}", "docs/papers.md has no paper vaswani2071; .*"),
    (CONTRACT, r"vaswani2071, equation 1}   \solves{2,1}", r"vaswani2071, equation 1}   \solves{2,17}", "lab02 has no exercise 2.17; .*"))


def test_what_is_to_be_fixed_has_its_line_and_the_site_is_there_all_the_same(tmp_path):
    site, warm_up = Site(tmp_path / "a course"), "labs/lab00_warm_up/warm_up.hpp"
    expected = [f"{file}:{site.edit(file, old, new)}: {says}" for file, old, new, says in BROKEN]
    site.edit("docs/memory.md", "\n\n## ", "\n\n$\\frac{1$ and $\\nosuch$\n\n## ")
    site.edit(warm_up, "/// \\param b \\shape{(n)}\n", "")
    (site.root / "build/reference/lab01_check").unlink()
    built = site.build(side_effect=CourseError("CMake could not configure it; fix that"))
    expected += ["CMake could not configure it; fix that", "lab01 has no program that could list its mistakes, .*; .*",
                 rf"{warm_up}:\d+: .*outer_product.*", "  parameter 'b'",
                 *(rf"memory.html: KaTeX rejects {tex}: .*; fix the formula" for tex in (r"\\frac\{1", r"\\nosuch"))]
    said = built.stderr.splitlines()
    assert [pattern for pattern in expected if sum(bool(re.fullmatch(pattern, line)) for line in said) != 1] == [], said
    assert len(said) == len(expected), said
    assert (built.returncode, built.stdout) == (1, "wrote build/docs/student/html/index.html\n")
    shown = {link.partition("#")[0] for link in site.page("mistakes").xpath("//table//a/@href")}
    assert "lab01.html" not in shown and "lab02.html" in shown

    built = site.build("--no-mistakes", side_effect=AssertionError("the labs need not be built"))
    assert not re.search("mistakes|CMake", built.stderr)
    assert "<td" not in (site.folder() / "mistakes.html").read_text()
    site.edit("docs/errata.md", "# Errata", "<!-- BEGIN INSTRUCTORS -->\n\n# Errata")
    built = site.build()
    assert built.returncode == 2
    assert re.fullmatch("course: docs/errata.md:.*inside the one of line 1.*\n", built.stderr), "a block that is not closed stops everything"


def test_a_lab_that_does_not_compile_is_named(site):
    site_map = SiteMap(site.root, "student", mistakes.tree(site.root), ["lab02"])
    with_mistakes = [lab.name for lab in site_map.labs if site_map.mistakes(lab)]
    assert "lab02" not in with_mistakes and "lab03" in with_mistakes
    assert ("lab02 does not compile, so the site leaves out its mistakes; "
            "./course check lab02 --track reference says why") in site_map.complaints


# --- the parts ---

LINKS = SimpleNamespace(href=lambda target, line: None if target == "none" else f"{target}@{line}",
                        figure=lambda target, line: (target, ""), mention=lambda code: None)


@pytest.mark.parametrize("text, expected", (  # Markdown as code hosts read it → what Doxygen reads; {…}: copied as it is
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
    ("# T\n<a id=\"key\"></a>\n## 2.1 `f(x)`: a", '\\page p T <p></p> <h2 id="p-key">2.1 f(x): a</h2>')))
def test_markdown(text, expected):
    out = markdown.Page(text, "p", LINKS, {}, {}).translate().replace(r"\htmlonly[block]", "{").replace(r"\endhtmlonly", "}")
    assert out.replace("}<", "} <").split() == expected.split()


@pytest.mark.parametrize("text", [  # ~: where no line may end
    "262~144 numbers in 4~ms", "p in [0,~1), at (3,~1)", "99.9 ±~0.1%", "elu~+ 1, 0~· ∞, j~≤ i", "one of 0,~…, v", "~· (softmax", "a~- b and -inf"])
def test_a_line_does_not_end_anywhere(text):
    assert markdown.joined(text.replace("~", " ")).replace("\u00a0", "~") == text


def test_slugs():
    text = '# T\n## 2.1 `f(x)`: a, b\n```\n# no\n```\n<a id="key"></a>\n\n### Other\n## Other\n'
    assert [heading.slug for heading in headings(text)] == ["t", "21-fx-a-b", "key", "other"]


def listed(root, track, script):
    """What the program of lab00 says of itself, where it is such a script."""
    program = root / f"build/{track}/lab00_check"
    program.parent.mkdir(parents=True)
    shell_script(program, script)
    return mistakes.of_lab(mistakes.tree(root), LABS[0])


def test_mistakes_are_listed_in_the_order_of_the_exercises(tmp_path):
    first, second = (exercise.function for exercise in LABS[0].exercises)  # no answer key here: the student's programs are asked
    listing = listed(tmp_path, "student", f"""cat <<'END'\nsuite\t{second}\nmistake\thalf\tno\t§0.9\tNo.
mistake\t{second}\tlast\t§0.2\tAdd.\nmistake\t{first}\ta, "b")\t§0.1\tDo this: f(x, y).\nEND""")
    assert listing.suites == [second]
    assert [mistake.name for mistake in listing.mistakes] == ['a, "b")', "last", "no"]
    assert listing.mistakes[0] == mistakes.Mistake(first, 'a, "b")', "0.1", "Do this: f(x, y).")


def test_mistakes_that_cannot_be_listed(tmp_path):
    (tmp_path / "reference").mkdir()
    with pytest.raises(CourseError, match="lab00 .* not built; ./course check lab00 --track reference says why"):
        mistakes.of_lab(mistakes.tree(tmp_path), LABS[0])
    with pytest.raises(CourseError, match="build/reference/lab00_check --list failed; no such option; "):
        listed(tmp_path, "reference", "echo no such option >&2; exit 2")


@pytest.mark.parametrize("origin, shown", [
    ("", ""), ("https://example.org/a/b.git", "https://example.org/a/b"), ("/home/ada/b", ""), ("git@example.org:a/b.git", ""),
    ("https://ada:secret@example.org/b", ""), ("https://localhost/a/b", ""), ("https://git.lan/a/b", ""), ("https://192.168.0.1/a/b", "")])
def test_only_a_public_address_is_shown(tmp_path, origin, shown):
    file = shutil.copyfile(ROOT / citation.FILE, tmp_path / citation.FILE)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "config", "remote.origin.url", origin], check=True)
    assert citation.of(tmp_path).address == shown
    file.write_text(file.read_text() + "repository-code: https://gitlab.com/c/d\n")
    assert citation.address(tmp_path) == "https://gitlab.com/c/d"


@pytest.mark.parametrize("repository, page, address", [
    ("", "Lab 02", ""), ("https://github.com/a/b", "Lab 02", "https://github.com/a/b/issues/new?title=Lab%2002"),
    ("https://gitlab.com/a/b", "x", "https://gitlab.com/a/b/-/issues/new?issue[title]=x")])
def test_where_to_report_a_mistake(repository, page, address):
    assert citation.report(repository, page) == address
