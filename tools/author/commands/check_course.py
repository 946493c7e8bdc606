"""(authors) Say what the labs lack: a hint, a mistake, a suite, a section, a row in the README.

One line for each finding, with the file and the fix. The labs' programs are built first, for the reference: they list
their suites and mistakes. Exit status: 1 when there is a finding.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import completeness
from course.sources import manifest
from course.verdicts import mistakes


def arguments(parser: ArgumentParser) -> None:
    pass


def run(root: Path, options: Namespace) -> int:
    tree = mistakes.tree(root)
    found = completeness.findings(root, tree)
    print("\n".join(found), end="\n" if found else "")
    if found:
        return 1
    labs = manifest.load(root)
    print(f"the course is complete: {len(labs)} labs, {sum(len(lab.exercises) for lab in labs)} exercises, "
          f"{sum(len(mistakes.of_lab(tree, lab).mistakes) for lab in labs)} mistakes")
    return 0
