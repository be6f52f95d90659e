"""F1 of spans or relations for every pair of annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.resampling.intervals import Interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import check_replicates, chunk_sizes, draw_counts, weighted_sum
from annobench.spans._interval import document_interval
from annobench.spans.marks import Marks
from annobench.spans.matching import TOKEN, Match, MatchCounts, count_matches

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SpanF1", "pairwise_f1"]

Floats = NDArray[np.float64]


def pairwise_f1(
    marks: Marks, match: Match = "exact", *, relations: bool = False, token: str = TOKEN
) -> SpanF1:
    """Compute F1 for every pair of annotators, micro-averaged over documents, and its mean.

    Parameters
    ----------
    marks : Marks
        Marks of one layer. Two annotators are compared in the documents that both opened.
    match : {"exact", "overlap", "token"}, default "exact"
        When two spans match: equal boundaries ("exact"), a common character ("overlap"), or token
        by token ("token"). Labels must be equal.
    relations : bool, default False
        Compare relations: both spans must match, and the labels of the relations must be equal.
    token : str, optional
        The regular expression of a token; by default a run of letters and digits, or of other
        characters. Without the text each character is a token.

    Returns
    -------
    SpanF1
        The mean over pairs, with values by pair, label and document.

    Raises
    ------
    AnnotationError
        If no document was opened by two annotators, or `match` is invalid.

    Notes
    -----
    With m matches of the n and n' marks of two annotators F1 is ``2 m / (n + n')``, whichever of
    them is the reference. It is the limit of Cohen's kappa as the amount of unmarked text grows
    [1]_, so no count of non-entities is needed.

    References
    ----------
    .. [1] Hripcsak and Rothschild (2005), Agreement, the F-measure, and reliability in information
       retrieval, Journal of the American Medical Informatics Association 12, 296-298.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({
    ...     ("d", "ann"): [Span(0, 4, "PER"), Span(9, 12, "LOC")],
    ...     ("d", "bob"): [Span(0, 4, "PER"), Span(8, 12, "LOC"), Span(20, 22, "LOC")],
    ... })
    >>> pairwise_f1(marks).estimate, pairwise_f1(marks, "overlap").estimate
    (0.4, 0.8)
    """
    if not marks.shared:
        raise AnnotationError(
            f"pairwise_f1: no document of the layer {marks.layer!r} was opened by two annotators. "
            "There is nothing to compare."
        )
    return SpanF1(
        marks, match, relations, count_matches(marks, match, relations=relations, token=token)
    )


@dataclass(frozen=True, eq=False)
class SpanF1(Summarised):
    """F1 for every pair of annotators.

    Attributes
    ----------
    marks : Marks
        The marks compared.
    match : str
        Criterion for a match.
    relations : bool
        Whether relations were compared instead of spans.
    counts : MatchCounts
        Matches by document, pair and label.
    """

    marks: Marks
    match: str
    relations: bool
    counts: MatchCounts

    @property
    def estimate(self) -> float:
        """The mean of F1 over pairs of annotators; NaN if nobody marked anything."""
        return _mean(self._f1(self._pair, len(self._pairs)))

    @property
    def sd(self) -> float:
        """The standard deviation of F1 over pairs, with the number of pairs as divisor."""
        values = self._f1(self._pair, len(self._pairs))
        return float(np.nanstd(values)) if np.isfinite(values).any() else math.nan

    @property
    def _over(self) -> str:
        n = len(self._pairs)
        return "one pair of annotators" if n == 1 else f"mean over {n} pairs of annotators"

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return sorted({pair for d in self.marks.shared for pair in self.marks.pairs(d)})

    @property
    def _pair(self) -> NDArray[np.int64]:
        code = {pair: p for p, pair in enumerate(self._pairs)}
        both = zip(self.counts.first.tolist(), self.counts.second.tolist(), strict=True)
        return np.array([code[pair] for pair in both], dtype=np.int64)

    def _f1(self, group: NDArray[np.int64], n: int) -> Floats:
        """Return F1 of groups of counts; NaN where nothing was marked."""
        matched, marked = (
            np.bincount(group, part, n) for part in (self.counts.matched, self.counts.marked)
        )
        return ratio(2 * matched, marked)

    def by_pair(self) -> pd.DataFrame:
        """Return F1 of each pair of annotators.

        Returns
        -------
        DataFrame
            One row per pair: first, second, f1 (NaN if neither marked anything), matched, marked
            (by both together), n_documents that both opened.
        """
        import pandas as pd

        pairs, group = self._pairs, self._pair
        shared = dict.fromkeys(pairs, 0)
        for d in self.marks.shared:
            for pair in self.marks.pairs(d):
                shared[pair] += 1
        names = self.marks.annotators
        sums = [np.bincount(group, part, len(pairs)) for part in self.counts[4:6]]
        return pd.DataFrame(
            {
                "first": [names[i] for i, _ in pairs],
                "second": [names[j] for _, j in pairs],
                "f1": self._f1(group, len(pairs)),
                "matched": sums[0].astype(int),
                "marked": sums[1].astype(int),
                "n_documents": list(shared.values()),
            }
        )

    def by_label(self) -> pd.DataFrame:
        """Return F1 of each label, averaged over the pairs in which at least one annotator used it.

        Returns
        -------
        DataFrame
            One row per label: label, f1, sd (over pairs), n_pairs, matched and marked (by all pairs
            together).
        """
        return self._means(self.counts.label, self.counts.labels, "label")

    def by_document(self) -> pd.DataFrame:
        """Return F1 in each document: its mean over pairs.

        Returns
        -------
        DataFrame
            One row per document that two annotators opened: document, f1 (NaN if nobody marked
            anything), sd, n_pairs (in which at least one annotator marked something), matched,
            marked.
        """
        table = self._means(self.counts.document, self.marks.documents, "document")
        return table.iloc[list(self.marks.shared)].reset_index(drop=True)

    def _means(self, group: NDArray[Any], names: tuple[str, ...], of: str) -> pd.DataFrame:
        import pandas as pd

        n, n_pairs = len(names), len(self._pairs)
        cells = group.astype(np.int64) * n_pairs + self._pair
        kept, cell = np.unique(cells, return_inverse=True)
        values, owner = self._f1(cell, kept.size), kept // n_pairs
        times = np.bincount(owner, minlength=n)
        mean = ratio(np.bincount(owner, values, n), times)
        spread = np.bincount(owner, (values - mean[owner]) ** 2, n)
        matched, marked = (np.bincount(group, part, n).astype(int) for part in self.counts[4:6])
        columns = {of: names, "f1": mean, "sd": np.sqrt(ratio(spread, times)), "n_pairs": times}
        return pd.DataFrame(columns | {"matched": matched, "marked": marked})

    def interval(
        self,
        level: float = 0.95,
        *,
        replicates: int = 2_000,
        label: str | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> Interval:
        """Resample documents.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).
        replicates : int, default 2000
            Bootstrap samples of documents, including those without marks.
        label : str, optional
            Restrict to one label.
        rng : Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        Interval
            Quantiles of the mean over pairs: documents are sampled, annotators fixed. With fewer
            than about twenty documents it is too narrow.

        Raises
        ------
        AnnotationError
            If the label is unknown, or level or replicates are out of range.
        """
        check_level(level, "pairwise_f1")
        check_replicates(replicates)
        rows = np.ones(self.counts.document.size, dtype=bool)
        if label is not None:
            if label not in self.counts.labels:
                raise AnnotationError(
                    f"pairwise_f1: there is no label {label!r}. Known: "
                    f"{', '.join(map(repr, self.counts.labels[:10]))}."
                )
            rows = self.counts.label == self.counts.labels.index(label)
        place = np.searchsorted(self.marks.shared, self.counts.document[rows])
        shape = len(self.marks.shared), len(self._pairs)
        matched, marked = (
            sparse.csr_array((part[rows], (place, self._pair[rows])), shape=shape)
            for part in (self.counts.matched, self.counts.marked)
        )
        generator = np.random.default_rng(rng)
        found = []
        for n in chunk_sizes(replicates, max(shape)):
            weights = draw_counts(shape[0], n, generator)
            values = ratio(2 * weighted_sum(matched, weights), weighted_sum(marked, weights))
            defined = np.isfinite(values)
            found.append(ratio(np.nansum(values, axis=1), defined.sum(axis=1)))
        draws = np.concatenate(found)
        estimate = _mean(ratio(2 * matched.sum(axis=0), marked.sum(axis=0)))
        return document_interval(estimate, draws, level, shape[0])

    def summary(self) -> pd.DataFrame:
        """Return the mean over pairs, and F1 of each label.

        Returns
        -------
        DataFrame
            Columns of `by_label`; the first row, "all", is of all labels.
        """
        import pandas as pd

        values = self._f1(self._pair, len(self._pairs))
        total = {
            "label": "all",
            "f1": self.estimate,
            "sd": self.sd,
            "n_pairs": int(np.isfinite(values).sum()),
            "matched": int(self.counts.matched.sum()),
            "marked": int(self.counts.marked.sum()),
        }
        return pd.concat([pd.DataFrame([total]), self.by_label()], ignore_index=True)

    def _headline(self) -> str:
        of = "relations" if self.relations else "spans"
        return (
            f"{self.estimate:.4g} ({self._over}, {self.match} match of {of}, "
            f"{counted(len(self.marks.shared), 'document')})"
        )


def _mean(values: Floats) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if defined.size else math.nan
