"""Where the files of the repository are found in the site: chapters, pages, contracts, exercises."""

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path

from course import instructors, manifest, mistakes
from course.build_tree import BuildTree
from course.chapter import exercise_heading
from course.errors import CourseError
from course.headings import headings
from course.mistakes import Mistake
from course.site import markdown
from course.source_pieces import declares

PAGES = ("start", "setup", "primer", "uses", "relatives", "memory", "measurements", "grading", "papers", "errata", "glossary",
         "architecture")  # docs/<name>.md, in both editions
FOR_INSTRUCTORS = ("answers", "instructors", "threat_model", "authors")  # in theirs
# labs/vocabulary/<name>.hpp, quoted in the primer
WORDS = ("tensor", "linear_algebra", "random", "attention", "named", "model", "contract")
EXERCISE = re.compile(r"lab\d\d\.\w+")


@dataclass(frozen=True)
class LabFolder:
    """A lab as far as it is there: one that somebody is still writing may lack its manifest, chapter or headers."""
    name: str
    folder: Path
    lab: manifest.Lab | None = None
    chapter: str | None = None  # its text
    headers: tuple[Path, ...] = ()

    @property
    def number(self) -> str:
        return self.name.removeprefix("lab")

    @property
    def title(self) -> str:
        if self.lab:
            return self.lab.title
        for heading in headings(self.chapter or ""):
            return re.sub(r"^Lab \d+: *", "", heading.title)
        return self.folder.name.partition("_")[2].replace("_", " ")

    @property
    def short_title(self) -> str:
        """For narrow places: "Warm-up" of "Warm-up: tensors in C++"."""
        return re.split("[:,]", self.title)[0]

    @property
    def page(self) -> str | None:
        """The chapter's; None without a chapter."""
        return f"{self.name}.html" if self.chapter is not None else None

    @property
    def exercises(self) -> tuple[manifest.Exercise, ...]:
        return self.lab.exercises if self.lab else ()

    @property
    def group(self) -> str:
        return f"{self.name}_functions"

    def declares(self, function: str) -> bool:
        return any(declares(header.read_text(encoding="utf-8"), function) for header in self.headers)

    @property
    def declared(self) -> list[manifest.Exercise]:
        return [exercise for exercise in self.exercises if self.declares(exercise.function)]


def lab_folders(root: Path, edition: str) -> list[LabFolder]:
    with_manifest = {lab.folder: lab for lab in manifest.load(root)}
    found = []
    for folder in sorted(path for path in (root / "labs").glob("lab[0-9][0-9]_*") if path.is_dir()):
        chapter = folder / "README.md"
        found.append(LabFolder(
            folder.name.partition("_")[0], folder, with_manifest.get(folder),
            _of_edition(root, chapter, edition) if chapter.is_file() else None,
            _contract_headers(folder) if folder in with_manifest else ()))
    return found


def _of_edition(root: Path, page: Path, edition: str) -> str:
    text = page.read_text(encoding="utf-8")
    return text if edition == "instructor" else instructors.blanked(str(page.relative_to(root)), text)


