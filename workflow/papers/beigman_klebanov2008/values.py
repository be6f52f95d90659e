"""The values of Beigman Klebanov et al. (2008), section by section."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike

from annobench.noise.reliability_threshold import poisson_binomial_pmf, threshold
from annobench_replication.ledger import Computed
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.rows import Value, value_row

from .printed import HALF, Printed, parts_of

LEVEL = 0.95


def design(printed: Printed) -> dict[str, float]:
    """Compute what the design implies, and the order of Table 1."""
    n_others = printed.count("n_annotators") - printed.count("n_validators")
    marked = printed.table1["marked"].sort_values(ascending=False)
    return {
        "data.vehicle.rank": 1 + list(marked.index).index("vehicle"),
        "others.n_more_annotators": n_others,
        "self.n_additional": n_others,
    }


def chance(printed: Printed) -> dict[str, Value]:
    """Compute section 3: nine coins whose rate is that of the most common type."""
    d, n = printed.design, printed.count("n_annotators")
    most_common = printed.marked[printed.table1["marked"].idxmax()]

    def at_least(k: int, scale: float = 1.0) -> Rounded:
        """Return the chance of at least k marks, over all rates that print so."""
        return propagate(
            lambda x: scale * float(poisson_binomial_pmf(np.full(n, x[0] / 100))[k:].sum()),
            [most_common],
        )

    def needed(confidence: float) -> int:
        return threshold([float(most_common) / 100] * n, level=confidence).n_marks

    found, stated = needed(d["confidence"]), needed(1 - d["chance_of_threshold"])
    return {
        "chance.at_least_3": at_least(3),
        "chance.confidence_3": less(100, at_least(3, 100)),
        "chance.confidence_3_again": less(100, at_least(3, 100)),
        "chance.random_share_3": at_least(3, 100),
        "chance.at_least_4": at_least(4),
        "chance.none": less(1, at_least(1)),
        "conclusion.reliability": less(100, at_least(found, 100)),
        "deliberate.least_marks": stated,
        "self.most_marks_unreliable": stated - 1,
        "conclusion.threshold": found,
    }


def less(whole: float, part: Rounded) -> Rounded:
    """Return what a rounded part leaves of a whole."""
    return Rounded(whole - part.value, whole - part.upper, whole - part.lower)


def weighted(printed: list[str], n: pd.Series) -> Rounded:
    """Average printed percentages, weighted, over all that round to them."""
    weights = n.to_numpy(float)
    return propagate(lambda x: float(np.dot(x, weights) / weights.sum()), printed)


def averages(printed: Printed) -> dict[Any, Rounded]:
    """Average the percentages of all types, weighted by paragraphs, by table and subset."""
    return {
        (table, subset): weighted(printed.texts(part, subset), part["n"])
        for (table, subset), part in printed.cells.groupby(level=["table", "subset"])
    }


def bottom_lines(printed: Printed) -> pd.DataFrame:
    """Compute sums, and averages over types, weighted by paragraphs and plain."""
    rows = []
    for (table, subset), average in averages(printed).items():
        part = printed.cells.xs((table, subset), level=["table", "subset"], drop_level=False)
        line = printed.lines[(table, subset)]
        plain = np.mean([float(text) for text in printed.texts(part, subset)])
        # Every percentage may be off by half a unit, and so may any average of them.
        fits = average.lower - HALF <= line <= average.upper + HALF
        rows.append(
            {"table": table, "subset": subset, "n": part["n"].sum(skipna=False), "printed": line}
            | {"weighted": average.value, "plain": plain}
            | {"weighted_fits": fits, "plain_fits": abs(plain - line) <= 2 * HALF}
        )
    return with_whole_n(pd.DataFrame(rows))


def with_whole_n(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its numbers of paragraphs as whole numbers, if all are known."""
    return table if table["n"].isna().any() else table.astype({"n": int})


