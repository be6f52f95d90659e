"""Labels that are not an annotator's first for an item."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.io.options import Repeats


class Repeated(NamedTuple):
    """Which labels are repeats, shape (N,), how many, and what `repeats` does with them."""

    is_repeat: NDArray[np.bool_]
    what: str
    remark: str  # empty if there is nothing to say


def repeated(
    item: NDArray[Any],
    annotator: NDArray[Any],
    label: NDArray[Any],
    repeats: Repeats,
    *,
    has_repeats: bool = True,
) -> Repeated:
    """List the labels but the first of each annotator for an item, or but the last."""
    if not has_repeats:
        nothing = f"No label is repeated, so that --repeats {repeats} changes nothing."
        is_repeat = np.zeros(len(item), dtype=bool)
        return Repeated(is_repeat, "", nothing if repeats in ("first", "last") else "")
    rows = pd.DataFrame({"item": item, "annotator": annotator, "label": label})
    which: Literal["first", "last"] = "last" if repeats == "last" else "first"
    is_repeat = rows.duplicated(["item", "annotator"], keep=which).to_numpy()
    n = int(is_repeat.sum())
    if not n:
        return repeated(item, annotator, label, repeats, has_repeats=False)
    n_equal = int(rows.duplicated().sum())
    what = (
        f"{n:,} of {len(rows):,} labels {'is' if n == 1 else 'are'} not the annotator's first for "
        f"the item, {n_equal:,} of them the same label again"
    )
    remark = f"{what}: the {repeats} was kept."
    if repeats == "all":
        remark = f"{what}: all count. If some are mistakes, add --repeats first."
    return Repeated(is_repeat, what, remark)
