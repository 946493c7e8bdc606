"""What a student reads when a lab could not be built, where that does not depend on the compiler that is here: the rest is in
tests/transcripts. And files that no compiler should open."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from conftest import ROOT, shell_script

from course.build.ctest.advice import CONST_ADVICE
from course.build.ctest.explain_build import FailedBuild

SOURCE = """#include "warm_up.hpp"

namespace linattn {

// Solved.
Tensor row_sums(const Tensor& x) {
    int rows = 3.5;
    return sum(x, 1);
}

Tensor helper() { return zeros({2}); }

Tensor outer_product(const Tensor& a, const Tensor& b) {
    if (a.size() > 3) {
        return a;
    }
    return expand_dim(a, -1) * b;
}

}  // namespace linattn
"""
FAILED = ("[1/2] Building CXX object\nFAILED: CMakeFiles/lab00_graded.dir/student/lab00_warm_up.cpp.o \n"
          "/usr/bin/c++ -std=c++20 -c X\n")

UNDECLARED = "X:17:12: error: ‘expand_dim’ was not declared in this scope\n   17 |     return expand_dim(a, -1) * b;\n"
GCC_DETAILS = """X:17:17: error: no matching function for call to ‘zeros(<unresolved overloaded function type>)’
   17 |     return zeros(a.shape);
/usr/include/xtensor/xbuilder.hpp:66:17: note: candidate: ‘template<class T, class S> auto xt::zeros(S)’
   66 |     inline auto zeros(S shape) noexcept
X:17:17: note:   couldn’t deduce template parameter ‘T’
   17 |     return zeros(a.shape);
X:11:8: note: candidate: ‘linattn::Tensor linattn::zeros(int)’
   11 | Tensor zeros(int n);
X:11:18: note:   no known conversion for argument 1 from ‘<unresolved overloaded function type>’ to ‘int’
"""
THREE = """X:7:11: error: stray ‘@’ in program
    7 |     y = x @ x;
X:11:34: error: ‘const linattn::Tensor’ has no member named ‘T’
   11 | Tensor helper() { return K.T; }
X:17:13: error: ‘opaque’ was not declared in this scope
   17 |     return opaque(y, V) @ a;
"""


@pytest.fixture
def lab(tmp_path):
    """The student's file and the manifest, and explain(words), in which X stands for the file."""
    source = tmp_path / "a course/student/lab00_warm_up.cpp"
    manifest = tmp_path / "a course/labs/lab00_warm_up/lab.json"
    for path, text in ((source, SOURCE), (manifest, json.dumps({"exercises": [{"function": "row_sums"}, {"function": "outer_product"}]}))):
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def explain(words):
        explained = FailedBuild("lab00", str(manifest), [str(source)]).explain(words.replace("X", str(source)))
        assert str(source.parent) not in explained[0], "the name within the course is enough"
        assert "-std=c++20" not in explained[0], "a command line is noise"
        return explained
    return SimpleNamespace(source=source, manifest=manifest, explain=explain, root=tmp_path / "a course")


def test_a_file_of_the_course_that_fails_is_not_the_students_fault(lab):
    redefined = "labs/vocabulary/attention.hpp:12:8: error: redefinition of ‘struct linattn::AttentionShape’\n"
    for failed in ("FAILED: CMakeFiles/lab00_suite.dir/tests/warm_up_test.cpp.o \n", FAILED.splitlines(True)[1]):
        message, *begin = lab.explain(failed + redefined)
        assert ("student/lab00_warm_up.cpp is not the cause. Remove the folder build and try again. If that does not help, it is a fault "
                "of the course") in message
        assert redefined in message and begin == ["", ""]
    message, begin_with, _ = lab.explain(f"{FAILED}X:11:8: error: redefinition of ‘linattn::Tensor linattn::helper()’\n")
    assert "student/lab00_warm_up.cpp does not compile" in message
    assert begin_with == "", "it is outside of the exercises"


def test_what_the_machine_forbids_is_not_the_students_fault_either(lab):
    message, *begin = lab.explain(f"{FAILED}X:9:1: fatal error: error writing to /tmp/x.s: File too large\n    9 | }}\n")
    assert "student/lab00_warm_up.cpp is not the cause. The machine" in message and "File too large" in message
    assert begin == ["", "what the machine forbids, as said above"]
    assert "does not compile" in lab.explain(f'{UNDECLARED} 9 | throw std::runtime_error("error: Out of memory")\n' + FAILED)[0]


