"""./course check: nothing passes unless a result of this run says so, and what it builds, waits for and refuses. Its words are in
tests/transcripts."""

import io
import json
import os
import re
import subprocess
import threading
import time
from unittest import mock

import pytest
from conftest import LABS, ROOT, run_course, shell_script

from author.commands.bench import FIGURES
from course.build import build_tree, progress_line
from course.build.build_tree import BuildTree
from course.commands import watch
from course.errors import CourseError
from course.sources import manifest, version
from course.training import training_program
from course.verdicts import summary, verdicts
from course.verdicts.verdicts import Verdict

EXERCISES = LABS[0].exercises  # row_sums, outer_product
PASSES = {"lab": "lab00", "exercise": "row_sums", "status": "pass"}


@pytest.fixture
def tree(tmp_path):
    tree = BuildTree(tmp_path, "student")
    tree.results.mkdir(parents=True)
    return tree


def read(tree, left, not_passed=()):
    """The verdict on row_sums that left this result."""
    (tree.results / "lab00.row_sums.json").write_text(left if isinstance(left, str) else json.dumps(left))
    return verdicts.read(tree.results, EXERCISES[:1], set(not_passed), "check.log")[0]


def test_a_result_of_its_own_passes_and_a_forged_or_broken_one_does_not(tree):
    assert read(tree, PASSES).passed
    for forged in (PASSES | {"exercise": "other"}, PASSES | {"status": "PASS"}, "{", "[]", ""):
        assert read(tree, forged).status == "not_run", forged


def test_a_stale_result_is_forgotten(tree):
    read(tree, PASSES)
    verdicts.forget(tree.results, EXERCISES)
    [left, _] = verdicts.read(tree.results, EXERCISES, set(), "check.log")
    assert (left.status, left.message) == ("not_run", "lab00.row_sums left no result; ctest's output is in check.log")


@pytest.mark.parametrize("script, refused", [
    ("exit 0", []), ("exit 8", ["row_sums", "outer_product"]), ("echo 1:lab00.build >$log; exit 8", ["row_sums", "outer_product"]),
    ("echo 2:lab00.row_sums >$log; exit 8", ["row_sums"])])
def test_a_complaint_of_ctest_is_no_pass(tree, monkeypatch, script, refused):
    logs = tree.folder / "Testing/Temporary"
    logs.mkdir(parents=True)
    shell_script(tree.root / "ctest", f"echo \"$*\"\nlog='{logs}/LastTestsFailed.log'\n{script}")
    monkeypatch.setenv("PATH", f"{tree.root}:{os.environ['PATH']}")
    said = tree.run_tests(EXERCISES)
    assert said == {f"lab00.{name}" for name in refused}
    assert r"-R ^(lab00\.row_sums|lab00\.outer_product)$ " in tree.log.read_text(), "only what was asked for runs"
    verdict = read(tree, PASSES, said)
    assert (verdict.passed, "so it does not count" in verdict.message) == ("row_sums" not in refused, "row_sums" in refused)


def test_no_control_character_is_kept(tree):
    hostile = "".join(map(chr, (*range(32), 127, 0x9b, 0x202e, 0xfffe))) + "\ud800 end"
    for line in read(tree, PASSES | {"message": hostile}).message.splitlines():
        assert line.replace("\t", "").isprintable(), ascii(line)


def test_what_an_exercise_waits_for_comes_first_and_a_stretch_exercise_last():
    row, outer = EXERCISES
    said = summary.report(LABS, [Verdict(row, "fail", "row\n  is wrong", begin_with="outer_product"), Verdict(outer, "fail", "outer")], "student")
    assert said.index("row\n  is wrong") < said.index("outer") and "next: outer_product in" in said
    stretch = next(exercise for exercise in LABS[1].exercises if exercise.stretch)
    assert "next: row_sums in" in summary.report(LABS, [Verdict(stretch, "todo", ""), Verdict(row, "crash", "")], "student")


