"""The sections of all pages as a script, so that the search works without a server: docs/theme/search.js reads it."""

import json
from copy import deepcopy
from pathlib import Path

from lxml.html import HtmlElement

from course.site.formulas import in_words

SILENT = (".//script | .//svg | .//nav | .//button | .//a[@class='permalink'] | .//td[@class='explanation'] | .//div[@class='cards']"
          " | .//details[@class='answer' or starts-with(summary, 'Answer') or starts-with(summary, 'The two ')]")  # what a reader has folded away is not shown by a search either
CUT = "\ue000"  # no page has this character
BLOCKS = ("p", "li", "tr", "td", "th", "div", "dt", "dd", "table", "summary", "br", "img", "h2", "h3", "h4", "figcaption")


def write(site: Path, contents: dict[str, tuple[str, HtmlElement]]) -> None:
    """`contents`: name of a page → (its heading, its body)."""
    sections = []
    for name, (heading, body) in sorted(contents.items()):
        cited = body.xpath(".//*[self::h2 or self::h3]/following-sibling::*[1]//em[1]") if name == "papers.html" else []
        titles = {em.xpath("ancestor::p/preceding-sibling::*[1]/@id")[0]: em.text_content() for em in reversed(cited)}
        for anchor, title, text in _cut(heading, body):
            sections.append({"url": f"{name}#{anchor}" if anchor else name, "page": heading, "title": in_words(title),
                             "text": in_words(text)} | ({"cited": in_words(titles[anchor])} if anchor in titles else {}))
    script = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    (site / "search-sections.js").write_text(f"window.SECTIONS = {script};\n", encoding="utf-8")


def _cut(heading: str, body: HtmlElement) -> list[tuple[str, str, str]]:
    """(anchor, title, text) of each section; the first is what stands above all headings."""
    body = deepcopy(body)
    for element in body.xpath(SILENT):
        element.drop_tree()
    for image in body.iter("img"):
        image.tail = f" {image.get('alt')} {image.tail or ''}"
    for element in body.xpath(".//*[self::h2 or self::h3 or self::h4][@id]"):
        title = element.text_content()
        element[:] = []
        element.text = f"{CUT}{element.get('id')}{CUT}{title}{CUT}"
    for element in body.iter(*BLOCKS):
        element.tail = f" {element.tail or ''}"
    above, *rest = body.text_content().replace("\N{ZERO WIDTH SPACE}", "").split(CUT)
    return [("", heading, above), *zip(rest[::3], rest[1::3], rest[2::3])]
