"""Who knows nothing of the subject, and chooses by the look of the options, gains nothing."""

import pytest

from annobench.course import sessions
from annobench.course.exam import questions
from annobench.course.records import Choice


def choices(kind):
    """Return the choices of all sessions of the course: of the notebooks, or of the bank."""
    found = []
    for id, session in sessions.discover().items():
        if id != "00_example":
            held = session.EXERCISES if kind == "exercises" else questions.get(id).values()
            found += [exercise for exercise in held if isinstance(exercise, Choice)]
    return found


@pytest.mark.parametrize("kind", ["exercises", "bank"])
@pytest.mark.parametrize("look", [max, min], ids=["longest", "shortest"])
def test_right_options_are_neither_the_longest_nor_the_shortest_more_often_than_chance(kind, look):
    asked = choices(kind)
    assert len(asked) > 20
    chosen = [look(one.options, key=lambda key: len(one.options[key])) for one in asked]
    hits = [one.id for one, key in zip(asked, chosen, strict=True) if key in one.keys]
    by_chance = sum(len(one.keys) / len(one.options) for one in asked)
    assert len(hits) <= by_chance, f"{len(hits)} of {len(asked)}, {by_chance:.1f} by chance: {hits}"
