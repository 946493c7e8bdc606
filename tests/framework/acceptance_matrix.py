#!/usr/bin/env python3
"""The opposite of the mutation gate: every right answer in tests/labNN_*/alternatives/ must get all points.

usage: acceptance_matrix.py BUILD_FOLDER [LAB…]

A round puts one alternative of every exercise of a lab into the lab's file at once, so that a lab is compiled as often as
its exercise with the most alternatives has them; what fails there is graded once more by itself. Writes
BUILD_FOLDER/acceptance_matrix.csv (lab, exercise, alternative, passed) and exits with 1 unless every row says yes. A lab in
which nothing has changed since all of its rows said so keeps them.
"""

import csv
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import workers
from answer_build import AnswerBuild, Verdict, run
from author import case_file
from course import manifest
from course.errors import CourseError
from green import Green, digest_of


def rounds(cases: list) -> list:
    """Lists of cases of which no two are of one exercise."""
    result = []
    for case in cases:
        room = next((each for each in result if case.function not in [other.function for other in each]), None)
        if room is None:
            result.append(room := [])
        room.append(case)
    return result


def verdicts_on(build: AnswerBuild, lab: manifest.Lab, cases: list, slot: str) -> list:
    together = build.grade(lab, cases, slot)
    if all(verdict.status == "pass" for verdict in together.values()):
        return [(case, together[case.function]) for case in cases]
    return [(case, together[case.function] if together[case.function].status == "pass" or len(cases) == 1
             else build.grade(lab, [case], slot)[case.function]) for case in cases]


def alternatives(lab: manifest.Lab, labs: list) -> list:
    folder = ROOT / "tests" / lab.folder.name / "alternatives"
    cases = case_file.read_folder(folder, labs) if folder.is_dir() else []
    if stray := [case.name for case in cases if case.lab != lab.name]:
        raise CourseError(f"{folder.relative_to(ROOT)}/{stray[0]}.case is of another lab; move it there")
    return cases


def main(tree: Path, names: list) -> int:
    labs = manifest.load(ROOT)
    build, green = AnswerBuild(ROOT, tree, tree / "acceptance"), Green(tree, "acceptance_matrix")
    graded, digests, tasks = [], {}, []
    for lab in labs:
        cases = alternatives(lab, labs) if not names or lab.name in names else []
        digests[lab.name] = digest_of([__file__, case_file.__file__], build.digest(lab), *cases) if cases else ""
        if cases and (kept := green.result(lab.name, digests[lab.name])):
            graded += [(case, Verdict(*kept[case.name])) for case in cases]
        else:
            tasks += [(lab, each, f"{lab.name}.{number}") for number, each in enumerate(rounds(cases))]
    with ThreadPoolExecutor(workers.COUNT) as pool:
        graded += sum(pool.map(lambda task: verdicts_on(build, *task), tasks), [])
    graded.sort(key=lambda pair: (pair[0].lab, pair[0].name))
    for lab in {lab.name for lab, _, _ in tasks}:
        verdicts = {case.name: astuple(verdict) for case, verdict in graded if case.lab == lab}
        if all(status == "pass" for status, *_ in verdicts.values()):
            green.keep(lab, digests[lab], verdicts)
    table = tree / "acceptance_matrix.csv"
    with open(f"{table}.new", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["lab", "exercise", "alternative", "passed"],
                                    *([case.lab, case.function, case.what, "yes" if verdict.status == "pass" else "no"]
                                      for case, verdict in graded)])
    os.replace(f"{table}.new", table)
    refused = [(case, verdict) for case, verdict in graded if verdict.status != "pass"]
    for case, verdict in refused:
        print(f"{case.lab}.{case.function}: '{case.what}' ({case.name}.case): {verdict.status}\n{verdict.message}")
    print(f"{len(graded) - len(refused)} of {len(graded)} right answers get all points; see {table.name}")
    return 1 if refused or not graded else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
