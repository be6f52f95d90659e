"""The tables of Carpenter (2008)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy.stats

from annobench.agreement import cohen_kappa
from annobench.datasets import LoadedData
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations
from annobench.models import hierarchical_binary
from annobench.models.diagnostics import convergence_table
from annobench.models.hierarchical_binary import HierarchicalBinaryFit

from .bayesian_kappa import kappa_posterior
from .values import POPULATION, RATES, as_printed, count_votes


def annotators(
    annotations: Annotations, gold: np.ndarray, fitted: HierarchicalBinaryFit
) -> pd.DataFrame:
    """List the annotators with gold rates, estimates with 80% intervals, and kappa."""
    counts = scores.confusion_counts(annotations, gold)
    columns = {"annotator": annotations.annotators, "n_labels": counts.sum(axis=(1, 2))}
    table = pd.DataFrame(columns)
    table[[f"gold_{name}" for name in RATES]] = scores.recall_by_category(counts)
    for name in RATES:
        low, high = fitted.interval(name, 0.80)
        table[name] = getattr(fitted, name)
        table[f"{name}_median"] = np.median(getattr(fitted.draws, name), axis=(0, 1))
        table[f"{name}_lower80"], table[f"{name}_upper80"] = low, high
    both = fitted.draws.sensitivity + fitted.draws.specificity
    table["probability_better_than_chance"] = (both > 1).mean(axis=(0, 1))
    table["gold_kappa"] = [cohen_kappa(Annotations.from_contingency(n)).estimate for n in counts]
    table["fisher_p"] = [scipy.stats.fisher_exact(n, alternative="greater").pvalue for n in counts]
    table["kept"] = hierarchical_binary.better_than_half(fitted)
    return table


def chance_readings(annotators: pd.DataFrame) -> pd.DataFrame:
    """Count the annotators no better than chance under every reading tried."""
    empirical = annotators["gold_sensitivity"] + annotators["gold_specificity"]
    estimated = annotators["sensitivity_median"] + annotators["specificity_median"]
    smaller = annotators[["gold_sensitivity", "gold_specificity"]].min(axis=1)
    better, p = annotators["probability_better_than_chance"], annotators["fisher_p"]
    kept, labels = annotators["kept"], annotators["n_labels"]
    readings = {
        "on or below the chance line, against gold": empirical <= 1,
        "strictly below the chance line, against gold": empirical < 1,
        "on or below the chance line, by the model": estimated <= 1,
        "probability of being better than chance below .95, by the model": better < 0.95,
        "not better than chance by a one-sided Fisher test at .05, against gold": p > 0.05,
        "the same at .01": p > 0.01,
        "the same at .001": p > 0.001,
        "sensitivity or specificity at most one half, against gold": smaller <= 0.5,
        "removed by pruning": ~kept,
    }
    rows = [
        ("annotators", name, mask.sum(), len(mask), 100 * mask.mean())
        for name, mask in readings.items()
    ]
    removed, n = labels[~kept].sum(), labels.sum()
    what = "given by the annotators that pruning removes"
    rows.append(("labels", what, removed, n, 100 * removed / n))
    return pd.DataFrame(rows, columns=["share_of", "reading", "count", "of", "percent"])


def pruning(annotations: Annotations, gold: np.ndarray, annotators: pd.DataFrame) -> pd.DataFrame:
    """Score voting after pruning as the borderline annotators are kept or removed.

    Estimates within a few hundredths of one half fall on either side by chance.
    """
    smaller = annotators[["sensitivity_median", "specificity_median"]].min(axis=1).to_numpy()
    n_removed, order = int((smaller < 0.5).sum()), np.argsort(smaller)
    rows = []
    for n in range(n_removed - 1, n_removed + 2):
        last, n_labels = order[n - 1], annotators["n_labels"].to_numpy()[order[:n]].sum()
        votes = count_votes(annotations.select(annotators=order[n:]), gold)
        rows.append(
            {"removed": n, "last_removed": annotators["annotator"][last]}
            | {"its_smaller_median": smaller[last], "labels_removed": n_labels}
            | {"percent_of_labels": 100 * n_labels / annotations.n_labels}
            | {f"voting_{name}": value for name, value in vars(votes).items()}
        )
    return pd.DataFrame(rows)


def certainty_readings(fits: Mapping[str, HierarchicalBinaryFit], gold: np.ndarray) -> pd.DataFrame:
    """Count uncertain items, and certain and wrong ones, by fit and by limit."""
    rows = []
    for name, fitted in fits.items():
        probability = fitted.posterior[:, 1]
        wrong = (probability > 0.5) != (gold == 1)
        for limit in (0.005, 0.01, 0.02, 0.05):
            uncertain = (probability > limit) & (probability < 1 - limit)
            rows.append((name, limit, uncertain.sum(), (~uncertain & wrong).sum()))
    return pd.DataFrame(rows, columns=["fit", "limit", "n_uncertain", "n_certain_wrong"])


def disagreements(rte: LoadedData, fitted: HierarchicalBinaryFit) -> pd.DataFrame:
    """List the items whose most probable category is not the gold one, most certain first."""
    probability = fitted.posterior[:, 1]
    table = rte.items.assign(
        gold=rte.gold,
        probability=probability,
        votes_for_1=rte.annotations.counts[:, 1],
        certain=(probability < 0.01) | (probability > 0.99),
        residual=np.abs(rte.gold - probability),
    )
    texts = [c for c in ("task", "text", "hypothesis") if c in rte.items.columns]
    wrong = table[table["residual"] > 0.5].sort_values("residual", ascending=False)
    return wrong[["item", "gold", "probability", "votes_for_1", "certain", *texts]]


def kappa(
    annotations: Annotations, fitted: HierarchicalBinaryFit, *, n_shared: int = 100
) -> pd.DataFrame:
    """Compare sample and posterior kappa for pairs who share at least `n_shared` items."""
    given = np.zeros((annotations.n_annotators, annotations.n_items), dtype=np.int64)
    given[annotations.annotator, annotations.item] = 1
    rows = []
    for pair in np.argwhere(np.triu(given @ given.T, k=1) >= n_shared):
        sample = cohen_kappa(annotations.select(annotators=pair))
        first, second = (annotations.annotators[j] for j in pair)
        posterior = kappa_posterior(fitted, first, second)
        row = {"first": first, "second": second, "n_items": sample.n_items}
        row |= {"sample_agreement": sample.observed_agreement, "sample_kappa": sample.estimate}
        error, mean = sample.standard_error, posterior.agreement.mean()
        row |= {"sample_standard_error": error, "agreement": mean}
        for name in ("kappa_prevalence", "kappa_margins"):
            draws = getattr(posterior, name)
            low, high = np.quantile(draws, [0.025, 0.975])
            row |= {name: draws.mean(), f"{name}_lower": low, f"{name}_upper": high}
        rows.append(row)
    columns = ["first", "second", "n_items", "sample_kappa"]
    return pd.DataFrame(rows, columns=None if rows else columns)


def intervals(fits: Mapping[str, HierarchicalBinaryFit]) -> pd.DataFrame:
    """List posterior means, medians and 95% intervals of the population parameters of fits."""
    rows = [
        (name, as_printed(each), draws.mean(), np.median(draws), *fitted.interval(each))
        for name, fitted in fits.items()
        for each in POPULATION
        for draws in [getattr(fitted.draws, each)]
    ]
    return pd.DataFrame(rows, columns=["fit", "parameter", "mean", "median", "lower95", "upper95"])


def errors(posteriors: Mapping[tuple[str, str], np.ndarray], gold: np.ndarray) -> pd.DataFrame:
    """Count errors of several labellings, posteriors by annotators and method."""
    rows = [
        {"annotators": who, "method": method, **vars(scores.count_errors(posterior, gold))}
        for (who, method), posterior in posteriors.items()
    ]
    return pd.DataFrame(rows)


def diagnostics(fitted: HierarchicalBinaryFit, effort: str) -> pd.DataFrame:
    """Return R-hat and effective sample sizes: of all parameters, or of the population's."""
    if effort == "full":
        return fitted.diagnostics
    names = POPULATION if fitted.hierarchical else POPULATION[:1]
    return convergence_table({n: (getattr(fitted.draws, n)[..., None], [""]) for n in names})


