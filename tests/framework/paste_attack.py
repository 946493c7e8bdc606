#!/usr/bin/env python3
"""Tests hold no answers: what a student can paste from tests/ and grading/ earns hardly a point.

usage: paste_attack.py BUILD_FOLDER [LAB… [--definitions LAB…]]

For every exercise it tries as an answer

(a) each function in tests/labNN_*/ and in grading/ that fits: every parameter without a default value can be filled with
    an argument of the exercise of the same type (in any order, each tensor once, with the feature map applied or not), a
    constant (0, 1, true, false, an enumerator, a word that stands in the function, settings as they are by default), or
    another function of the same files that gives a value of a type which no exercise has. What it returns counts if it is
    the exercise's result or has it as a part (`.value`, `.output`, `.at(0)`).
(b) the definition behind each exercise's mutations with all settings right (grading/mutations.hpp).

Both are pasted, with the files that they stand in and without the lines that count work, and compiled as a student's file
is. Not tried are functions that a student would have to combine or to write a loop around, templates, and kernels, whose
types no function of a suite has. What is earned must be listed in EARNED, and sums to at most LIMIT points of labs 01
to 04 and to none in later labs. Of the labs behind --definitions only (b) is tried, which takes half to a quarter of the time.
"""

import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import workers
from answer_build import AnswerBuild, run
from case_file import Case, put_into
from course import manifest, source_pieces
from course.errors import CourseError

# Exercises whose definition is the answer: none of a lab after 04.
EARNED = {"lab01.elu_plus_one", "lab01.relu", "lab01.identity", "lab01.feature_map", "lab02.softmax_attention",
          "lab02.linear_attention_quadratic", "lab03.attention_weights", "lab04.gaussian_projection"}
LIMIT = 12

MOST = 8  # ways to call one function, the likeliest first
PATIENCE = 5  # seconds of processor time for a suite, which takes less than one for an answer that passes
KNOWN_NUMBERS = {"double": ["0.0", "1.0"], "float": ["0.0f", "1.0f"], "bool": ["false", "true"], "int": ["0", "1"],
                 "std::size_t": ["0", "1"], "std::uint64_t": ["0"]}


@dataclass(frozen=True)
class Parameter:
    type: str
    name: str
    default: bool


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    parameters: tuple
    words: tuple  # the string literals in its body


@dataclass(frozen=True)
class Target:
    """An exercise."""
    lab: manifest.Lab
    name: str
    points: int
    function: Function
    parameters: str  # as they stand in the header


