"""Compare our coefficients with those that other packages gave on the same small data sets.

Their values are stored (tests/reference/agreement/peers.csv); ours are computed here. Two numbers
are equal to the rounding of double precision or they are not, and what is not equal needs an
entry in disagreements.csv that names the convention and its rule. The rule computes the other
package's number from ours or from the labels (conventions.py), so that the explanation is
itself checked. An entry that names data sets is out of date when one of them differs no more,
one for all ("*") when none does.
"""

import importlib.util
import math
import sys
import warnings
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.core.files import recording, replacing
from annobench.labels.annotations import Annotations, Scale
from annobench.reporting.pages import records, render
from conventions import RULES, Case

#: Relative, of numbers whose parts are of order 1; the rest of double precision is summation order.
ROUNDING = 1e-12

#: How a row came out, with what the page says of it.
OUTCOMES = {
    "equal": "the same number",
    "undefined": "undefined for both: NaN or an error, here and there",
    "different": "another number, explained below",
    "refused": "a number here; there NaN or an error, explained below",
    "answered": "undefined here; there a number, explained below",
}
#: How each is shown: a mark, and the tone of the verdict that it is like.
MARKS = {
    "equal": ("=", "reproduced"),
    "undefined": ("∅", "not_public"),
    "different": ("≠", "deviates"),
    "refused": ("–", "stand_in"),
    "answered": ("!", "missing"),
}
EXPLAINED = ("different", "refused", "answered")


def load_datasets(path: Path) -> dict[str, Any]:
    """Return the data sets of a module by name."""
    spec = importlib.util.spec_from_file_location("conformance_datasets", path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return {data.name: data for data in module.DATASETS}


def read_peers(path: Path) -> pd.DataFrame:
    """Return the stored answers; `value` is NaN where there was an error."""
    peers = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    peers["value"] = [float(text or "nan") for text in peers["value"]]
    return peers


def read_disagreements(path: Path) -> list[dict[str, str]]:
    """Return the entries, one of them a row."""
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    return records(frame)


def annotations_of(data: Any) -> Annotations:
    """Return a data set as annotations."""
    item, annotator, label = zip(*data.rows, strict=True)
    if data.scale == "set":
        return Annotations.from_sets(item, annotator, label)
    scale: Scale = "interval" if data.scale == "ratio" else data.scale
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=data.items,
        annotators=data.annotators,
        categories=data.categories,
        scale=scale,
    )


def options_of(text: str, annotations: Annotations) -> dict[str, Any]:
    """Return the options of a coefficient out of "name=value;name=value"."""
    options: dict[str, Any] = dict(part.split("=") for part in text.split(";") if part)
    if options.get("weights") == "radical":
        k = np.arange(annotations.n_categories)
        options["weights"] = 1 - np.sqrt(np.abs(k[:, None] - k) / (k.size - 1))
    if options.get("metric") == "circular":
        options["period"] = annotations.n_categories
    return options


def ask(annotations: Annotations, coefficient: str, options: str, **more: Any) -> Any:
    """Return the result of a coefficient by name."""
    function = getattr(agreement, coefficient)
    return function(annotations, **(options_of(options, annotations) | more))


def ours(annotations: Annotations, coefficient: str, options: str) -> dict[str, float]:
    """Return what this library says; nothing where it refuses, NaN where it warns."""
    try:
        result = ask(annotations, coefficient, options)
    except AnnotationError:
        return {}
    if isinstance(result, float):
        return {"estimate": result}
    interval = result.interval()
    return {
        "estimate": result.estimate,
        "standard_error": result.standard_error,
        "lower": interval.lower,
        "upper": interval.upper,
    }


def same(first: float, second: float, quantity: str, n_items: int) -> bool:
    """Say whether two numbers are equal but for rounding.

    Coefficients are 1 minus a ratio of order 1. Of standard errors the variance of a single item is
    compared, as their roots lose half of the digits where they are 0.
    """
    if quantity == "standard_error":
        first, second = n_items * first**2, n_items * second**2
    return abs(first - second) <= ROUNDING * max(1.0, abs(first), abs(second))


