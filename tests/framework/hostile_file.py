"""A file of hostile/: one attack on the program that grades, and what must come of it.

    // class: files                                  what kind of attack it is
    // A file grows without end …                    the idea
    // expects: lab01 relu=fail|crash, *=todo        the status of each exercise; * stands for all others; or: lab01 unusable
    // file: lab05_chunkwise_kernel.cu               which file it is, where the lab has several
    // hides: root:                                  may be missing: words that no message may contain
    // link: student -> reference                    may be missing: a link in the submission, to a file of the course
    // beside: ../CMakeLists.txt: message(poisoned)  may be missing: another file of the submission, and its text

The stubs of the exercises that it does not define are put below it. Where it defines `possible()`, relu is right if that
returns true: then the attack earns a point exactly when the box lets it do what it must not do.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from course import manifest
from course.source_pieces import definitions

FOLDER = Path(__file__).parent / "hostile"
STATUSES = {"pass", "fail", "todo", "crash", "timeout", "build"}
RIGHT_IF_POSSIBLE = """
namespace linattn {
Tensor relu(const Tensor& x) {
    if (possible()) return maximum(x, 0);
    throw NotImplemented("relu");
}
}
"""


@dataclass(frozen=True)
class Attack:
    name: str
    kind: str
    lab: manifest.Lab
    source: str
    expected: dict  # exercise → the statuses it may have; empty: the submission is unusable
    hidden: list
    links: list  # (path in student/, target)
    beside: list  # (path in student/, text)
    text: str

    def submit(self, root: Path, folder: Path) -> None:
        """Writes the submission that holds this attack."""
        student = folder / "student"
        student.mkdir(parents=True)
        if "#include" in self.text:
            (student / self.source).write_text(self.text + self._stubs(root), encoding="utf-8")
        for path, text in self.beside:
            (student / path).parent.mkdir(parents=True, exist_ok=True)
            (student / path).write_text(text + "\n", encoding="utf-8")
        for path, target in self.links:
            if path == "student":
                shutil.rmtree(student)
            (folder / path if path == "student" else student / path).symlink_to(root / target)

    def _stubs(self, root: Path) -> str:
        text = self.text + RIGHT_IF_POSSIBLE if "bool possible()" in self.text else self.text
        stub = (root / "student" / self.source).read_text(encoding="utf-8")
        lines = stub.splitlines(keepends=True)
        for each in reversed(definitions(stub)):
            if re.search(rf"[\w)>&]\s+{each.name}\((?:[^(){{}}]|\([^()]*\))*\)\s*[{{;]", text):
                del lines[each.first_line - 1:each.last_line]
        return text.removeprefix(self.text) + "\n" + "".join(lines)


def read(path: Path, labs: list) -> Attack:
    text = path.read_text(encoding="utf-8")
    words = {key: re.findall(rf"^// {key}: (.*)$", text, re.M)
             for key in ("class", "expects", "file", "hides", "link", "beside")}
    name, _, table = words["expects"][0].partition(" ")
    lab = next(lab for lab in labs if lab.name == name)
    if table == "unusable":
        table = ""
    cells = {cell.partition("=")[0]: set(cell.partition("=")[2].split("|")) for cell in table.split(", ") if cell}
    functions = [exercise.function for exercise in lab.exercises]
    if wrong := set(cells) - {"*", *functions} or set().union(*cells.values()) - STATUSES:
        raise ValueError(f"{path}: {lab.name} knows no {wrong.pop()}")
    return Attack(path.stem, words["class"][0], lab, (words["file"] or [lab.sources[0]])[0],
                  {function: cells.get(function, cells.get("*")) for function in functions if cells}, words["hides"],
                  [tuple(link.split(" -> ")) for link in words["link"]],
                  [tuple(file.split(": ", 1)) for file in words["beside"]], text)


def read_all(labs: list) -> list:
    return [read(path, labs) for path in sorted(FOLDER.glob("*.cpp"))]
