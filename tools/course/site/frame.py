"""The frame of every page: our own HTML (docs/theme/page.html) around the contents that Doxygen wrote."""

import html
import re
import shutil
from pathlib import Path
from string import Template

from course.site import formulas, search_index
from course.site.site_map import FOR_INSTRUCTORS, PAGES, SiteMap

STYLES = ("doxygen.css", "doxygen-awesome.css", "katex.css", "site.css")
SCRIPTS = ("page.js", "search.js")
KEPT = {"doxygen.css", "figures"}  # of all that lies beside its pages
BRIEF = {"student": "Write linear attention yourself", "instructor": "Instructors' edition: not for students"}
NOT_ASKED_FOR = ("dir_", "namespace")  # pages that repeat what others show
CONTENTS = re.compile(r'<div class="title">(.*?)</div>.*?(<div class="contents">.*)</div><!-- contents -->', re.S)
HEADING = re.compile(r'<h([1-5])(?: class="(?P<kind>\w+)")?>\s*<a (?:class="anchor" )?id="(?P<id>[^"]+)"[^>]*></a>\s*(?P<title>.*?)</h\1>',
                     re.S)
MEMBER = re.compile(r'<a (?:name="\w+" )?id="(\w+)"(?: name="\w+")?></a>\s*<h2 class="memtitle">.*?</a></span>(?:linattn::)?(.*?)</h2>',
                    re.S)
OUR_WORDS = {"Class Documentation": "The types", "Class Members": "Members", "Typedefs": "Types of functions",
             "struct linattn::": "struct "}  # for what Doxygen says on the pages of contracts
TYPES_ONLY = {"About these functions": "About these types", "What they return": "Types with members"}
CONTENTS_LIST = re.compile(r'<div class="toc"><h3>Table of Contents</h3>\s*(<ul>.*?</ul>)\s*</div>(?=\s*<div class="textblock">)', re.S)
OTHER_MEANINGS = {("lab04.html", "z")}  # letters that a chapter uses for something else
IN_PROSE = re.compile(r"<p>(?:(?!</p>|<a\b).)*\Z", re.S)  # inside a paragraph, and in no link
REFERENCE = ("functions", "exercises", "mistakes", "glossary", "papers", "errata")
SHORT = {"mistakes": "Mistakes people make", "errata": "Errata", "uses": "Where it is used", "memory": "GPU memory"}


def write(site: Path, site_map: SiteMap, awesome: Path, katex: Path) -> list:
    """Turns Doxygen's pages in `site` into ours; returns what is to be fixed."""
    theme = site_map.root / "docs" / "theme"
    contents = {page.name: _contents(page) for page in site.glob("*.html") if not page.name.startswith(NOT_ASKED_FOR)}
    for path in site.iterdir():
        if path.name not in KEPT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    search_index.write(site, contents)
    terms = _terms(contents["glossary.html"][1])
    for name, (heading, body) in contents.items():
        if name.startswith("lab"):
            letters = {letter: link for letter, link in terms.items() if (name, letter) not in OTHER_MEANINGS}
            contents[name] = heading, _explained(body, letters)
    frame = Template((theme / "page.html").read_text(encoding="utf-8"))
    navigation = _navigation(site_map, {name: heading for name, (heading, _) in contents.items()})
    pages = {name: frame.substitute(
        title=_title(heading, name), description=_description(body), heading=heading, contents=body,
        kind="PageDoc" if 'id="toc"' in body else "", brief=BRIEF[site_map.edition],
        navigation=navigation.replace(f'href="{name}"', f'href="{name}" aria-current="page"'),
        styles="\n".join(f'<link href="{style}" rel="stylesheet"/>' for style in STYLES),
        scripts="\n".join(f'<script src="{script}" defer="defer"></script>' for script in (*SCRIPTS, *_figures(body))))
        for name, (heading, body) in contents.items()}
    complaints = formulas.draw(pages, katex)
    for name, text in pages.items():
        (site / name).write_text(text, encoding="utf-8")
    formulas.copy_style(site, katex)
    style = (site / "doxygen.css").read_text(encoding="utf-8")
    (site / "doxygen.css").write_text(re.sub(r"url\([^)]*\.png['\"]?\)", "none", style), encoding="utf-8")
    shutil.copyfile(awesome / "doxygen-awesome.css", site / "doxygen-awesome.css")
    for file in ("site.css", "favicon.svg", *SCRIPTS):
        shutil.copyfile(theme / file, site / file)
    shutil.copytree(site_map.root / "docs" / "interactive", site / "interactive")
    return complaints


