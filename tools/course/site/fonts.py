"""The letters of the site travel with it, cut down to those that its pages use: it looks the same on every machine."""

import string
from pathlib import Path

from fontTools import subset

from course.errors import CourseError

FOLDER = Path("/usr/share/fonts")
# Family, weight and style as site.css asks for them, and the file. DejaVu has the symbols that Open Sans lacks.
FACES = (("Open Sans", 400, "normal", "OpenSans-Regular.ttf"), ("Open Sans", 400, "italic", "OpenSans-Italic.ttf"),
         ("Open Sans", 700, "normal", "OpenSans-Bold.ttf"), ("Open Sans", 700, "italic", "OpenSans-BoldItalic.ttf"),
         ("DejaVu Sans", 400, "normal", "DejaVuSans.ttf"), ("DejaVu Sans", 700, "normal", "DejaVuSans-Bold.ttf"),
         ("DejaVu Sans Mono", 400, "normal", "DejaVuSansMono.ttf"), ("DejaVu Sans Mono", 700, "normal", "DejaVuSansMono-Bold.ttf"))


def write(site: Path, text: str) -> None:
    """fonts.css, and the fonts that it names, with every letter of `text`."""
    letters = {ord(letter) for letter in text + string.printable}
    rules = []
    for family, weight, style, name in FACES:
        file = next(FOLDER.rglob(name), None)
        if not file:
            raise CourseError(f"{name} is not below {FOLDER}; run ./course setup --with-docs")
        options = subset.Options(flavor="woff", notdef_outline=True)
        options.drop_tables += ["FFTM"]  # when a font editor last saved it
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=letters)
        with subset.load_font(file, options) as font:
            subsetter.subset(font)
            subset.save_font(font, site / "fonts" / f"{file.stem}.woff", options)
        rules.append(f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
                     f'src: url(fonts/{file.stem}.woff) format("woff"); }}\n')
    (site / "fonts.css").write_text("".join(rules), encoding="utf-8")
