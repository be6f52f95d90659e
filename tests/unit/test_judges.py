"""Judges beside humans: the alternative annotator test, rates, prevalence, consistency, worth."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from annobench import judges
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.evaluation.prediction_powered import prediction_powered_mean
from annobench.judges import agreement, baselines, consistency, planning, prevalence, rates, worth
from annobench.judges.alternative_annotators import adjusted_p_values, alternative_annotator_test
from annobench.judges.prevalence import JudgedCounts
from annobench.labels.annotations import Annotations
from annobench.resampling.proportions import proportion_interval
from papers.judge_arena.prevalence_coverage import Cell, measure_prevalence_coverage


def panel(rng, n_items=60, n_humans=4, n_categories=3, missing=0.3, noise=0.4):
    """Draw labels of humans and of a judge, some missing, each human at least once."""
    truth = rng.integers(0, n_categories, n_items)

    def noisy():
        return np.where(rng.random(n_items) < noise, rng.integers(0, n_categories, n_items), truth)

    rows = [
        (f"i{i}", name, str(label))
        for name in [f"h{j}" for j in range(n_humans)]
        for i, label in enumerate(noisy())
        if rng.random() >= missing
    ]
    rows += [(f"i{i}", "llm", str(label)) for i, label in enumerate(noisy()) if rng.random() > 0.1]
    labels = Annotations.from_arrays(
        *zip(*rows, strict=True), categories=map(str, range(n_categories))
    )
    return judges.split_judges(labels, ["llm"])


def slow_test(humans, judge, epsilon, score, min_items):
    """Follow the definition item by item, with dictionaries and scipy's t test."""
    frame = humans.to_frame()
    given = {}
    for row in frame.itertuples():
        given.setdefault(row.item, {}).setdefault(row.annotator, row.label)
    names = dict(zip(humans.items, judge, strict=True))

    def scored(label, others):
        if score == "accuracy":
            return np.mean([label == other for other in others])
        return -np.sqrt(np.mean([(float(label) - float(other)) ** 2 for other in others]))

    found = {}
    for name in humans.annotators:
        ours, theirs = [], []
        for item, labels in given.items():
            others = [label for who, label in labels.items() if who != name]
            if name not in labels or not others or names[item] < 0:
                continue
            judged = scored(humans.categories[names[item]], others)
            own = scored(labels[name], others)
            ours.append(judged >= own)
            theirs.append(own >= judged)
        if len(ours) >= min_items:
            difference = np.array(theirs, float) - np.array(ours, float)
            p = stats.ttest_1samp(difference, epsilon, alternative="less").pvalue
            found[name] = (p, np.mean(ours), difference.mean())
    p_values = [p for p, _, _ in found.values()]
    rejected = stats.false_discovery_control(p_values, method="by") <= 0.05
    return found, rejected.mean()


@pytest.mark.parametrize("score", ["accuracy", "rmse"])
@pytest.mark.parametrize("seed", range(4))
def test_the_test_is_its_definition_followed_item_by_item(score, seed):
    p = panel(np.random.default_rng(seed))
    found = alternative_annotator_test(
        p.humans, p.judges["llm"], epsilon=0.2, score=score, min_items=10
    )
    slow, winning = slow_test(p.humans, p.judges["llm"], 0.2, score, 10)
    assert found.annotators == tuple(slow)
    for j, (p_value, advantage, difference) in enumerate(slow.values()):
        assert found.p_value[j] == pytest.approx(p_value, rel=1e-9)
        assert found.advantage[j] == pytest.approx(advantage)
        assert found.difference[j] == pytest.approx(difference)
    assert found.winning_rate == winning


def test_a_similarity_of_equal_labels_is_the_accuracy(rng):
    p = panel(rng)
    options = {"epsilon": 0.1, "min_items": 5}
    plain = alternative_annotator_test(p.humans, p.judges["llm"], **options)
    alike = alternative_annotator_test(
        p.humans, p.judges["llm"], score=lambda a, b: (a == b).astype(float), **options
    )
    pd.testing.assert_frame_equal(plain.summary(), alike.summary())


