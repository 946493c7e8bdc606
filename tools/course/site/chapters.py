"""A chapter's page: its README.md, and below each exercise what the manifest knows about it, and its hints."""

from course.site import markdown
from course.site.chapter import exercise_heading
from course.site.headings import Heading
from course.site.markdown import code, raw
from course.site.parts import Parts
from course.site.site_map import Links, SiteLab, SiteMap
from course.sources.cutter import solutions
from course.sources.manifest import Exercise


def page(lab: SiteLab, site_map: SiteMap, parts: Parts) -> str:
    path = f"{lab.path}/README.md"
    chapter = site_map.text(path)
    found = [(exercise, heading) for exercise in lab.exercises if (heading := exercise_heading(chapter, exercise))]
    insert = {heading.line: parts.facts(lab, exercise) for exercise, heading in found}
    for line, text in _hints(lab, found, site_map).items():
        insert[line] = insert.get(line, "") + text
    if site_map.edition == "instructor":
        for line, text in _answers(lab, found, site_map, parts).items():
            insert[line] = insert.get(line, "") + text
    chapters = [None, *site_map.labs, None]
    at = chapters.index(lab)
    text = markdown.Page(chapter, lab.name, Links(site_map, path), insert, {}).translate()
    return text + raw(parts.pager(chapters[at - 1], chapters[at + 1]))


def _hints(lab: SiteLab, found: list[tuple[Exercise, Heading]], site_map: SiteMap) -> dict[int, str]:
    """Last line of an exercise's section → its hints."""
    path, hints = f"{lab.path}/hints.md", {heading.end: "" for _, heading in found}
    text = site_map.text(path) if (site_map.root / path).is_file() else ""
    for exercise, heading in found:
        if own := exercise_heading(text, exercise):
            section = "\n" * own.line + "\n".join(text.splitlines()[own.line:own.end])  # a complaint names the line of the file
            hints[heading.end] += markdown.Page(section, lab.name, Links(site_map, path), {}, {}).translate()
    return hints


def _answers(lab: SiteLab, found: list[tuple[Exercise, Heading]], site_map: SiteMap, parts: Parts) -> dict[int, str]:
    """Last line of an exercise's section → the solution and the mistakes."""
    functions, shared = solutions(site_map.root, lab)
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
