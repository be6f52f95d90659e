"""Mean-field variational Bayes for several models: updates, bound, stopping.

An item has a category k and one of its M subtypes m. The prevalence, the shares of a category's
subtypes, and the label probabilities of each annotator, category and subtype have Dirichlet priors.
Their posteriors are therefore Dirichlet, too, and every update has a closed form. With M = 1
subtypes coincide with categories.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, entr, gammaln

from annobench.models._fixed_point import kept_positive, largest_change, run_em, space_of
from annobench.models._votes import Floats, Votes, log
from annobench.models.kernels.variational import collect, expect, take_logs


class Dirichlets(NamedTuple):
    """Parameters of the Dirichlet distributions of all global parameters.

    Attributes
    ----------
    prevalence : ndarray, shape (K,)
        For the prevalence.
    subtypes : ndarray, shape (K, M)
        For the shares of each category's subtypes.
    labels : ndarray, shape (J, K, M, K)
        ``[j, k, m]``: for the labels that annotator j gives to subtype m of category k.
    """

    prevalence: Floats
    subtypes: Floats
    labels: Floats

    def means(self) -> Dirichlets:
        """Return the expected probabilities."""
        return Dirichlets(*(part / part.sum(axis=-1, keepdims=True) for part in self))

    def log_normalisers(self) -> float:
        """Return the sum of the logarithms of the distributions' normalising constants."""
        return sum(map(_log_beta, self))


@dataclass(eq=False)
class Ascent:
    """Coordinate ascent from one start.

    Attributes
    ----------
    parameters : Dirichlets
        The last parameters, from which the responsibilities were computed.
    responsibility : ndarray, shape (I, K, M)
        Posterior of each item's category and subtype.
    history : list of float
        The lower bound of the log evidence, at the start and after every iteration.
    converged : bool
        Whether the categories' probabilities converged.
    """

    parameters: Dirichlets
    responsibility: Floats
    history: list[float] = field(default_factory=list)
    converged: bool = False

    @property
    def n_iterations(self) -> int:
        """Updates of the items' posterior."""
        return len(self.history) - 1


def dirichlet_priors(
    n_categories: int,
    *,
    prevalence: float | Floats,
    subtypes: Floats,
    diagonal: float,
    off_diagonal: float,
) -> Dirichlets:
    """Return the priors of the parameters."""
    right = np.eye(n_categories, dtype=bool)
    labels = np.where(right, float(diagonal), float(off_diagonal))
    return Dirichlets(
        np.ones(n_categories) * prevalence,
        np.tile(subtypes, (n_categories, 1)),
        np.tile(labels[None, :, None, :], (1, 1, subtypes.size, 1)),
    )


def ascend(
    votes: Votes, start: Floats, priors: Dirichlets, tolerance: float, max_iterations: int
) -> Ascent:
    """Raise the bound from a start until the categories' probabilities have settled."""
    labelled = votes.labelled
    first = _updated(votes, start, priors)
    constant = priors.log_normalisers() + (len(first.labels) - 1) * _log_beta(priors.labels)
    bound = first.log_normalisers() - constant + float(entr(start[labelled]).sum())
    state = Ascent(first, start, [bound])
    if max_iterations > 0:

        def expect(parameters: Dirichlets) -> tuple[Floats, float, float]:
            responsibility, value = _expected(votes, parameters, priors)
            return responsibility, value, value

        end = run_em(
            first,
            expect,
            lambda responsibility, _: _updated(votes, responsibility, priors),
            tolerance,
            max_iterations - 1,  # the first update is that of the start
            space=space_of(first, (kept_positive,) * len(first)),
            moved=lambda before, after: largest_change(
                *(shares[labelled].sum(axis=2) for shares in (before, after))
            ),
        )
        state = Ascent(end.parameters, end.expected, [bound, *end.history], end.converged)
    mean = state.parameters.means()
    state.responsibility[~labelled] = mean.prevalence[:, None] * mean.subtypes
    return state


def log_likelihood(votes: Votes, parameters: Dirichlets) -> float:
    """Return the log probability of the labels under the expected parameters."""
    mean = parameters.means()
    table = _by_label(log(mean.labels)).copy()
    components = log(mean.prevalence)[:, None] + log(mean.subtypes)
    posterior = np.empty((votes.labelled.size, components.size))
    return min(float(expect(*votes.columns, table, components.ravel(), posterior)), 0.0)


def check_positive(name: str, **settings: float) -> None:
    """Reject prior parameters that are not finite numbers above 0."""
    for what, value in settings.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name}.fit: {what} must be a finite number above 0, got {value}.")


def _log_beta(parameters: Floats) -> float:
    """Return the logarithm of the multivariate beta function, summed over distributions."""
    return float(gammaln(parameters).sum() - gammaln(parameters.sum(axis=-1)).sum())


def _updated(votes: Votes, responsibility: Floats, priors: Dirichlets) -> Dirichlets:
    """Add expected counts to the priors."""
    a = votes.annotations
    own = responsibility[votes.labelled].sum(axis=0)
    table = np.tile(_by_label(priors.labels), (a.n_annotators, 1, 1))
    collect(*votes.columns, responsibility.reshape(len(responsibility), -1), table)
    return Dirichlets(
        priors.prevalence + own.sum(axis=1), priors.subtypes + own, _by_component(table, own.shape)
    )


def _expected(votes: Votes, parameters: Dirichlets, priors: Dirichlets) -> tuple[Floats, float]:
    """Return the items' posterior, shape (I, K, M), and the bound."""
    gap = 0.0
    logs = []
    for after, before in zip(parameters[:2], priors[:2], strict=True):
        logs.append(digamma(after) - digamma(after.sum(axis=-1, keepdims=True)))
        gap += _log_beta(before) - _log_beta(after) + float(((after - before) * logs[-1]).sum())
    table, prior = _by_label(parameters.labels).copy(), _by_label(priors.labels)[0].copy()
    own = gammaln(prior).sum(axis=0) - gammaln(prior.sum(axis=0))
    gap += take_logs(table, prior, own)
    components = logs[0][:, None] + logs[1]
    posterior = np.empty((votes.labelled.size, components.size))
    value = expect(*votes.columns, table, components.ravel(), posterior)
    return posterior.reshape(-1, *components.shape), value - gap


def _by_label(rows: Floats) -> Floats:
    """Lay out rows, shape (J, K, M, K), by annotator, label and component, shape (J, K, K M)."""
    return rows.transpose(0, 3, 1, 2).reshape(len(rows), rows.shape[3], -1)


def _by_component(table: Floats, shape: tuple[int, ...]) -> Floats:
    """Lay out a table, shape (J, K, K M), by annotator, category, subtype and label."""
    return table.reshape(*table.shape[:2], *shape).transpose(0, 2, 3, 1)
