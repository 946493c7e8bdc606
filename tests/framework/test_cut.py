"""The cutter: what a student gets is the reference without the solution, and nothing a student wrote is lost."""

import hashlib
import unittest

from course_tree import REFERENCE, CourseTree

from course.cutter import Cut
from course.errors import CourseError


def cut(text):
    return Cut(text, "reference/x.cpp", {"f", "g"})


class CutText(unittest.TestCase):
    def refused(self, text, line, fragment):
        with self.assertRaises(CourseError) as caught:
            cut(text)
        self.assertRegex(str(caught.exception), rf"^reference/x\.cpp:{line}: ")
        self.assertIn(fragment, str(caught.exception))

    # What is made of a body, of helpers and of a marker with a statement: student/, which must be what ./course cut makes.
    def test_a_remark_at_the_top_is_dropped_with_its_blank_line(self):
        self.assertEqual(cut("// BEGIN SOLUTION\n// The answer key.\n// END SOLUTION\n\n#include <a>\n").text, "#include <a>\n")

    def test_a_function_that_does_not_end_is_refused(self):
        with self.assertRaisesRegex(CourseError, "reference/x.cpp: the { of line 1 is never closed; "):
            cut("int f() {\n")

    def test_markers_that_do_not_pair_are_refused(self):
        body = "int f() {{\n{}\n}}\n"
        self.refused(body.format("    // BEGIN SOLUTION\n    // BEGIN SOLUTION"), 3, "inside the one of line 2")
        self.refused(body.format("    // BEGIN SOLUTION"), 3, "f ends before")
        self.refused("// BEGIN SOLUTION\nint f() {\n}\n", 3, "never closed")
        self.refused(body.format("    // END SOLUTION"), 2, "without a BEGIN")
        self.refused(body.format("    // BEGIN SOLUTION\n// END SOLUTION"), 3, "not indented like")

    def test_markers_in_the_wrong_place_are_refused(self):
        region = "    // BEGIN SOLUTION\n    // END SOLUTION\n"
        self.refused("int f() {\n" + region + region + "}\n", 4, "a second BEGIN SOLUTION in f")
        self.refused("int helper() {\n" + region + "}\n", 2, "helper is not an exercise")
        self.refused("struct A {\n" + region + "};\n", 2, "in no function's body")
        self.refused("int f() {\n// BEGIN SOLUTION\n// END SOLUTION\n}\n", 2, "is not indented")
        self.refused("int f() {\n}\nint f() {\n}\n", 3, "defined a second time; line 1")

    def test_misspelt_markers_are_refused(self):
        for misspelt in ("// BEGIN SOLUTON", "//BEGIN SOLUTION", "// begin solution", "// END  SOLUTION", "// BEGINSOLUTION",
                         "/* BEGIN SOLUTION */", "x = 1;  // BEGIN SOLUTION", "// END SOLUTION.", "// SOLUTION BEGIN",
                         "// BEGIN SOLUTIONS: todo();", "// BEIGN SOLUTION", "/// END SOLUTION"):
            self.refused(f"int f() {{\n    {misspelt}\n}}\n", 2, "looks like a solution marker")

    def test_prose_is_not_a_marker(self):
        for prose in ("// the end", "// begin with token 0", "// a solution in closed form exists; see the end of the chapter",
                      "// END of the namespace", "// resolution", "// the solution"):
            self.assertIn(prose, cut(f"int f() {{\n    {prose}\n}}\n").text)


