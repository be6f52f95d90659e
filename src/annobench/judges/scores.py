r"""Scores of items by a judge and by humans, on the same scale.

The score of an item is the mean of its numeric labels or, for other labels, the share of one
category among them. Humans' scores may be replaced by gold categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.judges.panel import split_judges
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.ratios import ratio

__all__ = ["ItemScores", "score_items"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ItemScores:
    """Scores of items.

    Attributes
    ----------
    judges : dict of str to ndarray of float, shape (I,)
        Scores by judge; NaN for items that it did not label. Repeated labels are averaged.
    human : ndarray of float, shape (I,)
        Scores by the humans, or by gold; NaN for items without either.
    of : str
        Definition of the score, such as "share of 'correct'".
    """

    judges: dict[str, Floats]
    human: Floats
    of: str


def score_items(
    annotations: Annotations,
    judges: Sequence[str],
    *,
    gold: Mapping[str, str] | None = None,
    category: str | None = None,
    values: ArrayLike | None = None,
) -> ItemScores:
    """Score items by each judge and by the humans.

    Parameters
    ----------
    annotations : Annotations
        Labels of humans and judges.
    judges : sequence of str
        Names of the judges among the annotators; all others are humans.
    gold : mapping of str to str, optional
        Categories of some items, used instead of the humans' labels.
    category : str, optional
        The category whose share is the score; required if categories are not numbers.
    values : array_like, shape (I, K), optional
        Value of each category on each item, if it depends on the item; NaN for items to leave out.

    Returns
    -------
    ItemScores
        Scores on the scale of the labels, or in [0, 1].

    Raises
    ------
    AnnotationError
        If a judge, the category or a gold category is unknown, or a category is needed.

    Examples
    --------
    >>> labels = Annotations.from_arrays([*"xxy"], ["ann", "llm", "llm"], [*"432"])
    >>> found = score_items(labels, ["llm"])
    >>> found.human.tolist(), found.judges["llm"].tolist()
    ([4.0, nan], [3.0, 2.0])
    """
    a = as_annotations(annotations, "score_items")
    split_judges(a, judges)  # refuses unknown names
    if values is None:
        of_category, of = values_of_categories(a, category)
        table = np.broadcast_to(of_category, (a.n_items, a.n_categories))
    else:
        table, of = np.asarray(values, dtype=np.float64), "score"
    of_label = table[a.item, a.label]
    who = np.array(a.annotators, dtype=object)[a.annotator]

    def mean(chosen: NDArray[np.bool_]) -> Floats:
        n = np.bincount(a.item[chosen], minlength=a.n_items)
        return ratio(np.bincount(a.item[chosen], of_label[chosen], minlength=a.n_items), n)

    human = mean(~np.isin(who, list(judges))) if not gold else _gold_scores(a, gold, table)
    return ItemScores({name: mean(who == name) for name in judges}, human, of)


def values_of_categories(annotations: Annotations, category: str | None) -> tuple[Floats, str]:
    """Return each category's value, shape (K,), and the definition of the score."""
    annotations = as_annotations(annotations, "values_of_categories")
    known = annotations.categories
    if category is not None:
        name = plain_number(category)
        if name not in known:
            raise AnnotationError(
                f"--category {category}: no label is {name!r}.{did_you_mean(name, known)} There "
                f"are {', '.join(map(repr, known[:10]))}. Name one of them."
            )
        return np.array([each == name for each in known], dtype=np.float64), f"share of {name!r}"
    try:
        return annotations.category_values, "mean label"
    except AnnotationError as error:
        raise AnnotationError(
            f"score_items: labels are not numbers, such as {known[0]!r}. Name the category whose "
            f"share is the score: category={known[-1]!r}."
        ) from error


def _gold_scores(a: Annotations, gold: Mapping[str, str], table: Floats) -> Floats:
    """Score items by their gold categories."""
    code = {name: k for k, name in enumerate(a.categories)}
    place = {name: i for i, name in enumerate(a.items)}
    scores = np.full(a.n_items, np.nan)
    for item, given in gold.items():
        if item in place:
            k = code.get(plain_number(given))
            if k is None:
                raise AnnotationError(
                    f"score_items: the gold category {given!r} is not a label. Correct the gold "
                    "standard."
                )
            scores[place[item]] = table[place[item], k]
    return scores
