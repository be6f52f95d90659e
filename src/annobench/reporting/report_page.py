"""A report of agreement as one page that opens offline, with tables and plots.

Names of items, annotators and categories are untrusted: the template escapes everything.
"""

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from annobench import agreement
from annobench.agreement.annotators import pair_annotators
from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.groups import ByGroup
from annobench.agreement.over_time import OverTime
from annobench.agreement.report_rows import MAX_LABEL_PAIRS
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.core.texts import plural
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.labels.doubts import doubtful_categories
from annobench.labels.frames import as_annotations
from annobench.reporting import figures, pages
from annobench.reporting.formats import number, percent, shorten
from annobench.reporting.pages import records
from annobench.reporting.report_further import Further
from annobench.reporting.report_parts import (
    boxes_of,
    drift_of,
    groups_of,
    said_of_boxes,
    said_of_drift,
    said_of_groups,
)
from annobench.resampling.intervals import TOLERANCE

__all__ = ["cautions", "facts", "render"]

#: Sizes up to which everything is drawn; beyond, a distribution and the ends.
MAX_IN_HEAT_MAP: Final = 30
MAX_ANNOTATORS: Final = 40
MAX_CONFUSED: Final = 20
WORST_ITEMS: Final = 15
MAX_DISCUSSED: Final = 200
WORST_ANNOTATORS: Final = 15
#: Different labels of one item that are shown.
MAX_DIFFERENT: Final = 6
#: Below these, the page says that the numbers are rough.
FEW_ITEMS: Final = 30
FEW_ANNOTATORS: Final = 5
#: The share of one category above which chance-corrected coefficients are unsteady.
PREVAILING: Final = 0.9

#: Commands that follow a report.
FOLLOWING: Final = ("plan", "consensus", "audit")

#: The change of alpha that is worth a sentence.
NOTABLE: Final = 0.02

LEADING: Final = "krippendorff_alpha"


def following(source: str) -> dict[str, str]:
    """Return a page's commands for labels whose reading options are unknown."""
    return {name: f"annobench {name} {shlex.quote(source)}" for name in FOLLOWING}


def render(
    annotations: Annotations,
    table: pd.DataFrame,
    *,
    source: str,
    remarks: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    target: float | None = None,
    drift: OverTime | None = None,
    groups: ByGroup | None = None,
    boxes: pd.DataFrame | None = None,
    by: str = "",
    further: Further | None = None,
    commands: Mapping[str, str] | None = None,
) -> str:
    """Render the page of a report.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    table : DataFrame
        The result of `annobench.agreement.report`.
    source : str
        Source of the labels, such as the name of the file.
    remarks : sequence of str
        How the labels were prepared, such as repeats left out.
    texts : mapping of str to str, optional
        What annotators saw, by item.
    target : float, optional
        Target for Krippendorff's alpha, in (0, 1).
    drift : OverTime, optional
        Agreement over time.
    groups : ByGroup, optional
        Agreement within groups.
    boxes : DataFrame, optional
        Agreement on boxes, as `spans.report_boxes` returns it.
    by : str, default ""
        The column or file of the groups.
    further : Further, optional
        How annotators differ.
    commands : mapping of str to str, optional
        How `FOLLOWING` are typed for these labels; by default with the source as the file.

    Returns
    -------
    str
        HTML with its style and plots inside.

    Notes
    -----
    The cost is that of computing a few coefficients; annotators are compared pairwise for up to two
    million pairs of labels.
    """
    annotations = as_annotations(annotations, "render")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        content: dict[str, Any] = {
            "source": source,
            "commands": commands or following(source),
            "remarks": list(remarks),
            "scale": annotations.scale,
            "facts": facts(annotations),
            "warnings": [*cautions(annotations), *without_width(table)],
            "coefficients": _coefficients(table),
            "lead": _lead(table),
            "level": _level(table),
            "interval": _interval(table),
            "records": _records(table),
            "categories": _categories(annotations, table),
            "annotators": _annotators(annotations, table),
            "pairs": _pairs(annotations),
            "confusion": _confusion(annotations),
            "items": _items(annotations, texts or {}),
            "notes": _notes(table),
            "drift": drift_of(drift),
            "groups": groups_of(groups, by),
            "boxes": boxes_of(boxes),
            **(further or Further()).content,
        }
        content["support"] = said_of_target(table, target)
        content["is_open"] = is_open(table, target)
        content["apart"] = _apart(content["annotators"], content["lead"])
    return pages.render("agreement_report.html.j2", title=f"Agreement: {source}", **content)


