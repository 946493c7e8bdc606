"""What Doxygen reads: pages and headers under the repository's own paths, so that a warning names the file to fix."""

from pathlib import Path

from course.site import chapters, contracts, lists, markdown
from course.site.places import WORDS, Links, Places

SHARED_TYPES = ("Mask", "AttentionShape", "FeatureMap", "Combine")  # those that the contracts' signatures name


def write(folder: Path, places: Places) -> None:
    pages = {path: _page(path, places) for path in places.labels if path.startswith("docs/")}
    for lab in places.labs:
        at = f"labs/{lab.folder.name}"
        if lab.chapter is not None:
            pages[f"{at}/README.md"] = chapters.page(lab, places)
        if lab.headers:
            pages[f"{at}/contracts.dox"] = contracts.group(lab)
        for header in lab.headers:
            path = f"{at}/{header.name}"
            pages[path] = contracts.header(header.read_text(encoding="utf-8"), path, lab, places)
    pages["labs/vocabulary/shared_words.hpp"] = _shared_words(places)
    pages |= {"functions.md": lists.functions(places), "exercises.md": lists.exercises(places),
              "mistakes.md": lists.mistakes_page(places)}
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _page(path: str, places: Places) -> str:
    """A page of docs/; `<!-- name -->` on a line of its own is replaced by what is made for it."""
    made = {"path": lists.path, "cards": lists.cards, "words": _words, "kills": lists.kills, "commands": lists.commands}
    lines = places.text(path).splitlines()
    insert = {}
    for number, line in enumerate(lines, start=1):
        name = line.removeprefix("<!-- ").removesuffix(" -->")
        if line == f"<!-- {name} -->" and name in made:
            insert[number] = made[name](places)
            lines[number - 1] = ""
    contents = path not in ("docs/start.md", "docs/primer.md")
    return markdown.Page("\n".join(lines), places.labels[path], Links(places, path), insert, contents).translate()


def _words(places: Places) -> str:
    """The headers of the vocabulary, whole: they are short, and written to be read."""
    text = ""
    for name in WORDS:
        code = places.text(f"labs/vocabulary/{name}.hpp").rstrip()
        text += (f"## labs/vocabulary/{name}.hpp {{#words-{name}}}\n\n{lists.raw('<details><summary>show it</summary>')}\n\n"
                 f"```cpp\n{code}\n```\n\n{lists.raw('</details>')}\n\n")
    return text


def _shared_words(places: Places) -> str:
    types = [contracts.types(places.text(f"labs/vocabulary/{name}.hpp"), SHARED_TYPES) for name in ("attention", "named")]
    declarations = "\n\n".join(types)
    return ("/**\n\\namespace linattn\nEverything of the course.\n*/\n"
            "/**\n\\defgroup shared_words Words that the contracts share\n\nThe types in the labs' signatures.\n*/\n"
            f"namespace linattn {{ /** \\addtogroup shared_words */ /** @{{ */\n\n{declarations}\n\n/** @}} */ }}\n")
