"""Berthelin et al. (2008): what its printed tables determine, by hand, and the simulations."""

import json

import numpy as np
import pandas as pd
import pytest

from annobench.evaluation.scores import category_scores
from annobench.reporting.printed import agrees
from annobench.simulation import panels
from annobench_replication.ledger import read_standing
from annobench_replication.statistics import kappas
from annobench_replication.verdicts import check


@pytest.fixture
def printed(analysis, paper):
    """The printed tables; a test may spoil them."""
    return analysis.Printed.of(paper.study())


@pytest.fixture
def simulation(analysis, printed):
    return analysis.simulate.Simulation(printed.n_documents, "quick")


@pytest.fixture
def fits(analysis, printed):
    return analysis.genre.genre_fits(printed)


@pytest.fixture(scope="module")
def comparison(paper, results):
    return paper.compared(results)


def test_every_result_is_computed_and_every_deviation_explained(comparison):
    assert check(comparison) == []
    assert not comparison["verdict"].isin(["missing", "unresolved", "inconclusive"]).any()


def test_the_paper_contradicts_itself_in_five_values(comparison):
    deviating = comparison[comparison["verdict"] == "deviates"]
    assert dict(zip(deviating["target"], deviating["computed"].round(12), strict=True)) == {
        "scales.games.n_values": 21,  # 20 - 0 + 1 marks
        "text.games_restricted.median": 0.715,  # (0.69 + 0.74) / 2
        "scale_change.games.from": 21,
        "papers.same_interval.smallest": 0.01,  # 0.41 - 0.40
        "papers.same_interval.largest": 0.01,  # 0.58 - 0.57
    }
    assert deviating["erratum"].nunique() == 3


def test_what_other_printed_numbers_determine_is_reproduced(comparison):
    by_target = comparison.set_index("target")
    targets = [
        "scales.films.n_values",
        "shares.mark_2",
        "shares.two_classes.low",
        "shares.two_classes.high",
        "scale_change.films_over_games",
        "subtasks.second_harder",
        *(f"table7.genre.{judge}" for judge in "123"),
        *(f"table8.ref_{judge}" for judge in "1234"),
    ]
    assert (by_target.loc[targets, "verdict"] == "reproduced").all()
    # 100 - 4.6 - 10.3 - 39.8 - 15.6, each known to 0.05
    row = by_target.loc["shares.mark_2"]
    assert row[["rounding_lower", "rounding_upper"]].tolist() == pytest.approx([29.5, 29.9])


def test_a_simulated_value_is_claimed_for_nothing_printed(comparison):
    simulated = comparison[comparison["provenance"] == "simulated"]
    assert {"table1.ref_1", "table3.2", "table9.1_2", "precision.art"} <= set(simulated["target"])
    assert set(simulated["verdict"]) == {"not_public"}


def test_figures_say_whether_they_show_simulated_judges(results):
    captions = json.loads((results / "captions.json").read_text())
    figures = {path.stem: path.read_bytes() for path in (results / "figures").glob("*.svg")}
    assert {captions[name]["provenance"] for name in figures} == {"simulated", "printed_table"}
    for name, svg in figures.items():
        assert (b"simulated" in svg.lower()) == (captions[name]["provenance"] == "simulated"), name


def test_labels_that_yield_both_tables_have_the_errors_that_the_tables_determine(
    analysis, printed, fits
):
    solutions = analysis.genre.genre_labels(printed, fits)
    assert len(solutions) == 8
    for labels in solutions:
        wrong = labels.labels[1:] != labels.labels[0]
        assert wrong.sum(axis=1).tolist() == [0, 1, 2, 4]
        # All errors of judge 4 are on one genre, and one of them is judge 3's as well.
        assert len(set(labels.labels[0][wrong[3]])) == 1
        together = wrong.astype(int) @ wrong.T
        assert (together[1, 2], together[1, 3], together[2, 3]) == (0, 0, 1)


