"""./course handout: what students get builds and grades by itself, and nothing of the answer key is in it."""

import contextlib
import errno
import io
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import ROOT, assert_refused, fails_at, run_course, shell_script
from kill_matrix import main as kill_matrix

from author import completeness, handout, handout_trial, leaks
from course.build.build_tree import BuildTree
from course.sources import manifest
from course.sources.files import File
from course.sources.handout_record import RECORD
from course.verdicts.verdicts import Verdict

CANARY = "canary-7f3a"
SYMBOL = "canary_of_the_answer_key"  # a helper of the solution
LAB, ANSWER, EXERCISE = "lab90_running_mean", "reference/lab90_running_mean.cpp", "outer_product_90"
SUITE, MANIFEST = "tests/lab90_running_mean/running_mean_test.cpp", "labs/lab00_warm_up/lab.json"
FORMULA, REMARK = "return expand_dims(a, -1) * expand_dims(b, 0);", "// Which shapes must"
LINK = r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)"  # a lambda in a code span is none: its parentheses hold spaces
SECRETS = """docs/instructors.md docs/answers.md judge/grade.py bench/answers.cpp tests/framework/test_canary.py docs/notes.md labs/notes.md
labs/lab00_warm_up/notes.md labs/lab00_warm_up/answers.cpp tests/lab00_warm_up/notes.md tests/lab00_warm_up/alternatives/outer_product.case
grading/notes.txt grading/judge/notes.cpp tools/author/commands/answers.py tools/author/answers.py tools/answers.txt cmake/answers.txt
.ci/secret secret.md student/answers.txt student/lab00_warm_up.cpp.1.bak reference/notes.md canary-7f3a.md docs/handout/notes.md""".split()


def fill(course):
    """With lab90, which ./course new made, and a canary in every kind of file that students must not get."""
    course.course("new", LAB, status=0)
    course.edit(ANSWER, "namespace linattn {\n", f"namespace linattn {{\n// BEGIN SOLUTION\n// {CANARY}\nstatic Tensor {SYMBOL}"
                "(const Tensor& x) { return expand_dims(x, -1); }\n// END SOLUTION\n")
    course.edit(ANSWER, FORMULA, f"// {CANARY}\n    return {SYMBOL}(a) * expand_dims(b, 0);")
    course.write("README.md", course.read("README.md") + f"<!-- BEGIN INSTRUCTORS -->\n{CANARY}\n<!-- END INSTRUCTORS -->\n")
    for name in (*SECRETS, ".git/description"):
        course.write(name, CANARY)


@pytest.fixture
def course(clone, monkeypatch):
    """The trial is left out: it has its own tests below."""
    clone.reset("-fdq")
    monkeypatch.setattr("author.commands.handout._try_it", lambda *_: None)
    return clone


@pytest.fixture
def make(course):
    return lambda out, *words, status=0: course.course("handout", out, *words, status=status)


@pytest.fixture
def refused(make):
    def refused(out, words, *said):
        assert_refused(make(out, *words, status=2), *said)
        assert not list(Path(out).parent.glob(".*")), "something was left over"
    return refused


def test_nothing_of_the_answer_key_and_the_commands_of_students(course, make, tmp_path):
    out = tmp_path / "out"
    assert make(out).stderr == ""
    files = course.files(out)
    assert f"student/{LAB}.cpp" in files
    for name, data in files.items():
        for word in (CANARY, SYMBOL) + (() if name.startswith(("cmake/", "tools/")) else ("BEGIN SOLUTION", "INSTRUCTORS")):
            assert word.encode() not in data and word not in name, name
    for unwanted in ("reference", "judge", "bench", "docs/handout", "docs/instructors.md", ".git", ".ci", "tests/framework"):
        assert not (out / unwanted).exists()
    listed, check = (subprocess.run([out / "course", *words, "--help"], capture_output=True, text=True).stdout for words in ((), ("check",)))
    assert re.findall(r"^    ([a-z-]+)(?: |$)", listed, re.M) == [
        "help", "setup", *"answer check debug docs generate gradcheck hint profile python report submit trace train update watch".split()]
    presets = json.loads(files["CMakePresets.json"])["configurePresets"]
    assert [preset["name"] for preset in presets] == ["base", "student", "student-clang"]
    assert "--json" in check and "--track" not in check
    assert "without the answer key" in run_course(out, ("check", "--track", "reference")).stderr
    assert_refused(run_course(out, ("answer", EXERCISE)), "this handout has no answers", "--self-study")


