"""Krippendorff's alpha for unitizing: agreement on boundaries and labels of units.

The four coefficients of Krippendorff, Mathet, Bouvry and Widlöcher (2016), for any number of
annotators and documents. All are functions of sums over documents, so documents can be resampled.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.resampling.intervals import Interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import check_replicates, chunk_sizes, draw_counts
from annobench.spans._interval import document_interval
from annobench.spans.marks import Marks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COEFFICIENTS", "UnitizingAlpha", "unitizing_alpha"]

Floats = NDArray[np.float64]

#: What a document contributes for each category, the gaps being the first.
_MARGIN, _AGREED, _WITH_GAPS, _OWN, _OWN_PAIRED = range(5)

#: The coefficients that have one value for all labels.
COEFFICIENTS: Final = ("u", "binary_u", "cu")


def unitizing_alpha(marks: Marks) -> UnitizingAlpha:
    """Compute Krippendorff's alpha for unitizing and its relatives.

    Parameters
    ----------
    marks : Marks
        Marks of one layer. Spans of one annotator must not overlap; parts of a discontinuous span
        count as units of their own. Documents opened by fewer than two annotators are left out; the
        others are concatenated.

    Returns
    -------
    UnitizingAlpha
        Coefficients for labels and boundaries together, boundaries alone, labels alone, and each
        label.

    Raises
    ------
    AnnotationError
        If spans of one annotator overlap (named), or no document was opened by two annotators.

    Notes
    -----
    The text is a continuum of length L; text that an annotator did not mark is a gap, category 0.
    For m annotators, the observed coincidences of categories c and k are the lengths labelled c by
    one annotator and k by another, ``l_ck = sum_{i != j} length(c by i and k by j) / (m - 1)``,
    with margins ``l_c`` and total ``l = m L`` (equation 1). If whole units were matched at random,
    but never with themselves, one would expect ``e_ck = l (l_c l_k - [c = k] s_c) / (l**2 - sum
    s)``, where s_c is the sum of squared lengths of the units of c, and s_0 the total length of the
    gaps, which have no structure (equation 4). Then

    - ``u = 1 - sum_{c != k} l_ck / sum_{c != k} e_ck``: boundaries and labels (equation 5);
    - ``binary_u``: as u after merging all labels, so that only marked and unmarked text is
      distinguished (equation 6);
    - ``cu``: labels where both annotators marked something, ignoring boundaries (equations 10, 11);
    - ``(k)u``, for each label k: whether others who marked something there use k, too (equation
      13).

    Equations 10 to 13 use lengths on which units coincide with units: with l'_ck = l_ck for labels,
    ``e'_ck = (l'_c l'_k - [c = k] t_c) / (l' - sum t / l')``, with t_c the sum, over units g of c
    and the other annotators j, of the squared length of g that j marked, divided by m - 1.

    References
    ----------
    Krippendorff, Mathet, Bouvry and Widlöcher (2016), On the reliability of unitizing textual
    continua: Further developments, Quality & Quantity 50, 2347-2364; numbers of equations are
    those of this paper, as public implementations quote them.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({
    ...     ("d", "ann"): [Span(2, 5, "x"), Span(9, 12, "y")],
    ...     ("d", "bob"): [Span(2, 5, "x"), Span(9, 12, "y")],
    ... }, texts={"d": "a text of 20 letters"})
    >>> unitizing_alpha(marks).u
    1.0
    """
    if not marks.shared:
        raise AnnotationError(
            f"unitizing_alpha: no document of the layer {marks.layer!r} was opened by two "
            "annotators. There is nothing to compare."
        )
    code = {label: k for k, label in enumerate(marks.labels, start=1)}
    sums = np.zeros((len(marks.shared), 5, len(code) + 1))
    for row, d in enumerate(marks.shared):
        sums[row] = _document_sums(marks, d, code)
    return UnitizingAlpha(marks.labels, sums)


def units_of(marks: Marks, document: int, annotator: int) -> list[tuple[int, int, str]]:
    """List an annotator's units in a document, with parts of spans as separate units."""
    units = sorted(
        (start, end, span.label)
        for span in marks.spans[document, annotator]
        for start, end in span.limits
    )
    for (_, end, label), (start, _, other) in itertools.pairwise(units):
        if start < end:
            raise AnnotationError(
                f"unitizing_alpha: in document {marks.documents[document]!r} the spans "
                f"{label!r} and {other!r} of annotator {marks.annotators[annotator]!r} overlap at "
                f"{start}. The coefficient is defined only for spans that do not overlap; use F1 "
                "or gamma."
            )
    return units


