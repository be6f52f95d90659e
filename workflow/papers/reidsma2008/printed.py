"""The printed numbers, and what they entail for each other."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from annobench.evaluation.selective import possible_answers
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.study import Study

from .classifiers import CLASSIFIERS
from .utterances import ANNOTATORS, CODES

COLUMNS = {part: [f"{who}_{part}" for who in ANNOTATORS] for part in ("train", "test")}


def counts(study: Study) -> pd.DataFrame:
    """Return Table 1."""
    return study.printed("table1", index_col="category")


def tables(study: Study) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Return Tables 2 to 4 as text, whose last places count."""
    keys = {"table2": "train", "table3": "classifier", "table4": "category"}
    table2, table3, table4 = (
        study.printed(name, dtype="str").set_index(key) for name, key in keys.items()
    )
    return table2, table3["accuracy"], table4


def cells(study: Study) -> dict[str, float]:
    """Return the cells of Tables 2 to 4 by target."""
    table2, accuracy, precision = tables(study)
    return {
        **{f"table2.{a}.{b}": float(table2.loc[a, b]) for a in table2.index for b in table2},
        **{f"table3.{who}.accuracy": float(value) for who, value in accuracy.items()},
        **{f"table4.{c}.{who}": float(precision.loc[c, who]) for c in CODES for who in precision},
    }


def totals(study: Study) -> dict[str, float]:
    """Return sums of Table 1, and the share that section 2.1 prints of its counts."""
    table1, text = counts(study), study.numbers("text")
    n_train = table1[COLUMNS["train"]].sum()
    trained_on = dict(zip(ANNOTATORS, n_train, strict=True))
    trained_on |= dict.fromkeys(("mix", "voting"), n_train.sum())
    return {
        "addressing.mostly_group": 100 - 100 * text["individual"] / text["annotated"],
        **{
            f"table1.{code}.{part}_total": table1.loc[code, columns].sum()
            for code in CODES
            for part, columns in COLUMNS.items()
        },
        **{f"table3.{who}.n_train": n for who, n in trained_on.items()},
        "table3.n_test": table1[COLUMNS["test"]].to_numpy().sum(),
    }


def arithmetic(study: Study) -> dict[str, Rounded]:
    """Compute what rounded numbers entail, with what their rounding leaves open."""
    table2, accuracy, precision = tables(study)
    sizes = counts(study)[COLUMNS["test"]].sum().to_numpy()

    def weighted(of_row: Sequence[float]) -> float:
        return float(np.average(of_row, weights=sizes))

    def n_led(of_rows: Sequence[float]) -> float:
        table = np.reshape(of_rows, precision.shape)
        return float((table[:, 0] > table[:, 1:].max(axis=1)).sum())

    def loss(of_column: Sequence[float]) -> float:
        return min(of_column[1:]) - of_column[0]

    first = ["voting", *CLASSIFIERS]
    return {
        **{
            f"table2.{who}.mixed": propagate(weighted, [*table2.loc[who, [*ANNOTATORS]]])
            for who in ANNOTATORS
        },
        "voting.accuracy_loss": propagate(loss, [*accuracy[first]]),
        "voting.n_more_precise": propagate(n_led, [*precision[first].to_numpy().flat]),
    }


def implied_coverage(study: Study) -> pd.DataFrame:
    """Return which coverage the printed accuracy and precision allow, in percent."""
    _, accuracies, precision = tables(study)
    gold = counts(study)[COLUMNS["test"]].sum(axis=1)
    precision = precision.loc[gold.index].astype(float) / 100
    rows = []
    for who, accuracy in accuracies.items():
        (low, high), _ = possible_answers(gold, float(accuracy) / 100, precision[who])
        rows.append({"classifier": who, "least": 100 * low, "most": 100 * high})
    return pd.DataFrame(rows)
