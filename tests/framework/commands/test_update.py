"""./course update: what the student wrote is in the newer handout, in a new folder, and the old folder is as it was."""

import json
import os
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT, Course, run_course

from course.sources.files import File, fill, write_zip
from course.sources.handout_record import RECORD, STUBS, record_of
from course.sources.source_pieces import END, CannotSplit, definitions, split

STUB = """// Lab 07
#include "numbers.hpp"

namespace linattn {

int twice(int x) {
    require(x);
    // Add.
    // YOUR CODE HERE
    throw NotImplemented("twice");
}

// The third exercise.
int thrice(int x) {
    // YOUR CODE HERE
    throw NotImplemented("thrice");
}

}  // namespace linattn
"""
TWICE = "    int y = x;  // a } in a remark\n    y += helper(x);\n    return y;\n"
SOLVED = (STUB.replace('    // YOUR CODE HERE\n    throw NotImplemented("twice");\n', TWICE)
          .replace('#include "numbers.hpp"\n', '#include "numbers.hpp"\n\n#include <vector>\n')
          .replace("// The third", "static int helper(int x) {\n    return x;  // mine\n}\n\n// The third"))
THRICE = STUB[STUB.index("// The third"):STUB.index("}  // namespace")]
NAMES, MINE = {"twice", "thrice", "half"}, "student/lab07.cpp"


def test_together_again_a_split_source_is_the_same_text():
    for path in [*ROOT.glob("reference/*.c*"), *ROOT.glob("student/*.c*")]:
        text = path.read_text()
        found = [each.name for each in definitions(text)]
        pieces = split(text, {name for name in found if found.count(name) == 1})  # no overloads
        assert pieces.functions, path
        functions = zip(pieces.between.values(), pieces.functions.values())
        assert "".join(before + each.text for before, each in functions) + pieces.between[END] == text


@pytest.mark.parametrize("body", ['const char* s = "}";', "char c = '}';", "// }", "/* }\n} */", 'auto r = R"x(}")x";', 'auto r = R"(\n}\n)";',
                                  "int n = 1'000; // '}'", "#define OPEN {", "#if 0\n}\n#endif"])
def test_brackets_that_do_not_count(body):
    pieces = split(f"int twice(int x) {{\n{body}\n}}\n\nint thrice() {{ return 3; }}\n", NAMES)
    assert list(pieces.functions) == ["twice", "thrice"]


def test_only_definitions_in_namespaces_count():
    pieces = split('int twice(int,\n    int);\nconst int table{twice(1)};\n'
                   'extern "C" {\nint thrice(Shape s = {1, 2},\n    int y = twice(1)) noexcept {\n}\n}\n'
                   "struct A { int twice() { return 1; } };\nint n = twice(1);\nint other(int x = half(1)) { return twice(x); }\n"
                   "namespace a::b { template <class T>\nint\nhalf(T x)\n{ return x; } }\n", NAMES)
    assert list(pieces.functions) == ["thrice", "half"]
    assert pieces.functions["half"].signature == "template <class T> int half(T x)"


@pytest.mark.parametrize("text, why", [("int f() {\n", "line 1 is never closed"), ("int f() {\n}\n}\n", "line 3"), ("int f( {\n}\n", "too many|never closed"),
                                       ("int half() {}\nint half(int) {}\n", "defines half twice")])
def test_what_cannot_be_taken_apart_says_why(text, why):
    with pytest.raises(CannotSplit, match=why):
        split(text, NAMES)


def handout(stubs: dict, version: str = "", **files: str) -> dict:
    """The files of a small handout. `stubs`: name below student/ → text. In other names, __ stands for / and _dot_ for a dot."""
    named = {name.replace("__", "/").replace("_dot_", "."): File(text.encode()) for name, text in files.items()}
    for name, text in stubs.items():
        named[f"student/{name}"] = named[f"{STUBS}/{name}"] = File(text.encode())
    named |= {"labs/lab07_numbers/lab.json": File(json.dumps({"exercises": [{"function": name} for name in sorted(NAMES)]}).encode()),
              "course": File((ROOT / "course").read_bytes(), executable=True)}
    if version:
        named[".handout.version"] = File(f"{version}\n".encode())
    return named | {RECORD: File(record_of(named).encode())}


