"""Case files: what is read from one, where it is put, what is said of a broken one, and which diagnosis is a right one."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import LABS, ROOT

import acceptance_matrix
import cases
from answer_build import NOT_COMPILED, Verdict
from author import case_file
from author.case_file import Case
from course.errors import CourseError

GOOD = """id: a7
lab: lab02
function: softmax_attention
what: a way of one's own
expect: refuse
right: mask|later
--- include
#include <valarray>
--- before
static int helper() { return 1; }
--- body
    return V * helper();
"""


@pytest.fixture
def read(tmp_path):
    """What is read from a file with this text."""
    def read(text, name="one.case"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return case_file.read(path, LABS)
    return read


@pytest.mark.parametrize("text, expected", [
    (GOOD, ("a7", "lab02", "softmax_attention", "refuse", "mask|later", ["#include <valarray>"], ["    return V * helper();"])),
    ("lab: lab01\nfunction: relu\nwhat: w\n--- body\nreturn x;\n", ("one", "lab01", "relu", "pass", "", [], ["return x;"])),
    ("lab: lab01\nfunction: relu\nwhat: w\n#include <array>\n    return\n        x;\n",  # they need no line of their own
     ("one", "lab01", "relu", "pass", "", ["#include <array>"], ["    return", "        x;"]))])
def test_every_line_and_section_is_read(read, text, expected):
    case = read(text)
    assert (case.name, case.lab, case.function, case.expect, case.right, case.lines("include"), case.lines("body")) == expected


@pytest.mark.parametrize("path, expected", [
    ("alternatives/relu-copied", ("lab01", "relu", "pass")), ("refused/relu-copied", ("lab01", "relu", "refuse")),
    ("alternatives/silu-copied", None), ("relu-copied", None)])
def test_its_path_says_of_which_lab_and_function_it_is_and_whether_it_is_right(read, path, expected):
    try:
        case = read("what: w\n--- body\nreturn x;\n", f"lab01_feature_maps/{path}.case")
        assert (case.lab, case.function, case.expect) == expected
    except CourseError as error:
        assert "the line lab: is missing" in str(error) and not expected


@pytest.mark.parametrize("old, new, line, words", [
    ("expect: refuse", "expect: perhaps", 5, ["perhaps", "pass, refuse"]), ("id: a7", "id: ../a7", 1, ["not an id"]),
    ("right: mask|later", "right: (mask", 6, ["regular expression"]), ("lab: lab02", "lab: lab42", 2, ["lab42", "lab05"]),
    ("softmax_attention", "softmax", 3, ["softmax", "softmax_attention"]), ("lab: lab02\n", "", 2, ["before lab:"]),
    ("what: a", "why: a", 4, ["what:"]), ("what: a way of one's own\n", "", 1, ["what:"]), ("--- before", "--- after", 9, ["after", "body"]),
    ("--- before", "--- include", 9, ["second section"]), ("id: a7", "id: a7\nid: a8", 2, ["second line id:"]),
    (GOOD[GOOD.index("--- body"):], "", 10, ["no body"]), (GOOD, "", 1, ["lab:"]), ("--- body\n    r", "--- replace\nr", 12, ["a space, - or +"])])
def test_a_broken_file_is_named_with_its_line(read, old, new, line, words):
    with pytest.raises(CourseError) as raised:
        read(GOOD.replace(old, new))
    said = str(raised.value)
    assert f"one.case:{line}: " in said and "\n" not in said and all(word in said for word in words)


def test_a_file_in_another_encoding_is_named(read):
    with pytest.raises(CourseError, match="one.case is .*UTF-8"):
        read(b"what: \xff")


def test_a_folder_is_searched_to_the_bottom(read, tmp_path):
    for folder, words in ((tmp_path, "holds no .case or .patch file"), (tmp_path / "none", "is no folder")):
        with pytest.raises(CourseError, match=words):
            case_file.read_folder(folder, LABS)
    for name in ("deep/er/two.patch", "one.case", "notes.md"):
        read(GOOD, name)
    assert len(case_file.read_folder(tmp_path, LABS)) == 2


def test_the_command_ends_with_that_line_before_anything_is_built(tmp_path):
    (tmp_path / "one.case").write_text("lab: lab42\n")
    run = subprocess.run([sys.executable, "-B", ROOT / "tools/course", "test", "--cases", tmp_path], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "") and re.fullmatch(r"course: \S*one.case:1: there is no lab 'lab42'; .*\n", run.stderr)


# That each part has its place: acceptance_matrix.py, and test_handout.py by what ./course answer shows.
def test_a_function_without_a_solution_takes_no_case():
    with pytest.raises(CourseError, match="reference/x.cpp has no BEGIN SOLUTION in once"):
        case_file.put_into("int once() { return 1; }\n", "reference/x.cpp", {"once"}, [of_function("once")])


KEY = """int once() {
    // BEGIN SOLUTION
    int x = 0;
    x = 1;
    ++x;
    ++x;
    return x;
    // END SOLUTION
}
namespace linattn {}
"""


def changed(read, *changes):
    """KEY with these lines of a diff."""
    case = read("right: r\n--- replace\n" + "\n".join(changes), "lab01_feature_maps/refused/relu-two_and_more.case")
    assert (case.what, case.lines("body")) == ("two and more", [])
    return case_file.put_into(KEY, "once.cpp", {"once"}, [replace(case, function="once")])


def test_changes_of_the_answer_key_are_made_where_their_lines_are(read):
    made = changed(read, "     int x = 0;", "-    x = 1;", "+    x = 2;", "+    x = 3;", "", "-    return x;")
    assert made == "int once() {\n    int x = 0;\n    x = 2;\n    x = 3;\n    ++x;\n    ++x;\n}\nnamespace linattn {}\n"


@pytest.mark.parametrize("change, times", [("-    x = 4;", 0), ("-    x = 1", 0), ("-    ++x;", 2), ("+    ++x;", 9)])
def test_a_change_whose_place_is_not_one_is_refused(read, change, times):
    with pytest.raises(CourseError, match=f"once.cpp has these lines {times} times"):
        changed(read, change)


def of_function(function, expect="pass", right=""):
    return Case(function, "lab01", function, "", expect, right, {})


def verdict(*names, status="fail", message=""):
    return Verdict(status, 0, 2, list(names), message)


@pytest.mark.parametrize("names, others, should_be", [
    (("no mask", "sign"), ["sign"], False), (("no mask", "mask too late"), [], True), (("no mask",), [], True), (("sign",), [], False)])
def test_a_wrong_name_beside_a_right_one_is_told(names, others, should_be):
    tried = of_function("relu", "refuse", "mask")
    assert cases.other_names(tried, verdict(*names)) == others
    assert acceptance_matrix.as_it_should_be(tried, verdict(*names)) == should_be
    assert cases.other_names(replace(tried, beside="^si"), verdict("mask", "sign", "order")) == ["order"]
    assert not others or "named rightly 1 (1 beside another name)" in cases.totals("lab01", [(tried, verdict(*names))])


@pytest.mark.parametrize("right, names, message, expected", [
    ("mask", ["the mask is missing", "other"], "", "rightly"), ("mask", ["other"], "the mask", "wrongly"), ("mask", [], "the mask", "rightly"),
    ("mask", [], "    called with mask causal\n  read: mask.md\n  again: mask", "not at all"),  # every failure has these words
    ("", [], "anything", "not at all"), ("", ["other"], "anything", "wrongly")])
def test_names_count_before_words(right, names, message, expected):
    assert cases.naming(of_function("f", "refuse", right), verdict(*names, message=f"title, masked\n{message}")) == expected


@pytest.mark.parametrize("expect", ["pass", "refuse"])
def test_what_does_not_compile_is_never_as_expected(expect):
    tried = of_function("f", expect)
    assert not cases.as_expected(tried, verdict(status=NOT_COMPILED))
    assert cases.as_expected(tried, verdict()) == (expect == "refuse")
    assert cases.as_expected(tried, Verdict("pass", 2, 2, [], "")) == (expect == "pass")


@pytest.mark.parametrize("expect, status", [("refuse", "pass"), ("pass", "fail")])
def test_what_passes_has_no_diagnosis(expect, status):
    assert cases.naming(of_function("f", expect, "mask"), verdict(status=status, message="title\nthe mask")) == ""


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_each_answer_is_named_after_its_exercise_and_is_what_its_folder_says(lab):
    for path in [path for kind in case_file.FOLDERS for path in (ROOT / "tests" / lab.folder.name / kind).glob("*")]:
        case = case_file.read(path, LABS)
        assert (case.lab, case.expect, path.suffix) == (lab.name, case_file.FOLDERS[path.parent.name], ".case"), path
        assert path.name.startswith(f"{case.function}-"), path


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_an_exercise_has_three_right_answers_or_two_if_it_has_one_point(lab):
    folder = ROOT / "tests" / lab.folder.name / "alternatives"
    counts = {exercise: len(list(folder.glob(f"{exercise.function}-*.case"))) for exercise in lab.exercises if exercise.points}
    assert [exercise.name for exercise, count in counts.items() if not (3 if exercise.points >= 2 else 2) <= count <= 3] == []


def test_no_two_of_a_round_are_of_one_exercise():
    rounds = acceptance_matrix.rounds([of_function(function) for function in "aabacb"])
    assert ["".join(case.function for case in each) for each in rounds] == ["abc", "ab", "a"]