def test_the_test_by_hand():
    # x: a and b say 1, c and the judge 0. Without a: b says 1, c 0; each agrees with one of two.
    # Without c: both others say 1; c and the judge agree with neither.
    humans = Annotations.from_wide(pd.DataFrame({"a": ["1"], "b": ["1"], "c": ["0"]}))
    judge = np.array([humans.categories.index("0")])
    found = alternative_annotator_test(humans, judge, min_items=1)
    assert found.difference.tolist() == [0, 0, 0]
    assert found.advantage_probability == 1
    # Of one item nothing is known of the spread, and nobody is beaten, whatever the mean.
    assert not found.rejected.any()


def test_a_judge_who_repeats_a_human_is_as_good_as_that_one_and_spread_of_none_is_certain(rng):
    humans = Annotations.from_wide(
        pd.DataFrame({j: rng.integers(0, 2, 50).astype(str) for j in "abc"})
    )
    own = np.full(50, -1)
    mine = humans.annotator == 0
    own[humans.item[mine]] = humans.label[mine]
    for epsilon, p_value in ((0.05, 0), (0, 1), (-0.05, 1)):
        found = alternative_annotator_test(humans, own, epsilon=epsilon)
        assert found.difference[0] == 0
        assert found.p_value[0] == p_value


def test_the_winning_rate_grows_with_epsilon_and_passing_epsilon_is_where_it_passes(rng):
    p = panel(rng, n_items=200, missing=0)
    found = alternative_annotator_test(p.humans, p.judges["llm"], epsilon=0.1)
    rates_ = found.winning_rates(np.linspace(-1, 1, 41))
    assert (np.diff(rates_) >= 0).all()
    assert found.winning_rates(0.1) == found.winning_rate
    edge = found.passing_epsilon
    assert found.winning_rates(edge) >= 0.5 > found.winning_rates(edge - 0.001)


def test_clusters_of_one_item_change_nothing_and_doubled_items_widen(rng):
    p = panel(rng, n_items=100, missing=0)
    judge = p.judges["llm"]
    plain = alternative_annotator_test(p.humans, judge)
    single = alternative_annotator_test(p.humans, judge, clusters=[f"c{i}" for i in range(100)])
    pd.testing.assert_frame_equal(plain.summary(), single.summary())
    # Every item twice: as independent items the error shrinks by the root of two, as clusters not.
    frame = p.humans.to_frame()
    twice = pd.concat([frame, frame.assign(item=frame["item"] + "b")])
    humans = Annotations.from_frame(twice, categories=p.humans.categories)
    doubled = np.concatenate([judge, judge])
    order = [humans.items.index(name) for name in (*p.humans.items,)]
    codes = np.full(200, -1)
    codes[order] = judge
    codes[[humans.items.index(name + "b") for name in p.humans.items]] = judge
    assert doubled.size == codes.size
    texts = [name.removesuffix("b") for name in humans.items]
    clustered = alternative_annotator_test(humans, codes, clusters=texts)
    np.testing.assert_allclose(clustered.difference, plain.difference)
    np.testing.assert_allclose(clustered.standard_error, plain.standard_error)
    np.testing.assert_allclose(clustered.p_value, plain.p_value)
    independent = alternative_annotator_test(humans, codes)
    n = plain.n_items
    shrunk = plain.standard_error * np.sqrt((n - 1) / (2 * n - 1))
    np.testing.assert_allclose(independent.standard_error, shrunk)


