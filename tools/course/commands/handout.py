"""(instructors) Make what students get: a folder, or a zip.

It holds the files that tools/handout.txt lists and freshly cut stubs: no answer key, nothing for instructors.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from course import handout, manifest
from course.files import write_folder, write_zip

TOP_FOLDER = "linear-attention-labs"  # what the zip unpacks to


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", type=Path, help="a folder that does not exist yet, or is empty")
    parser.add_argument("--zip", action="store_true", help="make OUT a zip file")
    parser.add_argument("--dirty", action="store_true", help="also from a tree with changes that are not committed or not cut")


def run(root: Path, options: Namespace) -> int:
    files = handout.gather(root, options.dirty)
    if options.zip:
        write_zip(options.out, files, TOP_FOLDER)
    else:
        write_folder(options.out, files)
    labs = manifest.load(root)
    print(f"{options.out}: {len(files)} files, {len(labs)} labs ({', '.join(lab.name for lab in labs)}), no solution text")
    return 0
