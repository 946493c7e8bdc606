"""Builds a lab's check program around another answer, and grades it: one compilation and one link, nothing configured.

The commands are those of the build folder, so that an answer is compiled as a student's file is, with two differences: a
warning is no error (it is none to a student), and the results lie in a folder of their own.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from author.case_file import put_into
from conftest import changed_manifest
from course.build import build_commands
from course.errors import CourseError
from course.sources.cutter import Cut
from course.sources.manifest import Lab

NOT_COMPILED = "does not compile"
PATIENCE = 120  # seconds for an exercise: that others use the machine is no reason to refuse a right answer


@dataclass(frozen=True)
class Verdict:
    status: str  # pass, fail, todo, crash, timeout, not_run; or NOT_COMPILED
    points: float
    max_points: float
    mistakes: list
    message: str
    changes: int = 0  # how many small changes make every check pass, where no mistake is named


class AnswerBuild:
    """`build` is a built tree of the reference track, `place` a folder that may be overwritten."""

    def __init__(self, root: Path, build: Path, place: Path):
        self.root, self.build, self.place = root.resolve(), build.resolve(), place.resolve()
        self._compile = build_commands.graded(self.build)

    def grade(self, lab: Lab, cases: list, slot: str) -> dict:
        """Function → Verdict, for cases of different exercises that stand in for the reference at the same time."""
        texts, sources = {}, {source: self.exercises_in(lab, source) for source in lab.sources}
        for case in cases:
            if not any(case.function in there for there in sources.values()):
                raise CourseError(f"reference/ has no BEGIN SOLUTION in {case.function}, whose place a case takes; add it there")
        for source, there in sources.items():
            here = [case for case in cases if case.function in there]
            if here:
                texts[source] = put_into((self.root / "reference" / source).read_text(),
                                         f"reference/{source}", {each.function for each in lab.exercises}, here)
        return self.verdicts(lab, texts, [case.function for case in cases], slot)

    def verdicts(self, lab: Lab, texts: dict, functions: list, slot: str, *flags: str) -> dict:
        """Function → Verdict, with these texts, compiled with more flags, in the place of sources of the reference."""
        place = self.place / slot
        shutil.rmtree(place, ignore_errors=True)
        (place / "student").mkdir(parents=True)
        objects, words = {}, ""
        for source, text in texts.items():
            replaced, said = self._compiled(source, text, place, flags)
            objects |= replaced
            words += said
            if not said and source.endswith(".cu"):
                objects |= self._dynamic_memory(*replaced.popitem(), place)
        exercises, program = place / f"{lab.name}_exercises", place / f"{lab.name}_check"
        words = words or self.linked(exercises, objects)
        if words:
            points = {exercise.function: exercise.points for exercise in lab.exercises}
            return {function: Verdict(NOT_COMPILED, 0, points[function], [], words) for function in functions}
        # Beside the program that it starts. By cp: what this process has open to write cannot be started, and neither can what
        # a child of another thread has got from it.
        subprocess.run(["cp", self.build / program.name, place], check=True)
        verdicts = {function: self._graded(lab, function, program, place) for function in functions}
        exercises.unlink()  # 10 MB each
        return verdicts

    def _compiled(self, source: str, text: str, place: Path, flags: tuple) -> tuple:
        """The object that takes the place of another, and the compiler's words where there is none."""
        written = place / "student" / source
        written.write_text(text)
        new = place / f"{source}.o"
        return {self.object_of(source): str(new)}, self._run([*self.compile_command(source, written, new), *flags])

    def _dynamic_memory(self, original: str, kernels: str, place: Path) -> dict:
        """What name_dynamic_memory() in cmake/kernels.cmake makes: the memory behind `extern __shared__` arrays."""
        library = original.split(".dir/")[0] + "_dynamic_memory"
        made = f"{library}.dir/labs/gpu/engine/dynamic_memory.cpp.o"
        commands = build_commands.commands(self.build, made)
        folder = self.build / Path(library).name
        kernel = f"{self.build}/{original.replace('.dir/', '.dir/./')}"  # as cmake writes it; a Path would lose the dot
        scan = next(command for command in commands if f"{folder}/dynamic_arrays.inc" in command)
        if kernel not in scan:
            raise CourseError(f"the command that looks for {made}'s arrays does not name {kernel}")
        for command in (scan.replace(kernel, kernels), commands[-1].replace(made, str(place / "dynamic_memory.o"))):
            if words := self._run(["sh", "-c", command.replace(str(folder), str(place))]):
                raise CourseError(f"{made} could not be made for {kernels}\n{words}")
            arrays = [(each / "dynamic_arrays.inc").read_text() for each in (folder, place)]
            if arrays[0] == arrays[1]:
                return {}  # those of the reference
        return {made: str(place / "dynamic_memory.o")}

    def exercises_in(self, lab: Lab, source: str) -> set:
        """The exercises that are solved in this source of the reference."""
        text = (self.root / "reference" / source).read_text()
        return set(Cut(text, f"reference/{source}", {exercise.function for exercise in lab.exercises}).stubs)

    def object_of(self, source: str) -> str:
        command = self._compile[source]
        return command[command.index("-o") + 1]

    def compile_command(self, source: str, written: Path, made: Path) -> list:
        """Compiles `written` into `made` as the graded `source` is compiled."""
        return build_commands.compilation(self._compile[source], written, made)

    def linked(self, program: Path, objects: dict, more: list = ()) -> str:
        """Links the lab's program with other objects in the place of some, and with more of them; the linker's words if
        it fails."""
        return self._run(build_commands.link(self.build, program.name, program, objects, more))

    def _run(self, command: list) -> str:
        done = subprocess.run(command, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        return (done.stdout or f"{command[0]} failed") if done.returncode else ""

    def _graded(self, lab: Lab, function: str, program: Path, place: Path) -> Verdict:
        patient = changed_manifest(lab.manifest, place, timeout_seconds=PATIENCE)
        subprocess.run([program, "--manifest", patient, "--exercise", function, "--results", place / "results"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        written = place / "results" / f"{lab.name}.{function}.json"
        if not written.exists():
            raise CourseError(f"{program.name} left no result for {function}; run it by hand in {place}")
        result = json.loads(written.read_text())
        return Verdict(result["status"], result["points"], result["max_points"], result["mistakes"], result["message"])


def run(gate, arguments: list) -> int:
    """gate(tree, names) for the words of a command line, with one thread for each program; returns the exit status."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        return gate(Path(arguments[1]).resolve(), arguments[2:])
    except CourseError as error:
        print(f"{Path(arguments[0]).stem}: {error}", file=sys.stderr)
        return 1
