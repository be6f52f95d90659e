"""IBCC, EBCC and BWA: cases by hand, slow definitions, the exact evidence, limits."""

from itertools import product

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from scipy.special import digamma, gammaln, logsumexp

from annobench import datasets
from annobench.core.errors import AnnotationError, DataUnavailableError
from annobench.labels.annotations import Annotations
from annobench.models import bwa, ebcc, ibcc
from annobench.models.kernels import variational


def labels_of(triples, **names):
    return Annotations.from_arrays(*zip(*triples, strict=True), **names)


def panel(rng, n_items=12, n_annotators=5, n_categories=3):
    """Return labels of which some are missing and some are repeated."""
    truth = rng.integers(n_categories, size=n_items)
    triples = []
    for i, j in product(range(n_items), range(n_annotators)):
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            right = rng.random() < 0.6
            triples.append((i, j, int(truth[i] if right else rng.integers(n_categories))))
    return labels_of(triples, categories=range(n_categories))


# --------------------------------------------------------------- IBCC and EBCC: definitions


def slow_bound(a, q, prevalence, subtypes, rows, priors):
    """Compute the bound of its definition: E log p(labels, z, parameters) - E log q."""

    def logs(parameters):
        return digamma(parameters) - digamma(parameters.sum())

    def of_prior(prior, parameters):
        """Return E log p - E log q of one Dirichlet distribution."""
        normaliser = gammaln(prior.sum()) - gammaln(prior).sum()
        expected = normaliser + ((prior - 1) * logs(parameters)).sum()
        return expected + scipy.stats.dirichlet.entropy(parameters)

    n_categories, n_subtypes = subtypes.shape
    total = of_prior(priors[0], prevalence) if n_categories > 1 else 0.0
    for k in range(n_categories):
        total += of_prior(priors[1], subtypes[k]) if n_subtypes > 1 else 0.0
        for j, m in product(range(a.n_annotators), range(n_subtypes)):
            total += of_prior(priors[2][k], rows[j, k, m])
    for i, k, m in product(range(a.n_items), range(n_categories), range(n_subtypes)):
        if q[i, k, m] > 0:
            total += q[i, k, m] * (logs(prevalence)[k] + logs(subtypes[k])[m] - np.log(q[i, k, m]))
    for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
        for k, m in product(range(n_categories), range(n_subtypes)):
            total += q[i, k, m] * logs(rows[j, k, m])[label]
    return total


def slow_fit(a, division, prior_of_prevalence, a_pi, iterations):
    """Do the updates with loops, and return the posterior and the bound after each."""
    n_categories, n_subtypes = a.n_categories, division.shape[2]
    beta = np.full((n_categories, n_categories), 1.0) + 3.0 * np.eye(n_categories)
    votes = np.zeros((a.n_items, n_categories))
    for i, label in zip(a.item, a.label, strict=True):
        votes[i, label] += 1
    votes /= votes.sum(axis=1, keepdims=True)
    if prior_of_prevalence == "votes":
        prior_of_prevalence = votes.sum(axis=0)
    alpha = np.broadcast_to(np.asarray(prior_of_prevalence, float), n_categories)
    priors = alpha, np.full(n_subtypes, a_pi / n_subtypes), beta
    q = votes[:, :, None] * division
    bounds = []
    for step in range(iterations + 1):
        prevalence = alpha + q.sum(axis=(0, 2))
        subtypes = priors[1] + q.sum(axis=0)
        rows = np.tile(beta[None, :, None, :], (a.n_annotators, 1, n_subtypes, 1))
        for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
            rows[j, :, :, label] += q[i]
        if step == 0:
            bounds.append(slow_bound(a, q, prevalence, subtypes, rows, priors))
        if step == iterations:
            break
        score = np.zeros_like(q)
        for i, k, m in np.ndindex(*q.shape):
            score[i, k, m] = digamma(prevalence[k]) - digamma(prevalence.sum())
            score[i, k, m] += digamma(subtypes[k, m]) - digamma(subtypes[k].sum())
        for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
            score[i] += digamma(rows[j, :, :, label]) - digamma(rows[j].sum(axis=-1))
        q = np.exp(score - logsumexp(score, axis=(1, 2), keepdims=True))
        bounds.append(slow_bound(a, q, prevalence, subtypes, rows, priors))
    return q, np.array(bounds)


