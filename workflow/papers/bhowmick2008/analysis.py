"""Recompute Bhowmick, Mitra and Basu (2008), check its tables against each other, and try A_m.

=============================  ========================================================
`closed_forms`                 section 3: limits of A_m, the factor of Eq. 4, combinations
`arithmetic`                   Tables 1 to 4, section 5.2 and the conclusion, from one another
`Corpora`, `bounds`            what a printed table leaves open for another one
`consistency`                  every check of a printed number against others
`stand_in`                     a simulated corpus for the one that was never published
`table1` to `table5`           the paper's tables for any data
`figure_annotators`, ...       the paper's Figures 1 to 3 for any data
`headline_sets`                the six annotators of SemEval-2007 as sets of emotions
`coefficients`, `by_threshold` A_m beside alpha with MASI and kappa by category
`tie_orders`                   Algorithm 1 with the headlines in other orders
=============================  ========================================================

The paper's corpus was never published. Some of its values follow from printed ones, and are
computed. Others are only confined by them: an observed agreement by the disagreements of Table 4,
say, if these are what they seem to be. Such a range, found by linear programming, can't confirm
a value; the table `consistency` shows it, and no verdict comes of it.

A corpus is an array of shape (I, J, C): annotator j put item i into category c.
"""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse

from annobench import datasets, plotting
from annobench.aggregation.expert_index import ExpertGold, expert_gold
from annobench.agreement import Agreement, difference, fleiss_kappa, krippendorff_alpha
from annobench.agreement.coefficients.paired_agreement import (
    PairedAgreement,
    from_membership,
    paired_agreement,
)
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.replication.compare import Computed, plain_rows, write_computed
from annobench.replication.rounding import Rounded, half_unit, propagate

CATEGORIES = ("anger", "disgust", "fear", "happiness", "sadness", "surprise")
#: The data sets of the headlines, in the order of the categories.
EMOTIONS = ("anger", "disgust", "fear", "joy", "sadness", "surprise")
SHORT = ("A", "D", "F", "H", "S", "Su")
CATEGORY_PAIRS = np.array(list(itertools.combinations(range(len(CATEGORIES)), 2)))
#: Annotators 1 and 2, 1 and 3, 2 and 3.
PAIRS = np.array(list(itertools.combinations(range(3), 2)))
#: Edges of the classes of Table 3, open below and closed above.
EDGES = (0.0, 0.2, 0.4, 0.7, 1.0)
LEVEL = 0.95
#: The least score of 100 from which an emotion belongs to a label: the middle of the scale.
THRESHOLD = 50
#: The thresholds whose coefficients are compared.
THRESHOLDS = {"full": (1, 10, 20, 30, 40, 50, 60, 70, 80, 90), "quick": (10, 50)}
#: Simulations of the stand-in, and random orders of the headlines.
REPEATS = {"full": 30, "quick": 2}
ORDERS = {"full": 200, "quick": 3}
#: What the ranges that rest on Table 4 assume.
READING = "Table 4 counts the sentences on which two annotators differ on a category"


@dataclass(frozen=True)
class Printed:
    """The paper's tables and the numbers of its text.

    Attributes
    ----------
    cells1, cells2 : Series, DataFrame
        Tables 1 and 2 as printed text, the second by pair of annotators.
    table3, table4, table5 : array of shape (4,), (3, 6), (15,)
        Counts by class, by pair of annotators and category, and by pair of categories.
    text : Series
        Numbers of the text by name.
    """

    cells1: pd.Series
    cells2: pd.DataFrame
    table3: np.ndarray
    table4: np.ndarray
    table5: np.ndarray
    text: pd.Series

    @property
    def table1(self) -> pd.Series:
        """Table 1 in numbers."""
        return self.cells1.astype(float)

    @property
    def table2(self) -> pd.DataFrame:
        """Table 2 in numbers, by pair of annotators."""
        return self.cells2.astype(float)


def read_printed(paths: Iterable[Path]) -> Printed:
    """Read the printed tables."""
    tables = {path.stem: pd.read_csv(path, comment="#", dtype="str") for path in paths}
    table1 = tables["table1"].set_index("name")["value"]
    table5 = tables["table5"].set_index(["first", "second"])["sentences"]
    pairs = [(CATEGORIES[a], CATEGORIES[b]) for a, b in CATEGORY_PAIRS]
    return Printed(
        table1,
        tables["table2"].set_index("pair"),
        tables["table3"]["sentences"].to_numpy(int),
        tables["table4"].set_index("pair")[list(CATEGORIES)].to_numpy(int),
        table5.loc[pairs].to_numpy(int),
        tables["text"].set_index("name")["value"].astype(float),
    )


def measured(corpus: np.ndarray, combinations: int = 3) -> PairedAgreement:
    """Compute A_m of a corpus."""
    return paired_agreement(from_membership(corpus), combinations=combinations)


def both(corpus: np.ndarray) -> tuple[PairedAgreement, PairedAgreement]:
    """Compute A_m as in the paper, and with four combinations."""
    annotations = from_membership(corpus)
    return paired_agreement(annotations), paired_agreement(annotations, combinations=4)


def decided(corpus: np.ndarray, *, count_ties: bool = False) -> ExpertGold:
    """Run Algorithm 1 on a corpus."""
    return expert_gold(from_membership(corpus), count_ties=count_ties)


# ------------------------------------------------------------ what follows from print


def am(observed: float, expected: float) -> float:
    """Eq. 1."""
    return (observed - expected) / (1 - expected)


def am_of(cells: pd.Series) -> Rounded:
    """Eq. 1 from printed agreements, with what their rounding leaves open."""
    return propagate(lambda x: am(*x), list(cells[["observed_agreement", "expected_agreement"]]))


def mean_of(cells: pd.Series) -> Rounded:
    """Return the mean of printed numbers, with what their rounding leaves open."""
    return propagate(np.mean, list(cells))


