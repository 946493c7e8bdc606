"""Train a small transformer with your functions from labs 06 to 09, and see what it has learned.

  copy     repeats a random sequence (the 2020 paper's first experiment)
  digits   draws handwritten digits, pixel by pixel (its image experiment, in small)
  text     continues your text: ./course train text FILE, or all .md files of a folder; with --memory by your delta rule from
           lab 09, next to a plain sum and softmax
  recall   asks four memories for the last value of a key: a plain sum, a sum that decays, and, from lab 09 on, your
           delta rule with and without decay (no weights are saved)

Exit status: 0 when it was trained, 1 when an answer is missing or wrong or the training failed, 2 when nothing could be
trained, 130 when it was stopped; it has then saved what it had.
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from course.build.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.sources import files, manifest
from course.training import line_plot, memory_training, training_program
from course.training.training_program import Settings
from course.verdicts.grading import grade
from course.verdicts.verdicts import Verdict

LAB = "lab08"
EVERY = 25
COLUMNS = 32  # of the loss in the terminal, at most
COPY = {8: dict(layers=1, width=32, steps=400), 16: dict(layers=2, width=64, steps=400), 32: dict(layers=2, width=64, steps=600)}
USUAL = {"copy": dict(batch=32, rate=0.003, falls=0), "recall": dict(layers=1, width=32, steps=400, batch=64, rate=0.006, falls=0),
         "digits": dict(length=64, layers=2, width=64, steps=400, batch=32, rate=0.01, falls=1),
         "text": dict(length=128, layers=2, width=64, steps=400, batch=16, rate=0.005, falls=1)}  # falls: the rate, to 0
MODEL = ("length", "layers", "width", "steps")
WITHOUT = {"digits": (("length",), "an image has 64 pixels"),
           "recall": (("length", "layers", "resume", "attention"), "its models are given, and it saves no weights")}
PIECES = {"layer_norm", "affine_backward", "layer_norm_backward", "cross_entropy", "adam_step"}  # of every training
AROUND = PIECES | {"split_heads", "merge_heads", "gelu", "gelu_backward", "block_step"}
NEEDED = {"recall": PIECES, "softmax": AROUND,
          "hybrid": AROUND | {"hybrid_attention", "hybrid_attention_step", "causal_attention_backward", "elu_plus_one_backward"},
          "linear": AROUND | {"multi_head_attention", "transformer_block", "logits", "generate", "attention_backward",
                              "block_backward", "model_gradients"}}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("task", choices=["copy", "digits", "text", "recall"], help="what to learn")
    parser.add_argument("file", nargs="?", metavar="FILE", help="the text, for text")
    parser.add_argument("--length", type=int, help="copy: symbols to repeat, 8, 16 or 32 (default: 8); text: bytes in a "
                                                   "window, at least 2 (default: 128)")
    parser.add_argument("--layers", type=int, help="blocks (default: 1 for copy of length 8, else 2)")
    parser.add_argument("--width", type=int, help="numbers in a token (default: 32 for copy of length 8 and for "
                                                  "recall, else 64)")
    parser.add_argument("--keys", type=int, help="recall: different keys (default: 8; with --task clear 32)")
    parser.add_argument("--writes", type=int, help="recall: writes of a sequence (default: 4 for each key; with --task clear 3; "
                                                   "with --once 1)")
    parser.add_argument("--once", action="store_true", default=None, help="recall: no key is written twice, so nothing is overwritten")
    parser.add_argument("--steps", type=int, help="steps at most; copy ends when it makes no mistake any more")
    parser.add_argument("--attention", choices=["linear", "softmax", "hybrid"], default="linear",
                        help="linear: yours (default); softmax, hybrid (half of each, softmax over 16 tokens): given, with your "
                             "functions around it")
    parser.add_argument("--memory", choices=memory_training.NAMES, help="recall: only this one (default: all that you have "
                                                                       "written); text: this one, a plain sum and softmax")
    parser.add_argument("--task", dest="rules", choices=["last", "clear"], help="recall: clear: one write of each sequence "
                        "makes all before it void, and there are 32 keys, not 8")
    parser.add_argument("--seeds", type=int, help="recall: how many seeds, from --seed on: mean and spread (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="of the weights and of the batches (default: 1)")
    parser.add_argument("--threads", type=int, metavar="N", default=training_program.cores(),
                        help="how many cores to use at most (default: all; text --memory uses one); the weights do not depend on it")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", metavar="DIR", help="where the weights and plots go (default: a new folder in build/train/)")
    where.add_argument("--resume", metavar="DIR", help="continue the training that was stopped in this folder")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    settings = _settings(root, options)
    labs = {lab.name: lab for lab in manifest.load(root)}
    if LAB not in labs:
        raise CourseError(f"there is no {LAB} here, which holds the program that trains")
    with_memories, is_text = options.task == "recall" or options.memory is not None, options.task == "text"
    used = [*labs[LAB].needs, LAB, *([memory_training.LAB] if with_memories and memory_training.LAB in labs else [])]
    verdicts = grade(root, options.track, used)
    own = memory_training.own_groups(verdicts) if memory_training.LAB in used else set()
    names = (memory_training.of_text if is_text and with_memories else memory_training.of_recall)(own, options.memory)
    of_memories = memory_training.needed(own, names, is_text) if with_memories else set()
    if of_memories and memory_training.LAB not in labs:
        raise CourseError(f"there is no {memory_training.LAB} here, which the memory {options.memory} comes from")
    lab = memory_training.LAB if of_memories else LAB
    used_of = [v for v in verdicts if v.exercise.lab != memory_training.LAB or v.exercise.function in of_memories]
    missing = _say_what_does_not_pass(used_of, of_memories, options)
    if missing and not _has_reference(root):
        print(f"course: the training needs what is not written yet: {', '.join(missing)}", file=sys.stderr)
        return 1
    program = _built(root, options.track, lab, missing)
    folder = _folder(root, options, settings)
    if not with_memories:
        return _train(root, program, settings, folder, options)
    if lab == memory_training.LAB and options.track == "student":
        memory_training.say_what_is_given(own, names, is_text)
    more = {"own": ",".join(sorted(own)), "seeds": options.seeds or 1}
    return memory_training.train(root, program, settings | more, names, folder)


def _settings(root: Path, options: Namespace) -> Settings:
    """The arguments of the program, all of them; what cannot be is rejected here."""
    given: Settings = {name: value for name, value in vars(options).items() if value not in (None, "linear")}
    if without := [name for name in ("resume", "attention") if options.memory and name in given]:
        raise CourseError(f"--memory has no --{without[0]}: it trains anew, softmax too")
    for name in ("rules", "seeds", "keys", "writes", "once", "memory"):
        if name in given and options.task != "recall" and (name, options.task) != ("memory", "text"):
            option = "--" + name.replace("rules", "task")
            raise CourseError(f"{option} goes with recall: ./course train recall {option} …")
    names, why = WITHOUT.get(options.task, ((), ""))
    if without := [name for name in names if name in given]:
        raise CourseError(f"{options.task} has no --{without[0]}: {why}")
    usual: Settings = dict(USUAL[options.task])
    if options.task == "copy":
        length = given.get("length", 8)
        if length not in COPY:
            raise CourseError(f"--length {length} is not one of the lengths 8, 16 and 32 of the copy task")
        usual |= {"length": length} | COPY[length]
    elif options.task == "recall":
        usual |= _recall_settings(options)
    if (options.task == "text") != (options.file is not None):
        raise CourseError("text needs a FILE, and only text: ./course train text FILE")
    file = Path(options.file or root / "training/digits.txt")
    if options.task in ("digits", "text") and not file.is_file() and not (options.task == "text" and file.is_dir()):
        raise CourseError(f"{file} cannot be read; name an existing file")
    settings = usual | {name: given[name] for name in MODEL if name in given}
    for name, least in (("length", 2), ("layers", 1), ("width", 1), ("steps", 1), ("threads", 1), ("seeds", 1), ("seed", 0)):
        if (value := (settings | given).get(name, least)) < least:
            raise CourseError(f"--{name} {value} is too small; the least is {least}")
    if settings["width"] % 4 and options.task != "recall":
        raise CourseError(f"--width {options.width} is not divisible by the 4 heads; choose a multiple of 4")
    return settings | {"task": options.task, "attention": options.attention, "heads": 4, "seed": options.seed, "threads": options.threads,
                       "file": file.resolve(), "every": EVERY}


def _recall_settings(options: Namespace) -> Settings:
    """What differs from the usual task."""
    usual = memory_training.CLEAR if options.rules == "clear" else memory_training.LAST
    if options.once and options.rules == "clear":
        raise CourseError("--once goes with --task last: a clear and the writes after it overwrite")
    keys = usual["keys"] if options.keys is None else options.keys
    writes = keys * (1 if options.once else usual["writes"] // usual["keys"]) if options.writes is None else options.writes
    chosen = {"width": 32 if options.width is None else options.width, "keys": keys, "writes": writes}
    for name, most in memory_training.MOST.items():
        least = 4 if name == "writes" and options.rules == "clear" else 2 if name == "width" else 1
        if not least <= chosen[name] <= most:
            raise CourseError(f"--{name} {chosen[name]} is not between {least} and {most}; choose a number between them")
    if options.once and writes > keys:
        raise CourseError(f"--writes {writes} is more than {keys} keys can take with --once; choose at most {keys}, or more --keys")
    return usual | chosen | {"length": writes, "once": int(bool(options.once))}


def _say_what_does_not_pass(verdicts: list[Verdict], of_memories: set[str], options: Namespace) -> list[str]:
    """Returns the functions that are needed and not written."""
    unbuilt = sorted({v.exercise.lab for v in verdicts} - {v.exercise.lab for v in verdicts if v.status != "not_run"})
    if unbuilt:
        raise CourseError(f"{' and '.join(unbuilt)} {'does' if len(unbuilt) == 1 else 'do'} not build, so nothing can be "
                          f"trained; ./course check {' '.join(unbuilt)} says why")
    needed = NEEDED["recall" if options.task == "recall" else "softmax" if options.memory else options.attention] | of_memories
    needed = needed | {"copy_batch"} if options.task == "copy" else needed
    missing = [v.exercise.name for v in verdicts
               if v.status == "todo" and not v.begin_with and v.exercise.function in needed]
    wrong = [v.exercise.name for v in verdicts
             if not v.passed and v.status != "todo" and (v.exercise.function in needed or not v.exercise.stretch)]
    if wrong and not missing:
        print(f"ATTENTION: {len(wrong)} of the functions that training may use {'does' if len(wrong) == 1 else 'do'} not pass: "
              f"{', '.join(wrong)}.\n  A model can learn with wrong gradients, only worse; ./course check says what is wrong.",
              file=sys.stderr)
    return missing


def _built(root: Path, track: str, lab: str, missing: list[str]) -> Path:
    """The program, in which what is missing is the reference's."""
    program = training_program.build(BuildTree(root, track), f"{lab}_train", lab)
    if missing:
        from author import link_missing  # no handout has it
        print(f"taken from the reference, since you have not written them: {', '.join(missing)}", file=sys.stderr)
        reference = training_program.build(BuildTree(root, "reference"), f"{lab}_train", lab)
        program = link_missing.link(program.parent, reference.parent, f"{lab}_train", [name.partition(".")[2] for name in missing])
    return program


