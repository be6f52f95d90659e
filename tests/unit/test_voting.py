"""Majority vote, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from panels import panel

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import voting


def test_shares_of_the_votes_are_the_posterior():
    # x: two of three for 1; y: a tie of two; z: one of four for 1
    fit = voting.fit(panel({"x": "110", "y": "01", "z": "0100"}))
    np.testing.assert_array_equal(fit.posterior[:, 1], [2 / 3, 1 / 2, 1 / 4])
    np.testing.assert_array_equal(fit.is_tie, [False, True, False])
    np.testing.assert_array_equal(fit.winners, [[False, True], [True, True], [True, False]])


def test_an_item_without_labels_is_a_tie_of_all_and_leaves_the_prevalence_alone():
    fit = voting.fit(panel({"x": "112", "y": "0"}, items="xyz", categories="012"))
    np.testing.assert_array_equal(fit.posterior[2], [1 / 3] * 3)
    assert fit.is_tie.tolist() == [False, False, True]
    # x has shares 0, 2/3, 1/3 and y 1, 0, 0; means of the two: 1/2, 1/3, 1/6
    np.testing.assert_allclose(fit.prevalence, [1 / 2, 1 / 3, 1 / 6], rtol=1e-14)


def test_prevalence_weighs_items_and_not_labels():
    # x: 1 of 4 labels, y: 1 of 1. By items (1/4 + 1) / 2 = 5/8; by labels it would be 2/5.
    fit = voting.fit(panel({"x": "1000", "y": "1"}))
    assert fit.prevalence[1] == 5 / 8


def test_repeated_labels_are_further_votes():
    annotations = Annotations.from_arrays(list("xxx"), ["ann", "ann", "bob"], [1, 1, 0])
    assert voting.fit(annotations).posterior[0, 1] == 2 / 3


def test_no_labels_are_refused():
    with pytest.raises(AnnotationError, match="voting: there are no labels"):
        voting.fit(Annotations.from_arrays([], [], [], items="x", categories="01"))
