"""The spans that are marked in an export, as a layer and as items of models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from annobench.core.errors import AnnotationError, ReaderError

if TYPE_CHECKING:
    from annobench.io import Selection
    from annobench.io.exports.layers import LayerSelection


def layer_of(path: Path, options: Mapping[str, Any]) -> LayerSelection | None:
    """Read the layer of spans that a user means, if the file has such layers.

    Parameters
    ----------
    path : Path
        The file or folder.
    options : mapping
        Options of `annobench.io.select_labels`; `question` names the layer.

    Returns
    -------
    LayerSelection or None
        None if the file is no export, holds no spans under that name, or no name is given and it
        holds labels of items.

    Raises
    ------
    AnnotationError
        If a layer has to be named, or nothing is left of it.
    """
    from annobench.io.exports import read_export, recognise
    from annobench.io.exports.layers import layers, select_layer

    if options.get("format") is None and not recognise(path):
        return None
    wanted = ("format", "annotator_from", "text", "keep_names")
    try:
        export = read_export(path, **{n: options[n] for n in wanted if n in options})
    except ReaderError:
        return None
    known, layer = layers(export), options.get("question")
    has_labels = (~export.questions["kind"].isin(["spans", "relations", "text"])).any()
    if not known or (has_labels if layer is None else layer not in known):
        return None
    return select_layer(
        export,
        layer,
        status=options.get("status") or ("done",),
        repeats=options.get("repeats", "error"),
    )


def select_items(
    path: Path, options: Mapping[str, Any], spans: Literal["tokens", "candidates"]
) -> Selection:
    """Make labels of the spans that a user means: every token an item, or every span.

    Parameters
    ----------
    path : Path
        The file or folder.
    options : mapping
        Options of `annobench.io.select_labels`; `question` names the layer.
    spans : {"tokens", "candidates"}
        What becomes an item.

    Returns
    -------
    Selection
        Labels, the text of each item, and the ledger of the layer.

    Raises
    ------
    AnnotationError
        If the file has no such spans.
    """
    from annobench.io import Selection
    from annobench.spans import candidate_items, token_items

    found = layer_of(path, options)
    if found is None:
        asked = options.get("question")
        named = f" in a layer {asked!r}" if asked else ""
        raise AnnotationError(
            f"{path}: no spans{named}, of which --spans {spans} would make items. "
            "See what it holds with `annobench inspect`."
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
    """Return the limits in the name of an item, such as "doc:0-3+17-32"."""
    offsets = re.findall(r"\d+", item.rpartition(":")[2])
    return int(offsets[0]), int(offsets[-1])