def test_it_configures_where_needed_only(tree, tmp_path):
    listed = tmp_path / "lab.json"
    listed.touch()
    assert tree._must_configure([listed])
    ninja = tree.folder / "build.ninja"
    ninja.touch()
    assert not tree._must_configure([listed])
    later = time.time() + 10
    os.utime(listed, (later, later))
    assert tree._must_configure([listed])
    os.utime(ninja, (later, later))
    (tree.folder / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/where/it/was\n")
    assert tree._must_configure([listed]), "CMake refuses the cache of another folder"


def test_a_missing_tool_is_named(tree, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CourseError, match="ctest is not on the PATH; run ./course setup"):
        tree.run_tests(EXERCISES)


def test_after_an_update_it_is_a_first_build_again(tree):
    built = tree.folder / "built_once/lab00"
    built.parent.mkdir()
    (tree.root / "student").mkdir()
    (tree.root / "student/lab00_warm_up.cpp").touch()
    assert tree.never_built(LABS[:1]) == ["lab00"]
    built.touch()
    assert tree.never_built(LABS[:1]) == []
    (tree.root / version.FILE).parent.mkdir(parents=True, exist_ok=True)
    (tree.root / version.FILE).write_text("2027-02-15\n")
    later = time.time() + 10
    os.utime(tree.root / version.FILE, (later, later))
    assert tree.never_built(LABS[:1]) == ["lab00"]


@pytest.mark.parametrize("terminal, expected", [(True, "\r  [1/3] 1 s, about 2 s left \033[K\r\033[K"),
                                                (False, "  [1/3] 1 s, about 2 s left\n")])
def test_a_long_build_says_how_far_it_is(terminal, expected, monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress_line, "BETWEEN_LINES", 0)
    line = progress_line.ProgressLine()
    line.show(build_tree._how_far(re.match(r"\[(\d+)/(\d+)\]", "[1/3]"), 1.0))
    line.end()
    assert stream.getvalue() == expected


@pytest.mark.parametrize("mistyped", ["lab99", "Lab07", "lab7", "lab007", "lab07.", "lab07.twise", "lba07", "7", "",
                                      "lab7_numbers", "student/lab07_x.cpp", "labs/lab07_backward/"])
def test_a_mistyped_lab_is_refused(mistyped):
    with pytest.raises(CourseError, match="lab07"):
        manifest.select(LABS, ["lab00", mistyped])


@pytest.mark.parametrize("text, said", [("{", "is not JSON"), ('{"lab": "lab08"}', "lacks 'title'"), ("[]", "does not have the form"),
                                        ('{"lab": "lab09", "title": "", "sources": [], "exercises": []}', "folder says otherwise")])
def test_a_broken_manifest_is_named(tmp_path, text, said):
    file = tmp_path / "labs/lab08_more/lab.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(CourseError, match=f"labs/lab08_more/lab.json.*{said}"):
        manifest.load(tmp_path)


def rename_over(file):
    file.with_name("new").write_text("two")
    file.with_name("new").replace(file)


def remove_and_create(file):
    file.unlink()
    time.sleep(0.1)
    file.write_text("six")


@pytest.mark.parametrize("save", [lambda file: file.write_text("ten"), rename_over, remove_and_create])
@pytest.mark.parametrize("during_the_grading", [False, True])
def test_watch_wakes_for_every_way_to_save(tmp_path, save, during_the_grading):
    file = tmp_path / "x.cpp"
    file.write_text("before")
    before = watch.fingerprint([file])
    waiting = threading.Thread(target=watch.wait_for_change, args=([file], before), daemon=True)
    if during_the_grading:
        save(file)  # within a tick of the clock the time stamp may stay as it was
        waiting.start()
    else:
        waiting.start()
        time.sleep(0.1)
        save(file)
    waiting.join(600)  # a limit, not an expectation: a loaded machine takes its time
    assert not waiting.is_alive(), "the save was not seen"


# Words of commands, and what the sentence says that refuses them. (test_train.py has those of ./course train.)
@pytest.mark.parametrize("words, sentence", [
    (("docs", "--edition", "students"), "did you mean student?"),
    (("hint", "linear_attention"), "or lab02.linear_attention_recurrent or lab02.linear_attention_step?"),
    (("gradcheck", "reverse_cumsun"), "did you mean lab06.reverse_cumsum?"), (("gradcheck", "lab02"), "there is no lab 'lab02'"),
    (("gradcheck", "test_causal_attention_backward"), "is a test and has no gradient"),
    (("gradcheck", "--out", __file__), "is a file; --out names a folder"),
    (("generate", "digits", "--rows", "8"), "--rows 8 is not between 1 and 7"), (("generate", "digits", "--rows", "many"), "invalid int value"),
    (("generate", "digits", "--out", __file__), "is a file; --out names a folder"), (("generate", "digits", "faces"), "unrecognized arguments: faces"),
    (("profile", "lab02.inclusive_scan"), "this command looks at lab05 and lab09"), (("profile", "lab02"), "looks at"),
    (("profile", "lab05.to_bfloat16", "--n", "0"), "--n 0 is not between"), (("profile", "lab09.decay_mask", "--n", "9999999"), "choose a smaller --n"),
    (("profile", "--chunk", "0"), "--chunk 0 is not between 1 and 256"), (("profile", "--d", "257"), "--d 257"), (("profile", "--heads", "-1"), "--heads -1"),
    (("bench", "--figures", "memoirs"), "there is no figure memoirs; choose from " + ", ".join(FIGURES))])
def test_wrong_use_is_one_sentence(words, sentence):
    with mock.patch.object(training_program, "prepared"), mock.patch.object(training_program, "build"):
        refused = run_course(ROOT, words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert re.fullmatch(rf"course: .*{re.escape(sentence)}.*\n", refused.stderr)


def script(*words, program=ROOT / "course"):
    return subprocess.run([program, *words], capture_output=True, text=True,
                          env=os.environ | {"LC_ALL": "C"}, stdin=subprocess.DEVNULL)


def test_the_script_may_be_linked_to(tmp_path):
    (tmp_path / "on the path").mkdir()
    (tmp_path / "on the path/linked").symlink_to(ROOT / "course")
    (tmp_path / "on the path/course").symlink_to("linked")
    refused = script("hint", "lab99.none", program=tmp_path / "on the path/course")
    assert (refused.returncode, refused.stderr[:8], refused.stdout) == (2, "course: ", "")


def test_help_lists_every_file_in_commands():
    listed = run_course(ROOT, ("--help",))
    assert (listed.returncode, listed.stderr, listed.stdout[:13]) == (0, "", "usage: course")
    for file in ROOT.glob("tools/*/commands/*.py"):
        assert re.search(rf"^ +{file.stem.replace('_', '-')}( |$)", listed.stdout, re.M), file
    for words in ((), ("help",)):
        assert run_course(ROOT, words).stdout == listed.stdout
    assert run_course(ROOT, ("help", "check")).stdout == run_course(ROOT, ("check", "--help")).stdout
    assert script("help", "setup").stdout == script("setup", "--help").stdout
