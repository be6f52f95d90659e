"""Compare draws of any sampler with the reference draws of the same posterior.

Errors are in Monte Carlo standard errors of the difference, under the hypothesis that both sets of
draws have the reference distribution. With e and E the effective sample sizes (section 4 of Vehtari
et al. 2021: of the draws, of their squared deviations, of the indicator of draws up to a quantile)
of the compared draws and of the reference,

- mean: (mean - MEAN) / (SD sqrt(1/e + 1/E)),
- standard deviation: log(sd / SD) / sqrt((KURTOSIS - 1) / 4 (1/e + 1/E)),
- p-quantile Q: f the share of the compared draws up to Q and 1/n = 1/e + 1/E, the normal quantile
  of the probability below p under Beta(n f + 1, n (1 - f) + 1). The error is z if Q is an end of
  the interval of the quantile of level 2 Phi(z) - 1.

Standard deviation and kurtosis are the reference's, estimated precisely from 10,000 draws;
estimates from few draws would give the errors heavy tails. Bonferroni's correction covers all
parameters and the five statistics of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.models.diagnostics import MAX_R_HAT, MIN_EFFECTIVE, has_converged
from annobench.posteriors import measures, relabelling
from annobench.posteriors.draws import Draws, Floats, is_on_log_scale, on_scale
from annobench.posteriors.making import Reference
from annobench.posteriors.measures import QUANTILES, STORED_PRECISION

__all__ = ["Comparison", "compare"]

#: What is compared of each parameter.
STATISTICS = ("mean", "sd", *QUANTILES)
#: The largest chance, of all comparisons together, to find a difference where there is none.
FALSE_ALARMS = 0.01

#: Larger errors of quantiles have probabilities that double precision does not hold.
_LARGEST = 38.0

Verdict = Literal["agree", "differ", "not converged"]


@dataclass(frozen=True, eq=False)
class Comparison(Summarised):
    """Comparison of draws with the reference draws of their posterior.

    Attributes
    ----------
    posterior : str
        Name of the reference.
    table : DataFrame
        By parameter: `scale` ("log" where logarithms are compared), for each statistic (`mean`,
        `sd`, `q5`, `q50`, `q95`) its value in the draws, ``mcse_`` its Monte Carlo standard error,
        ``reference_`` the reference's value, and ``error_`` the difference in Monte Carlo standard
        errors of both; `r_hat` (infinite where draws never move that should), `ess_bulk` and
        `ess_tail` of the draws; `largest_error`.
    threshold : float
        Errors beyond it are significant.
    level : float
        Probability of any error beyond the threshold if the distributions are equal.
    n_chains, n_draws : int
        Numbers of chains and draws compared.
    remarks : tuple of str
        Remarks on convergence, label switching and parameters not compared.
    """

    posterior: str
    table: pd.DataFrame
    threshold: float
    level: float
    n_chains: int
    n_draws: int
    remarks: tuple[str, ...]

    @property
    def errors(self) -> Floats:
        """Errors of P parameters in five statistics, shape (P, 5)."""
        return self.table[[f"error_{name}" for name in STATISTICS]].to_numpy(dtype=np.float64)

    @property
    def n_different(self) -> int:
        """Parameters with an error beyond the threshold."""
        return int((self.table["largest_error"] > self.threshold).sum())

    @property
    def verdict(self) -> Verdict:
        """Whether the draws agree with the reference, if the chains have converged."""
        if not has_converged(self.table):
            return "not converged"
        return "differ" if self.n_different else "agree"

    def summary(self) -> pd.DataFrame:
        """Return the errors, the largest first.

        Returns
        -------
        DataFrame
            By parameter: the errors in Monte Carlo standard errors, and R-hat.
        """
        columns = [*(f"error_{name}" for name in STATISTICS), "r_hat"]
        return self.table.sort_values("largest_error", ascending=False, kind="stable")[columns]

    def _headline(self) -> str:
        words = {
            "agree": f"no error beyond {self.threshold:.2f} Monte Carlo standard errors",
            "differ": f"{self.n_different:,} of {len(self.table):,} parameters differ",
            "not converged": "the chains have not converged",
        }
        return (
            f"{self.n_chains} chains of {self.n_draws:,} draws and {self.posterior}: "
            f"{words[self.verdict]}"
        )


def compare(draws: Draws, reference: Reference, *, level: float = FALSE_ALARMS) -> Comparison:
    """Compare draws with reference draws.

    Parameters
    ----------
    draws : Draws
        Draws of some or all parameters of the reference, by name; others are ignored.
    reference : Reference
        Reference draws of the same posterior.
    level : float, default 0.01
        Familywise error rate of all comparisons.

    Returns
    -------
    Comparison
        Errors in Monte Carlo standard errors, and a verdict.

    Raises
    ------
    AnnotationError
        If no parameter is in the reference, a concentration is not above 0, or the level is out of
        range.

    Notes
    -----
    Differences below `measures.STORED_PRECISION` are attributed to rounding in files. A parameter
    that is constant up to rounding in the reference is compared only by its mean.
    """
    check_level(level, "compare")
    draws, left_out = _common(draws, reference)
    table = _table(draws, reference)
    n_compared = int(np.isfinite(table[[f"error_{name}" for name in STATISTICS]]).sum().sum())
    threshold = float(special.ndtri(1 - level / 2 / n_compared))
    n_chains, n_draws, _ = draws.array.shape
    remarks = [*draws.remarks, *_convergence(table, n_chains * n_draws)]
    remarks += _exchanged(draws, reference, threshold)
    remarks += left_out
    return Comparison(
        reference.record.name, table, threshold, level, n_chains, n_draws, tuple(remarks)
    )


def _common(draws: Draws, reference: Reference) -> tuple[Draws, list[str]]:
    """Keep the reference's parameters; report those left out or missing."""
    known = reference.table.index
    shared = [name for name in draws.names if name in known]
    if not shared:
        wrong = draws.names[0] if draws.names else ""
        zero = any("[0" in name or ",0" in name for name in draws.names)
        raise AnnotationError(
            f"compare: none of the {len(draws.names)} columns is a parameter of "
            f"{reference.record.name}, such as {wrong!r}.{did_you_mean(wrong, known)} "
            f"{'Indices begin at 1. ' if zero else ''}It has {', '.join(_families(known))}."
        )
    found = draws.select(shared)
    for n, name in enumerate(found.names):
        if is_on_log_scale(name) and (found.array[:, :, n] <= 0).any():
            raise AnnotationError(
                f"compare: {name} has draws that are not above 0. Give the concentration itself, "
                "not its logarithm."
            )
    remarks = []
    other = [name for name in draws.names if name not in known and not name.endswith("__")]
    if other:
        remarks.append(
            f"Not parameters of this posterior, and left out: {', '.join(other[:5])}"
            f"{f' and {len(other) - 5:,} more' if len(other) > 5 else ''}."
        )
    missing = [name for name in known if name not in set(shared)]
    if missing:
        remarks.append(
            f"{len(missing):,} of {len(known):,} parameters of the reference are not among the "
            f"draws: {', '.join(_families(missing))}."
        )
    return found, remarks


