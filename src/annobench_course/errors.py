"""The error of the course."""

__all__ = ["CourseError"]


class CourseError(ValueError):
    """A session, an exercise or a value of the course that there is not, or that is malformed."""
