"""labs/labNN_*/lab.json: which labs there are, their files, and their exercises in order."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError


@dataclass(frozen=True)
class Exercise:
    lab: str
    function: str
    points: int
    minutes: int
    section: str
    solved: bool = False  # comes solved, as an example
    stretch: bool = False  # ★: never needed by a later lab

    @property
    def name(self) -> str:
        return f"{self.lab}.{self.function}"


@dataclass(frozen=True)
class Lab:
    name: str
    title: str
    folder: Path
    sources: tuple
    exercises: tuple
    needs: tuple = ()  # labs to do first
    given: tuple = ()  # sources in the lab's folder that are linked with the student's

    @property
    def manifest(self) -> Path:
        return self.folder / "lab.json"

    @property
    def chapter(self) -> Path:
        return self.folder / "README.md"


def load(root: Path) -> list:
    """Every lab, in order."""
    labs = [read(root, path) for path in sorted((root / "labs").glob("lab[0-9][0-9]_*/lab.json"))]
    if not labs:
        raise CourseError("no lab found; labs/labNN_*/lab.json; is this a whole copy of the repository?")
    return labs


def read(root: Path, path: Path) -> Lab:
    where = path.relative_to(root)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        lab = Lab(data["lab"], data["title"], path.parent, tuple(data["sources"]),
                  tuple(Exercise(data["lab"], entry["function"], entry["points"], entry["minutes"], entry["section"],
                                 entry.get("solved", False), entry.get("stretch", False))
                        for entry in data["exercises"]), tuple(data.get("needs", ())), tuple(data.get("given", ())))
    except ValueError as error:
        raise CourseError(f"{where} is not JSON; {error}; mend it there") from None
    except KeyError as error:
        raise CourseError(f"{where} lacks {error}; see the other labs' lab.json; add it") from None
    except (TypeError, AttributeError):
        raise CourseError(f"{where} does not have the form of a manifest; compare the other labs' lab.json") from None

    if not path.parent.name.startswith(f"{lab.name}_"):
        raise CourseError(f"{where} says it is {lab.name!r}; its folder says otherwise; make them agree")
    functions = [exercise.function for exercise in lab.exercises]
    for function in functions:
        if not re.fullmatch(r"[a-z]\w*", function):
            raise CourseError(f"{where} names an exercise {function!r}; that is no function name; mend it there")
        if functions.count(function) > 1:
            raise CourseError(f"{where} names {function} twice; keep one")
    return lab


def find_exercise(labs: list, name: str) -> tuple:
    """The lab and the exercise called labNN.function."""
    for lab in labs:
        for exercise in lab.exercises:
            if exercise.name == name:
                return lab, exercise
    every = [exercise.name for lab in labs for exercise in lab.exercises]
    near = [known for known in every if known.startswith(name.partition(".")[0] + ".")]
    raise CourseError(f"there is no exercise '{name}'; the exercises are {', '.join(near or every)}")


def select(labs: list, names: list) -> list:
    """The exercises that `names` mean (labNN, labNN.function, a lab's folder), in the manifests' order; none: all."""
    chosen = set()
    for name in names:
        lab = next((lab for lab in labs if name in (lab.name, lab.folder.name)), None)
        if lab:
            chosen.update(lab.exercises)
        elif "." in name:
            chosen.add(find_exercise(labs, name)[1])
        else:
            raise CourseError(f"there is no lab '{name}'; the labs are {', '.join(lab.name for lab in labs)}")
    return [exercise for lab in labs for exercise in lab.exercises if not names or exercise in chosen]
