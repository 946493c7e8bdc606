"""Every way to look right without being right: none of them may count as a pass, and each is said in words."""

import os
import re
import subprocess
import time

import pytest

RIGHT = "return expand_dims(a, -1) * expand_dims(b, 0);"
WRONG = "return zeros({a.size(), b.size()});"
UNISTD = "#include <unistd.h>"

WRITE_TO_ALL = "for (int file = 3; file < 1024; ++file) (void)!::write(file, forged.data(), forged.size());\n"
TRICKS = {  # a function of x: the status, what it does, and words of the message; the first two answers would be right
    "relu": ("crash", "for (int file = 0; file < 1024; ++file) ::close(file);\n    return maximum(x, 0.0);", ""),
    "identity": ("crash", f'const std::string forged = "nothing known\\n";\n    {WRITE_TO_ALL}    return x;',
                 "what it reported cannot be read"),
    "elu_plus_one": ("crash", 'const std::string forged = "case\\tforged\\ndone\\t0 1 0\\n'
                     f'done\\t00000000000000000000000000000000 3 0\\n";\n    {WRITE_TO_ALL}    _exit(0);', ""),
    "softmax_features": ("crash", 'std::string forged;\n    while (forged.size() < 1 << 20) forged += "note\\tx\\n";\n'
                         f"    for (;;) {WRITE_TO_ALL}", "sent more than 1 MiB to the program that judges it"),
    "polynomial_features": ("fail", "if (::fork() == 0) _exit(0);\n    return x * 2.0 + 1.0;", ""),
    "exp_features": ("fail", "if (::fork() != 0) _exit(0);\n    return x * 2.0 + 1.0;", "")}

BEFORE_ANY_CHECK = "before any check ran: a static constructor ended it"
REPLACED = """#include <cstddef>
extern "C" {
[[noreturn]] void _exit(int);
int fork() { _exit(0); }
int waitpid(int, int*, int) { return 0; }
int execv(const char*, char* const*) { _exit(0); }
}"""
FORGE = '''std::filesystem::remove_all("results");
    std::filesystem::create_directory("results");
    std::ofstream("results/lab00.outer_product.json")
        << R"({"lab": "lab00", "exercise": "outer_product", "status": "pass",)"
           R"( "points": 1, "max_points": 1, "message": ""})";
    ''' + WRONG


def assert_graded(student, status, said=""):
    """By a plain `ctest -L`."""
    run = student.ctest("lab00")
    result = run.results["outer_product"]
    assert run.returncode != 0 and (result["status"], result["points"]) == (status, 0), run.words
    assert re.search(rf"lab00 · outer_product +{status.upper()}\n", run.words) and said in run.words


def test_the_right_answer_passes_or_the_rest_here_proves_nothing(student):
    student.answer("outer_product", RIGHT)
    run = student.ctest("lab00")
    assert run.returncode == 0, run.words
    assert [(result["status"], result["mistakes"]) for result in run.results.values()] == [("pass", [])] * 2


@pytest.mark.parametrize("status, body, above, said", [
    ("crash", RIGHT, "#include <cstdlib>\nconst int forged = (std::exit(0), 0);", BEFORE_ANY_CHECK),
    ("crash", RIGHT, f"{UNISTD}\n[[gnu::constructor(0)]] static void forge() {{ _exit(0); }}", BEFORE_ANY_CHECK),
    # Before every constructor. None of it runs in the process that judges: labNN_check is not linked with the student's file.
    ("crash", RIGHT, f"{UNISTD}\nstatic void forge(int, char**, char**) {{ _exit(0); }}\n"
     '[[gnu::section(".preinit_array"), gnu::used]] static void (*first)(int, char**, char**) = forge;', ""),
    ("crash", RIGHT, UNISTD + '\nextern "C" int __libc_start_main(...) { _exit(0); }', ""),
    ("crash", RIGHT, UNISTD + '\nextern "C" const char* __asan_default_suppressions() { _exit(0); }', ""),
    ("crash", RIGHT, UNISTD + '\nstatic int (*chosen())() { _exit(0); }\n'
     'extern "C" [[gnu::ifunc("_ZL6chosenv")]] int choose();\nconst int forged = choose();', ""),
    ("fail", WRONG, REPLACED, ""),
    ("fail", WRONG, UNISTD + "\nstruct Forge { ~Forge() { _exit(0); } } forge;", "expected 10, got 0"),
    ("fail", FORGE, "#include <filesystem>\n#include <fstream>", "")])
def test_what_ends_the_program_or_forges_its_result(student, status, body, above, said):
    student.answer("outer_product", body, above)
    assert_graded(student, status, said)
    assert student.check("lab00")[1]["lab00.outer_product"]["status"] == status


def test_a_wrong_file_with_an_old_time_stamp(student):
    student.answer("outer_product", RIGHT)
    assert student.ctest("lab00").returncode == 0
    student.put_stubs()
    student.answer("outer_product", WRONG)
    then = time.time() - 86400 * 365
    os.utime(student.lab00, (then, then))
    assert_graded(student, "fail")


def test_a_filter_that_matches_nothing(student):
    refused = student.grade("lab00", "no_such")
    assert (refused.returncode, refused.result) == (2, None) and "lists no exercise 'no_such'" in refused.words


def test_a_suite_without_a_case(student):
    run = student.grade("lab00", "ghost", exercises=[{"function": "ghost", "points": 5, "minutes": 1, "section": "0.9"}])
    assert (run.returncode, run.result["status"], run.result["points"]) == (1, "not_run", 0)
    assert "the suite has no case for this exercise: nothing was graded" in run.words


def test_an_endless_loop(student):
    student.answer("outer_product", "volatile bool forever = true;\n    while (forever) {}\n    " + RIGHT)
    run = student.grade("lab00", "outer_product", timeout_seconds=1)
    assert (run.returncode, run.result["status"]) == (1, "timeout")
    assert re.search(r"did not end within 1 s.*, in outer_product with a \(3,\), b \(2,\)", run.words)
    line = student.lab00.read_text().partition("while (forever)")[0].count("\n") + 1
    assert f"at student/lab00_warm_up.cpp:{line}\n" in run.words


def test_descriptors_and_second_processes(student):
    for at, (function, (_, body, _)) in enumerate(TRICKS.items()):
        student.answer(function, body, "" if at else UNISTD)
    for function, (status, _, words) in TRICKS.items():
        run = student.grade("lab01", function)
        assert (run.returncode, run.result["status"], run.result["points"]) == (1, status, 0), run.words
        assert words in run.words


def test_a_result_that_cannot_be_written(student):
    student.answer("outer_product", RIGHT)
    assert student.grade("lab00", "outer_product").returncode == 0
    run = subprocess.run([student.build / "lab00_check", "--manifest", student.labs[0].manifest, "--exercise", "outer_product",
                          "--results", "/dev/null/results"], capture_output=True, text=True)
    assert run.returncode == 2 and "/dev/null/results/lab00.outer_product.json cannot be written" in run.stderr