def test_what_is_searched_for_is_what_the_labels_give(analysis, printed, fits):
    whole = [fit for fit in fits if not fit.missed]
    for fit, labels in zip(whole, analysis.genre.genre_labels(printed, fits), strict=True):
        assert set(fit.found) == set(analysis.genre.genre_numbers(printed))
        for target, value in fit.found.items():
            if target.startswith("table8."):
                assert value == pytest.approx(
                    labels.kappa(*target.split(".")[1].split("_")).estimate
                )
            else:
                table = labels.contingency("ref", target[-1])
                assert value == pytest.approx(float(category_scores(table).f1_of_averages))


def test_ten_of_fourteen_values_are_determined_by_the_thirteen_others(
    analysis, paper, printed, fits
):
    found = analysis.genre.left_out(printed, fits).set_index("target")
    determined = set(found.index[found["values_as_printed"] == 1])
    assert len(found) == 14
    assert len(determined) == 10
    # The four that are not are no evidence.
    standing = read_standing(paper.folder / "standing.csv")
    without = set(standing.loc[standing["counts"] == "no", "target"]) & set(found.index)
    # Judge 1 made no error, so that three values are printed of the reference before.
    again = {"table8.1_2", "table8.1_3", "table8.1_4"}
    assert without - again == set(found.index) - determined
    assert again <= without & determined


@pytest.mark.parametrize(
    ("target", "wrong"),
    [("table7.genre.3", "0.99"), ("table8.ref_2", "0.90"), ("table8.1_4", "0.80")],
)
def test_a_value_has_no_part_in_what_is_computed_for_it(analysis, printed, rng, target, wrong):
    right = analysis.genre.genre_numbers(printed)[target]
    if target.startswith("table7."):
        printed.tables["table7"].loc[int(target[-1]) - 1, "genre"] = wrong
    else:
        printed.kappa["table8"].loc[target[7:-2], target[-1]] = wrong
    rows = analysis.genre.genre_rows(printed, analysis.genre.genre_fits(printed), rng)
    found = {row.target: row.value for row in rows if row.method == "paper"}
    assert agrees(right, "eq", found[target])
    assert not agrees(wrong, "eq", found[target])
    # Of the others, none is left that thirteen values yield.
    assert all(np.isnan(other) for name, other in found.items() if name != target)


@pytest.mark.parametrize(
    ("judge", "errors", "genre"),
    [("1", 1, "0.98"), ("2", 2, "0.97"), ("3", 3, "0.95"), ("4", 5, "0.92")],
)
def test_a_value_follows_the_thirteen_others(analysis, printed, judge, errors, genre):
    """As if a judge had made more errors: what is printed of the others gives other values."""
    of_judge = dict(zip("1234", (0, 1, 2, 4), strict=True)) | {judge: errors}
    table = printed.kappa["table8"]
    for j, own in of_judge.items():
        table.loc["ref", j] = f"{1 - 2 * own / 60:.2f}"
        for k, other in of_judge.items():
            # Of the errors of judges 3 and 4 one is on the same document.
            if j < k:
                table.loc[j, k] = f"{1 - 2 * (own + other - 2 * (j + k == '34')) / 60:.2f}"
    printed.tables["table7"].loc[int(judge) - 1, "genre"] = genre
    found = analysis.genre.left_out(printed, analysis.genre.genre_fits(printed)).set_index("target")
    for target in (f"table8.ref_{judge}", f"table7.genre.{judge}"):
        assert found.loc[target, "values_as_printed"] == 1
    ends = found.loc[f"table8.ref_{judge}", ["smallest", "largest"]].astype(float)
    np.testing.assert_allclose(ends, 1 - errors / 30)
    ends = found.loc[f"table7.genre.{judge}", ["smallest", "largest"]].astype(float)
    assert [f"{end:.2f}" for end in ends] == [genre, genre]


