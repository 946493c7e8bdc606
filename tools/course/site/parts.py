"""What nobody writes by hand: docs/theme/parts.html, filled with what the manifests, headers and mistakes say."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from course.site import citation as citations
from course.site.markdown import code, escaped, in_html, raw
from course.site.site_map import WORDS, SiteMap


def environment(root: Path) -> Environment:
    templates = Environment(loader=FileSystemLoader(root / "docs" / "theme"), autoescape=True, undefined=StrictUndefined)
    templates.filters |= {"raw": raw, "in_html": lambda text: Markup(in_html(text)),
                          "for_doxygen": lambda text: Markup(escaped(text))}
    return templates


class Parts:
    """Every macro of parts.html as a method; those below need more than the template can ask for."""

    def __init__(self, site_map: SiteMap):
        self.site_map = site_map
        self.macros: Any = environment(site_map.root).get_template("parts.html").make_module({"site": site_map})
        self.made = {"<!-- path -->": raw(self.path()), "<!-- cards -->": raw(self.cards()), "<!-- words -->": self.words(),
                     "<!-- kills -->": raw(self.kills()), "<!-- commands -->": raw(self.commands()),
                     "<!-- citation -->": raw(self.macros.citation(citations.of(site_map.root)))}

    def __getattr__(self, macro: str) -> Callable[..., str]:
        found: Callable[..., str] = getattr(self.macros, macro)
        return found

    def words(self) -> str:
        """The headers of the vocabulary, whole: they are short, and written to be read."""
        return "".join(
            f'<h2 id="words-{name}">labs/vocabulary/{escaped(name)}.hpp</h2>\n{raw("<details><summary>show it</summary>")}'
            f'{code(self.site_map.text(f"labs/vocabulary/{name}.hpp").rstrip())}{raw("</details>")}\n' for name in WORDS)

    def kills(self) -> str:
        """The kill matrix in one line for each lab."""
        rows = []
        for lab in self.site_map.labs:
            known = [mistake for of_it in self.site_map.mistakes(lab).values() for mistake in of_it]
            verdicts = [verdict for mistake in known if (verdict := self.site_map.verdict(lab, mistake))]
            caught = [sum(verdict[column] == "yes" for verdict in verdicts) if verdicts else "–"
                      for column in ("killed", "named")]
            rows += [(lab, (len(known), *caught))] if known else []
        return str(self.macros.kills(rows))

    def commands(self) -> str:
        """What ./course can do, in its own words."""
        files = sorted(self.site_map.root.glob("tools/*/commands/*.py"), key=lambda file: file.stem)
        texts = [ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "" for file in files]
        return str(self.macros.commands([(file.stem.replace("_", "-"), text.partition("\n")[0])
                                        for file, text in zip(files, texts)]))