def test_the_bootstrap_varies_as_the_standard_error_says(rng):
    p = panel(rng, n_items=300, missing=0, n_humans=3)
    found = alternative_annotator_test(p.humans, p.judges["llm"])
    again = found.bootstrap(replicates=2_000, rng=1)
    assert again.advantage_probability == found.advantage_probability
    assert abs(again.advantage_probabilities.mean() - found.advantage_probability) < 0.005
    assert set(np.unique(again.winning_rates)) <= {0, 1 / 3, 2 / 3, 1}
    small = found.bootstrap(replicates=2_000, rng=1, n_clusters=75)
    ratio = small.advantage_probabilities.std() / again.advantage_probabilities.std()
    # Four times fewer items double the spread; a ratio of two standard deviations from 2,000
    # replicates each has a relative standard error of 1/sqrt(2000).
    assert ratio == pytest.approx(2, rel=4.2 / np.sqrt(2_000))
    interval = again.interval("advantage_probability")
    assert interval.lower < found.advantage_probability < interval.upper


def test_adjusted_p_values_are_scipys(rng):
    p = rng.random((5, 7))
    expected = [stats.false_discovery_control(row, method="by") for row in p]
    np.testing.assert_allclose(adjusted_p_values(p), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge": [0, 1]}, "code of one category for each"),
        ({"judge": np.full(60, 7)}, r"not in \[-1, 3\)"),
        ({"epsilon": 2}, r"epsilon must be in \[-1, 1\]"),
        ({"score": "f1"}, "score 'f1' is neither"),
        ({"clusters": [1]}, "1 clusters for"),
        ({"min_items": 1000}, "no human has 1000 items"),
    ],
)
def test_what_makes_no_test_is_refused(rng, change, message):
    p = panel(rng, missing=0)
    options = {"judge": p.judges["llm"], "min_items": 10} | change
    with pytest.raises(AnnotationError, match=message):
        alternative_annotator_test(p.humans, options.pop("judge"), **options)


def test_judges_are_told_from_humans_by_name():
    labels = Annotations.from_arrays(["x"] * 4, ["ann", "llm", "llm", "gpt"], list("0110"))
    p = judges.split_judges(labels, ["llm", "gpt"])
    assert p.humans.annotators == ("ann",)
    assert {name: codes.tolist() for name, codes in p.judges.items()} == {"llm": [1], "gpt": [0]}
    for names, message in (
        (["lm"], "Did you mean 'llm'"),
        ([], "no judge is named"),
        (["llm", "llm"], "named twice"),
        (["ann", "llm", "gpt"], "every annotator is named"),
    ):
        with pytest.raises(AnnotationError, match=message):
            judges.split_judges(labels, names)


@pytest.mark.parametrize(
    "judged",
    [
        lambda a: judges.split_judges(a, ["1"]),
        lambda a: alternative_annotator_test(a, np.zeros(12, dtype=int), min_items=2),
        lambda a: baselines.humans_as_judges(a, min_items=2),
        lambda a: baselines.without_each_human(a, np.zeros(12, dtype=int), min_items=2),
        consistency.repeat_consistency,
    ],
)
def test_who_judged_is_not_known_of_counts(judged):
    a = Annotations.from_counts(np.tile([[3, 1], [1, 3]], (6, 1)))
    with pytest.raises(AnnotationError, match="these labels are anonymous"):
        judged(a)


def test_a_judge_that_never_looks_passes_where_one_category_prevails(rng):
    common = (rng.random((400, 4)) < 0.1).astype(int).astype(str)
    humans = Annotations.from_wide(pd.DataFrame(common, columns=list("abcd")))
    blind = baselines.constant_judge(humans)
    assert (blind == humans.categories.index("0")).all()
    assert alternative_annotator_test(humans, blind, epsilon=0.1).passes
    found = rates.rates_by_gold(blind, rng.integers(0, 2, 400), humans.categories)
    assert found.youden.estimate == pytest.approx([0, 0])
    assert not found.is_informative.any()