def _document_sums(marks: Marks, d: int, code: dict[str, int]) -> Floats:
    """Return a document's sums: for each category margin, agreement and corrections."""
    readers, length = marks.opened_by(d), marks.length(d)
    units = [units_of(marks, d, j) for j in readers]
    m, n_categories = len(readers), len(code) + 1
    limits = {0, length, *(offset for own in units for unit in own for offset in unit[:2])}
    edges = np.array(sorted(limits), dtype=np.int64)
    width = np.diff(edges).astype(np.float64)
    # Category of every annotator between two neighbouring limits of anybody.
    said = np.zeros((m, width.size), dtype=np.int64)
    unit = np.full((m, width.size), -1, dtype=np.int64)
    for i, own in enumerate(units):
        for g, (start, end, label) in enumerate(own):
            first, last = np.searchsorted(edges, (start, end))
            said[i, first:last] = code[label]
            unit[i, first:last] = g
    times = np.zeros((width.size, n_categories))
    np.add.at(times, (np.arange(width.size)[None, :].repeat(m, 0), said), 1)
    sums = np.zeros((5, n_categories))
    sums[_MARGIN] = width @ times
    sums[_AGREED] = width @ (times * (times - 1)) / (m - 1)
    sums[_WITH_GAPS] = width @ (times * times[:, :1]) / (m - 1)
    sums[_OWN, 0] = sums[_MARGIN, 0]
    marked = said > 0
    for i, own in enumerate(units):
        category = np.array([code[label] for _, _, label in own], dtype=np.int64)
        lengths = np.array([end - start for start, end, _ in own], dtype=np.float64)
        sums[_OWN] += np.bincount(category, lengths**2, n_categories)
        at = unit[i] >= 0
        for j in range(m):
            if j != i and own:
                met = np.bincount(unit[i, at], (width * marked[j])[at], len(own))
                sums[_OWN_PAIRED] += np.bincount(category, met**2, n_categories) / (m - 1)
    return sums


def _coefficients(sums: Floats) -> dict[str, Floats]:
    """Compute the coefficients from sums over documents, shape (..., 5, K + 1)."""
    margin, agreed = sums[..., _MARGIN, :], sums[..., _AGREED, :]
    total = margin.sum(axis=-1)
    own = sums[..., _OWN, :]
    rest = total**2 - own.sum(axis=-1)
    expected = ratio(total[..., None] * (margin**2 - own), rest[..., None])
    u = 1 - ratio(total - agreed.sum(axis=-1), total - expected.sum(axis=-1))
    gaps = margin[..., 0]
    apart = ratio(total * gaps * (total - gaps), rest)
    binary = 1 - ratio(gaps - agreed[..., 0], apart)
    met = (margin - sums[..., _WITH_GAPS, :])[..., 1:]
    both = met.sum(axis=-1)
    paired = sums[..., _OWN_PAIRED, 1:]
    divisor = (both - ratio(paired.sum(axis=-1), both))[..., None]
    same = ratio(met**2 - paired, divisor)
    row = ratio(met * both[..., None] - paired, divisor)
    agreed = agreed[..., 1:]
    cu = 1 - ratio(both - agreed.sum(axis=-1), both - same.sum(axis=-1), ZERO_LENGTH)
    ku = 1 - ratio(row * (met - agreed), met * (row - same), ZERO_LENGTH)
    return {"u": u, "binary_u": binary, "cu": cu, "ku": ku}