def test_for_learning_alone_the_answers_are_shown_once_an_exercise_passes(course, make, tmp_path):
    (course.root / "tests/lab00_warm_up/alternatives/outer_product.case").unlink()  # the canary: no case
    out = tmp_path / "out"
    make(out, "--self-study", "--dirty")
    assert ".answers" in (out / RECORD).read_text()
    assert not [name for name, data in course.files(out).items() if CANARY.encode() in data]

    def answer(passed):
        with mock.patch("course.commands.answer.grade", return_value=[SimpleNamespace(passed=passed)]):
            return run_course(out, ("answer", EXERCISE))
    early, shown = answer(False), answer(True)
    assert early.returncode == 1 and f"lab90.{EXERCISE} does not pass yet" in early.stdout and SYMBOL not in early.stdout
    assert shown.returncode == 0
    for words in (f"static Tensor {SYMBOL}(const Tensor& x)", f"return {SYMBOL}(a) * expand_dims(b, 0);",
                  "Another way: a column times a row, by matmul\n"):
        assert words in shown.stdout
    (out / ".answers").write_text("spoilt")
    assert_refused(answer(True), ".answers cannot be read", "./course update")


def test_a_zip_is_the_same_and_always_the_same_bytes(course, make, tmp_path):
    folder, first, second = (tmp_path / name for name in ("out", "first.zip", "second.zip"))
    for out in (folder, first, second):
        make(out)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        entries = {entry.filename.removeprefix("linear-attention-labs/"): entry for entry in archive.infolist()}
        assert {name: archive.read(entry) for name, entry in entries.items()} == course.files(folder)
        assert entries["course"].external_attr >> 16 & 0o777 == 0o755


def test_its_version_is_the_commits_or_the_one_given(course, make, refused, tmp_path):
    make(tmp_path / "out")
    head = subprocess.run(["git", "-C", course.root, "rev-parse", "HEAD"], text=True, capture_output=True).stdout
    version = course.course("--version").stdout.strip()
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d {head[:10]}", version)
    assert run_course(tmp_path / "out", ("--version",)).stdout.strip() == version
    assert ".handout.version" in (tmp_path / "out" / RECORD).read_text()
    make(tmp_path / "named", "--version", "2027-01-15")
    assert (tmp_path / "named/.handout.version").read_text() == "2027-01-15\n"
    refused(tmp_path / "b", ("--version", "2"), "'2' is not a version", "2027-01-15")
    without_git = shutil.copytree(course.root, tmp_path / "without git", ignore=shutil.ignore_patterns(".git"))
    assert_refused(run_course(without_git, ("handout", str(tmp_path / "b"))),
                                 "git has no commit of this tree", "--version 2027-01-15")


def test_what_is_there_is_refused_and_an_empty_folder_is_not(course, make, refused, tmp_path):
    out, file = tmp_path / "out", tmp_path / "file.zip"
    out.mkdir()
    file.write_text("mine")
    make(out)
    before = course.files(out)
    with mock.patch("author.commands.handout._try_it", side_effect=AssertionError("a long trial before a short refusal")):
        refused(out, (), "not empty")
        refused(out, ("--zip",), "not empty")
        refused(file, ("--zip",), "already exists")
    assert course.files(out) == before and file.read_text() == "mine"


def test_an_unfinished_tree_is_refused(course, make, refused, tmp_path):
    (course.root / "secret.md").write_text("changed, but not handed out")
    make(tmp_path / "a")
    for new in ("labs/lab00_warm_up/new.hpp", "tools/course/commands/new.txt"):
        course.write(new, "")
        refused(tmp_path / "b", (), new, "not committed")
        (course.root / new).unlink()
    course.edit("labs/lab00_warm_up/README.md", "# Lab 00", "# lab 00")
    refused(tmp_path / "b", (), "labs/lab00_warm_up/README.md", "not committed")
    course.edit(ANSWER, REMARK, "// What shapes must")
    refused(tmp_path / "b", (), f"student/{LAB}.cpp", "./course cut")
    make(tmp_path / "b", "--dirty")
    assert "// What shapes must" in (tmp_path / f"b/student/{LAB}.cpp").read_text()


