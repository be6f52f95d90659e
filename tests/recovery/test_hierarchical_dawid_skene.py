"""Simulation-based calibration of the hierarchical Dawid-Skene model, and known parameters found.

If parameters are drawn from the prior and labels from them, the rank of a parameter among draws
from its posterior is uniform (Talts et al. 2018). The prior is restricted to the order of classes
whose matrix of means has the largest trace, and so are the drawn parameters.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from scipy.special import gammaln

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import hierarchical_dawid_skene
from annobench.models.kernels.hierarchical_dawid_skene import assignment

#: Two-sided chance of a false alarm of one test.
LEVEL = 1e-3
K = 3


def labels_from(rng, prevalence, confusion, n_items, missing=0.2) -> tuple[Annotations, np.ndarray]:
    """Draw labels of annotators with given confusion matrices, shape (J, K, K)."""
    j, k, _ = confusion.shape
    truth = rng.choice(k, size=n_items, p=prevalence)
    edges = confusion[:, truth].cumsum(axis=2)
    label = (rng.random((j, n_items, 1)) > edges[..., :-1]).sum(axis=2)
    given = rng.random((j, n_items)) >= missing
    annotator, item = np.nonzero(given)
    return (
        Annotations.from_arrays(
            item,
            annotator,
            label[given],
            items=range(n_items),
            annotators=range(j),
            categories=range(k),
        ),
        truth,
    )


def draw_truth(rng, n_annotators: int, exponent: float = 1.5) -> dict[str, np.ndarray]:
    mean = rng.dirichlet(np.ones(K), size=K)
    mean = mean[assignment(mean)]
    scale = rng.random(K) ** (-1 / exponent)
    confusion = np.array(
        [
            [rng.dirichlet(m * s + 1e-12) for m, s in zip(mean, scale, strict=True)]
            for _ in range(n_annotators)
        ]
    )
    return {
        "prevalence": rng.dirichlet(np.ones(K)),
        "mean": mean,
        "scale": scale,
        "confusion": confusion,
    }


def ranks(n_panels: int, seed: int, exponent: float) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(n_panels):
        truth = draw_truth(rng, n_annotators=5)
        annotations, _ = labels_from(rng, truth["prevalence"], truth["confusion"], n_items=40)
        fitted = hierarchical_dawid_skene.fit(
            annotations,
            rng=rng,
            chains=1,
            warmup=300,
            draws=2000,
            thin=20,
            concentration_exponent=exponent,
        )
        thinned = slice(None, None, 20)
        for name, draws, value in (
            ("prevalence", fitted.draws.prevalence[0, thinned, 0], truth["prevalence"][0]),
            ("mean", fitted.draws.mean[0, thinned, 0, 0], truth["mean"][0, 0]),
            ("mean off", fitted.draws.mean[0, thinned, 1, 2], truth["mean"][1, 2]),
            ("scale", fitted.draws.concentration[0, thinned, 0], truth["scale"][0]),
            ("confusion", fitted.draws.confusion[0, :, 0, 0, 0], truth["confusion"][0, 0, 0]),
        ):
            below = (draws < value).sum() + rng.random() * ((draws == value).sum() + 1)
            found.setdefault(name, []).append(below / (len(draws) + 1))
    return found


@pytest.mark.slow
def test_ranks_of_known_parameters_are_uniform():
    for name, values in ranks(400, seed=11, exponent=1.5).items():
        test = scipy.stats.kstest(values, "uniform")
        assert test.pvalue > LEVEL / 5, (name, test)


@pytest.mark.slow
def test_a_wrong_prior_is_noticed():
    # The negative control: scales come from Pareto(1.5), and the sampler believes Pareto(0.25).
    assert scipy.stats.kstest(ranks(400, seed=12, exponent=0.25)["scale"], "uniform").pvalue < LEVEL


def test_known_parameters_are_found():
    rng = np.random.default_rng(5)
    mean = np.array([[0.8, 0.15, 0.05], [0.1, 0.85, 0.05], [0.2, 0.2, 0.6]])
    confusion = np.array([[rng.dirichlet(20 * m) for m in mean] for _ in range(15)])
    prevalence = np.array([0.5, 0.3, 0.2])
    annotations, truth = labels_from(rng, prevalence, confusion, n_items=600, missing=0.5)
    fitted = hierarchical_dawid_skene.fit(annotations, rng=rng, draws=400, warmup=300)
    lower, upper = fitted.interval("confusion", 0.999)
    # 135 intervals of 99.9%, thinned draws for their ends: two misses allow for both.
    assert ((confusion < lower) | (confusion > upper)).sum() <= 2
    assert (fitted.posterior.argmax(axis=1) == truth).mean() > 0.9
    parameters = fitted.diagnostics.drop(index="item_probability", level="parameter")
    assert (parameters["r_hat"] < 1.05).all()


def tiny() -> tuple[Annotations, np.ndarray, np.ndarray]:
    """Return labels, one annotator's twice on an item; all categories of the items; their counts.

    There are Z = K ** 4 assignments of categories to the items, shape (Z, 4); counts of labels by
    category and annotator are of shape (Z, K, J, K).
    """
    item, annotator = [0, 0, 0, 1, 1, 2, 2, 3, 0, 3], [0, 1, 2, 0, 2, 0, 1, 1, 0, 2]
    label = [0, 0, 1, 1, 1, 2, 2, 2, 1, 0]
    annotations = Annotations.from_arrays(
        item, annotator, label, items=range(4), annotators=range(3), categories=range(K)
    )
    categories = np.array(list(itertools.product(range(K), repeat=4)))
    counts = np.zeros((len(categories), K, 3, K))
    for i, j, m in zip(item, annotator, label, strict=True):
        counts[np.arange(len(categories)), categories[:, i], j, m] += 1
    return annotations, categories, counts


def test_the_posterior_of_tiny_labels_is_that_of_a_sum_over_all_categories(rng):
    # The sum is over assignments of categories; mean and scale are drawn from the prior.
    annotations, categories, counts = tiny()
    members = np.stack([(categories == k).sum(axis=1) for k in range(K)], axis=1)
    n_prior = 8_000
    weight = np.empty((n_prior, len(categories)))
    means = np.empty((n_prior, K, K))
    for draw in range(n_prior):
        truth = draw_truth(rng, n_annotators=0)
        means[draw] = truth["mean"]
        a = (truth["scale"][:, None] * truth["mean"])[:, None]
        whole = truth["scale"][:, None]
        given = counts.sum(axis=3)
        rows = (gammaln(a + counts) - gammaln(a)).sum(axis=(1, 2, 3))
        rows -= (gammaln(whole + given) - gammaln(whole)).sum(axis=(1, 2))
        weight[draw] = np.exp(gammaln(members + 1).sum(axis=1) + rows)
    of_draw = weight.sum(axis=1)
    exact = {
        "item_probability": np.stack([weight @ (categories == k) for k in range(K)], axis=2),
        "prevalence": weight @ ((members + 1) / (4 + K)),
        "mean": of_draw[:, None, None] * means,
    }
    fitted = hierarchical_dawid_skene.fit(annotations, rng=rng, draws=4_000, thin=1)
    z = []
    for name, parts in exact.items():
        parts = parts.reshape(n_prior, -1)
        expected = parts.sum(axis=0) / of_draw.sum()
        # Of a ratio of means, by the delta method
        error = (parts - of_draw[:, None] * expected).std(axis=0)
        error /= of_draw.mean() * np.sqrt(n_prior)
        draws = getattr(fitted.draws, name)
        found = draws.reshape(*draws.shape[:2], -1)
        ours = [draws.std() / np.sqrt(effective(draws)) for draws in np.moveaxis(found, 2, 0)]
        z.append((found.mean(axis=(0, 1)) - expected) / np.hypot(error, ours))
    z = np.abs(np.concatenate(z))
    assert z.max() < scipy.stats.norm.isf(LEVEL / 2 / z.size)
    np.testing.assert_allclose(
        fitted.posterior, fitted.draws.item_probability.mean(axis=(0, 1)), atol=0.02
    )


def one_time_annotators(rng, per_item: int) -> Annotations:
    """Return three items, two of one category, that everybody labels who labels nothing else."""
    item = np.repeat([0, 1, 2], per_item)
    wrong = np.where(rng.random(item.size) < 0.6, 0, rng.integers(1, K, item.size))
    label = (np.array([0, 0, 2])[item] + wrong) % K
    return Annotations.from_arrays(item, np.arange(item.size), label, categories=range(K))


def test_chains_agree_on_items_of_many_annotators_who_label_once(rng):
    # A chain that draws categories given annotators' rows stays where it started.
    fitted = hierarchical_dawid_skene.fit(one_time_annotators(rng, 300), rng=rng, draws=500)
    assert fitted.diagnostics["r_hat"].max() < 1.05
    assert fitted.posterior[:2, 0].min() > fitted.posterior[2, 0]


def test_a_start_is_where_chains_begin(rng):
    annotations = one_time_annotators(rng, 20)
    posterior = np.eye(K)[[1, 1, 2]]
    options = {"warmup": 0, "draws": 1, "thin": 1}
    fitted = hierarchical_dawid_skene.fit(
        annotations, rng=np.random.default_rng(1), start=posterior, **options
    )
    again = hierarchical_dawid_skene.fit(
        annotations, rng=np.random.default_rng(1), start=posterior, **options
    )
    assert fitted.posterior.tobytes() == again.posterior.tobytes()
    for start in (posterior[:2], posterior[:, :2], 2 * posterior, np.full((3, K), np.nan)):
        with pytest.raises(AnnotationError, match=r"start must be probabilities of shape \(3, 3\)"):
            hierarchical_dawid_skene.fit(annotations, rng=rng, start=start)


def test_draws_that_memory_does_not_hold_are_refused(rng):
    with pytest.raises(AnnotationError, match=r"800 draws need 3 MiB.*limit is 1 MiB.*larger thin"):
        hierarchical_dawid_skene.fit(one_time_annotators(rng, 20), rng=rng, memory_limit=2**20)


def test_two_categories_are_the_binary_model():
    from annobench.models import hierarchical_binary

    rng = np.random.default_rng(6)
    confusion = np.array([[rng.dirichlet([8, 2]), rng.dirichlet([3, 9])] for _ in range(8)])
    annotations, _ = labels_from(rng, np.array([0.6, 0.4]), confusion, n_items=150)
    many = hierarchical_dawid_skene.fit(annotations, rng=rng, draws=2500, warmup=500, thin=1)
    two = hierarchical_binary.fit(annotations, rng=rng, draws=2500, warmup=500, thin=1)
    for ours, theirs in (
        (many.draws.prevalence[..., 1], two.draws.prevalence),
        (many.draws.mean[..., 1, 1], two.draws.sensitivity_mean),
        (np.log(many.draws.concentration[..., 0]), np.log(two.draws.specificity_concentration)),
        (many.draws.confusion[..., 0, 0, 0], two.draws.specificity[..., 0]),
        (many.draws.item_probability[..., 3, 1], two.draws.item_probability[..., 3]),
    ):
        error = np.hypot(*(draws.std() / np.sqrt(effective(draws)) for draws in (ours, theirs)))
        assert abs(ours.mean() - theirs.mean()) < scipy.stats.norm.isf(LEVEL / 10) * error


def effective(draws: np.ndarray) -> float:
    from annobench.models.diagnostics import convergence_table

    row = convergence_table({"x": (draws[..., None], [""])}).iloc[0]
    return (row["standard_deviation"] / row["mcse_mean"]) ** 2


def test_classes_keep_the_labels_they_bear():
    rng = np.random.default_rng(7)
    for k in (2, 3, 5, 8):
        gain = rng.random((k, k))
        from scipy.optimize import linear_sum_assignment

        columns, rows = linear_sum_assignment(-gain.T)
        order = assignment(gain)
        assert gain[order, np.arange(k)].sum() == pytest.approx(gain[rows, columns].sum())
        assert sorted(order) == list(range(k))


def test_log_likelihoods_of_draws_are_those_of_every_item():
    """Each item's labels in turn, the categories summed out in double precision."""
    rng = np.random.default_rng(8)
    confusion = np.broadcast_to(0.7 * np.eye(2) + 0.15, (3, 2, 2))
    labels, _ = labels_from(rng, [0.4, 0.6], confusion, 30, missing=0)
    fit = hierarchical_dawid_skene.fit(labels, rng=rng, chains=2, draws=12, warmup=5, thin=3)
    found = fit.log_likelihoods(labels, 2)
    assert found.shape == (2, 2)
    # Of four stored draws the first and the third, which are the first and the seventh of all.
    for place, (stored, drawn) in enumerate(((0, 0), (2, 6))):
        for chain in range(2):
            joint = np.tile(fit.draws.prevalence[chain, drawn], (labels.n_items, 1))
            for i, j, label in zip(labels.item, labels.annotator, labels.label, strict=True):
                joint[i] *= fit.draws.confusion[chain, stored, j, :, label]
            expected = np.log(joint.sum(axis=1)).sum()
            assert found[chain, place] == pytest.approx(expected, rel=1e-5)
