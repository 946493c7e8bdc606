"""The pages that nobody writes: the path and the cards of the start page, functions, exercises, mistakes.

All of it is read from the manifests, the headers and the mistakes; in the Markdown of docs/ a line `<!-- name -->`
says where it goes.
"""

import ast
import html

from course import citation as citations
from course import mistakes
from course.site.markdown import in_html
from course.site.site_map import LabFolder, SiteMap


def raw(text: str) -> str:
    """HTML that Doxygen copies as it is."""
    return rf"\htmlonly[block]{text}\endhtmlonly"


def path(site_map: SiteMap) -> str:
    """One step for each lab, in order, each leading to its chapter."""
    steps = ""
    for lab in site_map.labs:
        inside = f"<b>{lab.number}</b><span>{html.escape(lab.short_title)}{_after(site_map, lab)}</span>"
        steps += f"<li>{_link(lab.page, inside)}</li>" if lab.page else f'<li class="unwritten">{inside}</li>'
    return raw(f'<ol class="path" aria-label="The labs in order">{steps}</ol>')


def _after(site_map: SiteMap, lab: LabFolder) -> str:
    needed = [other.number for other in site_map.labs if lab.lab and other.name in lab.lab.needs]
    return f'<small>after {", ".join(needed)}</small>' if needed else ""


def citation(site_map: SiteMap) -> str:
    """How to cite the course, with the version of this copy and where the repository is."""
    title, authors, version, address = (html.escape(part) for part in citations.of(site_map.root))
    repository = f'<p>Repository: <a href="{address}">{address}</a></p>' if address else ""
    return raw(f"<p>Cite the course as: {authors}. <em>{title}</em>. Version <code>{version}</code>.</p>{repository}")


def cards(site_map: SiteMap) -> str:
    return raw('<div class="cards">' + "".join(_card(site_map, lab) for lab in site_map.labs if lab.lab) + "</div>")


def _card(site_map: SiteMap, lab: LabFolder) -> str:
    title = _link(lab.page, f"<span>Lab {lab.number}</span> {html.escape(lab.title)}")
    points = sum(exercise.points for exercise in lab.exercises)
    minutes = sum(exercise.minutes for exercise in lab.exercises)
    stretch = sum(exercise.minutes for exercise in lab.exercises if exercise.stretch)
    facts = {"time": f"{minutes} minutes" + (f" (★ {stretch} of them)" if stretch else ""),
             "worth": f"{_count(points, 'point')}, {_count(len(lab.exercises), 'exercise')}",
             "first": _needs(site_map, lab)}
    terms = "".join(f"<div><dt>{term}</dt><dd>{fact}</dd></div>" for term, fact in facts.items())
    names = [_link(site_map.exercise(lab, exercise), f"<code>{exercise.function}</code>") + _star(exercise)
             for exercise in lab.exercises]
    items = "".join(f"<li>{name}</li>" for name in names)
    return f'<section class="card"><h3>{title}</h3><dl>{terms}</dl><ul>{items}</ul></section>'


def _needs(site_map: SiteMap, lab: LabFolder) -> str:
    needed = [other for other in site_map.labs if other.name in lab.lab.needs]
    return ", ".join(_link(other.page, f"lab {other.number}") for other in needed) or "nothing"


def functions(site_map: SiteMap) -> str:
    """Every function to write, with its contract's first sentence."""
    text = ["# Functions to write {#functions}", "",
            "Each name leads to the contract: shapes, errors, cost, source, and the exercise that it belongs to. "
            'The words to write them with are in the <a href="primer.html#words-tensor">primer</a>.', ""]
    for lab in site_map.labs:
        rows = [[_cell(contract(lab, exercise)), _cell(f"\n\\copybrief linattn::{exercise.function}\n"),
                 _cell(_number(site_map, lab, exercise), label="exercise")]
                for exercise in lab.exercises if lab.declares(exercise.function)]
        if rows:
            heads = ["function", "what it computes", "exercise"]
            text += [_heading(lab, "functions"), "", table("stack", heads, rows), ""]
    return "\n".join(text) + "\n"


def exercises(site_map: SiteMap) -> str:
    text = ["# Exercises {#exercises}", "",
            "All of them, in order. ★ marks a stretch: worth few points, and never needed later. "
            "`./course check lab02` grades a lab, `./course check lab02.inclusive_scan` a single exercise.", ""]
    for lab in site_map.labs:
        rows = [[_cell(_number(site_map, lab, exercise)), _cell(contract(lab, exercise)),
                 _cell("solved", "number") if exercise.solved else _amount(exercise.points, "point"),
                 _amount(exercise.minutes, "minute"), _cell(f"``./course check {exercise.name}``")]
                for exercise in lab.exercises]
        rows.append([_cell(""), _cell("together"), _amount(sum(exercise.points for exercise in lab.exercises), "point"),
                     _amount(sum(exercise.minutes for exercise in lab.exercises), "minute"),
                     _cell(f"``./course check {lab.name}``")])
        if lab.exercises:
            heads = ["exercise", "write", "points", "minutes", "grade it"]
            text += [_heading(lab, "exercises"), "", table("stack exercises", heads, rows), ""]
    return "\n".join(text) + "\n"


