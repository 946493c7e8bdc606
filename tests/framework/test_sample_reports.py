"""The reports that pages show are what the course prints; a line with … stands for lines that a page leaves out."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from conftest import BUILD
from student_course import REPOSITORY, StudentCourse

SHOWN = re.compile(r"```text\n(lab\d\d · \w+ +FAIL\n.*?)```", re.S)


class SampleReports(StudentCourse):
    def assert_shown(self, page, message):
        """How close a mistake comes may differ from one compiler to another."""
        [shown] = SHOWN.findall((REPOSITORY / page).read_text(encoding="utf-8"))
        pattern = re.sub(r"(?m)^ *…\n", "<any lines>", shown)
        pattern = re.sub(r"matches (?:exactly|to [\d.e-]+)", "<closeness>", pattern)
        pattern = re.escape(pattern).replace("<any\\ lines>", r"(?:.*\n)*?").replace("<closeness>", r"matches (?:exactly|to [\d.e-]+)")
        self.assertRegex(message.rstrip() + "\n", rf"\A{pattern}\Z", page)

    def test_lab00(self):
        text = self.source("lab00").read_text(encoding="utf-8")
        self.write("lab00", text.replace("return sum(x, 1);", "return sum(x, 0);"))
        self.assert_shown("labs/lab00_warm_up/README.md", self.check("lab00.row_sums")[1]["lab00.row_sums"]["message"])

    def test_start_page(self):
        manifest = REPOSITORY / "labs/lab02_parallel_vs_recurrent/lab.json"
        with tempfile.TemporaryDirectory() as results:
            subprocess.run([BUILD / "lab02_check", "--manifest", manifest, "--exercise", "softmax_attention",
                            "--results", results, "--mistake", "no 1/√d_k scale"], stdout=subprocess.DEVNULL)
            result = json.loads(Path(results, "lab02.softmax_attention.json").read_text(encoding="utf-8"))
        self.assert_shown("docs/start.md", result["message"].replace(self.AGAIN, ""))

    AGAIN = "\n  again: ./course check lab02.softmax_attention    (in the build folder: ctest -R lab02.softmax_attention$)"