def test_a_file_that_is_not_as_handed_out_is_named_first(lab):
    names = ("labs/lab00_warm_up/warm_up.hpp", "labs/lab01_more/README.md", "student/lab00_warm_up.cpp")
    (lab.root / ".handout.sha256").write_text("".join(f"0123  {name}\n" for name in names))
    message, *begin = lab.explain(f"{FAILED}X:1:10: fatal error: warm_up.hpp: No such file or directory\n")
    assert message.startswith(f"not as handed out: {names[0]}; if you did not mean that")
    assert begin == ["", f"{names[0]}, which is not as handed out"]
    assert lab.explain(FAILED + UNDECLARED)[1] == "outer_product"
    message, _, place = lab.explain("FAILED: tests/x.cpp.o\ntests/x.cpp:3:1: error: no\n")
    assert "a fault of the course" not in message and place == begin[1]


def test_every_error_has_its_sentence_and_line(lab):
    message, _, place = lab.explain(FAILED + THREE)
    assert [line.partition(":")[0] for line in message.rpartition("\n\n")[2].splitlines()] == ["line 7 and line 17", "line 11"]
    assert place == "line 7 of student/lab00_warm_up.cpp"
    second = lab.source.with_name("lab00_tests.cpp")
    words = f"{FAILED}{lab.source}:13:5: error: stray ‘@’ in program\n x @ y\n" + THREE.replace("X", str(second))
    message = FailedBuild("lab00", str(lab.manifest), [str(lab.source), str(second)]).explain(words)[0]
    assert message.rpartition("\n\n")[2].startswith("line 13 and lab00_tests.cpp, line 7 and lab00_tests.cpp, line 17: The product")


def test_what_clang_says_of_a_const_in_a_note_gets_its_sentence(lab):
    words = "X:7:3: error: no viable overloaded '*='\n  x *= 2;\n/usr/x.hpp:9:1: note: candidate function not viable: 'this' argument has type "
    assert lab.explain(f"{FAILED}{words}'const Tensor', but method is not marked const\n")[0].endswith(CONST_ADVICE)


def test_of_candidates_only_the_students_own_are_shown_and_long_words_are_cut(lab):
    message = lab.explain(FAILED + GCC_DETAILS)[0]
    assert "deduce" not in message
    assert "linattn::zeros(int)" in message and "no known conversion" in message
    message = lab.explain(FAILED + "".join(f"X:8:9: error: {'y' * 1000}\n" for _ in range(100)))[0]
    assert len(message.splitlines()) < 40 and max(map(len, message.splitlines())) < 400


@pytest.fixture
def build(lab):
    """Runs build_lab.py with a ninja that does what the test tells it: the exit status, what is printed, what is left."""
    ninja, folder = lab.root / "ninja", lab.root / "build"
    folder.mkdir()

    def run(script="exit 0"):
        shell_script(ninja, f"touch '{ninja}.called'\n{script}")
        command = [sys.executable, "-I", "-S", "-B", ROOT / "tools/course/build/ctest/build_lab.py", folder, ninja, "lab00", lab.manifest, lab.source]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        left = folder / "results/lab00.not_built"
        return ran.returncode, ran.stdout.decode(), json.loads(left.read_text()) if left.exists() else None
    return run


def test_what_is_left_of_a_lab_that_does_not_build(lab, build):
    assert build() == (0, "", None)
    for name in ("lab00.row_sums.json", "lab01.relu.json"):
        (lab.root / "build/results" / name).write_text("{}")
    words = (FAILED + UNDECLARED + "X:1:1: error: stray ‘\a\b\033[31m\x7f\u202e’\n").replace("X", str(lab.source))
    status, printed, left = build(f"cat <<'END'\n{words}\nEND\nexit 1")
    assert (status, left["begin_with"], left["place"]) == (1, "outer_product", "line 17 of student/lab00_warm_up.cpp")
    assert printed == left["message"] + "\n"
    assert "error: stray ‘" in printed and not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", printed)
    assert {path.name for path in (lab.root / "build/results").iterdir()} == {"lab00.not_built", "lab01.relu.json"}
    assert build()[2] is None, "once it builds, nothing of that is left"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path), lambda path: os.symlink("/dev/stdin", path)])
def test_what_is_no_ordinary_file_is_never_opened(lab, build, make):
    lab.source.unlink()
    make(lab.source)
    status, printed, left = build()
    assert (status, (lab.root / "ninja.called").exists(), left["message"]) == (1, False, printed.rstrip())
    assert "student/lab00_warm_up.cpp is not an ordinary file" in printed


def test_a_file_put_back_with_an_old_time_is_built_again(lab, build):
    build()
    old = lab.source.stat().st_mtime_ns
    build()
    assert lab.source.stat().st_mtime_ns == old, "what did not change is left alone"
    lab.source.write_text("other")
    os.utime(lab.source, ns=(old - 10**9, old - 10**9))
    build()
    assert lab.source.stat().st_mtime_ns > old
