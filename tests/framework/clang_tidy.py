#!/usr/bin/env python3
"""clang-tidy for all sources of the course, a folder at a time.

usage: clang_tidy.py CLANG_TIDY BUILD_FOLDER

Nearly all of its time goes into the headers that every source includes, so that the sources of a folder are read as one;
those whose names clash with earlier ones are read once more, as another. A compiler's warnings are left to the build under
clang. What was green is not read again before one of its files or headers changes. Exits with 1 if there is a finding.
"""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import workers
from green import Green, digest_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("labs", "training", "grading", "tests/attention", "reference")
CONFIGURATION = ROOT / ".clang-tidy"
FINDING = re.compile(r"(?m)^(?=/.*:\d+:\d+: (?:warning|error):)")  # where one begins
BROKEN = re.compile(r"(/.*?):\d+:\d+: error: .*\[clang-diagnostic-error\]")


def groups(build: Path) -> dict:
    """(folder, what changes the meaning of its sources) → these sources, and the flags with which their headers are found."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["file"])
        folder = next((folder for folder in FOLDERS if source.is_relative_to(ROOT / folder)), "")
        if source.suffix != ".cpp" or not folder:
            continue
        words = shlex.split(entry["command"])
        meaning = tuple(sorted(word for word in words if re.match("-DLINATTN|-m|-std=", word)))
        sources, flags = found.setdefault((Path(folder).name, meaning), ({}, {}))
        sources[source] = None
        flags |= dict.fromkeys(word for word in words if re.match("-I|-DXTENSOR", word))
        flags |= dict.fromkeys(f"-isystem{folder}" for option, folder in zip(words, words[1:]) if option == "-isystem")
    return {key: (sorted(sources), list(flags)) for key, (sources, flags) in found.items()}


class Reader:
    def __init__(self, clang_tidy: str, build: Path):
        self._tidy, self._place = clang_tidy, build / "tidy"
        self._clang = str(Path(clang_tidy).with_name(Path(clang_tidy).name.replace("-tidy", "")))
        self._version = subprocess.run([clang_tidy, "--version"], capture_output=True, text=True).stdout
        self._green = Green(build, "tidy")
        self._place.mkdir(exist_ok=True)

    def findings(self, name: str, sources: list, flags: list) -> tuple:
        """What is found in these sources, in words, and all files that were read."""
        if (files := self._green.kept(name)) and self._green.result(name, self._digest(files, sources, flags)):
            return "", files
        together = self._place / f"{name}.cpp"
        together.write_text("".join(f'#include "{source}"  // NOLINT\n' for source in sources), encoding="utf-8")
        done = subprocess.run([self._tidy, "-quiet", f"--config-file={CONFIGURATION}", together, "--", "-ferror-limit=0", *flags],
                              capture_output=True, text=True)
        said = FINDING.split(done.stdout or done.stderr) if done.returncode else []
        files = self._files_of(together, flags)
        broken = {match[1] for each in said if (match := BROKEN.match(each))}
        apart = []
        if broken and len(sources) > 1:  # the errors of a single one are its own
            headers = broken.difference(map(str, sources))
            apart = [source for source in sources
                     if str(source) in broken or headers and not headers.isdisjoint(self._files_of(source, flags))]
            apart = (apart or sources)[1 - len(sources):]
            said = [each for each in said if not BROKEN.match(each) and not each.startswith(tuple(f"{source}:" for source in apart))]
        found = "".join(said)
        if apart:
            more_found, more_files = self.findings(f"{name}+", apart, flags)
            found, files = found + more_found, sorted({*files, *more_files})
        if not found:
            self._green.keep(name, self._digest(files, sources, flags), files)
        return found, files

    def _files_of(self, source: Path, flags: list) -> list:
        listed = subprocess.run([self._clang, "-M", source, *flags], capture_output=True, text=True).stdout
        return shlex.split(listed.replace("\\\n", " ").partition(":")[2])

    def _digest(self, files: list, sources: list, flags: list) -> str:
        return digest_of([CONFIGURATION, __file__, *files], self._version, *sources, *flags)


def main(clang_tidy: str, build: Path) -> int:
    reader = Reader(clang_tidy, build)

    def findings(numbered: tuple) -> str:
        number, ((folder, meaning), (sources, flags)) = numbered
        return reader.findings(f"{folder}-{number}", sources, ["-w", *meaning, *flags])[0]

    largest_first = sorted(enumerate(sorted(groups(build).items())), key=lambda numbered: -len(numbered[1][1][0]))
    with ThreadPoolExecutor(workers.CORES) as pool:
        found = "".join(pool.map(findings, largest_first))
    print(found, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve()))
