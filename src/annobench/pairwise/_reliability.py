"""Annotators of different reliability: a judgement follows the model, or is a guess.

With probability r_j annotator j judges by Bradley and Terry's model; otherwise the outcome is drawn
from a distribution of the annotator's, whatever the items: mostly without a preferred side, else
with one (as in Toloka's crowd-kit, NoisyBradleyTerry), or mostly a tie. In Chen et al. (2013)
annotators reverse their judgement instead.

Small differences of strengths and rare guesses look like large differences and frequent guesses:
where no difference is large, the likelihood knows the products of reliability and strength alone.
Reliabilities therefore come from a Beta distribution whose mean and concentration have a prior on a
grid, which holds that crowds of mostly guessing annotators are rare. For each point of the grid,
reliabilities and kinds of guesses are integrated out by quadrature, and strengths maximise what is
left; points are weighted by prior times maximum. This is a Laplace approximation in which the
strengths' prior is as wide, in units of their standard errors, at every point: with one flat prior
for all points, large scales would be favoured by their volume, the more so the more items.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.special import betainc, logsumexp, softmax

from annobench.pairwise._likelihood import Model, centred, information, probabilities, scores
from annobench.pairwise._posterior import Posterior, sandwich
from annobench.pairwise.comparisons import TIE, Comparisons

__all__ = ["Reliable", "fit_reliability"]

Floats = NDArray[Any]

#: Means of reliability, and concentrations, with their prior probabilities.
MEANS: Final = {0.98: 0.46, 0.92: 0.20, 0.82: 0.15, 0.70: 0.11, 0.58: 0.08}
CONCENTRATIONS: Final = {3.0: 0.7, 30.0: 0.3}
#: Of the prior of log-strengths, normal with variance 10.
PRECISION: Final = 0.1
#: Shares of guesses for the left item, without ties, and the prior probability of each.
_SIDES: Final = {0.5: 0.95, 0.1: 0.01, 0.3: 0.01, 0.7: 0.01, 0.9: 0.01}
_MOSTLY_TIES: Final = (0.05, 0.9, 0.05)
_NODES: Final = 16
#: Numbers in memory for a block of annotators.
_CELLS: Final = 4_000_000
#: What is left of the information, at the least, where guesses hide most of it.
_LEAST: Final = 0.02
_TOLERANCE: Final = 1e-6
_MAX_STEPS: Final = 100


class Reliable(NamedTuple):
    """A fit.

    Attributes
    ----------
    posterior : Posterior
        Of strengths, effect of order and ties.
    reliability : ndarray, shape (J, 3)
        Share of comparisons that are judged: posterior mean and limits.
    converged : bool
        Whether all maxima were reached.
    """

    posterior: Posterior
    reliability: Floats
    converged: bool


class _Rows(NamedTuple):
    """Equal comparisons of an annotator as one row, and the nodes of the quadrature."""

    model: Model
    annotator: NDArray[np.int64]
    cluster: NDArray[np.int64] | None
    times: Floats  # that it occurs
    edges: Floats  # of cells of reliability, shape (J, Q + 1)
    kinds: Floats  # of guesses, shape (T, 3)
    shares: Floats  # prior probabilities of kinds

    def prior(self, mean: float, concentration: float) -> _Prior:
        """Return the Beta distribution of reliability at the nodes, a mean for each cell."""
        a, b = concentration * mean, concentration * (1 - mean)
        chance = np.diff(betainc(a, b, self.edges), axis=1)
        middle = (self.edges[:, 1:] + self.edges[:, :-1]) / 2
        moment = mean * np.diff(betainc(a + 1, b, self.edges), axis=1)
        nodes = np.divide(moment, chance, out=middle, where=chance > 1e-12)
        logs = np.log(self.shares)[:, None] + np.log(np.maximum(chance, 1e-300))[:, None, :]
        return _Prior(nodes, logs.reshape(len(nodes), -1))


class _Prior(NamedTuple):
    nodes: Floats  # reliabilities, shape (J, Q)
    logs: Floats  # log probabilities of kinds and nodes, shape (J, T Q)


class _Point(NamedTuple):
    """The maximum at one point of the grid."""

    at: Floats
    value: float
    inverse: Floats
    nodes: Floats
    weight: Floats  # posterior probabilities of kinds and nodes, shape (J, T Q)
    scores: Any
    converged: bool


def fit_reliability(of: Comparisons, start: Floats, *, side: bool, level: float) -> Reliable:
    """Estimate strengths and reliabilities, from parameters of equally reliable annotators."""
    rows = _rows_of(of, side=side)
    points, weight = _over_grid(rows, start)
    mean, spread, mass = _reliabilities(rows, points, weight)
    # Annotators with many comparisons need finer cells than sixteenths of 0 to 1.
    if spread.min() < 1 / _NODES:
        low, high = np.maximum(mean - 6 * spread, 0), np.minimum(mean + 6 * spread, 1)
        cells = np.linspace(0, 1, _NODES + 1)
        rows = rows._replace(edges=low[:, None] + (high - low)[:, None] * cells)
        points, weight = _over_grid(rows, points[int(weight.argmax())].at)
        mean, _, mass = _reliabilities(rows, points, weight)
    posterior = Posterior(
        weight,
        np.array([point.at for point in points]),
        np.array([sandwich(p.inverse, p.scores, rows.cluster, of.n_comparisons) for p in points]),
        np.inf if rows.cluster is None else rows.cluster.max(),
    )
    below = np.pad(mass.cumsum(axis=1), ((0, 0), (1, 0)))
    limits = [
        np.interp([(1 - level) / 2, (1 + level) / 2], chance, edges)
        for chance, edges in zip(below, rows.edges, strict=True)
    ]
    return Reliable(
        posterior, np.column_stack([mean, limits]), all(point.converged for point in points)
    )


def _rows_of(of: Comparisons, *, side: bool) -> _Rows:
    assert of.annotator is not None
    columns = [of.annotator, of.left, of.right, of.outcome]
    columns += [] if of.cluster is None else [of.cluster]
    unique, place = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    count = np.bincount(place.ravel(), weights=of.weights)
    annotator, left, right, outcome = unique.T[:4]
    cluster = None if of.cluster is None else unique[:, 4]
    tied = float(np.average(of.outcome == TIE, weights=of.weights))
    first = np.array(list(_SIDES))[:, None]
    kinds = np.hstack([first * (1 - tied), np.full_like(first, tied), (1 - first) * (1 - tied)])
    shares = list(_SIDES.values())
    if tied:
        kinds, shares = np.vstack([kinds, _MOSTLY_TIES]), [*shares, 1 - sum(shares)]
    edges = np.tile(np.linspace(0, 1, _NODES + 1), (len(of.annotators), 1))
    model = Model.of(Comparisons(of.items, left, right, outcome), side=side)
    return _Rows(model, annotator, cluster, count, edges, kinds, np.array(shares) / sum(shares))


def _over_grid(rows: _Rows, start: Floats) -> tuple[list[_Point], Floats]:
    """Maximise at each point of the grid, from reliable to guessing; also return their weights."""
    points, at = [], start
    for concentration, mean in product(CONCENTRATIONS, MEANS):
        points.append(_maximise(rows, at, rows.prior(mean, concentration)))
        at = points[-1].at
    chance = np.log(np.outer(list(CONCENTRATIONS.values()), list(MEANS.values()))).ravel()
    return points, np.asarray(softmax(chance + [point.value for point in points]))


def _reliabilities(
    rows: _Rows, points: list[_Point], weight: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return annotators' posterior means and deviations, and probabilities of the cells."""
    shape = (len(points), len(rows.edges), len(rows.kinds), -1)
    mass = np.array([point.weight for point in points]).reshape(shape).sum(axis=2)
    mass *= weight[:, None, None]
    nodes = np.array([point.nodes for point in points])
    mean = (mass * nodes).sum(axis=(0, 2))
    variance = (mass * (nodes - mean[:, None]) ** 2).sum(axis=(0, 2))
    width = np.diff(rows.edges[:, :2], axis=1)[:, 0]
    return mean, np.sqrt(variance + width**2 / 12), mass.sum(axis=0)


