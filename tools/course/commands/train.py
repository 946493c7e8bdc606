"""Train a small transformer with your own functions of labs 06 to 09, and see what it has learned.

  copy     repeats a random sequence (the 2020 paper's first experiment)
  digits   draws handwritten digits, pixel by pixel (its image experiment, in small)
  text     continues a text of yours: ./course train text FILE, or a folder, of whose .md files it takes all; with --memory
           by your delta rule of lab 09, beside a plain sum and softmax
  recall   asks for the last value of a key, of four memories: a plain sum, a sum that decays, and, from lab 09 on, your
           delta rule with and without decay (no weights are saved); --sweep trains one of them for several widths and
           numbers of keys, and draws how many it recalls

Exit status: 0 when it was trained, 1 when an answer is missing or wrong or the training failed, 2 when nothing could be
trained, 130 when it was stopped; it then has saved what it had.
"""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from course import capacity, digit_pictures, files, loss_plot, manifest, memories, training_program
from course.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.grading import grade
from course.training_program import Event, Settings
from course.verdicts import Verdict

LAB = "lab08"
EVERY = 25
COPY = {8: dict(layers=1, width=32, steps=400), 16: dict(layers=2, width=64, steps=400), 32: dict(layers=2, width=64, steps=600)}
PIECES = {"layer_norm", "affine_backward", "layer_norm_backward", "cross_entropy", "adam_step"}  # of every training
AROUND = PIECES | {"split_heads", "merge_heads", "gelu", "gelu_backward", "block_step"}
NEEDED = {"recall": PIECES, "softmax": AROUND,
          "hybrid": AROUND | {"hybrid_attention", "hybrid_attention_step", "causal_attention_backward", "elu_plus_one_backward"},
          "linear": AROUND | {"multi_head_attention", "transformer_block", "logits", "generate", "attention_backward",
                              "block_backward", "model_gradients"}}


@dataclass
class Progress:
    """What the program has reported so far."""
    losses: list[float] = field(default_factory=list)
    measured: dict[str, float] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)  # what comes after the last step
    resumed_at: int = 0


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
    parser.add_argument("--once", action="store_true", help="recall: no key is written twice, so nothing is overwritten")
    parser.add_argument("--sweep", action="store_true", help=f"recall: accuracy against the number of keys, for widths "
                        f"{', '.join(map(str, capacity.WIDTHS))}, {capacity.SEEDS} seeds each, of the plain sum or of --memory")
    parser.add_argument("--steps", type=int, help="steps at most; copy ends when it makes no mistake any more")
    parser.add_argument("--attention", choices=["linear", "softmax", "hybrid"], default="linear",
                        help="linear: yours (default); softmax, hybrid (half of each, softmax over 16 tokens): given, with your "
                             "functions around it")
    parser.add_argument("--memory", choices=list(memories.LABELS), help="recall: only this one (default: all that you have "
                                                                       "written); text: this one, beside a plain sum and softmax")
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
    used = [*labs[LAB].needs, LAB, *([memories.LAB] if with_memories and memories.LAB in labs else [])]
    verdicts = grade(root, options.track, used)
    own = memories.own_parts(verdicts) if memories.LAB in used else set()
    wanted = options.memory or ("sum" if options.sweep else None)
    names = memories.of_text(own, options.memory) if is_text and with_memories else memories.of_recall(own, wanted)
    of_memories = memories.needed(own, names, is_text) if with_memories else set()
    if of_memories and memories.LAB not in labs:
        raise CourseError(f"there is no {memories.LAB} here, which the memory {options.memory} comes from")
    lab = memories.LAB if of_memories else LAB
    missing = _say_what_does_not_pass([v for v in verdicts if v.exercise.lab != memories.LAB or v.exercise.function in of_memories],
                                      of_memories, options)
    tree, reference = BuildTree(root, options.track), BuildTree(root, "reference")
    if missing and not _has_reference(reference):
        print(f"course: the training needs what is not written yet: {', '.join(missing)}", file=sys.stderr)
        return 1
    program = training_program.build(tree, f"{lab}_train", lab)
    if missing:
        from author import link_missing  # no handout has it
        print(f"taken from the reference, since you have not written them: {', '.join(missing)}", file=sys.stderr)
        program = link_missing.link(tree.folder, training_program.build(reference, f"{lab}_train", lab).parent, f"{lab}_train",
                                    [name.partition(".")[2] for name in missing])
    folder = _folder(root, options, settings)
    if with_memories:
        if lab == memories.LAB and options.track == "student":
            memories.say_what_is_given(own, names, is_text)
        settings |= {"own": ",".join(sorted(own))}
        seeds = range(options.seed, options.seed + (options.seeds or (capacity.SEEDS if options.sweep else 1)))
        if is_text:
            return memories.text(root, program, settings, names, folder)
        if options.sweep:
            return capacity.sweep(root, program, settings, names[0], seeds, folder)
        return memories.recall(root, program, settings, names, seeds, folder)
    return _train(root, program, settings | {"out": str(folder), "resume": int(bool(options.resume))}, folder, options)


