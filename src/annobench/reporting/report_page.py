"""A report of agreement as one page that opens offline: tables and plots, nothing fetched.

Names of items, annotators and categories are somebody's text: the template escapes everything.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from annobench import __version__, agreement
from annobench.agreement.annotators import pair_annotators
from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.report_values import MAX_LABEL_PAIRS
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import TOLERANCE

#: Sizes up to which everything is drawn; beyond, a distribution and the ends.
MAX_IN_HEAT_MAP: Final = 30
MAX_ANNOTATORS: Final = 40
MAX_CONFUSED: Final = 20
WORST_ITEMS: Final = 15
WORST_ANNOTATORS: Final = 15
#: Different labels of one item that are shown.
MAX_DIFFERENT: Final = 6
#: Cells of a heat map hold their number up to this many rows.
MAX_WRITTEN: Final = 14

#: Below these, the page says that the numbers are rough.
FEW_ITEMS: Final = 30
FEW_ANNOTATORS: Final = 5
MANY_CATEGORIES: Final = 50
#: The share of one category above which chance-corrected coefficients are unsteady.
PREVAILING: Final = 0.9

LEADING: Final = "krippendorff_alpha"

#: Distance of the marks on an axis, up to which length.
_STEPS: Final = ((0.05, 0.3), (0.1, 0.7), (0.2, 1.41), (0.5, math.inf))
#: Ends of the scale of colours: hardly tinted paper, and the accent.
_PALE, _DEEP = (243, 239, 230), (23, 66, 105)


def render(
    annotations: Annotations, table: pd.DataFrame, *, source: str, remarks: Sequence[str] = ()
) -> str:
    """Write the page of a report.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    table : DataFrame
        What `annobench.agreement.report` says of them.
    source : str
        Where the labels come from, such as the name of the file.
    remarks : sequence of str
        What was done to the labels before, such as repeats left out.

    Returns
    -------
    str
        HTML with its style and plots inside.

    Notes
    -----
    The cost is that of a few coefficients; pairs of annotators are compared one by one up to
    two million pairs of labels.
    """
    home = resources.files("annobench.reporting") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (home / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number, "signed": signed, "percent": percent, "thousands": "{:,}".format,
        "short": shorten,
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        content = {
            "source": source,
            "remarks": list(remarks),
            "version": __version__,
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
            "items": _items(annotations),
            "notes": _notes(table),
        }
    style = Markup((home / "agreement_report.css").read_text(encoding="utf-8"))  # noqa: S704  (ours)
    page: str = environment.get_template("agreement_report.html.j2").render(style=style, **content)
    return page


def number(value: float, places: int = 3) -> str:
    """Write a number with a true minus sign, or a dash where there is none.

    Parameters
    ----------
    value : float
        Any.
    places : int, default 3
        After the point.

    Returns
    -------
    str
        Such as "0.512".

    Examples
    --------
    >>> number(-0.25, 2), number(float("nan"))
    ('−0.25', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:.{places}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "−")


def signed(value: float) -> str:
    """Write a difference with its sign.

    Parameters
    ----------
    value : float
        Any.

    Returns
    -------
    str
        Such as "+0.012".
    """
    return f"+{number(value)}" if value > 0 and number(value) != "0.000" else number(value)


def percent(share: float) -> str:
    """Write a share in percent.

    Parameters
    ----------
    share : float
        In [0, 1].

    Returns
    -------
    str
        Two digits or more below 10%.
    """
    if math.isnan(share):
        return "–"
    return f"{100 * share:.0f}%" if share >= 0.0995 or share == 0 else f"{100 * share:.2g}%"


