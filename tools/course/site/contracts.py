"""The labs' headers: the contracts of the functions to write, with our own commands turned into Doxygen's.

    \\shape{(…, n, d_k)}          a shape, set as code (an alias in docs/Doxyfile)
    \\complexity{time, memory}    the cost; what follows on the line belongs to it
    \\paper{key, place}           the source: a heading's <a id> in docs/papers.md, and where in it
    \\solves{2,5}                 the exercise of this lab, its worth, and the command that grades it

Every function of a lab's headers becomes a member of that lab's group, so that no header has to say so.
"""

import re
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

from course.site.markdown import escaped, formula, joined
from course.site.parts import Parts
from course.site.site_map import SiteLab, SiteMap

# What is no prose: code, a shape, our commands, and the name behind a command of Doxygen.
NO_PROSE = re.compile(r"(?P<ticks>`+)(?P<code>.*?)(?P=ticks)"
                      r"|\\(?P<command>complexity|paper|solves)\{(?P<argument>(?:[^{}]|\{[^{}]*\})*)\}"
                      r"|(?P<name>(?<!\w)__\w+?__(?!\w)|\b\w+::\w+)"  # __device__, Mask::causal
                      r"|\\shape\{[^}]*\}|\\(?:param|throws|ref|p|c)\s+\S+ ?")
NAME = re.compile(r"(?<![\w\\{/])(?:[a-z][a-z0-9]*(?:_[a-z0-9]{2,})+(?:\([a-z_]+\))?|[\w/]+\.(?:hpp|cpp|cu))(?!\w)")  # log_decay, kernels.hpp
WORD = re.compile(r"(\\\w+(?:\{[^}]*\})?)|\b([a-z]{2,})\b")  # in TeX: a command, or a name of several letters
COMMENT = re.compile(r"(?:^///.*\n)+|///<.*\n", re.M)
# A comment on a function that nobody has to write.
NOT_A_CONTRACT = re.compile(r"(?:^///(?!.*\\solves).*\n)+(?!///|struct|class|enum|using|template|namespace)", re.M)


class Contracts:
    """Those of one lab."""

    def __init__(self, lab: SiteLab, site_map: SiteMap, parts: Parts):
        self.lab, self.site_map, self.parts = lab, site_map, parts

    def group(self) -> str:
        """Their page: what each header says about itself at its top."""
        lab = self.lab
        back = f'The chapter is <a href="{lab.page}">Lab {lab.number}: {lab.title}</a>.'
        files = ", ".join(f"<code>student/{escaped(source)}</code>" for source in lab.sources)
        return (f"\\defgroup {lab.name}_functions Contracts of lab {lab.number}: {lab.title}\n\n" +
                "\n\n".join(self._about(header) for header in lab.headers) + f"\n\n{back}\nWrite the functions in {files}.\n")

    def _about(self, header: Path) -> str:
        comment = takewhile(lambda line: line.startswith("//"), header.read_text(encoding="utf-8").splitlines())
        lines = [line.removeprefix("//").removeprefix(" ") for line in comment]
        lines = [f"\n`{line.strip()}`\n" if line.startswith("    ") else line for line in lines]  # a formula on a line of its own
        text = re.sub(rf"^Lab {self.lab.number}: *", "", "\n".join(lines))
        return _words(text[:1].upper() + text[1:], str(header), 1, self._command)

    def header(self, text: str, where: str) -> str:
        """The header as Doxygen gets it, line for line."""
        text = NOT_A_CONTRACT.sub(lambda block: block[0].replace("///", "//"), text)
        text = text.replace(r"\throws nothing,", r"\par Throws\ilinebr nothing,")  # Doxygen takes what follows for a list of types
        return in_group(f"{self.lab.name}_functions", translated(text, where, self._command))

    def _command(self, name: str, argument: str, where: str) -> str:
        written: str = getattr(self, f"_{name}")(argument, where)
        return written

    def _complexity(self, argument: str, where: str) -> str:
        time, comma, memory = WORD.sub(lambda word: word[1] or rf"\text{{{word[2]}}}", argument).rpartition(", ")
        if not comma:
            self.site_map.complain(where, "\\complexity takes two, as in \\complexity{n, 1}")
        return _section("Cost", f"time {formula(f'O({time})')}, memory {formula(f'O({memory})')}")

    def _paper(self, argument: str, where: str) -> str:
        key, _, place = argument.partition(", ")
        papers = self.site_map.slugs["docs/papers.md"]
        if key not in papers:
            self.site_map.complain(where, f'docs/papers.md has no paper {key}; add it, with <a id="{key}"></a> above its heading')
        link = f'<a href="papers.html#papers-{key}">{papers.get(key, key)}</a>'
        return _section("Source", link + (f", {escaped(place)}" if place else ""))

    def _solves(self, argument: str, where: str) -> str:
        section = argument.replace(",", ".").replace(" ", "")
        exercise = next((known for known in self.lab.exercises if known.section == section), None)
        if not exercise:
            self.site_map.complain(where, f"{self.lab.name} has no exercise {section}; compare its lab.json")
            return section
        return _section("Exercise", self.parts.solves(self.lab, exercise))


Command = Callable[[str, str, str], str]  # name, argument and place of one of ours → Doxygen's


def translated(header: str, path: str, command: Command = lambda *_: "") -> str:
    """With our commands in its comments turned into those of Doxygen."""
    def one(comment: re.Match[str]) -> str:
        line = header.count("\n", 0, comment.start()) + 1
        return re.sub(r"^(?=.|\n)", "///", _words(comment[0].replace("///", ""), path, line, command), flags=re.M)

    return COMMENT.sub(one, header)


def _words(text: str, path: str, line: int, command: Command) -> str:
    out, end = "", 0
    for found in NO_PROSE.finditer(text):
        out += _typeset(text[end:found.start()])
        where = f"{path}:{line + text.count(chr(10), 0, found.start())}"
        out += (command(found["command"], found["argument"], where) if found["command"] else
                f"<code>{escaped(found['code'] or found['name'])}</code>" if found["code"] or found["name"] else found[0])
        end = found.end()
    return out + _typeset(text[end:])


def in_group(name: str, text: str) -> str:
    """Every comment on a declaration says so in its last line."""
    return re.sub(r"^(///.*)\n(?!///)", rf"\1 \\ingroup {name}\n", text, flags=re.M)


def types(text: str, keep: tuple[str, ...]) -> str:
    """Only these types of a header, with their comments."""
    names = "|".join(keep)
    pattern = rf"(?:^///[^\n]*\n)+(?:(?:enum class|struct) (?:{names}) .*?\}};|using (?:{names}) .*?;)[^\n]*$"
    return "\n\n".join(re.findall(pattern, text, flags=re.M | re.S))


def _typeset(words: str) -> str:
    """Prose, in which names are code."""
    return NAME.sub(r"<code>\g<0></code>", joined(words))


def _section(title: str, text: str) -> str:
    return rf"\par {title}\ilinebr {text}\ilinebr "
