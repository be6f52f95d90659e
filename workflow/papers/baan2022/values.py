"""What the notebook prints: calibration to the majority, and to the distribution of the votes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import entropy

from annobench.datasets import LoadedData
from annobench.evaluation.calibration import expected_calibration_error
from annobench.evaluation.soft_labels import calibration_to_humans

MODELS = ("0", "1", "2")
#: The measures in the order of the notebook, and what it calls them.
MEASURES = {
    "acc": "Acc",
    "ece": "ECE",
    "rankcs": "RankCS",
    "entce": "EntCE",
    "distce": "DistCE",
}


@dataclass(frozen=True, eq=False)
class Items:
    """Items with votes and logits, in the order of the prediction files.

    `votes` has shape (I, 3), `logits` an array of this shape for each model; `before` counts the
    earlier labels.
    """

    votes: np.ndarray
    logits: Mapping[str, np.ndarray]
    before: np.ndarray

    @classmethod
    def of(cls, chaos: LoadedData, predictions: LoadedData) -> "Items":
        """Put votes and logits together; an item has all its categories in both."""
        categories = list(chaos.annotations.categories)
        votes = pd.DataFrame(chaos.annotations.counts, chaos.items["item"])
        own = predictions.labels.merge(predictions.items, on="item")
        wide = own.pivot(index="uid", columns=["annotator", "category"], values="label")
        order = predictions.items["uid"].drop_duplicates()
        wide = wide.reindex(order[order.isin(votes.index)]).dropna()
        logits = {model: wide[f"roberta-base/{model}"][categories].to_numpy() for model in MODELS}
        before = chaos.items.set_index("item").reindex(wide.index).filter(like="before_")
        return cls(votes.reindex(wide.index).to_numpy(), logits, before.to_numpy())

    @property
    def shares(self) -> np.ndarray:
        """The relative frequencies of the votes."""
        return relative(self.votes)

    def predicted(self, model: str, temperature: float = 1.0) -> np.ndarray:
        """Return a model's probabilities, with its logits divided by a temperature."""
        return np.asarray(softmax(self.logits[model] / temperature, axis=1))


@dataclass(frozen=True)
class Settings:
    """The settings of the notebook."""

    temperature: float
    votes: int
    bins: int
    histogram_bins: int
    seed: int

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> "Settings":
        """Take them from a printed table."""
        whole = {name: int(numbers[name]) for name in ("votes", "bins", "histogram_bins", "seed")}
        return cls(temperature=float(numbers["temperature"]), **whole)


def relative(votes: np.ndarray) -> np.ndarray:
    """Divide votes by their number."""
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))


def calibration_error(
    predicted: np.ndarray, shares: np.ndarray, bins: int, counts: np.ndarray | None = None
) -> float | np.ndarray:
    """Compute calibration to the majority; the first of several highest categories counts."""
    right = predicted.argmax(axis=1) == shares.argmax(axis=1)
    return expected_calibration_error(predicted.max(axis=1), right, bins=bins, counts=counts)


def scores(predicted: np.ndarray, shares: np.ndarray, bins: int) -> dict[str, float]:
    """Compute the five measures; in two of them the last of several highest categories counts."""
    found = calibration_to_humans(predicted, shares, ties="last")
    return {
        "acc": found.accuracy,
        "ece": float(calibration_error(predicted, shares, bins)),
        "rankcs": found.ranking,
        "entce": found.entropy_error,
        "distce": found.distance,
    }


def classifiers(items: Items, temperature: float) -> dict[str, np.ndarray]:
    """Return the columns of Table 1 by name."""
    plain = {f"roberta{model}": items.predicted(model) for model in MODELS}
    scaled = {f"roberta{model}_ts": items.predicted(model, temperature) for model in MODELS}
    return {**plain, **scaled, "oracle": items.shares}


def table1_values(items: Items, settings: Settings) -> dict[str, float]:
    """Compute Table 1."""
    return {
        f"table1.{measure}.{name}": value
        for name, predicted in classifiers(items, settings.temperature).items()
        for measure, value in scores(predicted, items.shares, settings.bins).items()
    }


def subsampled(items: Items, settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw two humans of some votes each, without replacement, and return what is left.

    The places of an item's votes, sorted by category, are shuffled item by item in the order of the
    prediction files.
    """
    rng = np.random.default_rng(settings.seed)
    n = settings.votes
    found = np.zeros((3, *items.votes.shape), dtype=np.int64)
    for i, votes in enumerate(items.votes):
        places = np.arange(votes.sum())
        rng.shuffle(places)
        code = np.repeat(np.arange(votes.size), votes)[places]
        for part, own in enumerate((code[:n], code[n : 2 * n], code[2 * n :])):
            found[part, i] = np.bincount(own, minlength=votes.size)
    return found[0], found[1], found[2]


@dataclass(frozen=True, eq=False)
class Compared:
    """The four columns of Table 2, and the votes that they are compared with."""

    predicted: dict[str, np.ndarray]
    shares: np.ndarray
    settings: Settings

    def distances(self) -> dict[str, np.ndarray]:
        """Return DistCE of each item, by column."""
        return {
            name: calibration_to_humans(own, self.shares).item_distance
            for name, own in self.predicted.items()
        }

    def values(self, table: str) -> dict[str, float]:
        """Return calibration errors and divergences of histograms from that of the first human."""
        distances = self.distances()
        bins = self.settings.histogram_bins
        of = {name: np.histogram(own, bins, (0, 1))[0] for name, own in distances.items()}
        found = {
            f"{table}.ece.{name}": float(calibration_error(own, self.shares, self.settings.bins))
            for name, own in self.predicted.items()
        }
        found |= {f"{table}.distce.{name}": own.mean() for name, own in distances.items()}
        return found | {
            f"{table}.kl.{name}": float(entropy(of["h1"], own))
            for name, own in of.items()
            if name != "h1"
        }


def comparisons(items: Items, settings: Settings) -> dict[str, Compared]:
    """Compare two humans and a model with all votes, and with those that are left."""
    first, second, left = subsampled(items, settings)
    predicted = {
        "h1": relative(first),
        "h2": relative(second),
        "roberta": items.predicted("0"),
        "roberta_ts": items.predicted("0", settings.temperature),
    }
    return {
        "table2": Compared(predicted, items.shares, settings),
        "bonus": Compared(predicted, relative(left), settings),
    }


def size_values(items: Items, sets: Mapping[str, LoadedData]) -> dict[str, float]:
    """Return the sizes that the notebook and the data's README print."""
    n_items = {name: len(data.items) for name, data in sets.items()}
    return {
        "sizes.items": len(items.votes),
        "sizes.mass": items.predicted("0").sum(axis=1)[1],
        "sizes.before": items.before[0].sum(),
        "sizes.votes": items.votes[0].sum(),
        "readme.mnli": n_items["chaosnli_mnli"],
        "readme.alphanli": n_items["chaosnli_alphanli"],
        "readme.annotations": sum(len(data.labels) for data in sets.values()),
    }
