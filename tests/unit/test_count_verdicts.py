"""The README says what was counted, or the check of it fails."""

import json
from pathlib import Path

import pandas as pd
import pytest

from annobench_replication.ledger import COMPARISON_COLUMNS, write_comparison
from commands import count_verdicts

TOP = Path(__file__).parents[2]
#: What is counted where no run is named.
STORED = {
    "comparison": None,
    "verdicts": TOP / "workflow/verdicts.csv",
    "readme": TOP / "README.md",
}


def test_the_readme_has_the_counts_of_the_stored_verdicts():
    assert count_verdicts.main(**STORED, check=True) == 0


@pytest.fixture
def comparison(tmp_path):
    rows = [
        ("carpenter2008", "reproduced", "real", "", ""),
        ("carpenter2008", "within_interval", "simulated", "", ""),
        ("carpenter2008", "deviates", "real", "slip", "misprint"),
        ("carpenter2008", "deviates", "real", "slip", "misprint"),
        ("su2008", "restated", "printed_table", "", ""),
        ("su2008", "given", "", "", ""),
    ]
    columns = ["paper", "verdict", "provenance", "erratum", "cause"]
    frame = pd.DataFrame(rows, columns=columns).assign(relation="eq", published="1", computed=1.0)
    for id, provenance in (("muc6_person", "simulated"), ("muc6_gold", "real")):
        (tmp_path / "data" / id).mkdir(parents=True)
        meta = json.dumps({"id": id, "provenance": provenance})
        (tmp_path / "data" / id / "meta.json").write_text(meta)
    write_comparison(frame.reindex(columns=list(COMPARISON_COLUMNS)), tmp_path / "comparison.csv")
    return tmp_path / "comparison.csv"


def test_counts_are_written_and_then_found_to_be_right(comparison, tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{count_verdicts.BEGIN}\nold\n{count_verdicts.END}\nafter\n")
    arguments = {"comparison": comparison, "readme": readme, "verdicts": tmp_path / "none.csv"}
    assert count_verdicts.main(check=True, **arguments) == 1
    assert "Run `make readme`" in capsys.readouterr().err
    assert "old" in readme.read_text()
    assert count_verdicts.main(check=False, **arguments) == 0
    assert count_verdicts.main(check=True, **arguments) == 0
    text = readme.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert (
        "| Carpenter (2008) | snow2008, muc6\\*, carpenter_figures | 4 | 2 | 1 | 0 | 0 | 1 |"
        in text
    )
    assert "| **13 papers** |  | 4 | 2 | 1 | 0 | 0 | 1 |" in text
    assert "values of the 13 papers, 2 deviate, 0 are unresolved and 0 inconclusive." in text
    assert "Simulated in the run that is counted: `muc6_person`." in text
    assert "<svg" in (tmp_path / "docs/verdicts.svg").read_text()


def test_a_readme_without_its_place_is_refused(tmp_path, capsys):
    readme = tmp_path / "README.md"
    readme.write_text("nothing\n")
    assert count_verdicts.main(**STORED | {"readme": readme}, check=False) == 1
    assert "there must be one" in capsys.readouterr().err
