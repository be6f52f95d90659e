"""What distinguishes the labels that an annotator gave one item."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.labels.columns import ROUND_NAME, SPAN_ENDS, SPAN_STARTS, plain_name

if TYPE_CHECKING:
    from annobench.io.cells import Cells
    from annobench.io.formats.base import Options

#: Values of a column that may name questions.
_MANY_QUESTIONS = 50


class Distinction(NamedTuple):
    """What distinguishes the labels that an annotator gave one item.

    Attributes
    ----------
    sentence : str
        What the rows are; where `item` is not empty, up to the option that names it.
    item : str
        The columns that together name the items; empty if repeated labels are those of one item.
    are_spans : bool
        Whether rows are spans.
    """

    sentence: str = ""
    item: str = ""
    are_spans: bool = False

    @property
    def advice(self) -> str:
        """The sentence, with the option that names the items; empty if nothing distinguishes."""
        option = f" add --item {shlex.quote(self.item)}." if self.item else ""
        return f"{self.sentence}{option}"


def what_repeats(
    cells: Cells,
    options: Options,
    rows: NDArray[np.integer[Any]],
    item: NDArray[np.integer[Any]],
    annotator: NDArray[np.integer[Any]],
) -> Distinction:
    """Find the columns that distinguish repeated labels: of spans, repetitions, or questions.

    Parameters
    ----------
    cells : Cells
        The table.
    options : Options
        The columns that its reader was given.
    rows : ndarray of int, shape (N,)
        Rows of the labels, from 0.
    item, annotator : ndarray of int, shape (N,)
        Codes.

    Returns
    -------
    Distinction
        Empty if no column distinguishes them.
    """
    chosen = cells.choose(options.roles)
    rest = [name for name in cells.header if name and name not in chosen.names]
    pair = item.astype(np.int64) * (int(annotator.max()) + 1) + annotator
    items = [*(chosen.parts or [chosen.roles["item"]])]

    def cells_of(name: str) -> NDArray[np.object_]:
        column = cells.coded(name)
        names: NDArray[np.object_] = np.array([*column.names, ""], dtype=object)
        values: NDArray[np.object_] = np.take(names, column.codes[rows])
        return values

    ends = [
        next((name for name in rest if pattern.fullmatch(plain_name(name))), None)
        for pattern in (SPAN_STARTS, SPAN_ENDS)
    ]
    if None not in ends:
        start, end = (
            pd.to_numeric(pd.Series(cells_of(str(name))), errors="coerce") for name in ends
        )
        if (start.le(end) & start.mod(1).eq(0) & end.mod(1).eq(0)).all():
            return Distinction(
                f"each row is a span, from {ends[0]!r} to {ends[1]!r} of {items[-1]!r}, and no "
                "label of an item. Agreement on spans is computed with --from span_table. To "
                "compare the labels of equal spans,",
                ",".join([*items, *map(str, ends)]),
                are_spans=True,
            )
    for name in rest:
        if ROUND_NAME.fullmatch(plain_name(name).strip("_")):
            together = pd.DataFrame([pair, pd.factorize(cells_of(name))[0]]).T
            if not together.duplicated().any():
                return Distinction(
                    f"Column {name!r} numbers repetitions of one item: --repeats first compares "
                    "the first of each."
                )
    for name in rest:
        codes, names = pd.factorize(cells_of(name))
        values = pd.DataFrame({"value": codes, "item": item}).drop_duplicates()["value"]
        # Each question has several items; a time or a number of a row does not come again.
        few = 2 <= len(names) <= _MANY_QUESTIONS and values.value_counts().min() > 1
        if few and "" not in names and not pd.DataFrame([pair, codes]).T.duplicated().any():
            return Distinction(
                f"Column {name!r} distinguishes them: if it names questions or systems, keep the "
                "rows of one; or, to take each answer for an item,",
                ",".join([*items, name]),
            )
    return Distinction()
