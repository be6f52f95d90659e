"""The posterior of kappa between two annotators under the multilevel binary model.

Given prevalence and both annotators' sensitivity and specificity, the probability that
they agree on an item follows, whether or not they labelled the same items. Each
posterior draw gives one value of kappa.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, DegenerateWarning, check_level
from annobench.core.results import Summarised
from annobench.models.hierarchical_binary import HierarchicalBinaryFit


@dataclass(frozen=True, eq=False)
class KappaPosterior(Summarised):
    """Draws of agreement and of kappa between two annotators.

    Attributes
    ----------
    agreement : ndarray, shape (C, S)
        Probability that the two agree on an item.
    kappa_prevalence : ndarray, shape (C, S)
        Chance agreement from the prevalence of the true categories, as the paper prints
        it; two annotators who guess at their own rates need not get 0.
    kappa_margins : ndarray, shape (C, S)
        Chance agreement from each annotator's own rate of labels, as Cohen's kappa has it.
    """

    agreement: NDArray[np.float64]
    kappa_prevalence: NDArray[np.float64]
    kappa_margins: NDArray[np.float64]

    def summary(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return posterior means and central intervals.

        Parameters
        ----------
        level : float, default 0.95
            Of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            Rows `agreement`, `kappa_prevalence` and `kappa_margins`; columns `estimate`, `lower`,
            `upper`. NaN where kappa is undefined in some draw.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        check_level(level, "KappaPosterior.summary")
        tail = (1 - level) / 2
        rows = {
            name: (draws.mean(), *np.quantile(draws, [tail, 1 - tail]))
            for name, draws in vars(self).items()
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "lower", "upper"])

    def _headline(self) -> str:
        return ", ".join(f"{name} {row.estimate:.3f}" for name, row in self.summary().iterrows())


def kappa_posterior(fitted: HierarchicalBinaryFit, first: str, second: str) -> KappaPosterior:
    """Draw from the posterior of kappa between two annotators of a fit.

    Parameters
    ----------
    fitted : HierarchicalBinaryFit
        The posterior.
    first, second : str
        Names of two different annotators.

    Returns
    -------
    KappaPosterior
        One value of each kind for every draw.

    Raises
    ------
    AnnotationError
        If a name is unknown, or the two are the same.

    Warns
    -----
    DegenerateWarning
        If chance agreement is 1 in some draws (a category or a label is certain); kappa is
        NaN there.

    References
    ----------
    Carpenter (2008), section 6.
    """
    for name in (first, second):
        if name not in fitted.annotators:
            raise AnnotationError(
                f"kappa_posterior: annotator {name!r} is not in the fit. "
                f"It has {len(fitted.annotators)}, for example {fitted.annotators[0]!r}."
            )
    if first == second:
        raise AnnotationError(
            f"kappa_posterior: {first!r} is given twice. Two labels of one annotator are not "
            "independent given the category; name two annotators."
        )
    draws = fitted.draws
    j, other = fitted.annotators.index(first), fitted.annotators.index(second)
    prevalence = draws.prevalence
    sensitivity = draws.sensitivity[..., j], draws.sensitivity[..., other]
    specificity = draws.specificity[..., j], draws.specificity[..., other]
    agreement = prevalence * _both_alike(*sensitivity) + (1 - prevalence) * _both_alike(
        *specificity
    )
    rates = [
        prevalence * sens + (1 - prevalence) * (1 - spec)
        for sens, spec in zip(sensitivity, specificity, strict=True)
    ]
    return KappaPosterior(
        agreement,
        _chance_corrected(agreement, _both_alike(prevalence, prevalence), "prevalence"),
        _chance_corrected(agreement, _both_alike(*rates), "margins"),
    )


def _both_alike(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    return p * q + (1 - p) * (1 - q)


def _chance_corrected(
    agreement: NDArray[np.float64], chance: NDArray[np.float64], source: str
) -> NDArray[np.float64]:
    undefined = int((chance >= 1).sum())
    if undefined:
        warnings.warn(
            f"kappa_posterior: in {undefined} of {chance.size} draws the chance agreement from "
            f"the {source} is 1, and kappa is undefined (NaN).",
            DegenerateWarning,
            stacklevel=3,
        )
    kappa = np.full(chance.shape, np.nan)
    np.divide(agreement - chance, 1 - chance, out=kappa, where=chance < 1)
    return kappa
