"""An interval holds its estimate, or there is none and a warning says why: of every method."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench import agreement, models
from annobench.aggregation.consensus import Consensus, consensus
from annobench.agreement import Agreement
from annobench.agreement.intervals import KINDS, resampled_coverage
from annobench.agreement.replicates import jackknife, posterior
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations

MODELS = models.discover()
COEFFICIENTS = agreement.discover()


def drawn(
    seed: int, n_items: int, n_annotators: int, n_categories: int = 2, *, given: float, right: float
) -> Annotations:
    """Draw labels: each is there, and right, with a probability; wrong ones are the next."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_categories, size=n_items, p=rng.dirichlet(np.full(n_categories, 2.0)))
    shape = n_items, n_annotators
    wrong = (truth[:, None] + rng.integers(1, n_categories, size=shape)) % n_categories
    labels = np.where(rng.random(shape) < right, truth[:, None], wrong)
    item, annotator = np.nonzero(rng.random(shape) < given)
    return coded(item, annotator, labels[item, annotator], *shape, n_categories)


def coded(item, annotator, label, n_items, n_annotators, n_categories=2) -> Annotations:
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )


def apart() -> Annotations:
    """Return three annotators of twenty items, and a fourth of five others."""
    three = drawn(6, 20, 3, given=1, right=0.8)
    item = np.concatenate([three.item, np.arange(20, 25)])
    annotator = np.concatenate([three.annotator, np.full(5, 3)])
    return coded(item, annotator, np.concatenate([three.label, [0, 1, 1, 0, 1]]), 25, 4)


def unbalanced() -> Annotations:
    """Return one label of the second annotator, two of the third, ..., thirty of the first."""
    many = drawn(7, 30, 6, given=1, right=0.75)
    quota = np.array([30, 1, 2, 4, 8, 16])
    stays = many.item < quota[many.annotator]
    return coded(many.item[stays], many.annotator[stays], many.label[stays], 30, 6)


#: What labels may be like.
DESIGNS: dict[str, Callable[[], Annotations]] = {
    "complete": lambda: drawn(1, 40, 5, given=1, right=0.8),
    "three categories, missing": lambda: drawn(2, 30, 6, 3, given=0.5, right=0.7),
    "next to chance": lambda: drawn(3, 12, 3, 3, given=1, right=0.4),
    "two annotators": lambda: drawn(4, 15, 2, given=1, right=0.7),
    "tiny": lambda: drawn(5, 3, 3, given=1, right=0.6),
    "one annotator apart": apart,
    "unbalanced": unbalanced,
    "no disagreement": lambda: coded(
        np.repeat(np.arange(10), 3), np.tile([0, 1, 2], 10), np.repeat([0, 1], 15), 10, 3
    ),
    "one category used": lambda: coded([0, 0, 1, 1], [0, 1, 0, 1], [1] * 4, 2, 2),
    "one item": lambda: coded([0, 0, 0], [0, 1, 2], [0, 1, 1], 1, 3),
    "rare category": lambda: drawn(8, 40, 3, 2, given=0.8, right=0.97),
    "one annotator": lambda: drawn(9, 25, 1, given=1, right=0.8),
}


