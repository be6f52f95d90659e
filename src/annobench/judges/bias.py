r"""Bias of a judge: features that affect its scores but not the humans'.

On items scored by the judge and by humans, the difference d = judge's score - humans' score is
regressed on possible sources of bias:

- ``score difference``: the mean of d.
- ``length``: the change of d per doubling of the answer's length, the slope on its binary
  logarithm.
- ``own family``: the mean of d on answers of the judge's own family minus its mean on others, a
  difference in differences: features of the family's answers that humans and judge see alike
  cancel.

For comparisons of two answers, the longer one is named. The score is then whether the longer answer
is picked (a tie counts one half), and the only row is ``longer answer``, the mean of d.

If several biases are requested, ``adjusted`` is the coefficient in the joint regression: the own
family's answers may be longer. Standard errors allow for clusters (`annobench.judges.regression`).

Without humans' scores no bias is identified, as longer answers, and those of the judge's family,
may be better. The cause is not identified either: if a judge uses a narrower scale than humans, d
decreases with quality, and with everything correlated with quality.

Panickssery, Bowman and Feng (2024), LLM evaluators recognize and favor their own generations,
arXiv 2404.13076; Dubois, Galambosi, Liang and Hashimoto (2024), Length-controlled AlpacaEval, arXiv
2404.04475, both of which model a judge's preferences.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.judges.clusters import cluster_codes
from annobench.judges.regression import least_squares

__all__ = ["BIASES", "judge_bias"]

Floats = NDArray[np.float64]

#: The rows of the table.
BIASES: Final = ("score difference", "length", "own family")


def judge_bias(
    judge: ArrayLike,
    human: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    own: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Estimate a judge's bias by length and by family.

    Parameters
    ----------
    judge, human : array_like of float, shape (I,)
        Scores of each item on one scale; NaN for none. Items without both are left out.
    lengths : array_like of float, shape (I,), optional
        Length of each answer, above 0, in any unit.
    own : array_like of bool, shape (I,), optional
        Whether the answer is by the judge's own family.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its question; by default items are independent.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    DataFrame
        One row per requested bias in `BIASES`: bias, estimate, lower, upper, p_value, adjusted
        (with adjusted_lower and adjusted_upper; NaN for a single bias), n_items, n_own and
        n_clusters, and note, the reason if an estimate is NaN.

    Raises
    ------
    AnnotationError
        If lengths differ, no item has both scores, or a length is not above 0.

    Examples
    --------
    >>> found = judge_bias([3, 4, 4, 5], [3, 3, 4, 3], lengths=[100, 200, 100, 400])
    >>> found.set_index("bias")["estimate"].round(3).to_dict()
    {'score difference': 0.75, 'length': 1.0}
    """
    check_level(level, "judge_bias")
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    asked = {"length": lengths, "own family": own}
    given: dict[str, NDArray[Any]] = {
        name: np.asarray(each) for name, each in asked.items() if each is not None
    }
    if f.ndim != 1 or any(each.shape != f.shape for each in (y, *given.values())):
        sizes = ", ".join(str(each.size) for each in (f, y, *given.values()))
        raise AnnotationError(
            f"judge_bias: {sizes} scores of the judge, of humans, and attributes. Give one of each "
            "per item."
        )
    group = cluster_codes(clusters, f.size)
    group = np.arange(f.size) if group is None else group
    kept = np.isfinite(f) & np.isfinite(y)
    if not kept.any():
        raise AnnotationError(
            "judge_bias: no item was scored by the judge and by humans, so bias cannot be "
            "distinguished from quality. Have some answers scored by humans."
        )
    columns = {}
    if "length" in given:
        length = given["length"].astype(np.float64)[kept]
        if not (length > 0).all():
            raise AnnotationError(
                f"judge_bias: a length is {length[~(length > 0)][0]:g}. Give each answer a length "
                "above 0."
            )
        columns["length"] = np.log2(length)
    if "own family" in given:
        columns["own family"] = given["own family"].astype(np.float64)[kept]
    d, group = (f - y)[kept], group[kept]
    rows = [_row("score difference", {"score difference": np.zeros(d.size)}, d, group, level)]
    rows += [_row(name, columns, d, group, level) for name in columns]
    return pd.DataFrame(rows)


def _row(
    name: str, columns: dict[str, Floats], d: Floats, group: NDArray[np.int64], level: float
) -> dict[str, Any]:
    """Fit a column alone, and jointly with the others."""
    ones = np.ones(d.size)
    own = columns.get("own family", np.zeros(d.size))
    if name == "score difference":
        alone = least_squares(ones[:, None], d, group)
        with_others = None
    else:
        alone = least_squares(np.column_stack([columns[name], ones]), d, group)
        everything = [columns[name], *(x for other, x in columns.items() if other != name), ones]
        with_others = least_squares(np.column_stack(everything), d, group)
    row: dict[str, Any] = {"bias": name} | alone.test(0, level)
    adjusted = dict.fromkeys(("estimate", "lower", "upper"), np.nan)
    if with_others is not None and len(columns) > 1:
        adjusted = with_others.test(0, level)
    row |= {
        "adjusted": adjusted["estimate"],
        "adjusted_lower": adjusted["lower"],
        "adjusted_upper": adjusted["upper"],
        "n_items": d.size,
        "n_own": int(own.sum()),
        "n_clusters": alone.n_clusters,
    }
    return row | {"note": _note(name, columns, alone.n_clusters)}


def _note(name: str, columns: dict[str, Floats], n_clusters: int) -> str:
    """Say why a bias is not identified."""
    if name == "length" and np.ptp(columns[name]) == 0:
        return "all answers scored by humans have the same length"
    if name == "own family" and not columns[name].any():
        return "humans scored no answer of the judge's family"
    if name == "own family" and columns[name].all():
        return "humans scored only answers of the judge's family"
    return "one cluster" if n_clusters < 2 else ""
