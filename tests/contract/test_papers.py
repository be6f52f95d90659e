"""What every paper's folder promises, found by discovery and not by a list."""

import ast
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from annobench import datasets
from annobench.core.errors import PublicationError
from annobench_replication.ledger import (
    PAPER_METHOD,
    read_computed,
    read_errata,
    read_published,
    read_remarks,
    read_standing,
)
from annobench_replication.results import STAND_IN
from catalogue import Search, read_paper
from scripts.papers import run_paper

TOP = Path(__file__).parents[2]
PUBLISHED_FIGURES = Path(__file__).parent / "published_figures.csv"
PUBLISHED_TABLES = Path(__file__).parent / "published_tables.csv"
EXAMPLE = TOP / "tests" / "workflow" / "example_paper"
FOLDERS = sorted(path.parent for path in (TOP / "workflow" / "papers").glob("*/paper.yaml"))
FILES = {
    *("paper.yaml", "published.csv", "errata.csv", "remarks.csv", "standing.csv"),
    "analysis.py",
}
#: A module says one thing; longer ones are split by what they say.
MAX_LINES = 450
#: What a label says fits into one line of a table.
MAX_LABEL = 90
#: A summary is read at a glance.
MAX_SUMMARY = 700
#: Counts of values by their verdict are computed.
COUNTED = re.compile(r"\b\d+ (of \d+|values|numbers|reproduce|deviate|differ)")


@pytest.fixture(params=[*FOLDERS, EXAMPLE], ids=lambda folder: folder.name)
def folder(request):
    return request.param


@pytest.fixture
def paper(folder):
    return read_paper(folder / "paper.yaml", datasets.names())


def test_discovery_finds_a_paper():
    assert FOLDERS


def test_a_paper_has_every_file_and_no_other_but_modules(folder):
    found = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert found >= FILES
    extra = {name for name in found - FILES - {"tables", "layouts"} if not name.endswith(".py")}
    assert extra == ({"example_paper.ipynb"} if folder == EXAMPLE else set())


def test_no_module_of_a_paper_is_long(folder):
    lines = {path.name: path.read_text().count("\n") for path in folder.glob("*.py")}
    assert max(lines.values()) <= MAX_LINES, lines


def test_a_paper_has_a_notebook(folder, paper):
    home = folder if folder == EXAMPLE else TOP / "notebooks"
    assert (home / f"{paper.key}.ipynb").is_file()


def test_published_values_keep_their_contract(folder, paper):
    assert read_published(folder / "published.csv").empty == (paper.results == "none")


def test_explanations_are_of_published_values(folder):
    published = set(read_published(folder / "published.csv")["target"])
    assert set(read_errata(folder / "errata.csv")["target"]) <= published


def test_mistakes_are_told_apart_by_their_ids(folder):
    errata, remarks = read_errata(folder / "errata.csv"), read_remarks(folder / "remarks.csv")
    assert not set(errata["id"]) & set(remarks["id"])


def test_what_was_released_beside_the_paper_is_a_source_of_values(folder, paper):
    sources = set(read_published(folder / "published.csv")["source"])
    assert {*paper.released, *paper.second_hand} <= sources
    assert not set(paper.released) & set(paper.second_hand)


def test_what_is_quoted_was_at_hand(folder, paper):
    remarks = read_remarks(folder / "remarks.csv")
    for text in remarks["printed"]:
        assert text.count("“") == text.count("”"), text
        # Plain quotation marks are the paper's own, within a quotation.
        assert '"' not in re.sub("“[^”]*”", "", text), text
    assert paper.text != "none" or not remarks["printed"].str.contains("“").any()


def test_the_papers_that_the_workbench_was_made_for_are_thirteen():
    records = [read_paper(each / "paper.yaml", datasets.names()) for each in FOLDERS]
    seeds = [record for record in records if record.collection == "seed"]
    assert len(seeds) == 13
    assert {record.year for record in seeds} <= set(range(2008, 2015))
    assert not any(record.released for record in seeds)


def test_every_value_has_a_label_that_a_reader_understands(folder):
    published = read_published(folder / "published.csv")
    label, target = published["label"], published["target"]
    wrong = published[
        (label != label.str.strip())
        | ~label.str.len().between(4, MAX_LABEL)
        | label.str.endswith(".")
        # As in a target, not as in A_m or D_Product.
        | label.str.contains("[a-z0-9]_")
        | (label == target)
        | published.duplicated(["source", "label"], keep=False)
    ]
    assert wrong.empty, wrong[["target", "source", "label"]].to_string()


def test_a_summary_is_two_or_three_sentences_without_counts_of_verdicts(paper):
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z0-9])", paper.summary.strip())
    assert 2 <= len(sentences) <= 4, sentences
    assert len(paper.summary) <= MAX_SUMMARY
    assert not COUNTED.search(paper.summary), COUNTED.search(paper.summary)


