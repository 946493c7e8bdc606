"""docs/architecture.md is true: it names the folders and files that are there, and the includes obey its table."""

import os
import re
import subprocess

import pytest
from conftest import ROOT

from course.sources import manifest

PAGE = (ROOT / "docs" / "architecture.md").read_text()
WITH_SUBFOLDERS = ("labs", "grading", "tools", "tests", "docs", "bench")
LAB = re.compile(r"lab\d\d_\w+")
NEEDS = {lab.folder.name: lab.needs for lab in manifest.load(ROOT)}
CODE = (".hpp", ".cpp", ".cu")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def tracked() -> list:
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def general(name: str) -> str:
    """labs/lab02_parallel_vs_recurrent/ is one of labs/labNN_*/."""
    return LAB.sub("labNN_*", name)


def rows(heading: str) -> list:
    """The cells of every table row below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [re.findall(r"(?<=\|) (.*?) (?=\|)", line) for line in section.splitlines() if line.startswith("| `")]


def folders_in(cell: str) -> list:
    return re.findall(r"`([\w.*/]+)/`", cell)


FILES = tracked()
SOURCES = [name for name in FILES if name.endswith(CODE)]
ALLOWED = {folder: folders_in(" ".join(included)) for files_in, *included in rows("What includes what") for folder in folders_in(files_in)}


def test_every_folder_is_named_and_every_name_is_a_folder():
    there = {"/".join(general(name).split("/")[:depth]) for name in FILES for depth in range(1, name.count("/") + 1)}
    named = [folder for cell, *_ in rows("The rooms") for folder in folders_in(cell)]
    assert len(named) == len(set(named)), "a folder is named twice"
    assert set(named) - there == set(), "these do not exist"
    to_name = {folder for folder in there if "/" not in folder or folder.count("/") == 1 and folder.split("/")[0] in WITH_SUBFOLDERS}
    assert to_name - set(named) == set(), 'docs/architecture.md, "The rooms", does not say what these are'


def test_every_file_that_the_page_names_is_there():
    named = re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|cpp|hpp|cu|cmake|json|md|sh))`", PAGE)
    assert len(named) > 10
    assert [name for name in named if not name.startswith("results/") and not (ROOT / name).is_file()] == []


def room(name: str) -> str:
    """The folder of the table that a file belongs to; "" when it is in none."""
    return max((room for room in ALLOWED if general(name).startswith(f"{room}/")), key=len, default="")


def candidates(source: str, included: str) -> list:
    """The file beside the source, or else all that an include path could lead to."""
    beside = os.path.normpath(os.path.join(os.path.dirname(source), included))
    end = "/" + re.sub(r"^(\.\./)+", "", included)
    return [beside] if beside in SOURCES else [name for name in SOURCES if f"/{name}".endswith(end)]


def permitted(source: str, target: str) -> bool:
    at, to = room(source), room(target)
    own_lab, other_lab = LAB.search(source), LAB.search(target)
    if own_lab and other_lab and source.startswith(("labs/", "tests/")) and own_lab[0] != other_lab[0]:
        return target.startswith("labs/") and other_lab[0][:5] in NEEDS.get(own_lab[0], ())
    return at == to or any(f"{to}/".startswith(f"{each}/") for each in ALLOWED[at]) or at == "tests/labNN_*" and to == "labs/labNN_*"


def forbidden(source: str, text: str) -> list:
    """What the source includes against the table."""
    found = [candidates(source, included) for included in INCLUDE.findall(text)]
    return [f"{source} includes {targets[0]}" for targets in found
            if targets and not any(permitted(source, target) for target in targets)]


def test_every_source_has_a_row_and_includes_run_one_way():
    assert [name for name in SOURCES if not room(name)] == []
    assert [each for source in SOURCES for each in forbidden(source, (ROOT / source).read_text())] == []


@pytest.mark.parametrize("source, included", [
    ("labs/gpu/engine/scheduler.cpp", "labs/vocabulary/tensor.hpp"),
    ("labs/vocabulary/tensor.cpp", "gpu/gpu.hpp"),
    ("labs/lab01_feature_maps/feature_maps.hpp", "linear_attention.hpp"),
    ("tests/lab01_feature_maps/elementwise_test.cpp", "linear_attention.hpp"),
    ("student/lab00_warm_up.cpp", "comparison.hpp"),
    ("tests/attention/oracle.cpp", "linear_attention.hpp"),
    ("tests/attention/oracle.cpp", "../reference/lab00_warm_up.cpp"),
    ("grading/compare/comparison.cpp", "oracle.hpp"),
    ("grading/call/trial.cpp", "explain.hpp"),
    ("grading/compare/comparison.cpp", "../../reference/lab00_warm_up.cpp"),
    ("bench/speed.cpp", "reference/lab00_warm_up.cpp")])
def test_an_include_the_other_way_would_be_found(source, included):
    assert len(forbidden(source, f'#include "{included}"\n')) == 1
