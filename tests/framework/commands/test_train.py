"""./course train with the reference's functions: a few steps of everything, stopping and going on, and what is refused."""

import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import BUILD, ROOT, built, shell_script

from author import link_missing
from course.commands import train as command
from course.sources import manifest
from course.training import memory_training, training_program
from course.verdicts import summary
from course.verdicts.verdicts import Verdict

build = built("lab08_train", "lab09_train", "linattn_training_test")
SMALL = ["--layers", 1, "--width", 8]
CHAPTER, PAGE = ((ROOT / name).read_text() for name in ("labs/lab08_training/README.md", "docs/training.md"))


def exercise(function, status, lab="lab08", begin_with=""):
    named = SimpleNamespace(name=f"{lab}.{function}", lab=lab, function=function, stretch=False)
    return SimpleNamespace(exercise=named, status=status, passed=status == "pass", begin_with=begin_with)


ONE_STEP = ("task=copy length=8 attention=linear layers=1 width=8 heads=4 batch=32 rate=0.003 falls=0 seed=1 steps=1 every=1 threads=1 "
            "resume=0 file= again= more=")
RECALL = "task=recall memories=both own= keys=4 writes=6 clears=0 once=0 width=32 rate=0.006 seed=1 seeds=1 steps=2 every=1 threads=1"
UNWRITTEN = [exercise(function, "todo", "lab09") for functions in memory_training.NEEDED.values() for function in functions]
RULE_ALONE = [each for each in UNWRITTEN if each.exercise.function not in ("gated_delta_rule_chunkwise", "gated_delta_rule_resume")]
TEXT = ["text", ".", *SMALL, "--length", 8, "--steps", 2]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "weights"


@pytest.fixture
def train(printed):
    """As if grading had said this: one test grades in earnest. The exit status must be the expected one."""
    def run(*words, status=0, graded=(), track="reference"):
        with mock.patch.object(command, "grade", return_value=list(graded)):
            result = printed("train", *words, "--track", track)
        assert result.returncode == status, result.stdout + result.stderr
        return result.stdout + result.stderr
    return run


def read(file):
    return file.read_text()


def run_program(program, settings, out, **limits):
    return subprocess.run([program, *settings.split(), f"out={out}"], capture_output=True, text=True, **limits)


@pytest.fixture(scope="module")
def one_step(build, tmp_path_factory):
    """What one step of training leaves."""
    folder = tmp_path_factory.mktemp("trained")
    assert run_program(BUILD / "lab08_train", ONE_STEP, folder).returncode == 0
    return folder


@pytest.fixture
def trained(one_step, out):
    """A copy of it."""
    return shutil.copytree(one_step, out)


