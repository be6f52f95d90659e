"""The relations between coefficients that their pages in docs/coefficients state."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench import agreement
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations

ROUNDING = 1e-9
SETTINGS = settings(max_examples=40, deadline=None)

#: Tables of two annotators in which both use at least two categories.
TABLES = st.integers(2, 4).flatmap(
    lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 20)).filter(
        lambda table: min((table.sum(axis=0) > 0).sum(), (table.sum(axis=1) > 0).sum()) > 1
    )
)
BINARY = hnp.arrays(np.int64, (2, 2), elements=st.integers(0, 20)).filter(
    lambda table: table.sum(axis=0).all() and table.sum(axis=1).all()
)
#: Labels 0 to 2 of four annotators, complete; at least two categories are used.
COMPLETE = st.integers(2, 12).flatmap(
    lambda i: hnp.arrays(np.int64, (i, 4), elements=st.integers(0, 2)).filter(
        lambda labels: np.unique(labels).size > 1
    )
)


def wide(labels: np.ndarray, scale: str = "nominal") -> Annotations:
    item, annotator = np.indices(labels.shape)
    return Annotations.from_arrays(
        item.ravel(), annotator.ravel(), labels.ravel(), categories=range(3), scale=scale
    )


def value(name: str, annotations: Annotations, **options) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        return getattr(agreement, name)(annotations, **options).estimate


@SETTINGS
@given(TABLES)
def test_with_two_annotators_fleiss_is_scott_and_conger_and_light_are_cohen(table):
    a = Annotations.from_contingency(table)
    assert value("fleiss_kappa", a) == pytest.approx(value("scott_pi", a), abs=ROUNDING)
    assert value("conger_kappa", a) == pytest.approx(value("cohen_kappa", a), abs=ROUNDING)
    assert value("light_kappa", a) == pytest.approx(value("cohen_kappa", a), abs=ROUNDING)


@SETTINGS
@given(TABLES)
def test_pi_is_at_most_kappa_and_kappa_at_most_its_maximum(table):
    a = Annotations.from_contingency(table)
    kappa = value("cohen_kappa", a)
    assert value("scott_pi", a) <= kappa + ROUNDING
    assert kappa <= value("kappa_maximum", a) + ROUNDING


@SETTINGS
@given(TABLES)
def test_equal_margins_make_pi_kappa_and_quadratic_kappa_pearson(table):
    a = Annotations.from_contingency(table + table.T)
    assert value("scott_pi", a) == pytest.approx(value("cohen_kappa", a), abs=ROUNDING)
    assert value("kappa_maximum", a) == pytest.approx(1, abs=ROUNDING)
    quadratic = value("cohen_kappa", a, weights="quadratic")
    assert quadratic == pytest.approx(value("pearson", a), abs=ROUNDING)


@SETTINGS
@given(COMPLETE)
def test_alpha_is_fleiss_kappa_with_a_correction_for_few_labels(labels):
    a = wide(labels)
    kappa = value("fleiss_kappa", a)
    assert value("krippendorff_alpha", a) == pytest.approx(
        kappa + (1 - kappa) / labels.size, abs=ROUNDING
    )
    assert value("krippendorff_alpha", a, small_sample=False) == pytest.approx(kappa, abs=ROUNDING)


@SETTINGS
@given(COMPLETE)
def test_fleiss_is_at_most_conger_and_brennan_prediger_which_is_at_most_ac1(labels):
    a = wide(labels)
    kappa, uniform = value("fleiss_kappa", a), value("brennan_prediger", a)
    assert kappa <= value("conger_kappa", a) + ROUNDING
    assert kappa <= uniform + ROUNDING
    assert uniform <= value("gwet_ac1", a) + ROUNDING


@SETTINGS
@given(COMPLETE)
def test_fleiss_kappa_is_the_mean_of_its_categories(labels):
    a = wide(labels)
    rows = agreement.fleiss_kappa(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        rows = rows.by_category()
    share = rows["n_labels"] / labels.size
    weight = share * (1 - share)
    mean = (rows["estimate"].fillna(0) * weight).sum() / weight.sum()
    assert mean == pytest.approx(value("fleiss_kappa", a), abs=ROUNDING)


@SETTINGS
@given(BINARY)
def test_prevalence_and_bias_carry_brennan_prediger_over_to_kappa(table):
    a = Annotations.from_contingency(table)
    s, pi, bi = (value(f, a) for f in ("brennan_prediger", "prevalence_index", "bias_index"))
    expected = (s - pi**2 + bi**2) / (1 - pi**2 + bi**2)
    assert value("cohen_kappa", a) == pytest.approx(expected, abs=ROUNDING)


@SETTINGS
@given(TABLES)
def test_kappa_is_the_mean_of_the_conditional_kappas(table):
    a = Annotations.from_contingency(table)
    row, column = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    assume((column < 1).all())
    given_first = [k for k in range(len(table)) if row[k] > 0]
    weight = row[given_first] * (1 - column[given_first])
    kappas = [value("conditional_kappa", a, category=str(k)) for k in given_first]
    assert weight @ kappas / weight.sum() == pytest.approx(value("cohen_kappa", a), abs=ROUNDING)


@SETTINGS
@given(BINARY)
def test_pearson_of_a_binary_table_is_phi(table):
    a = Annotations.from_contingency(table)
    margins = np.concatenate([table.sum(axis=0), table.sum(axis=1)]).astype(float)
    phi = np.linalg.det(table) / np.sqrt(margins.prod())
    assert value("pearson", a) == pytest.approx(phi, abs=ROUNDING)


@SETTINGS
@given(TABLES)
def test_pearson_is_at_least_the_icc_for_consistency_in_size(table):
    a = Annotations.from_contingency(table)
    consistency = value("icc", a, model="two-way-mixed", kind="consistency")
    assert abs(consistency) <= abs(value("pearson", a)) + ROUNDING


def test_interval_alpha_and_quadratic_kappa_approach_intraclass_correlations(rng):
    # Copies of items leave the limit alone: what remains is of the order of 1 / items.
    labels = np.tile(rng.integers(0, 3, size=(10, 2)), (500, 1))
    a = wide(labels, "interval")
    one_way = value("icc", a, model="one-way")
    assert value("krippendorff_alpha", a) == pytest.approx(one_way, abs=2 / len(labels))
    two_way = value("icc", a, model="two-way-random")
    quadratic = value("cohen_kappa", a, weights="quadratic")
    assert quadratic == pytest.approx(two_way, abs=2 / len(labels))


@SETTINGS
@given(COMPLETE)
def test_the_concordance_correlation_is_kappa_with_quadratic_weights(labels):
    a = wide(labels, "interval")
    conger = value("conger_kappa", a, weights="quadratic")
    found = value("concordance_correlation", a)
    assert found == pytest.approx(conger, abs=ROUNDING, nan_ok=True)


@SETTINGS
@given(TABLES)
def test_the_concordance_correlation_is_at_most_pearson_in_size(table):
    a = Annotations.from_contingency(table)
    assert abs(value("concordance_correlation", a)) <= abs(value("pearson", a)) + ROUNDING


@SETTINGS
@given(COMPLETE.filter(lambda labels: len(labels) > 2))
def test_kendalls_w_is_friedmans_statistic(labels):
    # scipy's has rounding where all of an annotator's labels are equal and 0/0 where all are.
    assume((np.ptp(labels, axis=0) > 0).any())
    friedman = scipy.stats.friedmanchisquare(*labels).statistic
    n_items, n_annotators = labels.shape
    w = value("kendall_w", wide(labels, "ordinal"))
    assert n_annotators * (n_items - 1) * w == pytest.approx(friedman, abs=1e-8)


def test_without_ties_kendalls_w_holds_the_mean_of_spearmans_correlations(rng):
    orders = np.argsort(rng.random((4, 9)), axis=1)
    item, annotator = np.indices((9, 4))
    a = Annotations.from_arrays(item.ravel(), annotator.ravel(), orders.T.ravel(), scale="ordinal")
    rho = scipy.stats.spearmanr(orders.T).statistic[np.triu_indices(4, 1)].mean()
    assert (4 * value("kendall_w", a) - 1) / 3 == pytest.approx(rho, abs=ROUNDING)


@pytest.mark.parametrize("name", ["kendall_w", "spearman"])
def test_ranks_of_ordinal_categories_need_no_numbers(name, rng):
    labels = rng.integers(0, 3, size=(12, 2))
    item, annotator = np.indices(labels.shape)
    words = Annotations.from_arrays(
        item.ravel(),
        annotator.ravel(),
        np.array(["poor", "fair", "good"])[labels.ravel()],
        categories=["poor", "fair", "good"],
        scale="ordinal",
    )
    assert value(name, words) == pytest.approx(value(name, wide(labels, "ordinal")), rel=1e-12)
    unordered = Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), ["a", "b", "b", "b"])
    with pytest.raises(AnnotationError, match="finite numbers"):
        value(name, unordered)
