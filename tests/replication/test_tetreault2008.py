"""Tetreault and Chodorow (2008): what the printed tables determine, and what they contradict."""

import numpy as np
import pandas as pd
import pytest

from annobench.core.errors import AnnotationError
from annobench.evaluation import sampling
from annobench.reporting.printed import agrees
from annobench_replication.statistics import kappas
from annobench_replication.verdicts import check

MATRIX = np.array([[17, 0, 6], [1, 42, 20], [4, 33, 1213]])


@pytest.fixture(scope="module")
def study(paper):
    return paper.study()


@pytest.fixture(scope="module")
def printed(study):
    return study.numbers("printed_values")


@pytest.fixture
def table(study):
    return lambda n: study.printed(f"table{n}")


@pytest.fixture
def texts(study):
    return lambda name: study.printed(name, dtype="str")


@pytest.fixture(scope="module")
def comparison(paper, results):
    return paper.compared(results).set_index("target", drop=False)


def test_every_result_has_a_value_and_every_deviation_an_explanation(comparison):
    assert not (comparison["verdict"] == "missing").any()
    assert check(comparison.reset_index(drop=True)) == []
    unknown = comparison[comparison["verdict"] == "unresolved"]
    assert unknown["target"].tolist() == ["sets.kappa_max"]


def test_what_table_3_and_figure_1_determine_is_reproduced(comparison):
    rates = [f"table5.{name}" for name in ("precision", "recall", "hits.rate", "misses.rate")]
    for target in (*rates, "table3.kappa", "table3.agreement", "figure1.hits_share"):
        assert comparison.loc[target, "verdict"] == "reproduced", target
    assert comparison.loc["table3.kappa", "lower"] < 0.63 < comparison.loc["table3.kappa", "upper"]


def test_an_operand_that_is_printed_again_is_no_second_piece_of_evidence(comparison):
    for target in ("step6.hits_share", "table5.precision.hits", "intervals.hits.p"):
        assert comparison.loc[target, "verdict"] == "restated", target
    # Its own value, computed from counts, is.
    assert comparison.loc["figure1.hits_share", "verdict"] == "reproduced"


def test_one_slip_has_one_entry_among_the_errata(comparison):
    errata = comparison[comparison["erratum"] != ""].groupby("erratum")["target"].agg(list)
    assert errata["intervals.hits"] == ["intervals.hits.lower", "intervals.hits.upper"]
    assert errata["table1_rows"] == ["table1.n_better", "table1.n_shared"]


def test_figures_of_simulations_say_so_and_those_of_printed_tables_do_not(results):
    # Letters are drawn as shapes; matplotlib leaves each text beside them as a comment.
    marks = {
        "sets": b"18 simulated sets",
        "two_annotators": b"Two gold standards (simulated)",
        "application": b"The sampling approach, simulated",
    }
    for name, mark in marks.items():
        assert mark in (results / "figures" / f"{name}.svg").read_bytes(), name
    for name in ("coefficients", "figure1", "intervals", "coverage", "sizes"):
        assert b"imulated" not in (results / "figures" / f"{name}.svg").read_bytes(), name


# ------------------------------------------------------------------- closed forms by hand


def test_kappa_and_disagreement_of_table_3(analysis):
    # Agreement 1272/1336; chance (23 * 22 + 63 * 75 + 1250 * 1239)/1336^2.
    chance = (23 * 22 + 63 * 75 + 1250 * 1239) / 1336**2
    by_hand = (1272 / 1336 - chance) / (1 - chance)
    assert kappas(MATRIX) == pytest.approx(by_hand)
    assert round(by_hand, 3) == 0.630
    assert analysis.judgments.as_errors(MATRIX).tolist() == [[60, 26], [37, 1213]]


def test_table_1_has_eleven_rows_of_which_ten_are_ahead(analysis, table, texts):
    measures = analysis.judgments.f_measures(table(1))
    assert measures.loc[~measures["better"], "preposition"].tolist() == ["about"]
    # A row less, and the counts of the text hold: 9 of 10.
    for rows, counts in ((measures, (10, 11)), (measures[1:], (9, 10))):
        found = analysis.values.native(rows, texts("printed_values").set_index("name")["value"])
        assert (found["table1.n_better"], found["table1.n_shared"]) == counts


