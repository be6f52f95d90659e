r"""The random-clumped model: the labels of an item depend on each other given its category.

An item of category k makes a common impression z on all annotators, with probability m_kz, and has
a level t of clumping or h of guessing. Each label is annotator j's own judgement, by row k of the
annotator's confusion matrix, or, with the probability t or h, it is replaced: by the impression, or
by a guess drawn from the labels of all items::

    c_i ~ prevalence    z_i ~ m_{c_i}    level_i ~ share
    x_n ~ own_{j, c_i}  or with probability t:  x_n = z_i
                        or with probability h:  x_n ~ labels of all items

Given its category and a level t, two labels of an item have the intraclass correlation t^2: the
random-clumped multinomial distribution of Morel and Nagaraj (1993), here with unequal trials. A
level h makes an item hard. The shares of the levels are identified by items whose labels agree
more, or less, than independent errors explain. However many annotators agree, all of them may have
had the impression of another category.

Rows are partially pooled: row k of every annotator has a Dirichlet prior with mean m_k and
concentration s. The mean row is also the distribution of impressions: what may mislead one
annotator may mislead all. Mean and concentration maximise the Dirichlet-multinomial likelihood of
the expected counts of annotators' own labels, under priors; rows are posterior means given these
counts; and the counts are expected under the rows. This is iterated from the vote shares until the
posteriors converge, with Anderson acceleration (Walker and Ni 2011). No single function is
maximised, so `converged` refers to the posterior.

Finally, an item's posterior is raised to a power below 1 and normalised, as no model of dependent
errors is correct: temperature scaling (Guo et al. 2017). The temperature and the priors were chosen
on simulated data by `workflow/studies/random_clumped`, not on labels with gold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import softmax

from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._fixed_point import SETTLED, TOLERANCE, Search
from annobench.models._pooling import pooled_rows
from annobench.models._votes import Floats, check_search, normalised
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.models.kernels.random_clumped import expect

__all__ = ["METHOD", "Prior", "RandomClumpedFit", "fit", "scaled"]

METHOD = Method(
    name="random_clumped",
    title="random-clumped model",
    reference="Morel and Nagaraj (1993), Biometrika 80, 363-371; Guo et al. (2017), section 4; "
    "partial pooling as in Carpenter (2008), section 2",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "own", "mean", "concentration"),
            *("clumping", "guessing", "guess", "intraclass_correlation", "effective_labels"),
            *("n_labels_by_item", "n_iterations", "converged"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' confusion matrices",
        smoothing="priors of mean rows, concentration, prevalence and levels; a power of 0.5 of "
        "the posterior",
        start="vote shares, all labels the annotators' own",
        optimum=f"a fixed point of expected counts; {SETTLED}",
    ),
    compares=True,
    bounded=True,
)


@dataclass(frozen=True)
class Prior:
    """Fixed settings; the default was chosen on simulated data.

    Attributes
    ----------
    clumping : tuple of float
        Levels t, in [0, 1); at level 0 all labels are the annotators' own.
    guessing : tuple of float
        Levels h, in (0, 1).
    items_per_level : float
        Pseudo-count of items at each level, above 0.
    right, wrong : float
        Pseudo-counts of a mean row: on the diagonal, and off the diagonal in total, above 0.
    concentration : tuple of float
        Shape and rate of the gamma prior of s, with its density on the scale of log s.
    power : float
        Power of an item's posterior, in (0, 1].
    """

    clumping: tuple[float, ...] = (0.0, 0.3, 0.6, 0.9)
    guessing: tuple[float, ...] = (0.3, 0.6, 0.9)
    items_per_level: float = 0.5
    right: float = 192.0
    wrong: float = 1.0
    concentration: tuple[float, float] = (2.0, 0.2)
    power: float = 0.5


@dataclass(frozen=True, eq=False)
class RandomClumpedFit(ConfusionFit):
    """A fit of the random-clumped model.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item.
    prevalence : ndarray, shape (K,)
        Probability of each category, sums to 1.
    own : ndarray, shape (J, K, K)
        ``[j, k, l]``: probability that annotator j, judging alone, gives l to an item of category
        k; the mean row for an annotator without labels.
    mean : ndarray, shape (K, K)
        m: the mean rows, and the probabilities of an item's impression by category.
    concentration : float
        s > 0: concentration of the annotators' rows.
    clumping, guessing : ndarray, shape (T, 2)
        Levels, in [0, 1), and the share of items at each; the shares of both arrays sum to 1.
    guess : ndarray, shape (K,)
        Distribution of guessed labels.
    n_labels_by_item : ndarray of int, shape (I,)
        Number of labels of each item.
    n_iterations : int
        Updates of the parameters.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    """

    _premise: ClassVar[str] = "annotators err together as the model has it"

    prevalence: Floats
    own: Floats
    mean: Floats
    concentration: float
    clumping: Floats
    guessing: Floats
    guess: Floats
    n_labels_by_item: Floats
    n_iterations: int
    converged: bool

    @property
    def confusion(self) -> Floats:
        """Confusion matrices, impressions and guesses included, shape (J, K, K)."""
        follows, guesses = (
            float(levels.prod(axis=1).sum()) for levels in (self.clumping, self.guessing)
        )
        own = (1 - follows - guesses) * self.own
        return np.asarray(own + follows * self.mean + guesses * self.guess)

    @property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right on an item of the population, shape (J,)."""
        return np.asarray(np.einsum("k,jkk->j", self.prevalence, self.confusion))

    @property
    def intraclass_correlation(self) -> float:
        """Correlation between two labels of an item being correct, given its category, in [0, 1).

        Computed for annotators with the mean rows. For clumped items alone it is the mean of t^2;
        variation of difficulty between items adds to it.
        """
        right = float(self.prevalence @ np.diag(self.mean))
        (level, share), (hard, weight) = self.clumping.T, self.guessing.T
        of_hard = (1 - hard) * right + hard * float(self.prevalence @ self.guess)
        mean = share.sum() * right + weight @ of_hard
        square = share @ (right**2 + level**2 * right * (1 - right)) + weight @ of_hard**2
        variance = mean * (1 - mean)
        return max(float((square - mean**2) / variance), 0.0) if variance > 1e-12 else 0.0

    @property
    def effective_labels(self) -> float:
        """The effective number of independent labels, sum_i n_i / (1 + (n_i - 1) r)."""
        n = self.n_labels_by_item[self.n_labels_by_item > 0]
        return float((n / (1 + (n - 1) * self.intraclass_correlation)).sum())

    def _headline(self) -> str:
        return (
            f"{super()._headline()}, {self.n_labels_by_item.sum():,} labels equivalent to "
            f"{self.effective_labels:,.0f} independent ones"
        )

    def dependence(self, annotations: Annotations) -> None:
        """Return None: the model lets the labels of an item depend on each other.

        Parameters
        ----------
        annotations : Annotations
            Not used.
        """


