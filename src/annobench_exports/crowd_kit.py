"""Frames of crowd-kit: free texts and pairwise comparisons.

Its frames of labels (`task, worker, label`) are plain tables, which `read_labels` reads as such.
"""

from __future__ import annotations

from annobench.core.errors import ReaderError
from annobench.core.names import joined
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import Layout, Table
from annobench.labels.columns import named_columns

#: Columns that are needed, by variant, and those that may stand beside them.
_VARIANTS = {
    "texts": {"task", "worker", "text"},
    "pairwise comparisons": {"worker", "left", "right", "label"},
}
_BESIDE = {"", "Unnamed: 0", "__index_level_0__", "gold", "weight", "skill"}


def _recognise(table: Table) -> str | None:
    """Return the variant by the exact names of the columns."""
    columns = set(table.header) - _BESIDE
    return next((variant for variant, names in _VARIANTS.items() if columns == names), None)


def _read(table: Table, intake: Intake) -> None:
    """Push the answers of every row."""
    variant = _recognise(table)
    if variant is None:
        raise ReaderError(
            f"{table.path}: the columns are neither task, worker, text nor worker, left, right, "
            f"label, but {named_columns(table.header)}. Name them so."
        )
    answer = "text" if variant == "texts" else "label"
    intake.question(answer, "text" if variant == "texts" else "choice")
    for where, row in table.rows(False):
        intake.read()
        if variant == "pairwise comparisons":
            # Which of the two stood on the left is no part of what is compared.
            item = joined(sorted((row["left"], row["right"])), " | ")
        else:
            item = row["task"]
        if not item or not row["worker"]:
            intake.leave_out(where, "rows without a task or a worker")
            continue
        if row.get("gold"):
            intake.gold(item, answer, row["gold"])
        intake.answer(item, row["worker"], answer, row[answer] or None, where=where)


LAYOUT = Layout(
    name="crowd_kit",
    title="crowd-kit",
    note=(
        "An item is a task or a pair that was compared, an annotator is a worker, a label is the "
        "text that was given or the one of the pair that was preferred."
    ),
    recognise=_recognise,
    read=_read,
)
FORMAT = as_format(LAYOUT)
