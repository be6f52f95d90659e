"""Volk et al. (2008): what the printed numbers depend on, and what the analysis writes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from annobench import alignment
from annobench.compare import check, compare, read_computed, read_errata, read_published

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "volk2008"
TABLES = sorted((PAPER / "tables").glob("*.csv"))
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())


@pytest.fixture(scope="module")
def printed(analysis):
    return analysis.Printed.read(TABLES)


@pytest.fixture
def few_classes(analysis, monkeypatch):
    """Few simulated classes; no verdict hangs on their number."""
    monkeypatch.setattr(analysis, "N_CLASSES", 2)
    monkeypatch.setattr(analysis, "N_INDEPENDENT", 2)


@pytest.fixture(scope="module")
def results(analysis, without_figures, tmp_path_factory):
    """Everything the analysis writes, with empty figures."""
    folder = tmp_path_factory.mktemp("volk2008")
    with without_figures() as patch:
        patch.setattr(analysis, "N_CLASSES", 8)
        patch.setattr(analysis, "N_INDEPENDENT", 4)
        analysis.main(printed_tables=TABLES, folder=folder, seed=20080823)
    return folder


@pytest.mark.slow
def test_every_figure_is_drawn_and_says_where_it_is_simulated(analysis, few_classes, tmp_path):
    analysis.main(printed_tables=TABLES, folder=tmp_path, seed=20080823)
    drawn = list((tmp_path / "figures").iterdir())
    assert len(drawn) == 2 * len(RECORD["figures"])
    assert all(path.stat().st_size > 5_000 for path in drawn)
    for name in ("support", "agreement", "tree_pair"):
        assert b"#d55e00" in (tmp_path / "figures" / f"{name}.svg").read_bytes().lower()


@pytest.fixture(scope="module")
def comparison(results):
    return compare(
        read_published(PAPER / "published.csv"),
        read_computed(results / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        paper="volk2008",
    )


def test_nothing_is_missing_unexplained_or_stale(comparison):
    assert len(comparison) == 92
    assert check(comparison) == []
    deviating = comparison.loc[comparison["verdict"] == "deviates", "target"]
    assert set(deviating) == {
        "union.over_largest.upper",
        "strengths.economy.total",
        "strengths.text.economy.total",
    }


def test_the_analysis_writes_every_figure_and_table_of_its_record(results):
    figures = {figure["name"] for figure in RECORD["figures"]}
    tables = {table["name"] for table in RECORD["tables"]}
    for suffix in ("svg", "png"):
        assert {path.stem for path in (results / "figures").glob(f"*.{suffix}")} == figures
    assert {path.stem for path in (results / "tables").iterdir()} == tables
    captions = json.loads((results / "captions.json").read_text())
    assert set(captions) == figures | {f"tables/{name}" for name in tables}
    for name in ("support", "agreement", "tree_pair"):
        assert captions[name]["provenance"] == "simulated"


def test_links_counted_from_either_side_are_those_of_the_first_table(analysis, printed):
    nodes = analysis.fan_out_table(printed)
    for part, total in (("sophie", 75 + 3 + 46 + 12), ("economy", 159 + 19 + 62 + 9)):
        for side in ("german", "english"):
            rows = nodes[(nodes["part"] == part) & (nodes["side"] == side)]
            assert (rows["links"] * rows["nodes"]).sum() == total
    # Not printed: 136 links less three words with two each.
    single = nodes.query("part == 'sophie' and side == 'english' and links == 1")["nodes"]
    assert single.item() == 130


def test_the_second_row_of_the_strengths_does_not_add_up(analysis, printed):
    table = analysis.strengths_table(printed).set_index("part")
    assert table.loc["sophie", "excess"] == 0
    assert table.loc["economy", ["sum", "excess"]].tolist() == [296 + 188 - 119, 1]
    assert table.loc["economy", "both_if_wrong"] == 118


def test_the_union_exceeds_by_more_than_half_in_one_part(analysis, printed):
    values = analysis.union_values(analysis.union_table(printed))
    assert values["union.over_largest.upper"] == pytest.approx(100 * (189 / 125 - 1))
    assert values["union.over_largest.lower"] == pytest.approx(100 * (366 / 259 - 1))
    assert values["union.over_gold.lower"] == pytest.approx(100 * (189 / 136 - 1))


def test_one_count_each_rounds_to_the_overlaps_in_the_novel(analysis):
    assert analysis.counts_of(81, 136) == [110]
    assert analysis.counts_of(48, 136) == [65]
    assert analysis.counts_of(89, 249) == [221, 222]
    assert analysis.counts_of(66, 249) == [164, 165]


def test_the_best_student_can_have_no_more_links_than_anybody(analysis, printed):
    best = analysis.bounds_table(printed).iloc[0]
    assert (best["shared"], best["most_own"]) == (110, 125 - 110)
    assert best["lowest_precision"] == pytest.approx(110 / 125)
    assert best["lowest_f_score"] == pytest.approx(220 / (125 + 136))


@pytest.mark.parametrize("part", ["sophie", "economy"])
def test_simulated_students_fill_the_printed_ranges(analysis, printed, part):
    room, row = analysis.Class.of(printed, part), printed.students.loc[part]
    hits, own = room.hits[:8], room.own[:8]
    assert round(100 * hits.max() / room.n_gold) == row["max_overlap"]
    assert round(100 * hits.min() / room.n_gold) == row["min_overlap"]
    assert (own.min(), own.max()) == (row["min_own"], row["max_own"])
    sizes = room.hits + room.own
    assert sizes.max() <= row["max_links"]
    assert sizes[8:].min() == row["min_links"]
    assert sizes[8:].max() < sizes[:8].min()
    # Were they independent, next to nothing would be drawn by all eight of the novel.
    assert 0.4 < room.shared < 0.7


def test_the_simulated_gold_standard_is_the_printed_one(analysis, printed, rng):
    room = analysis.Class.of(printed, "economy")
    drawn = room.draw(printed, (-1.0, 0.5), rng)
    table = alignment.sizes(drawn.of_annotators(["gold"])).set_index("kind")
    assert table.loc["word", ["exact", "fuzzy"]].tolist() == [159, 19]
    assert table.loc["phrase", ["exact", "fuzzy"]].tolist() == [62, 9]
    assert alignment.fan_out(drawn, "gold", "source") == {1: 207, 2: 21}
    assert alignment.fan_out(drawn, "gold", "target") == {1: 235, 2: 4, 3: 2}


def test_the_simulation_has_what_it_is_calibrated_to_in_its_ranges(results):
    table = pd.read_csv(results / "tables" / "predictions.csv")
    found = table[table["calibrated"] & table["quantity"].isin(["union", "exact", "fuzzy", "both"])]
    assert len(found) == 8
    # A class has a standard deviation of about 8 links, the mean of eight classes one of 3.
    assert (np.abs(found["mean"] - found["printed"]) < 12).all()


def test_values_beside_unpublished_ones_make_no_claim(comparison):
    of_students = comparison[comparison["basis"] == "none"].query("kind == 'result'")
    assert set(of_students["verdict"]) == {"not_public"}
    assert set(of_students["provenance"]) <= {"simulated", ""}