def shorten(name: str, longest: int = 22) -> str:
    """Cut a long name.

    Parameters
    ----------
    name : str
        Any.
    longest : int, default 22
        Characters.

    Returns
    -------
    str
        With an ellipsis where it was cut.
    """
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def facts(annotations: Annotations) -> list[tuple[str, str, str]]:
    """Say what the labels are.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    list of (name, value, explanation)
        Items, annotators, labels, categories, and how full the design is.
    """
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
    return [
        (f"{a.n_items:,}", _plural(a.n_items, "item"), f"{_spread(per_item)} labels each"),
        (f"{a.n_annotators:,}", _plural(a.n_annotators, "annotator"),
         f"{_spread(per_annotator)} labels each"),
        (f"{a.n_labels:,}", _plural(a.n_labels, "label"),
         "complete: everybody labelled everything" if a.n_labels == cells
         else f"{percent(full)} of all item–annotator pairs"),
        (f"{len(names):,}", many if len(names) != 1 else one,
         f"{a.scale}: {listed}"),
        (f"{paired:,}", f"comparable {_plural(paired, 'item')}",
         "labelled by two annotators or more"),
    ]  # fmt: skip


def cautions(annotations: Annotations) -> list[str]:
    """Say what makes the numbers rough, or what looks like a mistake.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    list of str
        Sentences; empty if there is nothing to say.
    """
    a = annotations
    found = []
    paired = int((np.diff(a.by_item.offsets) > 1).sum())
    if a.n_annotators < 2:
        found.append("There is one annotator: agreement is between annotators, so there is none to "
                     "measure.")  # fmt: skip
    elif paired == 0:
        found.append("No item has labels of two annotators: there is nothing to compare.")
    elif paired < FEW_ITEMS:
        found.append(
            f"Only {paired} {_plural(paired, 'item')} with two labels or more: the intervals "
            "are rough, and the analytic ones too narrow."
        )
    if 2 <= a.n_annotators < FEW_ANNOTATORS:
        found.append(
            f"{a.n_annotators} annotators: the numbers speak of these persons; the intervals tell "
            "what other items would give, not what other annotators would."
        )
    given = np.bincount(a.label, minlength=a.n_categories)
    if a.n_labels and a.scale in ("nominal", "ordinal"):
        most = int(given.argmax())
        if given[most] == a.n_labels:
            found.append(
                f"All labels are “{shorten(a.categories[most])}”: chance would agree as often, so "
                "most coefficients are undefined."
            )
        elif given[most] > PREVAILING * a.n_labels:
            found.append(
                f"{percent(given[most] / a.n_labels)} of the labels are "
                f"“{shorten(a.categories[most])}”: agreement by chance is high, and kappa, pi and "
                "alpha hang on few items. Look at the categories one by one."
            )
        if a.n_categories > MANY_CATEGORIES:
            found.append(
                f"{a.n_categories:,} categories: is this the column of labels? Numbers that "
                "measure something go on the interval scale."
            )
    if a.scale == "nominal" and a.n_categories > 2 and _are_numbers(a.categories):
        found.append(
            "The labels are numbers, taken for mere names. If their order or distance means "
            "something, name the scale: ordinal or interval."
        )
    alike: dict[str, list[str]] = {}
    for name in (a.elements or a.categories)[:1_000]:
        alike.setdefault(" ".join(name.casefold().split()), []).append(name)
    for names in list(alike.values())[:20]:
        if len(names) > 1 and a.scale != "interval":
            found.append(
                f"The categories {' and '.join(f'“{shorten(name)}”' for name in names[:4])} differ "
                "only by spaces or capitals, and count as different."
            )
    return found


def without_width(table: pd.DataFrame) -> list[str]:
    """Say which overall intervals have no width, and what that means.

    Parameters
    ----------
    table : DataFrame
        What `annobench.agreement.report` says.

    Returns
    -------
    list of str
        One sentence, or none.
    """
    rows = table[table["breakdown"].eq("overall") & table["lower"].notna()]
    flat = rows[rows["upper"] - rows["lower"] < TOLERANCE]
    if flat.empty:
        return []
    names = ", ".join(dict.fromkeys(_title(name) for name in flat["coefficient"]))
    who = "The intervals have" if len(flat) == len(rows) else f"The intervals of {names} have"
    if (1 - flat["observed_agreement"] > TOLERANCE).any():
        return [f"{who} no width, as drawing items changes nothing: that tells nothing of others."]
    n = int(flat["n_items"].max())
    beyond = 1 - (1 - float(flat["level"].iloc[0])) ** (1 / n)
    return [
        f"{who} no width, as all labels of each of the {n:,} items agree. That tells nothing of "
        f"other items, of which up to {percent(beyond)} may show a disagreement "
        f"({_level(table)} limit)."
    ]