def _has_reference(root: Path) -> bool:
    return (BuildTree(root, "reference").folder / "build.ninja").exists()


def _folder(root: Path, options: Namespace, settings: Settings) -> Path:
    if options.resume:
        folder = Path(options.resume)
        if not any((folder / name / "model.json").is_file() for name in ("checkpoint", "checkpoint.before")):
            raise CourseError(f"{folder} holds no training that could be continued; name the folder that the first run printed")
        return folder.resolve()
    if options.out:
        folder = training_program.folder_for(options.out, root)
        if folder.exists() and any(folder.iterdir()):
            raise CourseError(f"{options.out} already exists and is not empty; choose another --out, or continue with "
                              f"--resume {options.out}")
        return folder
    part = options.memory or ("clear" if settings["clears"] else "all") if options.task == "recall" else settings["length"]
    name = f"{options.task}-{part}"
    free = (root / "build" / "train" / (name if number == 1 else f"{name}-{number}") for number in range(1, 10000))
    return next(folder for folder in free if not folder.exists())


def _train(root: Path, program: Path, settings: Settings, folder: Path, options: Namespace) -> int:
    shown = training_program.shown(root, folder)
    with files.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    settings |= {"out": folder, "resume": int(bool(options.resume)), "again": _again(options, shown, options.steps),
                 "more": _again(options, shown, 2 * settings["steps"])}
    try:
        status = training_program.run(program, settings, "the training",
                                      f"what was saved before is in {shown}; ./course check {LAB} may say what is wrong")
    finally:
        losses = _losses(folder / "loss.csv")
        if losses:
            axes = (line_plot.from_zero("step", len(losses), lambda step: f"{step:.0f}"),
                    line_plot.from_zero("loss", max(losses), lambda loss: f"{loss:.2f}"))
            title = f"loss in nats: {settings['task']}, length {settings['length']}, {settings['attention']}"
            curve: line_plot.Curve = [(step, [loss]) for step, loss in enumerate(losses, 1)]
            files.write_whole(folder / "loss.svg", line_plot.svg({"": curve}, title, *axes))
    if status == 0:
        few = -(-len(losses) // COLUMNS)  # steps of which the terminal shows the mean, with a bar over them
        curve = [(begin + few / 2, losses[begin:begin + few]) for begin in range(0, len(losses), few)]
        print(line_plot.in_terminal({f"mean of {few} steps" if few > 1 else "each step": curve}, *axes))
        print(f"weights: {shown}/checkpoint (one .npy file each), loss: {shown}/loss.csv and loss.svg")
    return status


def _losses(file: Path) -> list[float]:
    return [float(line.partition(",")[2]) for line in file.read_text(encoding="utf-8").splitlines()[1:]] if file.exists() else []


def _again(options: Namespace, folder: Path, steps: int | None) -> str:
    """The command that goes on where this one ended."""
    words = ["./course train", options.task, *([options.file] if options.file else []), f"--resume {folder}"]
    usual = {**dict.fromkeys(MODEL), "seed": 1, "attention": "linear", "track": "student"}
    chosen = vars(options) | {"steps": steps}
    return " ".join([*words, *(f"--{name} {chosen[name]}" for name in usual if chosen[name] != usual[name])])
