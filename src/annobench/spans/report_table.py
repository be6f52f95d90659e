"""A table of all measures of agreement on spans and relations, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from annobench.core.errors import AnnotationError, as_sentence
from annobench.resampling.intervals import Interval
from annobench.spans.boundaries import segmentation
from annobench.spans.boxes import Box, box_f1
from annobench.spans.f1 import SpanF1, pairwise_f1
from annobench.spans.gamma import gamma_agreement
from annobench.spans.marks import Marks
from annobench.spans.matching import MATCHES, RELATION_MATCHES, TOKEN
from annobench.spans.unitizing import COEFFICIENTS, unitizing_alpha

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["report_boxes", "report_spans"]

#: The least intersections over union of boxes that match, those of the COCO challenge.
_THRESHOLDS = (0.5, 0.75)

_COLUMNS = [
    *("measure", "breakdown", "of", "estimate", "lower", "upper", "level"),
    *("n_documents", "n_pairs", "marked", "note"),
]


def report_spans(
    marks: Marks,
    *,
    level: float = 0.95,
    replicates: int = 2_000,
    draws: int = 30,
    token: str = TOKEN,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compute every applicable measure of agreement on spans.

    Parameters
    ----------
    marks : Marks
        Marks of one layer.
    level : float, default 0.95
        Level of the intervals.
    replicates : int, default 2000
        Bootstrap samples of documents.
    draws : int, default 30
        Random annotations of each document for gamma.
    token : str, optional
        The regular expression of a token.
    rng : Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DataFrame
        One row per value: measure ("f1_exact", "f1_overlap", "f1_token", "alpha_u",
        "alpha_binary_u", "alpha_cu", "alpha_ku", "gamma", "gamma_cat", "gamma_k",
        "one_minus_window_diff" and "one_minus_pk" if spans segment the texts completely,
        "relation_f1_exact", "relation_f1_overlap"), breakdown ("overall", "label", "pair" or
        "document"), of (the label, pair or document), estimate, lower and upper (of overall values
        and labels; NaN elsewhere), level, n_documents, n_pairs, marked (by both annotators of every
        pair, together), note (the reason for a missing value).

    Raises
    ------
    AnnotationError
        If no document was opened by two annotators, or an option is out of range.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({
    ...     ("d", "ann"): [Span(0, 4, "PER"), Span(9, 12, "LOC")],
    ...     ("d", "bob"): [Span(0, 4, "PER"), Span(8, 12, "LOC")],
    ... })
    >>> table = report_spans(marks, rng=1)
    >>> table[table["breakdown"] == "overall"]["measure"].tolist()[:4]
    ['f1_exact', 'f1_overlap', 'f1_token', 'alpha_u']
    """
    import pandas as pd

    generator = np.random.default_rng(rng)
    options: dict[str, Any] = {"level": level, "replicates": replicates, "rng": generator}
    rows: list[dict[str, Any]] = []
    if marks.n_spans or not marks.n_relations:
        for match in MATCHES:
            rows += _f1_rows(f"f1_{match}", pairwise_f1(marks, match, token=token), options)
        rows += _alpha_rows(marks, options)
        rows += _gamma_rows(marks, draws, options)
        rows += _segmentation_rows(marks, token, options)
    if marks.n_relations:
        for match in RELATION_MATCHES:
            found = pairwise_f1(marks, match, relations=True)
            rows += _f1_rows(f"relation_f1_{match}", found, options)
    table = pd.DataFrame(rows, columns=_COLUMNS)
    filled = {"level": level, "n_documents": len(marks.shared), "note": ""}
    return table.fillna(filled)


