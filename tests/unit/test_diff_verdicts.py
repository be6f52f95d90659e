"""What a change did to verdicts and values is shown row by row."""

import shutil

import pandas as pd
import pytest

from annobench_replication.ledger import COMPARISON_COLUMNS, write_comparison
from commands import diff_verdicts

ROWS = [
    ("su2008", "a", "reproduced", "real", ".70", 0.7012),
    ("su2008", "b", "reproduced", "printed_table", "1,213", 1213.0),
    ("su2008", "c", "given", "", ".5", float("nan")),
]
OTHER = ("volk2008", "a", "reproduced", "printed_table", "201", 201.0)


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a comparison, and says what differs from the stored one."""
    arguments = {
        "results": tmp_path / "results",
        "papers": tmp_path / "papers",
        "verdicts": tmp_path / "verdicts.csv",
    }
    for key in ("su2008", "volk2008"):
        (tmp_path / "papers" / key).mkdir(parents=True)
        (tmp_path / "papers" / key / "paper.yaml").touch()

    def run(rows, *, store=False):
        columns = ["paper", "target", "verdict", "provenance", "published", "computed"]
        frame = pd.DataFrame(rows, columns=columns).reindex(columns=list(COMPARISON_COLUMNS))
        shutil.rmtree(tmp_path / "results", ignore_errors=True)
        for key, own in frame.groupby("paper"):
            folder = tmp_path / "results/papers" / key
            folder.mkdir(parents=True)
            write_comparison(own, folder / "comparison.csv")
        assert diff_verdicts.main(store=store, **arguments) == 0

    return run


def test_what_is_the_same_to_the_printed_precision_does_not_differ(files, capsys):
    files([*ROWS, OTHER], store=True)
    files([("su2008", "a", "reproduced", "real", ".70", 0.6988), *ROWS[1:], OTHER])
    assert capsys.readouterr().out.startswith("No verdict differs")


def test_turned_verdicts_values_and_rows_are_shown(files, capsys):
    files([*ROWS, OTHER], store=True)
    files(
        [
            OTHER,
            ("su2008", "a", "inconclusive", "real", ".70", 0.7012),
            ("su2008", "b", "reproduced", "printed_table", "1,213", 1214.0),
            ("su2008", "d", "reproduced", "printed_table", "3", 3.0),
        ]
    )
    assert capsys.readouterr().out.splitlines() == [
        "su2008 a: reproduced real 0.70 -> inconclusive real 0.70",
        "su2008 b: reproduced printed_table 1213 -> reproduced printed_table 1214",
        "su2008 c: given -> absent",
        "su2008 d: absent -> reproduced printed_table 3",
        "given, no provenance: 1 -> 0",
        "inconclusive, real: 0 -> 1",
        "reproduced, printed_table: 2 -> 3",
        "reproduced, real: 1 -> 0",
    ]


def test_a_paper_that_was_run_alone_is_compared_alone(files, capsys):
    files([*ROWS, OTHER], store=True)
    files([("volk2008", "a", "missing", "", "201", float("nan"))])
    assert capsys.readouterr().out.splitlines() == [
        "volk2008 a: reproduced printed_table 201 -> missing",
        "missing, no provenance: 0 -> 1",
        "reproduced, printed_table: 1 -> 0",
        "Not run: su2008.",
    ]


def test_verdicts_of_a_part_are_not_stored(files):
    with pytest.raises(SystemExit, match="no verdicts of volk2008"):
        files(ROWS, store=True)
