"""Records of printed values and of discrepancies, with an address and a line to cite for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from annobench import __version__
from annobench.reporting.formats import shown
from annobench.reporting.pages import records
from annobench_replication.faces import FACES, RELATIONS

#: Columns of the comparison that a record repeats, by their names there.
REPEATED = {
    "paper": "paper",
    "target": "target",
    "source": "source",
    "label": "quantity",
    "relation": "relation",
    "published": "printed",
    "unit": "unit",
    "computed": "computed",
    "lower": "lower",
    "upper": "upper",
    "level": "level",
    "verdict": "verdict",
    "provenance": "provenance",
    "rests_on": "rests_on",
    "erratum": "erratum",
}


def address(row: Mapping[str, Any]) -> str:
    """Return where a value stands, as seen from the site's root."""
    return f"papers/{row['paper']}/index.html#{row['target']}"


def citation(row: Mapping[str, Any], paper: str) -> str:
    """Return a line to cite a value by.

    Parameters
    ----------
    row : dict
        Of the comparison.
    paper : str
        What the paper is called, such as "Carpenter (2008)".
    """
    unit = f" {row['unit']}" if row["unit"] else ""
    computed = shown(row["computed"], row["published"])
    outcome = f", computed {computed}{unit}" if computed else ""
    return (
        f"{paper}, {row['source']}, {row['label'] or row['target']}: "
        f"printed {RELATIONS[row['relation']]}{row['published']}{unit}{outcome} "
        f"({FACES[row['verdict']].words}). annobench {__version__}, {address(row)}"
    )


def value_records(comparison: pd.DataFrame, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what `values.json` has: a record of each value, with what nothing is known of as null.

    Parameters
    ----------
    comparison : DataFrame
        All values, as `read_comparison` gives them.
    names : mapping of str to str
        What papers are called, by their keys.
    """
    found = [
        _known({name: row[column] for column, name in REPEATED.items()})
        | {"address": address(row), "cite": citation(row, names[row["paper"]])}
        for row in records(comparison)
    ]
    return {"version": __version__, "values": found}


def errata_records(table: pd.DataFrame) -> dict[str, Any]:
    """Return what `errata.json` has: the rows of `discrepancies.csv`.

    Parameters
    ----------
    table : DataFrame
        As `pages.discrepancies.table_of` gives it.
    """
    named = [
        {"address" if k == "permalink" else k: v for k, v in row.items()} for row in records(table)
    ]
    return {"version": __version__, "errata": [_known(row) for row in named]}


def _known(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: None if value != value or value == "" else value for name, value in record.items()
    }
