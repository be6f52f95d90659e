"""Session 4: what the derived interval promises, and what its mistakes differ by."""

import numpy as np
import pytest
from scipy import stats

from annobench.agreement import cohen_kappa, icc, krippendorff_alpha
from annobench.labels.annotations import Annotations
from annobench.simulation.panels import ordinal
from annobench_course import sessions
from annobench_course.draws import draw
from annobench_course.sessions.s04_distances import exercises as session

EXERCISES = {exercise.id: exercise for exercise in session.EXERCISES}


def given(exercise: str, student: str = "Ada"):
    return draw(exercise, EXERCISES, student)


def test_the_session_is_found():
    assert list(sessions.get("04_distances").exercises.values()) == session.EXERCISES


def test_simulated_kappas_scatter_as_their_interval_says():
    """The ends are 3.89 large-sample standard errors of 20,000 texts from the exact kappa."""
    own = given("4.1")
    low, high = session._interval_of_kappa(own)
    spread = (high - low) / 2 / stats.norm.isf(session.TAIL)
    loading = [np.sqrt(own["correlation"])] * 2
    rng = np.random.default_rng(1)
    smaller, n = 10, 100
    panels = [
        ordinal(
            n_items=session.TEXTS // smaller, prevalence=own["shares"], loading=loading, rng=rng
        )
        for _ in range(n)
    ]
    found = np.array([cohen_kappa(panel.annotations).estimate for panel in panels])
    score = (found - (low + high) / 2) / (spread * np.sqrt(smaller))
    # Of 100 standard normal values the standard deviation is within 4 / sqrt(200) of 1, and the
    # mean within 4 / sqrt(100) of 0, in all but 1 of 10,000 cases.
    assert score.std(ddof=1) == pytest.approx(1, abs=4 / np.sqrt(2 * n))
    assert score.mean() == pytest.approx(0, abs=4 / np.sqrt(n))


def test_mistakes_of_alpha_differ_from_the_library_by_what_they_name_alone():
    for first, second in session._draw_scores(np.random.default_rng(2)):
        assert session._alpha_of(first, second) == pytest.approx(
            session._alpha_absolute(first, second), abs=1e-12
        )
        labels = Annotations.from_wide(np.column_stack([first, second]), scale="interval")
        for less, distance, options in (
            (0, np.abs, {"metric": "absolute", "small_sample": False}),
            (1, np.square, {"metric": "interval"}),
            (1, lambda gap: gap != 0, {"metric": "nominal"}),
        ):
            assert session._alpha_of(first, second, distance, less) == pytest.approx(
                krippendorff_alpha(labels, **options).estimate, abs=1e-12
            )


def test_weighted_kappa_is_one_minus_the_ratio_of_disagreements():
    own = given("4.3")
    observed, expected = session._disagreements(own)
    assert session._weighted_kappa(own) == pytest.approx(1 - observed / expected, abs=1e-12)


def test_ordinal_distance_is_that_of_the_library():
    """Alpha with the distances as a table is ordinal alpha, as they are Krippendorff's."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 5, size=40)
    second = np.clip(first + rng.integers(-1, 2, size=40), 0, 4)
    first[:5] = second[:5] = range(5)
    labels = Annotations.from_wide(np.column_stack([first, second]), scale="ordinal")
    counts = np.bincount(np.concatenate([first, second]), minlength=5).tolist()
    table = np.zeros((5, 5))
    for low, high in zip(*np.triu_indices(5, 1), strict=True):
        own = {"labels": counts, "from": int(low), "to": int(high)}
        table[low, high] = table[high, low] = session._ordinal_distance(own)
    assert krippendorff_alpha(labels, metric=table).estimate == pytest.approx(
        krippendorff_alpha(labels, metric="ordinal").estimate, abs=1e-12
    )


def test_intraclass_correlation_is_that_of_the_library():
    """Mean squares of an additive model, by their definition, from simulated scores."""
    from annobench.agreement import icc

    rng = np.random.default_rng(4)
    scores = rng.normal(size=(30, 1)) + rng.normal(size=4) + 0.5 * rng.normal(size=(30, 4))
    items, annotators = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    rest = scores - items - annotators + scores.mean()
    own = {
        "items": 30,
        "annotators": 4,
        "ms_items": 4 * ((items - scores.mean()) ** 2).sum() / 29,
        "ms_annotators": 30 * ((annotators - scores.mean()) ** 2).sum() / 3,
        "ms_rest": (rest**2).sum() / (29 * 3),
    }
    labels = Annotations.from_wide(scores, scale="interval")
    for form, options in (
        ("agreement", {}),
        ("consistency", {"kind": "consistency"}),
        ("average", {"ratings": "average"}),
    ):
        assert session._intraclass(own, form) == pytest.approx(
            icc(labels, **options).estimate, abs=1e-12
        )


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_alpha_approaches_the_one_way_icc_also_where_annotators_are_biased(bias):
    rng, n_items = np.random.default_rng(1), 3000
    true = rng.normal(size=n_items)
    scores = [true + shift + 0.5 * rng.normal(size=n_items) for shift in (0.0, bias)]
    annotators = np.repeat(["1", "2"], n_items)
    labels = Annotations.from_arrays(
        [*range(n_items)] * 2, annotators, np.concatenate(scores).round(2)
    )
    alpha = krippendorff_alpha(labels, metric="interval").estimate
    assert alpha == pytest.approx(icc(labels, model="one-way").estimate, abs=1e-3)
    higher = icc(labels, model="two-way-random", kind="agreement").estimate - alpha
    # The bias is a quarter of bias^2 in the variance of a label, and comes off the items', too.
    assert (higher > 0.01) == (bias > 0)


@pytest.mark.parametrize(
    ("factors", "mistake"),
    [
        ((2 / 3, 1 / 3), None),
        ((0.67, 0.33), "rounded constants"),
        ((1 / 3, 2 / 3), "constants exchanged"),
    ],
)
def test_constants_of_masi_are_named(factors, mistake):
    nested, overlapping = factors

    def masi(a, b):
        if a == b:
            return 0.0
        if not a & b:
            return 1.0
        factor = nested if a <= b or b <= a else overlapping
        return 1 - factor * len(a & b) / len(a | b)

    outcome = EXERCISES["4.6"].check(masi, given("4.6"))
    assert (outcome.passed, outcome.mistake) == (mistake is None, mistake), outcome