def clopper_pearson(share: ArrayLike, n: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact intervals of shares; successes need not be whole."""
    tail, successes, beta = (1 - LEVEL) / 2, share * n, scipy.stats.beta
    lower = np.where(successes > 0, beta.ppf(tail, successes, n - successes + 1), 0.0)
    return lower, np.where(successes < n, beta.ppf(1 - tail, successes + 1, n - successes), 1.0)


def intervals(printed: Printed) -> pd.DataFrame:
    """Give every percentage two exact intervals.

    The seven votes on a paragraph are neither seven independent observations nor one. Votes as
    the unit give the shortest interval, paragraphs the longest. The number of votes of Tables
    3 and 4 is unknown, but there is at least one per paragraph.
    """
    pooled = bottom_lines(printed).rename(columns={"weighted": "percent"}).assign(type="all")
    columns = ["table", "subset", "type", "n", "percent"]
    cells = pd.concat([printed.cells.reset_index(), pooled], ignore_index=True)[columns]
    for unit, votes in (("paragraphs", 1), ("votes", printed.design["n_validators"])):
        ends = clopper_pearson(cells["percent"] / 100, cells["n"] * votes)
        cells[[f"{unit}_lower", f"{unit}_upper"]] = 100 * np.column_stack(ends)
    cells.loc[cells["table"] != "table2", ["votes_lower", "votes_upper"]] = np.nan
    return with_whole_n(cells)


def tables_2_to_4(printed: Printed) -> Iterator[Computed]:
    """Compute what other printed numbers determine of Tables 2 to 4."""
    spread = intervals(printed).set_index(["table", "subset", "type"])

    def rounded(target: str, found: Rounded, *cell: str) -> Computed:
        low, high = spread.loc[cell, ["paragraphs_lower", "paragraphs_upper"]]
        return replace(value_row(target, found), lower=low, upper=high, level=LEVEL)

    average = averages(printed)
    for row in bottom_lines(printed).itertuples():
        base = f"{row.table}.{row.subset}.all"
        percent = f"{base}.{'reject' if row.table == 'table4' else 'accept'}"
        yield Computed(f"{base}.n", row.n)
        yield rounded(percent, average[row.table, row.subset], row.table, row.subset, "all")
        yield Computed(percent, row.plain, method="average over the types")
    for name in printed.types:
        parts, base = parts_of(printed.cells, name), f"table2.human.{name}"
        yield Computed(f"{base}.n", printed.cell(2, "human", name)["n"])
        accepted = weighted(list(parts["printed"]), parts["n"])
        yield rounded(f"{base}.accept", accepted, "table2", "human", name)
        for table, subset in ((3, "unreliable"), (4, "reliable")):
            n = printed.cell(table, subset, name)["n"]
            yield Computed(f"table{table}.{subset}.{name}.n", n)


def text(printed: Printed) -> dict[str, Value]:
    """Compute what sections 4 to 6 say of the tables."""
    n = bottom_lines(printed).set_index(["table", "subset"])["n"]
    reliable, marked = n["table2", "reliable"], n["table2", "human"]
    percent = averages(printed)
    accepted, remedied = percent["table2", "reliable"], percent["table3", "reliable"]
    rejected, unstable = percent["table4", "reliable"], percent["table4", "unreliable"]
    return {
        "validation.share_reliable": 100 * reliable / marked,
        "validation.n_reliable": reliable,
        "validation.n_human": marked,
        "others.n_usable": n["table3", "reliable"],
        "others.n_reliable": reliable,
        "others.n_all_marked": reliable - n["table3", "reliable"],
        "self.n_unreliable_usable": n["table4", "unreliable"],
        "self.n_unreliable": n["table2", "unreliable"],
        "validation.disagreement": less(100, accepted),
        "validation.rejection": less(100, accepted),
        "others.remedied": remedied,
        "others.rejection": less(100, remedied),
        "self.rejection_reliable": rejected,
        "self.reaffirmed": less(100, rejected),
        "self.rejection_unreliable": unstable,
        "conclusion.remedied": remedied,
        "conclusion.residual": less(100, remedied),
        "conclusion.rejection_unreliable": unstable,
    }