def test_two_accuracies_of_one_test_are_compared(analysis, texts):
    words = texts("printed_values").set_index("name")["value"]
    for printed, agreed in (("77.4", False), ("75.3", True)):
        changed = words.where(words.index != "accuracy_percent", printed)
        found = analysis.values.cloze(texts("table2"), changed)["choice.encarta_reuters_accuracy"]
        assert agrees("75", "eq", found.lower, found.upper) is agreed


def test_the_rounding_of_table_2_leaves_the_disagreement_open(analysis, texts):
    words = texts("printed_values").set_index("name")["value"]
    found = analysis.values.cloze(texts("table2"), words)
    # .76 stands for .755 to .765, and 151 of 200 is .755.
    assert found["cloze.annotator_disagreement"] == pytest.approx((24, 23.5, 24.5))
    # 28 of 25: 27.5% of 24.5 to 28.5% of 25.5.
    assert found["choice.licensed_mismatches"] == pytest.approx((7, 6.7375, 7.2675))


def test_the_papers_interval_is_ten_times_the_printed_one(analysis, printed):
    values = analysis.values.sampling_approach(analysis.approach.figure1_sample(printed), printed)
    assert values["intervals.hits.lower"] == pytest.approx(0.8 - 1.96 * (0.16 / 750) ** 0.5, 1e-5)
    assert round(values["intervals.hits.lower"] * 0.10, 3) == 0.077
    assert round(values["intervals.hits.upper"] * 0.10, 3) == 0.083
    assert values["figure1.ok_sampled_share"] == pytest.approx(100 / 6)


def test_a_context_sampled_from_three_quarters_of_a_stratum_is_half_as_uncertain(analysis, printed):
    sample = analysis.approach.figure1_sample(printed)
    exact, paper = (
        sampling.estimate(sample, method=method).precision.standard_error
        for method in ("stratified", "paper")
    )
    # sqrt(1/4), and 749 in place of 750.
    assert exact / paper == pytest.approx(0.5 * (750 / 749) ** 0.5)


# ----------------------------------------------------------------------------- feasibility


@pytest.mark.parametrize(("part", "share"), [(33, 0.26), (30, 0.21), (7, 0.5)])
def test_totals_that_round_to_a_share_are_found_by_trying_all(analysis, part, share):
    tried = [n for n in range(1, 2001) if abs(part / n - share) <= 0.005 + 1e-9]
    assert list(analysis.judgments.totals_that_round_to(part, share, 2000)) == tried


def test_chance_agreement_is_bounded_by_number_and_largest_share(analysis, rng):
    low, high = analysis.judgments.chance_bounds(0.4, 5)
    # Evenly: .16 + 4 * .15^2; as unevenly as allowed: .4, .4, .2.
    assert (low, high) == pytest.approx((0.25, 0.36))
    for shares in rng.dirichlet(np.ones(4), size=2_000) * 0.6:
        if shares.max() <= 0.4:
            assert low - 1e-12 <= 0.16 + shares @ shares <= high + 1e-12


def test_sampling_both_parts_at_one_rate_would_contradict_table_6(analysis, table, printed):
    found = analysis.approach.application_feasibility(table(6), printed)
    assert found["least_ratio_of_sampling_rates"].min() > 2.3
    # Equal rates would flag a third; .79/3 hits at recall .14 need more misses than there are.
    assert 0.79 / 3 * 0.86 / 0.14 > 2 / 3


def test_250_flagged_contexts_need_more_errors_than_6_percent(analysis, table, printed):
    found = analysis.approach.application_feasibility(table(6), printed)
    assert found["least_error_percent"].min() > 6
    # Twice as many errors as at the least rate flag twice as many contexts.
    row = found.iloc[0]
    assert row["flagged_at_10_percent"] == pytest.approx(250 * 10 / row["least_error_percent"])


def test_ten_points_are_no_news_at_the_papers_error_rate(analysis, table, printed):
    found = analysis.judgments.differences_feasibility(table(4), printed)
    assert found["rater1_error_percent_lower"].min() > 5
    few = found["rater2_error_percent_upper"] < 8
    assert few.any()
    assert (found.loc[few, "smallest_p"] > 0.05).all()


# ------------------------------------------------------------------ calibrated simulations


def test_the_simulated_cloze_test_has_the_printed_agreement(analysis, table, printed):
    found = analysis.judgments.simulate_cloze(table(2), printed, 2_000, np.random.default_rng(1))
    for row in table(2).itertuples():
        # 400,000 answers: four standard errors of at most .5/sqrt(400,000).
        assert abs(found.loc[row.pair, "agreement"].mean() - row.agreement) < 0.0032


