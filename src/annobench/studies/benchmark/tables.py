"""The tables of a benchmark: what a page shows, and what is stored."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import __version__
from annobench.core.files import replacing
from annobench.studies.benchmark.cases import BenchmarkCase
from annobench.studies.benchmark.comparison import REFERENCES, compare, verdict
from annobench.studies.benchmark.fits import FitRecord, Model, in_order


@dataclass(frozen=True, eq=False)
class BenchmarkTables:
    """What came out of a benchmark.

    Attributes
    ----------
    scores : DataFrame
        A row for every problem, method and score, as from `compare`.
    fits : DataFrame
        A row for every problem and method: problem, provenance, n_labels, method, status, seconds
        of processor time, megabytes, converged, note.
    methods : DataFrame
        A row for every method, as from `describe_methods`.
    settings : dict
        What decided the numbers, to be shown: `seed`, `limit` and `replicates`, versions of
        software, and whatever else the caller adds.
    """

    scores: pd.DataFrame
    fits: pd.DataFrame
    methods: pd.DataFrame
    settings: dict[str, Any]

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables as CSV files and the settings as JSON, which `read_tables` reads.

        Parameters
        ----------
        folder : path
            It exists.
        """
        for name, table in self._frames().items():
            with replacing(Path(folder) / f"{name}.csv") as draft:
                table.to_csv(draft, index=False, float_format="%.6g", lineterminator="\n")
        with replacing(Path(folder) / "settings.json") as draft:
            draft.write_text(json.dumps(self.settings, indent=1) + "\n", encoding="utf-8")

    def _frames(self) -> dict[str, pd.DataFrame]:
        return {each.name: getattr(self, each.name) for each in fields(self)[:-1]}


def read_tables(folder: str | os.PathLike[str]) -> BenchmarkTables:
    """Read what `BenchmarkTables.write` wrote.

    Parameters
    ----------
    folder : path
        Its folder.

    Returns
    -------
    BenchmarkTables
        The tables, with numbers as they were rounded.
    """
    frames = {
        each.name: pd.read_csv(Path(folder) / f"{each.name}.csv", keep_default_na=True)
        for each in fields(BenchmarkTables)[:-1]
    }
    settings = json.loads((Path(folder) / "settings.json").read_text(encoding="utf-8"))
    return BenchmarkTables(**frames, settings=settings)


def tabulate(
    cases: Sequence[BenchmarkCase],
    records: Iterable[FitRecord],
    methods: Iterable[Model],
    *,
    replicates: int,
    seed: int,
    settings: Mapping[str, Any] | None = None,
) -> BenchmarkTables:
    """Score fits, and put everything into tables.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        What was fitted.
    records : iterable of FitRecord
        From any number of calls of `fit_all`.
    methods : iterable of Model
        Those of the records.
    replicates : int
        Resamples of the items.
    seed : int
        Of the resampling.
    settings : mapping, optional
        More that the page is to show, such as the limit of a fit.

    Returns
    -------
    BenchmarkTables
        All that a page needs.
    """
    found = in_order(cases, records)
    scores = pd.concat(
        [
            compare(
                case,
                [record for record in found if record.problem == case.name],
                replicates=replicates,
                seed=seed,
            )
            for case in cases
        ],
        ignore_index=True,
    )
    for reference in REFERENCES:
        scores[f"versus_{reference}"] = verdict(scores, reference)
    about = {"seed": seed, "replicates": replicates, "versions": versions()}
    return BenchmarkTables(
        scores=scores,
        fits=describe_fits(cases, found),
        methods=describe_methods(methods),
        settings=about | dict(settings or {}),
    )


def describe_methods(methods: Iterable[Model]) -> pd.DataFrame:
    """Describe methods by their records.

    Parameters
    ----------
    methods : iterable of Model
        Of different names.

    Returns
    -------
    DataFrame
        A row each: method, reference, deterministic, and the phrases of its conventions.
    """
    return pd.DataFrame(
        [
            {
                "method": each.METHOD.name,
                "reference": each.METHOD.reference,
                "deterministic": each.METHOD.deterministic,
                **vars(each.METHOD.conventions),
            }
            for each in methods
        ]
    )


def describe_fits(cases: Iterable[BenchmarkCase], records: Iterable[FitRecord]) -> pd.DataFrame:
    """Tabulate the outcome and the cost of each fit.

    Parameters
    ----------
    cases : iterable of BenchmarkCase
        All that were fitted.
    records : iterable of FitRecord
        As from `fit_all`.

    Returns
    -------
    DataFrame
        A row for each record, as in `BenchmarkTables`.
    """
    by_name = {case.name: case for case in cases}
    return pd.DataFrame(
        [
            {
                "problem": each.problem,
                "provenance": by_name[each.problem].provenance,
                "n_labels": by_name[each.problem].annotations.n_labels,
                "method": each.method,
                "status": each.status,
                "seconds": each.seconds,
                "megabytes": each.peak_bytes / 1e6,
                "converged": each.converged,
                "note": each.note,
            }
            for each in records
        ]
    )


def versions() -> dict[str, str]:
    """Return the versions of the software that decides the numbers.

    Returns
    -------
    dict of str to str
        By name.
    """
    found = {"annobench": __version__, "python": platform.python_version()}
    return found | {name: version(name) for name in ("numpy", "scipy", "numba")}
