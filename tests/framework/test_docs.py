"""./course docs: both editions of the site, built from copies of the course; links, HTML, a browser's view, leaks."""

import html
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from browser import Browser
from course_copy import LEFT_OUT, REPOSITORY
from course_tree import CourseTree

from course import manifest, mistakes
from course.build_tree import BuildTree
from course.cutter import regions
from course.errors import CourseError
from course.headings import headings
from course.site import markdown
from course.site.site_map import FOR_INSTRUCTORS

CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8")
DRAWN = ("!window.MathJax || (MathJax.Hub && MathJax.isReady && MathJax.Hub.queue.pending === 0 && "
         "!document.querySelector('.MathJax_Preview + script'))")
SHAPES = ((1280, False), (1280, True), (390, True), (390, False))  # width, dark


class Site(CourseTree):
    """A copy of the whole course in self.root; class attribute, since it is built once for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # linkchecker, started by root, makes itself nobody
        cls.root = Path(folder.name) / "a course"
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

    def pages(self, edition="student"):
        return sorted((self.root / "build" / "docs" / edition / "html").glob("*.html"))

    def files(self, edition):
        return [path for path in sorted((self.root / "build" / "docs" / edition).rglob("*"))
                if path.is_file() and "mathjax" not in path.parts]


class TheSite(Site):
    """As it is: nothing to complain of."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        course = cls()
        cls.built = course.build()
        cls.instructors = course.build("--edition", "instructor")
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)

    def test_it_is_built_without_complaint(self):
        for result in (self.built, self.instructors):
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.built.stdout, "wrote build/docs/student/html/index.html\n")

    def test_every_lab_is_there(self):
        start = self.read("build/docs/student/html/index.html")
        exercises = self.read("build/docs/student/html/exercises.html")
        functions = self.read("build/docs/student/html/functions.html")
        for lab in self.written_labs():
            self.assertIn(f'href="{lab.name}.html"', start)
            self.assertTrue((self.root / "build/docs/student/html" / f"{lab.name}.html").exists())
            for exercise in lab.exercises:
                self.assertIn(f"./course check {exercise.name}<", exercises)
                self.assertRegex(functions, rf'href="group__{lab.name}__functions.html#\w+"[^>]*>{exercise.function}<')

    def test_contracts_say_how_they_are_graded(self):
        for lab in self.written_labs():
            page = self.read(f"build/docs/student/html/group__{lab.name}__functions.html")
            for exercise in lab.exercises:
                self.assertIn(f"./course check {exercise.name}<", page)

    def test_nothing_comes_from_elsewhere(self):
        for page in self.pages() + self.pages("instructor"):
            text = page.read_text(encoding="utf-8")
            self.assertNotRegex(text, r'<(script|img|link|iframe)[^>]*(src|href)="(https?:)?//')

    def test_links_and_anchors_lead_somewhere(self):
        for edition in ("student", "instructor"):
            self.assertEqual(dead_links(self.pages(edition)[0].parent / "index.html"), "")
            tree = (self.pages(edition)[0].parent / "navtreedata.js").read_text(encoding="utf-8")
            for target in re.findall(r'"([\w-]+\.html)', tree):
                self.assertTrue((self.pages(edition)[0].parent / target).exists(), target)

    def test_a_dead_link_would_be_found(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            (Path(folder) / "b.html").write_text('<html><body><p id="here">b</p></body></html>')
            page = Path(folder) / "index.html"
            for href, dead in (("b.html#here", False), ("b.html#there", True), ("c.html", True)):
                page.write_text(f'<html><body><a href="{href}">a</a></body></html>')
                self.assertEqual(bool(dead_links(page)), dead, href)

    def test_the_html_is_sound(self):
        tidy = subprocess.run(["tidy", "-eq", "-utf8", *self.pages("instructor")], text=True, capture_output=True)
        self.assertEqual([line for line in tidy.stderr.splitlines() if "Error:" in line], [])

    def test_no_solution_and_no_explanation_reaches_a_student(self):
        shown = " ".join(words(path) for path in self.files("student"))
        public = " ".join(words(path) for path in (self.root / "labs").rglob("*") if path.suffix in (".md", ".hpp"))
        for line in solution_lines(self.root):
            if line not in public:
                self.assertNotIn(line, shown)
        for lab in manifest.load(self.root):
            for mistake in self.mistakes(lab):
                self.assertIn(squeezed(mistake.name), shown)
                if squeezed(mistake.explanation) not in public:
                    self.assertNotIn(squeezed(mistake.explanation), shown)

    def test_the_answers_stand_beside_their_exercises(self):
        for lab in self.written_labs():
            chapter = words(self.root / "build/docs/instructor/html" / f"{lab.name}.html")
            for source in lab.sources:
                for line in solution_lines(self.root, source):
                    self.assertIn(line, chapter)
            for mistake in self.mistakes(lab):
                self.assertIn(squeezed(mistake.explanation), chapter)

    def test_errata_name_exercises_and_mistakes_that_exist(self):
        labs = manifest.load(self.root)
        known = {(lab.name, mistake.exercise): set() for lab in labs for mistake in self.mistakes(lab)}
        for lab in labs:
            for mistake in self.mistakes(lab):
                known[lab.name, mistake.exercise].add(mistake.name)
        text = re.sub(r"\s+", " ", (self.root / "docs" / "errata.md").read_text(encoding="utf-8"))
        for lab, function, names in re.findall(r"`(lab\d\d)\.(\w+)`((?:[:,]? \*[^*]+\*)*)", text):
            if lab not in {known_lab.name for known_lab in labs}:
                continue  # not written yet
            self.assertIn((lab, function), known)
            for name in re.findall(r"\*([^*]+)\*", names):
                self.assertIn(name, known[lab, function])

    def test_every_page_in_a_browser(self):
        for page in self.pages("instructor"):
            with self.subTest(page.name):
                self.assertEqual(defects(self.browser, page), [])

    def test_the_browser_would_find_a_defect(self):
        page = self.pages()[0].parent / "planted.html"
        self.addCleanup(page.unlink)
        whole = (page.parent / "errata.html").read_text(encoding="utf-8")
        for planted, complaint in (
                (r"\(\frac{1\)", "Missing close brace"),
                (r"\(\nosuch\)", "Undefined control sequence"),
                (r"$\phi_1$", "unrendered"),
                ('<img src="none.png" alt="no"/>', "missing image"),
                ('<img src="none.png" alt="no"/>', "ERR_FILE_NOT_FOUND"),
                ('<span style="color: #999; background: #fff">faint</span>', "contrast 2.85"),
                ('<div style="width: 3000px">wide</div>', "too wide"),
                ("<script>nonsense()</script>", "nonsense is not defined"),
                ('<script src="https://example.org/a.js"></script>', "asked for https://example.org/a.js")):
            with self.subTest(planted):
                page.write_text(whole.replace('"textblock">', f'"textblock"><p>{planted}</p>', 1), encoding="utf-8")
                self.assertIn(complaint, " ".join(defects(self.browser, page)))


class Canaries(Site):
    """Every place that students must not see says so, in words that nothing else has."""

    def test_they_stay_where_they_belong(self):
        kinds = {"SOLUTION": 0, "MISTAKE": 0, "PAGE": 0, "BLOCK": 0, "BODY": 0}

        def plant(kind):
            kinds[kind] += 1
            return f"CANARY{kind}{kinds[kind]}"

        for source in (self.root / "reference").glob("*.c*"):
            self.change(source, r"(?m)^([ \t]*)// BEGIN SOLUTION.*$",
                        lambda m: f"{m[0]}\n{m[1]}int {plant('SOLUTION')};")
        for program in (self.root / "build/reference").glob("lab*_check"):
            self.change(program, r"(?m)^mistake\t.*$", lambda m: f'{m[0]} {plant("MISTAKE")}')
        for source in (self.root / "tests").glob("lab*/mistakes/*.c*"):
            self.change(source, r'"\) \{\n', lambda m: f'{m[0]}// {plant("BODY")}\n')
        for name in FOR_INSTRUCTORS:
            self.change(self.root / "docs" / f"{name}.md", r"\Z",
                        lambda m: f"\n\n## {plant('PAGE')}\n\n{plant('PAGE')}\n")
        for page in [*(self.root / "labs").glob("lab*/README.md"), self.root / "docs/errata.md"]:
            self.change(page, r"\Z", lambda m: "\n<!-- BEGIN INSTRUCTORS -->\n\n"
                                               f"## {plant('BLOCK')}\n\n<!-- END INSTRUCTORS -->\n")
        self.assertTrue(all(kinds.values()), kinds)

        for edition in ("student", "instructor"):
            self.assertEqual(self.build("--edition", edition).returncode, 0)
        for path in self.files("student"):
            self.assertNotIn(b"CANARY", path.read_bytes(), path)
            self.assertNotIn("canary", path.name.lower())
        shown = " ".join(path.read_text(encoding="utf-8", errors="replace") for path in self.files("instructor"))
        for kind in kinds:
            (self.assertNotIn if kind == "BODY" else self.assertIn)(f"CANARY{kind}", shown)

    def change(self, path, pattern, replacement):
        path.write_text(re.sub(pattern, replacement, path.read_text(encoding="utf-8")), encoding="utf-8")


class Complaints(Site):
    """What is to be fixed is named with file and line; the site is there all the same, and the exit status is 1."""

    def setUp(self):
        self.kept = []

    def tearDown(self):
        for path, text in self.kept:
            path.write_text(text, encoding="utf-8") if text is not None else shutil.rmtree(path)

    def edit(self, name, before, after):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        self.kept.append((path, text))
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        return text[:text.index(before)].count("\n") + 1

    def assert_complaint(self, place, *fragments):
        result = self.build()
        self.assertEqual(result.returncode, 1, result.stderr)
        lines = [line for line in result.stderr.splitlines() if line.startswith(f"{place}: ")]
        self.assertTrue(lines, result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
        self.assertTrue(self.pages())

    def test_a_dead_link(self):
        chapter = "labs/lab00_warm_up/README.md"
        line = self.edit(chapter, "Next: [Lab 01", "Next: [nowhere](../lab77_none/README.md), [Lab 01")
        self.assert_complaint(f"{chapter}:{line}", "lab77_none/README.md does not exist")

    def test_a_dead_anchor(self):
        line = self.edit("docs/papers.md", "errata.md#path-x", "errata.md#path-y")
        self.assert_complaint(f"docs/papers.md:{line}", "no heading with the anchor #path-y")

    def test_a_missing_figure(self):
        line = self.edit("labs/lab00_warm_up/README.md", "](broadcasting.svg)", "](broadcast.svg)")
        self.assert_complaint(f"labs/lab00_warm_up/README.md:{line}", "broadcast.svg does not exist")

    def test_an_unknown_paper_and_an_unknown_exercise(self):
        header = "labs/lab02_parallel_vs_recurrent/linear_attention.hpp"
        line = self.edit(header, r"\paper{vaswani2017, equation 1}   \solves{2,1}",
                         r"\paper{vaswani2071, equation 1}   \solves{2,17}")
        self.assert_complaint(f"{header}:{line}", "no paper vaswani2071", "no exercise 2.17")

    def test_an_undocumented_parameter(self):
        header = "labs/lab00_warm_up/warm_up.hpp"
        self.edit(header, "/// \\param b \\shape{(n)}\n", "")
        result = self.build()
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, rf"(?s){header}:\d+: .*outer_product.*parameter 'b'")

    def test_a_block_for_instructors_that_is_not_closed_stops_everything(self):
        self.edit("docs/errata.md", "# Errata", "<!-- BEGIN INSTRUCTORS -->\n\n# Errata")
        self.assert_one_line_error(self.build(), "docs/errata.md:", "inside the one of line 1")

    def test_a_lab_that_was_not_built(self):
        program = self.root / "build/reference/lab01_check"
        self.kept.append((program, program.read_text()))
        program.unlink()
        self.addCleanup(program.chmod, 0o755)
        result = self.build()
        self.assertEqual((result.returncode, result.stdout), (1, "wrote build/docs/student/html/index.html\n"))
        self.assertRegex(result.stderr, r"^lab01 has no program that could list its mistakes, .*; .*\n$")
        shown = self.read("build/docs/student/html/mistakes.html")
        self.assertNotIn("lab01.html", re.sub(r"(?s)<ul.*?</ul>", "", shown))
        self.assertIn("lab02.html", shown)
        with mock.patch.object(BuildTree, "build", side_effect=CourseError("CMake could not configure it; fix that")):
            result = self.course("docs")
        self.assertEqual((result.returncode, result.stdout), (1, "wrote build/docs/student/html/index.html\n"))
        self.assertIn("CMake could not configure it; fix that\n", result.stderr)

    def test_a_lab_that_is_half_there(self):
        only_chapter = self.root / "labs/lab88_half"
        only_manifest = self.root / "labs/lab89_other"
        for folder in (only_chapter, only_manifest):
            folder.mkdir()
            self.kept.append((folder, None))
        (only_chapter / "README.md").write_text("# Lab 88: Half\n\nNothing yet.\n", encoding="utf-8")
        (only_manifest / "lab.json").write_text(
            '{"lab": "lab89", "title": "Other", "sources": ["lab89_other.cpp"], "exercises": '
            '[{"function": "nothing_yet", "points": 1, "minutes": 5, "section": "89.1"}]}', encoding="utf-8")
        for edition in ("student", "instructor"):
            result = self.build("--edition", edition)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        start = self.read("build/docs/student/html/index.html")
        self.assertIn('href="lab88.html"', start)
        self.assertNotIn('href="lab89.html"', start)
        self.assertIn("nothing_yet", self.read("build/docs/student/html/exercises.html"))


class Translation(unittest.TestCase):
    """Markdown as code hosts read it → as Doxygen does, line for line."""

    class Links:
        def href(self, target, line):
            return f"{target}@{line}"

        def figure(self, target, line):
            return target, ""

        def mention(self, code):
            return None

    def translated(self, text):
        out = markdown.Page(text, "p", self.Links(), {}, contents=False).translate()
        self.assertEqual(len(out.splitlines()), len(text.splitlines()), out)
        return out.rstrip("\n")

    def test_formulas(self):
        self.assertEqual(self.translated("so $a_i$ it is"), r"so \f$a_i\f$ it is")
        self.assertEqual(self.translated("`$HOME` and $5 or $6"), "``$HOME`` and $5 or $6")
        self.assertIn(r"\f[ a = b \f]", self.translated("```math\na\n= b\n```"))
        self.assertIn(r"\f$a + b\f$", self.translated("a $a +\nb$ c d"))
        self.assertEqual(self.translated("($n$)."), r'<span class="joined">(\f$n\f$).</span>')

    def test_emphasis_and_code(self):
        self.assertEqual(self.translated("*no 1/√d_k scale*: **b** _c_ d_k"),
                         "<em>no 1/√d_k scale</em>: <b>b</b> <em>c</em> d_k")
        self.assertEqual(self.translated("`it's` `a*b*c`"), "``it's`` ``a*b*c``")
        self.assertEqual(self.translated('say "$x$"'), r"say &quot;\f$x\f$&quot;")
        self.assertEqual(self.translated("--track @me"), r"\--track \@me")

    def test_links_and_figures(self):
        self.assertEqual(self.translated("a\n[b\nc](d.md#e)"), 'a\n<a href="d.md#e@2">b\nc</a>')
        self.assertIn('<img src="f.svg" alt="one two"/>', self.translated("![one\ntwo](f.svg)"))

    def test_blocks(self):
        note = self.translated("> [!NOTE]\n> a\n>\n> b\n\nc")
        self.assertRegex(note, r'(?s)<div class="alert note">.*\na\n\nb\n.*</div>\\endhtmlonly\nc')
        self.assertEqual(self.translated("```sh\n$x$ *y*\n```"), "```sh\n$x$ *y*\n```")
        details = self.translated("<details><summary>Hint 1: `x` < $y$</summary>\n\n$z$\n\n</details>")
        self.assertIn(r"<summary>Hint 1: <code>x</code> &lt; \(y\)</summary>", details)
        self.assertIn(r"\f$z\f$", details)

    def test_headings(self):
        text = '# T\n## 2.1 `f(x)`: a, b\n```\n# no\n```\n<a id="key"></a>\n\n### Other\n## Other\n'
        self.assertEqual([heading.slug for heading in headings(text)], ["t", "21-fx-a-b", "key", "other"])
        self.assertIn("## 2.1 f(x): a, b {#p-21-fx-a-b}", self.translated(text))


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


def squeezed(text):
    return re.sub(r"\W+", "", text)


def words(path):
    """What a file says, without tags and without anything between its letters, so that highlighting hides nothing."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return squeezed(text)


def solution_lines(root, source="*.c*"):
    """The longer lines between the markers of reference/, squeezed."""
    for path in sorted((root / "reference").glob(source)):
        for _, lines in regions(path.read_text(encoding="utf-8")):
            yield from (squeezed(line) for _, line in lines if len(squeezed(line)) >= 20)


def dead_links(page):
    """What linkchecker says, in words; empty when all is well."""
    rules = Path(__file__).parent / "linkchecker.ini"
    result = subprocess.run(["linkchecker", "-f", rules, "--no-status", page.as_uri()], text=True, capture_output=True)
    followed = re.search(r"(\d+) links? in \d+ URLs? checked", result.stdout)
    if result.returncode == 0 and followed and int(followed[1]) > 1:
        return ""
    return result.stdout + result.stderr


def defects(browser, page):
    """Each once, however many shapes of the window show it."""
    browser.shape(*SHAPES[0][:1], 900, dark=False)
    browser.get(page.as_uri())
    browser.wait_for(DRAWN)
    found = []
    for width, dark in SHAPES:
        browser.shape(width, 900, dark)
        found += [defect for defect in browser.value(CHECKS) if defect not in found]
    code = r'(?s)<(script|pre).*?</\1>|<div class="fragment">.*?</div><!-- fragment -->'
    wanted = len(re.findall(r"(?<!\\)\\[(\[]", re.sub(code, "", page.read_text(encoding="utf-8"))))
    drawn = browser.value("window.MathJax ? MathJax.Hub.getAllJax().length : 0")
    if wanted != drawn:
        found.append(f"{wanted} formulas written, {drawn} found")
    found += [f"asked for {url}" for url in browser.requests() if not url.startswith(("file:", "data:"))]
    return found + browser.complaints()


if __name__ == "__main__":
    unittest.main()