def test_the_shares_of_prepositions_have_the_printed_number_and_largest(analysis):
    shares = analysis.judgments.preposition_shares(0.272, 34)
    assert len(shares) == 34
    assert shares.sum() == pytest.approx(1)
    assert shares.max() == pytest.approx(0.272)


@pytest.mark.parametrize("doubtful", [0.1, 0.5, 1.0])
def test_the_simulated_annotators_score_the_system_as_table_4_on_average(
    analysis, table, printed, doubtful
):
    rng = np.random.default_rng(2)
    runs = analysis.judgments.simulate_two_gold(MATRIX, table(4), printed, doubtful, 20_000, rng)
    precision = runs[["rater1.precision", "rater2.precision"]].mean(axis=1)
    recall = runs[["rater1.recall", "rater2.recall"]].mean(axis=1)
    # Ratios of expected counts are calibrated: within four standard errors, and half a
    # hundredth for what a mean of ratios differs from it.
    for scores, target in ((precision, 0.73), (recall, 0.235)):
        assert abs(scores.mean() - target) < 4 * scores.std() / 20_000**0.5 + 0.005


def test_one_set_of_everything_has_the_kappa_of_table_3(analysis):
    draws = analysis.judgments.simulate_sets(MATRIX, 1800, 1, 3, np.random.default_rng(4))
    assert len(analysis.judgments.simulate_sets(MATRIX, 1801, 18, 3, np.random.default_rng(4))) == 3
    assert draws["smallest"].to_numpy() == pytest.approx(float(kappas(MATRIX)))
    assert draws["largest"].to_numpy() == pytest.approx(float(kappas(MATRIX)))


def test_eighteen_sets_range_wider_than_printed_and_nine_do_not(analysis, printed):
    rng = np.random.default_rng(5)
    draws = {n: analysis.judgments.simulate_sets(MATRIX, 1800, n, 2_000, rng) for n in (18, 9)}
    chance = analysis.judgments.sets_table(draws, printed).set_index("n_sets")[
        "probability_of_the_printed_range"
    ]
    assert chance[18] < 0.005
    assert chance[9] > 0.15


def test_the_same_seed_deals_the_same_sets(analysis):
    first, second = (
        analysis.judgments.simulate_sets(MATRIX, 1800, 18, 5, np.random.default_rng(6))
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first, second)


def test_the_sampling_approach_is_simulated_around_the_standard_approach(analysis, table, printed):
    population = analysis.approach.application_population(table(6), printed)
    assert population.precision == pytest.approx(0.80)
    assert population.recall == pytest.approx(0.12)
    runs = analysis.approach.simulate_application(
        population, printed, 20_000, np.random.default_rng(7)
    )
    errors = population.standard_errors(250, 500)
    # A ratio whose uncertainty is in its denominator is too large by Var/R on average.
    biases = 0, errors[1] ** 2 / population.recall
    for name, error, bias in zip(("precision", "recall"), errors, biases, strict=True):
        apart = runs[name].mean() - getattr(population, name) - bias
        assert abs(apart) < 4 * error / 20_000**0.5
    assert runs["recall"].quantile(0.025) < 0.14 < runs["recall"].quantile(0.975)


# ------------------------------------------------------------------------------- bad input


def test_at_6_percent_errors_there_are_too_few_flagged_contexts_to_sample(analysis, table, printed):
    population = analysis.approach.application_population(table(6), printed, error_rate=0.06)
    with pytest.raises(AnnotationError, match="flagged_sample is 250, but the stratum has 198"):
        analysis.approach.simulate_application(population, printed, 10, np.random.default_rng(8))


def test_a_table_of_other_categories_is_refused(paper, tmp_path):
    texts = {path.stem: path.read_text() for path in paper.record.printed_tables}
    changed = {name: text.replace("wrong_choice", "wrong") for name, text in texts.items()}
    with pytest.raises(KeyError, match="wrong_choice"):
        paper.run(paper.study(tables=changed), tmp_path / "out")
    assert not (tmp_path / "out" / "computed.csv").exists()


def test_more_hits_than_sampled_contexts_are_refused(analysis, printed):
    wrong = printed.copy()
    wrong["figure1_hits"] = 751
    with pytest.raises(AnnotationError, match="hits is 751, and flagged_sample is 750"):
        analysis.approach.figure1_sample(wrong)