@pytest.mark.parametrize("name, old, new, said", [
    ("labs/lab00_warm_up/README.md", "# Lab", "`return expand_dims(a,\n-1)*expand_dims(b,0);`\n# Lab", "would hand out the solution"),
    (SUITE, "#include", f"// {CANARY}\nreturn {SYMBOL}(a)*expand_dims(b,0);\n#include", "would hand out the solution"),
    (MANIFEST, '"lab"', "lab", "is not JSON"),
    (MANIFEST, '"title"', '"tilte"', "lacks 'title'"),
    (ANSWER, "    // END SOLUTION", "    // END SOLUTON", "looks like a solution marker"),
    (ANSWER, "    // BEGIN SOLUTION", "    // BEGIN SOLUTION\n    // BEGIN SOLUTION", "inside the one"),
    ("README.md", "<!-- END INSTRUCTORS -->", "<!-- END INSTRUCTOR -->", "looks like a marker"),
    ("README.md", "<!-- END INSTRUCTORS -->", "", "inside the one of line"),
    ("README.md", "<!-- BEGIN INSTRUCTORS -->", "", "without a BEGIN"),
    ("tools/handout.txt", "README.md", "READ.md", "READ.md, which is missing"),
    ("tools/handout.txt", "tools/course/", "tools/lesson/", "tools/lesson/, which is missing")])
def test_solutions_and_broken_input_are_refused_in_one_sentence(course, refused, tmp_path, name, old, new, said):
    course.edit(name, old, new)
    refused(tmp_path / "out", ("--dirty",), name, said)
    assert not (tmp_path / "out").exists()


def test_a_line_so_short_may_be_anybodys(course, make, tmp_path):
    course.edit("cmake/toolchain.cmake", "# ", "# return expand_dims(x, -1);\n# ")
    make(tmp_path / "out", "--dirty")


def test_a_full_disk_or_a_read_only_place_leaves_nothing(refused, tmp_path):
    out = tmp_path / "out"
    for words in ((), ("--zip",)):
        with fails_at(20, Path, "write_bytes", errno.ENOSPC), \
                mock.patch("zipfile.ZipFile.writestr", side_effect=OSError(28, os.strerror(28))):
            refused(out, words, "No space left on device", "nothing was left half-written")
    for target in ("tempfile.mkdtemp", "os.replace"):
        with mock.patch(target, side_effect=OSError(30, os.strerror(30))):
            refused(out, (), "Read-only file system")
    refused("/proc/handout", (), "/proc/handout")
    assert not out.exists()


@pytest.fixture
def tried(small, monkeypatch):
    """What is found when these are the verdicts on lab07 (twice, thrice) and lab08 (once, which comes solved), and check-course finds
    what `lacks` names."""
    def run(twice="todo", thrice="todo", once="pass", lacks=()):
        statuses = {"twice": twice, "thrice": thrice, "once": once}
        verdicts = [Verdict(exercise, statuses[exercise.function], "numbers.cpp:3: no semicolon")
                    for lab in manifest.load(small.root) for exercise in lab.exercises]
        monkeypatch.setattr(completeness, "findings", lambda *_: list(lacks))
        monkeypatch.setattr(handout_trial, "grade", lambda folder: verdicts)
        return handout_trial.findings(small.root, small.handed_out)
    small.handed_out = {name: File(data) for name, data in small.files().items() if name.startswith("labs/")}
    return run


@pytest.mark.parametrize("verdicts, said", [
    ({}, ""), ({"lacks": ["no hint; add one"]}, "no hint; add one"),
    ({"thrice": "pass"}, "lab07.thrice comes out as PASS where it should be TODO"),
    ({"twice": "not_run"}, "lab07.twice comes out as NOT RUN where it should be TODO (numbers.cpp:3: no semicolon); "),
    ({"once": "todo"}, "lab08.once comes out as TODO where it should be PASS")])
