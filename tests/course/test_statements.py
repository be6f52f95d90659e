"""What sessions 2 and 6 say of labels that are missing, and of two annotators, is so."""

import numpy as np
import pandas as pd
import pytest

import annobench as ab
from annobench_course import sessions
from editions.course_source import read_source


def shown(session, name):
    """Run the cell that assigns a name, alone; return its names."""
    cells = [cell.source for cell in read_source(sessions.get(session).text).cells]
    [source] = [text for text in cells if f"\n{name} = " in f"\n{text}"]
    names = {"ab": ab, "np": np, "pd": pd}
    exec(source, names)
    return names


def test_two_annotators_are_explained_by_different_parameters_equally_well():
    names = shown("06_dawid_skene", "stories")
    assert len(names["implied"]) == 2
    for story in names["implied"].values():
        np.testing.assert_allclose(story, names["table"], rtol=0, atol=1e-15)
    right = [p @ np.diag(one) for p, one, _ in names["stories"].values()]
    assert right == pytest.approx([1, 0.85])


def test_alpha_rises_if_hard_items_are_skipped():
    names = shown("02_family", "skipped")
    alpha = [
        ab.agreement.krippendorff_alpha(ab.Annotations.from_wide(table))
        for table in (names["everything"], names["everything"].mask(names["skipped"]))
    ]
    low, high = alpha[0].interval(), alpha[1].interval()
    assert low.upper < high.lower
    # By chance alone it does not: as many labels are missing, of any item
    rng = np.random.default_rng(3)
    share = names["skipped"].mean()
    by_chance = names["everything"].mask(rng.random(names["skipped"].shape) < share)
    found = ab.agreement.krippendorff_alpha(ab.Annotations.from_wide(by_chance)).interval()
    assert found.lower < alpha[0].estimate < found.upper
