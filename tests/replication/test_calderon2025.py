"""The alternative annotator test on ten sets: every printed value, and what lies beside it."""

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.judges.baselines import constant_judge
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published, read_standing


@pytest.fixture(scope="module")
def found(paper, analysis, mirror):
    settings = paper.study().printed("settings", dtype={"name": "str"})
    data = {
        f"alt_{name}": datasets.load(f"alt_{name}", mode="real", mirror=mirror, network=False)
        for name in settings["name"]
    }
    return {(case.name, case.score): case for case in analysis.values.cases(data, settings)}


def test_every_printed_value_is_reproduced(paper, analysis, found):
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
    values = {}
    for case in found.values():
        if case.name != analysis.values.FREE_TEXT:
            values |= analysis.values.printed_values(case)
    assert set(values) == set(published.index)
    for target, value in values.items():
        assert agrees(published[target], "eq", value, value), target


def test_counting_ties_otherwise_misses_the_printed_values(paper, found):
    # On which share of the items is the judge better, not just as good?
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
    for model, test in found["mtbench", "accuracy"].tests.items():
        better = 1 - float((test.advantage + test.difference).mean())
        printed = published[f"mtbench.{model.replace('-', '_')}.advantage_probability"]
        assert not agrees(printed, "eq", better, better), model


def test_a_judge_that_never_looks_passes_on_one_set_and_beats_every_model_on_another(found):
    prompts = found["10k_prompts", "rmse"]
    blind = prompts.test(constant_judge(prompts.panel.humans))
    assert blind.passes
    assert blind.winning_rate > prompts.tests["gpt-4o"].winning_rate
    summaries = found["summeval", "rmse"]
    blind = summaries.test(constant_judge(summaries.panel.humans))
    best = max(test.advantage_probability for test in summaries.tests.values())
    assert blind.advantage_probability > best


def test_texts_decide_whether_one_model_passes(found):
    case = found["lgbteen", "accuracy"]
    assert case.tests["gpt-4o-mini"].passes
    assert not case.by_text["gpt-4o-mini"].passes


def test_words_in_common_by_hand(analysis):
    similar = analysis.values.words_in_common(("a red bird", "The bird", "boat", "a"))
    pairs = np.array([[0, 1], [0, 0], [1, 2], [3, 3]]).T
    assert similar(*pairs).tolist() == [0.5, 1, 0, 0]


def test_the_tables_hold_what_was_tested(analysis, found):
    values, case = analysis.values, found["mtbench", "accuracy"]
    humans = values.humans_table([case])
    assert len(humans) == 18
    assert (humans["adjusted_p_value"] >= humans["p_value"]).all()
    left = values.left_out_table([case])
    assert left.groupby("model").size().tolist() == [3] * 6
    epsilons = values.epsilons_table([case]).pivot(
        index="epsilon", columns="model", values="winning_rate"
    )
    assert epsilons.loc[0.2, "gpt-4o"] == case.tests["gpt-4o"].winning_rate
    assert (epsilons.diff().dropna() >= 0).all().all()
    rng = np.random.default_rng(1)
    judges = values.judges_table([case], rng, "quick").set_index("model")
    passing = judges["passing_epsilon"] <= judges["epsilon"]
    pd.testing.assert_series_equal(passing, judges["passes"], check_names=False)


def test_other_labels_of_the_judge_give_another_winning_rate(paper, found):
    standing = read_standing(paper.folder / "standing.csv")
    assert len(standing)
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
    by_set = {case.name: case for case in found.values() if case.score != "words"}
    for target in standing["target"]:
        name, model, _ = target.split(".")
        case = by_set[name]
        others = [t for m, t in case.tests.items() if m.replace("-", "_") != model]
        others.append(case.test(constant_judge(case.panel.humans)))
        values = [test.winning_rate for test in others]
        assert not all(agrees(published[target], "eq", value, value) for value in values), target
