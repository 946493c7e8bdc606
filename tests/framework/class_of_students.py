#!/usr/bin/env python3
"""A class to grade: submissions for labs 00 to 04, and the verdicts that each of them was built to get.

usage: class_of_students.py make FOLDER [NUMBER]     (200 where no number is given)
       class_of_students.py check FOLDER RESULTS     exits with 1 unless every verdict in RESULTS is as it was built

Of every ten students two are honest, three have done half, two have answers written another way, two have mistakes, and one
attacks the grader. A seed makes the same class again.
"""

import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import case_file
import hostile_file
from case_file import Case
from course import manifest
from course.source_pieces import definitions

EXPECTED = ".expected.json"  # beside the submissions
LABS = ("lab00", "lab01", "lab02", "lab03", "lab04")
KINDS = ("honest", "half", "attacks", "mistakes", "otherwise", "half", "honest", "half", "mistakes", "otherwise")
WRONG = {
    "relu": "return abs(x);",
    "identity": "return x * 1.000001;",
    "elu_plus_one": "return exp(x);",
    "softmax_features": "const Tensor e = exp(x);\nreturn e / sum(e, -1, keep_dims);",
    "polynomial_features": "return x * x;",
    "softmax_attention": "return V;",
    "linear_attention_quadratic": "return matmul(matmul(phi(Q), transpose(phi(K))), V);",
    "inclusive_scan": "return states;",
    "attention_weights": "return zeros(join(shape_of(Q), {}));",
    "normalized_linear_attention": "return V * epsilon;",
    "gaussian_projection": "return ones({m, d});",
    "kernel_variance": "throw std::runtime_error(\"no idea\");",
}
QUICK_ATTACKS = ("constructor_exits", "result_files", "events_to_every_descriptor", "reads_the_course", "own_suite_runner",
                 "terminal_escapes", "nan_everywhere", "includes_the_reference", "hollow", "exit_in_a_call")


class ClassOfStudents:
    def __init__(self, number: int, seed: int = 1):
        self.number, self.seed = number, seed
        self.labs = [lab for lab in manifest.load(ROOT) if lab.name in LABS]
        every = manifest.load(ROOT)
        self.right = [case for lab in self.labs
                      for case in case_file.read_folder(ROOT / "tests" / lab.folder.name / "alternatives", every)]
        self.wrong = [case for case in case_file.read_folder(ROOT / "tests/framework/refused", every) if case.lab in LABS]
        self.wrong += [self.case(lab.name, exercise.function, WRONG[exercise.function])
                       for lab in self.labs for exercise in lab.exercises if exercise.function in WRONG]
        self.attacks = {attack.name: attack for attack in hostile_file.read_all(every)}

    @staticmethod
    def case(lab: str, function: str, body: str, expect: str = "refuse") -> Case:
        return Case("", lab, function, "", expect, "", {"body": body.splitlines()})

    def write(self, folder: Path) -> dict:
        """Writes the submissions; student → exercise → the statuses that it may have."""
        choose, expected = random.Random(self.seed), {}
        for number in range(self.number):
            kind = KINDS[number % len(KINDS)]
            student = f"s{number:03}-{kind}"
            if kind == "attacks":
                attack = self.attacks[QUICK_ATTACKS[number // len(KINDS) % len(QUICK_ATTACKS)]]
                attack.submit(ROOT, folder / student)
                verdicts = {exercise.name: ["todo"] for lab in self.labs for exercise in lab.exercises}
                verdicts |= {f"{attack.lab.name}.{name}": sorted(any_of) for name, any_of in attack.expected.items()}
            else:
                cases = self.cases(kind, choose)
                verdicts = {}
                for lab in self.labs:
                    verdicts |= self.hand_in(lab, [case for case in cases if case.lab == lab.name], folder / student / "student")
            expected[student] = verdicts
        (folder / EXPECTED).write_text(json.dumps(expected, indent=1), encoding="utf-8")
        return expected

    def cases(self, kind: str, choose: random.Random) -> list:
        """What takes the place of the reference's answers, at most one case for an exercise."""
        if kind == "half":
            return [self.case(lab.name, exercise.function, f'throw NotImplemented("{exercise.function}");')
                    for lab in self.labs for exercise in lab.exercises if not exercise.solved and choose.random() < 0.5]
        pool = {"honest": [], "mistakes": self.wrong, "otherwise": self.right}[kind]
        chosen = {case.function: case for case in choose.sample(pool, min(len(pool), 6))}
        return list(chosen.values())

    def hand_in(self, lab: manifest.Lab, cases: list, student: Path) -> dict:
        student.mkdir(parents=True, exist_ok=True)
        verdicts = {exercise.name: ["pass"] for exercise in lab.exercises}
        for source in lab.sources:
            reference = (ROOT / "reference" / source).read_text(encoding="utf-8")
            functions = {exercise.function for exercise in lab.exercises}
            text = case_file.put_into(reference, source, functions, cases)
            (student / source).write_text(text, encoding="utf-8")
            calls = _calls(text)
            changed = {case.function for case in cases if case.expect == "refuse"}
            for name in functions - changed:
                if _reached(name, calls) & changed:  # it fails, or passes where its own suite does not reach that far
                    verdicts[f"{lab.name}.{name}"] = ["pass", "fail", "todo", "crash"]
        for case in cases:
            if case.expect == "refuse":
                todo = "NotImplemented" in "".join(case.lines("body"))
                verdicts[f"{lab.name}.{case.function}"] = ["todo"] if todo else ["fail", "crash"]
        return verdicts


def _calls(text: str) -> dict:
    """Function → the functions of the same file whose names its body has."""
    bodies = {each.name: text[each.opening:each.closing] for each in definitions(text)}
    return {name: {other for other in bodies if other != name and f"{other}(" in body} for name, body in bodies.items()}


def _reached(name: str, calls: dict) -> set:
    found, open_ones = set(), [name]
    while open_ones:
        for other in calls.get(open_ones.pop(), ()):
            if other not in found:
                found.add(other)
                open_ones.append(other)
    return found


def differences(expected: dict, results: Path) -> list:
    """What is not as it was built, a line each."""
    found = []
    for student, verdicts in expected.items():
        file = results / student / "result.json"
        if not file.is_file():
            found.append(f"{student}: no result")
            continue
        result = json.loads(file.read_text(encoding="utf-8"))
        exercises = {f"{lab['lab']}.{each['exercise']}": each for lab in result["labs"] for each in lab["exercises"]}
        found += [f"{student}: {name} is {each['status']}, not {' or '.join(verdicts[name])}: {each['message'][:300]}"
                  for name, each in exercises.items() if each["status"] not in verdicts[name]]
        if result["earned"] != sum(each["points"] for each in exercises.values() if each["status"] == "pass"):
            found.append(f"{student}: {result['earned']} points are not the sum of what passed")
    return found


def main(words: list) -> int:
    if len(words) < 2 or words[0] not in ("make", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(words[1])
    if words[0] == "make":
        folder.mkdir(parents=True)
        ClassOfStudents(int(words[2]) if len(words) > 2 else 200).write(folder)
        return 0
    found = differences(json.loads((folder / EXPECTED).read_text(encoding="utf-8")), Path(words[2]))
    print("\n".join(found) or "every verdict is as it was built")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
