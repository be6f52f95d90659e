"""Known categories: codes of all items, or names of some."""

from __future__ import annotations

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.labels import Annotations
from annobench.models._gold import gold_codes

LABELS = Annotations.from_wide([["no", "yes"], ["yes", "yes"], ["no", "no"]])


def test_codes_are_taken_as_they_are():
    assert gold_codes("x", LABELS, [1, -1, 0]).tolist() == [1, -1, 0]
    assert gold_codes("x", LABELS, {"0": "yes", "2": "no"}).tolist() == [1, -1, 0]
    assert gold_codes("x", LABELS, None).size == 0


@pytest.mark.parametrize("wrong", [2, -2, 0.5])
def test_one_wrong_code_is_enough(wrong):
    with pytest.raises(AnnotationError, match=f"gold of item '1' is {wrong:.1f}, not one"):
        gold_codes("x", LABELS, np.array([1.0, wrong, 0.0]))
