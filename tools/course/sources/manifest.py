"""labs/labNN_*/lab.json: which labs there are, their files, and their exercises in order."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError, did_you_mean
from course.sources.source_pieces import defines

LIKE_A_LAB = re.compile(r"(?i)(?:.*/)?[a-z]{0,3}[ _-]?(\d+)(?:[ _-]\w*)?(?:\.(?:cpp|hpp|cu))?/?")  # Lab2, 2, student/lab02_tests.cpp


@dataclass(frozen=True)
class Exercise:
    lab: str
    function: str
    points: int
    minutes: int
    section: str
    solved: bool = False  # comes solved, as an example
    stretch: bool = False  # ★: never needed by a later lab
    kernel: bool = False  # runs on a GPU, too

    @property
    def name(self) -> str:
        return f"{self.lab}.{self.function}"

    @property
    def tests(self) -> bool:
        """Whether it consists of tests of another exercise."""
        return self.function.startswith("test_")


@dataclass(frozen=True)
class Lab:
    name: str
    title: str
    folder: Path
    sources: tuple[str, ...]
    exercises: tuple[Exercise, ...]
    needs: tuple[str, ...] = ()  # labs to do first
    given: tuple[str, ...] = ()  # sources in the lab's folder that are linked with the student's

    def sources_of(self, exercise: Exercise) -> list[str]:
        """Where it stands: a kernel in the .cu files, tests of a function in the file of tests, anything else in the others."""
        return [source for source in self.sources
                if (source.endswith(".cu"), source.endswith("_tests.cpp")) == (exercise.kernel, exercise.tests)]

    def source_with(self, exercise: Exercise, folder: Path) -> Path | None:
        """The file in `folder` that defines it."""
        paths = [folder / name for name in self.sources_of(exercise)]
        return next((path for path in paths if path.is_file()
                     and defines(path.read_text(encoding="utf-8", errors="replace"), exercise.function)), None)

    @property
    def manifest(self) -> Path:
        return self.folder / "lab.json"

    @property
    def chapter(self) -> Path:
        return self.folder / "README.md"

    @property
    def hints(self) -> Path:
        return self.folder / "hints.md"


def load(root: Path) -> list[Lab]:
    """Every lab, in order."""
    paths = [folder / "lab.json" for folder in sorted((root / "labs").glob("lab[0-9][0-9]_*"))]
    for path in paths:
        if not path.exists():
            _refuse_lost(root, path.relative_to(root).as_posix())
    labs = [read(root, path) for path in paths if path.exists()]
    if not labs:
        raise CourseError("no lab found; labs/labNN_*/lab.json; is this a complete copy of the repository?")
    return labs


def read(root: Path, path: Path) -> Lab:
    where = path.relative_to(root)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        lab = Lab(data["lab"], data["title"], path.parent, tuple(data["sources"]),
                  tuple(Exercise(data["lab"], entry["function"], entry["points"], entry["minutes"], entry["section"],
                                 entry.get("solved", False), entry.get("stretch", False), entry.get("kernel", False))
                        for entry in data["exercises"]), tuple(data.get("needs", ())), tuple(data.get("given", ())))
    except ValueError as error:
        raise CourseError(f"{where} is not JSON; {error}; fix it there") from None
    except KeyError as error:
        raise CourseError(f"{where} lacks {error}; see the other labs' lab.json; add it") from None
    except (TypeError, AttributeError):
        raise CourseError(f"{where} does not have the form of a manifest; compare the other labs' lab.json") from None

    if not path.parent.name.startswith(f"{lab.name}_"):
        raise CourseError(f"{where} says it is {lab.name!r}; its folder says otherwise; make them agree")
    functions = [exercise.function for exercise in lab.exercises]
    for function in functions:
        if not re.fullmatch(r"[a-z]\w*", function):
            raise CourseError(f"{where} names an exercise {function!r}; that is not a function name; fix it there")
        if functions.count(function) > 1:
            raise CourseError(f"{where} names {function} twice; keep one")
    return lab


def _refuse_lost(root: Path, name: str) -> None:
    """A file that was handed out. (In a clone, a folder without it is a lab that is being written.)"""
    from course.sources.handout_record import not_as_handed_out  # only now: most runs do without it
    if name in not_as_handed_out(root):
        raise CourseError(f"{name} is missing; take it from the zip of the handout again")


def find_exercise(labs: list[Lab], name: str) -> tuple[Lab, Exercise]:
    """The lab and the exercise called labNN.function, or just function: it is only in one lab."""
    every = [(lab, exercise) for lab in labs for exercise in lab.exercises]
    found = [(lab, exercise) for lab, exercise in every if name in (exercise.name, exercise.function)]
    if len(found) == 1:
        return found[0]
    names = [exercise.name for _, exercise in every]
    if found:
        raise CourseError(f"'{name}' is an exercise of several labs; name one: {', '.join(e.name for _, e in found)}")
    lab = _lab_meant(name, labs)
    if lab and name in (lab.name, lab.folder.name):
        raise CourseError(f"{name} is a lab; name an exercise: {', '.join(exercise.name for exercise in lab.exercises)}")
    raise CourseError(f"there is no exercise '{name}'; {_meant(f'{lab.name}.' if lab else name, names)}")


def select(labs: list[Lab], names: list[str]) -> list[Exercise]:
    """The exercises that `names` mean (labNN, a lab's folder, labNN.function, function), in the manifests' order; none: all."""
    chosen: set[Exercise] = set()
    for name in names:
        lab = next((lab for lab in labs if name in (lab.name, lab.folder.name)), None)
        if lab:
            chosen.update(lab.exercises)
        elif meant := _lab_meant(name, labs):
            raise CourseError(f"there is no lab '{name}'; did you mean {meant.name}?")
        elif re.fullmatch(r"(?i)labs?\d*(_\w*)?", name):
            raise CourseError(f"there is no lab '{name}'; the labs are {', '.join(lab.name for lab in labs)}")
        else:
            chosen.add(find_exercise(labs, name)[1])
    return [exercise for lab in labs for exercise in lab.exercises if not names or exercise in chosen]


def _lab_meant(name: str, labs: list[Lab]) -> Lab | None:
    """The one whose number is in a name that is no exercise's."""
    number = LIKE_A_LAB.fullmatch(name)
    return next((lab for lab in labs if number and int(lab.name[3:]) == int(number[1])), None)


def _meant(name: str, names: list[str]) -> str:
    """What to write instead of an unknown name: what resembles it, else what its lab has, else all the labs."""
    lab, _, function = name.rpartition(".")
    of_lab = [known for known in names if known.startswith(f"{lab or name}.")]
    candidates = {known.partition(".")[2]: known for known in of_lab or names}
    if suggestion := did_you_mean(function, candidates):
        return suggestion
    if of_lab:
        return f"{lab or name} has {', '.join(of_lab)}"
    return f"./course check lists those of {', '.join(dict.fromkeys(known.partition('.')[0] for known in names))}"