def closed_forms() -> dict[str, float]:
    """Compute what section 3 claims of the measure."""
    alike = np.repeat(np.array([[[0, 0]], [[0, 1]], [[1, 1]]]), 2, axis=1)
    c, u = 6, 3
    pairs = (c * (c - 1) / 2) * (u * (u - 1) / 2)
    return {
        "measure.am_without_agreement": am(0.5, 0.5),
        "measure.am_maximum": measured(alike).estimate,
        "eq4.factor": c * (c - 1) * u * (u - 1) / pairs,
    }


def arithmetic(printed: Printed) -> list[Computed]:
    """Compute what printed numbers determine."""
    table1, table2 = printed.cells1, printed.cells2
    rounded = {
        f"table1.{part}": mean_of(table2[part])
        for part in ("observed_agreement", "expected_agreement")
    }
    rounded |= {"table1.am": am_of(table1), "conclusion.am": am_of(table1)}
    rounded |= {
        f"table2.{name.replace('-', '_')}.am": am_of(row) for name, row in table2.iterrows()
    }
    mean = mean_of(table2["am"])
    rows = [rounded_row(target, found) for target, found in rounded.items()]
    rows += [
        rounded_row(f"{place}.am", mean, "mean_of_table2") for place in ("table1", "conclusion")
    ]
    totals = pd.Series(printed.table4.sum(axis=0), index=CATEGORIES)
    named = ["anger", "disgust", "fear"]
    others = totals.drop(named)
    inside = np.isin(np.array(CATEGORIES)[CATEGORY_PAIRS], named).all(axis=1)
    largest = (-printed.table5).argsort(kind="stable")[:3]
    exact = {
        "experiment.n_sentences": printed.table3.sum(),
        "section52.share_high": 100 * printed.table3[-1] / printed.table3.sum(),
        "section52.most_disagreed_lead": totals[named].min() - others.max(),
        "section52.anger_disgust_lead": printed.table5[0] - printed.table5[1:].max(),
        "figure2.n_top_pairs": inside[largest].sum(),
    } | {f"table4.total.{name}": n for name, n in totals.items()}
    return rows + plain_rows(exact, "printed_table")


def rounded_row(target: str, found: Rounded, method: str = "paper") -> Computed:
    """Make a row of a value computed from rounded numbers."""
    return Computed(
        target, found.value, rounding_lower=found.lower, rounding_upper=found.upper,
        method=method, provenance="printed_table",
    )  # fmt: skip


# ------------------------------------------------------- what printed tables leave open


