"""The cutter: what a student gets is the reference without the solution, and nothing a student wrote is lost."""

import hashlib
import re

import pytest
from conftest import REFERENCE, assert_refused

from author import tables
from course.errors import CourseError
from course.sources.cutter import Cut

REGION = "    // BEGIN SOLUTION\n    // END SOLUTION\n"


def cut(text):
    return Cut(text, "reference/x.cpp", {"f", "g"}).text


# What is made of a body, of helpers and of a marker with a statement: student/, which must be what ./course cut makes.
def test_a_remark_at_the_top_is_dropped_with_its_blank_line():
    assert cut("// BEGIN SOLUTION\n// The answer key.\n// END SOLUTION\n\n#include <a>\n") == "#include <a>\n"


@pytest.mark.parametrize("text, said", [
    ("int f() {\n", r": the \{ of line 1 is never closed; "),
    ("int f() {\n    // BEGIN SOLUTION\n    // BEGIN SOLUTION\n}\n", r":3: .*inside the one of line 2"),
    ("int f() {\n    // BEGIN SOLUTION\n}\n", r":3: .*f ends before"),
    ("// BEGIN SOLUTION\nint f() {\n}\n", r":3: .*never closed"),
    ("int f() {\n    // END SOLUTION\n}\n", r":2: .*without a BEGIN"),
    ("int f() {\n    // BEGIN SOLUTION\n// END SOLUTION\n}\n", r":3: .*not indented like"),
    (f"int f() {{\n{REGION}{REGION}}}\n", r":4: .*a second BEGIN SOLUTION in f"),
    (f"int helper() {{\n{REGION}}}\n", r":2: .*helper is not an exercise"),
    (f"struct A {{\n{REGION}}};\n", r":2: .*in no function's body"),
    ("int f() {\n// BEGIN SOLUTION\n// END SOLUTION\n}\n", r":2: .*is not indented"),
    ("int f() {\n}\nint f() {\n}\n", r":3: .*defined a second time; line 1"),
    *((f"int f() {{\n    {misspelt}\n}}\n", r":2: .*looks like a solution marker") for misspelt in (
        "// BEGIN SOLUTON", "//BEGIN SOLUTION", "// begin solution", "// END  SOLUTION", "// BEGINSOLUTION", "/* BEGIN SOLUTION */",
        "x = 1;  // BEGIN SOLUTION", "// END SOLUTION.", "// SOLUTION BEGIN", "// BEGIN SOLUTIONS: todo();", "// BEIGN SOLUTION",
        "/// END SOLUTION"))])
def test_wrong_markers_are_refused_with_their_line(text, said):
    with pytest.raises(CourseError) as caught:
        cut(text)
    assert re.match(rf"reference/x\.cpp{said}", str(caught.value))


@pytest.mark.parametrize("prose", ["// the end", "// begin with token 0", "// a solution in closed form exists; see the end of the chapter",
                                   "// END of the namespace", "// resolution", "// the solution"])
def test_prose_is_not_a_marker(prose):
    assert prose in cut(f"int f() {{\n    {prose}\n}}\n")


@pytest.fixture
def tree(small):
    """The small course, cut."""
    small.course("cut", status=0)
    return small


def test_writes_stubs_and_their_digests_and_then_agrees(tree):
    stub = tree.read("student/lab07_numbers.cpp")
    assert "return" not in stub and 'throw NotImplemented("twice");' in stub
    assert f"{hashlib.sha256(stub.encode()).hexdigest()}  lab07_numbers.cpp\n" in tree.read("student/.stubs.sha256")
    assert tree.read("student/lab08_more.cpp") == tree.read("reference/lab08_more.cpp")
    assert ("| lab07 | [Numbers](labs/lab07_numbers/README.md) | `student/lab07_numbers.cpp` | 3 | 10 | 5 |\n"
            "| lab08 | [More](labs/lab08_more/README.md) | `student/lab08_more.cpp` | 4 | 5 | 5 |\n"
            "|  | together |  | 7 | 15 | 10 |\n") in tree.read("README.md")
    tree.course("cut", "--check", status=0)


