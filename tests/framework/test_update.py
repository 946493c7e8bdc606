"""./course update: a newer handout comes in, and not a line that the student wrote is lost, whatever interrupts it."""

import errno
import json
import os
import shutil
import signal
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from course_tree import REPOSITORY, CourseTree, fails_at

from course import journal, merge
from course.files import File, fill, write_zip
from course.handout_record import RECORD, STUBS, record_of
from course.source_pieces import END, CannotSplit, definitions, split

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
THROW_TWICE = '    // YOUR CODE HERE\n    throw NotImplemented("twice");\n'
THROW_THRICE = '    // YOUR CODE HERE\n    throw NotImplemented("thrice");\n'
TWICE = "    int y = x;  // a } in a remark\n    y += x;\n    return y;\n"
SOLVED = (STUB.replace(THROW_TWICE, TWICE)
          .replace('#include "numbers.hpp"\n', '#include "numbers.hpp"\n\n#include <vector>\n')
          .replace("// The third", "static int helper(int x) {\n    return x;  // mine\n}\n\n// The third"))
NAMES = {"twice", "thrice", "half"}


class SplitSource(unittest.TestCase):
    def test_together_again_it_is_the_same_text(self):
        for path in [*REPOSITORY.glob("reference/*.c*"), *REPOSITORY.glob("student/*.c*")]:
            text = path.read_text(encoding="utf-8")
            found = [each.name for each in definitions(text)]
            pieces = split(text, {name for name in found if found.count(name) == 1})  # no overloads
            self.assertGreaterEqual(len(pieces.functions), 1, path)
            functions = zip(pieces.between.values(), pieces.functions.values())
            self.assertEqual("".join(before + each.text for before, each in functions) + pieces.between[END], text)

    def test_brackets_that_do_not_count(self):
        for body in ('const char* s = "}";', "char c = '}';", "// }", "/* }\n} */", 'auto r = R"x(}")x";', 'auto r = R"(\n}\n)";',
                     "int n = 1'000; // '}'", "#define OPEN {", "#if 0\n}\n#endif"):
            pieces = split(f"int twice(int x) {{\n{body}\n}}\n\nint thrice() {{ return 3; }}\n", NAMES)
            self.assertEqual(list(pieces.functions), ["twice", "thrice"], body)

    def test_only_definitions_in_namespaces_count(self):
        pieces = split('int twice(int,\n    int);\nconst int table{twice(1)};\n'
                       'extern "C" {\nint thrice(Shape s = {1, 2},\n    int y = twice(1)) noexcept {\n}\n}\n'
                       "struct A { int twice() { return 1; } };\nint n = twice(1);\nint other(int x = half(1)) { return twice(x); }\n"
                       "namespace a::b { template <class T>\nint\nhalf(T x)\n{ return x; } }\n", NAMES)
        self.assertEqual(list(pieces.functions), ["thrice", "half"])
        self.assertEqual(pieces.functions["half"].signature, "template <class T> int half(T x)")

    def test_what_cannot_be_taken_apart_says_why(self):
        for text, why in (("int f() {\n", "line 1 is never closed"), ("int f() {\n}\n}\n", "line 3"), ("int f( {\n}\n", "too many|never closed"),
                          ("int half() {}\nint half(int) {}\n", "defines half twice")):
            with self.assertRaisesRegex(CannotSplit, why):
                split(text, NAMES)