def mistakes_page(site_map: SiteMap) -> str:
    """Names and sections; for instructors also what the suite tells the student, and whether it was caught."""
    labs = [lab for lab in site_map.labs if site_map.mistakes(lab)]
    options = "".join(f'<option value="{lab.name}">Lab {lab.number}: {html.escape(lab.title)}</option>' for lab in labs)
    text = ["# Mistakes people make {#mistakes}", "",
            "When an answer is wrong, the suite compares it with these, and says so when one of them gives the same "
            "output. The section beside a mistake explains what is wrong and why.", "",
            raw('<p class="filter" hidden="hidden"><label>Show <select data-shows="lab"><option value="">all labs</option>'
                f'{options}</select></label></p>'), ""]
    for lab in labs:
        of_lab = {exercise: [mistake for mistake in site_map.mistakes(lab) if mistake.exercise == exercise.function]
                  for exercise in lab.exercises}
        number = sum(map(len, of_lab.values()))
        text += [raw(f'<div data-lab="{lab.name}">'), "", _heading(lab, "mistakes"), "",
                 raw(f"<details><summary>{_count(number, 'mistake')}</summary>"), ""]
        for exercise, known in of_lab.items():
            if known:
                link = _link(site_map.exercise(lab, exercise), f"Exercise {exercise.section}")
                text += [f"### {exercise.function} {{#mistakes-{lab.name}-{exercise.function}}}", "",
                         raw(f'<p class="facts">{link}</p>'), "", raw(mistakes_table(site_map, lab, known)), ""]
        text += [raw("</details></div>"), ""]
    return "\n".join(text) + "\n"


def mistakes_table(site_map: SiteMap, lab: LabFolder, known: list) -> str:
    caught = mistakes.kill_matrix(site_map.root)
    instructor = site_map.edition == "instructor"
    rows = []
    for mistake in known:
        exercise = next(exercise for exercise in lab.exercises if exercise.function == mistake.exercise)
        row = [_cell(in_html(mistake.name)), _cell(_link(site_map.exercise(lab, exercise), f"§{mistake.section}"))]
        if instructor:
            row_of_matrix = caught.get((lab.name, mistake.exercise, mistake.name), {})
            killed, named = (row_of_matrix.get(column, "–") for column in ("killed", "named"))
            row += [_cell(in_html(mistake.explanation)), _cell(killed, label="killed"), _cell(named, label="named")]
        rows.append(row)
    heads = ["mistake", "section"] + ["what the student is told", "killed", "named"] * instructor
    return table("stack" if instructor else "", heads, rows).replace("\n", "")


def kills(site_map: SiteMap) -> str:
    """The kill matrix in one line for each lab."""
    caught = mistakes.kill_matrix(site_map.root)
    rows = []
    for lab in site_map.labs:
        known = site_map.mistakes(lab)
        verdicts = [caught.get((lab.name, mistake.exercise, mistake.name)) for mistake in known]
        yes = [sum(verdict[column] == "yes" for verdict in verdicts if verdict) if any(verdicts) else "–"
               for column in ("killed", "named")]
        if known:
            rows.append([_cell(_link(f"mistakes.html#mistakes-{lab.name}", lab.name)),
                         *(_cell(number, "number") for number in (len(known), *yes))])
    return table("", ["lab", "mistakes", "killed", "named"], rows)


def commands(site_map: SiteMap) -> str:
    """What ./course can do, in its own words."""
    rows = []
    for file in sorted(site_map.root.glob("tools/*/commands/*.py"), key=lambda file: file.stem):
        summary = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        rows.append([_cell(f"<code>./course {file.stem.replace('_', '-')}</code>"), _cell(html.escape(summary))])
    return raw(table("", ["command", "what it does"], rows).replace("\n", ""))


def contract(lab: LabFolder, exercise, text: str = "") -> str:
    if lab.declares(exercise.function):
        return f'\\ref linattn::{exercise.function} "{text or exercise.function}"'
    return text or f"``{exercise.function}``"


def table(kind: str, heads: list, rows: list) -> str:
    """Rows of cells. `stack` puts the cells of a row below one another on a phone."""
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<table class="{f"doxtable list {kind}".rstrip()}">\n<tr>{head}</tr>\n{body}\n</table>'


def _cell(text, kind: str = "", label: str = "", unit: str = "") -> str:
    given = {"class": kind, "data-label": label, "data-unit": unit}
    attributes = "".join(f' {name}="{value}"' for name, value in given.items() if value)
    return f"<td{attributes}>{text}</td>"


def _amount(number: int, unit: str) -> str:
    return _cell(number, "number", unit=unit + "s" * (number != 1))


def _heading(lab: LabFolder, page: str) -> str:
    return f"## Lab {lab.number}: {lab.title} {{#{page}-{lab.name}}}"


def _number(site_map: SiteMap, lab: LabFolder, exercise) -> str:
    return _link(site_map.exercise(lab, exercise), exercise.section + _star(exercise))


def _star(exercise) -> str:
    return " ★" if exercise.stretch else ""


def _link(url, text: str) -> str:
    return f'<a href="{url}">{text}</a>' if url else text


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"