def _maximise(rows: _Rows, at: Floats, prior: _Prior) -> _Point:
    """Maximise the marginal likelihood of the strengths times their prior by Newton's method."""
    k = rows.model.n_items
    penalty = np.zeros(at.size)
    penalty[:k] = PRECISION
    for _ in range(_MAX_STEPS):
        p, judged, joint = _quadrature(rows, at, prior)
        weight = softmax(joint, axis=1)
        value = _value(joint, at, penalty)
        of_rows = weight[rows.annotator]
        mean = rows.times * (of_rows * judged).sum(axis=1)
        unsure = rows.times * (of_rows * judged * (1 - judged)).sum(axis=1)
        derivatives = scores(rows.model, p)
        gradient = derivatives.T @ mean - penalty * at
        complete = centred(rows.model, information(rows.model, p, mean) + np.diag(penalty))
        lost = (derivatives.T @ sparse.diags_array(unsure) @ derivatives).toarray()
        lost += _by_annotators(rows, derivatives, judged, weight)
        inverse = _inverse(complete, lost)
        step = inverse @ gradient
        converged = bool(gradient @ step < _TOLERANCE)
        length = 1.0
        while not converged and length > 1e-6:
            there = at + length * step
            if _value(_quadrature(rows, there, prior)[2], there, penalty) >= value:
                break
            length /= 2
        at = at + length * step
        if converged or length <= 1e-6:
            break
    return _Point(
        at, value, inverse, prior.nodes, weight, sparse.diags_array(mean) @ derivatives, converged
    )


