"""Data sets simulated from model M, and from two components with unequal annotators."""

import numpy as np
import pandas as pd

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.noise import mixtures
from annobench.noise.mixtures import Counts

from .models import Printed, pearson


def brte(printed: Printed, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Simulate BRTE from model M: 20 labels per item, split at random, M fitted to one half.

    The gold label of a simulated easy item is its component, that of a hard one is random.
    """
    m, n_items = printed.mixture("three"), int(printed.value("n_items"))
    component = rng.choice(3, size=(replicates, n_items), p=m.share)
    total = rng.binomial(20, m.rate[component])
    first = rng.hypergeometric(total, 20 - total, 10)
    gold = np.where(component == 1, rng.random(component.shape) < 0.5, component == 2)
    halves = first, total - first
    of_a, of_b = (np.stack([np.bincount(row, minlength=11) for row in half]) for half in halves)
    fitted = mixtures.fit(Counts.from_histogram(of_a[0]), 3, method="least_squares")
    again = mixtures.refit(of_a, mixtures.MixtureFit(m, fitted.counts, "least_squares"))

    def accuracy(half: np.ndarray) -> np.ndarray:
        tie = half == 5
        right = ((half > 5) == gold).mean(axis=1, where=~tie) * (~tie).mean(axis=1)
        return 100 * (right + 0.5 * tie.mean(axis=1))

    return pd.DataFrame(
        {
            "chi_square_a": again.chi_square,
            "chi_square_b": pearson(of_b, n_items * again.pmf(10)),
            "accuracy_a": accuracy(halves[0]),
            "accuracy_b": accuracy(halves[1]),
            "hard_share": 100 * again.hard_share(),
        }
    )


def annotators(
    a: Annotations, counts: Counts, rng: np.random.Generator, printed: Printed, replicates: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test whether unequal annotators look like a third component of items.

    Two components and the rates of Dawid and Skene's fit to RTE-1. Returns a summary of each
    design, and the chi-squares of two binomials fitted to each simulated histogram.
    """
    fitted = dawid_skene.fit(a)
    sensitivity, specificity = fitted.confusion[:, 1, 1], fitted.confusion[:, 0, 0]
    prevalence = float(fitted.prevalence[1])
    two, three = mixtures.fit(counts, 2), mixtures.fit(counts, 3)
    expected = mixtures.annotator_histogram(a, prevalence, sensitivity, specificity)
    who = a.annotator[a.by_item.order].reshape(a.n_items, -1)
    observed, own = two.chi_square().statistic, pearson(counts.histogram, expected)
    gain = 2 * (three.log_likelihood - two.log_likelihood)
    critical, draws, rows = printed.closed_forms()["two.critical"], {}, []
    for design in ("real sets of annotators", "a new annotator for every label"):
        histograms = np.empty((replicates, who.shape[1] + 1))
        for r in range(replicates):
            chosen = who if design.startswith("real") else rng.choice(a.annotator, size=who.shape)
            positive = rng.random(a.n_items) < prevalence
            rate = np.where(positive[:, None], sensitivity[chosen], 1 - specificity[chosen])
            x = (rng.random(who.shape) < rate).sum(axis=1)
            histograms[r] = np.bincount(x, minlength=who.shape[1] + 1)
        found = draws[design] = mixtures.refit(histograms, two).chi_square
        ratio = mixtures.likelihood_ratios(histograms, two)
        against = pearson(histograms, expected)
        rows.append(
            {
                "design": design,
                "chi_square_95": np.quantile(found, 0.95),
                "chi_square_largest": found.max(),
                "rejected_percent": 100 * (found > critical).mean(),
                "rte1_chi_square": observed,
                "rte1_p": (1 + (found >= observed).sum()) / (1 + replicates),
                "likelihood_ratio_95": np.quantile(ratio, 0.95),
                "rte1_likelihood_ratio": gain,
                "rte1_likelihood_ratio_p": (1 + (ratio >= gain).sum()) / (1 + replicates),
                "rte1_chi_square_of_annotators": own,
                "rte1_p_of_annotators": (1 + (against >= own).sum()) / (1 + replicates),
            }
        )
    return pd.DataFrame(rows), pd.DataFrame(draws)
