"""Markdown as code hosts show it, read by markdown-it and written as the HTML and the commands that Doxygen reads.

Doxygen's own Markdown is off (docs/Doxyfile): it knows neither `$x$` nor ```math, alerts or folded blocks.
"""

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course.site.headings import headings

if TYPE_CHECKING:  # it imports this
    from course.site.site_map import Links

ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$")
INTERACTIVE = re.compile(r"<!-- interactive: (\w+) -->$")  # docs/interactive/<name>.js brings the next figure to life
NO_CONTENT = re.compile(r"<!--.*-->$|<a\b|</a>", re.S)  # comments, and the <a id> above a heading
SHELL = ("sh", "bash")
WORDS = re.compile(r"(?P<comment>(?:^|(?<=\s))#.*)|(?P<program>(?:^|(?<=&& ))(?:\S+=\S+ )*(?:\./course \w[\w-]*|[^\s#]\S*))"
                   r"|(?P<option>(?<=\s)--?\w[\w-]*)")
# "262 144", "1294 ns", "(1, 0)": no line ends in the middle of a number, of a list of them, or before a unit. None begins with
# an operator or with three dots.
GROUPS = re.compile(r"(?<![\w.,§])(\d{1,3}) (?=\d{3}(?!\d))")
UNIT = re.compile(r"(?<=\d) (?=(?:[nµm]?s|min|[KMG]B|bytes|FLOPs|[KMGT](?:FLOP|B)/s|%)(?!\w))|(?<=\d,) (?=[-−\d/., ]*[)\]])"
                  r"|(?:(?<=[\w)∞])|^) (?=[-+·×−/=≤≥<>] )|(?<=±) (?=\d)| (?=…[,.;])")


def _parser(preset: str, *rules: str) -> MarkdownIt:
    return MarkdownIt(preset).enable(list(rules)).use(dollarmath_plugin, allow_space=False, allow_digits=False)


PARSER, INLINE = _parser("commonmark", "table"), _parser("zero", "backticks")
INLINE.add_render_rule("math_inline", lambda self, tokens, at, *_: _formula(html.escape(tokens[at].content)))


def in_html(text: str) -> str:
    """Words, code and formulas as HTML."""
    return INLINE.renderInline(joined(text))


def raw(text: str) -> str:
    """HTML that Doxygen copies as it is: line by line, or it would copy the marks of a comment as well."""
    return "\n".join(rf"\htmlonly[block]{line}\endhtmlonly" for line in text.splitlines())


def joined(text: str) -> str:
    return UNIT.sub("\u00a0", GROUPS.sub("\\1\u00a0", text))


def escaped(text: str) -> str:
    """Words in which Doxygen finds no command, no tag and no dash."""
    text = html.escape(text, quote=False).replace('"', "&quot;")
    return re.sub(r"[\\@%#$]|---?|::", r"\\\g<0>", text)


def formula(tex: str) -> str:
    return _formula(escaped(tex))


def code(text: str, language: str = "cpp") -> str:
    return f"\n\\code{{.{language}}}\n{text}\n\\endcode\n"


def anchor(label: str, slug: str) -> str:
    """Of a heading: unique in the whole site."""
    return re.sub(r"[^A-Za-z0-9_-]", "", f"{label}-{slug}")


