#!/usr/bin/env python3
"""Grades answers that a folder holds, right ones and wrong ones, and says which verdicts were not as they should be.

usage: ./course test --cases FOLDER

Each .case or .patch file (case_file.py says what is in it) is put by itself into a copy of the reference, compiled as a
student's file is, and graded with build/reference, which is built first. Where no mistake is named, small changes are tried, as
./course check does. Exits with 1 unless every right answer gets all
points and every wrong one is refused; how many of the wrong ones were named rightly is only counted.
"""

import os
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from conftest import CORES, ROOT  # first: it says where the packages lie

from answer_build import NOT_COMPILED, AnswerBuild, Verdict
from author import case_file
from course.__main__ import in_words
from course.build.build_tree import BuildTree
from course.edits import explain
from course.errors import CourseError
from course.sources import manifest
from course.verdicts import verdicts

BOILERPLATE = re.compile(r" *(called with|read:|again:) ")


def as_expected(case: case_file.Case, verdict: Verdict) -> bool:
    """What does not compile says nothing about a suite."""
    passed = verdict.status == "pass" and verdict.points == verdict.max_points
    return verdict.status != NOT_COMPILED and passed == (case.expect == "pass")


def naming(case: case_file.Case, verdict: Verdict) -> str:
    """Whether the diagnosis of a wrong answer is right: its names are compared, or its words where it gives no name."""
    if case.expect == "pass" or verdict.status == "pass":
        return ""
    said = verdict.mistakes or [diagnosis(verdict.message)]
    if case.right and any(re.search(case.right, words) for words in said):
        return "rightly"
    return "wrongly" if verdict.mistakes else "not at all"


def other_names(case: case_file.Case, verdict: Verdict) -> list:
    """The names that it gets beside one that is right, and may not get."""
    may_be = "|".join(filter(None, (case.right, case.beside)))
    other = [name for name in verdict.mistakes if not re.search(may_be, name)]
    return other if naming(case, verdict) == "rightly" else []


def diagnosis(message: str) -> str:
    """The words about what is wrong: not the title, the arguments of the call, and what to read or to run."""
    return "\n".join(line for line in message.splitlines()[1:] if not BOILERPLATE.match(line))


def graded(cases: list, labs: list, build: AnswerBuild):
    """A verdict for each case, in their order, as soon as it is there."""
    def grade(numbered: tuple) -> Verdict:
        number, case = numbered
        lab = next(lab for lab in labs if lab.name == case.lab)
        verdict = build.grade(lab, [case], str(number))[case.function]
        _, exercise = manifest.find_exercise([lab], f"{lab.name}.{case.function}")
        shown = verdicts.Verdict(exercise, verdict.status, verdict.message, named=bool(verdict.mistakes))
        return verdict if case.expect == "pass" or not shown.unexplained else with_changes(verdict, lab, exercise, build, str(number))
    with ThreadPoolExecutor(CORES) as pool:
        yield from pool.map(grade, enumerate(cases))


def with_changes(verdict: Verdict, lab: manifest.Lab, exercise: manifest.Exercise, build: AnswerBuild, slot: str) -> Verdict:
    """With what ./course check says of an answer that no name explains."""
    place = build.place / slot
    words, changes = explain.found(lab, exercise, place / "student", build.build, place / "edits")
    return replace(verdict, message=f"{verdict.message}\n{words}", changes=changes)


def totals(name: str, rows: list) -> str:
    right = [verdict for case, verdict in rows if case.expect == "pass"]
    wrong = [(case, verdict) for case, verdict in rows if case.expect == "refuse"]
    named = Counter(naming(case, verdict) for case, verdict in wrong)
    beside = sum(bool(other_names(case, verdict)) for case, verdict in wrong)
    passed = sum(as_expected(case, verdict) for case, verdict in rows if case.expect == "pass")
    refused = sum(as_expected(case, verdict) for case, verdict in wrong)
    return (f"{name:<8} right: {passed} of {len(right)} accepted   wrong: {refused} of {len(wrong)} refused, named rightly "
            f"{named['rightly']}{f' ({beside} beside another name)' if beside else ''}, wrongly {named['wrongly']}, not at all {named['not at all']}; "
            f"{sum(verdict.changes > 0 for _, verdict in wrong)} by a small change")


def built(labs: list) -> Path:
    """build/reference, with the check programs of these labs as the sources are now."""
    tree = BuildTree(ROOT, "reference")
    if broken := tree.build(labs):
        raise CourseError(f"build/reference does not build {', '.join(lab.name for lab in broken)}; programs.log there says "
                          "why; fix that first")
    return tree.folder


def main(folder: Path) -> int:
    if not (ROOT / "reference").is_dir():
        raise CourseError("reference/ is not here, and a case takes the place of a solution in it; run this in the "
                          "repository that has it")
    labs = manifest.load(ROOT)
    cases = case_file.read_folder(folder, labs)
    build = built([lab for lab in labs if lab.name in {case.lab for case in cases}])
    place = ROOT / "build" / "cases"
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    print(f"{'case':<10} {'exercise':<38} {'expected':<9} {'verdict':<17} {'points':<7} named")
    for case, verdict in zip(cases, graded(cases, labs, AnswerBuild(ROOT, build, place))):
        rows.append((case, verdict))
        words = place / f"{case.name}.txt"
        words.write_text(f"{case.what}\n\n{verdict.message}\n")
        named = ": ".join(filter(None, [naming(case, verdict), " | ".join(verdict.mistakes)]))
        print(f"{case.name:<10} {case.lab + '.' + case.function:<38} {case.expect:<9} {verdict.status:<17} "
              f"{verdict.points:g}/{verdict.max_points:<5g} {named}".rstrip(), flush=True)
    print()
    for lab in labs:
        if of_lab := [row for row in rows if row[0].lab == lab.name]:
            print(totals(lab.name, of_lab))
    print(totals("in all", rows))
    unexpected = [case for case, verdict in rows if not as_expected(case, verdict)]
    for case in unexpected:
        print(f"not as expected: {case.name}, {case.what}: build/cases/{case.name}.txt")
    return 1 if unexpected else 0


if __name__ == "__main__":
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    sys.exit(in_words(lambda: main(Path(sys.argv[1]))))
