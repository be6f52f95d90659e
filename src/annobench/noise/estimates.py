"""The share of hard items under each model of how labels come about, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.noise import _guessing, _rates, easy_hard, mixtures
from annobench.noise._guessing import Guess
from annobench.noise._votes import Votes
from annobench.noise.certificate import SETTLED, UNKNOWN, hidden_guesses

#: More types than this are not tried by default; labels of real items can't tell them apart.
_MOST_TYPES = 4


def hard_share(
    annotations: Annotations,
    *,
    level: float = 0.95,
    guess: Guess | None = None,
    settled: float = SETTLED,
    diligent: mixtures.BinomialMixture | None = None,
    max_types: int | None = None,
    replicates: int = 100,
    rng: np.random.Generator | None = None,
) -> pd.DataFrame:
    """Estimate the share of hard items under each model.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `noise.dichotomise`.
    level : float, default 0.95
        Of the intervals, in (0, 1).
    guess : float or sequence of float, optional
        Distribution of guesses, as in `noise.certificate`, for the model "easy_hard".
    settled : float, default 0.6
        In (0.5, 1): an item is hard if no category has a higher rate. Mixtures call a type hard
        whose rate lies between 1 - settled and settled.
    diligent : BinomialMixture, optional
        The mixture of diligent annotators, known from elsewhere. Without it the share of lazy
        ones can't be told from these labels.
    max_types : int, optional
        The most types of a mixture; by default what the labels can carry, 4 at most.
    replicates : int, default 100
        Resamples of the items for the intervals of mixtures.
    rng : numpy.random.Generator, optional
        The source of randomness; without it mixtures have no interval.

    Returns
    -------
    DataFrame
        A row for each model: model, types, estimate, lower, upper, parameters (their number),
        bic, and note, which says what the model takes for hard and why a value is missing.

    Raises
    ------
    AnnotationError
        If no item has labels of two annotators, `level` or `settled` is out of range, or as in
        `noise.certificate`.

    Notes
    -----
    The models mean different things by hard, and their assumptions differ: the rows are not
    estimates of one number. "rates" alone assumes no number of types.
    """
    if not 0 < level < 1 or not 0.5 < settled < 1:
        raise AnnotationError(
            f"hard_share: level {level!r} must be in (0, 1) and settled {settled!r} in (0.5, 1)."
        )
    votes = Votes.of(annotations, "hard_share")
    rows: list[dict[str, Any]] = [
        _easy_hard_row(votes, guess, level),
        *_mixture_rows(annotations, votes, max_types, settled, level, replicates, rng),
        _lazy_row(annotations, votes, diligent, settled),
        _dawid_skene_row(annotations, votes, level),
        _rates_row(votes, settled, level),
    ]
    empty = {"types": pd.NA, "estimate": math.nan, "lower": math.nan, "upper": math.nan,
             "parameters": pd.NA, "bic": math.nan, "note": ""}  # fmt: skip
    frame = pd.DataFrame([{"model": row["model"], **empty, **row} for row in rows])
    return frame.astype({"types": "Int64", "parameters": "Int64"})


def _easy_hard_row(votes: Votes, guess: Guess | None, level: float) -> dict[str, Any]:
    row = {"model": "easy_hard", "note": "hard: guessed; easy: all labels alike"}
    n, d = votes.n_items, int((~votes.unanimous).sum())
    miss = 1 - level
    try:
        if guess is None:
            guesses = _guessing.estimated(votes, UNKNOWN * miss, "hard_share")
            miss *= 1 - UNKNOWN
        else:
            guesses = _guessing.given(guess, votes.size, votes.n_categories, "hard_share")
    except AnnotationError as error:
        return row | {"note": str(error).removeprefix("hard_share: ")}
    likely = min(guesses.likely_chance, 1 - 1e-12)
    hidden = easy_hard.hard_given_agreed(n, d, likely).mean
    # At least the disagreements are hard; how many more is not known to be above 0.
    upper = max(d + hidden, min(n, d + hidden_guesses(d, guesses.chance, miss)))
    return row | {
        "estimate": (d + hidden) / n,
        "lower": d / n,
        "upper": upper / n,
        "parameters": 1 + guesses.estimated * (votes.n_categories - 1),
    }


def _mixture_rows(
    annotations: Annotations,
    votes: Votes,
    max_types: int | None,
    settled: float,
    level: float,
    replicates: int,
    rng: np.random.Generator | None,
) -> Iterator[dict[str, Any]]:
    if votes.n_categories > 2:
        yield {"model": "mixture", "note": "for two categories only"}
        return
    carried = mixtures.max_types(int(votes.size.max()))
    if carried < 2:
        yield {"model": "mixture", "note": "two types need items of three labels"}
        return
    within = (1 - settled, settled)
    counts = mixtures.Counts.from_annotations(annotations)
    for types in range(2, min(carried, max_types or _MOST_TYPES) + 1):
        fitted = mixtures.fit(counts, types)
        row = {
            "model": "mixture",
            "types": types,
            "estimate": fitted.mixture.hard_share(within),
            "parameters": fitted.n_parameters,
            "bic": fitted.bic,
            "note": "rates " + ", ".join(f"{rate:.3f}" for rate in fitted.mixture.rate),
        }
        if rng is not None:
            draws = fitted.bootstrap(replicates, rng).hard_share(within)
            row["lower"], row["upper"] = mixtures.percentile_interval(draws, level)
        yield row
    if carried >= 3:
        profile = mixtures.hard_share_profile(counts, within=within, level=level)
        yield {
            "model": "mixture with a hard type",
            "types": 3,
            "estimate": profile.estimate,
            "lower": profile.lower,
            "upper": profile.upper,
            "parameters": 5,
            "note": f"one type is held within {within[0]:.2g} and {within[1]:.2g}",
        }


def _lazy_row(
    annotations: Annotations,
    votes: Votes,
    diligent: mixtures.BinomialMixture | None,
    settled: float,
) -> dict[str, Any]:
    row: dict[str, Any] = {"model": "diligent and lazy"}
    if votes.n_categories > 2:
        return row | {"note": "for two categories only"}
    if diligent is None:
        return row | {
            "note": "not identified: lazy annotators move the rates of all types towards their "
            "own, which other rates would do as well. Give the diligent mixture"
        }
    fitted = mixtures.fit_lazy(mixtures.Counts.from_annotations(annotations), diligent)
    return row | {
        "types": diligent.types,
        "estimate": diligent.hard_share((1 - settled, settled)),
        "parameters": 2,
        "note": f"as given; lazy share {fitted.lazy_share:.3f}, their rate {fitted.lazy_rate:.3f}",
    }


def _dawid_skene_row(annotations: Annotations, votes: Votes, level: float) -> dict[str, Any]:
    """Count doubt as guesses: K categories alike are one item, certainty is none."""
    k = votes.n_categories
    posterior = dawid_skene.fit(annotations).posterior[votes.item]
    doubt = (1 - posterior.max(axis=1)) * k / (k - 1)
    error = float(doubt.std(ddof=1) / math.sqrt(doubt.size)) if doubt.size > 1 else math.nan
    z = float(stats.norm.isf((1 - level) / 2))
    mean = float(doubt.mean())
    return {
        "model": "dawid_skene",
        "types": k,
        "estimate": mean,
        "lower": max(0.0, mean - z * error),
        "upper": min(1.0, mean + z * error),
        "parameters": k - 1 + annotations.n_annotators * k * (k - 1),
        "note": "guesses that would leave as much doubt as the posterior; the fit is held fixed",
    }


def _rates_row(votes: Votes, settled: float, level: float) -> dict[str, Any]:
    classes = _rates.Classes.of(votes, settled)
    region = _rates.Region.of(classes, 1 - level)
    easy = (classes.rates >= settled).astype(np.float64)
    most, least = region.largest(easy), -region.largest(-easy)
    row: dict[str, Any] = {
        "model": "rates",
        "note": f"no category has a rate of {settled:g} or more",
    }
    if math.isnan(most):
        return row | {"note": "the labels reject independence of the annotators given the item"}
    lower, upper = max(0.0, 1 - most), min(1.0, 1 - least)
    estimate = 1 - _rates.Spread.of(votes, settled).easy_share(settled)
    return row | {
        "estimate": min(max(estimate, lower), upper),
        "lower": lower,
        "upper": upper,
    }
