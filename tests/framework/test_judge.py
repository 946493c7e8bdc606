"""One submission, graded by the judge: what an honest answer, a stub and a theft earn, and what is the grader's trouble."""

import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))

import boxes
from course import manifest
from course.judge import box, build, one

LABS = manifest.load(REPOSITORY)
SOURCE = "lab01_feature_maps.cpp"
WRITE_FRAMES = """
#include <unistd.h>
__attribute__((constructor)) static void forge() {
    for (unsigned char all[4096] = {2}; write(4, all, sizeof all) > 0 && ++all[9] != 0;) {}
}
"""
# Goes before the namespace, and what each function does: nothing that is right.
THEFTS = {
    "ends the process": ("#include <unistd.h>\n__attribute__((constructor)) static void leave() { _exit(0); }", "", "crash"),
    "writes answers to every descriptor": (WRITE_FRAMES, "", "crash"),
    "says that the box failed": (
        '#include <unistd.h>\n'
        'static void say() { for (int to = 3; to < 64; ++to) (void)!write(to, "{ \\"exit-code\\": 0 }", 18); }',
        "say(); _exit(0);", "crash"),
    "starts a process": ("#include <unistd.h>", "if (fork() == 0) for (;;) pause();", "fail"),
    "holds memory": ("#include <vector>", "for (std::vector<std::vector<char>> all;;) all.emplace_back(1 << 26, 1);", "crash"),
    "reads the answer key": ("#include <fstream>", f"""
        for (const char* folder : {{"reference", "tests", "student", "build"}})
            if (std::ifstream(std::string("{REPOSITORY}/") + folder)) return x * 0.0;
        if (getenv("HOME") || getenv("LINATTN_SEED") || std::ifstream("/etc/passwd")) return x * 0.0;
        throw NotImplemented("relu");""", "todo"),
    "defines main": ("int main() { return 0; }", "", "build"),
    "includes the answer key": (f'#include "{REPOSITORY}/reference/{SOURCE}"', "", "build"),
}


def stub() -> str:
    return (REPOSITORY / "student" / SOURCE).read_text(encoding="utf-8")