def said_of_target(table: pd.DataFrame, target: float | None) -> str:
    """Report whether the interval of Krippendorff's alpha supports a value."""
    lead = _lead(table)
    if target is None or lead is None or math.isnan(lead["lower"]):
        return ""
    interval = f"{number(lead['lower'])} to {number(lead['upper'])}"
    if lead["lower"] >= target:
        return f"The labels support an alpha of {target:g} or more: the interval is {interval}."
    if lead["upper"] < target:
        return f"Alpha is below {target:g}: the interval is {interval}."
    return (
        f"It remains open whether alpha is {target:g} or more: the interval is {interval}. More "
        "items make it narrower."
    )


def to_discuss(annotations: Annotations, texts: Mapping[str, str]) -> pd.DataFrame:
    """List the items with least agreement, for their annotators to discuss."""
    a, rows = as_annotations(annotations, "to_discuss"), []
    order, agreeing = _least_agreement(a)
    for i in order[:MAX_DISCUSSED]:
        given = [
            a.categories[a.label[n]]
            if a.anonymous
            else f"{a.annotators[a.annotator[n]]}: {a.categories[a.label[n]]}"
            for n in a.by_item[i]
        ]
        rows.append((a.items[i], texts.get(a.items[i], ""), agreeing[i], "; ".join(given)))
    table = pd.DataFrame(rows, columns=["item", "text", "observed_agreement", "labels"])
    return table if texts else table.drop(columns="text")


def _least_agreement(a: Annotations) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return items whose labels differ, least agreement first, and all items' agreement."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        try:
            result = (
                agreement.percent_agreement(a)
                if a.scale in ("nominal", "ordinal")
                else agreement.krippendorff_alpha(a)
            )
            found = result.by_item()
        except AnnotationError:
            return np.empty(0, np.int64), np.full(a.n_items, math.nan)
    agreeing = found["observed_agreement"].to_numpy(dtype=float)
    order = np.lexsort((-found["n_labels"].to_numpy(), np.round(agreeing, 12)))
    return order[agreeing[order] < 1 - ZERO], agreeing


def is_open(table: pd.DataFrame, target: float | None) -> bool:
    """Return whether the interval of alpha neither supports nor excludes a value."""
    lead = _lead(table)
    return target is not None and lead is not None and lead["lower"] < target <= lead["upper"]


def said_of_parts(
    drift: OverTime | None, groups: ByGroup | None, boxes: pd.DataFrame | None
) -> list[str]:
    """Summarise the results over time, between groups and for boxes, where there are any."""
    said = [] if drift is None else said_of_drift(drift)
    said += [] if groups is None else [said_of_groups(groups)]
    return said if boxes is None else [*said, said_of_boxes(boxes)]


