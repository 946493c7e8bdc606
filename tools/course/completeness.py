"""What a lab lacks, for its author: each finding names the file and the fix. Everything is read, nothing is built."""

import contextlib
import json
import re
from pathlib import Path

from course import chapter, manifest, mistakes, stubs
from course.errors import CourseError
from course.manifest import Lab

SUITE = re.compile(r'^[ \t]*TEST_SUITE\("([^"]*)"\)', re.M)
CASE = re.compile(r"^[ \t]*TEST_CASE\(", re.M)
INCLUDE_OF_REFERENCE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?reference/', re.M)
HEADING = "^## {}(?![.\\d])"


def findings(root: Path) -> list:
    found, labs, fresh = [], [], {}
    for folder in sorted((root / "labs").glob("lab[0-9][0-9]_*")):
        if not (folder / "lab.json").is_file():
            found.append(f"labs/{folder.name}/lab.json is missing; write it, as in the other labs, or remove the folder")
            continue
        with _collected(found):
            labs.append(manifest.read(root, folder / "lab.json"))
    if not labs and not found:
        found.append("labs/ has no lab; ./course new labNN_title makes one")
    for lab in labs:
        found += _manifest(lab, labs) + _header(lab) + _chapter(lab) + _suite(root, lab) + _mistakes(root, lab)
        with _collected(found):
            fresh |= stubs.cut_lab(root, lab)
    return found + _strangers(root, labs) + _includes(root) + _drift(root, labs, fresh)


@contextlib.contextmanager
def _collected(found: list):
    try:
        yield
    except CourseError as error:
        found.append(str(error))


def _manifest(lab: Lab, labs: list) -> list:
    where, found = f"labs/{lab.folder.name}/lab.json", []
    data = json.loads(lab.manifest.read_text(encoding="utf-8"))
    if not lab.sources:
        found.append(f"{where} names no source; add the file of reference/ that defines the exercises")
    if not lab.exercises:
        found.append(f"{where} has no exercise; add one")
    if not _is_positive(data.get("timeout_seconds")):
        found.append(f"{where} has no timeout_seconds; say after how long an exercise is stopped")
    for name in lab.needs:
        if name not in [other.name for other in labs]:
            found.append(f"{where} needs {name}, which is no lab; fix it there")
    for exercise in lab.exercises:
        if not _is_positive(exercise.points) and not exercise.solved:
            found.append(f'{where}: {exercise.function} has no points; give it some, or say "solved": true')
        if not _is_positive(exercise.minutes):
            found.append(f"{where}: {exercise.function} has no minutes; say how long it takes")
    return found


def _is_positive(value) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _header(lab: Lab) -> list:
    declared = "\n".join(path.read_text(encoding="utf-8") for path in sorted(lab.folder.glob("*.h*")))
    return [f"labs/{lab.folder.name}/*.hpp declares no {exercise.function}; add its declaration and contract"
            for exercise in lab.exercises if not re.search(rf"\b{exercise.function}\s*\(", declared)]


def _chapter(lab: Lab) -> list:
    where, found = f"labs/{lab.folder.name}/README.md", []
    if not lab.chapter.is_file():
        return [f"{where} is missing; write the chapter"]
    text = lab.chapter.read_text(encoding="utf-8")
    for exercise in lab.exercises:
        if not _has_section(text, exercise.section):
            found.append(f"{where} has no section '## {exercise.section} …' for {exercise.function}; write it, "
                         "or fix \"section\" in lab.json")
        with _collected(found):
            if not chapter.hints(lab, exercise) and not exercise.solved:
                found.append(f"{where} has no hint for {exercise.function}; add <details><summary>Hint 1: …</summary> below "
                             "its heading")
    return found


def _has_section(text: str, section: str) -> bool:
    return bool(re.search(HEADING.format(re.escape(section)), text, re.M))


def _suite(root: Path, lab: Lab) -> list:
    folder = f"tests/{lab.folder.name}"
    cases, found = {}, []
    for path in sorted((root / folder).glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        suites = list(SUITE.finditer(text))
        for suite, following in zip(suites, [*suites[1:], None]):
            end = following.start() if following else len(text)
            cases[suite[1]] = cases.get(suite[1], 0) + len(CASE.findall(text, suite.end(), end))
            if suite[1] not in _functions(lab):
                line = text.count("\n", 0, suite.start()) + 1
                found.append(f"{folder}/{path.name}:{line}: no manifest names the suite {suite[1]!r}; add the exercise to "
                             f"labs/{lab.folder.name}/lab.json, or give the suite an exercise's name")
    for function in _functions(lab):
        if not cases.get(function):
            found.append(f"{folder}/ has no {'case' if function in cases else 'suite'} for {function}; add "
                         f"TEST_SUITE(\"{function}\") with its cases")
    return found


def _mistakes(root: Path, lab: Lab) -> list:
    where, found = f"tests/{lab.folder.name}/mistakes/", []
    with _collected(found):
        known = mistakes.of_lab(root, lab)
        for function in _functions(lab):
            names = [mistake.name for mistake in known if mistake.exercise == function]
            if not names:
                found.append(f"{where} has no mistake of {function}; add MISTAKE({function}, …)")
            found += [f"{where}: {function} has two mistakes called '{name}'; rename one"
                      for name in sorted(set(names)) if names.count(name) > 1]
        text = lab.chapter.read_text(encoding="utf-8") if lab.chapter.is_file() else ""
        found += [f"{where}: '{mistake.name}' of {mistake.exercise} refers to §{mistake.section}, which the chapter lacks; "
                  "fix it" for mistake in known if text and not _has_section(text, mistake.section)]
    return found


def _functions(lab: Lab) -> list:
    return [exercise.function for exercise in lab.exercises]


def _strangers(root: Path, labs: list) -> list:
    """Files that belong to no lab."""
    found = []
    folders = [path.name for path in (root / "labs").glob("lab[0-9][0-9]_*")]
    for path in sorted((root / "tests").glob("lab[0-9][0-9]_*")):
        if path.name not in folders:
            found.append(f"tests/{path.name}/ is the suite of no lab; give it a labs/{path.name}/lab.json, or remove it")
    sources = [source for lab in labs for source in lab.sources]
    for folder in ("reference", "student"):
        for path in sorted((root / folder).glob("*.c*")):
            if path.name not in sources:
                found.append(f"{folder}/{path.name} belongs to no lab; name it in a lab.json, or remove it")
    return found


def _includes(root: Path) -> list:
    found = []
    for folder in ("labs", "grading", "reference", "student", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".cu", ".cuh", ".h") and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                for include in INCLUDE_OF_REFERENCE.finditer(text):
                    line = text.count("\n", 0, include.start()) + 1
                    found.append(f"{path.relative_to(root)}:{line} includes a file of reference/, which a handout does not "
                                 "have; include the lab's header")
    return found


def _drift(root: Path, labs: list, fresh: dict) -> list:
    found = [f"student/{name} is not what reference/{name} gives; run ./course cut" for name in stubs.drifted(root, fresh)]
    all_were_cut = set(fresh) == {source for lab in labs for source in lab.sources}
    if all_were_cut and not found and stubs.record_is_stale(root, fresh):
        found.append(f"student/{stubs.RECORD} is out of date; run ./course cut")
    return found