@pytest.mark.parametrize("prior", ["votes", 1.0, 2.5])
def test_ebcc_is_its_definition_done_with_loops(rng, prior):
    a = panel(rng)
    division = rng.dirichlet(np.ones(4), (a.n_items, 3))
    options = {"prevalence_prior": prior, "n_subtypes": 4, "subtype_prior": 0.7}
    fitted = ebcc.fit(a, start=division, tolerance=0, max_iterations=6, **options)
    posterior, bounds = slow_fit(a, division, prior, 0.7, 6)
    np.testing.assert_allclose(fitted.subtypes, posterior, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(fitted.history, bounds, rtol=1e-11)
    assert (np.diff(fitted.history) > 0).all()


def test_ibcc_is_its_definition_done_with_loops(rng):
    a = panel(rng)
    fitted = ibcc.fit(a, tolerance=0, max_iterations=6)
    posterior, bounds = slow_fit(a, np.ones((a.n_items, 3, 1)), 1.0, 1.0, 6)
    np.testing.assert_allclose(fitted.posterior, posterior[:, :, 0], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(fitted.history, bounds, rtol=1e-11)


def test_one_update_of_ibcc_by_hand():
    # Both annotators say 1, so the start is certain: prevalence (1, 2); rows (4, 1) of category 0
    # and (1, 5) of category 1. With psi(n + 1) - psi(n) = 1/n the log odds of 1 are
    # psi(2) - psi(1) + 2 [psi(5) - psi(6) - psi(1) + psi(5)] = 1 + 2 (-1/5 + 1 + 1/2 + 1/3 + 1/4).
    a = labels_of([("x", "a", 1), ("x", "b", 1)], categories=[0, 1])
    fitted = ibcc.fit(a, max_iterations=1)
    odds = 1 + 2 * (-1 / 5 + 1 + 1 / 2 + 1 / 3 + 1 / 4)
    assert fitted.posterior[0, 1] == pytest.approx(1 / (1 + np.exp(-odds)), rel=1e-12)
    assert fitted.prevalence.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert fitted.confusion[0].tolist() == [
        pytest.approx([4 / 5, 1 / 5]),
        pytest.approx([1 / 6, 5 / 6]),
    ]


def test_ebcc_with_one_subtype_is_ibcc(rng):
    a = panel(rng)
    one = ebcc.fit(a, rng=1, n_subtypes=1, prevalence_prior=1.0, n_starts=1)
    other = ibcc.fit(a)
    np.testing.assert_allclose(one.posterior, other.posterior, rtol=1e-12)
    assert one.objective == pytest.approx(other.objective, rel=1e-12)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-12)


def test_the_compiled_digamma_function_is_exact_to_rounding():
    x = np.concatenate([np.geomspace(1e-3, 1e6, 400), [1.0, 5.0, 9.999, 10.0]])
    found = [variational.digamma(each) for each in x]
    # Near its zero at 1.46 the function is a difference of numbers of order 1.
    np.testing.assert_allclose(found, digamma(x), rtol=1e-14, atol=1e-14)


def log_evidence(a, diagonal, off_diagonal, prevalence_prior):
    """Sum the joint probability over all categories of all items, parameters integrated out."""
    n_categories = a.n_categories
    beta = np.full((n_categories, n_categories), off_diagonal)
    np.fill_diagonal(beta, diagonal)

    def integrated(counts, prior):
        after = counts + prior
        before = gammaln(prior).sum() - gammaln(prior.sum())
        return gammaln(after).sum() - gammaln(after.sum()) - before

    terms = []
    for truth in product(range(n_categories), repeat=a.n_items):
        counts = np.zeros((a.n_annotators, n_categories, n_categories))
        for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
            counts[j, truth[i], label] += 1
        sizes = np.bincount(truth, minlength=n_categories)
        term = integrated(sizes, np.full(n_categories, prevalence_prior))
        for j, k in np.ndindex(*counts.shape[:2]):
            term += integrated(counts[j, k], beta[k])
        terms.append(term)
    return logsumexp(terms)


@pytest.mark.parametrize("n_categories", [2, 3])
def test_the_bound_is_below_the_exact_evidence(rng, n_categories):
    a = panel(rng, 5, 3, n_categories)
    exact = log_evidence(a, 4.0, 1.0, 1.0)
    fitted = ibcc.fit(a, tolerance=1e-9)
    assert fitted.objective < exact
    # It is a useful bound, not just any number below.
    assert fitted.objective > exact - 3


def test_the_bound_is_exact_where_parameters_are_known(rng):
    # Priors as strong as millions of labels leave nothing to approximate but the categories.
    a = panel(rng, 5, 3, 2)
    strong = {"diagonal": 7e7, "off_diagonal": 3e7, "prevalence_prior": 1e8}
    fitted = ibcc.fit(a, tolerance=1e-9, **strong)
    # Log gamma functions of 1e8 cancel to some seven digits.
    assert fitted.objective == pytest.approx(log_evidence(a, *strong.values()), abs=1e-5)
    known = np.array([[0.7, 0.3], [0.3, 0.7]])
    of_items = np.full((a.n_items, 2), np.log(0.5))
    for i, label in zip(a.item, a.label, strict=True):
        of_items[i] += np.log(known[:, label])
    assert fitted.objective == pytest.approx(logsumexp(of_items, axis=1).sum(), abs=1e-5)
    assert fitted.log_likelihood == pytest.approx(logsumexp(of_items, axis=1).sum(), abs=1e-5)


def test_an_item_without_labels_changes_nothing_but_itself(rng):
    a = panel(rng)
    more = Annotations.from_arrays(
        a.item, a.annotator, a.label, items=range(a.n_items + 1), categories=range(3)
    )
    for model in (ibcc, bwa):
        first, second = model.fit(a), model.fit(more)
        np.testing.assert_array_equal(first.posterior, second.posterior[:-1])
        assert first.objective == second.objective
    fitted = ibcc.fit(more)
    np.testing.assert_allclose(fitted.posterior[-1], fitted.prevalence, rtol=1e-12)


def test_annotators_who_err_together_are_one_subtype():
    # A third of the items of category 1 mislead four of seven annotators.
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], 200)
    hard = (truth == 1) & (np.arange(400) % 3 == 0)
    skill = np.where(hard[:, None] & (np.arange(7) < 4), 0.15, 0.9)
    label = np.where(rng.random((400, 7)) < skill, truth[:, None], 1 - truth[:, None])
    item, annotator = np.nonzero(np.ones((400, 7)))
    a = Annotations.from_arrays(item, annotator, label.ravel(), categories=[0, 1])
    fitted, alone = ebcc.fit(a, rng=1, n_starts=10), ibcc.fit(a)
    assert fitted.objective > alone.objective + 20
    # Hard items share a subtype that other items do not have, be it of the wrong category.
    subtype = fitted.subtypes.reshape(400, -1).argmax(axis=1)
    common = np.bincount(subtype[hard]).argmax()
    assert (subtype[hard] == common).mean() > 0.8
    assert (subtype[~hard] == common).mean() < 0.1