def _families(names: object) -> list[str]:
    """Name parameters, without the indices of their components."""
    return list(dict.fromkeys(str(name).split("[")[0] for name in names))  # type: ignore[attr-defined]


def _table(draws: Draws, reference: Reference) -> pd.DataFrame:
    values = on_scale(draws)
    own = measures.summarise(draws.names, values)
    ref = reference.table.loc[list(draws.names)]
    table = pd.DataFrame({"scale": ["log" if is_on_log_scale(n) else "" for n in draws.names]})
    table.index = own.index
    errors = _errors(own, ref, values)
    for name in STATISTICS:
        table[name] = own[name]
        table[f"mcse_{name}"] = own[f"mcse_{name}"]
        table[f"reference_{name}"] = ref[name]
        table[f"error_{name}"] = errors[name]
    for name in ("r_hat", "ess_bulk", "ess_tail"):
        table[name] = own[name]
    stuck = own["r_hat"].isna() & ref["r_hat"].notna()
    table.loc[stuck, "r_hat"] = np.inf
    table["largest_error"] = np.nanmax(np.abs(np.stack(list(errors.values()))), axis=0)
    return table


def _errors(own: pd.DataFrame, ref: pd.DataFrame, values: Floats) -> dict[str, Floats]:
    """Return errors by statistic; NaN where a statistic of a constant is not compared."""

    def column(table: pd.DataFrame, name: str) -> Floats:
        return table[name].to_numpy(dtype=np.float64)

    tolerance = STORED_PRECISION * np.maximum(1, np.abs(column(ref, "mean")))
    fixed = np.isnan(column(ref, "kurtosis"))
    # Draws that never move tell nothing of their own; one effective draw is what they are worth.
    sizes = {
        name: np.nan_to_num(column(own, f"ess_{name}"), nan=1.0) for name in ("mean", "sd", "bulk")
    }
    difference = column(own, "mean") - column(ref, "mean")
    difference = np.sign(difference) * np.maximum(np.abs(difference) - tolerance, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_draw = {
            name: 1 / sizes[name] + 1 / column(ref, f"ess_{name}") for name in ("mean", "sd")
        }
        mean = difference / (column(ref, "sd") * np.sqrt(per_draw["mean"]))
        mean = np.where(fixed, np.where(difference == 0, 0.0, np.inf * difference), mean)
        ratio = np.maximum(column(own, "sd"), tolerance) / column(ref, "sd")
        sd = np.log(ratio) / np.sqrt((column(ref, "kurtosis") - 1) / 4 * per_draw["sd"])
    found = {"mean": mean, "sd": np.where(fixed, np.nan, sd)}
    for name, p in QUANTILES.items():
        limit = column(ref, name)
        size = measures.effective_size_below(values, limit)
        size = np.where(np.isnan(size), sizes["bulk"], size)
        size = 1 / (1 / size + 1 / column(ref, f"ess_{name}"))
        # Rounding may put a draw on the other side: of these shares the one nearest to p.
        low, high = ((values <= limit + sign * tolerance).mean(axis=(0, 1)) for sign in (-1, 1))
        share = np.clip(p, low, high)
        found[name] = np.where(fixed, np.nan, _quantile_errors(share, size, p))
    return found


def _quantile_errors(share: Floats, size: Floats, p: float) -> Floats:
    """Return normal quantiles of p under the beta distributions of shares, finite in the tails."""
    a, b = size * share + 1, size * (1 - share) + 1
    lower, upper = special.betainc(a, b, p), special.betaincc(a, b, p)
    with np.errstate(divide="ignore"):
        error = np.where(lower < 0.5, special.ndtri(lower), -special.ndtri(upper))
    # A share of p itself is no error, whatever the skewness of the distribution.
    return np.where(share == p, 0.0, np.clip(error, -_LARGEST, _LARGEST))


def _convergence(table: pd.DataFrame, n_draws: int) -> list[str]:
    remarks = []
    if (table["r_hat"] > MAX_R_HAT).any():
        worst = table["r_hat"].idxmax()
        remarks.append(
            f"R-hat of {worst} is {table['r_hat'].max():.3f}, above {MAX_R_HAT}: chains have not "
            "mixed, and standard errors are too small. Take more draws, or find out in which "
            "modes the chains are."
        )
    sizes = table[["ess_bulk", "ess_tail"]].min(axis=1)
    if (sizes < MIN_EFFECTIVE).any():
        worst = sizes.idxmin()
        remarks.append(
            f"{worst} has {sizes.min():,.0f} effective draws of {n_draws:,}; with fewer than "
            f"{MIN_EFFECTIVE} standard errors can't be relied on. Take more draws."
        )
    return remarks


def _exchanged(draws: Draws, reference: Reference, threshold: float) -> list[str]:
    """Report chains with label switching, and the remaining errors after relabelling."""
    axes = dict(zip(map(str, reference.table.index), reference.table["axes"], strict=True))
    ref = reference.table.loc[list(draws.names)]
    target, spread = (ref[name].to_numpy(dtype=np.float64) for name in ("mean", "sd"))
    means = on_scale(draws).mean(axis=1)
    found = [relabelling.find_order(m, draws.names, axes, target, spread) for m in means]
    if not any(found):
        return []
    remarks = []
    for order in dict.fromkeys(order for order in found if order is not None):
        chains = [c for c, other in enumerate(found, 1) if other == order]
        listed = f" in {'chain' if len(chains) == 1 else 'chains'} {', '.join(map(str, chains))}"
        where = "" if len(chains) == len(found) else listed
        remarks.append(f"Your {relabelling.describe(order)}{where}.")
    parts = []
    for c, moved in enumerate(found):
        chain = Draws(draws.names, draws.array[c : c + 1])
        parts.append(chain if moved is None else relabelling.relabel(chain, axes, moved))
    names = [n for n in draws.names if all(n in part.names for part in parts)]
    mended = np.concatenate([part.select(names).array for part in parts])
    table = _table(Draws(tuple(names), mended), reference)
    beyond = int((table["largest_error"] > threshold).sum())
    left = f"{beyond:,} of {len(table):,} parameters differ" if beyond else "no parameter differs"
    remarks.append(f"With the classes named as in the reference {left}.")
    return remarks
