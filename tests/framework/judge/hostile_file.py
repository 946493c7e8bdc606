"""The attacks of hostile/ on the program that grades, and what must come of each. A file holds one kind of attack; what stands
above its first attack belongs to all of them, together with what the lab's file includes.

    /// file_without_end [lab01 relu=fail|crash]: A file grows without end …     name, statuses that exercises may have, idea
    // hides: root:                                  may be missing: words that no message may contain
    // beside: ../CMakeLists.txt: message(poisoned)  may be missing: another file of the submission, and its text

What the brackets leave out: the lab is lab01, the file its first, and the status of every other exercise (*) todo. An attack
with an #include line of its own gets nothing from above. The stubs of the exercises that it does not define are put below it.
Where it defines `possible()`, relu answers only if that returns true, and is todo otherwise: then the box let it do what it
must not do.

Each exercise has a box of its own, so attacks of one file go into one submission where they can: those of lab01 that say nothing
of other exercises and do nothing outside of relu or possible(). Each stands in the place of another exercise then.
"""

import dataclasses
import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from course.sources import manifest
from course.sources.source_pieces import definitions

FOLDER = Path(__file__).parent / "hostile"
STATUSES = {"pass", "fail", "todo", "crash", "timeout", "build"}
ANSWERS_IF_POSSIBLE = """
Tensor linattn::relu(const Tensor& x) {
    if (possible()) return maximum(x, 0);
    throw NotImplemented("relu");
}
"""
# The most that a submission holds: functions with relu's arguments, for which an attack's wrong answers are wrong, too; x, for
# which they may be right, only where there is nothing but possible(); and relu, where the attack's answer may be right.
PLACES = ("relu", "elu_plus_one", "softmax_features", "polynomial_features", "identity")
ALONE = re.compile(r"\[\[gnu::|__attribute__|\basm\b|^namespace|^template|operator|extern|^ *#|^Tensor linattn::(?!relu\()|"
                   r"Tensor linattn::relu\(.*;$", re.M)


@dataclass(frozen=True)
class Attack:
    name: str
    lab: manifest.Lab
    source: str
    submission: str  # the name of the one that it is in
    expected: dict  # exercise → the statuses it may have
    hidden: list
    beside: list  # (path in student/, text)
    above: str
    text: str
    idea: str

    def submit(self, root: Path, folder: Path) -> None:
        """Writes the submission that holds this attack, or puts it into the one that is there."""
        student = folder / "student"
        student.mkdir(parents=True, exist_ok=True)
        file = student / self.source
        file.write_text(self._file(file if file.exists() else root / "student" / self.source, not file.exists()))
        for path, text in self.beside:
            (student / path).parent.mkdir(parents=True, exist_ok=True)
            (student / path).write_text(text + "\n")

    def _file(self, begun: Path, first: bool) -> str:
        stub, text = begun.read_text(), self.text
        lines = stub.splitlines(keepends=True)
        functions = [exercise.function for exercise in self.lab.exercises]
        for each in reversed(definitions(stub)):
            if (first or each.name in functions) and re.search(rf"[\w)>&]\s+(linattn::)?{each.name}\((?:[^(){{}}]|\([^()]*\))*\)\s*[{{;]", text):
                del lines[each.first_line - 1:each.last_line]
        if not first:
            return f"{''.join(lines)}\n{text}"
        includes = [] if "#include" in text else re.findall(r"^#include .*\n", stub, re.M)
        above = "".join([*includes, self.above]) if includes else ""
        if re.search(r"^Tensor linattn::", text, re.M):
            above += "using linattn::Tensor;\n"
        return f"{above}{text}\n{''.join(lines)}"


def read(path: Path, labs: list) -> list:
    above, *attacks = re.split(r"^(?=/// )", path.read_text(), flags=re.M)
    return _put_together([_attack(path.stem, above, text, labs) for text in attacks])


def _attack(kind: str, above: str, text: str, labs: list) -> Attack:
    name, given = re.match(r"/// (\w+)(?: \[(.*)\])?:\s", text).groups(default="")
    parts = re.split(r",? ", given) if given else []
    lab = next(lab for lab in labs if lab.name == next((part for part in parts if part.startswith("lab")), "lab01"))
    cells = {part.partition("=")[0]: set(part.partition("=")[2].split("|")) for part in parts if "=" in part}
    functions = [exercise.function for exercise in lab.exercises]
    if wrong := set(cells) - {"*", *functions} or set().union(*cells.values()) - STATUSES:
        raise ValueError(f"hostile/{kind}.cpp, {name}: {lab.name} knows no {wrong.pop()}")
    expected = {function: cells.get(function, cells.get("*", {"todo"})) for function in functions}
    hidden, beside = (re.findall(rf"^// {key}: (.*)$", text, re.M) for key in ("hides", "beside"))
    return Attack(name, lab, next((part for part in parts if "." in part), lab.sources[0]), name,
                  expected, hidden, [tuple(file.split(": ", 1)) for file in beside], above,
                  text + ANSWERS_IF_POSSIBLE if "bool possible()" in text else text, _idea(text))


def _places(attack: Attack) -> tuple:
    """The exercises in whose place it can stand, the best first; none where it needs a submission of its own."""
    code = re.sub(r"^//.*\n", "", attack.text, flags=re.M)
    others = {name: each for name, each in attack.expected.items() if name != "relu"}
    if attack.lab.name != "lab01" or ALONE.search(code) or not re.search(r"^Tensor linattn::relu\(", code, re.M) or \
            attack.beside or any(each != {"todo"} for each in others.values()):
        return ()
    return PLACES[::-1] if ANSWERS_IF_POSSIBLE in code else PLACES[:1] if "maximum(" in code else PLACES[3::-1]


def _put_together(attacks: list) -> list:
    submissions: dict = {}  # name → place → attack
    for attack in attacks:
        free = [(name, place) for name, taken in submissions.items() for place in _places(attack) if place not in taken]
        name, place = free[0] if free else (attack.name, next(iter(_places(attack)), ""))
        if place:
            submissions.setdefault(name, {})[place] = attack.name
    found = {name: (submission, place) for submission, taken in submissions.items() for place, name in taken.items()}
    return [_in_place(attack, *found[attack.name], submissions) if attack.name in found else attack for attack in attacks]


def _in_place(attack: Attack, submission: str, place: str, submissions: dict) -> Attack:
    expected = {place: attack.expected["relu"]}
    if attack.name == submission:  # it answers for what is in no place
        expected |= {name: {"todo"} for name in attack.expected if name not in submissions[submission]}
    text = re.sub(r"\brelu\b", place, re.sub(r"\bpossible\b", f"possible_in_{place}", attack.text))
    return dataclasses.replace(attack, submission=submission, expected=expected, text=text)


def _idea(text: str) -> str:
    comment = [line for line in takewhile(lambda line: line.startswith("//"), text.splitlines())
               if not re.match(r"// (hides|beside): ", line)]
    return " ".join(line.strip("/ ") for line in comment).partition(": ")[2]


def read_all(labs: list) -> list:
    return [attack for path in sorted(FOLDER.glob("*.cpp")) for attack in read(path, labs)]
