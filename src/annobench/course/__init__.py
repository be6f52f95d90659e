"""The course in annotation statistics: what a student's notebook holds, and what checks it.

A notebook begins with ``session = annobench.course.session("01_chance", student="name")``; then
``session.given``, ``session.check`` and ``session.hint`` belong to its exercises.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["grading", "records", "sessions", "student", "texts"],
    submod_attrs={"sessions": ["discover"], "student": ["Session", "session"]},
)