def _settings(root: Path, options: Namespace) -> Settings:
    """The arguments of the program, all of them; what cannot be is refused here."""
    length, width = options.length, options.width
    if options.task == "copy":
        length = 8 if length is None else length
        if length not in COPY:
            raise CourseError(f"--length {length} is not one of the lengths 8, 16 and 32 of the copy task")
        usual = COPY[length] | dict(batch=32, rate=0.003)
    elif options.task == "recall":
        given = [name for name in ("length", "layers", "resume") if getattr(options, name) is not None]
        if given or options.attention != "linear":
            raise CourseError(f"recall has no --{(given or ['attention'])[0]}: its models are given, and it saves no weights")
        if options.seeds is not None and options.seeds < 1:
            raise CourseError(f"--seeds {options.seeds} is too small; the least is 1")
        usual = dict(layers=1, width=32, steps=400, batch=64, rate=0.006) | _recall_settings(options)
        length = usual["writes"]
    elif options.task == "digits":
        if length is not None:
            raise CourseError("digits has no --length: an image has 64 pixels")
        length, usual = 64, dict(layers=2, width=64, steps=400, batch=32, rate=0.01)
    else:
        length = 128 if length is None else length
        if length < 2:
            raise CourseError(f"--length {length} is too small; the least is 2")
        usual = dict(layers=2, width=64, steps=400, batch=16, rate=0.005)
    only = [f"--{name}" for name, value in (("task", options.rules), ("seeds", options.seeds), ("keys", options.keys),
                                            ("writes", options.writes), ("once", options.once or None),
                                            ("sweep", options.sweep or None), ("memory", options.memory))
            if value is not None and not (name == "memory" and options.task == "text")]
    if options.memory and (options.attention != "linear" or options.resume):
        raise CourseError(f"--memory has no --{'resume' if options.resume else 'attention'}: it trains anew, beside softmax")
    if options.task != "recall" and only:
        raise CourseError(f"{only[0]} goes with recall: ./course train recall {only[0]} …")
    if (options.task == "text") != (options.file is not None):
        raise CourseError("text needs a FILE, and only text: ./course train text FILE")
    file = Path(options.file) if options.file else root / "training/digits.txt"
    if options.task in ("digits", "text") and not file.is_file() and not (options.task == "text" and file.is_dir()):
        raise CourseError(f"{file} cannot be read; name an existing file")
    settings = usual | {name: value for name, value in vars(options).items()
                        if name in ("layers", "width", "steps") and value is not None}
    for name, value in [*((name, settings[name]) for name in ("layers", "width", "steps")), ("threads", options.threads)]:
        if value < 1:
            raise CourseError(f"--{name} {value} is too small; the least is 1")
    if settings["width"] % 4 and options.task != "recall":
        raise CourseError(f"--width {width} is not divisible by the 4 heads; choose a multiple of 4")
    if options.seed < 0:
        raise CourseError(f"--seed {options.seed} is too small; the least is 0")
    return settings | {"task": options.task, "length": length, "attention": options.attention, "heads": 4, "seed": options.seed, "threads": options.threads,
                       "file": str(file.resolve()), "every": EVERY}


