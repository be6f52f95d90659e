"""Exams from a bank of questions, for teachers; the students' package has none of it.

The bank's source is public. What a student is asked, and the answer, also depend on a secret.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["bank", "questions", "records", "secret"]
)
