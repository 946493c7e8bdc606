"""./course handout: what students get builds and grades by itself, and nothing of the answer key is in it."""

import contextlib
import errno
import io
import json
import os
import re
import shutil
import subprocess
import unittest
import zipfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from course_copy import REPOSITORY, commit, copy_course
from course_tree import CourseTree, fails_at, own_folder, run_course
from fake_tools import FakeTools
from kill_matrix import main as kill_matrix

from author import completeness, handout, handout_trial, leaks
from course import manifest
from course.build_tree import BuildTree
from course.files import File
from course.handout_record import RECORD

CANARY = "canary-7f3a"
SYMBOL = "canary_of_the_answer_key"  # a helper of the solution
LAB, ANSWER, EXERCISE = "lab90_running_mean", "reference/lab90_running_mean.cpp", "outer_product_90"
FORMULA, REMARK = "return expand_dims(a, -1) * expand_dims(b, 0);", "// Which shapes must"
LINK = r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)"  # a lambda in a code span is none: its parentheses hold spaces


def course(root, *words):
    return run_course(Path(root), tuple(map(str, words)))


def plant(root):
    """A canary in every kind of file that students must not get."""
    answer = root / ANSWER
    text = answer.read_text(encoding="utf-8")
    text = text.replace("namespace linattn {\n", f"namespace linattn {{\n// BEGIN SOLUTION\n// {CANARY}\nstatic Tensor {SYMBOL}"
                        "(const Tensor& x) { return expand_dims(x, -1); }\n// END SOLUTION\n", 1)
    text = text.replace(FORMULA, f"// {CANARY}\n    return {SYMBOL}(a) * expand_dims(b, 0);")
    assert text.count(SYMBOL) == 2
    answer.write_text(text, encoding="utf-8")
    with open(root / "README.md", "a", encoding="utf-8") as readme:
        readme.write(f"<!-- BEGIN INSTRUCTORS -->\n{CANARY}\n<!-- END INSTRUCTORS -->\n")
    for name in ("docs/instructors.md", "docs/answers.md", "judge/grade.py", "bench/answers.cpp", "tests/framework/test_canary.py",
                 "labs/lab00_warm_up/notes.md", "labs/lab00_warm_up/answers.cpp", "labs/notes.md", "docs/notes.md",
                 "tests/lab00_warm_up/notes.md", "tests/lab00_warm_up/alternatives/outer_product.case", "grading/notes.txt",
                 "grading/judge/notes.cpp", "tools/author/commands/answers.py", "cmake/answers.txt", "tools/answers.txt",
                 "tools/author/answers.py", ".ci/secret", "secret.md", "student/answers.txt", "student/lab00_warm_up.cpp.1.bak",
                 "reference/notes.md", f"{CANARY}.md", "docs/handout/notes.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CANARY, encoding="utf-8")


class Handout(CourseTree):
    """self.root is a clean clone with lab00 and lab90, which ./course new made. The trial is left out: see Trial."""

    @classmethod
    def setUpClass(cls):
        cls.place = own_folder(cls.enterClassContext)
        cls.root = cls.place / "a course"
        copy_course(cls.root, ("lab00",))
        assert course(cls.root, "new", LAB).returncode == 0
        plant(cls.root)
        commit(cls.root)
        (cls.root / ".git/description").write_text(CANARY)

    def setUp(self):
        self.out = self.place / self.id()
        git = ["git", "-C", str(self.root)]
        subprocess.run([*git, "checkout", "-q", "."], check=True)
        subprocess.run([*git, "clean", "-fdq"], check=True)
        self.enterContext(mock.patch("author.commands.handout._try_it"))

    def make(self, *words, status=None):
        return self.course("handout", str(self.out), *words, status=status)

    def assert_refused(self, result, *fragments):
        self.assert_one_line_error(result, *fragments)
        self.assertEqual([path.name for path in self.place.iterdir() if path.name.startswith(".")], [], "something was left over")


class Contents(Handout):
    def test_no_canary_and_no_symbol_of_the_solution(self):
        self.assertEqual(self.make(status=0).stderr, "")
        files = self.files(self.out)
        self.assertIn("student/lab90_running_mean.cpp", files)
        for name, data in files.items():
            for word in (CANARY, SYMBOL) + (() if name.startswith(("cmake/", "tools/")) else ("BEGIN SOLUTION", "INSTRUCTORS")):
                self.assertNotIn(word.encode(), data, name)
                self.assertNotIn(word, name)
        for unwanted in ("reference", "judge", "bench", "docs/handout", "docs/instructors.md", ".git", ".ci", "tests/framework"):
            self.assertFalse((self.out / unwanted).exists(), unwanted)

    def test_the_commands_are_the_students(self):
        self.make()
        listed = subprocess.run([self.out / "course", "--help"], capture_output=True, text=True).stdout
        self.assertEqual(re.findall(r"^    ([a-z-]+)(?: |$)", listed, re.M),
                         ["help", "setup", "answer", "check", "debug", "docs", "generate", "gradcheck", "hint", "profile", "python", "report", "submit",
                          "trace", "train", "update", "watch"])
        presets = json.loads((self.out / "CMakePresets.json").read_text())
        self.assertEqual([preset["name"] for preset in presets["configurePresets"]], ["base", "student", "student-clang"])
        check_help = subprocess.run([self.out / "course", "check", "--help"], capture_output=True, text=True).stdout
        self.assertIn("--json", check_help)
        self.assertNotIn("--track", check_help)
        refused = course(self.out, "check", "--track", "reference")
        self.assertIn("without the answer key", refused.stderr)

    def test_for_learning_alone_the_answers_are_shown_once_an_exercise_passes(self):
        (self.root / "tests/lab00_warm_up/alternatives/outer_product.case").unlink()  # the canary: no case
        self.make("--self-study", "--dirty")
        self.assertIn(".answers", (self.out / RECORD).read_text())
        for name, data in self.files(self.out).items():
            self.assertNotIn(CANARY.encode(), data, name)

        def answer(status):
            verdict = SimpleNamespace(passed=status == "pass")
            with mock.patch("course.commands.answer.grade", return_value=[verdict]):
                return course(self.out, "answer", EXERCISE)
        early = answer("fail")
        self.assertEqual(early.returncode, 1)
        self.assertIn(f"lab90.{EXERCISE} does not pass yet", early.stdout)
        self.assertNotIn(SYMBOL, early.stdout)
        shown = answer("pass")
        self.assertEqual(shown.returncode, 0)
        self.assertIn(f"static Tensor {SYMBOL}(const Tensor& x)", shown.stdout)
        self.assertIn(f"return {SYMBOL}(a) * expand_dims(b, 0);", shown.stdout)
        self.assertIn("Another way: a column times a row, by matmul\n", shown.stdout)
        (self.out / ".answers").write_text("spoilt")
        self.assert_refused(answer("pass"), ".answers cannot be read", "./course update")

    def test_a_handout_without_answers_says_so(self):
        self.make()
        self.assert_refused(course(self.out, "answer", EXERCISE), "this handout has no answers", "--self-study")

    def test_a_zip_is_the_same_and_always_the_same_bytes(self):
        self.make()
        first, second = self.place / "first.zip", self.place / "second.zip"
        for path in (first, second):
            self.assertEqual(course(self.root, "handout", path).returncode, 0)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        with zipfile.ZipFile(first) as archive:
            entries = {entry.filename.partition("/")[2]: entry for entry in archive.infolist()}
            self.assertEqual({name: archive.read(entry) for name, entry in entries.items()}, self.files(self.out))
            self.assertEqual({entry.filename.partition("/")[0] for entry in entries.values()}, {"linear-attention-labs"})
            self.assertEqual(entries["course"].external_attr >> 16 & 0o777, 0o755)

    def test_its_version_is_the_commits_or_the_one_given(self):
        self.make()
        commit = subprocess.run(["git", "-C", str(self.root), "rev-parse", "HEAD"], text=True, capture_output=True).stdout
        version = course(self.root, "--version").stdout.strip()
        self.assertRegex(version, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [0-9a-f]{10}$")
        self.assertTrue(commit.startswith(version.split()[2]))
        self.assertEqual(course(self.out, "--version").stdout.strip(), version)
        self.assertIn(".handout.version", (self.out / RECORD).read_text())
        named = self.place / "named"
        self.assertEqual(course(self.root, "handout", named, "--version", "2027-01-15").returncode, 0)
        self.assertEqual((named / ".handout.version").read_text(), "2027-01-15\n")
        self.assert_refused(course(self.root, "handout", self.place / "b", "--version", "2"), "'2' is not a version", "2027-01-15")
        without_git = self.place / "without git"
        shutil.copytree(self.root, without_git, ignore=shutil.ignore_patterns(".git"))
        self.assert_refused(course(without_git, "handout", self.place / "b"), "git has no commit of this tree", "--version 2027-01-15")

    def test_what_is_there_is_refused_and_an_empty_folder_is_not(self):
        self.out.mkdir()
        self.make(status=0)
        before = self.files(self.out)
        self.assert_refused(self.make(), "not empty")
        self.assert_refused(self.make("--zip"), "not empty")
        with mock.patch("author.commands.handout._try_it", side_effect=AssertionError("a long trial before a short refusal")):
            self.assert_refused(self.make(), "not empty")
        self.assertEqual(self.files(self.out), before)
        file = self.place / "file.zip"
        file.write_text("mine")
        self.assert_refused(course(self.root, "handout", file, "--zip"), "already exists")
        self.assertEqual(file.read_text(), "mine")

    def test_an_unfinished_tree_is_refused(self):
        self.edit("labs/lab00_warm_up/README.md", "# Lab 00", "# lab 00")
        self.assert_refused(self.make(), "labs/lab00_warm_up/README.md", "not committed")
        self.make("--dirty", status=0)
        self.setUp()
        for new in ("labs/lab00_warm_up/new.hpp", "tools/course/commands/new.txt"):
            (self.root / new).write_text("")
            self.assert_refused(course(self.root, "handout", self.place / "b"), new, "not committed")
            (self.root / new).unlink()
        self.setUp()
        (self.root / "secret.md").write_text("changed, but not handed out")
        self.assertEqual(course(self.root, "handout", self.place / "c").returncode, 0)
        self.edit(ANSWER, REMARK, "// What shapes must")
        self.assert_refused(course(self.root, "handout", self.place / "d"), f"student/{LAB}.cpp", "./course cut")
        self.assertEqual(course(self.root, "handout", self.place / "d", "--dirty").returncode, 0)
        self.assertIn("// What shapes must", (self.place / "d/student/lab90_running_mean.cpp").read_text())

    def test_solution_text_is_found_wherever_it_is(self):
        for name, text, found in (
                ("labs/lab00_warm_up/README.md", "`return expand_dims(a,\n-1)*expand_dims(b,0);`", True),
                ("tests/lab90_running_mean/running_mean_test.cpp", f"// {CANARY}\nreturn {SYMBOL}(a)*expand_dims(b,0);", True),
                ("cmake/toolchain.cmake", "# return expand_dims(x, -1);", False)):  # a line that short may be anybody's
            self.setUp()
            with open(self.root / name, "a", encoding="utf-8") as file:
                file.write(text)
            if found:
                self.assert_refused(self.make("--dirty"), name, "would hand out the solution", "reference/lab")
            else:
                self.make("--dirty", status=0)

    def test_broken_input_is_one_sentence(self):
        for name, old, new, said in (
                ("labs/lab00_warm_up/lab.json", '"lab"', "lab", "is not JSON"),
                ("labs/lab00_warm_up/lab.json", '"title"', '"tilte"', "lacks 'title'"),
                (ANSWER, "    // END SOLUTION", "    // END SOLUTON", "looks like a solution marker"),
                (ANSWER, "    // BEGIN SOLUTION", "    // BEGIN SOLUTION\n    // BEGIN SOLUTION", "inside the one"),
                ("README.md", "<!-- END INSTRUCTORS -->", "<!-- END INSTRUCTOR -->", "looks like a marker"),
                ("README.md", "<!-- END INSTRUCTORS -->", "", "inside the one of line"),
                ("README.md", "<!-- BEGIN INSTRUCTORS -->", "", "without a BEGIN"),
                ("tools/handout.txt", "README.md", "READ.md", "READ.md, which is missing"),
                ("tools/handout.txt", "tools/course/", "tools/lesson/", "tools/lesson/, which is missing")):
            self.setUp()
            self.edit(name, old, new)
            self.assert_refused(self.make("--dirty"), name, said)
        self.assertFalse(self.out.exists())

    def test_a_full_disk_or_a_read_only_place_leaves_nothing(self):
        for words in ([], ["--zip"]):
            with fails_at(20, Path, "write_bytes", errno.ENOSPC), \
                    mock.patch("zipfile.ZipFile.writestr", side_effect=OSError(28, os.strerror(28))):
                self.assert_refused(self.make(*words), "No space left on device", "nothing was left half-written")
        for target in ("tempfile.mkdtemp", "os.replace"):
            with mock.patch(target, side_effect=OSError(30, os.strerror(30))):
                self.assert_refused(self.make(), "Read-only file system")
        self.assert_refused(course(self.root, "handout", "/proc/handout"), "/proc/handout")
        self.assertFalse(self.out.exists())


class Trial(FakeTools):
    """lab07 (twice, thrice) and lab08 (once, which comes solved), as students would get them; ctest says what the test wants."""

    def setUp(self):
        super().setUp()
        self.files = {path.relative_to(self.root).as_posix(): File(path.read_bytes()) for path in self.root.glob("labs/*/*")}
        self.folder = self.root / handout_trial.FOLDER

    def tried(self, twice="todo", thrice="todo", once="pass", lacks=()):
        """What is found when these are the verdicts, and check-course finds what `lacks` names."""
        verdicts = [self.leaves("twice", twice, "numbers.cpp:3: no semicolon"), self.leaves("thrice", thrice),
                    self.leaves("once", once, lab="lab08")]
        self.ctest_does("".join(verdicts))
        tools = {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "CALLS": str(self.calls)}
        with mock.patch.object(completeness, "findings", return_value=list(lacks)), mock.patch.dict(os.environ, tools), \
                contextlib.redirect_stderr(io.StringIO()):
            return handout_trial.findings(self.root, self.files)

    def test_only_what_comes_solved_may_pass(self):
        self.assertEqual(self.tried(), [])
        [found] = self.tried(thrice="pass")
        self.assertIn("lab07.thrice comes out as PASS where it should be TODO", found)
        [found] = self.tried(twice="not_run", once="pass")
        self.assertIn("lab07.twice comes out as NOT RUN where it should be TODO (numbers.cpp:3: no semicolon); ", found)
        [found] = self.tried(once="todo")
        self.assertIn("lab08.once comes out as TODO where it should be PASS", found)

    def test_what_check_course_finds_stops_it_too(self):
        self.assertEqual(self.tried(lacks=["no hint; add one"]), ["no hint; add one"])

    def test_a_lab_that_does_not_compile_is_told_from_the_others(self):
        self.course("cut")
        self.write("bin/cmake", '#!/bin/sh\ncase "$*" in *--preset*) mkdir -p build/student; : >build/student/build.ninja ;;\n'
                                '*"--target lab08_check --") echo "lab08: error"; exit 1 ;; esac\n', 0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{self.root}/bin:{os.environ['PATH']}"}), contextlib.redirect_stderr(io.StringIO()):
            broken = BuildTree(self.root, "student").build(manifest.load(self.root))
        self.assertEqual([lab.name for lab in broken], ["lab08"])
        self.assertEqual(self.read("build/student/programs.log"), "lab08: error\n")

    def test_nothing_is_written_when_something_is_found(self):
        out = self.root / "out.zip"
        with mock.patch.object(handout, "gather", return_value=self.files), \
                mock.patch.object(handout_trial, "findings", return_value=["no hint; add one"]):
            for words in ([], ["--dirty"]):
                result = self.course("handout", str(out), *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, r"\nno hint; add one\ncourse: .*, for the reason named above; nothing was written")
                self.assertFalse(out.exists())

    def test_the_folder_is_brought_in_line_and_keeps_what_was_built(self):
        self.tried()
        name = "labs/lab07_numbers/README.md"
        stays, built = self.folder / "labs/lab07_numbers/lab.json", self.folder / "build/student/object"
        built.write_text("object")
        (self.folder / "gone.txt").write_text("of an earlier list")
        os.utime(stays, (1, 1))
        self.files[name] = File(b"changed", executable=True)
        self.tried()
        self.assertEqual(((self.folder / name).read_bytes(), os.access(self.folder / name, os.X_OK)), (b"changed", True))
        self.assertEqual((stays.stat().st_mtime, built.read_text(), (self.folder / "gone.txt").exists()), (1, "object", False))


class Leaks(unittest.TestCase):
    SOURCE = "int f() {\n    // BEGIN SOLUTION\n    int one = 1;\n    for (int i = 0; i < 1000000; ++i) {\n        one += thing(i);\n" \
             "    }\n    return one + one + one;\n    // END SOLUTION\n}\n"

    def find(self, text, stubs=(), source=SOURCE):
        return [leak.reference for leak in leaks.find({"r.cpp": source}, stubs, {"page": text})]

    def test_a_run_of_short_lines_counts_and_a_common_line_does_not(self):
        self.assertEqual(self.find("for (int i = 0; i < 1000000; ++i) {"), [])
        self.assertEqual(self.find("int one=1;  for(int i=0; i<1000000; ++i) {\n one+=thing(i); } return 1;"), ["r.cpp:3", "r.cpp:4"])

    def test_what_a_stub_gives_is_no_secret(self):
        text = "int one = 1; for (int i = 0; i < 1000000; ++i) {\none += thing(i);"
        self.assertEqual(self.find(text), ["r.cpp:3"])
        self.assertEqual(self.find(text, ["int g() {" + text]), [])

    def test_other_names_numbers_and_comments_do_not_hide_a_copy(self):
        body = "".join(f"    x{i} = f(y[{i}]) * (a.b{i} - {i}.5e-3);\n" for i in range(4))
        source = f"int f() {{\n    // BEGIN SOLUTION\n{body}    // END SOLUTION\n}}\n"
        renamed = re.sub(r"\bf\b", "other_name", re.sub(r"\by\b", "values", re.sub(r"x(\d)", r"entry_\1", body)))
        renamed = renamed.replace("5e-3", "25").replace(";", "; // as it was\n /* and\nmore */")
        self.assertIn("r.cpp:3", self.find(renamed, source=source))
        too_short, another_formula = renamed[:len(renamed) // 2], renamed.replace("*", "+")
        for text, stubs in ((too_short, ()), (another_formula, ()), (renamed, ["void stub() {" + renamed])):
            self.assertEqual(self.find(text, stubs, source), [])


class Whole(unittest.TestCase):
    def test_this_very_course(self):
        """All labs as they are here: no solution in what students get, and no dead link."""
        files = handout.gather(REPOSITORY, dirty=True, number="2027-01-15")
        self.assertIn(RECORD, files)
        for name, file in files.items():
            if name.endswith(".md"):
                for target in re.findall(LINK, file.data.decode()):
                    if "://" not in target:
                        linked = os.path.normpath(os.path.join(os.path.dirname(name), target))
                        self.assertTrue(any(other == linked or other.startswith(f"{linked}/") for other in files),
                                        f"{name} links to {target}")


class ByItself(Handout):
    """One build, about half a minute: the handout is made, carried away, graded, solved, and updated."""

    def script(self, folder, *words):
        """The script itself, in a process that knows nothing of the repository but what was compiled of the same sources."""
        cache = {name: os.environ[name] for name in ["LINATTN_COMPILER_CACHE"] if name in os.environ}
        return subprocess.run([folder / "course", *words], cwd="/", text=True, capture_output=True,
                              env={"PATH": os.environ["PATH"], "COURSE_SKIP_SETUP": "1", "LC_ALL": "C.UTF-8"} | cache)

    def grade(self, folder):
        run = self.script(folder, "check", "--json")
        return run.returncode, {row["exercise"]: row for row in map(json.loads, run.stdout.splitlines())}, run.stderr

    def test_made_graded_solved_and_updated(self):
        self.make(status=0)
        elsewhere = self.place / "elsewhere"
        shutil.move(self.out, elsewhere)

        status, found, said = self.grade(elsewhere)
        self.assertEqual(status, 1, said)
        self.assertEqual({name: row["status"] for name, row in found.items()},
                         {"row_sums": "pass", "outer_product": "todo", "row_sums_90": "pass", EXERCISE: "todo"})
        self.assertEqual(sum(row["points"] for row in found.values()), 0)
        for log in (elsewhere / "build/student").glob("*.log"):
            self.assertNotIn("warning", log.read_text().lower())
        program = (elsewhere / "build/student/lab90_exercises").read_bytes()
        self.assertNotIn(SYMBOL.encode(), program)
        self.assertNotIn(str(self.root).encode(), program)

        # A half-solved file, then a newer handout.
        mine = (elsewhere / f"student/{LAB}.cpp").read_text(encoding="utf-8")
        mine = mine.replace(f'throw NotImplemented("{EXERCISE}");', "return column(a) * expand_dims(b, 0);  // mine")
        mine = mine.replace("namespace linattn {\n", "namespace linattn {\n\nTensor column(const Tensor& x) {\n    return expand_dims(x, -1);\n}\n")
        (elsewhere / f"student/{LAB}.cpp").write_text(mine, encoding="utf-8")
        self.edit(ANSWER, "// Lab 90: read", "// Lab 90, second edition: read")
        self.edit(f"labs/{LAB}/README.md", "# Lab 90", "# Second edition of lab 90")
        self.make("--dirty", "--version", "2099-01-15", status=0)
        update = self.script(elsewhere, "update", self.out)
        self.assertIn(f"student/{LAB}.cpp: copied {EXERCISE}\n", update.stdout, update.stderr)
        newer = self.place / "elsewhere-2099-01-15"
        self.assertEqual((newer / f"student/{LAB}.cpp").read_text(encoding="utf-8"), mine.replace("// Lab 90: read", "// Lab 90, second edition: read"))
        (elsewhere / "build").rename(newer / "build")  # as quick as it was
        status, found, said = self.grade(newer)
        self.assertEqual({name: row["status"] for name, row in found.items()},
                         {"row_sums": "pass", "outer_product": "todo", "row_sums_90": "pass", EXERCISE: "pass"}, said)

        # The answer key gets full marks, and every mistake of the lab that ./course new made is killed and named.
        for name in ("lab00_warm_up.cpp", f"{LAB}.cpp"):
            shutil.copy(self.root / "reference" / name, newer / "student" / name)
        status, found, said = self.grade(newer)
        self.assertEqual(status, 0, found)
        self.assertTrue(all(row["points"] == row["max_points"] for row in found.values()))
        self.assertEqual(self.script(newer, "report", newer / "out").returncode, 0)
        self.assertIn("score 2 of 2", (newer / "out/report.md").read_text(encoding="utf-8"))
        with contextlib.redirect_stdout(io.StringIO()) as words:
            status = kill_matrix(newer / "build/student", [f"lab90={newer}/labs/{LAB}/lab.json"])
        self.assertEqual(status, 0, words.getvalue())
        self.assertIn("6 of 6 mistakes killed and named", words.getvalue())
