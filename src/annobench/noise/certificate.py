"""The noise certificate: at most so many of the retained labels are guesses, with confidence.

An item is retained if the share of its labels that name one category is large enough, and that
category is its label. How many of the retained labels are guesses can't be seen, but bounded,
under one of two models:

``easy_hard``
    Beigman Klebanov and Beigman (2009). All annotators give an easy item its category; on a hard
    item each guesses by one distribution, independently. Items with a disagreement are hard, and
    the question is how many of the others are, too. The bound is the largest number of hard items
    that the number of disagreements does not reject, at the least favourable distribution of
    guesses that is given, or that the labels allow. It holds at every number of hard items. Where
    the distribution is given, and as long as it is below the number of items, it is also the
    posterior bound of the paper's Equation 1.
``rates``
    An item has, for each category, a rate at which annotators would give it, and annotators are
    independent given the item. Nothing is assumed of how rates vary over items. A retained label
    is a guess if its rate is below `settled`. Annotators may err on easy items.

What each promises, and where it doesn't hold, is in docs/explanation/noise.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from annobench.core.errors import AnnotationError, check_level
from annobench.labels.annotations import Annotations
from annobench.noise import _guessing, _rates, easy_hard
from annobench.noise._guessing import Guess, Guesses
from annobench.noise._votes import Votes

Model = Literal["easy_hard", "rates"]
Keep = Literal["unanimous", "majority"]
Systems = Literal["any", "opposed", "independent"]

#: Where items have at least this many labels, annotators are allowed errors on easy ones.
ENOUGH_LABELS: Final = 5
#: A label that fewer annotators would give is a guess; the end of `mixtures.HARD`.
SETTLED: Final = 0.6
#: The part of the error that goes to what is unknown beside the number of guesses.
UNKNOWN: Final = 0.3

#: Share of the guesses that two systems answer differently.
DIFFER: Final = {"opposed": 1.0, "independent": 0.5}

#: Number of guesses at most, for a rule of retaining and a probability of being wrong.
Bound = Callable[[float, float], int]


@dataclass(frozen=True, eq=False)
class Certificate:
    """How many retained labels are guesses, at most.

    Attributes
    ----------
    model : {"easy_hard", "rates"}
        What is assumed.
    confidence : float
        In (0, 1).
    keep : float
        Share of the labels that an item needs to be retained; 0.5 means more than half.
    n_items : int
        Items with two labels or more; others can't be certified.
    n_left_out : int
        Items with fewer.
    n_unanimous, n_retained : int
        Items on which all labels agree, and items retained.
    n_guesses : int
        At most this many retained labels are guesses, with `confidence`. It is `n_retained`
        where nothing can be certified.
    posterior : float
        The bound of Equation 1: the posterior probability of more is below 1 - confidence, if
        every number of hard items is equally likely beforehand. Where guesses are estimated, it
        is averaged over their posterior. NaN for "rates", and for guesses of more than two
        categories that are estimated.
    expected : float
        An estimate of that number, at the most likely distribution of guesses or rates.
    chance : float
        Largest chance that the guesses on a hard item all agree; NaN for "rates".
    guess : tuple of float
        Ends of the probability of a guess that were given or estimated: of the last of two
        categories, or of more, the smallest and largest of any. NaN for "rates".
    guess_estimated : bool
        Whether `guess` was estimated.
    settled : float
        Rate from which a label is no guess; NaN for "easy_hard".
    fits : bool
        False if the labels reject the model, and nothing is certified.
    retained : ndarray of bool, shape (I,)
        Items retained.
    label : ndarray of int, shape (I,)
        Codes of the retained labels, -1 elsewhere.
    rules : DataFrame
        For each share of labels that can be asked for: keep, n_retained, n_guesses, rate,
        expected, and the smallest differences any, opposed and independent. Each row holds for
        a rule that was chosen without looking at the others.
    n_guesses_half : int
        As `n_guesses`, with half the probability of being wrong.
    unequal : bool
        Whether items have unequal numbers of labels.
    remarks : tuple of str
        What a reader must know beside.
    """

    model: Model
    confidence: float
    keep: float
    n_items: int
    n_left_out: int
    n_unanimous: int
    n_retained: int
    n_guesses: int
    posterior: float
    expected: float
    chance: float
    guess: tuple[float, float]
    guess_estimated: bool
    settled: float
    fits: bool
    retained: NDArray[np.bool_]
    label: NDArray[np.int64]
    rules: pd.DataFrame
    n_guesses_half: int
    unequal: bool
    remarks: tuple[str, ...] = field(default=())

    @property
    def rate(self) -> float:
        """The largest share of guesses among the retained labels, in [0, 1]; NaN for none."""
        return self.n_guesses / self.n_retained if self.n_retained else math.nan

    @property
    def condition(self) -> str:
        """What is assumed for the bound to hold with its confidence, in one sentence."""
        if self.model == "rates":
            assumed = (
                "annotators label an item independently of each other, where a guess is a label "
                f"that fewer than {100 * self.settled:.3g}% of all annotators would give"
            )
        else:
            source = "which is estimated from the disagreements"
            if not self.guess_estimated:
                source = "as was given"
            assumed = (
                "all annotators give an easy item the same label, and each guesses a hard one "
                f"independently, by one distribution, {source}"
            )
        if self.unequal:
            assumed += ", and if hard items have as many labels as easy ones"
        return f"This holds if {assumed}."

    def smallest_difference(self, systems: Systems = "any") -> int:
        """Return by how many items one system must be ahead so that guesses can't explain it.

        Parameters
        ----------
        systems : {"any", "opposed", "independent"}, default "any"
            What the systems do on guessed labels. "any": nothing is known, and one might be right
            on all, the other on none. "opposed": they differ on all, and each label is a fair coin.
            "independent": they differ on half, as the paper has it.

        Returns
        -------
        int
            A difference of as many correct answers or more comes about by guesses alone with
            probability at most ``1 - confidence``, if the systems are equally good on the other
            items. Where guesses are coins, half of it is spent on their number.

        Raises
        ------
        AnnotationError
            If `systems` has another name.
        """
        return unexplained_difference(self.n_guesses, self.n_guesses_half, self.confidence, systems)

    def against(self, gold: ArrayLike) -> Truth:
        """Compare the retained labels with a gold standard.

        Parameters
        ----------
        gold : array_like of int, shape (I,)
            Codes of the gold categories in the order of the annotations' categories; -1 where
            there is none.

        Returns
        -------
        Truth
            How many retained labels are wrong.

        Raises
        ------
        AnnotationError
            If `gold` is not one code an item.
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

    def __str__(self) -> str:
        """Say what is certified, and on which condition."""
        if not self.n_retained:
            return "No item is retained, so that there is nothing to certify."
        if not self.fits:
            return (
                f"Nothing is certified of the {self.n_retained:,} retained labels: the labels "
                "reject the model."
            )
        return (
            f"With confidence {self.confidence:.6g}, at most {self.n_guesses:,} of the "
            f"{self.n_retained:,} retained labels ({100 * self.rate:.1f}%) are guesses. "
            f"{self.condition}"
        )

    def __repr__(self) -> str:
        """Say the same, with the name of the class."""
        return f"Certificate({self})"