def unsearched(paper, published):
    """Return what a paper calls unavailable without a recorded search."""
    lost = [s for s in paper.not_public if not any(each.covers(s) for each in paper.searches)]
    if (published["basis"] == "none").any() and not paper.searches:
        lost.append("values of basis none")
    stray = [
        each.subject
        for each in paper.searches
        if not any(each.covers(s) for s in (*paper.not_public, *["all"][: not paper.not_public]))
    ]
    return lost + stray


def test_what_is_not_at_hand_was_searched_for(folder, paper):
    assert unsearched(paper, read_published(folder / "published.csv")) == []


def test_a_search_that_is_missing_or_of_nothing_is_found(folder, paper):
    published = read_published(folder / "published.csv")
    stray = replace(paper, searches=(*paper.searches, Search("No such sentence", "x", "x", "x")))
    assert "No such sentence" in unsearched(stray, published)
    if paper.not_public:
        without = unsearched(replace(paper, searches=()), published)
        assert set(paper.not_public) <= set(without)


def test_nothing_is_called_not_published(folder):
    """Only a search can say so, and none of ours saw everything."""
    for name in ("paper.yaml", "published.csv"):
        assert not re.search("(never|not) published", (folder / name).read_text(encoding="utf-8"))


def test_a_paper_says_where_it_is_published(folder, paper):
    assert paper.url or folder == EXAMPLE


def test_a_standing_is_of_a_published_result_and_names_a_test_that_exists(folder):
    published = read_published(folder / "published.csv").set_index("target")
    for row in read_standing(folder / "standing.csv").itertuples():
        assert published.loc[row.target, "kind"] == "result", row.target
        if row.counts == "yes":
            file, _, name = row.test.partition("::")
            assert f"def {name}(" in (TOP / file).read_text(), row.test


def test_a_printed_table_says_in_its_first_line_what_it_is(paper):
    for table in paper.printed_tables:
        assert table.read_text().startswith("# "), table


def published_figures():
    table = pd.read_csv(PUBLISHED_FIGURES, comment="#", dtype=str, index_col="key")["figures"]
    return table.fillna("").str.split().to_dict()


def figures_in(folder):
    return ["1"] if folder == EXAMPLE else published_figures()[folder.name]


def tables_in(folder):
    return ["Table 1"] if folder == EXAMPLE else published_tables()[folder.name]


def test_the_figures_of_every_paper_are_known():
    assert set(published_figures()) == {folder.name for folder in FOLDERS}


def test_each_published_figure_is_shown_or_named_as_missing_with_the_reason(folder, paper):
    shown = {exhibit.source for exhibit in (*paper.figures, *paper.layouts)}
    missing = {each.source for each in paper.missing_figures}
    assert not shown & missing
    for number in figures_in(folder):
        assert f"Figure {number}" in shown | missing, number


def test_a_figure_is_not_said_to_be_one_that_the_paper_does_not_have(folder, paper):
    published = {f"Figure {number}" for number in figures_in(folder)}
    for each in (*paper.figures, *paper.missing_figures):
        if named := re.match(r"Figure \d+", each.source):
            assert named.group() in published, each.source


def test_what_is_ours_says_so_once(paper):
    """A heading begins with "Ours" of itself where the source is no part of the paper."""
    for each in (*paper.figures, *paper.layouts, *paper.tables):
        assert not re.match("(?i)ours", each.title), each.name
        assert not re.match("(?i)ours", each.source), each.name


def published_tables():
    table = pd.read_csv(PUBLISHED_TABLES, comment="#", dtype=str, index_col="key")["tables"]
    return {key: names.split(";") if names else [] for key, names in table.fillna("").items()}


def test_the_tables_of_every_paper_are_known():
    assert set(published_tables()) == {folder.name for folder in FOLDERS}


def test_each_published_table_has_a_layout(folder, paper):
    tables = tables_in(folder)
    assert [table.source for table in paper.layouts if table.source in tables] == tables
    files = {path.name for path in (folder / "layouts").glob("*")}
    assert files == {paper.layout(table).name for table in paper.layouts}


def test_the_contents_are_the_published_figures_and_tables(folder, paper):
    figures = [f"Figure {number}" for number in figures_in(folder)]
    assert sorted(paper.contents) == sorted([*figures, *tables_in(folder)])


def test_a_layout_has_every_result_that_its_table_prints(folder, paper):
    """Values that a table's cells lead to say so by the beginning of their targets."""
    published = read_published(folder / "published.csv")
    results = published[published["kind"] == "result"]
    for table in paper.layouts:
        text = paper.layout(table).read_text(encoding="utf-8") + table.caption
        named = re.findall(r"\{([^{}]*)\}", text)
        cells = [name for name in named if name in set(results["target"])]
        assert len(cells) == len(set(cells)), table.source
        assert set(named) <= set(published["target"]), table.source
        is_cell = (results["source"] == table.source) & results["target"].str.startswith(
            f"{table.name}."
        )
        unnamed = set(results.loc[is_cell, "target"]) - set(named)
        assert not unnamed, f"{table.source}: no cell has {sorted(unnamed)}"


