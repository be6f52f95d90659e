"""The page of debiasLLMReporting: every estimate, from counts that its rates leave possible."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from annobench import datasets
from annobench.judges.prevalence import JudgedCounts
from annobench.pairwise import Comparisons, bradley_terry
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published, read_remarks


@pytest.fixture(scope="module")
def arenas(analysis, mirror):
    return {
        name: analysis.values.Arena.of(
            name, datasets.load(f"arena_{name}", mode="real", mirror=mirror, network=False)
        )
        for name in ("gemini_pro", "gemini_flash", "qwen")
    }


@pytest.fixture(scope="module")
def numbers(paper):
    return paper.study().numbers("vignette").to_dict()


def test_every_printed_value_is_reproduced(paper, analysis, arenas, numbers):
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
    counts = analysis.values.split_of(numbers)
    values = analysis.values.shares(arenas["gemini_pro"])
    values |= analysis.values.page_values(analysis.values.page_estimates(counts, 0.9))
    assert set(values) == set(published.index)
    for target, value in values.items():
        assert agrees(published[target], "eq", value, value), target


def ranking(arenas, of, **options):
    rows = [
        (arena.categories[first], arena.categories[1 - first], arena.categories[won])
        for arena in arenas
        for first, won in zip(arena.judged.first, getattr(arena.judged, of), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["left", "right", "winner"])
    return bradley_terry(Comparisons.from_frame(table), **options)


def test_the_strengths_of_two_models_give_the_printed_share(paper, arenas):
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
    for of, target in (("gold", "human.share"), ("judge", "judge.share")):
        arena = arenas["gemini_pro"]
        found = ranking([arena], of)
        strength = found.table.set_index("item")["strength"]
        claude, other = arena.categories
        # In either order as often as it was shown: the fit keeps the number of wins.
        order = np.where(arena.judged.first == 0, 1, -1) * logit(found.first.estimate)
        share = expit(strength[claude] - strength[other] + order).mean()
        assert agrees(published[target], "eq", share), target


def test_people_and_judge_rank_the_models_as_the_guide_says(arenas):
    people, judge = (ranking(arenas.values(), of) for of in ("gold", "judge"))
    for found in (people, judge):
        assert found.table["item"].iloc[[0, -1]].tolist() == [
            "gemini-2.5-pro",
            "claude-opus-4-20250514",
        ]
        assert found.table["rank_best"].iloc[-1] == 4
    assert people.table["rank_worst"].iloc[0] == 1
    assert judge.table["rank_worst"].iloc[0] == 3
    assert judge.biased
    assert judge.first.lower > 0.5
    assert not people.biased


def test_the_printed_rates_leave_one_split_possible(analysis, numbers):
    possible = set()
    for m1 in range(1, 28):
        for hits in range(m1 + 1):
            for right in range(28 - m1 + 1):
                rates = round(hits / m1, 3), round(right / (28 - m1), 3)
                said = hits + 28 - m1 - right
                if rates == (0.25, 0.875) and round((said + 40) / 276, 3) == 0.159:
                    possible.add((hits, m1 - hits, 28 - m1 - right, right))
    counts = analysis.values.split_of(numbers)
    assert possible == {(1, 3, 3, 21)}
    assert counts == JudgedCounts(1, 3, 3, 21, 40, 208)


def test_without_added_counts_the_estimate_is_another(paper, analysis, numbers):
    """Of Rogan and Gladen, by their formula, from the counts of the split."""
    counts = analysis.values.split_of(numbers)
    said, sensitivity, specificity = 40 / 248, 1 / 4, 21 / 24
    own = (said + specificity - 1) / (sensitivity + specificity - 1)
    estimate = analysis.values.page_estimates(counts, 0.9)["rogan_gladen"][0]
    assert abs(own - estimate) > 0.2
    remark = read_remarks(paper.folder / "remarks.csv").set_index("id")
    remark = remark.loc["formula.rogan_gladen_estimate"]
    assert f"{own:.3f}" in remark["should_be"]
    assert f"{own:.3f}" in remark["evidence"]
    assert f"{estimate:.3f}" in remark["printed"]


def test_one_judge_carries_almost_no_information(analysis, arenas):
    table = analysis.values.judges_table(list(arenas.values())).set_index("pair")
    pro = table.loc["gemini_pro"]
    assert pro["bits"] < 0.001
    assert pro["youden_lower"] < 0 < pro["youden_upper"]
    assert pro["accuracy"] < pro["accuracy_of_always_the_rival"]
    # It prefers the answer shown first, which people do not.
    assert pro["picks_first_p_value"] < 0.01
    assert abs(pro["human_picks_first"] - 0.5) < 0.01
    assert table.loc["gemini_flash", "caution"] == ""


def test_the_comparison_without_a_pick_has_no_label(arenas):
    arena = arenas["gemini_pro"]
    assert arena.gold.size == 277
    assert arena.judged.gold.size == 276


def test_coverage_is_measured_for_pairs_and_by_what_a_judge_knows(analysis, arenas):
    values = analysis.values
    table = values.coverage_table(list(arenas.values()), np.random.default_rng(1), "quick")
    cells = len(values.PREVALENCES) * len(values.SIZES) * len(values.YOUDEN) + 3
    assert len(table) == 6 * cells
    useless = table[(table["youden"] == 0) & (table["method"] == "judged")]
    # What a judge says that knows nothing is one half, whatever the prevalence.
    assert useless["coverage"].tolist() == [0] * len(useless)