class MergeFiles(unittest.TestCase):
    def merged(self, theirs, mine=SOLVED, base=STUB):
        result = merge.merge(base, mine, theirs, NAMES)
        for line in set(mine.splitlines()) - set(base.splitlines()):
            self.assertIn(line, result.text.splitlines(), "a line was lost")
        again = merge.merge(theirs, result.text, theirs, NAMES)
        self.assertEqual(again.text, result.text, "a second update changes something")
        return result

    def test_what_only_one_side_changed_is_taken(self):
        theirs = (STUB.replace("// Lab 07", "// Lab 07, second edition").replace("// Add.", "// Add it to itself.")
                  .replace("    // YOUR CODE HERE\n    throw NotImplemented(\"thrice\")",
                           "    // Three of it.\n    // YOUR CODE HERE\n    throw NotImplemented(\"thrice\")"))
        result = self.merged(theirs)
        for text in ("second edition", "// Add it to itself.\n" + TWICE, "// Three of it.\n    // YOUR CODE HERE", "helper", "<vector>"):
            self.assertIn(text, result.text)
        self.assertEqual((result.carried, result.notes), (["twice"], []))

    def test_untouched_and_unchanged_files(self):
        newer = STUB.replace("Add", "Sum")
        self.assertEqual(self.merged(newer, mine=STUB).text, newer)
        self.assertEqual(self.merged(STUB).text, SOLVED)

    def test_a_changed_signature_is_reported_with_both_versions(self):
        result = self.merged(STUB.replace("int twice(int x)", "int twice(int x,\n          int times)"))
        self.assertIn("int twice(int x,\n          int times) {\n    require(x);\n    // Add.\n" + TWICE, result.text)
        self.assertEqual(result.notes, ["twice is not what it was\n  was  int twice(int x)\n  is   int twice(int x, int times)"])

    def test_a_function_that_is_gone_stays_but_is_not_compiled(self):
        function = STUB[STUB.index("int twice"):STUB.index("// The third")]
        result = self.merged(STUB.replace(function, ""))
        self.assertRegex(result.text, r"(?s)#if 0  // no longer part of the course\nint twice\(int x\) \{.*return y;\n\}\n#endif\n")
        self.assertIn("int thrice", result.text)
        self.assertIn("was  int twice(int x)\n  is   gone", result.notes[0])
        self.assertIn("stays, between #if 0 and #endif", result.notes[1])

        untouched = self.merged(STUB.replace(function, ""), mine=STUB.replace(THROW_THRICE, "    return x + x + x;\n"))
        self.assertNotIn("twice", untouched.text)

    def test_a_new_function_and_another_order(self):
        half = 'int half(int x) {\n    // YOUR CODE HERE\n    throw NotImplemented("half");\n}\n\n'
        begin, end = STUB.index("int twice"), STUB.index("// The third")
        moved = STUB[:begin] + STUB[end:].replace("}  // namespace", half + STUB[begin:end] + "}  // namespace")
        result = self.merged(moved)
        self.assertEqual(list(split(result.text, NAMES).functions), ["thrice", "half", "twice"])
        self.assertIn(TWICE, result.text)

    def test_where_both_changed_the_same_lines_the_students_stay(self):
        result = self.merged(STUB.replace(THROW_TWICE, THROW_TWICE.replace("YOUR", "NOW YOUR")).replace('#include "numbers.hpp"\n', ""),
                             mine=SOLVED.replace("int twice(int x)", "int twice(int number)"))
        self.assertIn(TWICE, result.text)
        self.assertRegex("\n".join(result.notes), "twice: the course and you both changed the lines that you wrote in: yours stayed")

        both = self.merged(STUB.replace("int twice(int x)", "long twice(long x)"), mine=SOLVED.replace("int twice(int x)", "int twice(int y)"))
        self.assertIn("int twice(int y) {", both.text)
        self.assertIn("twice: the course and you both changed the signature: yours stayed", both.notes)

    def test_a_renamed_function_is_text_like_any_other(self):
        result = self.merged(STUB.replace("Add", "Sum"), mine=SOLVED.replace("int twice", "int two_times"))
        self.assertIn("int two_times", result.text)
        self.assertIn("twice was missing: its stub was put back", result.notes)

    def test_what_cannot_be_taken_apart_stays_as_it_is(self):
        for mine in (SOLVED.replace("return y;\n}", "return y;\n"), SOLVED + "int twice(long x) {\n}\n", "notes\n{"):
            result = self.merged(STUB.replace("Add", "Sum"), mine=mine)
            self.assertEqual(result.text, mine)
            self.assertIn("could not be taken apart", result.notes[0])

        broken = STUB.replace("Add", "Sum") + "}\n"
        self.assertEqual(merge.merge(STUB, STUB, broken, NAMES).text, broken)
        self.assertEqual(merge.merge(STUB, SOLVED, broken, NAMES).text, SOLVED)

    def test_another_systems_line_ends_stay(self):
        mine = SOLVED.replace("\n", "\r\n")
        result = merge.merge(STUB, mine, STUB.replace("Add", "Sum"), NAMES)
        self.assertIn("    // Sum.\r\n    int y = x;", result.text)
        self.assertNotRegex(result.text, "[^\r]\n")


def handout(stub, version="", **files):
    """The files of a small handout. In names, __ stands for / and _dot_ for a dot."""
    named = {name.replace("__", "/").replace("_dot_", "."): File(text.encode()) for name, text in files.items()}
    named |= {"student/lab07_numbers.cpp": File(stub.encode()), f"{STUBS}/lab07_numbers.cpp": File(stub.encode()),
              "labs/lab07_numbers/lab.json": File(json.dumps({"exercises": [{"function": name} for name in sorted(NAMES)]}).encode()),
              "course": File((REPOSITORY / "course").read_bytes(), executable=True)}
    if version:
        named[".handout.version"] = File(f"{version}\n".encode())
    return named | {RECORD: File(record_of(named).encode())}


