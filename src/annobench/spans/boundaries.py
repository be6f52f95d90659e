"""Boundaries of segments: Pk and WindowDiff.

A text of n units, such as tokens or sentences, has n - 1 potential boundaries. A window of k
positions is moved over them. Pk counts the windows in which only one segmentation has a boundary;
WindowDiff counts those with different numbers of boundaries, so it also detects two boundaries in
place of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.resampling.intervals import Interval
from annobench.spans._interval import document_interval
from annobench.spans.marks import Marks
from annobench.spans.matching import TOKEN, Tokens

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Segmentation", "pk", "segmentation", "window_diff"]

Boundaries = NDArray[np.bool_]


def pk(first: ArrayLike, second: ArrayLike, *, window: int | None = None) -> float:
    """Return the share of windows in which only one segmentation has a boundary.

    Parameters
    ----------
    first, second : array_like of bool, shape (n - 1,)
        Whether a segment ends after each unit of a text, except the last unit.
    window : int, optional
        Positions in a window, at least 1; by default half the mean segment length of the first
        segmentation, which should be the reference if there is one, at least 2.

    Returns
    -------
    float
        In [0, 1]; 0 if the boundaries are the same.

    Raises
    ------
    AnnotationError
        If the lengths differ, or no window fits.

    References
    ----------
    Beeferman, Berger and Lafferty (1999), Machine Learning 34, 177-210.

    Examples
    --------
    >>> pk([0, 1, 0, 0, 0], [0, 0, 1, 0, 0], window=2)  # of four windows the first and third
    0.5
    """
    mine, theirs = _counts(first, second, window, "pk")
    return float(((mine > 0) != (theirs > 0)).mean())


def window_diff(first: ArrayLike, second: ArrayLike, *, window: int | None = None) -> float:
    """Return the share of windows in which segmentations differ in their number of boundaries.

    Parameters
    ----------
    first, second : array_like of bool, shape (n - 1,)
        Whether a segment ends after each unit of a text, except the last unit.
    window : int, optional
        Positions in a window, at least 1; by default half the mean segment length of the first
        segmentation, which should be the reference if there is one, at least 2.

    Returns
    -------
    float
        In [0, 1], at least `pk`; 0 if the boundaries are the same.

    Raises
    ------
    AnnotationError
        If the lengths differ, or no window fits.

    References
    ----------
    Pevzner and Hearst (2002), Computational Linguistics 28, 19-36.

    Examples
    --------
    >>> window_diff([0, 1, 0, 0], [1, 1, 0, 0], window=2)  # the first of three windows differs
    0.3333333333333333
    """
    mine, theirs = _counts(first, second, window, "window_diff")
    return float((mine != theirs).mean())


def _counts(
    first: ArrayLike, second: ArrayLike, window: int | None, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the boundaries of each window."""
    mine, theirs = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if mine.ndim != 1 or mine.shape != theirs.shape:
        raise AnnotationError(
            f"{name}: the segmentations have shapes {mine.shape} and {theirs.shape}. Give one "
            "value for each unit of the same text except the last."
        )
    k = _window([mine]) if window is None else window
    if not 1 <= k <= mine.size:
        raise AnnotationError(
            f"{name}: a window of {k} does not fit into {mine.size} positions. Choose one between "
            "1 "
            f"and {max(1, mine.size)}, or a longer text."
        )
    return _in_windows(mine, k), _in_windows(theirs, k)


def _window(segmentations: list[Boundaries]) -> int:
    """Return half the mean length of segments, in units."""
    units = sum(each.size + 1 for each in segmentations)
    segments = sum(int(each.sum()) + 1 for each in segmentations)
    return max(2, round(units / segments / 2))


def _in_windows(boundaries: Boundaries, k: int) -> NDArray[np.int64]:
    total = np.concatenate([[0], np.cumsum(boundaries)])
    return np.asarray(total[k:] - total[:-k], dtype=np.int64)


