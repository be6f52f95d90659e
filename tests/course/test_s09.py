"""Session 9: mistakes as students make them."""

import numpy as np
import pytest
from scipy.special import rel_entr

from annobench_course.draws import draw
from annobench_course.sessions.s09_disagreement import exercises as session

EXERCISES = {exercise.id: exercise for exercise in session.EXERCISES}


@pytest.mark.filterwarnings("ignore:(divide|invalid)")
def test_relative_entropy_is_named_however_zeros_are_handled():
    given = draw("9.6", EXERCISES, "Ann")

    def naive(target, predicted):
        return np.mean((target * np.log2(target / predicted)).sum(axis=1))

    def careful(target, predicted):
        return np.mean(rel_entr(target, predicted).sum(axis=1)) / np.log(2)

    for function in (naive, careful):
        outcome = EXERCISES["9.6"].check(function, given)
        assert outcome.mistake.startswith("relative entropy"), outcome


@pytest.mark.parametrize("student", ["Ann", "Bob", "s3141592"])
def test_the_lower_bound_is_named(student):
    given = draw("9.8", EXERCISES, student)
    disagreement = 1 - given["n_agree"] / given["n_items"]
    assert EXERCISES["9.8"].check(disagreement / 2, given).mistake == "lower bound"
    assert EXERCISES["9.8"].check(0, given).mistake.startswith("lower bound")