def test_each_human_as_the_judge_and_without_each(rng):
    p = panel(rng, n_items=120, missing=0)
    table = baselines.humans_as_judges(p.humans, min_items=30)
    split = judges.split_judges(p.humans, ["h2"])
    own = alternative_annotator_test(split.humans, split.judges["h2"])
    assert table.loc[2, "winning_rate"] == own.winning_rate
    assert table["n_tested"].tolist() == [3] * 4
    left = baselines.without_each_human(p.humans, p.judges["llm"])
    fewer = p.humans.select(annotators=["h0", "h1", "h3"])
    assert left.loc[2, "advantage_probability"] == pytest.approx(
        alternative_annotator_test(fewer, p.judges["llm"]).advantage_probability
    )
    two = p.humans.select(annotators=["h0", "h1"])
    assert baselines.humans_as_judges(two)["n_tested"].tolist() == [0, 0]


# ------------------------------------------------------------------------------------ agreement


def test_agreement_is_that_of_all_pairs(rng):
    p = panel(rng, n_items=30)
    judge = p.judges["llm"]
    found = agreement.compare_agreement(p.humans, judge, replicates=50, rng=1).set_index("category")
    labels = {}
    for row in p.humans.to_frame().itertuples():
        labels.setdefault(row.item, []).append(row.label)
    same, judged, of_k = [], [], []
    for i, name in enumerate(p.humans.items):
        given = labels.get(name, [])
        if len(given) < 2 or judge[i] < 0:
            continue
        pairs = list(permutations(given, 2))
        said = p.humans.categories[judge[i]]
        same.append(np.mean([a == b for a, b in pairs]))
        judged.append(np.mean([a == said for a in given]))
        of_k.append(
            [
                np.mean([a == b == "1" for a, b in pairs]),
                np.mean([a == "1" for a in given]),
                np.mean([a == said == "1" for a in given]),
                said == "1",
            ]
        )
    overall = found[found["measure"] == "agreement"].iloc[0]
    assert overall["n_items"] == len(same)
    assert overall["human_human"] == pytest.approx(np.mean(same))
    assert overall["human_judge"] == pytest.approx(np.mean(judged))
    both, human, agree, says = np.mean(of_k, axis=0)
    one = found.loc["1"]
    assert one["human_human"] == pytest.approx(both / human)
    assert one["human_judge"] == pytest.approx(2 * agree / (human + says))
    assert one["difference"] == pytest.approx(one["human_judge"] - one["human_human"])
    assert one["difference_lower"] <= one["difference"] <= one["difference_upper"]


def test_chance_corrected_agreement_of_independent_labels_is_about_0(rng):
    p = panel(rng, n_items=4_000, missing=0, noise=1.0)
    found = agreement.compare_agreement(p.humans, p.judges["llm"], replicates=100, rng=1)
    kappa = found[found["measure"] == "kappa"].iloc[0]
    for who in ("human_human", "human_judge"):
        # The interval is of 95%; twice its half-width is exceeded once in ten thousand.
        assert abs(kappa[who]) < kappa[f"{who}_upper"] - kappa[f"{who}_lower"]


def test_samples_of_two_clusters_hold_both_half_of_the_time():
    # Humans agree on all items of one cluster and on none of the other, so that a sample has an
    # agreement of 0, 1/2 or 1 with probabilities 1/4, 1/2 and 1/4. The ends are the 32.5th and
    # 67.5th percentiles, eight standard errors away from a quarter and three quarters.
    item, annotator = np.repeat(np.arange(20), 2), np.tile(["a", "b"], 20)
    label = np.where((item < 10) | (annotator == "a"), "x", "y")
    humans = Annotations.from_arrays(item, annotator, label)
    clusters = np.repeat(["alike", "apart"], 10)
    found = agreement.compare_agreement(
        humans, np.zeros(20, int), clusters=clusters, replicates=2_000, level=0.35, rng=1
    )
    agreed = found.set_index("measure").loc["agreement"]
    ends = agreed[["human_human", "human_human_lower", "human_human_upper"]]
    assert ends.tolist() == pytest.approx([0.5, 0.5, 0.5])


