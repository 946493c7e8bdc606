"""The frame of every page: our own HTML (docs/theme/page.html) around the contents that Doxygen wrote."""

import html
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import lxml.html
from lxml.html import builder
from markupsafe import Markup

from course.errors import CourseError
from course.site import fonts, formulas, search_index
from course.site.parts import environment
from course.site.site_map import FOR_INSTRUCTORS, PAGES, SiteMap

Link = tuple[str, str]  # URL or anchor, and words
Attributes = dict[str, str]  # of HTML
STYLES = ("doxygen.css", "doxygen-awesome.css", "katex.css", "fonts.css", "site.css")
SCRIPTS = ("page.js", "search.js")
KEPT = {"doxygen.css", "figures"}  # of all that lies beside its pages
BRIEF = {"student": "Write linear attention yourself", "instructor": "Instructors' edition: not for students"}
OUR_WORDS = {"Class Documentation": "The types", "Class Members": "Members", "struct linattn::": "struct "}
TYPES_ONLY = {"About these functions": "About these types", "What they return": "Types with members"}
OTHER_MEANINGS = {("lab04.html", "z")}  # letters that a chapter uses for something else
NO_LIST = ("index.html", "primer.html", "functions.html", "exercises.html", "mistakes.html")  # of their sections
REFERENCE = ("functions", "exercises", "mistakes", "glossary", "papers", "errata")
SHORT = {"mistakes": "Mistakes people make", "errata": "Errata", "uses": "Where it is used", "memory": "GPU memory"}


def write(site: Path, site_map: SiteMap, awesome: Path, katex: Path) -> list[str]:
    """Turns Doxygen's pages in `site` into ours; returns what is to be fixed."""
    theme = site_map.root / "docs" / "theme"
    contents = {name: _contents(site / name) for name in _names(site_map)}
    for path in site.iterdir():
        if path.name not in KEPT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    search_index.write(site, contents)
    terms = _terms(contents["glossary.html"][1])
    for name, (_, body) in contents.items():
        if name.startswith("lab"):
            _explain(body, {letter: link for letter, link in terms.items() if (name, letter) not in OTHER_MEANINGS})
    frame = environment(site_map.root).get_template("page.html")
    navigation = _navigation(site_map, {name: heading for name, (heading, _) in contents.items()})
    pages = {name: frame.render(
        name=name, heading=heading, description=_description(body), contents=Markup(_inner(body)), navigation=navigation,
        sections=_sections(body) if name not in NO_LIST and not name.startswith("group") else [], brief=BRIEF[site_map.edition],
        edition=site_map.edition,
        styles=STYLES, scripts=[*SCRIPTS, *_figures(body)]) for name, (heading, body) in contents.items()}
    complaints = formulas.draw(pages, katex)
    for name, text in pages.items():
        (site / name).write_text(text, encoding="utf-8")
    formulas.copy_style(site, katex)
    style = (site / "doxygen.css").read_text(encoding="utf-8")
    (site / "doxygen.css").write_text(re.sub(r"url\((?!['\"]?data:)[^)]*\)", "none", style), encoding="utf-8")
    shutil.copyfile(awesome / "doxygen-awesome.css", site / "doxygen-awesome.css")
    for file in ("site.css", "favicon.svg", *SCRIPTS):
        shutil.copyfile(theme / file, site / file)
    shutil.copytree(site_map.root / "docs" / "interactive", site / "interactive")
    fonts.write(site, "".join([*pages.values(), *(path.read_text(encoding="utf-8") for path in site.rglob("*.js"))]))
    return complaints


def _names(site_map: SiteMap) -> list[str]:
    """The pages to show. Doxygen writes more of them, which repeat what these show."""
    groups = [f"group__{lab.name}__functions" for lab in site_map.labs if lab.headers] + ["group__shared__words"]
    return [f"{name}.html" for name in (*site_map.labels.values(), "functions", "exercises", "mistakes", *groups)]


