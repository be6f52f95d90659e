"""The multilevel binary model: densities and draws against closed forms and exact sums."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.signal
import scipy.special
import scipy.stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import hierarchical_binary, hierarchical_dawid_skene
from annobench.models.diagnostics import convergence_table
from annobench.models.hierarchical_binary import Draws, HierarchicalBinaryFit
from annobench.models.kernels import hierarchical_binary as kernels
from annobench.simulation import panels

#: Two-sided chance of a false alarm of one test, shared out among the numbers it compares.
LEVEL = 1e-3

#: Missing and repeated labels, an item and an annotator without any, and few enough items to
#: sum over all their categories.
TINY = Annotations.from_arrays(
    list("xxxyyz"), list("abaaba"), [1, 1, 1, 0, 1, 0], items="xyzw", annotators="abc"
)


def z_bound(n_comparisons: int) -> float:
    return scipy.stats.norm.isf(LEVEL / 2 / n_comparisons)


def chain_table(fitted: HierarchicalBinaryFit) -> dict[str, tuple[float, float]]:
    """Means and their Monte Carlo errors, the scales on the log scale.

    The prior's variance of a scale is infinite for g <= 2, and its mean for g <= 1.
    """
    draws = fitted.draws
    columns = {"prevalence": draws.prevalence}
    for name in ("sensitivity", "specificity"):
        columns[f"{name}_mean"] = getattr(draws, f"{name}_mean")
        columns[f"log_{name}_concentration"] = np.log(getattr(draws, f"{name}_concentration"))
        for j in range(draws.sensitivity.shape[2]):
            columns[f"{name}_{j}"] = getattr(draws, name)[..., j]
    for i in range(draws.item_probability.shape[2]):
        columns[f"item_{i}"] = draws.item_probability[..., i].astype(float)
    if not fitted.hierarchical:
        columns = {key: value for key, value in columns.items() if "mean" not in key}
        columns = {key: value for key, value in columns.items() if "concentration" not in key}
    names = list(columns)
    groups = {
        "kept": [name for name in names if not name.startswith("item")],
        "items": [name for name in names if name.startswith("item")],
    }
    result = {}
    for group in groups.values():
        draws_of = np.stack([columns[name] for name in group], axis=-1)
        table = convergence_table({"x": (draws_of, group)})
        for name, mean, error in zip(group, table["mean"], table["mcse_mean"], strict=True):
            result[name] = mean, error
    return result


def beta_binomial(mean, scale, right, wrong):
    alpha, beta = mean * scale, (1 - mean) * scale
    return np.exp(
        scipy.special.betaln(alpha + right, beta + wrong) - scipy.special.betaln(alpha, beta)
    )


def counts_given(annotations: Annotations, category: np.ndarray) -> np.ndarray:
    """``[k, h, j]``: labels of annotator j on items of category k, h = 0 right and 1 wrong."""
    counts = np.zeros((2, 2, annotations.n_annotators))
    truth = category[annotations.item]
    np.add.at(counts, (truth, (annotations.label != truth).astype(int), annotations.annotator), 1)
    return counts


def exact_posterior(annotations: Annotations, exponent: float, size: int = 160) -> dict[str, float]:
    """Sum over all category vectors, and integrate by midpoints over means and scales.

    Given the categories, prevalence and every annotator integrate out in closed form, and the two
    populations are independent but for m_0 + m_1 > 1. A scale is u ** (-1 / g) with u uniform.
    """
    grid = (np.arange(size) + 0.5) / size
    mean, scale = grid[:, None], grid[None, :] ** (-1 / exponent)
    # The cells on the diagonal m_0 + m_1 = 1 are cut in half.
    allowed = (mean + grid > 1 + 0.5 / size) + 0.5 * (np.abs(mean + grid - 1) < 0.5 / size)
    total, sums = 0.0, {}
    for vector in itertools.product([0, 1], repeat=annotations.n_items):
        category = np.array(vector)
        counts = counts_given(annotations, category)
        positives = category.sum()
        evidence = math.exp(scipy.special.betaln(1 + positives, 1 + len(vector) - positives))
        populations = []
        for k in range(2):
            terms = [beta_binomial(mean, scale, *counts[k, :, j]) for j in range(counts.shape[2])]
            weight = np.prod(terms, axis=0)
            values = {"weight": np.ones_like(weight), "log_concentration": np.log(scale) + 0 * mean}
            for j in range(counts.shape[2]):
                labels = counts[k, :, j].sum()
                values[str(j)] = (mean * scale + counts[k, 0, j]) / (scale + labels)
            populations.append({key: (weight * v).mean(axis=1) for key, v in values.items()})
        zero, one = populations

        def integral(left, right, evidence=evidence):
            return evidence * float(left @ allowed @ right) / size**2

        whole = integral(zero["weight"], one["weight"])
        total += whole
        found = {"prevalence": whole * (1 + positives) / (2 + len(vector))}
        found |= {f"item_{i}": whole * c for i, c in enumerate(vector)}
        found["specificity_mean"] = integral(zero["weight"] * grid, one["weight"])
        found["sensitivity_mean"] = integral(zero["weight"], one["weight"] * grid)
        found["log_specificity_concentration"] = integral(zero["log_concentration"], one["weight"])
        found["log_sensitivity_concentration"] = integral(zero["weight"], one["log_concentration"])
        for j in range(annotations.n_annotators):
            found[f"specificity_{j}"] = integral(zero[str(j)], one["weight"])
            found[f"sensitivity_{j}"] = integral(zero["weight"], one[str(j)])
        sums = {key: sums.get(key, 0.0) + value for key, value in found.items()}
    return {key: value / total for key, value in sums.items()}


def exact_posterior_without_hierarchy(annotations: Annotations, size: int = 2_000):
    """Sum over all category vectors; convolve the annotators' beta posteriors on a fine grid.

    The half kept is that in which all 2 J sensitivities and specificities sum to more than J.
    """
    middle = (np.arange(size) + 0.5) / size
    edges = np.linspace(0, 1, size + 1)
    total, sums = 0.0, {}
    for vector in itertools.product([0, 1], repeat=annotations.n_items):
        category = np.array(vector)
        counts = counts_given(annotations, category)
        positives = category.sum()
        evidence = math.exp(
            scipy.special.betaln(1 + positives, 1 + len(vector) - positives)
            + scipy.special.betaln(1 + counts[:, 0], 1 + counts[:, 1]).sum()
        )
        cells = {
            f"{name}_{j}": np.diff(scipy.special.betainc(1 + right, 1 + wrong, edges))
            for k, name in enumerate(("specificity", "sensitivity"))
            for j, (right, wrong) in enumerate(counts[k].T)
        }

        def mass_above(weighted=None, cells=cells):
            convolved = np.ones(1)
            for name, cell in cells.items():
                factor = cell * middle if name == weighted else cell
                convolved = scipy.signal.fftconvolve(convolved, factor)
            # Position p stands for the sum (p + J) / size; the threshold J lies on the grid.
            threshold = annotations.n_annotators * (size - 1)
            return convolved[threshold + 1 :].sum() + convolved[threshold] / 2

        whole = evidence * mass_above()
        total += whole
        found = {"prevalence": whole * (1 + positives) / (2 + len(vector))}
        found |= {f"item_{i}": whole * c for i, c in enumerate(vector)}
        found |= {name: evidence * mass_above(name) for name in cells}
        sums = {key: sums.get(key, 0.0) + value for key, value in found.items()}
    return {key: value / total for key, value in sums.items()}


def largest_z(sampled: dict[str, tuple[float, float]], exact: dict[str, float]) -> float:
    assert sampled.keys() == exact.keys()
    return max(abs(sampled[name][0] - exact[name]) / sampled[name][1] for name in exact)


@pytest.mark.parametrize("collapsed", [True, False])
@pytest.mark.parametrize("exponent", [1.5, 2.0])
def test_sampler_agrees_with_the_exact_posterior_of_a_tiny_panel(rng, exponent, collapsed):
    exact = exact_posterior(TINY, exponent)
    fitted = hierarchical_binary.fit(
        TINY,
        rng=rng,
        concentration_exponent=exponent,
        collapsed=collapsed,
        draws=12_000,
    )
    sampled = chain_table(fitted)
    assert largest_z(sampled, exact) < z_bound(len(exact))
    # the other reading of the prior is distinguished
    assert largest_z(sampled, exact_posterior(TINY, 3.5 - exponent)) > z_bound(len(exact))


def test_confusion_matrices_of_two_categories_have_the_same_exact_posterior(rng):
    fitted = hierarchical_dawid_skene.fit(TINY, rng=rng, draws=12_000, thin=1).draws
    columns = {"prevalence": fitted.prevalence[..., 1]}
    for k, name in enumerate(("specificity", "sensitivity")):
        columns[name] = fitted.confusion[..., k, k]
        columns[f"{name}_mean"] = fitted.mean[..., k, k]
        columns[f"{name}_concentration"] = fitted.concentration[..., k]
    columns["item_probability"] = fitted.item_probability[..., 1]
    sampled = chain_table(SimpleNamespace(draws=SimpleNamespace(**columns), hierarchical=True))
    exact = exact_posterior(TINY, 1.5)
    assert largest_z(sampled, exact) < z_bound(len(exact))
    assert largest_z(sampled, exact_posterior(TINY, 2.0)) > z_bound(len(exact))


def test_sampler_without_hierarchy_agrees_with_the_exact_posterior_of_a_tiny_panel(rng):
    exact = exact_posterior_without_hierarchy(TINY)
    fitted = hierarchical_binary.fit(TINY, rng=rng, hierarchical=False, draws=12_000)
    sampled = chain_table(fitted)
    assert largest_z(sampled, exact) < z_bound(len(exact))
    # and the mirror image is distinguished
    mirrored = {name: 1 - value for name, value in exact.items()}
    assert largest_z(sampled, mirrored) > z_bound(len(exact))


def test_collapsed_and_uncollapsed_samplers_have_one_posterior(rng):
    panel = panels.binary(
        n_items=60,
        n_annotators=8,
        prevalence=0.3,
        sensitivity=(5, 2),
        specificity=(8, 2),
        missing=0.3,
        rng=rng,
    ).annotations
    first, second, other = (
        chain_table(
            hierarchical_binary.fit(
                panel, rng=rng, collapsed=collapsed, concentration_exponent=exponent, draws=6_000
            )
        )
        for collapsed, exponent in ((True, 1.5), (False, 1.5), (False, 0.5))
    )

    def distance(left, right):
        return max(
            abs(left[name][0] - right[name][0]) / math.hypot(left[name][1], right[name][1])
            for name in left
        )

    assert distance(first, second) < z_bound(len(first))
    assert distance(first, other) > z_bound(len(first))


COUNTS = (  # right, wrong: none, few, at, and past the end of the table
    np.array([0, 3, 0, 5, 48, 49, 300, 0, 20]),
    np.array([0, 0, 4, 2, 0, 1, 20, 75, 28]),
)


@pytest.mark.parametrize(("mean", "scale"), [(0.5, 1.01), (0.83, 12.0), (1e-4, 3.0), (0.2, 1e6)])
def test_collapsed_density_is_a_product_of_beta_binomials(mean, scale):
    right, wrong = (count.astype(float) for count in COUNTS)
    table = np.zeros((3, kernels._TABLE))
    kernels._tabulate(right, wrong, table)
    point = np.array([mean, math.log(scale)])
    found = kernels._log_density(point, 1.5, True, right, wrong, table, 0.0, 0.0)
    # p(s) = s^-2.5 on s, times ds / d log s = s
    alpha, beta = mean * scale, (1 - mean) * scale
    terms = scipy.special.betaln(alpha + right, beta + wrong) - scipy.special.betaln(alpha, beta)
    # Differences of log-gamma at 1e6 have lost seven digits
    assert found == pytest.approx(-1.5 * math.log(scale) + terms.sum(), rel=1e-7)


@pytest.mark.parametrize(("mean", "scale"), [(0.5, 2.0), (0.83, 12.0), (0.1, 300.0)])
def test_uncollapsed_density_is_a_product_of_betas(rng, mean, scale):
    theta = rng.beta(4, 2, size=7)
    sums = np.log(theta).sum(), np.log1p(-theta).sum()
    nothing, table = np.zeros(7), np.zeros((3, kernels._TABLE))
    point = np.array([mean, math.log(scale)])
    found = kernels._log_density(point, 2.0, False, nothing, nothing, table, *sums)
    log_beta = scipy.stats.beta(mean * scale, (1 - mean) * scale).logpdf(theta).sum()
    # scipy's density has the factor 1 / (theta (1 - theta)), the same at every mean and scale
    expected = -2.0 * math.log(scale) + log_beta + sum(sums)
    assert found == pytest.approx(expected, rel=1e-10)


def test_table_counts_the_annotators_past_each_number():
    right, wrong = np.array([0.0, 2, 60]), np.array([1.0, 0, 3])
    table = np.zeros((3, kernels._TABLE))
    kernels._tabulate(right, wrong, table)
    # right > 0: two annotators, > 1: two, > 2 to > 47: one
    assert table[0].tolist() == [2, 2] + [1] * (kernels._TABLE - 2)
    assert table[1].tolist() == [2, 1, 1] + [0] * (kernels._TABLE - 3)
    # totals 1, 2 and 63
    assert table[2].tolist() == [3, 2] + [1] * (kernels._TABLE - 2)


@pytest.mark.parametrize(("a", "b"), [(1e-3, 2e-3), (1e-12, 3.0), (0.4, 0.7), (5.0, 1e-2), (8, 3)])
def test_log_beta_draws_have_the_moments_of_the_beta(rng, a, b):
    out = np.empty((20_000, 2))
    for row in out:
        kernels._draw_log_beta(rng, a, b, row)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(np.exp(out).sum(axis=1), 1, rtol=1e-12)
    # log x has mean psi(a) - psi(a + b) and variance psi'(a) - psi'(a + b)
    for column, shape in ((out[:, 0], a), (out[:, 1], b)):
        mean = scipy.special.digamma(shape) - scipy.special.digamma(a + b)
        variance = scipy.special.polygamma(1, shape) - scipy.special.polygamma(1, a + b)
        z = (column.mean() - mean) / math.sqrt(variance / len(out))
        assert abs(z) < z_bound(3)
    share, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    z = (np.exp(out[:, 0]).mean() - share) / math.sqrt(variance / len(out))
    # A share so small that none is expected in all draws has no normal mean
    assert abs(z) < z_bound(3) or share * len(out) < 1


def test_reflection_exchanges_the_categories_and_keeps_the_likelihood(rng):
    theta = rng.uniform(0.05, 0.95, size=(2, 4))
    logs = np.stack([np.log(theta), np.log1p(-theta)], axis=1)
    main = np.array([0.2, 0.3, 5.0, 0.4, 7.0])
    # before: specificity mean 0.3, sensitivity mean 0.4: worse than chance
    assert kernels._in_mirror_half(main, logs, True)
    reflected, reflected_main = logs.copy(), main.copy()
    kernels._reflect(reflected_main, reflected)
    np.testing.assert_allclose(reflected_main, [0.8, 0.6, 7.0, 0.7, 5.0], rtol=1e-15)
    np.testing.assert_allclose(np.exp(reflected[0, 0]), 1 - theta[1], rtol=1e-12)
    np.testing.assert_allclose(np.exp(reflected[1, 0]), 1 - theta[0], rtol=1e-12)
    assert not kernels._in_mirror_half(reflected_main, reflected, True)

    def likelihood(main, logs, labels):
        one = main[0] * np.exp(np.where(labels, logs[1, 0], logs[1, 1]).sum())
        zero = (1 - main[0]) * np.exp(np.where(labels, logs[0, 1], logs[0, 0]).sum())
        return one + zero

    for labels in itertools.product([False, True], repeat=4):
        assert likelihood(reflected_main, reflected, labels) == pytest.approx(
            likelihood(main, logs, labels), rel=1e-12
        )
    kernels._reflect(reflected_main, reflected)
    np.testing.assert_array_equal(reflected, logs)
    np.testing.assert_allclose(reflected_main, main, rtol=1e-15)


def test_without_hierarchy_the_half_is_chosen_by_the_annotators_mean():
    def mirrored(theta):
        theta = np.array(theta)
        logs = np.stack([np.log(theta), np.log1p(-theta)], axis=1)
        return kernels._in_mirror_half(np.array([0.5, 0.5, 2.0, 0.5, 2.0]), logs, False)

    # Sums over both annotators of specificity + sensitivity: 2.1 and 1.9, chance is 2
    assert not mirrored([[0.9, 0.3], [0.6, 0.3]])
    assert mirrored([[0.7, 0.3], [0.6, 0.3]])


def fit_with(mean: tuple[float, float], scale: tuple[float, float]) -> HierarchicalBinaryFit:
    """Return a fit whose draws of (sensitivity, specificity) mean and scale are constant."""
    one = np.ones((2, 50))
    return HierarchicalBinaryFit(
        ("x",),
        ("ann", "bob"),
        ("0", "1"),
        hierarchical=True,
        posterior=np.array([[0.75, 0.25]]),
        draws=Draws(
            prevalence=0.3 * one,
            sensitivity=one[..., None] * np.array([0.9, 0.4]),
            specificity=one[..., None] * np.array([0.8, 0.7]),
            sensitivity_mean=mean[0] * one,
            sensitivity_concentration=scale[0] * one,
            specificity_mean=mean[1] * one,
            specificity_concentration=scale[1] * one,
            item_probability=np.full((2, 10, 1), 0.25, dtype=np.float32),
        ),
        label_switches=np.zeros(2, dtype=np.int64),
    )


def test_a_new_annotator_is_beta_binomial_given_mean_and_scale():
    new = fit_with((0.7, 0.8), (28.0, 48.0)).predict_new_annotator(20, 30)
    positives = scipy.stats.betabinom(20, 0.7 * 28, 0.3 * 28).pmf(np.arange(21))
    negatives = scipy.stats.betabinom(30, 0.8 * 48, 0.2 * 48).pmf(np.arange(31))
    np.testing.assert_allclose(new.true_positives, positives, rtol=1e-10)
    np.testing.assert_allclose(new.true_negatives, negatives, rtol=1e-10)


def test_a_new_annotator_without_items_gets_none_right():
    new = fit_with((0.7, 0.8), (28.0, 48.0)).predict_new_annotator(0, 1)
    np.testing.assert_allclose(new.true_positives, [1], rtol=1e-12)
    # One item is right with the mean specificity
    np.testing.assert_allclose(new.true_negatives, [0.2, 0.8], rtol=1e-12)
    with pytest.raises(ValueError, match="must be >= 0, got -1"):
        fit_with((0.7, 0.8), (28.0, 48.0)).predict_new_annotator(3, -1)


def test_a_prediction_averages_over_the_draws():
    fitted = fit_with((0.7, 0.8), (28.0, 48.0))
    fitted.draws.sensitivity_mean[0] = 0.5
    new = fitted.predict_new_annotator(1, 0)
    # half the draws at 0.5 and half at 0.7
    np.testing.assert_allclose(new.true_positives, [0.4, 0.6], rtol=1e-12)


def test_summaries_of_constant_draws_are_those_constants():
    fitted = fit_with((0.7, 0.8), (28.0, 48.0))
    np.testing.assert_allclose(fitted.prevalence, [0.7, 0.3], rtol=1e-12)
    np.testing.assert_allclose(
        fitted.confusion,
        [[[0.8, 0.2], [0.1, 0.9]], [[0.7, 0.3], [0.6, 0.4]]],
        rtol=1e-12,
    )
    np.testing.assert_allclose(fitted.interval("sensitivity"), [[0.9, 0.4], [0.9, 0.4]], rtol=1e-12)
    assert hierarchical_binary.better_than_half(fitted).tolist() == [True, False]


def test_an_interval_holds_the_central_draws():
    fitted = fit_with((0.7, 0.8), (28.0, 48.0))
    fitted.draws.prevalence[:] = np.arange(100).reshape(2, 50)
    # Of 0, ..., 99 the quantiles 1/4 and 3/4 by linear interpolation: 99 / 4 and 3 * 99 / 4
    np.testing.assert_allclose(fitted.interval("prevalence", level=0.5), [24.75, 74.25])
    with pytest.raises(ValueError, match=r"level must be between 0 and 1, got 95"):
        fitted.interval("prevalence", level=95)
    with pytest.raises(ValueError, match=r"parameter 'kappa' is not one of prevalence, "):
        fitted.interval("kappa")


def test_reflections_are_reported_where_the_data_say_nothing_and_absent_where_they_do(rng):
    coin = panels.binary(
        n_items=40,
        n_annotators=6,
        prevalence=0.5,
        sensitivity=(50, 50),
        specificity=(50, 50),
        missing=0.2,
        rng=rng,
    ).annotations
    fitted = hierarchical_binary.fit(coin, rng=rng, draws=2_000)
    assert fitted.label_switches.shape == (4,)
    assert (fitted.label_switches > 0).all()
    draws = fitted.draws
    assert (draws.sensitivity_mean + draws.specificity_mean >= 1).all()
    # As many labels per item, and annotators as good, as in the first textual entailment set
    crowd = panels.binary(
        n_items=200,
        n_annotators=20,
        prevalence=0.5,
        sensitivity=(10, 2),
        specificity=(2.5, 0.5),
        missing=0.5,
        rng=rng,
    ).annotations
    fitted = hierarchical_binary.fit(crowd, rng=rng, draws=2_000)
    assert fitted.label_switches.tolist() == [0, 0, 0, 0]


def test_progress_adds_up_to_all_sweeps(rng):
    done = []
    hierarchical_binary.fit(TINY, rng=rng, chains=3, warmup=70, draws=430, progress=done.append)
    assert sum(done) == 3 * (70 + 430)


def test_thinning_keeps_every_so_many_th_item_probability(rng):
    settings = {"chains": 2, "warmup": 10, "draws": 23}
    whole, thin = (
        hierarchical_binary.fit(TINY, rng=np.random.default_rng(1), thin=thin, **settings)
        for thin in (1, 5)
    )
    np.testing.assert_array_equal(thin.draws.item_probability, whole.draws.item_probability[:, ::5])
    assert thin.draws.item_probability.shape == (2, 5, 4)
    # The posterior averages all draws, in double precision where the draws kept are single
    np.testing.assert_allclose(
        whole.draws.item_probability.mean(axis=(0, 1)), whole.posterior[:, 1], rtol=1e-5
    )
    np.testing.assert_array_equal(whole.posterior, thin.posterior)


def test_pruning_drops_the_annotators_below_one_half_and_keeps_the_items(rng):
    # Five who are right nine times in ten, and one who says the opposite of the truth
    truth = rng.integers(2, size=80)
    right = rng.random((80, 5)) < 0.9
    labels = np.column_stack([np.where(right, truth[:, None], 1 - truth[:, None]), 1 - truth])
    item, annotator = np.divmod(np.arange(480), 6)
    annotations = Annotations.from_arrays(item, annotator, labels.ravel())
    settings = {"draws": 500, "warmup": 200}
    first = hierarchical_binary.fit(annotations, rng=rng, **settings)
    pruned = hierarchical_binary.prune_and_refit(annotations, first, rng=rng, **settings)
    assert pruned.first is first
    assert pruned.keep.tolist() == [True] * 5 + [False]
    assert pruned.second.annotators == annotations.annotators[:5]
    assert pruned.second.items == annotations.items


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"concentration_exponent": 0.0}, "concentration_exponent must be above 0, got 0"),
        ({"concentration_exponent": math.nan}, "concentration_exponent must be above 0, got nan"),
        ({"chains": 0}, "chains must be above 0, got 0"),
        ({"draws": -1}, "draws must be above 0, got -1"),
        ({"thin": 0}, "thin must be above 0, got 0"),
        ({"warmup": -1}, "warmup must be at least 0, got -1"),
    ],
)
def test_a_setting_out_of_range_is_refused(rng, setting, message):
    with pytest.raises(ValueError, match=message):
        hierarchical_binary.fit(TINY, rng=rng, **setting)


def test_labels_that_are_not_binary_are_refused(rng):
    three = Annotations.from_arrays(list("xyz"), list("aaa"), [0, 1, 2])
    with pytest.raises(AnnotationError, match=r"at most 2 categories, got 3 .*Collapse"):
        hierarchical_binary.fit(three, rng=rng)
    empty = Annotations.from_arrays([], [], [], items="x", annotators="a", categories="01")
    with pytest.raises(AnnotationError, match="there are no labels"):
        hierarchical_binary.fit(empty, rng=rng)
