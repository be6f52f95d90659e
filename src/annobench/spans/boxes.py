"""F1 of boxes drawn on images: boxes match if they overlap sufficiently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from annobench.core.errors import MAX_FAULTS, AnnotationError
from annobench.core.texts import counted
from annobench.spans.f1 import SpanF1
from annobench.spans.marks import Marks
from annobench.spans.matching import MatchCounts

__all__ = ["Box", "BoxF1", "box_f1", "intersection_over_union"]


class Box(NamedTuple):
    """A rectangle on an image, its sides parallel to those of the image, with a label.

    Attributes
    ----------
    left, top, width, height : float
        In any unit, the same for all boxes of an image; width and height above 0.
    label : str
        The annotator's label.
    """

    left: float
    top: float
    width: float
    height: float
    label: str


def intersection_over_union(first: Box, second: Box) -> float:
    """Compute the area of the intersection of two boxes divided by that of their union.

    Parameters
    ----------
    first, second : Box
        On the same image.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> intersection_over_union(Box(0, 0, 2, 2, "car"), Box(1, 0, 2, 2, "car"))
    0.3333333333333333
    """
    width = min(first.left + first.width, second.left + second.width) - max(first.left, second.left)
    height = min(first.top + first.height, second.top + second.height) - max(first.top, second.top)
    shared = max(width, 0.0) * max(height, 0.0)
    return shared / (first.width * first.height + second.width * second.height - shared)


@dataclass(frozen=True, eq=False)
class BoxF1(SpanF1):
    """F1 of boxes for every pair of annotators; `marks` has the images that each saw.

    Attributes
    ----------
    marks : Marks
        The images and annotators, without spans.
    match : str
        Criterion for a match.
    relations : bool
        False.
    counts : MatchCounts
        Matches by image, pair and label.
    """

    def _headline(self) -> str:
        return (
            f"{self.estimate:.4g} ({self._over}, boxes of {self.match}, "
            f"{counted(len(self.marks.shared), 'image')})"
        )


def box_f1(
    boxes: Mapping[tuple[str, str], Iterable[Box]], threshold: float = 0.5, *, layer: str = "boxes"
) -> BoxF1:
    """Compute F1 of boxes for every pair of annotators, micro-averaged over images, and its mean.

    Parameters
    ----------
    boxes : mapping of (str, str) to iterable of Box
        Boxes by image and annotator; empty if the annotator saw the image and drew nothing. Two
        annotators are compared on the images that both saw.
    threshold : float, default 0.5
        Minimum intersection over union of matching boxes, in (0, 1]. Labels must be equal.
    layer : str, default "boxes"
        Name of the layer.

    Returns
    -------
    BoxF1
        The mean over pairs, with values by pair, label and image (`by_document`), and intervals by
        resampling images.

    Raises
    ------
    AnnotationError
        If the threshold is out of range, a box has no area, or no image was seen by two
        annotators.

    Notes
    -----
    Boxes with the same label by two annotators on an image are matched one to one, as many as
    possible. With m matches of n and n' boxes F1 is ``2 m / (n + n')``, as of spans [1]_. The
    criterion is that of the PASCAL challenge [2]_, where it compares a detector with a reference.

    References
    ----------
    .. [1] Hripcsak and Rothschild (2005), Agreement, the F-measure, and reliability in information
       retrieval, Journal of the American Medical Informatics Association 12, 296-298.
    .. [2] Everingham et al. (2010), The PASCAL visual object classes (VOC) challenge,
       International Journal of Computer Vision 88, section 4.2.

    Examples
    --------
    >>> boxes = {
    ...     ("image", "ann"): [Box(0, 0, 10, 10, "car"), Box(40, 40, 5, 5, "dog")],
    ...     ("image", "bob"): [Box(1, 0, 10, 10, "car")],
    ... }
    >>> round(box_f1(boxes).estimate, 4), box_f1(boxes, 0.9).estimate
    (0.6667, 0.0)
    """
    if not 0 < threshold <= 1:
        raise AnnotationError(
            f"box_f1: threshold={threshold!r} is not in (0, 1]. Give an intersection over union, "
            "such as 0.5."
        )
    drawn = {key: tuple(own) for key, own in boxes.items()}
    _check(drawn)
    opened = Marks.collect(dict.fromkeys(drawn, ()), layer=layer)
    if not opened.shared:
        raise AnnotationError(
            "box_f1: no image was seen by two annotators. There is nothing to compare."
        )
    return BoxF1(
        opened,
        f"an intersection over union of at least {threshold:g}",
        False,
        _count(drawn, opened, threshold),
    )


def _check(drawn: Mapping[tuple[str, str], Sequence[Box]]) -> None:
    faults = [
        f"image {image!r}, annotator {annotator!r}: {box}"
        for (image, annotator), own in drawn.items()
        for box in own
        if not (np.isfinite(box[:4]).all() and box.width > 0 and box.height > 0)
    ]
    if faults:
        shown = "".join(f"\n  {fault}" for fault in faults[:MAX_FAULTS])
        raise AnnotationError(f"box_f1: boxes without an area:{shown}\nLeave them out.")


def _count(
    drawn: Mapping[tuple[str, str], Sequence[Box]], opened: Marks, threshold: float
) -> MatchCounts:
    labels = tuple(sorted({box.label for own in drawn.values() for box in own}))
    rows = []
    for d in opened.shared:
        for i, j in opened.pairs(d):
            one, two = (drawn[opened.documents[d], opened.annotators[n]] for n in (i, j))
            for k, label in enumerate(labels):
                first, second = ([b for b in own if b.label == label] for own in (one, two))
                if first or second:
                    matched = _most_matches(first, second, threshold)
                    rows.append((d, i, j, k, matched, len(first) + len(second)))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    d_, i_, j_, k_ = (column.astype(np.int32) for column in columns[:4])
    matched_, marked_ = columns[4:].astype(np.float64)
    return MatchCounts(d_, i_, j_, k_, matched_, marked_, labels)


def _most_matches(first: Sequence[Box], second: Sequence[Box], threshold: float) -> int:
    """Count the pairs of the largest matching of boxes that overlap enough."""
    fits = [[intersection_over_union(a, b) >= threshold for b in second] for a in first]
    graph = sparse.csr_array(np.array(fits, dtype=np.int8).reshape(len(first), len(second)))
    # Whoever has no spans need not wait until it is imported.
    from scipy.sparse.csgraph import maximum_bipartite_matching

    return int((maximum_bipartite_matching(graph) >= 0).sum()) if graph.nnz else 0