class CutTree(CourseTree):
    def test_writes_stubs_and_their_digests_and_then_agrees(self):
        self.course("cut", status=0)
        stub = self.read("student/lab07_numbers.cpp")
        self.assertNotIn("return", stub)
        self.assertIn('throw NotImplemented("twice");', stub)
        self.assertIn(f"{hashlib.sha256(stub.encode()).hexdigest()}  lab07_numbers.cpp\n", self.read("student/.stubs.sha256"))
        self.assertEqual(self.read("student/lab08_more.cpp"), self.read("reference/lab08_more.cpp"))
        self.assertIn("| lab07 | [Numbers](labs/lab07_numbers/README.md) | `student/lab07_numbers.cpp` | 3 | 10 |\n"
                      "| lab08 | [More](labs/lab08_more/README.md) | `student/lab08_more.cpp` | 4 | 5 |\n"
                      "|  | together |  | 7 | 15 |\n", self.read("README.md"))
        self.course("cut", "--check", status=0)

    def test_check_notices_a_file_of_no_lab_and_a_stale_record(self):
        self.course("cut")
        stray = self.write("student/lab09_gone.cpp", "")
        self.assertIn("lab09_gone.cpp belongs to no lab", self.course("cut", "--check", status=1).stdout)
        stray.unlink()
        self.write("student/.stubs.sha256", "")
        self.course("cut", "--check", status=1)

    def test_a_stale_table_of_labs_is_noticed_and_made_anew(self):
        self.course("cut")
        fresh = self.read("README.md")
        self.write("README.md", fresh.replace("| 10 |", "| 11 |"))
        self.assertIn("README.md has a table", self.course("cut", "--check", status=1).stdout)
        self.assertEqual(self.course("cut").stdout, "wrote README.md\n")
        self.assertEqual(self.read("README.md"), fresh)
        self.write("README.md", "# Labs\n")
        self.assert_one_line_error(self.course("cut"), "README.md needs one table of labs between the lines")

    def test_an_unedited_stub_follows_the_reference(self):
        """--check shows the difference and writes nothing."""
        self.course("cut")
        self.write("reference/lab07_numbers.cpp", REFERENCE.replace("// Add.", "// Sum."))
        before = self.read("student/lab07_numbers.cpp")
        self.assertIn("-    // Add.\n+    // Sum.\n", self.course("cut", "--check", status=1).stdout)
        self.assertEqual(self.read("student/lab07_numbers.cpp"), before)
        self.course("cut", status=0)
        self.assertIn("// Sum.", self.read("student/lab07_numbers.cpp"))
        self.assertEqual(list((self.root / "student").glob("*.bak")), [])

    def test_an_edited_file_is_never_lost(self):
        self.course("cut")
        mine = "int twice(int x) { return 2 * x; }  // mine\n"
        self.write("student/lab07_numbers.cpp", mine)
        self.write("reference/lab08_more.cpp", "int once(int y) { return y; }\n")
        self.assert_one_line_error(self.course("cut"), "student/lab07_numbers.cpp was edited", "--force")
        self.assertEqual(self.read("student/lab07_numbers.cpp"), mine)
        self.assertNotIn("int y", self.read("student/lab08_more.cpp"), "half of the stubs were written")

        self.course("cut", "--force", status=0)
        copies = list((self.root / "student").glob("lab07_numbers.cpp.*.bak"))
        self.assertEqual([copy.read_text() for copy in copies], [mine])
        self.course("cut", "--check", status=0)

    def test_manifest_and_sources_must_agree(self):
        self.write("reference/lab08_more.cpp", "int twice(int x) { return x; }\n")
        self.assert_one_line_error(self.course("cut"), "no source of lab08 defines once")
        self.write("reference/lab08_more.cpp", "int once() {\n    // BEGIN SOLUTION\n    // END SOLUTION\n}\n")
        self.assert_one_line_error(self.course("cut"), "lab08_more.cpp:1", "comes solved")
        self.write("reference/lab07_numbers.cpp", "int thrice() { return 3; }\nint twice() { return 2; }\n")
        self.assert_one_line_error(self.course("cut"), "lab07_numbers.cpp:2", "has no `// BEGIN SOLUTION`")
        (self.root / "reference/lab07_numbers.cpp").unlink()
        self.assert_one_line_error(self.course("cut"), "reference/lab07_numbers.cpp is missing")
        self.assertFalse((self.root / "student").exists())