@dataclass(frozen=True, repr=False)
class Segmentation(Summarised):
    """Differences between annotators' segmentations.

    Attributes
    ----------
    by_document : DataFrame
        One row per document and pair of annotators: document, first, second, n_windows, pk,
        window_diff.
    window : int
        Positions in a window.
    """

    by_document: pd.DataFrame
    window: int

    def summary(self) -> pd.DataFrame:
        """Return the shares over all windows of each pair.

        Returns
        -------
        DataFrame
            One row per pair: first, second, n_documents, n_windows, pk, window_diff.
        """
        table = self.by_document.copy()
        for name in ("pk", "window_diff"):
            table[name] *= table["n_windows"]
        found = table.groupby(["first", "second"], sort=False, as_index=False).agg(
            n_documents=("document", "size"),
            n_windows=("n_windows", "sum"),
            pk=("pk", "sum"),
            window_diff=("window_diff", "sum"),
        )
        for name in ("pk", "window_diff"):
            found[name] /= found["n_windows"]
        return found

    def _headline(self) -> str:
        n = self.by_document["n_windows"]
        pk, window_diff = (
            (self.by_document[name] * n).sum() / n.sum() for name in ("pk", "window_diff")
        )
        return f"Pk {pk:.3f}, WindowDiff {window_diff:.3f}, windows of {self.window}"

    def interval(
        self,
        of: str = "window_diff",
        *,
        level: float = 0.95,
        replicates: int = 2_000,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Return the share over all windows and pairs, with a bootstrap over documents.

        Parameters
        ----------
        of : {"window_diff", "pk"}, default "window_diff"
            The measure.
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Bootstrap samples of documents.
        rng : Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        Interval
            Quantiles of the bootstrap; NaN with a single document.
        """
        table = self.by_document
        table = table.assign(wrong=table[of] * table["n_windows"])
        sums = table.groupby("document", sort=False)[["wrong", "n_windows"]].sum().to_numpy()
        wrong, total = sums.sum(axis=0)
        n = len(sums)
        drawn = np.random.default_rng(rng).multinomial(n, np.full(n, 1 / n), size=replicates) @ sums
        draws = drawn[:, 0] / drawn[:, 1]
        return document_interval(float(wrong / total), draws, level, n)


def segmentation(marks: Marks, *, token: str = TOKEN) -> Segmentation:
    """Compare the boundaries of annotators who each segmented the texts completely.

    Parameters
    ----------
    marks : Marks
        Spans that cover every token of a document exactly once.
    token : str, optional
        The regular expression of a token.

    Returns
    -------
    Segmentation
        Shares of windows that differ. The window is half the mean length of all segments, as no
        annotator is the reference.

    Raises
    ------
    AnnotationError
        If no document was opened by two annotators, or spans overlap or leave tokens out.

    References
    ----------
    Pevzner and Hearst (2002), Computational Linguistics 28, 19-36.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> text = {"d": "a b c d e f g h"}
    >>> found = segmentation(Marks.collect({
    ...     ("d", "ann"): [Span(0, 7, "s"), Span(8, 15, "s")],
    ...     ("d", "bob"): [Span(0, 9, "s"), Span(10, 15, "s")],
    ... }, texts=text))
    >>> found.window, found.summary()["window_diff"].round(3).tolist()  # of six windows two
    (2, [0.333])
    """
    import pandas as pd

    found: dict[int, dict[int, Boundaries]] = {}
    for d in marks.shared:
        tokens = Tokens.of(marks, d, token)
        found[d] = {j: _boundaries(marks, d, j, tokens) for j in marks.opened_by(d)}
    if not found:
        raise AnnotationError(
            "segmentation: no document was opened by two annotators. Choose annotators and "
            "documents that overlap."
        )
    k = _window([each for own in found.values() for each in own.values()])
    rows = []
    for d, own in found.items():
        for j, mine in own.items():
            for other, theirs in own.items():
                if j < other and mine.size >= k:
                    names = (marks.documents[d], marks.annotators[j], marks.annotators[other])
                    n = mine.size - k + 1
                    wrong = (f(mine, theirs, window=k) for f in (pk, window_diff))
                    rows.append((*names, n, *wrong))
    if not rows:
        raise AnnotationError(
            f"segmentation: no text is longer than a window of {k} tokens, half of the mean "
            "segment. There is nothing to compare."
        )
    columns = ["document", "first", "second", "n_windows", "pk", "window_diff"]
    return Segmentation(pd.DataFrame(rows, columns=columns), k)


def _boundaries(marks: Marks, d: int, j: int, tokens: Tokens) -> Boundaries:
    """Return the tokens after which a segment ends."""
    touched = [tokens.touched(span) for span in marks.spans[d, j]]
    order = [t for own in touched for t in own]
    if order != list(range(tokens.start.size)):
        raise AnnotationError(
            f"segmentation: the spans of {marks.annotators[j]!r} in {marks.documents[d]!r} "
            "overlap or leave tokens out. Give segments that cover the text, or use pairwise_f1."
        )
    ends = np.zeros(max(tokens.start.size, 1), dtype=bool)
    ends[[own[-1] for own in touched if own]] = True
    return ends[:-1]