class _Parameters(NamedTuple):
    """Rows are means given `counts`, with concentration times mean as pseudo-counts."""

    prevalence: Floats
    share: Floats
    mean: Floats
    concentration: float
    counts: Floats

    @property
    def own(self) -> Floats:
        rows = self.counts + self.concentration * self.mean
        return np.asarray(rows / rows.sum(axis=2, keepdims=True))


class _Expected(NamedTuple):
    """Posterior, shape (I, K), and expected numbers given parameters."""

    posterior: Floats
    own: Floats
    impressions: Floats
    levels: Floats


def fit(
    annotations: Annotations,
    *,
    prior: Prior | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> RandomClumpedFit:
    """Fit the random-clumped model from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    prior : Prior, optional
        Fixed settings; by default those chosen on simulated data.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    RandomClumpedFit
        Posterior, prevalence, annotators' rows, levels, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    The posterior of an item without labels is the prevalence; it does not affect the fit. With T
    levels an iteration costs K T operations per label, K^2 T per item and K^2 per annotator; memory
    is that of twenty-two confusion matrices per annotator, fewer if these are large, and of the
    posterior. From the tenth update, Anderson acceleration reduces the number of updates tenfold.

    References
    ----------
    Morel and Nagaraj (1993), Biometrika 80, 363-371. Guo, Pleiss, Sun and Weinberger (2017), On
    calibration of modern neural networks, section 4. Minka (2000), Estimating a Dirichlet
    distribution, for mean and concentration.

    Examples
    --------
    >>> rows = [[1] * 5, [0] * 5, [1] * 5, [0] * 5, [1, 1, 0, 1, 0], [0, 1, 0, 0, 1]]
    >>> result = fit(Annotations.from_wide(rows))
    >>> result.posterior.argmax(axis=1).tolist()
    [1, 0, 1, 0, 1, 0]
    >>> bool(result.posterior.max() < 0.999)  # that five annotators agree does not settle it
    True
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    search = _Search(annotations, _checked(Prior() if prior is None else prior))
    now = search.start()
    iteration = Search(search.pack(now), tolerance, max_iterations)
    posterior = voting.fit(annotations).posterior
    while iteration.is_on:
        now = search.unpack(iteration.point)
        expected = search.expect(now)
        before, posterior = posterior, search.powered(expected.posterior)
        image = search.pack(search.update(expected, now))
        iteration.receive(image, float(np.abs(posterior - before).max()), np.nan)
    levels = np.column_stack([search.levels, now.share])
    n_clumping = search.clumping.size
    fitted = RandomClumpedFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        prevalence=now.prevalence,
        own=now.own,
        mean=now.mean,
        concentration=now.concentration,
        clumping=levels[:n_clumping],
        guessing=levels[n_clumping:],
        guess=search.guess,
        n_labels_by_item=np.diff(search.offsets),
        n_iterations=iteration.n_iterations,
        converged=iteration.converged,
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def _checked(prior: Prior) -> Prior:
    levels = (*prior.clumping, *prior.guessing)
    numbers = (prior.items_per_level, prior.right, prior.wrong, *prior.concentration)
    if (
        not prior.clumping
        or not all(0 <= level < 1 for level in levels)
        or not all(0 < number < np.inf for number in numbers)
        or not 0 < prior.power <= 1
    ):
        raise ValueError(
            "random_clumped.fit: levels must be in [0, 1), with at least one of clumping, the "
            f"power in (0, 1], and other numbers above 0, got {prior}."
        )
    return prior


class _Search:
    """Updates of parameters and of expectations for one set of labels."""

    def __init__(self, annotations: Annotations, prior: Prior) -> None:
        view, k = annotations.by_item, annotations.n_categories
        self.annotations, self.prior = annotations, prior
        self.offsets = view.offsets
        self.annotator = annotations.annotator[view.order]
        self.label = annotations.label[view.order].astype(np.int64)
        self.labelled = np.diff(view.offsets) > 0
        self.clumping, self.guessing = np.array(prior.clumping), np.array(prior.guessing, float)
        self.levels = np.concatenate([self.clumping, self.guessing])
        guess = np.bincount(self.label, minlength=k) + 1.0
        self.guess = guess / guess.sum()
        self.pseudo_rows = np.full((k, k), prior.wrong / max(k - 1, 1))
        np.fill_diagonal(self.pseudo_rows, prior.right)

    def start(self) -> _Parameters:
        """Treat all labels as the annotators' own, and vote shares as the posterior."""
        a, k = self.annotations, self.annotations.n_categories
        posterior = voting.fit(a).posterior
        own = np.zeros((a.n_annotators, k, k))
        for category in range(k):
            np.add.at(own[:, category], (a.annotator, a.label), posterior[a.item, category])
        mean = own.sum(axis=0) + self.pseudo_rows
        even = np.full(self.levels.size, 1 / self.levels.size)
        shape, rate = self.prior.concentration
        return _Parameters(
            self._prevalence(posterior),
            even,
            mean / mean.sum(axis=1, keepdims=True),
            shape / rate,
            own,
        )

    def pack(self, now: _Parameters) -> Floats:
        """Return logarithms of parameters, and counts divided by the root of N."""
        parts = (now.prevalence, now.share, now.mean.ravel(), [now.concentration])
        counts = now.counts.ravel() / np.sqrt(self.label.size)
        return np.concatenate([*(np.log(part) for part in parts), counts])

    def unpack(self, packed: Floats) -> _Parameters:
        """Return the parameters of a packed vector."""
        k, n_levels = self.annotations.n_categories, self.levels.size
        ends = np.cumsum([k, n_levels, k * k, 1])
        *logarithms, counts = np.split(packed, ends)
        # So that a wild proposal is finite; its residual then refuses it.
        prevalence, share, mean, concentration = (np.clip(each, -300, 300) for each in logarithms)
        return _Parameters(
            softmax(prevalence),
            softmax(share),
            softmax(mean.reshape(k, k), axis=1),
            float(np.exp(concentration[0])),
            np.maximum(counts, 0).reshape(-1, k, k) * np.sqrt(self.label.size),
        )

    def powered(self, posterior: Floats) -> Floats:
        """Raise the posterior of items with labels to the power of the prior."""
        labelled = self.labelled[:, None]
        return np.where(labelled, scaled(posterior, self.prior.power), posterior)

    def _prevalence(self, posterior: Floats) -> Floats:
        """Return the mean under a prior of one item in each category."""
        mass = posterior[self.labelled].sum(axis=0) + 1
        return np.asarray(mass / mass.sum())

    def expect(self, now: _Parameters) -> _Expected:
        """Do the E-step, summing over categories, impressions, levels and origins of labels."""
        n_items, k = self.annotations.n_items, self.annotations.n_categories
        own = np.maximum(now.own, np.finfo(float).tiny ** 0.5)  # whose inverse is no infinity
        expected = _Expected(
            np.empty((n_items, k)),
            np.zeros_like(own),
            np.zeros((k, k)),
            np.zeros(self.levels.size),
        )
        expect(
            self.offsets,
            self.annotator,
            self.label,
            np.log(own),
            1 / own,
            np.log(now.prevalence),
            now.mean,
            np.log(now.share),
            self.clumping,
            self.guessing,
            self.guess,
            *expected,
        )
        return expected

    def update(self, expected: _Expected, now: _Parameters) -> _Parameters:
        """Compute parameters from expected counts."""
        mean, concentration = pooled_rows(
            expected.own,
            now.mean,
            now.concentration,
            self.pseudo_rows + expected.impressions,
            self.prior.concentration,
        )
        share = expected.levels + self.prior.items_per_level
        return _Parameters(
            self._prevalence(expected.posterior),
            share / share.sum(),
            mean,
            concentration,
            expected.own,
        )


def scaled(posterior: Floats, power: float) -> Floats:
    """Raise probabilities of categories to a power, and normalise.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Rows sum to 1.
    power : float
        In (0, 1].

    Returns
    -------
    ndarray, shape (I, K)
        Rows sum to 1; the most probable category is unchanged.

    Examples
    --------
    >>> scaled(np.array([[0.9, 0.1]]), 0.5).round(2)  # odds of 9 to 3
    array([[0.75, 0.25]])
    """
    return normalised(power * np.log(np.maximum(posterior, np.finfo(float).tiny)))[0]
