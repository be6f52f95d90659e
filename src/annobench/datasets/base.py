"""Data sets: records, tables, and loaded data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import ReaderError
from annobench.core.optional import require
from annobench.datasets.sources import Source, SourceFile
from annobench.labels.annotations import Annotations, Scale

__all__ = ["DataSet", "DataTables", "LoadedData", "UnknownDatasetError", "validate"]


class UnknownDatasetError(ValueError):
    """A data set id that no module declares."""


@dataclass(frozen=True, eq=False)
class DataTables:
    """The two tables of a data set.

    Attributes
    ----------
    labels : DataFrame
        One row per label: `item`, `annotator`, `label` (text, or a number on the interval
        scale), and further columns of the source.
    items : DataFrame
        One row per item: `item` (unique), `gold` (may be missing), and text if available.
    """

    labels: pd.DataFrame
    items: pd.DataFrame

    @classmethod
    def without_gold(cls, labels: pd.DataFrame) -> DataTables:
        """Return tables whose items are those of the labels, with no gold standard.

        Parameters
        ----------
        labels : DataFrame
            One row per label.

        Returns
        -------
        DataTables
            The labels, numbered anew, and their items in the order of appearance.
        """
        items = pd.DataFrame({"item": pd.Series(labels["item"].unique(), dtype="str")})
        items["gold"] = pd.Series([None] * len(items), dtype="str")
        return cls(labels.reset_index(drop=True), items)


@dataclass(frozen=True)
class DataSet:
    """The record of one data set.

    Attributes
    ----------
    id : str
        Name of the data set in configuration, paths and commands.
    title : str
        One line for people.
    citation : str
        The publication that introduced the labels.
    home : tuple of str
        Addresses of the original homes of the data.
    source : Source
        The pinned repository.
    files : tuple of SourceFile
        The files of the source that `parse` needs.
    scale : {"nominal", "ordinal", "interval"}
        Scale of the labels.
    categories : tuple of str or None
        The categories in order; None on the interval scale, and empty for free text.
    parse : callable
        Makes the tables from a mapping of source path to local path.
    simulate : callable
        Makes tables of the same layout from a generator and the files of `simulate_from`
        that are held locally.
    calibration : tuple of str
        What the simulator is calibrated to, with the source.
    targets : mapping of str to float
        The calibrated aggregates, by the names that `_simulators.aggregates` gives them.
    simulate_from : tuple of SourceFile
        Files that the simulator uses when they are available.
    texts : tuple of SourceFile
        Files without labels: if only these are missing, the labels are real.
    """

    id: str
    title: str
    citation: str
    home: tuple[str, ...]
    source: Source
    files: tuple[SourceFile, ...]
    scale: Scale
    categories: tuple[str, ...] | None
    parse: Callable[[Mapping[str, Path]], DataTables]
    simulate: Callable[[np.random.Generator, Mapping[str, Path]], DataTables]
    calibration: tuple[str, ...]
    targets: Mapping[str, float] = field(default_factory=dict)
    simulate_from: tuple[SourceFile, ...] = ()
    texts: tuple[SourceFile, ...] = ()


@dataclass(frozen=True, eq=False)
class LoadedData:
    """A data set ready for analysis.

    Attributes
    ----------
    id : str
        Its name.
    labels, items : DataFrame
        Its two tables.
    meta : dict
        Contents of `meta.json`.
    """

    id: str
    labels: pd.DataFrame
    items: pd.DataFrame
    meta: dict[str, Any]

    @property
    def provenance(self) -> str:
        """Either "real" or "simulated"."""
        return str(self.meta["provenance"])

    @cached_property
    def annotations(self) -> Annotations:
        """The labels as codes; items in the order of `items`, categories in the record's."""
        return Annotations.from_frame(
            self.labels,
            items=self.items["item"],
            categories=self.meta["categories"] or None,
            scale=self.meta["scale"],
        )

    @cached_property
    def gold(self) -> NDArray[Any]:
        """The gold standard of each item, shape (I,).

        Codes of categories with -1 where there is none; on the interval scale numbers with NaN.
        """
        gold = self.items["gold"]
        if self.meta["scale"] == "interval":
            return gold.to_numpy(dtype=float)
        codes = pd.Index(self.meta["categories"]).get_indexer(pd.Index(gold))
        return np.asarray(codes, dtype=np.int64)


def validate(
    tables: DataTables, *, scale: Scale, categories: tuple[str, ...] | None, where: str
) -> DataTables:
    """Check the tables of a data set against the common layout.

    Parameters
    ----------
    tables : DataTables
        The tables.
    scale : {"nominal", "ordinal", "interval"}
        Interval labels and golds must be finite numbers, others among the categories.
    categories : tuple of str or None
        The categories known; empty where any label is one.
    where : str
        Name of the data set, for messages.

    Returns
    -------
    DataTables
        The same tables.

    Raises
    ------
    ReaderError
        If a column is missing or of the wrong type, an item is listed twice or not at all,
        or a label is not a category.
    """
    # Imported here because it takes longer to import than most data sets to read.
    pa = require("pandera.pandas", "A public data set")

    named = pa.Check.str_length(min_value=1)
    known = pa.Check.isin(set(tables.items["item"]) if "item" in tables.items else ())
    kind: type = float if scale == "interval" else str
    allowed = pa.Check(np.isfinite) if scale == "interval" else pa.Check.isin(categories or ())
    if categories == ():
        allowed = named
    schemas = {
        "labels": pa.DataFrameSchema(
            {
                "item": pa.Column(str, known),
                "annotator": pa.Column(str, named),
                "label": pa.Column(kind, allowed),
            }
        ),
        "items": pa.DataFrameSchema(
            {
                "item": pa.Column(str, named, unique=True),
                "gold": pa.Column(kind, allowed, nullable=True),
            }
        ),
    }
    for table, schema in schemas.items():
        try:
            schema.validate(getattr(tables, table), lazy=True)
        except pa.errors.SchemaErrors as error:
            cases = error.failure_cases.head(5)
            shown = "; ".join(
                f"column {row.column} row {row.index}: {row.failure_case!r} fails {row.check}"
                for row in cases.itertuples(index=False)
            )
            raise ReaderError(
                f"{where}, table {table}: {shown}. Correct the data set's parser or record."
            ) from error
    return tables
