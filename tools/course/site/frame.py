"""The frame of every page: our own HTML (docs/theme/page.html) around the contents that Doxygen wrote."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import lxml.html
from jinja2 import Environment
from lxml.html import builder
from markupsafe import Markup

from course.errors import CourseError
from course.site import citation, contract_pages, fonts, formulas, search_index
from course.site.contract_pages import inner
from course.site.parts import environment
from course.site.site_map import FOR_INSTRUCTORS, PAGES, SiteMap

Link = tuple[str, str]  # URL or anchor, and words
Attributes = dict[str, str]  # of HTML
STYLES = ("doxygen.css", "doxygen-awesome.css", "katex.css", "fonts.css", "site.css")
SCRIPTS = ("page.js", "search.js")
BRIEF = {"student": "Write linear attention yourself", "instructor": "Instructors' edition: not for students"}
OTHER_MEANINGS = {("lab04.html", "z")}  # letters that a chapter uses for something else
CODE_LENGTHS = {"short": 25, "medium": 35, "long": 60}  # class → the most letters
NO_LIST = ("index.html", "primer.html", "functions.html", "exercises.html", "mistakes.html")  # of their sections
REFERENCE = ("functions", "exercises", "mistakes", "glossary", "papers", "errata")
SHORT = {"mistakes": "Mistakes people make", "errata": "Errata", "uses": "Where it is used", "memory": "GPU memory"}


def write(written: Path, site: Path, site_map: SiteMap, awesome: Path, katex: Path) -> list[str]:
    """Turns the pages that Doxygen has written into ours, in `site`; returns what is to be fixed."""
    theme = site_map.root / "docs" / "theme"
    templates = environment(site_map.root)
    contents = {name: _contents(written / name, templates) for name in _names(site_map)}
    search_index.write(site, contents)
    terms = _terms(contents["glossary.html"][1])
    for name, (_, body) in contents.items():
        if name.startswith("lab"):
            _explain(body, {letter: link for letter, link in terms.items() if (name, letter) not in OTHER_MEANINGS})
    frame, address = templates.get_template("page.html"), citation.address(site_map.root)
    navigation = _navigation(site_map, {name: heading for name, (heading, _) in contents.items()})
    pages = {name: frame.render(
        name=name, heading=heading, description=_description(body), contents=Markup(inner(body)), navigation=navigation,
        sections=_sections(body) if name not in NO_LIST else [], brief=BRIEF[site_map.edition],
        edition=site_map.edition, report=citation.report(address, heading), styles=STYLES,
        scripts=[*SCRIPTS, *_figures(body)]) for name, (heading, body) in contents.items()}
    complaints = formulas.draw(pages, katex)
    for name, text in pages.items():
        (site / name).write_text(text, encoding="utf-8")
    formulas.copy_style(site, katex)
    style = (written / "doxygen.css").read_text(encoding="utf-8")
    (site / "doxygen.css").write_text(re.sub(r"url\((?!['\"]?data:)[^)]*\)", "none", style), encoding="utf-8")
    shutil.copyfile(awesome / "doxygen-awesome.css", site / "doxygen-awesome.css")
    for file in ("site.css", "favicon.svg", *SCRIPTS):
        shutil.copyfile(theme / file, site / file)
    shutil.copytree(site_map.root / "docs" / "interactive", site / "interactive")
    fonts.write(site, "".join([*pages.values(), *(path.read_text(encoding="utf-8") for path in site.rglob("*.js"))]))
    return complaints


def _names(site_map: SiteMap) -> list[str]:
    """The pages to show. Doxygen writes more of them, which repeat what these show."""
    groups = [f"group__{lab.name}__functions" for lab in site_map.labs] + ["group__shared__words"]
    return [f"{name}.html" for name in (*site_map.labels.values(), "functions", "exercises", "mistakes", *groups)]


def _contents(page: Path, templates: Environment) -> tuple[str, lxml.html.HtmlElement]:
    """(heading, contents) of a page that Doxygen wrote, with our headings."""
    try:
        document = lxml.html.fromstring(page.read_text(encoding="utf-8").replace("&zwj;", ""))  # it parts * from /
    except FileNotFoundError:
        raise CourseError(f"Doxygen wrote no {page.name}; begin its Markdown with a heading `# …`") from None
    titles, bodies = document.find_class("title"), document.find_class("contents")
    if not (titles and bodies):
        raise CourseError(f"Doxygen wrote {page.name} without a title or without contents, and tools/course/site/frame.py finds "
                          "its way by these; use a release that the README names")
    body = bodies[0]
    if page.name.startswith("group__"):
        contract_pages.lay_out(body, templates.get_template("contracts.html"))
    for link in body.xpath(".//a[starts-with(@href, 'namespace')]"):
        link.drop_tag()
    for paragraph in body.xpath(".//p[not(*) and not(normalize-space())]"):
        paragraph.drop_tree()
    for code in body.xpath(".//code"):
        _set_code(code)
    for output in body.xpath(".//div[@class='fragment' and not(.//*[not(self::div)])]"):
        longest = max((line.text or "" for line in output.iter()), key=len)
        if len(longest) > 94 and re.search(r"\S {3,}\S.* {3,}\S", longest):  # set smaller, so that its columns stay below each other
            output.attrib.update({"class": "fragment columns", "style": f"--columns: {len(longest)}"})
    for empty in body.xpath(".//th[not(*) and not(normalize-space())]"):
        empty.tag = "td"
    for heading in body.xpath(".//h1 | .//h2 | .//h3 | .//h4"):
        _with_permalink(heading)
    return titles[0].text_content().strip(), body


def _with_permalink(heading: lxml.html.HtmlElement) -> None:
    before = heading.getprevious()
    anchors = heading.xpath("a[@id]") or [before][:before is not None and before.tag == "a"]
    for anchor in anchors:  # Doxygen's own
        heading.set("id", anchor.get("id"))
        anchor.drop_tree()
    _let_break(heading)
    if heading.get("id"):
        words = formulas.in_words(heading.text_content())
        link = builder.A("#", {"class": "permalink", "href": f"#{heading.get('id')}", "aria-label": f"Link to: {words}"})
        heading.append(link)


def _set_code(code: lxml.html.HtmlElement) -> None:
    """With a class for its length, by which the theme decides where it may be broken: between words, but not in `--with-docs`."""
    words = code.text_content()
    code.set("class", next((kind for kind, most in CODE_LENGTHS.items() if len(words) <= most), "longest"))
    if max(map(len, words.split()), default=0) > 35:
        _let_break(code)
    elif not len(code) and len(words) > CODE_LENGTHS["short"]:
        code.text, *rest = re.split(r"(?<![\w-])((?:\w+-|--?)[\w-]*\w)", words)
        for whole, after in zip(rest[::2], rest[1::2]):
            code.append(builder.SPAN({"class": "whole"}, whole))
            code[-1].tail = after


def _let_break(element: lxml.html.HtmlElement) -> None:
    """A line may end within a long name, at a bar or an underscore."""
    element.text, *rest = re.split(r"(?<=\w[_/])(?=\w\w)", element.text or "")
    for at, part in enumerate(rest):
        element.insert(at, builder.E.wbr())
        element[at].tail = part


def _sections(body: lxml.html.HtmlElement) -> list[tuple[Link, list[Link]]]:
    """(heading, the headings below it) as (anchor, title), for the list of a page's sections."""
    found: list[tuple[Link, list[Link]]] = []
    for heading in body.xpath(".//h2[@id] | .//h3[@id]"):
        entry = heading.get("id"), Markup(_title(heading))
        if heading.tag == "h2":
            found.append((entry, []))
        elif found:
            found[-1][1].append(entry)
    return found


