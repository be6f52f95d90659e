"""Human ratings of JUDGE-BENCH: agreement, and the upper bound of a judge by simulated raters.

A simulated rater gives each item one of its answers at random, and is scored against the aggregate
of all answers: by Cohen's kappa with the majority, or by Spearman's rho with the mean.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from annobench.agreement import krippendorff_alpha
from annobench.datasets import LoadedData
from annobench.resampling.intervals import central_limits
from annobench.resampling.weights import draw_counts
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed
from annobench_replication.rounding import Rounded
from annobench_replication.study import Study

#: Properties by the name of their data set, in the order of the result files.
NAMES = (
    *("dices_350", "dices_990", "inferential_strategies"),
    *("newsroom_informativeness", "newsroom_relevance", "newsroom_fluency", "newsroom_coherence"),
    *("recipes_grammar", "recipes_fluency", "recipes_verbosity", "recipes_structure"),
    *("recipes_success", "recipes_overall"),
)
FAMILIES = {
    family: [n for n in NAMES if n.startswith(family)] for family in ("newsroom", "recipes")
}
#: Shares of the authors' number of simulated raters; bootstrap samples; permutations.
SHARE = {"full": 1.0, "quick": 0.1}
REPLICATES = {"full": 400, "quick": 20}
N_PERMUTED = {"full": 200, "quick": 20}
#: Shuffles of all answers, and simulated raters of each.
N_SHUFFLED = {"full": 20, "quick": 4}
N_RATERS = 20
#: The files have all digits of a machine; other orders of summation change the last ones.
MACHINE = 1e-12


@dataclass(frozen=True)
class Ratings:
    """The ratings of one property.

    Attributes
    ----------
    is_nominal : bool
        Whether the majority is the aggregate, and not the mean.
    code : ndarray, shape (I, L)
        Codes of the answers in their order; -1 beyond the end of an item's list.
    aggregate : ndarray, shape (I,)
        The code of the majority, or the mean, as released.
    grades : ndarray, shape (K,)
        The number of each category; of nominal ones 1 for the first, and 0.
    """

    is_nominal: bool
    code: np.ndarray
    aggregate: np.ndarray
    grades: np.ndarray

    @cached_property
    def length(self) -> np.ndarray:
        """The number of answers of each item, shape (I,)."""
        return (self.code >= 0).sum(axis=1)


def read(data: LoadedData) -> Ratings:
    """Read one property; items and answers in the order of the file."""
    labels = data.labels
    item = pd.Index(data.items["item"]).get_indexer(labels["item"])
    place = labels.groupby("item").cumcount().to_numpy()
    categories = list(data.meta["categories"])
    code = np.full((len(data.items), place.max() + 1), -1)
    code[item, place] = pd.Index(categories).get_indexer(labels["label"])
    answered = (code >= 0).any(axis=1)
    aggregate = data.items["aggregate"]
    is_nominal = data.meta["scale"] == "nominal"
    if is_nominal:
        target = pd.Index(categories).get_indexer(aggregate)
        grades = np.arange(len(categories)) == 0
    else:
        target, grades = aggregate.to_numpy(dtype=float), np.array(categories, dtype=float)
    return Ratings(is_nominal, code[answered], target[answered], grades.astype(float))


def alphas(study: Study) -> dict[str, float]:
    """Return Krippendorff's alpha of each property: nominal or ordinal."""
    found = {}
    for name in NAMES:
        data = study.data(f"judge_bench_{name}")
        metric = "nominal" if data.meta["scale"] == "nominal" else "ordinal"
        found[name] = float(krippendorff_alpha(data.annotations, metric=metric).estimate)
    return found


def alpha_values(found: Mapping[str, float]) -> dict[str, Rounded | float]:
    """Return alphas with the precision of the machine, and their means by data set."""
    rows: dict[str, Rounded | float] = {
        f"alpha.{name}": Rounded(value, value - MACHINE, value + MACHINE)
        for name, value in found.items()
    }
    for name in ("dices_990", "inferential_strategies", "dices_350"):
        rows[f"tex.{name}.alpha"] = found[name]
    for family, names in FAMILIES.items():
        rows[f"tex.{family}.alpha"] = float(np.mean([found[name] for name in names]))
    return rows


def uniform(seed: int, shape: tuple[int, int]) -> np.ndarray:
    """Return the numbers of Python's generator, row by row."""
    # Both programs have the same generator but seed it differently; its state is handed over.
    _, state, _ = random.Random(seed).getstate()  # noqa: S311 (the authors' generator)
    generator = np.random.RandomState()
    generator.set_state(("MT19937", state[:-1], state[-1]))
    return generator.random_sample(shape)


def released_raters(ratings: Ratings, seed: int, n: int) -> np.ndarray:
    """Draw the simulated raters of the authors: codes of shape (n, I)."""
    place = (uniform(seed, (len(ratings.code), n)) * ratings.length[:, None]).astype(int)
    return np.take_along_axis(ratings.code, place, axis=1).T