@functools.cache
def found_by(model: str, design: str) -> Consensus | None:
    """Return what a model makes of a design, or None if it refuses the labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return consensus(
                DESIGNS[design](), model=model, rng=np.random.default_rng(5), replicates=60
            )
        except AnnotationError:
            return None


@pytest.mark.slow
@pytest.mark.parametrize(("model", "design"), list(itertools.product(MODELS, DESIGNS)))
def test_intervals_of_a_model_hold_the_estimates_beside_them(model, design):
    found = found_by(model, design)
    if found is None:
        return
    annotators = found.annotators
    columns = [
        (annotators, name, f"{name}_lower95", f"{name}_upper95")
        for name in annotators
        if f"{name}_lower95" in annotators
    ]
    columns += [(found.confusion, "probability", "lower95", "upper95")]
    columns += [(found.prevalence, "prevalence", "lower95", "upper95")]
    for table, *names in columns:
        estimate, lower, upper = (table[name].to_numpy(dtype=float) for name in names)
        nothing = np.isnan(lower) & np.isnan(upper)
        assert (nothing | ((lower <= estimate) & (estimate <= upper))).all(), names
        # Nobody is left without an interval silently.
        if not nothing.all():
            missed = nothing & ~np.isnan(estimate)
            said = sum("Without interval" in text for text in found.remarks)
            assert said == 1 or not missed.any()


def test_each_model_takes_a_design_and_some_have_intervals():
    taken = {name for name in MODELS if found_by(name, "complete") is not None}
    assert taken == set(MODELS)
    with_intervals = {
        name for name in MODELS if found_by(name, "complete").prevalence["lower95"].notna().all()
    }
    assert with_intervals >= {
        name
        for name, module in MODELS.items()
        if "draws" in module.METHOD.returns or "bootstrap" in module.METHOD.offers
    }


def test_one_annotator_has_no_accuracy_whatever_the_model():
    for name, module in MODELS.items():
        found = found_by(name, "one annotator")
        assert (found is None) == module.METHOD.compares, name
        if found is not None:
            assert list(found.annotators) == ["annotator", "n_labels"]


def test_an_annotator_apart_has_no_accuracy_and_the_others_have():
    for name, module in MODELS.items():
        if not module.METHOD.compares:
            continue
        found = found_by(name, "one annotator apart")
        shown = found.annotators.columns.intersection(["accuracy", "ability", "weights", "bits"])
        assert len(shown), name
        assert found.annotators[shown].notna().to_numpy().tolist() == [[True] * len(shown)] * 3 + [
            [False] * len(shown)
        ]
        assert "No item of '3' has a label by anybody else" in " ".join(found.remarks)
        of_them = found.confusion["annotator"].eq("3")
        assert found.confusion.loc[of_them, "probability"].isna().all()
        assert found.confusion.loc[~of_them, "probability"].notna().all()


def test_what_two_annotators_leave_open_is_said():
    for name, module in MODELS.items():
        said = any(
            "Only two annotators" in text for text in found_by(name, "two annotators").remarks
        )
        assert said == module.METHOD.compares
        assert not any("Only two" in text for text in found_by(name, "complete").remarks)


# Coefficients.

#: What can be drawn anew, and how.
DRAWN = [(unit, kind) for unit, kinds in KINDS.items() for kind in kinds]


def table(*rows: list[int]) -> Annotations:
    return Annotations.from_contingency(list(rows))


#: Designs of the models that leave something to compare, and pairs of annotators.
PANELS: dict[str, Callable[[], Annotations]] = {
    name: DESIGNS[name] for name in DESIGNS if name not in ("one annotator", "one item")
} | {
    "perfect pair": lambda: table([7, 0], [0, 5]),
    "perfect pair of four categories": lambda: table(*np.diag([1, 2, 3, 9]).tolist()),
    "one disagreement": lambda: table([9, 0], [1, 20]),
    "equal margins": lambda: table([20, 10], [10, 20]),
    "wholly opposed": lambda: table([0, 6], [5, 0]),
    "two items": lambda: table([1, 0], [1, 0]),
    "many and skewed": lambda: table([400, 3], [2, 1]),
    "twelve annotators": lambda: drawn(10, 20, 12, given=0.6, right=0.8),
    "thirty annotators": lambda: drawn(11, 10, 30, given=0.5, right=0.8),
}


@functools.cache
def computed(name: str, panel: str) -> Agreement | None:
    """Compute a coefficient, on a scale that it takes; None if it is refused or undefined."""
    method, a = COEFFICIENTS[name].METHOD, PANELS[panel]()
    options = {"category": "0"} if method.per_category else {}
    frame = a.to_frame()
    if method.accepts == {"set"}:
        sets = [{"0", label} for label in frame["label"]]
        a = Annotations.from_sets(frame["item"], frame["annotator"], sets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        try:
            found = getattr(COEFFICIENTS[name], name)(a, **options)
        except AnnotationError:
            return None
    return None if np.isnan(found.estimate) else found


def interval_and_warnings(found: Agreement, kind: str, unit: str):
    """Return an interval, None if it is refused, and what was warned of."""
    rng = np.random.default_rng(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            interval = found.interval(kind, unit=unit, replicates=200, rng=rng)
        except AnnotationError:
            return None, ()
    return interval, tuple(warning.category for warning in caught)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_interval_of_a_coefficient_holds_the_estimate_or_is_none_with_a_warning(name):
    n_held = 0
    for panel, (unit, kind) in itertools.product(PANELS, DRAWN):
        found = computed(name, panel)
        if found is None:
            continue
        interval, caught = interval_and_warnings(found, kind, unit)
        if interval is None:
            continue
        case = panel, unit, kind, found.estimate, interval
        if np.isnan(interval.lower):
            assert np.isnan(interval.upper), case
            assert DegenerateWarning in caught, case
        else:
            rounding = 1e-12
            assert interval.lower <= found.estimate + rounding, case
            assert found.estimate - rounding <= interval.upper, case
            n_held += 1
        # What is known to be too narrow says so, on the result and aloud.
        flat = interval.upper - interval.lower < 1e-9
        few = unit == "annotators" and kind in ("percentile", "bca") and found.n_annotators < 15
        assert (IntervalWarning in caught) == bool(interval.caution), case
        if flat:
            assert "zero width" in interval.caution, case
        elif few and not np.isnan(interval.lower):
            assert "too narrow" in interval.caution, case
        elif unit == "items":
            assert not interval.caution, case
    assert n_held > 10


#: Every coefficient with each of the options that a report shows on each scale.
ON_SCALES = [
    (name, scale, options)
    for name, module in COEFFICIENTS.items()
    for scale in sorted(module.METHOD.accepts - {"set"})
    for options in module.METHOD.variants.get(scale, ({},))
]
#: Labels of 2 to 12 items by 2 to 5 annotators: whole numbers, some far off; NaN where missing.
TABLES = st.tuples(st.integers(2, 12), st.integers(2, 5)).flatmap(
    lambda shape: hnp.arrays(
        np.float64, shape, elements=st.sampled_from([0, 1, 1, 2, 2, 3, 99, -4, np.nan])
    ).filter(lambda table: not np.isnan(table).all())
)
#: Of little use, usual and extreme.
LEVELS = st.sampled_from([0.1, 0.5, 0.95, 0.999])
#: Two items, each annotator nearly twice the same: F of ICC(A,1) has 0.005 degrees of freedom.
OPPOSED = np.array([[3.05, -2.28, 3.82], [2.0, -0.06, 2.35]])
AGREEING_TWO_WAY = {"model": "two-way-random", "ratings": "single"}


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(ON_SCALES), TABLES, st.sampled_from(DRAWN), LEVELS)
@example(("icc", "interval", AGREEING_TWO_WAY), OPPOSED, ("items", "analytic"), 0.95)
def test_whatever_the_labels_an_interval_holds_the_estimate_or_says_truly_why_not(
    coefficient, table, drawn, level
):
    (name, scale, options), (unit, kind) = coefficient, drawn
    item, annotator = np.nonzero(~np.isnan(table))
    label = table[item, annotator]
    method = COEFFICIENTS[name].METHOD
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        try:
            a = Annotations.from_arrays(item, annotator, label, scale=scale)
            per = {"category": a.categories[0]} if method.per_category else {}
            found = getattr(COEFFICIENTS[name], name)(a, **options, **per)
        except AnnotationError:
            return
    if np.isnan(found.estimate):
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            interval = found.interval(kind, unit=unit, level=level, replicates=30, rng=3)
        except AnnotationError:
            return
    said = {warning.category: str(warning.message) for warning in caught}
    assert set(said) <= {DegenerateWarning, IntervalWarning}
    if np.isnan([interval.lower, interval.upper]).any():
        assert np.isnan([interval.lower, interval.upper]).all()
        assert "NaN" in said[DegenerateWarning]
        if "standard error undefined" in said[DegenerateWarning]:
            assert np.isnan(found.standard_error)
        return
    rounding = 1e-9 * max(1, abs(found.estimate))
    assert interval.lower <= interval.upper
    assert interval.lower - rounding <= found.estimate <= interval.upper + rounding
    if "items agree" in interval.caution:
        used = np.isin(found.annotations.item, np.flatnonzero(found.used))
        labels = found.annotations.to_frame()[used]
        assert (labels.groupby("item")["label"].nunique() == 1).all()
    if "left out" in interval.caution:
        each = jackknife(found, unit)
        assert np.ptp(each[~np.isnan(each)]) < 1e-6


def test_where_all_agree_the_warning_says_what_other_items_may_be():
    # Of 12 items that agree at most 1 - 0.05 ** (1 / 12) = 22% of others may not.
    kappa = agreement.cohen_kappa(table([7, 0], [0, 5]))
    for kind, options in (("analytic", {}), ("jackknife", {}), ("percentile", {"rng": 1})):
        message = rf"cohen_kappa: the {kind} .*12 items agree.*Up to 22% .*95% limit.*Bayesian"
        with pytest.warns(IntervalWarning, match=message):
            kappa.interval(kind, **options)
    bayesian = kappa.interval("bayesian", rng=1)
    assert bayesian.lower < 0.9
    assert bayesian.upper == 1
    assert not bayesian.caution
    # Three annotators have no such prior.
    alpha = agreement.krippendorff_alpha(DESIGNS["no disagreement"]())
    with pytest.warns(IntervalWarning, match=r"10 items agree.*Up to 26% .*Report how many"):
        alpha.interval("bayesian", rng=1)


def test_a_bayesian_interval_cut_at_its_estimate_keeps_its_probability():
    kappa = agreement.cohen_kappa(table([7, 0], [0, 5]))
    rng = np.random.default_rng(2)
    draws = posterior(kappa, 20_000, rng)
    found = kappa.interval("bayesian", replicates=20_000, rng=np.random.default_rng(2))
    # All of the draws are below 1, so that the lower tail takes all of the 5%.
    assert found.lower == pytest.approx(np.quantile(draws, 0.05), rel=1e-12)
    inside = ((draws >= found.lower) & (draws <= found.upper)).mean()
    assert inside == pytest.approx(0.95, abs=1 / 20_000)
    # Elsewhere the tails are equal.
    kappa = agreement.cohen_kappa(table([20, 10], [10, 20]))
    draws = posterior(kappa, 2_000, np.random.default_rng(2))
    found = kappa.interval("bayesian", rng=np.random.default_rng(2))
    np.testing.assert_allclose([found.lower, found.upper], np.quantile(draws, [0.025, 0.975]))


def test_a_bootstrap_beside_its_estimate_is_no_interval():
    # Equal margins make the largest kappa 1. A sample of 2,000 items has them with probability
    # 1 / sqrt(2 pi 800) = 1.4% alone, as the 800 in the corners split evenly.
    a = table([600, 400], [400, 600])
    found = agreement.kappa_maximum(a)
    assert found.estimate == 1
    draws = found.bootstrap(replicates=500, rng=np.random.default_rng(4))
    assert np.quantile(draws, 0.975) < 1
    for kind in ("percentile", "bca"):
        with pytest.warns(
            DegenerateWarning, match=f"no {kind} interval .*bias exceeds their spread"
        ):
            interval = found.interval(kind, replicates=500, rng=np.random.default_rng(4))
        assert np.isnan([interval.lower, interval.upper]).all()


@pytest.mark.parametrize(
    ("n_annotators", "level", "covered"),
    [
        # Two values: t with one degree of freedom is Cauchy; P(|t| < x) = 2 atan(x) / pi with
        # x = 1.959964 * sqrt(1 / 2) = 1.385904.
        (2, 0.95, 2 * np.arctan(1.959963984540054 / np.sqrt(2)) / np.pi),
        # Three: P(|t| < x) = x / sqrt(2 + x^2) with two degrees of freedom.
        (3, 0.90, 1.6448536269514722 * np.sqrt(2 / 3) / np.sqrt(2 + 1.6448536269514722**2 * 2 / 3)),
    ],
)
def test_the_coverage_of_resampled_annotators_by_hand(n_annotators, level, covered):
    assert resampled_coverage(n_annotators, level) == pytest.approx(covered, rel=1e-12)


def test_few_resampled_annotators_are_warned_of_and_many_are_not():
    few = agreement.fleiss_kappa(drawn(12, 20, 5, given=1, right=0.8))
    for kind in ("percentile", "bca"):
        message = "over 5 annotators is too narrow: .* about 85%, not 95%.*jackknife"
        with pytest.warns(IntervalWarning, match=message):
            assert few.interval(kind, unit="annotators", replicates=50, rng=1).caution
    assert not few.interval("jackknife", unit="annotators").caution
    # The rule: missing more than half again as often as it should, 7.5% for 5%.
    missed = {n: 1 - resampled_coverage(n, 0.95) for n in (5, 12, 30)}
    assert missed[5] > missed[12] > 0.075 > missed[30]
    many = agreement.percent_agreement(drawn(13, 10, 30, given=1, right=0.8))
    assert not many.interval("percentile", unit="annotators", replicates=50, rng=1).caution


def test_a_difference_without_width_is_warned_of():
    a = table([7, 0], [0, 5])
    first, second = agreement.cohen_kappa(a), agreement.brennan_prediger(a)
    with pytest.warns(IntervalWarning, match="difference: the analytic interval has zero width"):
        agreement.difference(first, second)


def test_categories_without_width_are_warned_of_together():
    # Everybody agrees on what is 2; of the others one item is in dispute.
    a = table([5, 1, 0], [0, 4, 0], [0, 0, 6])
    with pytest.warns(IntervalWarning, match="the intervals of '2' have zero width") as caught:
        found = agreement.cohen_kappa(a).by_category()
    assert len(caught) == 1
    assert (found["upper"] - found["lower"] > 0).tolist() == [True, True, False]


# The range of a coefficient.


@pytest.mark.parametrize(
    ("k", "name", "options", "lowest"),
    [
        # All pairs disagree: (0 - 1/K) / (1 - 1/K); AC1 has this chance agreement at equal shares.
        (2, "brennan_prediger", {}, -1),
        (5, "brennan_prediger", {}, -1 / 4),
        (5, "gwet_ac1", {}, -1 / 4),
        # Of nine squared distances two are 1 and four are 1/4: their mean is 1/3.
        (3, "brennan_prediger", {"weights": "quadratic"}, 1 - 1 / (1 / 3)),
        (3, "cohen_kappa", {}, -1),
        (3, "cohen_kappa", {"weights": "linear"}, -1),
        (3, "krippendorff_alpha", {}, -1),
        (2, "percent_agreement", {}, 0),
    ],
)
def test_the_lowest_value_is_that_of_labels_that_are_all_opposed(k, name, options, lowest):
    first = np.arange(1000) % k
    second = k - 1 - first if options else (first + 1) % k
    a = Annotations.from_wide(list(zip(map(str, first), map(str, second), strict=True)))
    found = getattr(COEFFICIENTS[name], name)(a, **options)
    assert found.range == pytest.approx((lowest, 1), abs=1e-12)


#: S is -1/2 with a standard error of 1/2: its limits are beyond -1.
MOSTLY_OPPOSED = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(ON_SCALES), TABLES, st.sampled_from(DRAWN))
@example(("brennan_prediger", "nominal", {}), MOSTLY_OPPOSED, ("items", "jackknife"))
def test_limits_end_at_the_range_which_no_labels_exceed(coefficient, table, drawn):
    (name, scale, options), (unit, kind) = coefficient, drawn
    item, annotator = np.nonzero(~np.isnan(table))
    method = COEFFICIENTS[name].METHOD
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            a = Annotations.from_arrays(item, annotator, table[item, annotator], scale=scale)
            per = {"category": a.categories[0]} if method.per_category else {}
            found = getattr(COEFFICIENTS[name], name)(a, **options, **per)
            interval = found.interval(kind, unit=unit, replicates=30, rng=3)
        except AnnotationError:
            return
    lowest, highest = found.range
    rounding = 1e-9 * max(1, abs(found.estimate))
    if not np.isnan(found.estimate):
        assert lowest - rounding <= found.estimate <= highest + rounding
    if not np.isnan(interval.lower):
        assert lowest <= interval.lower
        assert interval.upper <= highest


#: Ranges without a minimum, and why.
UNBOUNDED = {
    "conditional_kappa": "the second annotator may nearly always give the category",
    "icc": "the mean of annotators may have any negative reliability",
    "paired_agreement": "combinations=3 pools in expected agreement what is observed apart",
    "conger_kappa": "with missing labels, margins are of other items than pairs",
}


def test_every_coefficient_has_a_range_with_a_minimum_or_is_known_to_have_none():
    a = drawn(12, 30, 2, given=1, right=0.7)
    unbounded = set()
    for name, module in COEFFICIENTS.items():
        method = module.METHOD
        for scale, variants in {**dict.fromkeys(method.accepts, ({},)), **method.variants}.items():
            for options in variants:
                labels = a.to_frame()
                if scale == "set":
                    sets = [{"0", label} for label in labels["label"]]
                    b = Annotations.from_sets(labels["item"], labels["annotator"], sets)
                else:
                    b = Annotations.from_frame(labels, scale=scale)
                per = {"category": "0"} if method.per_category else {}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        found = getattr(module, name)(b, **options, **per)
                    except AnnotationError:
                        continue
                if np.isinf(found.range[0]):
                    unbounded.add(name)
    assert unbounded <= set(UNBOUNDED)
