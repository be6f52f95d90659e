"""Gamma: agreement on spans and labels by the best alignment of all annotators' units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.resampling.intervals import Interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import check_replicates, draw_counts
from annobench.spans._interval import document_interval
from annobench.spans.gamma_alignment import Dissimilarity, best_alignment
from annobench.spans.gamma_categories import LabelDisorder, label_disorder
from annobench.spans.gamma_chance import Texts
from annobench.spans.marks import Marks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Gamma", "gamma_agreement"]

Floats = NDArray[np.float64]

#: Pairs of units of the documents that are aligned at once, in random annotations, too.
BATCH: Final = 100_000


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
    n_documents, n_labels = len(marks.shared), len(marks.labels)
    observed, expected = np.zeros(n_documents), np.zeros((n_documents, draws))
    weight, differing = np.zeros((2, n_documents, 1 + n_labels))
    shares = np.full((n_documents, draws, 1 + n_labels), np.nan)
    n_units = np.zeros(n_documents, dtype=np.int64)
    for rows in _batches(marks, draws):
        documents = [marks.shared[row] for row in rows]
        units = Texts.of(marks, documents).with_random(draws, generator)
        names = [marks.documents[d] for d in documents for _ in range(1 + draws)]
        best = best_alignment(units, dissimilarity, names)
        of_all = label_disorder(units, best, dissimilarity, n_labels)
        sizes = np.sum([np.bincount(of.document, minlength=len(names)) for of in units], axis=0)
        # The documents as they are come first, then their random annotations.
        shape = len(rows), 1 + draws, -1
        disorder, size = (of.reshape(shape)[:, :, 0] for of in (best.disorder, sizes))
        weights, differ = (of.reshape(shape) for of in of_all)
        n_units[rows], observed[rows] = size[:, 0], disorder[:, 0]
        expected[rows] = disorder[:, 1:] / size[:, 1:] * size[:, :1]
        weight[rows], differing[rows] = weights[:, 0], differ[:, 0]
        shares[rows] = ratio(differ[:, 1:], weights[:, 1:])
    labels = LabelDisorder(weight, differing, shares)
    return Gamma(marks, observed, expected, n_units, labels)


def _batches(marks: Marks, draws: int) -> Iterator[list[int]]:
    """Put documents with marks together, by their number of annotators, as memory allows."""
    batches: dict[int, list[int]] = {}
    pairs: dict[int, int] = {}
    for row, d in enumerate(marks.shared):
        readers = marks.opened_by(d)
        if not (size := sum(len(marks.spans[d, j]) for j in readers)):
            continue
        n = len(readers)
        batches.setdefault(n, []).append(row)
        pairs[n] = pairs.get(n, 0) + (1 + draws) * size**2
        if pairs[n] > BATCH:
            yield batches.pop(n)
            pairs.pop(n)
    yield from batches.values()


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
    n_units : ndarray of int, shape (D',)
        Of all annotators of each document.
    labels : LabelDisorder
        Of aligned units.
    """

    marks: Marks
    observed: Floats
    expected: Floats
    n_units: NDArray[np.int64]
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
            One row per label: label, gamma (NaN where nobody's unit of it is aligned with
            another's, or chance has no other label), weight (of the pairs that have the label).
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
            One row per document that two annotators opened: document, gamma (NaN where nobody
            marked anything), observed and expected disorder, n_units.
        """
        import pandas as pd

        expected = self.expected.mean(axis=1)
        names = [self.marks.documents[d] for d in self.marks.shared]
        return pd.DataFrame(
            {
                "document": names,
                "gamma": 1 - ratio(self.observed, expected),
                "observed": self.observed,
                "expected": expected,
                "n_units": self.n_units,
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
