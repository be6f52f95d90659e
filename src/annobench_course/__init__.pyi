from . import errors, sessions, source, texts
from .choices import Choice
from .exercise import Exercise, Given, Lesson, Mistake, Part, Property
from .functions import Function
from .numbers import Number, Simulation
from .project import check_project
from .student import Session, session

__all__ = [
    "Choice",
    "Exercise",
    "Function",
    "Given",
    "Lesson",
    "Mistake",
    "Number",
    "Part",
    "Property",
    "Session",
    "Simulation",
    "check_project",
    "errors",
    "session",
    "sessions",
    "source",
    "texts",
]
