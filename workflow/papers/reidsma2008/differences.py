"""Section 2.2: tests of differences between annotators beyond those between meetings.

A meeting has one annotator, so that whole meetings are permuted, not utterances. Two statistics:
the advantage of trees on their own annotator's test data, and the distance of annotators' labels
from what a common classifier, not trained on the group of meetings, expects of them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold

from annobench.resampling.clusters import homogeneity_chi_square, permute_clusters

from . import learning
from .classifiers import maximum_entropy, tree
from .utterances import ANNOTATORS, CODES, NAMES, Utterances

#: Permutations of annotators with trees trained anew, permutations without.
N_RETRAINED = {"full": 99, "quick": 9}
N_PERMUTED = {"full": 4999, "quick": 199}


@dataclass(frozen=True)
class Meetings:
    """The residual labels of a classifier common to all annotators, by meeting."""

    who: np.ndarray
    site: np.ndarray
    group: np.ndarray
    sums: np.ndarray  # of labels less their expected probabilities, shape (M, K)
    sizes: np.ndarray  # numbers of utterances


def own_advantage(yeah: Utterances, annotator: np.ndarray, test: np.ndarray) -> float:
    """Return by how much trees do better on test data of their own annotator, in points."""
    gold = yeah.category[test]
    accuracy = np.zeros((3, 3))
    for n, who in enumerate(ANNOTATORS):
        train = ~test & (annotator == who)
        answer = tree().fit(yeah.features[train], yeah.category[train]).predict(yeah.features[test])
        for m, other in enumerate(ANNOTATORS):
            accuracy[n, m] = 100 * np.mean((answer == gold)[annotator[test] == other])
    own = np.eye(3, dtype=bool)
    return float(accuracy[own].mean() - accuracy[~own].mean())


def permutation_tests(
    yeah: Utterances, rng: np.random.Generator, effort: str
) -> tuple[pd.DataFrame, dict[str, np.ndarray], Meetings]:
    """Test both statistics by permuting the annotators of meetings.

    Returns the tests, the null distribution of each statistic, and the residuals by meeting.
    """
    place, names = pd.factorize(yeah.meeting)
    first = np.unique(place, return_index=True)[1]
    who, test = yeah.annotator[first], yeah.test
    drawn = (
        permute_clusters(who, strata=test[first].astype(int), rng=rng)
        for _ in range(N_RETRAINED[effort])
    )
    null = np.array([own_advantage(yeah, other[place], test) for other in drawn])
    found = {"own advantage": (own_advantage(yeah, yeah.annotator, test), null)}
    residual, n = residuals(yeah), N_PERMUTED[effort]
    sums = np.column_stack([np.bincount(place, r, names.size) for r in residual.T])
    meetings = Meetings(who, yeah.site[first], yeah.group[first], sums, np.bincount(place))
    rates = np.bincount(yeah.category, minlength=len(CODES)) / place.size
    departure = float(homogeneity_chi_square(sums, meetings.sizes, rates, who[None])[0])
    strata = {"departure": np.zeros(names.size), "departure, within site": meetings.site}
    for name, own in strata.items():
        permuted = np.stack([permute_clusters(who, strata=own, rng=rng) for _ in range(n)])
        found[name] = departure, homogeneity_chi_square(sums, meetings.sizes, rates, permuted)
    found["departure, whole groups of one annotator"] = group_departures(meetings, rates, rng, n)
    single = np.stack([rng.permutation(yeah.annotator) for _ in range(199)])
    null = homogeneity_chi_square(residual, np.ones(place.size), rates, single)
    found["departure, utterances exchanged"] = departure, null
    table = pd.DataFrame(
        {
            "statistic": name,
            "observed": value,
            "mean under exchange": null.mean(),
            "95% point": np.quantile(null, 0.95),
            "exchanges": null.size,
            "p_value": (1 + (null >= value).sum()) / (1 + null.size),
        }
        for name, (value, null) in found.items()
    )
    return table, {name: null for name, (_, null) in found.items()}, meetings


def group_departures(
    meetings: Meetings, rates: np.ndarray, rng: np.random.Generator, n_permuted: int
) -> tuple[float, np.ndarray]:
    """Permute annotators between groups of meetings, whose participants are the same people.

    Groups that annotators share are left out. Returns the observed statistic and its null
    distribution.
    """
    place, groups = pd.factorize(meetings.group)
    whole = np.array([np.unique(meetings.who[place == n]).size == 1 for n in range(groups.size)])
    first = np.unique(place, return_index=True)[1]
    totals = np.column_stack([np.bincount(place, column) for column in meetings.sums.T])[whole]
    n, own = np.bincount(place, meetings.sizes)[whole], meetings.who[first][whole]
    drawn = np.stack([rng.permutation(own) for _ in range(n_permuted)])
    observed = homogeneity_chi_square(totals, n, rates, own[None])
    return float(observed[0]), homogeneity_chi_square(totals, n, rates, drawn)


def tendencies(meetings: Meetings, rng: np.random.Generator, n_boot: int) -> pd.DataFrame:
    """Return which labels an annotator gives more often than a common classifier expects.

    In percentage points, with 95% intervals that resample the annotator's meetings.
    """
    tables = []
    for name in ANNOTATORS:
        own = meetings.who == name
        sums, sizes, n = meetings.sums[own], meetings.sizes[own], int(own.sum())
        weights = rng.multinomial(n, np.full(n, 1 / n), size=n_boot)
        drawn = 100 * (weights @ sums) / (weights @ sizes)[:, None]
        lower, upper = np.quantile(drawn, [0.025, 0.975], axis=0)
        columns = {"annotator": name.upper(), "category": list(NAMES.values()), "meetings": n}
        columns |= {"excess": 100 * sums.sum(axis=0) / sizes.sum(), "lower": lower, "upper": upper}
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def residuals(yeah: Utterances) -> np.ndarray:
    """Return labels minus the probabilities of a classifier not trained on the group."""
    expected = np.zeros((yeah.category.size, len(CODES)))
    for train, test in GroupKFold(5).split(yeah.features, groups=yeah.group):
        model = maximum_entropy().fit(yeah.features[train], yeah.category[train])
        expected[test] = learning.probabilities(model, yeah.features[test], len(CODES))
    return np.eye(len(CODES))[yeah.category] - expected