def _apart(annotators: dict[str, Any] | None, lead: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the annotator whose removal raises alpha most, if any does."""
    rows = [] if annotators is None else annotators["rows"]
    known = [row for row in rows if row["change"] > NOTABLE]
    if not known or lead is None:
        return None
    worst = max(known, key=lambda row: row["change"])
    return {"name": worst["of"], "alpha": lead["estimate"] + worst["change"]}


def facts(annotations: Annotations) -> list[tuple[str, str, str]]:
    """Describe the labels.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    list of (name, value, explanation)
        Items, annotators, labels, categories, and completeness of the design.
    """
    annotations = as_annotations(annotations, "facts")
    a = annotations
    per_item = np.diff(a.by_item.offsets)
    per_annotator = np.diff(a.by_annotator.offsets)
    cells = a.n_items * a.n_annotators
    full = a.n_labels / cells if cells else math.nan
    paired = int((per_item > 1).sum())
    one, many = {
        "set": ("element", "elements"),
        "interval": ("value", "different values"),
    }.get(a.scale, ("category", "categories"))
    names = a.elements if a.scale == "set" else a.categories
    given = np.bincount(a.label, minlength=a.n_categories)
    given = given @ a.membership if a.scale == "set" else given
    shares = [
        f"{shorten(name, 18)} {percent(n / max(1, a.n_labels))}"
        for name, n in zip(names[:6], given, strict=False)
    ]
    listed = ", ".join(shares) + (" …" if len(names) > 6 else "")
    if a.scale == "interval" and a.n_labels:
        listed = f"{a.category_values.min():g} to {a.category_values.max():g}"
    of_annotators = (
        f"{a.n_annotators:,}",
        plural(a.n_annotators, "annotator"),
        f"{_spread(per_annotator)} labels each",
    )
    design = (
        "complete: every annotator labelled every item"
        if a.n_labels == cells
        else f"{percent(full)} of all item–annotator pairs"
    )
    if a.anonymous:
        of_annotators = ("?", "annotators", "who gave which label is not known")
        design = "as many as the counts say"
    return [
        (f"{a.n_items:,}", plural(a.n_items, "item"), f"{_spread(per_item)} labels each"),
        of_annotators,
        (f"{a.n_labels:,}", plural(a.n_labels, "label"), design),
        (f"{len(names):,}", many if len(names) != 1 else one, f"{a.scale}: {listed}"),
        (
            f"{paired:,}",
            f"comparable {plural(paired, 'item')}",
            "with two labels or more" if a.anonymous else "labelled by two annotators or more",
        ),
    ]


def cautions(annotations: Annotations) -> list[str]:
    """Warn of what makes the estimates imprecise, and of likely mistakes.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    list of str
        Sentences; empty if there are no warnings.
    """
    annotations = as_annotations(annotations, "cautions")
    a = annotations
    found = []
    paired = int((np.diff(a.by_item.offsets) > 1).sum())
    if a.n_annotators < 2:
        found.append("There is only one annotator, so there is no agreement to measure.")
    elif paired == 0:
        found.append("No item was labelled by two annotators: there is nothing to compare.")
    elif paired < FEW_ITEMS:
        found.append(
            f"Only {paired} {plural(paired, 'item')} with two labels or more: the intervals "
            "are rough, and the analytic ones too narrow."
        )
    if 2 <= a.n_annotators < FEW_ANNOTATORS and not a.anonymous:
        found.append(
            f"Only {a.n_annotators} annotators: the estimates hold for these annotators. The "
            "intervals account for the sampling of items, not of annotators."
        )
    given = np.bincount(a.label, minlength=a.n_categories)
    if a.n_labels and a.scale in ("nominal", "ordinal"):
        most = int(given.argmax())
        if given[most] == a.n_labels:
            found.append(
                f"All labels are “{shorten(a.categories[most])}”: chance alone would give the same "
                "agreement, so most coefficients are undefined."
            )
        elif given[most] > PREVAILING * a.n_labels:
            found.append(
                f"{percent(given[most] / a.n_labels)} of the labels are "
                f"“{shorten(a.categories[most])}”: chance agreement is high, and kappa, pi and "
                "alpha depend on few items. Look at each category separately."
            )
    if a.scale == "nominal" and a.n_categories > 2 and _are_numbers(a.categories):
        found.append(
            "The labels are numbers but are treated as names. If their order or distance means "
            "something, set the scale to ordinal or interval."
        )
    elif a.scale == "nominal" and _look_ordered(a.categories):
        found.append(
            "The words of the labels look ordered but are treated as names. If their order means "
            "something, set the scale to ordinal and give it."
        )
    elif a.scale == "ordinal" and _are_numbers(a.categories):
        values = [float(name) for name in a.categories]
        whole = bool(values) and all(value.is_integer() for value in values)
        if whole and max(values) - min(values) >= len(values):
            found.append(
                f"The labels {', '.join(a.categories)} have gaps: of ordinal labels ranks are "
                "compared, not values. If the numbers between could be chosen, too, give all in "
                "order."
            )
    return found + doubtful_categories(a)


def without_width(table: pd.DataFrame) -> list[str]:
    """Report which overall intervals have zero width, and why."""
    overall = table[table["breakdown"].eq("overall")]
    rows = overall[overall["lower"].notna()]
    flat = rows[(rows["upper"] - rows["lower"]).abs() < TOLERANCE]
    # A correlation knows no observed agreement: there all labels agree if they do elsewhere.
    known = overall["observed_agreement"].dropna()
    elsewhere = 1.0 if len(known) and (1 - known).abs().lt(TOLERANCE).all() else 0.0
    agreed = (1 - flat["observed_agreement"].fillna(elsewhere)).abs() < TOLERANCE
    found = []
    if agreed.any():
        n = int(flat.loc[agreed, "n_items"].max())
        beyond = 1 - (1 - float(flat["level"].iloc[0])) ** (1 / n)
        found.append(
            f"{_whose(flat[agreed], rows)} zero width, as the labels of each of the {n:,} items "
            f"agree, and are uninformative. Up to {percent(beyond)} of other items may show a "
            f"disagreement ({_level(table)} limit)."
        )
    if not agreed.all():
        found.append(
            f"{_whose(flat[~agreed], rows)} zero width, although the labels of some items differ, "
            "and are uninformative."
        )
    return found


def _whose(flat: pd.DataFrame, rows: pd.DataFrame) -> str:
    if len(flat) == len(rows):
        return "The intervals have"
    names = dict.fromkeys(_title(name) for name in flat["coefficient"])
    return f"The intervals of {', '.join(names)} have"


def coincidences(annotations: Annotations, shown: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count how often two labels of an item are of two given categories.

    Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C.
    """
    annotations = as_annotations(annotations, "coincidences")
    a = annotations
    size = np.diff(a.by_item.offsets)
    place = np.full(a.n_categories, -1)
    place[shown] = np.arange(shown.size)
    rows = (size[a.item] > 1) & (place[a.label] >= 0)
    counts = sparse.csr_array(
        sparse.coo_array(
            (np.ones(rows.sum()), (a.item[rows], place[a.label[rows]])),
            shape=(a.n_items, shown.size),
        )
    )
    each = sparse.diags_array(1 / np.maximum(size - 1, 1))
    table = (counts.T @ each @ counts).toarray()
    alone = np.asarray((each @ counts).sum(axis=0)).ravel()
    return np.asarray(table - np.diag(alone))


def _spread(counts: NDArray[np.int64]) -> str:
    """Describe the range and median of counts."""
    if not counts.size:
        return "0"
    low, middle, high = int(counts.min()), float(np.median(counts)), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,} (median {middle:,g})"


