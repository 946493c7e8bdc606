"""From the labs' contracts to the C++ source of a module for Python.

Only names and comments are read here: of functions, arguments, structs and their fields. Their types are the compiler's
business (python/binding/conversions.hpp), so that a declaration which is misread does not compile.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.sources import declarations
from course.sources.declarations import Function
from course.sources.manifest import Lab

GIVEN = {"lab08": ["initial_model"]}  # functions that nobody has to write, and that the others are of no use without
CONVERTED = ("Array",)  # structs that become arrays of NumPy

STRUCT = re.compile(r"((?:^///[^\n]*\n)*)(?:^template <class \w+>\n)?^struct (\w+) \{\n(.*?)^\};", re.M | re.S)
FIELD = re.compile(r"^ {4}([\w:<>]+) ([\w, ]+?)(?: = (\w+))?;(?: *///< (.*))?$", re.M)
ENUM = re.compile(r"^enum class (\w+) \{(.*?)\};", re.M | re.S)
OURS = r"\{((?:[^{}]|\{[^{}]*\})*)\}"  # the argument of a command of ours


@dataclass(frozen=True)
class Struct:
    name: str
    about: str
    fields: tuple[tuple[str, str, str, str], ...]  # type, name, default, comment


def offered(lab: Lab) -> list[str]:
    """Its functions but for the kernels, which are launched with settings of the CPU run that only the suites pass, and for
    tests, which are passed a function of C++."""
    return [each.function for each in lab.exercises if not each.kernel and not each.tests] + GIVEN.get(lab.name, [])


def source(root: Path, labs: list[Lab], lab: Lab) -> str:
    """The module of a lab. What the labs that it needs have is imported from their modules."""
    functions = _functions(lab)
    headers = sorted({each.header for each in functions})
    structs = _structs(root)
    needed = [each for each in labs if each.name in lab.needs]
    elsewhere = {name for each in needed for name in _used(_functions(each), structs)}
    own = [name for name in _used(functions, structs) if name not in elsewhere]
    enums = [enum for enum in _enums(root) if re.search(rf"\b{enum[0]}\b", " ".join(word for each in functions for word in each.types))]
    lines = ['#include "conversions.hpp"', *(f'#include "{header.name}"' for header in headers), "", "namespace linattn {"]
    lines += [f"[[maybe_unused]] static std::vector<const char*> enumerators({name}) {{ return {{{', '.join(map(_text, values))}}}; }}"
              for name, values in enums]
    lines += ["}", "", f"PYBIND11_MODULE({lab.name}, m) {{", "    using namespace linattn;", "    using namespace linattn::python;",
              "    py::options options;", "    options.disable_function_signatures();",
              f"    m.doc() = {_quoted(_about(headers))};"]
    lines += [f'    py::module_::import("labs.{each.name}");' for each in needed if _used(_functions(each), structs)]
    for name in own:
        lines += _add_struct(name, structs[re.sub("<.*", "", name)])
    for function in functions:
        about = _signature(function.name, function.parameters) + plain(function.about)
        lines.append(f"    add_function(m, {_text(function.name)}, &linattn::{function.name}, {_quoted(about)}"
                     f"{''.join(map(_argument, function.parameters))});")
    for exercise in lab.exercises:
        if exercise.kernel or exercise.tests:
            what = "is a kernel, which cannot be called from Python" if exercise.kernel else "tests functions of C++"
            reason = f"{exercise.function} {what}; ./course check {exercise.name} runs it"
            lines.append(f"    add_left_out(m, {_text(exercise.function)}, {_quoted(reason)});")
    return "\n".join([*lines, "}", ""])


def _functions(lab: Lab) -> list[Function]:
    return [_function(lab, name) for name in offered(lab)]


def _function(lab: Lab, name: str) -> Function:
    if found := declarations.find(lab, name):
        return found
    raise CourseError(f"no header of {lab.name} declares {name} below a comment; restore {lab.folder.name}/ from the course")


def _structs(root: Path) -> dict[str, Struct]:
    found = {}
    for header in sorted((root / "labs").glob("*/*.hpp")):
        for about, name, body in STRUCT.findall(header.read_text(encoding="utf-8")):
            fields = [(kind, each, default, comment) for kind, names, default, comment in FIELD.findall(body) for each in names.split(", ")]
            found[name] = Struct(name, about, tuple(fields))
    return found


def _enums(root: Path) -> list[tuple[str, list[str]]]:
    text = (root / "labs/vocabulary/attention.hpp").read_text(encoding="utf-8")
    return [(name, re.findall(r"\w+", re.sub("//.*", "", body))) for name, body in ENUM.findall(text)]


def _used(functions: list[Function], structs: dict[str, Struct]) -> list[str]:
    """The structs that these functions take and return, each after those that it holds: "Backward<Norm>" after "Norm"."""
    used: list[str] = []

    def use(text: str) -> None:
        for name in re.findall(r"\w+(?:<\w+>)?", re.sub(r"std::vector<(.*)>", r"\1", text)):
            struct = structs.get(name.partition("<")[0])
            if not struct or struct.name in CONVERTED or name in used:
                continue
            use(name.partition("<")[2])
            for kind, *_ in struct.fields:
                use(kind)
            used.append(name)
    for each in functions:
        use(" ".join([each.result, *each.types]))
    return used


def _add_struct(name: str, struct: Struct) -> list[str]:
    called = re.sub(r"(\w+)<(\w+)>", r"\2\1", name)  # Backward<Norm> is NormBackward
    comments = [f"{field}: {plain(comment)}" for _, field, _, comment in struct.fields if comment]
    about = "\n".join([plain(struct.about), *comments]).strip()
    arguments = [("self", ""), *((field, default) for _, field, default, _ in struct.fields)]
    members = ", ".join(f"&{name}::{field}" for _, field, _, _ in struct.fields)
    return [f"    add_struct<{name}>(m, {_text(called)}, {_quoted(about)}, {_quoted(_signature('__init__', arguments))}, std::tuple({members})"
            f"{''.join(_argument((field, default)) for _, field, default, _ in struct.fields)});"]


def _signature(name: str, parameters: "list[tuple[str, str]] | tuple[tuple[str, str], ...]") -> str:
    """What inspect.signature reads at the beginning of a docstring."""
    return f"{name}({', '.join(f'{each}={default}' if default else each for each, default in parameters)})\n--\n\n"


def _argument(parameter: tuple[str, str]) -> str:
    name, default = parameter
    return f', py::arg("{name}")' + (f" = {default}" if default else "")


def _text(name: str) -> str:
    return f'"{name}"'


def _quoted(text: str) -> str:
    return 'R"__(' + text + ')__"'


def _about(headers: list[Path]) -> str:
    """What a header says about itself at its top."""
    comments = [re.match(r"(?://.*\n)*", header.read_text(encoding="utf-8")) for header in headers]
    return plain("\n".join(re.sub("^// ?", "", comment[0], flags=re.M) for comment in comments if comment))


def plain(comment: str) -> str:
    """A comment of a header as a docstring."""
    text = re.sub(r"^/// ?", "", comment, flags=re.M)
    text = re.sub(r"\\shape" + OURS, r"\1", text)
    text = re.sub(r"(?: {3}|^)\\param (\w+)", r"\n\1:", text, flags=re.M)
    text = re.sub(r"\b[A-Z]\w*::(\w+)", r'"\1"', text)  # an enumerator
    text = re.sub(r"\\return", "\nreturns", text)
    text = re.sub(r"\\throws nothing", "raises nothing", text)
    text = re.sub(r"\\throws [\w:]+", "raises ValueError", text)
    text = re.sub(r"\\complexity" + OURS, lambda found: "cost: O({}) of time, O({}) of memory".format(*found[1].rsplit(", ", 1)), text)
    text = re.sub(r"\s*\\paper" + OURS, r"\nsource: \1", text)
    text = re.sub(r"\s*\\solves\{(\d+), ?(\d+)\}", r"\nexercise \1.\2", text)
    text = re.sub(r"\\text" + OURS, r"\1", text).replace(r"\lceil", "⌈").replace(r"\rceil", "⌉").replace("\\,", " ")
    return re.sub(r"\n{2,}", "\n", text).strip()
