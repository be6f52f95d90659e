"""The tables of a benchmark, as shown on a page and stored."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from annobench import __version__
from annobench.benchmark.across import compare_across
from annobench.benchmark.averages import average
from annobench.benchmark.cases import BenchmarkCase, version_of
from annobench.benchmark.comparison import KEYS as COMPARISON_KEYS
from annobench.benchmark.comparison import compare
from annobench.benchmark.duplicates import same_labels
from annobench.benchmark.files import COMPRESSED, SETTINGS, TABLES, file_names
from annobench.benchmark.fits import FitRecord, Model, in_order
from annobench.benchmark.refits import KEYS as REFIT_KEYS
from annobench.benchmark.refits import join_refits
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.versions import versions

__all__ = ["BenchmarkTables", "counted", "read_table", "read_tables", "tabulate"]

#: Columns that are text, whatever they look like.
TEXT: Final = (
    *("author", "date", "benchmark"),
    *("problem", "method", "other", "score", "design", "curve", "provenance", "status", "note"),
    *(
        "about",
        "same_labels_as",
        "whole",
        "converged",
        "reference",
        "repeats",
        "ties",
        "smoothing",
        "start",
        "optimum",
        "source",
    ),
)


@dataclass(frozen=True, eq=False)
class BenchmarkTables:
    """Results of a benchmark.

    Attributes
    ----------
    scores, differences, curves : DataFrame
        As in `annobench.benchmark.comparison.Comparison`, of all problems.
    across : DataFrame
        Comparisons of methods across the data sets in `counted`, as from `compare_across`.
    averages : DataFrame
        Scores averaged over these data sets, as from `average`. Both exclude fits that have not
        converged.
    refits : DataFrame
        Scores of fits to subsets of the labels, as from `join_refits`; empty if there are none.
    refit_errors : DataFrame
        Standard errors of these scores over items.
    refit_notes : DataFrame
        Reasons for missing scores: problem, design, method, note.
    fits : DataFrame
        One row per problem and method: problem, method, status, seconds of processor time,
        megabytes, converged ("yes", "no" or ""), note.
    problems : DataFrame
        One row per problem: problem, provenance ("real", "simulated" for an unavailable data set,
        "regime"), n_items (scored), n_annotators, n_labels, n_categories, same_labels_as (the name
        of an earlier problem with the same labels under other names, or empty), about.
    methods : DataFrame
        One row per method, as from `describe_methods`.
    settings : dict
        Settings that determine the results: `seed`, `replicates`, `versions` of software, `data`
        (the version of the data, as from `version_of`), and the caller's; the page shows `limit`,
        `grid`, `command` and `folder`.
    """

    scores: pd.DataFrame
    differences: pd.DataFrame
    curves: pd.DataFrame
    across: pd.DataFrame
    averages: pd.DataFrame
    refits: pd.DataFrame
    refit_errors: pd.DataFrame
    refit_notes: pd.DataFrame
    fits: pd.DataFrame
    problems: pd.DataFrame
    methods: pd.DataFrame
    settings: dict[str, Any]

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The tables by name."""
        return {name: getattr(self, name) for name in TABLES}

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write tables and settings for `read_tables`.

        Parameters
        ----------
        folder : path
            An existing folder; `file_names` lists its files.
        """
        for name, table in self.frames.items():
            digits = "%.3g" if name == "differences" else "%.5g"
            text = table.to_csv(index=False, float_format=digits, lineterminator="\n").encode()
            with replacing(Path(folder) / file_names()[name]) as draft:
                draft.write_bytes(gzip.compress(text, mtime=0) if name in COMPRESSED else text)
        with replacing(Path(folder) / SETTINGS) as draft:
            draft.write_text(json.dumps(self.settings, indent=1) + "\n", encoding="utf-8")


def read_tables(folder: str | os.PathLike[str]) -> BenchmarkTables:
    """Read tables written by `BenchmarkTables.write`.

    Parameters
    ----------
    folder : path
        The folder.

    Returns
    -------
    BenchmarkTables
        The tables, with rounded numbers.
    """
    frames = {name: read_table(Path(folder) / file) for name, file in file_names().items()}
    settings = json.loads((Path(folder) / SETTINGS).read_text(encoding="utf-8"))
    return BenchmarkTables(**frames, settings=settings)


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read one table of a benchmark, in which a method may be called "NA", or 1.

    Parameters
    ----------
    path : path
        A CSV file.

    Returns
    -------
    DataFrame
        The table, with the columns in `TEXT` as text, empty if missing.
    """
    types = dict.fromkeys(TEXT, str)
    table = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
    text = [name for name in TEXT if name in table]
    table[text] = table[text].fillna("")
    return table