def _contents(page: Path) -> tuple[str, lxml.html.HtmlElement]:
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
    for link in body.xpath(".//a[text()='More...']"):
        link.drop_tree()
    for link in body.xpath(".//a[starts-with(@href, 'namespace')]"):
        link.drop_tag()
    for paragraph in body.xpath(".//p[not(*) and not(normalize-space())]"):
        paragraph.drop_tree()
    for code in body.xpath(".//code[string-length() > 35]"):  # a table may break it
        code.set("class", "long")
    for heading in body.xpath(".//h1 | .//h2 | .//h3 | .//h4"):
        _with_permalink(heading)
    if page.name.startswith("group__"):
        _in_our_words(body, OUR_WORDS | (TYPES_ONLY if page.name == "group__shared__words.html" else {}))
    return titles[0].text_content().strip(), body


def _with_permalink(heading: lxml.html.HtmlElement) -> None:
    before = heading.getprevious()
    if heading.get("class") == "memtitle":
        heading.tag = "h3"
        heading.find_class("permalink")[0].drop_tree()
    anchors = heading.xpath("a[@id]") or [before][:before is not None and before.tag == "a"]
    for anchor in anchors:  # Doxygen's own
        heading.set("id", anchor.get("id"))
        anchor.drop_tree()
    if heading.get("id"):
        words = formulas.in_words(heading.text_content().replace("linattn::", ""))
        link = builder.A("#", {"class": "permalink", "href": f"#{heading.get('id')}", "aria-label": f"Link to: {words}"})
        heading.append(builder.SPAN(" ", link))
        heading[-1].drop_tag()


def _in_our_words(body: lxml.html.HtmlElement, words: dict[str, str]) -> None:
    for element in body.iter("h2", "th", "td", "br"):
        for theirs, ours in words.items():
            element.text = element.text and element.text.replace(theirs, ours)
            element.tail = element.tail and element.tail.replace(theirs, ours)
    for name in body.find_class("memtitle"):
        name.text = name.text.removeprefix("linattn::").replace("_", "_\N{ZERO WIDTH SPACE}")
    for link in body.xpath(".//a[substring(preceding-sibling::text()[1], string-length(preceding-sibling::text()[1])) = '&']"):
        link.drop_tag()  # a parameter that is called like a function


def _inner(element: lxml.html.HtmlElement) -> str:
    children = (lxml.html.tostring(child, encoding="unicode") for child in element)
    return html.escape(element.text or "", quote=False) + "".join(children)


def _sections(body: lxml.html.HtmlElement) -> list[tuple[Link, list[Link]]]:
    """(heading, the headings below it) as (anchor, title), for the list of a page's sections."""
    found: list[tuple[Link, list[Link]]] = []
    for heading in body.xpath(".//h2[@id] | .//h3[@id]"):
        entry = heading.get("id"), Markup(_inner(heading).partition(' <a class="permalink"')[0])
        if heading.tag == "h2":
            found.append((entry, []))
        elif found:
            found[-1][1].append(entry)
    return found


def _figures(body: lxml.html.HtmlElement) -> list[str]:
    """The scripts of the figures that a page brings to life."""
    names = body.xpath(".//@data-figure")
    return [f"interactive/{name}.js" for name in (["figure"] if names else []) + names]


def _terms(glossary: lxml.html.HtmlElement) -> dict[str, Attributes]:
    """Letter → where the glossary explains it, and what it says."""
    found = {}
    for heading in glossary.xpath(".//*[self::h2 or self::h3][@id]"):
        letter, colon, name = heading.text_content().removesuffix("#").strip().partition(": ")
        if colon and len(letter) == 1:
            words = formulas.in_words(f"{name}. {heading.xpath('string(following-sibling::*[1])')}")
            found[letter] = {"class": "term", "href": f"glossary.html#{heading.get('id')}", "title": words}
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
        "Labs": [("index.html", "Start"), *((lab.page, f"{lab.number} {lab.short_title}") for lab in site_map.labs if lab.page)],
        "Reference": pages(REFERENCE),
        "Background": pages(name for name in PAGES if name != "start" and name not in REFERENCE),
        "Contracts": [(f"group__{lab.name}__functions.html", f"Lab {lab.number}") for lab in site_map.labs if lab.headers],
        "Instructors": pages(name for name in FOR_INSTRUCTORS if name in site_map.labels.values())}
