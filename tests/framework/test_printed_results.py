"""What a plain ctest prints after its own words, and what a GPU test says without a GPU."""

import json
import os
import subprocess
import sys
from unittest import mock

from course_tree import REPOSITORY, CourseTree

from course.ctest import print_results, run_ahead, run_on_gpu
from course.ctest.what_failed import what_failed

PROGRAMS = REPOSITORY / "tools/course/ctest"


class Words(CourseTree):
    def setUp(self):
        super().setUp()
        self.build = self.root / "a build"
        self.write("a build/run_started", "")

    def left(self, function, status, message, lab="lab07", folder="results", **more):
        self.write(f"a build/{folder}/{lab}.{function}.json",
                   json.dumps({"lab": lab, "exercise": function, "status": status, "message": message,
                               "mistakes": ["one"]} | more))

    def words(self):
        return what_failed(str(self.root), str(self.build))

    def assert_order(self, *fragments):
        words = self.words()
        self.assertEqual(sorted(fragments, key=words.index), list(fragments), words)
        return words

    def test_what_passes_is_silent(self):
        self.assertEqual(self.words(), "")
        self.left("twice", "pass", "lab07 · twice   PASS")
        self.assertEqual(self.words(), "")

    def test_what_to_fix_first_comes_last(self):
        self.left("thrice", "fail", "thrice is wrong")
        self.left("twice", "fail", "twice is wrong")
        self.left("once", "todo", "once is not written", lab="lab08")
        self.assert_order("once is not written", "thrice is wrong", "twice is wrong")
        self.left("twice", "fail", "twice waits", begin_with="thrice")
        self.assert_order("once is not written", "twice waits", "thrice is wrong")
        (self.build / "results/lab08.once.json").unlink()
        self.write("a build/results/lab08.not_built", json.dumps({"message": "does not compile", "begin_with": "once"}))
        self.assert_order("twice waits", "thrice is wrong", "does not compile")
        self.write("a build/results/lab08.not_built", json.dumps({"message": "does not compile", "begin_with": "", "place": "line 3 of x"}))
        self.assertTrue(self.words().endswith("does not compile\n\nnext: line 3 of x"))

    def test_results_of_an_earlier_run_are_not_printed(self):
        self.left("twice", "fail", "twice is wrong")
        started = (self.build / "run_started").stat().st_mtime_ns
        os.utime(self.build / "results/lab07.twice.json", ns=(started - 1, started - 1))
        self.assertEqual(self.words(), "")

    def test_the_run_on_a_gpu_has_words_of_its_own(self):
        self.left("twice", "pass", "twice")
        self.left("twice", "fail", "\n".join(["twice on the GPU"] * 31), folder="results/gpu")
        self.left("thrice", "fail", "\n".join(["thrice on the GPU"] * 31), folder="results/gpu")
        self.assertIn("ctest -R 'lab07.thrice.gpu$'", self.words())

    def test_of_one_that_no_mistake_explains_it_tells_what_else_can_be_tried(self):
        said = "./course check lab07.{} tries small changes of that function, to find what is wrong with it"
        self.left("twice", "fail", "twice is wrong", mistakes=["thrice instead"])
        self.left("once", "todo", "once is not written", mistakes=[])
        self.assertNotIn("small changes", self.words())
        self.left("twice", "fail", "twice is wrong", mistakes=[])
        self.left("thrice", "fail", "thrice is wrong", mistakes=[])
        self.assertTrue(self.words().endswith(f"twice is wrong\n\n{said.format('twice')}"))
        self.assertEqual(self.words().count("small changes"), 1)

    def test_control_characters_are_not_printed(self):
        self.left("twice", "fail", "a\x1b[31mb\0c\td\re")
        self.assertEqual(self.words(), "a\ufffd[31mb\ufffdc\td\ufffde")

    def run_below(self, *ctest, **environment):
        """What the program prints below a process that is called in this way."""
        self.left("twice", "fail", "twice · is wrong")
        self.write("a build/Testing/Temporary/LastTestsFailed.log", "7:lab07.twice\n")
        program = [sys.executable, "-I", "-S", "-B", str(PROGRAMS / "print_results.py"), str(self.root), str(self.build)]
        parent = "import subprocess, sys, json; sys.exit(subprocess.call(json.loads(sys.argv[1])))"
        outer = {"LINATTN_RESULTS_ONLY": "", "CTEST_OUTPUT_ON_FAILURE": "", "LC_ALL": "C"}
        ran = subprocess.run([sys.executable, "-c", parent, json.dumps(program), *ctest], stdout=subprocess.PIPE,
                             encoding="utf-8", check=True, env=os.environ | outer | environment)
        return ran.stdout

    def test_nothing_is_said_twice(self):
        self.assertEqual(self.run_below("-L", "^lab07$"), "\ntwice · is wrong\n")
        for option in print_results.PRINTS_ITSELF:
            self.assertEqual(self.run_below("-L", "^lab07$", option), "", option)
        self.assertEqual(self.run_below(CTEST_OUTPUT_ON_FAILURE="1"), "")
        self.assertEqual(self.run_below(LINATTN_RESULTS_ONLY="1"), "", "./course check prints them itself")


