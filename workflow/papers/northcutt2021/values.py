"""Errors among the checked candidates of each test set, by what counts as an error."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData

from . import candidates

#: The sets in the order of the table of the first version.
NAMES = {
    "mnist": "MNIST",
    "cifar10": "CIFAR-10",
    "cifar100": "CIFAR-100",
    "caltech256": "Caltech-256",
    "imagenet": "ImageNet",
    "quickdraw": "QuickDraw",
    "20news": "20news",
    "imdb": "IMDB",
    "amazon": "Amazon",
    "audioset": "AudioSet",
}
VOTES = {name: f"label_errors_{name}" for name in NAMES}
PREDICTIONS = {
    name: f"label_errors_{name}_predictions" for name in ("mnist", "cifar10", "20news", "imdb")
}
#: Sets of whose candidates a sample was checked; sizes are printed.
SAMPLED = ("quickdraw", "amazon")
#: Votes that make a consensus.
CONSENSUS = 3
#: An error if fewer than three workers chose the given label; the other rules let "both" count for
#: the given label, or ask for a consensus on the guessed one.
PAPER_RULE = "no consensus on the given label"
OTHER_RULES = ("both labels are right", "consensus on the guessed label")
RULES = (PAPER_RULE, *OTHER_RULES)


@dataclass(frozen=True, eq=False)
class Checked:
    """The checked candidates of a test set.

    Attributes
    ----------
    items : DataFrame
        One row per candidate, or per label of one: names, and votes by answer.
    n_test : int
        Items of the test set; 0 where that is not available.
    """

    name: str
    items: pd.DataFrame
    n_test: int

    @classmethod
    def of(cls, name: str, data: LoadedData) -> "Checked":
        """Count the votes of a data set."""
        labels = data.annotations
        counts = pd.DataFrame(labels.counts, columns=[f"n_{c}" for c in labels.categories])
        items = pd.concat([data.items.reset_index(drop=True), counts], axis=1)
        if "n_both" not in items:
            items["n_both"] = 0
        if "n_guessed" in items:
            # The guess is the given label: one answer, which the files count for both.
            items.loc[items["given"] == items["guessed"], "n_guessed"] = 0
        return cls(name, items, int(data.items["n_test"].max()))

    @property
    def n(self) -> int:
        """Candidates."""
        return int(self.items["clip"].nunique())

    def errors(self, rule: str = PAPER_RULE) -> pd.Series:
        """Return whether each candidate is an error, by name."""
        if self.name == "audioset":
            return self._errors_of_clips(rule)
        items = self.items.set_index("item")
        given = items["n_given"]
        if rule == OTHER_RULES[1]:
            return items["n_guessed"] >= CONSENSUS
        return (given + items["n_both"] if rule == OTHER_RULES[0] else given) < CONSENSUS

    def _errors_of_clips(self, rule: str) -> pd.Series:
        """Of several labels: a given one without a consensus, or a guessed one with one."""
        present = self.items["n_present"] >= CONSENSUS
        clip, given = self.items["clip"], self.items["given"] != ""
        missing = (given & ~present).groupby(clip, sort=False).any()
        added = (~given & present).groupby(clip, sort=False).any()
        return {PAPER_RULE: missing | added, OTHER_RULES[0]: missing, OTHER_RULES[1]: added}[rule]

    def share(self, rule: str = PAPER_RULE) -> float:
        """Return the share of errors among the candidates."""
        return float(self.errors(rule).mean())


def percent_errors(votes: Checked, scale: Mapping[str, float], rule: str = PAPER_RULE) -> float:
    """Return the percentage of the test set that was found to be in error."""
    if votes.name in SAMPLED:
        guessed, size = (scale[f"{votes.name}_{what}"] for what in ("guessed", "size"))
        return 100 * votes.share(rule) * guessed / size
    return 100 * float(votes.errors(rule).sum()) / votes.n_test


def averages(
    votes: Mapping[str, Checked], scale: Mapping[str, float], rule: str = PAPER_RULE
) -> dict[str, float]:
    """Return the averages of the abstract over the sets."""
    percent = [percent_errors(each, scale, rule) for each in votes.values()]
    return {
        "abstract.mean_error": float(np.mean(percent)),
        "abstract.imagenet_share": percent[list(votes).index("imagenet")],
        "abstract.validated_share": 100 * float(np.mean([v.share(rule) for v in votes.values()])),
    }


def of_one_set(name: str, votes: Checked) -> dict[str, float]:
    """Return what the votes on one set give."""
    n_errors = float(votes.errors().sum())
    found = {f"table.{name}.checked": float(votes.n), f"table.{name}.validated": n_errors}
    if votes.n_test:
        found[f"table.{name}.size"] = float(votes.n_test)
        found[f"table.{name}.percent"] = 100 * n_errors / votes.n_test
    match name:
        case "imagenet":
            found["first.imagenet_errors"] = n_errors
            found["first.imagenet_share"] = 100 * n_errors / votes.n_test
        case "cifar100":
            found["post.errors"] = n_errors
            found["post.cifar100_share"] = 100 * n_errors / votes.n_test
        case "mnist":
            found["post.mnist_errors"] = n_errors
    return found


def scaled(name: str, votes: Checked, scale: Mapping[str, float]) -> dict[str, float]:
    """Return what a sample of the candidates says of all of them."""
    n_errors = votes.share() * scale[f"{name}_guessed"]
    found = {
        f"table.{name}.estimated": n_errors,
        f"table.{name}.percent": percent_errors(votes, scale),
        f"table.{name}.share_checked": 100 * votes.n / scale[f"{name}_guessed"],
    }
    if name == "amazon":
        found |= {"post.amazon_errors": n_errors, "post.amazon_share": percent_errors(votes, scale)}
    return found


def guesses(found: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, float]:
    """Return how many candidates confident learning finds, pruning by noise rate."""
    return {
        f"table.{name}.guessed": float(each[candidates.NOISE_RATE].sum())
        for name, each in found.items()
    }


def quantisation(probabilities: Mapping[str, candidates.Predicted]) -> dict[str, float]:
    """Return by how many half precision changes the number of candidates of CIFAR-10."""
    exact = probabilities["cifar10"]
    counts = [
        int(candidates.readings(each)[candidates.NOISE_RATE].sum())
        for each in (exact, exact.in_half_precision())
    ]
    return {"readme.quantisation": float(abs(counts[1] - counts[0]))}