def test_kappa_with_a_balanced_reference_is_twice_the_accuracy_less_one(analysis, printed, fits):
    labels = analysis.genre.genre_labels(printed, fits)[0]
    for judge, n_errors in zip("1234", (0, 1, 2, 4), strict=True):
        assert labels.kappa("ref", judge).estimate == pytest.approx(1 - 2 * n_errors / 60)
        exact = analysis.genre.exact_row(judge, labels.contingency("ref", judge))
        assert exact.value == pytest.approx(1 - 2 * n_errors / 60)
    # Without an error in 60, Clopper and Pearson's lower end is 0.025 ** (1 / 60).
    exact = analysis.genre.exact_row("1", labels.contingency("ref", "1"))
    assert exact.lower == pytest.approx(2 * 0.025 ** (1 / 60) - 1)


def test_only_four_errors_on_one_genre_print_as_094(analysis, printed):
    readings = analysis.genre.genre_readings(printed).set_index(["errors", "on_one_genre"])
    assert readings.loc[(4, 4), "judges_with_this_strict_f"] == "4"
    # Precision 1 and 30/34, recall 26/30 and 1: the harmonic mean of 16/17 and 14/15.
    assert readings.loc[(4, 4), "strict_f"] == pytest.approx(2 / (17 / 16 + 15 / 14))
    assert (readings["judges_with_this_strict_f"] == "4").sum() == 1
    assert not (readings["judges_with_this_accuracy"] == "4").any()
    assert not (readings["judges_with_this_mean_f"] == "4").any()


def test_only_the_value_of_judge_4_tells_the_readings_of_an_f_score_apart(analysis, printed):
    readings = analysis.genre.genre_readings(printed).query("errors < 3")
    for judge, n_errors in (("1", 0), ("2", 1), ("3", 2)):
        for name in ("strict_f", "mean_f", "accuracy"):
            by_reading = readings[readings[f"judges_with_this_{name}"] == judge]
            assert set(by_reading["errors"]) == {n_errors}


def test_tables_that_no_labels_yield_have_no_value(analysis, printed, rng):
    # Errors on one and two documents differ on at most three: kappa is at least 0.90. And
    # kappa with the reference has no place between 0.97 and 1.
    printed.kappa["table8"].loc["2", "3"] = "0.80"
    printed.kappa["table8"].loc["ref", "1"] = "0.98"
    rows = analysis.genre.genre_rows(printed, analysis.genre.genre_fits(printed), rng)
    assert len(rows) == 14
    assert all(np.isnan(row.value) for row in rows)


@pytest.mark.parametrize(
    ("numbers", "ways"),
    [((0, 0), 1), ((1, 1), 2), ((2, 2), 3), ((1, 1, 1), 5)],
)
def test_errors_coincide_in_as_many_ways_as_can_be_told_apart(analysis, numbers, ways):
    # Of (1, 1, 1): all apart, one of three pairs together, all together: 5 partitions.
    found = analysis.genre.overlaps(numbers)
    assert len(found) == len(set(found)) == ways
    for way in found:
        assert tuple(sum(j in doc for doc in way) for j in range(len(numbers))) == numbers


def test_the_smallest_corpus_with_the_printed_shares(analysis, printed):
    found = analysis.tables.smallest_corpus(printed.tables["shares"]["percent"])
    assert found["documents"].tolist() == [19, 43, 124, 166, 65]
    assert analysis.tables.smallest_corpus(["33.3", "66.7"])["documents"].sum() == 3
    with pytest.raises(ValueError, match="no corpus of up to 100 documents"):
        analysis.tables.smallest_corpus(["50.0", "50.1"], most=100)


def test_two_f_scores_are_no_share_of_sixty_documents(analysis):
    # 47/60 = 0.783 and 48/60 = 0.800 leave out 0.79, 0.650 and 0.667 leave out 0.66.
    found = [analysis.simulate.right_answers(text, 60) for text in ("0.79", "0.77", "0.82", "0.66")]
    assert found == ["", "46", "49", ""]


