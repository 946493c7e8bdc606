"""Runs Doxygen, and puts the site in its place when it is whole."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.site import frame, source
from course.site.site_map import SiteMap

INSTALL = "run ./course setup --with-docs"


def build(root: Path, edition: str, tree: BuildTree | None, not_built: list[str]) -> tuple[Path, list[str]]:
    """Returns the start page, and what is to be fixed: dead links, undocumented parameters and the like.

    The programs of `tree` list the mistakes, save those of the labs that are `not_built`; without a tree there are none.
    """
    site = root / "build" / "docs" / edition
    site.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=site.parent, prefix=f".{edition}.") as name:
        folder = Path(name)
        complaints = _build_in(folder, SiteMap(root, edition, tree, not_built))
        shutil.rmtree(site, ignore_errors=True)
        site.mkdir()
        (folder / "html").rename(site / "html")
    return site / "html" / "index.html", complaints


def _build_in(folder: Path, site_map: SiteMap) -> list[str]:
    awesome = _find("doxygen-awesome-css", "doxygen-awesome.css")
    katex = _find("javascript/katex", "katex.js")
    source.write(folder / "input", site_map)
    said = _run(["doxygen", "-"], _config(folder, site_map.root), folder)
    written, site = folder / "doxygen" / "html", folder / "html"
    if not (written / "index.html").exists():
        raise CourseError(f"Doxygen wrote no site: {' '.join(said)}")
    (site / "figures").mkdir(parents=True)
    for url, figure in site_map.figures.items():
        shutil.copyfile(figure, site / url)
    return site_map.complaints + said + frame.write(written, site, site_map, awesome, katex)


def _config(folder: Path, root: Path) -> str:
    paths = {"@INCLUDE": root / "docs" / "Doxyfile", "LAYOUT_FILE": root / "docs" / "theme" / "layout.xml",
             "INPUT": folder / "input", "OUTPUT_DIRECTORY": folder / "doxygen"}
    return "".join(f'{key} = "{path}"\n' for key, path in paths.items())


def _run(command: list[str], stdin: str, folder: Path) -> list[str]:
    """The lines it has to say, in which the files of `folder` have the names they have in the repository."""
    try:
        result = subprocess.run(command, input=stdin, cwd=folder, text=True, encoding="utf-8", errors="replace",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        raise CourseError(f"{command[0]} is not on the PATH; {INSTALL}") from None
    said = result.stdout.replace(f"{folder}/input/", "").replace(f"{folder}/", "")
    return [line for line in said.splitlines() if line]


def _find(folder: str, file: str) -> Path:
    for prefix in ("/usr", "/usr/local"):
        if (Path(prefix) / "share" / folder / file).is_file():
            return Path(prefix) / "share" / folder
    raise CourseError(f"{folder} is not installed; {INSTALL}")
