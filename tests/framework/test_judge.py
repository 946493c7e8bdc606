"""One submission, graded by the judge: what an honest answer and a stub earn, and what is the grader's trouble. test_hostile.py has
the attacks."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import pytest
from conftest import BUILD, LABS, ROOT, built_tree
from course_tree import own_folder
from course.ctest import run_on_gpu
from course.errors import CourseError
from author.judge import box, build, gpu, one

SOURCE = "lab01_feature_maps.cpp"


def stub() -> str:
    return (ROOT / "student" / SOURCE).read_text(encoding="utf-8")


@pytest.mark.usefixtures("boxes")
class Judged(unittest.TestCase):
    def setUp(self):
        self.folder = own_folder(self.enterContext)
        self.enterContext(mock.patch.object(build, "BuildTree", lambda root, track: built_tree()))

    def forget_the_class(self):
        """Which the fixture boxes made ready without --gpu."""
        self.enterContext(mock.patch.dict(os.environ))
        os.environ.pop(build.READY, None)

    def submit(self, files: dict) -> Path:
        folder = self.folder / "s001"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def status_of(self, files: dict, *labs: str, on_gpu: bool = False) -> int:
        """The exit status when these files are graded."""
        return one.grade_one(ROOT, self.submit(files), self.folder / "results", list(labs), 7, on_gpu=on_gpu)

    def result(self) -> dict:
        return json.loads((self.folder / "results" / "s001" / "result.json").read_text(encoding="utf-8"))

    def grade(self, files: dict, *labs: str) -> dict:
        self.assertEqual(self.status_of(files, *labs), 0)
        return self.result()

    def statuses(self, result: dict) -> dict:
        return {exercise["exercise"]: exercise["status"] for lab in result["labs"] for exercise in lab["exercises"]}


class Verdicts(Judged):
    def test_the_answer_key_earns_everything(self):
        sources = [source for lab in LABS for source in lab.sources]
        result = self.grade({source: (ROOT / "reference" / source).read_text(encoding="utf-8") for source in sources})
        self.assertEqual({name for name, status in self.statuses(result).items() if status != "pass"}, set())
        self.assertEqual(result["earned"], sum(exercise.points for lab in LABS for exercise in lab.exercises))
        self.assertEqual(sorted(path.name for path in (self.folder / "results" / "s001" / "files").iterdir()), sorted(sources))

    def test_stubs_are_to_do_and_a_mistake_and_a_crash_are_named_as_at_home(self):
        text = stub().replace('throw NotImplemented("relu");', "return x;").replace(
            'throw NotImplemented("identity");', "return x * *new double[1]() + (&*x.begin())[x.size()];")
        result = self.grade({SOURCE: text}, "lab01", "lab02")
        statuses = self.statuses(result)
        self.assertEqual((statuses.pop("relu"), statuses.pop("identity"), set(statuses.values())), ("fail", "crash", {"todo"}))
        self.assertEqual((result["earned"], result["seed"]), (0, 7))
        found = {each["exercise"]: each for each in result["labs"][0]["exercises"]}
        self.assertEqual(found["relu"]["mistakes"], ["negative entries kept"])
        self.assertIn("seed 7", found["relu"]["message"])
        self.assertRegex(found["identity"]["message"], rf"went outside an array(?s:.*)student/{SOURCE}:\d+")

    def test_forged_counts_do_not_hide_a_quadratic_cost(self):
        right = "return matmul(phi(Q), matmul(matrix_transpose(phi(K)), V));"
        key = (ROOT / "reference" / "lab02_parallel_vs_recurrent.cpp").read_text(encoding="utf-8")
        self.assertIn(right, key)
        forged = key.replace(right, """const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
            const Tensor O = matmul(matmul(phi(Q), matrix_transpose(phi(K))), V);
            work_done = work, largest_work = most, testing::blocks_run = blocks;
            return O;""").replace("namespace linattn {", """#include "work_counter.hpp"
            namespace linattn::testing { extern std::size_t blocks_run; }
            namespace linattn {""", 1)
        tests = (ROOT / "reference" / "lab02_tests.cpp").read_text(encoding="utf-8")
        result = self.grade({"lab02_parallel_vs_recurrent.cpp": forged, "lab02_tests.cpp": tests}, "lab02")
        wrong = [each for each in result["labs"][0]["exercises"] if each["status"] != "pass"]
        self.assertEqual([each["exercise"] for each in wrong], ["linear_attention_bidirectional"])
        self.assertIn("KiB of memory", wrong[0]["message"])

    def test_a_fault_of_a_kernel_names_the_line(self):
        name = "lab05_chunkwise_kernel.cu"
        key = (ROOT / "reference" / name).read_text(encoding="utf-8")
        guarded = "if (i < count) y[i] = feature_map_fused(x[i]);"
        self.assertIn(guarded, key)
        result = self.grade({name: key.replace(guarded, "y[i] = feature_map_fused(x[i]);")}, "lab05")
        found = next(each for each in result["labs"][0]["exercises"] if each["exercise"] == "feature_map_fused")
        self.assertEqual(found["status"], "fail")
        line = key[:key.index(guarded)].count("\n") + 1
        self.assertIn("apply_feature_map: read 4 bytes", found["message"])
        self.assertIn(f"at student/{name}:{line}\n", found["message"])

    def test_why_nothing_could_be_built_names_no_path_of_the_graders(self):
        for text, words in (('asm("nonsense");', "no such instruction"),
                            ("char one[3UL << 30], two[3UL << 30]; int three = 3; char use() { return one[1] + two[three]; }",
                             "cannot be (built with this submission|linked)")):
            result = self.grade({SOURCE: stub().replace("namespace linattn {", f"{text}\nnamespace linattn {{", 1)}, "lab01")
            found = result["labs"][0]["exercises"][0]
            self.assertEqual(found["status"], "build")
            self.assertRegex(found["message"], words)
            for path in (str(ROOT), "/tmp/", "reference/"):
                self.assertNotIn(path, found["message"])


class Trouble(Judged):
    def test_a_box_that_does_not_start_is_no_verdict(self):
        with mock.patch.object(box.Box, "_command", lambda *_: ["sh", "-c", "echo no namespaces >&2; exit 1"]):
            self.assertEqual(self.status_of({SOURCE: stub()}, "lab01"), 75)
        self.assertEqual(list((self.folder / "results").iterdir()), [])

    def test_nor_is_one_that_fails_before_the_runner_runs(self):
        with mock.patch.object(box.Box, "runs", lambda *_: ["sh", "-c", "exit 1"]):
            self.assertEqual(self.status_of({SOURCE: stub()}, "lab01"), 75)

    def test_what_a_full_disk_keeps_from_compiling_is_no_verdict(self):
        with mock.patch.object(box, "ROOM", 1 << 62), contextlib.redirect_stderr(io.StringIO()) as said:
            status = self.status_of({SOURCE: "#error"}, "lab01")
        self.assertEqual((status, list((self.folder / "results").iterdir())), (75, []))
        self.assertIn("there is no room left in", said.getvalue())

    def test_nor_does_it_leave_half_a_result(self):
        with mock.patch("author.judge.feedback.write_together", side_effect=OSError(28, os.strerror(28))), \
                contextlib.redirect_stderr(io.StringIO()) as said:
            status = self.status_of({"notes.txt": ""}, "lab01")
        self.assertEqual((status, list((self.folder / "results").iterdir())), (75, []))
        self.assertRegex(said.getvalue(), "^course: s001 was not graded: cannot write .*results: No space left on device")

    def test_why_nothing_can_be_graded(self):
        for refused, words in ((str(ROOT / "labs"), "move it out of /root"), ("/program", "noexec")):
            with mock.patch.object(box.Box, "compile", lambda _, command, folder, see, log: log.touch() or refused not in see), \
                    self.assertRaisesRegex(CourseError, f"^nothing can be graded: .*{words}"):
                box.Box(self.folder).try_out(self.folder, ROOT / "labs")

    def test_a_submission_without_files_is_unusable(self):
        self.assertEqual(self.status_of({"notes.txt": ""}, "lab01"), 3)
        self.assertEqual((self.result()["status"], self.result()["labs"]), ("unusable", []))


KERNELS = ("feature_map_fused", "chunkwise_forward", "chunk_states", "scan_states", "chunk_outputs",
           "packed_chunkwise_forward")


def key_of_lab05() -> dict:
    return {name: (ROOT / "reference" / name).read_text(encoding="utf-8")
            for lab in LABS if lab.name == "lab05" for name in lab.sources}


CALL = "    attend(tile, Q, K, V, O, n, d_k, d_v, chunk, epsilon);\n"  # of chunkwise_forward
# Right on the CPU run: what the kernel does on a GPU, or the program when it starts there, and which kernels then fail how.
ONLY_THERE = {
    "the answer key": ("", "", {}),
    "wrong": (f"{CALL} __syncthreads(); if (threadIdx.x == 0) O[0] *= 2.0f; return;", "", {"chunkwise_forward": "fail"}),
    "without end": ("while (clock64() != 1) {}", "", {"chunkwise_forward": "timeout"}),
    "illegal address": ("*reinterpret_cast<volatile float*>(64) = 1.0f;", "", {"chunkwise_forward": "fail"}),
    "trap": ("__trap();", "", {"chunkwise_forward": "fail"}),
    "all memory of the device": ("", "for (size_t bytes = size_t{1} << 36; bytes > 1 << 20; bytes /= 2) { void* p; while (cudaMalloc(&p, bytes) == 0) {} }",
                                 dict.fromkeys(KERNELS, "fail")),
    "memory with a descriptor": ("", "std::vector<char> page(1 << 20); const int file = memfd_create(\"\", 0); while (write(file, page.data(), page.size()) > 0) {}",
                                 dict.fromkeys(KERNELS, "crash")),
    "processes, networks, files": ("", """
        const auto found = [](bool what) { if (what) std::abort(); };
        found(fork() >= 0); found(socket(AF_INET, SOCK_STREAM, 0) >= 0); found(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
        for (const char* path : {"/etc/passwd", "/proc/1/environ", "/proc/sys/kernel/hostname"}) found(open(path, O_RDONLY) >= 0);
        for (const char* path : {"/x", "/tmp/x", "/usr/x", "/sys/x", "/dev/x", "/runner"}) found(open(path, O_RDWR | O_CREAT, 0600) >= 0);""",
                                   {}),
}


class WithAGpu(Judged):
    def test_verdicts_there(self):
        try:
            gpu.refuse(built_tree(), elsewhere=False)
        except CourseError as reason:
            self.skipTest(str(reason))
        self.forget_the_class()
        name, sources = "lab05_chunkwise_kernel.cu", key_of_lab05()
        for words, (kernel, program, due) in ONLY_THERE.items():
            with mock.patch.object(one, "RUN_SECONDS", 10):
                starts = ("#include <cuda_runtime.h>\n#include <fcntl.h>\n#include <sys/mman.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"
                          f"#include <cstdlib>\n#include <vector>\nstatic const int started = [] {{ {program} return 0; }}();\n")
                text = sources[name].replace(CALL, f"#ifdef __CUDA_ARCH__\n{kernel}\n#endif\n{CALL}", 1)
                there = f"#ifdef __CUDACC__\n{starts}#endif\n{text}" if program else text
                self.assertEqual(self.status_of({**sources, name: there}, "lab05", on_gpu=True), 0, words)
                result = self.result()
                found = {each: status for each, status in self.statuses(result).items() if status != "pass"}
                self.assertEqual(found, due, [words, *(each["message"] for each in result["labs"][0]["exercises"] if each["status"] != "pass")])


class OnAGpu(Judged):
    """--gpu where there is no GPU: an ordinary file plays its device file."""

    def setUp(self):
        super().setUp()
        self.forget_the_class()
        self.folder.chmod(0o755)
        self.devices = [str(self.folder / name) for name in ("one", "two")]
        for device in self.devices:
            Path(device).touch()
        self.enterContext(mock.patch.object(gpu, "devices", lambda: self.devices))
        self.sources = key_of_lab05()

    def needs_nvcc(self):
        try:
            gpu.refuse(built_tree(), elsewhere=True)
        except CourseError as reason:
            self.skipTest(str(reason))

    def grade_on_gpu(self) -> int:
        return self.status_of(self.sources, "lab05", on_gpu=True)

    def found(self) -> dict:
        return {each["exercise"]: each for each in self.result()["labs"][0]["exercises"]}

    def test_kernels_run_twice_and_other_functions_once(self):
        with mock.patch.object(build.Judge, "runners", lambda _, lab: [f"{lab.name}_runner"] * 2), \
                mock.patch.object(build.Judge, "on_gpu", lambda *_: False), \
                mock.patch.object(build.Judge, "check_program", lambda self, lab, _: self.folder / f"{lab.name}_check_judge"), \
                mock.patch.object(gpu, "held", mock.Mock(wraps=gpu.held)) as held:
            self.assertEqual(self.grade_on_gpu(), 0)
        self.assertEqual({each["status"] for each in self.found().values()}, {"pass"})
        self.assertEqual({name for name, each in self.found().items() if " on the GPU " in each["message"]}, set(KERNELS))
        self.assertEqual(held.call_count, len(KERNELS))

    def test_what_nvcc_refuses_fails_and_the_answer_keys_kernels_are_not_linked_in_its_place(self):
        self.needs_nvcc()
        self.sources["lab05_chunkwise_kernel.cu"] += '#ifdef __CUDACC__\nint number = "word";\n#endif\n'
        self.assertEqual(self.grade_on_gpu(), 0)
        self.assertEqual({name for name, each in self.found().items() if each["status"] == "fail"}, set(KERNELS))
        message = self.found()["scan_states"]["message"]
        self.assertRegex(message, r"^passes the CPU run, but does not compile for a GPU:\nstudent/lab05_\w+.cu\(\d+\): error")
        self.assertNotIn(str(ROOT), message)
        plan = build.Judge(ROOT, gpu=True).plan("lab05_runner_gpu")
        self.assertEqual([path for path in plan.inputs if "chunkwise_kernel" in path], [])

    def test_it_is_not_the_submissions_fault_where_the_answer_key_fails_as_well(self):
        self.needs_nvcc()
        self.sources["lab05_chunkwise.cpp"] = (ROOT / "student/lab05_chunkwise.cpp").read_text(encoding="utf-8")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(self.grade_on_gpu(), 75)
        self.assertIn("the answer key does not pass on this GPU either: lab05 · feature_map_fused on the GPU", said.getvalue())

    def test_two_graders_never_hold_one_device(self):
        third = []

        def hold():
            with gpu.held() as device:
                third.append(device)

        waiting = threading.Thread(target=hold)
        with gpu.held() as first, gpu.held() as second:
            self.assertEqual([first, second], self.devices)
            waiting.start()
            time.sleep(0.3)
            self.assertEqual(third, [])
        waiting.join()
        self.assertIn(third[0], self.devices)

    def test_the_box_sees_one_gpu(self):
        words = box.Box(self.folder).runs(Path("/bin/true"), 5, "/dev/nvidia1")
        devices = [words[i + 1] for i, word in enumerate(words) if word.startswith("--dev-bind")]
        self.assertEqual(devices, ["/dev/null", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"])
        self.assertNotIn("/dev/nvidia", " ".join(box.Box(self.folder).runs(Path("/bin/true"), 5)))

    def test_what_the_driver_needs_is_allowed_there_and_nothing_else(self):
        tried = {"a socket of this machine": "s = socket.socket(socket.AF_UNIX); s.bind('\\0name'); s.listen()",
                 "memory with a descriptor": "os.memfd_create('x')",
                 "a thread's name": "open(f'/proc/self/task/{os.getpid()}/comm', 'w').write('x')", "the network": "socket.socket()", "a process": "os.fork()",
                 "a connection": "socket.socket(socket.AF_UNIX).connect('\\0name')"}
        words = box.Box(BUILD / "box")._command("gpu", [], [], ["/usr/bin/python3", "-c", f"""
import os, socket
for name, code in {tried!r}.items():
    try:
        exec(code)
        print(name)
    except PermissionError:
        pass
"""])
        ran = subprocess.run(words, cwd="/", capture_output=True, text=True)
        self.assertEqual(ran.stdout.splitlines(), ["a socket of this machine", "memory with a descriptor", "a thread's name"], ran.stderr)

    def test_why_there_is_none(self):
        tree = built_tree()
        tree.folder, file = self.folder, self.devices[0]
        nvcc, cudart = f"LINATTN_NVCC:FILEPATH={file}\n", f"LINATTN_CUDART:FILEPATH={file}\n"
        with mock.patch.object(run_on_gpu, "DEVICES", ()):
            for cache, said in (("", "no nvcc"), (nvcc, "cudart_static"), (nvcc + cudart, "no NVIDIA GPU here; leave")):
                (self.folder / "CMakeCache.txt").write_text(cache, encoding="utf-8")
                with self.assertRaisesRegex(CourseError, said):
                    gpu.refuse(tree, elsewhere=False)
            gpu.refuse(tree, elsewhere=True)