class Folders(Course):
    def __init__(self, place: Path):
        super().__init__(place / "labs")
        self.new = place / "new"
        fill(self.root, handout({"lab07.cpp": STUB}, "2027-01-15", README_dot_md="first\n"))
        self.write(MINE, SOLVED)

    def update(self, stubs: dict | str | None = None, source: Path | None = None, status: int = 0, *words: str) -> str:
        """What it says, after a look at whether the old folder is as it was."""
        if stubs is not None:
            stubs = {"lab07.cpp": stubs} if isinstance(stubs, str) else stubs
            fill(self.new, handout(stubs, "2027-02-01", README_dot_md="second\n"))
        before = self.files()
        result = run_course(self.root, ("update", str(source or self.new), *words))
        assert result.returncode == status, result.stderr
        assert self.files() == before
        return result.stdout if status == 0 else result.stderr

    def text(self, name: str = MINE, folder: str = "labs-2027-02-01") -> str:
        return (self.root.parent / folder / name).read_text()


@pytest.fixture
def folders(tmp_path) -> Folders:
    return Folders(tmp_path)


def test_functions_helpers_and_includes_go_into_a_new_folder(folders):
    said = folders.update(STUB.replace("// Lab 07", "// Lab 07, second edition").replace("// The third", "int half(int x) {\n}\n\n// The third"))
    assert "student/lab07.cpp: copied twice\n" in said and f"go on there: cd '{folders.root}-2027-02-01'" in said
    for words in ("// Lab 07, second edition", "#include <vector>", f"    require(x);\n    // Add.\n{TWICE}", "int half", THRICE[:99]):
        assert words in folders.text()
    assert folders.text().index("static int helper(int x) {\n    return x;  // mine\n}\n") < folders.text().index("int thrice")
    assert folders.text("README.md") == "second\n"
    assert os.access(folders.root.parent / "labs-2027-02-01/course", os.X_OK)
    folders.update()
    assert folders.text(folder="labs-2027-02-01-2") == folders.text(), "a name that is free"


@pytest.mark.parametrize("stub, mine", [(STUB, SOLVED), (STUB, SOLVED + "}"), (STUB.replace("Add", "Sum"), STUB)])
def test_a_file_that_only_one_side_changed_is_taken_whole(folders, stub, mine):
    folders.write(MINE, mine)
    folders.update(stub)
    assert folders.text() == (mine if stub == STUB else stub)


def test_a_lab_that_was_split_and_renamed_is_served(folders):
    folders.write(MINE, SOLVED.replace('    // YOUR CODE HERE\n    throw NotImplemented("thrice");', "    return helper(x) + Pair{x}.x;").replace("helper(x)", "Pair{helper(x)}.x", 1)
                  .replace("namespace linattn {\n", "namespace linattn {\n\nstruct Pair {\n    int x;\n};\n", 1))
    said = folders.update({"lab10_a.cpp": STUB.replace(THRICE, ""), "lab10_b.cpp": f'#include "b.hpp"\n\nnamespace linattn {{\n\n{THRICE}}}\n'})
    assert "student/lab07.cpp: copied twice to student/lab10_a.cpp\n" in said and "copied thrice to student/lab10_b.cpp\n" in said
    for name in ("student/lab10_a.cpp", "student/lab10_b.cpp"):
        assert folders.text(name).count("namespace {  // in each file that needs it\nstatic int helper") == 1
        assert folders.text(name).count("#include <vector>\n") == folders.text(name).count("struct Pair") == 1


def test_a_changed_contract_is_named_with_both_versions(folders):
    said = folders.update(STUB.replace("int twice(int x)", "int twice(int x,\n          int times)"))
    assert "twice is not what it was: change yours\n  was  int twice(int x)\n  is   int twice(int x, int times)\n" in said
    assert "int twice(int x,\n          int times) {\n    require(x);\n    // Add.\n" + TWICE in folders.text()


