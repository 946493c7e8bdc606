"""A track's build folder: configure it, build it the first time, run its tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from course.errors import CourseError


class BuildTree:
    def __init__(self, root: Path, track: str):
        self.root = root
        self.track = track
        self.folder = root / "build" / track
        self.results = self.folder / "results"
        self.log = self.folder / "check.log"

    def prepare(self, manifests: list, labs: list) -> None:
        """Configures where needed, and shows progress while labs ("lab01") are built for the first time."""
        built = self.folder / "built_once"
        if self._must_configure(manifests):
            shutil.rmtree(built, ignore_errors=True)
            self._configure()
        if new := [lab for lab in labs if not (built / lab).exists()]:
            self._build(new)
            built.mkdir(exist_ok=True)
            for lab in new:
                (built / lab).touch()

    def run_tests(self, exercises: list) -> bool:
        """Runs these exercises; the words go to the log, the verdicts to result files. True when ctest has no complaint."""
        names = "|".join(re.escape(exercise.name) for exercise in exercises)
        with open(self.log, "w", encoding="utf-8") as log:
            ctest = _start(["ctest", "--test-dir", str(self.folder), "-R", f"^({names})$", "--no-tests=error",
                            "--output-on-failure", "-j", str(os.cpu_count() or 1)],
                           cwd=self.root, env=os.environ | {"LINATTN_RESULTS_ONLY": "1"}, stdout=log,
                           stderr=subprocess.STDOUT)
            return ctest.wait() == 0

    def _must_configure(self, manifests: list) -> bool:
        ninja = self.folder / "build.ninja"
        if not ninja.exists() or self._was_moved():
            return True
        return any(manifest.stat().st_mtime > ninja.stat().st_mtime for manifest in manifests)

    def _was_moved(self) -> bool:
        """Whether the cache speaks of another folder: a clone that was renamed or copied."""
        cache = self.folder / "CMakeCache.txt"
        if not cache.exists():
            return False
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(encoding="utf-8", errors="replace"), re.M)
        return bool(home) and Path(home[1]).resolve() != self.root.resolve()

    def _configure(self) -> None:
        print(f"configuring build/{self.track} …", file=sys.stderr)
        if self._was_moved():  # what cmake --fresh does, since CMake 3.24
            (self.folder / "CMakeCache.txt").unlink()
            shutil.rmtree(self.folder / "CMakeFiles", ignore_errors=True)
        command = ["cmake", "--preset", self.track]
        cmake = _start(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = cmake.communicate()[0]
        if cmake.returncode != 0:
            print(output.rstrip(), file=sys.stderr)
            raise CourseError(f"CMake could not configure build/{self.track}; its own words are above; fix that, "
                              f"or remove build/{self.track} and try again")

    def _build(self, labs: list) -> None:
        """What does not compile is no matter here: the tests build again and say so in better words."""
        print(f"building {', '.join(labs)} in build/{self.track}; the first time takes a while …", file=sys.stderr)
        targets = [f"{lab}_check" for lab in labs]
        ninja = _start(["cmake", "--build", str(self.folder), "--target", *targets, "--", "-k", "0"], cwd=self.root,
                       env=os.environ | {"NINJA_STATUS": "[%f/%t] "}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.log, "w", encoding="utf-8") as log:
            for line in ninja.stdout:
                log.write(line)
                step = re.match(r"\[(\d+)/(\d+)\]", line)
                if step and sys.stderr.isatty():
                    print(f"\r  {step[1]} of {step[2]} ", end="", file=sys.stderr, flush=True)
        ninja.wait()
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)


def _start(command: list, **options) -> subprocess.Popen:
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, encoding="utf-8", errors="replace", **options)
    except FileNotFoundError:
        raise CourseError(f"{command[0]} is not on the PATH; run ./course setup") from None
