"""./course train with the reference's functions: a few steps of everything, stopping and going on, and what is refused."""

import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import pytest
from conftest import BUILD, built
from course_tree import REPOSITORY, own_folder, run_course, shell_script

from author import link_missing
from course import capacity, manifest, memories, progress, training_program
from course.commands import train as command
from course.verdicts import Verdict

build = built("lab08_train", "lab09_train", "linattn_training_test")
SMALL = ["--layers", "1", "--width", "8"]


def exercise(function, status, lab="lab08", begin_with=""):
    return SimpleNamespace(exercise=SimpleNamespace(name=f"{lab}.{function}", lab=lab, function=function, stretch=False), status=status,
                           passed=status == "pass", begin_with=begin_with)


def train(*words, track="reference", graded=()):
    """In this process, as if grading had said this: one run grades in earnest."""
    with mock.patch.object(command, "grade", return_value=list(graded)):
        return run_course(REPOSITORY, ("train", *map(str, words), "--track", track))


class Train(unittest.TestCase):
    def setUp(self):
        self.folder = own_folder(self.enterContext)
        self.out = self.folder / "weights"

    def trained(self, *words):
        result = train(*words)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def refused(self, words, *sentences, graded=()):
        result = train(*words, graded=graded)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for sentence in sentences:
            self.assertIn(sentence, result.stderr)

    def losses(self, folder):
        return (folder / "loss.csv").read_text(encoding="utf-8")

    def program(self, out, program=BUILD / "lab08_train", **limits):
        """The program itself: one step of the smallest copy model."""
        words = ["task=copy", "length=8", "attention=linear", "layers=1", "width=8", "heads=4", "batch=2", "rate=0.003", "seed=1",
                 "steps=1", "every=1", "threads=1", "resume=0", "file=", f"out={out}"]
        return subprocess.run([program, *words], capture_output=True, text=True, **limits)

    def test_copy_graded_and_trained(self):
        run = subprocess.run([REPOSITORY / "course", "train", "copy", *SMALL, "--steps", "3", "--out", self.out, "--track", "reference"],
                             cwd=REPOSITORY, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("ATTENTION", run.stderr)
        said = run.stdout
        self.assertIn("step    3/3  loss ", said)
        self.assertRegex(said, r"to copy \d{8}   copied ")
        self.assertIn("not every unseen sequence is copied yet; more steps: ./course train copy --resume", said)
        self.assertEqual(len(self.losses(self.out).splitlines()), 4)
        self.assertIn("<polyline", (self.out / "loss.svg").read_text(encoding="utf-8"))
        model = json.loads((self.out / "checkpoint" / "model.json").read_text(encoding="utf-8"))
        self.assertEqual(model["step"], 3)
        for name in model["weights"]:
            self.assertEqual((self.out / "checkpoint" / f"{name}.npy").read_bytes()[:6], b"\x93NUMPY")

    def test_going_on_with_other_cores_gives_the_same_losses_to_the_last_bit(self):
        for attention in ("linear", "softmax"):
            model = ["copy", *SMALL, "--attention", attention]
            self.trained(*model, "--steps", 4, "--threads", 1, "--out", self.folder / f"whole {attention}")
            out = self.folder / attention
            self.trained(*model, "--steps", 2, "--threads", 3, "--out", out)
            self.trained(*model, "--steps", 4, "--threads", 2, "--resume", out)
            self.assertEqual(self.losses(out), self.losses(self.folder / f"whole {attention}"))

    def test_more_steps_than_asked_for_are_not_trained_again(self):
        self.trained("copy", *SMALL, "--steps", 3, "--out", self.out)
        self.refused(["copy", *SMALL, "--steps", 2, "--resume", self.out], "3 steps are already done, and --steps is 2: there is nothing")
        self.assertIn("to copy", self.trained("copy", *SMALL, "--steps", 3, "--resume", self.out))

    def test_digits_are_drawn(self):
        said = self.trained("digits", *SMALL, "--attention", "hybrid", "--steps", 1, "--out", self.out)
        self.assertRegex(said, r"\d\.\d{3} bits on unseen")
        self.assertIn("drawn by the model:", said)
        self.assertRegex(said, r"images a second, with the same weights: [\d. ]+ from the state .* from a state and a window")
        self.assertEqual((self.out / "samples.svg").read_text(encoding="utf-8").count("<text"), 3)

    def test_a_text_is_continued(self):
        text = self.folder / "a text.txt"
        text.write_text("so it goes on and on, " * 100, encoding="utf-8")
        said = self.trained("text", text, *SMALL, "--length", 8, "--steps", 2, "--out", self.out)
        self.assertIn("continued:", said)
        self.refused(["text", text, "--length", 1000, "--out", self.folder / "other"], "a text.txt has 2200 bytes; at least")

    def test_a_text_is_continued_by_memories(self):
        for name in ("b.md", "a.md", "c.txt"):
            (self.folder / name).write_text(f"so {name} goes on and on, " * 50, encoding="utf-8")
        said = self.trained("text", self.folder, "--memory", "both", *SMALL, "--length", 8, "--steps", 2, "--out", self.out)
        self.assertRegex(said, r"from the text: 'so b.*'\n  continued by both, from its state: '.{4}'\nbits per byte of unseen text\n"
                               r"  both        [\d.]+\n  plain sum   [\d.]+\n  softmax     [\d.]+\n")
        self.assertIn("<polyline", (self.out / "bits.svg").read_text(encoding="utf-8"))
        graded = [exercise(function, "todo", "lab09") for part in ("sums", "gradient") for function in memories.PARTS[part]]
        result = train("text", self.folder, "--memory", "delta", *SMALL, "--length", 8, "--steps", 1, "--out", self.folder / "other",
                       track="reference", graded=graded)
        self.assertRegex(result.stdout, r"unseen text\n  delta rule  [\d.]+\n  softmax     [\d.]+\n")
        for words, sentence in ((["copy", "--memory", "both"], "--memory goes with recall"),
                                (["text", self.folder, "--memory", "both", "--attention", "softmax"], "--memory has no --attention")):
            self.refused(words, sentence)

    def test_recall_shows_the_memories_that_can_be_trained(self):
        """With lab 09 unwritten, lab 08's two."""
        said = self.trained("recall", "--steps", 3, "--out", self.out)
        self.assertRegex(said, r"\nrecalled .*older  mean a  mean β\nplain sum +[\d.]+%.*\ndecay +[\d.]+%.*\ndelta rule .*\nboth ")
        unwritten = [exercise(function, "todo", "lab09") for functions in memories.PARTS.values() for function in functions]
        result = train("recall", "--steps", 3, "--out", self.out / "two", track="reference", graded=unwritten)
        self.assertRegex(result.stdout, r"\nrecalled .*older\nplain sum +[\d.]+%.*\ndecay +[\d.]+%[^\n]*\nrecalled while")

    def test_recall_over_seeds_has_spreads_and_a_plot(self):
        said = self.trained("recall", "--memory", "decay", "--seeds", 2, "--seed", 5, "--steps", 2, "--task", "clear", "--out", self.out)
        self.assertIn("seed 6, decay ", said)
        self.assertRegex(said, r"\nrecalled .*  void  mean a  a of a clear\ndecay( +[\d.]+ ± [\d.]+%){5}( +0\.\d+){2}\n")
        self.assertRegex(said, r"\ndecay +[▁▂▃▄▅▆▇█]  [\d.]+%\n")
        rows = (self.out / "recall.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual([row.split(",")[:3] for row in rows], [["memory", "seed", "step"], ["decay", "5", "2"], ["decay", "6", "2"]])
        self.assertIn("<polyline", (self.out / "recall.svg").read_text(encoding="utf-8"))
        for words, sentence in ((["recall", "--resume", self.out], "recall has no --resume"), (["recall", "--seeds", 0], "--seeds 0 is too"),
                                (["digits", "--task", "clear"], "--task goes with recall")):
            self.refused(words, sentence)

    def test_recall_has_knobs(self):
        said = self.trained("recall", "--memory", "sum", "--width", 6, "--keys", 5, "--once", "--steps", 2, "--out", self.out)
        self.assertRegex(said, r"\nplain sum +[\d.]+%")
        self.assertIn("5 keys, 5 writes, each key once", (self.out / "recall.svg").read_text(encoding="utf-8"))
        for words, sentence in ((["--width", 1], "--width 1 is not between 2 and 256"), (["--keys", 0], "--keys 0 is not between 1 and 1024"),
                                (["--keys", 8, "--writes", 9, "--once"], "--writes 9 is more than 8 keys can take with --once"),
                                (["--once", "--task", "clear"], "--once goes with --task last"), (["--sweep", "--width", 8], "--sweep has no --width"),
                                (["--task", "clear", "--writes", 3], "--writes 3 is not between 4 and 4096")):
            self.refused(["recall", *words], sentence)
        for word in ("--keys=3", "--writes=3", "--once", "--sweep"):
            self.refused(["digits", word], f"{word.partition('=')[0]} goes with recall")

    def test_a_sweep_has_a_point_for_each_width_and_number_of_keys(self):
        with mock.patch.multiple(capacity, WIDTHS=(2, 4), KEYS=(1, 2, 3)):
            said = self.trained("recall", "--sweep", "--once", "--seeds", 2, "--steps", 2, "--out", self.out)
        self.assertRegex(said, r"\n +12 of 12  width +\d, +1 keys, seed \d: +[\d.]+% +[\d.]+ s\n")
        self.assertRegex(said, r"\nrecalled +1 keys +2 keys +3 keys\nwidth 2 ( +[\d.]+ ± [\d.]+%){3}\nwidth 4 ( +[\d.]+ ± [\d.]+%){3}\n")
        self.assertIn("plain sum, each key written once; 2 seeds\nrecalled:   o width 2   x width 4\n", said)
        rows = [row.split(",") for row in (self.out / "sweep.csv").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([row[:3] for row in rows], [["width", "keys", "seed"], *([str(width), str(keys), str(seed)] for width in (2, 4)
                                                                                 for keys in (1, 2, 3) for seed in (1, 2))])
        self.assertEqual((self.out / "sweep.svg").read_text(encoding="utf-8").count("<polyline"), 2)

    def test_a_sweep_whose_training_dies_ends(self):
        with mock.patch.object(training_program, "build", return_value=shell_script(self.folder / "dies", "kill -9 $$")):
            self.refused(["recall", "--sweep", "--out", self.out], "the training stopped unexpectedly (signal 9)")

    def test_recall_names_what_a_memory_needs(self):
        """--memory both, with 9.11 unwritten and 9.8 waiting to be; the gradient is given where the student has none."""
        graded = [exercise("gated_delta_rule_chunkwise", "todo", "lab09"), exercise("solve_unit_lower", "todo", "lab09"),
                  exercise("delta_rule_chunkwise", "todo", "lab09"), exercise("gated_delta_rule_backward", "todo", "lab09")]
        with mock.patch.object(command, "_has_reference", return_value=False):
            result = train("recall", "--memory", "both", track="student", graded=graded)
        self.assertEqual(result.returncode, 1)
        self.assertIn("what is not written yet: lab09.gated_delta_rule_chunkwise, lab09.solve_unit_lower\n", result.stderr)

    def test_what_is_given_for_training(self):
        """Gradients of softmax and hybrid attention, generation, recall: in C++."""
        run = subprocess.run([BUILD / "tests/framework/linattn_training_test"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_interrupted_it_saves_and_says_how_to_go_on(self):
        with subprocess.Popen([REPOSITORY / "course", "train", "copy", "--steps", "100000", "--length", "32", "--out", self.out,
                               "--track", "reference"], cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as training:
            training.stdout.readline()  # how many weights: the loop begins
            time.sleep(0.5)
            training.send_signal(signal.SIGINT)
            said, _ = training.communicate(timeout=600)
        self.assertEqual(training.returncode, 130, said)
        self.assertIn(f"--resume {self.out}", said)
        model = json.loads((self.out / "checkpoint" / "model.json").read_text(encoding="utf-8"))
        self.assertEqual(len(self.losses(self.out).splitlines()) - 1, model["step"])

    def test_damaged_checkpoints_are_refused_and_stay(self):
        self.trained("copy", *SMALL, "--steps", 1, "--out", self.out)
        again = ["copy", *SMALL, "--steps", 2, "--resume", self.out]
        embedding = self.out / "checkpoint" / "embedding.npy"
        whole = embedding.read_bytes()
        embedding.write_bytes(whole[:-16])
        self.refused(again, "embedding.npy", "cut short")
        embedding.write_bytes(whole[:-8] + b"\x00\x00\x00\x00\x00\x00\xf8\x7f")
        self.refused(again, "embedding.npy holds a NaN")
        shutil.copy(self.out / "checkpoint" / "positions.npy", embedding)
        self.refused(again, "embedding.npy has shape (16, 8) where this model has (11, 8)")
        embedding.unlink()
        self.refused(again, "embedding.npy")
        embedding.write_bytes(whole)
        model = self.out / "checkpoint" / "model.json"
        for damaged in (model.read_text(encoding="utf-8").replace('"step": 1', '"step": "many"'), "{"):
            model.write_text(damaged, encoding="utf-8")
            self.refused(again, "model.json is not what training writes")

    def test_a_full_disk_leaves_the_earlier_checkpoint(self):
        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        self.assertEqual(self.program(self.out).returncode, 0)
        before = {file.name: file.read_bytes() for file in (self.out / "checkpoint").iterdir()}
        run = self.program(self.out, preexec_fn=full)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(json.loads(run.stdout.splitlines()[-1])["why"], r"embedding.npy could not be written; is there room")
        self.assertEqual({file.name: file.read_bytes() for file in (self.out / "checkpoint").iterdir()}, before)
        self.assertEqual([folder.name for folder in self.out.iterdir()], ["checkpoint"])

    def test_another_model_is_not_resumed(self):
        self.trained("copy", *SMALL, "--steps", 1, "--out", self.out)
        self.refused(["copy", "--layers", 2, "--width", 8, "--steps", 2, "--resume", self.out], "trained with layers 1, not with 2")
        self.refused(["copy", *SMALL, "--attention", "softmax", "--steps", 2, "--resume", self.out],
                     "trained with attention linear, not with softmax")

    def test_what_cannot_be_is_refused_before_anything_is_written(self):
        taken = self.folder / "taken"
        taken.mkdir()
        (taken / "mine.txt").write_text("mine", encoding="utf-8")
        for words, sentence in ((["copy", "--length", 9], "--length 9 is not one of"), (["copy", "--width", 30], "not divisible by the 4 heads"),
                                (["copy", "--steps", 0], "--steps 0 is too small"), (["text"], "text needs a FILE"),
                                (["text", "nowhere.txt"], "nowhere.txt cannot be read"), (["copy", "--out", taken], "not empty"),
                                (["copy", "--out", taken / "mine.txt"], "mine.txt is a file; --out names a folder"),
                                (["copy", "--out", self.out, "--resume", taken], "--resume: not allowed with argument --out"),
                                (["copy", "--length", 0], "--length 0 is not one of"), (["digits", "--length", 16], "digits has no --length"),
                                (["copy", "--seed", -1], "course: --seed -1 is too small; the least is 0\n"),
                                (["text", __file__, "--length", 1], "course: --length 1 is too small; the least is 2\n"),
                                (["copy", "--bogus"], "unrecognized arguments: --bogus; run ./course train --help"),
                                (["copy", "--resume", taken], "holds no training that could be continued"),
                                (["copy", "--out", "/proc/weights", "--steps", 1], "/proc/weights")):
            self.refused(words, sentence)
        self.assertEqual([file.name for file in taken.iterdir()], ["mine.txt"])

    def test_what_is_not_written_is_named_before_anything_is_built(self):
        graded = [exercise("adam_step", "todo"), exercise("model_gradients", "todo", begin_with="gelu"), exercise("layer_norm", "todo", "lab07"), exercise("dropout", "todo", "lab07")]
        with mock.patch.object(training_program, "build", side_effect=AssertionError("it builds")), \
                mock.patch.object(command, "_has_reference", return_value=False):
            result = train("copy", "--out", self.out, track="student", graded=graded)
        self.assertEqual(result.returncode, 1)
        self.assertIn("what is not written yet: lab08.adam_step, lab07.layer_norm", result.stderr)
        self.assertNotIn("dropout", result.stderr)

    def test_what_is_not_written_can_come_from_the_reference(self):
        """Both sides are the reference here: each function comes once, the missing one from the second."""
        self.assertEqual(self.program(self.folder / "plain").returncode, 0)
        program = link_missing.link(BUILD, BUILD, "lab08_train", ["gelu_backward"], track="reference")
        self.addCleanup(shutil.rmtree, program.parent)
        kinds = [re.findall(r" ([TW]) (_ZN7linattn13gelu_backward|_ZN7linattn9adam_step)E", subprocess.run(
            ["nm", file], capture_output=True, text=True, check=True).stdout) for file in sorted(program.parent.glob("*.o"))]
        self.assertIn([("T", "_ZN7linattn9adam_step"), ("W", "_ZN7linattn13gelu_backward")], [sorted(kind) for kind in kinds])
        self.assertIn([("T", "_ZN7linattn13gelu_backward"), ("W", "_ZN7linattn9adam_step")], [sorted(kind) for kind in kinds])
        self.assertEqual(self.program(self.folder / "borrowed", program).returncode, 0)
        losses = [(self.folder / name / "checkpoint/losses.npy").read_bytes() for name in ("plain", "borrowed")]
        self.assertEqual(*losses)

    def test_a_rule_of_lab_09_can_come_from_the_reference(self):
        program = link_missing.link(BUILD, BUILD, "lab09_train", ["gated_delta_rule_chunkwise", "solve_unit_lower"], track="reference")
        self.addCleanup(shutil.rmtree, program.parent)
        words = ["task=recall", "memories=both", "own=", "keys=4", "writes=6", "clears=0", "once=0", "width=32", "rate=0.006", "seed=1", "steps=2", "every=2", "threads=1"]
        said = [subprocess.run([each, *words], capture_output=True, text=True, check=True).stdout for each in (program, BUILD / "lab09_train")]
        losses = [re.findall(r'"loss":([^,]*)', text) for text in said]
        self.assertEqual(len(losses[0]), 2)
        self.assertEqual(*losses)

    def test_a_file_that_does_not_build_is_named_and_nothing_else_is_said(self):
        graded = [exercise("gelu", "pass", "lab07"), exercise("gelu_backward", "not_run"), exercise("adam_step", "not_run")]
        self.refused(["copy"], "course: lab08 does not build, so nothing can be trained; ./course check lab08 says why\n", graded=graded)

    def test_a_wrong_gradient_is_announced(self):
        result = train("copy", *SMALL, "--steps", 1, "--out", self.out, graded=[exercise("gelu_backward", "fail")])
        self.assertEqual(result.returncode, 0)
        self.assertIn("ATTENTION: 1 of the functions that training may use does not pass: lab08.gelu_backward", result.stderr)

    def test_check_says_when_there_is_an_experiment(self):
        labs = manifest.load(REPOSITORY)
        for name, words in (("lab06", ("next: see .* gradcheck", "then lab07 ")), ("lab07", ("next: complete .* generate digits", "then lab08 ")), ("lab08", ("next: train .* train copy", "then lab09 ")),
                            ("lab09", ("next: train .* train recall",))):
            done = [Verdict(each, "pass", "") for lab in labs if lab.name == name for each in lab.exercises]
            said = progress.report(labs, done, "student")
            self.assertRegex(said, r"(?s)\n" + ".*".join(words))
            self.assertNotIn("next:", progress.report(labs, done, "reference"))

    def test_every_name_that_training_needs_is_an_exercise(self):
        exercises = {each.function for lab in manifest.load(REPOSITORY) for each in lab.exercises}
        self.assertLessEqual(set().union(*command.NEEDED.values(), *memories.PARTS.values(), memories.HELPERS), exercises)

    def test_numpy_opens_a_checkpoint_as_the_chapter_says(self):
        pytest.importorskip("numpy")
        chapter = (REPOSITORY / "labs/lab08_training/README.md").read_text(encoding="utf-8")
        lines = re.search(r"```python\n(import json, numpy as np\n.*?)```", chapter, re.S)[1]
        self.trained("copy", *SMALL, "--steps", 1, "--out", self.out)
        there = lines.replace("build/train/copy-8/", f"{self.out}/")
        self.assertNotEqual(there, lines)
        printed = subprocess.run([sys.executable, "-c", there], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed, "1203 (8, 8)\n")

    def test_planted_mistakes_still_fit(self):
        """bench/planted_mistakes.py changes texts of the answer key; the chapter shows its table."""
        sys.path.insert(0, str(REPOSITORY / "bench"))
        self.addCleanup(sys.path.pop, 0)
        import planted_mistakes as planted
        chapter = (REPOSITORY / "labs/lab08_training/README.md").read_text(encoding="utf-8")
        shown = re.findall(r"^\| ([^|]+) \| (8\.\d+)(?: \| \S+ ± \S+% \| \d+ ± \d+){2} \|$", chapter, re.M)
        self.assertEqual(shown, [(name, section) for name, (section, *_) in planted.MISTAKES.items()])
        for name, (_, lab, *_) in planted.MISTAKES.items():
            planted.planted(name, (REPOSITORY / "reference" / planted.FILES[lab]).read_text(encoding="utf-8"))
