"""Other optima of the model of Dawid and Skene, and detection of label switching.

The likelihood has local optima. Permuting the categories does not change its value, so a fit from a
poor start may switch "yes" and "no".
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.compiled import default_threads
from annobench.core.errors import ConvergenceWarning
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.dawid_skene.em import Floats, Parameters
from annobench.models.dawid_skene.model import DawidSkeneFit, fit
from annobench.models.dawid_skene.starts import Start, votes_start

__all__ = ["Restarts", "align", "restarts"]

#: Categories whose orders are compared one by one.
_FEW = 4


def random_start(
    annotations: Annotations, *, rng: np.random.Generator | int | None = None
) -> Floats:
    """Draw probabilities of the categories between the votes and pure chance."""
    annotations = as_annotations(annotations, "random_start")
    rng = np.random.default_rng(rng)
    mix = rng.random()
    noise = rng.dirichlet(np.ones(annotations.n_categories), size=annotations.n_items)
    return np.asarray((1 - mix) * votes_start(annotations) + mix * noise)


def align(posterior: Floats, annotations: Annotations) -> NDArray[np.int64]:
    """Match the classes of a fit with categories by the labels of their items.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Probabilities of classes.
    annotations : Annotations
        The labels.

    Returns
    -------
    ndarray of int64, shape (K,)
        The permutation of categories, by class, that maximises the expected number of agreeing
        votes. It is 0, 1, ... if no labels were switched.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxyy"), list("abab"), list("0011"))
    >>> align(np.array([[0.1, 0.9], [0.8, 0.2]]), a)
    array([1, 0])
    """
    annotations = as_annotations(annotations, "align")
    overlap = posterior.T @ votes_start(annotations)
    return best_order(overlap, max(1.0, float(overlap.max())))


def best_order(overlap: Floats, size: float) -> NDArray[np.int64]:
    """Match classes with categories, one to one."""
    k = len(overlap)
    worth = overlap + np.eye(k) * 1e-9 * size
    if (worth.argmax(axis=1) == np.arange(k)).all():
        return np.arange(k)
    if k <= _FEW:
        orders = np.array(list(itertools.permutations(range(k))))
        return np.asarray(orders[worth[np.arange(k), orders].sum(axis=1).argmax()], np.int64)
    # It takes a quarter of a second to import.
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(worth, maximize=True)[1], np.int64)


@dataclass(frozen=True, eq=False)
class Restarts(Summarised):
    """Fits from many starts, and the distinct optima among them.

    Attributes
    ----------
    fits : tuple of DawidSkeneFit
        One per optimum, best first: among the fits that reached it, the one with the highest log
        posterior, preferably without label switching.
    table : DataFrame
        One row per start: `start`, `optimum` (index into `fits`), `log_posterior`,
        `log_likelihood`, `n_iterations`, `converged`.
    alignment : ndarray of int64, shape (M, K)
        `align` of each optimum's fit.
    distance : ndarray, shape (M,)
        Total variation distance between the posterior of each optimum and of the best, classes
        aligned, averaged over items; in [0, 1].
    """

    fits: tuple[DawidSkeneFit, ...]
    table: pd.DataFrame
    alignment: NDArray[np.int64]
    distance: Floats

    def summary(self) -> pd.DataFrame:
        """Return the distinct optima.

        Returns
        -------
        DataFrame
            One row per optimum, best first: `log_posterior`, `n_starts` that reached it, `distance`
            from the best, `is_switched`.
        """
        reached = self.table["optimum"].value_counts()
        return pd.DataFrame(
            {
                "log_posterior": [found.log_posterior for found in self.fits],
                "n_starts": reached.reindex(range(len(self.fits))).to_numpy(),
                "distance": self.distance,
                "is_switched": self.is_switched,
            },
            index=pd.RangeIndex(len(self.fits), name="optimum"),
        )

    def _headline(self) -> str:
        return (
            f"{len(self.fits)} optima from {len(self.table)} starts, the best with log posterior "
            f"{self.best.log_posterior:.6g}"
        )

    @property
    def best(self) -> DawidSkeneFit:
        """The fit with the highest log posterior."""
        return self.fits[0]

    @property
    def is_switched(self) -> NDArray[np.bool_]:
        """Whether classes of each optimum are switched, shape (M,)."""
        return np.asarray((self.alignment != np.arange(self.alignment.shape[1])).any(axis=1))


def restarts(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    n_random: int = 20,
    starts: Sequence[Start | Parameters | NDArray[Any]] = get_args(Start),
    same: float = 0.01,
    **settings: Any,
) -> Restarts:
    """Fit from several starts and report the optima that they reach.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    rng : numpy.random.Generator or int, optional
        For the random starts.
    n_random : int, default 20
        Starts drawn by `random_start`.
    starts : sequence, default ("votes", "diagonal", "spectral")
        Further starts, as `fit` takes them.
    same : float, default 0.01
        Fits whose aligned posteriors have a mean total variation distance of at most this are the
        same optimum.
    **settings
        Passed to `fit`.

    Returns
    -------
    Restarts
        Distinct optima, best first, and the result of every start. Optima that differ only by a
        permutation of classes are the same.

    Raises
    ------
    ValueError
        If there is no start.
    """
    annotations = as_annotations(annotations, "restarts")
    rng = np.random.default_rng(rng)
    if n_random < 0 or n_random + len(starts) == 0:
        raise ValueError(
            f"dawid_skene.optima.restarts: got n_random={n_random} and {len(starts)} "
            "other starts. Give at least one."
        )
    named = [(s if isinstance(s, str) else f"given {n}", s) for n, s in enumerate(starts)]
    rows: list[dict[str, Any]] = []
    fits: list[DawidSkeneFit] = []
    aligned: list[Floats] = []
    drawn = ((f"random {n}", random_start(annotations, rng=rng)) for n in range(n_random))
    for name, found in _fits(annotations, itertools.chain(named, drawn), settings):
        posterior = found.posterior[:, np.argsort(align(found.posterior, annotations))]
        optimum = next(
            (m for m, other in enumerate(aligned) if _variation(posterior, other) <= same),
            len(fits),
        )
        if optimum == len(fits):
            fits.append(found)
            aligned.append(posterior)
        elif _rank(found, annotations) > _rank(fits[optimum], annotations):
            fits[optimum], aligned[optimum] = found, posterior
        rows.append(
            {
                "start": name,
                "optimum": optimum,
                "log_posterior": found.log_posterior,
                "log_likelihood": found.log_likelihood,
                "n_iterations": found.n_iterations,
                "converged": found.converged,
            }
        )
    order = sorted(range(len(fits)), key=lambda m: -fits[m].log_posterior)
    rank = {m: place for place, m in enumerate(order)}
    table = pd.DataFrame(rows)
    table["optimum"] = table["optimum"].map(rank)
    return Restarts(
        tuple(fits[m] for m in order),
        table,
        np.stack([align(fits[m].posterior, annotations) for m in order]),
        np.array([_variation(aligned[m], aligned[order[0]]) for m in order]),
    )


def _fits(
    annotations: Annotations, starts: Iterable[tuple[str, Any]], settings: dict[str, Any]
) -> Iterator[tuple[str, DawidSkeneFit]]:
    """Fit from each start, one per thread at a time to bound the memory."""

    def run(start: tuple[str, Any]) -> tuple[str, DawidSkeneFit]:
        return start[0], fit(annotations, start=start[1], **settings)

    with ThreadPoolExecutor(default_threads()) as pool:
        waiting = iter(starts)
        while some := list(itertools.islice(waiting, default_threads())):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the table says it
                fits = list(pool.map(run, some))
            yield from fits


def _rank(found: DawidSkeneFit, annotations: Annotations) -> tuple[bool, float]:
    """Rank by objective; within rounding error, fits without label switching come first."""
    order = align(found.posterior, annotations)
    return bool((order == np.arange(order.size)).all()), found.log_posterior


def _variation(first: Floats, second: Floats) -> float:
    return float(np.abs(first - second).sum(axis=1).mean() / 2)
