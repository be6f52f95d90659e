"""Su and Markert (2008): what the printed numbers depend on, and what is claimed of them."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench import agreement, datasets
from annobench.core.errors import AnnotationError
from annobench_replication.ledger import read_computed, read_errata, read_remarks
from annobench_replication.verdicts import check

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "su2008"


@pytest.fixture(scope="module")
def senses(analysis, paper):
    return analysis.values.read_senses(paper.study())


def test_simulated_ratings_claim_nothing(paper, results):
    comparison = paper.compared(results)
    assert not (comparison["verdict"] == "missing").any()
    of_ratings = comparison[comparison["basis"] == "public_data"].query("kind == 'result'")
    assert set(of_ratings["verdict"]) == {"stand_in"}
    assert check(comparison) == []
    computed = read_computed(results / "computed.csv").set_index("target")
    targets = computed[computed["method"] == "calibration target"]
    assert targets.index.str.startswith("table5.").sum() == 16


def test_the_real_ratings_give_table_5_but_for_two_values_that_are_cut_off(paper, real_results):
    comparison = paper.compared(real_results)
    assert check(comparison) == []
    table5 = comparison[comparison["source"] == "Table 5"].set_index("target")
    assert set(table5["provenance"]) == {"real"}
    deviating = table5[table5["verdict"] == "deviates"]
    assert set(deviating.index) == {
        "table5.group1.negative.1_2.correlation",
        "table5.group1.negative.2_3.alpha",
    }
    assert set(deviating["cause"]) == {"rounding"}
    assert set(table5["verdict"].drop(deviating.index)) == {"reproduced"}
    assert comparison.set_index("target").loc["data.n_synsets", "verdict"] == "reproduced"


def test_no_percentage_and_no_kappa_of_section_4_deviates(paper, results):
    comparison = paper.compared(results).set_index("target")
    coefficients = comparison.index.str.match(r".*(_kappa|\.observed_agreement)$")
    verdicts = comparison.loc[coefficients, "verdict"]
    # A category that is not collapsed keeps its kappa, which is no second piece of evidence.
    again = [
        f"{name}.single_category_kappa"
        for name in ("subjectivity.b", "polarity.b", "polarity.v", "polarity.nopol")
    ]
    assert set(verdicts[again]) == {"restated"}
    assert set(verdicts.drop(again)) == {"reproduced"}


def test_what_is_printed_again_is_the_same_number_of_the_full_scheme(senses):
    single = {
        scheme: agreement.cohen_kappa(a).by_category().set_index("category")["estimate"]
        for (data, scheme), a in senses.items()
        if data == "test"
    }
    for scheme, name, category in (
        ("subjectivity", "B", "B"),
        ("polarity", "B", "B"),
        ("polarity", "V", "S:V"),
        ("polarity", "NoPol", "O:NoPol"),
    ):
        assert single[scheme][name] == pytest.approx(single["full"][category], rel=1e-12)


def test_one_slip_has_one_entry_among_the_errata():
    errata = read_errata(PAPER / "errata.csv").set_index("target")
    assert set(errata.filter(like="annotator", axis=0)["id"]) == {"annotators_exchanged"}
    assert errata["cause"].groupby(errata["id"]).nunique().eq(1).all()


def test_kappa_of_the_test_set_follows_from_the_printed_totals(senses):
    # Table 2: 7 + 41 + 65 + 17 + 253 + 25 + 13 = 421 of 496 on the diagonal; sums of products
    # of totals 11*17 + 42*58 + 71*80 + 27*31 + 284*257 + 41*30 + 20*23 = 83818.
    observed, expected = Fraction(421, 496), Fraction(83818, 496**2)
    kappa = agreement.cohen_kappa(senses["test", "full"])
    assert kappa.observed_agreement == pytest.approx(float(observed), rel=1e-12)
    assert kappa.estimate == pytest.approx(float((observed - expected) / (1 - expected)), rel=1e-12)


def test_a_single_category_kappa_follows_from_its_row_and_column(senses):
    # B: both 7, rows alone 4, columns alone 10, neither 475; chance (11*17 + 485*479) / 496^2.
    observed, expected = Fraction(482, 496), Fraction(11 * 17 + 485 * 479, 496**2)
    single = agreement.cohen_kappa(senses["test", "full"]).by_category().set_index("category")
    wanted = (observed - expected) / (1 - expected)
    assert single.loc["B", "estimate"] == pytest.approx(float(wanted), rel=1e-12)


def test_rows_are_annotator_2_and_columns_annotator_1(analysis, paper, senses):
    table = analysis.values.contingency(senses["train", "full"])
    printed = paper.study().printed("table1", index_col="category")
    assert (table.to_numpy() == printed.to_numpy()).all()
    second = senses["train", "full"].by_annotator[1]
    assert np.bincount(senses["train", "full"].label[second]).tolist() == [3, 15, 10, 21, 51, 6, 4]


def test_collapsing_table_2_gives_the_printed_blocks(analysis, senses):
    assert analysis.values.contingency(senses["test", "subjectivity"]).to_numpy().tolist() == [
        [7, 4, 0],
        [0, 135, 5],
        [10, 30, 305],
    ]
    polarity = analysis.values.contingency(senses["test", "polarity"])
    assert list(polarity) == ["B", "N", "P", "V", "NoPol"]
    assert polarity.loc["NoPol"].tolist() == [9, 6, 10, 6, 253]


def test_both_levels_name_every_category_of_the_tables(analysis, senses):
    assert set(analysis.values.LEVELS.categories) == set(senses["test", "full"].categories)
    with pytest.raises(AnnotationError, match="no new name is given for 'S', 'O'"):
        analysis.values.LEVELS.collapse(senses["test", "subjectivity"], "polarity")


def test_the_conclusion_holds_for_polarity_alone(paper, results):
    """What remarks.csv says of the differences of kappa is what the table has."""
    differences = pd.read_csv(results / "tables" / "differences.csv").set_index("target")
    remarks = read_remarks(paper.folder / "remarks.csv").set_index("id")
    evidence = remarks.loc["prose.improved_by_hierarchy", "evidence"]
    for what in ("polarity", "subjectivity"):
        found = differences.loc[f"{what}.cohen_kappa_gain", ["estimate", "lower", "upper"]]
        assert all(f"{number:.3f}" in evidence for number in found), what
        assert (found["lower"] > 0) == (what == "polarity")


def test_equal_labels_stay_equal_so_observed_agreement_proves_nothing(senses):
    full, polarity = senses["test", "full"], senses["test", "polarity"]
    before, after = (a.label[:496] == a.label[496:] for a in (full, polarity))
    # McNemar's table of the comparison: 21 synsets are won, none can be lost.
    assert (after & ~before).sum() == 21
    assert not (before & ~after).any()


def test_the_gain_of_kappa_by_polarity_is_significant_and_that_by_subjectivity_is_not(results):
    rows = pd.read_csv(results / "tables" / "differences.csv").set_index("target")
    assert rows.loc["polarity.cohen_kappa_gain", "p_value"] < 0.001
    assert rows.loc["subjectivity.cohen_kappa_gain", "p_value"] > 0.1
    assert rows.loc["test.cohen_kappa_gain", "p_value"] > 0.5


def test_of_a_claim_about_both_coarser_readings_the_lower_agreement_answers(analysis, paper):
    printed = paper.study().numbers("counts")
    found = analysis.values.arithmetic(printed, [90.1, 80.2])
    assert found["collapsed.observed_agreement"] == 80.2
    assert found["sense_level.observed_agreement_gain"] == pytest.approx(1.5)


def test_exchanging_the_annotators_gives_the_counts_of_section_4_4(analysis, senses):
    claims = analysis.values.annotator_claims(senses)
    assert claims["annotator2.n_positive"] == 91
    assert analysis.values.turned(claims) == {
        "annotator2.n_positive": 103,
        "annotator2.n_negative": 88,
        "annotator1.n_positive": 91,
        "annotator1.n_negative": 83,
        "annotator2.n_more_polar": 17,
    }


def test_no_whole_number_of_words_is_the_printed_share():
    shares = [100 * n / 298 for n in range(299)]
    assert not [share for share in shares if abs(share - 32.5) <= 0.05]
    assert not [n for n in range(97, 1000) if abs(9700 / n - 32.5) <= 0.05]


def test_alpha_is_on_absolute_differences_of_all_pooled_scores(analysis, mirror):
    data = datasets.load("micro_wnop_group2_negative", mode="real", mirror=mirror)
    scores = analysis.values.wide(data).to_numpy()
    pooled = scores.ravel()
    expected = np.abs(pooled[:, None] - pooled)
    observed = np.abs(scores[:, 0] - scores[:, 1]).mean()
    corrected = expected.sum() / (pooled.size * (pooled.size - 1))
    for name, chance in (("alpha", expected.mean()), ("alpha, corrected", corrected)):
        found = analysis.values.COEFFICIENTS[name](data.annotations)
        assert found.estimate == pytest.approx(1 - observed / chance, rel=1e-10), name


def test_a_table_whose_rows_and_columns_differ_is_refused(analysis):
    table = pd.DataFrame([[1, 0], [0, 1]], index=["B", "O"], columns=["B", "S"])
    with pytest.raises(ValueError, match=r"the rows are \['B', 'O'\], but the columns"):
        analysis.values.read_confusion(table)
