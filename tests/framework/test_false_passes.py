"""Every way to look right without being right: none of them may count as a pass, and each is said in words."""

import os
import subprocess
import time

from student_course import REPOSITORY, StudentCourse

RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
WRONG = "return zeros({a.size(), b.size()});"
UNISTD = "#include <unistd.h>"


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

    def test_exit_in_a_function(self):
        for call in ("std::exit(0);", "_exit(0);", "std::quick_exit(0);"):
            with self.subTest(call):
                self.put_stubs()
                words = self.graded("crash", call, UNISTD + "\n#include <cstdlib>")
                self.assertIn("exit, _exit or quick_exit was called; a function must return or throw", words)
                self.assertIn("in outer_product with a (3,), b (2,)", words)

    def test_exit_before_main(self):
        for above in ("#include <cstdlib>\nconst int forged = (std::exit(0), 0);",
                      f"{UNISTD}\n[[gnu::constructor(0)]] static void forge() {{ _exit(0); }}"):
            with self.subTest(above):
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
            with self.subTest(above):
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

    def test_nan_is_not_near_anything(self):
        words = self.graded("fail", RIGHT.replace(";", " * std::nan(\"\");"))
        self.assertIn("got NaN; 6 of 6 values differ", words)

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

    def test_a_mistyped_lab(self):
        for name, said in (("lab99", "there is no lab 'lab99'"),
                           ("lab00.no_such", "there is no exercise 'lab00.no_such'")):
            run = subprocess.run(["sh", REPOSITORY / "course", "check", name], stdin=subprocess.DEVNULL,
                                 env=os.environ | {"COURSE_SKIP_SETUP": "1"}, capture_output=True, text=True)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            self.assertEqual(run.stdout, "")
            self.assertIn(said, run.stderr)

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

    def test_what_ends_the_program(self):
        for statement, said in (("std::abort();", "called abort"), ("std::terminate();", "called std::terminate"),
                                ("::raise(SIGKILL);", "was stopped by signal 9"),
                                ("volatile int zero = 0; zero = 7 / zero;", "divided an integer by zero")):
            with self.subTest(statement):
                self.put_stubs()
                words = self.graded("crash", f"{statement}  // HERE\n    {RIGHT}",
                                    "#include <csignal>\n#include <cstdlib>")
                self.assertIn(said, words)
                if "SIGKILL" not in statement:  # nobody can say where
                    self.assertIn(f"at {self.line('lab00')}\n", words)

    def test_exceptions_fail_with_their_words_and_line(self):
        for thrown, said in (("7", "something that is not a std::exception"), ('std::runtime_error("seven")', "seven")):
            with self.subTest(thrown):
                self.put_stubs()
                words = self.graded("fail", f"throw {thrown};  // HERE")
                self.assertIn(f"threw an exception: {said}\n    at {self.line('lab00')}\n", words)

    def test_forged_reports(self):
        forge = r'''for (int file = 3; file < 1024; ++file) {
        const char forged[] = "case\tforged\ndone\t0 1 0\ndone\t00000000000000000000000000000000 3 0\n";
        (void)!::write(file, forged, sizeof forged - 1);
    }
    _exit(0);'''
        self.graded("crash", forge, UNISTD)

    def test_reports_without_end_and_reports_that_are_none(self):
        loop = """std::string notes;
    while (notes.size() < 1 << 20) notes += "note\\tx\\n";
    for (;;) for (int file = 3; file < 64; ++file) (void)!::write(file, notes.data(), notes.size());"""
        self.assertIn("sent more than 1 MiB to the program that judges it", self.graded("crash", loop, UNISTD))
        self.put_stubs()
        once = "for (int file = 3; file < 64; ++file) (void)!::write(file, \"nothing known\\n\", 14);"
        self.assertIn("what it reported cannot be read", self.graded("crash", f"{once}\n    {RIGHT}", UNISTD))

    def test_a_result_that_cannot_be_written(self):
        self.answer("outer_product", RIGHT)
        self.assertEqual(self.grade("lab00", "outer_product").returncode, 0)
        manifest = next(each.manifest for each in self.labs if each.name == "lab00")
        run = subprocess.run([self.build / "lab00_check", "--manifest", manifest, "--exercise", "outer_product",
                              "--results", "/dev/null/results"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("/dev/null/results/lab00.outer_product.json cannot be written", run.stderr)

    def test_closed_files(self):
        self.graded("crash", f"for (int file = 0; file < 1024; ++file) ::close(file);\n    {RIGHT}", UNISTD)

    def test_second_processes(self):
        self.graded("fail", f"if (::fork() == 0) _exit(0);\n    {WRONG}", UNISTD)
        self.put_stubs()
        self.graded("fail", f"if (::fork() != 0) _exit(0);\n    {WRONG}", UNISTD)

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
