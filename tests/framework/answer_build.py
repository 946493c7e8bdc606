"""Builds a lab's check program around another answer, and grades it: one compilation and one link, nothing configured.

The commands are those of the build folder, so that an answer is compiled as a student's file is, with two differences: a
warning is no error (it is none to a student), and the results lie in a folder of their own.
"""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from case_file import put_into
from course.errors import CourseError
from course.manifest import Lab

NOT_COMPILED = "does not compile"
PATIENCE = 120  # seconds for an exercise: that others use the machine is no reason to refuse a right answer


@dataclass(frozen=True)
class Verdict:
    status: str  # pass, fail, todo, crash, timeout, not_run; or NOT_COMPILED
    points: float
    max_points: float
    mistakes: list
    message: str


class AnswerBuild:
    """`build` is a built tree of the reference track, `place` a folder that may be overwritten."""

    def __init__(self, root: Path, build: Path, place: Path):
        self.root, self.build, self.place = root.resolve(), build.resolve(), place.resolve()
        database = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        self._compile = {Path(entry["file"]).name: shlex.split(entry["command"]) for entry in database
                         if re.search(r"/lab\d\d_graded(_kernels)?\.dir/", entry["command"])}

    def grade(self, lab: Lab, cases: list, slot: str) -> dict:
        """Function → Verdict, for cases of different exercises that stand in for the reference at the same time."""
        place = self.place / slot
        shutil.rmtree(place, ignore_errors=True)
        (place / "student").mkdir(parents=True)
        objects, words = {}, ""
        for source in lab.sources:
            here = [case for case in cases if source in lab.sources_of(_exercise(lab, case))]
            if here:
                replaced, said = self._compiled(lab, source, here, place)
                objects |= replaced
                words += said
        exercises, program = place / f"{lab.name}_exercises", place / f"{lab.name}_check"
        if not words:
            words = self._linked(exercises, objects)
            shutil.copy2(self.build / program.name, program)  # it starts the program beside it
        verdicts = {}
        for case in cases:
            if words:
                verdicts[case.function] = Verdict(NOT_COMPILED, 0, _exercise(lab, case).points, [], words)
            else:
                verdicts[case.function] = self._graded(lab, case.function, program, place)
        exercises.unlink(missing_ok=True)  # 10 MB each
        return verdicts

    def _compiled(self, lab: Lab, source: str, cases: list, place: Path) -> tuple:
        """The object that takes the place of another, and the compiler's words where there is none."""
        path = self.root / "reference" / source
        text = put_into(path.read_text(encoding="utf-8"), f"reference/{source}",
                        {exercise.function for exercise in lab.exercises}, cases)
        written = place / "student" / source
        written.write_text(text, encoding="utf-8")
        command = [word for word in self._compile[source] if word != "-Werror"]
        original = command[command.index("-o") + 1]
        new = str(place / f"{source}.o")
        command[command.index("-o") + 1] = new
        command[command.index("-c") + 1] = str(written)
        return {original: new}, self._run(command)

    def _linked(self, program: Path, objects: dict) -> str:
        listing = subprocess.run(["ninja", "-C", self.build, "-t", "commands", program.name], check=True,
                                 capture_output=True, text=True).stdout
        linking = re.sub(r"^: && | && :$", "", listing.splitlines()[-1])
        command = shlex.split(linking)
        if missing := set(objects) - set(command):
            raise CourseError(f"{program.name} is not linked with {missing.pop()}; answer_build.py does not know this build")
        command = [objects.get(word, word) for word in command]
        command[command.index("-o") + 1] = str(program)
        return self._run(command)

    def _run(self, command: list) -> str:
        done = subprocess.run(command, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        return (done.stdout or f"{command[0]} failed") if done.returncode else ""

    def _graded(self, lab: Lab, function: str, program: Path, place: Path) -> Verdict:
        patient = json.loads(lab.manifest.read_text(encoding="utf-8"))
        patient["timeout_seconds"] = max(patient.get("timeout_seconds", 0), PATIENCE)
        changed = place / lab.folder.name / "lab.json"
        changed.parent.mkdir(exist_ok=True)
        changed.write_text(json.dumps(patient), encoding="utf-8")
        subprocess.run([program, "--manifest", changed, "--exercise", function, "--results", place / "results"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        written = place / "results" / f"{lab.name}.{function}.json"
        if not written.exists():
            raise CourseError(f"{program.name} left no result for {function}; run it by hand in {place}")
        result = json.loads(written.read_text(encoding="utf-8"))
        return Verdict(result["status"], result["points"], result["max_points"], result["mistakes"], result["message"])


def _exercise(lab: Lab, case):
    return next(exercise for exercise in lab.exercises if exercise.function == case.function)
