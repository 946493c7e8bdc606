"""The one kind of error a command raises, and what was perhaps meant."""

import difflib
from collections.abc import Mapping

MOST = 8  # more would be no suggestion


class CourseError(Exception):
    """Wrong use, or something amiss around us: one line that says what, where, and what to do."""


def did_you_mean(word: str, known: Mapping[str, str]) -> str:
    """What the known words stand for that begin with this one, else those that contain it, else those that resemble it.
    Nothing where there is none, or too many."""
    word = word.lower()
    near = ([each for each in known if each.startswith(word)] or [each for each in known if word in each]
            or difflib.get_close_matches(word, known))
    return f"did you mean {' or '.join(known[each] for each in near)}?" if word and 1 <= len(near) <= MOST else ""
