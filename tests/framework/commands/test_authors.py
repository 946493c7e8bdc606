"""./course new and ./course check-course: a new lab is complete at once, and what a lab lacks is said with file and fix."""

import errno
import os
import re
from pathlib import Path
from unittest import mock

import pytest
from conftest import ROOT, assert_refused, built_tree, fails_at

from author import completeness
from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.sources import manifest

LAB, REFERENCE = "labs/lab91_gated_attention", "reference/lab91_gated_attention.cpp"
MANIFEST, CHAPTER, HINTS = (f"{LAB}/{name}" for name in ("lab.json", "README.md", "hints.md"))
PROGRAM, MATRIX = "build/reference/lab91_check", "build/reference/kill_matrix.csv"


def new_lab(course, *words):
    """With programs that say they have a suite and a mistake for each exercise."""
    course.course("new", "lab91_gated_attention", *words, status=0)
    for lab in manifest.load(course.root):
        listing = "\n".join(f"suite\t{exercise.function}\nmistake\t{exercise.function}\tforgotten\t§{exercise.section}\tDo it."
                            for exercise in lab.exercises)
        course.write(f"build/reference/{lab.name}_check", f"#!/bin/sh\ncat <<'END'\n{listing}\nEND\n", 0o755)


@pytest.fixture
def course(clone, monkeypatch):
    """A clone with lab00 only, in which nothing is compiled."""
    clone.reset("-fdxq")
    monkeypatch.setattr(BuildTree, "build", lambda *_: [])  # the labs that do not compile
    return clone


@pytest.fixture
def lab91(course):
    new_lab(course)
    return course


@pytest.fixture
def lacks(lab91):
    """All that is found; one line of it has the fragment."""
    def lacks(fragment):
        found = lab91.course("check-course", status=1).stdout.splitlines()
        [line] = [line for line in found if fragment in line]
        assert "; " in line, "no fix is named"
        return found
    return lacks


def test_a_new_lab_works_at_once_and_is_complete(course):
    before = course.files()
    new_lab(course, "--title", "Gated attention: S forgets")
    after = course.files()
    changed = [name for name in before if before[name] != after[name]]
    assert sorted(changed) == ["README.md", "student/.stubs.sha256"], "another file was touched"
    assert "| lab91 | [Gated attention: S forgets](labs/lab91_gated_attention/README.md)" in course.read("README.md")
    assert course.course("check-course").stdout == "the course is complete: 2 labs, 4 exercises, 4 mistakes\n"
    assert course.course("cut", "--check").stdout == ""
    assert "hint 1 of 3" in course.course("hint", "outer_product_91").stdout
    for name in set(after) - set(before) - {f"build/reference/{lab}_check" for lab in ("lab00", "lab91")}:
        assert not re.search(r"lab00|ab 00|warm_up|(row_sums|outer_product)(?!_91)|[^\d.]0\.[12]\b", name + course.read(name)), name
    assert "# Lab 91: Gated attention: S forgets\n" in course.read(CHAPTER)


def test_a_name_that_will_not_do_is_refused(course):
    before = course.files()
    for words, said in ((["lab9_x"], "two digits"), (["lab91"], "lab10_mixture"), (["Lab91_x"], "small letters"),
                        (["lab91_x/../../y"], "not the name of a lab"), (["lab00_again"], "labs/lab00_warm_up already exists"),
                        (["lab91_suite"], "suite.hpp already"), (["lab91_gate", "--title", 'a "title"'], "quotes")):
        assert_refused(course.course("new", *words), said)
    assert course.files() == before
    course.write("student/lab00_warm_up.cpp", "mine")
    assert_refused(course.course("new", "lab91_gate"), "run ./course cut first")


def test_a_write_that_fails_leaves_nothing(course):
    before = course.files()
    for number in range(1, 14):
        with fails_at(number, Path, "write_bytes", errno.ENOSPC):
            assert_refused(course.course("new", "lab91_gated_attention"), "No space left on device")
        assert course.files() == before


