"""What a lab lacks, for its author: each finding names the file and the fix."""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from author import page_findings, stubs
from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.site import chapter
from course.site.headings import headings
from course.sources import manifest
from course.sources.manifest import Lab
from course.sources.source_pieces import declares
from course.verdicts import mistakes
from course.verdicts.mistakes import Mistake


def findings(root: Path, tree: BuildTree) -> list[str]:
    """Most is read. What suites and mistakes there are is asked of the programs, which are built in `tree` first. Whether
    student/ and the tables of pages are as cut is what ./course cut --check says."""
    found: list[str] = []
    labs: list[Lab] = []
    for folder in sorted((root / "labs").glob("lab[0-9][0-9]_*")):
        if not (folder / "lab.json").is_file():
            found.append(f"labs/{folder.name}/lab.json is missing; write it, as in the other labs, or remove the folder")
            continue
        with _collected(found):
            labs.append(manifest.read(root, folder / "lab.json"))
    if not labs and not found:
        found.append("labs/ has no lab; ./course new labNN_title makes one")
    for lab in labs:
        found += _manifest(lab, labs) + _header(lab) + _chapter(lab)
        with _collected(found):
            stubs.cut_lab(root, lab)
    return found + _unlisted_sources(root, labs) + _programs(root, tree, labs)


def _programs(root: Path, tree: BuildTree, labs: list[Lab]) -> list[str]:
    found: list[str] = []
    log = os.path.relpath(tree.folder / "programs.log", root)
    with _collected(found):
        broken = tree.build(labs)
        for lab in labs:
            if lab in broken:
                found.append(f"{lab.folder.name} does not compile, its suite or the source beneath it; {log} says why; fix that")
            else:
                with _collected(found):
                    listing = mistakes.of_lab(tree, lab)
                    found += _suite(root, lab, listing.suites) + _mistakes(lab, listing.mistakes)
                    found += _kills(root, tree, lab, listing.mistakes)
    return found


@contextlib.contextmanager
def _collected(found: list[str]) -> Iterator[None]:
    try:
        yield
    except CourseError as error:
        found.append(str(error))


def _manifest(lab: Lab, labs: list[Lab]) -> list[str]:
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
            found.append(f"{where} needs {name}, which is not a lab; fix it there")
    for exercise in lab.exercises:
        if not _is_positive(exercise.points) and not exercise.solved:
            found.append(f'{where}: {exercise.function} has no points; give it some, or say "solved": true')
        if not _is_positive(exercise.minutes):
            found.append(f"{where}: {exercise.function} has no minutes; say how long it takes")
    return found


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _header(lab: Lab) -> list[str]:
    declared = "\n".join(path.read_text(encoding="utf-8") for path in sorted(lab.folder.glob("*.h*")))
    return [f"labs/{lab.folder.name}/*.hpp declares no {exercise.function}; add its declaration and contract"
            for exercise in lab.exercises if not declares(declared, exercise.function)]


def _chapter(lab: Lab) -> list[str]:
    where, found = f"labs/{lab.folder.name}/README.md", []
    if not lab.chapter.is_file():
        return [f"{where} is missing; write the chapter"]
    text = lab.chapter.read_text(encoding="utf-8")
    sections = _sections(lab)
    for exercise in lab.exercises:
        if exercise.section not in sections:
            found.append(f"{where} has no section '## {exercise.section} …' for {exercise.function}; write it, "
                         "or fix \"section\" in lab.json")
        if not chapter.exercise_heading(text, exercise):
            found.append(f"{where} has no heading '### Exercise {exercise.section}: `{exercise.function}`'; add it")
    if chapter.hints_in(text):
        found.append(f"{where} shows hints to whoever reads on; move them to its hints.md, below the exercise's heading")
    with _collected(found):
        found += [f"labs/{lab.folder.name}/hints.md has no hint for {exercise.function}; add <details><summary>Hint 1: …"
                  f"</summary> below a heading '## Exercise {exercise.section}: `{exercise.function}`'"
                  for exercise in lab.exercises if not chapter.hints(lab, exercise) and not exercise.solved]
    return found + page_findings.totals(lab, text)


