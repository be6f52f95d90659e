"""What a printed table of Bhowmick et al. (2008) leaves open for another, by linear programming."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse

from annobench_replication.rounding import half_unit

from .values import CATEGORIES, CATEGORY_PAIRS, CLASSES, PAIRS, Printed, am_of, classes_of, mean_of

#: What the ranges that rest on Table 4 assume.
READING = "Table 4 counts the sentences on which two annotators differ on a category"


class Corpora:
    """All corpora of 1,000 sentences, three annotators and six categories, up to their sets.

    On a category of a sentence, three annotators agree or one of them dissents, so a sentence
    is one of 4^6 profiles (who dissents on which category), and a corpus is a number of
    sentences for each profile. Every agreement and disagreement is linear in these numbers.
    They need not be whole, so that ranges can only come out too wide.
    """

    def __init__(self, n_sentences: int = 1000) -> None:
        self.n_sentences = n_sentences
        profiles = itertools.product(range(4), repeat=len(CATEGORIES))
        self.dissenter = np.array(list(profiles))  # 0 for nobody
        differ = np.stack(
            [(self.dissenter == u + 1) | (self.dissenter == v + 1) for u, v in PAIRS], axis=1
        )
        #: (profiles, 3, 6): which pairs of annotators differ on which category.
        self.differ = differ.astype(float)
        first, second = (differ[:, :, categories] for categories in CATEGORY_PAIRS.T)
        #: (profiles, 3): observed agreement of each pair of annotators.
        self.pair_agreement = 1 - (first | second).mean(axis=2)
        #: (profiles,): P_i.
        self.agreement = self.pair_agreement.mean(axis=1)
        #: (profiles, 15): pairs of annotators who differ on both of two categories.
        self.differ_on_both = (first & second).sum(axis=1).astype(float)
        self.dissents = (self.dissenter > 0).sum(axis=1).astype(float)
        #: (profiles, 4): which class of Table 3 the sentence falls into.
        self.classes = classes_of(self.agreement)[:, None] == np.arange(len(CLASSES))

    def bounds(
        self,
        amount: np.ndarray,
        *,
        table3: np.ndarray | None = None,
        table4: np.ndarray | None = None,
        table5: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the smallest and the largest sum of an amount over the sentences of a corpus.

        Of corpora with the printed counts that are given; NaN twice if there is none. An amount
        has the shape (profiles,).
        """
        rows, totals = [np.ones(len(self.dissents))], [self.n_sentences]
        if table3 is not None:
            rows += list(self.classes.T)
            totals += list(table3)
        if table4 is not None:
            rows += list(self.differ.reshape(len(self.dissents), -1).T)
            totals += list(table4.ravel())
        limits: dict[str, Any] = {"A_eq": scipy.sparse.csr_array(np.array(rows)), "b_eq": totals}
        if table5 is not None:
            # Who confuses two categories differs on both.
            limits |= {"A_ub": -scipy.sparse.csr_array(self.differ_on_both.T), "b_ub": -table5}
        ends = (
            (sign, scipy.optimize.linprog(sign * amount, **limits, method="highs"))
            for sign in (1, -1)
        )
        return np.array([sign * end.fun if end.success else np.nan for sign, end in ends])


def attainable_agreements(corpora: Corpora) -> pd.DataFrame:
    """List the values that P_i can take with three annotators and six categories."""
    forty_fifths = np.round(45 * corpora.agreement).astype(int)
    dissents = pd.Series(corpora.dissents.astype(int)).groupby(forty_fifths).agg(["min", "max"])
    dissents.columns = ["least_dissents", "most_dissents"]
    agreement = dissents.index.to_numpy() / 45
    dissents.insert(0, "agreement", agreement)
    dissents["table3_class"] = np.array(CLASSES)[classes_of(agreement)]
    return dissents.rename_axis("forty_fifths").reset_index()


def consistency(printed: Printed, corpora: Corpora) -> pd.DataFrame:
    """Check printed numbers against what other printed numbers allow.

    A check against Table 4 assumes that it counts the sentences on which two annotators differ
    on a category, of the same sentences as the other tables; its column `assumes` says so.
    """
    table1, table2 = printed.table1, printed.table2
    half, n, rows = half_unit(table1["am"]), corpora.n_sentences, []
    classes, disagreements = {"table3": printed.table3}, {"table4": printed.table4}
    confused = disagreements | {"table5": printed.table5}
    by_table3, by_table4 = "classes of Table 3", "disagreements of Table 4"

    def check(
        what: str, by: str, value: Any, ends: Any, slack: float = half, assumes: str = ""
    ) -> None:
        rows.append((what, by, float(value), *ends, slack, assumes))

    names = {"observed_agreement": "P_o", "expected_agreement": "P_e", "am": "A_m"}
    for part, name in names.items():
        mean = mean_of(table2[part])[1:]
        check(f"Table 1, {name}", f"mean of {name} in Table 2", table1[part], mean)
    concluded, own = printed.text["conclusion_am"], am_of(table1)[1:]
    check("Table 1, A_m", "its own P_o and P_e", table1["am"], own)
    check("Conclusion, A_m", "P_o and P_e of Table 1", concluded, own, 0.005)
    check("Conclusion, A_m", "mean of A_m in Table 2", concluded, mean, 0.005)
    for pair, cells in table2.iterrows():
        check(f"Table 2, A_m of {pair}", "its own P_o and P_e", cells["am"], am_of(cells)[1:])
    observed = table2["observed_agreement"].astype(float)
    for (pair, value), share in zip(observed.items(), corpora.pair_agreement.T, strict=True):
        ends = corpora.bounds(share, **disagreements) / n
        check(f"Table 2, P_o of {pair}", by_table4, value, ends, assumes=READING)
    for by, tables, assumes in (
        (by_table3, classes, ""),
        (by_table4, disagreements, READING),
        ("disagreements and confusions of Tables 4 and 5", confused, READING),
    ):
        ends = corpora.bounds(corpora.agreement, **tables) / n
        check("Table 1, P_o", by, table1["observed_agreement"], ends, assumes=assumes)
        check("Table 2, mean P_o", by, observed.mean(), ends, assumes=assumes)
    positions = ("lowest", "second", "third", "highest")
    for name, inside, count in zip(positions, corpora.classes.T, printed.table3, strict=True):
        ends = corpora.bounds(inside.astype(float), **disagreements)
        check(f"Table 3, {name} class", by_table4, count, ends, 0, READING)
    dissents, ends = printed.table4.sum() / 2, corpora.bounds(corpora.dissents, **classes)
    check("Table 4, dissents in all", by_table3, dissents, ends, 0, READING)

    columns = ["value", "checked_by", "printed", "lower", "upper", "slack", "assumes"]
    frame = pd.DataFrame(rows, columns=columns)
    slack = frame.pop("slack") + 1e-9
    allowed = frame["printed"].between(frame["lower"] - slack, frame["upper"] + slack)
    frame.insert(5, "consistent", allowed)
    return frame


def parity(printed: Printed) -> pd.DataFrame:
    """Show the totals of Table 4.

    If it counts the sentences on which two annotators differ on a category, three annotators
    of the same sentences make them even.
    """
    totals = printed.table4.sum(axis=0)
    table = pd.DataFrame({"category": CATEGORIES, "total_of_cells": totals})
    return table.assign(even=totals % 2 == 0, dissents=totals / 2)
