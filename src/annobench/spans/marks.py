"""Marks: spans and relations marked by annotators in documents.

If an annotator opened a document and marked nothing, there was nothing to mark; if an annotator
never opened it, the marks are missing. `Marks` and all measures of this package distinguish the
two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from annobench.core.errors import MAX_FAULTS, AnnotationError
from annobench.core.texts import counted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Marks", "Relation", "Span"]

#: Where a span is: the limits of its parts, first to last.
Limits = tuple[tuple[int, int], ...]


class Span(NamedTuple):
    """A stretch of text with a label.

    Attributes
    ----------
    start, end : int
        Offsets in characters of the first character, and of the one after the last.
    label : str
        The annotator's label.
    parts : tuple of (int, int)
        Boundaries of the parts of a discontinuous span, in order; empty for a contiguous one.

    Examples
    --------
    >>> Span(4, 17, "PER").limits
    ((4, 17),)
    >>> Span(0, 20, "disease", ((0, 5), (12, 20))).limits
    ((0, 5), (12, 20))
    """

    start: int
    end: int
    label: str
    parts: Limits = ()

    @property
    def limits(self) -> Limits:
        """Boundaries of the parts, or of the span itself if contiguous."""
        return self.parts or ((self.start, self.end),)

    @classmethod
    def of_parts(cls, parts: Iterable[tuple[int, int]], label: str) -> Span:
        """Build a span from its parts; adjacent parts are joined.

        Parameters
        ----------
        parts : iterable of (int, int)
            At least one, in any order.
        label : str
            Label of the span.

        Returns
        -------
        Span
            The span; contiguous if the parts leave no gap.
        """
        joined: list[tuple[int, int]] = []
        for start, end in sorted(parts):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(joined[-1][1], end)
            else:
                joined.append((start, end))
        return cls(joined[0][0], joined[-1][1], label, tuple(joined) if len(joined) > 1 else ())


class Relation(NamedTuple):
    """A labelled link from one span to another of the same document.

    Attributes
    ----------
    source, target : Span
        The linked spans. Two relations are equal if their labels and the boundaries of their spans
        are; the labels of the spans are compared separately.
    label : str
        Type of the relation, such as "works for".
    """

    source: Span
    target: Span
    label: str


@dataclass(frozen=True, eq=False)
class Marks:
    """The spans and relations of one layer of annotation.

    Use the constructor `collect`, which validates.

    Attributes
    ----------
    layer : str
        What was annotated, such as "entities".
    documents, annotators : tuple of str
        Names of the D documents and J annotators, including those without marks.
    spans : mapping of (int, int) to tuple of Span
        Spans by codes of document and annotator, in text order. A missing pair means that the
        annotator never opened the document.
    relations : mapping of (int, int) to tuple of Relation
        For the same pairs.
    texts : tuple of str or None, length D
        Texts of the documents; None if missing.

    Examples
    --------
    >>> marks = Marks.collect({
    ...     ("d1", "ann"): [Span(0, 4, "PER")],
    ...     ("d1", "bob"): [],
    ...     ("d2", "ann"): [Span(2, 5, "LOC")],
    ... })
    >>> marks
    Marks: 2 spans in 2 labels, 2 annotators, 2 documents
    >>> [marks.annotators[j] for j in marks.opened_by(1)]  # nobody but ann opened d2
    ['ann']
    """

    layer: str
    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    spans: Mapping[tuple[int, int], tuple[Span, ...]]
    relations: Mapping[tuple[int, int], tuple[Relation, ...]]
    texts: tuple[str | None, ...]

    @classmethod
    def collect(
        cls,
        spans: Mapping[tuple[str, str], Iterable[Span]],
        relations: Mapping[tuple[str, str], Iterable[Relation]] | None = None,
        *,
        texts: Mapping[str, str] | None = None,
        documents: Iterable[str] = (),
        annotators: Iterable[str] = (),
        layer: str = "spans",
    ) -> Marks:
        """Collect what annotators marked.

        Parameters
        ----------
        spans : mapping of (str, str) to iterable of Span
            Spans by document and annotator; empty if nothing was marked.
        relations : mapping of (str, str) to iterable of Relation, optional
            Relations by document and annotator, for pairs that occur in `spans`.
        texts : mapping of str to str, optional
            The texts, by document.
        documents, annotators : iterable of str, optional
            Names to put first, including those without marks.
        layer : str, default "spans"
            A name.

        Returns
        -------
        Marks
            Documents and annotators in the order of their first appearance.

        Raises
        ------
        AnnotationError
            Lists all faults: empty spans, spans outside the text or with overlapping parts, empty
            names, relations for a pair that does not occur in `spans`.
        """
        relations, texts = relations or {}, texts or {}
        names = {
            "document": list(dict.fromkeys([*documents, *(d for d, _ in spans)])),
            "annotator": list(dict.fromkeys([*annotators, *(a for _, a in spans)])),
        }
        faults = [f"an empty name of {role}" for role, found in names.items() if "" in found]
        code = {role: {name: n for n, name in enumerate(found)} for role, found in names.items()}
        marked: dict[tuple[int, int], tuple[Span, ...]] = {}
        linked: dict[tuple[int, int], tuple[Relation, ...]] = {}
        for (document, annotator), own in spans.items():
            where = f"document {document!r}, annotator {annotator!r}"
            own, links = sorted(own), tuple(relations.get((document, annotator), ()))
            ends = [end for link in links for end in link[:2]]
            length = len(texts[document]) if document in texts else None
            for span in [*own, *ends]:
                if fault := _fault(span, length):
                    faults.append(f"{where}: {fault}")
            key = code["document"][document], code["annotator"][annotator]
            marked[key], linked[key] = tuple(own), links
        faults += [
            f"document {d!r}, annotator {a!r}: relations, but no list of spans"
            for d, a in relations
            if (d, a) not in spans
        ]
        if faults:
            shown = "".join(f"\n  {fault}" for fault in faults[:MAX_FAULTS])
            more = f"\n  and {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
            raise AnnotationError(f"Marks:{shown}{more}\nCorrect these, or leave them out.")
        return cls(
            layer,
            tuple(names["document"]),
            tuple(names["annotator"]),
            marked,
            linked,
            tuple(texts.get(name) for name in names["document"]),
        )

    @property
    def n_documents(self) -> int:
        """The number of documents D."""
        return len(self.documents)

    @property
    def n_annotators(self) -> int:
        """The number of annotators J."""
        return len(self.annotators)

    @cached_property
    def n_spans(self) -> int:
        """The number of spans, of all annotators together."""
        return sum(map(len, self.spans.values()))

    @cached_property
    def n_relations(self) -> int:
        """The number of relations, of all annotators together."""
        return sum(map(len, self.relations.values()))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of spans, sorted."""
        return tuple(sorted({span.label for own in self.spans.values() for span in own}))

    @cached_property
    def relation_labels(self) -> tuple[str, ...]:
        """The labels of relations, sorted."""
        return tuple(sorted({link.label for own in self.relations.values() for link in own}))

    @cached_property
    def _opened_by(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.documents]
        for document, annotator in sorted(self.spans):
            found[document].append(annotator)
        return tuple(map(tuple, found))

    def opened_by(self, document: int) -> tuple[int, ...]:
        """Return the annotators who opened a document.

        Parameters
        ----------
        document : int
            Code of the document, in [0, D).

        Returns
        -------
        tuple of int
            Codes of annotators, ascending, with or without marks.
        """
        return self._opened_by[document]

    def pairs(self, document: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs of annotators who opened a document.

        Parameters
        ----------
        document : int
            Code of the document.

        Yields
        ------
        (int, int)
            Codes, the smaller first.
        """
        yield from combinations(self._opened_by[document], 2)

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """Documents opened by at least two annotators: codes, ascending."""
        return tuple(d for d in range(self.n_documents) if len(self._opened_by[d]) > 1)

    @cached_property
    def unmarked(self) -> tuple[int, ...]:
        """Opened documents without any mark: codes, ascending."""
        seen = Counter(d for d, _ in self.spans)
        marked = {
            d for found in (self.spans, self.relations) for (d, _), own in found.items() if own
        }
        return tuple(d for d in sorted(seen) if d not in marked)

    def length(self, document: int) -> int:
        """Return the length of a document.

        Parameters
        ----------
        document : int
            Code of the document.

        Returns
        -------
        int
            Characters; without the text, the end of the last span.
        """
        text = self.texts[document]
        if text is not None:
            return len(text)
        ends = (span.end for j in self.opened_by(document) for span in self.spans[document, j])
        return max(ends, default=0)

    def select(
        self, *, documents: Iterable[str] | None = None, annotators: Iterable[str] | None = None
    ) -> Marks:
        """Keep some documents or annotators.

        Parameters
        ----------
        documents, annotators : iterable of str, optional
            Names, in the desired order; by default all.

        Returns
        -------
        Marks
            Marks of the same layer.

        Raises
        ------
        AnnotationError
            If a name is unknown.
        """
        kept = {
            "document": self.documents if documents is None else tuple(dict.fromkeys(documents)),
            "annotator": self.annotators
            if annotators is None
            else tuple(dict.fromkeys(annotators)),
        }
        for role, known in (("document", self.documents), ("annotator", self.annotators)):
            unknown = sorted(set(kept[role]) - set(known))
            if unknown:
                raise AnnotationError(
                    f"Marks.select: there is no {role} {unknown[0]!r}. Known: "
                    f"{', '.join(map(repr, known[:10]))}."
                )
        new = {role: {name: n for n, name in enumerate(names)} for role, names in kept.items()}
        keys = {
            (d, j): (new["document"][self.documents[d]], new["annotator"][self.annotators[j]])
            for d, j in self.spans
            if self.documents[d] in new["document"] and self.annotators[j] in new["annotator"]
        }
        text = dict(zip(self.documents, self.texts, strict=True))
        return Marks(
            self.layer,
            kept["document"],
            kept["annotator"],
            {to: self.spans[key] for key, to in keys.items()},
            {to: self.relations[key] for key, to in keys.items() if key in self.relations},
            tuple(text[name] for name in kept["document"]),
        )

    def spans_frame(self) -> pd.DataFrame:
        """List the spans.

        Returns
        -------
        DataFrame
            One row per span: document, annotator, label, start, end, parts (boundaries of a
            discontinuous span, else empty) and text (None if missing).
        """
        import pandas as pd

        rows = [
            (
                self.documents[d],
                self.annotators[j],
                span.label,
                span.start,
                span.end,
                ";".join(f"{start}-{end}" for start, end in span.parts),
                None if (text := self.texts[d]) is None else text[span.start : span.end],
            )
            for (d, j), own in sorted(self.spans.items())
            for span in own
        ]
        names = ["document", "annotator", "label", "start", "end", "parts", "text"]
        return pd.DataFrame(rows, columns=names)

    def __repr__(self) -> str:
        """Summarise in one line."""
        links = f", {counted(self.n_relations, 'relation')}" if self.n_relations else ""
        return (
            f"Marks: {counted(self.n_spans, 'span')} in {counted(len(self.labels), 'label')}"
            f"{links}, {counted(self.n_annotators, 'annotator')}, "
            f"{counted(self.n_documents, 'document')}"
        )


def _fault(span: Span, length: int | None) -> str | None:
    """Return the fault of a span, if any."""
    shown = f"the span {span.start} to {span.end} ({span.label!r})"
    if not 0 <= span.start < span.end:
        return f"{shown} has no width, or begins before the text"
    if length is not None and span.end > length:
        return f"{shown} ends after the text, which has {length} characters"
    if span.parts:
        flat = [offset for part in span.parts for offset in part]
        if flat != sorted(set(flat)) or (flat[0], flat[-1]) != (span.start, span.end):
            return f"{shown} has parts that touch, overlap or are not its own"
    return None
