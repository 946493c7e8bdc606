"""./course profile of a function for the CPU: what is counted is right, and the compilers' remarks are read as they are meant."""

import tempfile
import unittest
from pathlib import Path

from conftest import BUILD, LABS, ROOT, built, built_tree
from course_tree import shell_script
from course import cpu_profile, manifest
from course.cpu_profile import Loop
from course.errors import CourseError

build = built("lab05_profile_functions")
SOURCE = Path("/course/student/lab05_chunkwise.cpp")
TEXT = """\
float dot(const float* x, int n) {
    for (int e = 0; e < n; ++e) sum += x[e];
}
void chunkwise_linear_attention() {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            for (int a = 0; a < d; ++a) A[i] += std::exp(x[a]);
    }
}
void another() {
    for (int i = 0; i < n; ++i) print(i);
}
"""
GCC = f"""\
{SOURCE}:5:5: missed: couldn't vectorize loop
{SOURCE}:5:5: missed: not vectorized: loop nest containing two or more consecutive inner loops cannot be vectorized
{SOURCE}:6:9: missed: couldn't vectorize loop
{SOURCE}:7:13: missed: couldn't vectorize loop
/usr/include/c++/12/cmath:223:26: missed: not vectorized: statement clobbers memory: _21 = __builtin_expf (_4);
/usr/include/c++/12/bits/stl_numeric.h:140:22: missed: couldn't vectorize loop
{SOURCE}:2:5: optimized: loop vectorized using 32 byte vectors
{SOURCE}:2:40: missed: couldn't vectorize loop
{SOURCE}:11:5: missed: couldn't vectorize loop
{SOURCE}:11:5: missed: not vectorized: control flow in loop.
In file included from somewhere:1:
"""
CLANG = f"""\
{SOURCE}:2:5: remark: vectorized loop (vectorization width: 8, interleaved count: 4) [-Rpass=loop-vectorize]
/usr/include/c++/12/cmath:223:12: remark: loop not vectorized: call instruction cannot be vectorized [-Rpass-analysis=loop-vectorize]
{SOURCE}:7:13: remark: loop not vectorized [-Rpass-missed=loop-vectorize]
"""


class Remarks(unittest.TestCase):
    def lines(self, said, function):
        loops = cpu_profile.not_vectorised(cpu_profile.read_remarks(said, SOURCE), TEXT, function,
                                           {"chunkwise_linear_attention", "another"})
        return {loop.line: loop.reason for loop in loops}

    def test_the_innermost_loops_of_the_function_with_the_reason(self):
        self.assertEqual(self.lines(GCC, "chunkwise_linear_attention"),
                         {7: "statement clobbers memory: _21 = __builtin_expf (_4);"})
        self.assertEqual(self.lines(GCC, "another"), {11: "control flow in loop"})

    def test_clang_says_the_reason_first(self):
        self.assertEqual(self.lines(CLANG, "chunkwise_linear_attention"), {7: "call instruction cannot be vectorized"})

    def test_a_loop_of_what_the_exercises_share_belongs_to_all(self):
        said = f"{SOURCE}:2:5: missed: couldn't vectorize loop\n"
        self.assertEqual(self.lines(said, "another"), {2: cpu_profile.UNKNOWN})

    def test_a_loop_that_was_inlined_from_a_header_is_not_listed(self):
        text = "\n\n// for all\nint length() { return count(x); }\n"
        self.assertEqual(cpu_profile.not_vectorised([Loop(4, 24, "control flow in loop")], text, "length", set()), [])

    def test_a_loop_that_was_turned_once_is_not_listed(self):
        said = f"{SOURCE}:2:5: optimized: loop vectorized using 32 byte vectors\n{SOURCE}:2:5: missed: couldn't vectorize loop\n"
        self.assertEqual(cpu_profile.read_remarks(said, SOURCE), [Loop(2, 5, "")])


class Earlier(unittest.TestCase):
    def test_times_of_the_same_call_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            record, found = Path(folder) / "profile.jsonl", {"seconds": 1.5, "product_speed": 2.0}
            self.assertEqual(cpu_profile.earlier(record, {"exercise": "a", "n": 8}, found), [])
            cpu_profile.earlier(record, {"exercise": "a", "n": 9}, found)
            with open(record, "a", encoding="utf-8") as file:
                file.write('{"exercise": "a", "n": 8, "sec\n')
            again = cpu_profile.earlier(record, {"exercise": "a", "n": 8}, found)
            self.assertEqual([(each["n"], each["seconds"]) for each in again], [(8, 1.5)])


class Program(unittest.TestCase):
    """What it counts for the answer key's function: 16 chunks of 64 tokens, d = 64."""

    def measured(self, function, **sizes):
        exercise = manifest.find_exercise(LABS, f"lab05.{function}")[1]
        return cpu_profile.measured(BUILD / "lab05_profile_functions", exercise, {"heads": 1, "n": 1024, "d": 64, "chunk": 64, **sizes})

    def test_products_bytes_and_time(self):
        found = self.measured("chunkwise_linear_attention")
        self.assertEqual((found["products"], found["product_multiply_adds"], found["work"]), (4 * 16, 4 * 16 * 64**3, 4 * 16 * 64**3))
        self.assertEqual((found["bytes_in"], found["bytes_out"]), (3 * 4 * 1024 * 64, 4 * 1024 * 64))
        self.assertGreaterEqual(found["allocated"], found["bytes_out"])
        self.assertGreater(found["allocations"], 0)
        self.assertGreater(found["product_speed"], 0)
        self.assertLess(0, found["product_seconds"])
        self.assertLess(found["product_seconds"], found["seconds"])
        text = "\n".join(cpu_profile.described(found, 1024))
        self.assertIn("64 of matrices did 16.8 million multiply-adds", text)
        self.assertIn("786 thousand bytes in, 262 thousand out", text)

    def test_what_has_no_products_says_so(self):
        text = "\n".join(cpu_profile.described(self.measured("to_bfloat16", n=64), 64))
        self.assertIn("none of matrices", text)
        self.assertIn("there is no GFLOP/s", text)

    def test_every_function_for_the_cpu_is_measured(self):
        for lab in LABS:
            program = lab.folder / "profile_functions.cpp"
            if program.exists():
                for exercise in lab.exercises:
                    self.assertEqual(f'"{exercise.function}",' in program.read_text(encoding="utf-8"), not exercise.kernel, exercise.name)

    def test_the_compilers_remarks_on_the_file(self):
        lab = next(lab for lab in LABS if lab.name == "lab05")
        source = ROOT / "reference/lab05_chunkwise.cpp"
        loops = cpu_profile.remarks(built_tree(), lab, source, self.measured("to_bfloat16", n=64)["compiler"])
        self.assertTrue(any(not loop.reason for loop in loops))  # some became vectors
        self.assertTrue(all(0 < loop.line <= len(source.read_text().splitlines()) for loop in loops))

    def test_a_function_that_is_not_written_is_no_measurement(self):
        with tempfile.TemporaryDirectory() as folder:
            program = shell_script(Path(folder) / "program", """echo printed\necho '{"error": "not written yet", "compiler": "g++"}'""")
            exercise = manifest.find_exercise(LABS, "lab05.to_bfloat16")[1]
            with self.assertRaisesRegex(CourseError, "to_bfloat16 says: not written yet; run ./course check lab05.to_bfloat16"):
                cpu_profile.measured(program, exercise, {"n": 1})
