"""Makes a submission's runner: the commands that make labNN_runner, repeated in a box with the submission's files.

In the box everything lies where it lies outside, so that the precompiled header fits; in the place of the answer key are the
submission's files, under student/.
"""

import dataclasses
import fcntl
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import TextIO

from author.judge import uncounted
from author.judge.box import Box, open_to_box, read_log
from course.build import build_commands, process_group
from course.build.build_tree import BuildTree
from course.build.ctest import explain_build
from course.errors import CourseError
from course.sources.files import write_whole
from course.sources.manifest import Lab
from course.sources.plain_text import plain


MOST_NAMES = 5  # in a message
READY = "LINATTN_JUDGE_READY"  # in the environment: the judge that a class began with, as state() has it


@dataclasses.dataclass(frozen=True)
class Plan:
    commands: tuple[str, ...]  # of the shell, one after the other
    inputs: tuple[str, ...]  # what they read and do not make
    outputs: tuple[str, ...]  # the folders that they write to


class Judge:
    """The programs that grade, in the build folder where they are made."""

    def __init__(self, root: Path, box: type[Box] = Box):
        self.root = root
        self.tree = BuildTree(root, "reference")
        self.folder = self.tree.folder
        self.box = box(self.folder / "box")

    def prepare(self, labs: list[Lab]) -> None:
        """Brings the judge up to date, once for a class: what ready() started finds it so."""
        if os.environ.get(READY):
            return self.refuse_another(labs)
        with self.tree.locked():
            self.tree.prepare([lab.manifest for lab in labs], [])
            self._build(labs)

    def _build(self, labs: list[Lab]) -> None:
        log = self.folder / "judge.log"
        with open(self.folder / "judge.lock", "w", encoding="utf-8") as lock, open(log, "w", encoding="utf-8") as out:
            fcntl.flock(lock, fcntl.LOCK_EX)
            targets = ["judge_box", *(f"{lab.name}_{what}" for lab in labs for what in ("check_judge", "runner"))]
            if not self.tree.makes(targets, out) and not (self._runs(["cmake", str(self.folder)], out)
                                                          and self.tree.makes(targets, out)):
                raise CourseError(f"the judge could not be built; {log} says why; what went wrong stands in the last "
                                  "lines; where a header or library is missing: ./course setup --with-grading")
            for lab in labs:
                self._keep_plan(lab)

    def _runs(self, command: list[str], out: TextIO) -> bool:
        with process_group.started(command, stdout=out, stderr=subprocess.STDOUT) as process:
            return process.wait() == 0

    def state(self, labs: list[Lab]) -> str:
        """A line for each of the labs' programs, which changes when it is built again."""
        programs = [self.folder / f"{lab.name}_{what}" for lab in labs for what in ("check_judge", "exercises_judge", "runner")]
        return "\n".join(f"{program} {program.stat().st_mtime_ns}" for program in programs)

    def refuse_another(self, labs: list[Lab]) -> None:
        """A suite and a runner of two states would not understand each other, and the student would seem to crash."""
        began = os.environ.get(READY)
        if began and not set(self.state(labs).splitlines()) <= set(began.splitlines()):
            raise CourseError("the judge was built again since this class was begun; ./course grade … --resume goes on with it")

    def _plan_file(self, lab: Lab) -> Path:
        return self.folder / "box" / f"{lab.name}_runner.json"

    def plan(self, lab: Lab) -> Plan:
        return Plan(**json.loads(self._plan_file(lab).read_text(encoding="utf-8")))

    def _keep_plan(self, lab: Lab) -> None:
        """How a runner is made, as ninja says it, where ninja's own file is newer than the last answer."""
        kept, ninja = self._plan_file(lab), self.folder / "build.ninja"
        if not kept.exists() or kept.stat().st_mtime < ninja.stat().st_mtime:
            write_whole(kept, json.dumps(dataclasses.asdict(self._ask_ninja(lab))))

    def _ask_ninja(self, lab: Lab) -> Plan:
        commands: list[str] = []
        inputs: dict[str, None] = {}
        outputs: dict[str, None] = {}
        for line in build_commands.commands(self.folder, f"{lab.name}_runner"):
            if not re.search(rf"\b{lab.name}_graded", line) or "_pch.dir/cmake_pch.hxx.gch -c" in line:
                continue
            line = line.replace(f" {self.root}/reference/", f" {self.root}/student/")
            commands.append(re.sub(r" -Werror(?= )", "", line))
            for word in shlex.split(line):
                path = self.folder / word
                if f"{lab.name}_graded" in word:
                    outputs[str(path.parent)] = None
                elif "cmake_pch.hxx" in word:
                    inputs[str(path.parent)] = None
                elif path.suffix in (".o", ".a") and path.is_relative_to(self.folder):
                    inputs[str(path)] = None
                elif re.match(r"-I/|/", word):
                    outside = Path(word.removeprefix("-I"))
                    if not any(outside.is_relative_to(known) for known in (str(self.root), "/usr", "/bin")) and outside.exists():
                        inputs[str(outside)] = None
        return Plan(tuple(commands), tuple(inputs), tuple(outputs))

    def build(self, lab: Lab, student: Path, out: Path) -> str:
        """Makes the lab's runner in out/build/ of the files in `student`, which has all of the lab's. Returns why not."""
        plan, log, made = self.plan(lab), out / "log", out / "build"
        open_to_box(made, [made / Path(folder).relative_to(self.folder) for folder in plan.outputs])
        labs = self.root / "labs"
        see = ["--ro-bind", str(labs), str(labs), "--ro-bind", str(student), str(self.root / "student"),
               "--bind", str(made), str(self.folder)]
        for path in plan.inputs:
            see += ["--ro-bind", path, path]
        for command in plan.commands:
            if not self.box.compile(command, self.folder, see, log):
                return self._explain(lab, student, command, read_log(log))
            if unseen := self._uncounted(lab, command, see, student, made, log):
                return unseen
        runner = made / f"{lab.name}_runner"
        if runner.is_symlink() or not runner.is_file():
            return f"{lab.name} could not be linked"
        return ""

    def _uncounted(self, lab: Lab, command: str, see: list[str], student: Path, made: Path, log: Path) -> str:
        """Why what was compiled is not graded: the cost of all of it must be counted. Empty where it is."""
        words = shlex.split(command)
        if "-fsanitize-coverage=trace-pc" not in words or "-c" not in words:
            return ""
        out, source = f"{words[words.index('-o') + 1]}.ii", os.path.basename(words[words.index("-c") + 1])
        words[words.index("-o") + 1], words[words.index("-c")] = out, "-E"
        if not self.box.compile(shlex.join([*words, "-fpch-preprocess"]), self.folder, see, log) or (made / out).is_symlink():
            return self._explain(lab, student, command, read_log(log))
        headers = ("<", "/usr/", f"{self.root}/labs/", f"{self.folder}/", *self.plan(lab).inputs)
        refused = uncounted.found((student / source).read_bytes(), (made / out).read_bytes().decode(errors="replace"), headers)
        return plain(f"student/{source} has what may keep its steps from being counted, so nothing of {lab.name} was graded: "
                     f"{', '.join(refused[:MOST_NAMES])}. Leave out assembler, line directives, and attributes and pragmas that "
                     "change how the file is compiled, such as no_sanitize_coverage") if refused else ""

    def _explain(self, lab: Lab, student: Path, command: str, output: str) -> str:
        sources = [str(student / source) for source in lab.sources]
        failed = explain_build.FailedBuild(lab.name, str(lab.manifest), sources,
                                           f"{lab.name} cannot be built with this submission, as it can with the answer key")
        of = next((source for source in lab.sources if f"/student/{source}" in command), "")
        mark = f"FAILED: {lab.name}_graded {of}\n" if of else ""
        said = output.replace(f"{self.root}/student/", f"{student}/")
        words = failed.explain(mark + said)[0].replace(mark, "").replace(f"{student}/", "student/")
        words = words.replace(f"{self.folder}/", "").replace(f"{self.root}/", "")
        words = re.sub(rf"CMakeFiles/{lab.name}_graded\w*\.dir/reference/(\S+)\.o\b", r"student/\1", words)
        return plain(re.sub(r"/tmp/cc\w+\.s\b", "what the compiler made of it", words))
