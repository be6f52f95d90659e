"""A comparison of methods for a paper: a LaTeX table, and references as BibTeX."""

from __future__ import annotations

import re
from typing import Final

import pandas as pd

from annobench import __version__
from annobench.benchmark.external_methods.comparison import REFERENCE, Outcome
from annobench.core.texts import counted

__all__ = ["latex"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": "$-$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}

_REFERENCE: Final = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4})\),? ?(?P<rest>.*)", re.DOTALL)


def escaped(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_SPECIAL.get(mark, mark) for mark in " ".join(text.split()))


def latex(found: Outcome) -> str:
    """Return a table of the methods; it needs the package booktabs.

    Parameters
    ----------
    found : Outcome
        Result of a comparison. For one data set the table has accuracy with its interval, and log
        loss; for several it has medians, and the numbers of data sets on which a method was scored
        and failed. Both have the difference in accuracy from Dawid and Skene's model, with its
        interval.

    Returns
    -------
    str
        A `table` with a caption.
    """
    alone = len(found.rankings) == 1
    heads, rows, caption = _of_one(found) if alone else _of_several(found)
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        " & ".join(map(escaped, heads)) + r" \\",
        r"\midrule",
        *(" & ".join(map(escaped, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _of_one(found: Outcome) -> tuple[list[str], list[list[str]], str]:
    [(name, ranking)] = found.rankings.items()
    rows = [
        [
            row["method"],
            f"{row['accuracy']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
            _or_dash(row["p_value"]),
            _or_dash(row["log_loss"]),
            _interval(row["difference"], row["difference_lower"], row["difference_upper"]),
        ]
        for row in ranking.to_dict("records")
    ]
    n = found.tables.problems["n_items"].iloc[0]
    caption = (
        f"Accuracy on the {counted(int(n), 'item')} of {name} with a gold category, with 95% "
        "intervals over items; p: McNemar's test against the best method, Holm's correction; "
        f"difference: in accuracy, from {REFERENCE}."
    )
    return ["method", "accuracy", "95% interval", "p", "log loss", "difference"], rows, caption


def _of_several(found: Outcome) -> tuple[list[str], list[list[str]], str]:
    rows = [
        [
            row["method"],
            f"{row['n_scored']} of {row['n_problems']}",
            str(row["n_failed"]),
            _or_dash(row["accuracy"]),
            _or_dash(row["log_loss"]),
            _interval(mean := row["difference"], mean - row["margin"], mean + row["margin"]),
        ]
        for row in found.summary().to_dict("records")
    ]
    caption = (
        f"Medians over those of {counted(len(found.rankings), 'data set')} on which a method was "
        f"scored: {'; '.join(found.rankings)}. Difference: mean difference in accuracy from "
        f"{REFERENCE}, with its 95% interval over items."
    )
    heads = ["method", "scored", "failed", "median accuracy", "median log loss", "difference"]
    return heads, rows, caption


def _or_dash(value: float) -> str:
    return "--" if pd.isna(value) else f"{value:.3f}"


def _interval(estimate: float, lower: float, upper: float) -> str:
    if pd.isna(estimate):
        return "--"
    return f"{estimate:+.3f} ({lower:+.3f} to {upper:+.3f})".replace("-", "\N{MINUS SIGN}")


def bibtex(found: Outcome) -> str:
    """Return an entry for annobench and one for each compared method."""
    entries = [
        "@software{annobench,\n"
        "  author = {{The annobench authors}},\n"
        "  title = {annobench: a reproducible workbench for annotation statistics},\n"
        f"  version = {{{__version__}}}\n}}\n"
    ]
    for row in found.tables.methods.to_dict("records"):
        parts = _REFERENCE.fullmatch(str(row["reference"]))
        fields = {"note": str(row["reference"])}
        if parts:
            fields = {
                "author": parts["authors"].replace(", ", " and "),
                "year": parts["year"],
                "note": parts["rest"],
            }
        key = re.sub(r"\W+", "_", str(row["method"]))
        said = ",\n".join(f"  {name} = {{{escaped(value)}}}" for name, value in fields.items())
        entries.append(f"@misc{{{key},\n{said}\n}}\n")
    return "\n".join(entries)
