"""What Doxygen reads: pages and headers under the repository's own paths, so that a warning names the file to fix."""

from pathlib import Path

from course.site import chapters, contracts, lists, markdown
from course.site.site_map import WORDS, Links, SiteMap

# Those that the contracts' signatures name.
SHARED_TYPES = ("Mask", "AttentionShape", "FeatureMap", "Combine", "Affine", "Norm", "Attention", "FeedForward", "Block", "Model")


def write(folder: Path, site_map: SiteMap) -> None:
    pages = {path: _page(path, site_map) for path in site_map.labels if path.startswith("docs/")}
    for lab in site_map.labs:
        at = f"labs/{lab.folder.name}"
        if lab.chapter is not None:
            pages[f"{at}/README.md"] = chapters.page(lab, site_map)
        if lab.headers:
            pages[f"{at}/contracts.dox"] = contracts.group(lab)
        for header in lab.headers:
            path = f"{at}/{header.name}"
            pages[path] = contracts.header(header.read_text(encoding="utf-8"), path, lab, site_map)
    pages["labs/vocabulary/shared_words.hpp"] = _shared_words(site_map)
    pages |= {"functions.md": lists.functions(site_map), "exercises.md": lists.exercises(site_map),
              "mistakes.md": lists.mistakes_page(site_map)}
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _page(path: str, site_map: SiteMap) -> str:
    """A page of docs/; `<!-- name -->` on a line of its own is replaced by what is made for it."""
    made = {"path": lists.path, "cards": lists.cards, "words": _words, "kills": lists.kills, "commands": lists.commands,
            "citation": lists.citation}
    lines = site_map.text(path).splitlines()
    insert = {}
    for number, line in enumerate(lines, start=1):
        name = line.removeprefix("<!-- ").removesuffix(" -->")
        if line == f"<!-- {name} -->" and name in made:
            insert[number] = made[name](site_map)
            lines[number - 1] = ""
    contents = path not in ("docs/start.md", "docs/primer.md")
    return markdown.Page("\n".join(lines), site_map.labels[path], Links(site_map, path), insert, contents).translate()


def _words(site_map: SiteMap) -> str:
    """The headers of the vocabulary, whole: they are short, and written to be read."""
    text = ""
    for name in WORDS:
        code = site_map.text(f"labs/vocabulary/{name}.hpp").rstrip()
        text += (f"## labs/vocabulary/{name}.hpp {{#words-{name}}}\n\n{lists.raw('<details><summary>show it</summary>')}\n\n"
                 f"```cpp\n{code}\n```\n\n{lists.raw('</details>')}\n\n")
    return text


def _shared_words(site_map: SiteMap) -> str:
    types = [contracts.types(site_map.text(f"labs/vocabulary/{name}.hpp"), SHARED_TYPES)
             for name in ("attention", "named", "model")]
    declarations = "\n\n".join(types)
    return ("/**\n\\namespace linattn\nEverything of the course.\n*/\n"
            "/**\n\\defgroup shared_words Words that the contracts share\n\nThe types in the labs' signatures.\n*/\n"
            f"namespace linattn {{ /** \\addtogroup shared_words */ /** @{{ */\n\n{declarations}\n\n/** @}} */ }}\n")
