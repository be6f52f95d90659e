"""The noise certificate: a confidence bound on the number of guesses among retained labels.

An item is retained if the share of its labels in one category is large enough, and that category
is its label. The number of guesses among the retained labels is not observed, but can be bounded
under one of two models:

``easy_hard``
    Beigman Klebanov and Beigman (2009). All annotators give an easy item its category; on a hard
    item they guess independently from one distribution. Items with a disagreement are hard, and so
    may be some of the others. The bound is the largest number of hard items that the number of
    disagreements does not reject, at the least favourable guess distribution among those given, or
    among those that the labels do not reject. It has its level at every number of hard items. If
    the guess distribution is given, the bound equals the posterior bound of the paper's Equation 1
    as long as it is below the number of items.
``rates``
    An item has, for each category, a rate at which annotators give it, and annotators are
    independent given the item. The distribution of rates over items is arbitrary. A retained label
    is a guess if its rate is below `easy_rate`. Annotators may err on easy items.

Guarantees and limits of both models are in docs/explanation/noise.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, SummarisedScalars, axes_or_new
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.noise import _guessing, _rates, easy_hard
from annobench.noise._guessing import Guess, Guesses
from annobench.noise._votes import Votes
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import proportion_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "EASY_RATE",
    "Bound",
    "Certificate",
    "EasyHardModel",
    "Model",
    "RatesModel",
    "Systems",
    "Truth",
    "bounds",
    "certificate",
    "dichotomise",
    "hidden_guesses",
    "posterior_bound",
    "unexplained_difference",
]

Model = Literal["easy_hard", "rates"]
RetentionRule = Literal["unanimous", "majority"]
Systems = Literal["any", "opposed", "independent"]

#: From this median number of labels on, the default model is "rates".
ENOUGH_LABELS: Final = 5
#: A label with a lower rate is a guess; the upper end of `mixtures.HARD`.
EASY_RATE: Final = 0.6
#: Share of the error probability spent on nuisance parameters (Berger and Boos 1994).
UNKNOWN: Final = 0.3

#: Share of the guessed labels on which two systems differ.
DIFFER: Final = {"opposed": 1.0, "independent": 0.5}

#: Upper bound on the number of guesses, for a retention rule and an error probability.
Bound = Callable[[float, float], int]


@dataclass(frozen=True)
class EasyHardModel:
    """Assumptions and results of a certificate under the model "easy_hard".

    Attributes
    ----------
    posterior : float
        The posterior bound of Equation 1: the posterior probability of more guesses is below
        1 - level under a uniform prior on the number of hard items. If the guess distribution is
        estimated, it is integrated over its posterior. NaN for an estimated distribution over more
        than two categories.
    chance : float
        Largest probability that the guesses on a hard item all agree.
    guess_distribution : tuple of float
        Lower and upper limit of the probability of a guess, given or estimated: of the last of two
        categories; with more, the smallest and largest of any category.
    estimated : bool
        Whether the guess distribution was estimated.
    """

    posterior: float
    chance: float
    guess_distribution: tuple[float, float]
    estimated: bool

    @property
    def assumption(self) -> str:
        """The assumption, to be read after "if"."""
        source = "which is estimated from the disagreements" if self.estimated else "as given"
        return (
            "all annotators give an easy item the same label, and each guesses a hard one "
            f"independently, by one distribution, {source}"
        )


@dataclass(frozen=True)
class RatesModel:
    """Assumptions and results of a certificate under the model "rates".

    Attributes
    ----------
    easy_rate : float
        Rate from which a label is not a guess.
    fits : bool
        False if the labels reject the model; nothing is certified then.
    """

    easy_rate: float
    fits: bool

    @property
    def assumption(self) -> str:
        """The assumption, to be read after "if"."""
        return (
            "annotators label an item independently of each other, where a guess is a label "
            f"that fewer than {100 * self.easy_rate:.3g}% of all annotators would give"
        )


@dataclass(frozen=True, eq=False)
class Certificate(Summarised):
    """An upper confidence bound on the number of guesses among the retained labels.

    Attributes
    ----------
    level : float
        Confidence level, in (0, 1).
    min_agreement : float
        Share of its labels that an item needs to be retained; 0.5 means more than half.
    n_items : int
        Items with at least two labels; others can't be certified.
    n_left_out : int
        Items with fewer labels.
    n_unanimous, n_retained : int
        Items on which all labels agree, and items retained.
    n_guesses : int
        The upper bound at `level`. It is `n_retained` where nothing can be certified.
    expected : float
        Point estimate of the number of guesses, at the maximum-likelihood distribution of guesses
        or rates.
    easy_hard : EasyHardModel or None
        Assumptions and results, if the model is "easy_hard".
    rates : RatesModel or None
        Assumptions and results, if the model is "rates".
    retained : ndarray of bool, shape (I,)
        Items retained.
    label : ndarray of int, shape (I,)
        Codes of the retained labels, -1 elsewhere.
    rules : DataFrame
        A row for each retention rule: keep, n_retained, n_guesses, rate, expected, and the smallest
        unexplained differences any, opposed and independent. The level is that of each row alone,
        for a rule chosen in advance.
    n_guesses_half : int
        As `n_guesses`, at half the error probability.
    unequal : bool
        Whether items have unequal numbers of labels.
    remarks : tuple of str
        Caveats.
    """

    level: float
    min_agreement: float
    n_items: int
    n_left_out: int
    n_unanimous: int
    n_retained: int
    n_guesses: int
    expected: float
    easy_hard: EasyHardModel | None
    rates: RatesModel | None
    retained: NDArray[np.bool_]
    label: NDArray[np.int64]
    rules: pd.DataFrame
    n_guesses_half: int
    unequal: bool
    remarks: tuple[str, ...] = field(default=())

    @property
    def model(self) -> Model:
        """The model assumed, "easy_hard" or "rates"."""
        return "rates" if self.easy_hard is None else "easy_hard"

    @property
    def fits(self) -> bool:
        """False if the labels reject the model; nothing is certified then."""
        return self.rates is None or self.rates.fits

    @property
    def _assumed(self) -> EasyHardModel | RatesModel:
        found = self.rates if self.easy_hard is None else self.easy_hard
        assert found is not None  # one of the two is
        return found

    @property
    def rate(self) -> float:
        """The bound as a share of the retained labels, in [0, 1]; NaN if none is retained."""
        return self.n_guesses / self.n_retained if self.n_retained else math.nan

    @property
    def condition(self) -> str:
        """The assumptions of the bound, in one sentence."""
        assumed = self._assumed.assumption
        if self.unequal:
            assumed += ", and if hard items have as many labels as easy ones"
        return f"This holds if {assumed}."

    def smallest_difference(self, systems: Systems = "any") -> int:
        """Return the smallest difference of two systems that guesses can't explain.

        Parameters
        ----------
        systems : {"any", "opposed", "independent"}, default "any"
            How the systems answer on guessed labels. "any": arbitrarily; one may be right on all,
            the other on none. "opposed": they differ on all, and each label is a fair coin.
            "independent": they differ on half, as in the paper.

        Returns
        -------
        int
            If the systems are equally good on the other items, guesses alone produce a difference
            of at least this many correct answers with probability at most ``1 - level``. Where
            guesses are coins, half of this error is spent on their number.

        Raises
        ------
        AnnotationError
            If `systems` has another name.
        """
        return unexplained_difference(self.n_guesses, self.n_guesses_half, self.level, systems)

    def against(self, gold: ArrayLike) -> Truth:
        """Compare the retained labels with a gold standard.

        Parameters
        ----------
        gold : array_like of int, shape (I,)
            Codes of the gold categories, in the order of the annotations' categories; -1 where
            there is none.

        Returns
        -------
        Truth
            The numbers of retained labels checked and wrong.

        Raises
        ------
        AnnotationError
            If `gold` is not one code per item.
        """
        codes = np.asarray(gold)
        if codes.shape != self.label.shape or codes.dtype.kind not in "iu":
            raise AnnotationError(
                f"Certificate.against: gold must be {self.label.size} codes of categories, got "
                f"{codes.dtype} of shape {codes.shape}. Give -1 where there is no gold category."
            )
        checked = self.retained & (codes >= 0)
        wrong = int((codes[checked] != self.label[checked]).sum())
        return Truth(int(checked.sum()), wrong, self.n_guesses)

    def summary(self) -> pd.DataFrame:
        """Return the retention rules that were compared.

        Returns
        -------
        DataFrame
            `rules`, with a column `chosen` that marks the rule of this certificate.
        """
        return self.rules.assign(chosen=self.rules["keep"] == self.min_agreement)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot bound and estimate of the share of guesses against the retention rule.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The plot.
        """
        axes = axes_or_new(axes)
        rules = self.rules
        axes.plot(rules["keep"], rules["rate"], "o-", label=f"bound at level {self.level:g}")
        axes.plot(rules["keep"], rules["expected"] / rules["n_retained"], "o--", label="estimate")
        axes.axvline(self.min_agreement, color="grey", linestyle=":", label="chosen rule")
        axes.set(xlabel="share of labels needed", ylabel="share of guesses among retained labels")
        axes.legend()
        return axes

    def _headline(self) -> str:
        # A claim is never shown without its assumptions.
        return str(self)

    def __str__(self) -> str:
        """Return the bound and its assumptions in sentences."""
        if not self.n_retained:
            return "No item is retained, so that there is nothing to certify."
        if not self.fits:
            return (
                f"Nothing is certified of the {self.n_retained:,} retained labels: the labels "
                "reject the model."
            )
        return (
            f"With confidence {self.level:.6g}, at most {self.n_guesses:,} of the "
            f"{self.n_retained:,} retained labels ({100 * self.rate:.1f}%) are guesses. "
            f"{self.condition}"
        )


