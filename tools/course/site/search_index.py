"""The sections of all pages as a script, so that the search works without a server: docs/theme/search.js reads it."""

import html
import json
import re
from pathlib import Path

from course.site.formulas import in_words

HEADING = re.compile(r'<h[2-4] id="([^"]+)"[^>]*>(.*?)<a class="permalink".*?</h[2-4]>', re.S)
SILENT = re.compile(r'<(script|svg|nav|button)\b.*?</\1>|<details class="toc".*?</details>', re.S)
ALT = re.compile(r'<img[^>]*\balt="([^"]*)"[^>]*>')
CITED = re.compile(r"<em>(.*?)</em>", re.S)  # in an entry of the page of papers: the title of the paper


def write(site: Path, contents: dict) -> None:
    """`contents`: name of a page → (its heading, its HTML)."""
    sections = []
    for name, (heading, body) in sorted(contents.items()):
        cut = HEADING.split(SILENT.sub(" ", body))  # text, then id, title and text of each section
        found = [(name, heading, cut[0])]
        found += [(f"{name}#{anchor}", title, text) for anchor, title, text in zip(cut[1::3], cut[2::3], cut[3::3])]
        for url, title, text in found:
            section = {"url": url, "page": _words(heading), "title": _words(title), "text": _words(text)}
            cited = name == "papers.html" and CITED.search(text)
            sections.append(section | ({"cited": _words(cited[1])} if cited else {}))
    script = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    (site / "search-sections.js").write_text(f"window.SECTIONS = {script};\n", encoding="utf-8")


def _words(text: str) -> str:
    text = re.sub(r"<(?:/?(?:p|li|tr|td|th|div|dt|dd|ul|ol|table|summary|h\d)\b[^>]*|br */?)>", " ", ALT.sub(r" \1 ", text))
    return in_words(html.unescape(re.sub(r"<[^>]*>|\u00ad|\u200b", "", text)))
