"""(authors) Make a new lab that works at once: manifest, header, answer key, suite, mistakes, chapter.

It holds a small exercise of each kind of file, to be replaced piece by piece; the tests are green from the start, and
./course check-course says what is left to write.
"""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from author import page_findings, readme, stubs
from course import manifest
from course.cutter import Cut
from course.errors import CourseError
from course.files import File, write_new
from course.source_pieces import KEYWORDS, declares, visible_code


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("lab", metavar="labNN_title", help="the name of its folders and files, as in lab09_gated_attention")
    parser.add_argument("--title", help="as people read it (default: made from the name)")


def run(root: Path, options: Namespace) -> int:
    name = re.fullmatch(r"(lab\d\d)_([a-z][a-z0-9_]*)", options.lab)
    if not name:
        raise CourseError(f"'{options.lab}' is not the name of a lab; write it as lab09_gated_attention: lab, two digits, _, "
                          "small letters, digits and _")
    lab, slug = name.groups()
    _refuse_taken(root, lab, slug)
    title = options.title or slug.replace("_", " ").capitalize()
    if '"' in title or "\\" in title or "\n" in title:
        raise CourseError("a title is one line without quotes and backslashes; choose another")
    fresh = stubs.cut_all(root) if any((root / "labs").glob("lab*/lab.json")) else {}
    if stubs.drifted(root, fresh) or (fresh and stubs.record_is_stale(root, fresh)):
        raise CourseError("student/ is not what reference/ gives; run ./course cut first, so that the new stub can join it")

    source = f"{lab}_{slug}.cpp"
    texts = {target: page_findings.filled_in(template, lab, slug, title) for template, target in {
        "contract.hpp": f"labs/{options.lab}/{slug}.hpp",
        "chapter.md": f"labs/{options.lab}/README.md",
        "hints.md": f"labs/{options.lab}/hints.md",
        "reference.cpp": f"reference/{source}",
        "suite_test.cpp": f"tests/{options.lab}/{slug}_test.cpp",
        "mistakes/mistakes.cpp": f"tests/{options.lab}/mistakes/{slug}.cpp",
        "lab.json": f"labs/{options.lab}/lab.json"}.items()}
    texts[f"student/{source}"] = Cut(texts[f"reference/{source}"], f"reference/{source}", {slug}).text
    write_new(root, {name: File(text.encode()) for name, text in texts.items()})
    stubs.write(root, fresh | {source: texts[f"student/{source}"]}, force=False)
    readme.update(root, manifest.load(root))
    for written in (*texts, "README.md"):
        print(f"wrote {written}")
    print(f"next: ./course check {lab} --track reference, then replace the example piece by piece (docs/authors.md)")
    return 0


def _refuse_taken(root: Path, lab: str, slug: str) -> None:
    for folder in ("labs", "reference", "student", "tests"):
        for path in sorted((root / folder).glob(f"{lab}_*")):
            raise CourseError(f"{folder}/{path.name} already exists; choose another number")
    if slug in KEYWORDS:
        raise CourseError(f"{slug} is a word of C++, and the exercise gets that name; choose another")
    for header in sorted(path for folder in ("labs/vocabulary", "grading", "tests/attention")
                         for path in (root / folder).glob("*.hpp")):
        if header.stem == slug:
            raise CourseError(f"there is a {header.name} already, and the lab's header gets that name; choose another")
    for header in sorted((root / "labs/vocabulary").glob("*.hpp")):
        if re.search(rf"\b{slug}\b", visible_code(header.read_text(encoding="utf-8"))):
            raise CourseError(f"{slug} is taken by labs/vocabulary/{header.name}, and the exercise gets that name; choose another")
    for header in sorted((root / "labs").glob("lab*/*.h*")):
        if declares(header.read_text(encoding="utf-8"), slug):
            raise CourseError(f"labs/{header.parent.name}/{header.name} declares a {slug} already, and the exercise gets "
                              "that name; choose another")
