"""The one kind of error a command raises."""


class CourseError(Exception):
    """Wrong use, or something amiss around us: one line that says what, where, and what to do."""
