"""Every way to look right without being right: none of them may count as a pass, and each is said in words."""

import os
import subprocess
import time

from student_course import StudentCourse

RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
WRONG = "return zeros({a.size(), b.size()});"
UNISTD = "#include <unistd.h>"

WRITE_TO_ALL = "for (int file = 3; file < 1024; ++file) (void)!::write(file, forged.data(), forged.size());\n"
TRICKS = (  # the status, what a function of x does, and words of the message; the first two answers would be right
    ("crash", "for (int file = 0; file < 1024; ++file) ::close(file);\n    return maximum(x, 0.0);", ""),
    ("crash", f'const std::string forged = "nothing known\\n";\n    {WRITE_TO_ALL}    return x;', "what it reported cannot be read"),
    ("crash", 'const std::string forged = "case\\tforged\\ndone\\t0 1 0\\ndone\\t00000000000000000000000000000000 3 0\\n";\n    '
     f"{WRITE_TO_ALL}    _exit(0);", ""),
    ("crash", f'std::string forged;\n    while (forged.size() < 1 << 20) forged += "note\\tx\\n";\n    for (;;) {WRITE_TO_ALL}',
     "sent more than 1 MiB to the program that judges it"),
    ("fail", "if (::fork() == 0) _exit(0);\n    return x * 2.0 + 1.0;", ""),
    ("fail", "if (::fork() != 0) _exit(0);\n    return x * 2.0 + 1.0;", ""))


class FalsePass(StudentCourse):
    def graded(self, status, body, above=""):
        """Answers outer_product like this, grades lab00 with a plain `ctest -L`, and returns ctest's words."""
        self.answer("outer_product", body, above)
        run = self.ctest("lab00")
        self.assertNotEqual(run.returncode, 0, run.words)
        self.assertEqual(run.results["outer_product"]["status"], status, run.words)
        self.assertEqual(run.results["outer_product"]["points"], 0)
        self.assertRegex(run.words, rf"lab00 · outer_product +{status.upper()}\n")
        return run.words

    def test_the_right_answer_passes_or_the_rest_here_proves_nothing(self):
        self.answer("outer_product", RIGHT)
        run = self.ctest("lab00")
        self.assertEqual(run.returncode, 0, run.words)
        self.assertEqual([result["status"] for result in run.results.values()], ["pass", "pass"])
        self.assertEqual([result["mistakes"] for result in run.results.values()], [[], []])

    def test_exit_before_main(self):
        for above in ("#include <cstdlib>\nconst int forged = (std::exit(0), 0);",
                      f"{UNISTD}\n[[gnu::constructor(0)]] static void forge() {{ _exit(0); }}"):
            self.put_stubs()
            self.assertIn("before any check ran: a static constructor ended it", self.graded("crash", RIGHT, above))

    def test_code_that_runs_before_every_constructor(self):
        """None of it runs in the process that judges: labNN_check is not linked with the student's file."""
        for above in ("static void forge(int, char**, char**) { _exit(0); }\n"
                      '[[gnu::section(".preinit_array"), gnu::used]] static void (*first)(int, char**, char**) = forge;',
                      'extern "C" int __libc_start_main(...) { _exit(0); }',
                      'extern "C" const char* __asan_default_suppressions() { _exit(0); }',
                      'static int (*chosen())() { _exit(0); }\nextern "C" [[gnu::ifunc("_ZL6chosenv")]] int choose();\n'
                      "const int forged = choose();"):
            self.put_stubs()
            self.graded("crash", RIGHT, f"{UNISTD}\n{above}")

    def test_functions_of_the_system_replaced(self):
        self.graded("fail", WRONG, """#include <cstddef>
extern "C" {
[[noreturn]] void _exit(int);
int fork() { _exit(0); }
int waitpid(int, int*, int) { return 0; }
int execv(const char*, char* const*) { _exit(0); }
}""")

    def test_exit_after_main(self):
        words = self.graded("fail", WRONG, UNISTD + "\nstruct Forge { ~Forge() { _exit(0); } } forge;")
        self.assertIn("expected 10, got 0", words)

    def test_a_wrong_file_with_an_old_time_stamp(self):
        self.answer("outer_product", RIGHT)
        self.assertEqual(self.ctest("lab00").returncode, 0)
        self.put_stubs()
        self.answer("outer_product", WRONG)
        then = time.time() - 86400 * 365
        os.utime(self.source("lab00"), (then, then))
        run = self.ctest("lab00")
        self.assertNotEqual(run.returncode, 0, run.words)
        self.assertEqual(run.results["outer_product"]["status"], "fail")

    def test_a_filter_that_matches_nothing(self):
        refused = self.grade("lab00", "no_such")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("lists no exercise 'no_such'", refused.words)
        self.assertIsNone(refused.result)

    def test_a_suite_without_a_case(self):
        ghost = [{"function": "ghost", "points": 5, "minutes": 1, "section": "0.9"}]
        run = self.grade("lab00", "ghost", exercises=ghost)
        self.assertEqual(run.returncode, 1)
        self.assertEqual((run.result["status"], run.result["points"]), ("not_run", 0))
        self.assertIn("the suite has no case for this exercise: nothing was graded", run.words)

    def test_an_endless_loop(self):
        self.answer("outer_product", "volatile bool forever = true;\n    while (forever) {}  // HERE\n    " + RIGHT)
        run = self.grade("lab00", "outer_product", timeout_seconds=1)
        self.assertEqual((run.returncode, run.result["status"]), (1, "timeout"))
        self.assertRegex(run.words, r"did not end within 1 s.*, in outer_product with a \(3,\), b \(2,\)")
        self.assertIn(f"at {self.line('lab00')}\n", run.words)

    def test_descriptors_and_second_processes(self):
        graded = self.grade_together([body for _, body, _ in TRICKS], UNISTD)
        for (status, body, words), run in zip(TRICKS, graded, strict=True):
            self.assertEqual((run.returncode, run.result["status"], run.result["points"]), (1, status, 0), run.words)
            self.assertIn(words, run.words)

    def test_a_result_that_cannot_be_written(self):
        self.answer("outer_product", RIGHT)
        self.assertEqual(self.grade("lab00", "outer_product").returncode, 0)
        manifest = next(each.manifest for each in self.labs if each.name == "lab00")
        run = subprocess.run([self.build / "lab00_check", "--manifest", manifest, "--exercise", "outer_product",
                              "--results", "/dev/null/results"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("/dev/null/results/lab00.outer_product.json cannot be written", run.stderr)

    def test_removed_and_forged_results(self):
        forge = '''std::filesystem::remove_all("results");
    std::filesystem::create_directory("results");
    std::ofstream("results/lab00.outer_product.json")
        << R"({"lab": "lab00", "exercise": "outer_product", "status": "pass",)"
           R"( "points": 1, "max_points": 1, "message": ""})";
    ''' + WRONG
        above = "#include <filesystem>\n#include <fstream>"
        self.graded("fail", forge, above)
        status, exercises = self.check("lab00")
        self.assertEqual((status, exercises["lab00.outer_product"]["status"]), (1, "fail"))