def tabulate(
    cases: Sequence[BenchmarkCase],
    records: Iterable[FitRecord],
    methods: Iterable[Model],
    *,
    replicates: int,
    seed: int,
    refits: Iterable[pd.DataFrame] = (),
    settings: Mapping[str, Any] | None = None,
) -> BenchmarkTables:
    """Score fits, compare methods, and tabulate the results.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        What was fitted.
    records : iterable of FitRecord
        From any number of calls of `fit_all`.
    methods : iterable of Model
        The methods of the records.
    replicates : int
        Number of resamples of the items, at least 2.
    seed : int
        Of the resampling.
    refits : iterable of DataFrame
        Tables from `refit`.
    settings : mapping, optional
        More that the page is to show.

    Returns
    -------
    BenchmarkTables
        The tables for a page.

    Raises
    ------
    AnnotationError
        If method names are not unique, or equal a column of the tables.
    """
    compared = list(methods)
    _check_names([each.METHOD.name for each in compared])
    found = in_order(cases, records)
    results = [
        compare(
            case,
            [record for record in found if record.problem == case.name],
            replicates=replicates,
            seed=seed,
        )
        for case in cases
    ]
    first = {
        "scores": ["problem", "method", "score", "estimate"],
        "differences": ["problem", "score", "method", "critical"],
        "curves": ["problem", "method", "curve"],
    }
    together = {
        name: _leading(pd.concat([getattr(each, name) for each in results]), columns)
        for name, columns in first.items()
    }
    problems = describe_cases(cases)
    counting = counted(problems)
    n_items = {case.name: int(case.scored.sum()) for case in cases if case.name in counting}
    values, errors, notes = join_refits(refits)
    about: dict[str, Any] = {"seed": seed, "replicates": replicates, "versions": versions()}
    about["data"] = version_of(cases)
    about |= dict(settings or {})
    fits = describe_fits(found)
    # Of a fit that has not converged the score is not that of the method.
    scores, curves = (without_unconverged(together[each], fits) for each in ("scores", "curves"))
    return BenchmarkTables(
        **together,
        across=compare_across(scores, together["differences"], n_items, seed),
        averages=average(scores, curves, counting, str(about.get("reference", ""))),
        refits=values,
        refit_errors=errors,
        refit_notes=notes,
        fits=fits,
        problems=problems,
        methods=describe_methods(compared),
        settings=about,
    )


def without_unconverged(table: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """Leave out results of fits that have not converged."""
    keys = ["problem", "method"]
    lost = pd.MultiIndex.from_frame(fits.loc[fits["converged"] == "no", keys])
    return table[~pd.MultiIndex.from_frame(table[keys]).isin(lost)]


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1 or name in (*COMPARISON_KEYS, *REFIT_KEYS):
            raise AnnotationError(
                f"tabulate: the name {name!r} is taken by another method or a column of the "
                "tables. Rename the method."
            )


def _leading(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Put columns first, and reset the index."""
    others = [name for name in table.columns if name not in columns]
    return table[[*columns, *others]].reset_index(drop=True)


def describe_methods(methods: Iterable[Model]) -> pd.DataFrame:
    """Describe methods by their records."""
    return pd.DataFrame(
        [
            {
                "method": each.METHOD.name,
                "reference": each.METHOD.reference,
                "source": getattr(each, "SOURCE", f"annobench {__version__}"),
                "deterministic": each.METHOD.deterministic,
                **vars(each.METHOD.conventions),
            }
            for each in methods
        ]
    )


def describe_cases(cases: Iterable[BenchmarkCase]) -> pd.DataFrame:
    """Tabulate the size of each case."""
    listed = list(cases)
    # Only of real data sets: a regime is as it was drawn.
    twins = same_labels(each for each in listed if each.provenance == "real")
    return pd.DataFrame(
        [
            {
                "problem": each.name,
                "provenance": each.provenance,
                "n_items": int(each.scored.sum()),
                "n_annotators": int(np.unique(each.annotations.annotator).size),
                "n_labels": each.annotations.n_labels,
                "n_categories": each.annotations.n_categories,
                "same_labels_as": twins.get(each.name, ""),
                "about": each.about,
            }
            for each in listed
        ]
    )


def counted(problems: pd.DataFrame) -> list[str]:
    """Return the data sets used in averages, ranks and comparisons across data sets.

    Parameters
    ----------
    problems : DataFrame
        As in `BenchmarkTables`.

    Returns
    -------
    list of str
        Names of the real data sets; only the first of several with the same labels.
    """
    if problems.empty:
        return []
    kept = (problems["provenance"] == "real") & (problems["same_labels_as"] == "")
    return list(problems.loc[kept, "problem"])


def describe_fits(records: Iterable[FitRecord]) -> pd.DataFrame:
    """Tabulate the outcome and the cost of each fit."""
    return pd.DataFrame(
        [
            {
                "problem": each.problem,
                "method": each.method,
                "status": each.status,
                "seconds": each.seconds,
                "megabytes": each.peak_bytes / 1e6,
                "converged": {True: "yes", False: "no", None: ""}[each.converged],
                "note": each.note,
            }
            for each in records
        ]
    )
