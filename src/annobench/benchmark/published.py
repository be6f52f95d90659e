"""Published accuracies of aggregation methods on public data sets, with their sources.

The file beside this module has a row per value: `problem`, the data set's name here; `metric`;
`published_method`, the method as its authors call it, with their settings; `method`, the model here
of the same definition; `value`, as printed; `source`.
"""

from __future__ import annotations

from importlib import resources

import pandas as pd

from annobench.benchmark.ranking import data_title
from annobench.benchmark.tables import BenchmarkTables

__all__ = ["beside", "published_accuracies"]


def published_accuracies() -> pd.DataFrame:
    """Read the published accuracies.

    Returns
    -------
    DataFrame
        One row per value: problem, metric, published_method, method, value as a number, text as
        printed, and source.
    """
    with resources.files("annobench.benchmark").joinpath("published.csv").open("rb") as stream:
        table = pd.read_csv(stream, dtype=str)
    return table.assign(text=table["value"], value=table["value"].astype(float))


def beside(tables: BenchmarkTables) -> pd.DataFrame:
    """Put published accuracies beside those of a comparison.

    Parameters
    ----------
    tables : BenchmarkTables
        The comparison; only real data sets are compared with published values.

    Returns
    -------
    DataFrame
        The published values of these data sets and methods, with the data set's title, our
        accuracy, the difference, ours minus the published one, and whether our fit did not
        converge, unconverged.
    """
    problems = tables.problems
    real = problems.loc[problems["provenance"] == "real", "problem"]
    keys = ["problem", "method"]
    accuracy = tables.scores[tables.scores["score"] == "accuracy"]
    table = published_accuracies()
    table = table[table["problem"].isin(real)]
    table = table.merge(accuracy[[*keys, "estimate"]], on=keys)
    table = table.merge(tables.fits[[*keys, "converged"]], on=keys)
    table = table.assign(
        difference=table["estimate"] - table["value"],
        unconverged=table["converged"] == "no",
        title=table["problem"].map(data_title),
    )
    return table.rename(columns={"estimate": "accuracy"}).drop(columns="converged")