def outcome(case: Case) -> str:
    """Say how a value compares with ours; see `OUTCOMES`."""
    here, there = math.isfinite(case.ours), math.isfinite(case.theirs)
    if here and there:
        equal = same(case.ours, case.theirs, case.quantity, case.n_items)
        return "equal" if equal else "different"
    if here:
        return "refused"
    return "answered" if there else "undefined"


def cases_of(peers: pd.DataFrame, datasets: Mapping[str, Any]) -> dict[int, Case]:
    """Put our value beside each of theirs; by the row's place."""
    annotations = {name: annotations_of(data) for name, data in datasets.items()}

    @cache
    def answer(name: str, coefficient: str, options: str) -> dict[str, float]:
        return ours(annotations[name], coefficient, options)

    call = ["dataset", "package", "function", "coefficient", "options"]
    cases = {}
    for _, group in peers.groupby(call, sort=False):
        theirs = dict(zip(group["quantity"], group["value"], strict=True))
        rows = group[group["quantity"] != "quantile"]
        for index, row in zip(rows.index, records(rows), strict=True):
            found = answer(row["dataset"], row["coefficient"], row["options"])
            cases[int(index)] = Case(
                **{name: row[name] for name in (*call, "quantity", "error")},
                ours=found.get(row["quantity"], math.nan),
                theirs=row["value"],
                answer=found,
                peer=theirs,
                labels=annotations[row["dataset"]],
                again=partial(ask, coefficient=row["coefficient"], options=row["options"]),
            )
    return cases


def covers(entry: Mapping[str, str], case: Case) -> bool:
    """Say whether an entry speaks of a case."""
    names = entry["datasets"].split()
    patterns = ("function", "coefficient", "options", "quantity")
    return (
        entry["package"] == case.package
        and (names == ["*"] or case.dataset in names)
        and all(fnmatchcase(getattr(case, column), entry[column]) for column in patterns)
    )


def holds(entry: Mapping[str, str], case: Case) -> bool:
    """Say whether an entry's rule gives the other package's value."""
    told = RULES[entry["rule"]](case)
    if not math.isfinite(told) or not math.isfinite(case.theirs):
        return math.isfinite(told) == math.isfinite(case.theirs)
    return same(told, case.theirs, case.quantity, case.n_items)


def compare(
    peers: pd.DataFrame, datasets: Mapping[str, Any], entries: list[dict[str, str]]
) -> pd.DataFrame:
    """Return the stored rows with our value, the outcome, and the place of the entry or -1."""
    rows = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        # Others give intervals without width as well, and those are compared.
        warnings.simplefilter("ignore", IntervalWarning)
        for place, case in cases_of(peers, datasets).items():
            came_out, entry = outcome(case), -1
            if came_out in EXPLAINED:
                fitting = (n for n, e in enumerate(entries) if covers(e, case) and holds(e, case))
                entry = next(fitting, -1)
            rows[place] = case.ours, came_out, entry
    columns = ["ours", "outcome", "entry"]
    return peers.join(pd.DataFrame.from_dict(rows, orient="index", columns=columns), how="inner")


def faults(compared: pd.DataFrame, entries: list[dict[str, str]]) -> list[str]:
    """Return what is unexplained, and every explanation that explains nothing any more."""
    open_rows = compared[compared["outcome"].isin(EXPLAINED) & (compared["entry"] < 0)]
    found = [
        f"{r.dataset}: {r.coefficient}({r.options}) is {r.ours!r} here and {r.value!r} {r.error} "
        f"for {r.package} {r.function} ({r.quantity}). Explain it in disagreements.csv."
        for r in open_rows.itertuples()
    ]
    for place, entry in enumerate(entries):
        used = set(compared.loc[compared["entry"] == place, "dataset"])
        anywhere = {"*"} if used else set()
        if stale := set(entry["datasets"].split()) - used - anywhere:
            found.append(
                f"disagreements.csv, entry {place + 1} ({entry['package']} {entry['function']}, "
                f"{entry['coefficient']}): nothing differs any more on {' '.join(sorted(stale))}. "
                "Remove it."
            )
    return found


