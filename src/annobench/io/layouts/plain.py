"""A row per label, in a workbook or a data set."""

from __future__ import annotations

from annobench.io.cells import cells_of_table
from annobench.io.formats.base import Intake
from annobench.io.formats.tables import ANNOTATOR_NAMES, ITEM_NAMES, Layout, Table
from annobench.io.long import LONG, read_long
from annobench.labels.columns import USUAL_NAMES

_ROLES = (ITEM_NAMES, ANNOTATOR_NAMES, USUAL_NAMES["label"])


def _recognise(table: Table) -> str | None:
    """Return the variant if the three columns are there."""
    return LONG.title if all(table.column(names) is not None for names in _ROLES) else None


def _read(table: Table, intake: Intake) -> None:
    """Push the label of every row."""
    read_long(cells_of_table(table), intake)


LAYOUT = Layout(name="plain", title=LONG.title, note=LONG.note, recognise=_recognise, read=_read)
