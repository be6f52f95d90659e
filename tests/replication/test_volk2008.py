"""Volk et al. (2008): what the printed numbers depend on, and what the analysis writes."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

from annobench.alignment import links
from annobench.core.errors import PublicationError
from annobench_replication.ledger import read_computed
from annobench_replication.tracing import TracedPaper
from annobench_replication.verdicts import check


@pytest.fixture(scope="module")
def printed(analysis, paper):
    return analysis.printed.Printed.of(paper.study())


@pytest.fixture(scope="module")
def comparison(paper, results):
    return paper.compared(results)


def test_all_that_deviates_is_one_sum(comparison):
    assert check(comparison) == []
    deviating = comparison[comparison["verdict"] == "deviates"]
    assert set(deviating["target"]) == {"strengths.economy.total"}
    assert set(deviating["erratum"]) == {"strengths_economy"}


def test_what_the_study_found_is_no_input(comparison):
    verdict = comparison.set_index("target")["verdict"]
    assert verdict["gold.sophie.word.exact"] == verdict["strengths.economy.both"] == "given"
    assert verdict["intro.n_students"] == verdict["experiment.sophie_share"] == "input"
    # 136 links less 4 * 2 and 3 leave 125 nodes, as printed.
    assert verdict["fan_out.sophie.german.one"] == "reproduced"


def test_another_number_of_nodes_refutes_the_1_to_1_alignments(analysis, printed):
    wrong = printed.fan_out.assign(two=printed.fan_out["two"] + 1)
    values = analysis.printed.gold_values(dataclasses.replace(printed, fan_out=wrong))
    assert values["fan_out.sophie.german.one"] == 123
    assert values["fan_out.economy.german.one"] == 205


@pytest.fixture(scope="module")
def impossible(paper):
    """The second table with a union that no students can have."""
    [path] = (path for path in paper.record.printed_tables if path.stem == "strengths")
    return path.read_text().replace("sophie,152,106,69,189", "sophie,152,106,69,900")


def test_printed_numbers_are_judged_where_no_students_can_have_them(paper, impossible, tmp_path):
    with pytest.raises(PublicationError, match="union of 900"):
        paper.run(paper.study(tables={"strengths": impossible}), tmp_path)
    computed = read_computed(tmp_path / "computed.csv").set_index("target")["value"]
    assert computed["strengths.sophie.total"] == 152 + 106 - 69
    assert "students.sophie.max_links" not in computed


def test_a_gold_standard_with_too_many_links_costs_the_students_alone(paper, tmp_path):
    [path] = (path for path in paper.record.printed_tables if path.stem == "gold")
    table = path.read_text().replace("economy,word,159", "economy,word,195")
    with pytest.raises(PublicationError, match="214 word links don't fit"):
        paper.run(paper.study(tables={"gold": table}), tmp_path)
    verdicts = paper.compared(tmp_path).set_index("target")["verdict"]
    assert verdicts["gold.economy.word.total"] != "reproduced"
    assert verdicts["gold.sophie.word.total"] == "reproduced"
    said = json.loads((tmp_path / "captions.json").read_text())
    not_made = {name for name, about in said.items() if about["provenance"] == "not_made"}
    assert not_made == {
        *("students", "support", "agreement", "tree_pair"),
        *("tables/calibration", "tables/predictions", "tables/agreement", "tables/students"),
    }
    assert len(list((tmp_path / "figures").glob("*.svg"))) == len(paper.record.figures)


def test_a_trace_takes_numbers_that_no_students_can_have(paper):
    traced = TracedPaper(paper.folder, {}, seed=1)
    [union] = (n for n in traced.numbers if n.text == "189")
    found = traced({union: "900"}, {})
    assert found["union.over_largest.upper"] == pytest.approx(100 * (900 / 125 - 1))
    assert "students.sophie.max_links" not in found
    assert "students.sophie.max_links" in traced({}, {})


def test_figures_of_simulated_students_say_so_and_others_do_not(results):
    # Letters are drawn as shapes; matplotlib leaves each text beside them as a comment.
    simulated = {
        path.stem
        for path in (results / "figures").glob("*.svg")
        if b"simulated" in path.read_bytes()
    }
    assert simulated == {"students", "support", "agreement", "tree_pair"}


def test_links_counted_from_either_side_are_those_of_the_first_table(analysis, printed):
    nodes = analysis.printed.fan_out_table(printed)
    for part, total in (("sophie", 75 + 3 + 46 + 12), ("economy", 159 + 19 + 62 + 9)):
        for side in ("german", "english"):
            rows = nodes[(nodes["part"] == part) & (nodes["side"] == side)]
            assert (rows["links"] * rows["nodes"]).sum() == total
    # Not printed: 136 links less three words with two each.
    single = nodes.query("part == 'sophie' and side == 'english' and links == 1")["nodes"]
    assert single.item() == 130


def test_the_second_row_of_the_strengths_does_not_add_up(analysis, printed):
    table = analysis.printed.strengths_table(printed).set_index("part")
    assert table.loc["sophie", "excess"] == 0
    assert table.loc["economy", ["sum", "excess"]].tolist() == [296 + 188 - 119, 1]
    assert table.loc["economy", "both_if_wrong"] == 118


def test_the_union_exceeds_by_more_than_half_in_one_part(analysis, printed):
    values = analysis.printed.union_values(analysis.printed.union_table(printed))
    assert values["union.over_largest.upper"] == pytest.approx(100 * (189 / 125 - 1))
    assert values["union.over_largest.lower"] == pytest.approx(100 * (366 / 259 - 1))
    assert values["union.over_gold.lower"] == pytest.approx(100 * (189 / 136 - 1))


def test_one_count_each_rounds_to_the_overlaps_in_the_novel(printed):
    overlaps = {
        (part, end): printed.overlaps(part, end)
        for part in ("sophie", "economy")
        for end in ("max", "min")
    }
    assert overlaps == {
        ("sophie", "max"): [110],
        ("sophie", "min"): [65],
        ("economy", "max"): [221, 222],
        ("economy", "min"): [164, 165],
    }


def test_the_best_student_can_have_no_more_links_than_anybody(analysis, printed):
    best = analysis.printed.bounds_table(printed).iloc[0]
    assert (best["shared"], best["most_own"]) == (110, 125 - 110)
    assert best["lowest_precision"] == pytest.approx(110 / 125)
    assert best["lowest_f_score"] == pytest.approx(220 / (125 + 136))


@pytest.mark.parametrize("part", ["sophie", "economy"])
def test_simulated_students_fill_the_printed_ranges(analysis, printed, part):
    group, row = analysis.simulate.Group.of(printed, part), printed.students.loc[part]
    hits, own = group.hits[:8], group.own[:8]
    assert round(100 * hits.max() / group.n_gold) == row["max_overlap"]
    assert round(100 * hits.min() / group.n_gold) == row["min_overlap"]
    assert (own.min(), own.max()) == (row["min_own"], row["max_own"])
    sizes = group.hits + group.own
    assert sizes.max() <= row["max_links"]
    assert sizes[8:].min() == row["min_links"]
    assert sizes[8:].max() < sizes[:8].min()
    # Were they independent, next to nothing would be drawn by all eight of the novel.
    assert 0.4 < group.shared < 0.7


def test_the_simulated_gold_standard_is_the_printed_one(analysis, printed, rng):
    group = analysis.simulate.Group.of(printed, "economy")
    drawn = group.draw(printed, (-1.0, 0.5), rng)
    table = links.sizes(drawn.of_annotators(["gold"])).set_index("kind")
    assert table.loc["word", ["exact", "fuzzy"]].tolist() == [159, 19]
    assert table.loc["phrase", ["exact", "fuzzy"]].tolist() == [62, 9]
    assert links.fan_out(drawn, "gold", "source") == {1: 207, 2: 21}
    assert links.fan_out(drawn, "gold", "target") == {1: 235, 2: 4, 3: 2}


def test_the_simulation_has_what_it_is_calibrated_to_in_its_ranges(results):
    table = pd.read_csv(results / "tables" / "predictions.csv")
    found = table[table["calibrated"] & table["quantity"].isin(["union", "exact", "fuzzy", "both"])]
    assert len(found) == 8
    # One repetition has a standard deviation of about 8 links, the mean of four one of 4.
    assert (np.abs(found["mean"] - found["printed"]) < 16).all()


def test_values_beside_unpublished_ones_make_no_claim(comparison):
    of_students = comparison[comparison["basis"] == "none"].query("kind == 'result'")
    assert set(of_students["verdict"]) == {"not_public"}
    assert set(of_students["provenance"]) <= {"simulated", ""}


GERMAN = "<corpus><s id='s1'><t id='a1' word='er'/><t id='a2' word='geht'/></s></corpus>"
ALIGNED = """<treealign><head><treebank id='de' filename='de.xml'/>
<treebank id='en' filename='en.xml'/></head>
<align type='good'><node treebank_id='de' node_id='a1'/>
<node treebank_id='en' node_id='a1'/></align>
<align type='fuzzy'><node treebank_id='de' node_id='a2'/>
<node treebank_id='en' node_id='a2'/></align></treealign>"""


def test_a_treebank_of_the_users_own_stands_below_the_printed_gold_standard(
    paper, results, tmp_path
):
    folder = tmp_path / "treebank"
    folder.mkdir()
    for name, text in {"de": GERMAN, "en": GERMAN, "novel": ALIGNED}.items():
        (folder / f"{name}.xml").write_text(text)
    found = paper.run(paper.study(resources={"treebank": folder}), tmp_path / "run")
    table = pd.read_csv(found / "tables" / "gold.csv")
    without = pd.read_csv(results / "tables" / "gold.csv")
    pd.testing.assert_frame_equal(table[: len(without)], without)
    added = table[len(without) :]
    assert added[["part", "kind"]].to_numpy().tolist() == [["novel", "word"], ["novel", "both"]]
    assert added[["exact", "fuzzy", "total"]].to_numpy().tolist() == [[1, 1, 2]] * 2
    for name in ("computed.csv", "tables/fan_out.csv"):
        assert (found / name).read_bytes() == (results / name).read_bytes()