#: Grades of a scale, of which two or more are ordered, and what goes with them.
_GRADES = frozenset(
    {"agree", "disagree", "satisfied", "dissatisfied", "likely", "unlikely", "good", "bad", "poor"}
    | {"fair", "excellent", "low", "medium", "high", "never", "rarely", "seldom", "sometimes"}
    | {"often", "usually", "always", "neutral", "none", "mild", "moderate", "severe"}
)
_DEGREES = frozenset(
    {"strongly", "very", "somewhat", "slightly", "rather", "extremely", "completely", "mostly"}
    | {"tend", "to", "neither", "nor", "or"}
)


def _look_ordered(names: Sequence[str]) -> bool:
    """Return whether all labels are grades such as those of agreement."""
    words = [re.findall(r"[^\W\d_]+", name.casefold()) for name in names]
    grades = set().union(*words) - _DEGREES
    return len(names) > 2 and len(grades) > 1 and grades <= _GRADES and all(words)


def _are_numbers(names: Iterable[str]) -> bool:
    try:
        return all(math.isfinite(float(name)) for name in names)
    except ValueError:
        return False


def _title(name: str) -> str:
    return str(agreement.discover()[name].METHOD.title)


def _level(table: pd.DataFrame) -> str:
    level = table["level"].dropna()
    return f"{100 * level.iloc[0]:g}%" if len(level) else "95%"


