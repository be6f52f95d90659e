"""The scores of the candidates for the default model, on data with gold or simulated crowds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from annobench import models
from annobench.labels.annotations import Annotations
from annobench.models import adjusted_dawid_skene, random_clumped

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Probabilities from which errors expected and errors made are compared.
FROM: Final = (0.0, 0.9, 0.95, 0.99)
#: Probabilities below it count as it.
SMALLEST: Final = 1e-6
#: Powers of the clumped model's posterior; one is learned from other families.
POWERS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
#: Rivals, with their defaults.
QUICK: Final = ("voting", "dawid_skene", "one_coin")
MODELS: Final = (*QUICK, "random_clumped", "pool")
ADJUSTED: Final = "adjusted_dawid_skene"
#: Gold labels from which an annotator's accuracy on gold is compared with its interval.
ENOUGH_GOLD: Final = 20
REPLICATES: Final = 200


def clumped(power: float) -> str:
    """Return the name of the clumped model with a power where errors are dependent."""
    return f"clumped, power {power:g}"


def score(
    labels: Annotations, gold: Codes, dataset: str | None = None, *, all_models: bool = True
) -> list[dict[str, Any]]:
    """Fit the candidates, and score them.

    Parameters
    ----------
    labels : Annotations
        The labels.
    gold : ndarray of int, shape (I,)
        Gold categories; -1 if unknown.
    dataset : str, optional
        A data set from whose family nothing may have been learned.
    all_models : bool, default True
        Whether the pool and the clumped model, which are slow, are fitted, too.

    Returns
    -------
    list of dict
        A row for each candidate.
    """
    rows = []
    scored = np.flatnonzero((gold >= 0) & labels.counts.any(axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence; the scores show what it costs
        for name, posterior, extra in _candidates(labels, gold, dataset, all_models):
            rows.append({"method": name} | scores_of(posterior[scored], gold[scored]) | dict(extra))
    return rows


def scores_of(posterior: Floats, gold: Codes) -> dict[str, float]:
    """Return log loss, accuracy, and errors expected and made by probability."""
    at = np.arange(gold.size)
    best, most = posterior.argmax(axis=1), posterior.max(axis=1)
    row: dict[str, float] = {
        "n_items": gold.size,
        "log_loss": float(-np.log(np.maximum(posterior[at, gold], SMALLEST)).mean()),
        "accuracy": float((best == gold).mean()),
    }
    for limit in FROM:
        sure = most >= limit
        row[f"expected_{limit:g}"] = float((1 - most[sure]).sum())
        row[f"actual_{limit:g}"] = float((best != gold)[sure].sum())
    return row


def _candidates(
    labels: Annotations, gold: Codes, dataset: str | None, all_models: bool
) -> Iterator[tuple[str, Floats, Mapping[str, float]]]:
    for name in MODELS if all_models else QUICK:
        module = models.get(name)
        options = module.unseen(dataset) if dataset and "unseen" in module.METHOD.offers else {}
        yield name, models.fit(labels, name, rng=1, **options).posterior, {}
    adjustment = adjusted_dawid_skene.shipped(dataset)
    fitted = adjusted_dawid_skene.fit(labels, adjustment=adjustment)
    yield ADJUSTED, fitted.posterior, coverage(labels, gold, fitted) | {"weight": fitted.weight}
    for name, weight in (("independent", 0.0), ("always dependent", 1.0)):
        yield name, adjusted_dawid_skene.combine(fitted.evidence, weight, adjustment), {}
    if not all_models:
        return
    raw = random_clumped.fit(labels, prior=random_clumped.Prior(power=1.0)).posterior
    for power in POWERS:
        scaled = random_clumped.scaled(raw, 1 - fitted.weight * (1 - power))
        yield clumped(power), scaled, {}


def coverage(labels: Annotations, gold: Codes, fitted: Any) -> dict[str, float]:
    """Count annotators with enough gold labels, and those whose interval covers their accuracy."""
    draws = adjusted_dawid_skene.bootstrap(labels, fitted, rng=1, replicates=REPLICATES)
    table = fitted.annotators_frame(draws)
    known = gold[labels.item]
    has_gold = known >= 0
    size = labels.n_annotators
    n_gold = np.bincount(labels.annotator[has_gold], minlength=size)
    right = np.bincount(labels.annotator[has_gold & (known == labels.label)], minlength=size)
    enough = n_gold >= ENOUGH_GOLD
    share = right[enough] / n_gold[enough]
    lower, upper = (table[f"accuracy_{end}95"].to_numpy()[enough] for end in ("lower", "upper"))
    return {
        "n_annotators": int(enough.sum()),
        "n_covered": int(((lower <= share) & (share <= upper)).sum()),
        "width": float((upper - lower).mean()) if enough.any() else np.nan,
    }
