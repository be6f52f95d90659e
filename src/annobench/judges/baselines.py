"""The test applied to baseline judges: each human, and one that always gives the same label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.judges.alternative_annotators import (
    AlternativeAnnotatorTest,
    alternative_annotator_test,
)
from annobench.judges.panel import split_judges
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["constant_judge", "humans_as_judges", "without_each_human"]


def constant_judge(humans: Annotations) -> NDArray[np.int64]:
    """Return the labels of a judge that always gives the humans' most frequent category.

    Parameters
    ----------
    humans : Annotations
        At least one label.

    Returns
    -------
    ndarray of int, shape (I,)
        The same code for every item; ties are broken by order.
    """
    humans = as_annotations(humans, "constant_judge")
    most = int(np.bincount(humans.label, minlength=humans.n_categories).argmax())
    return np.full(humans.n_items, most, dtype=np.int64)


def humans_as_judges(humans: Annotations, **options: Any) -> pd.DataFrame:
    """Test each human as if a judge.

    Parameters
    ----------
    humans : Annotations
        Labels of three humans or more.
    **options
        Of `alternative_annotator_test`.

    Returns
    -------
    DataFrame
        One row per human: annotator, winning_rate, advantage_probability, n_tested; NaN and 0 if
        too few items remain that two others labelled.
    """
    humans = as_annotations(humans, "humans_as_judges")
    humans.check_annotators("humans_as_judges")
    return pd.DataFrame([_as_judge(humans, name, options) for name in humans.annotators])


def _as_judge(humans: Annotations, name: str, options: dict[str, Any]) -> dict[str, Any]:
    found = None
    if humans.n_annotators > 1:
        panel = split_judges(humans, [name])
        found = _or_none(panel.humans, panel.judges[name], options)
    return {"annotator": name, **_values(found)}


def without_each_human(humans: Annotations, judge: ArrayLike, **options: Any) -> pd.DataFrame:
    """Repeat the test of a judge leaving out each human.

    Parameters
    ----------
    humans : Annotations
        Labels of the humans.
    judge : array_like of int, shape (I,)
        The judge's, as in `alternative_annotator_test`.
    **options
        Of `alternative_annotator_test`.

    Returns
    -------
    DataFrame
        One row per human: annotator (left out), winning_rate, advantage_probability, n_tested; NaN
        and 0 if too few items remain.
    """
    humans = as_annotations(humans, "without_each_human")
    humans.check_annotators("without_each_human")
    rows = []
    for j, name in enumerate(humans.annotators):
        others = humans.select(annotators=np.arange(humans.n_annotators) != j)
        rows.append({"annotator": name, **_values(_or_none(others, judge, options))})
    return pd.DataFrame(rows)


def _or_none(
    humans: Annotations, judge: ArrayLike, options: dict[str, Any]
) -> AlternativeAnnotatorTest | None:
    try:
        return alternative_annotator_test(humans, judge, **options)
    except AnnotationError:
        return None


def _values(found: AlternativeAnnotatorTest | None) -> dict[str, Any]:
    return {
        "winning_rate": np.nan if found is None else found.winning_rate,
        "advantage_probability": np.nan if found is None else found.advantage_probability,
        "n_tested": 0 if found is None else len(found.annotators),
    }
