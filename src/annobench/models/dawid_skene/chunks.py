"""The model of Dawid and Skene for labels that do not fit in memory.

EM needs only expected counts, which are sums over items. So the labels can be read in chunks, with
all labels of an item in one chunk, again in every iteration. Only the matrices and one chunk are in
memory. Results are those of `dawid_skene.fit`, apart from rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.partitions import added
from annobench.models._votes import Votes, run_em
from annobench.models.dawid_skene.em import Settings
from annobench.models.dawid_skene.model import METHOD, DawidSkeneFit, fit_of_passes
from annobench.models.dawid_skene.passes import DawidSkenePasses, Sums, Theta

_OTHER_ITEMS = (
    "fit_chunks: a later pass over the chunks gave other items than the first. Give a function "
    "that makes the chunks anew whenever it is called."
)

Chunks = Callable[[], Iterable[Annotations]]


def fit_chunks(
    chunks: Chunks, *, smoothing: float = 0.01, tolerance: float = 1e-8, max_iterations: int = 1_000
) -> DawidSkeneFit:
    """Fit the model by EM from the votes, reading the labels once an iteration.

    Parameters
    ----------
    chunks : callable
        Called without arguments for every pass, it gives the chunks, such as a generator that
        reads files one by one. All have the same annotators and categories, in the same order;
        all labels of an item are in one chunk.
    smoothing : float, default 0.01
        Added to every count, above 0.
    tolerance : float, default 1e-8
        EM stops when the log posterior changes by no more than this, relative to it; with 0
        all iterations are done.
    max_iterations : int, default 1_000
        Updates of the parameters at most, at least 1.

    Returns
    -------
    DawidSkeneFit
        Without items: `posterior` has no row. `predict` gives the posterior of a chunk.

    Raises
    ------
    AnnotationError
        If there are no chunks or labels, chunks differ in annotators or categories, or a later
        pass gives other chunks than the first, as an iterator does that can be read but once.
    ValueError
        If a number is out of its range.

    References
    ----------
    Dawid and Skene (1979), eqs. 2.3 to 2.5.

    Examples
    --------
    >>> first = Annotations.from_arrays(list("xxyy"), list("abab"), list("1101"))
    >>> second = Annotations.from_arrays(list("zz"), list("ab"), list("00"), categories="01")
    >>> fitted = fit_chunks(lambda: [first, second])
    >>> fitted.predict(second).argmax(axis=1)
    array([0])
    """
    if not 0 < smoothing < np.inf:
        raise ValueError(f"fit_chunks: smoothing must be a number above 0, got {smoothing}.")
    for name, value, smallest in (
        ("tolerance", tolerance, 0),
        ("max_iterations", max_iterations, 1),
    ):
        if not value >= smallest:
            raise ValueError(f"fit_chunks: {name} must be at least {smallest}, got {value}.")
    first = next(iter(chunks()), None)
    if first is None:
        raise AnnotationError("fit_chunks: there are no chunks. Give at least one.")
    settings = Settings.plain(first, smoothing, tolerance=tolerance, max_iterations=max_iterations)
    passes = DawidSkenePasses(settings, first.n_categories)
    begun = _total(chunks, first, lambda votes: passes.begin(votes, 0))
    if not begun.n_labelled:
        raise AnnotationError("fit_chunks: there are no labels. Give at least one.")
    METHOD.check_overlap(first, begun.n_shared > 0)

    def expect(theta: Theta) -> tuple[Sums, float, float]:
        total = _total(chunks, first, lambda votes: passes.sweep(votes, theta, 0)[0])
        if total.n_labelled != begun.n_labelled:
            raise AnnotationError(_OTHER_ITEMS)
        return total, *passes.objective(total, theta)

    end = run_em(
        passes.update(begun, None),
        expect,
        passes.update,
        tolerance,
        max_iterations,
        settled=passes.is_settled,
    )
    return fit_of_passes(first, passes, end)


def _total(chunks: Chunks, first: Annotations, sums: Callable[[Votes], Sums]) -> Sums:
    parts = (sums(Votes(_checked(chunk, first))) for chunk in chunks())
    begun = next(parts, None)
    if begun is None:
        raise AnnotationError(_OTHER_ITEMS)
    return added(chain([begun], parts))


def _checked(chunk: Annotations, first: Annotations) -> Annotations:
    for what in ("annotators", "categories", "scale"):
        if getattr(chunk, what) != getattr(first, what):
            raise AnnotationError(
                f"fit_chunks: the {what} of a chunk are not those of the first. Give every chunk "
                "all names in the same order."
            )
    if chunk.n_labels:
        METHOD.check(chunk, informed=True)  # the overlap may be in another chunk
    return chunk
