"""The reports that pages show are what the course prints; a line with … stands for lines that a page leaves out."""

import json
import re
import subprocess

from conftest import BUILD, ROOT

SHOWN = re.compile(r"```text\n(lab\d\d · \w+ +FAIL\n.*?)```", re.S)
CLOSE = re.compile(r"matches (?:exactly|to [\d.e-]+)")  # may differ from one compiler to another
AGAIN = "\n  again: ./course check lab02.softmax_attention    (in the build folder: ctest -R lab02.softmax_attention$)"


def assert_shown(page, message):
    [shown] = SHOWN.findall((ROOT / page).read_text())
    parts = re.split(r"(?m)^ *…\n", CLOSE.sub("close", shown))
    assert re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), CLOSE.sub("close", message.rstrip() + "\n")), page


def test_lab00(student):
    student.lab00.write_text(student.lab00.read_text().replace("return sum(x, 1);", "return sum(x, 0);"))
    assert_shown("labs/lab00_warm_up/README.md", student.check("lab00.row_sums")[1]["lab00.row_sums"]["message"])


def test_start_page(tmp_path):
    subprocess.run([BUILD / "lab02_check", "--manifest", ROOT / "labs/lab02_parallel_vs_recurrent/lab.json", "--exercise",
                    "softmax_attention", "--results", tmp_path, "--mistake", "no 1/√d_k scale"], stdout=subprocess.DEVNULL)
    result = json.loads((tmp_path / "lab02.softmax_attention.json").read_text())
    assert_shown("docs/start.md", result["message"].replace(AGAIN, ""))
