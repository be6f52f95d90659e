"""The page of a benchmark of aggregation methods: one file that opens offline.

`render` takes the tables that `annobench.benchmark.tables` makes or reads, whoever ran the
fits, and returns HTML with style, data and script inside::

    results = tables.tabulate(cases, records, methods, replicates=1000, seed=1)
    html = render(results, marked=["my_method"])

Beside what `tabulate` puts there, the settings of the tables may say `limit` (seconds of a fit),
`grid` (its name), `reference` (the method that others are compared with at first), `command` (which
makes the tables), `fit_command` (which makes one fit, with ``{method}`` and ``{case}``) and `smoke`
(that the data are too small to tell anything).

The tables are inside once, as links to download them, which the script unpacks; without script the
page shows plain tables. Names of methods, data sets and categories are untrusted: the
template escapes everything, and the script writes text, never HTML.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Collection, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy.special import ndtri, stdtrit

from annobench.benchmark.across import MIN_DATASETS, compared_with
from annobench.benchmark.comparison import CONFUSION, differences_to
from annobench.benchmark.files import file_names
from annobench.benchmark.published import beside
from annobench.benchmark.ranking import ORDER, conclusion, places, rank, title_of
from annobench.benchmark.refits import RESAMPLED
from annobench.benchmark.scores import BINS, CONFUSION_ERROR, SCORES
from annobench.benchmark.tables import BenchmarkTables, counted
from annobench.core.texts import counted as with_noun
from annobench.core.texts import plain
from annobench.core.tolerances import WHOLE
from annobench.plotting import BLUE, INK, house_style, panels
from annobench.reporting import pages
from annobench.reporting.figures import inline_svg
from annobench.reporting.formats import number, shorten

__all__ = ["MARKS", "STATUSES", "render"]

#: How a difference is shown: by its mark and the class of its style.
MARKS: Final[Mapping[str, tuple[str, str]]] = {
    "better": ("▲", "v-reproduced"),
    "worse": ("▼", "v-deviates"),
    "better?": ("△", "faint good"),
    "worse?": ("▽", "faint bad"),
}
STATUSES: Final = {"over budget": "budget", "not applicable": "n/a", "failed": "failed"}
ALL_SCORES: Final = {**SCORES, CONFUSION: CONFUSION_ERROR}

#: Bins of fewer items are not drawn.
MIN_BIN: Final = 10

#: Methods whose curves are coloured at first.
LIT: Final = 3


def render(
    tables: BenchmarkTables,
    *,
    marked: Collection[str] = (),
    remarks: Collection[str] = (),
    title: str = "Benchmark of aggregation methods",
    layout: Path | None = None,
    other: str = "",
    absent: Collection[str] = (),
    submitted: pd.DataFrame | None = None,
) -> str:
    """Render the page of a benchmark.

    Parameters
    ----------
    tables : BenchmarkTables
        The numbers.
    marked : collection of str
        Methods whose rows are highlighted, such as a new one.
    remarks : collection of str
        Notes for the reader, a sentence or two each.
    title : str
        The heading.
    layout : Path, optional
        Folder of a site's templates, if the page is part of a site; None for a standalone page.
    other : str, optional
        Address of the page of the other grid, if there is one.
    absent : collection of str
        Existing methods that are missing from the tables.
    submitted : DataFrame, optional
        Scores of methods that others submitted, as from `score_submitted`.

    Returns
    -------
    str
        HTML that fetches nothing.
    """
    problems = pages.records(tables.problems)
    kinds = tables.problems["provenance"].value_counts().to_dict()
    reference = _reference(tables)
    across = _across(tables, reference)
    ranking = rank(tables, reference)
    typical = _typical(tables, reference)
    titles = {name: title_of(name) for name in [*tables.methods["method"], reference]}
    script = resources.files("annobench.reporting") / "templates" / "benchmark.js"
    return pages.render(
        "benchmark.html.j2",
        layout,
        title=title,
        other=other,
        absent=sorted(absent),
        submitted=_submitted(submitted),
        settings={"grid": "", "limit": 0, "command": "", "fit_command": "", "smoke": False}
        | tables.settings,
        marked=set(marked),
        remarks=remarks,
        marks=MARKS,
        scores=ALL_SCORES,
        n={name: kinds.get(name, 0) for name in ("real", "simulated", "regime")},
        n_counted=len(counted(tables.problems)),
        stood_in=[each["problem"] for each in problems if each["provenance"] == "simulated"],
        downloads=_downloads(tables),
        reference=reference,
        ranked=_ranked(ranking, typical),
        conclusion=_concluded(tables, ranking, typical, reference),
        order=ORDER,
        published=pages.records(beside(tables)),
        titles=titles,
        problems=problems,
        matrices=_matrices(tables, reference),
        across=across,
        averages=_averages(tables.averages),
        repeats=tables.refits.loc[tables.refits["design"] != RESAMPLED, "repeat"].nunique(),
        refits=tables.settings.get("refits"),
        min_datasets=MIN_DATASETS,
        min_bin=MIN_BIN,
        methods=_methods(tables),
        problems_of_fits=_unscored(tables.fits),
        cautions_of_fits=_cautions(tables.fits),
        refit_notes=_grouped(tables.refit_notes, ["method", "design", "note"]),
        calibration=_calibration(tables),
        about=_about(tables, reference, marked, across, titles),
        script=Markup(script.read_text(encoding="utf-8")),  # noqa: S704  (our own file)
    )


def _typical(tables: BenchmarkTables, reference: str) -> pd.DataFrame:
    """Return how the methods' accuracy differs from the reference's on a typical data set."""
    names = ["typical", "typical_lower", "typical_upper"]
    across = tables.across[tables.across["score"] == "accuracy"]
    typical = compared_with(reference, across).set_index("method")[names].astype(float)
    ends = [typical["typical_lower"] > 0, typical["typical_upper"] < 0]
    return typical.assign(differs=np.select(ends, ["better", "worse"], "no"))


def _ranked(ranking: pd.DataFrame, typical: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the ranking; nothing if no method has a score."""
    if not ranking["n_scored"].any():
        return []
    rows = ranking.join(typical, on="method").assign(place=places(ranking))
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def _concluded(
    tables: BenchmarkTables, ranking: pd.DataFrame, typical: pd.DataFrame, reference: str
) -> str:
    """Conclude in a sentence or two: on these data sets, and on a typical one."""
    names = list(tables.problems["problem"])
    found = conclusion(ranking, names if len(names) == 1 else ())
    if typical.empty or not found:
        return found
    better, worse = (
        _named([title_of(name) for name in typical.index[typical["differs"] == way]])
        for way in ("better", "worse")
    )
    return (
        f"{found} Of {with_noun(len(typical), 'method')} compared with {title_of(reference)}, "
        f"{better} significantly more accurate on a typical data set, and {worse} less."
    )


