"""(authors) Make a new lab that works at once: lab 00 under another name, with its two exercises.

Its tests are green from the start. Replace the chapter, the contracts, the answer key, the suite and the mistakes piece
by piece (docs/authors.md).
"""

import re
import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import stubs, tables
from course.errors import CourseError
from course.sources import manifest
from course.sources.files import File, write_folder, write_whole

MODEL = "lab00"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("lab", metavar="labNN_title", help="the name of its folders and files, as in lab10_mixture")
    parser.add_argument("--title", help="as people read it (default: made from the name)")


def run(root: Path, options: Namespace) -> int:
    name = re.fullmatch(r"(lab\d\d)_([a-z][a-z0-9_]*)", options.lab)
    if not name:
        raise CourseError(f"'{options.lab}' is not the name of a lab; write it as lab10_mixture: lab, two digits, _, "
                          "small letters, digits and _")
    _refuse_taken(root, name[1], name[2])
    if options.title and re.search(r'["\\\n]', options.title):
        raise CourseError("a title is one line without quotes and backslashes; choose another")
    fresh = stubs.cut_all(root)
    if stubs.drifted(root, fresh) or stubs.record_is_stale(root, fresh):
        raise CourseError("student/ is not what reference/ gives; run ./course cut first, so that the new stub can join it")

    changes = _changes(manifest.load(root)[0], name[1], name[2], options.title or name[2].replace("_", " ").capitalize())
    written = []
    try:
        for folder in ("reference", "tests", "labs"):
            for model in (root / folder).glob(f"{MODEL}*"):
                written.append(model.with_name(_changed(model.name, changes)))
                if model.is_file():
                    write_whole(written[-1], _changed(model.read_text(encoding="utf-8"), changes))
                else:
                    write_folder(written[-1], {_changed(path.relative_to(model).as_posix(), changes):
                                               File.of(_changed(path.read_text(encoding="utf-8"), changes))
                                               for path in model.rglob("*") if path.is_file()})
    except CourseError:
        for path in written:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        raise
    stubs.write(root, stubs.cut_all(root), force=False)
    tables.update(root, manifest.load(root))
    for path in written:
        print(f"wrote {path.relative_to(root)}")
    print(f"next: ./course check {name[1]} --track reference, then replace the example piece by piece (docs/authors.md)")
    return 0


def _changes(model: manifest.Lab, lab: str, slug: str, title: str) -> list[tuple[str, str]]:
    """What to write (a regular expression) → what instead."""
    number = str(int(lab[3:]))
    functions = [(rf"\b(expected_)?{each.function}(?=\b|_mistakes)", rf"\g<0>_{lab[3:]}") for each in model.exercises]
    return [(re.escape(model.title), title), (rf"(# Lab ){MODEL[3:]}: .*", rf"\g<1>{lab[3:]}: {title}"),
            (rf"(?<=[Ll]ab ){MODEL[3:]}\b", lab[3:]), (MODEL, lab), (model.folder.name.partition("_")[2], slug),
            (r"(?<![\d.])0\.([12])\b", rf"{number}.\1"), (r"(?<=\\solves\{)0,", f"{number},"), *functions]


def _changed(text: str, changes: list[tuple[str, str]]) -> str:
    for pattern, instead in changes:
        text = re.sub(pattern, instead, text)
    return text


def _refuse_taken(root: Path, lab: str, slug: str) -> None:
    taken = [path for folder in ("labs", "reference", "student", "tests") for path in (root / folder).glob(f"{lab}_*")]
    for path in sorted(taken):
        raise CourseError(f"{path.relative_to(root)} already exists; choose another number")
    headers = [root / folder / f"{slug}.hpp" for folder in ("labs/vocabulary", "tests/attention")]
    headers += root.glob(f"grading/*/{slug}.hpp")
    for header in filter(Path.is_file, headers):
        raise CourseError(f"there is a {header.name} already, and the lab's header gets that name; choose another")
