"""Cohen's kappa and its standard error, by hand and by the delta method."""

from __future__ import annotations

import math

import numpy as np
import pytest

from annobench.agreement import cohen_kappa, contingency
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations


def delta_method_error(table: np.ndarray) -> float:
    """Standard error of kappa by the delta method, derivatives by the complex step.

    The shares p of a multinomial sample of size n have covariance (diag(p) - p p') / n.
    Kappa is a rational function of p, so that the imaginary part of kappa(p + ih e) / h is its
    derivative to rounding, without a difference in which digits cancel.
    """

    def kappa(share):
        observed = np.trace(share)
        expected = share.sum(axis=1) @ share.sum(axis=0)
        return (observed - expected) / (1 - expected)

    n = table.sum()
    share = table / n
    gradient = np.zeros(table.shape)
    for cell in np.ndindex(table.shape):
        step = share.astype(complex)
        step[cell] += 1e-30j
        gradient[cell] = kappa(step).imag / 1e-30
    variance = (share * gradient**2).sum() - (share * gradient).sum() ** 2
    return math.sqrt(variance / n)


def test_kappa_of_three_categories_by_hand():
    # 200 items. Observed (88 + 40 + 12) / 200 = 0.70. Margins 120, 60, 20 and 100, 60, 40:
    # expected 0.6 * 0.5 + 0.3 * 0.3 + 0.1 * 0.2 = 0.41. (0.70 - 0.41) / (1 - 0.41) = 29 / 59.
    result = cohen_kappa(Annotations.from_contingency([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))
    assert result.observed_agreement == pytest.approx(0.70, rel=1e-14)
    assert result.expected_agreement == pytest.approx(0.41, rel=1e-14)
    assert result.estimate == pytest.approx(29 / 59, rel=1e-14)
    assert result.n_items == 200


def test_standard_error_of_two_categories_by_hand():
    # Shares 3/8 on the diagonal, 1/8 off it; all margins 1/2, so every p_.k + p_l. is 1, expected
    # agreement 1/2 and kappa 1/2. Fleiss, Cohen and Everitt (1969), equation 13, times
    # (1 - expected)^2 = 1/4:
    #   diagonal 2 * 3/8 * (1 - 1/2)^2 = 3/16;  off it (1/2)^2 * 2 * 1/8 = 1/16;
    #   less (1/2 - 1/2 * 1/2)^2 = 1/16;  together 3/16, and sqrt(3/16 / 80) / (1/2).
    result = cohen_kappa(Annotations.from_contingency([[30, 10], [10, 30]]))
    assert result.estimate == 0.5
    assert result.standard_error == pytest.approx(2 * math.sqrt(3 / 16 / 80), rel=1e-12)


@pytest.mark.parametrize(
    "table",
    [
        [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
        [[5, 3], [9, 1]],
        [[0, 7], [4, 0]],
        [[6, 0, 0], [1, 0, 2], [0, 0, 5]],
    ],
)
def test_standard_error_is_the_delta_method_on_the_multinomial(table):
    result = cohen_kappa(Annotations.from_contingency(table))
    # Terms of order 1 cancel to the variance: absolute rounding 1e-15 over that.
    assert result.standard_error == pytest.approx(delta_method_error(np.array(table)), rel=1e-10)


def test_kappa_is_zero_for_independent_labels_and_negative_below_chance():
    # Rows 2 : 1 and columns 2 : 1 independent: observed = expected.
    assert cohen_kappa(Annotations.from_contingency([[4, 2], [2, 1]])).estimate == pytest.approx(
        0, abs=1e-15
    )
    # Never agreeing, margins 1/2: (0 - 1/2) / (1 - 1/2) = -1.
    assert cohen_kappa(Annotations.from_contingency([[0, 5], [5, 0]])).estimate == -1


def test_items_that_lack_a_label_are_left_out():
    annotations = Annotations.from_arrays(
        list("wxyzwxy"), ["ann"] * 4 + ["bob"] * 3, [0, 0, 1, 1, 0, 1, 1]
    )
    # w (0, 0), x (0, 1), y (1, 1); z has one label. Observed 2/3; expected 2/3 1/3 + 1/3 2/3 = 4/9;
    # (6/9 - 4/9) / (5/9) = 2/5.
    result = cohen_kappa(annotations)
    assert result.n_items == 3
    assert result.estimate == pytest.approx(2 / 5, rel=1e-14)


def test_equal_labels_throughout_leave_kappa_undefined():
    with pytest.warns(DegenerateWarning, match="Every label is the same"):
        result = cohen_kappa(Annotations.from_contingency([[9, 0], [0, 0]]))
    assert math.isnan(result.estimate)
    assert math.isnan(result.standard_error)
    assert result.observed_agreement == result.expected_agreement == 1


def test_contingency_puts_the_first_annotator_in_rows():
    table = [[1, 2], [0, 3]]
    np.testing.assert_array_equal(contingency(Annotations.from_contingency(table)), table)


def test_input_without_a_kappa_is_refused():
    three = Annotations.from_arrays(list("xxx"), list("abc"), [0, 1, 1])
    with pytest.raises(AnnotationError, match="exactly two annotators, got 3"):
        cohen_kappa(three)
    twice = Annotations.from_arrays(list("xxx"), list("aab"), [0, 1, 1])
    with pytest.raises(AnnotationError, match="labelled an item twice"):
        cohen_kappa(twice)
    apart = Annotations.from_arrays(list("xy"), list("ab"), [0, 1])
    with pytest.raises(AnnotationError, match="no item has a label of both annotators"):
        cohen_kappa(apart)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("mixed", [False, True])
def test_the_table_of_two_annotators_gives_the_sums_of_the_items(weights, mixed):
    rng = np.random.default_rng(4)
    n, k = 400, 5
    item, annotator = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    label = np.where(rng.random(2 * n) < 0.6, item % k, rng.integers(k, size=2 * n))
    order = rng.permutation(2 * n) if mixed else np.arange(2 * n)
    labels = Annotations.from_arrays(
        *(column[order] for column in (item, annotator, label)),
        annotators=range(2),
        categories=range(k),
        scale="ordinal",
    )
    kappa = cohen_kappa(labels, weights=weights)
    np.testing.assert_allclose(kappa.totals, kappa.form.rows.sum(axis=0), rtol=1e-13)
    # By the definition, from the table of shares.
    table = np.zeros((k, k))
    np.add.at(table, (label[annotator == 0], label[annotator == 1]), 1 / n)
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    apart = {None: distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    expected = (np.outer(table.sum(axis=1), table.sum(axis=0)) * apart).sum()
    assert kappa.estimate == pytest.approx(1 - (table * apart).sum() / expected, rel=1e-12)
