"""What is for instructors only in a page: everything between <!-- BEGIN INSTRUCTORS --> and <!-- END INSTRUCTORS -->."""

import re

from course.errors import CourseError

BEGIN, END = "<!-- BEGIN INSTRUCTORS -->", "<!-- END INSTRUCTORS -->"
LIKE_A_MARKER = re.compile(r"<!--.*instructor", re.I)


def blanked(name: str, text: str) -> str:
    """The page with empty lines in their place, so that the others keep their numbers."""
    kept, begin = [], None
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        where = f"{name}:{number}"
        marker = line.strip()
        if marker == BEGIN:
            if begin:
                raise CourseError(f"{where}: BEGIN INSTRUCTORS inside the one of line {begin}; close that first")
            begin = number
        elif marker == END:
            if not begin:
                raise CourseError(f"{where}: END INSTRUCTORS without a BEGIN INSTRUCTORS; remove it, or add the other")
        elif LIKE_A_MARKER.search(line):
            raise CourseError(f"{where}: this looks like a marker, but is not one; write {BEGIN} or {END}, "
                              "alone on its line")
        kept.append("\n" if begin or marker == END else line)
        if marker == END:
            begin = None
    if begin:
        raise CourseError(f"{name}:{begin}: BEGIN INSTRUCTORS is never closed; add {END}")
    return "".join(kept)
