"""What Su and Markert (2008) print, from its confusion matrices and from Micro-WNOp.

Section 4.2 says that Annotator 1 stands in the columns of a confusion matrix and
Annotator 2 in the rows, and so they are read here; every coefficient is the same the other
way round.
"""

from collections.abc import Collection, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import Hierarchy
from annobench_replication.ledger import PAPER_METHOD, Computed
from annobench_replication.rows import Value, coefficient_row, value_row
from annobench_replication.study import Study

#: The labels of section 4 by data, training or test, and scheme.
Senses = Mapping[tuple[str, str], Annotations]

#: Section 4.3: what each of the seven categories is at the two coarser levels.
LEVELS = Hierarchy(
    {
        "subjectivity": {
            **{"B": "B", "S:N": "S", "S:P": "S", "S:V": "S"},
            **{"O:NoPol": "O", "O:N": "O", "O:P": "O"},
        },
        "polarity": {
            **{"B": "B", "S:N": "N", "O:N": "N", "S:P": "P", "O:P": "P"},
            **{"S:V": "V", "O:NoPol": "NoPol"},
        },
    }
)
SCHEMES = {"full": "all seven categories", "subjectivity": "subjectivity", "polarity": "polarity"}
SCORES = ("negative", "positive")
GROUPS = ("common", "group1", "group2")


def read_senses(study: Study) -> Senses:
    """Read Tables 1 and 2, and collapse both to every level."""
    labels = {
        data: read_confusion(study.printed(name, index_col="category"))
        for data, name in (("train", "table1"), ("test", "table2"))
    }
    return {
        (data, scheme): LEVELS.collapse(a, scheme) if scheme in LEVELS.levels else a
        for data, a in labels.items()
        for scheme in SCHEMES
    }


def read_confusion(table: pd.DataFrame) -> Annotations:
    """Read a printed confusion matrix: Annotator 2 in rows, Annotator 1 in columns."""
    if list(table.index) != list(table.columns):
        raise ValueError(f"the rows are {list(table.index)}, but the columns {list(table)}.")
    return Annotations.from_contingency(table.to_numpy().T, categories=table.columns)


def contingency(a: Annotations) -> pd.DataFrame:
    """Count pairs of labels as the paper prints them."""
    first, second = (a.label[a.by_annotator[j]] for j in (0, 1))
    table = np.zeros((a.n_categories, a.n_categories), dtype=int)
    np.add.at(table, (second, first), 1)
    return pd.DataFrame(
        table,
        index=pd.Index(a.categories, name="Annotator 2"),
        columns=pd.Index(a.categories, name="Annotator 1"),
    )


def key(category: str) -> str:
    """Return a category as targets name it."""
    return category.lower().replace(":", "_")


def table_cells(number: int, a: Annotations, *, totals_only: bool) -> dict[str, float]:
    """Return the cells and totals of one confusion matrix, by target."""
    table = contingency(a)
    table["total"] = table.sum(axis=1)
    table.loc["total"] = table.sum(axis=0)
    return {
        f"table{number}.{key(row)}.{key(column)}": table.loc[row, column]
        for row, column in product(table.index, table.columns)
        if not totals_only or "total" in (row, column)
    }


def agreement_rows(name: str, a: Annotations, *, single: bool) -> list[Computed]:
    """Compute what the paper prints of one set of labels, with other coefficients beside it."""
    percent, kappa = agreement.percent_agreement(a), agreement.cohen_kappa(a)
    rows = [
        coefficient_row(f"{name}.observed_agreement", percent, scale=100),
        coefficient_row(f"{name}.cohen_kappa", kappa),
    ]
    others = (agreement.scott_pi(a), agreement.krippendorff_alpha(a), agreement.gwet_ac1(a))
    rows += [coefficient_row(f"{name}.cohen_kappa", each, method=each.name) for each in others]
    if single:
        rows += [
            value_row(f"{name}.{key(row.category)}.single_category_kappa", with_ends(row))
            for row in kappa.by_category().itertuples()
        ]
    return rows


def with_ends(found: Any, scale: float = 1.0) -> tuple[float, float, float]:
    """Return an estimate and the ends of its interval, in the paper's unit."""
    return scale * found.estimate, scale * found.lower, scale * found.upper


def bootstrapped_gain(senses: Senses, rng: np.random.Generator, replicates: int) -> Value:
    """Give the gain of polarity an interval by resampling items, beside the large-sample one."""
    polarity, full = (agreement.cohen_kappa(senses["test", name]) for name in ("polarity", "full"))
    return with_ends(
        agreement.difference(polarity, full, "percentile", replicates=replicates, rng=rng)
    )


