"""Decision trees by C4.5.

C4.5, which Weka calls J48, differs from scikit-learn's trees in its splitting criterion: the gain
*ratio*, among attributes with at least average gain. Numeric attributes are penalised for their
number of thresholds. The grown tree is pruned by a pessimistic estimate of each node's errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.stats
from numpy.typing import NDArray

from annobench.core.compiled import kernel
from annobench.core.errors import AnnotationError

__all__ = ["C45"]

#: Of the items of a node, so many in a hundred for each category must go either way, at most 25.
_MIN_SHARE, _MIN_CAP = 0.1, 25.0
#: What counts as equal: two values of an attribute, a gain and the average gain, two gain ratios.
_SAME_VALUE, _SAME_GAIN, _SAME_RATIO = 1e-5, 1e-3, 1e-6
#: A leaf may be worse than its subtree by so many errors, in training and as estimated.
_COLLAPSE, _PRUNE = 1e-3, 0.1


class C45:
    """A decision tree grown by gain ratio and pruned by pessimistic errors.

    Parameters
    ----------
    min_cases : int, default 2
        Items that must go either way at a split, at least 1.
    confidence : float, default 0.25
        Level of the upper bound of a node's error rate, in (0, 0.5]; the smaller, the more is
        pruned.

    Raises
    ------
    AnnotationError
        If a parameter is out of range.

    Notes
    -----
    With the defaults of Weka's J48, but for subtree raising, which is left out. All attributes
    are numeric; a column of 0 and 1 has one threshold. Growing takes time in proportion to depth
    times stored numbers.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning, chapters 2 to 4; Quinlan (1996), Improved
    use of continuous attributes in C4.5, Journal of Artificial Intelligence Research 4.

    Examples
    --------
    >>> model = C45().fit(np.array([[0], [0], [0], [1], [1], [1]]), np.array([2, 2, 2, 5, 5, 5]))
    >>> model.predict(np.array([[1], [0]]))
    array([5, 2])
    """

    def __init__(self, *, min_cases: int = 2, confidence: float = 0.25) -> None:
        if min_cases < 1 or not 0 < confidence <= 0.5:
            raise AnnotationError(
                f"C45: min_cases is {min_cases} and confidence {confidence}; they must be at least "
                "1 and in (0, 0.5]. Correct them."
            )
        self.min_cases, self.confidence = min_cases, confidence
        self._tree: _Tree | None = None

    def fit(self, features: Any, label: NDArray[np.integer]) -> C45:
        """Grow and prune the tree.

        Parameters
        ----------
        features : array or sparse matrix, shape (N, F)
            Of the items, finite.
        label : ndarray of int, shape (N,)
            Their labels.

        Returns
        -------
        C45
            The fitted tree.

        Raises
        ------
        AnnotationError
            If there is no item, or not one label per item.
        """
        x = sp.csr_matrix(features, dtype=np.float64)
        labels = np.asarray(label)
        if not labels.size or labels.shape != (x.shape[0],):
            raise AnnotationError(
                f"C45.fit: labels of shape {labels.shape} for features of shape {x.shape}. Give "
                "each of at least one item one label."
            )
        categories, codes = np.unique(labels, return_inverse=True)
        self._tree = _Tree(x, codes, categories, self.min_cases, self.confidence)
        return self

    def predict(self, features: Any) -> NDArray[Any]:
        """Return the most frequent label of the leaf that each item falls into.

        Parameters
        ----------
        features : array or sparse matrix, shape (I, F)
            The columns of `fit`.

        Returns
        -------
        ndarray, shape (I,)
            Labels.

        Raises
        ------
        AnnotationError
            If the tree was not fitted.
        """
        return self._fitted.predict(sp.csr_matrix(features, dtype=np.float64))

    @property
    def n_leaves(self) -> int:
        """Number of leaves after pruning."""
        return self._fitted.n_leaves

    @property
    def _fitted(self) -> _Tree:
        if self._tree is None:
            raise AnnotationError("C45: the tree was not fitted. Call fit first.")
        return self._tree


class _Tree:
    """The nodes of a fitted tree, each before its children."""

    def __init__(
        self,
        x: sp.csr_matrix,
        codes: NDArray[np.integer],
        categories: NDArray[Any],
        min_cases: int,
        confidence: float,
    ) -> None:
        more = np.unique(x.indices[(x.data != 0) & (x.data != 1)])
        binary = np.setdiff1d(np.arange(x.shape[1]), more)
        ones = sp.csr_matrix(x[:, binary])
        ones.eliminate_zeros()
        feature, self.threshold, self.left, self.right, counts = _grow(
            ones.indptr,
            ones.indices,
            binary.size,
            x[:, more].toarray(),
            codes.astype(np.int64),
            categories.size,
            float(min_cases),
        )
        self.feature = np.r_[binary, more, -1][feature]
        self.is_leaf = self.left < 0
        self._prune(counts.sum(axis=1), counts.sum(axis=1) - counts.max(axis=1), confidence)
        self.label = categories[counts.argmax(axis=1)]

    def _prune(
        self, size: NDArray[np.float64], errors: NDArray[np.float64], confidence: float
    ) -> None:
        """Make leaves of the nodes that expect no fewer errors with their subtree."""
        expected, below = errors + _more_errors(size, errors, confidence), errors.copy()
        self.is_leaf = self.is_leaf.copy()
        for node in range(size.size - 1, -1, -1):
            if self.is_leaf[node]:
                continue
            children = [self.left[node], self.right[node]]
            if (
                errors[node] <= below[children].sum() + _COLLAPSE
                or expected[node] <= expected[children].sum() + _PRUNE
            ):
                self.is_leaf[node] = True
            else:
                expected[node], below[node] = expected[children].sum(), below[children].sum()

    def predict(self, x: sp.csr_matrix) -> NDArray[Any]:
        inner = ~self.is_leaf
        used = np.unique(self.feature[inner])
        values, place = x[:, used].toarray(), np.searchsorted(used, self.feature)
        at = np.zeros(x.shape[0], dtype=np.int64)
        while (moving := np.flatnonzero(inner[at])).size:
            node = at[moving]
            above = values[moving, place[node]] > self.threshold[node]
            at[moving] = np.where(above, self.right[node], self.left[node])
        return np.asarray(self.label[at])

    @property
    def n_leaves(self) -> int:
        reached, n = [0], 0
        while reached:
            node = reached.pop()
            n += bool(self.is_leaf[node])
            if not self.is_leaf[node]:
                reached += [int(self.left[node]), int(self.right[node])]
        return n


def _more_errors(
    size: NDArray[np.float64], errors: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    """Return by how much the upper bound of the errors exceeds those seen."""
    z = scipy.stats.norm.isf(confidence)

    def normal(e: NDArray[np.float64]) -> NDArray[np.float64]:
        f = np.minimum((e + 0.5) / size, 1)
        root = np.sqrt(f / size - f**2 / size + z**2 / (4 * size**2))
        bound = (f + z**2 / (2 * size) + z * root) / (1 + z**2 / size) * size
        return np.asarray(np.where(e + 0.5 >= size, np.maximum(size - e, 0), bound - e))

    none = size * (1 - confidence ** (1 / size))
    few = none + errors * (normal(np.ones(size.size)) - none)
    return np.where(errors < 1, few, normal(errors))


@kernel()
def _bits(counts: Any, total: float) -> Any:
    """Return the entropy of some counts in bits, times their sum."""
    bits = total * np.log2(total) if total > 0 else 0.0
    for n in counts:
        if n > 0:
            bits -= n * np.log2(n)
    return bits


@kernel()
def _split_bits(n: float, total: float) -> Any:
    """Return the entropy of a split into n and the rest, in bits."""
    return -(n * np.log2(n / total) + (total - n) * np.log2((total - n) / total)) / total


@kernel()
def _grow(
    indptr: Any, indices: Any, n_binary: int, numeric: Any, label: Any, k: int, min_cases: float
) -> Any:
    """Grow the tree: features, thresholds, children (-1 in a leaf) and label counts of nodes."""
    n_items, n_numeric = label.size, numeric.shape[1]
    n_features, most = n_binary + n_numeric, 2 * n_items + 1
    feature, threshold = np.full(most, -1), np.zeros(most)
    left, right = np.full(most, -1), np.full(most, -1)
    counts = np.zeros((most, k))
    start, stop = np.zeros(most, np.int64), np.zeros(most, np.int64)
    order, stop[0], n_nodes = np.arange(n_items), n_items, 1
    with_word = np.zeros((n_binary, k))
    gain, ratio, cut = np.zeros(n_features), np.zeros(n_features), np.zeros(n_features)
    waiting = [0]
    while len(waiting) > 0:
        node = waiting.pop()
        first, last = start[node], stop[node]
        n, total = last - first, counts[node]
        for i in order[first:last]:
            total[label[i]] += 1
        if n < 2 * min_cases or total.max() == n:
            continue
        bits = _bits(total, n)
        needed = min(max(_MIN_SHARE * n / k, min_cases), max(_MIN_CAP, min_cases))
        gain[:] = 0
        with_word[:] = 0
        for i in order[first:last]:
            for j in indices[indptr[i] : indptr[i + 1]]:
                with_word[j, label[i]] += 1
        for j in range(n_binary):
            n_with = with_word[j].sum()
            if n_with >= needed and n - n_with >= needed:
                kept = _bits(with_word[j], n_with) + _bits(total - with_word[j], n - n_with)
                gain[j], cut[j] = (bits - kept) / n, 0.5
                ratio[j] = gain[j] / _split_bits(n_with, n)
        for q in range(n_numeric):
            values = numeric[order[first:last], q]
            rank = np.argsort(values)
            low, best, n_low, tried = np.zeros(k), 0.0, 0, 0
            for a in range(n - 1):
                low[label[order[first + rank[a]]]] += 1
                here, there = values[rank[a]], values[rank[a + 1]]
                if here + _SAME_VALUE < there and a + 1 >= needed and n - a - 1 >= needed:
                    tried += 1
                    kept = _bits(low, a + 1) + _bits(total - low, n - a - 1)
                    if (bits - kept) / n > best:
                        best, n_low = (bits - kept) / n, a + 1
                        cut[n_binary + q] = (here + there) / 2
            if n_low > 0:
                # What it costs to say which of the thresholds was taken.
                gain[n_binary + q] = best - np.log2(tried) / n
                ratio[n_binary + q] = gain[n_binary + q] / _split_bits(n_low, n)
        n_valid, average = 0, 0.0
        for j in range(n_features):
            if gain[j] > 0:
                n_valid += 1
                average += gain[j]
        if n_valid == 0:
            continue
        average /= n_valid
        chosen, top = -1, 0.0
        for j in range(n_features):
            if gain[j] > 0 and gain[j] >= average - _SAME_GAIN and ratio[j] > top + _SAME_RATIO:
                chosen, top = j, ratio[j]
        if chosen < 0:
            continue
        above, n_above, end = np.empty(n, np.int64), 0, first
        for i in order[first:last]:
            if chosen >= n_binary:
                goes = numeric[i, chosen - n_binary] > cut[chosen]
            else:
                goes = False
                for j in indices[indptr[i] : indptr[i + 1]]:
                    goes = goes or j == chosen
            if goes:
                above[n_above] = i
                n_above += 1
            else:
                order[end] = i
                end += 1
        order[end:last] = above[:n_above]
        feature[node], threshold[node] = chosen, cut[chosen]
        left[node], right[node] = n_nodes, n_nodes + 1
        start[n_nodes], stop[n_nodes] = first, end
        start[n_nodes + 1], stop[n_nodes + 1] = end, last
        waiting.append(n_nodes + 1)
        waiting.append(n_nodes)
        n_nodes += 2
    return (
        feature[:n_nodes],
        threshold[:n_nodes],
        left[:n_nodes],
        right[:n_nodes],
        counts[:n_nodes],
    )