def _value(joint: Floats, at: Floats, penalty: Floats) -> float:
    return float(logsumexp(joint, axis=1).sum() - penalty @ at**2 / 2)


def _quadrature(rows: _Rows, at: Floats, prior: _Prior) -> tuple[Floats, Floats, Floats]:
    """Return probabilities of outcomes, of having judged, and the log density at the nodes."""
    p = probabilities(rows.model, at)
    n, outcome = len(p), rows.model.outcome
    r = prior.nodes[rows.annotator][:, None, :]
    by_model = r * p[np.arange(n), outcome][:, None, None]
    both = by_model + (1 - r) * rows.kinds[:, outcome].T[:, :, None]
    sums = sparse.csr_array(
        (rows.times, (rows.annotator, np.arange(n))), shape=(len(prior.nodes), n)
    )
    return p, (by_model / both).reshape(n, -1), sums @ np.log(both).reshape(n, -1) + prior.logs


def _by_annotators(rows: _Rows, derivatives: Any, judged: Floats, weight: Floats) -> Floats:
    """Return the variance of the scores over the annotators' unknown reliabilities."""
    size, width = derivatives.shape[1], weight.shape[1]
    total = np.zeros((size, size))
    block = max(1, _CELLS // (size * width))
    for start in range(0, len(weight), block):
        chosen = slice(*np.searchsorted(rows.annotator, [start, start + block]))
        entries = derivatives[chosen].tocoo()
        times, annotator = rows.times[chosen], rows.annotator[chosen] - start
        chance = weight[start : start + block]
        scored = sparse.csr_array(
            (
                entries.data * times[entries.row],
                (annotator[entries.row] * size + entries.col, entries.row),
            ),
            shape=(len(chance) * size, len(times)),
        )
        sums = np.asarray(scored @ judged[chosen]).reshape(-1, size, width)
        sums -= np.einsum("jpq,jq->jp", sums, chance)[:, :, None]
        roots = (sums * np.sqrt(chance)[:, None, :]).transpose(1, 0, 2).reshape(size, -1)
        total += roots @ roots.T
    return total


def _inverse(complete: Floats, lost: Floats) -> Floats:
    """Invert the observed information, the complete minus the lost one (Louis 1982).

    It is positive definite at a maximum; elsewhere what is left is bounded from below.
    """
    root = cholesky(complete, lower=True)
    share = solve_triangular(root, solve_triangular(root, lost, lower=True).T, lower=True)
    values, vectors = eigh(share)
    back = solve_triangular(root, vectors, lower=True, trans="T")
    return np.asarray(back / np.maximum(1 - values, _LEAST) @ back.T)
