"""Estimates of the share of hard items under several models, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench.core.errors import AnnotationError, as_sentence
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models import dawid_skene
from annobench.noise import _guessing, _rates, easy_hard, mixtures
from annobench.noise._guessing import Guess
from annobench.noise._votes import Votes
from annobench.noise.certificate import EASY_RATE, UNKNOWN, hidden_guesses
from annobench.resampling.intervals import central_limits

__all__ = ["hard_share"]

#: Default maximum; more components are rarely distinguishable in real data.
_MAX_COMPONENTS = 4


def hard_share(
    annotations: Annotations,
    *,
    level: float = 0.95,
    guess_distribution: Guess | None = None,
    easy_rate: float = EASY_RATE,
    diligent: mixtures.BinomialMixture | None = None,
    max_components: int | None = None,
    replicates: int = 100,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Estimate the share of hard items under each model.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `noise.dichotomise`.
    level : float, default 0.95
        Level of the intervals, in (0, 1).
    guess_distribution : float or sequence of float, optional
        Distribution of guesses, as in `noise.certificate`, for the model "easy_hard".
    easy_rate : float, default 0.6
        In (0.5, 1): an item is hard if no category has a higher rate. A component of a mixture is
        hard if its rate lies between 1 - easy_rate and easy_rate.
    diligent : BinomialMixture, optional
        The mixture of diligent annotators, known from other data. Without it the share of lazy
        annotators is not identified.
    max_components : int, optional
        Largest number of components of a mixture; by default what the labels identify, at most 4.
    replicates : int, default 100
        Bootstrap replicates for the intervals of mixtures; 0 for no intervals.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator of the bootstrap.

    Returns
    -------
    DataFrame
        A row for each model: model, n_components, estimate, lower, upper, parameters (their
        number), bic, and note, which defines hard items or says why a value is missing.

    Raises
    ------
    AnnotationError
        If no item has labels of two annotators, `level` or `easy_rate` is out of range, or as in
        `noise.certificate`.

    Notes
    -----
    The models define hard items differently: the rows do not estimate the same quantity. "rates"
    is nonparametric and assumes no number of components.
    """
    annotations = as_annotations(annotations, "hard_share")
    if not 0 < level < 1 or not 0.5 < easy_rate < 1:
        raise AnnotationError(
            f"hard_share: level {level!r} must be in (0, 1) and easy_rate {easy_rate!r} in "
            "(0.5, 1)."
        )
    votes = Votes.of(annotations, "hard_share")
    rows: list[dict[str, Any]] = [
        _easy_hard_row(votes, guess_distribution, level),
        *_mixture_rows(
            annotations,
            votes,
            max_components,
            easy_rate,
            level,
            replicates,
            np.random.default_rng(rng),
        ),
        _lazy_row(annotations, votes, diligent, easy_rate),
        _dawid_skene_row(annotations, votes, level),
        _rates_row(votes, easy_rate, level),
    ]
    names = ["model", "n_components", "estimate", "lower", "upper", "parameters", "bic", "note"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.astype({"n_components": "Int64", "parameters": "Int64"})


def _easy_hard_row(votes: Votes, guess_distribution: Guess | None, level: float) -> dict[str, Any]:
    row = {"model": "easy_hard", "note": "hard: guessed; easy: all labels alike"}
    n, d = votes.n_items, int((~votes.unanimous).sum())
    alpha = 1 - level
    try:
        if guess_distribution is None:
            guesses = _guessing.estimated(votes, UNKNOWN * alpha, "hard_share")
            alpha *= 1 - UNKNOWN
        else:
            guesses = _guessing.given(
                guess_distribution, votes.size, votes.n_categories, "hard_share"
            )
    except AnnotationError as error:
        return row | {"note": as_sentence(error, "hard_share")}
    likely = min(guesses.likely_chance, _guessing.MAX_CHANCE)
    hidden = easy_hard.hard_given_agreed(n, d, likely).mean
    # All disagreed items are hard, and possibly no others.
    upper = max(d + hidden, min(n, d + hidden_guesses(d, guesses.chance, alpha)))
    return row | {
        "estimate": (d + hidden) / n,
        "lower": d / n,
        "upper": upper / n,
        "parameters": 1 + guesses.estimated * (votes.n_categories - 1),
    }


def _mixture_rows(
    annotations: Annotations,
    votes: Votes,
    max_components: int | None,
    easy_rate: float,
    level: float,
    replicates: int,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    if votes.n_categories > 2:
        yield {"model": "mixture", "note": "for two categories only"}
        return
    largest = mixtures.max_identifiable_components(int(votes.size.max()))
    if largest < 2:
        yield {"model": "mixture", "note": "two components need items of three labels"}
        return
    within = (1 - easy_rate, easy_rate)
    counts = mixtures.Counts.from_annotations(annotations)
    for n_components in range(2, min(largest, max_components or _MAX_COMPONENTS) + 1):
        fitted = mixtures.fit(counts, n_components)
        row = {
            "model": "mixture",
            "n_components": n_components,
            "estimate": fitted.mixture.hard_share(within),
            "parameters": fitted.n_parameters,
            "bic": fitted.bic,
            "note": "rates " + ", ".join(f"{rate:.3f}" for rate in fitted.mixture.rate),
        }
        if replicates:
            draws = fitted.bootstrap(replicates, rng).hard_share(within)
            row["lower"], row["upper"] = central_limits(draws, level)
        yield row
    if largest >= 3:
        profile = mixtures.hard_share_profile(counts, within=within, level=level)
        yield {
            "model": "mixture with a hard component",
            "n_components": 3,
            "estimate": profile.estimate,
            "lower": profile.lower,
            "upper": profile.upper,
            "parameters": 5,
            "note": f"one rate is held within {within[0]:.2g} and {within[1]:.2g}",
        }


def _lazy_row(
    annotations: Annotations,
    votes: Votes,
    diligent: mixtures.BinomialMixture | None,
    easy_rate: float,
) -> dict[str, Any]:
    row: dict[str, Any] = {"model": "diligent and lazy"}
    if votes.n_categories > 2:
        return row | {"note": "for two categories only"}
    if diligent is None:
        return row | {
            "note": "not identified: lazy annotators shift the rates of all components towards "
            "their own rate, which other rates could explain, too. Give the diligent "
            "mixture"
        }
    fitted = mixtures.fit_lazy(mixtures.Counts.from_annotations(annotations), diligent)
    return row | {
        "n_components": diligent.n_components,
        "estimate": diligent.hard_share((1 - easy_rate, easy_rate)),
        "parameters": 2,
        "note": f"as given; lazy share {fitted.lazy_share:.3f}, their rate {fitted.lazy_rate:.3f}",
    }


def _dawid_skene_row(annotations: Annotations, votes: Votes, level: float) -> dict[str, Any]:
    """Rescale posterior uncertainty to 1 for equal probabilities and 0 for certainty."""
    if annotations.anonymous:
        return {"model": "dawid_skene", "note": "annotators are unknown"}
    k = votes.n_categories
    posterior = dawid_skene.fit(annotations).posterior[votes.item]
    doubt = (1 - posterior.max(axis=1)) * k / (k - 1)
    error = float(doubt.std(ddof=1) / math.sqrt(doubt.size)) if doubt.size > 1 else math.nan
    z = float(stats.norm.isf((1 - level) / 2))
    mean = float(doubt.mean())
    return {
        "model": "dawid_skene",
        "n_components": k,
        "estimate": mean,
        "lower": max(0.0, mean - z * error),
        "upper": min(1.0, mean + z * error),
        "parameters": k - 1 + annotations.n_annotators * k * (k - 1),
        "note": "share of guesses with the same posterior uncertainty; the fit is held fixed",
    }


def _rates_row(votes: Votes, easy_rate: float, level: float) -> dict[str, Any]:
    groups = _rates.Groups.of(votes, easy_rate)
    region = _rates.Region.of(groups, 1 - level)
    easy = (groups.rates >= easy_rate).astype(np.float64)
    largest, smallest = region.largest(easy), -region.largest(-easy)
    row: dict[str, Any] = {
        "model": "rates",
        "note": f"no category has a rate of {easy_rate:g} or more",
    }
    if math.isnan(largest):
        return row | {"note": "the labels reject independence of the annotators given the item"}
    lower, upper = max(0.0, 1 - largest), min(1.0, 1 - smallest)
    estimate = 1 - _rates.RateDistribution.of(votes, easy_rate).easy_share(easy_rate)
    return row | {
        "estimate": min(max(estimate, lower), upper),
        "lower": lower,
        "upper": upper,
    }
