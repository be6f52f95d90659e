"""What every coefficient of agreement has in common, and what its record says of it."""

from __future__ import annotations

import inspect
import math
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench import agreement, resampling
from annobench.agreement import Agreement, Coefficient
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import SCALES, Annotations
from studies.coverage import interval_coverage

MODULES = agreement.discover()
METHODS = {name: module.METHOD for name, module in MODULES.items()}
NAMES = sorted(MODULES)
ON_TABLES = sorted(name for name in NAMES if METHODS[name].accepts != {"set"})


def those(of=NAMES, **facts) -> list[str]:
    """Name the coefficients whose records say so."""
    return [name for name in of if all(getattr(METHODS[name], key) == facts[key] for key in facts)]


#: Tables of 2 to 5 categories and at least one item.
TABLES = st.integers(2, 5).flatmap(
    lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 30)).filter(np.any)
)


def call(name: str, annotations: Annotations) -> Agreement:
    function = getattr(MODULES[name], name)
    return function(annotations, **({"category": "0"} if METHODS[name].per_category else {}))


def quietly(name: str, table) -> Agreement | None:
    """Return the result, warnings put aside; None where the coefficient can't be had."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        if METHODS[name].binary and len(table) != 2:
            return None
        return call(name, Annotations.from_contingency(table))


def labels(item, annotator, label, name: str) -> Annotations:
    """Build labels on a scale that the coefficient takes."""
    if METHODS[name].accepts == {"set"}:
        sets = [{"a", "b"} if value else {"a"} for value in label]
        return Annotations.from_sets(item, annotator, sets, elements="ab")
    return Annotations.from_arrays(item, annotator, label, categories=[0, 1])


@pytest.mark.parametrize("name", NAMES)
def test_the_record_is_whole(name):
    method = METHODS[name]
    assert isinstance(method, Coefficient)
    assert method.name == name
    assert method.accepts <= set(SCALES)
    assert method.accepts
    for text in (method.title, method.reference, method.missing, method.degenerate):
        assert text.strip()
    assert method.standard_error.strip()
    function = getattr(MODULES[name], name)
    assert getattr(agreement, name) is function
    assert next(iter(inspect.signature(function).parameters)) == "annotations"


def test_names_and_aliases_are_unique_and_the_whole_face():
    names = [name for method in METHODS.values() for name in (method.name, *method.aliases)]
    assert len(set(names)) == len(names)
    assert set(names) <= set(agreement.__all__)
    assert dir(agreement) == sorted(agreement.__all__)
    assert len(set(agreement.__all__)) == len(agreement.__all__)
    for name in agreement.__all__:
        assert getattr(agreement, name) is not None
    assert dir(resampling) == sorted(resampling.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        agreement.nothing  # noqa: B018


# A record that says too little would leave a coefficient out of the tests below.

#: Annotators differ in how often they choose the first of two categories.
LOPSIDED = [[20, 9], [4, 7]]


@pytest.mark.parametrize("name", ON_TABLES)
def test_the_record_tells_of_what_the_coefficient_does(name):
    method, table = METHODS[name], np.array(LOPSIDED)
    there = call(name, Annotations.from_contingency(table)).estimate
    back = call(name, Annotations.from_contingency(table.T)).estimate
    assert (there == pytest.approx(back, rel=1e-9)) == method.symmetric
    # Of items that agree half of the time, whatever they are, chance explains all.
    independent = call(name, Annotations.from_contingency([[9, 9], [9, 9]])).estimate
    if method.chance_corrected and not method.small_sample:
        assert independent == pytest.approx(0, abs=1e-12)
    twice = call(name, Annotations.from_contingency(2 * table)).estimate
    assert (there == pytest.approx(twice, rel=1e-9)) != method.small_sample
    words = Annotations.from_contingency(table, categories=["no", "yes"])
    options = {"category": "no"} if method.per_category else {}
    if method.numeric:
        with pytest.raises(AnnotationError, match="finite numbers"):
            getattr(agreement, name)(words, **options)
    else:
        assert getattr(agreement, name)(words, **options).estimate == pytest.approx(there)
    three = Annotations.from_contingency(np.pad(table, (0, 1)))
    if method.binary:
        with pytest.raises(AnnotationError, match="exactly two categories, got 3"):
            call(name, three)
    else:
        wider = call(name, three).estimate
        assert (there == pytest.approx(wider, rel=1e-9)) != method.counts_categories


@pytest.mark.parametrize("name", those(annotators="any"))
def test_the_record_tells_whether_items_have_to_be_complete(name):
    item, annotator = np.divmod(np.arange(30), 3)
    label = np.random.default_rng(4).integers(0, 2, 30)
    found = call(name, labels(item[1:], annotator[1:], label[1:], name))
    assert found.annotations.n_items == (9 if METHODS[name].complete else 10)


@pytest.mark.parametrize("name", NAMES)
def test_the_record_has_examples_that_run(name):
    for case in interval_coverage.cases():
        if case.coefficient == name:
            design = interval_coverage.Design(30, 2, 0.4, case.n_categories, case.scale)
            rng = np.random.default_rng(1)
            labelled = interval_coverage.draw(design, "items", design.draw_annotators(2, rng), rng)
            assert case.of(labelled) is not None


@pytest.mark.parametrize("name", NAMES)
def test_a_result_shows_itself(name):
    rng = np.random.default_rng(2)
    item, annotator = np.divmod(np.arange(40), 2)
    found = call(name, labels(item, annotator, rng.integers(0, 2, 40), name))
    summary = found.summary()
    assert summary.index.tolist() == [name]
    assert summary["estimate"].item() == found.estimate
    interval = found.interval()
    assert summary[["lower", "upper"]].to_numpy().tolist() == [[interval.lower, interval.upper]]
    assert repr(found) == (
        f"{type(found).__name__}: {name} {found.estimate:.4g} "
        f"(standard error {found.standard_error:.2g})"
    )
    assert "<table" in found._repr_html_()
    axes = found.plot()
    assert METHODS[name].title in axes.get_xlabel()
    plt.close(axes.figure)


def test_two_coefficients_of_one_name_are_an_error(monkeypatch):
    first, second = (MODULES[name] for name in NAMES[:2])
    monkeypatch.setattr(second, "METHOD", first.METHOD)
    with pytest.raises(ImportError, match=first.METHOD.name):
        agreement.discover()


@pytest.mark.parametrize("name", those(ON_TABLES, binary=False))
@pytest.mark.parametrize("n_categories", [2, 3, 7])
def test_perfect_agreement_gives_one_without_error(name, n_categories):
    table = np.diag(np.arange(1, n_categories + 1))
    result = call(name, Annotations.from_contingency(table))
    assert result.estimate == pytest.approx(1, rel=1e-14)
    assert result.standard_error == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("name", those(chance_corrected=True, counts_categories=False))
def test_equal_labels_throughout_give_nan_with_a_warning(name):
    same = labels([1, 1, 2, 2, 3, 3], list("xyxyxy"), [0] * 6, name)
    with pytest.warns(DegenerateWarning, match="undefined"):
        result = call(name, same)
    assert math.isnan(result.estimate)
    assert math.isnan(result.standard_error)
    found = result.interval()
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)


@pytest.mark.parametrize("name", NAMES)
def test_input_without_agreement_is_refused(name):
    with pytest.raises(AnnotationError, match="no item"):
        call(name, labels(["u", "v"], ["x", "y"], [0, 1], name))
    with pytest.raises(AnnotationError, match=r"two annotators, got 1"):
        call(name, labels(["u", "v"], ["x", "x"], [0, 1], name))
    with pytest.raises(AnnotationError, match="labelled an item twice"):
        call(name, labels(["u", "u", "u"], ["x", "x", "y"], [0, 1, 1], name))
    with pytest.raises(AnnotationError, match=r"two annotators, got 0"):
        call(name, labels([], [], [], name))


@pytest.mark.parametrize("name", NAMES)
def test_a_scale_that_is_not_taken_is_refused(name):
    accepts = METHODS[name].accepts
    for scale in set(SCALES) - accepts:
        if scale == "set":
            wrong = Annotations.from_sets([1, 1], ["x", "y"], [{"a"}, {"b"}])
        else:
            wrong = Annotations.from_arrays([1, 1], ["x", "y"], [0, 1], scale=scale)
        with pytest.raises(AnnotationError, match=f"got the {scale} scale"):
            call(name, wrong)


@pytest.mark.parametrize("name", those(numeric=True))
def test_labels_that_are_no_numbers_are_refused(name):
    for wrong in ("much", "nan?", "inf"):
        a = Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), ["1", wrong, "2", "1"])
        with pytest.raises(AnnotationError, match="finite numbers"):
            call(name, a)


WEIGHTED = [n for n in NAMES if "weights" in inspect.signature(getattr(MODULES[n], n)).parameters]


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("cubic", "not one of linear, quadratic"),
        (np.eye(3), r"shape \(2, 2\)"),
        ([[1, 0.5], [0.25, 1]], "symmetric"),
        ([[1, np.nan], [np.nan, 1]], "finite"),
        ([[0, 1], [1, 0]], "1 on the diagonal"),
        ([[1, 2], [2, 1]], "at most 1"),
        ([["a", "b"], ["c", "d"]], "table of numbers"),
    ],
)
def test_weights_that_are_none_are_refused(name, weights, message):
    function = getattr(MODULES[name], name)
    with pytest.raises(AnnotationError, match=message):
        function(Annotations.from_contingency([[3, 1], [2, 4]]), weights=weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "cosine"}, "not one of"),
        ({"metric": np.zeros((3, 3))}, "shape"),
        ({"metric": [[0, 1], [2, 0]]}, "symmetric"),
        ({"metric": [[1, 1], [1, 1]]}, "0 on the diagonal"),
        ({"metric": [[0, -1], [-1, 0]]}, "at least 0"),
        ({"metric": [[0, np.inf], [np.inf, 0]]}, "finite"),
        ({"metric": "masi"}, "from_sets"),
        ({"metric": "circular"}, "period"),
        ({"metric": "circular", "period": 1}, "less than the period"),
    ],
)
def test_metrics_outside_their_domain_are_refused(options, message):
    with pytest.raises(AnnotationError, match=message):
        agreement.krippendorff_alpha(Annotations.from_contingency([[3, 1], [2, 4]]), **options)


def test_the_ratio_metric_takes_no_negative_labels():
    a = Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), [-1, 2, 3, 3], scale="interval")
    with pytest.raises(AnnotationError, match="at least 0, got -1"):
        agreement.krippendorff_alpha(a, metric="ratio")


def test_a_million_categories_are_a_mistake_unless_they_are_numbers():
    n = 1_000_000
    item = np.tile(np.arange(n // 2, dtype=np.int32), 2)
    annotator = np.repeat(np.array([0, 1], dtype=np.int32), n // 2)
    values = np.arange(n, dtype=np.int32)
    names = tuple(map(str, range(n)))
    for scale in ("nominal", "interval"):
        a = Annotations(item, annotator, values, names[: n // 2], ("x", "y"), names, scale)
        if scale == "nominal":
            for name in those(ON_TABLES, numeric=False, binary=False, per_category=False):
                with pytest.raises(AnnotationError, match="1,000,000 categories"):
                    call(name, a)
            with pytest.raises(AnnotationError, match="1,000,000 categories"):
                agreement.krippendorff_alpha(a, metric="ordinal")
        else:
            # The second annotator gives half a million more throughout: D_o is the square of
            # that, D_e half the mean squared difference of two uniform numbers ... by moments.
            x = values.astype(float)
            expected = 1 - 250_000_000_000 / (2 * x.var() * n / (n - 1))
            found = agreement.krippendorff_alpha(a).estimate
            assert found == pytest.approx(expected, rel=1e-10)


# Hypothesis does not renew fixtures between examples; these tests loop over coefficients instead.


@settings(deadline=None, max_examples=40)
@given(table=TABLES)
def test_values_and_intervals_stay_in_their_range(table):
    for name in ON_TABLES:
        method = METHODS[name]
        result = quietly(name, table)
        if result is None or math.isnan(result.estimate):
            continue
        assert result.estimate <= method.highest + 1e-12
        assert result.estimate >= method.lowest - 1e-12
        assert result.standard_error >= 0 or result.n_items < 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateWarning)
            warnings.simplefilter("ignore", IntervalWarning)
            found = result.interval()
        if not math.isnan(found.lower):
            assert method.lowest <= found.lower <= found.upper <= method.highest


@settings(deadline=None, max_examples=40)
@given(table=TABLES)
def test_the_order_of_the_annotators_does_not_matter(table):
    for name in those(ON_TABLES, symmetric=True):
        there, back = quietly(name, table), quietly(name, table.T)
        if there is None:
            continue
        np.testing.assert_allclose(there.estimate, back.estimate, rtol=1e-9, atol=1e-12)
        # the root of a variance that may cancel to nothing
        np.testing.assert_allclose(there.standard_error, back.standard_error, atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(table=TABLES, data=st.data())
def test_the_order_of_the_categories_does_not_matter(table, data):
    order = data.draw(st.permutations(range(len(table))))
    facts = {"numeric": False, "symmetric": True, "binary": False, "per_category": False}
    for name in those(ON_TABLES, **facts):
        first, second = quietly(name, table), quietly(name, table[order][:, order])
        np.testing.assert_allclose(first.estimate, second.estimate, rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(table=TABLES)
def test_a_category_that_nobody_uses_changes_nothing_but_where_categories_are_counted(table):
    for name in those(ON_TABLES, binary=False, counts_categories=False):
        result, wider = quietly(name, table), quietly(name, np.pad(table, (0, 1)))
        np.testing.assert_allclose(wider.estimate, result.estimate, rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(table=TABLES)
def test_twice_the_items_shrink_the_error_as_the_root(table):
    for name in those(ON_TABLES, small_sample=False):
        once, twice = quietly(name, table), quietly(name, 2 * table)
        if once is None or once.n_items < 2:
            continue
        ddof = METHODS[name].ddof
        n = once.n_items
        factor = math.sqrt(2 * (2 * n - ddof) / (2 * n - 2 * ddof))
        np.testing.assert_allclose(once.estimate, twice.estimate, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            once.standard_error, twice.standard_error * factor, atol=1e-6, rtol=1e-6
        )
