"""Cautions about a fit that a reader should know before using it.

Each caution has a name. The models' pages refer to it under "When it fails", and
`workflow/studies/guard` estimates its sensitivity and specificity.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.choices import DEFAULT_MODEL
from annobench.core.errors import AnnotationError
from annobench.core.texts import counted
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._gold import gold_codes
from annobench.models.dependence import enough_items

__all__ = [
    *("NAMES", "Caution", "against_votes", "alone", "guard", "of_fit", "other_optimum"),
    *("overconfident", "two_annotators"),
]

#: The names of all cautions.
NAMES: Final = (
    *("not_converged", "label_switching", "few_labels", "two_annotators", "unanimous_overturned"),
    *("far_from_votes", "rare_category", "dependence", "other_optimum", "overconfident"),
)

#: Labels that make an item's agreement unanimous.
UNANIMOUS = 3
#: Shares of unanimous items, and of items with a most frequent label, given another category,
#: from which on it is said.
OVERTURNED, MOVED = 0.02, 0.2
#: A category is rare if it wins the votes of fewer items than this times 1/K; what a model then
#: adds to it is said if it is as much again, and this share of all items.
RARE, ADDED = 0.25, 0.03
#: Fewer shared items of a typical pair of annotators than this are few.
FEW_SHARED = 10
#: Random starts that look for another optimum.
RANDOM_STARTS = 8
#: Added to the probabilities of a fit of some items.
CHANCE = 1e-4
#: Expected calibration error from which a model is overconfident, and how many times as many errors
#: the default model then expects at least.
MISCALIBRATED, TIMES = 0.03, 1.5
#: Relative difference of log posteriors up to which two fits have the same optimum.
SAME_OPTIMUM = 1e-6


class Caution(NamedTuple):
    """What a reader should know before using a fit.

    Attributes
    ----------
    name : str
        One of `NAMES`.
    text : str
        A sentence or more.
    """

    name: str
    text: str


def guard(
    fitted: Any,
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    **settings: Any,
) -> list[Caution]:
    """Return the cautions that a reader should know before using a fit.

    Parameters
    ----------
    fitted : Fit
        A fit of any model.
    annotations : Annotations
        The labels that were fitted.
    rng : numpy.random.Generator or int, optional
        For the random starts in search of another optimum, if the model has them.
    **settings
        Options given to the model's `fit`.

    Returns
    -------
    list of Caution
        The cautions; empty if there are none.

    Notes
    -----
    The search for another optimum costs about ten fits; beyond 100,000 labels, ten fits of a sample
    of that size and one of all labels. Probabilities are compared with those of one fit of the
    default model. The check whether annotators err together costs as much as
    `annobench.models.dependence` states, and everything else one pass over the labels.

    Examples
    --------
    >>> from annobench import Annotations, models
    >>> labels = Annotations.from_wide([[1, 1], [0, 0], [1, 0]] * 4)
    >>> [each.name for each in models.guard(models.fit(labels, "one_coin"), labels)]
    ['two_annotators']
    """
    annotations = as_annotations(annotations, "guard")
    found = of_fit(fitted, annotations)
    module = import_module(".".join(type(fitted).__module__.split(".")[:3]))
    if "restarts" in module.METHOD.offers:
        found += other_optimum(module, fitted, annotations, rng, settings)
    if module.METHOD.name != DEFAULT_MODEL:
        found += overconfident(fitted.posterior, annotations)
    return found


def of_fit(fitted: Any, annotations: Annotations | None) -> list[Caution]:
    """Return all cautions but that of another optimum; without labels, those of the search."""
    found = []
    if not getattr(fitted, "converged", True):
        found.append(Caution("not_converged", fitted._unconverged()))
    if fitted._switches_labels():
        found.append(
            Caution(
                "label_switching",
                "These labels hardly distinguish annotators from chance (many label switches): the "
                "meaning of the categories, and the annotators' accuracy, depend on the prior.",
            )
        )
    if annotations is None:
        return found
    sizes = annotations.n_labels, np.unique(annotations.annotator).size, annotations.n_items
    found += [Caution("few_labels", text) for text in fitted.few_labels(*sizes)]
    found += two_annotators(fitted, annotations)
    found += against_votes(fitted.posterior, annotations)
    checked = fitted.dependence(annotations)
    if checked is not None and checked.is_alarming:
        found.append(Caution("dependence", checked.sentence()))
    return found


def alone(annotations: Annotations) -> NDArray[np.int64]:
    """Return the codes of annotators who share no labelled item with another annotator."""
    a = annotations
    has_labels = np.bincount(a.annotator, minlength=a.n_annotators) > 0
    compared = np.bincount(a.annotator, a.is_shared[a.item], minlength=a.n_annotators) > 0
    return np.flatnonzero(has_labels & ~compared)


def two_annotators(fitted: Any, annotations: Annotations) -> list[Caution]:
    """Return the caution that a model compares only two annotators, if it applies."""
    if not fitted._judges_annotators():
        return []
    if np.unique(annotations.annotator).size - alone(annotations).size != 2:
        return []
    return [
        Caution(
            "two_annotators",
            "Only two annotators share items: if they disagree, only the model's start, smoothing "
            "or priors decide which of them errs. Add a third annotator.",
        )
    ]


def against_votes(posterior: NDArray[np.float64], annotations: Annotations) -> list[Caution]:
    """Compare a posterior with the votes.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Of any method.
    annotations : Annotations
        The labels.

    Returns
    -------
    list of Caution
        Any of unanimous_overturned, rare_category and far_from_votes.
    """
    counts = annotations.counts
    total, most = counts.sum(axis=1), counts.max(axis=1)
    winner, chosen = counts.argmax(axis=1), posterior.argmax(axis=1)
    found = []
    unanimous = (total >= UNANIMOUS) & (most == total) & annotations.is_shared
    overturned = int((chosen != winner)[unanimous].sum())
    if overturned > 1 and overturned > OVERTURNED * unanimous.sum():
        found.append(
            Caution(
                "unanimous_overturned",
                f"{overturned:,} of {unanimous.sum():,} items on which all annotators agree get a "
                "different category: the model may have switched categories. Compare with another "
                "model, or with checked items.",
            )
        )
    decided = (total > 1) & ((counts == most[:, None]).sum(axis=1) == 1)
    if not decided.any():
        return found
    found += _rare_category(winner[decided], chosen[decided], annotations.categories)
    moved = int((chosen != winner)[decided].sum())
    if moved > 1 and moved > MOVED * decided.sum():
        shared = _typically_shared(annotations)
        few = (
            f" A typical pair of annotators shares only {counted(shared, 'item')}, too few to "
            "estimate their accuracy."
            if shared < FEW_SHARED
            else ""
        )
        found.append(
            Caution(
                "far_from_votes",
                f"{moved:,} of {decided.sum():,} items with a most frequent label get a different "
                f"category.{few} Compare with another model, or with checked items.",
            )
        )
    return found


def overconfident(posterior: NDArray[np.float64], annotations: Annotations) -> list[Caution]:
    """Compare the errors that a posterior, (I, K), implies with those that the default expects."""
    default = import_module(f"annobench.models.{DEFAULT_MODEL}")
    try:
        reference = default.fit(annotations).posterior
    except AnnotationError:
        return []
    labelled = np.flatnonzero(annotations.counts.any(axis=1))
    best = posterior[labelled].argmax(axis=1)
    implied, expected = ((1 - table[labelled, best]).sum() for table in (posterior, reference))
    error = (expected - implied) / labelled.size
    if error < MISCALIBRATED or expected < TIMES * implied:
        return []
    return [
        Caution(
            "overconfident",
            f"These probabilities are probably overconfident. They imply {implied:,.0f} wrong "
            f"categories among {counted(labelled.size, 'item')}; the default model, which measures "
            f"how dependent errors are, expects {expected:,.0f} (expected calibration error "
            f"{error:.2f}). Check some items: annobench audit labels.csv --checks 50.",
        )
    ]


def _rare_category(
    winner: NDArray[np.intp], chosen: NDArray[np.intp], names: tuple[str, ...]
) -> list[Caution]:
    by_votes, by_model = (
        np.bincount(codes, minlength=len(names)) / codes.size for codes in (winner, chosen)
    )
    added = by_model - by_votes
    least = np.maximum(np.maximum(by_votes, ADDED), 1 / winner.size)
    rare = (by_votes < RARE / len(names)) & (added > least)
    if not rare.any():
        return []
    k = int(np.argmax(np.where(rare, added, -1)))
    return [
        Caution(
            "rare_category",
            f"Category {names[k]!r} is rare, {by_votes[k]:.1%} of the items by votes, and "
            f"{by_model[k]:.1%} by this model: it may have taken errors on frequent categories for "
            "the rare one, as models do that assume equally frequent categories. Compare with "
            "another model, or with checked items.",
        )
    ]


def _typically_shared(annotations: Annotations) -> int:
    """Return the median number of items shared by pairs of annotators that share any."""
    a = annotations
    shape = a.n_annotators, a.n_items
    cells = sparse.coo_array((np.ones(a.n_labels), (a.annotator, a.item)), shape)
    given = (cells.tocsr() > 0).astype(np.int64)
    pairs = sparse.triu(given @ given.T, k=1)
    return int(np.median(pairs.data)) if pairs.nnz else 0


def _possible(fitted: Any) -> Any:
    """Return a fit's parameters without zeros, so that no label is impossible."""
    prevalence, confusion = fitted.prevalence + CHANCE, fitted.confusion + CHANCE
    return fitted.parameters._replace(
        prevalence=prevalence / prevalence.sum(),
        confusion=confusion / confusion.sum(axis=2, keepdims=True),
    )


