"""tests/labNN_*/mistakes/*.cpp: the names, sections and explanations of the mistakes, read without building anything.

A mistake is MISTAKE(function, (parameters), "name", "§2.5", "explanation") { … }, or a call of a macro that the same
file (or a header beside it) defines as one such MISTAKE.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.manifest import Lab

DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w*MISTAKE\w*)\(([\w, \t]*)\)[ \t]*(.*)$", re.M)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPES = {"n": "\n", "t": "\t"}


@dataclass(frozen=True)
class Mistake:
    exercise: str
    name: str
    section: str  # without the §
    explanation: str


def of_lab(root: Path, lab: Lab) -> list:
    """In the order of the exercises, then of the files."""
    folder = root / "tests" / lab.folder.name / "mistakes"
    headers = "\n".join(_read(path) for path in sorted(folder.glob("*.hpp")))
    found = []
    for path in sorted(folder.glob("*.c*")):
        found += _of_file(_read(path), headers, str(path.relative_to(root)))
    order = [exercise.function for exercise in lab.exercises]
    for mistake in found:
        if mistake.exercise not in order:
            raise CourseError(f"tests/{lab.folder.name}/mistakes has a mistake of {mistake.exercise}, which is no "
                              f"exercise of {lab.name}; fix it there, or in lab.json")
    return sorted(found, key=lambda mistake: order.index(mistake.exercise))


def _read(path: Path) -> str:
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.sub(r"^[ \t]*//.*$", "", text, flags=re.M)


def _of_file(text: str, headers: str, where: str) -> list:
    macros = {name: ([word.strip() for word in parameters.split(",")], body)
              for name, parameters, body in DEFINITION.findall(headers + "\n" + text)}
    code = DEFINITION.sub("", text)
    found = []
    for call in re.finditer(r"^(\w*MISTAKE\w*)\(", code, re.M):
        arguments = _arguments(code, call.end(), where)
        if call[1] in macros:
            parameters, body = macros[call[1]]
            values = dict(zip(parameters, arguments))
            inner = re.search(r"\bMISTAKE\(", body)
            if not inner:
                raise CourseError(f"{where}: {call[1]} is not defined as one MISTAKE; join its lines by \\")
            arguments = [_substituted(argument, values) for argument in _arguments(body, inner.end(), where)]
        elif call[1] != "MISTAKE":
            raise CourseError(f"{where}: {call[1]} is not defined in this file or a header beside it; define it there")
        if len(arguments) != 5:
            raise CourseError(f"{where}: MISTAKE takes 5 arguments, here are {len(arguments)}: {arguments[0]}, …")
        function, _, name, section, explanation = arguments
        found.append(Mistake(function.strip(), _text(name), _text(section).lstrip("§"), _text(explanation)))
    return found


def _arguments(code: str, begin: int, where: str) -> list:
    """Split at the commas that stand in no bracket and in no string; `begin` is just behind the opening parenthesis."""
    depth, start, arguments, i = 0, begin, [], begin
    while i < len(code):
        string = STRING.match(code, i)
        if string:
            i = string.end()
            continue
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            if depth == 0:
                return arguments + [code[start:i]]
            depth -= 1
        elif code[i] == "," and depth == 0:
            arguments.append(code[start:i])
            start = i + 1
        i += 1
    raise CourseError(f"{where}: a MISTAKE( is never closed")


def _substituted(argument: str, values: dict) -> str:
    """A macro's parameters replaced, but not inside strings."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', argument)
    return "".join(part if part.startswith('"') else re.sub(r"\b\w+\b", lambda m: values.get(m[0], m[0]), part)
                   for part in parts)


def _text(literals: str) -> str:
    """What adjacent string literals say together."""
    joined = "".join(STRING.findall(literals))
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), joined)