def coincidences(annotations: Annotations, shown: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count how often two labels of one item are of two categories.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    shown : ndarray of int, shape (M,)
        Codes of the categories.

    Returns
    -------
    ndarray, shape (M, M)
        Krippendorff's coincidence matrix: every label of an item of m labels counts its pairs
        with the m - 1 others as 1 / (m - 1).

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C.

    Examples
    --------
    >>> coincidences(Annotations.from_contingency([[1, 2], [0, 3]]), np.arange(2))
    array([[2., 2.],
           [2., 6.]])
    """
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


@dataclass(frozen=True)
class Axis:
    """A horizontal axis, places on it in percent of its width.

    Attributes
    ----------
    low, high : float
        Its ends.
    """

    low: float
    high: float

    @classmethod
    def of(cls, values: ArrayLike, low: float = 0.0, high: float = 1.0) -> Axis:
        """Make an axis that holds values, ending at fifths.

        Parameters
        ----------
        values : array_like
            What it must hold, down to -1; NaN is passed over.
        low, high : float
            What it holds in any case.

        Returns
        -------
        Axis
            At least from `low` to `high`.
        """
        x = np.asarray(values, dtype=np.float64)
        x = x[np.isfinite(x)]
        smallest = max(-1.0, float(x.min())) if x.size else low
        return cls(min(low, math.floor(smallest * 5 + 1e-9) / 5), high)

    @classmethod
    def of_agreement(cls, values: ArrayLike, scale: str) -> Axis:
        """Make an axis of observed agreement: from 0, but closer in where distances are squared.

        Parameters
        ----------
        values : array_like
            What it must hold; NaN is passed over.
        scale : str
            Of the labels.

        Returns
        -------
        Axis
            Up to 1.
        """
        x = np.asarray(values, dtype=np.float64)
        x = x[np.isfinite(x)]
        if scale != "interval" or not x.size:
            return cls(0.0, 1.0)
        return cls(min(0.8, max(0.0, math.floor(float(x.min()) * 5 + 1e-9) / 5)), 1.0)

    def at(self, value: float) -> str:
        """Return the place of a value.

        Parameters
        ----------
        value : float
            Cut at the ends.

        Returns
        -------
        str
            In percent, 3% in from either end.
        """
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{3 + 94 * share:.2f}%"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Place and text of the marks, about six of them."""
        span = self.high - self.low
        step = next(size for size, most in _STEPS if span <= most)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        marks = [step * n for n in range(first, last + 1)]
        return [(self.at(x), number(x, 2).rstrip("0").rstrip(".") or "0") for x in marks]


def histogram(values: ArrayLike, axis: Axis, bins: int = 20) -> dict[str, Any]:
    """Lay out a histogram.

    Parameters
    ----------
    values : array_like
        What is counted; NaN is passed over.
    axis : Axis
        Its ends.
    bins : int, default 20
        Number of bars.

    Returns
    -------
    dict
        Bars with place, width and height in percent, their count and range; axis; n.
    """
    x = np.asarray(values, dtype=np.float64)
    x = np.clip(x[np.isfinite(x)], axis.low, axis.high)
    counts, edges = np.histogram(x, bins=bins, range=(axis.low, axis.high))
    tallest = max(1, int(counts.max(initial=0)))
    bars = [
        {
            "x": axis.at(low),
            "width": f"{94 / bins - 0.35:.2f}%",
            "height": round(96 * float(count) / tallest, 2),
            "n": int(count),
            "range": f"{number(low, 2)} to {number(high, 2)}",
        }
        for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True)
    ]
    return {"bars": bars, "axis": axis, "n": int(x.size), "tallest": tallest}


