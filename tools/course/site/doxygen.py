"""Runs Doxygen, and puts the site in its place when it is whole."""

import html
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from course.build_tree import BuildTree
from course.errors import CourseError
from course.site import source
from course.site.site_map import FOR_INSTRUCTORS, SiteMap, lab_folders

INSTALL = "run ./course setup --with-docs"
STYLES = ("", "-sidebar-only", "-sidebar-only-darkmode-toggle")  # of doxygen-awesome
SCRIPTS = {"darkmode-toggle": "DarkModeToggle", "fragment-copy-button": "FragmentCopyButton",
           "paragraph-link": "ParagraphLink", "interactive-toc": "InteractiveToc"}
MATHJAX = ("MathJax.js", "extensions", "jax/element/mml", "jax/input/TeX", "jax/output/SVG")
OTHER_FONTS = shutil.ignore_patterns("[A-SU-Z]*")  # of jax/output/SVG/fonts only TeX is used


def build(root: Path, edition: str, tree: BuildTree) -> tuple:
    """Returns the start page, and what is to be fixed: dead links, undocumented parameters and the like."""
    site = root / "build" / "docs" / edition
    site.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=site.parent, prefix=f".{edition}.") as name:
        folder = Path(name)
        complaints = _build_in(folder, root, edition, tree)
        shutil.rmtree(site, ignore_errors=True)
        site.mkdir()
        (folder / "html").rename(site / "html")
    return site / "html" / "index.html", complaints


def _build_in(folder: Path, root: Path, edition: str, tree: BuildTree) -> list:
    awesome = _find("doxygen-awesome-css", "doxygen-awesome.css")
    mathjax = _find("javascript/mathjax", "MathJax.js")
    site_map = SiteMap(root, edition, lab_folders(root, edition), tree)
    source.write(folder / "input", site_map)
    _copy_files(folder / "html", site_map, mathjax)
    said = _run(["doxygen", "-"], _config(folder, root, site_map, awesome), folder)
    if not (folder / "html" / "index.html").exists():
        raise CourseError(f"Doxygen wrote no site: {' '.join(said)}")
    _remove_clutter(folder / "html")
    return site_map.complaints + said


def _copy_files(site: Path, site_map: SiteMap, mathjax: Path) -> None:
    for url, figure in site_map.figures.items():
        (site / url).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(figure, site / url)
    for part in MATHJAX:
        target = site / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (mathjax / part).is_file():
            shutil.copyfile(mathjax / part, target)
        else:
            shutil.copytree(mathjax / part, target, ignore=_unused)


def _unused(folder: str, names: list) -> list:
    return OTHER_FONTS(folder, names) if folder.endswith("SVG/fonts") else []


def _config(folder: Path, root: Path, site_map: SiteMap, awesome: Path) -> str:
    theme = root / "docs" / "theme"
    layout = _layout((theme / "layout.xml").read_text(encoding="utf-8"), site_map)
    (folder / "layout.xml").write_text(layout, encoding="utf-8")
    (folder / "header.html").write_text(_page_header(folder), encoding="utf-8")
    brief = {"student": "Write linear attention yourself", "instructor": "Instructors' edition: not for students"}
    values = {
        "INPUT": [folder / "input"],
        "FILE_PATTERNS": ["*.md", "*.dox", "*.hpp"],
        "OUTPUT_DIRECTORY": [folder],
        "PROJECT_BRIEF": [brief[site_map.edition]],
        "LAYOUT_FILE": [folder / "layout.xml"],
        "HTML_HEADER": [folder / "header.html"],
        "HTML_EXTRA_STYLESHEET": [*(awesome / f"doxygen-awesome{name}.css" for name in STYLES), theme / "site.css"],
        "HTML_EXTRA_FILES": [awesome / f"doxygen-awesome-{name}.js" for name in SCRIPTS],
        "MATHJAX_CODEFILE": [theme / "mathjax.js"]}
    lines = [f'@INCLUDE = "{root / "docs" / "Doxyfile"}"']
    lines += [f"{key} = " + " ".join(f'"{value}"' for value in of_key) for key, of_key in values.items()]
    return "\n".join(lines) + "\n"


def _layout(template: str, site_map: SiteMap) -> str:
    def tab(page: str, title: str) -> str:
        return f'<tab type="user" visible="yes" url="@ref {page}" title="{html.escape(title)}"/>'

    tabs = {
        "@LABS@": [tab(lab.name, f"{lab.number} {lab.short_title}") for lab in site_map.labs if lab.chapter is not None],
        "@CONTRACTS@": [tab(lab.group, f"Lab {lab.number}") for lab in site_map.labs if lab.headers],
        "@INSTRUCTOR@": [tab(name, title) for name, title in FOR_INSTRUCTORS.items() if name in site_map.labels.values()]}
    return re.sub("@[A-Z]+@", lambda place: "\n".join(tabs[place[0]]), template)


def _page_header(folder: Path) -> str:
    """Doxygen's own header, with the theme's scripts and the language added."""
    _run(["doxygen", "-w", "html", "default.html", "footer.html", "default.css"], "", folder)
    header = (folder / "default.html").read_text(encoding="utf-8").replace("<html xmlns", '<html lang="en" xmlns')
    script = '<script type="text/javascript"'
    scripts = "".join(f'{script} src="$relpath^doxygen-awesome-{name}.js"></script>\n' for name in SCRIPTS)
    scripts += f"{script}>{''.join(f'DoxygenAwesome{name}.init();' for name in SCRIPTS.values())}</script>\n"
    return header.replace("</head>", scripts + "</head>")


def _remove_clutter(site: Path) -> None:
    """Pages of folders that nobody asked for, "More..." behind first sentences, a space between ( and a formula."""
    for page in site.glob("dir_*.html"):
        page.unlink()
    for page in site.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = re.sub(r' *<a href="[^"]*">More\.\.\.</a>', "", text)
        page.write_text(re.sub(r"([(\[]) (?=\\\()", r"\1", text), encoding="utf-8")


def _run(command: list, stdin: str, folder: Path) -> list:
    """The lines it has to say, in which the files of `folder` have the names they have in the repository."""
    try:
        result = subprocess.run(command, input=stdin, cwd=folder, text=True, encoding="utf-8", errors="replace",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except FileNotFoundError:
        raise CourseError(f"{command[0]} is not on the PATH; {INSTALL}") from None
    said = result.stdout.replace(f"{folder}/input/", "").replace(f"{folder}/", "")
    return [line for line in said.splitlines() if line]


def _find(folder: str, file: str) -> Path:
    for prefix in ("/usr", "/usr/local", "/opt/homebrew"):
        if (Path(prefix) / "share" / folder / file).is_file():
            return Path(prefix) / "share" / folder
    raise CourseError(f"{folder} is not installed; {INSTALL}")