def test_ebcc_takes_dependence_into_account_and_ibcc_is_checked_for_it(rng):
    a = panel(rng)
    fitted = ebcc.fit(a, rng=1, n_starts=1)
    assert fitted.dependence(a) is None
    assert "given the subtype" in fitted.premise()
    assert ibcc.fit(a).dependence(a).n_labels > 0


def test_the_best_start_is_kept_and_a_given_start_is_the_only_one(rng):
    a = panel(rng, 20, 6)
    many = ebcc.fit(a, rng=3, n_starts=8)
    assert many.starts.shape == (9,)
    assert many.objective == many.starts.max()
    division = np.random.default_rng(3).dirichlet(np.ones(10), (20, 3))
    one = ebcc.fit(a, start=division)
    assert one.starts.tolist() == [many.starts[0]]


def test_items_that_differ_in_nothing_are_left_undivided():
    # A random division leads back to one subtype for each category, or to a lower bound.
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=100)
    right = rng.random((100, 30)) < rng.uniform(0.6, 0.9, 30)
    a = Annotations.from_wide(np.where(right, truth[:, None], 1 - truth[:, None]))
    division = np.zeros((100, 2, 10))
    division[:, :, 0] = 1
    fitted, undivided = ebcc.fit(a, rng=1, n_starts=10), ebcc.fit(a, start=division)
    assert fitted.starts[-1] == undivided.objective
    assert fitted.starts[:-1].min() < undivided.objective - 1
    assert fitted.objective == pytest.approx(undivided.objective, rel=1e-12)
    alone = ebcc.fit(a, rng=1, n_subtypes=1, n_starts=1)
    assert fitted.posterior.argmax(axis=1).tolist() == alone.posterior.argmax(axis=1).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_at_least_that_of_one_subtype_a_category(seed):
    a = panel(np.random.default_rng(seed), 20, 6)
    division = np.zeros((20, 3, 10))
    division[:, :, 0] = 1
    assert ebcc.fit(a, rng=seed, n_starts=2).objective >= ebcc.fit(a, start=division).objective


