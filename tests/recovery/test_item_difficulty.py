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
    """Draw parameters from the prior, n of them before the order of classes is imposed."""
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


def draw_log_odds(rng, truth: dict[str, np.ndarray], n_items: int) -> np.ndarray:
    """Draw items' log odds in each category that they might be of, shape (n, I, K, K)."""
    n, k, _ = truth["mean"].shape
    noise = rng.standard_normal((n, n_items, k, k))
    return truth["mean"][:, None] + noise * truth["deviation"][:, None]


def exact(rng, k: int, n: int, *, in_order: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Return posterior means of all quantities, and their standard errors, from prior draws."""
    truth = draw_prior(rng, n, k, in_order=in_order)
    log_odds = draw_log_odds(rng, truth, N_ITEMS)
    log_response = log_softmax(log_odds, axis=3)
    log_joint = np.repeat(np.log(truth["prevalence"])[:, None], N_ITEMS, axis=1)
    for i, _, label in LABELS[k]:
        log_joint[:, i] += log_response[:, i, :, label]
    of_items = logsumexp(log_joint, axis=2)
    weight = np.exp(of_items.sum(axis=1))
    posterior = np.exp(log_joint - of_items[..., None])
    right = np.exp(log_response.diagonal(axis1=2, axis2=3))
    parts = [
        posterior,
        1 - (posterior * right).sum(axis=2),
        *truth.values(),
        softmax(draw_log_odds(rng, truth, 1)[:, 0], axis=2),
    ]
    values = np.concatenate([part.reshape(len(weight), -1) for part in parts], axis=1)
    mean = weight @ values / weight.sum()
    error = (weight[:, None] * (values - mean)).std(axis=0) / (weight.mean() * np.sqrt(weight.size))
    return mean, error


def summarised(fitted) -> np.ndarray:
    """Lay out a fit as `exact` does."""
    draws = fitted.draws
    means = [each.mean(axis=(0, 1)) for each in (draws.prevalence, draws.mean, draws.deviation)]
    parts = [fitted.posterior, fitted.difficulty, *means, fitted.confusion[0]]
    return np.concatenate([np.ravel(part) for part in parts])


def largest(found: np.ndarray, mean: np.ndarray, error: np.ndarray) -> tuple[float, float]:
    """Return the largest difference in standard errors, and its bound."""
    total = np.hypot(found.std(axis=0, ddof=1) / np.sqrt(len(found)), error)
    moving = total > 0
    z = np.abs(found.mean(axis=0) - mean)[moving] / total[moving]
    assert (found[:, ~moving] == mean[~moving]).all()
    return z.max(), scipy.stats.t.isf(LEVEL / 2 / z.size, df=len(found) - 1)


@pytest.mark.parametrize("k", LABELS)
def test_the_posterior_of_a_few_labels_is_that_of_weighted_prior_draws(k, rng):
    chains = [
        item_difficulty.fit(labelled(k), rng=seed, chains=1, warmup=100, draws=800, thin=2)
        for seed in range(16)
    ]
    found = np.array([summarised(fitted) for fitted in chains])
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
    category = rng.choice(k, size=n_items, p=truth["prevalence"][0])
    log_odds = draw_log_odds(rng, truth, n_items)[0, np.arange(n_items), category]
    edges = softmax(log_odds, axis=1).cumsum(axis=1)[:, :-1]
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
    truth = {
        "prevalence": np.array([[0.5, 0.3, 0.2]]),
        "mean": np.array([[[0, -3, -4], [-2.5, 0, -3], [-3.5, -2.5, 0]]]),
        "deviation": 0.6 * (1 - np.eye(3))[None],
    }
    annotations, category = simulated(np.random.default_rng(3), truth, 400, 12)
    fitted = item_difficulty.fit(annotations, rng=1, chains=2, warmup=200, draws=400)
    assert (fitted.posterior.argmax(axis=1) == category).mean() > 0.9
    for parameter, (value,) in truth.items():
        lower, upper = fitted.interval(parameter, 1 - LEVEL)
        assert ((lower <= value) & (value <= upper)).all(), parameter
    assert fitted.label_switches.sum() == 0


def ranks(k: int, n_panels: int, *, width: float) -> dict[str, list[float]]:
    """Return ranks in (0, 1) of true values among draws; `width` scales the true deviations."""
    rng = np.random.default_rng(20180418)
    found: dict[str, list[float]] = {"prevalence": [], "mean": [], "deviation": []}
    apart = 40
    while len(found["prevalence"]) < n_panels:
        truth = draw_prior(rng, 1, k)
        if not len(truth["mean"]):
            continue
        truth["deviation"] *= width
        annotations, _ = simulated(rng, truth, 30, 5)
        settings = {"chains": 1, "warmup": 300, "draws": 19 * apart, "thin": apart}
        fitted = item_difficulty.fit(annotations, rng=rng, **settings)
        for parameter, values in found.items():
            place = (0,) if parameter == "prevalence" else (0, 1)
            draws = getattr(fitted.draws, parameter)[(0, slice(None, None, apart), *place)]
            rank = (draws < truth[parameter][(0, *place)]).sum() + rng.random()
            values.append(rank / (draws.size + 1))
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
    assert scipy.stats.kstest(ranks(2, 200, width=3.0)["deviation"], "uniform").pvalue < LEVEL