class RunAhead(CourseTree):
    def test_only_where_all_of_a_lab_is_asked_for_one_test_at_a_time(self):
        with mock.patch.object(run_ahead, "CORES", 2):
            for words in ("-L lab07", "-L ^lab07$ --output-on-failure", "--test-dir=b -L lab07 -V", "--test-dir b --label-regex=lab07"):
                self.assertTrue(run_ahead.wanted(["ctest", *words.split(), ""], "lab07"), words)
            for words in ("", "-L lab", "-L lab08", "-L lab07 -j2", "-L lab07 -R twice", "-R lab07", "-L lab07 --rerun-failed"):
                self.assertFalse(run_ahead.wanted(["ctest", *words.split(), ""], "lab07"), words)
            with mock.patch.dict(os.environ, CTEST_PARALLEL_LEVEL="2"):
                self.assertFalse(run_ahead.wanted(["ctest", "-L", "lab07"], "lab07"))
        with mock.patch.object(run_ahead, "CORES", 1):
            self.assertFalse(run_ahead.wanted(["ctest", "-L", "lab07"], "lab07"))

    def test_what_could_not_be_judged_is_left_to_its_own_test(self):
        self.write("lab07_check", "#!/bin/sh\necho \"$*\"\ncase $4 in twice) exit 1;; *) exit 2;; esac\n", 0o755)
        results = self.root / "results"
        run_ahead.run(str(self.root), "lab07", str(next(self.root.glob("labs/lab07*/lab.json"))))
        self.assertIn("--exercise twice", (results / "lab07.twice.done1").read_text())
        self.assertEqual(list(results.glob("*.done*")), [results / "lab07.twice.done1"])
        run_ahead.remove_left_over(str(self.root))
        self.assertEqual(list(results.iterdir()), [])


class OnGpu(CourseTree):
    def run_it(self, nvcc=sys.executable, cudart=sys.executable, cmake="exit 0", check="exit 0"):
        cmake = self.write("cmake", f"#!/bin/sh\n{cmake}\n", 0o755)
        self.write("lab07_check_gpu", f"#!/bin/sh\necho \"ran $*\"\n{check}\n", 0o755)
        with mock.patch.object(run_on_gpu.subprocess, "run", wraps=subprocess.run) as run, \
                mock.patch("builtins.print") as said:
            status = run_on_gpu.main(nvcc, cudart, str(cmake), str(self.root), "lab07.twice", "lab07_check_gpu", "--gpu")
        return status, "".join(str(call.args[0]) for call in said.call_args_list), run.call_args_list

    def test_without_a_gpu_it_says_why(self):
        with mock.patch.object(run_on_gpu, "DEVICES", ()):
            for missing, why in (({"nvcc": "LINATTN_NVCC-NOTFOUND"}, "no nvcc"), ({"nvcc": ""}, "no nvcc"),
                                 ({"cudart": "LINATTN_CUDART-NOTFOUND"}, "cudart_static is not"),
                                 ({}, "no NVIDIA GPU here")):
                status, said, ran = self.run_it(**missing)
                self.assertEqual((status, ran), (0, []))
                self.assertRegex(said, f"^Skipped: .*{why}.*lab07.twice was graded on the CPU run only$")

    def test_with_one_it_builds_and_runs(self):
        with mock.patch.object(run_on_gpu, "DEVICES", ("/dev/null",)):
            status, said, ran = self.run_it()
            self.assertEqual((status, said), (0, ""))
            self.assertEqual(ran[0].args[0][1:], ["--build", str(self.root), "--target", "lab07_check_gpu"])
            self.assertEqual(ran[1].args[0], [f"{self.root}/lab07_check_gpu", "--gpu"])
            status, said, ran = self.run_it(cmake="echo 'x.cu: error: no'; exit 1")
            self.assertEqual((status, len(ran)), (1, 1))
            self.assertIn("lab07.twice does not compile for a GPU:\nx.cu: error: no", said)
            status, said, _ = self.run_it(check="exit 1")
            self.assertEqual((status, said), (1, "lab07.twice does not pass on the GPU; its message is above"))
