"""One confusion matrix for all annotators: its posterior summed out, and what follows from it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from scipy.special import gammaln

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import pooled_multinomial

#: Chance of a false alarm of one test, shared out among the numbers it compares.
LEVEL = 1e-3
ROWS = ["001", "11", "00", "10", "111"]


def labels() -> Annotations:
    """Return five items, one of which has both labels once."""
    triples = [(i, j, int(x)) for i, row in enumerate(ROWS) for j, x in enumerate(row)]
    return Annotations.from_arrays(*zip(*triples, strict=True), categories=[0, 1])


def in_order(a: np.ndarray, b: np.ndarray) -> float:
    """Return the probability that x + y > 1 for x from Beta(a) and y from Beta(b), by quadrature.

    They are the right labels' shares of the two rows: the trace of the matrix is above 1.
    """
    x, y = scipy.stats.beta(*a), scipy.stats.beta(*b)
    return scipy.integrate.quad(lambda t: x.pdf(t) * y.sf(1 - t), 0, 1, epsabs=1e-12)[0]


def exact() -> dict[str, np.ndarray]:
    """Sum over all assignments of categories; prevalence and rows are integrated out."""
    counts = np.array([[row.count("0"), row.count("1")] for row in ROWS])
    weights, members = [], []
    for assignment in itertools.product([0, 1], repeat=len(ROWS)):
        category = np.array(assignment)
        sizes = np.bincount(category, minlength=2)
        rows = np.array([counts[category == k].sum(axis=0) for k in (0, 1)]) + 1
        log_weight = gammaln(sizes + 1).sum() + (gammaln(rows).sum(axis=1)).sum()
        log_weight -= gammaln(rows.sum(axis=1)).sum()
        weights.append(np.exp(log_weight) * in_order(rows[0], rows[1][::-1]))
        members.append(category)
    weight, category = np.array(weights) / np.sum(weights), np.array(members)
    sizes = np.stack([(category == k).sum(axis=1) for k in (0, 1)], axis=1)
    return {
        "posterior": np.stack([1 - weight @ category, weight @ category], axis=1),
        "unrestricted prevalence": (sizes + 1) / (len(ROWS) + 2),
        "weight": weight,
    }


def test_the_posterior_of_tiny_labels_is_that_of_a_sum_over_all_categories():
    fitted = pooled_multinomial.fit(labels(), rng=3, draws=8_000, thin=1)
    probability = fitted.diagnostics.loc["item_probability"]
    z = np.abs(fitted.posterior.max(axis=1) - exact()["posterior"].max(axis=1))
    z /= probability["mcse_mean"].to_numpy()
    assert z.max() < scipy.stats.norm.isf(LEVEL / 2 / z.size)


def test_a_posterior_without_the_order_of_the_classes_does_not_agree():
    # The negative control: without the restriction classes are exchangeable.
    fitted = pooled_multinomial.fit(labels(), rng=3, draws=8_000, thin=1)
    error = fitted.diagnostics.loc["item_probability", "mcse_mean"].to_numpy()
    assert (np.abs(fitted.posterior.max(axis=1) - 0.5) / error).max() > 10


def test_draws_of_certain_categories_are_dirichlet():
    # Two hundred items of ten equal labels each: 120 of category 0 and 80 of category 1.
    item = np.repeat(np.arange(200), 10)
    label = (item >= 120).astype(int)
    fitted = pooled_multinomial.fit(
        Annotations.from_arrays(item, np.tile(np.arange(10), 200), label), rng=1
    )
    assert fitted.posterior[:, 1] == pytest.approx((np.arange(200) >= 120) * 1.0, abs=1e-6)
    prevalence = scipy.stats.beta(81, 121)
    wrong = scipy.stats.beta(1, 1201)
    for draws, expected in (
        (fitted.draws.prevalence[..., 1], prevalence),
        (fitted.draws.confusion[..., 0, 1], wrong),
    ):
        # Independent draws: the test is exact.
        assert scipy.stats.kstest(draws.ravel(), expected.cdf).pvalue > LEVEL / 2
    assert fitted.label_switches.sum() == 0
    assert fitted.accuracy == pytest.approx(np.full(10, fitted.accuracy[0]))


def test_items_with_the_same_labels_have_the_same_posterior_whoever_gave_them():
    rows = [(i, j, x) for i in range(20) for j, x in enumerate("0010" if i % 2 else "1101")]
    rows += [(20, "new", "0"), (20, "other", "0"), (20, 1, "1"), (20, 2, "0")]
    fitted = pooled_multinomial.fit(Annotations.from_arrays(*zip(*rows, strict=True)), rng=2)
    assert fitted.posterior[20] == pytest.approx(fitted.posterior[1], rel=1e-12)
    assert (fitted.confusion == fitted.confusion[0]).all()


def test_known_parameters_are_found():
    rng = np.random.default_rng(5)
    confusion = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
    prevalence = np.array([0.5, 0.3, 0.2])
    truth = rng.choice(3, size=400, p=prevalence)
    label = (rng.random((400, 6, 1)) > confusion[truth].cumsum(axis=1)[:, None, :2]).sum(axis=2)
    item, annotator = np.indices(label.shape)
    fitted = pooled_multinomial.fit(
        Annotations.from_arrays(item.ravel(), annotator.ravel(), label.ravel()), rng=1
    )
    for name, known in (("prevalence", prevalence), ("confusion", confusion)):
        lower, upper = fitted.interval(name, 1 - LEVEL / 12)
        assert ((lower < known) & (known < upper)).all(), name
    assert fitted.cautions() == []


def test_one_category_and_too_little_memory_are_refused():
    with pytest.raises(AnnotationError, match=r"pooled_multinomial: needs at least two categories"):
        pooled_multinomial.fit(Annotations.from_arrays([0, 0], ["a", "b"], ["x", "x"]))
    with pytest.raises(AnnotationError, match=r"pooled_multinomial\.fit: 800 draws need .* limit"):
        pooled_multinomial.fit(labels(), memory_limit=2**10)