def test_settings_out_of_range_are_refused(rng):
    a = panel(rng)
    for model, option in (
        (ibcc, "diagonal"),
        (ibcc, "prevalence_prior"),
        (ebcc, "off_diagonal"),
        (ebcc, "subtype_prior"),
        (ebcc, "prevalence_prior"),
        (bwa, "prior_labels"),
        (bwa, "value_precision"),
    ):
        with pytest.raises(ValueError, match=rf"fit: {option} must be a finite number above 0"):
            model.fit(a, **{option: 0.0})
    with pytest.raises(ValueError, match="n_subtypes and n_starts must be at least 1, got 0"):
        ebcc.fit(a, n_subtypes=0)
    with pytest.raises(ValueError, match=r"must be a number or 'votes', got 'labels'"):
        ebcc.fit(a, prevalence_prior="labels")
    for wrong in (np.ones((12, 3)), np.full((12, 3, 10), 0.2), np.full((12, 3, 10), np.nan)):
        with pytest.raises(AnnotationError, match=r"start must be of shape \(12, 3, 10\)"):
            ebcc.fit(a, start=wrong)


# ------------------------------------------------------------------------------------- BWA


def slow_bwa(a, iterations):
    """Do the updates on dense tables of items by annotators, category by category."""
    exists = np.zeros((a.n_items, a.n_annotators))
    exists[a.item, a.annotator] = 1
    values = []
    for k in range(a.n_categories):
        own = a.label == k
        y = np.zeros_like(exists)
        y[a.item[own], a.annotator[own]] = 1
        share = y.sum(axis=1) / exists.sum(axis=1)
        spread = (exists.sum(axis=1) * share * (1 - share)).sum() / exists.sum()
        b, z = 15 * spread * 4 * (1 - 1 / a.n_categories), share
        for _ in range(iterations):
            v = (15 + exists.sum(axis=0)) / (b + (exists * (z[:, None] - y) ** 2).sum(axis=0))
            z = (z.mean() + y @ v) / (1 + exists @ v)
        values.append(z)
    return np.array(values).T


def test_bwa_is_its_definition_done_on_dense_tables(rng):
    a = panel(rng)
    assert a.first_repeat is not None  # contradictory repeats among them
    fitted = bwa.fit(a, tolerance=0, max_iterations=5)
    np.testing.assert_allclose(fitted.item_values, slow_bwa(a, 5), rtol=1e-12)
    expected = fitted.item_values / fitted.item_values.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.posterior, expected, rtol=1e-12)


