"""A chapter's page: its README.md, and what the manifest knows about each exercise, put on empty lines of it."""

import html

from course import solutions
from course.chapter import exercise_heading
from course.site import lists, markdown
from course.site.site_map import LabFolder, Links, SiteMap


def page(lab: LabFolder, site_map: SiteMap) -> str:
    insert = {}
    for exercise in lab.exercises:
        heading = exercise_heading(lab.chapter, exercise)
        if heading:
            insert[heading.line + 1] = _facts(lab, exercise)
    if site_map.edition == "instructor":
        for line, text in _answers(lab, site_map).items():
            insert[line] = insert.get(line, "") + text
    end = len(lab.chapter.splitlines()) + 1
    insert[end] = insert.get(end, "") + _pager(lab, site_map)
    links = Links(site_map, f"labs/{lab.folder.name}/README.md")
    return markdown.Page(lab.chapter, lab.name, links, insert, contents=True).translate()


def _facts(lab: LabFolder, exercise) -> str:
    worth = "comes solved" if exercise.solved else f"{exercise.points} point{'s' * (exercise.points != 1)}"
    facts = [worth, f"{exercise.minutes} minutes"] + ["★ stretch"] * exercise.stretch
    if lab.declares(exercise.function):
        facts.append(lists.contract(lab, exercise, "contract"))
    return f'<p class="facts">{" · ".join(facts)}</p>'


def _answers(lab: LabFolder, site_map: SiteMap) -> dict:
    """Line → the solution and the mistakes, on the last empty line of each exercise's section."""
    functions, shared = solutions.of_lab(site_map.root, lab.lab) if lab.lab else ({}, "")
    found, last = {}, len(lab.chapter.splitlines())
    for exercise in lab.exercises:
        heading = exercise_heading(lab.chapter, exercise)
        if not heading:
            continue
        end = heading.end if heading.end < last else last + 1
        known = [mistake for mistake in site_map.mistakes(lab) if mistake.exercise == exercise.function]
        found[end] = ""
        if exercise.function in functions:
            found[end] += _folded("Solution", f"\n\n```cpp\n{functions[exercise.function]}\n```\n\n", " open")
        if known:
            found[end] += _folded(f"Mistakes ({len(known)})", lists.raw(lists.mistakes_table(site_map, lab, known)))
    if shared and found:
        found[max(found)] += _folded(f"What the solutions of lab {lab.number} share", f"\n\n```cpp\n{shared}\n```\n\n")
    return found


def _folded(title: str, body: str, state: str = "") -> str:
    summary = f'<details class="answer"{state}><summary>{html.escape(title)}</summary>'
    return f"{lists.raw(summary)}{body}{lists.raw('</details>')}\n"


def _pager(lab: LabFolder, site_map: SiteMap) -> str:
    chapters = [None, *(other for other in site_map.labs if other.chapter is not None), None]
    i = chapters.index(lab)
    before, after = chapters[i - 1], chapters[i + 1]
    left = f'<a rel="prev" href="{before.page}">← {_name(before)}</a>' if before else "<span></span>"
    right = f'<a rel="next" href="{after.page}">{_name(after)} →</a>' if after else ""
    return lists.raw(f'<nav class="pager" aria-label="Chapters">{left}{right}</nav>')


def _name(lab: LabFolder) -> str:
    return f"Lab {lab.number}: {html.escape(lab.title)}"
