"""HTML without a site around it: a page that is one file. Whatever is put into it is escaped here."""

from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8888; }
.bar { display: flex; width: 22rem; height: 1.1rem; }
.pass { background: #2a8a4a; } .fail { background: #c0392b; } .todo { background: #bbb; } .crash { background: #7d3c98; }
.timeout { background: #d68910; } .not_run { background: #555; }
.columns { display: flex; align-items: flex-end; gap: 2px; height: 8rem; }
.columns div { flex: 1; text-align: center; font-size: .75rem; }
.columns i { display: block; background: #2471a3; }
"""


def page(title: str, *parts: str) -> str:
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n")


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def block(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def table(header: list, rows: list, nothing: str = "none") -> str:
    """Cells are text, or Markup that was made here."""
    if not rows:
        return paragraph(nothing)
    lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in header)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


class Markup(str):
    """HTML already; only this file makes it."""


def _cell(cell) -> str:
    return cell if isinstance(cell, Markup) else escape(str(cell))


def stacked_bar(counts: dict, whole: int) -> Markup:
    """`counts` is from a word of STYLE to how many."""
    title = ", ".join(f"{word} {count}" for word, count in counts.items() if count)
    parts = "".join(f'<span class="{word}" style="width:{100 * count / whole:.2f}%"></span>'
                    for word, count in counts.items() if count)
    return Markup(f'<div class="bar" title="{escape(title)}">{parts}</div>')


def columns(counts: list) -> str:
    """A histogram; `counts` are pairs of a label and how many."""
    most = max((count for _, count in counts), default=0) or 1
    return '<div class="columns">' + "".join(
        f'<div>{count or ""}<i style="height:{6 * count / most:.2f}rem"></i>{escape(label)}</div>'
        for label, count in counts) + "</div>"
