"""Markdown as code hosts show it, turned into what Doxygen 1.9 shows alike.

One line in, one line out, so that a warning's line number is the author's. Doxygen's own Markdown knows neither `$x$`
nor ```math, neither alerts nor folded blocks, and its emphasis and code spans end where nobody expects it: all of these
are turned into commands and HTML here. Tables, lists and fences of code are left to it.
"""

import html
import re

from course.headings import ANCHOR, FENCE, Heading, headings

ALERT = re.compile(r"^> \[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$")
DETAILS = re.compile(r"^<details>(?:<summary>(.*)</summary>)?$|^<summary>(.*)</summary>$|^</details>$")
SHELL = ("sh", "bash")
WORDS = re.compile(r"(?P<comment>(?:^|(?<=\s))#.*)|(?P<program>(?:^|(?<=&& ))(?:\S+=\S+ )*(?:\./course \w[\w-]*|[^\s#]\S*))"
                   r"|(?P<option>(?<=\s)--?\w[\w-]*)")
# In this order: what a code span holds is no formula, and what a formula holds is no link.
CODE = re.compile(r"(?<!\\)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
FORMULA = re.compile(r"([(\[]?)(?<![\\$\w])\$(?![\s$])((?:[^$\\]|\\.)+?)(?<!\s)\$(?![\d$])([,.;:!?)\]]*)", re.S)
INTERACTIVE = re.compile(r"^<!-- interactive: (\w+) -->$")  # docs/interactive/<name>.js brings the next figure to life
COMMENT = re.compile(r"<!--.*?-->", re.S)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.S)
EMPHASIS = re.compile(r"(?<![\w*\\])([*_])(?=[^\s*_])(.+?)(?<=[^\s\\])\1(?![\w*])", re.S)

# "262 144", "1294 ns": no line ends in the middle of a number, or before its unit.
GROUPS = re.compile(r"(?<![\w.,§])(\d{1,3}) (?=\d{3}(?!\d))")
UNIT = re.compile(r"(?<=\d) (?=(?:[nµm]?s|min|[KMG]B|bytes|FLOPs|[KMGT](?:FLOP|B)/s|%)(?!\w))")