@pytest.mark.parametrize("stub, mine, words", [
    (STUB.replace(THRICE, ""), SOLVED.replace("throw NotImplemented(\"thrice\")", "return 3"), "thrice is no exercise any more and was not"),
    (STUB.replace("// YOUR CODE HERE\n    throw NotImplemented(\"twice\")", "return x + x"), SOLVED, "twice comes solved now and was not"),
    (STUB.replace("Add", "Sum"), SOLVED.replace("return y;\n}", "return y;\n"), "could not be parsed (the { of line"),
    (STUB.replace("Lab 07", "Lab 7"), SOLVED.replace("// Lab 07", "// Mine"), "not all that you wrote or changed around it could be copied")])
def test_what_cannot_be_placed_is_named(folders, stub, mine, words):
    folders.write(MINE, mine)
    assert words in folders.update(stub)


def test_without_the_stub_that_it_began_with_every_function_is_copied(folders):
    (folders.root / STUBS / "lab07.cpp").unlink()
    assert "copied twice" in folders.update(STUB.replace("Lab 07", "Lab 7"))
    assert TWICE in folders.text() and "helper" in folders.text()


def test_another_systems_line_ends_do_not_matter(folders):
    folders.write(MINE, SOLVED.replace("\n", "\r\n"))
    folders.update(STUB.replace("Add", "Sum"))
    assert TWICE in folders.text() and "\r" not in folders.text()


def test_own_files_and_changes_elsewhere(folders):
    (folders.root / ".git").mkdir()
    (folders.root / "build").mkdir()
    for name in ("student/mine.hpp", "notes.txt", "README.md", "build/hints.json", "build/large"):
        folders.write(name, "mine\n")
    said = folders.update(STUB)
    assert folders.text("student/mine.hpp") == folders.text("build/hints.json") == "mine\n"
    assert "your changes to these files were not copied: README.md, notes.txt\n" in said and "cp -r" in said


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_from_an_archive(folders, kind):
    folders.update(STUB)
    archive = folders.new.with_name(f"new.{kind}")
    if kind == "zip":
        write_zip(archive, handout({"lab07.cpp": STUB}, "2027-02-01", README_dot_md="second\n"), "course-2027")
    else:
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(folders.new, "./course-2027")
    folders.update(source=archive)
    one, other = (folders.files(folders.root.with_name(f"labs-2027-02-01{again}")) for again in ("", "-2"))
    assert one == other and os.access(folders.root.with_name("labs-2027-02-01-2") / "course", os.X_OK)


@pytest.mark.parametrize("theirs, older", [("2027-01-15 08:00:01 0000", False), ("2027-01-15", False), ("2027-01-14", True), ("", True)])
def test_an_older_handout_is_refused_unless_told_otherwise(folders, theirs, older):
    fill(folders.new, handout({"lab07.cpp": STUB}, theirs))
    if older:
        said = folders.update(None, None, 2)
        assert said.count("\n") == 1 and (theirs or "it has no version") in said and "--downgrade" in said
    folders.update(None, None, 0, *["--downgrade"] * older)
    assert folders.text(folder=f"labs-{theirs[:10] or 'new'}") == SOLVED


def test_an_update_that_is_killed_leaves_nothing_half_made(folders, monkeypatch):
    class Killed(BaseException):
        pass
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(Killed))
    with pytest.raises(Killed):
        folders.update(STUB)
    assert not list(folders.root.parent.glob("labs-*"))
    monkeypatch.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
    assert "No space left on device; nothing was left half-written" in folders.update(None, None, 2)


def test_what_is_no_handout_is_refused(folders):
    folders.update(STUB)
    (folders.new / "README.md").write_text("edited\n")
    assert "README.md is not as it was handed out" in folders.update(None, None, 2)
    (folders.new / "README.md").unlink()
    assert "incomplete: README.md is missing" in folders.update(None, None, 2)
    (folders.new / RECORD).write_text(f"{'0' * 64}  ../../escape\n")
    assert "lies outside of it" in folders.update(None, None, 2)
    (folders.new / RECORD).unlink()
    assert "is not a handout" in folders.update(None, None, 2)
    assert "this folder itself" in folders.update(None, folders.root, 2)
    for name in ("README.md", "nothing"):
        assert "neither a folder nor a zip" in folders.update(None, folders.root / name, 2)
    (folders.root / RECORD).unlink()
    assert "updated by git" in folders.update(None, None, 2)
