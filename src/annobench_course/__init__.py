"""The course in annotation statistics: what a student's notebook holds, and what checks it.

A notebook begins with ``session = annobench_course.session("01_chance", student="name")``; then
``session.given``, ``session.check`` and ``session.hint`` belong to its exercises. The exercises of
a session are records, of kinds that are imported from here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
