"""The chapters and the background pages as one document: a PDF, printed by Chromium, or an EPUB, made by pandoc."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import lxml.html
from lxml.html import builder

from course.errors import CourseError

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
LEFT_OUT = {"functions.html", "exercises.html", "mistakes.html"}  # lists of links into the others
NAME = "linear-attention-labs"


def write(site: Path, kind: str) -> Path:
    """`kind`: "pdf" or "epub"; beside the folder of the pages."""
    to = site.parent / f"{NAME}.{kind}"
    with tempfile.TemporaryDirectory(dir=site.parent) as folder:
        page = site / f".{Path(folder).name}.html"  # beside what it shows
        try:
            document = _joined(site)
            _for_a_browser(document) if kind == "pdf" else _for_pandoc(document)
            page.write_text("<!DOCTYPE html>\n" + lxml.html.tostring(document, encoding="unicode"), encoding="utf-8")
            made = Path(folder) / to.name
            _run(_to_pdf(page, made, folder) if kind == "pdf" else _to_epub(page, made), made)
            shutil.move(made, to)
        finally:
            page.unlink(missing_ok=True)
    return to


def _joined(site: Path) -> lxml.html.HtmlElement:
    """One page of all: the start page's head, and each page's heading and contents, linked with one another."""
    start = lxml.html.parse(str(site / "index.html")).getroot()
    names = [link for link in dict.fromkeys(start.xpath("//header//nav//@href"))
             if link not in LEFT_OUT and not link.startswith("group__")]
    sections = [_section(site, name, set(names)) for name in names]
    head = start.find("head")
    for script in head.xpath(".//script"):
        script.drop_tree()
    entries = (builder.A(section.findtext(".//h1"), href=f"#{section.get('id')}") for section in sections)
    contents = builder.UL(*map(builder.LI, entries))
    return builder.HTML(head, builder.BODY(builder.H1("Linear Attention Labs"), contents, *sections), lang="en")


def _for_a_browser(document: lxml.html.HtmlElement) -> None:
    for formula in document.find_class("katex-mathml"):  # a search in the PDF would find each twice
        formula.drop_tree()
    document.find("head").append(builder.STYLE("@page { size: A4; }"))


def _for_pandoc(document: lxml.html.HtmlElement) -> None:
    """It reads formulas as MathML, and begins a file at each heading that is in no box."""
    for formula in document.find_class("katex-html"):
        formula.drop_tree()
    for section in document.findall("body/section"):
        section.find(".//h1").set("id", section.get("id"))
        for box in [section, *section.xpath(".//div[@class='header' or @class='contents' or @class='textblock']")]:
            box.drop_tag()


def _section(site: Path, name: str, names: set[str]) -> lxml.html.HtmlElement:
    page = lxml.html.parse(str(site / name)).getroot()
    section = page.get_element_by_id("content")
    section.tag = "section"
    section.set("id", _anchor(name))
    section.set("style", "break-before: page")
    for element in section.xpath(".//*[@id='toc'] | .//nav | .//footer | .//script | .//*[@class='permalink']"):
        element.drop_tree()
    for block in section.iter("details"):
        block.set("open", "open")
    for link in section.xpath(".//a[@href]"):
        link.attrib.pop("aria-describedby", None)  # the notes are not there
        target, _, anchor = link.get("href").partition("#")
        if target in names:
            link.set("href", f"#{anchor or _anchor(target)}")
        elif target and not re.match(r"https?:|mailto:", target):
            link.drop_tag()  # a page that is left out
    return section


def _anchor(name: str) -> str:
    return f"page-{name.removesuffix('.html')}"


def _to_pdf(page: Path, made: Path, profile: str) -> list[str]:
    chromium = next((path for name in CHROMIUM if (path := shutil.which(name))), "")
    if not chromium:
        raise CourseError("Chromium is not on the PATH, and it prints the PDF; install it (apt-get install chromium)")
    return [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}/profile", "--no-pdf-header-footer",
            "--generate-pdf-document-outline", f"--print-to-pdf={made}", page.as_uri()]


def _to_epub(page: Path, made: Path) -> list[str]:
    if not shutil.which("pandoc"):
        raise CourseError("pandoc is not on the PATH, and it makes the EPUB; install it (apt-get install pandoc)")
    return ["pandoc", "--from=html", "--to=epub3", "--mathml", "--toc", f"--resource-path={page.parent}",
            "--metadata=title:Linear Attention Labs", f"--output={made}", str(page)]


def _run(command: list[str], made: Path) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or not made.exists():
        raise CourseError(f"{Path(command[0]).name} made no {made.suffix[1:]}; it says: {done.stdout.strip()[-500:]}")
