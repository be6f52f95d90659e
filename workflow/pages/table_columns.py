"""Tables of results as pages show them: columns with titles, numbers with sensible digits."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

#: Longer tables are linked, with this many rows shown.
ROWS_SHOWN = 40

#: Significant digits of a number of middling size in its column.
DIGITS = 3

#: Words of names of columns that readers would not know.
WORDS = {
    "p": "p-value",
    "df": "degrees of freedom",
    "std": "standard deviation",
    "n": "number",
    "r_hat": "R-hat",
    "ess": "effective sample size",
    "mad": "mean absolute difference",
    "rmse": "root mean square error",
    "auc": "AUC",
    "aic": "AIC",
    "bic": "BIC",
    "pv": "plurality vote",
    "vk": "Vk",
    "dh": "DH",
    "upper95": "upper 95% bound",
    "lower95": "lower 95% bound",
    "rte1": "RTE-1",
    "brtea": "BRTEa",
    "ebcc": "EBCC",
    "wordnet": "WordNet",
    "bca": "BCa",
    "youden": "Youden's J",
    "cohen": "Cohen's",
    "fleiss": "Fleiss'",
    "scott": "Scott's",
    "krippendorff": "Krippendorff's",
    "fisher": "Fisher's",
    "dawid": "Dawid",
    "skene": "Skene",
    "bayes": "Bayes",
}


def title_of(column: str) -> str:
    """Say in words what a column holds.

    Examples
    --------
    >>> title_of("n_items"), title_of("kappa_upper"), title_of("A_m"), title_of("97.5%")
    ('number of items', 'kappa, upper end', 'A_m', '97.5%')
    """
    if not re.fullmatch(r"[a-z0-9_]+", column):
        return column
    end = ""
    for suffix, words in (("_upper", ", upper end"), ("_lower", ", lower end")):
        if column.endswith(suffix):
            column, end = column.removesuffix(suffix), words
    if column.startswith("n_"):
        column, start = column.removeprefix("n_"), "number of "
    elif column.endswith("_percent"):
        column, start = column.removesuffix("_percent") + "_in_%", ""
    else:
        start = ""
    column = column.replace("r_hat", "R-hat").replace("dawid_skene", "Dawid-Skene")
    column = column.replace("f_score", "F score").replace("p_value", "p-value")
    words = " ".join(WORDS.get(word, word) for word in column.split("_") if word)
    return start + words + end


def digits_of(numbers: pd.Series) -> list[str]:
    """Write the numbers of a column, with as many places as distinguish them and no more."""
    known = numbers.dropna()
    if (known == known.round()).all() and (known.abs() < 1e15).all():
        return ["" if math.isnan(x) else _signed(f"{x:,.0f}") for x in numbers]
    sizes = known[known != 0].abs()
    middling = float(sizes.median()) if len(sizes) else 1.0
    places = min(4, max(0, DIGITS - 1 - math.floor(math.log10(middling))))
    while places and (known.round(places - 1) == known).all():
        places -= 1
    return ["" if math.isnan(x) else _signed(_written(x, places)) for x in numbers]


def _written(x: float, places: int) -> str:
    """Write a number to so many places, or one that these would lose to two digits."""
    if x and abs(x) < 0.5 * 10.0**-places:
        return f"{x:.2g}"
    return f"{x:,.{places}f}"


def _spaced(text: str) -> str:
    """Write words that underscores join as words."""
    joined = re.fullmatch(r"[A-Za-z0-9]+(_[A-Za-z0-9]+)+", text)
    return text.replace("_", " ") if joined else text


def _signed(text: str) -> str:
    return text.replace("-", "\u2212") if "e" not in text else text


def shown_table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a table of texts for a page: its first rows, columns with titles, numbers to digits.

    Parameters
    ----------
    frame : DataFrame
        Read as text; an empty text is a missing value.

    Returns
    -------
    dict
        ``columns``, ``numeric`` (whether a column is of numbers), ``rows`` and ``n_rows``.
    """
    numbers = frame.apply(pd.to_numeric, errors="coerce")
    numeric = (numbers.notna() | (frame == "")).all() & numbers.notna().any()
    head = frame.head(ROWS_SHOWN).copy()
    for column in frame.columns[numeric]:
        is_year = title_of(column) in ("seed", "year", "item", "line")
        if not is_year:
            head[column] = digits_of(numbers[column])[:ROWS_SHOWN]
    for column in frame.columns[~numeric]:
        head[column] = [_spaced(text) for text in head[column]]
    return {
        "columns": [title_of(column) for column in frame.columns],
        "numeric": numeric.to_list(),
        "rows": head.to_numpy().tolist(),
        "n_rows": len(frame),
    }
