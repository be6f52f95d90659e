"""Every coefficient that applies to a data set, with intervals and breakdowns, in one table.

Which coefficients there are is found by discovery, and which of them apply is in their records:
the scales and options of `Coefficient.variants`, two annotators or any number. What a coefficient
refuses is a row too, with the reason in its note.
"""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement import resampling
from annobench.agreement.base import Agreement, Coefficient
from annobench.agreement.forms import Form
from annobench.agreement.weights import distances
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.labels.annotations import Annotations

#: The columns of a report.
COLUMNS: Final = (
    "breakdown", "of", "coefficient", "options", "estimate", "standard_error", "lower", "upper",
    "level", "interval", "n_items", "n_labels", "observed_agreement", "expected_agreement", "note",
)  # fmt: skip

#: Breakdowns show at most so many categories and pairs of annotators.
MAX_CATEGORIES: Final = 30
MAX_PAIRS: Final = 45
#: Terms of weights between categories, of all items, beyond which they are left out, for time.
MAX_WEIGHTED_TERMS: Final = 2_000_000_000
#: Pairs of labels beyond which coefficients that need them all are left out: about 5 s.
MAX_LABEL_PAIRS: Final = 2_000_000
#: Entries of statistics that a breakdown of one coefficient may go through: below 1 s.
MAX_ENTRIES: Final = 10_000_000
#: A breakdown that shows fewer parts than this of more is left out.
MIN_SHOWN: Final = 3
#: A pair of labels costs as much as so many entries.
PAIR_COST: Final = 32
#: Terms of a standard error without a quick derivative, and of a bootstrap: a few seconds.
MAX_ERROR_TERMS: Final = 100_000_000
MAX_BOOTSTRAP_TERMS: Final = 1_000_000_000

#: Coefficients for any number of annotators that are also shown by pair.
BY_PAIR: Final = ("percent_agreement", "krippendorff_alpha")

Options = Mapping[str, Any]