# ------------------------------------------------------------------------------------ rates


def test_rates_of_two_categories_by_hand():
    judge = np.repeat([1, 0, 1, 0], [8, 2, 3, 27])
    gold = np.repeat([1, 1, 0, 0], [8, 2, 3, 27])
    found = rates.rates_by_gold(np.append(judge, -1), np.append(gold, 0), ("no", "yes"))
    np.testing.assert_allclose(found.sensitivity.estimate, [0.9, 0.8])
    np.testing.assert_allclose(found.specificity.estimate, [0.8, 0.9])
    np.testing.assert_allclose(found.youden.estimate, [0.7, 0.7])
    wilson = stats.binomtest(8, 10).proportion_ci(0.95, "wilson")
    assert (found.sensitivity.lower[1], found.sensitivity.upper[1]) == pytest.approx(wilson)
    other = stats.binomtest(27, 30).proportion_ci(0.95, "wilson")
    below = np.hypot(0.8 - wilson.low, 0.9 - other.low)
    assert found.youden.lower[1] == pytest.approx(0.7 - below)
    assert found.accuracy.estimate == pytest.approx(35 / 40)


def test_a_certain_posterior_gives_the_rates_of_its_gold(rng):
    gold, judge = rng.integers(0, 3, 300), rng.integers(0, 3, 300)
    known = rates.rates_by_gold(judge, gold, ("a", "b", "c"))
    found = rates.rates_by_posterior(judge, np.eye(3)[gold], ("a", "b", "c"), draws=4_000, rng=1)
    np.testing.assert_allclose(found.confusion, known.confusion)
    np.testing.assert_allclose(found.sensitivity.estimate, known.sensitivity.estimate)
    # Jeffreys' interval and Wilson's differ by less than a tenth of their width.
    width = known.sensitivity.upper - known.sensitivity.lower
    assert (np.abs(found.sensitivity.lower - known.sensitivity.lower) < 0.1 * width).all()


def test_rates_of_a_posterior_are_right_if_the_posterior_is(rng):
    chance = rng.dirichlet([0.5, 0.5], 20_000)
    truth = (rng.random(20_000) < chance[:, 1]).astype(int)
    judge = np.where(rng.random(20_000) < np.where(truth == 1, 0.8, 0.1), 1, 0)
    found = rates.rates_by_posterior(judge, chance, ("no", "yes"), draws=200, rng=1)
    # The items tell less of a rate than 10,000 with known categories would; the intervals say it.
    for rate, true in ((found.sensitivity, 0.8), (found.specificity, 0.9)):
        spread = (rate.upper[1] - rate.lower[1]) / (2 * 1.96)
        assert 0.003 < spread < 0.02
        assert abs(rate.estimate[1] - true) < 4.2 * spread


# ------------------------------------------------------------------------------------ prevalence


def test_the_interval_of_rogan_and_gladen_is_the_printed_one():
    # Lee et al. (2025): p = .4 of 1000, specificity .7 and sensitivity .9 of 200 each.
    found = prevalence.rogan_gladen(JudgedCounts(180, 20, 60, 140, 400, 600))
    assert round(found.estimate, 4) == 0.1667
    assert round(found.lower, 5) == 0.05635
    assert round(found.upper, 5) == 0.26273


def test_a_perfect_judge_changes_nothing():
    counts = JudgedCounts(30, 0, 0, 70, 300, 700)
    for method in ("rogan_gladen", "ppi", "joint", "judged"):
        assert prevalence.METHODS[method](counts, 0.95).estimate == pytest.approx(0.3)
    # The joint model then has the precision of all 1,100 labels.
    error = np.sqrt(0.3 * 0.7 / 1_100)
    assert prevalence.joint(counts).standard_error == pytest.approx(error)


