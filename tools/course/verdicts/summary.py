"""What check prints: what went wrong, the table, and what to do next."""

from course.sources.manifest import Exercise, Lab
from course.verdicts import messages
from course.verdicts.verdicts import WORDS, Verdict, by_lab, score

EXPERIMENTS = {"lab06": "see how close your gradients are: ./course gradcheck",  # with the functions of a lab
               "lab07": "complete digits with your functions: ./course generate digits",
               "lab08": "train a model with your functions: ./course train copy",
               "lab09": "train a model with your functions: ./course train recall"}
COLOURS = {"pass": messages.GREEN, "todo": messages.YELLOW}  # all else is red


def report(labs: list[Lab], verdicts: list[Verdict], track: str, goes_on: bool = False) -> str:
    """`goes_on`: check tries small changes next, so that nobody needs to hear how."""
    parts = [_messages(labs, verdicts), _table(labs, verdicts), _about_kernels(verdicts, track),
             _next_step(labs, verdicts, track, goes_on)]
    return "\n\n".join(part for part in parts if part)


def with_words(verdicts: list[Verdict]) -> list[Verdict]:
    """Those whose message is worth showing. What is simply not written yet is in the table; a TODO says more only when
    the function calls another that is not written."""
    return [verdict for verdict in verdicts if not verdict.passed and verdict.message
            and (verdict.status != "todo" or " calls " in verdict.message)]


def _messages(labs: list[Lab], verdicts: list[Verdict]) -> str:
    shown = with_words(_pending(verdicts))
    first = _first_to_fix(labs, verdicts)
    shown.sort(key=lambda verdict: verdict.exercise != first)
    return messages.arrange([(verdict.message, f"./course check {verdict.exercise.name}") for verdict in shown])


def _table(labs: list[Lab], verdicts: list[Verdict]) -> str:
    width = max(len(_label(verdict)) for verdict in verdicts)
    lines = []
    for name, of_lab in by_lab(verdicts):
        lines.append(f"{name} · {_lab(labs, name).title}")
        for verdict in of_lab:
            exercise = verdict.exercise
            word = messages.coloured(WORDS[verdict.status].ljust(7), COLOURS.get(verdict.status, messages.RED))
            points = f"{verdict.points}/{exercise.points}"
            lines.append(f"  {_label(verdict):{width}}  {word}  {points:>5} points  {exercise.minutes:>3} min  §{exercise.section}")
        lines += [f"  {'subtotal':{width}}  {'':7}  {score(of_lab, '/'):>5} points", ""]
    return "\n".join(lines + [f"score {score(verdicts)}"])


def _about_kernels(verdicts: list[Verdict], track: str) -> str:
    if not any(verdict.passed and verdict.exercise.kernel for verdict in verdicts):
        return ""
    return f"kernels: CPU run: not GPU-verified (with a GPU and nvcc: ctest --test-dir build/{track} -L gpu)"


def _pending(verdicts: list[Verdict]) -> list[Verdict]:
    """What does not pass, stretch exercises last."""
    return sorted((verdict for verdict in verdicts if not verdict.passed), key=lambda verdict: verdict.exercise.stretch)


def _first_to_fix(labs: list[Lab], verdicts: list[Verdict]) -> Exercise | None:
    """The first exercise that does not pass, or the one that it waits for."""
    pending = _pending(verdicts)
    if not pending:
        return None
    exercise = pending[0].exercise
    return next((other for other in _lab(labs, exercise.lab).exercises if other.function == pending[0].begin_with), exercise)


def _next_step(labs: list[Lab], verdicts: list[Verdict], track: str, goes_on: bool) -> str:
    """What to fix; else the rest of the lab, else the experiment that the lab leads to, and the next lab."""
    exercise = _first_to_fix(labs, verdicts)
    if exercise:
        unexplained = any(verdict.exercise == exercise and verdict.unexplained for verdict in verdicts)
        again_adds = "    (tries small changes to your function, too)" if unexplained and not goes_on else ""
        lab = _lab(labs, exercise.lab)
        if track != "student":
            return f"next: {exercise.name} in {' '.join(f'{track}/{source}' for source in lab.sources_of(exercise))}"
        if place := _pending(verdicts)[0].place:
            return f"next: {place}\n  again  ./course check {exercise.name}"
        return (f"next: {exercise.function} in {' '.join(f'student/{source}' for source in lab.sources_of(exercise))}\n"
                f"  read   labs/{lab.folder.name}/README.md §{exercise.section}\n"
                f"  hint   ./course hint {exercise.name}\n"
                f"  again  ./course check {exercise.name}{again_adds}")
    last = _lab(labs, verdicts[-1].exercise.lab)
    checked = [verdict.exercise for verdict in verdicts]
    if left := [each for each in last.exercises if each not in checked]:
        after = last.exercises[last.exercises.index(checked[-1]) + 1:]
        following = next((each for each in after if each in left), left[0])
        return f"next: {following.function}: ./course check {following.name}\n  or the whole lab: ./course check {last.name}"
    if track != "student":
        return ""
    steps = [f"{lab.name} · {lab.title}: labs/{lab.folder.name}/README.md, then ./course check {lab.name}"
             for lab in labs if lab.name > last.name][:1]
    if (last.folder.parents[1] / "training").is_dir() and (last.name in EXPERIMENTS or not steps):
        steps.insert(0, EXPERIMENTS.get(last.name, EXPERIMENTS["lab08"]))
    return "\n  then ".join(["next: " + steps[0], *steps[1:]]) if steps else ""


def _lab(labs: list[Lab], name: str) -> Lab:
    return next(lab for lab in labs if lab.name == name)


def _label(verdict: Verdict) -> str:
    return verdict.exercise.function + (" ★" if verdict.exercise.stretch else "")
