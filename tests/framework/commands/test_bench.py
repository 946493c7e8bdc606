"""./course bench: what is too noisy is not kept, and what is missing is named."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from author import benchmarks
from author.commands import bench
from course.errors import CourseError

HAS_BENCHMARK = Path("/usr/include/benchmark/benchmark.h").exists()  # optional (tools/packages.txt)


def rows(name, seconds, spread):
    return [{"run_name": name, "aggregate_name": "median", "real_time": seconds * 1e6, "time_unit": "us"},
            {"run_name": name, "aggregate_name": "cv", "real_time": spread, "time_unit": "us"}]


def test_medians_in_seconds_with_their_spread_and_what_is_no_measurement():
    found = benchmarks.medians(rows("token_cost/state/n:16", 0.25, 0.15))
    assert [(row["run_name"], row["seconds"], row["cv"]) for row in found] == [("token_cost/state/n:16", 0.25, 0.15)]
    with pytest.raises(CourseError, match="repetitions of b lie 40% apart, and nothing was written"):
        benchmarks.medians([*rows("a", 1.0, 0.2), *rows("b", 1.0, 0.4)])
    with pytest.raises(CourseError, match="a/n:1: the output differs"):
        benchmarks.medians([{"name": "a/n:1", "error_occurred": True, "error_message": "the output differs"}])


@pytest.mark.skipif(not HAS_BENCHMARK, reason="no google-benchmark")
def test_cmake_takes_the_preset(tmp_path):
    done = subprocess.run(["cmake", "--preset", "bench", "-B", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_pytorch_one_line_says_so(monkeypatch):
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match="has no PyTorch to compare with; .* -m pip install torch"):
        bench._peers(ROOT, 1)


def test_peers_compute_the_same_in_pytorch():
    """In chunks of two lengths; ./course bench --peers compares them with ours."""
    torch = pytest.importorskip("torch")
    sys.path.insert(0, str(ROOT / "bench"))
    import peers
    qkv, gates = peers.inputs(2, 64, 8)
    assert torch.allclose(peers.in_chunks(8, *qkv), peers.in_chunks(64, *qkv), atol=1e-5)
    assert torch.allclose(peers.rule_in_chunks(8, *qkv, *gates), peers.rule_in_chunks(64, *qkv, *gates), atol=1e-5)
