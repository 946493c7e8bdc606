"""The pages that are one file each, without a site around them: templates in pages/, which escape whatever they show."""

from pathlib import Path

import jinja2

TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True,
                               trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def render(template: str, **shown: object) -> str:
    return TEMPLATES.get_template(template).render(**shown) + "\n"
