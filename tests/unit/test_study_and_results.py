"""The contract of a paper: what an analysis may read and write, and what it is told if not."""

import json

import numpy as np
import pandas as pd
import pytest

from annobench import datasets, plotting
from annobench.core.errors import PublicationError
from annobench.datasets import LoadedData
from annobench_replication.analysis import Analysis
from annobench_replication.exhibit import Exhibit
from annobench_replication.ledger import CALIBRATION_METHOD, Computed, read_computed
from annobench_replication.results import STAND_IN, Results
from annobench_replication.study import Study

FIGURE = Exhibit("figure1", "A figure", "Figure 1", "Drawn {times} times. Data: {provenance}.")
TABLE = Exhibit("table1", "A table", "Table 1")


@pytest.fixture(scope="module")
def simulated():
    return datasets.load("anesthesia", mode="simulated")


@pytest.fixture
def real(simulated):
    meta = simulated.meta | {"provenance": "real"}
    return LoadedData(simulated.id, simulated.labels, simulated.items, meta)


@pytest.fixture
def study(simulated, real):
    tables = {"counts": "# Counts.\nname,value\nitems,45\n"}
    return Study({"stand_in": simulated, "real": real}, tables)


@pytest.fixture
def results(study, tmp_path):
    return Results(study, tmp_path, figures=[FIGURE], tables=[TABLE], calibrated=["data."], seed=7)


def draw():
    figure, (axes,) = plotting.panels(1)
    axes.plot([0, 1])
    return figure


def test_a_study_gives_tables_numbers_and_data(study, simulated):
    assert study.numbers("counts")["items"] == 45
    assert study.printed("counts", dtype="str").loc[0, "value"] == "45"
    assert study.data("stand_in") is simulated
    assert study.resource("wordnet") is None


@pytest.mark.parametrize("ask", [lambda s: s.data("other"), lambda s: s.printed("other")])
def test_what_a_study_does_not_hold_is_named_with_a_remedy(study, ask):
    with pytest.raises(PublicationError, match="'other'; there are"):
        ask(study)


@pytest.mark.parametrize(
    ("of", "provenance"),
    [
        (["real"], "real"),
        (["real", "closed_form"], "real"),
        (["real", "printed"], "printed_table"),
        (["closed_form", "printed"], "printed_table"),
        (["real", "stand_in"], "simulated"),
        (["printed", "simulation"], "simulated"),
    ],
)
def test_the_weakest_provenance_counts(study, of, provenance):
    assert study.provenance(*of) == provenance


def test_values_carry_provenance_and_calibrated_ones_of_stand_ins_are_no_results(results, tmp_path):
    results.values({"data.n": 3}, of="stand_in")
    results.values({"data.n": 3}, of="real")
    results.values([Computed("kappa", 0.5, lower=0.4, upper=0.6, level=0.95)], of="printed")
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    rows = read_computed(tmp_path / "computed.csv")
    assert rows["method"].tolist() == [CALIBRATION_METHOD, "paper", "paper"]
    assert rows["provenance"].tolist() == ["simulated", "real", "printed_table"]


def test_values_come_before_tables_and_figures(results):
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    with pytest.raises(PublicationError, match="values come after a table or a figure"):
        results.values({"kappa": 1.0}, of="printed")


def test_everything_listed_is_written_and_nothing_else(results):
    with pytest.raises(PublicationError, match="'table2', which is not among the tables"):
        results.table("table2", pd.DataFrame(), of="printed")
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    with pytest.raises(PublicationError, match="'table1' of the tables twice"):
        results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    with pytest.raises(PublicationError, match="did not write figure1, which"):
        results.finish()


def caption_of(folder, name):
    return json.loads((folder / "captions.json").read_text())[name]


def test_what_the_analysis_did_not_write_is_marked_and_the_rest_stays(results, tmp_path):
    results.values({"kappa": 0.5}, of="printed")
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    with pytest.raises(PublicationError, match="did not write figure1"):
        results.finish()
    assert read_computed(tmp_path / "computed.csv")["value"].tolist() == [0.5]
    assert (tmp_path / "tables/table1.csv").read_text() == "a\n1\n"
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        "figure1.svg",
        "figure1.png",
    }
    assert "Not made: the analysis did not write" in caption_of(tmp_path, "figure1")["caption"]
    assert caption_of(tmp_path, "tables/table1")["provenance"] == "printed_table"


def test_a_stand_in_that_cannot_be_drawn_fails_alone(results, tmp_path):
    results.values({"kappa": 0.5}, of="printed")
    results.fail("214 links at $3 don't fit.")
    results.figure("figure1", draw, of="printed", caption={"times": 2})
    with pytest.raises(
        PublicationError, match=r"don't fit\. Not made because of it: tables/table1\."
    ):
        results.finish()
    assert len(read_computed(tmp_path / "computed.csv")) == 1
    assert caption_of(tmp_path, "figure1")["caption"].startswith("Drawn 2 times")
    assert "214 links" in (tmp_path / "tables/table1.csv").read_text()