class Judged(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        place = mock.patch.object(build, "BuildTree", lambda root, track: BuildTreeOfTheTest(root, track))
        place.start()
        self.addCleanup(place.stop)
        boxes.needed(REPOSITORY, LABS)

    def submit(self, files: dict) -> Path:
        folder = self.folder / "s001"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    def grade(self, files: dict, labs: tuple = (), seed: int = 7) -> dict:
        submission = self.submit(files)
        self.assertEqual(one.grade_one(REPOSITORY, submission, self.folder / "results", list(labs), seed), 0)
        return json.loads((self.folder / "results" / "s001" / "result.json").read_text(encoding="utf-8"))

    def statuses(self, result: dict) -> dict:
        return {exercise["exercise"]: exercise["status"] for lab in result["labs"] for exercise in lab["exercises"]}


class Verdicts(Judged):
    def test_the_answer_key_earns_everything(self):
        sources = [source for lab in LABS for source in lab.sources]
        result = self.grade({source: (REPOSITORY / "reference" / source).read_text(encoding="utf-8") for source in sources})
        self.assertEqual({name for name, status in self.statuses(result).items() if status != "pass"}, set())
        self.assertEqual(result["earned"], sum(exercise.points for lab in LABS for exercise in lab.exercises))
        self.assertEqual(sorted(path.name for path in (self.folder / "results" / "s001" / "files").iterdir()), sorted(sources))

    def test_stubs_and_what_is_missing_are_to_do(self):
        result = self.grade({SOURCE: stub()}, ("lab01", "lab02"))
        self.assertEqual(set(self.statuses(result).values()), {"todo"})
        self.assertEqual((result["earned"], result["seed"]), (0, 7))

    def test_a_wrong_answer_is_named_as_at_home(self):
        result = self.grade({SOURCE: stub().replace('throw NotImplemented("relu");', "return x;")}, ("lab01",))
        found = next(exercise for exercise in result["labs"][0]["exercises"] if exercise["exercise"] == "relu")
        self.assertEqual((found["status"], found["mistakes"]), ("fail", ["negative entries kept"]))
        self.assertIn("seed 7", found["message"])

    def test_thefts_earn_nothing_and_leave_no_process(self):
        for name, (before, body, status) in THEFTS.items():
            with self.subTest(name):
                text = stub().replace("namespace linattn {", before + "\nnamespace linattn {", 1)
                result = self.grade({SOURCE: text.replace('throw NotImplemented("relu");', body + " return x;")}, ("lab01",))
                self.assertEqual(self.statuses(result)["relu"], status)
                self.assertEqual(result["earned"], 0)
                self.assertEqual(Path("/proc/thread-self/children").read_text(encoding="ascii"), "")

    def test_forged_counts_do_not_hide_a_quadratic_cost(self):
        right = "return matmul(phi(Q), matmul(matrix_transpose(phi(K)), V));"
        key = (REPOSITORY / "reference" / "lab02_parallel_vs_recurrent.cpp").read_text(encoding="utf-8")
        self.assertIn(right, key)
        forged = key.replace(right, """const std::size_t work = work_done, most = largest_work, blocks = testing::blocks_run;
            const Tensor O = matmul(matmul(phi(Q), matrix_transpose(phi(K))), V);
            work_done = work, largest_work = most, testing::blocks_run = blocks;
            return O;""").replace("namespace linattn {", """#include "work_counter.hpp"
            namespace linattn::testing { extern std::size_t blocks_run; }
            namespace linattn {""", 1)
        result = self.grade({"lab02_parallel_vs_recurrent.cpp": forged}, ("lab02",))
        wrong = [each for each in result["labs"][0]["exercises"] if each["status"] != "pass"]
        self.assertEqual([each["exercise"] for each in wrong], ["linear_attention_bidirectional"])
        self.assertIn("KiB of memory", wrong[0]["message"])

    def test_a_crash_names_the_line(self):
        lines = stub().replace('throw NotImplemented("relu");', "return x * *new double[1]() + (&*x.begin())[x.size()];")
        exercises = self.grade({SOURCE: lines}, ("lab01",))["labs"][0]["exercises"]
        relu = next(each for each in exercises if each["exercise"] == "relu")
        self.assertEqual(relu["status"], "crash")
        self.assertRegex(relu["message"], rf"went outside an array(?s:.*)student/{SOURCE}:\d+")

    def test_a_fault_of_a_kernel_names_the_line(self):
        name = "lab05_chunkwise_kernel.cu"
        key = (REPOSITORY / "reference" / name).read_text(encoding="utf-8")
        guarded = "if (i < count) y[i] = feature_map_fused(x[i]);"
        self.assertIn(guarded, key)
        result = self.grade({name: key.replace(guarded, "y[i] = feature_map_fused(x[i]);")}, ("lab05",))
        found = next(each for each in result["labs"][0]["exercises"] if each["exercise"] == "feature_map_fused")
        self.assertEqual(found["status"], "fail")
        line = key[:key.index(guarded)].count("\n") + 1
        self.assertIn("apply_feature_map: read 4 bytes", found["message"])
        self.assertIn(f"at student/{name}:{line}\n", found["message"])

    def test_why_nothing_could_be_built_names_no_path_of_the_graders(self):
        for text, words in (('asm("nonsense");', "no such instruction"),
                            ("char one[3UL << 30], two[3UL << 30]; int three = 3; char use() { return one[1] + two[three]; }",
                             "cannot be (built with this submission|linked)")):
            with self.subTest(text):
                result = self.grade({SOURCE: stub().replace("namespace linattn {", f"{text}\nnamespace linattn {{", 1)}, ("lab01",))
                found = result["labs"][0]["exercises"][0]
                self.assertEqual(found["status"], "build")
                self.assertRegex(found["message"], words)
                for path in (str(REPOSITORY), "/tmp/", "reference/"):
                    self.assertNotIn(path, found["message"])


class Trouble(Judged):
    def test_a_box_that_does_not_start_is_no_verdict(self):
        with mock.patch.object(box.Box, "_command", lambda *_: ["sh", "-c", "echo no namespaces >&2; exit 1"]):
            status = one.grade_one(REPOSITORY, self.submit({SOURCE: stub()}), self.folder / "results", ["lab01"], 1)
        self.assertEqual(status, 75)
        self.assertEqual(list((self.folder / "results").iterdir()), [])

    def test_nor_is_one_that_fails_before_the_runner_runs(self):
        with mock.patch.object(box.Box, "runs", lambda *_: ["sh", "-c", "exit 1"]):
            status = one.grade_one(REPOSITORY, self.submit({SOURCE: stub()}), self.folder / "results", ["lab01"], 1)
        self.assertEqual(status, 75)

    def test_a_submission_without_files_is_unusable(self):
        status = one.grade_one(REPOSITORY, self.submit({"notes.txt": ""}), self.folder / "results", ["lab01"], 1)
        self.assertEqual(status, 3)
        result = json.loads((self.folder / "results" / "s001" / "result.json").read_text(encoding="utf-8"))
        self.assertEqual((result["status"], result["labs"]), ("unusable", []))


class BuildTreeOfTheTest(build.BuildTree):
    """The one that the test belongs to."""

    def __init__(self, root: Path, track: str):
        super().__init__(root, track)
        self.folder = Path(os.environ["LINATTN_BUILD"])


if __name__ == "__main__":
    unittest.main()
