"""`annobench report` for files in which spans are marked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from annobench.cli._reading import print_reading
from annobench.cli._shared import note, say_written, terminal
from annobench.cli._writing import Writing

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from annobench.io.formats.layers import LayerSelection


def report_layer(
    found: LayerSelection, writing: Writing, *, source: str, level: float, seed: int | None
) -> None:
    """Measure agreement on spans: write report.csv and report.html, print the overall values."""
    from annobench.core.choices import DEFAULT_SEED
    from annobench.reporting import spans_page
    from annobench.spans import report_spans

    marks = found.marks
    table = report_spans(marks, level=level, rng=DEFAULT_SEED if seed is None else seed)
    page = spans_page.render(marks, table, source=source, remarks=found.remarks)
    tables = {"report": table, "ledger": found.ledger}
    written = writing.write("report.html", page, tables)
    console = terminal()
    console.print(f"{marks!r}, layer {marks.layer!r}", markup=False, highlight=False)
    console.print(_overall(table, level))
    print_reading(found)
    for text in spans_page.cautions(marks, table):
        note(f"Note: {text}")
    for text in spans_page.advice(marks, table):
        note(f"Next: {text}")
    say_written(writing.folder, written)


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
