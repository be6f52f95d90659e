"""Precision and recall of a detector, estimated from a stratified sample of its output.

A detector divides a corpus of I items into those it flags as errors and those it passes.
An annotator checks a random sample of each stratum, drawn without replacement. Errors among the
flagged are hits, errors among the passed are misses. With N_h items in stratum h, of which n_h are
sampled, and a share p_h of errors in the sample, the rate of hits is A = N_f p_f / I and the rate
of misses B = N_p p_p / I; precision is p_f and recall A / (A + B).

The two samples are independent, each count hypergeometric, and the unbiased estimate of the
variance of p_h is (1 - n_h / N_h) p_h (1 - p_h) / (n_h - 1) (Cochran 1977, theorem 3.2). The
variance of recall follows by the delta method: (B^2 Var A + A^2 Var B) / (A + B)^4.

Methods of intervals, in `METHODS`:

``paper``
    Tetreault and Chodorow (2008), section 6.3: p -+ z sqrt(p (1 - p) / n), as if sampled with
    replacement. Precision has the interval of the hits; the paper says that recall is computed in a
    similar manner: here with hits and misses at opposite limits of their intervals, as the paper
    does for hits and false positives.
``paper_hits_only``
    The other reading of that sentence: hits at the limits of their interval, misses at their
    estimate.
``stratified``
    Estimate -+ z standard errors, with the variances above.
``logit``
    As ``stratified``, on the logit scale, on which recall is log A - log B; NaN if the share itself
    is 0 or 1.
``wilson``
    Wilson's interval of each share, with the variance of sampling without replacement, combined by
    recovering variances from the limits (MOVER). Recommended: its coverage is closest to the
    nominal level, especially with few or no misses, and it exists for every sample with an error.

References
----------
Tetreault and Chodorow (2008), section 6. Cochran (1977), Sampling Techniques, chapters 2, 3
and 5. Wilson (1927). Donner and Zou (2012), Statistical Methods in Medical Research 21,
347-359, for the ratio of two estimates with intervals.
"""

from __future__ import annotations

import math
import operator
import warnings
from dataclasses import dataclass, fields
from typing import Final, NamedTuple, SupportsIndex

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.core.results import Summarised
from annobench.core.tolerances import WHOLE, ZERO
from annobench.evaluation._shares import Floats, Share, lower_end, on_log_odds
from annobench.resampling.proportions import wilson_limits

__all__ = [
    "METHODS",
    "RECOMMENDED",
    "Coverage",
    "Estimate",
    "Population",
    "SampleSizes",
    "SamplingEstimate",
    "Savings",
    "StratifiedSample",
    "coverage",
    "estimate",
    "random_sample_size",
    "sample_sizes",
    "savings",
]

#: How an interval can be computed; the module's docstring describes each.
METHODS: Final = ("paper", "paper_hits_only", "stratified", "logit", "wilson")

#: The method whose intervals are the most trustworthy.
RECOMMENDED: Final = "wilson"

#: Outcomes so rare that all of them together can't be seen in a coverage.
_NEGLIGIBLE: Final = 1e-12


@dataclass(frozen=True)
class StratifiedSample:
    """Errors found in samples of the flagged and of the passed items.

    Attributes
    ----------
    flagged, passed : int
        Items of the corpus that the detector flags, and that it passes; at least 1 each.
    flagged_sample, passed_sample : int
        Numbers of items sampled from each, from 1 to all.
    hits, misses : int
        Numbers of errors among the sampled flagged and passed items.

    Raises
    ------
    AnnotationError
        If a number is not a whole number, a stratum or a sample is empty, a sample is larger than
        its stratum, or there are more errors than sampled items.
    """

    flagged: int
    passed: int
    flagged_sample: int
    passed_sample: int
    hits: int
    misses: int

    def __post_init__(self) -> None:
        """Reject an impossible sample."""
        _whole_numbers(self)
        for size, sample, errors in (
            ("flagged", "flagged_sample", "hits"),
            ("passed", "passed_sample", "misses"),
        ):
            _check_sample("StratifiedSample", size, getattr(self, size), getattr(self, sample))
            _check_at_most(
                "StratifiedSample", errors, getattr(self, errors), sample, getattr(self, sample)
            )


