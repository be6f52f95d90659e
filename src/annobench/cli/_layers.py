"""Spans marked in an export, as a layer or as items of models."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from annobench.core.errors import AnnotationError

if TYPE_CHECKING:
    from annobench.io import Selection
    from annobench.io.formats.layers import LayerSelection
    from annobench.io.source import Source


def layer_of(source: Source, **how: Any) -> LayerSelection | None:
    """Read the requested layer of spans, if the source has layers."""
    from annobench.io.formats.layers import select_layer

    if source.kind != "spans":
        return None
    return select_layer(source.export, source.options.question, **how)


def select_items(source: Source, spans: Literal["tokens", "candidates"], **how: Any) -> Selection:
    """Convert the requested spans to labels whose items are tokens or spans."""
    from annobench.io import Selection
    from annobench.spans import candidate_items, token_items

    found = layer_of(source, **how)
    if found is None:
        asked = source.options.question
        named = f" in a layer {asked!r}" if asked else ""
        raise AnnotationError(
            f"{source.path}: no spans{named} for --spans {spans}. See what it holds with "
            "`annobench inspect`."
        )
    marks = found.marks
    labels, document = (token_items if spans == "tokens" else candidate_items)(marks)
    texts = {
        name: text[start:end]
        for name, d in zip(labels.items, document.tolist(), strict=True)
        if (text := marks.texts[d]) is not None
        for start, end in [_outer(name)]
    }
    ledger = found.ledger.copy()
    ledger.loc[len(ledger)] = ["labels", labels.n_labels, ""]
    return Selection(
        *(labels, marks.layer, {}, texts, ledger, found.remarks), pseudonyms=found.pseudonyms
    )


def _outer(item: str) -> tuple[int, int]:
    """Return the outer limits of the spans in an item's name, such as "doc:0-3+17-32"."""
    offsets = re.findall(r"\d+", item.rpartition(":")[2])
    return int(offsets[0]), int(offsets[-1])