def _title(heading: lxml.html.HtmlElement) -> str:
    return inner(heading).partition('<a class="permalink"')[0]


def _figures(body: lxml.html.HtmlElement) -> list[str]:
    """The scripts of the figures that a page brings to life."""
    names = body.xpath(".//@data-figure")
    return [f"interactive/{name}.js" for name in (["figure"] if names else []) + names]


def _terms(glossary: lxml.html.HtmlElement) -> dict[str, Attributes]:
    """Letter → where the glossary explains it."""
    found = {}
    for heading in glossary.xpath(".//*[self::h2 or self::h3][@id]"):
        letter, colon, _ = heading.text_content().removesuffix("#").strip().partition(": ")
        if colon and len(letter) == 1:
            found[letter] = {"class": "term", "href": f"glossary.html#{heading.get('id')}"}
    return found


def _explain(body: lxml.html.HtmlElement, terms: dict[str, Attributes]) -> None:
    """The first of each letter in each section leads to the glossary."""
    known: dict[str, Attributes] = {}
    for element in body.iter("h2", "span"):
        if element.tag == "h2":
            known = dict(terms)
        elif element.get("class") == "math" and element.xpath("ancestor::p and not(ancestor::a)"):
            if attributes := known.pop(formulas.in_words(element.text), None):
                link = builder.A(attributes)
                element.addprevious(link)
                link.append(element)
                link.tail, element.tail = element.tail, None


def _description(body: lxml.html.HtmlElement) -> str:
    """The first sentences of a page, up to what a search engine or a chat shows."""
    first = next(body.iter("p"), None)
    words = "Write linear attention yourself, in C++20." if first is None else formulas.in_words(first.text_content())
    return words if len(words) <= 200 else words[:199].rpartition(" ")[0] + " …"


def _navigation(site_map: SiteMap, headings: dict[str, str]) -> dict[str, list[Link]]:
    def pages(names: Iterable[str]) -> list[Link]:
        return [(f"{name}.html", SHORT.get(name, headings[f"{name}.html"])) for name in names]

    return {
        "Labs": [("index.html", "Start"), *((lab.page, f"{lab.number} {lab.short_title}") for lab in site_map.labs)],
        "Reference": pages(REFERENCE),
        "Background": pages(name for name in PAGES if name != "start" and name not in REFERENCE),
        "Contracts": [(f"group__{lab.name}__functions.html", f"Lab {lab.number}") for lab in site_map.labs],
        "Instructors": pages(name for name in FOR_INSTRUCTORS if name in site_map.labels.values())}
