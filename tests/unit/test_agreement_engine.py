"""The coefficients beside loops over pairs of labels, and their resampling beside copied labels."""

from __future__ import annotations

import dataclasses
import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench import agreement as ag
from annobench.agreement.coefficients.icc import f_interval
from annobench.agreement.coefficients.pearson import fisher_interval
from annobench.agreement.forms.base import dense
from annobench.agreement.forms.numeric import centred
from annobench.agreement.replicates import jackknife, posterior
from annobench.agreement.weights import check_tabulated
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations
from annobench.resampling.weights import draw_counts, weighted_sum

K = 4
LINEAR = 1 - np.abs(np.subtract.outer(range(K), range(K))) / (K - 1)
RNG = np.random.default_rng(20)


def made(seed: int, n_items=12, n_annotators=5, missing=0.3, scale="ordinal") -> Annotations:
    """Make labels that agree somewhat, some of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, n_items)
    item, annotator, label = [], [], []
    for i, j in itertools.product(range(n_items), range(n_annotators)):
        if rng.random() >= missing:
            item.append(f"i{i}")
            annotator.append(f"a{j}")
            label.append(truth[i] if rng.random() < 0.6 else rng.integers(0, K))
    order = rng.permutation(len(item))
    return Annotations.from_arrays(
        np.array(item)[order],
        np.array(annotator)[order],
        np.array(label)[order],
        categories=range(K),
        scale=scale,
    )


def by_item(a: Annotations) -> list[list[tuple[int, int]]]:
    """List (annotator, label) of every item that has a label."""
    found: dict[int, list[tuple[int, int]]] = {}
    for i, j, k in zip(a.item, a.annotator, a.label, strict=True):
        found.setdefault(int(i), []).append((int(j), int(k)))
    return list(found.values())


# Copies of an annotator bear one name, so that "different annotators" leaves their pairs out.
def observed(items, weights, weight_of_item):
    above = below = 0.0
    for labels in items:
        pairs = [(k, m) for (i, k), (j, m) in itertools.permutations(labels, 2) if i != j]
        if pairs:
            w = weight_of_item(len(labels), len(pairs))
            above += w * sum(weights[k, m] for k, m in pairs) / len(pairs)
            below += w
    return above / below


def chance_corrected(a, e):
    return (a - e) / (1 - e)


def pool(items, by):
    shares = np.zeros(K)
    for labels in items:
        for _, k in labels:
            shares[k] += 1 / len(labels) if by == "items" else 1
    return shares / shares.sum()


def looped_percent(items, w):
    return observed(items, w, lambda m, p: 1)


def looped_fleiss(items, w):
    p = pool(items, "items")
    return chance_corrected(observed(items, w, lambda m, p: 1), p @ w @ p)


def looped_fleiss_labels(items, w):
    p = pool(items, "labels")
    return chance_corrected(observed(items, w, lambda m, pairs: pairs / m), p @ w @ p)


def looped_ac1(items, w):
    p = pool(items, "items")
    e = w.sum() / (K * (K - 1)) * (p * (1 - p)).sum()
    return chance_corrected(observed(items, w, lambda m, p: 1), e)


def looped_s(items, w):
    return chance_corrected(observed(items, w, lambda m, p: 1), w.sum() / K**2)


def looped_alpha(items, w):
    paired = [labels for labels in items if len({j for j, _ in labels}) > 1]
    labels = [label for labels in paired for label in enumerate_labels(labels, paired)]
    apart = [
        1 - w[k, m]
        for (first, k), (second, m) in itertools.permutations(labels, 2)
        if first != second
    ]
    d_o = 1 - observed(paired, w, lambda m, p: m)
    return 1 - d_o / np.mean(apart)


def enumerate_labels(labels, paired):
    # A label and its copies are one label: (item, annotator) names it.
    return [((id(labels), j), k) for j, k in labels]


def looped_conger(items, w):
    margins: dict[int, np.ndarray] = {}
    copies: dict[int, int] = {}
    for labels in items:
        for j, k in labels:
            margins.setdefault(j, np.zeros(K))[k] += 1
            copies[j] = max(copies.get(j, 0), sum(1 for other, _ in labels if other == j))
    names = [j for j in margins for _ in range(copies[j])]
    expected = [
        (margins[i] / margins[i].sum()) @ w @ (margins[j] / margins[j].sum())
        for i, j in itertools.permutations(names, 2)
        if i != j
    ]
    return chance_corrected(observed(items, w, lambda m, p: 1), np.mean(expected))


def looped_light(items, w):
    copies: dict[int, int] = {}
    for labels in items:
        for j, _ in labels:
            copies[j] = max(copies.get(j, 0), sum(1 for other, _ in labels if other == j))
    share = {j: np.zeros(K) for j in copies}
    for labels in items:
        for j, k in dict(labels).items():
            share[j][k] += 1
    share = {j: counts / counts.sum() for j, counts in share.items()}
    total = weight = 0.0
    for i, j in itertools.combinations(sorted(copies), 2):
        table = np.zeros((K, K))
        for labels in items:
            got = dict(labels)
            if i in got and j in got:
                table[got[i], got[j]] += 1
        if not table.sum():
            continue
        table /= table.sum()
        e = share[i] @ w @ share[j]
        if e < 1:
            total += copies[i] * copies[j] * chance_corrected((table * w).sum(), e)
            weight += copies[i] * copies[j]
    return total / weight


CASES = {
    "percent_agreement": (ag.percent_agreement, {}, looped_percent),
    "fleiss_kappa": (ag.fleiss_kappa, {}, looped_fleiss),
    "fleiss_kappa labels": (ag.fleiss_kappa, {"weighting": "labels"}, looped_fleiss_labels),
    "gwet_ac1": (ag.gwet_ac1, {}, looped_ac1),
    "brennan_prediger": (ag.brennan_prediger, {}, looped_s),
    "conger_kappa": (ag.conger_kappa, {}, looped_conger),
    "light_kappa": (ag.light_kappa, {}, looped_light),
}


@pytest.mark.parametrize("weights", [None, "linear"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_coefficients_are_what_loops_over_pairs_give(name, weights, seed):
    function, options, looped = CASES[name]
    a = made(seed)
    w = np.eye(K) if weights is None else LINEAR
    result = function(a, weights=weights, **options)
    assert result.estimate == pytest.approx(looped(by_item(a), w), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_what_loops_over_pairs_give(seed):
    a = made(seed)
    assert ag.krippendorff_alpha(a, metric="nominal").estimate == pytest.approx(
        looped_alpha(by_item(a), np.eye(K)), rel=1e-12
    )
    for metric in ("absolute", "interval"):
        distance = np.abs(np.subtract.outer(range(K), range(K))) ** (1 + (metric == "interval"))
        expected = looped_alpha(by_item(a), 1 - distance)
        assert ag.krippendorff_alpha(a, metric=metric).estimate == pytest.approx(
            expected, rel=1e-12
        )
        table = ag.krippendorff_alpha(a, metric=distance).estimate
        assert table == pytest.approx(expected, rel=1e-12)


def test_alpha_without_the_correction_is_a_weighted_pi():
    a = made(3, missing=0.0)
    assert ag.krippendorff_alpha(a, metric="nominal", small_sample=False).estimate == pytest.approx(
        ag.fleiss_kappa(a).estimate, rel=1e-12
    )


@pytest.mark.parametrize("name", [*CASES, "krippendorff_alpha"])
def test_copies_of_annotators_are_what_copied_labels_give(name):
    # Annotator 0 three times, 2 twice, 4 once, 1 and 3 not at all; copies bear one name.
    a = made(1, missing=0.15)
    copies = np.array([3.0, 0, 2, 0, 1])
    if name == "krippendorff_alpha":
        result, looped = ag.krippendorff_alpha(a, metric="nominal"), looped_alpha
    else:
        function, options, looped = CASES[name]
        result = function(a, **options)
    copied = [[(j, k) for j, k in labels for _ in range(int(copies[j]))] for labels in by_item(a)]
    expected = looped([labels for labels in copied if labels], np.eye(K))
    form = result.make_form(a, copies)
    assert form.value(np.asarray(form.rows.sum(axis=0))) == pytest.approx(expected, rel=1e-12)


ANY = {name: (function, options) for name, (function, options, _) in CASES.items()} | {
    "alpha nominal": (ag.krippendorff_alpha, {"metric": "nominal"}),
    "alpha ordinal": (ag.krippendorff_alpha, {"metric": "ordinal"}),
    "alpha interval": (ag.krippendorff_alpha, {"metric": "interval"}),
    "alpha absolute": (ag.krippendorff_alpha, {"metric": "absolute"}),
    "specific": (ag.specific_agreement, {"category": "1"}),
}
COMPLETE = {
    "icc": (ag.icc, {}),
    "icc one way": (ag.icc, {"model": "one-way", "ratings": "average"}),
    "icc consistency": (ag.icc, {"kind": "consistency"}),
    "concordance": (ag.concordance_correlation, {}),
    "kendall_w": (ag.kendall_w, {}),
}
TWO = {
    "cohen_kappa": (ag.cohen_kappa, {}),
    "cohen_kappa linear": (ag.cohen_kappa, {"weights": "linear"}),
    "scott_pi": (ag.scott_pi, {}),
    "pearson": (ag.pearson, {}),
    "spearman": (ag.spearman, {}),
    "conditional_kappa": (ag.conditional_kappa, {"category": "1"}),
    "kappa_maximum": (ag.kappa_maximum, {}),
}


def every():
    for name, (function, options) in ANY.items():
        yield pytest.param(function, options, made(5), id=name)
    for name, (function, options) in COMPLETE.items():
        yield pytest.param(function, options, made(5, missing=0.0), id=name)
    for name, (function, options) in TWO.items():
        a = made(6, n_items=25, n_annotators=2, missing=0.0)
        yield pytest.param(function, options, a, id=name)


EVERY = list(every())


def copied_items(a: Annotations, weights: np.ndarray) -> Annotations:
    """Give every item as often as weighted, under names of their own."""
    rows = [
        (f"{i}-{copy}", j, k)
        for i, j, k in zip(a.item, a.annotator, a.label, strict=True)
        for copy in range(int(weights[i]))
    ]
    item, annotator, label = zip(*rows, strict=True)
    return Annotations.from_arrays(
        item,
        [a.annotators[j] for j in annotator],
        [a.categories[k] for k in label],
        annotators=a.annotators,
        categories=a.categories,
        scale=a.scale,
    )


@pytest.mark.parametrize(("function", "options", "a"), EVERY)
def test_weights_on_items_are_what_copied_items_give(function, options, a):
    result = function(a, **options)
    used = result.annotations
    weights = np.random.default_rng(2).integers(0, 4, used.n_items)
    by_weights = result.form.value(weighted_sum(result.form.rows, weights[None, :])[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        copied = function(copied_items(used, weights), **options)
    assert by_weights == pytest.approx(copied.estimate, rel=1e-10)


@pytest.mark.parametrize(("function", "options", "a"), EVERY)
def test_the_jackknife_is_what_items_left_out_give(function, options, a):
    result = function(a, **options)
    used = result.annotations
    left_out = []
    for i in np.flatnonzero(result.used):
        weights = np.ones(used.n_items)
        weights[i] = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            left_out.append(function(copied_items(used, weights), **options).estimate)
    np.testing.assert_allclose(np.sort(jackknife(result, "items")), np.sort(left_out), rtol=1e-9)


@pytest.mark.parametrize(
    ("function", "options", "a"), [case for case in EVERY if "light_kappa" not in case.id]
)
def test_the_standard_error_is_the_derivative_by_differences(function, options, a):
    # Central differences of step h are off by about h^2 of the third derivative and by rounding
    # over h: with h = 1e-4, 1e-8 and 1e-12, times what derivatives of a dozen items can be.
    result = function(a, **options)
    rows = dense(result.form.rows)
    h = 1e-4
    slopes = np.array(
        [
            (
                result.form.value(result.totals + h * row)
                - result.form.value(result.totals - h * row)
            )
            / (2 * h)
            for row in rows
        ]
    )
    np.testing.assert_allclose(result.influence, slopes, rtol=1e-5, atol=1e-6)
    n = result.used.sum()
    variance = n / (n - result.method.ddof) * n * slopes[result.used].var()
    assert result.standard_error == pytest.approx(math.sqrt(variance), rel=1e-5)


@pytest.mark.parametrize(
    ("function", "options", "a"),
    [case for case in EVERY if case.values[2].n_annotators > 2],  # noqa: PD011
)
def test_leaving_an_annotator_out_is_what_fewer_annotators_give(function, options, a):
    result = function(a, **options)
    for j, row in result.leave_one_out().iterrows():
        keep = np.arange(a.n_annotators) != j
        expected = function(result.annotations.select(annotators=keep), **options).estimate
        assert row["estimate"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("function", "options", "a"), EVERY)
def test_pairs_are_what_two_annotators_give(function, options, a):
    result = function(a, **options)
    pairs = result.by_pair()
    assert len(pairs) == a.n_annotators * (a.n_annotators - 1) / 2
    for row in pairs.itertuples():
        keep = np.isin(a.annotators, [row.first, row.second])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            both = function(result.annotations.select(annotators=keep).complete(), **options)
        np.testing.assert_allclose(row.estimate, both.estimate, rtol=1e-9)
        np.testing.assert_allclose(row.standard_error, both.standard_error, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(row.observed_agreement, both.observed_agreement, rtol=1e-12)
        assert row.n_items == both.n_items


def test_synonyms_are_the_same_function():
    assert ag.multi_pi is ag.fleiss_kappa
    assert ag.multi_kappa is ag.conger_kappa
    assert ag.bennett_s is ag.pabak is ag.brennan_prediger
    assert ag.gwet_ac2 is ag.gwet_ac1


def test_two_annotators_make_one_of_many_coefficients():
    a = made(7, n_items=40, n_annotators=2, missing=0.0)
    for weights in (None, "quadratic"):
        assert ag.scott_pi(a, weights=weights).estimate == pytest.approx(
            ag.fleiss_kappa(a, weights=weights).estimate, rel=1e-12
        )
        kappa = ag.cohen_kappa(a, weights=weights).estimate
        assert ag.conger_kappa(a, weights=weights).estimate == pytest.approx(kappa, rel=1e-12)
        assert ag.light_kappa(a, weights=weights).estimate == pytest.approx(kappa, rel=1e-12)


def test_quadratic_kappa_is_the_intraclass_correlation_in_the_limit():
    # Fleiss and Cohen (1973): with the divisor n for both, they are equal.
    a = made(8, n_items=400, n_annotators=2, missing=0.0, scale="interval")
    n, items, annotators, error = ag.icc(a).form.mean_squares(ag.icc(a).totals)
    icc = (items - error) / (items + error + 2 * annotators / (n - 1))
    assert ag.cohen_kappa(a, weights="quadratic").estimate == pytest.approx(icc, rel=1e-12)


@pytest.mark.parametrize("kind", ["percentile", "jackknife"])
def test_an_interval_without_width_is_not_put_down_to_agreement_of_labels_that_differ(kind):
    first = np.arange(8)
    table = pd.DataFrame({"ann": first, "bob": first + 1}, index=pd.Index(list("stuvwxyz")))
    result = ag.pearson(Annotations.from_wide(table, scale="interval"))  # 1 in any sample
    with pytest.warns(IntervalWarning, match=r"has zero width.*uninformative: report the estimate"):
        result.interval(kind, rng=1)


def test_tables_of_categories_have_a_limit():
    def labels(n):
        return Annotations.from_arrays(range(n), ["a"] * n, range(n))

    check_tabulated(labels(3_000), "alpha")
    with pytest.raises(AnnotationError, match="at most 3,000 categories are allowed"):
        check_tabulated(labels(3_001), "alpha")


def test_spearman_is_scipys():

    a = made(4, n_items=60, n_annotators=2, missing=0.0)
    first, second = (
        a.category_values[a.label][a.annotator == j][np.argsort(a.item[a.annotator == j])]
        for j in (0, 1)
    )
    assert ag.spearman(a).estimate == pytest.approx(stats.spearmanr(first, second).statistic)
    assert ag.pearson(a).estimate == pytest.approx(stats.pearsonr(first, second).statistic)
    ends = stats.pearsonr(first, second).confidence_interval(0.95)
    found = ag.pearson(a).interval()
    assert (found.lower, found.upper) == pytest.approx((ends.low, ends.high))


def test_sets_at_known_distances():
    # Passonneau (2006): {a, b} and {a}: Jaccard 1/2, subset 2/3, so 1 - 1/3; {a, b} and {b, c}:
    # Jaccard 1/3, overlap 1/3, so 1 - 1/9; disjoint 1; equal 0. The empty set is equal to itself.
    sets = [{"a", "b"}, {"a"}, {"b", "c"}, set()]
    a = Annotations.from_sets(range(4), ["x"] * 4, sets)
    from annobench.agreement.weights import distances

    code = {members: k for k, members in enumerate(a.members)}
    at = [code[frozenset(one)] for one in sets]
    masi, jaccard = (distances(a, metric, "t")[np.ix_(at, at)] for metric in ("masi", "jaccard"))
    np.testing.assert_allclose(
        masi, [[0, 2 / 3, 8 / 9, 1], [2 / 3, 0, 1, 1], [8 / 9, 1, 0, 1], [1, 1, 1, 0]]
    )
    np.testing.assert_allclose(
        jaccard, [[0, 1 / 2, 2 / 3, 1], [1 / 2, 0, 1, 1], [2 / 3, 1, 0, 1], [1, 1, 1, 0]]
    )


def test_conditional_kappa_and_one_against_rest_differ():
    table = Annotations.from_contingency([[30, 10, 0], [5, 25, 0], [5, 5, 20]])
    # Light: (30/40 - 40/100) / (1 - 40/100); one against rest: observed (30 + 50) / 100.
    assert ag.conditional_kappa(table, "0").estimate == pytest.approx((0.75 - 0.4) / 0.6)
    one = ag.cohen_kappa(table).by_category().set_index("category")
    assert one.loc["0", "estimate"] == pytest.approx((0.8 - 0.52) / (1 - 0.52))


# ------------------------------------------------------------------------------- intervals


def test_every_kind_of_interval_is_about_the_estimate():
    a = made(9, n_items=200, n_annotators=6)
    result = ag.krippendorff_alpha(a, metric="nominal")
    rng = np.random.default_rng(3)
    normal = result.interval()
    for kind in ("percentile", "bca", "jackknife", "bayesian"):
        found = result.interval(kind, rng=rng, replicates=4000)
        assert found.lower < result.estimate < found.upper
        # 200 items: second-order terms and 4000 replicates leave a tenth of the half width.
        tolerance = 0.15 * (normal.upper - normal.lower) / 2
        assert found.lower == pytest.approx(normal.lower, abs=tolerance)
        assert found.upper == pytest.approx(normal.upper, abs=tolerance)
    assert result.interval(level=0.5).upper < normal.upper


def test_the_bootstrap_repeats_with_its_seed():
    result = ag.fleiss_kappa(made(9))
    first, second = (result.bootstrap(replicates=50, rng=np.random.default_rng(4)) for _ in "12")
    np.testing.assert_array_equal(first, second)
    both = result.bootstrap(unit="both", replicates=20, rng=np.random.default_rng(4))
    assert np.isfinite(both).all()


def test_drawing_equal_rows_together_is_drawing_items():
    # Few distinct rows (drawn together) against the same rows drawn one by one.
    table = Annotations.from_contingency([[30, 10], [12, 48]])
    result = ag.cohen_kappa(table)
    together = result.bootstrap(replicates=20_000, rng=np.random.default_rng(5))
    one_by_one = result.form.value(
        weighted_sum(result.form.rows, draw_counts(100, 20_000, np.random.default_rng(6)))
    )
    # Monte Carlo error of a standard deviation of 20,000 draws: half a percent; four of them.
    assert together.std() == pytest.approx(one_by_one.std(), rel=0.02)
    assert together.mean() == pytest.approx(one_by_one.mean(), abs=4 * 0.08 / math.sqrt(20_000))


def test_too_few_annotators_are_not_resampled():
    result = ag.fleiss_kappa(made(9, n_annotators=4, missing=0.0))
    with pytest.raises(AnnotationError, match="4 annotators are too few"):
        result.interval("percentile", unit="annotators", rng=RNG)
    with pytest.raises(AnnotationError, match="no 'analytic' interval with 'annotators'"):
        result.interval("analytic", unit="annotators")
    with pytest.raises(AnnotationError, match="Give rng="):
        result.interval("percentile")
    with pytest.raises(AnnotationError, match="between 0 and 1"):
        result.interval(level=95)
    with pytest.raises(AnnotationError, match="at least 1"):
        result.bootstrap(replicates=0, rng=RNG)


def test_perfect_agreement_has_an_interval_only_with_a_prior():
    result = ag.cohen_kappa(Annotations.from_contingency([[6, 0], [0, 4]]))
    with pytest.warns(IntervalWarning, match="zero width"):
        analytic = result.interval()
    assert (analytic.lower, analytic.upper) == (1, 1)
    bayes = result.interval("bayesian", rng=np.random.default_rng(7))
    assert bayes.lower < 0.99
    with pytest.warns(IntervalWarning, match="zero width"):
        bca = result.interval("bca", rng=np.random.default_rng(7))
    assert (bca.lower, bca.upper) == (1, 1)


def test_a_single_pair_of_labels_has_no_standard_error():
    a = Annotations.from_arrays([1, 2, 3, 4, 4, 5], list("xxxxyy"), list("ababab"))
    for function in (ag.fleiss_kappa, ag.percent_agreement, ag.conger_kappa, ag.gwet_ac1):
        assert math.isnan(function(a).standard_error)
        with pytest.warns(DegenerateWarning, match="standard error undefined"):
            assert math.isnan(function(a).interval().lower)


def test_an_intraclass_correlation_without_variance_to_divide_by_is_undefined():
    first = [1, 4, 2, 6, 3, 4, 2, 5]
    a = Annotations.from_arrays(
        [*range(8)] * 2, ["x"] * 8 + ["y"] * 8, first + [7 - x for x in first]
    )
    with pytest.warns(DegenerateWarning, match="not positive"):
        result = ag.icc(a, ratings="average")
    assert math.isnan(result.estimate)
    assert math.isnan(result.standard_error)


def test_the_interval_of_agreement_of_fixed_annotators_covers_theirs():
    rng = np.random.default_rng(6)
    offset = np.array([-0.6, 0.0, 0.1, 0.5])
    truth = 1 / (1 + offset.var(ddof=1) + 0.25)
    covered = 0
    for _ in range(300):
        labels = rng.standard_normal((60, 1)) + offset + 0.5 * rng.standard_normal((60, 4))
        a = Annotations.from_wide(labels, scale="interval")
        fixed = ag.icc(a, model="two-way-mixed").interval()
        covered += fixed.lower <= truth <= fixed.upper
        sample = ag.icc(a).interval()
        assert fixed.upper - fixed.lower < sample.upper - sample.lower
    assert stats.binomtest(covered, 300, 0.95).pvalue > 0.001
    # The reliability of a mean of four is Spearman and Brown's of one, its limits, too.
    average = ag.icc(a, model="two-way-mixed", ratings="average").interval()
    stepped = [4 * x / (1 + 3 * x) for x in (fixed.lower, fixed.upper)]
    assert (average.lower, average.upper) == pytest.approx(tuple(stepped), rel=1e-9)


def test_pairs_without_a_kappa_are_left_out_of_lights_with_a_warning():
    a = Annotations.from_arrays([1, 1, 1], list("xyz"), list("aab"))
    with pytest.warns(DegenerateWarning, match="1 of 3 pairs"):
        assert ag.light_kappa(a).estimate == 0


# ------------------------------------------------------------------------------ differences


def test_the_difference_of_a_coefficient_with_itself_is_nothing():
    result = ag.cohen_kappa(Annotations.from_contingency([[30, 10], [12, 48]]))
    found = ag.difference(result, result)
    assert (found.estimate, found.standard_error, found.p_value) == (0, 0, 1)


def test_the_standard_error_of_a_difference_counts_the_covariance():
    # Same items, and the second pair shares an annotator with the first.
    a = made(10, n_items=300, n_annotators=3, missing=0.0)
    one, other = (
        ag.cohen_kappa(a.select(annotators=np.isin(range(3), pair))) for pair in ([0, 1], [0, 2])
    )
    found = ag.difference(one, other)
    assert found.standard_error != pytest.approx(
        math.hypot(one.standard_error, other.standard_error), rel=0.02
    )
    rng = np.random.default_rng(8)
    drawn = ag.difference(one, other, "percentile", replicates=8000, rng=rng)
    # Quantiles of 8,000 draws: a standard error of about 3% of the half width.
    width = found.upper - found.lower
    assert drawn.lower == pytest.approx(found.lower, abs=0.08 * width)
    assert drawn.upper == pytest.approx(found.upper, abs=0.08 * width)
    assert drawn.p_value == pytest.approx(found.p_value, abs=0.05)
    assert found.n_items == 300


def test_a_difference_needs_common_items():
    first = ag.cohen_kappa(Annotations.from_contingency([[3, 1], [1, 3]]))
    names = dataclasses.replace(first.annotations, items=tuple(f"other{i}" for i in range(8)))
    with pytest.raises(AnnotationError, match="no item in common"):
        ag.difference(first, ag.cohen_kappa(names))
    with pytest.raises(AnnotationError, match="not one of"):
        ag.difference(first, first, "bca")
    with pytest.raises(AnnotationError, match="rng"):
        ag.difference(first, first, "percentile")


# ------------------------------------------------------------------------- faults found in use


@pytest.mark.parametrize(("function", "options", "a"), EVERY)
def test_every_coefficient_has_a_bayesian_interval(function, options, a):
    result = function(a, **options)
    found = result.interval("bayesian", rng=np.random.default_rng(1), replicates=400)
    assert found.lower <= found.upper
    assert found.lower - 0.2 < result.estimate < found.upper + 0.2


def test_the_prior_of_two_annotators_is_one_item_spread_over_the_table():
    # Two categories, 10 agreements of 10: cells Dirichlet(5.25, 0.25, 0.25, 5.25), so observed
    # agreement is Beta(10.5, 0.5).

    a = Annotations.from_contingency([[5, 0], [0, 5]])
    drawn = posterior(ag.brennan_prediger(a), 20_000, np.random.default_rng(2))
    assert stats.kstest((drawn + 1) / 2, stats.beta(10.5, 0.5).cdf).pvalue > 1e-3
    # Fleiss' kappa of two annotators is Scott's pi, and so is its posterior.
    one, other = (
        posterior(function(a), 100, np.random.default_rng(2))
        for function in (ag.scott_pi, ag.fleiss_kappa)
    )
    np.testing.assert_allclose(one, other)


def test_intervals_hold_estimates_below_minus_one():
    # Labels opposed throughout under weights, and a conditional kappa, go below -1.
    opposed = Annotations.from_contingency([[0, 0, 10], [0, 0, 0], [10, 0, 0]])
    result = ag.brennan_prediger(opposed, weights="quadratic")
    assert result.estimate == pytest.approx(-2)
    with pytest.warns(IntervalWarning, match="zero width"):
        found = result.interval()
    assert found.lower <= result.estimate <= found.upper
    result = ag.conditional_kappa(Annotations.from_contingency([[0, 5], [45, 0]]), "0")
    assert result.estimate == pytest.approx(-9)
    assert result.interval().lower <= -9


def test_coefficients_of_numbers_have_no_observed_agreement():
    a = made(5, missing=0.0)
    assert ag.icc(a).by_annotator()["observed_agreement"].isna().all()
    with pytest.raises(AnnotationError, match="distance or value matters"):
        ag.icc(a).by_category()


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (ag.bias_index, {}),
        (ag.prevalence_index, {}),
        (ag.kappa_maximum, {}),
        (ag.pearson, {}),
        (ag.spearman, {}),
        (ag.kendall_w, {}),
        (ag.concordance_correlation, {}),
        (ag.conditional_kappa, {"category": "1"}),
        (ag.specific_agreement, {"category": "1"}),
    ],
)
def test_what_has_no_meaning_for_merged_categories_is_not_broken_down(function, options):
    result = function(Annotations.from_contingency([[4, 1], [2, 5]]), **options)
    with pytest.raises(AnnotationError, match="categories cannot be merged"):
        result.by_category()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_correlation_has_its_ends_there(sign):
    labels = [1, 2, 3, 4, 5]
    a = Annotations.from_arrays(
        list("vwxyz") * 2,
        list("aaaaabbbbb"),
        labels + [sign * label for label in labels],
        scale="interval",
    )
    # Fisher's transformation is infinite there. It is taken 1e-15 nearer to 0, and a half-width of
    # 1.96/sqrt(2) on its scale leads exp(2 * 1.39) = 16 times as far from the end.
    assert fisher_interval(ag.pearson(a), 0.95) == pytest.approx((sign, sign), abs=1e-13)


def test_observed_and_expected_agreement_are_shares():
    # Of 100 items 70 are agreed on; by chance 0.4 * 0.5 + 0.6 * 0.5.
    result = ag.cohen_kappa(Annotations.from_contingency([[30, 10], [20, 40]]))
    assert result.observed_agreement == pytest.approx(0.7, rel=1e-14)
    assert result.expected_agreement == pytest.approx(0.5, rel=1e-14)
    # With weights of 1, 1/2 and 0 for distances of 0, 1 and 2 one item is half agreed on.
    table = Annotations.from_contingency([[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    half = ag.brennan_prediger(table, weights="linear")
    assert half.observed_agreement == pytest.approx(0.75, rel=1e-14)
    assert half.expected_agreement == pytest.approx(5 / 9, rel=1e-14)


@pytest.mark.parametrize(
    ("function", "divisor"),
    [
        (ag.gwet_ac1, 11),
        (ag.fleiss_kappa, 11),
        (ag.brennan_prediger, 11),
        (ag.percent_agreement, 11),
        (ag.conger_kappa, 11),
        (ag.cohen_kappa, 12),
        (ag.scott_pi, 12),
    ],
)
def test_variances_divide_as_their_source_says(function, divisor):
    # Twelve items; of influences that sum to 0, the variance is n / divisor times their squares.
    result = function(Annotations.from_contingency([[4, 2], [1, 5]]))
    expected = math.sqrt(12 / divisor * (result.influence**2).sum())
    assert result.standard_error == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        ag.gwet_ac1,
        ag.fleiss_kappa,
        ag.brennan_prediger,
        ag.percent_agreement,
        ag.conger_kappa,
        ag.cohen_kappa,
        ag.scott_pi,
        ag.light_kappa,
    ],
)
def test_weights_go_with_a_result_to_other_labels(function):
    a = Annotations.from_contingency([[4, 2, 0], [1, 5, 1], [1, 2, 6]])
    plain, result = function(a), function(a, weights="linear")
    assert result.refit(a).estimate == result.estimate != plain.estimate
    if function is not ag.percent_agreement:
        with pytest.raises(AnnotationError, match="categories cannot be merged"):
            result.by_category()


def test_two_items_have_a_standard_error():
    result = ag.percent_agreement(Annotations.from_contingency([[1, 1], [0, 0]]))
    # Of 0 and 1, a variance of 1/2 by n - 1, over two items.
    assert result.standard_error == pytest.approx(0.5, rel=1e-14)


def test_three_items_say_nothing_of_a_correlation():
    a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 4, 2, 3, 4])
    assert (ag.pearson(a).interval().lower, ag.pearson(a).interval().upper) == (-1, 1)


def test_ordinal_items_are_measured_by_the_largest_distance():
    a = Annotations.from_arrays(
        [1, 1, 2, 2, 3, 3, 4, 4], list("xyxyxyxy"), [1, 1, 2, 3, 3, 1, 2, 2], scale="ordinal"
    )
    result = ag.krippendorff_alpha(a)
    found = result.by_item()["observed_agreement"]
    assert found.tolist() == pytest.approx([1, found[1], 0, 1])
    assert found.mean() == pytest.approx(result.observed_agreement)


@pytest.mark.parametrize("name", [n for n in CASES if n != "light_kappa"])
def test_weighted_coefficients_share_one_observed_agreement(name):
    # Weights whose least is 1/2: (60 * 1 + 20 * 1/2) / 80.
    function, options, _ = CASES[name]
    table = Annotations.from_contingency([[30, 10], [10, 30]])
    result = function(table, weights=[[1, 0.5], [0.5, 1]], **options)
    assert result.observed_agreement == pytest.approx(0.875)
    assert result.by_item()["observed_agreement"].min() == pytest.approx(0.5)
    if name == "percent_agreement":
        assert result.estimate == pytest.approx(0.875)
        assert math.isnan(result.expected_agreement)


def test_items_of_one_label_change_nothing_where_they_count_for_nothing():
    item, annotator, label = [1, 1, 2, 2, 3, 3, 4, 4], list("xyxyxyxy"), [1, 1, 0, 1, 0, 0, 1, 0]
    pairs = Annotations.from_arrays(item, annotator, label)
    more = Annotations.from_arrays(
        [*item, *range(5, 50)], [*annotator, *"x" * 45], [*label, *[1] * 45]
    )
    for function in (ag.percent_agreement, ag.brennan_prediger, ag.krippendorff_alpha):
        assert function(more).standard_error == pytest.approx(function(pairs).standard_error)


def test_a_jackknife_of_undefined_values_is_no_interval():
    with pytest.warns(DegenerateWarning, match="2 of 2 replicates"):
        found = ag.cohen_kappa(Annotations.from_contingency([[1, 0], [0, 1]])).interval("jackknife")
    assert math.isnan(found.lower)
    assert found.n_undefined == 2


@pytest.mark.parametrize(("function", "options", "a"), EVERY)
def test_results_can_be_pickled(function, options, a):
    import pickle

    result = function(a, **options)
    again = pickle.loads(pickle.dumps(result))
    assert again.estimate == result.estimate
    assert not again.annotations.label.flags.writeable


def test_anonymous_labels_are_for_coefficients_that_pool_annotators():
    full = made(12, missing=0.0)
    anonymous = Annotations.from_counts(full.counts, categories=range(K), scale="ordinal")
    for function in (ag.krippendorff_alpha, ag.fleiss_kappa, ag.percent_agreement):
        assert function(anonymous).estimate == pytest.approx(function(full).estimate)
    assert ag.icc(anonymous, model="one-way").estimate == pytest.approx(
        ag.icc(full, model="one-way").estimate
    )
    for function in (ag.icc, ag.light_kappa):
        with pytest.raises(AnnotationError, match="anonymous"):
            function(anonymous)


def test_equal_coefficients_do_not_differ_by_rounding():
    table = Annotations.from_contingency([[10, 7, 6], [3, 3, 0], [0, 0, 2]])
    for other in (ag.light_kappa(table), ag.conger_kappa(table)):
        found = ag.difference(ag.cohen_kappa(table), other)
        assert (found.estimate, found.standard_error, found.p_value) == (0, 0, 1)


def test_one_wild_label_does_not_silence_the_others():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=200)
    x = truth[:, None] + 0.2 * rng.normal(size=(200, 3))
    x[7, 2] = 1e7
    wild = Annotations.from_arrays(
        np.repeat(np.arange(200), 3), list("abc") * 200, x.ravel(), scale="interval"
    )
    tame = wild.select(annotators=np.array([True, True, False]))
    for function in (ag.krippendorff_alpha, ag.icc):
        expected = function(tame).estimate
        pairs = function(wild).by_pair().set_index(["first", "second"])["estimate"]
        assert pairs["a", "b"] == pytest.approx(expected, rel=1e-6)
        without = function(wild).leave_one_out().set_index("annotator")["estimate"]
        assert without["c"] == pytest.approx(expected, rel=1e-6)
        draws = function(wild).bootstrap(replicates=200, rng=np.random.default_rng(1))
        assert np.isfinite(draws).all()


def test_a_slider_of_a_hundred_marks_is_no_burden():
    # The derivative of ordinal alpha in closed form beside the complex step.
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 101, 60)
    marks = np.clip(truth[:, None] + rng.integers(-9, 10, (60, 3)), 0, 100)
    a = Annotations.from_arrays(
        np.repeat(np.arange(60), 3),
        list("abc") * 60,
        marks.ravel(),
        categories=range(101),
        scale="ordinal",
    )
    for small_sample in (True, False):
        result = ag.krippendorff_alpha(a, small_sample=small_sample)
        step = 1e-30j * dense(result.form.rows)
        slopes = result.form.value(result.totals + step).imag / 1e-30
        np.testing.assert_allclose(result.influence, slopes, rtol=1e-9, atol=1e-15)
    assert len(result.by_pair()) == 3


@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize(
    ("n_items", "n_annotators", "missing"), [(40, 4, 0.0), (120, 9, 0.7), (150, 30, 0.92)]
)
def test_the_standard_error_of_lights_kappa_is_the_jackknifes(
    weights, n_items, n_annotators, missing
):
    a = made(11, n_items=n_items, n_annotators=n_annotators, missing=missing)
    result = ag.light_kappa(a, weights=weights)
    without = [
        ag.light_kappa(a.select(items=np.arange(a.n_items) != i), weights=weights).estimate
        for i in range(a.n_items)
    ]
    n = len(without)
    error = math.sqrt((n - 1) / n * ((without - np.mean(without)) ** 2).sum())
    # Expected agreement is linearised in two distributions of m labels each: terms of order 1 / m.
    m = a.n_labels / n_annotators
    assert result.standard_error == pytest.approx(error, rel=2 / m)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_for_complete_labels_lights_kappa_has_the_error_of_the_delta_method(weights):
    a = made(12, n_items=50, n_annotators=4, missing=0.0)
    result = ag.light_kappa(a, weights=weights)
    step = 1e-30j * dense(result.form.rows)
    slopes = result.form.value(result.totals + step).imag / 1e-30
    np.testing.assert_allclose(result.influence, slopes, rtol=1e-9, atol=1e-15)


def test_lights_kappa_is_unbiased_and_has_its_error_when_pairs_share_few_items():
    # 100 items with two labels each by 15 annotators of accuracy .8: a pair shares about one item.
    rng = np.random.default_rng(4)
    results = []
    for _ in range(400):
        truth = rng.integers(2, size=100)
        who = np.argpartition(rng.random((100, 15)), 2, axis=1)[:, :2]
        label = truth[:, None] ^ (rng.random(who.shape) < 0.2)
        a = Annotations.from_arrays(np.repeat(np.arange(100), 2), who.ravel(), label.ravel())
        result = ag.light_kappa(a)
        results.append((result.estimate, result.standard_error))
    estimate, error = np.array(results).T
    # Two labels agree with probability .8^2 + .2^2 = .68, by chance with 1/2.
    simulation = estimate.std() / math.sqrt(400)
    assert estimate.mean() == pytest.approx(0.36, abs=4 * simulation)
    # The standard deviation of 400 values has a relative error of 1 / sqrt(800), or 4%.
    assert error.mean() == pytest.approx(estimate.std(), rel=4 / math.sqrt(800))


def test_a_difference_divides_as_its_coefficients_do():
    a = made(10, n_items=20, n_annotators=3, missing=0.0)
    one = ag.fleiss_kappa(a)
    other = ag.percent_agreement(a)
    influence = one.influence - other.influence
    expected = math.sqrt(influence.var() * 20**2 / 19)
    assert ag.difference(one, other).standard_error == pytest.approx(expected)


# ------------------------------------------------------------------------ tables of the caller


def test_a_frame_of_weights_is_matched_by_name():
    rng = np.random.default_rng(5)
    table = Annotations.from_contingency(rng.integers(1, 20, (3, 3)), categories="abc")
    weights = pd.DataFrame(
        [[1, 0.6, 0], [0.6, 1, 0.3], [0, 0.3, 1]], index=list("cba"), columns=list("cba")
    )
    plain = weights.loc[list("abc"), list("abc")].to_numpy()
    for function, given in ((ag.cohen_kappa, "weights"), (ag.krippendorff_alpha, "metric")):
        frame, array = (1 - w if given == "metric" else w for w in (weights, plain))
        expected = function(table, **{given: array}).estimate
        assert function(table, **{given: frame}).estimate == pytest.approx(expected)
        with pytest.raises(AnnotationError, match="named after the categories"):
            function(table, **{given: frame.rename(index={"a": "z"})})


def test_changing_a_table_afterwards_changes_nothing():
    table = Annotations.from_contingency([[9, 4, 1], [2, 8, 3], [1, 2, 7]])
    weights = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    distances = 1 - weights
    results = [
        ag.cohen_kappa(table, weights=weights),
        ag.krippendorff_alpha(table, metric=distances),
    ]
    before = [(r.estimate, r.refit(table).estimate) for r in results]
    weights[0, 1], distances[0, 1] = -3, 9
    assert before == [(r.estimate, r.refit(table).estimate) for r in results]
    assert [r.by_pair()["estimate"][0] for r in results] == pytest.approx([b[0] for b in before])


def test_a_metric_of_numbers_gets_numbers():
    a = made(3, scale="interval")
    squared = ag.krippendorff_alpha(a, metric=lambda x, y: (x - y) ** 2)
    assert squared.estimate == pytest.approx(ag.krippendorff_alpha(a).estimate)
    with pytest.raises(AnnotationError, match="the metric fails"):
        ag.krippendorff_alpha(made(3), metric=lambda x, y: x - y)


def test_a_seed_is_as_good_as_a_generator():
    result = ag.cohen_kappa(Annotations.from_contingency([[30, 10], [12, 48]]))
    assert result.interval("bca", rng=3) == result.interval("bca", rng=np.random.default_rng(3))
    assert ag.difference(result, result, "percentile", rng=3).estimate == 0


def test_opposed_annotators_have_an_intraclass_correlation_without_crash():
    a = Annotations.from_wide([[1, 2], [2, 1], [1, 2], [2, 1]], scale="interval")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        found = ag.icc(a).interval()
    assert math.isnan(found.lower) or found.lower <= found.upper


def test_an_f_interval_of_items_that_do_not_differ_is_a_point():
    for error in (0.1, 0.5, 3.2):
        lower, upper = f_interval(30, 2, 0.0, 3.2, error, "two-way", "agreement", 0.95)
        assert lower == upper


def test_no_numbers_are_centred():
    assert centred(np.zeros(0)).size == 0
    assert centred(np.array([3.0, 1.0, 2.0])).tolist() == [0.5, -0.5, 0]
    assert centred(np.array([7.0, 7.0])).tolist() == [0, 0]
