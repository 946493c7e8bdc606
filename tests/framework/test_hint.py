"""./course hint: the folded blocks of hints.md, one more at each call."""

import os
import subprocess
from unittest import mock

from course_tree import CourseTree, course_words


class Hints(CourseTree):
    def hint(self, *words):
        return self.course("hint", *words, status=0).stdout

    def test_one_more_at_each_call_and_then_the_section(self):
        first = self.hint("lab07.twice")
        self.assertIn("hint 1 of 2: what is twice one?", first)
        self.assertIn("## not a heading", first, "a fence in a hint must not end the section")
        self.assertNotIn("add", first)

        second = self.hint("lab07.twice")
        self.assertIn("hint 2 of 2: add\nx + x", second)
        self.assertNotIn("hint 1", second)

        after = self.hint("lab07.twice")
        self.assertIn("hint 1 of 2", after)
        self.assertIn("hint 2 of 2", after)
        self.assertIn("no more hints; read labs/lab07_numbers/README.md §7.1", after)
        self.assertNotIn("An answer", first + second + after)

    def test_exercises_are_counted_apart(self):
        self.hint("lab07.twice")
        self.assertIn("hint 1 of 1: of the other exercise", self.hint("thrice"), "a function that only one lab has is enough")
        self.assertIn("hint 2 of 2", self.hint("lab07.twice"))

    def test_reset_begins_again(self):
        self.hint("lab07.twice")
        self.hint("lab07.thrice")
        self.hint("lab07.thrice", "--reset")
        self.assertIn("hint 2 of 2", self.hint("lab07.twice"), "only the named exercise is reset")
        self.hint("lab07.twice", "--reset")
        self.assertIn("hint 1 of 2", self.hint("lab07.twice"))

    def test_formulas_become_text(self):
        self.write("labs/lab08_more/hints.md", "## Exercise 8.1: `once`\n<details><summary>Hint 1: $\\lceil m/d\\rceil$"
                   "</summary>\n\n$\\varphi(x)^\\top S_{jj} \\le e^{\\lVert\\hat x\\rVert^2}$, $\\unknown x$, `a $b$ \\le`\n"
                   "</details>\n")
        shown = self.hint("lab08.once")
        self.assertIn("hint 1 of 1: ⌈m/d⌉\n", shown)
        self.assertIn("φ(x)ᵀ S_jj ≤ e^(‖x\N{COMBINING CIRCUMFLEX ACCENT}‖²), \\unknown x, `a $b$ \\le`\n", shown)

    def test_a_spoilt_state_file_begins_again(self):
        for spoilt in ("{", "[]", '{"lab07.twice": "two"}'):
            self.write("build/hints.json", spoilt)
            self.assertIn("hint 1 of 2", self.hint("lab07.twice"))

    def test_a_folder_that_cannot_be_written_to_costs_only_the_count(self):
        with mock.patch("tempfile.mkstemp", side_effect=OSError(30, os.strerror(30))):
            for _ in range(2):
                result = self.course("hint", "lab07.twice", status=0)
                self.assertIn("hint 1 of 2", result.stdout)
                self.assertRegex(result.stderr, r"^course: the next call shows this hint again; cannot write .*: Read-only .*\n$")
            self.assert_one_line_error(self.course("hint", "lab07.twice", "--reset"), "Read-only file system")

    def test_an_output_that_cannot_be_written_is_one_sentence(self):
        """Whatever the command, and also when it writes a character at a time."""
        for unbuffered in ("", "1"):
            for words in (["hint", "lab07.twice"], ["hint", "lab07.twice", "--reset"], ["cut"], ["--version"]):
                with open("/dev/full", "w") as full:
                    ended = subprocess.run(course_words(self.root, *words), env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
                                           stdout=full, stderr=subprocess.PIPE, text=True)
                    self.assertEqual((ended.returncode, ended.stderr), (
                        2, "course: the output cannot be written: No space left on device; fix that and try again\n"), words)
        self.assertIn("hint 1 of 2", self.hint("lab07.twice"), "a hint that nobody saw was counted")

    def test_what_cannot_be_shown_is_said(self):
        self.assert_one_line_error(self.course("hint", "lab07.half"), "lab07.twice, lab07.thrice")
        self.assert_one_line_error(self.course("hint", "lab99.twice"), "did you mean lab07.twice?")
        self.assert_one_line_error(self.course("hint", "thrise"), "did you mean lab07.thrice?")
        self.assert_one_line_error(self.course("hint", "lab07"), "lab07 is a lab; name an exercise: lab07.twice, lab07.thrice")
        self.assert_one_line_error(self.course("hint", "lab99.x"), "lab07", "lab08")
        self.assert_one_line_error(self.course("hint"), "required", "./course hint --help")
        self.assert_one_line_error(self.course("hint", "lab08.once"), "hints are missing", "labs/lab08_more/hints.md")
        for text in ("# Hints for lab08\n", "## Exercise 8.1: `once`\nNo hint.\n"):
            self.write("labs/lab08_more/hints.md", text)
            self.assertIn("no hints for lab08.once, which comes solved; read labs/lab08_more/README.md §8.1", self.hint("lab08.once"))
