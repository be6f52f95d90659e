"""Bhowmick, Mitra and Basu (2008): arithmetic, ranges, the stand-in, and the headlines."""

import dataclasses
import itertools

import numpy as np
import pytest

from annobench import datasets
from annobench.agreement.coefficients.paired_agreement import from_membership, paired_agreement
from annobench_replication.verdicts import check


@pytest.fixture(scope="module")
def printed(analysis, paper):
    return analysis.values.Printed.of(paper.study())


@pytest.fixture(scope="module")
def corpora(analysis):
    return analysis.constraints.Corpora()


@pytest.fixture(scope="module")
def comparison(paper, results):
    return paper.compared(results).set_index("target", drop=False)


def test_every_printed_result_is_computed_and_every_deviation_explained(comparison):
    assert not (comparison["verdict"] == "missing").any()
    assert check(comparison) == []


def test_what_only_the_sentences_determine_is_taken_as_printed(comparison):
    # Whatever the other tables allow for it: a basis that hangs on the outcome proves nothing.
    confined = comparison["target"].str.match(r"table3\.le|table2\..*\.observed_agreement")
    assert confined.sum() == 7
    assert set(comparison.loc[confined, "verdict"]) == {"given"}
    assert comparison.loc["table2.1_2.am", "verdict"] == "reproduced"
    assert comparison.loc["table1.observed_agreement", "verdict"] == "deviates"
    assert comparison.loc["conclusion.am", "erratum"] == "table1_and_pairs"


def test_figures_of_the_simulated_corpus_say_so_in_the_drawing(results):
    assert b"simulated corpus" in (results / "figures" / "figure2.svg").read_bytes()
    for name in ("consistency", "chance"):
        assert b"imulated" not in (results / "figures" / f"{name}.svg").read_bytes(), name


def test_the_conclusion_prints_the_mean_of_table_2(printed, analysis):
    assert round(printed.table2["am"].astype(float).mean(), 2) == 0.72
    _, low, high = analysis.values.am_of(printed.table1)
    assert (round(low, 4), round(high, 4)) == (0.7368, 0.7395)


def test_a_range_of_rounding_holds_every_pair_that_rounds_to_the_printed(analysis, printed):
    _, low, high = analysis.values.am_of(printed.table2.loc["1-2"])
    grid = np.linspace(-0.0005, 0.0005, 11)
    values = [analysis.values.am(0.858 + o, 0.526 + e) for o, e in itertools.product(grid, grid)]
    assert min(values) == pytest.approx(low)
    assert max(values) == pytest.approx(high)


def test_another_count_of_a_pair_refutes_what_is_said_of_figure_2(analysis, printed):
    def found(counts):
        return analysis.values.from_counts(dataclasses.replace(printed, table5=counts))

    targets = ["figure2.n_top_pairs", "section52.anger_disgust_lead"]
    as_printed = found(printed.table5)
    assert [as_printed[target] for target in targets] == [3, 11]
    # Happiness and sadness, the 13th pair, as the second most ambiguous, and as the first.
    for count, expected in ((30, [2, 9]), (45, [2, -6])):
        counts = printed.table5.copy()
        counts[12] = count
        changed = found(counts)
        assert [changed[target] for target in targets] == expected


def test_every_range_that_rests_on_table_4_says_what_it_assumes(analysis, printed, corpora):
    checks = analysis.constraints.consistency(printed, corpora)
    of_table4 = (checks["value"] + checks["checked_by"]).str.contains("Table 4|Tables 4")
    assert of_table4.sum() == 12
    assert (checks["assumes"] == analysis.constraints.READING).equals(of_table4)


def test_the_bounds_are_those_worked_out_by_hand(printed, corpora):
    classes, disagreements = {"table3": printed.table3}, {"table4": printed.table4}
    low, _ = corpora.bounds(corpora.pair_agreement[:, 0], **disagreements)
    assert low / 1000 == pytest.approx(1 - 5 * 419 / 15000)
    low, _ = corpora.bounds(corpora.agreement, **disagreements)
    assert low / 1000 == pytest.approx(1 - 5 * 1104 / 45000)
    low, _ = corpora.bounds(corpora.agreement, **disagreements, table5=printed.table5)
    assert low / 1000 == pytest.approx(1 - (5 * 1104 - 251) / 45000)
    _, high = corpora.bounds(corpora.agreement, **classes)
    assert high / 1000 == pytest.approx((14 * 0.2 + 73 * 0.4 + 198 * 0.6 + 715) / 1000)
    low, _ = corpora.bounds(corpora.dissents, **classes)
    assert low == pytest.approx(14 * 5 + 73 * 3 + 198 * 2)
    low, _ = corpora.bounds(corpora.classes[:, 3].astype(float), **disagreements)
    assert low == pytest.approx(1000 - 552 / 2)


