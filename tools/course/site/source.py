"""What Doxygen reads: pages and headers under the repository's own paths, so that a warning names the file to fix."""

from pathlib import Path

from course.site import chapters, markdown
from course.site.contracts import Contracts, in_group, translated, types
from course.site.parts import Parts
from course.site.site_map import Links, SiteMap

# Those that the contracts' signatures name.
SHARED_TYPES = ("Mask", "Stabilizer", "AttentionShape", "FeatureMap", "Combine", "Affine", "Norm", "Attention", "FeedForward", "Block", "Model",
                "Sizes", "Array")


def write(folder: Path, site_map: SiteMap) -> None:
    parts = Parts(site_map)
    texts = {"functions.dox": parts.functions(), "exercises.dox": parts.exercises(), "mistakes.dox": parts.mistakes()}
    headers = {"labs/vocabulary/shared_words.hpp": _shared_words(site_map)}
    for path, label in site_map.labels.items():
        if path.startswith("docs/"):
            page = markdown.Page(site_map.text(path), label, Links(site_map, path), {}, parts.made)
            texts[path.replace(".md", ".dox")] = page.translate()
    for lab in site_map.labs:
        at, contracts = lab.path, Contracts(lab, site_map, parts)
        texts[f"{at}/README.dox"] = chapters.page(lab, site_map, parts)
        texts[f"{at}/contracts.dox"] = contracts.group()
        for header in lab.headers:
            path = f"{at}/{header.name}"
            headers[path] = contracts.header(header.read_text(encoding="utf-8"), path)
    for path, text in texts.items():
        headers[path] = "".join(f"//! {line}\n" for line in text.splitlines())
    for path, text in headers.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _shared_words(site_map: SiteMap) -> str:
    types_of = [types(site_map.text(f"labs/{name}.hpp"), SHARED_TYPES) for name in
                ("vocabulary/attention", "vocabulary/named", "vocabulary/model", "kernels/float_arrays")]
    declarations = translated("\n\n".join(types_of), "labs/vocabulary")
    return ("/**\n\\namespace linattn\nEverything of the course.\n*/\n"
            "/**\n\\defgroup shared_words Words that the contracts share\n\nThe types in the labs' signatures.\n*/\n" +
            in_group("shared_words", f"namespace linattn {{\n\n{declarations}\n\n}}  // namespace linattn\n"))
