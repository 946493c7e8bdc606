"""What a plain ctest prints after its own words, how a message looks in a terminal, and what a GPU test says without a GPU."""

import json
import os
import subprocess
import sys

import pytest
from conftest import LABS, ROOT, shell_script

from course.build.ctest import print_results, run_ahead, run_on_gpu
from course.build.ctest.what_failed import what_failed
from course.verdicts import messages


@pytest.fixture
def build(tmp_path):
    (tmp_path / "run_started").touch()
    return tmp_path


def leave(build, name, status="fail", folder="results", **more):
    lab, _, exercise = name.partition(".")
    path = build / folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"lab": lab, "exercise": exercise, "status": status, "message": f"{name} is {status}",
                                "mistakes": ["one"]} | more))
    return path


def said(build):
    return what_failed(str(ROOT), str(build)).split("\n\n")


def test_what_to_fix_first_comes_last(build):
    leave(build, "lab01.identity", "pass")
    assert said(build) == [""]
    leave(build, "lab01.polynomial_features")
    leave(build, "lab01.relu")
    leave(build, "lab00.row_sums", "todo")
    assert said(build) == ["lab00.row_sums is todo\nlab01.polynomial_features is fail\nlab01.relu is fail"]
    leave(build, "lab01.relu", begin_with="polynomial_features")
    assert said(build) == ["lab00.row_sums is todo\nlab01.relu is fail\nlab01.polynomial_features is fail"]
    (build / "results/lab00.row_sums.json").unlink()
    for path in (build / "results").glob("lab01*"):
        os.utime(path, (0, 0))
    assert said(build) == [""], "results of an earlier run"


def test_the_run_on_a_gpu_has_words_of_its_own(build):
    leave(build, "lab01.relu", "pass")
    for name in ("lab01.relu", "lab01.polynomial_features"):
        leave(build, name, folder="results/gpu", message="\n".join([f"{name} on the GPU"] * 31))
    assert "ctest -R 'lab01.polynomial_features.gpu$'" in "".join(said(build))


@pytest.mark.parametrize("ctest, environment, expected", [
    (["-L", "^lab01$"], {}, "\nlab01.relu is fail\n"), *(([option], {}, "") for option in print_results.PRINTS_ITSELF),
    ([], {"CTEST_OUTPUT_ON_FAILURE": "1"}, ""), ([], {"LINATTN_RESULTS_ONLY": "1"}, "")])
def test_nothing_is_said_twice(build, ctest, environment, expected):
    """What the program prints below a process that is called in this way. ./course check prints the results itself."""
    leave(build, "lab01.relu")
    failed = build / "Testing/Temporary/LastTestsFailed.log"
    failed.parent.mkdir(parents=True)
    failed.write_text("7:lab01.relu\n")
    program = [sys.executable, "-I", "-S", "-B", f"{ROOT}/tools/course/build/ctest/print_results.py", str(ROOT), str(build)]
    parent = "import subprocess, sys, json; sys.exit(subprocess.call(json.loads(sys.argv[1])))"
    outer = {"LINATTN_RESULTS_ONLY": "", "CTEST_OUTPUT_ON_FAILURE": "", "LC_ALL": "C"}
    ran = subprocess.run([sys.executable, "-c", parent, json.dumps(program), *ctest], stdout=subprocess.PIPE,
                         encoding="utf-8", check=True, env=os.environ | outer | environment)
    assert ran.stdout == expected


@pytest.mark.parametrize("words, cores, wanted", [
    *((words, 2, True) for words in ("-L lab07", "-L ^lab07$ --output-on-failure", "--test-dir=b -L lab07 -V", "--test-dir b --label-regex=lab07")),
    *((words, 2, False) for words in ("", "-L lab", "-L lab08", "-L lab07 -j2", "-L lab07 -R twice", "-R lab07", "-L lab07 --rerun-failed")),
    ("-L lab07", 1, False)])
