"""Where the files of the repository are found in the site: chapters, pages, contracts, exercises."""

import posixpath
import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.site import instructors, markdown
from course.site.chapter import exercise_heading
from course.site.headings import headings
from course.sources import manifest
from course.sources.source_pieces import declares
from course.verdicts import mistakes
from course.verdicts.mistakes import Mistake

PAGES = ("start", "setup", "working", "primer", "uses", "relatives", "memory", "fast_kernels", "measurements", "training", "grading",
         "papers", "errata", "glossary", "architecture")  # docs/<name>.md, in both editions
FOR_INSTRUCTORS = ("answers", "instructors", "threat_model", "authors")  # in theirs
# labs/vocabulary/<name>.hpp, quoted in the primer
WORDS = ("tensor", "linear_algebra", "random", "attention", "named", "model", "contract")


class SiteLab(manifest.Lab):
    """With what only the site asks of a lab."""
    @property
    def number(self) -> str:
        return self.name.removeprefix("lab")

    @property
    def short_title(self) -> str:
        """For narrow places: "Warm-up" of "Warm-up: tensors in C++"."""
        return re.split("[:,]", self.title)[0]

    @property
    def page(self) -> str:
        """The chapter's."""
        return f"{self.name}.html"

    @property
    def path(self) -> str:
        """Of its folder in the repository."""
        return f"labs/{self.folder.name}"

    @cached_property
    def headers(self) -> list[Path]:
        """Those that say which exercise a function solves. What the others declare is nobody's to write."""
        solves = {path: re.search(r"\\solves\{\d+,(\d+)\}", path.read_text(encoding="utf-8")) for path in sorted(self.folder.glob("*.hpp"))}
        found = {path: int(first[1]) for path, first in solves.items() if first}
        return sorted(found, key=lambda path: found[path])

    def declares(self, function: str) -> bool:
        return any(declares(header.read_text(encoding="utf-8"), function) for header in self.headers)


@dataclass(eq=False)
class SiteMap:
    root: Path
    edition: str
    tree: BuildTree | None  # whose programs list the mistakes; None for a site without them
    not_built: list[str]  # names of labs whose program is missing, or older than the lab
    figures: dict[str, Path] = field(default_factory=dict)  # URL → file, for those that a page shows
    complaints: list[str] = field(default_factory=list)  # what is to be fixed, in the form of a compiler's messages

    def __post_init__(self) -> None:
        self.labs = [SiteLab(**vars(lab)) for lab in manifest.load(self.root)]
        self.caught = mistakes.kill_matrix(self.root)
        self.labels = {f"docs/{name}.md": "index" if name == "start" else name for name in PAGES}
        if self.edition == "instructor":
            self.labels |= {f"docs/{name}.md": name for name in FOR_INSTRUCTORS
                            if (self.root / "docs" / f"{name}.md").is_file()}
        self.labels |= {f"{lab.path}/README.md": lab.name for lab in self.labs}
        self.headers = {str(header.relative_to(self.root)): f"group__{lab.name}__functions.html"
                        for lab in self.labs for header in lab.headers}
        self.headers |= {f"labs/vocabulary/{name}.hpp": f"primer.html#words-{name}" for name in WORDS}
        self.slugs = {path: {heading.slug: heading.title for heading in headings(self.text(path))}
                      for path in self.labels}

    @cache
    def text(self, path: str) -> str:
        try:
            text = (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CourseError(f"{path} is missing; the site needs it; restore it from the repository") from None
        return text if self.edition == "instructor" else instructors.blanked(path, text)

    @cache
    def mistakes(self, lab: SiteLab) -> dict[manifest.Exercise, list[Mistake]]:
        """Exercise → its mistakes, for those that have some; none, and a complaint, while the lab has no program."""
        listed: list[Mistake] = []
        try:
            if self.tree and lab.name in self.not_built:
                raise CourseError(f"{lab.name} does not compile, so the site leaves out its mistakes; "
                                  f"./course check {lab.name} --track {self.tree.track} says why")
            if self.tree and (self.root / "tests" / lab.folder.name).is_dir():
                listed = mistakes.of_lab(self.tree, lab).mistakes
        except CourseError as error:
            self.complaints.append(str(error))
        return {exercise: of_it for exercise in lab.exercises
                if (of_it := [mistake for mistake in listed if mistake.exercise == exercise.function])}

    def verdict(self, lab: SiteLab, mistake: Mistake) -> dict[str, str]:
        """Its row of the last kill matrix; empty without one."""
        return self.caught.get((lab.name, mistake.exercise, mistake.name), {})

    def complain(self, where: str, what: str) -> None:
        self.complaints.append(f"{where}: {what}")

    def exercise(self, lab: SiteLab, exercise: manifest.Exercise) -> str:
        """The URL of the exercise's section; the chapter's if the section is not there."""
        heading = exercise_heading(self.text(f"{lab.path}/README.md"), exercise)
        return lab.page + (f"#{markdown.anchor(lab.name, heading.slug)}" if heading else "")


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
        return next((self.site_map.exercise(lab, exercise) for lab in self.site_map.labs for exercise in lab.exercises
                     if exercise.name == code), None)

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