def split_list(text: str) -> list:
    """At the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "(<{[") - (character in ")>}]")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def plain(type_: str, aliases: dict) -> str:
    words = " ".join(re.sub(r"\b(const|inline|static|constexpr|struct)\b|&", " ", type_).split())
    return aliases.get(words, words)


def function_of(head: str, body: str, aliases: dict):
    """The function with this text, or None for what cannot be called by its name."""
    head = " ".join(re.sub(r"//.*", "", head).split())
    found = re.fullmatch(r"(?P<result>[\w:<>,&* ]+?)\s*\b(?P<name>\w+)\((?P<parameters>.*)\)(?: const)?", head)
    if not found or head.startswith("template") or "operator" in head:
        return None
    parameters = []
    for words in split_list(re.sub(r"\[\[\w+\]\]", "", found["parameters"])):
        words, equals, _ = words.partition("=")
        parts = re.fullmatch(r"(.*?[\s&*>])(\w+)\s*", words.strip())
        type_, name = (parts[1], parts[2]) if parts and parts[1].strip() not in ("const", "") else (words, "")
        parameters.append(Parameter(plain(type_, aliases), name, bool(equals)))
    return Function(found["name"], plain(found["result"], aliases), tuple(parameters),
                    tuple(dict.fromkeys(re.findall(r'"\w+(?:\.\w+)?"', body))))


class Texts:
    """The files that a student holds: what they define, and the copies of them that are pasted."""

    def __init__(self, labs: list):
        self.files = [path for folder in ["grading", *(f"tests/{lab.folder.name}" for lab in labs)]
                      for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
        self.text = {path: path.read_text(encoding="utf-8") for path in self.files}
        everything = "\n".join([*self.text.values(), (ROOT / "labs/vocabulary/attention.hpp").read_text(encoding="utf-8")])
        self.aliases = {name: plain(of, {}) for name, of in re.findall(r"^using (\w+) = ([\w:<> ]+);", everything, re.M)}
        self.enumerators = {name: [f"{name}::{word}" for word in re.findall(r"\w+", re.sub(r"//.*", "", body))]
                            for name, body in re.findall(r"^enum class (\w+) {(.*?)};", everything, re.M | re.S)}
        structs = re.findall(r"^struct (\w+)[^;{]* {(.*?)^};", everything, re.M | re.S)
        self.with_tensors = {name for name, body in structs if re.search(r"^ +(?:Tensor|Weights) [\w, ]+;", body, re.M)}
        self.settings = re.findall(r"^struct (\w*Settings) {", everything, re.M)
        defaults = {}  # they stand in headers
        for path, text in self.text.items():
            if path.suffix == ".hpp":
                for name, parameters in re.findall(r"^[\w:<>&*, ]+?\b(\w+)\(([^;{}]*=[^;{}]*(?:{}[^;{}]*)?)\);", text, re.M):
                    defaults[name] = [("=" in each) for each in split_list(parameters)]
        self.functions = {path: self._functions(text, defaults) for path, text in self.text.items()}

    def _functions(self, text: str, defaults: dict) -> list:
        found = []
        for each in source_pieces.definitions(text):
            function = function_of(text[each.start:each.opening], text[each.opening:each.closing], self.aliases)
            if function is None:
                continue
            known = defaults.get(function.name, [])
            if len(known) == len(function.parameters):
                function = Function(function.name, function.result,
                                    tuple(Parameter(p.type, p.name, p.default or d)
                                          for p, d in zip(function.parameters, known)), function.words)
            found.append(function)
        return found

    def seen_from(self, path: Path) -> list:
        """Functions that can be called where this file ends: its own and those of grading/ and of its folder's headers."""
        declared = [path] + [other for other in self.files if other.with_suffix(".hpp") in self.files and
                             other != path and other.parent.name in ("grading", *[p.name for p in path.parents])]
        return [function for other in declared for function in self.functions[other]]

    def copied(self, path: Path, place: Path) -> Path:
        text = re.sub(r"\btesting\b", "pasting", self.text[path])
        text = re.sub(r"\bcount_work\((?:[^;]*)\);", ";", text)
        if path.name == "mutations.hpp":
            before = "        for (const NumberMutation<Settings>& number"
            if text.count(before) != 1:
                raise CourseError("grading/mutations.hpp has no single loop over the numbers in MutationsOf any more, before which "
                                  "paste_attack.py offers the right settings; correct it there")
            text = text.replace(before, f'        offer_right(exercise, with(right));\n{before}')
            text = text.replace("template <class Settings>\nstruct Mutation {",
                                "void offer_right(const char* exercise, Subject function);\n\n"
                                "template <class Settings>\nstruct Mutation {", 1)
        copy = place / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        return copy


def targets_of(lab: manifest.Lab, aliases: dict) -> list:
    found = []
    headers = "\n".join(path.read_text(encoding="utf-8") for path in sorted(lab.folder.glob("*.hpp")))
    for exercise in lab.exercises:
        if exercise.kernel or exercise.solved:
            continue
        declared = re.search(rf"^([\w:<>&*, ]+?)\b{exercise.function}\(([^;{{}}]*)\);", headers, re.M)
        if not declared:
            raise CourseError(f"{lab.folder.name} declares no {exercise.function} that paste_attack.py can read")
        function = function_of(declared[0].rstrip(";"), "", aliases)
        parameters = ", ".join(f"{words.partition('=')[0].strip()}" for words in split_list(declared[2]))
        found.append(Target(lab, exercise.function, exercise.points, function, " ".join(parameters.split())))
    return found


