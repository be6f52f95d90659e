"""Every verdict must be able to fail: what restates a number is found by changing numbers.

Each paper's analysis is run at quick effort with all its numbers changed at once, several
times; a value that moves one for one with a single number, or with nothing, is no evidence.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from long_papers import LONG_TO_TRACE

from annobench import datasets
from annobench.reporting.printed import parse_printed
from annobench_replication.dependence import Number, trace
from annobench_replication.ledger import read_published, read_standing
from annobench_replication.tracing import TracedPaper
from catalogue import read_paper

TOP = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in (TOP / "workflow" / "papers").glob("*/paper.yaml"))
SEED = 20081


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            folder, id=folder.name, marks=[pytest.mark.slow] if folder.name in LONG_TO_TRACE else []
        )
        for folder in FOLDERS
    ],
)
def folder(request):
    return request.param


@pytest.fixture(scope="module")
def found(folder, simulated_folder):
    """What each value rests on, from simulated data, and one value that was typed in."""
    record = read_paper(folder / "paper.yaml", datasets.names())
    if record.results == "none":
        return None
    paper = TracedPaper(folder, {id: simulated_folder(id) for id in record.datasets}, SEED)

    # A printed value typed into a table on purpose, and returned as if it were computed.
    typed = Number("text.csv, typed on purpose", "text.csv", ".7342")

    def analysis(changes, data):
        text = changes.get(typed, typed.text)
        return paper(changes, data) | {"typed": float(parse_printed(text).value)}

    rng = np.random.default_rng(SEED)
    table = trace(analysis, [*paper.numbers, typed], paper.data, rng, n_small=3, by_group=False)
    return table.set_index("target")


def test_a_printed_value_typed_into_a_table_is_found(found):
    if found is not None:
        assert found.loc["typed", "restates"] == "text.csv, typed on purpose"


def test_what_counts_in_spite_of_a_restatement_is_one(folder, found):
    standing = read_standing(folder / "standing.csv")
    counted = set(standing.loc[standing["counts"] == "yes", "target"])
    if read_paper(folder / "paper.yaml", datasets.names()).datasets:
        return  # On simulated data other counts happen to stay where they are.
    restated = set() if found is None else set(found.index[found["restates"] != ""])
    assert counted <= restated, f"needless in standing.csv: {sorted(counted - restated)}"


def test_every_result_that_is_judged_was_traced(folder, found):
    published = read_published(folder / "published.csv")
    judged = published.query("kind == 'result' and basis not in ('given', 'none')")["target"]
    traced = set() if found is None else set(found.index)
    assert set(judged) <= traced, f"not computed at quick effort: {sorted(set(judged) - traced)}"


def test_the_list_of_inputs_is_that_of_the_papers():
    """`make inputs` lists them anew, and which value one of them alone moves."""
    stored = pd.read_csv(TOP / "workflow" / "inputs.csv", dtype="str", keep_default_na=False)
    listed = stored.groupby("paper")[["input", "text"]].apply(lambda rows: [*rows.itertuples()])
    for folder in FOLDERS:
        numbers = [(n.name, n.text) for n in TracedPaper(folder, {}, SEED).numbers]
        known = [(row.input, row.text) for row in listed.get(folder.name, [])]
        assert known == numbers, f"make inputs PAPERS={folder.name}"