OLD = handout(STUB, README_dot_md="first\n", tests__lab07_numbers__gone_dot_cpp="old\n", docs__same_dot_md="same\n")
NEW_STUB = STUB.replace("// Add.", "// Sum.")
NEW = handout(NEW_STUB, README_dot_md="second\n", tests__more_dot_cpp="new\n", docs__same_dot_md="same\n")


class Killed(BaseException):
    """Stands for the end of the process."""


class Update(CourseTree):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.root)
        fill(self.root, OLD)
        self.write("student/lab07_numbers.cpp", SOLVED)
        self.new = self.root.parent / "new"
        fill(self.new, NEW)

    def update(self, source=None, status=None):
        return self.course("update", str(source or self.new), status=status)

    def kept(self):
        [folder] = (self.root / "kept").iterdir()
        return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def assert_updated(self):
        self.assertEqual(self.read("student/lab07_numbers.cpp"), SOLVED.replace("// Add.", "// Sum."))
        self.assertEqual(self.read("README.md"), "second\n")
        self.assertEqual(self.read("tests/more.cpp"), "new\n")
        self.assertFalse((self.root / "tests/lab07_numbers").exists())
        self.assertTrue(os.access(self.root / "course", os.X_OK))
        self.assertFalse((self.root / journal.FOLDER).exists())
        kept = self.kept()
        self.assertEqual(kept["student/lab07_numbers.cpp"], SOLVED)
        self.assertEqual(kept["README.md"], "first\n")
        self.assertEqual(kept["tests/lab07_numbers/gone.cpp"], "old\n")

    def test_from_a_folder_and_nothing_more_the_second_time(self):
        result = self.update(status=0)
        self.assertIn("student/lab07_numbers.cpp: carried over twice\n", result.stdout)
        self.assertRegex(result.stdout, r"5 files brought in, 1 removed; what they replaced is in kept/\d{8}-\d{6}/")
        self.assert_updated()
        before = self.files()
        self.assertEqual(self.update().stdout, "nothing to do: this folder is up to date\n")
        self.assertEqual(self.files(), before)

    def test_from_a_zip(self):
        write_zip(self.root.parent / "new.zip", NEW, "course-2027")
        self.update(self.root.parent / "new.zip", status=0)
        self.assert_updated()

    def test_an_older_handout_is_refused_unless_told_otherwise(self):
        older, old, newer = "2027-01-15", "2027-01-15 08:00:00 3f2a", "2027-01-15 08:00:01 0000"
        for mine, theirs, refused in ((old, newer, False), (old, old, False), (old, older, True), (newer, old, True), (old, "", True),
                                      ("", old, False), ("", "", False)):
            shutil.rmtree(self.root)
            shutil.rmtree(self.new)
            fill(self.root, handout(STUB, mine, README_dot_md="first\n"))
            fill(self.new, handout(STUB, theirs, README_dot_md="second\n"))
            self.assertEqual(self.course("--version").stdout.strip(), mine or "unknown: this is neither a handout nor a clone with "
                                                                              "a commit")
            before = self.files()
            if refused:
                self.assert_one_line_error(self.update(), theirs or "it has no version", mine, "--downgrade")
                self.assertEqual(self.files(), before)
                self.course("update", str(self.new), "--downgrade", status=0)
            else:
                self.update(status=0)
            self.assertEqual(self.read("README.md"), "second\n")
            self.assertEqual((self.root / ".handout.version").exists(), bool(theirs))

    def test_what_an_update_that_never_began_left_is_removed(self):
        self.write(f"{journal.FOLDER}/new/README.md", "half of it")
        self.update()
        self.write(f"{journal.FOLDER}/new/README.md", "half of it")
        self.assertEqual(self.update().stdout, "nothing to do: this folder is up to date\n")
        self.assertFalse((self.root / journal.FOLDER).exists())

    def test_the_students_own_files_and_changes(self):
        self.write("notes.txt", "mine\n")
        self.write("tests/more.cpp", "mine as well\n")
        self.write("README.md", "first\nmy remark\n")
        self.write("docs/same.md", "same\nmy remark\n")
        result = self.update()
        self.assertIn("README.md: both you and the course changed it; yours is kept only as a copy\n", result.stdout)
        self.assertEqual(self.read("notes.txt"), "mine\n")
        self.assertEqual(self.read("docs/same.md"), "same\nmy remark\n", "the course did not change that file")
        self.assertEqual(self.kept()["README.md"], "first\nmy remark\n")
        self.assertEqual(self.kept()["tests/more.cpp"], "mine as well\n")

    def test_a_source_that_is_gone_stays_if_it_was_edited(self):
        for name in list(NEW):
            if "lab07_numbers.cpp" in name:
                (self.new / name).unlink()
        rest = {name: file for name, file in NEW.items() if "lab07_numbers.cpp" not in name and name != RECORD}
        (self.new / RECORD).write_text(record_of(rest))
        self.assertIn("student/lab07_numbers.cpp is no longer part of the course; you wrote in it, so it stays", self.update().stdout)
        self.assertEqual(self.read("student/lab07_numbers.cpp"), SOLVED)

    def test_without_the_stub_it_began_with_a_file_stays_as_it_is(self):
        shutil.rmtree(self.root / STUBS)
        self.assertIn("student/lab07_numbers.cpp stays as it is", self.update().stdout)
        self.assertEqual(self.read("student/lab07_numbers.cpp"), SOLVED)

    def test_killed_at_any_step_it_leaves_the_old_state_or_completes_the_new_one(self):
        steps = 0  # files written and moved before the end
        replace, write_bytes = os.replace, Path.write_bytes
        while True:
            shutil.rmtree(self.root)
            fill(self.root, OLD)
            self.write("student/lab07_numbers.cpp", SOLVED)
            before, left = self.files(), [steps]

            def count_down(step, *arguments):
                if left[0] == 0:
                    raise Killed
                left[0] -= 1
                return step(*arguments)

            with mock.patch("os.replace", lambda *paths: count_down(replace, *paths)), \
                    mock.patch.object(Path, "write_bytes", lambda path, data: count_down(write_bytes, path, data)):
                try:
                    self.update()
                    break  # it took fewer steps
                except Killed:
                    pass
            if journal.is_pending(self.root):
                finished = subprocess.run([self.root / "course", "--help"], capture_output=True, text=True)
                self.assertIn("finished an update that was interrupted", finished.stderr)
                self.assert_updated()
            else:
                self.assertEqual(self.files(), before)
                self.update(status=0)
                self.assert_updated()
            steps += 1
        self.assertGreater(steps, 14)

    def test_ctrl_c_waits_for_the_moves(self):
        real = os.replace

        def replace(source, target):
            os.kill(os.getpid(), signal.SIGINT)
            real(source, target)
        with mock.patch.object(journal, "_move", lambda source, target: (target.parent.mkdir(parents=True, exist_ok=True),
                                                                         replace(source, target))):
            self.update(status=0)
        self.assert_updated()

    def test_a_write_that_fails_at_any_step_leaves_the_old_state(self):
        """A full disk while the new files are written; a read-only file system while they are moved."""
        before = self.files()
        for failing in [*((number, Path, "write_bytes", errno.ENOSPC) for number in range(1, 6)),
                        *((number, os, "replace", errno.EROFS) for number in range(1, 13))]:
            with fails_at(*failing):
                self.assert_one_line_error(self.update(), os.strerror(failing[-1]))
            self.assertEqual(self.files(), before)
            self.assertFalse((self.root / journal.FOLDER).exists())
        self.update(status=0)
        self.assert_updated()

    def test_what_is_no_handout_is_refused(self):
        before = self.files()
        (self.new / "README.md").write_text("edited\n")
        self.assert_one_line_error(self.update(), "README.md is not as it was handed out")
        (self.new / "README.md").unlink()
        self.assert_one_line_error(self.update(), "incomplete: README.md is missing")
        (self.new / RECORD).write_text(f"{'0' * 64}  ../../escape\n")
        self.assert_one_line_error(self.update(), "lies outside of it")
        (self.new / RECORD).unlink()
        self.assert_one_line_error(self.update(), "is not a handout")
        self.assert_one_line_error(self.update(self.root), "this folder itself")
        self.assert_one_line_error(self.update(self.root / "README.md"), "neither a folder nor a zip")
        self.assert_one_line_error(self.update(self.root / "nothing"), "neither a folder nor a zip")
        self.assertEqual(self.files(), before)
        (self.root / RECORD).unlink()
        self.assert_one_line_error(self.update(), "this folder is not a handout", "updated by git")