def matrix(compared: pd.DataFrame) -> pd.DataFrame:
    """Count the data sets of each outcome, one row a coefficient, package, function, quantity."""
    key = ["coefficient", "options", "package", "version", "function", "quantity"]
    counts = compared.groupby([*key, "outcome"], sort=False)["dataset"].nunique().unstack()
    return counts.reindex(columns=list(OUTCOMES)).fillna(0).astype(int).reset_index()


def listed(compared: pd.DataFrame, entries: list[dict[str, str]]) -> pd.DataFrame:
    """Return the entries, each with what it explains and its first example."""
    rows = []
    for place, entry in enumerate(entries):
        mine = compared[compared["entry"] == place]
        example = mine.head(1)[["dataset", "quantity", "ours", "value", "error"]].rename(
            columns={"dataset": "example", "quantity": "example_quantity", "value": "theirs"}
        )
        explained = {
            "n_values": len(mine),
            "functions": ", ".join(dict.fromkeys(mine["function"])),
            "coefficients": ", ".join(dict.fromkeys(mine["coefficient"])),
            "on": ", ".join(dict.fromkeys(mine["dataset"])),
        }
        rows += [entry | explained | row for row in records(example)]
    return pd.DataFrame(rows)


def grid(table: pd.DataFrame, quantities: Iterable[str]) -> dict[str, Any]:
    """Arrange counts as coefficients by packages, for showing."""
    rows = table[table["quantity"].isin(list(quantities))]
    counts = rows.groupby(["coefficient", "options", "package"], as_index=False)[
        list(OUTCOMES)
    ].sum()
    cells: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
    for row in records(counts):
        of_options = cells.setdefault(row["coefficient"], {}).setdefault(row["options"], {})
        of_options[row["package"]] = {outcome: row[outcome] for outcome in OUTCOMES}
    packages = list(dict.fromkeys(rows["package"]))
    return {"packages": packages, "cells": cells, "total": rows[list(OUTCOMES)].sum().to_dict()}


def main(peers: Path, data: Path, disagreements: Path, site: Path) -> dict[str, Any]:
    """Return the two tables, the page, and what is unexplained or stale."""
    datasets, entries = load_datasets(data), read_disagreements(disagreements)
    compared = compare(read_peers(peers), datasets, entries)
    wrong = faults(compared, entries)
    table, explained = matrix(compared), listed(compared, entries)
    page = render(
        "conformance.html.j2",
        site,
        title="Conformance with other packages",
        depth=2,
        versions=dict(zip(compared["package"], compared["version"], strict=True)),
        n_values=len(compared),
        outcomes=OUTCOMES,
        marks=MARKS,
        groups=[
            {"name": "estimates", "title": "Estimates"} | grid(table, ["estimate"]),
            {"name": "errors", "title": "Standard errors"} | grid(table, ["standard_error"]),
            {"name": "intervals", "title": "95% intervals"} | grid(table, ["lower", "upper"]),
        ],
        disagreements=[
            {"package": package, "entries": list(rows)}
            for package, rows in groupby(records(explained), itemgetter("package"))
        ],
        datasets=list(datasets.values()),
        faults=wrong,
    )
    return {"matrix": table, "disagreements": explained, "page": page, "faults": wrong}


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        made = main(
            peers=Path(snakemake.input.peers),
            data=Path(snakemake.input.datasets),
            disagreements=Path(snakemake.input.disagreements),
            site=Path(snakemake.input.site[0]).parent,
        )
        for name in ("matrix", "disagreements"):
            with replacing(snakemake.output[name]) as draft:
                made[name].to_csv(draft, index=False)
        with replacing(snakemake.output.page) as draft:
            draft.write_text(made["page"], encoding="utf-8")
        if made["faults"]:
            print(f"WARNING: conformance: {len(made['faults'])} fault(s), on the page.", flush=True)