class Corpora:
    """All corpora of 1,000 sentences, three annotators and six categories, up to their sets.

    On a category of a sentence, three annotators agree or one of them dissents, so a sentence
    is one of 4^6 profiles (who dissents on which category), and a corpus is a number of
    sentences for each profile. Every agreement and disagreement is linear in these numbers.
    They are let be fractions, so that ranges can only come out too wide.
    """

    def __init__(self, n_sentences: int = 1000) -> None:
        self.n_sentences = n_sentences
        n = len(CATEGORIES)
        self.dissenter = np.array(list(itertools.product(range(4), repeat=n)))  # 0 for nobody
        differ = np.stack(
            [(self.dissenter == u + 1) | (self.dissenter == v + 1) for u, v in PAIRS], axis=1
        )
        #: (profiles, 3, 6): which pairs of annotators differ on which category.
        self.differ = differ.astype(float)
        first, second = np.array(CATEGORY_PAIRS).T
        either = differ[:, :, first] | differ[:, :, second]
        #: (profiles, 3): observed agreement of each pair of annotators.
        self.pair_agreement = 1 - either.mean(axis=2)
        #: (profiles,): P_i.
        self.agreement = self.pair_agreement.mean(axis=1)
        #: (profiles, 15): pairs of annotators who differ on both of two categories.
        self.differ_on_both = (differ[:, :, first] & differ[:, :, second]).sum(axis=1).astype(float)
        self.dissents = (self.dissenter > 0).sum(axis=1).astype(float)
        #: (profiles, 4): which class of Table 3 the sentence falls into.
        self.classes = classes_of(self.agreement)[:, None] == np.arange(len(EDGES) - 1)

    def having(
        self, *, table3: np.ndarray | None = None, table4: np.ndarray | None = None,
        table5: np.ndarray | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the constraints of printed tables, as arguments of `bounds`."""
        rows, right = [np.ones(len(self.dissents))], [self.n_sentences]
        if table3 is not None:
            rows += list(self.classes.T)
            right += list(table3)
        if table4 is not None:
            rows += list(self.differ.reshape(len(self.dissents), -1).T)
            right += list(table4.ravel())
        limits: dict[str, Any] = {"A_eq": scipy.sparse.csr_array(np.array(rows)), "b_eq": right}
        if table5 is not None:
            # Who confuses two categories differs on both.
            limits |= {"A_ub": -scipy.sparse.csr_array(self.differ_on_both.T), "b_ub": -table5}
        return limits


def bounds(amount: np.ndarray, limits: Mapping[str, Any]) -> tuple[float, float]:
    """Return the least and greatest sum of an amount over sentences; NaN if there is no corpus."""
    ends = [scipy.optimize.linprog(sign * amount, **limits, method="highs") for sign in (1, -1)]
    low, high = (end.fun if end.success else np.nan for end in ends)
    return low, -high


def classes_of(agreement: np.ndarray) -> np.ndarray:
    """Return the class of Table 3 of each observed agreement."""
    # Agreements are multiples of 1/45; dust must not push 18/45 beyond 0.4.
    return np.searchsorted(EDGES[1:], np.asarray(agreement) - 1e-9)


def attainable_agreements(corpora: Corpora) -> pd.DataFrame:
    """List the values that P_i can take with three annotators and six categories."""
    table = pd.DataFrame(
        {"forty_fifths": np.round(45 * corpora.agreement).astype(int), "n": corpora.dissents}
    )
    found = table.groupby("forty_fifths")["n"].agg(["min", "max"]).astype(int).reset_index()
    found.columns = ["forty_fifths", "least_dissents", "most_dissents"]
    found.insert(1, "agreement", found["forty_fifths"] / 45)
    found["table3_class"] = [
        f"({EDGES[k]}, {EDGES[k + 1]}]" for k in classes_of(found["agreement"].to_numpy())
    ]
    return found


def consistency(printed: Printed, corpora: Corpora) -> pd.DataFrame:
    """Check printed numbers against what other printed numbers allow.

    A check against Table 4 assumes that it counts the sentences on which two annotators differ
    on a category, of the same sentences as the other tables; its column `assumes` says so.
    """
    table1, table2, n = printed.table1, printed.table2, corpora.n_sentences
    half = half_unit(printed.cells1["am"])
    rows: list[tuple[str, str, float, float, float, float, str]] = []

    def check(
        what: str, by: str, value: float, low: float, high: float, slack: float = 0,
        assumes: str = "",
    ) -> None:  # fmt: skip
        rows.append((what, by, float(value), float(low), float(high), float(slack), assumes))

    for part, name in (("observed_agreement", "P_o"), ("expected_agreement", "P_e"), ("am", "A_m")):
        mean = mean_of(printed.cells2[part])
        check(f"Table 1, {name}", f"mean of {name} in Table 2", table1[part], mean.lower,
              mean.upper, half)  # fmt: skip
    of_table1, of_pairs = am_of(printed.cells1), mean_of(printed.cells2["am"])
    check("Table 1, A_m", "its own P_o and P_e", table1["am"], *of_table1[1:], half)
    concluded = printed.text["conclusion_am"]
    check("Conclusion, A_m", "P_o and P_e of Table 1", concluded, *of_table1[1:], 0.005)
    check("Conclusion, A_m", "mean of A_m in Table 2", concluded, *of_pairs[1:], 0.005)
    for pair, cells in printed.cells2.iterrows():
        check(f"Table 2, A_m of {pair}", "its own P_o and P_e", table2.loc[pair, "am"],
              *am_of(cells)[1:], half)  # fmt: skip
    of_table4 = corpora.having(table4=printed.table4)
    for k, pair in enumerate(table2.index):
        low, high = bounds(corpora.pair_agreement[:, k], of_table4)
        check(f"Table 2, P_o of {pair}", "disagreements of Table 4",
              table2.loc[pair, "observed_agreement"], low / n, high / n, half,
              READING)  # fmt: skip
    sources = {
        "classes of Table 3": (corpora.having(table3=printed.table3), ""),
        "disagreements of Table 4": (of_table4, READING),
        "disagreements and confusions of Tables 4 and 5": (
            corpora.having(table4=printed.table4, table5=printed.table5), READING
        ),
    }  # fmt: skip
    for by, (limits, assumes) in sources.items():
        low, high = bounds(corpora.agreement, limits)
        for what, value in (
            ("Table 1, P_o", table1["observed_agreement"]),
            ("Table 2, mean P_o", table2["observed_agreement"].mean()),
        ):
            check(what, by, value, low / n, high / n, half, assumes)
    for name, inside, count in zip(
        ("lowest", "second", "third", "highest"), corpora.classes.T, printed.table3, strict=True
    ):
        low, high = bounds(inside.astype(float), of_table4)
        check(f"Table 3, {name} class", "disagreements of Table 4", count, low, high, 0, READING)
    low, high = bounds(corpora.dissents, corpora.having(table3=printed.table3))
    check("Table 4, dissents in all", "classes of Table 3", printed.table4.sum() / 2, low, high,
          0, READING)  # fmt: skip
    frame = pd.DataFrame(
        rows, columns=["value", "checked_by", "printed", "lower", "upper", "slack", "assumes"]
    )
    slack = frame.pop("slack")
    meets = (frame["printed"] + slack >= frame["lower"] - 1e-9) & (
        frame["printed"] - slack <= frame["upper"] + 1e-9
    )
    return frame.assign(consistent=meets)[
        ["value", "checked_by", "printed", "lower", "upper", "consistent", "assumes"]
    ]


def parity(printed: Printed) -> pd.DataFrame:
    """Show the totals of Table 4.

    If it counts the sentences on which two annotators differ on a category, three annotators
    of the same sentences make them even.
    """
    totals = printed.table4.sum(axis=0)
    return pd.DataFrame(
        {"category": CATEGORIES, "total_of_cells": totals, "even": totals % 2 == 0,
         "dissents": totals / 2}
    )  # fmt: skip


# ------------------------------------------------------------------------ the stand-in


def dissents_of(table4: np.ndarray) -> np.ndarray:
    """Solve Table 4 for how often each annotator dissents from the two others, shape (3, 6).

    Two annotators disagree where one of the two dissents, so d_12 = e_1 + e_2 and so on. An
    odd total has halves; they are rounded so that the second row of the table, alone, is one
    too small.
    """
    total = table4.sum(axis=0) / 2
    own = total - table4[::-1]
    return np.stack([np.floor(own[0]), np.ceil(own[1]), np.floor(own[2])]).astype(int)


def share_of_two(share_single: float, expected: float, n_categories: int = 6) -> float:
    """Find the share of sentences in two categories that gives an expected agreement.

    A share of the sentences has one category, the others two or none; categories are
    equally common, and annotators have equal shares.
    """

    def excess(two: float) -> float:
        one = (share_single + 2 * two) / n_categories
        both = two / (n_categories * (n_categories - 1) / 2)
        neither = 1 - 2 * one + both
        return neither**2 + (2 * (one - both)) ** 2 + both**2 - expected

    return float(scipy.optimize.brentq(excess, 0, 1 - share_single))


def stand_in(rng: np.random.Generator, printed: Printed, *, n_sentences: int = 1000) -> np.ndarray:
    """Simulate a corpus with the disagreements of Table 4 and the confusions of Table 5.

    Each sentence gets a set of one category, two or none. An annotator departs from it by a
    swap (one category for another; it makes a confusion with each of the two others) or by
    leaving a category out or adding one, half of these each, where that makes no further
    confusion. On one category of one sentence only one annotator departs, so the counts of
    departures are the dissents of Table 4.
    """
    n = len(CATEGORIES)
    share_single = printed.text["single_percent"] / 100
    truth = draw_sets(rng, share_single, printed.table2["expected_agreement"].mean(), n_sentences)
    corpus = np.repeat(truth[:, None, :], 3, axis=1)
    free = np.ones((n_sentences, n), dtype=bool)
    left = dissents_of(printed.table4)

    def depart(items: np.ndarray, annotator: int, categories: Sequence[int]) -> None:
        cells = np.ix_(items, categories)
        corpus[items[:, None], annotator, categories] ^= True
        free[cells] = False
        left[annotator, categories] -= items.size

    for (a, b), confusions in zip(CATEGORY_PAIRS, printed.table5, strict=True):
        # Each swap is counted by both pairs of annotators that the swapper is in.
        for _ in range((confusions + rng.integers(2)) // 2):
            room = np.minimum(left[:, a], left[:, b])
            annotator = rng.choice(3, p=room / room.sum())
            open_items = np.flatnonzero((truth[:, a] != truth[:, b]) & free.all(axis=1))
            depart(rng.choice(open_items, 1), annotator, [a, b])
    for annotator, category in itertools.product(range(3), range(n)):
        count = left[annotator, category]
        for has, share in ((True, count // 2), (False, count - count // 2)):
            other = corpus.copy()
            other[:, annotator, category] ^= True
            harmless = (confusions_by_item(other) <= confusions_by_item(corpus)).all(axis=1)
            open_items = np.flatnonzero(free[:, category] & harmless & (truth[:, category] == has))
            depart(rng.choice(open_items, share, replace=False), annotator, [category])
    return corpus


def draw_sets(
    rng: np.random.Generator, share_single: float, expected: float, n_sentences: int
) -> np.ndarray:
    """Draw sets of one category, two or none; all categories are equally common."""
    n = len(CATEGORIES)
    two = round(n_sentences * share_of_two(share_single, expected))
    single = round(n_sentences * share_single)
    size = rng.permutation(np.repeat([2, 1, 0], [two, single, n_sentences - two - single]))
    order = rng.random((n_sentences, n)).argsort(axis=1).argsort(axis=1)
    return order < size[:, None]


# ------------------------------------------------------------- the paper's tables, any data


def table1(corpora: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Compute P_o, P_e and A_m with intervals, pooled as in the paper and in four combinations."""
    rows = []
    for name, corpus in corpora.items():
        for combinations in (3, 4):
            result = measured(corpus, combinations)
            rows.append({"data": name, "combinations": combinations} | summary(result))
    return pd.DataFrame(rows)


def summary(result: Agreement) -> dict[str, float]:
    """Return the parts of a coefficient with its interval."""
    ends = result.interval(level=LEVEL)
    return {
        "observed_agreement": result.observed_agreement,
        "expected_agreement": result.expected_agreement,
        "am": result.estimate,
        "standard_error": result.standard_error,
        "lower": ends.lower,
        "upper": ends.upper,
    }


def table2(corpus: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Compute P_o, P_e and A_m for each pair of annotators."""
    rows = []
    for u, v in itertools.combinations(range(len(names)), 2):
        pooled, apart = both(corpus[:, [u, v]])
        four = {f"{key}_four": summary(apart)[key] for key in ("expected_agreement", "am")}
        rows.append({"pair": f"{names[u]}-{names[v]}"} | summary(pooled) | four)
    return pd.DataFrame(rows)


def table3(corpora: Mapping[str, np.ndarray], printed: np.ndarray) -> pd.DataFrame:
    """Count the items in the paper's classes of observed agreement."""
    labels = [f"({low}, {high}]" for low, high in itertools.pairwise(EDGES)]
    table = pd.DataFrame({"agreement": labels, "printed": printed})
    for name, corpus in corpora.items():
        agreement = measured(corpus).item_agreement
        table[name] = np.bincount(classes_of(agreement), minlength=len(labels))
    return table


def table4(corpus: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Count the items on which two annotators disagree, by category."""
    pairs = list(itertools.combinations(range(len(names)), 2))
    counts = np.array([(corpus[:, u] != corpus[:, v]).sum(axis=0) for u, v in pairs])
    table = pd.DataFrame(counts, columns=list(CATEGORIES))
    table.insert(0, "pair", [f"{names[u]}-{names[v]}" for u, v in pairs])
    return pd.concat(
        [table, pd.DataFrame([["Total", *counts.sum(axis=0)]], columns=table.columns)],
        ignore_index=True,
    )


def confusions(corpus: np.ndarray) -> np.ndarray:
    """Count, for each pair of categories, items where one annotator has a and another has b.

    One has a and not b, the other b and not a; over all pairs of annotators, shape (15,).
    """
    return confusions_by_item(corpus).sum(axis=0)


def confusions_by_item(corpus: np.ndarray) -> np.ndarray:
    """Count the confusions of each item, shape (I, 15)."""
    first, second = np.array(CATEGORY_PAIRS).T
    only_first = (corpus[:, :, first] & ~corpus[:, :, second]).sum(axis=1)
    only_second = (corpus[:, :, second] & ~corpus[:, :, first]).sum(axis=1)
    return only_first * only_second


def table5(corpora: Mapping[str, np.ndarray], printed: np.ndarray) -> pd.DataFrame:
    """Compute the confusions of Table 5 as one row a pair of categories."""
    names = [(CATEGORIES[a], CATEGORIES[b]) for a, b in CATEGORY_PAIRS]
    table = pd.DataFrame(names, columns=["first", "second"]).assign(printed=printed)
    return table.assign(**{name: confusions(corpus) for name, corpus in corpora.items()})


def gold_table(corpora: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Count the items of each category in the gold standard of Algorithm 1 (Figure 3)."""
    return pd.DataFrame(
        {"category": CATEGORIES}
        | {name: decided(corpus).gold.sum(axis=0) for name, corpus in corpora.items()}
    )


def index_table(corpora: Mapping[str, tuple[np.ndarray, Sequence[str]]]) -> pd.DataFrame:
    """Return the final expert index of every annotator, under both readings of a tie."""
    rows = []
    for name, (corpus, annotators) in corpora.items():
        plain, counted = (decided(corpus, count_ties=count) for count in (False, True))
        for j, annotator in enumerate(annotators):
            rows.append(
                {"data": name, "annotator": annotator, "expert_index": plain.expert_index[j],
                 "share_with_majority": plain.expert_index[j] / (~plain.tied).sum(),
                 "expert_index_ties_counted": counted.expert_index[j]}
            )  # fmt: skip
    return pd.DataFrame(rows)


# --------------------------------------------------------------- the headlines of SemEval


def headline_sets(data: Sequence[LoadedData], threshold: float) -> tuple[np.ndarray, list[str]]:
    """Make sets of emotions: those that an annotator scored at the threshold or above."""
    names = sorted(data[0].labels["annotator"].unique())
    wide = [
        each.labels.pivot_table(index="item", columns="annotator", values="label")
        .reindex(index=data[0].items["item"], columns=names)
        .to_numpy()
        for each in data
    ]
    return np.stack(wide, axis=2) >= threshold, names


def category_annotations(corpus: np.ndarray, category: int, names: Sequence[str]) -> Annotations:
    """Take one category: yes or no."""
    item, annotator = (index.ravel() for index in np.indices(corpus.shape[:2]))
    label = corpus[:, :, category].ravel().astype(int)
    return Annotations.from_arrays(item, np.array(names)[annotator], label, categories=[0, 1])


def set_coefficients(corpus: np.ndarray, names: Sequence[str]) -> dict[str, Agreement]:
    """Compute the coefficients of whole sets."""
    sets = from_membership(corpus, annotators=names, elements=CATEGORIES)
    return {
        "A_m (paper)": paired_agreement(sets),
        "A_m, four combinations": paired_agreement(sets, combinations=4),
        "alpha, MASI": krippendorff_alpha(sets, metric="masi"),
        "alpha, Jaccard": krippendorff_alpha(sets, metric="jaccard"),
    }


def coefficients(corpus: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Compute A_m, alpha on sets and kappa by category, with analytic intervals."""
    found = set_coefficients(corpus, names) | {
        f"Fleiss' kappa, {name}": fleiss_kappa(category_annotations(corpus, c, names))
        for c, name in enumerate(CATEGORIES)
    }
    rows = [{"coefficient": title} | summary(result) for title, result in found.items()]
    table = pd.DataFrame(rows).rename(columns={"am": "estimate"})
    kappas = table["coefficient"].str.startswith("Fleiss")
    mean = table.loc[kappas, "estimate"].mean()
    last = pd.DataFrame([{"coefficient": "mean of the six kappas", "estimate": mean}])
    return pd.concat([table, last], ignore_index=True)


def with_annotators(table: pd.DataFrame, found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Add intervals for other annotators, by the jackknife, to the coefficients of whole sets."""
    ends = {
        name: result.interval("jackknife", unit="annotators", level=LEVEL)
        for name, result in found.items()
    }
    return table.assign(
        annotators_lower=table["coefficient"].map({name: e.lower for name, e in ends.items()}),
        annotators_upper=table["coefficient"].map({name: e.upper for name, e in ends.items()}),
    )


def differences(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Compare coefficients of the same labels, each with each."""
    rows = []
    for first, second in itertools.combinations(found, 2):
        result = difference(found[first], found[second], level=LEVEL)
        rows.append(
            {"first": first, "second": second, "difference": result.estimate,
             "standard_error": result.standard_error, "lower": result.lower,
             "upper": result.upper, "p_value": result.p_value}
        )  # fmt: skip
    return pd.DataFrame(rows)


def leave_one_out(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Compute the coefficients without each annotator, and with all."""
    table = pd.DataFrame(
        {name: result.leave_one_out().set_index("annotator")["estimate"]
         for name, result in found.items()}
    )  # fmt: skip
    table.loc["(nobody)"] = [result.estimate for result in found.values()]
    return table.rename_axis("without").reset_index()


def by_threshold(data: Sequence[LoadedData], thresholds: Sequence[float]) -> pd.DataFrame:
    """Compute the coefficients, categories a label and ties for sets of several thresholds."""
    rows = []
    for threshold in thresholds:
        corpus, names = headline_sets(data, threshold)
        table = coefficients(corpus, names).set_index("coefficient")["estimate"]
        shown = ["A_m (paper)", "A_m, four combinations", "alpha, MASI", "alpha, Jaccard",
                 "mean of the six kappas"]  # fmt: skip
        size = corpus.sum(axis=2)
        rows.append(
            {"threshold": threshold, "categories_per_label": size.mean(),
             "share_empty": (size == 0).mean(), "ties": decided(corpus).n_ties}
            | table[shown].to_dict()
        )  # fmt: skip
    return pd.DataFrame(rows)


def tie_orders(corpus: np.ndarray, rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Run Algorithm 1 on the items in their own order and in random ones."""
    annotations = from_membership(corpus)
    own = expert_gold(annotations)
    rows = []
    for run in range(n + 1):
        order = None if run == 0 else rng.permutation(len(corpus))
        result = expert_gold(annotations, order=order)
        rows.append(
            {"order": "as given" if run == 0 else f"random {run}", "ties": result.n_ties,
             "to_yes": int((result.gold & own.tied).sum()), "left_tied": result.n_unresolved,
             "unlike_given_order": int((result.gold != own.gold).sum())}
        )  # fmt: skip
    return pd.DataFrame(rows)


def independent_am(prevalence: np.ndarray) -> pd.DataFrame:
    """Return A_m of annotators who assign every category independently with one prevalence."""
    q = np.asarray(prevalence)
    observed = (q**2 + (1 - q) ** 2) ** 2
    pooled = (1 - q) ** 4 + (2 * q * (1 - q)) ** 2 + q**4
    return pd.DataFrame(
        {"prevalence": q, "observed_agreement": observed, "expected_agreement": pooled,
         "am": am(observed, pooled), "am_four": am(observed, observed)}
    )  # fmt: skip


# ------------------------------------------------------------------------------ figures


def figure_annotators(
    corpus: np.ndarray, names: Sequence[str], what: str, stem: Path, mark: str | None
) -> None:
    """Draw Figure 1: items of each category by annotator."""
    shades = [plotting.BLUE, plotting.VERMILION, plotting.GREEN, "#E69F00", "#56B4E9", "#CC79A7"]
    hatches = ["", "///", "...", "\\\\\\", "xxx", "++"]
    with plotting.house_figure(1, height=3.4, stand_in=mark) as (figure, [axes]):
        figure.set_size_inches(7.4, 3.4)
        width = 0.8 / len(names)
        for j, name in enumerate(names):
            place = np.arange(len(CATEGORIES)) + (j - (len(names) - 1) / 2) * width
            axes.bar(place, corpus[:, j].sum(axis=0), width=width, label=f"annotator {name}",
                     color=shades[j], hatch=hatches[j], edgecolor="white",
                     linewidth=0.5)  # fmt: skip
        category_axis(axes, what)
        axes.set_ylim(top=1.12 * axes.get_ylim()[1])
        axes.legend(ncols=3, loc="upper left")
        plotting.save_figure(figure, stem)


def category_axis(axes: Any, what: str) -> None:
    """Label an axis of categories."""
    axes.set_xticks(range(len(CATEGORIES)), [name.capitalize() for name in CATEGORIES])
    axes.set_ylabel(what)


def figure_confusions(
    counts: np.ndarray, other: np.ndarray | None, stem: Path, mark: str | None
) -> None:
    """Draw Figure 2: ambiguity of every pair of categories."""
    with plotting.house_figure(1, height=3.4, stand_in=mark) as (figure, [axes]):
        figure.set_size_inches(7.4, 3.4)
        place = np.arange(len(CATEGORY_PAIRS))
        top = set((-counts).argsort(kind="stable")[:3])
        colours = [plotting.VERMILION if p in top else plotting.BLUE for p in place]
        axes.bar(place, counts, width=0.7, color=colours)
        tops = counts if other is None else np.maximum(counts, other)
        for p, count in enumerate(counts):
            above = 3 if other is None else 6
            axes.annotate(str(count), (p, tops[p]), (0, above), textcoords="offset points",
                          ha="center", fontsize=8)  # fmt: skip
        if other is not None:
            axes.plot(place, other, linestyle="none", marker="D", markersize=5,
                      markerfacecolor="white", markeredgecolor=plotting.INK,
                      label="simulated stand-in")  # fmt: skip
            axes.bar(0, 0, color=plotting.BLUE, label="printed (Table 5)")
            axes.legend(loc="upper right")
        axes.set_xticks(place, [f"{SHORT[a]}-{SHORT[b]}" for a, b in CATEGORY_PAIRS])
        axes.set(xlabel="pair of categories", ylabel="confusions", ylim=(0, 1.12 * counts.max()))
        plotting.save_figure(figure, stem)


def figure_gold(counts: np.ndarray, what: str, stem: Path, mark: str | None) -> None:
    """Draw Figure 3: items of each category in the gold standard."""
    with plotting.house_figure(1, height=3.2, stand_in=mark) as (figure, [axes]):
        figure.set_size_inches(5.5, 3.2)
        bars = axes.bar(range(len(CATEGORIES)), counts, width=0.6, color=plotting.BLUE)
        axes.bar_label(bars, padding=2, fontsize=8.5)
        category_axis(axes, what)
        plotting.save_figure(figure, stem)


def figure_consistency(checks: pd.DataFrame, stem: Path) -> None:
    """Draw the ranges that other printed numbers allow, less the printed agreement."""
    shown = checks[checks["upper"] <= 1].iloc[::-1].reset_index(drop=True)
    low, high = -0.05, 0.065
    with plotting.house_figure(1, height=6.0) as (figure, [axes]):
        figure.set_size_inches(8.2, 6.0)
        for row in shown.itertuples():
            colour = plotting.BLUE if row.consistent else plotting.VERMILION
            ends = np.array([row.lower, row.upper]) - row.printed
            axes.hlines(row.Index, *ends.clip(low, high), color=colour, linewidth=7)
            if np.ptp(ends) < 0.005:  # a range of rounding, hardly as wide as a line
                axes.plot(ends.mean(), row.Index, color=colour, marker="|", markersize=11,
                          markeredgewidth=2)  # fmt: skip
        axes.axvline(0, color=plotting.INK, linewidth=1)
        names = shown["value"] + " = " + shown["printed"].map("{:.3g}".format)
        axes.set_yticks(range(len(shown)), mathematical(names + ", by " + shown["checked_by"]))
        axes.set(xlabel="allowed range less the printed value", xlim=(low, high),
                 ylim=(-0.7, len(shown) - 0.3))  # fmt: skip
        for colour, name in ((plotting.BLUE, "printed value allowed"),
                             (plotting.VERMILION, "printed value not allowed")):  # fmt: skip
            axes.plot([], [], color=colour, linewidth=7, label=name)
        figure.legend(*axes.get_legend_handles_labels(), ncols=2, loc="outside upper center")
        plotting.save_figure(figure, stem)


def mathematical(names: pd.Series) -> pd.Series:
    """Set symbols such as A_m as symbols."""
    return names.str.replace(r"([AP]_[moe])", r"$\1$", regex=True)


def figure_coefficients(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw the coefficients of the headlines with their intervals."""
    shown = table.iloc[::-1].reset_index(drop=True)
    with plotting.house_figure(1, height=3.8, stand_in=mark) as (figure, [axes]):
        figure.set_size_inches(6.4, 3.8)
        of_sets = ~shown["coefficient"].str.contains("kappa")
        colour = np.where(of_sets, plotting.BLUE, plotting.INK)
        axes.hlines(shown.index, shown["lower"], shown["upper"], color=colour, linewidth=1.6)
        for is_set, marker in ((True, "s"), (False, "o")):
            part = shown[of_sets == is_set]
            axes.plot(part["estimate"], part.index, linestyle="none", marker=marker, markersize=5.5,
                      color=plotting.BLUE if is_set else plotting.INK)  # fmt: skip
        axes.set_yticks(shown.index, mathematical(shown["coefficient"]))
        axes.axvline(0, color=plotting.GREY, linewidth=0.8)
        axes.set(xlabel="estimate and 95% interval", xlim=(-0.05, None))
        plotting.save_figure(figure, stem)


def figure_thresholds(table: pd.DataFrame, default: float, stem: Path, mark: str | None) -> None:
    """Draw the coefficients, and how many categories a label has, against the threshold."""
    lines = {
        "A_m (paper)": (plotting.BLUE, "-", "s"),
        "A_m, four combinations": (plotting.VERMILION, "--", "o"),
        "alpha, MASI": (plotting.GREEN, "-.", "^"),
        "mean of the six kappas": (plotting.INK, ":", "D"),
    }
    with plotting.house_figure(2, height=3.6, stand_in=mark) as (figure, [left, right]):
        for name, (colour, style, marker) in lines.items():
            left.plot(table["threshold"], table[name], color=colour, linestyle=style, marker=marker,
                      markersize=4.5, label=name.replace("A_m", "$A_m$"))  # fmt: skip
        right.plot(table["threshold"], table["categories_per_label"], color=plotting.INK,
                   marker="o", markersize=4.5, label="categories a label")  # fmt: skip
        right.plot(table["threshold"], table["share_empty"], color=plotting.BLUE, linestyle="--",
                   marker="s", markersize=4.5, label="share of empty labels")  # fmt: skip
        for axes, title in ((left, "Agreement"), (right, "Size of the labels")):
            axes.axvline(default, color=plotting.GREY, linewidth=0.9, linestyle=":")
            axes.set(title=title, xlabel="threshold", ylim=(0, None))
            axes.set_ylim(0, 1.35 * axes.get_ylim()[1])
            axes.legend(loc="upper right", ncols=1)
        plotting.save_figure(figure, stem)


def figure_chance(table: pd.DataFrame, stem: Path) -> None:
    """Draw A_m of independent annotators against the prevalence of the categories."""
    with plotting.house_figure(1, height=3.2) as (figure, [axes]):
        figure.set_size_inches(5.5, 3.2)
        axes.plot(table["prevalence"], table["am_four"], color=plotting.VERMILION, linestyle="--",
                  label="four combinations on both sides")  # fmt: skip
        axes.plot(table["prevalence"], table["am"], color=plotting.BLUE,
                  label="as in the paper: [0 1] and [1 0] pooled in $P_e$")  # fmt: skip
        axes.set(xlabel="prevalence of every category", ylabel="$A_m$ of independent annotators",
                 ylim=(-0.27, 0.1), xlim=(0, 1))  # fmt: skip
        axes.legend(loc="upper center")
        plotting.save_figure(figure, stem)


# --------------------------------------------------------------------------------- main


def repeated_stand_in(rng: np.random.Generator, printed: Printed, n: int) -> pd.DataFrame:
    """Summarise the stand-in over new simulations beside the printed values."""
    rows = []
    for generator in rng.spawn(n):
        corpus = stand_in(generator, printed)
        pooled, apart = both(corpus)
        classes = np.bincount(classes_of(pooled.item_agreement), minlength=4)
        high = classes_of(pooled.item_agreement) == 3
        rows.append(
            {"Table 1, P_o": pooled.observed_agreement, "Table 1, P_e": pooled.expected_agreement,
             "Table 1, A_m": pooled.estimate, "A_m, four combinations": apart.estimate}
            | {f"Table 3, {low} to {up}": count
               for (low, up), count in zip(itertools.pairwise(EDGES), classes, strict=True)}
            | {f"Table 4, total {name}": count for name, count in
               zip(CATEGORIES, table4(corpus, "123").iloc[-1, 1:], strict=True)}
            | {"Table 5, sum": confusions(corpus).sum(),
               "§5.2, percent single": 100 * (decided(corpus).gold[high].sum(axis=1) == 1).mean()}
        )  # fmt: skip
    frame = pd.DataFrame(rows).astype(float)
    one = printed.table1
    shown = [one["observed_agreement"], one["expected_agreement"], one["am"], np.nan,
             *printed.table3, *printed.table4.sum(axis=0), printed.table5.sum(),
             printed.text["single_percent"]]  # fmt: skip
    return pd.DataFrame(
        {"value": frame.columns, "printed_or_its_sum": shown, "mean": frame.mean().to_numpy(),
         "lower": frame.quantile(0.025).to_numpy(), "upper": frame.quantile(0.975).to_numpy()}
    )  # fmt: skip


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    printed = read_printed(printed_tables)
    computed = [*plain_rows(closed_forms(), "closed_form"), *arithmetic(printed)]
    write_computed(computed, folder / "computed.csv")

    emotions = [datasets.read(data[f"semeval2007_{emotion}"]) for emotion in EMOTIONS]
    of_corpus, of_repeats, of_orders = np.random.default_rng(seed).spawn(3)
    corpora = Corpora()
    checks = consistency(printed, corpora)
    corpus = stand_in(of_corpus, printed)
    judges = ["1", "2", "3"]
    headlines, annotators = headline_sets(emotions, THRESHOLD)
    provenance = "real" if all(e.provenance == "real" for e in emotions) else "simulated"
    both_corpora = {"stand-in": corpus, "headlines": headlines}
    on_sets = set_coefficients(headlines, annotators)
    found = with_annotators(coefficients(headlines, annotators), on_sets)
    many = by_threshold(emotions, THRESHOLDS[effort])
    chance = independent_am(np.linspace(0.01, 0.99, 99))

    tables = {
        "consistency": (checks, "printed_table"),
        "parity": (parity(printed), "printed_table"),
        "attainable": (attainable_agreements(corpora), "closed_form"),
        "table1": (table1(both_corpora), "simulated"),
        "table2": (table2(corpus, judges), "simulated"),
        "table2_headlines": (table2(headlines, annotators), provenance),
        "table3": (table3(both_corpora, printed.table3), "simulated"),
        "table4": (table4(corpus, judges), "simulated"),
        "table4_headlines": (table4(headlines, annotators), provenance),
        "table5": (table5(both_corpora, printed.table5), "simulated"),
        "stand_in": (repeated_stand_in(of_repeats, printed, REPEATS[effort]), "simulated"),
        "gold": (gold_table(both_corpora), "simulated"),
        "expert_index": (
            index_table({"stand-in": (corpus, judges), "headlines": (headlines, annotators)}),
            "simulated",
        ),
        "tie_orders": (tie_orders(headlines, of_orders, ORDERS[effort]), provenance),
        "coefficients": (found, provenance),
        "differences": (differences(on_sets), provenance),
        "leave_one_out": (leave_one_out(on_sets), provenance),
        "thresholds": (many, provenance),
    }
    for name, (table, _) in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    simulated = "Simulated stand-in, not the paper's sentences"
    mark = None if provenance == "real" else "Simulated stand-in, not the real headlines"
    figure_annotators(corpus, judges, "sentences", stems / "figure1", simulated)
    figure_annotators(headlines, annotators, "headlines", stems / "figure1_headlines", mark)
    figure_confusions(
        printed.table5, confusions(corpus), stems / "figure2", "Points: simulated stand-in"
    )
    figure_confusions(confusions(headlines), None, stems / "figure2_headlines", mark)
    gold = tables["gold"][0]
    figure_gold(gold["stand-in"].to_numpy(), "sentences", stems / "figure3", simulated)
    figure_gold(gold["headlines"].to_numpy(), "headlines", stems / "figure3_headlines", mark)
    figure_consistency(checks, stems / "consistency")
    figure_coefficients(found, stems / "coefficients", mark)
    figure_thresholds(many, THRESHOLD, stems / "thresholds", mark)
    figure_chance(chance, stems / "chance")
    captions = caption_texts(provenance, THRESHOLD, printed)
    with replacing(folder / "captions.json") as draft:
        draft.write_text(
            json.dumps(
                {name: caption | {"seed": seed} for name, caption in captions.items()}
                | {f"tables/{name}": {"provenance": word} for name, (_, word) in tables.items()},
                indent=1,
            )
            + "\n"
        )


def caption_texts(provenance: str, threshold: float, printed: Printed) -> dict[str, dict[str, str]]:
    """Say of every figure what it shows, from which data."""
    calibration = (
        "A simulated corpus of 1,000 sentences: disagreements of Table 4, confusions of Table 5, "
        f"mean expected agreement of Table 2, {printed.text['single_percent']:g}% of the "
        "sentences in one category. The shares of the categories are an assumption (equal)."
    )
    headlines = (
        f"Data: 1,000 {provenance} headlines of SemEval-2007, six annotators, categories "
        f"scored {threshold:g} or more of 100."
    )
    shown = {
        "figure1": ("simulated", f"Sentences of each category by annotator. {calibration}"),
        "figure1_headlines": (provenance, "Headlines of each category by annotator. Annotators "
                              f"use the scale differently. {headlines}"),
        "figure2": ("simulated", "Bars: confusions of two categories as printed in Table 5, the "
                    "three most frequent pairs in orange; A anger, D disgust, F fear, H happiness, "
                    f"S sadness, Su surprise. Points: the stand-in. {calibration}"),
        "figure2_headlines": (provenance, "Confusions of two categories over all pairs of "
                              f"annotators; the three most frequent in orange. {headlines}"),
        "figure3": ("simulated", f"Sentences of each category in the majority's gold standard. "
                    f"With three annotators there is no tie. {calibration}"),
        "figure3_headlines": (provenance, "Headlines of each category in the gold standard of "
                              f"Algorithm 1, ties decided by the expert index. {headlines}"),
        "consistency": ("printed_table", "What other printed numbers allow for a printed "
                        "agreement, less that agreement; a bar that reaches the line allows it, to "
                        "rounding. By Eq. 1 from rounded parts, by averages over pairs of "
                        "annotators, or over all conceivable corpora with the counts of Tables 3, "
                        "4 and 5, if Table 4 counts the sentences on which two annotators differ "
                        "on a category. Long bars are cut off."),
        "coefficients": (provenance, "A_m as published and with four combinations, alpha on sets, "
                         f"and Fleiss' kappa of each category, with 95% intervals. {headlines}"),
        "thresholds": (provenance, "Left: the coefficients as the score changes from which on an "
                       "emotion counts. Right: how large the sets are. Dotted: the threshold "
                       f"used elsewhere. Data: 1,000 {provenance} headlines, six annotators."),
        "chance": ("closed_form", "A_m that independent annotators get who give every category "
                   "with the same probability. It should be 0."),
    }  # fmt: skip
    return {name: {"provenance": word, "caption": text} for name, (word, text) in shown.items()}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(files[0]).parent
                for name, files in snakemake.input.items()
                if name.startswith("semeval2007")
            },
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
