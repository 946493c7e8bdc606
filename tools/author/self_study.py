"""What ./course answer shows in a handout made for those who learn alone: the answer key, and two other right answers."""

import base64
import json
import re
from pathlib import Path

from author import case_file
from author.case_file import Case
from course.sources.cutter import solutions
from course.sources.files import File
from course.sources.manifest import Exercise, Lab
from course.sources.source_pieces import definitions

ALTERNATIVES = 2


def answers(root: Path, labs: list[Lab]) -> File:
    """A line of base64, so that nobody reads an answer by accident: it keeps no secret."""
    shown = {}
    for lab in labs:
        functions, shared = solutions(root, lab)
        folder = root / "tests" / lab.folder.name / "alternatives"
        cases = case_file.read_folder(folder, labs) if folder.is_dir() else []
        for exercise in (each for each in lab.exercises if each.function in functions):
            key = functions[exercise.function]
            others = [case for case in cases if case.function == exercise.function][:ALTERNATIVES]
            shown[exercise.name] = {"key": _with_helpers(key, shared),
                                    "alternatives": [{"what": case.what, "code": _code(root, lab, exercise, case, shared)}
                                                     for case in others]}
    return File(base64.b64encode(json.dumps(shown, ensure_ascii=False).encode()) + b"\n")


def _code(root: Path, lab: Lab, exercise: Exercise, case: Case, shared: str) -> str:
    """The alternative as a function, below what it brings along."""
    source, text = next((source, text) for source in lab.sources
                        if f" {exercise.function}(" in (text := (root / "reference" / source).read_text(encoding="utf-8")))
    whole = case_file.put_into(text, source, {each.function for each in lab.exercises}, [case])
    found = next(each for each in definitions(whole) if each.name == exercise.function)
    function = "\n".join(whole.splitlines()[found.first_line - 1:found.last_line])
    own = "\n".join(case.lines("include") + case.lines("before")).strip("\n")
    return _with_helpers("\n\n".join(filter(None, [own, function])), shared)


def _with_helpers(code: str, shared: str) -> str:
    """Below the helper functions of the answer key that it calls."""
    helpers = {each.name: "\n".join(shared.splitlines()[each.first_line - 1:each.last_line]) for each in definitions(shared)}
    used: list[str] = []
    seen = code
    while new := [name for name in helpers if name not in used and re.search(rf"\b{name}\b", seen)]:
        used += new
        seen += "\n".join(helpers[name] for name in new)
    return "\n\n".join([*(text for name, text in helpers.items() if name in used), code])
