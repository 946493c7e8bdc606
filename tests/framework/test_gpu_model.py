"""What is predicted of kernels without a GPU: from nvcc's words and the CPU run's counts to a bound."""

import contextlib
import io
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from conftest import BUILD, LABS, ROOT, built
from course import gpu_model
from course.errors import CourseError

build = built("lab05_profile", "lab09_profile")
A100, H100, H200 = gpu_model.CARDS
WORK = gpu_model.Work(heads=64, n=4096, d_k=64, d_v=64, chunk=64, columns=64)
NVCC = """ptxas info    : Compiling entry function '_ZN7linattn7kernels17chunkwise_forwardEPKfS2_S2_PfNS_5SizesEif' for 'sm_80'
    16 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 512 bytes smem, 408 bytes cmem[0]
ptxas info    : Compiling entry function '_Z8anothersPf' for 'sm_80'
ptxas info    : Used 10 registers, used 0 barriers
"""


def a_run(chunks, products=0):
    """A block that reads Q once and goes to shared memory 100 times in each chunk, with twice the passes that it needs."""
    access = dict(line="x.cu:1", writes=False)
    return dict(chunks=chunks, threads=128, shared_bytes=83712, barriers=5 * chunks, matrix_products=products * chunks, accesses=[
        dict(access, array="Q", shared=False, requests=chunks, cost=512 * chunks, fewest=512 * chunks),
        dict(access, array="A", shared=True, requests=100 * chunks, cost=200 * chunks, fewest=100 * chunks)])


def a_profile(kernel="chunkwise_forward", products=0):
    return gpu_model.Profile(kernel, [a_run(2, products), a_run(3, products)], "")


class Model(unittest.TestCase):
    def test_what_nvcc_says_of_each_kernel(self):
        self.assertEqual(gpu_model.read_resources(NVCC), {"chunkwise_forward": gpu_model.Resources(40, 64, 512),
                                                          "anothers": gpu_model.Resources(10, 0, 0)})

    def test_how_many_blocks_fit_as_the_occupancy_calculator_has_it(self):
        for card, threads, registers, shared, expected in (
                (A100, 128, 32, 83712, (1, "shared memory")), (H100, 128, 32, 83712, (2, "shared memory")),
                (H100, 128, 32, 0, (16, "warps")), (H100, 32, 32, 0, (32, "blocks")), (H100, 256, 255, 0, (1, "registers")),
                (H100, 128, 128, 0, (4, "registers")), (A100, 128, None, 182528, (0, "shared memory"))):
            self.assertEqual(gpu_model.blocks_that_fit(card, threads, registers, shared), expected, (card.name, threads))

    def test_a_block_is_continued_to_the_length_that_is_asked_for(self):
        profile = a_profile()
        self.assertEqual(profile.passes(64), 200 * 64)
        self.assertEqual(profile.passes(64, "fewest"), 100 * 64)
        self.assertEqual(profile.sectors(64), {("Q", False): 512 * 64})

    def test_each_part_of_the_bound_by_hand(self):
        bound = gpu_model.bound(H100, a_profile(products=10), None, WORK)
        clock = 67e12 / (2 * 128 * 132)
        self.assertEqual((bound.active, bound.fit), (64, 2))
        self.assertAlmostEqual(bound.parts["shared memory"], 200 * 64 / clock)
        self.assertAlmostEqual(bound.parts["tensor cores"], 10 * 64 * 4096 / (495e12 / 132))
        self.assertAlmostEqual(bound.parts["device memory"], 64 * 4096 * 64 * 4 / 3.35e12)
        self.assertAlmostEqual(bound.parts["arithmetic"], 4096 * (4 * 64 * 64 + 65 * 128) / (2 * 128 * clock))
        self.assertEqual(bound.time, max(bound.parts.values()))
        twice = gpu_model.bound(H100, a_profile(), None, replace(WORK, heads=133))
        self.assertAlmostEqual(twice.parts["shared memory"], 2 * bound.parts["shared memory"], msg="one SM has two blocks")

    def test_the_delta_rule_takes_one_block_for_each_head_and_its_own_arithmetic(self):
        profile = a_profile("gated_delta_forward")
        self.assertEqual(WORK.blocks(profile.kernel), 64)
        clock = 67e12 / (2 * 128 * 132)
        self.assertAlmostEqual(gpu_model.bound(H100, profile, None, WORK).parts["arithmetic"],
                               4096 * (6 * 64 * 64 + 2 * 64 * 128) / (2 * 128 * clock))

    def test_what_several_blocks_read_comes_from_device_memory_once(self):
        sliced = a_profile("chunkwise_forward_tensor_cores")
        bound = gpu_model.bound(H100, sliced, None, replace(WORK, columns=16))
        self.assertEqual(replace(WORK, columns=16).blocks(sliced.kernel), 256)
        self.assertAlmostEqual(bound.parts["device memory"], 64 * 4096 * 64 * 4 / 3.35e12)

    def test_every_time_is_said_to_be_predicted(self):
        text = gpu_model.describe(a_profile(), {}, WORK, "x.cu:1")
        self.assertEqual(text.count("at least"), len(gpu_model.CARDS))
        self.assertEqual(text.count("limited by"), text.count(gpu_model.SAID))
        too_large = a_profile()
        too_large.runs[0]["shared_bytes"] = 182528
        self.assertIn("A100        no block fits an SM, for its shared memory", gpu_model.describe(too_large, {}, WORK, ""))

    def test_without_nvcc_it_says_what_is_unknown(self):
        said = io.StringIO()
        with mock.patch.object(gpu_model, "find_nvcc", return_value=None), contextlib.redirect_stderr(said):
            self.assertEqual(gpu_model.compile_for_cards(ROOT, ROOT / "x.cu"), {})
        self.assertIn("nvcc is not here, so registers are unknown", said.getvalue())

    def test_a_program_that_fails_is_named(self):
        with self.assertRaisesRegex(CourseError, "false ended with status 1"):
            gpu_model.profiles(Path("false"), (), ROOT)


