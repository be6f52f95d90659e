"""Krippendorff's alpha: any number of annotators, any metric, missing labels.

    alpha = 1 - D_o / D_e

D_o is the mean distance between two labels of an item, with equal weight for each label; D_e is the
mean distance between two labels drawn without replacement from all pairable labels.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.alpha import IntervalAlpha, OrdinalAlpha
from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.pooled import Chance, Pooled
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.weights import (
    Metric,
    check_category_count,
    check_tabulated,
    checked_metric,
    distances,
)
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "krippendorff_alpha"]

METHOD = Coefficient(
    name="krippendorff_alpha",
    title="Krippendorff's alpha",
    reference="Krippendorff (2011), Computing Krippendorff's alpha-reliability",
    accepts=frozenset({"nominal", "ordinal", "interval", "set"}),
    annotators="any",
    pools=True,
    missing="Items with fewer than two labels are left out; all other labels have equal weight.",
    degenerate="Every label of the items with two labels is the same: no disagreement is expected.",
    standard_error="Delta method over items",
    ddof=1,
    assumes="Chance: labels are shuffled over all items; annotators are interchangeable.",
    small_sample=True,
    by_pair=True,
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"metric": "nominal"}),
        "interval": ({},),
        "set": ({}, {"metric": "jaccard"}),
    },
    examples=(
        Example(),
        Example({"metric": "ordinal"}, "ordinal", 5),
        Example({"metric": "interval"}, "ordinal", 5),
        Example({"metric": "masi"}, "set", 4),
    ),
)

#: The metric that goes with a scale.
_BY_SCALE = {"nominal": "nominal", "ordinal": "ordinal", "interval": "interval", "set": "masi"}


def krippendorff_alpha(
    annotations: Annotations,
    *,
    metric: Metric = None,
    period: float | None = None,
    small_sample: bool = True,
) -> Agreement:
    """Estimate Krippendorff's alpha.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, one label of each for an item.
    metric : str, array_like of shape (K, K) or callable, optional
        "nominal", "ordinal", "interval", "ratio", "circular", "absolute", "masi",
        "jaccard", a table of distances, or a function of two categories' names. By default
        the scale of the labels, and "masi" for sets.
    period : float, optional
        Period of the circular metric, such as 24 for hours.
    small_sample : bool, default True
        Whether D_e draws without replacement (n - 1); otherwise alpha is a weighted pi.

    Returns
    -------
    Agreement
        Estimate, observed and expected agreement (1 minus the share of the largest
        distance), standard error, intervals and breakdowns.

    Raises
    ------
    AnnotationError
        If no item has two labels, an annotator labelled an item twice, or the labels are
        outside the metric's domain.

    Warns
    -----
    DegenerateWarning
        If all pairable labels are the same; the estimate is then NaN.

    Notes
    -----
    The cost is linear in the number of labels; the interval metric takes any number of
    distinct values.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability; Krippendorff (2004), Content
    Analysis, chapter 11.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), [1, 1, 1, 0, 0, 1])
    >>> round(krippendorff_alpha(a).estimate, 4)  # 1 - (1/3) / (16/30)
    0.375
    """
    annotations = METHOD.check(annotations)
    metric = _BY_SCALE[annotations.scale] if metric is None else metric
    metric = checked_metric(annotations, metric, METHOD.name)
    named = metric if isinstance(metric, str) else None
    if named == "interval":
        annotations.values  # noqa: B018  labels that are no numbers are refused here
    elif named == "ordinal":
        check_tabulated(annotations, METHOD.name)
    else:
        check_category_count(annotations, METHOD.name)
    table = (
        None
        if named in ("nominal", "ordinal", "interval")
        else distances(annotations, metric, METHOD.name, period)
    )

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        if named == "interval":
            return IntervalAlpha(labels, copies, small_sample)
        if named == "ordinal":
            return OrdinalAlpha(labels, copies, small_sample)
        chance: Chance = "unbiased" if small_sample else "pooled"
        largest = 1.0 if table is None else float(table.max(initial=0.0)) or 1.0
        return Pooled(labels, copies, table, "pairable", chance, scale=largest)

    refit = partial(krippendorff_alpha, metric=metric, period=period, small_sample=small_sample)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=named == "nominal")