def test_check_notices_a_file_of_no_lab_and_a_stale_record(tree):
    stray = tree.write("student/lab09_gone.cpp", "")
    assert "lab09_gone.cpp belongs to no lab" in tree.course("cut", "--check", status=1).stdout
    stray.unlink()
    tree.write("student/.stubs.sha256", "")
    tree.course("cut", "--check", status=1)


def test_a_stale_table_of_labs_is_noticed_and_made_anew(tree):
    fresh = tree.read("README.md")
    tree.write("README.md", fresh.replace("| 10 |", "| 11 |", 1))
    assert "README.md has a table" in tree.course("cut", "--check", status=1).stdout
    assert tree.course("cut").stdout == "wrote README.md\n" and tree.read("README.md") == fresh
    tree.write("README.md", "# Labs\n")
    assert_refused(tree.course("cut"), "README.md needs one table between the lines")


def test_the_table_of_models_is_made_of_its_data(small):
    small.write("docs/uses.md", f"{tables.BEGIN_MODELS}{tables.END_MODELS}")
    assert_refused(small.course("cut"), "docs/models.csv is missing")
    head = "date,model,state,rest,source\n"
    small.write("docs/models.csv", f"{head}2026-07,K,69 of 93,24,[a](https://a.org)\n2025-09,Q,36 of 48,12,[b](https://b.org)\n")
    assert "wrote docs/uses.md\n" in small.course("cut", status=0).stdout
    rows = re.findall(r"(?m)^\| (20.*) \|$", small.read("docs/uses.md"))
    assert rows == ["2025\u201109 | Q | 36 of 48 | 12 | [b](https://b.org)", "2026\u201107 | K | 69 of 93 | 24 | [a](https://a.org)"]
    for row in "July,K,69,24,[a](https://a.org)", "2026-07,K,69,24,a.org", "2026-07,K,,24,[a](https://a.org)", "2026-07,K":
        small.write("docs/models.csv", f"{head}{row}\n")
        assert_refused(small.course("cut"), "docs/models.csv:2 needs date, model")


def test_an_unedited_stub_follows_the_reference(tree):
    """--check shows the difference and writes nothing."""
    tree.write("reference/lab07_numbers.cpp", REFERENCE.replace("// Add.", "// Sum."))
    before = tree.files()
    assert "-    // Add.\n+    // Sum.\n" in tree.course("cut", "--check", status=1).stdout
    assert tree.files() == before
    tree.course("cut", status=0)
    assert "// Sum." in tree.read("student/lab07_numbers.cpp") and not list(tree.root.glob("student/*.bak"))


def test_an_edited_file_is_never_lost(tree):
    mine = "int twice(int x) { return 2 * x; }  // mine\n"
    tree.write("student/lab07_numbers.cpp", mine)
    tree.write("reference/lab08_more.cpp", "int once(int y) { return y; }\n")
    before = tree.files()
    assert_refused(tree.course("cut"), "student/lab07_numbers.cpp was edited", "--force")
    assert tree.files() == before, "half of the stubs were written"
    tree.course("cut", "--force", status=0)
    assert [copy.read_text() for copy in tree.root.glob("student/lab07_numbers.cpp.*.bak")] == [mine]
    tree.course("cut", "--check", status=0)


def test_manifest_and_sources_must_agree(small):
    for name, text, *said in (
            ("lab08_more", "int twice(int x) { return x; }\n", "no source of lab08 defines once"),
            ("lab08_more", f"int once() {{\n{REGION}}}\n", "lab08_more.cpp:1", "comes solved"),
            ("lab07_numbers", "int thrice() { return 3; }\nint twice() { return 2; }\n", "lab07_numbers.cpp:2",
             "has no `// BEGIN SOLUTION`")):
        small.write(f"reference/{name}.cpp", text)
        assert_refused(small.course("cut"), *said)
    (small.root / "reference/lab07_numbers.cpp").unlink()
    assert_refused(small.course("cut"), "reference/lab07_numbers.cpp is missing")
    assert not (small.root / "student").exists()