def _named(titles: list[str]) -> str:
    listed = f" ({', '.join(titles)})" if titles else ""
    return f"{len(titles) or 'none'}{listed} {'is' if len(titles) < 2 else 'are'}"


def _submitted(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Summarise each submitted method over the data sets that it answers, with their rows."""
    if table is None:
        return []
    found = []
    for (name, date), rows in table.groupby(["method", "date"], sort=False):
        scored = rows.dropna(subset="accuracy")
        found.append(
            {
                "method": name,
                "date": date,
                "n_scored": len(scored),
                "accuracy": scored["accuracy"].mean(),
                "reference": scored["reference_accuracy"].mean(),
                "wins": int((scored["difference_lower"] > 0).sum()),
                "losses": int((scored["difference_upper"] < 0).sum()),
                "rows": pages.records(rows),
            }
        )
    return found


def _reference(tables: BenchmarkTables) -> str:
    """Return the method that others are compared with at first."""
    scored = set(tables.scores["method"])
    wanted = tables.settings.get("reference", "")
    return str(wanted if wanted in scored else min(scored, default=""))


def _downloads(tables: BenchmarkTables) -> dict[str, dict[str, str]]:
    """Return the tables' files as data URLs."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        tables.write(folder)
        for name, file in file_names().items():
            kind = "application/gzip" if file.endswith(".gz") else "text/csv"
            content = base64.b64encode((Path(folder) / file).read_bytes()).decode("ascii")
            found[name] = {"file": file, "address": f"data:{kind};base64,{content}"}
    return found


def _verdicts(table: pd.DataFrame) -> pd.Series[str]:
    """Classify each difference; with a question mark if only its own interval excludes 0."""
    more = table["score"].map({name: each.more_is_better for name, each in ALL_SCORES.items()})
    better = (table["difference"] > 0) == more.astype(bool)
    size, error = table["difference"].abs(), table["error"]
    way = np.where(better, "better", "worse").astype(object)
    found = np.select(
        [~(error > 0), size > table["critical"] * error, size > 1.96 * error],
        ["", way, way + "?"],
        "",
    )
    return pd.Series(found, index=table.index)


def _matrices(tables: BenchmarkTables, reference: str) -> dict[str, list[dict[str, Any]]]:
    """Arrange each score in a table of methods by data sets."""
    table = differences_to(reference, tables.scores, tables.differences)
    keys = ["score", "method", "problem"]
    verdict = dict(
        zip(table[keys].itertuples(index=False, name=None), _verdicts(table), strict=True)
    )
    value = dict(
        zip(
            tables.scores[keys].itertuples(index=False, name=None),
            tables.scores["estimate"],
            strict=True,
        )
    )
    fits = {(each["method"], each["problem"]): each for each in pages.records(tables.fits)}
    nothing = {"status": "", "converged": ""}

    def cell(score: str, method: str, problem: str) -> dict[str, Any]:
        fit = fits.get((method, problem), nothing)
        unconverged = "no" in (
            fit["converged"],
            fits.get((reference, problem), nothing)["converged"],
        )
        return {
            "text": _short(value.get((score, method, problem))),
            "unconverged": fit["converged"] == "no",
            "verdict": "" if unconverged else verdict.get((score, method, problem), ""),
            "status": STATUSES.get(fit["status"], "–"),
        }

    return {
        score: [
            {
                "method": method,
                "place": place,
                "cells": [cell(score, method, problem) for problem in tables.problems["problem"]],
            }
            for place, method in enumerate(tables.methods["method"], start=1)
        ]
        for score in ALL_SCORES
    }


def _short(value: float | None) -> str:
    return "" if value is None else number(value).removeprefix("0") or "0"


def _across(tables: BenchmarkTables, reference: str) -> list[dict[str, Any]]:
    """Return how the methods compare with one by accuracy, the best first."""
    table = tables.across[tables.across["score"] == "accuracy"]
    found = compared_with(reference, table)
    order = (found["new_worse"] - found["new_better"]).sort_values(kind="stable").index
    return pages.records(found.loc[order])


def _averages(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return scores averaged over data sets, with the names of the best methods."""
    whole = table[table["whole"] == "yes"]
    best = {
        name: (whole[name].max() if name.endswith("accuracy") else whole[name].min())
        for name in table.columns
        if name.startswith(("mean_", "median_"))
    }
    return [
        row | {"best": {name for name in best if row["whole"] == "yes" and row[name] == best[name]}}
        for row in pages.records(table)
    ]


def _calibration(tables: BenchmarkTables) -> Markup:
    """Draw each method's calibration: grey lines are data sets, the blue one is all their items."""
    kinds = tables.problems.set_index("problem")["provenance"]
    points = tables.curves[tables.curves["curve"] == "calibration"]
    drawn = counted(tables.problems) or list(kinds.index[kinds == kinds.iloc[0]])
    points = points[points["problem"].isin(drawn)]
    names = [name for name in tables.methods["method"] if name in set(points["method"])]
    if not names:
        return Markup("")
    columns = min(5, len(names))
    rows = -(-len(names) // columns)
    with house_style():
        figure, axes = panels(columns, rows=rows, width=1.9, height=1.9 * rows + 0.2)
        for panel, name in zip(axes, names, strict=False):
            own = points[points["method"] == name]
            panel.plot([0, 1], [0, 1], color=INK, linewidth=0.6, linestyle=":")
            for _, line in own[own["n_items"] >= MIN_BIN].groupby("problem"):
                panel.plot(line["x"], line["y"], color="#BBB5A5", linewidth=0.7)
            place = np.minimum((own["x"] * BINS + WHOLE).astype(int), BINS - 1)
            sums = own[["x", "y"]].mul(own["n_items"], axis=0).groupby(place).sum()
            n = own["n_items"].groupby(place).sum()
            pooled = sums[n >= MIN_BIN].div(n[n >= MIN_BIN], axis=0)
            panel.plot(pooled["x"], pooled["y"], color=BLUE, marker="o", markersize=2.5)
            panel.set_title(plain(shorten(name, 20)), fontsize=8.5)
            panel.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            panel.tick_params(labelsize=7.5)
        for panel in axes[len(names) :]:
            panel.set_axis_off()
        figure.supxlabel("probability of the best category", fontsize=8)
        figure.supylabel("accuracy", fontsize=8)
        return inline_svg(figure, "calibration")


def _methods(tables: BenchmarkTables) -> list[dict[str, Any]]:
    """Summarise each method: outcome of its fits, and cost."""
    every = tables.fits.merge(tables.problems[["problem", "n_labels"]], on="problem")
    found = []
    for about in pages.records(tables.methods):
        own = every[every["method"] == about["method"]]
        fits = own[own["status"] == "scored"]
        nanoseconds = 1e9 * (fits["seconds"] / fits["n_labels"]).median()
        found.append(
            {
                **about,
                "status": own["status"].value_counts().to_dict(),
                "unconverged": int((own["converged"] == "no").sum()),
                "seconds": fits["seconds"].median(),
                "nanoseconds": f"{float(f'{nanoseconds:.2g}'):,.0f}" if len(fits) else "–",
                "megabytes": fits["megabytes"].max(),
            }
        )
    return found


def _unscored(fits: pd.DataFrame) -> list[dict[str, Any]]:
    """List failures and fits over budget, grouped by note."""
    lost = fits[fits["status"].isin(["failed", "over budget"])]
    return _grouped(lost, ["method", "status", "note"])


def _cautions(fits: pd.DataFrame) -> list[dict[str, Any]]:
    """List the scored fits with cautions."""
    return pages.records(fits[(fits["status"] == "scored") & (fits["note"] != "")])


def _grouped(table: pd.DataFrame, keys: list[str]) -> list[dict[str, Any]]:
    """Group rows by note, and list the data sets of each."""
    return [
        dict(zip(keys, found, strict=True)) | {"problems": list(dict.fromkeys(names))}
        for found, names in table.groupby(keys, sort=True)["problem"]
    ]


def _about(
    tables: BenchmarkTables,
    reference: str,
    marked: Collection[str],
    across: list[dict[str, Any]],
    titles: Mapping[str, str],
) -> Markup:
    """Return the script's settings as JSON that is safe inside an HTML element."""
    problems = tables.problems
    kinds = list(problems["provenance"])
    first = next(kind for kind in ("real", "simulated", "regime", *kinds) if kind in kinds)
    learning = tables.refits[tables.refits["design"] != RESAMPLED]
    learnt = set(learning["problem"]) & set(problems["problem"])
    repeats = learning["repeat"].nunique()
    best = [each["method"] for each in across[:LIT]] or list(tables.methods["method"][:LIT])
    content = {
        "scores": {
            name: {"title": each.title, "more": each.more_is_better}
            for name, each in ALL_SCORES.items()
        },
        "score": "accuracy",
        "reference": reference,
        "marked": sorted(marked),
        "titles": titles,
        "lit": list(dict.fromkeys([*sorted(marked), *best, reference])),
        "first": first,
        "focus": min(
            learnt, default=problems.loc[problems["provenance"] == first, "problem"].iloc[0]
        ),
        "statuses": STATUSES,
        "resampled": RESAMPLED,
        # Half-widths in standard errors, of means over repeats and over items.
        "half_widths": [
            float(stdtrit(repeats - 1, 0.975)) if repeats > 1 else 0,
            float(ndtri(0.975)),
        ],
        "min_bin": MIN_BIN,
        "seed": tables.settings.get("seed"),
        "fit_command": tables.settings.get("fit_command", ""),
        "settings": tables.settings,
    }
    return pages.json_of(content)
