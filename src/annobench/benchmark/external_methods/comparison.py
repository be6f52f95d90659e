"""Comparison of external methods with the library's: fits, tables, ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from annobench import models
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.external_methods.candidate import Candidate
from annobench.benchmark.external_methods.stored import fit_or_recall
from annobench.benchmark.files import SETTINGS
from annobench.benchmark.files import file_names as tables_of_benchmark
from annobench.benchmark.fits import FitRecord, Model, fit_all
from annobench.benchmark.ranking import LEVEL, conclusion, rank
from annobench.benchmark.tables import BenchmarkTables, tabulate
from annobench.core.files import write_csv
from annobench.evaluation.gold_size import detectable, differences_in_accuracy

__all__ = ["REFERENCE", "Outcome", "compare", "distinct", "file_names", "what_gold_tells"]

#: The model that others are compared with at first.
REFERENCE = "dawid_skene"

_RANKING = "ranking.csv"


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results of a comparison.

    Attributes
    ----------
    tables : BenchmarkTables
        Scores, fits and methods, as in the benchmark.
    candidates : tuple of str
        Names of the external methods.
    ranking : DataFrame
        The methods, lowest mean log loss first, as from `annobench.benchmark.ranking.rank`.
    rankings : dict of str to DataFrame
        The same for each case alone, with tests of the accuracy: `minus_best`, the difference from
        the first method; `discordance`, the share of the items on which one of the two is right;
        `p_value`, of McNemar's test with Holm's correction; and `items_needed` to show this
        difference, see `annobench.evaluation.gold_size`. If there is one case, `ranking` is this.
    fits : tuple of FitRecord
        Fits of the external methods.
    """

    tables: BenchmarkTables
    candidates: tuple[str, ...]
    ranking: pd.DataFrame
    rankings: Mapping[str, pd.DataFrame]
    fits: tuple[FitRecord, ...] = ()

    @property
    def conclusion(self) -> str:
        """The ranking in a sentence."""
        return conclusion(self.ranking, list(self.rankings))

    def write(self, folder: Path) -> None:
        """Write the tables of the benchmark, and `ranking.csv`.

        Parameters
        ----------
        folder : Path
            The folder; created if necessary.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.tables.write(folder)
        write_csv(self.ranking, folder / _RANKING, float_format="%.6g")


def file_names() -> list[str]:
    """Return the names of the files that `Outcome.write` writes.

    Returns
    -------
    list of str
        The tables, and the settings.
    """
    return [*tables_of_benchmark().values(), SETTINGS, _RANKING]


def opponents(names: Sequence[str]) -> list[Model]:
    """Return models of the library by name."""
    known = models.discover()
    if not names:
        return [known[name] for name in sorted(known)]
    return [models.get(name) for name in dict.fromkeys([*names, REFERENCE])]


def distinct(candidates: Sequence[Candidate], taken: Sequence[str]) -> list[Candidate]:
    """Give candidates unique names.

    Parameters
    ----------
    candidates : sequence of Candidate
        The candidates.
    taken : sequence of str
        Names of other methods.

    Returns
    -------
    list of Candidate
        The candidates; numbers are appended to names that are taken.
    """
    found: list[Candidate] = []
    used = set(taken)
    for each in candidates:
        name, n = each.METHOD.name, 2
        while name in used:
            name, n = f"{each.METHOD.name} ({n})", n + 1
        used.add(name)
        found.append(replace(each, METHOD=replace(each.METHOD, name=name)))
    return found


def compare(
    cases: Sequence[BenchmarkCase],
    candidates: Sequence[Candidate],
    *,
    against: Sequence[str] = (),
    limit: float,
    seed: int,
    replicates: int,
    settings: Mapping[str, Any] | None = None,
    begin: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Compare external methods with the library's models.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        Labels with gold; names must be unique.
    candidates : sequence of Candidate
        Methods that passed the checks of `contract`; may be empty.
    against : sequence of str
        Names of models; by default all. Dawid and Skene's is always included.
    limit : float
        Processor time of a fit in seconds.
    seed : int
        Seed of random methods and of the resampling.
    replicates : int
        Number of resamples of the items.
    settings : mapping, optional
        Further settings to show on the page.
    begin : callable, optional
        Called with the name of each method before it is fitted.

    Returns
    -------
    Outcome
        Tables and rankings.

    Raises
    ------
    AnnotationError
        If there is no such model.

    Notes
    -----
    Fits of the library's models are cached. Candidates are refitted each time.
    """
    others = opponents(against)
    own = distinct(candidates, list(models.discover()))
    records: list[FitRecord] = []
    for model in others:
        begin(model.METHOD.name)
        records += fit_or_recall(cases, model, limit=limit, seed=seed)
    fits: list[FitRecord] = []
    for candidate in own:
        begin(candidate.METHOD.name)
        fits += fit_all(cases, [candidate], limit=limit, seed=seed)
    records += fits
    about = {"limit": limit, "reference": REFERENCE}
    tables = tabulate(
        cases,
        records,
        [*others, *own],
        replicates=replicates,
        seed=seed,
        settings=about | dict(settings or {}),
    )
    names = tuple(candidate.METHOD.name for candidate in own)
    rankings = {case.name: _ranking(case, records, tables) for case in cases}
    alone = len(cases) == 1
    ranking = rankings[cases[0].name] if alone else rank(tables, REFERENCE)
    return Outcome(tables, names, ranking, rankings, tuple(fits))