def _interval(table: pd.DataFrame) -> str:
    """Describe how the overall intervals were computed."""
    kinds = set(table.loc[table["breakdown"].eq("overall"), "interval"].dropna())
    if kinds == {"percentile"}:
        return "quantiles of a bootstrap over items"
    if "percentile" in kinds:
        return "quantiles of a bootstrap over items, or analytic where the CSV file says so"
    return "analytic, over items"


def _lead(table: pd.DataFrame) -> dict[str, Any] | None:
    """Choose the headline value."""
    rows = table[table["breakdown"].eq("overall") & table["coefficient"].eq(LEADING)]
    return None if rows.empty else {**records(rows)[0], "title": _title(LEADING)}


def _coefficients(table: pd.DataFrame) -> dict[str, Any]:
    rows = table[table["breakdown"].eq("overall")]
    found = []
    for row in records(rows):
        method = agreement.discover()[row["coefficient"]].METHOD
        corrects = not pd.isna(row["expected_agreement"]) and row["expected_agreement"] != 0
        found.append({**row, "title": method.title, "corrects": corrects})
    # What is corrected for chance comes first.
    found.sort(key=lambda row: (row["coefficient"] != LEADING, not row["corrects"]))
    defined = [row for row in found if not pd.isna(row["estimate"])]
    return {
        "rows": defined,
        "undefined": [row for row in found if pd.isna(row["estimate"])],
        "plot": _forest("coefficients-plot", defined),
    }


def _forest(name: str, rows: list[dict[str, Any]]) -> figures.RowFigure:
    limits = figures.limits_of([[row["lower"], row["estimate"]] for row in rows])
    return figures.estimates(name, rows, limits)


def _records(table: pd.DataFrame) -> list[dict[str, str]]:
    """List the assumptions of each coefficient shown."""
    known = agreement.discover()
    shown = table[table["estimate"].notna()]["coefficient"].unique()
    names = sorted(shown, key=lambda name: (name != LEADING, name))
    return [
        {
            "title": known[name].METHOD.title,
            "assumes": known[name].METHOD.assumes,
            "missing": known[name].METHOD.missing,
            "reference": known[name].METHOD.reference,
        }
        for name in names
    ]


def _categories(annotations: Annotations, table: pd.DataFrame) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("category") & table["of"].ne("")]
    # Of two categories each is the rest of the other, and the overall value is theirs.
    redundant = annotations.scale != "set" and annotations.n_categories == 2
    alpha_rows = rows[rows["coefficient"].eq(LEADING)]
    if redundant or alpha_rows["estimate"].isna().all():
        return None
    alpha = records(alpha_rows)
    known = agreement.discover()
    others = [
        name
        for name in rows["coefficient"].unique()
        if name != LEADING and known[name].METHOD.annotators == "any"
    ]
    values = rows.set_index(["of", "coefficient"])["estimate"].to_dict()
    return {
        "plot": _forest("categories-plot", alpha),
        "of": "element" if annotations.scale == "set" else "category",
        "titles": [_title(name).split(" (")[0].split(" / ")[0] for name in others],
        "rows": [
            {
                **row,
                "share": row["n_labels"] / max(1, annotations.n_labels),
                "others": [values.get((row["of"], name), math.nan) for name in others],
            }
            for row in alpha
        ],
        "total": len(annotations.elements or annotations.categories),
    }