def test_one_update_of_bwa_by_hand():
    # Shares of category 1: x 1/2, y 1. The mean of p (1 - p) over the four labels is 1/8, and
    # b = 15/8 * 4 (1 - 1/2) = 15/4. Errors: a 1/4 + 0, b 1/4 + 0; both precisions
    # v = 17 / (15/4 + 1/4) = 17/4. Mean of the shares 3/4: x = (3/4 + v) / (1 + 2 v) = 20/38,
    # y = (3/4 + 2 v) / (1 + 2 v) = 37/38.
    a = labels_of([("x", "a", 1), ("x", "b", 0), ("y", "a", 1), ("y", "b", 1)], categories=[0, 1])
    fitted = bwa.fit(a, max_iterations=1)
    np.testing.assert_allclose(fitted.item_values[:, 1], [20 / 38, 37 / 38], rtol=1e-12)
    np.testing.assert_allclose(fitted.item_values[:, 0], [18 / 38, 1 / 38], rtol=1e-12)


def log_integral(n, squares, prior):
    """Integrate the normal density of n labels over their precision, the slow way."""

    def integrand(v):
        return (v / (2 * np.pi)) ** (n / 2) * np.exp(-v * squares / 2) * prior.pdf(v)

    return np.log(scipy.integrate.quad(integrand, 0, 200, epsabs=0, epsrel=1e-10, limit=200)[0])


def test_bwa_maximises_the_density_that_it_reports(rng):
    a = panel(rng).first_labels()
    fitted = bwa.fit(a, tolerance=1e-12, max_iterations=5_000)
    total = 0.0
    for k in range(3):
        y, z = a.label == k, fitted.item_values[:, k]
        shares = np.bincount(a.item, y) / np.bincount(a.item)
        b = 15 * (shares * (1 - shares))[a.item].mean() * 4 * (2 / 3)
        prior = scipy.stats.gamma(7.5, scale=2 / b)

        def log_density(z, y=y, prior=prior):
            found = scipy.stats.norm(z.mean(), 1).logpdf(z).sum()
            for j in range(a.n_annotators):
                own = a.annotator == j
                squares = ((y[own] - z[a.item[own]]) ** 2).sum()
                found += log_integral(own.sum(), squares, prior)
            return found

        at_fit = log_density(z)
        total += at_fit
        for step in (-0.02, 0.02):
            assert log_density(z + step * (np.arange(z.size) == 5)) < at_fit
    assert fitted.objective == pytest.approx(total, rel=1e-8)


def test_repeated_labels_are_one_statement_to_bwa(rng):
    a = panel(rng)
    twice = Annotations.from_arrays(
        *(np.tile(codes, 2) for codes in (a.item, a.annotator, a.label)), categories=range(3)
    )
    np.testing.assert_array_equal(bwa.fit(a).item_values, bwa.fit(twice).item_values)


def test_a_category_on_which_all_agree_is_left_as_it_is():
    rows = [("x", "a", 0), ("x", "b", 0), ("y", "a", 1), ("y", "b", 2), ("z", "a", 2)]
    fitted = bwa.fit(labels_of(rows, categories=[0, 1, 2]))
    assert fitted.item_values[:, 0].tolist() == [1, 0, 0]
    assert np.isnan(fitted.precision[:, 0]).all()
    assert np.isfinite(fitted.weights).all()
    agreed = bwa.fit(labels_of(rows[:2], categories=[0, 1]))
    assert agreed.posterior.tolist() == [[1, 0]]
    assert np.isnan(agreed.weights).all()
    assert agreed.converged
    assert agreed.objective == 0


def test_random_divisions_find_the_undivided_optimum_of_word_senses():
    try:
        labels = datasets.load("snow2008_wsd", mode="real").annotations
    except DataUnavailableError:
        pytest.skip("snow2008_wsd is not available")
    *random, undivided = ebcc.fit(labels, rng=1, n_starts=120).starts
    # As docs/models/ebcc.md has it, to the digit that is shown.
    assert [undivided, max(random), np.median(random)] == pytest.approx(
        [-398.4, -398.4, -398.4], abs=0.05
    )
