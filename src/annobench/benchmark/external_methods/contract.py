"""Checks of an external method on small synthetic labels.

An answer of the wrong shape is an error; an answer that is not invariant as it should be gives a
warning, shown on the page.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from annobench.benchmark.external_methods.answers import AnswerError
from annobench.benchmark.external_methods.candidate import Candidate
from annobench.benchmark.fits import TimeLimitExceeded, fit_once
from annobench.core.errors import AnnotationError, MethodError, MethodTimeoutError
from annobench.labels.annotations import Annotations

__all__ = ["Finding", "check"]

#: By how much probabilities may change with the order or the names of labels. A search that stops
#: at a tolerance may stop a step earlier where numbers are summed in another order.
ALLOWED = 1e-3

#: By how much two runs of one seed may differ: threads sum in any order.
SAME = 1e-6

#: Fits from different seeds, which show how far a random method moves anyway.
SEEDS = 4


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        Name of the check.
    kept : bool
        Whether the method passes.
    note : str
        What was expected, what was returned and how to fix it; empty if the check is passed.
    """

    check: str
    kept: bool
    note: str = ""


def check(candidate: Candidate, *, limit: float, seed: int) -> list[Finding]:
    """Check a method on small synthetic labels.

    Parameters
    ----------
    candidate : Candidate
        The method.
    limit : float
        Processor time of a fit in seconds.
    seed : int
        Seed of the labels and of a random method.

    Returns
    -------
    list of Finding
        Whether the same seed gives the same answer; whether the answer is invariant to the order of
        the labels, the names of items and annotators, and the order of the categories; whether more
        than two categories, and repeated labels, are accepted. A random method may change by twice
        as much as between seeds.

    Raises
    ------
    MethodError
        If the method fails or is too slow on two categories, or its answer has a wrong shape, is
        not finite, or does not sum to 1.

    Notes
    -----
    About ten fits to labels of 40 items, in the main thread, since the limit is set by a signal.
    """
    ask = _Asking(candidate, limit, seed)
    labels = synthetic(2, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = ask(labels)
        findings = [_determinism(ask, labels, base)]
        moves = 0.0
        if not candidate.METHOD.deterministic:
            runs = [base, *(ask(labels, seed + n) for n in range(1, SEEDS))]
            moves = max(_distance(one, other) for one, other in combinations(runs, 2))
        findings += _invariances(ask, labels, base, ALLOWED + 2 * moves)
        findings += _demands(ask, seed)
    return findings


def synthetic(n_categories: int, seed: int, *, idle: bool = False) -> Annotations:
    """Simulate labels for checks: 40 items, 7 annotators with accuracy .75."""
    n_items, n_annotators = 40, 7
    rng = np.random.default_rng([seed, n_categories])
    truth = rng.integers(n_categories, size=(n_items, 1))
    shift = rng.integers(1, n_categories, size=(n_items, n_annotators))
    right = rng.random((n_items, n_annotators)) < 0.75
    label = np.where(right, truth, (truth + shift) % n_categories)
    given = rng.random((n_items, n_annotators)) < 0.6
    given[np.arange(n_items), np.arange(n_items) % n_annotators] = True
    item, annotator = np.nonzero(given)
    categories = ["no", "yes, rather", "может быть", "“4”"][: n_categories + idle]
    return Annotations.from_arrays(
        [f'item "{i:02d}", ж' for i in item],
        [f"Ann, {j}" for j in annotator],
        np.array(categories, dtype=object)[label[item, annotator]],
        categories=categories,
    )


class _Asking:
    """A candidate with a seed."""

    def __init__(self, candidate: Candidate, limit: float, seed: int) -> None:
        self._candidate, self._limit, self._seed = candidate, limit, seed

    def __call__(self, labels: Annotations, seed: int | None = None) -> NDArray[np.float64]:
        entropy = [self._seed if seed is None else seed]
        try:
            fitted = fit_once(self._candidate, labels, entropy, self._limit)
            return np.asarray(fitted.posterior, dtype=np.float64)
        except TimeLimitExceeded:
            raise MethodTimeoutError(
                f"expected an answer for {labels.n_items} items within {self._limit:g} s; got "
                "none. Raise --limit, or make the method faster."
            ) from None


def _distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.abs(one - other).max(initial=0))