class Fitting:
    """Ways to call a function with what an exercise has."""

    def __init__(self, texts: Texts, target: Target, visible: list):
        self.texts, self.target, self.visible = texts, target, visible
        self.phi = next((p.name for p in target.function.parameters if p.type == "FeatureMap"), None)

    def calls(self, function: Function, depth: int = 0) -> list:
        """Expressions, each with the tensors that it uses."""
        choices = [self._fillers(parameter, function, depth) for parameter in function.parameters if not parameter.default]
        found = []
        for chosen in itertools.islice(itertools.product(*choices), 20000):
            used = [name for _, names, _ in chosen for name in names]
            if len(set(used)) == len(used):
                found.append((sum(rank for _, _, rank in chosen), f"{function.name}({', '.join(text for text, _, _ in chosen)})",
                              tuple(used)))
        found.sort(key=lambda each: each[0])
        return [(text, used, rank) for rank, text, used in found[:MOST]]

    def _fillers(self, parameter: Parameter, function: Function, depth: int) -> list:
        """(expression, tensors that it uses, how unlikely it is)"""
        found = []
        mine = [p for p in self.target.function.parameters if p.type == parameter.type]
        for each in mine:
            same = 0 if each.name == parameter.name else 1
            once = (each.name,) if each.type in ("Tensor", "std::span<float>") else ()
            mapped = parameter.name.startswith("phi_")
            found.append((each.name, once, same + (2 if mapped else 0)))
            if each.type == "Tensor" and self.phi and depth == 0:
                found.append((f"{self.phi}({each.name})", once, (0 if parameter.name == f"phi_{each.name}" else 2)))
        kind = parameter.type
        if not mine or kind in ("std::size_t", "double"):
            found += [(word, (), 1) for word in KNOWN_NUMBERS.get(kind, [])]
        if not mine:
            found += [(word, (), 1) for word in self.texts.enumerators.get(kind, [])]
        if kind == "std::string":
            found += [(word, (), 1) for word in function.words]
        if kind in self.texts.settings:
            found.append((f"{kind}{{}}", (), 0))
        if kind not in KNOWN_NUMBERS and kind not in ("Tensor", "std::string", "Shape") and depth < 1:
            if signature := re.fullmatch(r"std::function<(\S+)\((.*)\)>", kind):
                wanted = [plain(each.rpartition(" ")[0] or each, self.texts.aliases) for each in split_list(signature[2])]
                found += [(each.name, (), 0) for each in self.visible
                          if each.result == signature[1] and [p.type for p in each.parameters] == wanted]
            for other in self.visible:
                if other.result == kind and other.name != function.name:
                    found += [(text, used if "(" in text and kind == "Tensor" else (), 1 + rank)
                              for text, used, rank in self.calls(other, depth + 1)[:8]]
        return found

    def offers(self, function: Function) -> list:
        """Expressions whose value may be an answer."""
        wanted = self.target.function.result
        calls = [text for text, _, _ in self.calls(function)]
        if function.result == "FeatureMap" and wanted == "Tensor":
            return [f"{text}({p.name})" for text in calls for p in self.target.function.parameters if p.type == "Tensor"]
        fits = {wanted, "Tensor", "std::vector<Expected>"} | self.texts.with_tensors
        return calls if function.parameters and function.result in fits else []