@pytest.mark.parametrize("name, old, new, said", [
    (MANIFEST, '"points": 1', '"points": 0', "has no points"),
    (MANIFEST, '"points": 1', '"points": "1"', "has no points"),
    (MANIFEST, '"points": 1, ', "", "lacks 'points'"),
    (MANIFEST, '"minutes": 10', '"minutes": 0', "has no minutes"),
    (MANIFEST, '"timeout_seconds": 10,', "", "has no timeout_seconds"),
    (MANIFEST, '"needs": []', '"needs": ["lab42"]', "needs lab42"),
    (MANIFEST, '"exercises": [', '"exercises": ', "is not JSON"),
    (f"{LAB}/gated_attention.hpp", "row_sums_91(", "sums_91(", "declares no row_sums_91"),
    (CHAPTER, "## 91.1 Row", "## Row", "has no section '## 91.1 …'"),
    (CHAPTER, "### Exercise 91.1: `row_sums_91`", "### Exercise", "no heading '### Exercise 91.1"),
    (HINTS, "<summary>Hint", "<summary>Remark", "has no hint for outer_product_91"),
    (HINTS, "## Exercise 91.2: `", "## Exercise 91.3: `", "has no hint for outer_product_91"),
    (CHAPTER, "## Pitfalls", "<details><summary>Hint 1: a</summary>b</details>\n\n## Pitfalls", "shows hints"),
    (PROGRAM, "suite\trow_sums_91", "", "has no suite with a case for row_sums_91"),
    (PROGRAM, "suite\trow", "suite\tarrow", "no manifest names the suite 'arrow_sums_91'"),
    ("tests/lab91_gated_attention/gated_attention_test.cpp", ".remembers_nothing()", ".result()",
     "the suite 'row_sums_91' passes an answer that keeps"),
    (PROGRAM, "mistake\trow", "mistake\tarrow", "a mistake of arrow_sums_91"),
    (PROGRAM, "mistake\trow_sums_91", "", "has no mistake of row_sums_91"),
    (PROGRAM, "mistake\trow", "mistake\trow_sums_91\tforgotten\t§91.1\tDo.\nmistake\trow", "two mistakes called 'forgotten'"),
    (PROGRAM, "§91.1", "§91.7", "'forgotten' of row_sums_91 refers to §91.7"),
    (CHAPTER, "about 15 minutes", "about 25 minutes", "says 25 minutes; those of lab.json add up to 15"),
    (CHAPTER, "**Points** 1", "**Points** 3", "says 3 points; those of lab.json add up to 1"),
    (REFERENCE, "    // END SOLUTION\n", "", "add `// END SOLUTION`"),
    (REFERENCE, "// BEGIN SOLUTION", "// BEGIN SOLUTON", "looks like a solution marker")])
def test_what_is_missing_is_named_with_its_file(lab91, lacks, name, old, new, said):
    lab91.edit(name, old, new, times=-1)
    assert "lab91_gated_attention" in "".join(lacks(said))


def test_what_the_kill_matrix_says(lab91, lacks):
    def matrix(*rows):
        lab91.write(MATRIX, "lab,exercise,mistake,killed,named,beside\n" + "".join(f"lab91,row_sums_91,{row}\n" for row in rows))
    lab91.edit(PROGRAM, "mistake", "mistake\trow_sums_91\tinverted\t§0.2\tDo.\nmistake")
    matrix("forgotten,no,no,")
    lacks("no suite rejects 'forgotten' of row_sums_91")
    matrix("forgotten,yes,yes,inverted", "inverted,yes,yes,other | forgotten")
    lacks("no input tells 'forgotten' and 'inverted' of row_sums_91 apart")
    lab91.edit(PROGRAM, "§0.2", "§91.1")
    lab91.course("check-course", status=0)  # both send the student to one section
    matrix("forgotten,no,no,")
    lab91.write("build/reference/lab91_exercises", "")
    os.utime(lab91.root / MATRIX, (0, 0))
    lab91.course("check-course", status=0)  # the matrix is older than the program


def test_one_finding_does_not_hide_another(lab91, lacks):
    (lab91.root / HINTS).unlink()
    lab91.edit("labs/lab00_warm_up/lab.json", '"points": 1', '"points": 0')
    lacks(f"hints are missing; {HINTS}")
    assert len(lacks("has no points")) == 3  # the chapter now says another total


def test_what_does_not_compile_is_one_finding(lacks, monkeypatch):
    monkeypatch.setattr(BuildTree, "build", lambda _, labs: [lab for lab in labs if lab.name == "lab91"])
    [found] = lacks("lab91_gated_attention does not compile")
    assert "build/reference/programs.log says why" in found
    with mock.patch.object(BuildTree, "build", side_effect=CourseError("CMake could not configure it; fix that")):
        lacks("CMake could not configure it")


def test_totals_without_the_stretch_exercises_may_be_told(lab91, lacks):
    lab91.edit(MANIFEST, '"exercises": [', '"exercises": [\n    {"function": "gate", "points": 4, "minutes": 30, "section": "91.1", "stretch": true},')
    lab91.edit(CHAPTER, "about 15 minutes", "45 minutes (15 without) for 5 points;")
    assert f"{CHAPTER}:" not in lab91.course("check-course").stdout
    lab91.edit(CHAPTER, "(15 without)", "(30 without)")
    lacks("says 30 minutes; those of lab.json add up to 45, or 15 without ★")


def test_files_and_folders_of_no_lab(lab91, lacks):
    lab91.write("tests/lab92_lost/a_test.cpp", "")
    lab91.write("reference/lab92_lost.cpp", "")
    (lab91.root / "labs/lab93_empty").mkdir()
    for name in (CHAPTER, REFERENCE):
        (lab91.root / name).unlink()
    for said in ("tests/lab92_lost/", "reference/lab92_lost.cpp", "labs/lab93_empty/lab.json is missing", f"{CHAPTER} is missing",
                 f"{REFERENCE} is missing"):
        lacks(said)


def test_this_course_lacks_nothing():
    tree = built_tree()
    with mock.patch.object(tree, "build", return_value=[]):  # ctest did
        assert completeness.findings(ROOT, tree) == []
