"""The tables of Bhowmick et al. (2008) for any corpus, and A_m beside other coefficients."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from annobench.agreement import Agreement, difference, fleiss_kappa, krippendorff_alpha
from annobench.agreement.coefficients.paired_agreement import (
    PairedAgreement,
    from_membership,
    paired_agreement,
)
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench_replication.rows import interval_columns

from . import simulate, values
from .expert_index import expert_gold

#: Parts of the result of a test.
TESTED = ("estimate", "standard_error", "lower", "upper", "p_value")


def table1(corpora: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Compute P_o, P_e and A_m with intervals, pooled as in the paper and in four combinations."""
    return pd.DataFrame(
        {"data": name, "combinations": n} | parts(values.measured(corpus, n))
        for name, corpus in corpora.items()
        for n in (3, 4)
    )


def parts(result: Agreement) -> dict[str, float]:
    """Return the parts of a coefficient with its interval."""
    return {
        "observed_agreement": result.observed_agreement,
        "expected_agreement": result.expected_agreement,
        "am": result.estimate,
        "standard_error": result.standard_error,
        **interval_columns(result.interval(level=values.LEVEL)),
    }


def table2(corpus: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Compute P_o, P_e and A_m for each pair of annotators."""
    rows = []
    for u, v in itertools.combinations(range(len(names)), 2):
        pair = corpus[:, [u, v]]
        four = values.measured(pair, 4)
        rows.append(
            {"pair": f"{names[u]}-{names[v]}"}
            | parts(values.measured(pair))
            | {"expected_agreement_four": four.expected_agreement, "am_four": four.estimate}
        )
    return pd.DataFrame(rows)


def table3(corpora: Mapping[str, np.ndarray], printed: np.ndarray) -> pd.DataFrame:
    """Count the items in the paper's classes of observed agreement."""
    counts = {name: class_counts(values.measured(corpus)) for name, corpus in corpora.items()}
    return pd.DataFrame({"agreement": values.CLASSES, "printed": printed} | counts)


def class_counts(result: PairedAgreement) -> np.ndarray:
    """Count the items in the classes of Table 3, shape (4,)."""
    return np.bincount(values.classes_of(result.item_agreement), minlength=len(values.CLASSES))


def table4(corpus: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Count the items on which two annotators disagree, by category."""
    rows = [
        [f"{names[u]}-{names[v]}", *(corpus[:, u] != corpus[:, v]).sum(axis=0)]
        for u, v in itertools.combinations(range(len(names)), 2)
    ]
    table = pd.DataFrame(rows, columns=["pair", *values.CATEGORIES])
    table.loc[len(table)] = ["Total", *table[list(values.CATEGORIES)].sum()]
    return table


def table5(corpora: Mapping[str, np.ndarray], printed: np.ndarray) -> pd.DataFrame:
    """Compute the confusions of Table 5, one row per pair of categories."""
    names = [(values.CATEGORIES[a], values.CATEGORIES[b]) for a, b in values.CATEGORY_PAIRS]
    table = pd.DataFrame(names, columns=["first", "second"]).assign(printed=printed)
    return table.assign(**{name: values.confusions(corpus) for name, corpus in corpora.items()})


def gold_standards(corpora: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Count the items of each category in the gold standard of Algorithm 1 (Figure 3)."""
    return pd.DataFrame(
        {"category": values.CATEGORIES}
        | {name: values.gold_standard(corpus).gold.sum(axis=0) for name, corpus in corpora.items()}
    )


def expert_indices(
    corpora: Mapping[str, np.ndarray], annotators: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return the final expert index of every annotator, under both readings of a tie."""
    tables = []
    for name, corpus in corpora.items():
        plain, counted = (values.gold_standard(corpus, count_ties=count) for count in (False, True))
        table = pd.DataFrame({"data": name, "annotator": annotators[name]})
        tables.append(
            table.assign(
                expert_index=plain.expert_index,
                share_with_majority=plain.expert_index / (~plain.tied).sum(),
                expert_index_ties_counted=counted.expert_index,
            )
        )
    return pd.concat(tables)


def category_counts(corpus: np.ndarray, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Count the items that each annotator puts into each category (Figure 1)."""
    counts = corpus.sum(axis=0)
    return {f"annotator {name}": own for name, own in zip(names, counts, strict=True)}


def repeated_corpora(rng: np.random.Generator, printed: values.Printed, n: int) -> pd.DataFrame:
    """Summarise new simulated corpora beside the printed values."""
    rows = []
    for generator in rng.spawn(n):
        corpus = simulate.corpus(generator, printed)
        pooled = values.measured(corpus)
        high = values.classes_of(pooled.item_agreement) == len(values.CLASSES) - 1
        rows.append(
            [
                pooled.observed_agreement,
                pooled.expected_agreement,
                pooled.estimate,
                values.measured(corpus, 4).estimate,
                *class_counts(pooled),
                *table4(corpus, "123").iloc[-1, 1:],
                values.confusions(corpus).sum(),
                100 * (values.gold_standard(corpus).gold[high].sum(axis=1) == 1).mean(),
            ]
        )
    names = ["Table 1, P_o", "Table 1, P_e", "Table 1, A_m", "A_m, four combinations"]
    names += [f"Table 3, {lower} to {upper}" for lower, upper in itertools.pairwise(values.EDGES)]
    names += [f"Table 4, total {name}" for name in values.CATEGORIES]
    names += ["Table 5, sum", "§5.2, percent single"]
    shown = [*printed.table1.astype(float), np.nan, *printed.table3, *printed.table4.sum(axis=0)]
    shown += [printed.table5.sum(), printed.text["single_percent"]]
    found = pd.DataFrame(rows, dtype=float)
    table = pd.DataFrame({"value": names, "printed_or_its_sum": shown, "mean": found.mean()})
    return table.assign(lower=found.quantile(0.025), upper=found.quantile(0.975))


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
    sets = from_membership(corpus, annotators=names, elements=values.CATEGORIES)
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
        for c, name in enumerate(values.CATEGORIES)
    }
    rows = {title: parts(result) for title, result in found.items()}
    table = pd.DataFrame(rows).T.rename(columns={"am": "estimate"})
    kappas = table.loc[table.index.str.startswith("Fleiss"), "estimate"]
    table.loc["mean of the six kappas", "estimate"] = kappas.mean()
    return table.rename_axis("coefficient").reset_index()


def with_annotators(table: pd.DataFrame, found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Add intervals for other annotators, by the jackknife, to the coefficients of whole sets."""
    ends = {
        name: interval_columns(
            result.interval("jackknife", unit="annotators", level=values.LEVEL), "annotators_"
        )
        for name, result in found.items()
    }
    return table.join(pd.DataFrame(ends).T, on="coefficient")


def differences(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Compare coefficients of the same labels, each with each."""
    rows = []
    for first, second in itertools.combinations(found, 2):
        result = difference(found[first], found[second], level=values.LEVEL)
        numbers = (getattr(result, name) for name in TESTED)
        rows.append((first, second, *numbers))
    return pd.DataFrame(rows, columns=["first", "second", "difference", *TESTED[1:]])


def leave_one_out(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """Compute the coefficients without each annotator, and with all."""
    each = {name: result.leave_one_out() for name, result in found.items()}
    table = pd.DataFrame({n: own.set_index("annotator")["estimate"] for n, own in each.items()})
    table.loc["(nobody)"] = [result.estimate for result in found.values()]
    return table.rename_axis("without").reset_index()


def by_threshold(data: Sequence[LoadedData], thresholds: Sequence[float]) -> pd.DataFrame:
    """Compute the coefficients, categories per label and ties for sets of several thresholds."""
    rows = []
    for threshold in thresholds:
        corpus, names = headline_sets(data, threshold)
        size = corpus.sum(axis=2)
        estimates = coefficients(corpus, names).set_index("coefficient")["estimate"]
        rows.append(
            {
                "threshold": threshold,
                "categories_per_label": size.mean(),
                "share_empty": (size == 0).mean(),
                "ties": values.gold_standard(corpus).n_ties,
            }
            | {name: value for name, value in estimates.items() if "Fleiss" not in name}
        )
    return pd.DataFrame(rows)


def tie_orders(corpus: np.ndarray, rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Run Algorithm 1 on the items in their own order and in random ones."""
    annotations = from_membership(corpus)
    own = expert_gold(annotations)
    found = {"as given": own} | {
        f"random {run}": expert_gold(annotations, order=rng.permutation(len(corpus)))
        for run in range(1, n + 1)
    }
    return pd.DataFrame(
        {
            "order": order,
            "ties": result.n_ties,
            "to_yes": int((result.gold & own.tied).sum()),
            "left_tied": result.n_unresolved,
            "unlike_given_order": int((result.gold != own.gold).sum()),
        }
        for order, result in found.items()
    )


def independent_am(prevalence: np.ndarray) -> pd.DataFrame:
    """Return A_m of annotators who assign every category independently with one prevalence."""
    q = np.asarray(prevalence)
    observed = (q**2 + (1 - q) ** 2) ** 2
    pooled = (1 - q) ** 4 + (2 * q * (1 - q)) ** 2 + q**4
    am, four = values.am(observed, pooled), values.am(observed, observed)
    agreements = {"observed_agreement": observed, "expected_agreement": pooled}
    return pd.DataFrame({"prevalence": q, **agreements, "am": am, "am_four": four})
