"""What teachers alone need: the grader, and exams from a bank of questions.

The students' package has none of it. The bank's source is public; what a student is asked, and the
answer, also depend on a secret.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["banks", "exams", "grading", "questions", "secret"]
)
