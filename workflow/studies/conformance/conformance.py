"""Conformance: our coefficients beside those of other packages on the same small data sets.

Their values are stored (tests/reference/agreement/peers.csv); ours are computed here. Two numbers
are equal up to the rounding of double precision, or the difference needs an entry in
disagreements.csv that names the convention and its rule. The rule computes the other package's
number from ours or from the labels (`conventions`), so that the explanation is itself checked. An
entry that names data sets is out of date when one of them no longer differs, an entry for all
("*") when none does.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import warnings
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.frames import as_annotations
from studies.conformance.conventions import RULES, Case

#: Relative, of numbers whose parts are of order 1; the rest of double precision is summation order.
ROUNDING = 1e-12

#: How our value and theirs compare, with what the page says of it.
OUTCOMES = {
    "equal": "the same number",
    "undefined": "undefined for both: NaN or an error, here and there",
    "different": "another number, explained below",
    "refused": "a number here; there NaN or an error, explained below",
    "answered": "undefined here; there a number, explained below",
}
#: Outcomes that need an entry in the list of disagreements.
EXPLAINED = ("different", "refused", "answered")


def load_datasets(path: Path) -> dict[str, Any]:
    """Load the data sets that a module defines.

    Parameters
    ----------
    path : Path
        A Python file with a list ``DATASETS``.

    Returns
    -------
    dict
        The data sets by name.
    """
    spec = importlib.util.spec_from_file_location("conformance_datasets", path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return {data.name: data for data in module.DATASETS}


def read_peers(path: Path) -> pd.DataFrame:
    """Read the stored answers of other packages.

    Parameters
    ----------
    path : Path
        A CSV file, one row per value.

    Returns
    -------
    DataFrame
        All columns are text but `value`, which is NaN where there was an error.
    """
    peers = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    peers["value"] = [float(text or "nan") for text in peers["value"]]
    return peers


def read_disagreements(path: Path) -> list[dict[str, str]]:
    """Read the explained disagreements.

    Parameters
    ----------
    path : Path
        A CSV file, one row per entry.

    Returns
    -------
    list of dict
        An entry each.
    """
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    return cast(list[dict[str, str]], frame.to_dict("records"))


def annotations_of(data: Any) -> Annotations:
    """Return a data set as annotations.

    Parameters
    ----------
    data : object
        One of `load_datasets`.

    Returns
    -------
    Annotations
        On the scale of the data set; a ratio scale is taken as an interval scale.
    """
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


def _options_of(text: str, annotations: Annotations) -> dict[str, Any]:
    """Return the options of a coefficient out of "name=value;name=value"."""
    options: dict[str, Any] = dict(part.split("=") for part in text.split(";") if part)
    if options.get("weights") == "radical":
        k = np.arange(annotations.n_categories)
        options["weights"] = 1 - np.sqrt(np.abs(k[:, None] - k) / (k.size - 1))
    if options.get("metric") == "circular":
        options["period"] = annotations.n_categories
    return options


def ask(annotations: Annotations, coefficient: str, options: str, **more: Any) -> Any:
    """Compute a coefficient by name.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    coefficient : str
        Name of its function.
    options : str
        Such as "weights=linear;level=0.9".
    **more : Any
        Further options.

    Returns
    -------
    Agreement or float
        What the function returns.
    """
    annotations = as_annotations(annotations, "ask")
    function = getattr(agreement, coefficient)
    return function(annotations, **(_options_of(options, annotations) | more))


def ours(annotations: Annotations, coefficient: str, options: str) -> dict[str, float]:
    """Compute all quantities of a coefficient.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    coefficient, options : str
        As in `ask`.

    Returns
    -------
    dict of str to float
        estimate, standard_error, lower and upper; empty if the labels are rejected.
    """
    annotations = as_annotations(annotations, "ours")
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
    """Say whether two numbers are equal up to rounding.

    Parameters
    ----------
    first, second : float
        Of order 1: coefficients are 1 minus a ratio.
    quantity : str
        Of standard errors the variances of a single item are compared, as their roots lose half of
        the digits where they are 0.
    n_items : int
        Items.

    Returns
    -------
    bool
        True where they differ by at most `ROUNDING`.
    """
    if quantity == "standard_error":
        first, second = n_items * first**2, n_items * second**2
    return abs(first - second) <= ROUNDING * max(1.0, abs(first), abs(second))


def outcome(case: Case) -> str:
    """Say how a value compares with ours.

    Parameters
    ----------
    case : Case
        Both values.

    Returns
    -------
    str
        One of `OUTCOMES`.
    """
    here, there = math.isfinite(case.ours), math.isfinite(case.theirs)
    if here and there:
        equal = same(case.ours, case.theirs, case.quantity, case.n_items)
        return "equal" if equal else "different"
    if here:
        return "refused"
    return "answered" if there else "undefined"


def cases_of(peers: pd.DataFrame, datasets: Mapping[str, Any]) -> dict[int, Case]:
    """Compute our value for each stored one.

    Parameters
    ----------
    peers : DataFrame
        As from `read_peers`.
    datasets : mapping
        As from `load_datasets`.

    Returns
    -------
    dict of int to Case
        By the index of the row.
    """
    annotations = {name: annotations_of(data) for name, data in datasets.items()}

    @cache
    def answer(name: str, coefficient: str, options: str) -> dict[str, float]:
        return ours(annotations[name], coefficient, options)

    call = ["dataset", "package", "function", "coefficient", "options"]
    cases = {}
    for _, group in peers.groupby(call, sort=False):
        theirs = dict(zip(group["quantity"], group["value"], strict=True))
        rows = group[group["quantity"] != "quantile"]
        for index, row in zip(rows.index, rows.to_dict("records"), strict=True):
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
    """Say whether an entry is about a case.

    Parameters
    ----------
    entry : mapping of str to str
        A disagreement.
    case : Case
        A stored value.

    Returns
    -------
    bool
        True if package, data set, function, coefficient, options and quantity fit.
    """
    names = entry["datasets"].split()
    patterns = ("function", "coefficient", "options", "quantity")
    return (
        entry["package"] == case.package
        and (names == ["*"] or case.dataset in names)
        and all(fnmatchcase(getattr(case, column), entry[column]) for column in patterns)
    )


def holds(entry: Mapping[str, str], case: Case) -> bool:
    """Say whether an entry's rule gives the other package's value.

    Parameters
    ----------
    entry : mapping of str to str
        A disagreement.
    case : Case
        A stored value.

    Returns
    -------
    bool
        True if both are equal up to rounding, or both undefined.
    """
    told = RULES[entry["rule"]](case)
    if not math.isfinite(told) or not math.isfinite(case.theirs):
        return math.isfinite(told) == math.isfinite(case.theirs)
    return same(told, case.theirs, case.quantity, case.n_items)


def compare(
    peers: pd.DataFrame, datasets: Mapping[str, Any], entries: list[dict[str, str]]
) -> pd.DataFrame:
    """Compare all stored values with ours.

    Parameters
    ----------
    peers : DataFrame
        As from `read_peers`.
    datasets : mapping
        As from `load_datasets`.
    entries : list of dict
        As from `read_disagreements`.

    Returns
    -------
    DataFrame
        The stored rows with ours, outcome, and entry: the place of the explaining entry, or -1.
    """
    rows = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        # Others give intervals of zero width as well, and those are compared.
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
    """List what is unexplained, and explanations that no longer explain anything.

    Parameters
    ----------
    compared : DataFrame
        As from `compare`.
    entries : list of dict
        As from `read_disagreements`.

    Returns
    -------
    list of str
        A sentence each.
    """
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
    """Count the data sets of each outcome.

    Parameters
    ----------
    compared : DataFrame
        As from `compare`.

    Returns
    -------
    DataFrame
        One row per coefficient, options, package, version, function and quantity.
    """
    key = ["coefficient", "options", "package", "version", "function", "quantity"]
    counts = compared.groupby([*key, "outcome"], sort=False)["dataset"].nunique().unstack()
    return counts.reindex(columns=list(OUTCOMES)).fillna(0).astype(int).reset_index()


def listed(compared: pd.DataFrame, entries: list[dict[str, str]]) -> pd.DataFrame:
    """List the entries, each with what it explains and its first example.

    Parameters
    ----------
    compared : DataFrame
        As from `compare`.
    entries : list of dict
        As from `read_disagreements`.

    Returns
    -------
    DataFrame
        One row per entry that explains a value.
    """
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
        rows += [entry | explained | row for row in example.to_dict("records")]
    return pd.DataFrame(rows)