def _recall_settings(options: Namespace) -> Settings:
    """What differs from the usual task."""
    settings: Settings = dict(memories.CLEAR if options.rules == "clear" else memories.LAST)
    if options.once and options.rules == "clear":
        raise CourseError("--once goes with --task last: a clear and the writes after it overwrite")
    if options.sweep:
        chosen = [f"--{name}" for name in ("width", "keys", "writes", "rules") if getattr(options, name) is not None]
        if chosen:
            raise CourseError(f"--sweep has no {chosen[0].replace('rules', 'task')}: it chooses widths, keys and writes itself; leave it out")
        return settings | {"once": int(options.once)}
    keys = options.keys or settings["keys"]
    per_key = 1 if options.once else settings["writes"] // settings["keys"]
    chosen_numbers = {"width": 32 if options.width is None else options.width, "keys": keys if options.keys is None else options.keys,
                      "writes": per_key * keys if options.writes is None else options.writes}
    for name, most in memories.MOST.items():
        least = 4 if name == "writes" and options.rules == "clear" else 2 if name == "width" else 1
        if not least <= chosen_numbers[name] <= most:
            raise CourseError(f"--{name} {chosen_numbers[name]} is not between {least} and {most}; choose a number between them")
    if options.once and chosen_numbers["writes"] > keys:
        raise CourseError(f"--writes {chosen_numbers['writes']} is more than {keys} keys can take with --once; choose at most {keys}, or "
                          "more --keys")
    return settings | chosen_numbers | {"once": int(options.once)}


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


def _has_reference(tree: BuildTree) -> bool:
    return (tree.folder / "build.ninja").exists()


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
    part = ("sweep" if options.sweep else options.memory or ("clear" if settings["clears"] else "all")) \
        if options.task == "recall" else settings["length"]
    name = f"{options.task}-{part}"
    free = (root / "build" / "train" / (name if number == 1 else f"{name}-{number}") for number in range(1, 10000))
    return next(folder for folder in free if not folder.exists())


def _train(root: Path, program: Path, settings: Settings, folder: Path, options: Namespace) -> int:
    progress = Progress()
    with files.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with files.explained(folder / "words.log"), open(folder / "words.log", "w", encoding="utf-8") as words:
        status = training_program.listen(program, settings, words, lambda event: _on_event(event, progress, settings))
    if progress.losses:
        title = f"{settings['task']}, length {settings['length']}, {settings['attention']}"
        files.write_together(folder, {"loss.csv": loss_plot.csv(progress.losses), "loss.svg": loss_plot.svg(progress.losses, title)})
    return _close(root, status, progress, settings, folder, options)


def _on_event(event: Event, progress: Progress, settings: Settings) -> None:
    kind = event["event"]
    if kind == "start":
        progress.losses = list(event["losses"])
        progress.resumed_at = len(progress.losses)
        print(f"{event['weights']} weights, {event['vocab_size']} symbols, at most {settings['steps']} steps of "
              f"{settings['batch']} sequences" + (f", from step {progress.resumed_at} on" if progress.losses else ""), flush=True)
    elif kind == "remembers":
        print("ATTENTION: the same sequences gave other gradients when they were computed again: does a function keep something in a "
              "static or global variable?\n  The weights may then depend on --threads.", file=sys.stderr)
    elif kind == "step":
        progress.losses.append(event["loss"])
        progress.measured.update({name: event[name] for name in ("accuracy", "bits") if name in event})
        _show_step(event, progress, settings)
    else:
        progress.events.append(event)


def _show_step(event: Event, progress: Progress, settings: Settings) -> None:
    step, steps = event["step"], settings["steps"]
    seconds = event["seconds"] / (step - progress.resumed_at) * (steps - step)
    left = f"{seconds / 60:.0f} min left" if seconds >= 100 else f"{seconds:.0f} s left" if step < steps else ""
    words = f"step {step:4}/{steps}  loss {event['loss']:.4f}  {_measured(progress.measured):24} {event['seconds']:6.1f} s"
    if sys.stdout.isatty():
        done = round(20 * step / steps)
        print(f"\r[{'#' * done}{'.' * (20 - done)}] {words}{f', {left} at most' if left else ''} \033[K", end="", flush=True)
    elif step % EVERY == 0 or step == steps:
        print(f"{words}  {left}".rstrip(), flush=True)


