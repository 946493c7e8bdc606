"""(instructors) Make what students get: a folder, or a zip.

It holds the files that tools/handout.txt lists and freshly cut stubs: no answer key, unless --self-study asks for it, and
nothing for instructors. Before
anything is written it is built in build/handout and graded: what check-course finds, a stub that does not compile or
one that earns points stops it. The first time it builds the whole course, in some minutes on two cores; later
only what changed.
"""

import os
import re
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import handout, handout_trial
from course.errors import CourseError
from course.sources import manifest
from course.sources.files import File, refuse_what_is_there, write_folder, write_zip

TOP_FOLDER = "linear-attention-labs"  # what the zip unpacks to


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", type=Path,
                        help="a folder that does not exist yet, or is empty; a name that ends in .zip means a zip file")
    parser.add_argument("--zip", action="store_true", help="make OUT a zip file, whatever its name")
    parser.add_argument("--dirty", action="store_true",
                        help="also from a tree with changes that are not committed or not cut")
    parser.add_argument("--self-study", action="store_true",
                        help="with the answers, which ./course answer shows after an exercise passes")
    parser.add_argument("--version", metavar="DATE", default="",
                        help="as in 2027-01-15; a later handout needs a later one (default: that of the commit)")


def run(root: Path, options: Namespace) -> int:
    if options.version and not re.match(r"\d{4}-\d\d-\d\d( |$)", options.version):
        raise CourseError(f"'{options.version}' is not a version; write a date first, as in --version 2027-01-15")
    files = handout.gather(root, options.dirty, options.version, options.self_study)
    refuse_what_is_there(options.out)
    os.environ.setdefault("LINATTN_COMPILER_CACHE", str(root / "build" / "ccache"))  # as in the clone itself
    _try_it(root, files)
    if options.zip or options.out.suffix == ".zip":
        write_zip(options.out, files, TOP_FOLDER)
    else:
        write_folder(options.out, files)
    labs = manifest.load(root)
    answers = "the answers in .answers" if options.self_study else "no solution text"
    print(f"{options.out}: {len(files)} files, {len(labs)} labs ({', '.join(lab.name for lab in labs)}), {answers}")
    return 0


def _try_it(root: Path, files: dict[str, File]) -> None:
    print(f"trying the handout in {handout_trial.FOLDER}: it takes minutes at first, seconds later …", file=sys.stderr)
    began = time.monotonic()
    if found := handout_trial.findings(root, files):
        print("\n".join(found), file=sys.stderr)
        raise CourseError(f"the course cannot be given out like this, for the reason{'s' * (len(found) != 1)} named above; "
                          "nothing was written; fix that")
    print(f"it builds, and every stub is TODO ({time.monotonic() - began:.0f} s)", file=sys.stderr)