@dataclass(frozen=True)
class Truth:
    """Retained labels against a gold standard.

    Attributes
    ----------
    n_checked : int
        Retained labels whose item has a gold category.
    n_wrong : int
        Those that are another category.
    n_guesses : int
        What the certificate allows.
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
        """Whether more labels are wrong than the certificate allows guesses.

        Some labels are then wrong that are no guesses: annotators agree on what gold is not.
        """
        return self.n_wrong > self.n_guesses

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return exact limits (Clopper and Pearson) of the share of wrong labels.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        lower, upper : float
            In [0, 1]; NaN if none was checked.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        check_level(level, "Truth.interval")
        if not self.n_checked:
            return math.nan, math.nan
        found = stats.binomtest(self.n_wrong, self.n_checked).proportion_ci(level, "exact")
        return float(found.low), float(found.high)


def certificate(
    annotations: Annotations,
    *,
    confidence: float = 0.95,
    guess: Guess | None = None,
    keep: Keep | float | None = None,
    model: Model | None = None,
    settled: float = SETTLED,
) -> Certificate:
    """Certify how many of the retained labels are guesses, at most.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `dichotomise`. Items may have unequal numbers of
        labels, if hard items have no more or fewer than easy ones.
    confidence : float, default 0.95
        In (0, 1).
    guess : float or sequence of float, optional
        The distribution of guesses on a hard item, for "easy_hard". Of two categories: the
        probability of the last, or a range (low, high) of it. Of K: K probabilities, or a range
        that each lies in. Of a range the worst case is reported. By default it is estimated from
        items of three labels or more, and a part of the error is spent on its uncertainty; with
        two labels an item it has to be given.
    keep : {"unanimous", "majority"} or float, optional
        Share of its labels that an item needs to be retained, in [0.5, 1]; always more than half.
        By default all of them for "easy_hard" and a majority for "rates".
    model : {"easy_hard", "rates"}, optional
        By default "rates" if the median number of labels is 5 or more, and no guess is given, and
        "easy_hard" otherwise.
    settled : float, default 0.6
        For "rates", in [0.5, 1): a retained label is a guess if fewer of all annotators would
        give it.

    Returns
    -------
    Certificate
        `n_guesses` of `n_retained`, `rate`, `rules` for other choices of `keep`.

    Raises
    ------
    AnnotationError
        If no item has two labels, an annotator labelled an item twice, an argument is out of
        range, or the guesses must be given (two labels an item; no disagreement).

    Notes
    -----
    Linear in the number of labels, and some hundredths of a second for the bound.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2. Berger and Boos (1994), Journal of the American
    Statistical Association 89, 1012-1016, for the part of the error spent on the unknown.

    Examples
    --------
    The paper's section 3.1: 1,000 items of two annotators, 900 agreements.

    >>> labels = Annotations.from_contingency([[450, 50], [50, 450]])
    >>> found = certificate(labels, guess=0.5)
    >>> found.n_retained, found.n_guesses, round(found.rate, 3)
    (900, 125, 0.139)
    """
    _check_share("confidence", confidence)
    votes = Votes.of(annotations, "certificate")
    chosen = _model(model, guess, votes)
    share = _share(keep, chosen)
    bound, expected, guesses = bounds(votes, chosen, guess, settled, confidence)
    fits = bound(share, 1 - confidence) >= 0
    rules = _rules(votes, bound, expected, confidence, share)
    row = rules[rules["keep"] == share].iloc[0]
    kept = votes.kept(share)
    retained = np.zeros(annotations.n_items, dtype=bool)
    retained[votes.item[kept]] = True
    label = np.full(annotations.n_items, -1, dtype=np.int64)
    label[votes.item[kept]] = votes.counts[kept].argmax(axis=1)
    return Certificate(
        model=chosen,
        confidence=confidence,
        keep=share,
        n_items=votes.n_items,
        n_left_out=annotations.n_items - votes.n_items,
        n_unanimous=int(votes.unanimous.sum()),
        n_retained=int(kept.sum()),
        n_guesses=int(row["n_guesses"]),
        posterior=posterior_bound(votes, guesses, share, 1 - confidence),
        expected=float(row["expected"]),
        chance=guesses.chance if guesses else math.nan,
        guess=(guesses.low, guesses.high) if guesses else (math.nan, math.nan),
        guess_estimated=bool(guesses and guesses.estimated),
        settled=math.nan if guesses else settled,
        fits=fits,
        retained=retained,
        label=label,
        rules=rules,
        n_guesses_half=_capped(bound(share, (1 - confidence) / 2), int(kept.sum())),
        unequal=bool(np.unique(votes.size).size > 1),
        remarks=_remarks(annotations, votes, fits, share, row, guesses),
    )


def dichotomise(annotations: Annotations, threshold: float) -> Annotations:
    """Split numeric labels at a threshold.

    Parameters
    ----------
    annotations : Annotations
        Whose categories are numbers.
    threshold : float
        Labels from it upwards are of the second category.

    Returns
    -------
    Annotations
        Nominal, of the two categories "below <threshold>" and "<threshold> or more".

    Raises
    ------
    AnnotationError
        If a category is no number, or all labels lie on one side.

    Examples
    --------
    >>> scale = Annotations.from_arrays(["x", "x"], ["ann", "bob"], [10, 80], scale="interval")
    >>> dichotomise(scale, 50).categories
    ('below 50', '50 or more')
    """
    numbers = annotations.category_values
    split = (numbers >= threshold)[annotations.label].astype(np.int16)
    if split.size and split.min() == split.max():
        raise AnnotationError(
            f"dichotomise: all {split.size:,} labels lie on one side of {threshold:.15g}. Choose a "
            f"threshold between {numbers.min():.15g} and {numbers.max():.15g}."
        )
    return Annotations(
        annotations.item,
        annotations.annotator,
        split,
        annotations.items,
        annotations.annotators,
        (f"below {threshold:.15g}", f"{threshold:.15g} or more"),
    )


def _check_share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise AnnotationError(
            f"certificate: {name} must be between 0 and 1, got {value!r}. Give a share, such as "
            "0.95."
        )


def _model(model: Model | None, guess: Guess | None, votes: Votes) -> Model:
    """Choose by the design alone, so that the choice leaves the promise as it is."""
    if model in ("easy_hard", "rates"):
        return model
    if model is not None:
        raise AnnotationError(
            f"certificate: model {model!r} is not one of 'easy_hard', 'rates'. Choose one."
        )
    enough = np.median(votes.size) >= ENOUGH_LABELS
    return "rates" if enough and guess is None else "easy_hard"


def _share(keep: Keep | float | None, model: Model) -> float:
    if keep is None:
        keep = "unanimous" if model == "easy_hard" else "majority"
    share = {"unanimous": 1.0, "majority": 0.5}.get(keep, keep) if isinstance(keep, str) else keep
    if isinstance(share, str) or not 0.5 <= share <= 1:
        raise AnnotationError(
            f"certificate: keep must be 'unanimous', 'majority' or a share of labels in [0.5, 1], "
            f"got {keep!r}."
        )
    return float(share)


def hidden_guesses(n_disagreed: int, chance: float, miss: float) -> int:
    """Bound the number of hard items that show no disagreement.

    Parameters
    ----------
    n_disagreed : int
        d, at least 0.
    chance : float
        That all guesses on a hard item agree, in [0, 1].
    miss : float
        Probability that the bound is too small, in (0, 1).

    Returns
    -------
    int
        h - d, for the largest number h of hard items with P(Binomial(h, 1 - chance) <= d) above
        `miss`. It is the upper quantile of a negative binomial number: the posterior that makes
        every number of hard items, without an end, equally likely.

    Examples
    --------
    >>> hidden_guesses(100, 0.5, 0.05)  # section 3.1: 125 hidden among 900 agreements
    125
    """
    if chance >= 1:
        return int(np.iinfo(np.int64).max)
    return int(stats.nbinom.isf(miss, n_disagreed + 1, 1 - chance))


def bounds(
    votes: Votes, model: Model, guess: Guess | None, settled: float, confidence: float
) -> tuple[Bound, Callable[[float], float], Guesses | None]:
    """Return what bounds and what estimates the number of guesses under a rule.

    Parameters
    ----------
    votes : Votes
        Of items with two labels or more.
    model, guess, settled, confidence
        As in `certificate`.

    Returns
    -------
    bound : callable
        Of the share of labels that an item needs and the probability of being wrong: the largest
        number of guesses, not yet capped by the number of retained labels; negative if the
        labels reject the model.
    expected : callable
        Of that share: an estimate of the number.
    guesses : Guesses or None
        What is known of the distribution of guesses; None for "rates".
    """
    if model == "easy_hard":
        return _easy_hard(votes, guess, confidence)
    return (*_by_rates(votes, guess, settled), None)


def _easy_hard(
    votes: Votes, guess: Guess | None, confidence: float
) -> tuple[Bound, Callable[[float], float], Guesses]:
    unanimous = votes.unanimous
    n_disagreed = int((~unanimous).sum())
    unknown = UNKNOWN if guess is None else 0.0

    if guess is None:
        guesses = _guessing.estimated(votes, unknown * (1 - confidence), "certificate")
    else:
        guesses = _guessing.given(guess, votes.size, votes.n_categories, "certificate")

    @cache
    def known(miss: float) -> Guesses:
        if guess is not None or miss == 1 - confidence:
            return guesses
        return _guessing.estimated(votes, unknown * miss, "certificate", likely=guesses.likely)

    def bound(keep: float, miss: float) -> int:
        visible = int((votes.kept(keep) & ~unanimous).sum())
        hidden = hidden_guesses(n_disagreed, known(miss).chance, miss * (1 - unknown))
        return visible + min(hidden, int(unanimous.sum()))

    def expected(keep: float) -> float:
        visible = int((votes.kept(keep) & ~unanimous).sum())
        chance = min(guesses.likely_chance, 1 - 1e-12)
        found = easy_hard.hard_given_agreed(votes.n_items, n_disagreed, chance)
        return visible + found.mean

    return bound, expected, guesses


def posterior_bound(votes: Votes, guesses: Guesses | None, keep: float, miss: float) -> float:
    """Return the bound of Equation 1 under a rule of retaining.

    Parameters
    ----------
    votes : Votes
        Of items with two labels or more.
    guesses : Guesses or None
        What is known of them, as from `bounds`.
    keep : float
        Share of labels that an item needs.
    miss : float
        Posterior probability of more guesses.

    Returns
    -------
    float
        A number of labels; NaN where there is no such bound.
    """
    if guesses is None or (guesses.estimated and votes.n_categories > 2):
        return math.nan
    n_disagreed = int((~votes.unanimous).sum())
    visible = int((votes.kept(keep) & ~votes.unanimous).sum())
    if guesses.estimated:
        return visible + _guessing.posterior_hidden(votes, miss)
    found = easy_hard.hard_given_agreed(votes.n_items, n_disagreed, guesses.chance)
    return visible + found.upper(1 - miss)


def _by_rates(
    votes: Votes, guess: Guess | None, settled: float
) -> tuple[Bound, Callable[[float], float]]:
    """Return bound and estimate by rule; the bound is -1 where the labels reject the model."""
    if guess is not None:
        raise AnnotationError(
            "certificate: guess is for the model 'easy_hard'; the model 'rates' has no "
            "distribution of guesses. Drop guess, or give model='easy_hard'."
        )
    if not 0.5 <= settled < 1:
        raise AnnotationError(
            f"certificate: settled must be in [0.5, 1), got {settled!r}. Give the share of "
            "annotators from which a label is no guess, such as 0.6."
        )
    classes = _rates.Classes.of(votes, settled)

    @cache
    def region(miss: float) -> _rates.Region:
        return _rates.Region.of(classes, UNKNOWN * miss)

    @cache
    def largest_share(keep: float, miss: float) -> float:
        return region(miss).largest(_rates.kept_guesses(votes, classes, keep, settled))

    @cache
    def probability() -> NDArray[np.float64]:
        return _rates.Spread.of(votes, settled).guess_probability(settled)

    def bound(keep: float, miss: float) -> int:
        share = largest_share(keep, miss)
        if math.isnan(share):
            return -1
        return int(stats.binom.isf(miss * (1 - UNKNOWN), votes.n_items, min(share, 1.0)))

    def expected(keep: float) -> float:
        return float(probability()[votes.kept(keep)].sum())

    return bound, expected


def _capped(n_guesses: int, n_retained: int) -> int:
    """Return a bound that is at most all; where the model is rejected, all."""
    return n_retained if n_guesses < 0 else min(n_guesses, n_retained)


def _rules(
    votes: Votes,
    bound: Bound,
    expected: Callable[[float], float],
    confidence: float,
    chosen: float,
) -> pd.DataFrame:
    """Tabulate what other rules of retaining would certify."""
    shares = sorted({0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0, chosen})
    rows = []
    seen: set[tuple[int, ...]] = set()
    # The chosen share comes first, and speaks for those that ask for the same.
    for share in sorted(shares, key=lambda share: (share != chosen, -share)):
        asked = votes.asked(share)
        if asked in seen:
            continue
        seen.add(asked)
        number = int(votes.kept(share).sum())
        most = _capped(bound(share, 1 - confidence), number)
        half = _capped(bound(share, (1 - confidence) / 2), number)
        rows.append(
            {
                "keep": share,
                "n_retained": number,
                "n_guesses": most,
                "rate": most / number if number else math.nan,
                "expected": expected(share),
            }
            | {
                systems: unexplained_difference(most, half, confidence, systems)
                for systems in ("any", "opposed", "independent")
            }
        )
    return pd.DataFrame(rows).sort_values("keep", ignore_index=True)


def unexplained_difference(
    n_guesses: int, n_guesses_half: int, confidence: float, systems: Systems
) -> int:
    """Return the smallest difference of two systems that guesses can't explain.

    Parameters
    ----------
    n_guesses, n_guesses_half : int
        Bounds of the number of guesses with all and with half the probability of being wrong.
    confidence : float
        In (0, 1).
    systems : {"any", "opposed", "independent"}
        As in `Certificate.smallest_difference`.

    Returns
    -------
    int
        Items, at least 1.

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
        n_guesses_half, n_guesses_half, level=(1 + confidence) / 2, differ=DIFFER[systems]
    )
    return found.n_items + 1


def _remarks(
    annotations: Annotations,
    votes: Votes,
    fits: bool,
    keep: float,
    row: pd.Series,
    guesses: Guesses | None,
) -> tuple[str, ...]:
    left_out = annotations.n_items - votes.n_items
    found = []
    if left_out:
        found.append(f"{left_out:,} items have fewer than two labels and can't be certified.")
    if not fits:
        found.append(
            "No distribution of rates makes labels like these: annotators are not independent "
            "given the item, as when some answer without looking. Leave them out, or take "
            "model='easy_hard'."
        )
    if np.unique(votes.size).size > 1:
        found.append(
            "Items have unequal numbers of labels; the promise needs that hard ones have no more "
            "and no fewer than others."
        )
    if guesses is not None and keep < 1 and (~votes.unanimous & votes.kept(keep)).any():
        found.append(
            "Of easy items all labels agree in this model, so that every retained item with a "
            "disagreement counts as a guess."
        )
    if fits and row["n_retained"] and row["n_guesses"] == row["n_retained"]:
        found.append("The bound is all retained labels: nothing is certified.")
    return tuple(found)
