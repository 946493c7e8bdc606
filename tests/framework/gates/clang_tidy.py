#!/usr/bin/env python3
"""clang-tidy for all sources of the course, a folder at a time.

usage: clang_tidy.py CLANG_TIDY BUILD_FOLDER

Nearly all of its time goes into the headers that every source includes, so that the sources of a folder are read as one;
those whose names clash with earlier ones are read once more, as another. A compiler's warnings are left to the build under
clang. Exits with 1 if there is a finding.
"""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conftest import CORES, ROOT

FOLDERS = ("labs", "training", "grading", "tests/attention", "reference")
CONFIGURATION = ROOT / ".clang-tidy"
FINDING = re.compile(r"(?m)^(?=/.*:\d+:\d+: (?:warning|error):)")  # where one begins
BROKEN = re.compile(r"(/.*?):\d+:\d+: error: .*\[clang-diagnostic-error\]")


def groups(build: Path) -> dict:
    """(folder, what changes the meaning of its sources) → these sources, and the flags with which their headers are found."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
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


def findings(clang_tidy: str, together: Path, sources: list, flags: list) -> str:
    """What is found in these sources, in words, once `together` includes them."""
    together.write_text("".join(f'#include "{source}"  // NOLINT\n' for source in sources))
    done = subprocess.run([clang_tidy, "-quiet", f"--config-file={CONFIGURATION}", together, "--", "-ferror-limit=0", *flags],
                          capture_output=True, text=True)
    said = FINDING.split(done.stdout or done.stderr) if done.returncode else []
    broken = {match[1] for each in said if (match := BROKEN.match(each))}
    if broken and len(sources) > 1:  # the errors of a single one are its own
        headers = broken.difference(map(str, sources))
        apart = [source for source in sources
                 if str(source) in broken or headers and not headers.isdisjoint(files_of(clang_tidy, source, flags))]
        apart = (apart or sources)[1 - len(sources):]
        said = [each for each in said if not BROKEN.match(each) and not each.startswith(tuple(f"{source}:" for source in apart))]
        said.append(findings(clang_tidy, together.with_name(f"{together.stem}+.cpp"), apart, flags))
    return "".join(said)


def files_of(clang_tidy: str, source: Path, flags: list) -> list:
    clang = Path(clang_tidy).with_name(Path(clang_tidy).name.replace("-tidy", ""))
    listed = subprocess.run([clang, "-M", source, *flags], capture_output=True, text=True).stdout
    return shlex.split(listed.replace("\\\n", " ").partition(":")[2])


def main(clang_tidy: str, build: Path) -> int:
    (build / "tidy").mkdir(exist_ok=True)

    def found_in(numbered: tuple) -> str:
        number, ((folder, meaning), (sources, flags)) = numbered
        return findings(clang_tidy, build / "tidy" / f"{folder}-{number}.cpp", sources, ["-w", *meaning, *flags])

    largest_first = sorted(enumerate(sorted(groups(build).items())), key=lambda numbered: -len(numbered[1][1][0]))
    with ThreadPoolExecutor(CORES) as pool:
        found = "".join(pool.map(found_in, largest_first))
    print(found, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve()))
