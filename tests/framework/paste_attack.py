#!/usr/bin/env python3
"""Tests hold no answers: the definition behind an exercise's mutations with all settings right (grading/mutations.hpp),
which a student can paste from tests/, earns hardly a point.

usage: paste_attack.py BUILD_FOLDER [LAB…]

It is pasted with the files that it stands in and without the lines that count work, compiled as a student's file is, and tried
as the answer to its exercise. What is earned must be listed in EARNED: of labs after 04 nothing but GELU, which is its formula. A
lab that is as it was when that held is not tried again.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from course_tree import REPOSITORY as ROOT  # first: it says where the packages lie

import workers
from answer_build import AnswerBuild, run
from author.case_file import Case, put_into
from course import declarations, manifest
from course.errors import CourseError
from green import Green, digest_of

# Exercises whose definition is the answer.
EARNED = {"lab01.elu_plus_one", "lab01.relu", "lab01.feature_map", "lab02.softmax_attention",
          "lab02.linear_attention_quadratic", "lab03.attention_weights", "lab04.gaussian_projection", "lab07.gelu"}
PATIENCE = 5  # seconds of processor time for a suite, which takes less than one for an answer that passes


def targets_of(lab: manifest.Lab) -> dict:
    """Exercise → the names of its parameters."""
    found = {}
    for exercise in lab.exercises:
        if not exercise.kernel and not exercise.solved:
            declared = declarations.find(lab, exercise.function)
            if not declared:
                raise CourseError(f"{lab.folder.name} declares no {exercise.function} that paste_attack.py can read")
            found[exercise.function] = [name for name, _ in declared.parameters]
    return found


class Attack:
    """One check program for each lab, which tries what LINATTN_PASTED names."""

    def __init__(self, build: AnswerBuild, place: Path, labs: list):
        self.build, self.place = build, place.resolve()
        self.files = [path for folder in ["grading", "tests/attention", *(f"tests/{lab.folder.name}" for lab in labs)]
                      for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
        self._shared = {}  # sources of tests/attention/ → object
        for path in self.files:
            self._copy(path)

    def _copy(self, path: Path) -> None:
        text = re.sub(r"\btesting\b", "pasting", path.read_text(encoding="utf-8"))
        text = re.sub(r"\bcount_work\((?:[^;]*)\);", ";", text)
        if path.name == "mutations.hpp":
            before = "    for (const NumberMutation<Settings>& number"
            if text.count(before) != 1:
                raise CourseError("grading/mutations.hpp has no single loop over the numbers in register_mutations any more, before "
                                  "which paste_attack.py offers the right settings; correct it there")
            text = text.replace(before, f'    offer_right(exercise, with(right));\n{before}')
            first = "template <class Settings, class Change"
            text = text.replace(first, f"void offer_right(const char* exercise, Subject function);\n\n{first}", 1)
        copy = self.place / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")

    def digest(self, lab: manifest.Lab) -> str:
        """Of all that the lab's outcome depends on."""
        pasted = sorted(Path(__file__).parent.glob("pasted_answers.*"))
        return digest_of([__file__, declarations.__file__, *pasted, *self.files, *sorted(lab.folder.glob("*.hpp")),
                          *(ROOT / "reference" / source for source in lab.sources)], self.build.digest(lab))

    def earned(self, lab: manifest.Lab, pool: ThreadPoolExecutor) -> list:
        """The exercises that the definitions solve."""
        targets = targets_of(lab)
        (self.place / lab.name / "student").mkdir(parents=True, exist_ok=True)
        wanted = [path for path in self.files if self._defines_for_mutations(path)
                  and (lab.folder.name in path.parts or path.parent.name == "attention")]
        objects = list(pool.map(lambda path: self._compiled(lab, path), [*wanted, ROOT / "tests/framework/pasted_answers.cpp"]))
        program = self._program(lab, targets, objects)
        passed = pool.map(lambda exercise: self._passes(program, exercise), targets)
        return [exercise for exercise, points in zip(targets, passed) if points]

    @staticmethod
    def _defines_for_mutations(path: Path) -> bool:
        return path.suffix == ".cpp" and ("MutationsOf" in path.read_text(encoding="utf-8")
                                          or re.search("definition|mutations", path.name))

    def _compiled(self, lab: manifest.Lab, path: Path) -> Path:
        if path in self._shared:
            return self._shared[path]
        copy = self.place / path.relative_to(ROOT)
        source = self.place / lab.name / f"{path.parent.name}_{path.name}"
        contract = [f'#include "{header.name}"' for header in sorted(lab.folder.glob("*.hpp")) if header.name != "kernels.hpp"]
        source.write_text("\n".join([*contract, f'#include "{copy if copy.exists() else path}"', ""]), encoding="utf-8")
        self._compile(lab, source, source.with_suffix(".o"))
        if lab.folder.name not in path.parts:
            self._shared[path] = source.with_suffix(".o")
        return source.with_suffix(".o")

    def _compile(self, lab: manifest.Lab, source: Path, made: Path) -> None:
        """As the lab's first source is compiled."""
        command = [word for word in self.build.compile_command(lab.sources[0], source, made)
                   if not word.startswith(("-W", "-fmax-errors"))]
        folders = [self.place / "tests" / lab.folder.name, self.place / "tests" / lab.folder.name / "mistakes",
                   self.place / "tests/attention", self.place / "grading", ROOT / "tests/framework"]
        done = subprocess.run([*command, "-w", "-DDOCTEST_CONFIG_DISABLE", *(f"-I{folder}" for folder in folders)],
                              cwd=self.build.build, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise CourseError(f"{source} does not compile\n{done.stderr[-3000:]}")

    def _program(self, lab: manifest.Lab, targets: dict, objects: list) -> Path:
        cases = [Case(name, lab.name, name, "", "pass", "", {
            "include": ['#include "pasted_answers.hpp"'],
            "body": [f'    return pasting::pasted("{name}", &{name})({", ".join(parameters)});']})
            for name, parameters in targets.items()]
        exercises, replaced = {exercise.function for exercise in lab.exercises}, {}
        for source in lab.sources:
            text = (ROOT / "reference" / source).read_text(encoding="utf-8")
            there = self.build.exercises_in(lab, source)
            here = [case for case in cases if case.function in there]
            if here:
                written, made = self.place / lab.name / "student" / source, self.place / lab.name / f"{source}.o"
                written.write_text(put_into(text, f"reference/{source}", exercises, here), encoding="utf-8")
                self._compile(lab, written, made)
                replaced[self.build.object_of(source)] = str(made)
        program = self.place / lab.name / f"{lab.name}_exercises"
        if words := self.build.linked(program, replaced,
                                      [*map(str, objects), *self._twins([*objects, *replaced.values()]),
                                       "-Wl,--allow-multiple-definition"]):  # functions outside of the suite's namespace
            raise CourseError(f"{program} does not link\n{words[-3000:]}")
        return program

    @staticmethod
    def _twins(objects: list) -> list:
        """What was not pasted, since it is no definition, is there all the same, in the suite: under its own name."""
        listing = subprocess.run(["nm", *map(str, objects)], check=True, capture_output=True, text=True).stdout
        rows = [line.split()[-2:] for line in listing.splitlines() if len(line.split()) >= 2]
        defined = {name for kind, name in rows if kind != "U"}
        missing = {name for kind, name in rows if kind == "U" and "7pasting" in name} - defined
        return [f"-Wl,--defsym={name}={name.replace('7pasting', '7testing')}" for name in sorted(missing)]

    @staticmethod
    def _passes(program: Path, exercise: str) -> bool:
        """By hand a suite says nothing until a case fails, and then enough is known."""
        with subprocess.Popen(["prlimit", f"--cpu={PATIENCE}", program, "--exercise", exercise], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=os.environ | {"LINATTN_PASTED": exercise}) as running:
            if running.stderr.read(1):
                running.kill()
            return running.wait() == 0


def main(tree: Path, names: list) -> int:
    labs = [lab for lab in manifest.load(ROOT) if lab.name != "lab00" and (not names or lab.name in names)]
    attack, green = Attack(AnswerBuild(ROOT, tree, tree / "paste"), tree / "paste", labs), Green(tree, "paste_attack")
    earned, due = set(), {name for name in EARNED if name.partition(".")[0] in [lab.name for lab in labs]}
    for lab in labs:
        digest = attack.digest(lab)
        of_lab = green.result(lab.name, digest)
        if of_lab is None:
            with ThreadPoolExecutor(workers.COUNT) as pool:
                of_lab = [f"{lab.name}.{exercise}" for exercise in attack.earned(lab, pool)]
        if {*of_lab} == {name for name in due if name.startswith(lab.name)}:
            green.keep(lab.name, digest, of_lab)
        earned |= {*of_lab}
    wrong = [f"{name} can be pasted; write its definition in a form that is no answer, or count what it costs"
             for name in sorted(earned - due)]
    wrong += [f"{name} cannot be pasted any more; take it out of EARNED" for name in sorted(due - earned)]
    print("pasted definitions solve: " + (", ".join(sorted(earned)) or "nothing"), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