def test_the_joint_estimate_maximises_the_likelihood():
    counts = JudgedCounts(25, 9, 12, 54, 400, 800)

    cells = np.array([25, 9, 12, 54])

    def loss(parameters):
        theta, q1, q0 = 1 / (1 + np.exp(-np.asarray(parameters)))
        chance = [theta * q1, theta * (1 - q1), (1 - theta) * (1 - q0), (1 - theta) * q0]
        p = theta * q1 + (1 - theta) * (1 - q0)
        return -(cells @ np.log(chance) + 400 * np.log(p) + 800 * np.log(1 - p))

    best = optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-6}).x
    found = prevalence.joint(counts)
    assert found.estimate == pytest.approx(1 / (1 + np.exp(-best[0])), abs=1e-5)
    # The delta method gives what the inverse of the observed information does.
    step = 1e-3 * np.eye(3)
    information = [
        [
            (loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b))
            / 4e-6
            for b in step
        ]
        for a in step
    ]
    spread = np.sqrt(np.linalg.inv(information)[0, 0]) * found.estimate * (1 - found.estimate)
    assert found.standard_error == pytest.approx(spread, rel=1e-3)
    assert found.lower < found.estimate < found.upper


def test_ppi_is_its_definition(rng):
    gold, near, far = rng.random(40), rng.random(40), rng.random(300)
    plain = prediction_powered_mean(gold, near, far, weight=1)
    assert plain.estimate == pytest.approx(far.mean() + (gold - near).mean())
    variance = far.var(ddof=1) / 300 + (gold - near).var(ddof=1) / 40
    assert plain.standard_error == pytest.approx(np.sqrt(variance))
    tuned = prediction_powered_mean(gold, near, far)
    errors = [
        prediction_powered_mean(gold, near, far, weight=w).standard_error
        for w in np.linspace(0, 1, 101)
    ]
    # The weight is that of least variance, but for which variance of f is taken.
    assert tuned.standard_error <= min(errors) * 1.01
    assert prediction_powered_mean(gold, near, []).estimate == pytest.approx(gold.mean())
    assert prediction_powered_mean(gold, np.ones(40), np.ones(9)).weight == 0
    for arguments, message in (
        (([1], [1], [1]), "1 gold values"),
        (([1, 2], [1], [1]), "2 gold values and 1 predictions"),
        (([1, np.nan], [1, 1], [1]), "not finite"),
    ):
        with pytest.raises(AnnotationError, match=message):
            prediction_powered_mean(*arguments)


def test_a_rare_category_is_said_to_have_too_narrow_an_interval():
    gold = np.repeat([1, 0], [9, 91])
    found = prediction_powered_mean(gold, gold, np.zeros(50))
    assert found.n_differing == 9
    with pytest.warns(IntervalWarning, match=r"9 of 100 gold values differ .*too narrow.*joint"):
        found.interval()
    # With ten nothing is warned of, nor of numbers that are mostly different.
    for enough in (np.repeat([1, 0], [10, 90]), np.arange(30)):
        prediction_powered_mean(enough, enough, np.zeros(50)).interval()


def test_every_table_of_prevalences_says_that_the_category_is_rare():
    rare = JudgedCounts(5, 1, 2, 92, 50, 900)
    with pytest.warns(IntervalWarning, match=r"\(6 of 100\) are of this category.*joint model"):
        judges.estimate_prevalence(rare)
    assert "of other categories" in prevalence.rarity_caution(JudgedCounts(92, 2, 1, 5, 900, 50))
    for enough in (JudgedCounts(9, 1, 5, 85, 50, 900), JudgedCounts(0, 0, 0, 0, 5, 5)):
        assert prevalence.rarity_caution(enough) == ""


def test_what_a_caution_recommends_for_a_rare_category_covers(rng):
    # Of 30 gold items .6 are expected to be of the category, of 100 five.
    cells = [Cell(0.02, 0.9, 0.95, 30, 1_000), Cell(0.05, 0.9, 0.95, 100, 1_000)]
    table = measure_prevalence_coverage(cells, repetitions=1_000, rng=rng)
    coverage = table.pivot_table(index="method", columns="n_gold", values="coverage")
    # Four standard errors below .95.
    assert (coverage.loc[["joint", "gold"]] > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 1_000)).all(
        axis=None
    )
    assert (coverage.loc["ppi_plus"] < 0.92).all()