def _contents(page: Path) -> tuple:
    """(heading, contents) of a page that Doxygen wrote, with our headings."""
    found = CONTENTS.search(page.read_text(encoding="utf-8"))
    body = found[2].replace("</div><!-- PageDoc -->", "") + "</div>"
    body = re.sub(r' *<a href="[^"]*">More\.\.\.</a>', "", body)
    body = re.sub(r"([(\[]) (?=\\\()", r"\1", body)
    body = re.sub(r'<a [^>]*href="namespace\w+\.html[^>]*>(.*?)</a>', r"\1", body.replace("<p >", "<p>"))
    body = re.sub(r"<code>(?=[^<]{36,}</code>)", '<code class="long">', body)  # a table may break it
    body = MEMBER.sub(lambda member: _heading(3, member[1], member[2].replace("_", "_<wbr/>"), "memtitle"), body)
    if page.name.startswith("group__"):
        body = re.sub(r"&amp;<a [^>]*>(\w+)</a>", r"&amp;\1", body)  # a parameter that is called like a function
        for theirs, ours in (OUR_WORDS | (TYPES_ONLY if page.name == "group__shared__words.html" else {})).items():
            body = body.replace(theirs, ours)
    body = CONTENTS_LIST.sub(r'<details class="toc" id="toc" open="open"><summary>On this page</summary>'
                             r'<nav aria-label="On this page">\1</nav></details>', body)
    # Doxygen's sections begin with h1, those of a group with h2.
    shift = not page.name.startswith("group__")
    body = HEADING.sub(lambda m: _heading(int(m[1]) + shift, m["id"], m["title"], m["kind"] or ""), body)
    return found[1].strip(), body


def _heading(level: int, anchor: str, title: str, kind: str) -> str:
    of_kind = f' class="{kind}"' if kind else ""
    return (f'<h{level} id="{anchor}"{of_kind}>{title.strip()} '
            f'<a class="permalink" href="#{anchor}" aria-label="Link to: {_words(title)}">#</a></h{level}>')


def _figures(body: str) -> list:
    """The scripts of the figures that a page brings to life."""
    names = re.findall(r'data-figure="(\w+)"', body)
    return [f"interactive/{name}.js" for name in (["figure"] if names else []) + names]


def _terms(glossary: str) -> dict:
    """Letter → the link to what the glossary says of it."""
    entry = r'<h\d id="([^"]+)">(\w): (.*?) <a class="permalink".*?</a></h\d>\s*<p>(.*?)</p>'
    return {letter: f'<a class="term" href="glossary.html#{anchor}" title="{html.escape(name)}. {_words(text)}">'
            for anchor, letter, name, text in re.findall(entry, glossary, re.S)}


def _explained(body: str, terms: dict) -> str:
    """The first of each letter in each section leads to the glossary."""
    def first(section: str) -> str:
        for letter, link in terms.items():
            found = next((formula for formula in re.finditer(r"\\\((\\?\w+)\\\)", section)
                          if formulas.in_words(formula[1]) == letter and IN_PROSE.search(section[:formula.start()])), None)
            if found:
                section = f"{section[:found.start()]}{link}{found[0]}</a>{section[found.end():]}"
        return section
    return "".join(first(section) for section in re.split(r"(?=<h2)", body))


def _words(text: str) -> str:
    return html.escape(formulas.in_words(html.unescape(re.sub(r"<[^>]*>", "", text))))


def _title(heading: str, name: str) -> str:
    course = "Linear Attention Labs"
    return course if name == "index.html" else f"{heading} · {course}"


def _description(body: str) -> str:
    """The first sentences of a page, up to what a search engine or a chat shows."""
    first = re.search(r"<p>(.*?)</p>", body, re.S)
    words = _words(first[1]) if first else "Write linear attention yourself, in C++20."
    return words if len(words) <= 200 else words[:199].rpartition(" ")[0] + " …"


def _navigation(site_map: SiteMap, headings: dict) -> str:
    def pages(names) -> list:
        return [(f"{name}.html", SHORT.get(name, headings[f"{name}.html"])) for name in names]

    labs = [(lab.page, f"{lab.number} {html.escape(lab.short_title)}") for lab in site_map.labs if lab.page]
    groups = {
        "Labs": [("index.html", "Start"), *labs],
        "Reference": pages(REFERENCE),
        "Background": pages(name for name in PAGES if name != "start" and name not in REFERENCE),
        "Contracts": [(f"group__{lab.name}__functions.html", f"Lab {lab.number}") for lab in site_map.labs if lab.headers],
        "Instructors": pages(name for name in FOR_INSTRUCTORS if name in site_map.labels.values())}
    return "".join(f'<p>{group}</p><ul class="{group.lower()}">' +
                   "".join(f'<li><a href="{url}">{title}</a></li>' for url, title in entries) + "</ul>"
                   for group, entries in groups.items() if entries)
