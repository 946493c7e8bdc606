"""The labs' headers: the contracts of the functions to write, with our own commands turned into Doxygen's.

    \\shape{(…, n, d_k)}          a shape, set as code
    \\complexity{time, memory}    the cost; what follows on the line belongs to it
    \\paper{key, place}           the source: a heading's <a id> in docs/papers.md, and where in it
    \\solves{2,5}                 the exercise of this lab, its worth, and the command that grades it

Every function of a lab's headers becomes a member of that lab's group, so that no header has to say so.
"""

import html
import re
from itertools import takewhile
from pathlib import Path

from course.errors import CourseError
from course.site.site_map import LabFolder, SiteMap

COMMAND = re.compile(r"\\(shape|complexity|paper|solves)\{")
SUBSCRIPT = re.compile(r"(?:(?<=[^\W\d])|(?<=\)))_(?:\{([^{}]*)\}|([a-z0-9]{1,2})(?![A-Za-z0-9_]))")
SUPERSCRIPT = re.compile(r"\^(?:\{([^{}]*)\}|\(([^()]*)\))")
# A comment on a function that nobody has to write.
NOT_A_CONTRACT = re.compile(r"(?:^///(?!.*\\solves).*\n)+(?!///|struct|class|enum|using|template|namespace)", re.M)
LINE_COMMENT = re.compile(r"^\s*///")


def group(lab: LabFolder) -> str:
    """The page of a lab's contracts: what each header says about itself at its top."""
    text = _letters(_shapes("\n\n".join(_about(header, lab) for header in lab.headers)))
    back = f'The chapter is <a href="{lab.page}">Lab {lab.number}: {lab.title}</a>.' if lab.page else ""
    files = ", ".join(f"``student/{source}``" for source in lab.lab.sources)
    return (f"/**\n\\defgroup {lab.group} Contracts of lab {lab.number}: {lab.title}\n\n"
            f"{text}\n\n{back}\nWrite the functions in {files}.\n*/\n")


def _about(header: Path, lab: LabFolder) -> str:
    comment = takewhile(lambda line: line.startswith("//"), header.read_text(encoding="utf-8").splitlines())
    lines = [line.removeprefix("//").removeprefix(" ") for line in comment]
    lines = [f"\n{line.strip()}\n" if line.startswith("    ") else line for line in lines]  # a formula on a line of its own
    text = re.sub(rf"^Lab {lab.number}: *", "", "\n".join(lines))
    return text[:1].upper() + text[1:]


def header(text: str, where: str, lab: LabFolder, site_map: SiteMap) -> str:
    """The header as Doxygen gets it, line for line."""
    lines = NOT_A_CONTRACT.sub(lambda block: block[0].replace("///", "//"), text).splitlines()
    for number, line in enumerate(lines, start=1):
        if LINE_COMMENT.match(line) or "///<" in line:
            lines[number - 1] = _commands(line, f"{where}:{number}", lab, site_map)
    text = "\n".join(lines) + "\n"
    opening = rf"\g<0> /** \\addtogroup {lab.group} */ /** @{{ */"
    text = re.sub(r"^namespace linattn(::\w+)* \{$", opening, text, flags=re.M)
    return re.sub(r"^\}  // namespace linattn", r"/** @} */ \g<0>", text, flags=re.M)


def types(text: str, keep: tuple) -> str:
    """Only these types of a header, with their comments."""
    names = "|".join(keep)
    pattern = rf"(?:^///[^\n]*\n)+(?:(?:enum class|struct) (?:{names}) .*?\}};|using (?:{names}) .*?;)[^\n]*$"
    blocks = re.findall(pattern, text, flags=re.M | re.S)
    return _shapes("\n\n".join(blocks))


def _commands(line: str, where: str, lab: LabFolder, site_map: SiteMap) -> str:
    out, position = "", 0
    while command := COMMAND.search(line, position):
        argument, end = _braced(line, command.end(), where)
        out += _letters(line[position:command.start()])
        name = command[1]
        if name == "shape":
            out += f"``{argument}``"
        elif name == "complexity":
            note = re.match(r"[^\\]*", line[end:])[0]
            end += len(note)
            out += _section("cost", "Cost", _cost(argument, where) + html.escape(f" {note.strip()}".rstrip()))
        elif name == "paper":
            out += _section("source", "Source", _paper(argument, where, site_map))
        else:
            out += _section("exercise", "Exercise", _exercise(argument, where, lab, site_map))
        position = end
    return out + _letters(line[position:])


def _letters(words: str) -> str:
    """o_i and e^{x_a}, as the papers set them; not in code, and not in a parameter's name."""
    words = re.sub(r"(?<![`\w])__(\w+?)__(?![`\w])", r"``__\1__``", words)  # __device__, which is no bold word
    words = re.sub(r"(?<=\de)-(?=\d)", "\N{NON-BREAKING HYPHEN}", words)  # 1e-12
    parts = re.split(r"(``.*?``|`[^`]*`|\\(?:param|ref|p|c)\s+\S+)", words)
    for i in range(0, len(parts), 2):
        parts[i] = SUBSCRIPT.sub(r"<sub>\1\2</sub>", parts[i])
        parts[i] = SUPERSCRIPT.sub(r"<sup>\1\2</sup>", parts[i])
    return "".join(parts)


def _braced(line: str, begin: int, where: str) -> tuple:
    depth = 1
    for i in range(begin, len(line)):
        depth += {"{": 1, "}": -1}.get(line[i], 0)
        if depth == 0:
            return line[begin:i], i + 1
    raise CourseError(f"{where}: a brace is never closed; close it on the same line")


def _section(kind: str, title: str, text: str) -> str:
    return rf"\par {title}\ilinebr {text}\ilinebr "


def _cost(argument: str, where: str) -> str:
    time, comma, memory = argument.rpartition(", ")
    if not comma:
        raise CourseError(f"{where}: \\complexity takes two, as in \\complexity{{n, 1}}")
    return rf"time \f$O({time})\f$, memory \f$O({memory})\f$"


def _paper(argument: str, where: str, site_map: SiteMap) -> str:
    key, _, place = argument.partition(", ")
    papers = site_map.slugs["docs/papers.md"]
    if key not in papers:
        site_map.complain(where, f'docs/papers.md has no paper {key}; add it, with <a id="{key}"></a> above its heading')
        return html.escape(argument)
    return f'<a href="papers.html#papers-{key}">{papers[key]}</a>' + (f", {html.escape(place)}" if place else "")


def _exercise(argument: str, where: str, lab: LabFolder, site_map: SiteMap) -> str:
    section = argument.replace(",", ".").replace(" ", "")
    exercise = next((known for known in lab.exercises if known.section == section), None)
    if not exercise:
        site_map.complain(where, f"{lab.name} has no exercise {section}; compare its lab.json")
        return section
    url = site_map.exercise(lab, exercise)
    title = f"{section}{' ★' if exercise.stretch else ''}"
    link = f'<a href="{url}">{title}</a>' if url else title
    worth = "comes solved" if exercise.solved else f"{exercise.points} point{'s' * (exercise.points != 1)}"
    return f"{link}, {worth}, {exercise.minutes} minutes. It is graded by ``./course check {exercise.name}``."


def _shapes(text: str) -> str:
    return re.sub(r"\\shape\{([^{}]*)\}", r"``\1``", text)