def convergence(fits: Mapping[str, HierarchicalBinaryFit], effort: str) -> pd.DataFrame:
    """Summarise R-hat and effective sample sizes by fit and parameter."""
    return pd.DataFrame(
        {
            "fit": name,
            "parameter": as_printed(parameter),
            "n": len(part),
            "n_without_r_hat": part["r_hat"].isna().sum(),
            "largest_r_hat": part["r_hat"].max(),
            "smallest_ess_bulk": part["ess_bulk"].min(),
            "smallest_ess_tail": part["ess_tail"].min(),
            "label_switches": fitted.label_switches.sum(),
        }
        for name, fitted in fits.items()
        for parameter, part in diagnostics(fitted, effort).groupby(level="parameter", sort=False)
    )


def new_annotator(fitted: HierarchicalBinaryFit, size: int = 20) -> pd.DataFrame:
    """Predict the correct labels of a new annotator on `size` items of each category."""
    prediction = fitted.predict_new_annotator(size, size)
    table = pd.DataFrame({"correct": range(size + 1)})
    table[f"probability_of_{size}_positive"] = prediction.true_positives
    table[f"probability_of_{size}_negative"] = prediction.true_negatives
    return table


def over_runs(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Summarise values, one run a row, over the runs."""
    summary = runs.describe(percentiles=[0.025, 0.5, 0.975]).T
    return summary.rename_axis(name).reset_index()