def counted(n: int, noun: str) -> str:
    """Write a number with its noun.

    Parameters
    ----------
    n : int
        How many.
    noun : str
        In the singular; its plural ends in s.

    Returns
    -------
    str
        Such as "1 item" or "2,000 items".
    """
    return f"{n:,} {_plural(n, noun)}"


def _plural(n: int, noun: str) -> str:
    return noun if n == 1 else f"{noun}s"


def _spread(counts: NDArray[np.int64]) -> str:
    """Say the range and the median of counts."""
    if not counts.size:
        return "0"
    low, middle, high = int(counts.min()), float(np.median(counts)), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,} (median {middle:,g})"


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
    """Say how the overall intervals were made."""
    kinds = set(table.loc[table["breakdown"].eq("overall"), "interval"].dropna())
    if kinds == {"percentile"}:
        return "quantiles of a bootstrap over items"
    if "percentile" in kinds:
        return "quantiles of a bootstrap over items, or analytic where the CSV file says so"
    return "analytic, over items"


def _lead(table: pd.DataFrame) -> dict[str, Any] | None:
    """Pick the value that the page opens with."""
    rows = table[table["breakdown"].eq("overall") & table["coefficient"].eq(LEADING)]
    return None if rows.empty else {**_records_of(rows)[0], "title": _title(LEADING)}


def _coefficients(table: pd.DataFrame) -> dict[str, Any]:
    rows = table[table["breakdown"].eq("overall")]
    found = []
    for row in _records_of(rows):
        method = agreement.discover()[row["coefficient"]].METHOD
        corrects = not _is_nan(row["expected_agreement"]) and row["expected_agreement"] != 0
        found.append({**row, "title": method.title, "corrects": corrects})
    # What is corrected for chance comes first.
    found.sort(key=lambda row: (row["coefficient"] != LEADING, not row["corrects"]))
    axis = Axis.of(rows[["lower", "estimate"]].to_numpy(dtype=float))
    numbers = [row for row in found if not _is_nan(row["estimate"])]
    without = [row for row in found if _is_nan(row["estimate"])]
    return {"rows": [_placed(row, axis) for row in numbers], "without": without, "axis": axis}