def other_optimum(
    module: ModuleType,
    fitted: Any,
    annotations: Annotations,
    rng: np.random.Generator | int | None,
    settings: Mapping[str, Any],
) -> list[Caution]:
    """Check whether random starts find a better optimum than the start from the votes.

    For many labels the starts are fitted to a random sample of the items, and the best is refitted
    to all.
    """
    rng = np.random.default_rng(rng)
    given = {name: value for name, value in settings.items() if name not in ("start", "gold")}
    gold = gold_codes(module.METHOD.name, annotations, settings.get("gold"))
    items = np.union1d(enough_items(annotations, rng), np.flatnonzero(gold >= 0))
    some = annotations.select(items=items)
    known = gold[items] if gold.size else None
    best = module.restarts(some, rng=rng, n_random=RANDOM_STARTS, gold=known, **given).best
    if some is not annotations:
        known = gold if gold.size else None
        best = module.fit(annotations, start=_possible(best), gold=known, **given)
    moved = int((best.posterior.argmax(axis=1) != fitted.posterior.argmax(axis=1)).sum())
    gain = best.log_posterior - fitted.log_posterior
    # EM stops near an optimum, and two fits of one optimum differ by that much.
    least = max(SAME_OPTIMUM, settings.get("tolerance", 0.0)) * (1 + abs(fitted.log_posterior))
    if gain <= least or not moved:
        return []
    return [
        Caution(
            "other_optimum",
            f"EM has more than one optimum here: another has a log posterior higher by {gain:.3g} "
            f"and gives {moved:,} of {annotations.n_items:,} items a different category. The "
            "results are from the optimum reached from the votes, without label switching.",
        )
    ]
