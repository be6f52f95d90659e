"""Compare a method with the library's models on the user's own labels, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from annobench.benchmark.external_methods.comparison import Outcome
from annobench.benchmark.external_methods.comparison import compare as compare_cases
from annobench.benchmark.external_methods.data import own_case
from annobench.benchmark.external_methods.python import from_function
from annobench.core.choices import DEFAULT_SEED
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["compare"]


def compare(
    fit: Callable[..., Any] | None,
    labels: Annotations | pd.DataFrame,
    gold: Mapping[str, str] | pd.Series[Any],
    *,
    against: Sequence[str] = (),
    limit: float = 20.0,
    replicates: int = 1000,
    seed: int = DEFAULT_SEED,
) -> Outcome:
    """Compare a method with the library's models on labels with a gold standard.

    Parameters
    ----------
    fit : callable or None
        ``fit(labels, rng)`` or ``fit(labels)``, which returns probabilities of items by categories;
        None ranks only the library's models.
    labels : Annotations or DataFrame
        The labels, or a frame with one row per label.
    gold : mapping or Series
        Gold categories of some items, by item.
    against : sequence of str, optional
        Names of models; all by default. Dawid and Skene's takes part anyway.
    limit : float, default 20
        Processor time of a fit, in seconds.
    replicates : int, default 1000
        Number of resamples of the items, at least 2.
    seed : int, optional
        Of random methods and of the resampling.

    Returns
    -------
    Outcome
        ``ranking`` has the methods, lowest log loss first; ``tables`` has all scores.

    Raises
    ------
    AnnotationError
        If no item has both a label and a gold category, or there is no such model.
    MethodError
        If `fit` needs other parameters.

    Examples
    --------
    >>> import annobench as ab
    >>> rows = ["111", "111", "000", "000", "110", "001"]
    >>> labels = ab.Annotations.from_wide([list(row) for row in rows])
    >>> gold = dict(zip(labels.items, "110010", strict=True))
    >>> def share(labels):
    ...     return labels.counts / labels.counts.sum(axis=1, keepdims=True)
    >>> found = ab.compare(share, labels, gold, against=["voting"], replicates=20)
    >>> found.ranking["method"].sort_values().tolist()
    ['dawid_skene', 'share', 'voting']
    """
    case = own_case(
        "labels",
        as_annotations(labels, "compare"),
        {str(item): str(category) for item, category in dict(gold).items()},
    )
    return compare_cases(
        [case],
        [] if fit is None else [from_function(fit)],
        against=against,
        limit=limit,
        replicates=replicates,
        seed=seed,
    )
