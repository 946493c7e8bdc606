"""./course profile: what is counted of kernels and of functions for the CPU, with the answer key's."""

import re
import subprocess

import pytest
from conftest import BUILD, LABS, ROOT, built, shell_script

from course.commands import profile
from course.errors import CourseError
from course.sources import manifest

build = built("lab05_profile", "lab09_profile", "lab05_profile_functions")
ROW = re.compile(r"^ +(\d+) +(\d+) +(\d+) +([\d.]+)x   (shared|device) (read|write) +(\w+) +(\S+)$", re.M)


def kernels(lab, *sizes):
    """name → what the program prints of it."""
    done = subprocess.run([BUILD / f"{lab}_profile", lab, *map(str, sizes)], cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(re.findall(r"^(\w+)\n((?: .*\n)+)", done.stdout, re.M))


@pytest.mark.parametrize("lab, without", [("lab05", {"feature_map_fused"}), ("lab09", set())])
def test_every_kernel_that_moves_arrays_is_counted(lab, without):
    found = kernels(lab, 64, 64)
    assert set(found) == {each.function for each in next(each for each in LABS if each.name == lab).exercises if each.kernel} - without
    for text in found.values():
        rows = ROW.findall(text)
        assert rows and len(rows) == text.count("\n") - 2
        for _, cost, fewest, ratio, *_, line in rows:
            assert int(cost) >= int(fewest) and float(ratio) == pytest.approx(int(cost) / int(fewest), abs=0.01)
            assert re.match(rf"reference/{lab}_\w+_kernel\.cu:\d+$", line)


def test_one_kernel_may_be_chosen():
    assert list(kernels("lab05", 64, 64, "chunk_states")) == ["chunk_states"]
    assert subprocess.run([BUILD / "lab05_profile", "lab05", "64", "64", "feature_map_fused"], cwd=ROOT).returncode == 3


def test_the_delta_rule_is_counted_as_the_chapter_has_it():
    chapter = " ".join(next(ROOT.glob("labs/lab09_*/README.md")).read_text().split())
    for d, shared in ((64, 100352), (128, 198912)):
        text = kernels("lab09", d, 64)["gated_delta_forward"]
        assert f"{shared} bytes of dynamic shared memory, 10 barriers" in text
        assert f"{shared:,}".replace(",", " ") in chapter
        assert {row[6] for row in ROW.findall(text) if row[4:6] == ("device", "read")} == {"Q", "K", "V", "beta", "log_decay"}


def measured(function, **sizes):
    exercise = manifest.find_exercise(LABS, f"lab05.{function}")[1]
    return profile.of_function(BUILD / "lab05_profile_functions", exercise, {"heads": 1, "n": 1024, "d": 64, "chunk": 64, **sizes})


def test_multiply_adds_and_time_of_a_function():
    """16 chunks of 64 tokens, d = 64: 4 products of 64³ in each."""
    found = measured("chunkwise_linear_attention")
    assert re.fullmatch(r"""  time        [\d.]+ .?s a call, [\d.]+ .?s for each token of a head: the median of \d+
  needed      12\.6 million multiply-adds by this method, with what lies above a mask left out: [\d.]+ GFLOP/s,
              \d+% of the [1-9][\d.]+ GFLOP/s of a large product of matrices in the same run
  products    64 of matrices did 16\.8 million multiply-adds in [\d.]+ .?s, \d\d?% of the time: [\d.]+ GFLOP/s
  the rest    [\d.]+ .?s, \d\d?% of the time: your loops, and 0 entries by the vocabulary""", found), found


def test_what_has_no_products_says_so():
    text = measured("to_bfloat16", n=64)
    assert "none of matrices" in text and "there is no GFLOP/s" in text


@pytest.mark.parametrize("exercise", [each for lab in LABS if (lab.folder / "profile_functions.cpp").exists() for each in lab.exercises],
                         ids=lambda each: each.name)
def test_every_function_for_the_cpu_is_measured(exercise):
    program = next(lab.folder for lab in LABS if exercise in lab.exercises) / "profile_functions.cpp"
    assert (f'"{exercise.function}",' in program.read_text()) != exercise.kernel


def test_a_function_that_is_not_written_is_no_measurement(tmp_path):
    program = shell_script(tmp_path / "program", """echo printed\nprintf '\\fnot written yet'\nexit 3""")
    exercise = manifest.find_exercise(LABS, "lab05.to_bfloat16")[1]
    with pytest.raises(CourseError, match="to_bfloat16 says: not written yet; run ./course check lab05.to_bfloat16"):
        profile.of_function(program, exercise, {"n": 1})
