"""A track's build folder: configure it, build it the first time, run its tests."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from course.build import build_lock, dates, graded_file, process_group
from course.build.progress_line import ProgressLine
from course.errors import CourseError
from course.sources import version
from course.sources.manifest import Exercise, Lab


class BuildTree:
    def __init__(self, root: Path, track: str):
        self.root = root
        self.track = track
        self.folder = root / "build" / track
        self.results = self.folder / "results"
        self.log = self.folder / "check.log"
        self._lock = build_lock.NONE

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """While no other run works in the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = build_lock.take(str(self.folder))
        try:
            yield
        finally:
            build_lock.release(self._lock)
            self._lock = build_lock.NONE

    def prepare(self, manifests: list[Path], labs: list[Lab]) -> None:
        """Configures where needed, and shows progress while labs are built for the first time."""
        built = self.folder / "built_once"
        dates.set_back(str(self.root), str(self.folder))
        if self._must_configure(manifests):
            shutil.rmtree(built, ignore_errors=True)
            self._configure()
        if new := self.never_built(labs):
            self._build(new)
            built.mkdir(exist_ok=True)
            for name in new:
                (built / name).touch()

    def never_built(self, labs: list[Lab]) -> list[str]:
        """The names of those of which this version of the course was not built yet, which takes its time."""
        since = _changed_at(self.root / version.FILE)
        return [lab.name for lab in labs
                if _changed_at(self.folder / "built_once" / lab.name) <= since and self._can_be_read(lab)]

    def build(self, labs: list[Lab]) -> list[Lab]:
        """Brings the programs of these labs up to date, and returns the labs that do not build; programs.log says why."""
        with self.locked(), open(self.folder / "programs.log", "w", encoding="utf-8") as log:
            self.prepare([lab.manifest for lab in labs], labs)
            return [lab for lab in labs if not (self._can_be_read(lab) and self.makes([f"{lab.name}_check"], log))]

    def make(self, target: str, log: str) -> bool:
        """Builds a program besides those that grade; the words go to a file of this name."""
        with self.locked(), open(self.folder / log, "w", encoding="utf-8") as words:
            return self.makes([target], words)

    def program(self, target: str, log: str, advice: str) -> Path:
        """The same; where it cannot be built, the compiler's words are shown, and the advice is what to do about them."""
        if not self.make(target, log):
            print((self.folder / log).read_text(encoding="utf-8", errors="replace").rstrip(), file=sys.stderr)
            raise CourseError(f"{target} could not be built in build/{self.track}; the compiler's output is above; {advice}")
        return self.folder / target

    def _started(self, command: list[str], **options: Any) -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
        """It keeps the lock when we are killed and it is not."""
        lock = () if self._lock == build_lock.NONE else (self._lock,)
        return process_group.started(command, cwd=self.root, stderr=subprocess.STDOUT, pass_fds=lock, **options)

    def run_tests(self, exercises: list[Exercise]) -> set[str]:
        """Runs these exercises; the words go to the log, the verdicts to result files. Returns the names of those that
        ctest does not call passed."""
        names = "|".join(re.escape(exercise.name) for exercise in exercises)
        failed = self.folder / "Testing" / "Temporary" / "LastTestsFailed.log"
        failed.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", str(self.folder), "-R", f"^({names})$", "--no-tests=error", "--output-on-failure",
                   "-j", str(os.cpu_count() or 1)]
        environment = os.environ | {"LINATTN_RESULTS_ONLY": "1", build_lock.HELD: str(self.folder)}
        with open(self.log, "w", encoding="utf-8") as log, self._started(command, env=environment, stdout=log) as ctest:
            if ctest.wait() == 0:
                return set()
        said = failed.read_text(encoding="utf-8", errors="replace").splitlines() if failed.exists() else []  # "3:lab02.inclusive_scan"
        named = {line.partition(":")[2] for line in said}
        return {exercise.name for exercise in exercises
                if not named or not named.isdisjoint((exercise.name, f"{exercise.lab}.build"))}

    def _can_be_read(self, lab: Lab) -> bool:
        """A compiler would wait for ever for a file that is no ordinary one. The lab's first test says which it is."""
        return not any(graded_file.rejection_reason(str(self.root / self.track / source)) for source in lab.sources)

    def _must_configure(self, manifests: list[Path]) -> bool:
        ninja = self.folder / "build.ninja"
        return (not ninja.exists() or bool(self._belongs_to())
                or any(manifest.stat().st_mtime > ninja.stat().st_mtime for manifest in manifests))

    def _belongs_to(self) -> str:
        """The other course that the cache speaks of, where this one was copied or moved."""
        cache = self.folder / "CMakeCache.txt"
        text = cache.read_text(encoding="utf-8", errors="replace") if cache.exists() else ""
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.M)
        return home[1] if home and Path(home[1]).resolve() != self.root.resolve() else ""

    def _configure(self) -> None:
        other = self._belongs_to()
        print(f"configuring build/{self.track} …" if not other else f"build/{self.track} belongs to {other}: configuring it anew …",
              file=sys.stderr, flush=True)
        if other:  # cmake --fresh does this, from 3.24 on
            (self.folder / "CMakeCache.txt").unlink()
            shutil.rmtree(self.folder / "CMakeFiles", ignore_errors=True)
        with self._started(["cmake", "--preset", self.track], stdout=subprocess.PIPE) as cmake:
            output = cmake.communicate()[0]
        if cmake.returncode != 0:
            print(output.rstrip(), file=sys.stderr)
            raise CourseError(f"CMake could not configure build/{self.track}; its output is above; fix that, "
                              f"or remove build/{self.track} and try again")

    def _build(self, labs: list[str]) -> None:
        """What does not compile is no matter here: the tests build again and say so in better words."""
        print(f"building {', '.join(labs)} in build/{self.track}; the first time takes "
              f"{'up to a minute' if len(labs) == 1 else 'up to a few minutes'} on two cores …", file=sys.stderr, flush=True)
        began = time.monotonic()
        with open(self.log, "w", encoding="utf-8") as log:
            built = self.makes([f"{lab}_check" for lab in labs], log, "-k", "0")
        print(f"{'built' if built else 'stopped'} after {time.monotonic() - began:.0f} s", file=sys.stderr)

    def makes(self, targets: list[str], log: TextIO, *options: str) -> bool:
        """Whether they could be built. What takes long says how far it is, to a terminal at once, to a pipe now and then."""
        began, line_of_progress = time.monotonic(), ProgressLine()
        command = ["cmake", "--build", str(self.folder), "--target", *targets, "--", *options]
        with self._started(command, env=os.environ | {"NINJA_STATUS": "[%f/%t] "}, stdout=subprocess.PIPE) as ninja:
            for line in ninja.stdout or ():
                log.write(line)
                if step := re.match(r"\[(\d+)/(\d+)\]", line):
                    line_of_progress.show(_how_far(step, time.monotonic() - began))
            built = ninja.wait() == 0
        line_of_progress.end()
        return built


def _how_far(step: re.Match[str], seconds: float) -> str:
    """What is left is told once a fifth is done; before that, it would be a guess."""
    done, steps = int(step[1]), int(step[2])
    left = f", about {seconds * (steps - done) / done:.0f} s left" if 5 * done >= steps else ""
    return f"{step[0]} {seconds:.0f} s{left}"


def _changed_at(path: Path) -> float:
    """0 for what does not exist."""
    return path.stat().st_mtime if path.exists() else 0
