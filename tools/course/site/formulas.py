"""Formulas, drawn by KaTeX when the site is built: HTML for the eye, MathML for a screen reader, no script in the page."""

import html
import json
import re
import shutil
import subprocess
from html.entities import html5
from pathlib import Path

from course.errors import CourseError

# A formula as docs/theme and markdown.py write it, with the brackets and stops that no line may part from it.
FORMULA = re.compile(r'(?P<before>[(\[]?)(?P<link><a class="term"[^>]*>)?<(?P<tag>span class="math"|div class="formulaDsp")>'
                     r'(?P<tex>[^<]*)</(?:span|div)>(?P<end>(?(link)</a>))(?P<after>(?:-th\b)?[,.;:!?)\]]*)')
FONTS = ("AMS-Regular", "Caligraphic-Regular", "Main-Bold", "Main-Italic", "Main-Regular", "Math-Italic",
         "Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular")
# Where HTML's name of a letter is another one, or none.
LETTERS = {"varphi": "φ", "varepsilon": "ε", "top": "ᵀ", "cdot": "·", "sum": "Σ", "lVert": "‖", "rVert": "‖", "infty": "∞", "sqrt": "√",
           "to": "→", "dots": "…", "cdots": "…", "partial": "∂", "circ": "∘"} | dict.fromkeys(("hat", "bar", "tilde", "text", "mathbf", "mathrm"), "")

Formula = tuple[str, bool]  # its TeX, and whether it stands alone


def draw(pages: dict[str, str], katex: Path) -> list[str]:
    """Replaces the formulas in the texts of pages (name → text); returns those that KaTeX rejects."""
    where: dict[Formula, str] = {}
    for name, text in pages.items():
        for formula in FORMULA.finditer(text):
            where.setdefault(_tex(formula), name)
    result = dict(zip(where, _drawn(list(where), katex)))
    for name, text in pages.items():
        pages[name] = FORMULA.sub(lambda formula: _shown(formula, result[_tex(formula)]), text)
    return [f"{where[tex]}: KaTeX rejects {tex[0]}: {answer['error']}; fix the formula"
            for tex, answer in result.items() if "error" in answer]


def copy_style(site: Path, katex: Path) -> None:
    """KaTeX's style sheet, and the fonts that it asks for, in the one format that every browser takes."""
    style = (katex / "katex.min.css").read_text(encoding="utf-8")
    faces = tuple(f"KaTeX_{name}." for name in FONTS)
    style = re.sub(r"@font-face\{[^}]*\}", lambda face: face[0] if any(name in face[0] for name in faces) else "", style)
    style = re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\(['\"]\w+['\"]\)", "", style)
    (site / "katex.css").write_text(style, encoding="utf-8")
    (site / "fonts").mkdir()
    for name in FONTS:
        shutil.copyfile(katex / "fonts" / f"KaTeX_{name}.woff2", site / "fonts" / f"KaTeX_{name}.woff2")


def in_words(text: str) -> str:
    """TeX as letters, for the search, descriptions and what a picture shows."""
    text = re.sub(r"\\begin\{.*?\\end\{\w+\*?\}", lambda table: table[0].replace("&", " ").replace(r"\\", " "), text, flags=re.S)
    text = re.sub(r"\\[,;:! ]|\\(?:begin|end)\{\w+\*?\}(?:\{[lcr|]+\})?", " ", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda command: LETTERS.get(command[1], html5.get(f"{command[1]};", " ")),
                  re.sub(r"\\[()\[\]]|\$", "", text))
    return re.sub(r"\s+", " ", re.sub(r"[{}\\]|_(?=\{)", "", text)).strip()


def _drawn(formulas: list[Formula], katex: Path) -> list[dict[str, str]]:
    command: list[str | Path] = ["node", Path(__file__).with_name("katex.js"), katex / "katex.js"]
    try:
        answer = subprocess.run(command, input=json.dumps(formulas), text=True, encoding="utf-8", capture_output=True)
    except FileNotFoundError:
        raise CourseError("node is not on the PATH; run ./course setup --with-docs") from None
    if answer.returncode:
        raise CourseError(f"KaTeX failed: {answer.stderr.strip()}")
    return list(json.loads(answer.stdout))


def _tex(formula: re.Match[str]) -> Formula:
    return html.unescape(formula["tex"]).strip(), formula["tag"].startswith("div")


def _shown(formula: re.Match[str], answer: dict[str, str]) -> str:
    drawn = answer.get("html", str(formula["tex"]))
    if formula["tag"].startswith("div"):
        return f'{formula["before"]}<div class="formulaDsp">{drawn}</div>{formula["after"]}'
    drawn = f'{formula["before"]}{formula["link"] or ""}{drawn}{formula["end"]}{formula["after"]}'
    return f'<span class="joined">{drawn}</span>' if formula["before"] or formula["after"] else drawn