def agreements(ratings: Ratings, raters: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Score raters of shape (R, I) against a target of shape (I,) or (R, I)."""
    goal = np.broadcast_to(target, raters.shape)
    if ratings.is_nominal:
        return kappas(raters, goal, len(ratings.grades))
    return rhos(ratings.grades[raters], goal)


def kappas(first: np.ndarray, second: np.ndarray, n_categories: int) -> np.ndarray:
    """Compute Cohen's kappa of each pair of rows."""
    observed = (first == second).mean(axis=1)
    expected = sum(
        (first == k).mean(axis=1) * (second == k).mean(axis=1) for k in range(n_categories)
    )
    return np.asarray((observed - expected) / (1 - expected))


def rhos(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute Spearman's rho of each pair of rows; ties have mean ranks."""
    a, b = (rankdata(each, axis=1) for each in (first, second))
    a, b = (each - each.mean(axis=1, keepdims=True) for each in (a, b))
    return np.asarray((a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))


def bounds(
    data: Mapping[str, Ratings], settings: pd.Series, effort: Effort
) -> dict[str, tuple[float, float]]:
    """Return the mean and the standard deviation over the authors' simulated raters."""
    n = max(2, round(SHARE[effort] * int(settings["raters"])))
    found = {}
    for name, ratings in data.items():
        scores = agreements(
            ratings, released_raters(ratings, int(settings["seed"]), n), ratings.aggregate
        )
        found[name] = float(scores.mean()), float(scores.std())
    return found


def bound_values(found: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Return the values of the authors' notebook, by target."""
    rows: dict[str, float] = {}
    for name, (mean, deviation) in found.items():
        rows |= {f"bound.{name}.mean": mean, f"bound.{name}.sd": deviation}
    for family, names in FAMILIES.items():
        rows[f"bound.{family}.average"] = float(np.mean([found[name][0] for name in names]))
    return rows


def sizes(data: Mapping[str, Ratings]) -> dict[str, float]:
    """Count instances."""
    first = {"newsroom": "newsroom_informativeness", "recipes": "recipes_grammar"}
    names = {name: name for name in NAMES[:3]} | first
    return {f"n.{family}": len(data[name].code) for family, name in names.items()}


def drawn_raters(
    ratings: Ratings, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw simulated raters; return their codes and places in the lists, shape (n, I)."""
    place = (rng.random((n, len(ratings.code))) * ratings.length).astype(int)
    return np.take_along_axis(ratings.code, place.T, axis=1).T, place


def aggregate_of(ratings: Ratings, code: np.ndarray) -> np.ndarray:
    """Return the majority (the first of those that tie) or the mean of the answers of items."""
    counts = (code[..., None] == np.arange(len(ratings.grades))).sum(axis=-2)
    if ratings.is_nominal:
        return counts.argmax(axis=-1)
    # Equal means must be equal numbers, so that they tie.
    return np.round(counts @ ratings.grades / counts.sum(axis=-1), 9)


def against_the_others(ratings: Ratings, n: int, rng: np.random.Generator) -> float:
    """Score simulated raters against the aggregate of the other answers of each item."""
    raters, _ = drawn_raters(ratings, n, rng)
    counts = (ratings.code[..., None] == np.arange(len(ratings.grades))).sum(axis=1)
    own = raters[..., None] == np.arange(len(ratings.grades))
    others = counts - own
    if ratings.is_nominal:
        target = others.argmax(axis=-1)
    else:
        target = np.round(others @ ratings.grades / others.sum(axis=-1), 9)
    return float(agreements(ratings, raters, target).mean())


def without_agreement(ratings: Ratings, shuffles: int, rng: np.random.Generator) -> float:
    """Score simulated raters where answers are shuffled over all items, so that none agree."""
    means = []
    given = ratings.code >= 0
    for _ in range(shuffles):
        code = ratings.code.copy()
        code[given] = rng.permutation(ratings.code[given])
        mixed = Ratings(ratings.is_nominal, code, aggregate_of(ratings, code), ratings.grades)
        raters, _ = drawn_raters(mixed, N_RATERS, rng)
        means.append(agreements(mixed, raters, mixed.aggregate).mean())
    return float(np.mean(means))


def at_the_limit(ratings: Ratings) -> float:
    """Return kappa as the number of items grows: of the expected confusion matrix.

    NaN for graded properties, where rho has no such form.
    """
    if not ratings.is_nominal:
        return float("nan")
    share = (ratings.code[..., None] == np.arange(len(ratings.grades))).sum(axis=1)
    share = share / share.sum(axis=1, keepdims=True)
    observed = share[np.arange(len(share)), ratings.aggregate].mean()
    counts = np.bincount(ratings.aggregate, minlength=len(ratings.grades))
    expected = share.mean(axis=0) @ (counts / counts.sum())
    return float((observed - expected) / (1 - expected))


def table_of_bounds(
    data: Mapping[str, Ratings],
    released: Mapping[str, tuple[float, float]],
    alpha: Mapping[str, float],
    rng: np.random.Generator,
    effort: Effort,
) -> pd.DataFrame:
    """Compare the bound with what is left of it without the rater's own answer, and by chance."""
    rows = []
    for name, ratings in data.items():
        mean, deviation = released[name]
        rows.append(
            {
                **{"property": name, "alpha": alpha[name], "bound": mean, "sd": deviation},
                "limit": at_the_limit(ratings),
                "others": against_the_others(ratings, REPLICATES[effort] // 4, rng),
                "chance": without_agreement(ratings, N_SHUFFLED[effort], rng),
            }
        )
    return pd.DataFrame(rows)


def spread_of_positions(code: np.ndarray, grades: np.ndarray) -> float:
    """Return the variance of the mean rating over the positions that all items have."""
    return float(grades[code].mean(axis=0).var())


def table_of_positions(
    data: Mapping[str, Ratings], rng: np.random.Generator, effort: Effort
) -> pd.DataFrame:
    """Compare positions in the lists with chance, which is exceeded where a position is a rater."""
    rows = []
    for name, ratings in data.items():
        code = ratings.code[:, : ratings.length.min()]
        found = spread_of_positions(code, ratings.grades)
        permuted = np.array(
            [
                spread_of_positions(rng.permuted(code, axis=1), ratings.grades)
                for _ in range(N_PERMUTED[effort])
            ]
        )
        mean = permuted.mean()
        rows.append(
            {
                **{"property": name, "positions": code.shape[1], "variance": found},
                **{"by_chance": mean, "ratio": found / mean if mean > 0 else np.nan},
                "p_value": (1 + (permuted >= found).sum()) / (1 + permuted.size),
            }
        )
    return pd.DataFrame(rows)


def table_of_raters(ratings: Ratings, rng: np.random.Generator) -> pd.DataFrame:
    """Return the share of each answer by position, and where answers are permuted in items."""
    own = ratings.code[:, : ratings.length.min()]
    mixed = rng.permuted(own, axis=1)
    last = len(ratings.grades) - 1
    return pd.DataFrame(
        {
            "position": np.arange(1, own.shape[1] + 1),
            "unsafe": np.sort((own == last).mean(axis=0)),
            "permuted": np.sort((mixed == last).mean(axis=0)),
        }
    )


def crossed_alphas(ratings: Ratings, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Resample raters and items of complete ratings; return nominal alphas.

    Two copies of one rater are no pair, so that copies do not count as agreement.
    """
    answers = ratings.code[..., None] == np.arange(len(ratings.grades))
    n_items, n_raters = ratings.code.shape
    by_item = draw_counts(n_items, replicates, rng)
    by_rater = draw_counts(n_raters, replicates, rng)
    found = []
    for item, rater in zip(by_item, by_rater, strict=True):
        counts = np.tensordot(answers, rater, axes=(1, 0))
        copies = (rater**2).sum()
        pairs = rater.sum() ** 2 - copies
        agreement = ((counts**2).sum(axis=1) - copies) / pairs
        share = item @ counts / (item.sum() * rater.sum())
        expected = (share**2).sum()
        found.append((item @ agreement / item.sum() - expected) / (1 - expected))
    return np.array(found)


def table_of_alphas(study: Study, data: Mapping[str, Ratings], crossed: np.ndarray) -> pd.DataFrame:
    """Return alphas with intervals over items, and of DICES-350 over raters, too."""
    rows = []
    for name, ratings in data.items():
        loaded = study.data(f"judge_bench_{name}")
        metric = "nominal" if ratings.is_nominal else "ordinal"
        found = krippendorff_alpha(loaded.annotations, metric=metric)
        equal = ratings.code == ratings.code[:, :1]
        unanimous = (equal | (ratings.code < 0)).all(axis=1)
        row = {"property": name, "metric": metric, "estimate": float(found.estimate)}
        # Without any disagreement an interval over items has zero width.
        ends = found.interval() if not unanimous.all() else None
        row |= {"lower": ends.lower if ends else np.nan, "upper": ends.upper if ends else np.nan}
        lower, upper = central_limits(np.asarray(crossed), 0.95)
        both = name == NAMES[0]
        row |= {
            "raters_lower": lower if both else np.nan,
            "raters_upper": upper if both else np.nan,
        }
        rows.append(row | {"unanimous": float(unanimous.mean())})
    return pd.DataFrame(rows)


def other_seeds(
    data: Mapping[str, Ratings], settings: pd.Series, effort: Effort, rng: np.random.Generator
) -> list[Computed]:
    """Return bounds from a generator and raters of our own, shown beside the released ones."""
    n = max(2, round(SHARE[effort] * int(settings["raters"])))
    return [
        Computed(
            f"bound.{name}.mean",
            float(agreements(ratings, drawn_raters(ratings, n, rng)[0], ratings.aggregate).mean()),
            method="other raters",
        )
        for name, ratings in data.items()
    ]
