"""A chapter's page: its README.md, and what the manifest knows about each exercise, put into it."""

from course import solutions
from course.chapter import exercise_heading
from course.site import markdown
from course.site.markdown import code, raw
from course.site.parts import Parts
from course.site.site_map import LabFolder, Links, SiteMap


def page(lab: LabFolder, site_map: SiteMap, parts: Parts) -> str:
    found = [(exercise, exercise_heading(lab.chapter, exercise)) for exercise in lab.exercises]
    found = [(exercise, heading) for exercise, heading in found if heading]
    insert = {heading.line: parts.facts(lab, exercise) for exercise, heading in found}
    if site_map.edition == "instructor":
        insert |= _answers(lab, found, site_map, parts)
    chapters = [None, *(other for other in site_map.labs if other.chapter is not None), None]
    at = chapters.index(lab)
    text = markdown.Page(lab.chapter, lab.name, Links(site_map, f"labs/{lab.folder.name}/README.md"), insert, {}).translate()
    return text + raw(parts.pager(chapters[at - 1], chapters[at + 1]))


def _answers(lab: LabFolder, found: list, site_map: SiteMap, parts: Parts) -> dict:
    """Last line of an exercise's section → the solution and the mistakes."""
    functions, shared = solutions.of_lab(site_map.root, lab.lab) if lab.lab else ({}, "")
    answers = {heading.end: "" for _, heading in found}
    for exercise, heading in found:
        known = site_map.mistakes(lab).get(exercise)
        if exercise.function in functions:
            answers[heading.end] += _folded("Solution", code(functions[exercise.function]), " open")
        if known:
            answers[heading.end] += _folded(f"Mistakes ({len(known)})", raw(parts.mistakes_table(lab, exercise, known)))
    if shared and answers:
        answers[max(answers)] += _folded(f"What the solutions of lab {lab.number} share", code(shared))
    return answers


def _folded(title: str, body: str, state: str = "") -> str:
    return raw(f'<details class="answer"{state}><summary>{title}</summary>') + body + raw("</details>") + "\n"
