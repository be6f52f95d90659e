"""The records of a session, gathered for the module that holds them.

An exercise draws what a student is given from a generator, knows the right answer and the usual
wrong ones, and says of an answer whether it is right or which mistake was made.
"""

from annobench.course.base import Exercise, Given, Lesson, Mistake, Property
from annobench.course.choices import Choice, Options
from annobench.course.functions import Function
from annobench.course.numbers import Number, Simulation

__all__ = [
    "Choice",
    "Exercise",
    "Function",
    "Given",
    "Lesson",
    "Mistake",
    "Number",
    "Options",
    "Property",
    "Simulation",
]
