"""What Doxygen writes about functions and types, laid out as the chapters are (docs/theme/contracts.html)."""

import html
import math
import re
from dataclasses import dataclass
from itertools import takewhile

import lxml.html
from jinja2 import Template
from lxml.html import HtmlElement
from markupsafe import Markup

KEYWORD = re.compile(r"\b(const|struct|enum class|using|template|class)\b")
SHAPE = re.compile(r"<code>(\([^<]*\))</code>")


class Row:
    """A parameter, a member, or the result."""

    def __init__(self, name: Markup, words: Markup, anchor: str = ""):
        self.name, self.words, self.shape, self.anchor = name, words, "", anchor
        if len(SHAPE.findall(words)) == 1:  # it has a column of its own, unless the words name two
            before, self.shape, after = SHAPE.split(words)
            self.words = Markup(re.sub(r" (?=[;,])", "", f"{before.strip()} {after.strip()}").strip("; ,"))


@dataclass
class Member:
    anchor: str
    name: str
    declaration: Markup
    words: Markup
    rows: list[Row]
    notes: dict[str, list[Markup]]  # title → lines

    @property
    def place(self) -> tuple[float, ...]:
        """Exercises in their order, then what is none."""
        section = re.search(r"Exercise (\d+)\.(\d+)", "".join(self.notes.get("Exercise", [])))
        return tuple(map(float, section.groups())) if section else (math.inf,)


def lay_out(body: HtmlElement, template: Template) -> None:
    """Replaces the contents of a page that Doxygen wrote."""
    above = takewhile(lambda child: child.get("class") != "memitem", body)
    words = Markup("".join(_whole(child) for child in above if child.tag == "p"))
    members = sorted(map(_member, body.find_class("memitem")), key=lambda member: member.place)
    taken: set[str] = set()  # Doxygen gives some members of different types one anchor
    for row in (row for member in members for row in member.rows):
        row.anchor = "" if row.anchor in taken else row.anchor
        taken.add(row.anchor)
    body[:] = [lxml.html.fragment_fromstring(template.render(words=words, members=members))]


def inner(element: HtmlElement) -> str:
    return html.escape(element.text or "", quote=False) + "".join(_whole(child) for child in element)


def _whole(element: HtmlElement) -> str:
    return str(lxml.html.tostring(element, encoding="unicode"))


def _member(item: HtmlElement) -> Member:
    title, doc = item.getprevious(), item.find_class("memdoc")[0]
    rows = [Row(_code(*row[:-1]), _markup(row[-1]), row.xpath("string(.//@id)"))
            for row in doc.xpath("./dl[@class='params']//tr | .//table[@class='fieldtable']//tr[td]")]
    rows += [Row(Markup("<em>returns</em>"), _markup(result)) for result in doc.xpath("./dl[contains(@class, 'return')]/dd")]
    notes = {each.findtext("dt").strip(): [_markup(each.find("dd"))] for each in doc.xpath("./dl[contains(@class, 'user')]")}
    if errors := doc.xpath("./dl[@class='exception']//tr"):
        notes = {"Throws": [_code(row[0]) + " " + _markup(row[-1]) for row in errors]} | notes
    words = Markup("".join(_whole(part) for part in doc.xpath("./p | ./div[@class='textblock']/p")))
    name = title.xpath("string(text()[last()])").strip().removesuffix("()").removeprefix("linattn::")
    return Member(title.getprevious().get("id"), name, _declaration(item.find_class("memproto")[0]), words, rows, notes)


def _markup(element: HtmlElement) -> Markup:
    return Markup(inner(element).strip())


def _code(*cells: HtmlElement) -> Markup:
    return Markup(f"<code>{' '.join(_line(cell, mark=False) for cell in cells)}</code>")


def _declaration(proto: HtmlElement) -> Markup:
    """On one line, which may be broken between parameters; empty for what has its name and its members alone."""
    template = "".join(_line(each) + " " for each in proto.find_class("memtemplate"))
    out = template + _line(proto.xpath(".//td[@class='memname']")[0])
    pairs = zip(proto.find_class("paramtype"), proto.find_class("paramname"))
    if parameters := [f"{_line(kind)} {_line(name).rstrip(', ')}".replace(" = ", "</span> <span>= ") for kind, name in pairs]:
        return _call(out, parameters, ");")
    head, _, signature = out.partition("(")
    parameters = signature.removesuffix(")&gt;").split(", ")
    return _call(head, parameters, ")&gt;") if signature else Markup(out if template or " = " in out else "")


def _call(head: str, parameters: list[str], end: str) -> Markup:
    return Markup(f"{head}(<wbr/><span>{',</span> <span>'.join(parameters)}{end}</span>".replace("( ", "("))


def _line(cell: HtmlElement, mark: bool = True) -> str:
    """Its code as our headers are set, `const std::vector<int>& x`, in which only links and keywords are marked."""
    out = ""
    for text in cell.xpath(".//text()"):
        words, around = html.escape(str(text), quote=False), text.getparent()
        words = KEYWORD.sub(r'<span class="keyword">\1</span>', words) if mark else words
        linked = mark and around.tag == "a" and not text.is_tail and around.get("href")
        out += f'<a href="{linked}">{words}</a>' if linked else words
    out = re.sub(r"(&lt;) | (&amp;|&gt;)", r"\1\2", " ".join(out.split()))
    return out.replace("linattn::", "").replace("= typedef ", "= ")