def report(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
    replicates: int = 2000,
) -> pd.DataFrame:
    """Compute all coefficients that apply, with intervals, by category, annotator and pair.

    Parameters
    ----------
    annotations : Annotations
        The labels; their scale decides what applies.
    rng : numpy.random.Generator or int, optional
        The source of randomness, or its seed: the overall intervals are then quantiles of the
        bootstrap over items. By default all intervals are analytic.
    level : float, default 0.95
        Of the intervals, in (0, 1).
    replicates : int, default 2000
        Of the bootstrap.

    Returns
    -------
    DataFrame
        One row a value, with the columns

        - breakdown: "overall"; "category", the labels merged to this one against the rest (an
          element, where labels are sets); "annotator", the observed agreement with all others;
          "without annotator", the coefficient when this one is left out; "pair", two annotators
          of more;
        - of: the category, the annotator, or "first × second";
        - coefficient, options: its name, such as "cohen_kappa", and "weights=quadratic";
        - estimate, standard_error, lower, upper, level, interval: NaN where undefined or left
          out, and the kind of interval;
        - n_items, n_labels: what it rests on; of a category, how often it was given;
        - observed_agreement, expected_agreement: NaN where the coefficient has none;
        - note: why a value is missing, what became of missing labels, what was left out.

    Raises
    ------
    AnnotationError
        If an annotator labelled an item twice, or the level is not in (0, 1).

    Notes
    -----
    Breakdowns are cut to what takes seconds, by sizes and not by the clock, so that the same
    labels give the same table everywhere; the notes say where. Nothing is warned of: undefined
    values are NaN with a note, and the note of an interval without width says what that means.

    Examples
    --------
    >>> table = report(Annotations.from_contingency([[30, 10], [10, 30]]))
    >>> chosen = table["coefficient"].eq("cohen_kappa") & table["breakdown"].eq("overall")
    >>> table.loc[chosen, ["estimate", "n_items"]].values.tolist()
    [[0.5, 80.0]]
    """
    check_level(level, "report")
    if annotations.first_repeat is not None:
        at = annotations.first_repeat
        raise AnnotationError(
            f"report: annotator {annotations.annotators[annotations.annotator[at]]!r} labelled an "
            f"item twice: {annotations.items[annotations.item[at]]!r}. Keep one label of each "
            "(first_labels() keeps the first), or name the annotator's second round otherwise."
        )
    settings = _Settings(
        np.random.default_rng(rng) if isinstance(rng, int | np.integer) else rng, level, replicates
    )
    variants = [
        _Variant(module.METHOD, getattr(module, name), dict(options))
        for name, module in _discover().items()
        for options in _options(module.METHOD, annotations.scale)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        rows = [
            *_overall(annotations, variants, settings),
            *_by_category(annotations, settings),
            *_by_annotator(annotations),
            *_without_annotators(annotations, variants),
            *_by_pair(annotations, variants, settings),
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def annotator_agreement(annotations: Annotations) -> pd.DataFrame:
    """Compare each annotator's labels with those of all others on the same items.

    Labels agree if they are equal; on the interval scale by 1 - (x - y)^2 / range^2, and
    sets by 1 - their MASI distance.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    DataFrame
        annotator, n_labels, n_items (shared with others), n_pairs of labels, and
        observed_agreement, the mean over these pairs; NaN without any.

    Notes
    -----
    The cost is linear in the number of labels; of sets, times the number of different ones.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyy"), list("abcab"), [1, 1, 0, 1, 0])
    >>> annotator_agreement(a)["observed_agreement"].round(3).tolist()
    [0.333, 0.333, 0.0]
    """
    a = annotations
    others = np.diff(a.by_item.offsets)[a.item] - 1
    agreeing = _agreeing_with_others(a, others)
    n_pairs = np.bincount(a.annotator, others, minlength=a.n_annotators).astype(np.int64)
    total = np.bincount(a.annotator, agreeing, minlength=a.n_annotators)
    return pd.DataFrame(
        {
            "annotator": a.annotators,
            "n_labels": np.diff(a.by_annotator.offsets),
            "n_items": np.bincount(a.annotator[others > 0], minlength=a.n_annotators),
            "n_pairs": n_pairs,
            "observed_agreement": np.divide(
                total, n_pairs, out=np.full(n_pairs.size, math.nan), where=n_pairs > 0
            ),
        }
    )


def count_label_pairs(annotations: Annotations) -> int:
    """Count the pairs of labels of one item.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    int
        Sum of m (m - 1) / 2 over items of m labels.
    """
    size = np.diff(annotations.by_item.offsets)
    return int((size * (size - 1) // 2).sum())


def pair_annotators(annotations: Annotations) -> pd.DataFrame:
    """Count the items that each pair of annotators has in common.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    DataFrame
        first, second (codes), n_items; those with the most items first. With many annotators
        of many labels, of the 300 annotators with the most labels alone.
    """
    a = annotations
    stays = np.ones(a.n_annotators, dtype=bool)
    if count_label_pairs(a) > 10 * MAX_LABEL_PAIRS:
        stays = np.zeros(a.n_annotators, dtype=bool)
        stays[np.argsort(-np.diff(a.by_annotator.offsets), kind="stable")[:300]] = True
    rows = stays[a.annotator]
    given = sparse.csr_array(
        (np.ones(rows.sum(), dtype=np.int64), (a.item[rows], a.annotator[rows])),
        shape=(a.n_items, a.n_annotators),
    )
    common = sparse.triu(given.T @ given, k=1).tocoo()
    order = np.lexsort((common.col, common.row, -common.data))
    return pd.DataFrame(
        {"first": common.row[order], "second": common.col[order], "n_items": common.data[order]}
    )


@dataclass(frozen=True)
class _Settings:
    """How intervals are made."""

    rng: np.random.Generator | None
    level: float
    replicates: int


@dataclass(frozen=True)
class _Variant:
    """A coefficient with options."""

    method: Coefficient
    function: Any
    options: dict[str, Any]

    @property
    def names(self) -> dict[str, Any]:
        shown = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return {"coefficient": self.method.name, "options": shown}

    @property
    def weighted(self) -> bool:
        """Whether each evaluation multiplies by a table of weights."""
        return "weights" in self.options

    @property
    def of_category(self) -> bool:
        """Whether it asks for a category."""
        return "category" in inspect.signature(self.function).parameters

    def refusal(self, annotations: Annotations) -> str:
        """Say why it would take too long, or nothing."""
        k = annotations.n_categories
        if self.weighted and (k > 2_000 or annotations.n_items * k**2 > MAX_WEIGHTED_TERMS):
            return (
                f"Left out: weights between {k:,} categories take long. Krippendorff's alpha of "
                "the scale needs none."
            )
        if self.method.pairwise and (n := count_label_pairs(annotations)) > MAX_LABEL_PAIRS:
            return f"Left out: it goes through all {n:,} pairs of labels, which takes long."
        if "combinations" in self.options:
            n = len(annotations.elements) ** 2 * annotations.n_labels
            if n > 5 * MAX_ENTRIES:
                return f"Left out: {len(annotations.elements):,} elements in pairs take long."
        return ""

    def compute(self, annotations: Annotations, **more: Any) -> Agreement | str:
        """Compute it, or say why not."""
        if refusal := self.refusal(annotations):
            return refusal
        try:
            result: Agreement = self.function(annotations, **self.options, **more)
        except AnnotationError as error:
            return str(error).removeprefix(f"{self.method.name}: ")
        return result


def _discover() -> dict[str, ModuleType]:
    from annobench import agreement  # which imports this module

    return agreement.discover()


def _options(method: Coefficient, scale: str) -> tuple[Options, ...]:
    if scale not in method.accepts:
        return ()
    return method.variants.get(scale, ()) if method.variants else ({},)


def _described(
    result: Agreement | str,
    settings: _Settings,
    *,
    bootstrap: bool = False,
    weighted: bool = False,
) -> dict[str, Any]:
    """Lay out one value: a number with its interval, or the reason why there is none."""
    if isinstance(result, str):
        return {"note": result}
    observed, expected = result.observed_agreement, result.expected_agreement
    values: dict[str, Any] = {
        "estimate": result.estimate,
        "n_items": result.n_items,
        "n_labels": result.n_labels,
        "observed_agreement": observed,
        "expected_agreement": expected,
    }
    if math.isnan(result.estimate):
        return {**values, "note": f"Undefined. {result.method.degenerate}"}
    terms = _error_terms(result, weighted)
    if terms > MAX_ERROR_TERMS:
        return {**values, "note": "Without standard error, which takes long here."}
    notes = []
    values["standard_error"] = result.standard_error
    interval = None
    if bootstrap and settings.rng is not None:
        if _entries(result, weighted) * settings.replicates > MAX_BOOTSTRAP_TERMS:
            notes.append("Analytic interval, as the bootstrap takes long here.")
        else:
            try:
                interval = result.interval(
                    "percentile",
                    level=settings.level,
                    replicates=settings.replicates,
                    rng=settings.rng,
                )
            except AnnotationError:
                notes.append("Analytic interval, as there are too few items to resample.")
            if interval is not None and math.isnan(interval.lower):
                notes.append("Analytic interval, as the bootstrap's is beside the estimate.")
                interval = None
    interval = interval or result.interval("analytic", level=settings.level)
    values |= {
        "lower": interval.lower,
        "upper": interval.upper,
        "level": settings.level,
        "interval": interval.kind,
    }
    if math.isnan(interval.lower):
        notes.append("Too few items for an interval.")
    if interval.caution:
        notes.append(f"{interval.caution[0].upper()}{interval.caution[1:]}")
    if interval.n_undefined:
        notes.append(f"Undefined in {interval.n_undefined} bootstrap samples.")
    return {**values, "note": " ".join(notes)}


def _entries(result: Agreement, weighted: bool) -> int:
    """Count the statistics that one evaluation goes through, more where categories are weighted."""
    rows = result.form.rows
    n = int(rows.nnz) if isinstance(rows, sparse.csr_array) else int(rows.size)
    cost = PAIR_COST * count_label_pairs(result.annotations) if result.method.pairwise else 0
    return max(n, cost, 1) * (1 + weighted * result.annotations.n_categories // 8)


def _error_terms(result: Agreement, weighted: bool) -> int:
    """Count the terms of the standard error: one evaluation for each item or each total."""
    if type(result.form).gradient is not Form.gradient:
        return _entries(result, weighted)
    n_items, n_totals = result.form.rows.shape
    return int(min(n_items, n_totals) * n_totals) * (1 + weighted * result.annotations.n_categories)


def _overall(
    annotations: Annotations, variants: list[_Variant], settings: _Settings
) -> Iterator[dict[str, Any]]:
    for variant in variants:
        if variant.of_category or (annotations.n_annotators != 2 and _of_two(variant)):
            continue
        values = _described(
            variant.compute(annotations), settings, bootstrap=True, weighted=variant.weighted
        )
        # Where labels are missing, what the coefficient does about it belongs to its value.
        if "estimate" in values and annotations.n_labels < (
            annotations.n_items * annotations.n_annotators
        ):
            values["note"] = f"{values['note']} {variant.method.missing}".strip()
        yield {"breakdown": "overall", "of": "", **variant.names, **values}


def _of_two(variant: _Variant) -> bool:
    return variant.method.annotators == "two"


def _by_category(annotations: Annotations, settings: _Settings) -> Iterator[dict[str, Any]]:
    """Set each category, or element of sets, against the rest."""
    if annotations.scale == "interval" or annotations.n_annotators < 2:
        return
    plain = [
        _Variant(module.METHOD, getattr(module, name), dict(options))
        for name, module in _discover().items()
        for options in _options(module.METHOD, "nominal")
        if not options and (module.METHOD.annotators == "any" or annotations.n_annotators == 2)
    ]
    binary = binary_labels(annotations)
    total = len(annotations.elements or annotations.categories)
    pair_cost = PAIR_COST * count_label_pairs(annotations)
    for variant in plain:
        cost = max(annotations.n_labels, pair_cost if variant.method.pairwise else 0, 1)
        shown = min(len(binary), MAX_ENTRIES // cost)
        if shown < min(MIN_SHOWN, len(binary)):
            note = f"Left out: {len(binary)} categories in turn take long."
            yield {"breakdown": "category", "of": "", **variant.names, "note": note}
            continue
        for name, labels in itertools.islice(binary.items(), shown):
            if variant.of_category:
                if annotations.scale == "set":
                    continue
                result = variant.compute(annotations, category=name)
            else:
                result = variant.compute(labels)
            values = _described(result, settings)
            if shown < total:
                note = f"Of {total:,} categories, {shown} are shown."
                values["note"] = f"{values['note']} {note}".strip()
            values["n_labels"] = int((labels.label == 1).sum())
            yield {"breakdown": "category", "of": name, **variant.names, **values}


def binary_labels(annotations: Annotations) -> dict[str, Annotations]:
    """Set each of the most frequent categories, or elements of sets, against the rest.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    dict of str to Annotations
        Nominal, of two categories, by the name of the second; in the order of the categories,
        at most `MAX_CATEGORIES`.
    """
    a = annotations
    given = np.bincount(a.label, minlength=a.n_categories)
    if a.scale != "set":
        often = np.sort(np.argsort(-given, kind="stable")[:MAX_CATEGORIES])
        return {a.categories[k]: a.binarize(a.categories[k]) for k in often}
    times = given @ a.membership
    often = np.sort(np.argsort(-times, kind="stable")[:MAX_CATEGORIES])
    return {
        a.elements[c]: a.relabel(
            a.membership[a.label, c], categories=(f"not {a.elements[c]}", a.elements[c])
        )
        for c in often
    }


def _by_annotator(annotations: Annotations) -> Iterator[dict[str, Any]]:
    options = {"interval": "weights=quadratic", "set": "metric=masi"}.get(annotations.scale, "")
    if annotations.scale == "set" and annotations.n_categories > 1_000:
        yield {
            "breakdown": "annotator",
            "coefficient": "percent_agreement",
            "options": options,
            "note": f"Left out: distances of {annotations.n_categories:,} sets take long.",
        }
        return
    for row in annotator_agreement(annotations).itertuples():
        yield {
            "breakdown": "annotator",
            "of": row.annotator,
            "coefficient": "percent_agreement",
            "options": options,
            "estimate": row.observed_agreement,
            "n_items": row.n_items,
            "n_labels": row.n_labels,
            "observed_agreement": row.observed_agreement,
            "note": "" if row.n_pairs else "No item in common with anybody.",
        }


def _agreeing_with_others(a: Annotations, others: NDArray[Any]) -> NDArray[np.float64]:
    """Sum, for every label, its agreement with the other labels of its item."""
    if a.scale == "interval":
        x = a.category_values[a.label]
        x = x - (x.mean() if x.size else 0.0)
        reach = float(np.ptp(x)) if x.size else 0.0
        first = np.bincount(a.item, x, minlength=a.n_items)[a.item]
        second = np.bincount(a.item, x**2, minlength=a.n_items)[a.item]
        apart = (others + 1) * x**2 - 2 * x * first + second
        return np.asarray(others - apart / (reach**2 or 1.0), dtype=np.float64)
    cell = a.item.astype(np.int64) * a.n_categories + a.label
    if a.scale != "set":
        _, place, times = np.unique(cell, return_inverse=True, return_counts=True)
        return np.asarray(times[place] - 1, dtype=np.float64)
    near = 1 - distances(a, "masi", "report")
    counts = sparse.csr_array(
        (np.ones(a.n_labels), (a.item, a.label)), shape=(a.n_items, a.n_categories)
    )
    found = np.empty(a.n_labels)
    step = max(1, 4_000_000 // max(1, a.n_categories))
    for start in range(0, a.n_labels, step):
        part = slice(start, start + step)
        found[part] = (counts[a.item[part]].multiply(near[a.label[part]])).sum(axis=1) - 1
    return found


def _without_annotators(
    annotations: Annotations, variants: list[_Variant]
) -> Iterator[dict[str, Any]]:
    if annotations.n_annotators < 3:
        return
    n_labels = np.diff(annotations.by_annotator.offsets)
    order = np.argsort(-n_labels, kind="stable")
    for variant in variants:
        if variant.of_category or _of_two(variant):
            continue
        result = variant.compute(annotations)
        if isinstance(result, str):
            continue
        # An item that only this annotator left unlabelled would come in, and it was left out.
        whole = result.annotations.n_items < annotations.n_items
        n_shown = min(order.size, MAX_ENTRIES // _entries(result, variant.weighted))
        note = ""
        if n_shown < order.size:
            note = f"Of {order.size:,} annotators, the {n_shown} with the most labels are shown."
        if n_shown < min(MIN_SHOWN, order.size):
            note = f"Left out: {order.size:,} annotators in turn take long."
            yield {"breakdown": "without annotator", "of": "", **variant.names, "note": note}
            continue
        for j in np.sort(order[:n_shown]):
            if whole:
                value = _again_without(variant, annotations, j)
            else:
                value = resampling.without(result, int(j))
            yield {
                "breakdown": "without annotator",
                "of": annotations.annotators[j],
                **variant.names,
                "estimate": value,
                "n_labels": annotations.n_labels - int(n_labels[j]),
                "note": note if not math.isnan(value) else f"Undefined. {note}".strip(),
            }


def _again_without(variant: _Variant, annotations: Annotations, annotator: int) -> float:
    others = np.arange(annotations.n_annotators) != annotator
    result = variant.compute(annotations.select(annotators=others))
    return math.nan if isinstance(result, str) else result.estimate


def _by_pair(
    annotations: Annotations, variants: list[_Variant], settings: _Settings
) -> Iterator[dict[str, Any]]:
    if annotations.n_annotators < 3:
        return
    chosen = [
        variant
        for variant in variants
        if not variant.of_category and (_of_two(variant) or variant.method.name in BY_PAIR)
    ]
    pairs = pair_annotators(annotations)
    shown = pairs[:MAX_PAIRS]
    note = ""
    if len(shown) < len(pairs):
        note = (
            f"Of {len(pairs):,} pairs with common items, the {len(shown)} with the most are shown."
        )
    labels = {
        f"{annotations.annotators[first]} × {annotations.annotators[second]}": _two(
            annotations, first, second
        )
        for first, second in zip(shown["first"], shown["second"], strict=True)
    }
    for variant in chosen:
        results = {name: variant.compute(two) for name, two in labels.items()}
        refusals = {result for result in results.values() if isinstance(result, str)}
        if len(refusals) == 1 and all(isinstance(result, str) for result in results.values()):
            yield {"breakdown": "pair", "of": "", **variant.names, "note": refusals.pop()}
            continue
        for name, result in results.items():
            values = _described(result, settings)
            values["note"] = f"{values['note']} {note}".strip()
            yield {"breakdown": "pair", "of": name, **variant.names, **values}


def _two(annotations: Annotations, first: int, second: int) -> Annotations:
    """Keep the common items of two annotators."""
    a = annotations
    rows = np.concatenate([a.by_annotator[first], a.by_annotator[second]])
    codes, item = np.unique(a.item[rows], return_inverse=True)
    both = replace(
        a,
        item=item.astype(np.int32),
        annotator=(a.annotator[rows] == second).astype(np.int32),
        label=a.label[rows],
        items=tuple(a.items[code] for code in codes),
        annotators=(a.annotators[first], a.annotators[second]),
    )
    return both.complete()
