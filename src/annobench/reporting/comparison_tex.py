"""A comparison of methods for a paper: a LaTeX table, and references as BibTeX."""

from __future__ import annotations

import math
import re
from importlib import resources
from typing import Final

import pandas as pd

from annobench import __version__
from annobench.benchmark.external_methods.comparison import REFERENCE, Outcome
from annobench.benchmark.ranking import ORDER, data_title, places, ranked_over, title_of
from annobench.core.texts import counted

__all__ = ["latex"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{MINUS SIGN}": "$-$",
    "†": r"$\dagger$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def escaped(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_SPECIAL.get(mark, mark) for mark in " ".join(text.split()))


def latex(found: Outcome) -> str:
    """Return a table of the methods; it needs the package booktabs.

    Parameters
    ----------
    found : Outcome
        Result of a comparison; the table is its ranking.

    Returns
    -------
    str
        A `table` with a caption.
    """
    heads, rows = _table(found)
    caption = _caption(found)
    lines = [
        r"\begin{table}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{rl{'r' * (len(heads) - 2)}}}",
        r"\toprule",
        " & ".join(map(escaped, heads)) + r" \\",
        r"\midrule",
        *(" & ".join(map(escaped, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _table(found: Outcome) -> tuple[list[str], list[list[str]]]:
    alone = len(found.rankings) == 1
    rows = []
    for row, place in zip(found.ranking.to_dict("records"), places(found.ranking), strict=True):
        values = [place, row["title"]]
        values += [] if alone else [f"{row['n_scored']} of {row['n_problems']}"]
        values += [
            _or_dash(row["log_loss"]),
            _or_dash(row["accuracy"]),
            "--" if pd.isna(row["lower"]) else f"{row['lower']:.3f} to {row['upper']:.3f}",
        ]
        values += [_or_dash(row.get("p_value", math.nan))] if alone else []
        values.append(_interval(*(row[f"difference{end}"] for end in ("", "_lower", "_upper"))))
        rows.append(values)
    heads = ["", "method", *([] if alone else ["scored"]), "log loss", "accuracy", "95% interval"]
    return [*heads, *(["p"] if alone else []), "difference"], rows


def _caption(found: Outcome) -> str:
    reference, problems = title_of(REFERENCE), found.tables.problems
    alone = len(found.rankings) == 1
    if alone:
        [name] = found.rankings
        n = int(problems["n_items"].iloc[0])
        what = (
            f"Log loss and accuracy on the {counted(n, 'item')} of {data_title(name)} with a gold "
            "category, with 95% intervals over items; p: McNemar's test of the accuracy against "
            "the first, Holm's correction; difference: in accuracy, from"
        )
    else:
        n = int(found.ranking["n_problems"].max())
        what = (
            f"Mean log loss and accuracy over {counted(n, 'data set')}, with 95% intervals over "
            "items; difference: mean difference in accuracy from"
        )
    names = "" if alone else f" Data sets: {'; '.join(map(data_title, ranked_over(problems)))}."
    return f"{what} {reference}. {ORDER}{names}"


def _or_dash(value: float) -> str:
    return "--" if pd.isna(value) else f"{value:.3f}"


def _interval(estimate: float, lower: float, upper: float) -> str:
    if pd.isna(estimate):
        return "--"
    return f"{estimate:+.3f} ({lower:+.3f} to {upper:+.3f})".replace("-", "\N{MINUS SIGN}")


def bibtex(found: Outcome) -> str:
    """Return entries for annobench and for the publications of the compared methods."""
    entries = [
        "@software{annobench,\n"
        "  author = {{The annobench authors}},\n"
        "  title = {annobench: a reproducible workbench for annotation statistics},\n"
        f"  version = {{{__version__}}}\n}}\n"
    ]
    text = resources.files("annobench.benchmark").joinpath("references.bib").read_text("utf-8")
    publications = [entry.partition("\n") for entry in text.strip().split("\n\n% ")[1:]]
    compared = found.tables.methods.set_index("method")
    cited = {name for names, _, _ in publications for name in names.split(", ")}
    entries += [
        f"% {names}\n{entry}\n"
        for names, _, entry in publications
        if not compared.index.intersection(names.split(", ")).empty
    ]
    for name, reference in compared["reference"].items():
        if name not in cited:
            key = re.sub(r"\W+", "_", str(name))
            fields = f"  title = {{{escaped(str(name))}}},\n  note = {{{escaped(str(reference))}}}"
            entries.append(f"@misc{{{key},\n{fields}\n}}\n")
    return "\n".join(entries)