class Attack:
    """One check program for each lab, which tries whatever LINATTN_PASTED names."""

    def __init__(self, build: AnswerBuild, place: Path, texts: Texts):
        self.build, self.place, self.texts = build, place.resolve(), texts
        self.numbered = {}  # number of an offer → (exercise, where it stands, how it reads)
        self._shared = {}  # sources without offers → object
        for path in texts.files:
            texts.copied(path, self.place)

    def earned(self, lab: manifest.Lab, pool: ThreadPoolExecutor, functions_too: bool) -> dict:
        """Exercise → what earned its points."""
        targets = targets_of(lab, self.texts.aliases)
        if not targets:
            return {}
        (self.place / lab.name / "student").mkdir(parents=True, exist_ok=True)
        linked = {Path(word).name for word in self.build.link_command(f"{lab.name}_exercises")}
        wanted = [(path, self._offers(lab, targets, path) if functions_too else []) for path in self.texts.files
                  if path.parent.name == "grading" and (path.suffix == ".hpp" or f"{path.name}.o" in linked)
                  or lab.folder.name in path.parts]
        wanted = [(path, lines) for path, lines in wanted if lines or self._defines_for_mutations(path)]
        objects = list(pool.map(lambda pair: self._compiled(lab, *pair), wanted))
        objects.append(self._compiled(lab, ROOT / "tests/framework/pasted_answers.cpp", []))
        program = self._program(lab, targets, objects)
        mine = {target.name for target in targets}
        tries = [(target.name, "right_settings", "its mutations' definition with the right settings") for target in targets]
        tries += [(exercise, str(number), f"{text} of {where}") for number, (exercise, where, text) in self.numbered.items()
                  if exercise in mine]
        passed = list(pool.map(lambda each: self._passes(program, *each[:2]), tries))
        found = {}
        for (exercise, _, words), points in zip(tries, passed):
            if points:
                found.setdefault(exercise, []).append(words)
        return found

    @staticmethod
    def _defines_for_mutations(path: Path) -> bool:
        return path.suffix == ".cpp" and ("MutationsOf" in path.read_text(encoding="utf-8")
                                          or re.search("definition|mutations", path.name))

    def _offers(self, lab: manifest.Lab, targets: list, path: Path) -> list:
        lines = []
        for target in targets:
            fitting = Fitting(self.texts, target, self.texts.seen_from(path))
            for text in dict.fromkeys(text for function in self.texts.functions[path] for text in fitting.offers(function)):
                number = len(self.numbered) + 1
                self.numbered[number] = (target.name, path.relative_to(ROOT), text)
                lines.append(f"OFFER({target.name}, {number}, ({target.parameters}), {text})")
        return lines

    def _compiled(self, lab: manifest.Lab, path: Path, offers: list) -> Path:
        if not offers and path in self._shared:
            return self._shared[path]
        copy = self.place / path.relative_to(ROOT)
        source = self.place / lab.name / f"{path.parent.name}_{path.stem}_{path.suffix[1]}.cpp"
        contract = [f'#include "{header.name}"' for header in sorted(lab.folder.glob("*.hpp")) if header.name != "kernels.hpp"]
        includes = [*contract, f'#include "{copy if copy.exists() else path}"', '#include "pasted_answers.hpp"']
        command = self._command(lab, source, source.with_suffix(".o"))
        while True:
            source.write_text("\n".join([*includes, "namespace linattn::pasting {", *offers, "}", ""]), encoding="utf-8")
            done = subprocess.run(command, cwd=self.build.build, capture_output=True, text=True, errors="replace")
            if done.returncode == 0:
                break
            first = len(includes) + 2
            bad = {int(line) - first for line in re.findall(rf"{re.escape(str(source))}:(\d+)", done.stderr)}
            bad = {number for number in bad if 0 <= number < len(offers)}
            if not bad:
                raise CourseError(f"{source} does not compile\n{done.stderr[-3000:]}")
            offers = [line for number, line in enumerate(offers) if number not in bad]  # it did not fit after all
        if not offers:
            self._shared[path] = source.with_suffix(".o")
        return source.with_suffix(".o")

    def _command(self, lab: manifest.Lab, source: Path, made: Path) -> list:
        """As the lab's first source is compiled."""
        command = [word for word in self.build.compile_command(lab.sources[0], source, made)
                   if not word.startswith(("-W", "-fmax-errors"))]
        folders = [self.place / "tests" / lab.folder.name, self.place / "tests" / lab.folder.name / "mistakes",
                   self.place / "grading", ROOT / "tests/framework"]
        return [*command, "-w", "-DDOCTEST_CONFIG_DISABLE", *(f"-I{folder}" for folder in folders)]

    def _program(self, lab: manifest.Lab, targets: list, objects: list) -> Path:
        cases = [Case(target.name, lab.name, target.name, "", "pass", "", {
            "include": ['#include "pasted_answers.hpp"'],
            "body": [f'    return pasting::pasted("{target.name}", &{target.name})'
                     f"({', '.join(p.name for p in target.function.parameters)});"]}) for target in targets]
        exercises, replaced = {exercise.function for exercise in lab.exercises}, {}
        for source in lab.sources:
            text = (ROOT / "reference" / source).read_text(encoding="utf-8")
            there = self.build.exercises_in(lab, source)
            here = [case for case in cases if case.function in there]
            if not here:
                continue
            written, made = self.place / lab.name / "student" / source, self.place / lab.name / f"{source}.o"
            written.write_text(put_into(text, f"reference/{source}", exercises, here), encoding="utf-8")
            done = subprocess.run(self._command(lab, written, made), cwd=self.build.build, capture_output=True, text=True)
            if done.returncode:
                raise CourseError(f"{written} does not compile\n{done.stderr[-3000:]}")
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
    def _passes(program: Path, exercise: str, offer: str) -> bool:
        """By hand a suite says nothing until a case fails, and then enough is known."""
        with subprocess.Popen(["prlimit", f"--cpu={PATIENCE}", program, "--exercise", exercise], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=os.environ | {"LINATTN_PASTED": offer}) as running:
            if running.stderr.read(1):
                running.kill()
            return running.wait() == 0


def main(tree: Path, names: list) -> int:
    whole = names[:names.index("--definitions")] if "--definitions" in names else names
    labs = [lab for lab in manifest.load(ROOT) if lab.name != "lab00" and (not names or lab.name in names)]
    attack = Attack(AnswerBuild(ROOT, tree, tree / "paste"), tree / "paste", Texts(labs))
    points, wrong = {}, []
    with ThreadPoolExecutor(workers.COUNT) as pool:
        for lab in labs:
            for exercise, ways in attack.earned(lab, pool, not names or lab.name in whole).items():
                name = f"{lab.name}.{exercise}"
                points[name] = next(each.points for each in lab.exercises if each.function == exercise)
                print(f"{name}: {points[name]} points for {ways[0]}" + (f" and {len(ways) - 1} more ({ways[1]})" if ways[1:] else ""))
                if name not in EARNED:
                    wrong.append(f"{name} can be pasted; give what is pasted a form that is no answer, or count what it costs")
    if not names:
        wrong += [f"{name} cannot be pasted any more; take it out of EARNED" for name in sorted(EARNED - set(points))]
        if sum(points.values()) > LIMIT:
            wrong.append(f"{sum(points.values())} points are more than {LIMIT}")
    print(f"{len(attack.numbered)} pasted functions earn {sum(points.values())} points", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run(main, sys.argv))
