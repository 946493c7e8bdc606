"""The chapters and the background pages as one document: a PDF, printed by Chromium."""

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
PAPER = "@page { size: A4; margin: 14mm 12mm 17mm; @bottom-center { content: counter(page); } }"


def write(site: Path) -> Path:
    """The PDF, beside the folder of the pages."""
    to = site.parent / "linear-attention-labs.pdf"
    with tempfile.TemporaryDirectory(dir=site.parent) as folder, tempfile.NamedTemporaryFile(dir=site, suffix=".html") as page:
        page.write(lxml.html.tostring(_joined(site), encoding="utf-8", doctype="<!DOCTYPE html>"))
        page.flush()
        _print(Path(page.name), Path(folder) / to.name)
        return (Path(folder) / to.name).replace(to)


def _joined(site: Path) -> lxml.html.HtmlElement:
    """One page of all: the start page's head, and each page's heading and contents, linked with one another."""
    start = lxml.html.parse(str(site / "index.html")).getroot()
    names = [link for link in dict.fromkeys(start.xpath("//header//nav//@href"))
             if link not in LEFT_OUT and not link.startswith("group__")]
    sections = [_section(site, name, set(names)) for name in names]
    head = start.find("head")
    for script in head.xpath(".//script"):
        script.drop_tree()
    head.append(builder.STYLE(PAPER))
    entries = (builder.A(section.findtext(".//h1"), href=f"#{section.get('id')}") for section in sections)
    contents = builder.UL(*map(builder.LI, entries))
    return builder.HTML(head, builder.BODY(builder.H1("Linear Attention Labs"), contents, *sections), lang="en")


def _section(site: Path, name: str, names: set[str]) -> lxml.html.HtmlElement:
    section = lxml.html.parse(str(site / name)).getroot().get_element_by_id("content")
    section.tag = "section"
    section.attrib.update({"id": _anchor(name), "style": "break-before: page"})
    for element in section.xpath(".//*[@id='toc'] | .//nav | .//footer | .//script | .//*[@class='permalink']"
                                 " | .//*[@class='katex-mathml']"):  # a search in the PDF would find each formula twice
        element.drop_tree()
    for block in section.iter("details"):
        block.set("open", "open")
    for link in section.xpath(".//a[@href]"):
        target, _, anchor = link.get("href").partition("#")
        if target in names:
            link.set("href", f"#{anchor or _anchor(target)}")
        elif target and not re.match(r"https?:|mailto:", target):  # a page that is left out
            facts = link.xpath("parent::*[@class='facts']")  # hold the link to a contract alone
            facts[0].drop_tree() if facts else link.drop_tag()
    return section


def _anchor(name: str) -> str:
    return f"page-{name.removesuffix('.html')}"


def _print(page: Path, to: Path) -> None:
    chromium = next((path for name in CHROMIUM if (path := shutil.which(name))), "")
    if not chromium:
        raise CourseError("Chromium is not on the PATH, and it prints the PDF; install it (apt-get install chromium)")
    done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={to.parent}/profile",
                           "--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={to}", page.as_uri()],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or not to.exists():
        raise CourseError(f"{Path(chromium).name} made no PDF; it says: {done.stdout.strip()[-500:]}")
