"""What is predicted of kernels without a GPU: from nvcc's words and the CPU run's counts to a bound."""

import contextlib
import io
import subprocess
import unittest
from dataclasses import replace
from unittest import mock

from conftest import ROOT
from course import gpu_model
from course.errors import CourseError

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
            with self.subTest(card=card.name, threads=threads, registers=registers, shared=shared):
                self.assertEqual(gpu_model.blocks_that_fit(card, threads, registers, shared), expected)

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
            gpu_model.profiles(["false"], ROOT)


class Command(unittest.TestCase):
    def test_sizes_that_cannot_be(self):
        for words, said in ((("--chunk", "0"), "--chunk 0 is not between 1 and 256"), (("--d", "257"), "--d 257"),
                            (("--heads", "-1"), "--heads -1")):
            done = subprocess.run([ROOT / "course", "profile", *words], text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