@dataclass(frozen=True)
class Population:
    """A fully known corpus, for planning and simulation.

    Attributes
    ----------
    flagged, passed : int
        Items that the detector flags, and that it passes; at least 1 each.
    flagged_errors, passed_errors : int
        Numbers of errors among each.

    Raises
    ------
    AnnotationError
        If a number is not a whole number, a stratum is empty, or has more errors than items.
    """

    flagged: int
    passed: int
    flagged_errors: int
    passed_errors: int

    def __post_init__(self) -> None:
        """Reject an impossible population."""
        _whole_numbers(self)
        for name in ("flagged", "passed"):
            size, errors = f"{name}", f"{name}_errors"
            if getattr(self, size) < 1:
                raise AnnotationError(
                    f"Population: {size} is {getattr(self, size)}, an empty stratum. "
                    "Give at least one item."
                )
            _check_at_most("Population", errors, getattr(self, errors), size, getattr(self, size))

    @classmethod
    def from_rates(
        cls, size: int, *, error_rate: float, precision: float, recall: float
    ) -> Population:
        """Return the corpus whose counts are nearest to given rates.

        Parameters
        ----------
        size : int
            Items of the corpus.
        error_rate : float
            Share of errors in the corpus, in (0, 1).
        precision, recall : float
            Of the detector, in (0, 1].

        Returns
        -------
        Population
            Rounded stratum by stratum.

        Raises
        ------
        AnnotationError
            If a rate is out of range, or no corpus of that size is possible.

        Examples
        --------
        >>> Population.from_rates(10_000, error_rate=0.35, precision=0.8, recall=0.08 / 0.35)
        Population(flagged=1000, passed=9000, flagged_errors=800, passed_errors=2700)
        """
        rates = {"error_rate": error_rate, "precision": precision, "recall": recall}
        for name, rate in rates.items():
            if not 0 < rate <= 1:
                raise AnnotationError(f"from_rates: {name} is {rate}. Give one in (0, 1].")
        flagged = round(size * error_rate * recall / precision)
        if not 1 <= flagged < size:
            raise AnnotationError(
                f"from_rates: {size} items with these rates have {flagged} flagged and "
                f"{size - flagged} passed. Give rates, or a size, with items in both strata."
            )
        return cls(
            flagged=flagged,
            passed=size - flagged,
            flagged_errors=round(flagged * precision),
            passed_errors=round(size * error_rate * (1 - recall)),
        )

    @property
    def size(self) -> int:
        """Items of the corpus, I."""
        return self.flagged + self.passed

    @property
    def errors(self) -> int:
        """Errors of the corpus."""
        return self.flagged_errors + self.passed_errors

    @property
    def error_rate(self) -> float:
        """Share of errors, in [0, 1]."""
        return self.errors / self.size

    @property
    def precision(self) -> float:
        """Share of errors among the flagged, in [0, 1]."""
        return self.flagged_errors / self.flagged

    @property
    def recall(self) -> float:
        """Share of the errors that are flagged, in [0, 1]; NaN without an error."""
        return self.flagged_errors / self.errors if self.errors else math.nan

    def standard_errors(self, flagged_sample: int, passed_sample: int) -> tuple[float, float]:
        """Return the standard errors for given sample sizes.

        Parameters
        ----------
        flagged_sample, passed_sample : int
            Items to sample from each stratum.

        Returns
        -------
        tuple of float
            Exact for precision; by the delta method for recall, NaN without an error.

        Raises
        ------
        AnnotationError
            If a sample is empty or larger than its stratum.
        """
        _check_sample("standard_errors", "flagged", self.flagged, flagged_sample)
        _check_sample("standard_errors", "passed", self.passed, passed_sample)
        precision = self._spread("flagged") * (1 / flagged_sample - 1 / self.flagged)
        if not self.errors:
            return math.sqrt(precision), math.nan
        of_flagged, of_passed = self._recall_spreads()
        recall = of_flagged * (1 / flagged_sample - 1 / self.flagged) + of_passed * (
            1 / passed_sample - 1 / self.passed
        )
        return math.sqrt(precision), math.sqrt(recall)

    def draw(
        self,
        flagged_sample: int,
        passed_sample: int,
        *,
        n: int,
        rng: np.random.Generator | int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw samples and count the errors in them.

        Parameters
        ----------
        flagged_sample, passed_sample : int
            Items to sample from each stratum, without replacement.
        n : int
            Number of repetitions.
        rng : numpy.random.Generator or int, optional
            Source of random numbers.

        Returns
        -------
        tuple of ndarray of int, shape (n,)
            Hits and misses of each repetition.

        Raises
        ------
        AnnotationError
            If a sample is empty or larger than its stratum.
        """
        rng = np.random.default_rng(rng)
        _check_sample("draw", "flagged", self.flagged, flagged_sample)
        _check_sample("draw", "passed", self.passed, passed_sample)
        hits = rng.hypergeometric(
            self.flagged_errors, self.flagged - self.flagged_errors, flagged_sample, n
        )
        misses = rng.hypergeometric(
            self.passed_errors, self.passed - self.passed_errors, passed_sample, n
        )
        return hits, misses

    def _spread(self, stratum: str) -> float:
        """Return S^2, the variance among a stratum's items with divisor N - 1."""
        size: int = getattr(self, stratum)
        errors: int = getattr(self, f"{stratum}_errors")
        return errors * (size - errors) / (size * max(size - 1, 1))

    def _recall_spreads(self) -> tuple[float, float]:
        """Return c_f, c_p of Var(recall) = c_f (1/n_f - 1/N_f) + c_p (1/n_p - 1/N_p)."""
        scale = float(self.errors) ** 4
        of_flagged = (self.passed_errors * self.flagged) ** 2 * self._spread("flagged") / scale
        of_passed = (self.flagged_errors * self.passed) ** 2 * self._spread("passed") / scale
        return of_flagged, of_passed


class Estimate(NamedTuple):
    """A rate with its uncertainty.

    Attributes
    ----------
    value : float
        In [0, 1].
    standard_error : float
        At least 0; NaN if a sample of one item does not identify the variance.
    lower, upper : float
        Limits of the interval, in [0, 1]; NaN if the method has none.
    """

    value: float
    standard_error: float
    lower: float
    upper: float


@dataclass(frozen=True)
class SamplingEstimate(Summarised):
    """Overall rates, precision and recall of a detector.

    Attributes
    ----------
    hits, false_positives, misses : Estimate
        Rates in the whole corpus; hits and false positives add up to the flagged share.
    error_rate : Estimate
        Hits and misses together.
    precision, recall : Estimate
        Recall is NaN if no error was found.
    method : str
        One of `METHODS`.
    level : float
        Level of the intervals, in (0, 1).
    """

    hits: Estimate
    false_positives: Estimate
    misses: Estimate
    error_rate: Estimate
    precision: Estimate
    recall: Estimate
    method: str
    level: float

    def summary(self) -> pd.DataFrame:
        """Return the rates, precision and recall.

        Returns
        -------
        DataFrame
            One row per rate: value, standard_error, lower, upper; the index `rate` is its name.
        """
        rates = {field.name: getattr(self, field.name) for field in fields(self)[:6]}
        return pd.DataFrame(rates.values(), pd.Index(rates, name="rate"))

    def _headline(self) -> str:
        shown = (
            f"{name} {found.value:.4g}, {found.lower:.4g} to {found.upper:.4g}"
            for name, found in (("precision", self.precision), ("recall", self.recall))
        )
        return f"{'; '.join(shown)} ({100 * self.level:.4g}% {self.method})"


def estimate(
    sample: StratifiedSample, *, method: str = RECOMMENDED, level: float = 0.95
) -> SamplingEstimate:
    """Estimate a detector's overall rates, precision and recall from a stratified sample.

    Parameters
    ----------
    sample : StratifiedSample
        Sizes of the strata and of the samples, and the errors found.
    method : {"wilson", "logit", "stratified", "paper", "paper_hits_only"}
        How intervals are computed. The point estimates are the same for all.
    level : float, default 0.95
        Level of the intervals, in (0, 1).

    Returns
    -------
    SamplingEstimate
        Six rates, each with standard error and interval. Standard errors allow for sampling without
        replacement, except for the paper's methods, which use the paper's formula.

    Raises
    ------
    AnnotationError
        If the method is unknown or the level out of range.

    Warns
    -----
    DegenerateWarning
        If no error was found, so that recall is NaN; or a sample of one item leaves a
        variance undefined.

    References
    ----------
    Tetreault and Chodorow (2008), section 6, steps 5 to 7 and section 6.3.

    Examples
    --------
    >>> found = StratifiedSample(flagged=1000, passed=9000, flagged_sample=750,
    ...                          passed_sample=1500, hits=600, misses=450)
    >>> result = estimate(found)  # precision 600/750; recall .08/(.08 + .27)
    >>> round(result.precision.value, 2), round(result.recall.value, 4)
    (0.8, 0.2286)
    """
    kernel = _Kernel(
        sample.flagged, sample.passed, sample.flagged_sample, sample.passed_sample, method, level
    )
    found = kernel.estimates(np.array([sample.hits]), np.array([sample.misses]))
    if sample.hits + sample.misses == 0:
        warnings.warn(
            "estimate: no error was found in either sample, so recall is undefined (NaN). "
            "Sample more items.",
            DegenerateWarning,
            stacklevel=2,
        )
    elif math.isnan(found["recall"][1][0]):
        warnings.warn(
            "estimate: a sample of one item does not identify a stratum's variance, so standard "
            "errors are undefined (NaN). Sample at least two.",
            DegenerateWarning,
            stacklevel=2,
        )
    rates = {name: Estimate(*(float(part[0]) for part in parts)) for name, parts in found.items()}
    return SamplingEstimate(**rates, method=method, level=level)


class Coverage(NamedTuple):
    """Coverage and width of intervals.

    Attributes
    ----------
    precision, recall : float
        Probability that the interval contains the true value, in [0, 1]; samples without an
        interval count as misses.
    precision_width, recall_width : float
        Expected width of the intervals, if they exist.
    """

    precision: float
    recall: float
    precision_width: float
    recall_width: float


def coverage(
    population: Population,
    flagged_sample: int,
    passed_sample: int,
    *,
    method: str = RECOMMENDED,
    level: float = 0.95,
) -> Coverage:
    """Compute the exact coverage of an interval by enumerating all outcomes.

    Parameters
    ----------
    population : Population
        The corpus, with at least one error.
    flagged_sample, passed_sample : int
        Items sampled of either stratum.
    method : str
        One of `METHODS`.
    level : float, default 0.95
        Nominal level, in (0, 1).

    Returns
    -------
    Coverage
        Coverage for precision and recall: sums of hypergeometric probabilities of hits and misses,
        without outcomes of probability below 1e-12.

    Raises
    ------
    AnnotationError
        If there is no error in the population, a sample is empty or larger than its stratum,
        the method is unknown or the level out of range.

    Notes
    -----
    The cost is the product of the numbers of probable hits and of probable misses.
    """
    if not population.errors:
        raise AnnotationError(
            "coverage: the population has no error, so recall is undefined. Give it at least one."
        )
    _check_sample("coverage", "flagged", population.flagged, flagged_sample)
    _check_sample("coverage", "passed", population.passed, passed_sample)
    kernel = _Kernel(
        population.flagged, population.passed, flagged_sample, passed_sample, method, level
    )
    hits, of_hits = _outcomes(population.flagged, population.flagged_errors, flagged_sample)
    misses, of_misses = _outcomes(population.passed, population.passed_errors, passed_sample)
    probability = np.multiply.outer(of_hits, of_misses).ravel()
    found = kernel.estimates(np.repeat(hits, misses.size), np.tile(misses, hits.size))
    parts: list[tuple[float, float]] = []
    for truth, (_, _, lower, upper) in (
        (population.precision, found["precision"]),
        (population.recall, found["recall"]),
    ):
        # Dust in the last bits must not part an end from a truth that it equals.
        holds = (lower <= truth + ZERO) & (truth <= upper + ZERO)
        defined = np.isfinite(lower) & np.isfinite(upper)
        mass = probability[defined].sum()
        width = probability[defined] @ (upper - lower)[defined] / mass if mass else math.nan
        parts.append((float(probability @ holds), float(width)))
    (precision, precision_width), (recall, recall_width) = parts
    return Coverage(precision, recall, precision_width, recall_width)


class SampleSizes(NamedTuple):
    """Sizes of the two samples, and the resulting half-widths.

    Attributes
    ----------
    flagged_sample, passed_sample : int
        Items to sample; no passed items if recall is not requested.
    precision_half_width, recall_half_width : float
        Expected half-widths at the given level; NaN for recall if not requested.
    """

    flagged_sample: int
    passed_sample: int
    precision_half_width: float
    recall_half_width: float


def sample_sizes(
    population: Population,
    *,
    precision_half_width: float | None = None,
    recall_half_width: float | None = None,
    level: float = 0.95,
) -> SampleSizes:
    """Find the smallest samples whose intervals are narrow enough.

    Parameters
    ----------
    population : Population
        The corpus as anticipated.
    precision_half_width, recall_half_width : float, optional
        Maximum half-widths, above 0; give at least one.
    level : float, default 0.95
        Level of the intervals, in (0, 1).

    Returns
    -------
    SampleSizes
        The pair of sizes with the fewest items that meets the requirements.

    Raises
    ------
    AnnotationError
        If no half-width is given, one is not above 0, the level is out of range, or recall is
        requested and the population has no error.

    Notes
    -----
    Half-widths are z standard errors, with the variance of sampling without replacement.
    For recall alone the optimum is Neyman's: n_h in proportion to the square root of c_h in
    Var(recall) = sum of c_h (1/n_h - 1/N_h). Here every size of one sample is tried with the
    smallest size of the other, so whole numbers, full strata and joint requirements need no special
    case.

    References
    ----------
    Cochran (1977), sections 4.2 and 5.5.

    Examples
    --------
    >>> corpus = Population(flagged=1000, passed=9000, flagged_errors=800, passed_errors=2700)
    >>> sample_sizes(corpus, precision_half_width=0.03)[:2]
    (407, 0)
    """
    z = _quantile(level)
    wishes = {
        "precision_half_width": precision_half_width,
        "recall_half_width": recall_half_width,
    }
    if all(wish is None for wish in wishes.values()):
        raise AnnotationError("sample_sizes: no half-width is given. Give at least one.")
    for name, wish in wishes.items():
        if wish is not None and not wish > 0:
            raise AnnotationError(f"sample_sizes: {name} is {wish}. Give one above 0.")
    smallest = 1
    if precision_half_width is not None:
        spread, limit = population._spread("flagged"), (precision_half_width / z) ** 2
        smallest = _least_size(spread, limit, population.flagged)
    if recall_half_width is None:
        precision, _ = population.standard_errors(smallest, 1)
        return SampleSizes(smallest, 0, z * precision, math.nan)
    if not population.errors:
        raise AnnotationError(
            "sample_sizes: the population has no error, so recall can't be planned for. Give it "
            "the expected errors."
        )
    of_flagged, of_passed = population._recall_spreads()
    flagged = np.arange(smallest, population.flagged + 1)
    left = (recall_half_width / z) ** 2 - of_flagged * (1 / flagged - 1 / population.flagged)
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.ceil(of_passed / (np.maximum(left, 0) + of_passed / population.passed) - WHOLE)
    passed = np.clip(np.nan_to_num(wanted, nan=1.0), 1, population.passed).astype(np.int64)
    total = np.where(left >= 0, flagged + passed, np.iinfo(np.int64).max)
    best = int(np.argmin(total))
    sizes = int(flagged[best]), int(passed[best])
    precision, recall = population.standard_errors(*sizes)
    return SampleSizes(*sizes, z * precision, z * recall)


def random_sample_size(
    population: Population, recall_half_width: float, *, level: float = 0.95
) -> int:
    """Find the size of a simple random sample for the same half-width of recall.

    Parameters
    ----------
    population : Population
        The corpus as anticipated, with at least one error.
    recall_half_width : float
        Half the width of the interval of recall, above 0.
    level : float, default 0.95
        Of the interval, in (0, 1).

    Returns
    -------
    int
        Items to sample regardless of the detector's output. Recall is then the share of hits among
        the errors that happen to be sampled, with the large-sample variance R (1 - R) / e * (1/n -
        1/I) at the error rate e.

    Raises
    ------
    AnnotationError
        If the population has no error, the half-width is not above 0 or the level is out of
        range.
    """
    if not population.errors:
        raise AnnotationError(
            "random_sample_size: the population has no error, so recall can't be planned for. Give "
            "it the expected errors."
        )
    if not recall_half_width > 0:
        raise AnnotationError(
            f"random_sample_size: recall_half_width is {recall_half_width}. Give one above 0."
        )
    recall = population.recall
    spread = recall * (1 - recall) / population.error_rate
    return _least_size(spread, (recall_half_width / _quantile(level)) ** 2, population.size)


class Savings(NamedTuple):
    """The savings of a sample compared with annotating everything.

    Attributes
    ----------
    labels, exhaustive_labels : int
        Items to annotate in the sample, and in all.
    labels_saved : int
        Their difference.
    share_saved : float
        Share of labels, and of hours, saved, in [0, 1].
    hours, exhaustive_hours, hours_saved : float
        Hours of one annotator for the sample and for all items, and their difference.
    """

    labels: int
    exhaustive_labels: int
    labels_saved: int
    share_saved: float
    hours: float
    exhaustive_hours: float
    hours_saved: float


def savings(labels: int, exhaustive_labels: int, *, hours_per_label: float) -> Savings:
    """Compare the cost of a sample with that of annotating everything.

    Parameters
    ----------
    labels : int
        Items to annotate in the sample, at most `exhaustive_labels`.
    exhaustive_labels : int
        Items of the corpus, at least 1.
    hours_per_label : float
        Of one annotator, above 0.

    Returns
    -------
    Savings
        Labels and hours for both, and the savings.

    Raises
    ------
    AnnotationError
        If the corpus is empty, the sample negative or larger than it, or a label takes no time.

    Examples
    --------
    >>> savings(750, 22_000, hours_per_label=4 / 500).hours  # 1.5 batches of 4 hours
    6.0
    """
    if exhaustive_labels < 1:
        raise AnnotationError(
            f"savings: exhaustive_labels is {exhaustive_labels}. Give at least one."
        )
    _check_at_most("savings", "labels", labels, "exhaustive_labels", exhaustive_labels)
    if not (hours_per_label > 0 and math.isfinite(hours_per_label)):
        raise AnnotationError(f"savings: hours_per_label is {hours_per_label}. Give one above 0.")
    saved = exhaustive_labels - labels
    return Savings(
        labels=labels,
        exhaustive_labels=exhaustive_labels,
        labels_saved=saved,
        share_saved=saved / exhaustive_labels,
        hours=labels * hours_per_label,
        exhaustive_hours=exhaustive_labels * hours_per_label,
        hours_saved=saved * hours_per_label,
    )


class _Kernel:
    """Estimates for many outcomes of one design."""

    def __init__(
        self,
        flagged: int,
        passed: int,
        flagged_sample: int,
        passed_sample: int,
        method: str,
        level: float,
    ) -> None:
        if method not in METHODS:
            raise AnnotationError(
                f"method {method!r} is not one of {', '.join(METHODS)}. Choose one of them."
            )
        self.sizes = flagged, passed
        self.samples = flagged_sample, passed_sample
        self.method = method
        self.z = _quantile(level)

    def estimates(
        self, hits: NDArray[np.int64], misses: NDArray[np.int64]
    ) -> dict[str, tuple[Floats, ...]]:
        """Return value, standard error and limits of every rate, in the shape of the outcomes."""
        weights = [size / sum(self.sizes) for size in self.sizes]
        precision = self._share(0, hits)
        a, b = precision.times(weights[0]), self._share(1, misses).times(weights[1])
        rest = Share(
            1 - precision.value, precision.standard_error, 1 - precision.upper, 1 - precision.lower
        )
        return {
            "hits": a,
            "false_positives": rest.times(weights[0]),
            "misses": b,
            "error_rate": self._total(a, b),
            "precision": precision,
            "recall": self._recall(a, b),
        }

    def _share(self, stratum: int, errors: NDArray[np.int64]) -> Share:
        size, n, z = self.sizes[stratum], self.samples[stratum], self.z
        p = errors / n
        spread = p * (1 - p)
        if self.method.startswith("paper"):
            variance = spread / n
        elif n == size:
            variance = np.zeros_like(p)
        else:
            variance = (1 - n / size) * spread / (n - 1) if n > 1 else np.full_like(p, np.nan)
        error = np.sqrt(variance)
        if self.method == "wilson":
            lower, upper = wilson_limits(p, n, size, z)
        elif self.method == "logit":
            lower, upper = on_log_odds(p, error, z)
        else:
            lower, upper = p - z * error, p + z * error
        return Share(p, error, np.clip(lower, 0, 1), np.clip(upper, 0, 1))

    def _total(self, a: Share, b: Share) -> tuple[Floats, ...]:
        value, error = a.value + b.value, np.hypot(a.standard_error, b.standard_error)
        if self.method.startswith("paper"):
            return value, error, a.lower + b.lower, a.upper + b.upper
        if self.method == "logit":
            return value, error, *on_log_odds(value, error, self.z)
        if self.method == "stratified":
            lower, upper = value - self.z * error, value + self.z * error
        else:
            lower = value - np.hypot(a.value - a.lower, b.value - b.lower)
            upper = value + np.hypot(a.upper - a.value, b.upper - b.value)
        return value, error, np.clip(lower, 0, 1), np.clip(upper, 0, 1)

    def _recall(self, a: Share, b: Share) -> tuple[Floats, ...]:
        total = a.value + b.value
        value = _ratio(a.value, total)
        error = _ratio(np.hypot(b.value * a.standard_error, a.value * b.standard_error), total**2)
        match self.method:
            case "paper":
                lower = _ratio(a.lower, a.lower + b.upper)
                upper = _ratio(a.upper, a.upper + b.lower)
            case "paper_hits_only":
                lower = _ratio(a.lower, a.lower + b.value)
                upper = _ratio(a.upper, a.upper + b.value)
            case "stratified":
                lower, upper = value - self.z * error, value + self.z * error
            case "logit":
                lower, upper = on_log_odds(value, error, self.z)
            case _:
                lower, upper = lower_end(a, b), 1 - lower_end(b, a)
        lower, upper = np.clip(lower, 0, 1), np.clip(upper, 0, 1)
        found = total > 0
        return tuple(np.where(found, part, np.nan) for part in (value, error, lower, upper))


def _ratio(part: Floats, total: Floats) -> Floats:
    """Return part / total; 0 where both are 0."""
    return np.divide(part, total, out=np.zeros_like(total), where=total > 0)


def _outcomes(size: int, errors: int, n: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the probable numbers of errors in a sample, and their probabilities."""
    count = np.arange(max(0, n - (size - errors)), min(n, errors) + 1)
    probability = scipy.stats.hypergeom.pmf(count, size, errors, n)
    seen = probability > _NEGLIGIBLE
    return count[seen], probability[seen]


def _least_size(spread: float, variance: float, size: int) -> int:
    """Return the least n with spread * (1/n - 1/size) <= variance."""
    if spread == 0:
        return 1
    return min(size, max(1, math.ceil(spread / (variance + spread / size) - WHOLE)))


def _quantile(level: float) -> float:
    if not 0 < level < 1:
        raise AnnotationError(f"level is {level}. Give one between 0 and 1, such as 0.95.")
    return float(scipy.stats.norm.ppf(0.5 + level / 2))


def _whole_numbers(record: StratifiedSample | Population) -> None:
    for entry in fields(record):
        value: SupportsIndex = getattr(record, entry.name)
        try:
            object.__setattr__(record, entry.name, operator.index(value))
        except TypeError:
            raise AnnotationError(
                f"{type(record).__name__}: {entry.name} is {value!r}. Give a whole number."
            ) from None


def _check_sample(caller: str, stratum: str, size: int, sample: int) -> None:
    if size < 1:
        raise AnnotationError(
            f"{caller}: {stratum} is {size}, an empty stratum, from which nothing can be sampled; "
            "give at least one item."
        )
    if not 1 <= sample <= size:
        raise AnnotationError(
            f"{caller}: {stratum}_sample is {sample}, but the stratum has {size}. "
            f"Give a sample from 1 to {size}."
        )


def _check_at_most(caller: str, name: str, value: int, limit_name: str, limit: int) -> None:
    if not 0 <= value <= limit:
        raise AnnotationError(
            f"{caller}: {name} is {value}, and {limit_name} is {limit}. "
            f"Give a number from 0 to {limit}."
        )