def _contract_headers(folder: Path) -> tuple[Path, ...]:
    """Those that say which exercise a function solves. What the others declare is nobody's to write."""
    solves = {path: re.search(r"\\solves\{\d+,(\d+)\}", path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.hpp"))}
    found = {path: int(first[1]) for path, first in solves.items() if first}
    return tuple(sorted(found, key=lambda path: found[path]))


@dataclass
class SiteMap:
    root: Path
    edition: str
    labs: list[LabFolder]
    tree: BuildTree | None  # whose programs list the mistakes; None for a site without them
    not_built: list[str]  # names of labs whose program is missing, or older than the lab
    figures: dict[str, Path] = field(default_factory=dict)  # URL → file, for those that a page shows
    known_mistakes: dict[str, dict[manifest.Exercise, list[Mistake]]] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)  # what is to be fixed, in the form of a compiler's messages

    def __post_init__(self) -> None:
        self.caught = mistakes.kill_matrix(self.root)
        self.labels = {f"docs/{name}.md": "index" if name == "start" else name for name in PAGES}
        if self.edition == "instructor":
            self.labels |= {f"docs/{name}.md": name for name in FOR_INSTRUCTORS
                            if (self.root / "docs" / f"{name}.md").is_file()}
        for lab in self.labs:
            if lab.chapter is not None:
                self.labels[f"labs/{lab.folder.name}/README.md"] = lab.name
        self.headers = {str(header.relative_to(self.root)): f"group__{lab.group.replace('_', '__')}.html"
                        for lab in self.labs for header in lab.headers}
        self.headers |= {f"labs/vocabulary/{name}.hpp": f"primer.html#words-{name}" for name in WORDS}
        self.slugs = {path: {heading.slug: heading.title for heading in headings(self.text(path))}
                      for path in self.labels}

    def text(self, path: str) -> str:
        try:
            return _of_edition(self.root, self.root / path, self.edition)
        except FileNotFoundError:
            raise CourseError(f"{path} is missing; the site needs it; restore it from the repository") from None

    def mistakes(self, lab: LabFolder) -> dict[manifest.Exercise, list[Mistake]]:
        """Exercise → its mistakes, for those that have some; none, and a complaint, while the lab has no program."""
        if lab.name not in self.known_mistakes:
            listed: list[Mistake] = []
            try:
                if self.tree and lab.name in self.not_built:
                    raise CourseError(f"{lab.name} does not compile, so the site leaves out its mistakes; "
                                      f"./course check {lab.name} --track {self.tree.track} says why")
                if self.tree and lab.lab and (self.root / "tests" / lab.folder.name).is_dir():
                    listed = mistakes.of_lab(self.tree, lab.lab).mistakes
            except CourseError as error:
                self.complaints.append(str(error))
            self.known_mistakes[lab.name] = {
                exercise: of_it for exercise in lab.exercises
                if (of_it := [mistake for mistake in listed if mistake.exercise == exercise.function])}
        return self.known_mistakes[lab.name]

    def verdict(self, lab: LabFolder, mistake: Mistake) -> dict[str, str]:
        """Its row of the last kill matrix; empty without one."""
        return self.caught.get((lab.name, mistake.exercise, mistake.name), {})

    def needed(self, lab: LabFolder) -> list[LabFolder]:
        return [other for other in self.labs if lab.lab and other.name in lab.lab.needs]

    def complain(self, where: str, what: str) -> None:
        self.complaints.append(f"{where}: {what}")

    def exercise(self, lab: LabFolder, exercise: manifest.Exercise) -> str | None:
        """The URL of the exercise's section; the chapter's if the section is not there; None without a chapter."""
        if lab.chapter is None or lab.page is None:
            return None
        heading = exercise_heading(lab.chapter, exercise)
        return lab.page + (f"#{markdown.anchor(lab.name, heading.slug)}" if heading else "")

    def find_exercise(self, name: str) -> tuple[LabFolder, manifest.Exercise] | None:
        """(lab folder, exercise) called labNN.function; None when it is not there."""
        return next(((lab, exercise) for lab in self.labs for exercise in lab.exercises
                     if exercise.name == name), None)


class Links:
    """What one page asks for while it is translated."""

    def __init__(self, site_map: SiteMap, path: str):
        self.site_map = site_map
        self.path = path

    def href(self, target: str, line: int) -> str | None:
        """None for a file of the repository that the site does not show."""
        if re.match(r"https?:|mailto:", target):
            return target
        name, _, slug = target.partition("#")
        path = self._resolve(name, line) if name else self.path
        if path in self.site_map.headers:
            return self.site_map.headers[path]
        if path not in self.site_map.labels:
            return None
        page = f"{self.site_map.labels[path]}.html"
        if not slug:
            return page
        if slug not in self.site_map.slugs[path]:
            self._complain(line, f"{path} has no heading with the anchor #{slug}; fix the link")
            return page
        return f"{page}#{markdown.anchor(self.site_map.labels[path], slug)}"

    def figure(self, target: str, line: int) -> tuple[str, str]:
        """URL and size of a figure, which is then copied beside the page."""
        path = self._resolve(target, line)
        if not path or not (self.site_map.root / path).is_file():
            return target, ""
        url = f"figures/{path.replace('/', '-')}"
        self.site_map.figures[url] = self.site_map.root / path
        return url, _size(self.site_map.root / path)

    def mention(self, code: str) -> str | None:
        """`lab02.inclusive_scan` leads to that exercise; a chapter's own commands stay as they are."""
        found = self.site_map.find_exercise(code) if EXERCISE.fullmatch(code) else None
        return self.site_map.exercise(*found) if found else None

    def _complain(self, line: int, what: str) -> None:
        self.site_map.complain(f"{self.path}:{line}", what)

    def _resolve(self, target: str, line: int) -> str | None:
        """The path in the repository; None, and a complaint, when there is no such file."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), target))
        if path.startswith("..") or not (self.site_map.root / path).exists():
            self._complain(line, f"{target} does not exist; fix the link")
            return None
        return path


def _size(figure: Path) -> str:
    """The room that a figure takes, so that nothing jumps while it loads."""
    if figure.suffix != ".svg":
        return ""
    size = re.search(r'<svg[^>]*\swidth="([\d.]+)"[^>]*\sheight="([\d.]+)"', figure.read_text(encoding="utf-8"), re.S)
    return f' width="{size[1]}" height="{size[2]}"' if size else ""
