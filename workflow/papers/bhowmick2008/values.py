"""What Bhowmick et al. (2008) print, computed from other printed numbers; corpora as arrays."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench.agreement.coefficients.paired_agreement import (
    PairedAgreement,
    from_membership,
    paired_agreement,
)
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.study import Study

from .expert_index import ExpertGold, expert_gold

CATEGORIES = ("anger", "disgust", "fear", "happiness", "sadness", "surprise")
CATEGORY_PAIRS = np.array(list(itertools.combinations(range(len(CATEGORIES)), 2)))
#: Annotators 1 and 2, 1 and 3, 2 and 3.
PAIRS = np.array(list(itertools.combinations(range(3), 2)))
#: Edges of the classes of Table 3, open below and closed above.
EDGES = (0.0, 0.2, 0.4, 0.7, 1.0)
CLASSES = [f"({lower}, {upper}]" for lower, upper in itertools.pairwise(EDGES)]
LEVEL = 0.95


@dataclass(frozen=True)
class Printed:
    """The paper's tables and the numbers of its text."""

    #: Agreements as printed text, the second by pair of annotators.
    table1: pd.Series
    table2: pd.DataFrame
    #: Counts by class, by pair of annotators and category, and by pair of categories.
    table3: np.ndarray
    table4: np.ndarray
    table5: np.ndarray
    #: Numbers of the text by name.
    text: pd.Series

    @classmethod
    def of(cls, study: Study) -> "Printed":
        """Read the printed tables."""
        pairs = [(CATEGORIES[a], CATEGORIES[b]) for a, b in CATEGORY_PAIRS]
        table5 = study.printed("table5", index_col=["first", "second"])["sentences"]
        return cls(
            study.printed("table1", dtype="str").set_index("name")["value"],
            study.printed("table2", dtype="str").set_index("pair"),
            study.printed("table3")["sentences"].to_numpy(int),
            study.printed("table4")[list(CATEGORIES)].to_numpy(int),
            table5.loc[pairs].to_numpy(int),
            study.numbers("text"),
        )


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


def from_rounded(printed: Printed) -> dict[str, Rounded]:
    """Compute the agreements of Tables 1 and 2 that other printed agreements determine."""
    parts = ("observed_agreement", "expected_agreement")
    table2 = printed.table2.rename(index=lambda pair: pair.replace("-", "_"))
    return (
        {f"table1.{part}": mean_of(table2[part]) for part in parts}
        | {f"{place}.am": am_of(printed.table1) for place in ("table1", "conclusion")}
        | {f"table2.{pair}.am": am_of(cells) for pair, cells in table2.iterrows()}
    )


def means_of_pairs(printed: Printed) -> dict[str, Rounded]:
    """Compute the A_m of all annotators as the mean over pairs."""
    return dict.fromkeys(("table1.am", "conclusion.am"), mean_of(printed.table2["am"]))


def from_counts(printed: Printed) -> dict[str, float]:
    """Compute what the counts of Tables 3 to 5 determine."""
    totals = pd.Series(printed.table4.sum(axis=0), index=CATEGORIES)
    named = ["anger", "disgust", "fear"]
    inside = np.isin(np.array(CATEGORIES)[CATEGORY_PAIRS], named).all(axis=1)
    largest = (-printed.table5).argsort(kind="stable")[:3]
    return {
        "experiment.n_sentences": printed.table3.sum(),
        "section52.share_high": 100 * printed.table3[-1] / printed.table3.sum(),
        "section52.most_disagreed_lead": totals[named].min() - totals.drop(named).max(),
        "section52.anger_disgust_lead": printed.table5[0] - printed.table5[1:].max(),
        "figure2.n_top_pairs": inside[largest].sum(),
    } | {f"table4.total.{name}": n for name, n in totals.items()}


def measured(corpus: np.ndarray, combinations: int = 3) -> PairedAgreement:
    """Compute A_m of a corpus."""
    return paired_agreement(from_membership(corpus), combinations=combinations)


def gold_standard(corpus: np.ndarray, *, count_ties: bool = False) -> ExpertGold:
    """Run Algorithm 1 on a corpus."""
    return expert_gold(from_membership(corpus), count_ties=count_ties)


def classes_of(agreement: np.ndarray) -> np.ndarray:
    """Return the class of Table 3 of each observed agreement."""
    # Agreements are multiples of 1/45; floating-point error must not push 18/45 beyond 0.4.
    return np.searchsorted(EDGES[1:], np.asarray(agreement) - 1e-9)


def confusions(corpus: np.ndarray) -> np.ndarray:
    """Count, for each pair of categories, items where one annotator has a and another has b.

    One has a and not b, the other b and not a; over all pairs of annotators, shape (15,).
    """
    return confusions_by_item(corpus).sum(axis=0)


def confusions_by_item(corpus: np.ndarray) -> np.ndarray:
    """Count the confusions of each item, shape (I, 15)."""
    first, second = CATEGORY_PAIRS.T
    only_first = (corpus[:, :, first] & ~corpus[:, :, second]).sum(axis=1)
    only_second = (corpus[:, :, second] & ~corpus[:, :, first]).sum(axis=1)
    return only_first * only_second