def test_values_at_fault_are_not_written_and_everything_says_why(results, tmp_path):
    for _ in range(2):
        results.values({"kappa": 0.5}, of="printed")
    with pytest.raises(PublicationError, match="stands there twice"):
        results.complete_values()
    results.abandon("'kappa' stands there twice, at $3 and $4")
    assert read_computed(tmp_path / "computed.csv").empty
    assert "stands there twice" in caption_of(tmp_path, "figure1")["caption"]


def test_a_table_may_be_made_where_it_is_written(results, tmp_path):
    def make(n, *, name):
        return pd.DataFrame({name: range(n)})

    made = results.table("table1", make, 2, name="a", of="printed")
    assert made["a"].tolist() == [0, 1]
    assert (tmp_path / "tables" / "table1.csv").read_text() == "a\n0\n1\n"


def test_a_table_is_written_with_as_many_digits_as_asked_for(results, tmp_path):
    made = results.table("table1", pd.DataFrame({"a": [2 / 3, 1.0]}), digits=3, of="printed")
    assert made["a"].tolist() == [2 / 3, 1.0]
    assert (tmp_path / "tables" / "table1.csv").read_text() == "a\n0.667\n1\n"


@pytest.mark.parametrize(("of", "says"), [("stand_in", True), ("real", False), ("printed", False)])
def test_a_figure_of_a_stand_in_says_so(results, tmp_path, of, says):
    results.figure("figure1", draw, of=of, caption={"times": 2})
    drawn = (tmp_path / "figures" / "figure1.svg").read_bytes()
    assert (STAND_IN.encode() in drawn) is says
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    results.finish()
    said = json.loads((tmp_path / "captions.json").read_text())["figure1"]
    word = {"stand_in": "simulated", "real": "real", "printed": "printed_table"}[of]
    assert said == {"provenance": word, "seed": 7, "caption": f"Drawn 2 times. Data: {word}."}


def test_captions_can_be_read_in_their_file_whatever_their_letters(results, tmp_path):
    results.figure("figure1", draw, of="real", caption={"times": "2 × 3"})
    results.table("table1", pd.DataFrame({"a": [1]}), of="printed")
    results.finish()
    assert "Drawn 2 × 3 times" in (tmp_path / "captions.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("of", "has_seed"), [("stand_in", True), ("printed", False)])
def test_an_analysis_that_draws_nothing_has_the_seed_of_its_simulated_data(
    study, simulated, tmp_path, of, has_seed
):
    results = Results(study, tmp_path, figures=[], tables=[TABLE], seed=None)
    results.table("table1", pd.DataFrame({"a": [1]}), of=of)
    results.finish()
    said = json.loads((tmp_path / "captions.json").read_text())["tables/table1"]
    assert said["seed"] == (simulated.meta["seed"] if has_seed else None)


@pytest.mark.parametrize(
    ("statement", "drew"),
    [("rng.random()", True), ("rng.spawn(1)", True), ("rng.bit_generator", False)],
)
def test_a_run_says_whether_the_analysis_drew(tmp_path, study, statement, drew):
    (tmp_path / "analysis.py").write_text(
        f"def analyse(study, results, rng, effort):\n    {statement}\n"
    )
    results = Results(study, tmp_path, figures=[], tables=[], seed=1)
    assert Analysis(tmp_path).run(study, results, seed=1) is drew


def test_a_caption_that_is_not_filled_is_refused(results):
    with pytest.raises(PublicationError, match="names times, which the"):
        results.figure("figure1", draw, of="printed")


def test_an_analysis_without_its_entry_is_refused(tmp_path):
    (tmp_path / "analysis.py").write_text("from . import values\n")
    (tmp_path / "values.py").write_text("N = 3\n")
    with pytest.raises(PublicationError, match="no function `analyse`"):
        Analysis(tmp_path)


def test_an_analysis_has_its_own_copy_of_its_modules(tmp_path, study, results):
    (tmp_path / "values.py").write_text("N = 3\n")
    (tmp_path / "analysis.py").write_text(
        "from . import values\n"
        "def analyse(study, results, rng, effort):\n"
        "    results.values({'n': values.N + rng.random()}, of='closed_form')\n"
    )
    first, second = Analysis(tmp_path), Analysis(tmp_path)
    first.modules[1].N = 4
    with pytest.raises(PublicationError, match="did not write"):
        second.run(study, results, seed=1)
    assert results.rows[0].value == 3 + np.random.default_rng(1).random()
    assert [module.__name__.split(".")[1] for module in first.modules] == ["analysis", "values"]


def test_a_value_keeps_the_line_of_the_papers_own_modules_that_made_it(tmp_path, study, results):
    (tmp_path / "values.py").write_text(
        "from annobench_replication.rows import value_row\n"
        "def rows():\n"
        "    return [value_row('made.in_rows', 1.0)]\n"
    )
    (tmp_path / "analysis.py").write_text(
        "from . import values\n"
        "def analyse(study, results, rng, effort):\n"
        "    results.values({'n': 1.0}, of='closed_form')\n"
        "    results.values(values.rows(), of='closed_form')\n"
    )
    with pytest.raises(PublicationError, match="did not write"):
        Analysis(tmp_path).run(study, results, seed=1)
    assert [row.made_by for row in results.rows] == ["analysis.py:3", "values.py:3"]
    assert Computed("elsewhere", 1.0).made_by == ""
