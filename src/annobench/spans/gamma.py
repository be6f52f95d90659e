"""Gamma: agreement on spans and labels by the best alignment of all annotators' units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.resampling.intervals import Interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import check_replicates, draw_counts
from annobench.spans._interval import document_interval
from annobench.spans.gamma_alignment import BestAlignment, Dissimilarity, Units, best_alignment
from annobench.spans.gamma_categories import LabelDisorder, label_disorder
from annobench.spans.marks import Marks

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def gamma_agreement(
    marks: Marks,
    *,
    position: float = 1.0,
    label: float = 1.0,
    draws: int = 30,
    rng: np.random.Generator | int | None = None,
) -> Gamma:
    """Compute gamma of Mathet, Widlöcher and Métivier.

    Parameters
    ----------
    marks : Marks
        Of one layer. Spans may overlap; a discontinuous span counts by its outer limits.
    position, label : float, default 1
        Weights of differences in position and in label (alpha and beta of the paper).
    draws : int, default 30
        Random annotations of each document from which chance is estimated; `standard_error` of the
        result says how far this number suffices.
    rng : Generator or int, optional
        Source of randomness.

    Returns
    -------
    Gamma
        Of all documents that two annotators opened, and of each.

    Raises
    ------
    AnnotationError
        If no document was opened by two annotators, a weight is negative or both are 0, there is no
        draw, or a document has too many possible alignments.

    Notes
    -----
    The dissimilarity of two units is ``position * p**2 + label * [labels differ]``, p the
    differences of their first and last limits, added and divided by the sum of their lengths; that
    of a unit and none, or of none and none, is 1. An alignment puts every unit in one row that has
    at most one unit of each annotator; the disorder of a row is the mean dissimilarity of its pairs
    of annotators, and the best alignment has the least sum of disorders, D.

    By chance, each annotator takes the units of one drawn with replacement, moved round the text by
    a random distance; the distances differ by at least half the mean length of a unit where there
    is room. With the mean E of their disorders, both divided by the units per annotator, ``gamma =
    1 - D / E`` of one document. Of several it is ``1 - sum D_d / sum E_d``, each E_d at the number
    of units that document d has, so that a document counts by its units; documents nobody marked
    add nothing. The paper defines gamma for one document.

    Of the labels alone, `Gamma.categories` and `Gamma.by_label` say how well they agree where units
    are aligned (`annobench.spans.gamma_categories`).

    References
    ----------
    Mathet (2017), The agreement measure gamma-cat, Computational Linguistics 43, 661-681.
    Mathet, Widlöcher and Métivier (2015), The unified and holistic method gamma for inter-annotator
    agreement measure and alignment, Computational Linguistics 41, 437-479; sections 4 and 5.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({
    ...     ("d", "ann"): [Span(0, 4, "PER"), Span(30, 42, "LOC")],
    ...     ("d", "bob"): [Span(0, 4, "PER"), Span(30, 42, "LOC")],
    ... }, texts={"d": "." * 60})
    >>> gamma_agreement(marks, rng=1).estimate
    1.0
    """
    if not marks.shared:
        raise AnnotationError(
            f"gamma_agreement: no document of the layer {marks.layer!r} was opened by two "
            "annotators. There is nothing to compare."
        )
    if min(position, label) < 0 or not position + label > 0:
        raise AnnotationError(
            f"gamma_agreement: position={position} and label={label}; weights must not be "
            "negative, and one at least must be positive."
        )
    if draws < 1:
        raise AnnotationError(f"gamma_agreement: draws must be at least 1, got {draws}.")
    generator = np.random.default_rng(rng)
    dissimilarity = Dissimilarity(position, label)
    code = {name: k for k, name in enumerate(marks.labels)}
    observed, expected = np.zeros(len(marks.shared)), np.zeros((len(marks.shared), draws))
    n_labels = len(code)
    weights = np.zeros((2, len(marks.shared), 1 + n_labels))
    shares = np.full((len(marks.shared), draws, 1 + n_labels), np.nan)
    best = []
    for row, d in enumerate(marks.shared):
        units = [_units(marks, d, j, code) for j in marks.opened_by(d)]
        name = marks.documents[d]
        best.append(best_alignment(units, dissimilarity, name))
        observed[row] = best[-1].disorder
        weights[:, row] = label_disorder(units, best[-1].tuples, dissimilarity, n_labels)
        size = _units_per_annotator(units)
        for draw in range(draws if size else 0):
            random = shuffle_units(units, marks.length(d), generator)
            found = best_alignment(random, dissimilarity, name)
            expected[row, draw] = found.disorder / _units_per_annotator(random) * size
            weight, differing = label_disorder(random, found.tuples, dissimilarity, n_labels)
            shares[row, draw] = ratio(differing, weight)
    labels = LabelDisorder(weights[0], weights[1], shares)
    return Gamma(marks, observed, expected, tuple(best), labels)


def _units(marks: Marks, document: int, annotator: int, code: dict[str, int]) -> Units:
    own = marks.spans[document, annotator]
    limits = np.array([span[:2] for span in own], dtype=np.float64).reshape(-1, 2)
    labels = np.array([code[span.label] for span in own], dtype=np.int64)
    return Units(limits[:, 0], limits[:, 1], labels)


def _units_per_annotator(units: list[Units]) -> float:
    return sum(own.start.size for own in units) / len(units)


def shuffle_units(units: list[Units], length: float, rng: np.random.Generator) -> list[Units]:
    """Draw annotations that agree by chance alone.

    Parameters
    ----------
    units : list of Units
        Of the annotators of a document, of whom one at least has some.
    length : float
        Of the text.
    rng : Generator
        Source of randomness.

    Returns
    -------
    list of Units
        As many annotators: each is one of those given, moved round the text by a whole number of
        characters; a unit that would begin after the end begins anew. Annotations without any unit
        are drawn again.

    References
    ----------
    Mathet, Widlöcher and Métivier (2015), section 5.2.
    """
    widths = np.concatenate([own.end - own.start for own in units])
    apart = widths.mean() / 2
    free = [(0.0, float(length))]
    while True:
        taken = rng.integers(0, len(units), size=len(units))
        if any(units[source].start.size for source in taken):
            break
    moved = []
    for source in taken:
        shift = _pivot(free or [(0.0, float(length))], rng)
        free = [
            part
            for start, end in free
            for part in ((start, min(end, shift - apart)), (max(start, shift + apart), end))
            if part[0] < part[1]
        ]
        own = units[source]
        start = own.start + shift
        start = start - length * (start > length)
        moved.append(Units(start, start + own.end - own.start, own.label))
    return moved


def _pivot(free: list[tuple[float, float]], rng: np.random.Generator) -> int:
    """Draw a whole number from intervals, uniformly."""
    widths = np.array([end - start for start, end in free])
    place = rng.uniform(0, widths.sum())
    n = min(int(np.searchsorted(np.cumsum(widths), place, side="right")), widths.size - 1)
    return int(free[n][0] + place - widths[:n].sum())


@dataclass(frozen=True, eq=False)
class Gamma(Summarised):
    """Gamma of a layer of marks.

    Attributes
    ----------
    marks : Marks
        What was compared.
    observed : ndarray, shape (D',)
        Disorder of the best alignment of each document that two annotators opened.
    expected : ndarray, shape (D', draws)
        Disorder of random annotations, at the number of units of the document.
    alignments : tuple of BestAlignment, length D'
        The best alignments; columns are the annotators who opened the document.
    labels : LabelDisorder
        Of aligned units.
    """

    marks: Marks
    observed: Floats
    expected: Floats
    alignments: tuple[BestAlignment, ...]
    labels: LabelDisorder

    @property
    def categories(self) -> float:
        """Gamma of categories: of the labels of aligned units; NaN if there is one label."""
        return float(self.labels.gamma()[0])

    def by_label(self) -> pd.DataFrame:
        """Return gamma of each category.

        Returns
        -------
        DataFrame
            One row a label: label, gamma (NaN where nobody's unit of it is aligned with another's,
            or chance has no other label), weight (of the pairs that have the label).
        """
        import pandas as pd

        found, weight = self.labels.gamma()[1:], self.labels.weight.sum(axis=0)[1:]
        gamma = np.where(weight > 0, found, math.nan)
        return pd.DataFrame({"label": list(self.marks.labels), "gamma": gamma, "weight": weight})

    @property
    def estimate(self) -> float:
        """Gamma of all documents: 1 is perfect, 0 chance; NaN if nobody marked anything."""
        return float(1 - ratio(self.observed.sum(), self.expected.mean(axis=1).sum()))

    @property
    def standard_error(self) -> float:
        """The standard error from drawing chance: what more draws would remove; NaN with one."""
        draws = self.expected.shape[1]
        mean = float(self.expected.mean(axis=1).sum())
        if draws < 2 or not mean:
            return math.nan
        spread = float(np.sqrt(self.expected.var(axis=1, ddof=1).sum() / draws))
        return float(self.observed.sum()) / mean**2 * spread

    def by_document(self) -> pd.DataFrame:
        """Return gamma of each document.

        Returns
        -------
        DataFrame
            One row a document that two annotators opened: document, gamma (NaN where nobody marked
            anything), observed and expected disorder, n_units.
        """
        import pandas as pd

        expected = self.expected.mean(axis=1)
        names = [self.marks.documents[d] for d in self.marks.shared]
        size = [int((found.tuples >= 0).sum()) for found in self.alignments]
        return pd.DataFrame(
            {
                "document": names,
                "gamma": 1 - ratio(self.observed, expected),
                "observed": self.observed,
                "expected": expected,
                "n_units": size,
            }
        )

    def interval(
        self,
        level: float = 0.95,
        *,
        of: Literal["all", "categories"] = "all",
        replicates: int = 2_000,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Resample documents.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).
        of : {"all", "categories"}, default "all"
            Of gamma, or of gamma of categories.
        replicates : int, default 2000
            Bootstrap samples of documents.
        rng : Generator or int, optional
            Source of randomness.

        Returns
        -------
        Interval
            Quantiles, for other documents and these annotators; NaN with a single document.

        Raises
        ------
        AnnotationError
            If level or replicates are out of range.
        """
        check_level(level, "gamma_agreement")
        check_replicates(replicates)
        n = self.observed.size
        weights = draw_counts(n, replicates, np.random.default_rng(rng))
        if of == "categories":
            drawn = self.labels.gamma(weights)[:, 0]
            return document_interval(self.categories, drawn, level, n)
        found = 1 - ratio(weights @ self.observed, weights @ self.expected.mean(axis=1))
        return document_interval(self.estimate, found, level, n)

    def summary(self) -> pd.DataFrame:
        """Return gamma of all documents, and of each.

        Returns
        -------
        DataFrame
            Columns of `by_document`; the first row, "all", is of all.
        """
        import pandas as pd

        table = self.by_document()
        total = {
            "document": "all",
            "gamma": self.estimate,
            "observed": float(self.observed.sum()),
            "expected": float(self.expected.mean(axis=1).sum()),
            "n_units": int(table["n_units"].sum()),
        }
        return pd.concat([pd.DataFrame([total]), table], ignore_index=True)

    def _headline(self) -> str:
        return (
            f"{self.estimate:.4g} (standard error of chance {self.standard_error:.2g}, "
            f"{self.observed.size} documents, {self.expected.shape[1]} draws each)"
        )
