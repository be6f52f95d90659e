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
from annobench.benchmark.comparison import NORMAL, differences_to
from annobench.benchmark.external_methods.candidate import Candidate
from annobench.benchmark.external_methods.stored import fit_or_recall
from annobench.benchmark.files import SETTINGS
from annobench.benchmark.files import file_names as tables_of_benchmark
from annobench.benchmark.fits import FitRecord, Model, fit_all
from annobench.benchmark.tables import BenchmarkTables, tabulate
from annobench.core.files import write_csv
from annobench.evaluation.gold_size import detectable, rank_methods

__all__ = ["LEVEL", "REFERENCE", "Outcome", "compare", "distinct", "file_names", "what_gold_tells"]

#: The model that others are compared with at first.
REFERENCE = "dawid_skene"

#: The level of the tests that distinguish methods.
LEVEL = 0.05

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
    rankings : dict of str to DataFrame
        For each case the methods, best first, as from `rank_methods`, with `accuracy`, `lower`,
        `upper` and `log_loss`, and the `difference` in accuracy from `REFERENCE`, with the 95%
        interval over items `difference_lower` to `difference_upper`.
    fits : tuple of FitRecord
        Fits of the external methods.
    """

    tables: BenchmarkTables
    candidates: tuple[str, ...]
    rankings: Mapping[str, pd.DataFrame]
    fits: tuple[FitRecord, ...] = ()

    @property
    def ranking(self) -> pd.DataFrame:
        """The rankings of all cases in one table, with a column `problem` if there are several."""
        if len(self.rankings) == 1:
            return next(iter(self.rankings.values()))
        return pd.concat(
            [table.assign(problem=name) for name, table in self.rankings.items()], ignore_index=True
        )

    def summary(self) -> pd.DataFrame:
        """Summarise each method over all problems.

        Returns
        -------
        DataFrame
            One row per method: `method`, `n_problems`, `n_scored`, `n_failed` (failed or over
            budget), `n_best` (number of problems on which its accuracy is not significantly below
            the best at level .05), the medians `accuracy` and `log_loss` over the problems with a
            score, the median `seconds` of processor time, and the mean `difference` in accuracy
            from `REFERENCE` over the problems on which both have a score, with the half-width
            `margin` of its 95% interval over items, given these problems. Sorted by `n_best`.
        """
        rows = []
        rankings = pd.concat(self.rankings.values(), ignore_index=True)
        for name, fits in self.tables.fits.groupby("method", sort=False):
            own = rankings[rankings["method"] == name]
            apart = own.dropna(subset="difference")
            margins = (apart["difference_upper"] - apart["difference_lower"]) / 2
            rows.append(
                {
                    "method": name,
                    "n_problems": len(fits),
                    "n_scored": len(own),
                    "n_failed": int(fits["status"].isin(["failed", "over budget"]).sum()),
                    "n_best": int((~(own["p_value"] <= LEVEL)).sum()),
                    "accuracy": own["accuracy"].median(),
                    "log_loss": own["log_loss"].median(),
                    "seconds": fits["seconds"].median(),
                    "difference": apart["difference"].mean(),
                    "margin": math.hypot(*margins) / len(apart) if len(apart) else math.nan,
                }
            )
        order = ["n_best", "log_loss"]
        table = pd.DataFrame(rows).sort_values(order, ascending=[False, True], kind="stable")
        return table.reset_index(drop=True)

    def write(self, folder: Path) -> None:
        """Write the tables of the benchmark, and `ranking.csv`.

        Parameters
        ----------
        folder : Path
            The folder; created if necessary.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.tables.write(folder)
        ranking = pd.concat(
            [table.assign(problem=name) for name, table in self.rankings.items()], ignore_index=True
        )
        write_csv(ranking, folder / _RANKING, float_format="%.6g")


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
    accuracy = tables.scores[tables.scores["score"] == "accuracy"]
    apart = differences_to(REFERENCE, accuracy, tables.differences).dropna(subset="difference")
    rankings = {case.name: _ranking(case, records, tables, apart) for case in cases}
    return Outcome(tables, names, rankings, tuple(fits))


def _ranking(
    case: BenchmarkCase,
    records: Sequence[FitRecord],
    tables: BenchmarkTables,
    apart: pd.DataFrame,
) -> pd.DataFrame:
    """Rank the methods on one case, with the intervals of the benchmark."""
    kept = case.scored
    posteriors = {
        record.method: record.posterior[kept]
        for record in records
        if record.problem == case.name and record.posterior is not None
    }
    ranked = rank_methods(posteriors, case.gold[kept])
    scores = tables.scores[tables.scores["problem"] == case.name]
    accuracy = scores[scores["score"] == "accuracy"].set_index("method")
    log_loss = scores[scores["score"] == "log_loss"].set_index("method")["estimate"]
    ranked = ranked.join(accuracy[["estimate", "lower", "upper"]], on="method")
    ranked = ranked.join(log_loss.rename("log_loss"), on="method")
    own = apart[apart["problem"] == case.name].set_index("method")
    margin = NORMAL * own["error"]
    difference = own["difference"]
    ends = {"difference_lower": difference - margin, "difference_upper": difference + margin}
    ranked = ranked.join(own[["difference"]].assign(**ends), on="method")
    return ranked.rename(columns={"estimate": "accuracy"})


def what_gold_tells(case: BenchmarkCase, ranking: pd.DataFrame) -> list[str]:
    """Report whether the gold standard distinguishes the best methods, and how many items would.

    Parameters
    ----------
    case : BenchmarkCase
        The labels and golds.
    ranking : DataFrame
        The methods' ranking, as in `Outcome`.

    Returns
    -------
    list of str
        One or two sentences each; the number of items follows Connor (1987), see
        `annobench.evaluation.gold_size`, at level .05 and power .8.
    """
    n = int(case.scored.sum())
    best, others = ranking.iloc[0], ranking.iloc[1:]
    if others.empty:
        return []
    unclear = others[~(others["p_value"] <= LEVEL)]
    if unclear.empty:
        return [
            f"{n:,} gold items distinguish {best['method']} from all {len(others)} other methods "
            "(McNemar's test with Holm's correction, level .05)."
        ]
    shown = ", ".join(unclear["method"].iloc[:5]) + (" ..." if len(unclear) > 5 else "")
    found = [
        f"{n:,} gold items do not distinguish {best['method']} from {len(unclear)} of "
        f"{len(others)} other methods: {shown} (McNemar's test with Holm's correction, level .05)."
    ]
    second = unclear.iloc[0]
    needed = second["items_needed"]
    if second["discordance"] == 0:
        found.append(
            f"{best['method']} and {second['method']} give the same answers on all gold items: the "
            "number of items that would distinguish them can't be estimated."
        )
    elif math.isinf(needed):
        found.append(
            f"{best['method']} and {second['method']} are equally accurate on them, so no number "
            "of items can be derived from the difference."
        )
    else:
        points = 100 * abs(second["minus_best"])
        text = (
            f"If the difference to {second['method']} is {points:.2g} points as estimated, about "
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