def test_captions_call_a_colour_by_its_name(paper):
    for figure in paper.figures:
        words = set(re.findall(r"[a-z]+", figure.caption.lower()))
        assert not words & {"red", "vermilion", "gray", "yellow", "purple", "pink"}, figure.name


FORBIDDEN = {"read_published", "read_comparison", "read_csv", "read_text", "read_bytes", "open"}


def test_an_analysis_reads_through_its_study_alone(folder):
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "attr", getattr(called, "id", ""))
            assert name not in FORBIDDEN, f"{path.name}, line {node.lineno}: {name}"
            imported = [a.name for a in node.names] if isinstance(node, ast.ImportFrom) else []
            assert not FORBIDDEN & set(imported), f"{path.name}, line {node.lineno}"


def test_a_quick_run_writes_every_value_table_and_figure(folder, paper, quick_run):
    out = quick_run(paper)
    assert {path.name for path in (out / "tables").glob("*")} == {
        f"{table.name}.csv" for table in paper.tables
    }
    assert {path.name for path in (out / "figures").glob("*")} == {
        f"{figure.name}.{suffix}" for figure in paper.figures for suffix in ("svg", "png")
    }
    said = json.loads((out / "captions.json").read_text())
    assert set(said) == {f.name for f in paper.figures} | {f"tables/{t.name}" for t in paper.tables}
    published = read_published(folder / "published.csv")
    due = published.query("kind == 'result' and basis not in ('given', 'none')")["target"]
    computed = read_computed(out / "computed.csv")
    assert set(due) <= set(computed["target"])
    assert set(computed.query("method == @PAPER_METHOD")["target"]) <= set(published["target"])


def marked(out):
    """Return the figures that say that simulated data stand in."""
    # Letters are drawn as shapes; matplotlib leaves each text beside them as a comment.
    return {
        path.stem
        for path in (out / "figures").glob("*.svg")
        if STAND_IN.encode() in path.read_bytes()
    }


def test_simulated_data_sets_are_marked_and_are_no_results(paper, quick_run):
    out = quick_run(paper)
    said = json.loads((out / "captions.json").read_text())
    assert {said[name]["provenance"] for name in marked(out)} == (
        {"simulated"} if paper.datasets else set()
    )
    computed = read_computed(out / "computed.csv")
    assert not (computed["provenance"] == "real").any()
    simulated = computed[computed["provenance"] == "simulated"]
    calibrated = simulated[simulated["target"].str.startswith(paper.calibrated or ("-",))]
    assert PAPER_METHOD not in set(calibrated["method"])


@pytest.mark.parametrize("draws", [True, False])
def test_a_record_that_is_wrong_about_random_numbers_is_refused(tmp_path, simulated_folder, draws):
    folder = tmp_path / EXAMPLE.name
    shutil.copytree(EXAMPLE, folder)
    if draws:
        analysis = folder / "analysis.py"
        first = "    sizes = table1_sizes(labels)\n"
        drawn = "    rng.spawn(1)[0].random()\n"
        assert first in analysis.read_text()
        analysis.write_text(analysis.read_text().replace(first, drawn + first))
    paper = replace(read_paper(folder / "paper.yaml", datasets.names()), random=not draws)
    data = {id: simulated_folder(id) for id in paper.datasets}
    message = f"key random: {str(not draws).lower()}, but .* Write {str(draws).lower()}"
    with pytest.raises(PublicationError, match=message):
        run_paper.main(paper, data, tmp_path / "out", seed=1, effort="quick")
    run_paper.main(replace(paper, random=draws), data, tmp_path / "out", seed=1, effort="quick")


def test_a_figure_of_real_data_is_not_marked(tmp_path, mirror):
    paper = read_paper(EXAMPLE / "paper.yaml", datasets.names())
    for id in paper.datasets:
        datasets.prepare(id, tmp_path / id, mode="real", mirror=mirror, network=False)
    data = {id: tmp_path / id for id in paper.datasets}
    run_paper.main(paper, data, tmp_path / "out", seed=1, effort="quick")
    assert marked(tmp_path / "out") == set()


def scripts():
    found = sorted((TOP / "workflow").rglob("*.py"))
    return [path for path in found if re.search(r"^if .*\bglobals\(\)", path.read_text(), re.M)]


@pytest.mark.parametrize("path", scripts(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_script_has_no_future_import(path):
    # Snakemake puts lines of its own before a script's, and such an import must be the first.
    imports = [
        n.module for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)
    ]
    assert "__future__" not in imports
