"""Berthelin et al. (2008): what its printed tables determine, by hand, and the simulations."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from annobench import simulate
from annobench.compare import (
    agrees,
    check,
    compare,
    read_computed,
    read_errata,
    read_published,
)
from annobench.evaluation import category_scores

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "berthelin2008"


@pytest.fixture
def printed(analysis):
    """The printed tables; a test may spoil them."""
    return analysis.read_printed(sorted((PAPER / "tables").glob("*.csv")))


@pytest.fixture(scope="module")
def results(analysis, tmp_path_factory):
    """Everything the analysis writes, with few simulated panels."""
    folder = tmp_path_factory.mktemp("berthelin2008")
    analysis.main(
        printed_tables=sorted((PAPER / "tables").glob("*.csv")), folder=folder, seed=3, n_panels=20
    )
    return folder


@pytest.fixture(scope="module")
def comparison(results):
    return compare(
        read_published(PAPER / "published.csv"),
        read_computed(results / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        paper="berthelin2008",
    )


def test_every_result_is_computed_and_every_deviation_explained(comparison):
    assert len(comparison) > 300
    assert check(comparison) == []
    assert set(comparison["verdict"]) == {"reproduced", "deviates", "not_public", "input", "cited"}


def test_the_paper_contradicts_itself_in_nine_values(comparison):
    deviating = comparison[comparison["verdict"] == "deviates"]
    assert dict(zip(deviating["target"], deviating["computed"].round(12), strict=True)) == {
        "scales.games.n_values": 21,  # 11 + 4 + 6 marks
        "text.games_restricted.median": 0.715,  # (0.69 + 0.74) / 2
        "ratings.games_restricted.good": 0.54,
        "scale_change.games.from": 21,
        "sport.misclassified": 25,  # 1 - 0.75
        "difficulty.competitors.smallest.inversions": 1,  # films 0.38, papers 0.40
        "difficulty.competitors.largest.inversions": 1,  # debates 0.72, games 0.78
        "papers.same_interval.smallest": 0.01,  # 0.41 - 0.40
        "papers.same_interval.largest": 0.01,  # 0.58 - 0.57
    }


def test_a_simulated_value_is_claimed_for_nothing_printed(comparison):
    simulated = comparison[comparison["provenance"] == "simulated"]
    assert len(simulated) > 70
    assert set(simulated["verdict"]) == {"not_public"}


def test_the_analysis_writes_every_figure_and_table_of_its_record(results):
    paper = yaml.safe_load((PAPER / "paper.yaml").read_text())
    figures = {figure["name"] for figure in paper["figures"]}
    tables = {table["name"] for table in paper["tables"]}
    for suffix in ("svg", "png"):
        assert {path.stem for path in (results / "figures").glob(f"*.{suffix}")} == figures
    assert {path.stem for path in (results / "tables").iterdir()} == tables
    captions = json.loads((results / "captions.json").read_text())
    assert set(captions) == figures | {f"tables/{name}" for name in tables}
    assert all({"caption", "provenance", "seed"} <= set(captions[name]) for name in figures)


# --------------------------------------------------------------------- genre, found again


def test_labels_that_yield_both_tables_have_the_errors_that_the_tables_determine(analysis, printed):
    solutions = analysis.reconstruct_genre(printed)
    assert len(solutions) == 8
    for labels in solutions:
        wrong = labels.labels[1:] != labels.labels[0]
        assert wrong.sum(axis=1).tolist() == [0, 1, 2, 4]
        # All errors of judge 4 are on one genre, and one of them is judge 3's as well.
        assert len(set(labels.labels[0][wrong[3]])) == 1
        together = wrong.astype(int) @ wrong.T
        assert (together[1, 2], together[1, 3], together[2, 3]) == (0, 0, 1)


def test_kappa_with_a_balanced_reference_is_twice_the_accuracy_less_one(analysis, printed):
    labels = analysis.reconstruct_genre(printed)[0]
    for judge, n_errors in zip("1234", (0, 1, 2, 4), strict=True):
        assert labels.kappa("ref", judge) == pytest.approx(1 - 2 * n_errors / 60)
        exact = analysis.exact_row(judge, labels.contingency("ref", judge))
        assert exact.value == pytest.approx(1 - 2 * n_errors / 60)
    # Without an error in 60, Clopper and Pearson's lower end is 0.025 ** (1 / 60).
    exact = analysis.exact_row("1", labels.contingency("ref", "1"))
    assert exact.lower == pytest.approx(2 * 0.025 ** (1 / 60) - 1)


def test_only_four_errors_on_one_genre_print_as_094(analysis, printed):
    readings = analysis.genre_readings(printed).set_index(["errors", "on_one_genre"])
    assert readings.loc[(4, 4), "judges_with_this_strict_f"] == "4"
    # Precision 1 and 30/34, recall 26/30 and 1: the harmonic mean of 16/17 and 14/15.
    assert readings.loc[(4, 4), "strict_f"] == pytest.approx(2 / (17 / 16 + 15 / 14))
    assert (readings["judges_with_this_strict_f"] == "4").sum() == 1
    assert not (readings["judges_with_this_accuracy"] == "4").any()
    assert not (readings["judges_with_this_mean_f"] == "4").any()


def test_tables_that_no_labels_yield_are_refused(analysis, printed):
    # Errors on one and two documents differ on at most three: kappa is at least 0.90.
    printed.kappa["table8"].loc["2", "3"] = "0.80"
    with pytest.raises(ValueError, match="no labels of the documents yield both"):
        analysis.reconstruct_genre(printed)


@pytest.mark.parametrize(
    ("numbers", "ways"),
    [((0, 0), 1), ((1, 1), 2), ((2, 2), 3), ((1, 1, 1), 5)],
)
def test_errors_coincide_in_as_many_ways_as_can_be_told_apart(analysis, numbers, ways):
    # Of (1, 1, 1): all apart, one of three pairs together, all together: 5 partitions.
    found = analysis.overlaps(numbers)
    assert len(found) == len(set(found)) == ways
    for way in found:
        assert tuple(sum(j in doc for doc in way) for j in range(len(numbers))) == numbers


# --------------------------------------------------------------------- printed arithmetic


def test_the_smallest_corpus_with_the_printed_shares(analysis, printed):
    found = analysis.smallest_corpus(printed.tables["shares"]["percent"])
    assert found["documents"].tolist() == [19, 43, 124, 166, 65]
    assert analysis.smallest_corpus(["33.3", "66.7"])["documents"].sum() == 3
    with pytest.raises(ValueError, match="no corpus of up to 100 documents"):
        analysis.smallest_corpus(["50.0", "50.1"], most=100)


def test_two_f_scores_are_no_share_of_sixty_documents(analysis):
    # 47/60 = 0.783 and 48/60 = 0.800 leave out 0.79, 0.650 and 0.667 leave out 0.66.
    found = [analysis.right_answers(text) for text in ("0.79", "0.77", "0.82", "0.66")]
    assert found == ["", "46", "49", ""]


def test_doubtful_documents_in_one_rare_category_join_tables_7_and_9(analysis):
    # Three categories of one document, five of 11 or 12 with 36 right answers; all 21 errors of
    # these five are called the same rare category.
    sizes, right = [12, 12, 11, 11, 11, 1, 1, 1], [8, 7, 7, 7, 7, 1, 1, 1]
    table = np.diag(right)
    table[:, -1] += np.subtract(sizes, right)
    assert agrees("0.82", "eq", float(category_scores(table).strict_f))
    assert agrees("0.60", "eq", float(analysis.cohen(table).estimate))


def test_inversions_by_hand(analysis):
    assert analysis.inversions([3, 2, 2, 1]) == 0
    assert analysis.inversions([1, 2, 3]) == 3
    # The rise from 1 to 2 is within a level.
    assert analysis.inversions([3, 1, 2], [1, 2, 2]) == 0


def test_a_mean_recall_of_049_needs_seventeen_documents(analysis):
    # (2 n - 1) / (4 n) prints as 0.49 once it is at least 0.485: n of at least 16.7.
    assert analysis.fewest_documents("0.49", 4) == 17
    assert analysis.fewest_documents("0.75", 4) == 1
    with pytest.raises(ValueError, match="none of up to 3 documents"):
        analysis.fewest_documents("0.49", 4, most=3)


def test_the_second_tests_strict_f_is_below_the_quoted_range(analysis, printed):
    # Mean precision 5.94/9, mean recall 5.44/9: 2 * 5.94 * 5.44 / (9 * 11.38)
    assert analysis.second_test_strict_f(printed) == pytest.approx(2 * 5.94 * 5.44 / (9 * 11.38))
    assert analysis.second_test_strict_f(printed) < 0.66


def test_classes_of_landis_and_koch_hold_their_upper_ends(analysis):
    words = [analysis.landis_koch(kappa) for kappa in (-0.1, 0.0, 0.2, 0.201, 0.6, 1.0)]
    assert words == ["poor", "poor", "slight", "fair", "moderate", "almost perfect"]


# ----------------------------------------------------------------------------- simulation


def test_assumed_game_marks_make_classes_of_one_size(analysis, printed):
    marks, classes = analysis.game_marks(printed)
    assert marks.size == 21
    assert marks.sum() == pytest.approx(1)
    np.testing.assert_allclose(classes, 1 / 3)


def test_a_prediction_from_one_scale_is_the_printed_value_on_the_other_in_return(
    analysis, printed, rng
):
    table = analysis.scale_change(printed, rng)
    shares = analysis.scale_shares(printed)["films"]
    for row in table[table["table"] == "table5"].to_dict("records"):
        again = simulate.kappa_from_correlation(row["correlation"], shares[0])
        assert again == pytest.approx(row["printed_on_other_scale"], abs=1e-6)
        assert row["lower"] < row["predicted"] < row["upper"]


def test_a_pair_left_out_has_no_part_in_its_own_prediction(analysis, printed, rng):
    before = analysis.leave_pair_out(printed, rng)
    printed.kappa["table9"].loc["1", "2"] = "0.10"
    after = analysis.leave_pair_out(printed, rng)
    changed = (before["predicted"] - after["predicted"]).abs() > 1e-3
    own = (before["first"] == "1") & (before["second"] == "2")
    assert not changed[own].any()
    assert changed[~own].any()


def test_panels_agree_as_the_table_that_they_are_calibrated_to(analysis, printed):
    loadings = simulate.common_loadings(printed.numbers("table9"))
    fitted = np.outer(loadings, loadings)[np.triu_indices(5, k=1)]
    # Five loadings for ten values: they come as near as the values' own standard error.
    assert np.abs(fitted - printed.values("table9")).max() < 0.1


def test_errors_that_spread_evenly_by_hand(analysis, printed, rng):
    table = analysis.even_errors(printed, rng, n_panels=5).set_index("target")
    categories = printed.tables["categories"].set_index("category")
    recall = categories["recall"].astype(float)
    # What others lose is shared among eight categories.
    gained = (1 - recall.drop("sport")).sum() / 8
    expected = recall["sport"] / (recall["sport"] + gained)
    assert table.loc["precision.sport", "predicted"] == pytest.approx(expected)


# -------------------------------------------------------------------------------- bad input


def test_a_table_whose_rows_and_columns_differ_is_refused(analysis, tmp_path):
    paths = list((PAPER / "tables").glob("*.csv"))
    spoilt = tmp_path / "table2.csv"
    spoilt.write_text("# Table 2\njudge,ref,1\nref,,0.7\n2,0.7,\n")
    with pytest.raises(ValueError, match=r"table2\.csv: its rows are"):
        analysis.read_printed([spoilt, *(p for p in paths if p.name != "table2.csv")])


def test_a_category_that_is_not_in_the_campaign_is_refused(analysis, printed):
    printed.tables["categories"].loc[0, "category"] = "cooking"
    with pytest.raises(ValueError, match=r"categories\.csv: expected the categories"):
        analysis.design_values(printed)


def test_printed_tables_are_whole_and_symmetric(printed):
    for name, frame in printed.kappa.items():
        pd.testing.assert_frame_equal(frame, frame.T, check_names=False, obj=name)
        assert (frame.to_numpy().diagonal() == "").all()