def _ranking(
    case: BenchmarkCase, records: Sequence[FitRecord], tables: BenchmarkTables
) -> pd.DataFrame:
    """Rank the methods on one case, and test their differences in accuracy from the first."""
    ranking = rank(tables, REFERENCE, [case.name])
    ranked = ranking.loc[ranking["rank"].notna(), "method"]
    if ranked.empty:
        return ranking
    kept = case.scored
    posteriors = {
        record.method: record.posterior[kept]
        for record in records
        if record.problem == case.name and record.posterior is not None
    }
    tests = differences_in_accuracy(
        ranked.iloc[0], {name: posteriors[name] for name in ranked}, case.gold[kept]
    )
    return ranking.join(tests.set_index("method"), on="method")


def what_gold_tells(case: BenchmarkCase, ranking: pd.DataFrame) -> list[str]:
    """Report whether the gold standard distinguishes the best methods, and how many items would.

    Parameters
    ----------
    case : BenchmarkCase
        The labels and golds.
    ranking : DataFrame
        The methods on this case, as in `Outcome.rankings`.

    Returns
    -------
    list of str
        One or two sentences each; the number of items follows Connor (1987), see
        `annobench.evaluation.gold_size`, at level .05 and power .8.
    """
    n = int(case.scored.sum())
    ranked = ranking[ranking["rank"].notna()]
    if len(ranked) < 2:
        return []
    best, others = ranked.iloc[0], ranked.iloc[1:]
    unclear = others[~(others["p_value"] <= LEVEL)]
    if unclear.empty:
        return [
            f"{n:,} gold items distinguish the accuracy of {best['title']} from that of all "
            f"{len(others)} other methods (McNemar's test with Holm's correction, level .05)."
        ]
    shown = ", ".join(unclear["title"].iloc[:5]) + (" ..." if len(unclear) > 5 else "")
    found = [
        f"{n:,} gold items do not distinguish the accuracy of {best['title']} from that of "
        f"{len(unclear)} of {len(others)} other methods: {shown} (McNemar's test with Holm's "
        "correction, level .05)."
    ]
    second = unclear.iloc[0]
    needed = second["items_needed"]
    if second["discordance"] == 0:
        found.append(
            f"{best['title']} and {second['title']} give the same answers on all gold items: the "
            "number of items that would distinguish them can't be estimated."
        )
    elif math.isinf(needed):
        found.append(
            f"{best['title']} and {second['title']} are equally accurate on them, so no number "
            "of items can be derived from the difference."
        )
    else:
        points = 100 * abs(second["minus_best"])
        text = (
            f"If the difference to {second['title']} is {points:.2g} points as estimated, about "
            f"{needed:,.0f} gold items would show it with probability .8."
        )
        if needed > case.annotations.n_items:
            text += f" Only {case.annotations.n_items:,} items have labels."
        found.append(text)
    if second["discordance"]:
        smallest = 100 * detectable(second["discordance"], n)
        found.append(
            f"With the observed discordance, {n:,} items would show a difference of {smallest:.2g} "
            "points."
        )
    return found