def test_only_what_comes_solved_may_pass(tried, verdicts, said):
    found = tried(**verdicts)
    assert len(found) == bool(said) and said in "".join(found)


def test_a_lab_that_does_not_compile_is_told_from_the_others(small, monkeypatch):
    small.course("cut")
    monkeypatch.setenv("PATH", f"{small.root}:{os.environ['PATH']}")
    shell_script(small.root / "cmake", 'case "$*" in *--preset*) mkdir -p build/student; : >build/student/build.ninja ;;\n'
                                       '*"--target lab08_check --") echo "lab08: error"; exit 1 ;; esac')
    assert [lab.name for lab in BuildTree(small.root, "student").build(manifest.load(small.root))] == ["lab08"]
    assert small.read("build/student/programs.log") == "lab08: error\n"


@pytest.mark.parametrize("words", [[], ["--dirty"]])
def test_nothing_is_written_when_something_is_found(small, words):
    out = small.root / "out.zip"
    with mock.patch.object(handout, "gather", return_value={}), mock.patch.object(handout_trial, "findings", return_value=["no hint; add one"]):
        result = small.course("handout", out, *words, status=2)
    assert result.stdout == "" and not out.exists()
    assert re.search(r"\nno hint; add one\ncourse: .*, for the reason named above; nothing was written", result.stderr)


def test_the_folder_is_brought_in_line_and_keeps_what_was_built(small, tried):
    tried()
    stays, built, gone, changed = (small.root / handout_trial.FOLDER / name for name in (
        "labs/lab07_numbers/lab.json", "build/student/object", "gone.txt", "labs/lab07_numbers/README.md"))
    built.parent.mkdir(parents=True)
    for file in (built, gone):
        file.write_text("of an earlier list")
    os.utime(stays, (1, 1))
    small.handed_out["labs/lab07_numbers/README.md"] = File(b"changed", executable=True)
    tried()
    assert changed.read_bytes() == b"changed" and os.access(changed, os.X_OK)
    assert stays.stat().st_mtime == 1 and built.exists() and not gone.exists()


LOOP = "int one = 1; for (int i = 0; i < 1000000; ++i) {\none += thing(i);"
SHORT = ("int f() {\n    // BEGIN SOLUTION\n    int one = 1;\n    for (int i = 0; i < 1000000; ++i) {\n        one += thing(i);\n    }\n"
         "    return one + one + one;\n    // END SOLUTION\n}\n")
BODY = "".join(f"    x{i} = f(y[{i}]) * (a.b{i} - {i}.5e-3);\n" for i in range(4))
LONG = f"int f() {{\n    // BEGIN SOLUTION\n{BODY}    // END SOLUTION\n}}\n"
RENAMED = re.sub(r"\bf\b", "other_name", re.sub(r"\by\b", "values", re.sub(r"x(\d)", r"entry_\1", BODY)))
RENAMED = RENAMED.replace("5e-3", "25").replace(";", "; // as it was\n /* and\nmore */")