#: A denominator below is 0 but for rounding: lengths are whole characters.
ZERO_LENGTH: Final = 1e-9


@dataclass(frozen=True, eq=False)
class UnitizingAlpha(Summarised):
    """Krippendorff's alpha for unitizing and its relatives.

    Attributes
    ----------
    labels : tuple of str
        The K labels.
    sums : ndarray, shape (D', 5, K + 1)
        Sums for each document opened by two annotators, for gaps and each label: margin and agreed
        length of the observed coincidences, length shared with gaps, and the two corrections for
        units matched with themselves.
    """

    labels: tuple[str, ...]
    sums: Floats

    def _estimates(self) -> dict[str, Floats]:
        return _coefficients(self.sums.sum(axis=0))

    @property
    def u(self) -> float:
        """Agreement on boundaries and labels; NaN if nobody marked anything."""
        return float(self._estimates()["u"])

    @property
    def binary_u(self) -> float:
        """Agreement on what is marked, whatever the label; NaN if nothing or everything is."""
        return float(self._estimates()["binary_u"])

    @property
    def cu(self) -> float:
        """Agreement on labels where two annotators marked something; NaN with one label."""
        return float(self._estimates()["cu"])

    def by_label(self) -> pd.DataFrame:
        """Return the agreement on each label.

        Returns
        -------
        DataFrame
            One row per label: label, alpha ((k)u; NaN if nobody else marked anything there),
            coverage (share of the text with the label on which others marked something).
        """
        import pandas as pd

        total = self.sums.sum(axis=0)
        met = total[_MARGIN, 1:] - total[_WITH_GAPS, 1:]
        return pd.DataFrame(
            {
                "label": self.labels,
                "alpha": self._estimates()["ku"],
                "coverage": ratio(met, total[_MARGIN, 1:]),
            }
        )

    def interval(
        self,
        coefficient: str = "u",
        level: float = 0.95,
        *,
        replicates: int = 2_000,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Resample documents.

        Parameters
        ----------
        coefficient : {"u", "binary_u", "cu"}, default "u"
            The coefficient.
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Bootstrap samples of documents.
        rng : Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        Interval
            Bootstrap quantiles: documents are sampled, annotators fixed; NaN with a single
            document.

        Raises
        ------
        AnnotationError
            If the coefficient is unknown, or level or replicates are out of range.
        """
        if coefficient not in COEFFICIENTS:
            raise AnnotationError(
                f"coefficient={coefficient!r} is not one of {', '.join(COEFFICIENTS)}."
            )
        check_level(level, "unitizing_alpha")
        check_replicates(replicates)
        estimate = float(self._estimates()[coefficient])
        n = len(self.sums)
        flat, generator, found = self.sums.reshape(n, -1), np.random.default_rng(rng), []
        for size in chunk_sizes(replicates, max(flat.shape)):
            totals = draw_counts(n, size, generator) @ flat
            found.append(_coefficients(totals.reshape(size, 5, -1))[coefficient])
        return document_interval(estimate, np.concatenate(found), level, n)

    def summary(self) -> pd.DataFrame:
        """Return all coefficients.

        Returns
        -------
        DataFrame
            One row per coefficient: coefficient, of (the label, for (k)u), estimate.
        """
        import pandas as pd

        found = self._estimates()
        rows = [(name, "", float(found[name])) for name in COEFFICIENTS]
        rows += [("ku", k, float(v)) for k, v in zip(self.labels, found["ku"], strict=True)]
        return pd.DataFrame(rows, columns=["coefficient", "of", "estimate"])

    def _headline(self) -> str:
        found = self._estimates()
        shown = ", ".join(f"{name} = {float(found[name]):.4g}" for name in COEFFICIENTS)
        return f"{shown} ({counted(len(self.sums), 'document')})"
