#!/usr/bin/env python3
"""Tests hold no answers: the definition behind an exercise's mutations with all settings right (grading/explain/mutations.hpp),
which a student can paste from tests/, earns hardly a point.

usage: paste_attack.py BUILD_FOLDER [LAB…]

It is pasted with the files that it stands in and without the lines that count work, compiled as a student's file is, and tried
as the answer to its exercise. What is earned must be listed in EARNED.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conftest import ROOT, WORKERS  # first: it says where the packages lie

from answer_build import AnswerBuild, run
from author.case_file import Case, put_into
from course.errors import CourseError
from course.sources import declarations, manifest

# Exercises whose definition is the answer.
EARNED = {"lab01.elu_plus_one", "lab01.relu", "lab01.feature_map", "lab02.softmax_attention",
          "lab02.linear_attention_quadratic", "lab03.attention_weights", "lab04.gaussian_projection", "lab07.gelu"}
SECONDS = 5  # of processor time for a suite, which takes less than one for an answer that passes
PASTED = '#include "work_counter.hpp"\n#define count_work(...) static_cast<void>(0)\n#define testing pasting\n#include "{}"\n'


def compiled(build: AnswerBuild, lab: manifest.Lab, made: Path, text: str) -> str:
    """The object, compiled as the lab's first source is. It also finds what a suite includes."""
    source, tests = made.with_suffix(".cpp"), ROOT / "tests" / lab.folder.name
    source.write_text(text)
    command = [word for word in build.compile_command(lab.sources[0], source, made) if not word.startswith(("-W", "-fmax-errors"))]
    folders = [tests, tests / "mistakes", ROOT / "tests/attention", *(ROOT / "grading").glob("*/"), ROOT / "tests/framework/gates"]
    done = subprocess.run([*command, "-w", "-DDOCTEST_CONFIG_DISABLE", *(f"-I{folder}" for folder in folders)], cwd=build.build,
                          capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise CourseError(f"{source} does not compile\n{done.stderr[-3000:]}")
    return str(made)


def definitions(build: AnswerBuild, lab: manifest.Lab, place: Path, pool: ThreadPoolExecutor) -> list:
    """The objects of the files with definitions for mutations, pasted."""
    contract = "".join(f'#include "{header.name}"\n' for header in sorted(lab.folder.glob("*.hpp")) if header.name != "kernels.hpp")
    files = [path for folder in ("attention", lab.folder.name) for path in sorted((ROOT / "tests" / folder).rglob("*.cpp"))
             if re.search("definition|mutations", path.name) or "MutationsOf" in path.read_text()]
    return list(pool.map(lambda path: compiled(build, lab, place / f"{path.parent.name}_{path.stem}.o", contract + PASTED.format(path)), files))


def twins(objects: list) -> list:
    """What was not pasted, since it is no definition, is there all the same, in the suite: under its own name."""
    listing = subprocess.run(["nm", *objects], check=True, capture_output=True, text=True).stdout
    rows = [line.split()[-2:] for line in listing.splitlines() if len(line.split()) >= 2]
    missing = {name for kind, name in rows if kind == "U" and "7pasting" in name} - {name for kind, name in rows if kind != "U"}
    return [f"-Wl,--defsym={name}={name.replace('7pasting', '7testing')}" for name in sorted(missing)]


def linked(build: AnswerBuild, lab: manifest.Lab, place: Path, pasted: list, names: list) -> Path:
    """The lab's program, in which each of these exercises is answered by its pasted definition."""
    replaced, program = {}, place / f"{lab.name}_exercises"
    cases = [Case(name, lab.name, name, "", "pass", "", {"include": ['#include "pasted_answers.hpp"'], "body": [
        f'    return pasting::pasted("{name}", &{name})({", ".join(each for each, _ in declarations.find(lab, name).parameters)});']}) for name in names]
    for source in lab.sources:
        if here := [case for case in cases if case.function in build.exercises_in(lab, source)]:
            text = put_into((ROOT / "reference" / source).read_text(), source, {each.function for each in lab.exercises}, here)
            replaced[build.object_of(source)] = compiled(build, lab, place / f"{Path(source).stem}.o", text)
    words = build.linked(program, replaced, [*pasted, *twins([*pasted, *replaced.values()]), "-Wl,--allow-multiple-definition"])
    if words:
        raise CourseError(f"{program} does not link\n{words[-3000:]}")
    return program


def passes(program: Path, exercise: str) -> bool:
    """By hand a suite says nothing until a case fails, and then enough is known."""
    with subprocess.Popen(["prlimit", f"--cpu={SECONDS}", program, "--exercise", exercise], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | {"LINATTN_PASTED": exercise}) as running:
        if running.stderr.read(1):
            running.kill()
        return running.wait() == 0


def main(tree: Path, names: list) -> int:
    build, earned = AnswerBuild(ROOT, tree, tree / "paste"), set()
    labs = {lab.name: lab for lab in manifest.load(ROOT) if lab.name in (names or lab.name) and lab.name != "lab00"}
    with ThreadPoolExecutor(WORKERS) as pool:
        for lab in labs.values():
            place = build.place / lab.name
            place.mkdir(parents=True, exist_ok=True)
            tried = [each.function for each in lab.exercises if not each.kernel and not each.solved]
            program = linked(build, lab, place, definitions(build, lab, place, pool), tried)
            earned |= {f"{lab.name}.{name}" for name, passed in zip(tried, pool.map(lambda name: passes(program, name), tried)) if passed}
    wrong = [f"{name} can be pasted; write its definition in a form that is no answer, or count what it costs" for name in sorted(earned - EARNED)]
    wrong += [f"{name} cannot be pasted any more; take it out of EARNED"
              for name in sorted(EARNED - earned) if name.partition(".")[0] in labs]
    print("pasted definitions solve: " + (", ".join(sorted(earned)) or "nothing"), *wrong, sep="\n")
    return 1 if wrong or not labs else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