class Page(RendererHTML):
    """One Markdown file on its way to Doxygen; the methods that markdown-it calls are named after its tokens.

    `insert` maps a number of lines to what follows them, `made` a comment on a line of its own to what replaces it.
    """

    def __init__(self, text: str, label: str, links: "Links", insert: dict[int, str], made: dict[str, str]) -> None:
        super().__init__()
        self.source, self.label, self.links, self.insert, self.made = text, label, links, insert, made
        self.titles = {heading.line: heading for heading in headings(text)}
        self.block: Token = None  # the paragraph, cell or heading that is being read
        self.figure_kind = ""
        self.open_links: list[str | None] = []
        self.alerts: list[bool] = []  # for each open quotation: whether it is one

    def translate(self) -> str:
        return self.render(PARSER.parse(self.source), PARSER.options, {}) + self._inserted(len(self.source))

    def render(self, tokens: Sequence[Token], options: OptionsDict, env: dict[str, object]) -> str:
        out = ""
        for at, token in enumerate(tokens):
            if token.map and token.level == 0:
                out += self._inserted(token.map[0])
            if token.type == "inline":
                self.block = token
            rule = self.rules.get(token.type)
            out += (self.renderInline(token.children, options, env) if token.type == "inline" else
                    rule(tokens, at, options, env) if rule else self.renderToken(tokens, at, options, env))
        return out

    def _inserted(self, line: int) -> str:
        return "".join(self.insert.pop(at) for at in sorted(self.insert) if at <= line)

    def _line(self, part: str) -> int:
        return self.block.map[0] + 1 + self.block.content.partition(part)[0].count("\n")

    # Words

    def text(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return escaped(joined(tokens[at].content))

    def softbreak(self, *_: object) -> str:
        return " "  # on a line of its own Doxygen might take a word for a list

    def code_inline(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        if self.block.map[0] + 1 in self.titles:
            return escaped(tokens[at].content)
        url, span = self.links.mention(tokens[at].content), f"<code>{escaped(tokens[at].content)}</code>"
        return f'<a href="{url}">{span}</a>' if url else span

    def math_inline(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return formula(" ".join(tokens[at].content.split()))

    def html_inline(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return "" if NO_CONTENT.match(tokens[at].content) else tokens[at].content

    def link_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        target = tokens[at].attrs["href"]
        self.open_links.append(self.links.href(target, self._line(f"]({target}")))
        return f'<a href="{html.escape(self.open_links[-1])}">' if self.open_links[-1] else ""

    def link_close(self, *_: object) -> str:
        return "</a>" if self.open_links.pop() else ""

    # Blocks

    def heading_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        title = self.titles[tokens[at].map[0] + 1]
        if title.level == 1:
            return "\\mainpage " if self.label == "index" else f"\\page {self.label} "
        return f'<h{title.level} id="{anchor(self.label, title.slug)}">'

    def heading_close(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return "\n" if tokens[at].tag == "h1" else f"</{tokens[at].tag}>\n"

    def paragraph_open(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, object]) -> str:
        if [child.type for child in tokens[at + 1].children] == ["image"]:  # a figure, and no paragraph
            tokens[at].hidden = tokens[at + 2].hidden = True
        return self.renderToken(tokens, at, options, env)

    def image(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        words, target = " ".join(tokens[at].content.split()), tokens[at].attrs["src"]
        url, size = self.links.figure(target, self._line(f"]({target}"))
        kind, self.figure_kind = self.figure_kind, ""
        return raw(f'<figure{kind}><img src="{url}" alt="{html.escape(words)}"{size}/></figure>')

    def fence(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        language, body = tokens[at].info.strip(), tokens[at].content.removesuffix("\n")
        if language == "math":
            return f'<div class="formulaDsp">{escaped(" ".join(body.split()))}</div>\n'
        if language in SHELL:
            lines = "".join(f'<div class="line">{_shell(line)}</div>' for line in body.split("\n"))
            return raw(f'<div class="fragment shell">{lines}</div>') + "\n"
        return code(body, {"": "unparsed", "text": "unparsed", "python": "py"}.get(language, language))

    def html_block(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        text = tokens[at].content.strip()
        if interactive := INTERACTIVE.match(text):
            self.figure_kind = f' class="interactive" id="figure-{interactive[1]}" data-figure="{interactive[1]}"'
        if text in self.made or NO_CONTENT.match(text):
            return self.made.get(text, "")
        return raw(re.sub(r"(?<=<summary>).*(?=</summary>)", lambda title: in_html(title[0]), text)) + "\n"

    def blockquote_open(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, object]) -> str:
        first = tokens[at + 2].children
        alert = first and ALERT.match(first[0].content)
        self.alerts.append(bool(alert))
        if not alert:
            return self.renderToken(tokens, at, options, env)
        del first[:2]  # the kind, and the end of its line
        return raw(f'<div class="alert {alert[1].lower()}"><b class="kind">{alert[1].title()}</b>') + "\n"

    def blockquote_close(self, tokens: Sequence[Token], at: int, options: OptionsDict, env: dict[str, object]) -> str:
        return raw("</div>") if self.alerts.pop() else self.renderToken(tokens, at, options, env)

    def table_open(self, *_: object) -> str:
        return '<table class="markdownTable">'

    def tr_open(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return '<tr class="markdownTableHead">' if tokens[at - 1].type == "thead_open" else "<tr>"

    def thead_open(self, *_: object) -> str:
        return ""

    thead_close = tbody_open = tbody_close = thead_open


def _formula(tex: str) -> str:
    return f'<span class="math">{tex}</span>'


def _shell(line: str) -> str:
    """A line of a terminal, with its program, options and comment in colours."""
    out, end = [], 0
    for word in WORDS.finditer(line):
        out += [html.escape(line[end:word.start()]), f'<span class="{word.lastgroup}">{html.escape(word[0])}</span>']
        end = word.end()
    return "".join(out) + html.escape(line[end:])
