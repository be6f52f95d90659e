"""The item difficulty model against draws from its prior.

On a few labels every draw from the prior is weighted by its likelihood: slow, and plain enough to
be seen to be right. Simulation-based calibration (Talts et al. 2018) then checks prior, likelihood
and sampler together on panels: the rank of a true value among draws from its posterior is uniform.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from scipy.special import log_softmax, logsumexp, softmax

from annobench.labels.annotations import Annotations
from annobench.models import item_difficulty

#: Chance of a false alarm of one test, shared out among the numbers it compares.
LEVEL = 1e-3

#: Labels (item, annotator, label); annotator 0 labels item 0 twice, and item 3 has no labels.
LABELS = {
    2: [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 2, 0), (1, 0, 1), (1, 1, 1), (2, 1, 0), (2, 2, 1)],
    3: [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 2, 1), (2, 0, 2), (2, 1, 2), (2, 2, 0)],
}
N_ITEMS, N_ANNOTATORS = 4, 3


def labelled(k: int) -> Annotations:
    return Annotations.from_arrays(
        *zip(*LABELS[k], strict=True),
        items=range(N_ITEMS),
        annotators=range(N_ANNOTATORS),
        categories=range(k),
    )


def draw_prior(rng, n: int, k: int, *, in_order: bool = True) -> dict[str, np.ndarray]:
    """Draw parameters from the prior, n of them before the order is imposed."""
    wrong = 1 - np.eye(k)
    means = rng.standard_normal((n, k, k)) * wrong
    if in_order:
        sums = [
            means[:, list(order), range(k)].sum(axis=1)
            for order in itertools.permutations(range(k))
        ]
        means = means[np.max(sums, axis=0) <= 0]  # the identity's sum is 0
    return {
        "prevalence": rng.dirichlet(np.ones(k), size=len(means)),
        "mean": means,
        "deviation": np.abs(rng.standard_normal(means.shape)) * wrong,
    }


def draw_effects(rng, truth: dict[str, np.ndarray], n_items: int) -> np.ndarray:
    """Draw log odds of items, shape (n, I, K, K), in each category that an item may have."""
    n, k, _ = truth["mean"].shape
    noise = rng.standard_normal((n, n_items, k, k)) * truth["deviation"][:, None]
    return truth["mean"][:, None] + noise


def exact(rng, k: int, n: int, *, in_order: bool = True):
    """Return posterior means of all quantities, and their standard errors, from prior draws."""
    truth = draw_prior(rng, n, k, in_order=in_order)
    effect = draw_effects(rng, truth, N_ITEMS)
    log_joint = np.repeat(np.log(truth["prevalence"])[:, None], N_ITEMS, axis=1)
    for i, _, label in LABELS[k]:
        log_joint[:, i] += log_softmax(effect[:, i], axis=2)[..., label]
    of_items = logsumexp(log_joint, axis=2)
    weight = np.exp(of_items.sum(axis=1))
    posterior = np.exp(log_joint - of_items[..., None])
    right = softmax(effect, axis=3).diagonal(axis1=2, axis2=3)
    parts = [posterior, 1 - (posterior * right).sum(axis=2), truth["prevalence"], truth["mean"]]
    parts += [truth["deviation"], softmax(draw_effects(rng, truth, 1), axis=3)]
    values = np.concatenate([part.reshape(len(weight), -1) for part in parts], axis=1)
    mean = weight @ values / weight.sum()
    error = (weight[:, None] * (values - mean)).std(axis=0) / (weight.mean() * np.sqrt(weight.size))
    return mean, error


def summarised(fitted) -> np.ndarray:
    """Lay out a fit as `exact` does."""
    parts = [fitted.posterior, fitted.difficulty, fitted.prevalence]
    parts += [getattr(fitted.draws, name).mean(axis=(0, 1)) for name in ("mean", "deviation")]
    return np.concatenate([np.ravel(part) for part in [*parts, fitted.confusion[0]]])


def fits(k: int) -> np.ndarray:
    """Return the summaries of independent chains."""
    settings = {"chains": 1, "warmup": 200, "draws": 1_500}
    found = [item_difficulty.fit(labelled(k), rng=seed, **settings) for seed in range(16)]
    return np.array([summarised(fitted) for fitted in found])


def largest(found: np.ndarray, mean: np.ndarray, error: np.ndarray) -> tuple[float, float]:
    """Return the largest difference in standard errors, and its bound."""
    total = np.hypot(found.std(axis=0, ddof=1) / np.sqrt(len(found)), error)
    moving = total > 0
    z = np.abs(found.mean(axis=0) - mean)[moving] / total[moving]
    assert (found[:, ~moving] == mean[~moving]).all()
    return z.max(), scipy.stats.t.isf(LEVEL / 2 / z.size, df=len(found) - 1)


@pytest.mark.parametrize("k", LABELS)
def test_the_posterior_of_a_few_labels_is_that_of_weighted_prior_draws(k, rng):
    found = fits(k)
    z, bound = largest(found, *exact(rng, k, 60_000))
    assert z < bound
    # The negative control: the prior of all orders of the classes.
    z, bound = largest(found, *exact(rng, k, 20_000, in_order=False))
    assert z > bound


def simulated(
    rng, truth: dict[str, np.ndarray], n_items: int, n_annotators: int
) -> tuple[Annotations, np.ndarray]:
    """Draw labels, a fifth missing, from the first of drawn parameters; give categories too."""
    k = truth["mean"].shape[1]
    effect = draw_effects(rng, truth, n_items)[0]
    category = rng.choice(k, size=n_items, p=truth["prevalence"][0])
    edges = softmax(effect[np.arange(n_items), category], axis=1).cumsum(axis=1)[:, :-1]
    label = (rng.random((n_annotators, n_items, 1)) > edges).sum(axis=2)
    annotator, item = np.nonzero(rng.random((n_annotators, n_items)) < 0.8)
    annotations = Annotations.from_arrays(
        item,
        annotator,
        label[annotator, item],
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(k),
    )
    return annotations, category


def test_known_parameters_are_found():
    rng = np.random.default_rng(3)
    truth = {
        "prevalence": np.array([[0.5, 0.3, 0.2]]),
        "mean": np.array([[[0, -2, -3], [-1.5, 0, -2], [-2.5, -1, 0]]]),
        "deviation": 0.6 * (1 - np.eye(3))[None],
    }
    annotations, category = simulated(rng, truth, 200, 12)
    fitted = item_difficulty.fit(annotations, rng=1, chains=2, warmup=100, draws=300)
    # As many items are called rightly as the probabilities say.
    surest, right = fitted.posterior.max(axis=1), fitted.posterior.argmax(axis=1) == category
    error = np.sqrt((surest * (1 - surest)).sum())
    assert abs(right.sum() - surest.sum()) < scipy.stats.norm.isf(LEVEL / 2) * error
    for parameter, known in truth.items():
        lower, upper = fitted.interval(parameter, 1 - LEVEL)
        assert ((lower <= known[0]) & (known[0] <= upper)).all(), parameter


def ranks(k: int, n_panels: int, *, width: float) -> dict[str, list[float]]:
    """Return ranks in (0, 1) of true values among draws; `width` scales the true deviations."""
    rng = np.random.default_rng(20180418)
    found: dict[str, list[float]] = {}
    apart = 40
    settings = {"chains": 1, "warmup": 300, "draws": 19 * apart, "thin": apart}
    while len(found.get("prevalence", [])) < n_panels:
        truth = draw_prior(rng, 1, k)
        if not len(truth["mean"]):
            continue
        truth["deviation"] *= width
        annotations, _ = simulated(rng, truth, 30, 5)
        draws = item_difficulty.fit(annotations, rng=rng, **settings).draws
        for parameter, at in (("prevalence", 0), ("mean", (0, 1)), ("deviation", (0, 1))):
            values = getattr(draws, parameter)[0, ::apart][(slice(None), *np.atleast_1d(at))]
            known = truth[parameter][0][at]
            rank = (values < known).sum() + rng.random()
            found.setdefault(parameter, []).append(rank / (values.size + 1))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_ranks_of_known_parameters_are_uniform(k):
    for parameter, values in ranks(k, 300, width=1.0).items():
        test = scipy.stats.kstest(values, "uniform")
        assert test.pvalue > LEVEL / 3, (parameter, test)


@pytest.mark.slow
def test_a_wrong_prior_is_noticed():
    # The negative control: deviations three times those that the prior has.
    found = ranks(2, 200, width=3.0)["deviation"]
    assert scipy.stats.kstest(found, "uniform").pvalue < LEVEL
