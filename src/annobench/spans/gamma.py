"""Gamma: agreement on spans and labels by the optimal alignment of all annotators' units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.core.texts import counted
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
        Marks of one layer. Spans may overlap; for a discontinuous span the outer boundaries are
        used.
    position, label : float, default 1
        Weights of differences in position and in label (alpha and beta of the paper).
    draws : int, default 30
        Number of random annotations per document, from which expected disorder is estimated; the
        `standard_error` of the result shows whether it suffices.
    rng : Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    Gamma
        Gamma overall and by document.

    Raises
    ------
    AnnotationError
        If no document was opened by two annotators, a weight is negative or both are 0, there is no
        draw, or a document has too many possible alignments.

    Notes
    -----
    The dissimilarity of two units is ``position * p**2 + label * [labels differ]``, with p the sum
    of the differences of their start and end points divided by the sum of their lengths; the
    dissimilarity of a unit and an empty unit, or of two empty units, is 1. An alignment is a
    partition of all units into rows with at most one unit per annotator; the disorder of a row is
    the mean dissimilarity of its pairs of annotators, and the best alignment minimises the sum of
    disorders, D.

    Under chance, each annotator gets the units of an annotator drawn with replacement, shifted
    cyclically by a random distance; the distances differ by at least half the mean unit length if
    possible. With the mean disorder E of such annotations, both divided by the number of units per
    annotator, ``gamma = 1 - D / E`` for one document. For several it is ``1 - sum D_d / sum E_d``,
    each E_d scaled to the number of units of document d, so that documents are weighted by their
    units; documents without marks do not count. The paper defines gamma for one document.

    For labels alone, `Gamma.categories` and `Gamma.by_label` measure the agreement of aligned units
    (`annobench.spans.gamma_categories`).

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
            "negative, and at least one must be positive."
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
    """Group documents with marks by their number of annotators, within memory limits."""
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
        Units of all annotators in each document.
    labels : LabelDisorder
        Disorder of the labels of aligned units.
    """

    marks: Marks
    observed: Floats
    expected: Floats
    n_units: NDArray[np.int64]
    labels: LabelDisorder

    @property
    def categories(self) -> float:
        """Gamma of categories, for the labels of aligned units; NaN if there is one label."""
        return float(self.labels.gamma()[0])

    def by_label(self) -> pd.DataFrame:
        """Return gamma of each category.

        Returns
        -------
        DataFrame
            One row per label: label, gamma (NaN if no unit with it is aligned with another, or no
            other label occurs by chance), weight (of the pairs that have the label).
        """
        import pandas as pd

        gamma, weight = self.labels.gamma()[1:], self.labels.weight.sum(axis=0)[1:]
        return pd.DataFrame({"label": list(self.marks.labels), "gamma": gamma, "weight": weight})

    @property
    def estimate(self) -> float:
        """Overall gamma: 1 is perfect, 0 is chance; NaN if nobody marked anything."""
        return float(1 - ratio(self.observed.sum(), self.expected.mean(axis=1).sum()))

    @property
    def standard_error(self) -> float:
        """Monte Carlo standard error, which more draws would reduce; NaN with one draw."""
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
            One row per document that two annotators opened: document, gamma (NaN if nobody marked
            anything), observed and expected disorder, n_units.
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
            Gamma, or gamma of categories.
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
            f"{counted(self.observed.size, 'document')}, {self.expected.shape[1]} draws each)"
        )