def report_boxes(
    boxes: Mapping[tuple[str, str], Iterable[Box]],
    *,
    level: float = 0.95,
    replicates: int = 2_000,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compute F1 of boxes at an intersection over union of .5 and .75.

    Parameters
    ----------
    boxes : mapping of (str, str) to iterable of Box
        Boxes by image and annotator; empty if the annotator saw the image and drew nothing.
    level : float, default 0.95
        Level of the intervals.
    replicates : int, default 2000
        Bootstrap samples of images.
    rng : Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DataFrame
        Columns of `report_spans`; the measures are "f1_iou_0.5" and "f1_iou_0.75", a document is
        an image.

    Raises
    ------
    AnnotationError
        If no image was seen by two annotators, or an option is out of range.
    """
    import pandas as pd

    options: dict[str, Any] = {"level": level, "replicates": replicates}
    options["rng"] = np.random.default_rng(rng)
    rows: list[dict[str, Any]] = []
    for threshold in _THRESHOLDS:
        found = box_f1(boxes, threshold)
        rows += _f1_rows(f"f1_iou_{threshold:g}", found, options)
    n_images = len(found.marks.shared)
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return table.fillna({"level": level, "n_documents": n_images, "note": ""})


def _row(measure: str, breakdown: str, of: str, estimate: float, **more: Any) -> dict[str, Any]:
    return {"measure": measure, "breakdown": breakdown, "of": of, "estimate": estimate, **more}


def _ends(interval: Interval) -> dict[str, float]:
    return {"lower": interval.lower, "upper": interval.upper}


def _f1_rows(measure: str, found: SpanF1, options: dict[str, Any]) -> list[dict[str, Any]]:
    total = found.summary().iloc[0]
    note = "" if total["marked"] else "Nobody marked anything."
    size = {"n_pairs": total["n_pairs"], "marked": total["marked"]}
    ends = _ends(found.interval(**options))
    rows = [_row(measure, "overall", "", found.estimate, note=note, **ends, **size)]
    for label in found.by_label().to_dict("records"):
        ends = _ends(found.interval(label=label["label"], **options))
        size = {"n_pairs": label["n_pairs"], "marked": label["marked"]}
        rows.append(_row(measure, "label", label["label"], label["f1"], **ends, **size))
    for pair in found.by_pair().to_dict("records"):
        name = f"{pair['first']} - {pair['second']}"
        size = {"n_pairs": 1, "marked": pair["marked"], "n_documents": pair["n_documents"]}
        rows.append(_row(measure, "pair", name, pair["f1"], **size))
    for document in found.by_document().to_dict("records"):
        note = "" if document["marked"] else "Nobody marked anything here."
        size = {"n_pairs": document["n_pairs"], "marked": document["marked"], "n_documents": 1}
        rows.append(
            _row(measure, "document", document["document"], document["f1"], note=note, **size)
        )
    return rows


def _alpha_rows(marks: Marks, options: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        found = unitizing_alpha(marks)
    except AnnotationError as error:
        note = f"Undefined: {as_sentence(error, 'unitizing_alpha')}"
        return [_row(f"alpha_{c}", "overall", "", math.nan, note=note) for c in COEFFICIENTS]
    notes = {
        "u": "Nobody marked anything.",
        "binary_u": "Nothing is marked, or everything is.",
        "cu": "There is only one label, or two annotators never marked the same text.",
    }
    rows = []
    for name in COEFFICIENTS:
        interval = found.interval(name, **options)
        note = notes[name] if math.isnan(interval.estimate) else ""
        row = _row(f"alpha_{name}", "overall", "", interval.estimate, note=note, **_ends(interval))
        rows.append(row)
    for label in found.by_label().to_dict("records"):
        note = (
            "" if math.isfinite(label["alpha"]) else "Undefined, as cu is, or no other mark there."
        )
        rows.append(_row("alpha_ku", "label", label["label"], label["alpha"], note=note))
    return rows


def _gamma_rows(marks: Marks, draws: int, options: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        found = gamma_agreement(marks, draws=draws, rng=options["rng"])
    except AnnotationError as error:
        if "ways to align" not in str(error):
            raise
        note = f"Not computed: {as_sentence(error, 'gamma')}"
        return [_row("gamma", "overall", "", math.nan, note=note)]
    note = f"Standard error of the random annotations: {found.standard_error:.2g}."
    if math.isnan(found.estimate):
        note = "Nobody marked anything."
    ends = _ends(found.interval(**options))
    rows = [_row("gamma", "overall", "", found.estimate, note=note, **ends)]
    ends = _ends(found.interval(of="categories", **options))
    note = "Spans with different labels are never aligned by chance, as with one label or few."
    note = "" if math.isfinite(found.categories) else note
    rows.append(_row("gamma_cat", "overall", "", found.categories, note=note, **ends))
    for label in found.by_label().to_dict("records"):
        note = "" if math.isfinite(label["gamma"]) else "None of its spans are aligned with others."
        rows.append(_row("gamma_k", "label", label["label"], label["gamma"], note=note))
    for document in found.by_document().to_dict("records"):
        note = "" if document["n_units"] else "Nobody marked anything here."
        name = document["document"]
        rows.append(_row("gamma", "document", name, document["gamma"], note=note, n_documents=1))
    return rows


def _segmentation_rows(marks: Marks, token: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare boundaries, if all annotators' spans segment the texts."""
    try:
        found = segmentation(marks, token=token)
    except AnnotationError:
        return []
    rows = []
    for name in ("window_diff", "pk"):
        measure, error = f"one_minus_{name}", found.interval(name, **options)
        ends = {"lower": 1 - error.upper, "upper": 1 - error.lower}
        note = f"Windows of {found.window} tokens."
        rows.append(_row(measure, "overall", "", 1 - error.estimate, note=note, **ends))
        for pair in found.summary().to_dict("records"):
            names = f"{pair['first']} - {pair['second']}"
            size = {"n_pairs": 1, "n_documents": pair["n_documents"]}
            rows.append(_row(measure, "pair", names, 1 - pair[name], **size))
    return rows