def _records_of(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def _is_nan(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _placed(row: dict[str, Any], axis: Axis) -> dict[str, Any]:
    """Add the places of the estimate and its interval."""
    places = {
        end: "" if _is_nan(row[end]) else axis.at(row[end])
        for end in ("estimate", "lower", "upper")
    }
    return {**row, "at": places}


def _records(table: pd.DataFrame) -> list[dict[str, str]]:
    """Say what each coefficient shown assumes."""
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
    alpha = _records_of(alpha_rows)
    axis = Axis.of(alpha_rows[["lower", "estimate"]].to_numpy(float))
    known = agreement.discover()
    others = [
        name
        for name in rows["coefficient"].unique()
        if name != LEADING and known[name].METHOD.annotators == "any"
    ]
    values = rows.set_index(["of", "coefficient"])["estimate"].to_dict()
    return {
        "axis": axis,
        "of": "element" if annotations.scale == "set" else "category",
        "titles": [_title(name).split(" (")[0].split(" / ")[0] for name in others],
        "rows": [
            {
                **_placed(row, axis),
                "share": row["n_labels"] / max(1, annotations.n_labels),
                "others": [values.get((row["of"], name), math.nan) for name in others],
            }
            for row in alpha
        ],
        "total": len(annotations.elements or annotations.categories),
    }


def _annotators(annotations: Annotations, table: pd.DataFrame) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("annotator") & table["of"].notna()]
    if annotations.n_annotators < 2 or rows["estimate"].isna().all():
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
    largest = np.nanmax(np.abs(changes)) if np.isfinite(changes).any() else 0.0
    axis = Axis.of_agreement(found["estimate"], annotations.scale)
    return {
        "axis": axis,
        "cut": cut,
        "n": len(found),
        "n_without": int(rows["estimate"].isna().sum()),
        "shown": len(listed),
        "histogram": histogram(found["estimate"], axis) if cut else None,
        "changes": bool(np.isfinite(changes).any()),
        "rows": [
            {**_placed(row, axis), "change": by, "bar": _bar(by, float(largest))}
            for row, by in zip(_records_of(listed), changes, strict=True)
        ],
    }


def _bar(change: float, largest: float) -> dict[str, str] | None:
    """Place a bar to the left or the right of the middle."""
    if math.isnan(change) or largest <= 0:
        return None
    width = 46 * abs(change) / largest
    return {"x": f"{50 - width if change < 0 else 50:.2f}%", "width": f"{width:.2f}%",
            "side": "down" if change < 0 else "up"}  # fmt: skip


def _pairs(annotations: Annotations) -> dict[str, Any] | None:
    """Lay out a heat map of few annotators, or the distribution over pairs of many."""
    a = annotations
    if a.n_annotators < 3 or count_label_pairs(a) == 0:
        return None
    if count_label_pairs(a) > MAX_LABEL_PAIRS:
        common = pair_annotators(a)
        return {"kind": "none", "n_pairs": len(common), "n_label_pairs": count_label_pairs(a)}
    try:
        found = agreement.krippendorff_alpha(a).by_pair()
    except AnnotationError:
        return None
    observed = found["observed_agreement"]
    if a.scale in ("nominal", "ordinal"):
        observed = agreement.percent_agreement(a).by_pair()["observed_agreement"]
    found = found.assign(observed_agreement=observed)
    code = {name: j for j, name in enumerate(a.annotators)}
    if a.n_annotators > MAX_IN_HEAT_MAP:
        fewest = 5 if (found["n_items"] >= 5).any() else 1
        enough = found[found["n_items"] >= fewest]
        return {
            "kind": "distribution",
            "n_pairs": len(found),
            "fewest": fewest,
            "observed": histogram(
                enough["observed_agreement"],
                Axis.of_agreement(enough["observed_agreement"], a.scale),
            ),
            "alpha": histogram(enough["estimate"], Axis.of(enough["estimate"])),
        }
    first = found["first"].map(code).to_numpy()
    second = found["second"].map(code).to_numpy()
    tables = {}
    for name in ("observed_agreement", "estimate", "n_items"):
        square = np.full((a.n_annotators, a.n_annotators), math.nan)
        square[first, second] = square[second, first] = found[name]
        tables[name] = square
    # The annotator who agrees most with the others first.
    mean = np.array([row[~np.isnan(row)].mean() if (~np.isnan(row)).any() else -1.0
                     for row in tables["observed_agreement"]])  # fmt: skip
    order = np.argsort(-mean, kind="stable")
    names = [a.annotators[j] for j in order]
    items = tables["n_items"][np.ix_(order, order)]
    maps = [
        _heat_map(title, tables[key][np.ix_(order, order)], names, names, items, low)
        for key, title, low in (
            ("observed_agreement", "Observed agreement", None),
            ("estimate", "Krippendorff's alpha", None),
        )
    ]
    return {"kind": "heat", "n_pairs": len(found), "maps": maps}


def _heat_map(
    title: str,
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    items: NDArray[np.float64] | None,
    low: float | None,
    high: float = 1.0,
    *,
    as_percent: bool = False,
) -> dict[str, Any]:
    """Lay out a table of colours; numbers are written in the cells of small ones."""
    # Two of the largest fit side by side.
    size = 34 if len(rows) <= MAX_WRITTEN else 18 if len(rows) <= 20 else 12
    seen = values[np.isfinite(values)]
    if low is None:
        low = math.floor(float(seen.min()) * 10) / 10 if seen.size else 0.0
        low = min(max(low, -1.0), 0.9)
    cells = []
    for i, j in np.argwhere(np.isfinite(values)):
        share = (min(max(values[i, j], low), high) - low) / (high - low)
        written = percent(values[i, j]) if as_percent else number(values[i, j], 2)
        on = "" if items is None else f", {counted(int(items[i, j]), 'item')}"
        cells.append(
            {
                "gap": 1.5 if size > 12 else 1.0,
                "x": int(j) * size,
                "y": int(i) * size,
                "fill": _colour(share),
                "dark": share > 0.5,
                "text": written.replace("0.", ".").removesuffix("%") if size > 20 else "",
                "title": f"{rows[i]} × {columns[j]}: {written}{on}",
            }
        )
    margin = 12 + 6.3 * max((len(shorten(name, 16)) for name in (*rows, *columns)), default=1)
    return {
        "title": title, "cells": cells, "rows": list(rows), "columns": list(columns),
        "size": size, "margin": round(margin),
        "width": round(margin + size * len(columns) + max(4, margin / 2 - size / 2)),
        "height": round(margin) + size * len(rows) + 4,
        "legend": {
            "low": percent(low) if as_percent else number(low, 1),
            "high": percent(high) if as_percent else number(high, 1),
            "stops": [(f"{10 * n}%", _colour(n / 10)) for n in range(11)],
        },
    }  # fmt: skip


def _colour(share: float) -> str:
    """Mix pale paper and deep blue; perceived lightness falls evenly."""
    mixed = (round(pale + (deep - pale) * share) for pale, deep in zip(_PALE, _DEEP, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _confusion(annotations: Annotations) -> dict[str, Any] | None:
    """Lay out, for each category, what the other annotators say of the same items."""
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
    share = np.divide(table, total[:, None], out=np.full_like(table, math.nan),
                      where=total[:, None] > 0)  # fmt: skip
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
        "map": _heat_map("", share, names, names, None, 0.0, as_percent=True),
        "worst": worst,
        "cut": a.n_categories > shown.size,
        "n": shown.size,
        "total": a.n_categories,
    }


def coincidence_totals(annotations: Annotations) -> NDArray[np.int64]:
    """Count the labels of items that have at least two.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    ndarray, shape (K,)
        Row sums of the whole coincidence matrix.
    """
    a = annotations
    paired = np.diff(a.by_item.offsets)[a.item] > 1
    return np.bincount(a.label[paired], minlength=a.n_categories)


def _items(annotations: Annotations) -> dict[str, Any] | None:
    a = annotations
    try:
        result = (
            agreement.percent_agreement(a)
            if a.scale in ("nominal", "ordinal")
            else agreement.krippendorff_alpha(a)
        )
        found = result.by_item()
    except AnnotationError:
        return None
    agreeing = found["observed_agreement"].to_numpy(dtype=float)
    order = np.lexsort((-found["n_labels"].to_numpy(), np.round(agreeing, 12)))
    worst = order[agreeing[order] < 1 - 1e-12][:WORST_ITEMS]
    axis = Axis.of_agreement(agreeing, a.scale)
    perfect = int((agreeing >= 1 - 1e-12).sum())
    return {
        "histogram": histogram(agreeing, axis),
        "perfect": perfect,
        "n": int(np.isfinite(agreeing).sum()),
        "rows": [
            {
                "item": a.items[i],
                "n_labels": int(found["n_labels"].iloc[i]),
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
    """List what was left out of breakdowns, each reason once, with the coefficients it struck."""
    notes: dict[str, list[str]] = {}
    rows = table[table["breakdown"].ne("overall") & table["note"].fillna("").ne("")]
    for row in rows[["breakdown", "coefficient", "note"]].drop_duplicates().to_dict("records"):
        if "shown" in row["note"] or "Left out" in row["note"]:
            notes.setdefault(f"By {row['breakdown']}: {row['note']}", []).append(
                _title(row["coefficient"])
            )
    return [f"{note} ({', '.join(dict.fromkeys(titles))})" for note, titles in notes.items()]
