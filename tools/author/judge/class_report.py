"""report.html: a class at a glance, for its instructor. Every word of a student's is escaped by author.judge.page."""

from collections import Counter
from pathlib import Path

from author.judge import alike, page
from author.judge.feedback import NOT_GRADED
from course.verdicts import WORDS

MOST = 30  # rows of a list
BINS = 12


def html(root: Path, labs: list, results: list, stubs: dict, notes: list) -> str:
    graded = [result for result in results if not result.unusable]
    folders = {result.student: result.folder / "files" for result in graded}
    parts = [page.paragraph(f"{len(graded)} graded, {len(results) - len(graded)} unusable"),
             *(page.paragraph(note) for note in [*_handouts(graded), *notes]),
             page.heading("Points"), page.columns(_histogram(graded))]
    parts += _exercises(labs, graded) + [
        page.heading("Most frequent mistakes"),
        page.table(["mistake", "exercise", "students"], _mistakes(graded), "No mistake was recognised."),
        page.heading("Most often left TODO"),
        page.table(["exercise", "students"], _left(graded), "Everything was tried."),
        page.heading("Could not be graded"),
        page.table(["student", "why"], [(result.student, result.unusable) for result in results if result.unusable]),
        page.heading(NOT_GRADED),
        page.table(["student", "file and why"], [(result.student, line) for result in graded for line in result.left_out][:MOST]),
        page.heading("Alike once the stub is subtracted")]
    if alike.tool_is_there():
        parts += [page.paragraph("Names, layout and comments do not count. Right answers are often alike: read both before you "
                                 "conclude anything. These are claims about text, not about people."),
                  page.table(["alike", "file", "students"],
                             [(f"{pair.percent} %", pair.source, " and ".join(pair.students))
                              for pair in alike.pairs(folders, stubs)[:MOST]])]
    else:
        parts.append(page.paragraph(f"not looked for: {alike.TOOL} is not installed (Debian's similarity-tester)"))
    parts += [page.heading("Contain text of tests/"),
              page.table(["student", "file", "lines", "first"],
                         [(each.student, each.source, each.lines, each.where)
                          for each in alike.pasted(root, folders, stubs)[:MOST]])]
    return page.page("Class report", *parts)


def _handouts(graded: list) -> list:
    """Who has another handout than most, where submissions say which."""
    versions = {}
    for result in graded:
        if result.handout:
            versions.setdefault(result.handout, []).append(result.student)
    common, *others = sorted(versions, key=lambda version: (-len(versions[version]), version)) or [""]
    return [f"from handout {version}, where most are from {common}: {', '.join(versions[version])}" for version in others[:MOST]]


def _histogram(graded: list) -> list:
    whole = max((result.points for result in graded), default=0)
    width = max(1, -(-(whole + 1) // BINS))
    counts = Counter(result.earned // width for result in graded)
    ranges = [(low, min(low + width - 1, whole)) for low in range(0, whole + 1, width)]
    return [(f"{low}–{high}" if low < high else str(low), counts[low // width]) for low, high in ranges]


def _exercises(labs: list, graded: list) -> list:
    parts = []
    for lab in labs:
        of_lab = [verdict for result in graded for verdict in result.of_lab(lab.name)]
        if of_lab:
            rows = [_exercise(exercise, [verdict for verdict in of_lab if verdict.exercise == exercise])
                    for exercise in lab.exercises]
            parts += [page.heading(f"{lab.name} · {lab.title}"), page.table(["exercise", "points", "", "students"], rows)]
    return parts


def _exercise(exercise, verdicts: list) -> tuple:
    counts = Counter(verdict.status for verdict in verdicts)
    said = ", ".join(f"{counts[status]} {word}" for status, word in WORDS.items() if counts[status])
    return (exercise.function + (" ★" if exercise.stretch else ""), exercise.points,
            page.stacked_bar({status: counts[status] for status in WORDS}, len(verdicts) or 1), said)


def _mistakes(graded: list) -> list:
    counts = Counter((name, exercise) for result in graded for exercise, names in result.mistakes.items() for name in set(names))
    return [(name, exercise, count) for (name, exercise), count in _most(counts)]


def _left(graded: list) -> list:
    return _most(Counter(verdict.exercise.name for result in graded for verdict in result.verdicts if verdict.status == "todo"))


def _most(counts: Counter) -> list:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
