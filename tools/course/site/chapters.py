"""A chapter's page: its README.md, and what the manifest knows about each exercise, put on empty lines of it."""

import html

from course import solutions
from course.site import lists, markdown
from course.site.places import LabFolder, Links, Places, exercise_heading


def page(lab: LabFolder, places: Places) -> str:
    insert = {}
    for exercise in lab.exercises:
        heading = exercise_heading(lab.chapter, exercise)
        if heading:
            insert[heading.line + 1] = _facts(lab, exercise)
    if places.edition == "instructor":
        for line, text in _answers(lab, places).items():
            insert[line] = insert.get(line, "") + text
    end = len(lab.chapter.splitlines()) + 1
    insert[end] = insert.get(end, "") + _pager(lab, places)
    links = Links(places, f"labs/{lab.folder.name}/README.md")
    return markdown.Page(lab.chapter, lab.name, links, insert, contents=True).translate()


def _facts(lab: LabFolder, exercise) -> str:
    worth = "comes solved" if exercise.solved else f"{exercise.points} point{'s' * (exercise.points != 1)}"
    facts = [worth, f"{exercise.minutes} minutes"] + ["★ stretch"] * exercise.stretch
    if lab.declares(exercise.function):
        facts.append(lists.contract(lab, exercise, "contract"))
    return f'<p class="facts">{" · ".join(facts)}</p>'


def _answers(lab: LabFolder, places: Places) -> dict:
    """Line → the solution and the mistakes, on the last empty line of each exercise's section."""
    functions, shared = solutions.of_lab(places.root, lab.lab) if lab.lab else ({}, "")
    headings = markdown.headings(lab.chapter)
    found = {}
    for exercise in lab.exercises:
        heading = exercise_heading(lab.chapter, exercise)
        if not heading:
            continue
        following = [other.line for other in headings if other.line > heading.line and other.level <= heading.level]
        end = following[0] - 1 if following else len(lab.chapter.splitlines()) + 1
        known = [mistake for mistake in places.mistakes(lab) if mistake.exercise == exercise.function]
        found[end] = ""
        if exercise.function in functions:
            found[end] += _folded("Solution", f"\n\n```cpp\n{functions[exercise.function]}\n```\n\n", " open")
        if known:
            found[end] += _folded(f"Mistakes ({len(known)})", lists.raw(lists.mistakes_table(places, lab, known)))
    if shared and found:
        found[max(found)] += _folded(f"What the solutions of lab {lab.number} share", f"\n\n```cpp\n{shared}\n```\n\n")
    return found


def _folded(title: str, body: str, state: str = "") -> str:
    summary = f'<details class="answer"{state}><summary>{html.escape(title)}</summary>'
    return f"{lists.raw(summary)}{body}{lists.raw('</details>')}\n"


def _pager(lab: LabFolder, places: Places) -> str:
    chapters = [None, *(other for other in places.labs if other.chapter is not None), None]
    i = chapters.index(lab)
    before, after = chapters[i - 1], chapters[i + 1]
    left = f'<a rel="prev" href="{before.page}">← {_name(before)}</a>' if before else "<span></span>"
    right = f'<a rel="next" href="{after.page}">{_name(after)} →</a>' if after else ""
    return lists.raw(f'<nav class="pager" aria-label="Chapters">{left}{right}</nav>')


def _name(lab: LabFolder) -> str:
    return f"Lab {lab.number}: {html.escape(lab.title)}"
