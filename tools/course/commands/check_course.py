"""(authors) Say what the labs lack: a hint, a mistake, a suite, a section.

One line for each finding, with the file and the fix. Nothing is built. Exit status: 1 when there is a finding.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import completeness, manifest, mistakes


def arguments(parser: ArgumentParser) -> None:
    pass


def run(root: Path, options: Namespace) -> int:
    found = completeness.findings(root)
    print("\n".join(found), end="\n" if found else "")
    if found:
        return 1
    labs = manifest.load(root)
    print(f"the course is complete: {len(labs)} labs, {sum(len(lab.exercises) for lab in labs)} exercises, "
          f"{sum(len(mistakes.of_lab(root, lab)) for lab in labs)} mistakes")
    return 0