def test_tables_3_and_4_have_no_common_corpus(printed, corpora):
    limits = {"table3": printed.table3, "table4": printed.table4}
    assert np.isnan(corpora.bounds(corpora.agreement, **limits)).all()


def test_the_bounds_hold_for_any_corpus(analysis, corpora, rng):
    corpus = (rng.random((1000, 1, 6)) < 0.2) ^ (rng.random((1000, 3, 6)) < 0.05)
    counts = analysis.tables.table4(corpus, "123").iloc[:-1, 1:].to_numpy(dtype=int)
    result = analysis.values.measured(corpus)
    classes = np.bincount(analysis.values.classes_of(result.item_agreement), minlength=4)
    for limits in (
        {"table4": counts, "table5": analysis.values.confusions(corpus)},
        {"table3": classes, "table4": counts},
    ):
        low, high = corpora.bounds(corpora.agreement, **limits)
        assert low - 1e-6 <= 1000 * result.observed_agreement <= high + 1e-6
    assert (counts.sum(axis=0) % 2 == 0).all(), "one dissent makes two pairs disagree"


def test_the_profiles_have_the_agreement_of_the_measure(analysis, corpora, rng):
    chosen = rng.choice(len(corpora.dissenter), 200)
    truth = rng.random((200, 1, 6)) < 0.3
    dissent = corpora.dissenter[chosen][:, None, :] == np.arange(1, 4)[:, None]
    item = analysis.values.measured(truth ^ dissent).item_agreement
    np.testing.assert_allclose(item, corpora.agreement[chosen])
    # The twenty values, in 45ths, by counting dissents of each annotator by hand.
    assert analysis.constraints.attainable_agreements(corpora)["forty_fifths"].tolist() == [
        *(3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 21, 26, 27, 35, 45)
    ]


def test_dissents_solve_table_4(analysis, printed):
    dissents = analysis.simulate.dissents_of(printed.table4)
    found = np.array([dissents[u] + dissents[v] for u, v in analysis.values.PAIRS])
    odd = printed.table4.sum(axis=0) % 2
    np.testing.assert_array_equal(found[[0, 2]], printed.table4[[0, 2]])
    np.testing.assert_array_equal(found[1], printed.table4[1] - odd)


def test_the_stand_in_meets_what_it_is_calibrated_to(analysis, printed):
    runs = [analysis.simulate.corpus(np.random.default_rng(seed), printed) for seed in range(5)]
    odd = printed.table4.sum(axis=0) % 2
    for corpus in runs:
        counts = analysis.tables.table4(corpus, "123").iloc[:-1, 1:].to_numpy(dtype=int)
        np.testing.assert_array_equal(counts[[0, 2]], printed.table4[[0, 2]])
        np.testing.assert_array_equal(counts[1], printed.table4[1] - odd)
        # A swap makes two confusions, so an odd count is met to one.
        assert (abs(analysis.values.confusions(corpus) - printed.table5) <= 1).all()
    expected = [analysis.values.measured(corpus).expected_agreement for corpus in runs]
    assert np.mean(expected) == pytest.approx(
        printed.table2["expected_agreement"].astype(float).mean(), abs=1e-3
    )


def test_numbers_of_the_text_are_read_and_not_typed(analysis, printed, corpora):
    text = printed.text.replace({0.72: 0.5, 78.6: 75.0})
    altered = dataclasses.replace(printed, text=text)
    checks = analysis.constraints.consistency(altered, corpora).set_index("value")
    assert (checks.loc["Conclusion, A_m", "printed"] == 0.5).all()
    # No two annotators depart on one category of one sentence, so the majority is as drawn.
    gold = analysis.values.gold_standard(
        analysis.simulate.corpus(np.random.default_rng(1), altered)
    ).gold
    assert (gold.sum(axis=1) == 1).sum() == 750