class Page:
    """One Markdown file on its way to Doxygen.

    `links` answers for what depends on the rest of the site: href(target, line) → URL, or None when the site has no
    such page; figure(target, line) → URL and attributes; mention(code) → URL or None for a code span that names an
    exercise.
    `insert` maps a line number to what is put there, on an empty line.
    """

    def __init__(self, text: str, label: str, links, insert: dict, contents: bool):
        self.label = label
        self.links = links
        self.insert = insert
        self.contents = contents
        self.lines = text.splitlines()
        self.headings = {heading.line: heading for heading in headings(text)}
        self.out = []
        self.interactive = ""  # attributes of the next figure
        self.number = 0  # of the line being read, from 0

    def translate(self) -> str:
        while self.number < len(self.lines):
            line = self.lines[self.number]
            fence = FENCE.match(line)
            if fence:
                self._fence(fence)
            elif not line.strip():
                self._put(self.insert.get(self.number + 1, ""))
            elif self.number + 1 in self.headings:
                self._heading(self.headings[self.number + 1])
            elif ALERT.match(line):
                self._alert(ALERT.match(line)[1])
            elif DETAILS.match(line):
                self._details(DETAILS.match(line))
            elif INTERACTIVE.match(line):
                self.interactive = f' class="interactive" data-figure="{INTERACTIVE.match(line)[1]}"'
                self._put("")
            elif ANCHOR.match(line) or re.fullmatch(r"<!--.*-->", line):
                self._put("")
            else:
                self._paragraph()
        last = self.insert.get(len(self.lines) + 1)
        return "\n".join(self.out + ([last] if last else [])) + "\n"

    def _put(self, *lines: str) -> None:
        self.out.extend(lines)
        self.number += len(lines)

    def _fence(self, fence: re.Match) -> None:
        rest = range(self.number + 1, len(self.lines))
        end = next((i for i in rest if self.lines[i].strip() == fence[1]), len(self.lines))
        body = self.lines[self.number + 1:end]
        if fence[2] == "math":  # on one line: nothing in it can then look like a list or a heading
            formula = " ".join(line.strip() for line in body)
            self._put(r"\f[ " + formula + r" \f]", *[""] * (len(body) + 1))
        elif fence[2] in SHELL:
            code = [f'<div class="line">{_shell(line)}</div>' for line in body] or [""]
            code[0] = r'\htmlonly[block]<div class="fragment shell">' + code[0]
            self._put("", *code, r"</div><!-- fragment -->\endhtmlonly")
        else:
            self._put(self.lines[self.number].replace("```text", "```unparsed"), *body, fence[1])

    def _heading(self, heading: Heading) -> None:
        label = anchor(self.label, heading.slug)
        if heading.level == 1:
            label = "mainpage" if self.label == "index" else self.label
        # No code in a title: Doxygen's table of contents would show its tags.
        self._put("#" * heading.level + " " + self._inline(heading.title.replace("`", "")) + " {#" + label + "}")
        if heading.level == 1 and self.contents and self.lines[self.number:self.number + 1] == [""]:
            self._put(r"\tableofcontents{HTML:2}")

    def _alert(self, kind: str) -> None:
        """The quoted lines become a box; an empty quoted line separates paragraphs in it."""
        self._put(rf'\htmlonly[block]<div class="alert {kind.lower()}"><b class="kind">{kind.title()}</b>\endhtmlonly')
        quoted = []
        while self.number + len(quoted) < len(self.lines) and self.lines[self.number + len(quoted)].startswith(">"):
            quoted.append(re.sub(r"^> ?", "", self.lines[self.number + len(quoted)]))
        for paragraph in re.split(r"(\n\n+)", "\n".join(quoted)):
            if paragraph.strip():
                self._put(*self._inline(paragraph).split("\n"))
            else:
                self._put(*[""] * (paragraph.count("\n") - 1))
        closing = r"\htmlonly[block]</div>\endhtmlonly"
        if self.number < len(self.lines):
            self._put(closing)  # in the place of the empty line that ends the quotation
        else:
            self.out.append(closing)

    def _details(self, details: re.Match) -> None:
        line = self.lines[self.number]
        summary = details[1] or details[2]
        if summary:
            line = line.replace(summary, in_html(summary))
        self._put(rf"\htmlonly[block]{line}\endhtmlonly")

    def _paragraph(self) -> None:
        end = self.number
        while end < len(self.lines) and self.lines[end].strip() and not self._starts_block(end):
            end += 1
        end = max(end, self.number + 1)
        paragraph = self._inline("\n".join(self.lines[self.number:end]))
        self._put(*paragraph.split("\n"))

    def _starts_block(self, i: int) -> bool:
        line = self.lines[i]
        return bool(FENCE.match(line) or i + 1 in self.headings or ALERT.match(line) or DETAILS.match(line))

    def _inline(self, text: str) -> str:
        """Formulas, code, figures and links are set aside, so that emphasis sees only words; then they are put back."""
        kept = []

        def keep(replacement: str, original: str) -> str:
            breaks = re.findall(r"\n[ \t]*", original)
            kept.append((replacement, breaks))
            return f"\0{len(kept) - 1}\0"

        def line_of(match: re.Match) -> int:
            return self.number + 1 + match.string[:match.start()].count("\n")

        text = CODE.sub(lambda m: keep(self._code(m[2]), m[0]), text)
        text = FORMULA.sub(lambda m: keep(_formula(m), m[0]), text)
        text = COMMENT.sub(lambda m: keep("", m[0]), text)
        text = IMAGE.sub(lambda m: keep(self._figure(m[1], m[2], line_of(m)), m[0]), text)
        text = LINK.sub(lambda m: self._link(m[1], m[2], line_of(m), keep), text)
        text = UNIT.sub("\u00a0", GROUPS.sub("\\1\u00a0", text))
        text = STRONG.sub(r"<b>\1</b>", text)
        text = EMPHASIS.sub(r"<em>\2</em>", text)
        text = re.sub(r'"(?![^<>]*>)', "&quot;", text)  # between plain ones Doxygen reads no command and no formula
        text = re.sub(r"@", r"\\@", text)
        text = re.sub(r"--(?=\w)", r"\\--", text)  # an option, no dash
        text = re.sub(r"(?<![\w\\])_|(?<!\\)_(?!\w)", r"\\_", text)
        text = re.sub(r"(?<=[^\n]\n)( *\d{2,})\. ", r"\1\\. ", text)  # a year at the beginning of a line is no list
        return _put_back(text, kept)

    def _code(self, code: str) -> str:
        code = _one_line(code)
        url = self.links.mention(code)
        span = f"``{code}``"  # two backticks: with one, Doxygen takes an apostrophe for the end
        return f'<a href="{url}">{span}</a>' if url else span

    def _figure(self, text: str, target: str, line: int) -> str:
        url, size = self.links.figure(target, line)
        words = _one_line(text)
        below = next(filter(str.strip, self.lines[line + text.count("\n"):]), "")
        caption = rf'<figcaption aria-hidden="true">{in_html(words)}</figcaption>'
        if below.startswith("**Figure "):
            caption = ""  # it has one of its own
        kind, self.interactive = self.interactive, ""
        return (rf'\htmlonly[block]<figure{kind}><img src="{url}" alt="{html.escape(words)}"{size}/>'
                rf'{caption}</figure>\endhtmlonly')

    def _link(self, text: str, target: str, line: int, keep) -> str:
        url = self.links.href(target, line)
        return f"""{keep(f'<a href="{html.escape(url)}">', "")}{text}{keep("</a>", "")}""" if url else text


def anchor(label: str, slug: str) -> str:
    """Doxygen's name for a heading: unique in the whole site, and of characters that it takes."""
    return re.sub(r"[^A-Za-z0-9_-]", "", f"{label}-{slug}")


def in_html(text: str) -> str:
    """Words, code and formulas as HTML that Doxygen copies as it is."""
    text = html.escape(text, quote=False)
    text = CODE.sub(lambda m: f"<code>{m[2]}</code>", text)
    return FORMULA.sub(lambda m: rf"{m[1]}\({m[2]}\){m[3]}", text)


def _formula(match: re.Match) -> str:
    before, tex, after = match.groups()
    formula = rf"{before}\f${_one_line(tex)}\f${after}"
    return f'<span class="joined">{formula}</span>' if before or after else formula


def _shell(line: str) -> str:
    """A line of a terminal, with its program, options and comment in colours."""
    out, end = [], 0
    for word in WORDS.finditer(line):
        out += [html.escape(line[end:word.start()]), f'<span class="{word.lastgroup}">{html.escape(word[0])}</span>']
        end = word.end()
    return "".join(out) + html.escape(line[end:])


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def _put_back(text: str, kept: list) -> str:
    """A line break inside something that must stand on one line moves to the next space."""
    waiting, out = [], []
    for part in re.split(r"(\0\d+\0)", text):
        if part.startswith("\0"):
            replacement, breaks = kept[int(part.strip("\0"))]
            waiting += breaks
            if "\0" in replacement:
                replacement = _put_back(replacement, kept)
            out.append(replacement)
        else:
            while waiting and " " in part:
                before, _, part = part.partition(" ")
                out.append(before + waiting.pop(0))
            out.append(part)
    return "".join(out) + "\n" * len(waiting)