def _determinism(ask: _Asking, labels: Annotations, base: NDArray[np.float64]) -> Finding:
    moved = _distance(base, ask(labels))
    note = (
        "expected the same probabilities from the same labels and seed; two runs differ by up to "
        f"{moved:.2g}. Draw from rng (a program: from {{seed}}, a class: from random_state) and "
        "from no other source."
    )
    return _finding("same seed, same answer", moved <= SAME, note)


def _finding(name: str, kept: bool, note: str) -> Finding:
    return Finding(name, kept, "" if kept else note)


def _invariances(
    ask: _Asking, labels: Annotations, base: NDArray[np.float64], allowed: float
) -> Iterator[Finding]:
    rng = np.random.default_rng(labels.n_labels)
    changes: dict[str, tuple[Callable[[], tuple[Annotations, NDArray[np.float64]]], str]] = {
        "order of the labels": (
            lambda: _reordered(labels, base, rng),
            "Do not let results depend on which label comes first.",
        ),
        "names of items and annotators": (
            lambda: _renamed(labels, base, rng),
            "Do not let results depend on the sorted order of names.",
        ),
        "order of the categories": (
            lambda: _permuted(labels, base),
            "The first or last category may be favoured by argmax if votes are tied, or by an "
            "asymmetric start or prior.",
        ),
    }
    for name, (change, mend) in changes.items():
        changed, expected = change()
        try:
            moved = _distance(expected, ask(changed))
        except (AnnotationError, MethodError) as error:
            yield Finding(name, False, f"expected the same answer for other labels; got: {error}")
            continue
        note = (
            f"expected the same probabilities whatever the {name}; they change by up to "
            f"{moved:.2g}{'' if allowed == ALLOWED else f', other seeds by {allowed / 2:.2g}'}. "
            f"{mend}"
        )
        yield _finding(name, moved <= allowed, note)


def _reordered(
    labels: Annotations, base: NDArray[np.float64], rng: np.random.Generator
) -> tuple[Annotations, NDArray[np.float64]]:
    order = rng.permutation(labels.n_labels)
    frame = labels.to_frame().iloc[order]
    changed = Annotations.from_frame(frame, categories=labels.categories)
    place = {name: n for n, name in enumerate(labels.items)}
    return changed, base[[place[name] for name in changed.items]]


def _renamed(
    labels: Annotations, base: NDArray[np.float64], rng: np.random.Generator
) -> tuple[Annotations, NDArray[np.float64]]:
    items, annotators = (rng.permutation(n) for n in (labels.n_items, labels.n_annotators))
    changed = Annotations.from_arrays(
        [f"{100 + n}" for n in items[labels.item]],
        [f"who {n}" for n in annotators[labels.annotator]],
        np.array(labels.categories, dtype=object)[labels.label],
        items=[f"{100 + n}" for n in range(labels.n_items)],
        annotators=[f"who {n}" for n in range(labels.n_annotators)],
        categories=labels.categories,
    )
    expected = np.empty_like(base)
    expected[items] = base
    return changed, expected


def _permuted(
    labels: Annotations, base: NDArray[np.float64]
) -> tuple[Annotations, NDArray[np.float64]]:
    reverse = labels.categories[::-1]
    return Annotations.from_frame(labels.to_frame(), categories=reverse), base[:, ::-1]


def _demands(ask: _Asking, seed: int) -> Iterator[Finding]:
    """Check labels that occur in some data sets and that some methods do not accept."""
    two = synthetic(2, seed).to_frame()
    repeated = Annotations.from_frame(two.iloc[[*range(len(two)), 0, 1]])
    demands = {
        "three categories and one without labels": synthetic(3, seed, idle=True),
        "repeated labels of one annotator": repeated,
    }
    for name, labels in demands.items():
        try:
            ask(labels)
        except AnswerError:
            raise
        except (AnnotationError, MethodError) as error:
            note = f"expected probabilities for labels with {name}; got: {error}"
            yield Finding(name, False, f"{note} Data sets with such labels get no score.")
        else:
            yield Finding(name, True)