def test_shares_of_sets_give_the_expected_agreement_wanted(analysis):
    two = analysis.simulate.share_of_two(0.786, 0.532)
    # All annotators alike, categories equally common: one of 6 singles, one of 15 doubles, none.
    sets = [
        *np.eye(6, dtype=bool),
        *[np.isin(np.arange(6), pair) for pair in analysis.values.CATEGORY_PAIRS],
    ]
    weights = [*[0.786 / 6] * 6, *[two / 15] * 15]
    count = np.round(np.array(weights) * 9_000).astype(int)
    none = np.zeros((9_000 - count.sum(), 6), dtype=bool)
    corpus = np.concatenate([np.repeat(np.array(sets), count, axis=0), none])
    result = paired_agreement(from_membership(np.repeat(corpus[:, None], 2, axis=1)))
    assert result.expected_agreement == pytest.approx(0.532, abs=3e-4)


def test_confusions_and_disagreements_by_hand(analysis):
    # anger, disgust, none; anger and disgust against disgust is no confusion
    corpus = np.zeros((2, 3, 6), dtype=bool)
    corpus[0, 0, 0] = corpus[0, 1, 1] = True
    corpus[1, 0, [0, 1]] = corpus[1, 1, 1] = True
    assert analysis.values.confusions(corpus).tolist() == [1] + [0] * 14
    assert analysis.tables.table4(corpus, "123")["anger"].tolist() == [2, 2, 0, 4]
    assert analysis.tables.table4(corpus, "123")["disgust"].tolist() == [1, 1, 2, 4]


def test_the_headlines_become_sets_at_the_threshold(analysis, paper):
    data = [datasets.load(id, mode="simulated", seed=3) for id in paper.record.datasets]
    corpus, names = analysis.tables.headline_sets(data, 50)
    assert names == ["F1", "F2", "F3", "M1", "M2", "M3"]
    label = data[3].labels.set_index(["annotator", "item"])["label"]["F3"]
    np.testing.assert_array_equal(corpus[:, 2, 3], label.loc[data[0].items["item"]] >= 50)


def test_real_headlines_have_the_agreement_of_the_papers_equations(analysis, paper, mirror):
    data = [datasets.load(id, mode="real", mirror=mirror) for id in paper.record.datasets]
    corpus, names = analysis.tables.headline_sets(data, analysis.THRESHOLD)
    assert {each.provenance for each in data} == {"real"}
    assert corpus.shape == (1000, 6, 6)
    # Eqs. 2 to 8, term by term: [0 1] and [1 0] are one combination of the chance agreement.
    observed, expected = [], []
    for a, b in itertools.combinations(range(6), 2):
        pattern = 2 * corpus[:, :, a] + corpus[:, :, b]
        ones = corpus[:, :, a].astype(int) + corpus[:, :, b]
        for u, v in itertools.combinations(range(6), 2):
            observed.append(np.mean(pattern[:, u] == pattern[:, v]))
            expected.append(
                sum(np.mean(ones[:, u] == g) * np.mean(ones[:, v] == g) for g in (0, 1, 2))
            )
    found = analysis.tables.set_coefficients(corpus, names)["A_m (paper)"]
    assert found.observed_agreement == pytest.approx(np.mean(observed), rel=1e-12)
    assert found.expected_agreement == pytest.approx(np.mean(expected), rel=1e-12)
    wanted = analysis.values.am(np.mean(observed), np.mean(expected))
    assert found.estimate == pytest.approx(wanted, rel=1e-10)


def test_independent_annotators_get_what_the_measure_gives(analysis, rng):
    corpus = rng.random((50_000, 2, 6)) < 0.3
    row = analysis.tables.independent_am(np.array([0.3])).iloc[0]
    pooled, separate = (analysis.values.measured(corpus, n) for n in (3, 4))
    assert abs(pooled.estimate - row["am"]) < 5 * pooled.standard_error
    assert abs(separate.estimate - row["am_four"]) < 5 * separate.standard_error


def test_a_table_that_lacks_a_category_is_refused(analysis, paper):
    table4 = paper.study().printed("table4").drop(columns="fear").to_csv(index=False)
    with pytest.raises(KeyError, match="fear"):
        analysis.values.Printed.of(paper.study(tables={"table4": table4}))
