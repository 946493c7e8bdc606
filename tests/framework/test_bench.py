"""./course bench: what is too noisy is not written, peers are compared as they should be, and missing ones are named."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from conftest import ROOT
from course_tree import shell_script
from author import benchmarks, peers, speed_claims
from course.errors import CourseError

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
HAS_BENCHMARK = Path("/usr/include/benchmark/benchmark.h").exists()  # optional, like the one above (tools/packages.txt)


def row(peer, seconds=0.002, spread=0.01, **others):
    return dict(n=1024, d=64, threads=1, peer=peer, seconds=seconds, spread=spread, peak_bytes=1000000) | others


ROWS = [row("fused", 0.0016384), row("chunkwise, C = 16", 0.0032768), row("PyTorch, chunks of 32", 0.02),
        row("PyTorch, chunks of 64", 0.008192), {"n": 1024, "d": 64, "threads": 1, "peer": "PyTorch, softmax", "skipped": "too long"}]
OF_RULES = [row(f"{whose}, double, chunks of {C}", seconds, rule="both") for whose, C, seconds in (
    ("ours", 16, 0.008192), ("ours", 32, 0.016384), ("PyTorch", 64, 0.032768))] + [
        row("ours, fused, float32", 0.004096, rule="both")]
OF_RULES_KNOWN = {"missing": {"flash-linear-attention": "cannot be imported: no triton"}}
KNOWN = {"torch": "2.0", "blas": "libopenblas.so.0", "missing": {"fast-transformers": "no path given"}}


class Noise(unittest.TestCase):
    def test_the_worst_measurement_is_named(self):
        self.assertEqual(benchmarks.too_noisy({"a": 0.15, "b": 0.0}), "")
        self.assertEqual(benchmarks.too_noisy({}), "")
        self.assertEqual(benchmarks.too_noisy({"a": 0.16, "b": 0.4, "c": 0.1}),
                         "the repetitions of 2 of 3 measurements lie further apart than 15%, furthest by 40%: b")

    def test_a_loaded_machine_is_said(self):
        for load, said in ((3.0, "load 3.0 on 4 cores: this machine is not idle"), (1.0, "load 1.0 on 4 cores")):
            with mock.patch("os.getloadavg", return_value=(load, 0, 0)), mock.patch("os.cpu_count", return_value=4):
                self.assertEqual(benchmarks.load_in_words(), said)


@unittest.skipUnless(HAS_BENCHMARK, "no google-benchmark")
def test_cmake_takes_the_preset(tmp_path):
    done = subprocess.run(["cmake", "--preset", "bench", "-B", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class OnGpu(unittest.TestCase):
    def status(self, *rows):
        """Of `./course bench --gpu` when the program prints these rows."""
        with tempfile.TemporaryDirectory() as root:
            program = Path(root, "build/bench/bench/gpu/gpu_forward_benchmark")
            program.parent.mkdir(parents=True)
            table = ["| d | N | what | time | GB/s | of the floor | differs | at most |", "|-|-|-|-|-|-|-|-|",
                     *(f"| 64 | 4096 | {row} |" for row in ("copy | 0.1 ms | 5 | 1.00 |  | ", *rows))]
            shell_script(program, "\n".join(["cat << END", *table, "END"]))
            printed = io.StringIO()
            with mock.patch.object(benchmarks, "build"), contextlib.redirect_stdout(printed), \
                    contextlib.redirect_stderr(io.StringIO()):
                status = benchmarks.run_on_gpu(Path(root))
            self.assertIn("| 64 | 4096 | copy |", printed.getvalue())
            return status

    def test_a_result_that_differs_too_much_or_is_missing_is_an_error(self):
        right = "tensor cores | 0.1 ms | 5 | 0.5 | 3.0e-06 | 3.9e-04"
        self.assertEqual(self.status(), 0)
        self.assertEqual(self.status(right, "three passes | shared memory for one block: invalid argument | | | | "), 0)
        for wrong in ("three passes | 0.1 ms | 5 | 0.5 | 4.0e-04 | 3.9e-04", "three passes | 0.1 ms | 5 | 0.5 | nan | 3.9e-04",
                      "three passes | launch: an illegal memory access | | | | "):
            self.assertEqual(self.status(right, wrong), 1, wrong)


class Peers(unittest.TestCase):
    def test_of_the_lengths_of_a_chunk_the_fastest_counts(self):
        kept = {each["peer"]: each for each in peers.best_chunks(ROWS)}
        self.assertEqual((kept["PyTorch, chunks"]["chunk"], kept["PyTorch, chunks"]["seconds"]), (64, 0.008192))
        self.assertEqual(len(kept), 4)
        self.assertEqual(kept["chunkwise, C = 16"]["seconds"], 0.0032768)

    def test_the_table_has_times_ratios_memory_and_reasons(self):
        text = peers.page(" --threads 1", "a machine", KNOWN, peers.best_chunks(ROWS), [0.1, 0.2])
        self.assertIn("`./course bench --peers --threads 1` on a machine", text)
        self.assertIn("| 1024 | 64 | 1 | ours, fused | 200 | 1.00 | 1.0 MB |", text)
        self.assertIn("| 1024 | 64 | 1 | PyTorch, chunks, at its best (64) | 1000 | 5.00 | 1.0 MB |", text)
        self.assertIn("| 1024 | 64 | 1 | PyTorch, causal softmax | left out: too long | | |", text)
        self.assertIn("Left out: fast-transformers: no path given.", text)

    def test_of_lab_09_each_is_beside_ours(self):
        text = peers.page_of_rules(peers.best_chunks(OF_RULES))
        self.assertIn("| gated delta rule (9.11) | 1024 | 64 | ours, double (16) | 1000 | 2.00 | 1.0 MB |", text)
        self.assertIn("| gated delta rule (9.11) | 1024 | 64 | ours, fused, float32 | 500 | 1.00 | 1.0 MB |", text)
        self.assertIn("| gated delta rule (9.11) | 1024 | 64 | PyTorch, double (64) | 4000 | 8.00 | 1.0 MB |", text)
        self.assertNotIn("(32)", text)
        text = peers.page_of_rules(peers.best_chunks([each | {"rule": "delta"} for each in OF_RULES[:3]]))
        self.assertIn("| delta rule (9.9) | 1024 | 64 | PyTorch, double (64) | 4000 | 4.00 | 1.0 MB |", text)

    def report(self, rows):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(benchmarks, "build"), mock.patch.object(
                peers, "_measure", side_effect=[[KNOWN, *rows], [OF_RULES_KNOWN, *OF_RULES]]), \
                contextlib.redirect_stdout(io.StringIO()) as self.printed, contextlib.redirect_stderr(io.StringIO()):
            root = Path(folder)
            (root / "bench" / "results").mkdir(parents=True)
            try:
                peers.report(root, 1, None)
            finally:
                self.written = sorted(path.suffix for path in (root / "bench" / "results").iterdir())

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_noisy_measurements_are_shown_and_not_written(self):
        with self.assertRaisesRegex(CourseError, "furthest by 50%: tokens, n = 1024, d = 64, 1 threads; nothing was written"):
            self.report([*ROWS, row("tokens", spread=0.5)])
        self.assertEqual(self.written, [])

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_an_unsteady_peer_is_left_out_with_the_reason(self):
        self.report([*ROWS, row("fast-transformers", spread=0.29)])
        self.assertIn("| 1024 | 64 | 1 | fast-transformers | left out: its times lie 29% apart | | |", self.printed.getvalue())
        self.assertEqual(self.written, [".md", ".svg"])

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_quiet_ones_are_written_with_their_plot(self):
        self.report(ROWS)
        self.assertEqual(self.written, [".md", ".svg"])
        self.assertIn("Left out: flash-linear-attention: cannot be imported: no triton.", self.printed.getvalue())

    def test_a_wrong_path_is_refused(self):
        with self.assertRaisesRegex(CourseError, "/nowhere is not a clone of fast-transformers"):
            peers.report(ROOT, 1, "/nowhere")


class Steadiness(unittest.TestCase):
    def test_the_last_five_rounds_count(self):
        program = loaded("bench/speed/peers.py")
        clock = [0.0]
        seconds = iter([9.0, 1.0, 1.0, 1.0, 1.0, 1.0])  # the first would make a spread of 1.5

        def work():
            clock[0] += next(seconds)

        self.assertEqual(program.in_turns({"work": work}, lambda: clock[0]), {"work": [1.0] * 5})
        self.assertEqual(next(seconds, None), None)

    def test_what_stays_unsteady_ends_too(self):
        program = loaded("bench/speed/peers.py")
        clock, calls = [0.0], []

        def work():
            calls.append(None)
            clock[0] += len(calls) % 2 + 1.0

        spread = program.spread(program.in_turns({"work": work}, lambda: clock[0])["work"])
        self.assertGreater(spread, benchmarks.MOST_SPREAD)  # so that nothing is written
        self.assertEqual(len(calls), program.MOST_ROUNDS)


class EditLoop(unittest.TestCase):
    def test_its_mistakes_are_found_in_the_answer_key(self):
        program = loaded("bench/edit_loop")
        labs = [json.loads(path.read_text()) for path in sorted(ROOT.glob("labs/lab*/lab.json"))]
        self.assertEqual([*program.MISTAKES], [lab["lab"] for lab in labs])
        with tempfile.TemporaryDirectory() as folder:
            program.copy_answers("failing", labs, Path(folder))
            for name, _, wrong in program.MISTAKES.values():
                self.assertIn(wrong, Path(folder, name).read_text())
                self.assertNotEqual(Path(folder, name).read_text(), (ROOT / "reference" / name).read_text())


def loaded(program: str):
    """A program of bench/ as a module."""
    loader = importlib.machinery.SourceFileLoader(Path(program).stem, str(ROOT / program))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Claims(unittest.TestCase):
    def test_each_goal_is_beside_its_figures(self):
        rows = {f"{name}/d:64{of}": {"ns/token": ns} for name, of, ns in (
            ("tokens", "", 300.0), ("tokens_one_sweep", "", 250.0), ("tokens_one_sweep_vector_exp", "", 200.0),
            ("chunkwise", "/C:16", 100.0), ("chunkwise", "/C:32", 110.0), ("fused", "", 90.0), ("fused_delta", "", 150.0))}
        goals = speed_claims.chunkwise_goals({"sgemm": {"GFLOP/s": 327.68}} | rows, 64)
        self.assertEqual([(goal.ratio, goal.bound) for goal in goals], [(3.0, 3), (2.5, None), (2.0, None), (2.0, 1.8), (1.8, 1.8), (2.0, 2)])
        self.assertEqual([goal.line().split()[-1] for goal in goals], ["met", "2.50", "2.00", "MET", "met", "met"])

    def test_of_lab_09_the_quickest_chunks_count(self):
        rows = {f"{rule}_tokens/d:64": {"ns/token": 1000.0} for rule in speed_claims.RULES}
        rows |= {f"{rule}_{what}/d:64/C:{C}": {"ns/token": base + C} for C in (16, 32, 64) for rule, what, base in (
            ("gated", "chunks", 84.0), ("delta", "chunks", 134.0), ("both", "chunks", 184.0), ("both", "backward", 584.0))}
        rows["gated_chunks/d:64/C:32"] = {"ns/token": 50.0}
        goals = speed_claims.rules_goals(rows, 64)
        self.assertEqual([goal.ratio for goal in goals], [20.0, 1000 / 150, 5.0, 3.0, 4.0, 3.0])
        self.assertIn("gated attention, token by token / chunks of 32", goals[0].line())
