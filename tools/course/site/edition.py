"""The chapters and the background pages as one document: a PDF, printed by Chromium, or an EPUB, made by pandoc."""

import html
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import lxml.html
from lxml import etree
from lxml.html import builder

from course.errors import CourseError
from course.site.formulas import in_words

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
LEFT_OUT = {"functions.html", "exercises.html", "mistakes.html"}  # lists of links into the others
NAME = "linear-attention-labs"
MARK = re.compile("\ue000(\\d+)\ue001")  # where a formula stands: its number
BOOK = """body { margin: 3%; line-height: 1.45; } code { font-size: .95em; } pre { white-space: pre-wrap; } pre code { font-size: .85em; }
img { max-width: 100%; height: auto; } table { border-collapse: collapse; margin: 1em 0; font-size: .88em; }
td, th { border: 1px solid #999; padding: .2em .45em; text-align: left; vertical-align: top; }
.alert { border-left: 4px solid #777; padding-left: .8em; } h1, h2, h3 { line-height: 1.2; } math[display="block"] { margin: .6em 0; }
"""

Formula = tuple[str, str]  # MathML, and words


def write(site: Path, kind: str) -> Path:
    """`kind`: "pdf" or "epub"; beside the folder of the pages."""
    to = site.parent / f"{NAME}.{kind}"
    with tempfile.TemporaryDirectory(dir=site.parent) as folder:
        page = site / f".{Path(folder).name}.html"  # beside what it shows
        try:
            document = _joined(site)
            formulas = _for_a_browser(document) if kind == "pdf" else _for_pandoc(document)
            page.write_text("<!DOCTYPE html>\n" + lxml.html.tostring(document, encoding="unicode"), encoding="utf-8")
            made = Path(folder) / to.name
            _run(_to_pdf(page, made, folder) if kind == "pdf" else _to_epub(page, made, folder), made)
            _put_in(formulas, made, to) if formulas else shutil.move(made, to)
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


def _for_a_browser(document: lxml.html.HtmlElement) -> list[Formula]:
    for formula in document.find_class("katex-mathml"):  # a search in the PDF would find each twice
        formula.drop_tree()
    document.find("head").append(builder.STYLE("@page { size: A4; margin: 14mm 12mm 17mm; @bottom-center { content: counter(page); } }"))
    return []


def _for_pandoc(document: lxml.html.HtmlElement) -> list[Formula]:
    """It begins a file at each heading that is in no box, knows code as <pre>, and forgets what is folded and the words of a figure's
    image. Some of KaTeX's MathML it cannot read, so each formula becomes a mark."""
    formulas: list[Formula] = []
    for formula in document.find_class("katex"):
        math = formula.find(".//math")
        for token in math.xpath(".//*[self::mi or self::mo][*]"):  # of `+=` and `mod`
            token.text, token[:] = token.text_content(), []
        for third in math.xpath(".//msub/*[3]"):
            third.drop_tree()
        formulas.append((etree.tostring(math, encoding="unicode", with_tail=False), html.escape(in_words(math.findtext(".//annotation")))))
        formula[:] = []
        formula.text = f"\ue000{len(formulas) - 1}\ue001"
    for block in document.find_class("fragment"):
        lines = "\n".join(line.text_content().rstrip() for line in block.find_class("line"))
        block[:] = [builder.PRE(builder.CODE(lines))]
    for box in list(document.iter("figure", "details")):
        box.tag = "div"
        box.attrib.pop("open", None)
    for title in list(document.iter("summary")):
        title.tag, bold = "p", builder.STRONG(title.text or "", *title)
        title.text, title[:] = None, [bold]
    for section in document.findall("body/section"):
        section.find(".//h1").set("id", section.get("id"))
        for box in [section, *section.xpath(".//div[@class='header' or @class='contents' or @class='textblock']")]:
            box.drop_tag()
    return formulas


def _put_in(formulas: list[Formula], made: Path, to: Path) -> None:
    """Instead of their marks: MathML in the chapters, which the list of files must say, and words in the tables of contents."""
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(to, "w") as new:
        texts = {name: old.read(name).decode() for name in old.namelist() if name.endswith(("html", "ncx", "opf"))}
        chapters = {name.removeprefix("EPUB/") for name, text in texts.items() if "/text/" in name and MARK.search(text)}
        texts["EPUB/content.opf"] = re.sub(r'href="([^"]+)"', lambda link: link[0] + ' properties="mathml"' * (link[1] in chapters),
                                           texts["EPUB/content.opf"])
        for entry in old.infolist():
            kind = 0 if entry.filename.removeprefix("EPUB/") in chapters else 1
            text = MARK.sub(lambda mark: formulas[int(mark[1])][kind], texts.get(entry.filename, ""))
            new.writestr(entry, text or old.read(entry))


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
        elif target and not re.match(r"https?:|mailto:", target):  # a page that is left out
            facts = link.xpath("parent::*[@class='facts']")
            for line in facts:
                line.text = line.text.rstrip(" ·")
            link.drop_tree() if facts else link.drop_tag()
    return section


def _anchor(name: str) -> str:
    return f"page-{name.removesuffix('.html')}"


def _to_pdf(page: Path, made: Path, profile: str) -> list[str]:
    chromium = next((path for name in CHROMIUM if (path := shutil.which(name))), "")
    if not chromium:
        raise CourseError("Chromium is not on the PATH, and it prints the PDF; install it (apt-get install chromium)")
    return [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}/profile", "--no-pdf-header-footer",
            "--generate-pdf-document-outline", f"--print-to-pdf={made}", page.as_uri()]


def _to_epub(page: Path, made: Path, folder: str) -> list[str]:
    if not shutil.which("pandoc"):
        raise CourseError("pandoc is not on the PATH, and it makes the EPUB; install it (apt-get install pandoc)")
    style = Path(folder) / "book.css"
    style.write_text(BOOK, encoding="utf-8")
    return ["pandoc", "--from=html", "--to=epub3", "--mathml", "--toc", f"--resource-path={page.parent}", f"--css={style}",
            "--metadata=title:Linear Attention Labs", f"--output={made}", str(page)]


def _run(command: list[str], made: Path) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or not made.exists():
        raise CourseError(f"{Path(command[0]).name} made no {made.suffix[1:]}; it says: {done.stdout.strip()[-500:]}")