@dataclass(frozen=True)
class Truth(SummarisedScalars):
    """Retained labels against a gold standard.

    Attributes
    ----------
    n_checked : int
        Retained labels whose item has a gold category.
    n_wrong : int
        Number of these whose gold category differs.
    n_guesses : int
        The bound of the certificate.
    """

    n_checked: int
    n_wrong: int
    n_guesses: int

    @property
    def rate(self) -> float:
        """The share of wrong labels; NaN if none was checked."""
        return self.n_wrong / self.n_checked if self.n_checked else math.nan

    @property
    def exceeds(self) -> bool:
        """Whether more labels are wrong than the bound on the number of guesses.

        Some wrong labels are then not guesses: annotators agree on a category other than gold.
        """
        return self.n_wrong > self.n_guesses

    def interval(self, level: float = 0.95) -> Interval:
        """Return the exact (Clopper-Pearson) interval of the share of wrong labels.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        Interval
            In [0, 1]; NaN if none was checked.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        return proportion_interval(self.n_wrong, self.n_checked, method="exact", level=level)


def certificate(
    annotations: Annotations,
    *,
    level: float = 0.95,
    guess_distribution: Guess | None = None,
    min_agreement: RetentionRule | float | None = None,
    model: Model | None = None,
    easy_rate: float = EASY_RATE,
) -> Certificate:
    """Bound the number of guesses among the retained labels.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `dichotomise`. The number of labels may vary
        between items, provided that it does not depend on difficulty.
    level : float, default 0.95
        Confidence level, in (0, 1).
    guess_distribution : float or sequence of float, optional
        The guess distribution, for "easy_hard". Two categories: the probability of the last, or a
        range (lower, upper) of it. K categories: K probabilities, or a range that contains each of
        them. For a range the worst case is reported. By default it is estimated from items with
        at least three labels, and part of the error probability is spent on its uncertainty; with
        two labels per item it must be given.
    min_agreement : {"unanimous", "majority"} or float, optional
        Share of its labels that an item needs to be retained, in [0.5, 1]; always more than half.
        By default all of them for "easy_hard" and a majority for "rates".
    model : {"easy_hard", "rates"}, optional
        By default "rates" if the median number of labels is at least 5 and no guess is given,
        otherwise "easy_hard".
    easy_rate : float, default 0.6
        For "rates", in [0.5, 1): a retained label is a guess if its rate among all annotators is
        lower.

    Returns
    -------
    Certificate
        The bound `n_guesses`, and `rules` for other choices of `min_agreement`.

    Raises
    ------
    AnnotationError
        If no item has two labels, an annotator labelled an item twice, an argument is out of
        range, or the guess distribution must be given (two labels per item; no disagreement).

    Notes
    -----
    Linear in the number of labels; the bound itself takes some hundredths of a second.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2. Berger and Boos (1994), Journal of the American
    Statistical Association 89, 1012-1016, for the error spent on nuisance parameters.

    Examples
    --------
    The paper's section 3.1: 1,000 items of two annotators, 900 agreements.

    >>> labels = Annotations.from_contingency([[450, 50], [50, 450]])
    >>> found = certificate(labels, guess_distribution=0.5)
    >>> found.n_retained, found.n_guesses, round(found.rate, 3)
    (900, 125, 0.139)
    """
    annotations = as_annotations(annotations, "certificate")
    _check_share("level", level)
    votes = Votes.of(annotations, "certificate")
    chosen = _model(model, guess_distribution, votes)
    share = _share(min_agreement, chosen)
    bound, expected, guesses = bounds(votes, chosen, guess_distribution, easy_rate, level)
    fits = bound(share, 1 - level) >= 0
    rules = _rules(votes, bound, expected, level, share)
    row = rules[rules["keep"] == share].iloc[0]
    kept = votes.kept(share)
    retained = np.zeros(annotations.n_items, dtype=bool)
    retained[votes.item[kept]] = True
    label = np.full(annotations.n_items, -1, dtype=np.int64)
    label[votes.item[kept]] = votes.counts[kept].argmax(axis=1)
    return Certificate(
        level=level,
        min_agreement=share,
        n_items=votes.n_items,
        n_left_out=annotations.n_items - votes.n_items,
        n_unanimous=int(votes.unanimous.sum()),
        n_retained=int(kept.sum()),
        n_guesses=int(row["n_guesses"]),
        expected=float(row["expected"]),
        easy_hard=None if guesses is None else _easy_hard_model(votes, guesses, share, level),
        rates=RatesModel(easy_rate, fits) if guesses is None else None,
        retained=retained,
        label=label,
        rules=rules,
        n_guesses_half=_capped(bound(share, (1 - level) / 2), int(kept.sum())),
        unequal=bool(np.unique(votes.size).size > 1),
        remarks=_remarks(annotations, votes, fits, share, row, guesses),
    )


def _easy_hard_model(votes: Votes, guesses: Guesses, share: float, level: float) -> EasyHardModel:
    return EasyHardModel(
        posterior=posterior_bound(votes, guesses, share, 1 - level),
        chance=guesses.chance,
        guess_distribution=(guesses.low, guesses.high),
        estimated=guesses.estimated,
    )


def dichotomise(annotations: Annotations, threshold: float) -> Annotations:
    """Split numeric labels at a threshold.

    Parameters
    ----------
    annotations : Annotations
        Labels whose categories are numbers.
    threshold : float
        Labels of at least this are in the second category.

    Returns
    -------
    Annotations
        Nominal labels with the two categories "below <threshold>" and "<threshold> or more".

    Raises
    ------
    AnnotationError
        If a category is not a number, or all labels lie on one side.

    Examples
    --------
    >>> scale = Annotations.from_arrays(["x", "x"], ["ann", "bob"], [10, 80], scale="interval")
    >>> dichotomise(scale, 50).categories
    ('below 50', '50 or more')
    """
    annotations = as_annotations(annotations, "dichotomise")
    numbers = annotations.category_values
    split = (numbers >= threshold)[annotations.label]
    if split.size and split.min() == split.max():
        raise AnnotationError(
            f"dichotomise: all {split.size:,} labels lie on one side of {threshold:.15g}. Choose a "
            f"threshold between {numbers.min():.15g} and {numbers.max():.15g}."
        )
    names = f"below {threshold:.15g}", f"{threshold:.15g} or more"
    return annotations.relabel(split, categories=names, scale="nominal")


def _check_share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise AnnotationError(
            f"certificate: {name} must be between 0 and 1, got {value!r}. Give a share, such as "
            "0.95."
        )


def _model(model: Model | None, guess_distribution: Guess | None, votes: Votes) -> Model:
    """Choose a model from the design alone, as choosing from the labels would affect the level."""
    if model in ("easy_hard", "rates"):
        return model
    if model is not None:
        raise AnnotationError(
            f"certificate: model {model!r} is not one of 'easy_hard', 'rates'. Choose one."
        )
    enough = np.median(votes.size) >= ENOUGH_LABELS
    return "rates" if enough and guess_distribution is None else "easy_hard"


def _share(min_agreement: RetentionRule | float | None, model: Model) -> float:
    if min_agreement is None:
        min_agreement = "unanimous" if model == "easy_hard" else "majority"
    share = (
        {"unanimous": 1.0, "majority": 0.5}.get(min_agreement, min_agreement)
        if isinstance(min_agreement, str)
        else min_agreement
    )
    if isinstance(share, str) or not 0.5 <= share <= 1:
        raise AnnotationError(
            "certificate: min_agreement must be 'unanimous', 'majority' or a share of labels in "
            f"[0.5, 1], got {min_agreement!r}."
        )
    return float(share)


def hidden_guesses(n_disagreed: int, chance: float, alpha: float) -> int:
    """Bound the number of hard items that show no disagreement.

    Parameters
    ----------
    n_disagreed : int
        d, at least 0.
    chance : float
        Probability that all guesses on a hard item agree, in [0, 1].
    alpha : float
        Probability that the bound is too small, in (0, 1).

    Returns
    -------
    int
        h - d, for the largest number h of hard items with P(Binomial(h, 1 - chance) <= d) above
        `alpha`. It is the upper quantile of a negative binomial distribution, the posterior under a
        uniform prior on all numbers of hard items.

    Examples
    --------
    >>> hidden_guesses(100, 0.5, 0.05)  # section 3.1: 125 hidden among 900 agreements
    125
    """
    if chance >= 1:
        return int(np.iinfo(np.int64).max)
    return int(stats.nbinom.isf(alpha, n_disagreed + 1, 1 - chance))


def bounds(
    votes: Votes, model: Model, guess_distribution: Guess | None, easy_rate: float, level: float
) -> tuple[Bound, Callable[[float], float], Guesses | None]:
    """Return functions that bound and estimate the number of guesses under a retention rule.

    Parameters
    ----------
    votes : Votes
        Votes of items with two or more labels.
    model, guess_distribution, easy_rate, level
        As in `certificate`.

    Returns
    -------
    bound : callable
        Takes the share of labels that an item needs and the error probability; returns the upper
        bound, not yet capped by the number of retained labels; negative if the labels reject the
        model.
    expected : callable
        Takes the required share; returns a point estimate.
    guesses : Guesses or None
        The guess distribution, given or estimated; None for "rates".
    """
    if model == "easy_hard":
        return _easy_hard(votes, guess_distribution, level)
    return (*_by_rates(votes, guess_distribution, easy_rate), None)


def _easy_hard(
    votes: Votes, guess_distribution: Guess | None, level: float
) -> tuple[Bound, Callable[[float], float], Guesses]:
    unanimous = votes.unanimous
    n_disagreed = int((~unanimous).sum())
    unknown = UNKNOWN if guess_distribution is None else 0.0
    if guess_distribution is None:
        guesses = _guessing.estimated(votes, unknown * (1 - level), "certificate")
    else:
        guesses = _guessing.given(guess_distribution, votes.size, votes.n_categories, "certificate")

    @cache
    def known(alpha: float) -> Guesses:
        if guess_distribution is not None or alpha == 1 - level:
            return guesses
        return _guessing.estimated(votes, unknown * alpha, "certificate", likely=guesses.likely)

    def bound(min_agreement: float, alpha: float) -> int:
        visible = int((votes.kept(min_agreement) & ~unanimous).sum())
        hidden = hidden_guesses(n_disagreed, known(alpha).chance, alpha * (1 - unknown))
        return visible + min(hidden, int(unanimous.sum()))

    def expected(min_agreement: float) -> float:
        visible = int((votes.kept(min_agreement) & ~unanimous).sum())
        chance = min(guesses.likely_chance, _guessing.MAX_CHANCE)
        found = easy_hard.hard_given_agreed(votes.n_items, n_disagreed, chance)
        return visible + found.mean

    return bound, expected, guesses


def posterior_bound(
    votes: Votes, guesses: Guesses | None, min_agreement: float, alpha: float
) -> float:
    """Return the posterior bound of Equation 1 under a retention rule.

    Parameters
    ----------
    votes : Votes
        Votes of items with two or more labels.
    guesses : Guesses or None
        As from `bounds`.
    min_agreement : float
        Required share of labels.
    alpha : float
        Posterior probability of more guesses.

    Returns
    -------
    float
        Number of labels; NaN if there is no such bound.
    """
    if guesses is None or (guesses.estimated and votes.n_categories > 2):
        return math.nan
    n_disagreed = int((~votes.unanimous).sum())
    visible = int((votes.kept(min_agreement) & ~votes.unanimous).sum())
    if guesses.estimated:
        return visible + _guessing.posterior_hidden(votes, alpha)
    found = easy_hard.hard_given_agreed(votes.n_items, n_disagreed, guesses.chance)
    return visible + found.upper(1 - alpha)


def _by_rates(
    votes: Votes, guess_distribution: Guess | None, easy_rate: float
) -> tuple[Bound, Callable[[float], float]]:
    """Return the functions of `bounds` for "rates"."""
    if guess_distribution is not None:
        raise AnnotationError(
            "certificate: guess_distribution is for the model 'easy_hard'; the model 'rates' "
            "has none. Drop it, or give model='easy_hard'."
        )
    if not 0.5 <= easy_rate < 1:
        raise AnnotationError(
            f"certificate: easy_rate must be in [0.5, 1), got {easy_rate!r}. Give the rate "
            "from which a label is not a guess, such as 0.6."
        )
    groups = _rates.Groups.of(votes, easy_rate)

    @cache
    def region(alpha: float) -> _rates.Region:
        return _rates.Region.of(groups, UNKNOWN * alpha)

    @cache
    def largest_share(min_agreement: float, alpha: float) -> float:
        return region(alpha).largest(_rates.kept_guesses(votes, groups, min_agreement, easy_rate))

    @cache
    def probability() -> NDArray[np.float64]:
        return _rates.RateDistribution.of(votes, easy_rate).guess_probability(easy_rate)

    def bound(min_agreement: float, alpha: float) -> int:
        share = largest_share(min_agreement, alpha)
        if math.isnan(share):
            return -1
        return int(stats.binom.isf(alpha * (1 - UNKNOWN), votes.n_items, min(share, 1.0)))

    def expected(min_agreement: float) -> float:
        return float(probability()[votes.kept(min_agreement)].sum())

    return bound, expected


def _capped(n_guesses: int, n_retained: int) -> int:
    """Cap a bound at the number retained, which it also is if the model is rejected."""
    return n_retained if n_guesses < 0 else min(n_guesses, n_retained)


def _rules(
    votes: Votes,
    bound: Bound,
    expected: Callable[[float], float],
    level: float,
    chosen: float,
) -> pd.DataFrame:
    """Tabulate the bounds of all retention rules."""
    shares = sorted({0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0, chosen})
    rows = []
    seen: set[tuple[int, ...]] = set()
    # The chosen share comes first, and stands for those that are equivalent.
    for share in sorted(shares, key=lambda share: (share != chosen, -share)):
        needed = votes.needed(share)
        if needed in seen:
            continue
        seen.add(needed)
        number = int(votes.kept(share).sum())
        upper = _capped(bound(share, 1 - level), number)
        half = _capped(bound(share, (1 - level) / 2), number)
        rows.append(
            {
                "keep": share,
                "n_retained": number,
                "n_guesses": upper,
                "rate": upper / number if number else math.nan,
                "expected": expected(share),
            }
            | {
                systems: unexplained_difference(upper, half, level, systems)
                for systems in ("any", "opposed", "independent")
            }
        )
    return pd.DataFrame(rows).sort_values("keep", ignore_index=True)


def unexplained_difference(
    n_guesses: int, n_guesses_half: int, level: float, systems: Systems
) -> int:
    """Return the smallest difference of two systems that guesses can't explain.

    Parameters
    ----------
    n_guesses, n_guesses_half : int
        Bounds on the number of guesses at the error probability and at half of it.
    level : float
        In (0, 1).
    systems : {"any", "opposed", "independent"}
        As in `Certificate.smallest_difference`.

    Returns
    -------
    int
        Number of items, at least 1.

    Raises
    ------
    AnnotationError
        If `systems` has another name.

    Examples
    --------
    >>> unexplained_difference(125, 125, 0.95, "independent")
    19
    """
    if systems == "any":
        return n_guesses + 1
    if systems not in DIFFER:
        raise AnnotationError(
            f"smallest_difference: systems {systems!r} is not one of 'any', 'opposed', "
            "'independent'. Choose one."
        )
    if n_guesses_half == 0:
        return 1
    found = easy_hard.chance_difference(
        n_guesses_half, n_guesses_half, level=(1 + level) / 2, differ=DIFFER[systems]
    )
    return found.n_items + 1


def _remarks(
    annotations: Annotations,
    votes: Votes,
    fits: bool,
    min_agreement: float,
    row: pd.Series,
    guesses: Guesses | None,
) -> tuple[str, ...]:
    left_out = annotations.n_items - votes.n_items
    found = []
    if left_out:
        some = "1 item has" if left_out == 1 else f"{left_out:,} items have"
        found.append(f"{some} fewer than two labels and can't be certified.")
    if not fits:
        found.append(
            "No distribution of rates fits these labels: annotators are not independent given the "
            "item, as when some answer without looking. Leave these out, or use model='easy_hard'."
        )
    if np.unique(votes.size).size > 1:
        found.append(
            "Items have unequal numbers of labels; the bound assumes that this number does not "
            "depend on difficulty."
        )
    if (
        guesses is not None
        and min_agreement < 1
        and (~votes.unanimous & votes.kept(min_agreement)).any()
    ):
        found.append(
            "In this model all labels of an easy item agree, so that every retained item with a "
            "disagreement counts as a guess."
        )
    if fits and row["n_retained"] and row["n_guesses"] == row["n_retained"]:
        found.append("The bound is all retained labels: nothing is certified.")
    return tuple(found)
