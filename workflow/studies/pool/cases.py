"""Labels with gold, and what every method makes of them: fitted once, and kept as a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models
from annobench.benchmark.cases import BenchmarkCase
from annobench.core.errors import AnnotationError
from annobench.models import pool
from annobench.models._log_linear import FLOOR, log_features

Floats = NDArray[np.float64]

#: Who collected the labels; data sets that are not listed are families by themselves.
FAMILIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "snow2008_rte": "Snow et al.",
        "snow2008_temp": "Snow et al.",
        "snow2008_wsd": "Snow et al.",
        "snow2008_zaenen": "Snow et al.",
        "ti_trec": "TREC",
        "ti_relevance": "TREC",
        "ti_zencrowd_all": "ZenCrowd",
        "ti_zencrowd_in": "ZenCrowd",
        "ti_zencrowd_us": "ZenCrowd",
        "ti_cf": "CrowdScale",
        "ti_facts": "CrowdScale",
        "ti_ms": "ActiveCrowdToolkit",
        "ti_sp": "ActiveCrowdToolkit",
        "llm_eval_v1": "llm_eval",
        "llm_eval_v2": "llm_eval",
    }
)


#: Data sets with the labels of another, which alone is learned from.
DUPLICATES: Final[Mapping[str, str]] = MappingProxyType(
    {"ti_rte": "snow2008_rte", "ti_product": "cti_product"}
)


def family_of(name: str) -> str:
    """Return the family of a data set."""
    name = DUPLICATES.get(name, name)
    return FAMILIES.get(name, name)


@dataclass(frozen=True, eq=False)
class Case:
    """Items with gold, and the probabilities of every method.

    Attributes
    ----------
    name : str
        Of the data set or regime.
    provenance : str
        "real", "simulated" or "regime".
    gold : ndarray of int, shape (n,)
        Gold categories.
    tables : mapping of str to ndarray, shape (n, K)
        Probabilities by method.
    """

    name: str
    provenance: str
    gold: NDArray[np.int64]
    tables: Mapping[str, Floats]

    @property
    def family(self) -> str:
        """Who collected the labels."""
        return family_of(self.name)

    @cached_property
    def logs(self) -> Floats:
        """Log probabilities of the members of the pool, shape (n, K, M)."""
        return self.logs_above(FLOOR)

    def logs_above(self, floor: float) -> Floats:
        """Return log probabilities of the members with another floor."""
        return log_features([self.tables[name] for name in pool.MEMBERS], floor)

    def sample(self, size: int, seed: int) -> Case:
        """Return a random part of the items, all if there are no more."""
        if self.gold.size <= size:
            return self
        chosen = np.random.default_rng(seed).choice(self.gold.size, size, replace=False)
        tables = {name: table[chosen] for name, table in self.tables.items()}
        return Case(self.name, self.provenance, self.gold[chosen], tables)


def fitted(case: BenchmarkCase, names: Sequence[str]) -> pd.DataFrame:
    """Fit models to labels, and keep what they say of items with gold.

    Parameters
    ----------
    case : BenchmarkCase
        Labels and gold.
    names : sequence of str
        Models beside the members of the pool, by their defaults.

    Returns
    -------
    DataFrame
        A row per item with gold and category: `case`, `provenance`, `item`, `gold`, and a column
        per method; NaN where a model refuses the labels.
    """
    kept = np.flatnonzero(case.scored)
    k = case.annotations.n_categories
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        members, _ = pool.fit_members(case.annotations)
        tables = dict(zip(pool.MEMBERS, members, strict=True))
        for name in names:
            if name not in tables:
                tables[name] = _posterior(case, name)
    return pd.DataFrame(
        {
            "case": case.name,
            "provenance": case.provenance,
            "item": np.repeat(np.arange(kept.size), k),
            "gold": np.repeat(case.gold[kept], k),
        }
        | {name: table[kept].ravel() for name, table in tables.items()}
    )


def _posterior(case: BenchmarkCase, name: str) -> Floats:
    try:
        return models.fit(case.annotations, name).posterior
    except AnnotationError:
        return np.full((case.annotations.n_items, case.annotations.n_categories), np.nan)


def read(measured: pd.DataFrame) -> Iterator[Case]:
    """Yield cases from the rows of `fitted`, those of simulated data sets left out."""
    methods = list(measured.columns[4:])
    for name, rows in measured.groupby("case", sort=False):
        provenance = rows["provenance"].iloc[0]
        n = rows["item"].nunique()
        tables = {
            method: rows[method].to_numpy().reshape(n, -1)
            for method in methods
            if rows[method].notna().all()
        }
        yield Case(str(name), provenance, rows["gold"].to_numpy().reshape(n, -1)[:, 0], tables)


def by_family(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Group cases by family."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.family, []).append(case)
    return found