def _sections(lab: Lab) -> list[str]:
    """The numbers of the chapter's sections: 2.1, 2.2, …"""
    text = lab.chapter.read_text(encoding="utf-8") if lab.chapter.is_file() else ""
    return [heading.title.partition(" ")[0].rstrip(".:") for heading in headings(text) if heading.level == 2]


def _suite(root: Path, lab: Lab, suites: list[str]) -> list[str]:
    folder = f"tests/{lab.folder.name}/"
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / folder).glob("*_test.c*"))]
    parts = [part for text in texts for part in re.split(r'^TEST_SUITE\("', text, flags=re.M)[1:]]
    notice = {part.partition('"')[0] for part in parts if "remembers_nothing" in part}
    found = [f"{folder}: no manifest names the suite '{suite}'; add the exercise to labs/{lab.folder.name}/lab.json, "
             "or give the suite an exercise's name" for suite in suites if suite not in _functions(lab)]
    found += [f"{folder}: the suite '{suite}' passes an answer that keeps what it computed in an earlier call; add a case with "
              f"CALL({suite}, …).remembers_nothing()" for suite in suites if suite in _functions(lab) and suite not in notice]
    return found + [f"{folder} has no suite with a case for {function}; add TEST_SUITE(\"{function}\") with its cases"
                    for function in _functions(lab) if function not in suites]


def _mistakes(lab: Lab, known: list[Mistake]) -> list[str]:
    where, found, sections = f"tests/{lab.folder.name}/mistakes/", [], _sections(lab)
    for function in _functions(lab):
        names = [mistake.name for mistake in known if mistake.exercise == function]
        if not names:
            found.append(f"{where} has no mistake of {function}; add MISTAKE({function}, …)")
        found += [f"{where}: {function} has two mistakes called '{name}'; rename one"
                  for name in sorted(set(names)) if names.count(name) > 1]
    for mistake in known:
        if mistake.exercise not in _functions(lab):
            found.append(f"{where} has a mistake of {mistake.exercise}, which is not an exercise of {lab.name}; fix it there, "
                         "or in lab.json")
        elif sections and mistake.section not in sections:
            found.append(f"{where}: '{mistake.name}' of {mistake.exercise} refers to §{mistake.section}, which the chapter "
                         "lacks; fix it")
    return found


def _kills(root: Path, tree: BuildTree, lab: Lab, known: list[Mistake]) -> list[str]:
    """What the kill matrix says of these mistakes, unless the programs were built after it."""
    where, matrix = f"tests/{lab.folder.name}/mistakes/", root / "build" / "reference" / "kill_matrix.csv"
    program = tree.folder / f"{lab.name}_exercises"
    if not matrix.is_file() or (program.is_file() and program.stat().st_mtime > matrix.stat().st_mtime):
        return []
    rows, found = mistakes.kill_matrix(root), []
    beside = {(mistake.exercise, mistake.name): row["beside"].split(" | ") for mistake in known
              if (row := rows.get((lab.name, mistake.exercise, mistake.name)))}
    section = {(mistake.exercise, mistake.name): mistake.section for mistake in known}
    for (exercise, name), others in beside.items():
        if rows[lab.name, exercise, name]["killed"] == "no":
            found.append(f"{where}: no suite rejects '{name}' of {exercise}; add a case that does, or remove the mistake")
        found += [f"{where}: no input tells '{name}' and '{other}' of {exercise} apart, and they refer to different sections; "
                  "add a case or a probe that does, keep one of them, or let both refer to one section"
                  for other in others if name < other and name in beside.get((exercise, other), [])
                  and section[exercise, name] != section[exercise, other]]
    return found


def _functions(lab: Lab) -> list[str]:
    return [exercise.function for exercise in lab.exercises]


def _unlisted_sources(root: Path, labs: list[Lab]) -> list[str]:
    """Files that belong to no lab."""
    found = []
    folders = [path.name for path in (root / "labs").glob("lab[0-9][0-9]_*")]
    for path in sorted((root / "tests").glob("lab[0-9][0-9]_*")):
        if path.name not in folders:
            found.append(f"tests/{path.name}/ is the suite of no lab; give it a labs/{path.name}/lab.json, or remove it")
    return found + [f"reference/{name} belongs to no lab; name it in a lab.json, or remove it" for name in stubs.unlisted_sources(
        root / "reference", [source for lab in labs for source in lab.sources])]