def test_doubtful_documents_in_one_rare_category_join_tables_7_and_9(analysis):
    # Three categories of one document, five of 11 or 12 with 36 right answers; all 21 errors of
    # these five are called the same rare category.
    sizes, right = [12, 12, 11, 11, 11, 1, 1, 1], [8, 7, 7, 7, 7, 1, 1, 1]
    table = np.diag(right)
    table[:, -1] += np.subtract(sizes, right)
    assert agrees("0.82", "eq", float(category_scores(table).f1_of_averages))
    assert agrees("0.60", "eq", float(kappas(table)))


def test_inversions_by_hand(analysis):
    assert analysis.tables.inversions([3, 2, 2, 1]) == 0
    assert analysis.tables.inversions([1, 2, 3]) == 3
    # The rise from 1 to 2 is within a level.
    assert analysis.tables.inversions([3, 1, 2], [1, 2, 2]) == 0


def test_another_judge_agrees_least_with_himself_if_the_values_say_so(analysis, printed):
    assert analysis.values.least_self_agreement(printed) == 2
    printed.tables["table3"].loc[2, "kappa"] = "0.40"
    assert analysis.values.least_self_agreement(printed) == 3


def test_pairs_of_corpora_are_counted_wrong_if_the_values_say_so(analysis, printed):
    assert analysis.values.difficulty_values(printed)["difficulty.judges.inversions"] == 0
    # The middle of 0.10 and 0.30 is 0.20, that of papers 0.495.
    printed.tables["table10"].loc[0, ["judges_smallest", "judges_largest"]] = ["0.10", "0.30"]
    # Debates, now the last, were to come before the three others.
    assert analysis.values.difficulty_values(printed)["difficulty.judges.inversions"] == 3


def test_competitors_keep_the_order_by_the_middles_of_their_ranges_alone(analysis, printed):
    found = analysis.tables.difficulty(printed).set_index(["who", "by"])
    wrong = found.loc["competitors", "wrong_pairs_of_levels"]
    # Films 0.38 and papers 0.40; games 0.78 and debates 0.72; 0.63, 0.62, 0.49 and 0.485.
    assert wrong.to_dict() == {"smallest": 1, "largest": 1, "middle": 0}


def test_categories_in_another_order_are_counted_wrong(analysis, printed):
    assert analysis.values.category_values(printed)["recall.order.inversions"] == 0
    printed.tables["recall"].loc[0, "recall"] = "0.72"
    # Below Economy (0.80) and Sport (0.75), which follow it.
    assert analysis.values.category_values(printed)["recall.order.inversions"] == 2


def test_a_mean_recall_of_049_needs_seventeen_documents(analysis):
    # (2 n - 1) / (4 n) prints as 0.49 once it is at least 0.485: n of at least 16.7.
    assert analysis.tables.fewest_documents("0.49", 4) == 17
    assert analysis.tables.fewest_documents("0.75", 4) == 1
    with pytest.raises(ValueError, match="none of up to 3 documents"):
        analysis.tables.fewest_documents("0.49", 4, most=3)


def test_the_second_tests_strict_f_is_below_the_quoted_range(analysis, printed):
    # Mean precision 5.94/9, mean recall 5.44/9: 2 * 5.94 * 5.44 / (9 * 11.38)
    assert analysis.values.second_test_strict_f(printed) == pytest.approx(
        2 * 5.94 * 5.44 / (9 * 11.38)
    )
    assert analysis.values.second_test_strict_f(printed) < 0.66


def test_classes_of_landis_and_koch_hold_their_upper_ends(analysis):
    words = [analysis.tables.landis_koch(kappa) for kappa in (-0.1, 0.0, 0.2, 0.201, 0.6, 1.0)]
    assert words == ["poor", "poor", "slight", "fair", "moderate", "almost perfect"]


def test_assumed_game_marks_make_classes_of_one_size(analysis, printed):
    marks, classes = analysis.simulate.game_marks(printed)
    assert marks.size == 21
    assert marks.sum() == pytest.approx(1)
    np.testing.assert_allclose(classes, 1 / 3)