def annotator_claims(senses: Senses) -> dict[str, float]:
    """Return the counts of polarity labels, with the annotators of section 4.2."""
    table = contingency(senses["test", "polarity"])
    second, first = table.sum(axis=1), table.sum(axis=0)
    return {
        "annotator2.n_positive": second["P"],
        "annotator2.n_negative": second["N"],
        "annotator1.n_positive": first["P"],
        "annotator1.n_negative": first["N"],
        "annotator2.n_more_polar": (second - first)[["P", "N"]].sum(),
    }


def turned(claims: Mapping[str, float]) -> dict[str, float]:
    """Return the same counts with the annotators exchanged."""
    swapped = {name.translate(str.maketrans("12", "21")): n for name, n in claims.items()}
    swapped["annotator2.n_more_polar"] = -swapped.pop("annotator1.n_more_polar")
    return swapped


def arithmetic(printed: Mapping[str, float], observed: Collection[float]) -> dict[str, float]:
    """Compute what printed numbers say of each other.

    `observed` are the agreements in percent on subjectivity alone and on polarity alone; of
    what is said of both at once, the lower must hold.
    """
    ambiguous = printed["subjectivity_ambiguous"]
    return {
        "general_inquirer.n_words": sum(
            printed[f"general_inquirer_{name}"] for name in ("positive", "negative", "no_polarity")
        ),
        "collapsed.observed_agreement": min(observed),
        "sense_level.observed_agreement_gain": min(observed) - printed["word_level_agreement"],
        "ambiguous.subjectivity_share": 100 * ambiguous / printed["words"],
        "ambiguous.n_fewer_polarity": ambiguous
        - printed["polarity_ambiguous"]
        - printed["varying_polarity"],
        "ambiguous.n_more_than_reversed": ambiguous - printed["polarity_ambiguous"],
    }


def rating_sets(ratings: Mapping[str, LoadedData]) -> dict[tuple[str, str], LoadedData]:
    """Return the sets of ratings for which agreement can be computed, by group and score."""
    return {
        (group, score): ratings[f"micro_wnop_{group}_{score}"]
        for group in ("group1", "group2")
        for score in SCORES
    }


def wide(data: LoadedData) -> pd.DataFrame:
    """Lay out ratings with a row per item and a column per annotator."""
    table = data.labels.pivot(index="item", columns="annotator", values="label")
    return table.loc[list(data.items["item"])]


def pair_annotations(a: Annotations) -> dict[tuple[str, str], Annotations]:
    """Return the labels of each pair of annotators, by their numbers as the paper has them."""
    return {
        (str(i + 1), str(j + 1)): a.select(annotators=[i, j])
        for i, j in combinations(range(a.n_annotators), 2)
    }


#: Beside the paper's two coefficients: their names in tables, as functions of one pair.
COEFFICIENTS = {
    "correlation": agreement.pearson,
    "alpha": lambda a: agreement.krippendorff_alpha(a, metric="absolute", small_sample=False),
    "alpha, corrected": lambda a: agreement.krippendorff_alpha(a, metric="absolute"),
    "alpha, squared": lambda a: agreement.krippendorff_alpha(a, metric="interval"),
    "rank correlation": agreement.spearman,
    "ICC(2,1)": lambda a: agreement.icc(a, model="two-way-random", kind="agreement"),
}


def reliability_rows(table: pd.DataFrame) -> list[Computed]:
    """Return Table 5 as rows; a further coefficient stands beside the one it is akin to."""
    rows = []
    for found in table.itertuples():
        name = "correlation" if "correlation" in found.coefficient else "alpha"
        target = f"table5.{found.group}.{found.score}.{found.raters.replace(' and ', '_')}.{name}"
        method = PAPER_METHOD if found.coefficient == name else found.coefficient
        rows.append(value_row(target, with_ends(found), method=method))
    return rows


def n_synsets(ratings: Mapping[str, LoadedData]) -> int:
    """Count the synsets of the public ratings."""
    return sum(ratings[f"micro_wnop_{group}_positive"].annotations.n_items for group in GROUPS)


def shares_by_reading(shares: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return the shares of B, and of B and V, by whose labels count."""
    share = shares.set_index(["categories", "labels"])["percent"]
    rare, both = share["B"], share["B and V"]
    targets, readings = ["test.b.share", "polarity.b_v.share"], pd.concat([rare, both], axis=1)
    readings.loc[PAPER_METHOD] = rare[["annotator 1", "annotator 2"]].max(), both["mean of both"]
    methods = [PAPER_METHOD, "annotator 1", "annotator 2", "either annotator"]
    return readings.set_axis(targets, axis=1).loc[methods].to_dict("index")
