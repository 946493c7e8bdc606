"""One submission, graded by the judge: what an honest answer and a stub earn, and what is the grader's trouble. test_hostile.py has
the attacks."""

import contextlib
import io
import json
import os
import shutil
import unittest
from pathlib import Path
from unittest import mock

import pytest
from conftest import LABS, ROOT, built_tree
from course_tree import own_folder
from course.errors import CourseError
from author.judge import box, build, grade_submission

SOURCE = "lab01_feature_maps.cpp"


def stub() -> str:
    return (ROOT / "student" / SOURCE).read_text(encoding="utf-8")


@pytest.mark.usefixtures("boxes")
class Judged(unittest.TestCase):
    def setUp(self):
        self.folder = own_folder(self.enterContext)
        self.enterContext(mock.patch.object(build, "BuildTree", lambda root, track: built_tree()))

    def submit(self, files: dict) -> Path:
        folder = self.folder / "s001"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def status_of(self, files: dict, *labs: str) -> int:
        """The exit status when these files are graded."""
        return grade_submission.grade_one(ROOT, self.submit(files), self.folder / "results", list(labs), 7)

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
        for text, words in (('static_assert(false, "nonsense");', "nonsense"), ('asm("nop");', "Leave out assembler"),
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