def test_a_prediction_from_one_scale_is_the_printed_value_on_the_other_in_return(
    analysis, printed, rng
):
    simulation = analysis.simulate.Simulation(printed.n_documents, "full")
    table = analysis.simulate.scale_change(printed, simulation, rng)
    shares = analysis.simulate.scale_shares(printed)["films"]
    for row in table[table["table"] == "table5"].to_dict("records"):
        again = panels.kappa_from_correlation(row["correlation"], shares[0])
        assert again == pytest.approx(row["printed_on_other_scale"], abs=1e-6)
        assert row["lower"] < row["predicted"] < row["upper"]


def test_a_pair_left_out_has_no_part_in_its_own_prediction(analysis, printed, simulation, rng):
    before = analysis.simulate.leave_pair_out(printed, simulation, rng)
    printed.kappa["table9"].loc["1", "2"] = "0.10"
    after = analysis.simulate.leave_pair_out(printed, simulation, rng)
    changed = (before["predicted"] - after["predicted"]).abs() > 1e-3
    own = (before["first"] == "1") & (before["second"] == "2")
    assert not changed[own].any()
    assert changed[~own].any()


def test_panels_agree_as_the_table_that_they_are_calibrated_to(analysis, printed):
    loadings = panels.common_loadings(printed.numbers("table9"))
    fitted = np.outer(loadings, loadings)[np.triu_indices(5, k=1)]
    # Five loadings for ten values: they come as near as the values' own standard error.
    assert np.abs(fitted - printed.values("table9")).max() < 0.1


def test_a_correlation_read_off_a_curve_is_near_the_exact_one(analysis, printed):
    quick, full = (analysis.simulate.Simulation(60, effort) for effort in ("quick", "full"))
    for share in analysis.simulate.scale_shares(printed)["films"]:
        for kappa in (0.1, 0.5, 0.8):
            found, exact = (s.correlation_of(share)(kappa) for s in (quick, full))
            assert panels.kappa_from_correlation(exact, share) == pytest.approx(kappa, abs=1e-9)
            # Between two of its points, which lie either side of the exact one.
            curve = np.sin(np.linspace(0, np.pi / 2, analysis.simulate.N_POINTS))
            assert np.searchsorted(curve, found) == np.searchsorted(curve, exact)


def test_errors_that_spread_evenly_by_hand(analysis, printed, simulation, rng):
    table = analysis.simulate.even_errors(printed, simulation, rng).set_index("target")
    recall = printed.column("recall", "recall").astype(float)
    # What others lose is shared among eight categories.
    gained = (1 - recall.drop("sport")).sum() / 8
    expected = recall["sport"] / (recall["sport"] + gained)
    assert table.loc["precision.sport", "predicted"] == pytest.approx(expected)


def test_a_table_whose_rows_and_columns_differ_is_refused(analysis, paper):
    spoilt = {"table2": "judge,ref,1\nref,,0.7\n2,,\n"}
    with pytest.raises(ValueError, match=r"table2\.csv: its rows are"):
        analysis.Printed.of(paper.study(tables=spoilt))


def test_a_coefficient_that_is_typed_twice_is_refused(analysis, paper):
    spoilt = {"table2": "judge,ref,1\nref,,0.7\n1,0.7,\n"}
    with pytest.raises(ValueError, match=r"table2\.csv: every pair must have one value"):
        analysis.Printed.of(paper.study(tables=spoilt))


def test_a_category_that_is_not_in_the_campaign_is_refused(analysis, printed):
    printed.tables["subtasks"].loc[0, "category"] = "cooking"
    with pytest.raises(ValueError, match=r"subtasks\.csv: expected the categories"):
        analysis.tables.correspondence(printed)


def test_numbers_of_a_table_are_in_both_halves(printed):
    for name in printed.kappa:
        frame = printed.numbers(name)
        pd.testing.assert_frame_equal(frame, frame.T, check_names=False, obj=name)
        assert frame.isna().to_numpy().sum() == len(frame)
