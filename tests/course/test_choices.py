"""Who knows nothing of the subject, and chooses by the look of the options, gains nothing."""

from fractions import Fraction

import pytest

from annobench_course import Choice, sessions
from annobench_course.teacher import banks
from annobench_course.teacher.questions import ChoiceQuestion


def choices(kind):
    """Return options and keys of the right ones: of the notebooks' exercises, or of the bank."""
    found = []
    for id, session in sessions.discover().items():
        if id != "00_example" and kind == "exercises":
            found += [
                (e.options, e.keys) for e in session.exercises.values() if isinstance(e, Choice)
            ]
        elif id != "00_example":
            asked = banks.get(id).values()
            cases = [(e.options, e.cases) for e in asked if isinstance(e, ChoiceQuestion)]
            found += [(options, {key}) for options, keys in cases for key in keys]
    return found


@pytest.mark.parametrize("kind", ["exercises", "bank"])
@pytest.mark.parametrize("look", [max, min], ids=["longest", "shortest"])
def test_right_options_are_neither_the_longest_nor_the_shortest_more_often_than_chance(kind, look):
    asked = choices(kind)
    assert len(asked) > 20
    hits = [look(options, key=lambda k, o=options: len(o[k])) in keys for options, keys in asked]
    by_chance = float(sum(Fraction(len(keys), len(options)) for options, keys in asked))
    assert sum(hits) <= by_chance, f"{sum(hits)} of {len(asked)}, {by_chance:.1f} by chance"
