#!/usr/bin/env python3
"""The opposite of the mutation gate: every right answer in tests/labNN_*/alternatives/ must get all points. And each in refused/,
which gives right numbers by a wrong method, remembers earlier calls or is easily given a wrong diagnosis, must be refused for its
reason.

usage: acceptance_matrix.py BUILD_FOLDER [LAB…]

A round puts one answer to every exercise of a lab into the lab's file at once, so that a lab is compiled as often as its exercise
with the most answers has them; what does not come out as it should is graded once more by itself, and printed with its message.
"""

import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conftest import ROOT, WORKERS  # first: it says where the packages lie

import cases as cases_of
from answer_build import AnswerBuild, Verdict, run
from author import case_file
from author.case_file import Case
from course.sources import manifest


def answers(lab: manifest.Lab, labs: list) -> list:
    folder = ROOT / "tests" / lab.folder.name
    return [case_file.read(path, labs) for kind in case_file.FOLDERS for path in sorted((folder / kind).glob("*.case"))]


def groups(lab: manifest.Lab, cases: list) -> list:
    """Cases that can be graded together: right ones, and wrong ones whose functions nothing calls. Changes of any line are not."""
    wrong = [case for case in cases if case.expect == "refuse"]
    texts = [(ROOT / "reference" / source).read_text() for source in lab.sources]
    calls = Counter(re.findall(r"\b(\w+)\(", "\n".join([*texts, *(line for case in wrong for line in case.lines("body"))])))
    alone = [case for case in cases if case.lines("replace") or case in wrong and calls[case.function] > 1]
    return [group for some in (wrong, [case for case in cases if case not in wrong])
            for group in rounds([case for case in some if case not in alone])] + [[case] for case in alone]


def rounds(cases: list) -> list:
    """Lists of cases of which no two are of one exercise."""
    result = []
    for case in cases:
        room = next((each for each in result if case.function not in [other.function for other in each]), None)
        if room is None:
            result.append(room := [])
        room.append(case)
    return result


def as_it_should_be(case: Case, verdict: Verdict) -> bool:
    """Of the names of a wrong one, too, each is right."""
    named = case.expect == "pass" or cases_of.naming(case, verdict) == "rightly" and not cases_of.other_names(case, verdict)
    return cases_of.as_expected(case, verdict) and named


def verdicts_on(build: AnswerBuild, lab: manifest.Lab, cases: list, slot: str) -> list:
    together = build.grade(lab, cases, slot)
    return [(case, together[case.function] if as_it_should_be(case, together[case.function]) or len(cases) == 1
             else build.grade(lab, [case], slot)[case.function]) for case in cases]


def main(tree: Path, names: list) -> int:
    labs = manifest.load(ROOT)
    build = AnswerBuild(ROOT, tree, tree / "acceptance")
    tasks = [(lab, group, f"{lab.name}.{number}") for lab in labs if not names or lab.name in names
             for number, group in enumerate(groups(lab, answers(lab, labs)))]
    with ThreadPoolExecutor(WORKERS) as pool:
        graded = sum(pool.map(lambda task: verdicts_on(build, *task), tasks), [])
    wrong = [(case, verdict) for case, verdict in graded if not as_it_should_be(case, verdict)]
    for case, verdict in sorted(wrong, key=lambda each: (each[0].lab, each[0].name)):
        print(f"{case.lab}.{case.function}: '{case.what}' ({case.name}.case, {case.expect}): {verdict.status}\n{verdict.message}")
    print(f"{len(graded) - len(wrong)} of {len(graded)} answers are accepted or refused as they should be")
    return 1 if wrong or not graded else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
