"""The attacks of hostile/ on the program that grades, and what must come of each. A file holds one kind of attack; what stands
above its first attack belongs to all of them, together with what the lab's file includes.

    /// file_without_end [lab01 relu=fail|crash]: A file grows without end …     name, statuses that exercises may have, idea
    // hides: root:                                  may be missing: words that no message may contain
    // link: student -> reference                    may be missing: a link in the submission, to a file of the course
    // beside: ../CMakeLists.txt: message(poisoned)  may be missing: another file of the submission, and its text

What the brackets leave out: the lab is lab01, the file its first, and the status of every other exercise (*) todo. An attack
with an #include line of its own gets nothing from above. The stubs of the exercises that it does not define are put below it.
Where it defines `possible()`, relu is right if that returns true: then the attack earns a point exactly when the box lets it
do what it must not do.
"""

import re
import shutil
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from course import manifest
from course.source_pieces import definitions

FOLDER = Path(__file__).parent / "hostile"
STATUSES = {"pass", "fail", "todo", "crash", "timeout", "build"}
RIGHT_IF_POSSIBLE = """
Tensor linattn::relu(const Tensor& x) {
    if (possible()) return maximum(x, 0);
    throw NotImplemented("relu");
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
    above: str
    text: str
    idea: str

    def submit(self, root: Path, folder: Path) -> None:
        """Writes the submission that holds this attack."""
        student = folder / "student"
        student.mkdir(parents=True)
        if not self.links:
            (student / self.source).write_text(self._file(root), encoding="utf-8")
        for path, text in self.beside:
            (student / path).parent.mkdir(parents=True, exist_ok=True)
            (student / path).write_text(text + "\n", encoding="utf-8")
        for path, target in self.links:
            if path == "student":
                shutil.rmtree(student)
            (folder / path if path == "student" else student / path).symlink_to(root / target)

    def _file(self, root: Path) -> str:
        stub = (root / "student" / self.source).read_text(encoding="utf-8")
        text = self.text + RIGHT_IF_POSSIBLE if "bool possible()" in self.text else self.text
        lines = stub.splitlines(keepends=True)
        for each in reversed(definitions(stub)):
            if re.search(rf"[\w)>&]\s+(linattn::)?{each.name}\((?:[^(){{}}]|\([^()]*\))*\)\s*[{{;]", text):
                del lines[each.first_line - 1:each.last_line]
        includes = [] if "#include" in text else re.findall(r"^#include .*\n", stub, re.M)
        above = "".join([*includes, self.above]) if includes else ""
        if re.search(r"^Tensor linattn::", text, re.M):
            above += "using linattn::Tensor;\n"
        return f"{above}{text}\n{''.join(lines)}"


def read(path: Path, labs: list) -> list:
    above, *attacks = re.split(r"^(?=/// )", path.read_text(encoding="utf-8"), flags=re.M)
    return [_attack(path.stem, above, text, labs) for text in attacks]


def _attack(kind: str, above: str, text: str, labs: list) -> Attack:
    name, given = re.match(r"/// (\w+)(?: \[(.*)\])?:\s", text).groups(default="")
    parts = re.split(r",? ", given) if given else []
    lab = next(lab for lab in labs if lab.name == next((part for part in parts if part.startswith("lab")), "lab01"))
    cells = {part.partition("=")[0]: set(part.partition("=")[2].split("|")) for part in parts if "=" in part}
    functions = [exercise.function for exercise in lab.exercises]
    if wrong := set(cells) - {"*", *functions} or set().union(*cells.values()) - STATUSES:
        raise ValueError(f"hostile/{kind}.cpp, {name}: {lab.name} knows no {wrong.pop()}")
    expected = {function: cells.get(function, cells.get("*", {"todo"})) for function in functions}
    hidden, links, beside = (re.findall(rf"^// {key}: (.*)$", text, re.M) for key in ("hides", "link", "beside"))
    return Attack(name, kind, lab, next((part for part in parts if "." in part), lab.sources[0]),
                  {} if "unusable" in parts else expected, hidden, [tuple(link.split(" -> ")) for link in links],
                  [tuple(file.split(": ", 1)) for file in beside], above, text, _idea(text))


def _idea(text: str) -> str:
    comment = [line for line in takewhile(lambda line: line.startswith("//"), text.splitlines())
               if not re.match(r"// (hides|link|beside): ", line)]
    return " ".join(line.strip("/ ") for line in comment).partition(": ")[2]


def read_all(labs: list) -> list:
    return [attack for path in sorted(FOLDER.glob("*.cpp")) for attack in read(path, labs)]