def _annotators(annotations: Annotations, table: pd.DataFrame) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("annotator") & table["of"].notna()]
    if annotations.anonymous or annotations.n_annotators < 2 or rows["estimate"].isna().all():
        return None
    overall = table[table["breakdown"].eq("overall") & table["coefficient"].eq(LEADING)]
    options = overall["options"].iloc[0]
    alone = table[
        table["breakdown"].eq("without annotator")
        & table["coefficient"].eq(LEADING)
        & table["options"].eq(options)
    ]
    change = (alone.set_index("of")["estimate"] - overall["estimate"].iloc[0]).to_dict()
    found = rows.sort_values(["estimate", "n_labels"], ascending=[True, False], kind="stable")
    found = found[found["estimate"].notna()]
    cut = len(found) > MAX_ANNOTATORS
    listed = found.head(WORST_ANNOTATORS) if cut else found
    changes = [change.get(name, math.nan) for name in listed["of"]]
    limits = figures.limits_of_agreement(found["estimate"], annotations.scale)
    return {
        "cut": cut,
        "n": len(found),
        "n_without": int(rows["estimate"].isna().sum()),
        "shown": len(listed),
        "histogram": figures.distribution(
            "annotators-histogram",
            found["estimate"],
            limits,
            of="annotators",
            over="observed agreement",
        )
        if cut
        else None,
        "plot": figures.estimates("annotators-plot", records(listed), limits),
        "changes": figures.changes("changes-plot", changes) if np.isfinite(changes).any() else None,
        "rows": [
            row | {"change": change} for row, change in zip(records(listed), changes, strict=True)
        ],
    }


def _pairs(annotations: Annotations) -> dict[str, Any] | None:
    """Lay out a heat map for few annotators, or the distribution over pairs for many."""
    a = annotations
    if a.anonymous or a.n_annotators < 3 or count_label_pairs(a) == 0:
        return None
    if count_label_pairs(a) > MAX_LABEL_PAIRS:
        common = pair_annotators(a)
        return {"kind": "none", "n_pairs": len(common), "n_label_pairs": count_label_pairs(a)}
    try:
        found = agreement.krippendorff_alpha(a).by_pair()
    except AnnotationError:
        return None
    if a.scale == "ordinal":  # equal labels, not near ones
        equal = agreement.percent_agreement(a).by_pair()
        found = found.assign(observed_agreement=equal["observed_agreement"])
    code = {name: j for j, name in enumerate(a.annotators)}
    if a.n_annotators > MAX_IN_HEAT_MAP:
        fewest = 5 if (found["n_items"] >= 5).any() else 1
        enough = found[found["n_items"] >= fewest]
        return {
            "kind": "distribution",
            "n_pairs": len(found),
            "fewest": fewest,
            "observed": figures.distribution(
                "pairs-observed",
                enough["observed_agreement"],
                figures.limits_of_agreement(enough["observed_agreement"], a.scale),
                of="pairs",
                over="observed agreement",
            ),
            "alpha": figures.distribution(
                "pairs-alpha",
                enough["estimate"],
                figures.limits_of(enough["estimate"]),
                of="pairs",
                over="Krippendorff's alpha",
            ),
        }
    first = found["first"].map(code).to_numpy()
    second = found["second"].map(code).to_numpy()
    tables = {}
    for name in ("observed_agreement", "estimate", "n_items"):
        square = np.full((a.n_annotators, a.n_annotators), math.nan)
        square[first, second] = square[second, first] = found[name]
        tables[name] = square
    # The annotator who agrees most with the others first.
    mean = pd.DataFrame(tables["observed_agreement"]).mean(axis=1).fillna(-1.0)
    order = np.argsort(-mean.to_numpy(), kind="stable")
    names = [a.annotators[j] for j in order]
    items = tables["n_items"][np.ix_(order, order)]
    maps = [
        figures.heat_map(title, tables[key][np.ix_(order, order)], names, names, items, low)
        for key, title, low in (
            ("observed_agreement", "Observed agreement", None),
            ("estimate", "Krippendorff's alpha", None),
        )
    ]
    return {"kind": "heat", "n_pairs": len(found), "maps": maps}


