"""Gold that was drawn at random or chosen: what is said, weighted and refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from annobench import Annotations, consensus
from annobench.core.errors import AnnotationError
from annobench.evaluation import gold_sample
from annobench.evaluation.gold_sample import compare_gold
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.stratified import stratified_share

#: Labels of an item, by what it is, and the vote.
UNANIMOUS, RIGHT, WRONG = ["1", "1", "1"], ["1", "1", "0"], ["0", "1", "0"]


def adjudicated(unanimous_with_gold: int = 12) -> tuple[Annotations, dict[str, str]]:
    """Return 180 items of category 1, of which the 67 disputed ones and a few others have gold.

    The votes are wrong on 10 disputed items.
    """
    rows = [RIGHT] * 57 + [WRONG] * 10 + [UNANIMOUS] * 113
    labels = Annotations.from_wide(rows)
    return labels, dict.fromkeys(labels.items[: 67 + unanimous_with_gold], "1")


def random_table(rng, n_items=400, n_gold=60):
    """Return labels of three annotators, and gold of a random sample."""
    category = rng.integers(3, size=n_items)
    is_right = rng.random((3, n_items)) < np.where(rng.random(n_items) < 0.7, 0.95, 0.5)
    rows = np.where(is_right, category, (category + rng.integers(1, 3, (3, n_items))) % 3)
    known = np.zeros(n_items, dtype=bool)
    known[rng.choice(n_items, n_gold, replace=False)] = True
    return Annotations.from_wide(rows.T.tolist()), category, known


def test_adjudicated_items_give_the_accuracy_of_all_items():
    labels, gold = adjudicated()
    naive = proportion_interval(69, 79)
    assert (round(naive.estimate, 3), round(naive.lower, 3), round(naive.upper, 3)) == (
        *(0.873, 0.782),
        0.930,
    )
    found = consensus(labels, model="voting", gold=gold, rng=1)
    # 67 items, all of them with gold, and 113, of which 12 have gold and are right.
    assert found.gold.accuracy.estimate == pytest.approx((57 + 113) / 180)
    assert found.gold.accuracy.lower < 170 / 180 <= found.gold.accuracy.upper
    assert found.gold.sample.by == ("the agreement of labels",)
    assert "post-stratified by the agreement of labels" in found.remarks[0]
    assert "share of agreeing pairs 0.43 with gold and 1.00 without" in found.remarks[0]
    # Certain items stay certain: calibrated on the disputed ones they got .92.
    items = found.items
    unanimous = items["category"].eq("1") & ~items["item"].isin(list(gold))
    assert items.loc[unanimous, "calibrated"].min() > 0.95


def test_gold_of_disputed_items_alone_calibrates_nothing():
    labels, gold = adjudicated(0)
    found = consensus(labels, model="voting", gold=gold, rng=1, sets=0.9)
    assert found.gold.calibration is None
    assert found.sets is None
    assert "calibrated" not in found.items
    assert "category_set" not in found.items
    assert "of the 67 items that gold represents" in found.gold._headline()
    assert "all labels agreeing: 0 of 113 items with gold" in found.remarks[0]
    to_label = found.tables()["to_label"]
    # As many as a random sample of 67 items would have, rounded up.
    assert len(to_label) == np.ceil(67 * 113 / 180) == 43
    assert not set(to_label["item"]) & set(gold)
    assert to_label["item"].is_unique
    assert set(to_label["labels"]) == {"all labels agreeing"}
    mended = gold | dict.fromkeys(to_label["item"], "1")
    assert consensus(labels, model="voting", gold=mended, rng=1).gold.calibration is not None


def test_a_random_sample_is_left_as_it_is():
    labels, category, known = random_table(np.random.default_rng(4))
    sample = compare_gold(labels, known, rng=1)
    assert not sample.differs
    assert sample.remarks == ()
    assert sample.tables() == {}
    assert sample.weight.tolist() == known.astype(float).tolist()
    right = labels.counts.argmax(axis=1) == category
    assert sample.share(right) == proportion_interval(int(right[known].sum()), int(known.sum()))
    generator = np.random.default_rng(1)
    before = generator.bit_generator.state
    compare_gold(labels, known, rng=generator)
    assert generator.bit_generator.state == before


def test_false_alarms_are_at_the_level():
    alarms = 0
    for seed in range(400):
        labels, _, known = random_table(np.random.default_rng(seed), n_items=150, n_gold=30)
        alarms += compare_gold(labels, known, rng=seed).differs
    assert alarms <= stats.binom.ppf(0.999, 400, gold_sample.LEVEL)
    assert alarms >= stats.binom.ppf(0.001, 400, gold_sample.LEVEL)


def test_gold_by_category_is_stratified_by_category():
    labels, _, _ = random_table(np.random.default_rng(2), n_items=900)
    votes = labels.counts.argmax(axis=1)
    known = np.zeros(900, dtype=bool)
    for k, n in enumerate((80, 30, 30)):
        known[np.flatnonzero(votes == k)[:n]] = True
    sample = compare_gold(labels, known, rng=1)
    assert sample.differs
    assert sample.represents
    assert sample.by == ("the category of the majority",)
    weight = sample.weight
    for h in range(len(sample.strata)):
        inside = sample.stratum == h
        assert weight[inside].sum() == pytest.approx(inside.sum())


def test_what_a_command_knows_further_is_compared():
    labels, _, known = random_table(np.random.default_rng(5))
    judge = np.where(known, 0, np.arange(400) % 3)
    sample = compare_gold(labels, known, more={"the label of the judge": judge}, rng=1)
    assert sample.by == ("the label of the judge",)
    assert not sample.represents


def test_numbers_of_labels_differ():
    labels = Annotations.from_counts([[3, 0]] * 60 + [[5, 0]] * 60)
    known = np.arange(120) % 60 < np.where(np.arange(120) < 60, 12, 40)
    sample = compare_gold(labels, known, rng=1)
    assert sample.by == ("the number of labels",)
    assert sample.strata["labels"].tolist() == ["3 labels", "5 labels"]
    right = np.arange(120) >= 60
    assert sample.share(right) == stratified_share(
        [0, 40], [12, 40], [60, 60], construction="jeffreys", unlimited=True
    )


def test_a_share_among_some_items_is_weighted():
    labels, gold = adjudicated()
    known = np.array([name in gold for name in labels.items])
    sample = compare_gold(labels, known, rng=1)
    among = np.arange(180) < 79
    hits = np.arange(180) >= 67
    # 67 disputed items count once, 12 unanimous ones for 113 / 12 each.
    assert sample.part(hits, among).estimate == pytest.approx(113 / 180)
    n = 180**2 / (67 + 113**2 / 12)
    assert sample.n_effective == pytest.approx(n)
    assert sample.effective_weight.sum() == pytest.approx(n)


def test_unanimous_items_are_never_merged_with_others():
    votes = [[5, 0]] * 97 + [[4, 1]] * 2 + [[3, 2]]
    sample = compare_gold(Annotations.from_counts(votes), np.arange(100) >= 97, rng=1)
    assert sample.strata["labels"].tolist() == [
        "3 or 4 of 5 labels agreeing",
        "all labels agreeing",
    ]


def test_predictions_are_not_used_if_gold_does_not_represent_all_items():
    rng = np.random.default_rng(3)
    labels, category, _ = random_table(rng, n_items=120)
    disputed = labels.counts.max(axis=1) < 3
    gold = {labels.items[i]: str(category[i]) for i in np.flatnonzero(disputed)}
    predictions = np.full((120, 3), 0.1)
    predictions[np.arange(120), category] = 0.8
    found = consensus(labels, model="pool", gold=gold, predictions=predictions, rng=1, replicates=0)
    assert found.fitted.member_weights[-1] == 0
    assert found.predictions is None
    assert any("predictions are not used" in text for text in found.remarks)


def test_shapes_and_empty_gold_are_errors():
    labels, _ = adjudicated()
    with pytest.raises(AnnotationError, match="one value for each of the 180 items"):
        compare_gold(labels, [True])
    with pytest.raises(AnnotationError, match="no item has labels and gold"):
        compare_gold(labels, np.zeros(180, dtype=bool))
