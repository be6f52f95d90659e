"""Spans as items for models of annotation: labels of tokens, or votes on spans.

Models of annotation need given items. Tokens are such items; so are the spans that at least one
annotator marked. An annotator who opened the document and marked nothing
there votes "O".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.spans.marks import Limits, Marks, Span
from annobench.spans.matching import TOKEN, Tokens

__all__ = ["candidate_items", "spans_of_items", "token_items"]

#: The category of what an annotator saw and did not mark.
OUTSIDE: Final = "O"
#: Between labels of one token that an annotator gave several.
BETWEEN: Final = " + "


def token_items(marks: Marks, *, token: str = TOKEN) -> tuple[Annotations, NDArray[np.int32]]:
    """Convert spans to labels of tokens: each annotator gives every token a label, or "O".

    Parameters
    ----------
    marks : Marks
        Of one layer, with texts; without a text each character is a token.
    token : str, optional
        The regular expression of a token; by default a run of letters and digits, or of signs.

    Returns
    -------
    annotations : Annotations
        One item per token, named "document:start-end". A token in several spans has the category "A
        + B" of their sorted labels.
    document : ndarray of int32, shape (I,)
        Code of each item's document, for resampling.

    Raises
    ------
    AnnotationError
        If a label is "O", or nobody opened a document.

    Notes
    -----
    Adjacent spans with the same label cannot be distinguished by their tokens.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect(
    ...     {("d", "ann"): [Span(0, 3, "PER")], ("d", "bob"): []}, texts={"d": "Ada sang"}
    ... )
    >>> labels, _ = token_items(marks)
    >>> labels.items, labels.categories, labels.label.tolist()
    (('d:0-3', 'd:4-8'), ('O', 'PER'), [1, 0, 0, 0])
    """

    def places(d: int) -> list[tuple[Limits, dict[int, set[str]]]]:
        tokens = Tokens.of(marks, d, token)
        said: dict[int, dict[int, set[str]]] = {}
        for j in marks.opened_by(d):
            for span in marks.spans[d, j]:
                for t in tokens.touched(span):
                    said.setdefault(t, {}).setdefault(j, set()).add(span.label)
        limits = zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
        return [((pair,), said.get(t, {})) for t, pair in enumerate(limits)]

    return _annotations(marks, "token_items", places)


def candidate_items(marks: Marks) -> tuple[Annotations, NDArray[np.int32]]:
    """Convert spans to votes: every stretch of text that anybody marked is an item.

    Parameters
    ----------
    marks : Marks
        Marks of one layer.

    Returns
    -------
    annotations : Annotations
        One item per stretch, named "document:start-end" (parts joined by "+"), labelled by all who
        opened the document: with the label, "A + B" for several with the same boundaries, or "O" by
        those who did not mark it.
    document : ndarray of int32, shape (I,)
        Code of each item's document, for resampling.

    Raises
    ------
    AnnotationError
        If a label is "O", or nobody opened a document.

    Notes
    -----
    Unmarked text is not an item, so agreement on these items is far below agreement on the text:
    use the votes for models, not for coefficients.

    Examples
    --------
    >>> from annobench.spans import Marks, Span
    >>> marks = Marks.collect({("d", "ann"): [Span(0, 3, "PER")], ("d", "bob"): []})
    >>> labels, _ = candidate_items(marks)
    >>> labels.items, labels.label.tolist()
    (('d:0-3',), [1, 0])
    """

    def places(d: int) -> list[tuple[Limits, dict[int, set[str]]]]:
        said: dict[Limits, dict[int, set[str]]] = {}
        for j in marks.opened_by(d):
            for span in marks.spans[d, j]:
                said.setdefault(span.limits, {}).setdefault(j, set()).add(span.label)
        return sorted(said.items())

    return _annotations(marks, "candidate_items", places)


def spans_of_items(
    items: Iterable[str], labels: Iterable[str], *, join: bool
) -> dict[str, list[Span]]:
    """Convert labelled items back to spans, for example after a consensus.

    Parameters
    ----------
    items : iterable of str
        Names from `token_items` or `candidate_items`, in order.
    labels : iterable of str
        The label of each; "O" is none, "A + B" two spans.
    join : bool
        Whether consecutive items with the same label form one span: True for tokens, False for
        candidates.

    Returns
    -------
    dict of str to list of Span
        By document.

    Raises
    ------
    AnnotationError
        If a name is invalid.

    Examples
    --------
    >>> spans_of_items(["d:0-3", "d:4-8", "d:9-12"], ["PER", "PER", "O"], join=True)
    {'d': [Span(start=0, end=8, label='PER', parts=())]}
    """
    found: dict[str, list[Span]] = {}
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for n, (item, label) in enumerate(zip(items, labels, strict=True)):
        document, _, place = item.rpartition(":")
        try:
            limits = [(int(s), int(e)) for s, e in (part.split("-") for part in place.split("+"))]
        except ValueError:
            raise AnnotationError(
                f"spans_of_items: {item!r} is not the name of a token or span, such as 'doc:0-5'."
            ) from None
        own = found.setdefault(document, [])
        for name in label.split(BETWEEN) if label != OUTSIDE else ():
            before, at = last.get((document, name), (-2, 0))
            if join and before == n - 1:
                own[at] = Span(own[at].start, limits[-1][1], name)
            else:
                at = len(own)
                own.append(Span.of_parts(limits, name))
            last[document, name] = n, at
    return found


def _annotations(marks: Marks, name: str, places: Any) -> tuple[Annotations, NDArray[np.int32]]:
    if OUTSIDE in marks.labels:
        raise AnnotationError(f"{name}: a label is {OUTSIDE!r}, which means unmarked. Rename it.")
    items: list[str] = []
    document: list[int] = []
    item: list[NDArray[np.int32]] = []
    annotator: list[NDArray[np.int32]] = []
    label: list[NDArray[np.int32]] = []
    code = {OUTSIDE: 0}
    for d in range(marks.n_documents):
        readers = marks.opened_by(d)
        if not readers:
            continue
        column = {j: n for n, j in enumerate(readers)}
        found = places(d)
        votes = np.zeros((len(found), len(readers)), dtype=np.int32)
        for row, (_, said) in enumerate(found):
            for j, names in said.items():
                votes[row, column[j]] = code.setdefault(BETWEEN.join(sorted(names)), len(code))
        first = len(items)
        items += [
            f"{marks.documents[d]}:" + "+".join(f"{s}-{e}" for s, e in limits)
            for limits, _ in found
        ]
        document += [d] * len(found)
        rows = np.arange(first, first + len(found), dtype=np.int32)
        item.append(np.repeat(rows, len(readers)))
        annotator.append(np.tile(np.array(readers, dtype=np.int32), len(found)))
        label.append(votes.ravel())
    if not items:
        raise AnnotationError(
            f"{name}: there are no items: no document was opened, or all are empty. Give documents "
            "that annotators opened."
        )
    order = sorted(code, key=lambda known: (known != OUTSIDE, known))
    new = np.empty(len(code), dtype=np.int32)
    new[[code[known] for known in order]] = np.arange(len(code))
    small = np.int16 if len(code) <= np.iinfo(np.int16).max else np.int32
    annotations = Annotations(
        np.concatenate(item),
        np.concatenate(annotator),
        new[np.concatenate(label)].astype(small),
        tuple(items),
        marks.annotators,
        tuple(order),
    )
    return annotations, np.array(document, dtype=np.int32)