def _measured(measured: dict[str, float]) -> str:
    if "accuracy" in measured:
        return f"{100 * measured['accuracy']:.1f}% of unseen right"
    return f"{measured['bits']:.3f} bits on unseen" if "bits" in measured else ""


def _close(root: Path, status: int, progress: Progress, settings: Settings, folder: Path, options: Namespace) -> int:
    if sys.stdout.isatty():
        print()
    shown = training_program.shown(root, folder)
    if training_program.is_missing(progress.events):
        return 1
    end = next((event for event in progress.events if event["event"] == "end"), None)
    if end is None:
        raise CourseError(f"the training stopped unexpectedly ({training_program.fate(status)}); what was saved before is in {shown}, and the program's output in "
                          f"{shown}/words.log; ./course check {LAB} may say what is wrong")
    if end["stopped"]:
        print(f"stopped after step {end['step']} and saved; continue with\n  {_again(options, shown)}")
        return 130
    _show(progress, settings, folder)
    print(loss_plot.in_terminal(progress.losses))
    print(f"weights: {shown}/checkpoint (one .npy file each), loss: {shown}/loss.csv and loss.svg")
    if settings["task"] == "copy" and not end["learned"]:
        more = Namespace(**vars(options) | {"steps": 2 * settings["steps"]})
        print(f"not every unseen sequence is copied yet; more steps: {_again(more, shown)}")
    return 0


def _again(options: Namespace, folder: Path) -> str:
    """The command that goes on where this one ended."""
    words = ["./course train", options.task, *([options.file] if options.file else []), f"--resume {folder}"]
    words += [f"--{name} {value}" for name in ("length", "layers", "width", "steps")
              if (value := getattr(options, name)) is not None]
    words += [f"--seed {options.seed}"] if options.seed != 1 else []
    words += [f"--attention {options.attention}"] if options.attention != "linear" else []
    return " ".join(words + ([f"--track {options.track}"] if options.track != "student" else []))


def _show(progress: Progress, settings: Settings, folder: Path) -> None:
    by_kind: dict[str, list[Event]] = {}
    for event in progress.events:
        by_kind.setdefault(event.get("kind", event["event"]), []).append(event)
    for event in by_kind.get("test", []):
        print(f"last test, {event['sequences']} sequences that nothing was chosen by: {100 * event['accuracy']:.1f}% right")
    for event in by_kind.get("answer", []):
        marks = "".join(" " if a == b else "^" for a, b in zip(event["wanted"], event["got"]))
        print(f"  to copy {event['wanted']}   copied {event['got']}" + (f"\n{' ' * (len(marks) + 20)}{marks}" if marks.strip() else ""))
    for event in by_kind.get("continued", []):
        print(f"  from the text: {event['prompt']!r}\n  continued:     {event['got']!r}")
    if "drawn" in by_kind:
        drawn = [event["pixels"] for event in by_kind["drawn"]]
        completed = [event["pixels"] for event in by_kind["completed"]]
        print("drawn by the model:\n" + digit_pictures.in_terminal(drawn[:5]) + "\n\nlower halves completed by the model:\n" +
              digit_pictures.in_terminal(completed[:5]))
        rows = [("drawn", drawn), ("completed", completed), ("were", [event["was"] for event in by_kind["completed"]])]
        title = f"digits drawn and completed by a transformer with {settings['attention']} attention"
        files.write_whole(folder / "samples.svg", digit_pictures.svg(rows, title))
    for event in by_kind.get("speed", []):
        what = "images" if settings["task"] == "digits" else "symbols"
        per = settings["length"] if settings["task"] == "digits" else 1
        ways = {"state": "from the state of linear attention", "cache": "by softmax from a cache",
                "nothing kept": "by softmax from nothing kept", "window": "by the hybrid from a state and a window"}
        print(f"{what} a second, with the same weights: "
              + ", ".join(f"{_rounded(event[way] / per)} {words}" for way, words in ways.items() if way in event))


def _rounded(number: float) -> str:
    """26 950, and 8.42: to about four digits, thousands apart."""
    whole = int(float(f"{number:.4g}"))
    return f"{whole:,}".replace(",", " ") if number >= 1000 else f"{number:.4g}"
