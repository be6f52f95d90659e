"""What the files of results hold: average precision, precision and recall of each method."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.evaluation.error_detection import (
    OverOrders,
    average_precision,
    average_precision_over_orders,
    precision_at,
    recall_at,
)

from .orders import quicksort_order

PER_CENT = 100
#: How many labels are checked.
FEW, MANY = 50, 100


class Method(NamedTuple):
    """A method: its name in the files of results, whose judgement it uses, and its scores."""

    name: str
    kind: str
    scores: tuple[str, ...]


def _seeds(name: str) -> tuple[str, ...]:
    return tuple(f"{name}/{seed}" for seed in ("42", "43", "44"))


#: What ranks by the number of annotators who gave a label has no file of scores.
COUNT = "count"
METHODS = {
    "lc": Method("LC_VariErr", "human", (COUNT,)),
    "chaosnli": Method("baseline_chaosnli_prob", "human", ("baseline_chaosnli_prob",)),
    "dm_mean": Method("dm_mean", "trained", _seeds("dm_mean")),
    "dm_neg_std": Method("dm_neg_std", "trained", tuple(f"-{s}" for s in _seeds("dm_std"))),
    "dm_std": Method("dm_std", "trained", _seeds("dm_std")),
    "gpt35": Method("gpt-3.5-turbo", "prompted", ("gpt-3.5-turbo",)),
    "gpt4": Method("gpt-4-1106-preview", "prompted", ("gpt-4-1106-preview",)),
    "ma_knn": Method("metadata_archaeology_knn", "trained", _seeds("metadata_archaeology_knn")),
    "ma_lr": Method("metadata_archaeology_lr", "trained", _seeds("metadata_archaeology_lr")),
    "ratio_each": Method(
        "peer_Heruistic_ratio_per_exp", "human", ("peer_Heruistic_ratio_per_exp",)
    ),
    "ratio_all": Method("peer_heuristic_ratio_all_exp", "human", ("peer_heuristic_ratio_all_exp",)),
    "sum_all": Method("peer_heuristic_sum_all_exp", "human", ("peer_heuristic_sum_all_exp",)),
    "sum_each": Method("peer_heuristic_sum_per_exp", "human", ("peer_heuristic_sum_per_exp",)),
}
#: Of the two files about ambiguity, which leave out a method.
WITHOUT = {"ambiguous": ("dm_neg_std",), "either": ("dm_neg_std",)}
#: The files that have a second order of each method, and precision among the first few.
ABOUT_ERRORS = ("all", "single")
FILES = (*ABOUT_ERRORS, "ambiguous", "either")
RERANK = "_rerank"


@dataclass(frozen=True, eq=False)
class Scored:
    """The labels of round 1, in the order of the release, with what the methods say of them.

    `labels` has `is_error`, `ambiguous` (of the label's item), `count` (annotators who gave the
    label) and `pair`; `scores` a column for each file of scores, NaN where a label has none.
    """

    labels: pd.DataFrame
    scores: pd.DataFrame

    @classmethod
    def of(cls, data: LoadedData) -> "Scored":
        """Take the labels from a data set."""
        items = data.items[data.items["gold"].notna()].set_index("item")
        labels = pd.DataFrame(
            {
                "pair": items["pair"],
                "label": items["label"],
                "count": items["count"],
                "is_error": items["gold"] > 0,
                "ambiguous": items["ambiguous"] == "yes",
            }
        )
        wide = data.labels.pivot(index="item", columns="annotator", values="label")
        return cls(labels, wide.reindex(labels.index))

    def score(self, name: str) -> np.ndarray | None:
        """Return the scores of a file, or None without it."""
        if name == COUNT:
            return -self.labels["count"].to_numpy()
        if name.removeprefix("-") not in self.scores:
            return None
        found = self.scores[name.removeprefix("-")].to_numpy()
        return -found if name.startswith("-") else found

    def target(self, file: str, *, of_item: bool = True) -> np.ndarray:
        """Return what is to be found, by the file of results.

        An ambiguous item makes all its labels ambiguous, or, of the label, those without an error.
        """
        wrong, ambiguous = (self.labels[name].to_numpy() for name in ("is_error", "ambiguous"))
        if file in ABOUT_ERRORS:
            return wrong
        found = ambiguous if of_item else ambiguous & ~wrong
        return found if file == "ambiguous" else found | wrong

    def chosen(self, file: str) -> np.ndarray:
        """Return which labels a file of results is about."""
        once = self.labels["count"].to_numpy() == 1
        return once if file == "single" else np.ones_like(once)


class Ranked(NamedTuple):
    """Labels in the order of the release: what is to be found, and their scores."""

    target: np.ndarray
    score: np.ndarray
    place: np.ndarray


def ranked(
    scored: Scored, file: str, name: str, *, rerank: bool = False, of_item: bool = True
) -> Ranked | None:
    """Return the labels that a method ranks; without a score a label is left out.

    Reranked, labels that fewer annotators gave come first, and the method orders those of one
    count; a label without a score has the score 0.
    """
    score = scored.score(name)
    if score is None:
        return None
    place = np.flatnonzero(scored.chosen(file) & (rerank | ~np.isnan(score)))
    own = score[place]
    if rerank:
        rank = np.unique(np.nan_to_num(own), return_inverse=True)[1]
        own = rank - scored.labels["count"].to_numpy()[place] * (rank.max(initial=0) + 1.0)
    return Ranked(scored.target(file, of_item=of_item)[place], own, place)


def measures(found: Ranked) -> dict[str, float]:
    """Compute the authors' measures, with numpy's order from behind."""
    target = found.target
    hits = target[quicksort_order(found.score)[::-1]].cumsum()
    few, many = int(FEW), int(MANY)
    return {
        "ap": average_precision(target, found.score),
        "p50": hits[few - 1] / few,
        "p100": hits[many - 1] / many,
        "r100": hits[many - 1] / target.sum(),
    }


def measured(file: str) -> tuple[str, ...]:
    """Return the measures that a file has."""
    return ("ap", "p50", "p100", "r100") if file in ABOUT_ERRORS else ("ap", "p100", "r100")


def rows_of(file: str) -> Iterator[tuple[str, Method, bool]]:
    """List the methods of a file, with and without a second order."""
    for key, method in METHODS.items():
        if key not in WITHOUT.get(file, ()):
            yield key, method, False
            if file in ABOUT_ERRORS:
                yield f"{key}{RERANK}", method, True


def result_values(scored: Scored, *, of_item: bool = True) -> dict[str, float]:
    """Return the values of the files of results by target, in per cent."""
    values = {}
    for file in FILES:
        for key, method, rerank in rows_of(file):
            runs = [
                measures(own)
                for name in method.scores
                if (own := ranked(scored, file, name, rerank=rerank, of_item=of_item)) is not None
            ]
            for what in measured(file) if runs else ():
                found = PER_CENT * np.array([run[what] for run in runs])
                values[f"{file}.{key}.{what}"] = found.mean()
                if len(method.scores) > 1 and len(runs) > 1:
                    values[f"{file}.{key}.{what}_sd"] = found.std(ddof=1)
        values |= random_values(scored, file, of_item=of_item)
    return values


def random_values(scored: Scored, file: str, *, of_item: bool) -> dict[str, float]:
    """Return what is expected of a random order."""
    target = scored.target(file, of_item=of_item)[scored.chosen(file)]
    share = PER_CENT * target.mean()
    recall = PER_CENT * MANY / target.size
    return {f"{file}.random.{m}": recall if m == "r100" else share for m in measured(file)}


def readings_table(scored: Scored, of_item: Mapping[str, float]) -> pd.DataFrame:
    """Put the two readings of ambiguity side by side."""
    of_label = result_values(scored, of_item=False)
    rows = [
        (target, of_item[target], of_label[target])
        for target in of_item
        if target.startswith("ambiguous.") and not target.endswith("_sd")
    ]
    return pd.DataFrame(rows, columns=["value", "of_the_item", "of_the_label"])


def ties_table(scored: Scored) -> pd.DataFrame:
    """Return each measure that depends on the order of ties, over all orders."""
    rows = []
    for file in FILES:
        for key, method, rerank in rows_of(file):
            for name in method.scores:
                found = ranked(scored, file, name, rerank=rerank)
                if found is not None:
                    rows += [
                        (file, key, name, what, *each)
                        for what, each in _over_orders(found, measured(file))
                    ]
    columns = ["file", "method", "scores", "measure", "authors", "expected", "lowest", "highest"]
    return pd.DataFrame(rows, columns=columns)


def _over_orders(
    found: Ranked, measures_of_file: tuple[str, ...]
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Return each measure in the authors' order, expected, at least and at most."""
    target, score = found.target, found.score
    authors = measures(found)
    over: dict[str, OverOrders] = {
        "ap": average_precision_over_orders(target, score),
        "p50": precision_at(target, score, int(FEW)),
        "p100": precision_at(target, score, int(MANY)),
        "r100": recall_at(target, score, int(MANY)),
    }
    for what in measures_of_file:
        each = over[what]
        values = authors[what], each.expected, each.lowest, each.highest
        yield what, tuple(PER_CENT * value for value in values)
