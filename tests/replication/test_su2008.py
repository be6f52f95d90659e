"""Su and Markert (2008): what the printed numbers depend on, and what the analysis writes."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from annobench import agreement, datasets
from annobench.core.errors import AnnotationError
from annobench.replication.compare import (
    check,
    compare,
    read_computed,
    read_errata,
    read_published,
    read_standing,
)

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "su2008"
TABLES = sorted((PAPER / "tables").glob("*.csv"))
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())


@pytest.fixture(scope="module")
def study(analysis):
    return analysis.Study.of(
        *(analysis.read_confusion(PAPER / "tables" / f"table{n}.csv") for n in (1, 2))
    )


def run(analysis, top, **source):
    data = {name: top / name for name in RECORD["datasets"]}
    for name, folder in data.items():
        datasets.prepare(name, folder, network=False, **source)
    analysis.main(data=data, printed_tables=TABLES, folder=top / "out", seed=3, effort="quick")
    return top / "out"


def compared(folder):
    computed = read_computed(folder / "computed.csv")
    # The workflow traces what moves a value; here every value is taken to rest on something.
    untraced = pd.DataFrame({"target": computed["target"].unique()}).assign(
        rests_on="untraced", restates="", values=""
    )
    return compare(
        read_published(PAPER / "published.csv"),
        computed,
        read_errata(PAPER / "errata.csv"),
        standing=read_standing(PAPER / "standing.csv"),
        dependence=untraced,
        paper="su2008",
    )


@pytest.fixture(scope="module")
def results(analysis, tmp_path_factory):
    """Everything the analysis writes, from simulated ratings."""
    top = tmp_path_factory.mktemp("su2008")
    return run(analysis, top, mode="simulated", seed=3, mirror=None)


@pytest.fixture(scope="module")
def real_results(analysis, tmp_path_factory, mirror):
    """Everything the analysis writes, from the real ratings."""
    return run(analysis, tmp_path_factory.mktemp("real"), mode="real", mirror=mirror)


def test_simulated_ratings_claim_nothing(results):
    comparison = compared(results)
    assert not (comparison["verdict"] == "missing").any()
    of_ratings = comparison[comparison["basis"] == "public_data"].query("kind == 'result'")
    assert set(of_ratings["verdict"]) == {"stand_in"}
    assert check(comparison) == []
    computed = read_computed(results / "computed.csv").set_index("target")
    targets = computed[computed["method"] == "calibration target"]
    assert targets.index.str.startswith("table5.").sum() == 16


def test_the_real_ratings_give_table_5_but_for_two_values_that_are_cut_off(real_results):
    comparison = compared(real_results)
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


def test_no_percentage_and_no_kappa_of_section_4_deviates(results):
    comparison = compared(results).set_index("target")
    coefficients = comparison.index.str.match(r".*(_kappa|\.observed_agreement)$")
    verdicts = comparison.loc[coefficients, "verdict"]
    # A category that is not collapsed keeps its kappa, which is no second piece of evidence.
    again = [
        f"{name}.single_category_kappa"
        for name in ("subjectivity.b", "polarity.b", "polarity.v", "polarity.nopol")
    ]
    assert set(verdicts[again]) == {"restated"}
    assert set(verdicts.drop(again)) == {"reproduced"}


def test_what_is_printed_again_is_the_same_number_of_the_full_scheme(study):
    single = {
        scheme: agreement.cohen_kappa(a).by_category().set_index("category")["estimate"]
        for scheme, a in study.test.items()
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


def test_figures_of_simulated_ratings_say_so_and_those_of_printed_tables_do_not(results):
    # Letters are drawn as shapes; matplotlib leaves each text beside them as a comment.
    for name, says in (("reliability", True), ("rater2", True), ("kappas", False)):
        drawn = (results / "figures" / f"{name}.svg").read_bytes()
        assert (b"Simulated stand-in, not the real Micro-WNOp ratings" in drawn) is says, name


def test_figures_of_real_ratings_do_not_call_them_simulated(real_results):
    assert b"Simulated" not in (real_results / "figures" / "rater2.svg").read_bytes()


def test_the_analysis_writes_every_figure_and_table_of_its_record(results):
    figures = {figure["name"] for figure in RECORD["figures"]}
    tables = {table["name"] for table in RECORD["tables"]}
    for suffix in ("svg", "png"):
        assert {path.stem for path in (results / "figures").glob(f"*.{suffix}")} == figures
    assert {path.stem for path in (results / "tables").iterdir()} == tables
    captions = json.loads((results / "captions.json").read_text())
    assert set(captions) == figures | {f"tables/{name}" for name in tables}
    assert all({"caption", "provenance", "seed"} <= set(captions[name]) for name in figures)
    for name in ("reliability", "rater2"):
        assert captions[name]["provenance"] == "simulated"


def test_kappa_of_the_test_set_follows_from_the_printed_totals(study):
    # Table 2: 7 + 41 + 65 + 17 + 253 + 25 + 13 = 421 of 496 on the diagonal; sums of products
    # of totals 11*17 + 42*58 + 71*80 + 27*31 + 284*257 + 41*30 + 20*23 = 83818.
    observed, expected = Fraction(421, 496), Fraction(83818, 496**2)
    kappa = agreement.cohen_kappa(study.test["full"])
    assert kappa.observed_agreement == pytest.approx(float(observed), rel=1e-12)
    assert kappa.estimate == pytest.approx(float((observed - expected) / (1 - expected)), rel=1e-12)


def test_a_single_category_kappa_follows_from_its_row_and_column(study):
    # B: both 7, rows alone 4, columns alone 10, neither 475; chance (11*17 + 485*479) / 496^2.
    observed, expected = Fraction(482, 496), Fraction(11 * 17 + 485 * 479, 496**2)
    single = agreement.cohen_kappa(study.test["full"]).by_category().set_index("category")
    wanted = (observed - expected) / (1 - expected)
    assert single.loc["B", "estimate"] == pytest.approx(float(wanted), rel=1e-12)


def test_rows_are_annotator_2_and_columns_annotator_1(analysis, study):
    table = analysis.contingency(study.train["full"])
    printed = pd.read_csv(PAPER / "tables" / "table1.csv", comment="#", index_col="category")
    assert (table.to_numpy() == printed.to_numpy()).all()
    second = study.train["full"].by_annotator[1]
    assert np.bincount(study.train["full"].label[second]).tolist() == [3, 15, 10, 21, 51, 6, 4]


def test_collapsing_table_2_gives_the_printed_blocks(analysis, study):
    assert analysis.contingency(study.test["subjectivity"]).to_numpy().tolist() == [
        [7, 4, 0],
        [0, 135, 5],
        [10, 30, 305],
    ]
    polarity = analysis.contingency(study.test["polarity"])
    assert list(polarity) == ["B", "N", "P", "V", "NoPol"]
    assert polarity.loc["NoPol"].tolist() == [9, 6, 10, 6, 253]


def test_both_levels_name_every_category_of_the_tables(analysis, study):
    assert set(analysis.LEVELS.categories) == set(study.test["full"].categories)
    with pytest.raises(AnnotationError, match="no new name is given for 'S', 'O'"):
        analysis.LEVELS.collapse(study.test["subjectivity"], "polarity")


def test_equal_labels_stay_equal_so_observed_agreement_proves_nothing(study):
    full, polarity = study.test["full"], study.test["polarity"]
    before, after = (a.label[:496] == a.label[496:] for a in (full, polarity))
    # McNemar's table of the comparison: 21 synsets are won, none can be lost.
    assert (after & ~before).sum() == 21
    assert not (before & ~after).any()


def test_the_gain_of_kappa_by_polarity_is_significant_and_that_by_subjectivity_is_not(results):
    rows = pd.read_csv(results / "tables" / "differences.csv").set_index("target")
    assert rows.loc["polarity.cohen_kappa_gain", "p_value"] < 0.001
    assert rows.loc["subjectivity.cohen_kappa_gain", "p_value"] > 0.1
    assert rows.loc["test.cohen_kappa_gain", "p_value"] > 0.5


def test_of_a_claim_about_both_coarser_readings_the_lower_agreement_answers(analysis):
    printed = pd.read_csv(PAPER / "tables" / "counts.csv", comment="#").set_index("name")["value"]
    found = analysis.arithmetic(printed, [90.1, 80.2])
    assert found["collapsed.observed_agreement"] == 80.2
    assert found["sense_level.observed_agreement_gain"] == pytest.approx(1.5)


def test_exchanging_the_annotators_gives_the_counts_of_section_4_4(analysis, study):
    claims = analysis.annotator_claims(study)
    assert claims["annotator2.n_positive"] == 91
    assert analysis.turned(claims) == {
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
    scores = analysis.wide(data).to_numpy()
    pooled = scores.ravel()
    expected = np.abs(pooled[:, None] - pooled)
    observed = np.abs(scores[:, 0] - scores[:, 1]).mean()
    corrected = expected.sum() / (pooled.size * (pooled.size - 1))
    for name, chance in (("alpha", expected.mean()), ("alpha, corrected", corrected)):
        found = analysis.COEFFICIENTS[name](data.annotations)
        assert found.estimate == pytest.approx(1 - observed / chance, rel=1e-10), name


def test_a_table_whose_rows_and_columns_differ_is_refused(analysis, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# Table 9\ncategory,B,S\nB,1,0\nO,0,1\n")
    with pytest.raises(ValueError, match=r"table\.csv: rows are \['B', 'O'\], but columns"):
        analysis.read_confusion(path)
