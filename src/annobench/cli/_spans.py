"""What `annobench report` says of a file in which spans are marked."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import typer

from annobench.cli._reading import Reading, print_reading
from annobench.cli._shared import note
from annobench.cli._writing import Writing
from annobench.core.errors import AnnotationError, ReaderError

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from annobench.io import Selection
    from annobench.io.exports.layers import LayerSelection


def layer_of(reading: Reading) -> LayerSelection | None:
    """Read the layer of spans that a user means, if the file has such layers.

    Parameters
    ----------
    reading : Reading
        The file and its options; `question` names the layer.

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

    options = reading.options
    if options.get("format") is None and not recognise(reading.path):
        return None
    wanted = ("format", "annotator_from", "text", "keep_names")
    try:
        export = read_export(reading.path, **{n: options[n] for n in wanted if n in options})
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


def select_items(reading: Reading) -> Selection:
    """Make labels of the spans that a user means: every token an item, or every span.

    Parameters
    ----------
    reading : Reading
        The file and its options; `spans` says what becomes an item.

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

    found = layer_of(reading)
    if found is None:
        asked = reading.options.get("question")
        named = f" in a layer {asked!r}" if asked else ""
        raise AnnotationError(
            f"{reading.path}: no spans{named}, of which --spans {reading.spans} would make items. "
            "See what it holds with `annobench inspect`."
        )
    marks = found.marks
    labels, document = (token_items if reading.spans == "tokens" else candidate_items)(marks)
    texts = {
        name: text[start:end]
        for name, d in zip(labels.items, document.tolist(), strict=True)
        if (text := marks.texts[d]) is not None
        for start, end in [_outer(name)]
    }
    ledger = found.ledger.copy()
    ledger.loc[len(ledger)] = ["labels", labels.n_labels, ""]
    return Selection(labels, marks.layer, {}, texts, ledger, found.remarks)


def _outer(item: str) -> tuple[int, int]:
    """Return the limits in the name of an item, such as "doc:0-3+17-32"."""
    offsets = re.findall(r"\d+", item.rpartition(":")[2])
    return int(offsets[0]), int(offsets[-1])


def report_layer(
    found: LayerSelection, writing: Writing, *, source: str, level: float, seed: int | None
) -> None:
    """Measure agreement on spans: write report.csv and report.html, print the overall values.

    Parameters
    ----------
    found : LayerSelection
        The marks.
    writing : Writing
        Where to write, and how.
    source : str
        Name of the file.
    level : float
        Of the intervals.
    seed : int or None
        Of the bootstrap and of gamma; by default the usual one.
    """
    from rich.console import Console

    from annobench.core.choices import DEFAULT_SEED
    from annobench.reporting import spans_page
    from annobench.spans import report_spans

    marks = found.marks
    table = report_spans(marks, level=level, rng=DEFAULT_SEED if seed is None else seed)
    page = spans_page.render(marks, table, source=source, remarks=found.remarks)
    tables = {"report": table, "ledger": found.ledger}
    written = writing.write("report.html", page, tables)
    console = Console()
    console.print(f"{marks!r}, layer {marks.layer!r}", markup=False, highlight=False)
    console.print(_overall(table, level))
    print_reading(found)
    for text in spans_page.cautions(marks, table):
        note(f"Note: {text}")
    for text in spans_page.advice(marks, table):
        note(f"Next: {text}")
    typer.echo(f"written to {writing.folder}: {', '.join(written)}")


def _overall(table: pd.DataFrame, level: float) -> Table:
    from rich.table import Table

    from annobench.reporting.spans_page import TITLES

    shown = Table("measure", box=None, pad_edge=False, header_style="bold")
    for name in ("estimate", f"{100 * level:g}% interval"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in table[table["breakdown"].eq("overall")].to_dict("records"):
        if math.isnan(row["estimate"]):
            shown.add_row(TITLES[row["measure"]], "–", "")
            continue
        ends = "" if math.isnan(row["lower"]) else f"{row['lower']:.3f} to {row['upper']:.3f}"
        shown.add_row(TITLES[row["measure"]], f"{row['estimate']:.3f}", ends)
    return shown