def _confusion(annotations: Annotations) -> dict[str, Any] | None:
    """Lay out, for each category, the other annotators' labels of the same items."""
    a = annotations
    if a.scale == "interval" and a.n_categories > MAX_CONFUSED:
        return None
    given = np.bincount(a.label, minlength=a.n_categories)
    used = np.flatnonzero(given)
    shown = np.sort(used[np.argsort(-given[used], kind="stable")[:MAX_CONFUSED]])
    # Of many rare categories a few tell nothing.
    if shown.size < 2 or given[shown].sum() < a.n_labels / 2:
        return None
    table = coincidences(a, shown)
    total = coincidence_totals(a)[shown]
    if not total.any():
        return None
    with np.errstate(invalid="ignore"):
        share = table / np.where(total > 0, total, math.nan)[:, None]
    names = [a.categories[k] for k in shown]
    apart = table.copy()
    np.fill_diagonal(apart, 0)
    worst = [
        {"first": names[i], "second": names[j], "share": share[i, j], "back": share[j, i]}
        for i, j in sorted(
            zip(*np.nonzero(np.triu(apart, 1)), strict=True), key=lambda cell: -apart[cell]
        )[:3]
    ]
    return {
        "map": figures.heat_map("", share, names, names, None, 0.0, as_percent=True),
        "worst": worst,
        "cut": a.n_categories > shown.size,
        "n": shown.size,
        "total": a.n_categories,
    }


def coincidence_totals(annotations: Annotations) -> NDArray[np.int64]:
    """Count the labels of items with at least two labels."""
    annotations = as_annotations(annotations, "coincidence_totals")
    a = annotations
    paired = np.diff(a.by_item.offsets)[a.item] > 1
    return np.bincount(a.label[paired], minlength=a.n_categories)


def _items(annotations: Annotations, texts: Mapping[str, str]) -> dict[str, Any] | None:
    a = annotations
    order, agreeing = _least_agreement(a)
    if not np.isfinite(agreeing).any():
        return None
    n_labels = np.diff(a.by_item.offsets)
    worst = order[:WORST_ITEMS]
    perfect = int((agreeing >= 1 - ZERO).sum())
    return {
        "histogram": figures.distribution(
            "items-histogram",
            agreeing,
            figures.limits_of_agreement(agreeing, a.scale),
            of="items",
            over="observed agreement",
        ),
        "perfect": perfect,
        "n": int(np.isfinite(agreeing).sum()),
        "rows": [
            {
                "item": a.items[i],
                "text": texts.get(a.items[i], ""),
                "n_labels": int(n_labels[i]),
                "agreement": agreeing[i],
                "labels": _labels_of(a, int(i))[:MAX_DIFFERENT],
                "more": max(0, len(_labels_of(a, int(i))) - MAX_DIFFERENT),
            }
            for i in worst
        ],
    }


def _labels_of(a: Annotations, item: int) -> list[tuple[str, int]]:
    """Count the labels of one item, the most frequent first."""
    codes, times = np.unique(a.label[a.by_item[item]], return_counts=True)
    order = np.argsort(-times, kind="stable")
    return [(a.categories[codes[n]], int(times[n])) for n in order]


def _notes(table: pd.DataFrame) -> list[str]:
    """List the omissions from breakdowns, each reason once, with the coefficients concerned."""
    notes: dict[str, list[str]] = {}
    rows = table[table["breakdown"].ne("overall") & table["note"].fillna("").ne("")]
    for row in rows[["breakdown", "coefficient", "note"]].drop_duplicates().to_dict("records"):
        if "shown" in row["note"] or "Left out" in row["note"]:
            notes.setdefault(f"By {row['breakdown']}: {row['note']}", []).append(
                _title(row["coefficient"])
            )
    return [f"{note} ({', '.join(dict.fromkeys(titles))})" for note, titles in notes.items()]