def test_the_interval_of_the_joint_model_is_that_of_a_rate_in_strata():
    # Judged positive 5 of 20, of which 3 of 4 gold items are; judged negative, 1 of 6.
    counts = JudgedCounts(3, 1, 1, 5, 1, 9)
    found = prevalence.joint(counts)
    parts = [(0.25, 3, 4), (0.75, 1, 6)]
    assert found.estimate == pytest.approx(sum(p * k / n for p, k, n in parts))
    spread = (3 / 4 - 1 / 6) ** 2 * 0.25 * 0.75 / 20 * 1.959964**2
    limits = [proportion_interval(k, n) for _, k, n in parts]
    above = sum((p * (x.upper - x.estimate)) ** 2 for (p, *_), x in zip(parts, limits, strict=True))
    assert found.upper == pytest.approx(found.estimate + np.sqrt(above + spread), rel=1e-6)


def test_counts_are_of_items_that_the_judge_labelled():
    counts = JudgedCounts.of([1, 1, 0, 0, 1, 0, -1], [1, 0, 0, 1, -1, -1, 1], 1)
    assert counts == JudgedCounts(1, 1, 1, 1, 1, 1)
    assert (counts.gold, counts.others, counts.positives, counts.negatives) == (4, 2, 2, 2)
    with pytest.raises(AnnotationError, match="negative"):
        JudgedCounts(-1, 0, 0, 0, 0, 0)


def test_a_judge_that_may_know_nothing_is_said():
    with pytest.warns(DegenerateWarning, match=r"is 0\.01 .* may be independent of"):
        table = judges.estimate_prevalence(JudgedCounts(11, 54, 33, 178, 100, 500))
    assert table["method"].tolist() == list(prevalence.METHODS)
    assert "all positive or all negative" in prevalence.caution_of(JudgedCounts(3, 1, 0, 0, 5, 5))
    assert prevalence.caution_of(JudgedCounts(45, 5, 5, 45, 5, 5)) == ""


def test_estimates_that_nothing_supports_are_nan_and_others_stay_within_0_and_1():
    none = JudgedCounts(0, 0, 0, 0, 5, 5)
    for method in ("gold", "rogan_gladen", "ppi", "ppi_plus", "joint"):
        assert np.isnan(prevalence.METHODS[method](none, 0.95).estimate), method
    for counts in (
        JudgedCounts(0, 3, 9, 0, 2, 9),
        JudgedCounts(4, 0, 0, 9, 0, 30),
        JudgedCounts(5, 5, 5, 5, 10, 10),
        JudgedCounts(0, 0, 0, 10, 3, 7),
    ):
        for name, method in prevalence.METHODS.items():
            found = method(counts, 0.9)
            if np.isnan(found.estimate):
                assert name == "rogan_gladen"
                continue
            assert 0 <= found.lower <= found.upper <= 1, (name, counts)
            assert 0 <= found.estimate <= 1, (name, counts)


# ------------------------------------------------------------------------------------ consistency