class Programs(unittest.TestCase):
    """What ./course profile builds and runs, with the answer key's kernels."""

    def profiles(self, lab, d=64):
        profiles = gpu_model.profiles(BUILD / f"{lab}_profile", (d, d, 64), ROOT)
        self.assertEqual([profile.error for profile in profiles], [""] * len(profiles))
        for profile in profiles:
            for access in (access for run in profile.runs for access in run["accesses"]):
                self.assertRegex(access["line"], rf"^reference/{lab}_\w+_kernel\.cu:\d+$")
                self.assertGreaterEqual(access["cost"], access["fewest"])
        return {profile.kernel: profile for profile in profiles}

    def test_every_kernel_that_moves_arrays_has_a_profile(self):
        for lab, without in (("lab05", {"feature_map_fused"}), ("lab09", set())):
            kernels = {each.function for each in next(each for each in LABS if each.name == lab).exercises if each.kernel}
            self.assertEqual(set(self.profiles(lab)), kernels - without)

    def test_the_delta_rule_is_counted_as_the_chapter_has_it(self):
        chapter = " ".join(next(ROOT.glob("labs/lab09_*/README.md")).read_text(encoding="utf-8").split())
        for d, shared in ((64, 100352), (128, 198912)):
            runs = self.profiles("lab09", d)["gated_delta_forward"].runs
            self.assertEqual([run["shared_bytes"] for run in runs], [shared] * 2)
            self.assertIn(f"{shared:,}".replace(",", " "), chapter)
            self.assertEqual([run["barriers"] for run in runs], [5 * 2, 5 * 3])
            reads = {access["array"] for access in runs[0]["accesses"] if not access["writes"] and not access["shared"]}
            self.assertEqual(reads, {"Q", "K", "V", "beta", "log_decay"})