def test_it_runs_ahead_only_where_all_of_a_lab_is_asked_for_one_test_at_a_time(monkeypatch, words, cores, wanted):
    monkeypatch.setattr(run_ahead, "CORES", cores)
    monkeypatch.delenv("CTEST_PARALLEL_LEVEL", raising=False)
    assert run_ahead.wanted(["ctest", *words.split(), ""], "lab07") == wanted
    monkeypatch.setenv("CTEST_PARALLEL_LEVEL", "2")
    assert not run_ahead.wanted(["ctest", *words.split(), ""], "lab07")


def test_what_could_not_be_judged_is_left_to_its_own_test(tmp_path):
    shell_script(tmp_path / "lab00_check", 'echo "$*"\ncase $4 in row_sums) exit 1;; *) exit 2;; esac')
    results = tmp_path / "results"
    run_ahead.run(str(tmp_path), "lab00", str(LABS[0].manifest))
    assert "--exercise row_sums" in (results / "lab00.row_sums.done1").read_text()
    assert list(results.glob("*.done*")) == [results / "lab00.row_sums.done1"]
    run_ahead.remove_left_over(str(tmp_path))
    assert list(results.iterdir()) == []


MESSAGE = ("lab07 · gelu                                                           FAIL\n"
           "    first differs at [token 0, 1]: expected 0.9999998, got 0.9999999; 10 of 12 values differ\n"
           "    looks like: not halved (matches exactly)")


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return monkeypatch


def test_lines_fit_and_go_on_further_in(terminal):
    lines = messages.arrange([(MESSAGE, "")]).split("\n")
    assert lines[0].endswith(" \033[31mFAIL\033[0m")
    assert lines[1:3] == ["    first differs at [token 0, 1]: expected 0.9999998, got",
                          "      0.9999999; 10 of 12 values differ"]
    assert lines[3] == "    \033[33mlooks like: not halved (matches exactly)\033[0m"


def test_whoever_wants_no_colours_gets_none(terminal):
    terminal.setenv("NO_COLOR", "1")
    assert "\033" not in messages.arrange([(MESSAGE, "")])


def test_a_file_gets_the_lines_as_they_are():
    assert messages.arrange([(MESSAGE, "")]) == MESSAGE


@pytest.fixture
def on_gpu(tmp_path, monkeypatch, capsys):
    """What the test of a GPU says and returns, with these programs."""
    def run(nvcc=sys.executable, cudart=sys.executable, device="/dev/null", cmake="exit 0", check="exit 0"):
        monkeypatch.setattr(run_on_gpu, "DEVICES", (device,))
        cmake = shell_script(tmp_path / "cmake", f'echo "cmake $*" >>{tmp_path}/ran\n{cmake}')
        shell_script(tmp_path / "check_gpu", f'echo "check $*" >>{tmp_path}/ran\n{check}')
        (tmp_path / "ran").write_text("")
        status = run_on_gpu.main(nvcc, cudart, str(cmake), str(tmp_path), "lab07.twice", "check_gpu", "--gpu")
        return status, capsys.readouterr().out, (tmp_path / "ran").read_text()
    return run


@pytest.mark.parametrize("missing, why", [({"nvcc": "LINATTN_NVCC-NOTFOUND"}, "no nvcc of CUDA 12 or later here"),
                                          ({"cudart": "NOTFOUND"}, "nvcc is here, but its library cudart_static is not"),
                                          ({"device": "/none"}, "no NVIDIA GPU here")])
def test_without_a_gpu_it_says_why(on_gpu, missing, why):
    assert on_gpu(**missing) == (0, f"Skipped: {why}; lab07.twice was graded on the CPU run only\n", "")


def test_with_a_gpu_it_builds_and_runs(on_gpu, tmp_path):
    built = f"cmake --build {tmp_path} --target check_gpu\n"
    assert on_gpu() == (0, "", f"{built}check --gpu\n")
    assert on_gpu(cmake="echo 'x.cu: error: no'; exit 1") == (
        1, "lab07.twice does not compile for a GPU:\nx.cu: error: no\n\n", built)
    assert on_gpu(check="exit 1") == (1, "lab07.twice does not pass on the GPU; its message is above\n", f"{built}check --gpu\n")