def test_repeats_by_hand():
    labels = Annotations.from_arrays(
        [*"xxxyyzx"], ["llm"] * 6 + ["ann"], ["1", "1", "0", "0", "0", "1", "1"]
    )
    found = consistency.repeat_consistency(labels)
    assert found["annotator"].tolist() == ["llm"]
    row = found.iloc[0]
    # x: one of three pairs is equal, y: the one there is; shares 2/5 and 3/5.
    assert (row["n_items"], row["n_labels"], row["unanimous"]) == (2, 5, 0.5)
    assert row["agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert row["expected_agreement"] == pytest.approx(0.4**2 + 0.6**2)
    assert consistency.repeat_consistency(labels.first_labels()).empty


def test_a_judge_that_always_picks_the_first_answer():
    items = np.repeat(np.arange(20), 2)
    first = np.tile(["A", "B"], 20)
    found = consistency.position_bias(items, first, first)
    assert (found.picks_first, found.n_both, found.consistent) == (1, 20, 0)
    assert found.first_if_inconsistent == 1
    assert found.p_value == pytest.approx(2 * 0.5**40)
    fair = consistency.position_bias(items, first, np.repeat(["A"], 40))
    assert (fair.picks_first, fair.consistent, fair.p_value) == (0.5, 1, 1)
    assert np.isnan(fair.first_if_inconsistent)
    with pytest.raises(AnnotationError, match="at least one comparison"):
        consistency.position_bias([], [], [])


# ------------------------------------------------------------------------------------ worth, plan


def test_a_judge_is_worth_what_it_tells():
    human = np.array([[0.8, 0.2], [0.2, 0.8]])
    pool = np.stack([human, human])
    nothing = worth.worth([0.5, 0.5], pool, [[0.7, 0.3], [0.7, 0.3]], rng=1)
    assert nothing.bits == pytest.approx(0, abs=1e-12)
    assert nothing.human_labels == pytest.approx(0, abs=1e-9)
    assert worth.worth([0.5, 0.5], pool, human, rng=1).human_labels == pytest.approx(1)
    # Always wrong tells as much as always right.
    assert worth.worth([0.5, 0.5], pool, [[0, 1], [1, 0]], rng=1).bits == pytest.approx(1)
    # Nor is a blind judge worth ten labels of blind humans.
    blind = np.full((2, 2, 2), 0.5)
    assert worth.worth([0.5, 0.5], blind, [[0, 1], [0, 1]], rng=1).human_labels == 0
    half = worth.worth([0.5, 0.5], pool, [[0.7, 0.3], [0.3, 0.7]], rng=1)
    assert half.human_labels == pytest.approx(half.bits / half.human_bits)
    with pytest.raises(AnnotationError, match="no human has a confusion matrix"):
        worth.worth([0.5, 0.5], [[[np.nan] * 2] * 2], human)


def test_more_items_make_a_good_judge_pass_more_often_and_a_blind_one_less():
    human = np.array([[0.85, 0.15], [0.15, 0.85]])
    sizes = {"n_items": [30, 200], "n_humans": [4], "replicates": 150, "rng": 1}
    good = planning.plan_test([0.5, 0.5], [human], human, epsilon=0.15, **sizes)
    assert good["passes"].iloc[1] > good["passes"].iloc[0]
    assert good["n_labels"].tolist() == [120, 800]
    blind = planning.plan_test([0.5, 0.5], [human], [[1, 0], [1, 0]], epsilon=0.15, **sizes)
    assert blind["passes"].tolist() == [0, 0]
    with pytest.raises(AnnotationError, match="two items"):
        planning.plan_test([0.5, 0.5], [human], human, n_items=[1])


def test_a_planned_study_is_the_test_itself(monkeypatch):
    # The same labels, given to the test of the library, win as often.
    drawn = []
    original = planning._draw

    def remember(chance, rng):
        drawn.append(original(chance, rng))
        return drawn[-1]

    monkeypatch.setattr(planning, "_draw", remember)
    human = np.array([[0.8, 0.2], [0.3, 0.7]])
    for seed in range(5):
        drawn.clear()
        found = planning.plan_test(
            [0.4, 0.6], [human], human, n_items=[80], n_humans=[3], replicates=1, rng=seed
        )
        wide = pd.DataFrame(drawn[0].T.astype(str), columns=list("abc"))
        labels = Annotations.from_wide(wide)
        test = alternative_annotator_test(labels, drawn[1], epsilon=0.1)
        assert found["winning_rate"][0] == test.winning_rate