def test_copy_graded_and_trained(out):
    run = subprocess.run([ROOT / "course", "train", "copy", "--layers", "1", "--width", "8", "--steps", "3", "--out", out,
                          "--track", "reference"], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "ATTENTION" not in run.stderr
    assert re.search(r"(?s)\nstep    3/3  loss .*to copy \d{8}   copied .*not every unseen sequence is copied yet; "
                     r"more steps: ./course train copy --resume", run.stdout)  # piped: a line for each check
    assert len(read(out / "loss.csv").splitlines()) == 4 and "<polyline" in read(out / "loss.svg")
    pytest.importorskip("numpy")  # opens it as the page says
    lines = re.search(r"```python\n(import json, numpy as np\n.*?)```", PAGE, re.S)[1]
    there = lines.replace("build/train/copy-8/", f"{out}/")
    assert subprocess.run([sys.executable, "-c", there], capture_output=True, text=True, check=True).stdout == "1203 (8, 8)\n"


@pytest.mark.parametrize("attention", ["linear", "softmax"])
def test_going_on_with_other_cores_gives_the_same_losses_to_the_last_bit(train, tmp_path, attention):
    model, whole, parts = ["copy", *SMALL, "--attention", attention], tmp_path / "whole", tmp_path / "parts"
    train(*model, "--steps", 4, "--threads", 1, "--out", whole)
    train(*model, "--steps", 2, "--threads", 3, "--out", parts)
    train(*model, "--steps", 4, "--threads", 2, "--resume", parts)
    assert read(parts / "loss.csv") == read(whole / "loss.csv")
    assert "4 steps are already done, and --steps is 3: there is nothing" in train(*model, "--steps", 3, "--resume", whole, status=2)
    assert "to copy" in train(*model, "--steps", 4, "--resume", whole)


SPREADS = ["recall", "--memory", "decay", "--seeds", 2, "--seed", 5, "--steps", 2, "--task", "clear"]


@pytest.mark.parametrize("words, graded, said, plot, drawn", [
    (["digits", *SMALL, "--attention", "hybrid", "--steps", 1], [],
     r"\d\.\d{3} bits on unseen.*drawn by the model:.*images a second, with the same weights: [\d. ]+ from the state .* from a state "
     r"and a window", "samples.svg", "<text.*<text.*<text"),
    (["text", "a.md", *SMALL, "--length", 8, "--steps", 2], [], "continued:", "loss.svg", "<polyline"),
    ([*TEXT, "--memory", "both"], [],
     r'from the text: "so b[^\n]*"\n  continued by both, from its state: ".{4}"\nbits per byte of unseen text\n  both        [\d.]+\n'
     r"  plain sum   [\d.]+\n  softmax     [\d.]+\n", "bits.svg", "<polyline"),
    ([*TEXT, "--memory", "delta"], RULE_ALONE, r"unseen text\n  delta rule  [\d.]+\n  softmax     [\d.]+\n", "bits.svg", "delta"),
    (["recall", "--steps", 3], [],
     r"\nrecalled [^\n]*older  mean a  mean β\nplain sum +[\d.]+%[^\n]*\ndecay +[\d.]+%[^\n]*\ndelta rule [^\n]*\nboth ", "recall.svg", ""),
    (["recall", "--steps", 3], UNWRITTEN,  # lab 08's two
     r"\nrecalled [^\n]*older\nplain sum +[\d.]+%[^\n]*\ndecay +[\d.]+%[^\n]*\nrecalled while", "recall.svg", ""),
    (SPREADS, [], r"seed 6, decay .*\nrecalled [^\n]*  void  mean a  a of a clear\ndecay( +[\d.]+ ± [\d.]+%){5}( +0\.\d+){2}\n"
     r".*\ndecay +[▁▂▃▄▅▆▇█]  [\d.]+%\n", "recall.csv", r"^memory,seed,step,[^\n]*\ndecay,5,2,[^\n]*\ndecay,6,2,[^\n]*\n$"),
    (["recall", "--memory", "sum", "--width", 6, "--keys", 5, "--once", "--steps", 2], [], "plain sum", "recall.svg",
     "5 keys, 5 writes, each key once.*<polyline")])
def test_what_is_trained_is_shown(train, tmp_path, monkeypatch, out, words, graded, said, plot, drawn):
    for name in ("b.md", "a.md", "c.txt"):
        (tmp_path / name).write_text(f"so {name} goes on and on, " * 50)
    monkeypatch.chdir(tmp_path)
    assert re.search(f"(?s){said}", train(*words, "--out", out, graded=graded))
    assert re.search(f"(?s){drawn}", read(out / plot))


def test_what_is_given_for_training():
    """Gradients of softmax and hybrid attention, generation, recall: in C++."""
    run = subprocess.run([BUILD / "tests/framework/linattn_training_test"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_interrupted_it_saves_and_says_how_to_go_on(out):
    words = ["train", "copy", "--steps", "100000", "--length", "32", "--out", out, "--track", "reference"]
    with subprocess.Popen([ROOT / "course", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as training:
        training.stdout.readline()  # how many weights: the loop begins
        time.sleep(0.5)
        training.send_signal(signal.SIGINT)
        said, _ = training.communicate(timeout=600)
    assert training.returncode == 130 and f"--resume {out}" in said
    assert len(read(out / "loss.csv").splitlines()) - 1 == json.loads(read(out / "checkpoint/model.json"))["step"]


@pytest.mark.parametrize("task", ["copy", "recall"])
def test_a_training_that_dies_is_told(train, tmp_path, out, task):
    with mock.patch.object(training_program, "build", return_value=shell_script(tmp_path / "dies", "kill -9 $$")):
        assert "the training stopped unexpectedly (signal 9)" in train(task, "--out", out, status=2)


@pytest.mark.parametrize("file, damage, sentence", [
    ("embedding.npy", lambda whole, _: whole[:-16], "embedding.npy cannot be read.*cut short"),
    ("embedding.npy", lambda whole, _: whole[:-8] + b"\x00\x00\x00\x00\x00\x00\xf8\x7f", "embedding.npy holds a NaN"),
    ("embedding.npy", lambda _, folder: (folder / "positions.npy").read_bytes(),
     r"embedding.npy has shape \(16, 8\) where this model has \(11, 8\)"),
    ("embedding.npy", None, "embedding.npy"),
    ("model.json", lambda whole, _: whole.replace(b'"step": 1', b'"step": "many"'), "model.json is not what training writes"),
    ("model.json", lambda *_: b"{", "model.json is not what training writes")])
def test_damaged_checkpoints_are_refused(train, trained, file, damage, sentence):
    damaged = trained / "checkpoint" / file
    content = damage(damaged.read_bytes(), trained / "checkpoint") if damage else None
    damaged.unlink()
    if content:
        damaged.write_bytes(content)
    said = train("copy", *SMALL, "--steps", 2, "--resume", trained, status=2)
    assert re.search(sentence, said) and said.count("\n") == 2  # one for the build
    assert (damaged.read_bytes() if damaged.exists() else None) == content


@pytest.mark.parametrize("other, sentence", [(["--layers", 2], "layers 1, not with 2"),
                                             (["--attention", "softmax"], "attention linear, not with softmax")])
def test_other_models_are_refused(train, trained, other, sentence):
    assert f"trained with {sentence}" in train("copy", *SMALL, *other, "--steps", 2, "--resume", trained, status=2)


def test_a_full_disk_leaves_the_earlier_checkpoint(trained):
    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    before = {file: file.read_bytes() for file in (trained / "checkpoint").iterdir()}
    run = run_program(BUILD / "lab08_train", ONE_STEP, trained, preexec_fn=full)
    assert run.returncode == 2 and re.search(r"embedding.npy could not be written; is there room", run.stderr)
    assert {file: file.read_bytes() for file in (trained / "checkpoint").iterdir()} == before
    assert sorted(each.name for each in trained.iterdir()) == ["checkpoint", "loss.csv"]


@pytest.mark.parametrize("words, sentence", [
    ("copy --length 9", "--length 9 is not one of"), ("copy --width 30", "not divisible by the 4 heads"),
    ("text", "text needs a FILE"), ("text nowhere.txt", "nowhere.txt cannot be read"), ("copy --out TAKEN", "not empty"),
    ("copy --out TAKEN/mine.txt", "mine.txt is a file; --out names a folder"),
    ("copy --resume TAKEN", "holds no training that could be"),
    ("copy --out NEW --resume TAKEN", "--resume: not allowed with argument --out"),
    ("digits --length 16", "digits has no --length"), ("copy --steps 0", "--steps 0 is too small"),
    ("copy --seed -1", "course: --seed -1 is too small; the least is 0\n"), ("recall --seeds 0", "--seeds 0 is too"),
    ("text course --length 1", "course: --length 1 is too small; the least is 2\n"),
    ("copy --bogus", "unrecognized arguments: --bogus; run ./course train --help"),
    ("copy --out /proc/weights --steps 1", "/proc/weights"), ("copy --memory both", "--memory goes with recall"),
    ("text course --memory both --attention softmax", "--memory has no --attention"),
    ("recall --resume TAKEN", "recall has no --resume"), ("recall --width 1", "--width 1 is not between 2 and 256"),
    ("recall --keys 0", "--keys 0 is not between 1 and 1024"),
    ("recall --keys 8 --writes 9 --once", "--writes 9 is more than 8 keys can take with --once"),
    ("recall --once --task clear", "--once goes with --task last"),
    ("recall --task clear --writes 3", "--writes 3 is not between 4 and 4096"), ("digits --task clear", "--task goes with recall"),
    ("digits --keys=3", "--keys goes with recall"), ("digits --writes=3", "--writes goes with recall"),
    ("digits --once", "--once goes with recall"), ("recall --once --sweep", "train --sweep is gone; train recall")])
def test_what_cannot_be_is_refused_before_anything_is_written(train, tmp_path, words, sentence):
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine.txt").write_text("mine")
    for word, path in (("TAKEN", taken), ("NEW", tmp_path / "new"), ("text course", f"text {ROOT}/course")):
        words = words.replace(word, str(path))
    assert sentence in train(*words.split(), status=2)
    assert sorted(tmp_path.rglob("*")) == ([taken, taken / "mine.txt"])


@pytest.mark.parametrize("words, functions, named", [
    ("copy", "lab08.adam_step lab07.layer_norm lab07.dropout lab08.model_gradients:gelu", "lab08.adam_step, lab07.layer_norm"),
    ("recall --memory both", "lab09.gated_delta_rule_chunkwise lab09.solve_unit_lower lab09.delta_rule_chunkwise "
     "lab09.gated_delta_rule_backward", "lab09.gated_delta_rule_chunkwise, lab09.solve_unit_lower")])
def test_what_is_not_written_and_needed_is_named_before_anything_is_built(train, words, functions, named):
    """Not what waits for another function, nor a gradient that is given."""
    graded = [exercise(name.partition(".")[2].partition(":")[0], "todo", name[:5], name.partition(":")[2]) for name in functions.split()]
    with mock.patch.object(training_program, "build", side_effect=AssertionError("it builds")), \
            mock.patch.object(command, "_has_reference", return_value=False):
        said = train(*words.split(), track="student", graded=graded, status=1)
    assert said == f"course: the training needs what is not written yet: {named}\n"


@pytest.mark.parametrize("target, missing, settings, losses", [
    ("lab08_train", ["gelu_backward"], ONE_STEP, "loss.csv"),
    ("lab09_train", ["gated_delta_rule_chunkwise", "solve_unit_lower"], RECALL, "recall.csv")])
def test_what_is_not_written_can_come_from_the_reference(request, tmp_path, target, missing, settings, losses):
    """Both sides are the reference here: each function comes once, the missing one from the second."""
    linked = link_missing.link(BUILD, BUILD, target, missing, track="reference")
    request.addfinalizer(lambda: shutil.rmtree(linked.parent))
    symbols = [subprocess.run(["nm", file], capture_output=True, text=True, check=True).stdout for file in linked.parent.glob("*.o")]
    assert sorted(re.findall(rf" ([TW]) _ZN7linattn{len(missing[0])}{missing[0]}E", " ".join(symbols))) == ["T", "W"]
    for program, name in ((linked, "borrowed"), (BUILD / target, "plain")):
        assert run_program(program, settings, tmp_path / name).returncode == 0
    assert read(tmp_path / "borrowed" / losses) == read(tmp_path / "plain" / losses)


def test_a_file_that_does_not_build_is_named_and_nothing_else_is_said(train):
    graded = [exercise("gelu", "pass", "lab07"), exercise("gelu_backward", "not_run"), exercise("adam_step", "not_run")]
    assert train("copy", graded=graded, status=2) == "course: lab08 does not build, so nothing can be trained; ./course check lab08 says why\n"


def test_a_wrong_gradient_is_announced(train, out):
    said = train("copy", *SMALL, "--steps", 1, "--out", out, graded=[exercise("gelu_backward", "fail")])
    assert "ATTENTION: 1 of the functions that training may use does not pass: lab08.gelu_backward" in said


def test_a_text_that_is_too_short_is_refused(train, out):
    assert "bytes; at least 20020 are needed" in train("text", ROOT / "course", "--length", 1000, "--out", out, status=2)


@pytest.mark.parametrize("name, words", [
    ("lab06", "next: see .* gradcheck.*then lab07 "), ("lab07", "next: complete .* generate digits.*then lab08 "),
    ("lab08", "next: train .* train copy.*then lab09 "), ("lab09", "next: train .* train recall")])
def test_check_says_when_there_is_an_experiment(name, words):
    labs = manifest.load(ROOT)
    done = [Verdict(each, "pass", "") for lab in labs if lab.name == name for each in lab.exercises]
    assert re.search(rf"(?s)\n{words}", summary.report(labs, done, "student"))
    assert "next:" not in summary.report(labs, done, "reference")


def test_every_name_that_training_needs_is_an_exercise():
    exercises = {each.function for lab in manifest.load(ROOT) for each in lab.exercises}
    assert set().union(*command.NEEDED.values(), *memory_training.NEEDED.values(), memory_training.HELPERS) <= exercises


def test_planted_mistakes_still_fit(monkeypatch):
    """bench/planted_mistakes.py changes texts of the answer key; the chapter shows its table."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    import planted_mistakes as planted
    shown = re.findall(r"^\| ([^|]+) \| (8\.\d+)(?: \| \S+ ± \S+% \| \d+ ± \d+){2} \|$", CHAPTER, re.M)
    assert shown == [(name, section) for name, (section, *_) in planted.MISTAKES.items()]
    for _, lab, changes in planted.MISTAKES.values():
        planted.planted(changes, read(ROOT / "reference" / planted.FILES[lab]))
