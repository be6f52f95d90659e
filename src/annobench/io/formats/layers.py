"""The spans and relations of one layer of an export, and an account of what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.names import said_of_pseudonyms
from annobench.core.results import Summarised
from annobench.io.formats.base import Marks as MarkedDocument
from annobench.io.formats.export import Export
from annobench.spans.marks import Marks

__all__ = ["LayerSelection", "layers", "select_layer"]

#: What the ledger calls documents of each status that are not taken.
_STATUS_WORDS = {
    "done": "finished documents",
    "rejected": "rejected documents",
    "skipped": "skipped or ignored documents",
    "unfinished": "unfinished documents",
    "curated": "documents of a curator",
}


@dataclass(frozen=True, repr=False)
class LayerSelection(Summarised):
    """The marks of one layer, and an account of what was left out.

    Attributes
    ----------
    marks : annobench.spans.Marks
        Spans and relations by document and annotator.
    ledger : DataFrame
        One row per step from records to marks: `what`, `rows`, `first` (position of the first). A
        row of the layer is a document of one annotator.
    remarks : tuple of str
        Remarks for the user.
    pseudonyms : dict of str to str
        Pseudonym of each annotator identified by a person's name.
    """

    marks: Marks
    ledger: pd.DataFrame
    remarks: tuple[str, ...]
    pseudonyms: dict[str, str] = field(default_factory=dict)

    def summary(self) -> pd.DataFrame:
        """Return the ledger.

        Returns
        -------
        DataFrame
            `rows` and `first`, by step.
        """
        return self.ledger.set_index("what")

    def _headline(self) -> str:
        return repr(self.marks)


def layers(export: Export) -> list[str]:
    """List the layers with spans or relations.

    Parameters
    ----------
    export : Export
        An export of any format.

    Returns
    -------
    list of str
        In the order of the file.
    """
    statuses = tuple(_STATUS_WORDS)
    return list(dict.fromkeys(marked.layer for marked in export.marks(status=statuses)))


def select_layer(
    export: Export,
    layer: str | None = None,
    *,
    status: Collection[str] = ("done",),
    repeats: Literal["error", "first", "last"] = "error",
) -> LayerSelection:
    """Return the marks of one layer, and account for every document.

    Parameters
    ----------
    export : Export
        An export of any format.
    layer : str, optional
        Its name; needed if there are several.
    status : collection of str, default ("done",)
        Accepted statuses of the work. "curated" gives the curators' version.
    repeats : {"error", "first", "last"}, default "error"
        What to do if an annotator did a document more than once.

    Returns
    -------
    LayerSelection
        Marks and ledger.

    Raises
    ------
    AnnotationError
        If a layer must be named or is unknown, nothing is left, or a document is repeated and
        `repeats` is "error".
    ReaderError
        If spans lie outside their document.
    """
    known = layers(export)
    if layer is None and len(known) == 1:
        layer = known[0]
    if layer not in known:
        shown = ", ".join(map(repr, known)) or "none"
        which = "Name one with --question" if layer is None else f"There is no {layer!r}"
        hint = did_you_mean(layer, known) if layer else ""
        raise AnnotationError(f"{export.path}: layers of spans: {shown}. {which}.{hint}")
    totals = export.totals()
    rows: list[tuple[str, int, str]] = [("records read", totals["records"], "")]
    rows += [(f"left out: {reason}", n, place) for reason, n, place in export.left_out]
    found = export.marks(layer, status=tuple(_STATUS_WORDS))
    rows.append((f"documents in {layer!r}", len(found), found[0].place))
    kept = [marked for marked in found if marked.status in status]
    for name, word in _STATUS_WORDS.items():
        out = [marked for marked in found if marked.status == name and name not in status]
        if out:
            rows.append((f"left out: {word}", len(out), out[0].place))
    if not kept:
        have = ", ".join(sorted({marked.status for marked in found}))
        raise AnnotationError(
            f"{export.path}: no document of {layer!r} is {' or '.join(status)}, there are only "
            f"{have} ones. Use them with --status."
        )
    unique = _unrepeated(export, kept, repeats, rows)
    given = {marked.status for marked in found}
    idle = [
        f"No document is {word}, so that --status {word} adds none."
        for word in status
        if word not in given
    ]
    if repeats != "error" and len(unique) == len(kept):
        idle.append(f"No document is repeated, so that --repeats {repeats} changes nothing.")
    spans = {(m.document, m.annotator): m.spans for m in unique}
    relations = {(m.document, m.annotator): m.relations for m in unique if m.relations}
    texts = {name: export.documents[name] for name, _ in spans if name in export.documents}
    try:
        marks = Marks.collect(spans, relations, texts=texts, layer=layer)
    except AnnotationError as error:
        raise ReaderError(f"{export.path}: {str(error).removeprefix('Marks: ')}") from error
    rows.append(("documents by annotator", len(unique), ""))
    rows.append(("spans", marks.n_spans, ""))
    rows.append(("relations", marks.n_relations, ""))
    return LayerSelection(
        marks,
        pd.DataFrame(rows, columns=["what", "rows", "first"]),
        (*idle, *said_of_pseudonyms(export.pseudonyms)),
        export.pseudonyms,
    )


def _unrepeated(
    export: Export, kept: list[MarkedDocument], repeats: str, rows: list[tuple[str, int, str]]
) -> list[MarkedDocument]:
    if repeats not in ("error", "first", "last"):
        raise AnnotationError(f"--repeats {repeats!r} is not one of error, first, last for spans.")
    times = Counter((marked.document, marked.annotator) for marked in kept)
    again = [key for key, n in times.items() if n > 1]
    if not again:
        return kept
    if repeats == "error":
        document, annotator = again[0]
        places = [m.place for m in kept if (m.document, m.annotator) == again[0]]
        remedy = "Choose with --repeats first or last."
        if max(Counter(name for name, _ in times).values()) == 1:
            by_file = " If a file is one annotator's, add --annotator-from file."
            remedy = "Nobody else did these documents: nothing can be compared." + (
                by_file if "file" in export.format.annotators else ""
            )
        raise AnnotationError(
            f"{export.path}: annotator {annotator!r} did document {document!r} {len(places)} times "
            f"({', '.join(places[:3])}), and {len(again) - 1} more are repeated. {remedy}"
        )
    ordered = kept if repeats == "last" else kept[::-1]
    unique = {(marked.document, marked.annotator): marked for marked in ordered}
    n = len(kept) - len(unique)
    rows.append((f"left out: repeated documents, of which the {repeats} is kept", n, ""))
    # In the order of the export
    chosen = {id(marked) for marked in unique.values()}
    return [marked for marked in kept if id(marked) in chosen]
