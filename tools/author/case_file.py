"""A case: an answer to one exercise, in a file of its own, and the student's file that it is put into.

    lab: lab02                      (may be missing, with function: and expect:, where the path says it: see below)
    function: softmax_attention
    kind: control                   (a word of your own, for your own lists; may be missing)
    what: one pass over the keys, with a running maximum    (may be missing where the path says it)
    expect: pass                    (or refuse; pass where the line is missing)
    right: later token|mask         (for refuse: a regular expression that the diagnosis should match)
    beside: read past the end       (one for further names that it may get)
    --- include                     (may be missing: what the file includes besides)
    --- before                      (may be missing: code ahead of the function)
    --- body
    return …;

Instead of a body, a section `--- replace` changes the answer key's file, written as a diff: lines after - become those after +, lines
after a space stay, and an empty line begins the next change. What is to be replaced has to be there exactly once.

Above the first section, #include lines are those of `include`, and an indented line opens the body. The body takes the place
of what stands between BEGIN SOLUTION and END SOLUTION of that function in reference/; the rest of that file, its helper
functions included, is there to be used. Files end in .case or .patch. Right answers of a lab are in its folder of tests, as
labNN_…/alternatives/FUNCTION-NAME.case, and wrong ones as labNN_…/refused/FUNCTION-NAME.case; the name's underscores are spaces.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.sources.cutter import MARKER, Cut
from course.sources.manifest import Lab

KEYS = ("id", "lab", "function", "kind", "what", "expect", "right", "beside")
SECTIONS = ("include", "before", "body", "replace")
EXPECTATIONS = ("pass", "refuse")
FOLDERS = {"alternatives": "pass", "refused": "refuse"}


@dataclass(frozen=True)
class Case:
    name: str
    lab: str
    function: str
    what: str
    expect: str
    right: str  # a regular expression; empty: none
    sections: dict[str, list[str]]  # name → its lines
    beside: str = ""

    def lines(self, section: str) -> list[str]:
        return self.sections.get(section, [])


def read_folder(folder: Path, labs: list[Lab]) -> list[Case]:
    """Every case below `folder`, in the order of its path."""
    if not folder.is_dir():
        raise CourseError(f"{folder} is no folder; name one that holds .case or .patch files")
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".case", ".patch") and path.is_file())
    if not files:
        raise CourseError(f"{folder} holds no .case or .patch file; name a folder that does")
    return [read(path, labs) for path in files]


def read(path: Path, labs: list[Lab]) -> Case:
    keys = _keys_of(path.resolve(), labs)
    given: set[str] = set()
    sections: dict[str, list[str]] = {}
    section = ""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise CourseError(f"{path} is not UTF-8; save it as that") from None
    for number, line in enumerate(lines, start=1):
        wrong = ""
        if opened := re.fullmatch(r"--- *(.*?) *", line):
            section = opened[1]
            if section not in SECTIONS:
                wrong = f"there is no section {section!r}; write one of {', '.join(SECTIONS)}"
            elif section in sections:
                wrong = f"a second section {section!r}; join it with the first"
            sections[section] = []
        elif section:
            if section == "replace" and line[:1] not in ("", " ", "-", "+"):
                wrong = "a line of a change begins with a space, - or +; put one ahead of it"
            sections[section].append(line)
        elif line.startswith("#include "):
            sections.setdefault("include", []).append(line)
        elif line.strip() and line[0].isspace():
            section = "body"
            sections[section] = [line]
        elif line.strip():
            key, colon, value = line.partition(":")
            keys[key] = value.strip()
            if not colon or key not in KEYS:
                wrong = f"this line is none of {', '.join(key + ':' for key in KEYS)}; correct it, or open a section with ---"
            else:
                wrong = f"a second line {key}:; keep one" if key in given else _wrong(key, keys, labs)
            given.add(key)
        if wrong:
            raise CourseError(f"{path}:{number}: {wrong}")
    if missing := [f"{key}:" for key in ("lab", "function", "what") if not keys.get(key)]:
        raise CourseError(f"{path}:1: the line {missing[0]} is missing; add it")
    if not any(line.strip() for name in ("body", "replace") for line in sections.get(name, [])):
        raise CourseError(f"{path}:{len(lines) or 1}: there is no body; write the answer below a line --- body")
    right = keys.get("right", "-")
    return Case(keys.get("id") or path.stem, keys["lab"], keys["function"], keys["what"], keys.get("expect", "pass"),
                "" if right == "-" else right, sections, keys.get("beside", ""))


def _keys_of(path: Path, labs: list[Lab]) -> dict[str, str]:
    """What the path says of a file in one of FOLDERS."""
    *_, folder, kind, _ = path.parts
    function, _, what = path.stem.partition("-")
    lab = next((lab for lab in labs if lab.folder.name == folder and function in [each.function for each in lab.exercises]), None)
    if not lab or kind not in FOLDERS:
        return {}
    return {"lab": lab.name, "function": function, "expect": FOLDERS[kind], "what": what.replace("_", " ")}


def _wrong(key: str, keys: dict[str, str], labs: list[Lab]) -> str:
    """What is wrong with this line, or nothing."""
    value, lab = keys[key], next((lab for lab in labs if lab.name == keys.get("lab")), None)
    if key == "id" and not re.fullmatch(r"\w[\w.-]*", value):
        return f"{value!r} is not an id; write letters, digits, . and - only"
    if key == "expect" and value not in EXPECTATIONS:
        return f"expect: {value} is none of {', '.join(EXPECTATIONS)}; write one of them"
    if key in ("right", "beside"):
        try:
            re.compile(value)
        except re.error as error:
            return f"this is no regular expression; {error}; correct it"
    if key == "lab" and not lab:
        return f"there is no lab {value!r}; the labs are {', '.join(lab.name for lab in labs)}"
    if key == "function" and not lab:
        return "the line function: stands before lab:; exchange them"
    if key == "function" and lab and value not in (functions := [exercise.function for exercise in lab.exercises]):
        return f"{lab.name} has no exercise {value!r}; it has {', '.join(functions)}"
    return ""


def put_into(text: str, file: str, exercises: set[str], cases: list[Case]) -> str:
    """A reference source as a student's file, without markers, in which each case has the place of its solution."""
    cut = Cut(text, file, exercises)
    lines = text.splitlines()
    for case in cases:
        if case.function not in cut.stubs:
            raise CourseError(f"{file} has no BEGIN SOLUTION in {case.function}, whose place a case takes; add it there")
    for case in sorted(cases, key=lambda case: -cut.stubs[case.function]):  # from the end, so that the numbers stay true
        begin = cut.stubs[case.function]  # the line after the marker, counted from 0
        end = next(i for i in range(begin, len(lines)) if MARKER.match(lines[i]))
        if "replace" not in case.sections:
            lines[begin:end] = case.lines("body")
        above = cut.functions[case.function].first_line - 1
        lines[above:above] = case.lines("before")
    opening = next(i for i, line in enumerate(lines) if line.startswith("namespace linattn"))
    lines[opening:opening] = [line for case in cases for line in case.lines("include")]
    text = "\n".join(["", *(line for line in lines if not MARKER.match(line)), ""])
    for change in (change for case in cases for change in _changes(case)):
        text = _changed(text, change, file)
    return text[1:]


def _changes(case: Case) -> list[list[str]]:
    return [change.splitlines() for change in re.split(r"\n{2,}", "\n".join(case.lines("replace")).strip("\n")) if change]


def _changed(text: str, change: list[str], file: str) -> str:
    """The text, which begins and ends with a line break, after one change of whole lines."""
    old, new = ("\n".join(["", *(line[1:] for line in change if line[0] in kept), ""]) for kept in (" -", " +"))
    if (times := len(re.findall(f"(?={re.escape(old)})", text))) != 1:
        raise CourseError(f"{file} has these lines {times} times, and a change takes the place of what is there once:{old}")
    return text.replace(old, new)