@pytest.mark.parametrize("source, text, stub, found", [
    pytest.param(SHORT, "for (int i = 0; i < 1000000; ++i) {", "", [], id="a common line"),
    pytest.param(SHORT, "int one=1;  for(int i=0; i<1000000; ++i) {\n one+=thing(i); } return 1;", "", [3, 4], id="a run of short lines"),
    pytest.param(SHORT, LOOP, "", [3], id="a run"),
    pytest.param(SHORT, LOOP, "int g() {" + LOOP, [], id="what a stub gives is no secret"),
    pytest.param(LONG, RENAMED, "", [3, 4], id="other names, numbers and comments hide no copy"),
    pytest.param(LONG, RENAMED, "void stub() {" + RENAMED, [], id="renamed, but given"),
    pytest.param(LONG, RENAMED[:len(RENAMED) // 2], "", [], id="too short"),
    pytest.param(LONG, RENAMED.replace("*", "+"), "", [], id="another formula")])
def test_what_is_a_leak(source, text, stub, found):
    references = [leak.reference for leak in leaks.find({"r.cpp": source}, [stub], {"page": text})]
    assert references == [f"r.cpp:{line}" for line in found]


def test_this_very_course():
    """All labs as they are here: no solution in what students get, and no dead link."""
    files = handout.gather(ROOT, dirty=True, number="2027-01-15")
    links = [(name, os.path.normpath(os.path.join(os.path.dirname(name), target))) for name, file in files.items() if name.endswith(".md")
             for target in re.findall(LINK, file.data.decode()) if "://" not in target]
    assert links and [link for link in links if not any(f"{name}/".startswith(f"{link[1]}/") for name in files)] == []


def test_made_graded_solved_and_updated(course, make, tmp_path):
    """One build, about half a minute: the handout is made, carried away, graded, solved, and updated."""
    cache = {name: os.environ[name] for name in ["LINATTN_COMPILER_CACHE"] if name in os.environ}

    def script(folder, *words):
        """The script itself, in a process that knows nothing of the repository but what was compiled of the same sources."""
        return subprocess.run([folder / "course", *words], cwd="/", text=True, capture_output=True,
                              env={"PATH": os.environ["PATH"], "COURSE_SKIP_SETUP": "1", "LC_ALL": "C.UTF-8"} | cache)

    def grade(folder, **expected):
        run = script(folder, "check", "--json")
        rows = {row["exercise"]: row for row in map(json.loads, run.stdout.splitlines())}
        assert {name: row["status"] for name, row in rows.items()} == dict.fromkeys(("row_sums", "row_sums_90"), "pass") | expected, run.stderr
        return run.returncode, list(rows.values())

    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    make(out)
    shutil.move(out, elsewhere)
    status, rows = grade(elsewhere, outer_product="todo", outer_product_90="todo")
    assert status == 1 and sum(row["points"] for row in rows) == 0
    for log in (elsewhere / "build/student").glob("*.log"):
        assert "warning" not in log.read_text().lower()
    program = (elsewhere / "build/student/lab90_exercises").read_bytes()
    assert SYMBOL.encode() not in program and str(course.root).encode() not in program

    # A half-solved file, then a newer handout.
    stub = elsewhere / f"student/{LAB}.cpp"
    mine = stub.read_text().replace(f'throw NotImplemented("{EXERCISE}");', "return column(a) * expand_dims(b, 0);  // mine")
    mine = mine.replace("namespace linattn {\n", "namespace linattn {\n\nTensor column(const Tensor& x) {\n    return expand_dims(x, -1);\n}\n")
    stub.write_text(mine)
    course.edit(ANSWER, "// Lab 90: read", "// Lab 90, second edition: read")
    course.edit(f"labs/{LAB}/README.md", "# Lab 90", "# Second edition of lab 90")
    make(out, "--dirty", "--version", "2099-01-15")
    update = script(elsewhere, "update", out)
    assert f"student/{LAB}.cpp: copied {EXERCISE}\n" in update.stdout, update.stderr
    newer = tmp_path / "elsewhere-2099-01-15"
    assert (newer / f"student/{LAB}.cpp").read_text() == mine.replace("// Lab 90: read", "// Lab 90, second edition: read")
    (elsewhere / "build").rename(newer / "build")  # as quick as it was
    grade(newer, outer_product="todo", outer_product_90="pass")

    # The answer key gets full marks, and every mistake of the lab that ./course new made is killed and named.
    for name in ("lab00_warm_up.cpp", f"{LAB}.cpp"):
        shutil.copy(course.root / "reference" / name, newer / "student" / name)
    status, rows = grade(newer, outer_product="pass", outer_product_90="pass")
    assert status == 0 and all(row["points"] == row["max_points"] for row in rows)
    assert script(newer, "report", newer / "out").returncode == 0
    assert "score 2 of 2" in (newer / "out/report.md").read_text()
    with contextlib.redirect_stdout(io.StringIO()) as words:
        status = kill_matrix(newer / "build/student", [f"lab90={newer}/labs/{LAB}/lab.json"])
    assert status == 0 and "6 of 6 mistakes killed and named" in words.getvalue(), words.getvalue()
