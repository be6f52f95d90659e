"""Votes on candidates for label errors in ten test sets, and what the candidates were chosen by.

Northcutt, Athalye and Mueller (2021) had candidates for errors checked by five workers each. The
files count the votes and don't identify workers: annotators are positions, not people. Of four sets
the given labels and the predicted probabilities of all items are here too.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json, wrong

_REPOSITORY = "cleanlab/label-errors"
_SOURCE = pinned(
    "label_errors",
    repository=_REPOSITORY,
    commit="6d5d6b31a13216290afc40e5c6319399c4d15c06",
    licence="Apache-2.0",
)
_CITATION = (
    "Northcutt, Athalye and Mueller (2021). Pervasive label errors in test sets destabilize "
    "machine learning benchmarks. NeurIPS Track on Datasets and Benchmarks. "
    "https://doi.org/10.48550/arXiv.2103.14749"
)
_HOME = (f"https://github.com/{_REPOSITORY}",)
_IMAGE = ("given", "guessed", "both", "neither")
_COLUMNS = ("item", "clip", "given", "guessed")
#: The names of IMDB's files, in the order of its items.
_INDEX = "dataset_indexing/imdb_test_set_index_to_filename.json"


@dataclass(frozen=True)
class _Votes:
    """One set of checked candidates: its name, title, what was counted in its file.

    Two votes on an item are the same with probability `agreement`, but for the items in `more`: of
    so many votes those for the given label are counted as ones for the guess, too. The test set has
    `n_test` items, which are counted in the file `whole`; 0 where that is not available.
    """

    name: str
    title: str
    categories: tuple[str, ...]
    counts: tuple[int, ...]
    n_items: int
    agreement: float
    n_test: int = 0
    whole: str = ""
    more: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        """The file of votes."""
        return f"mturk/{self.name}_mturk.json"

    def record(self) -> DataSet:
        """Return the record of the data set."""
        n_labels = sum(self.counts)
        return DataSet(
            id=f"label_errors_{self.name}",
            title=f"Votes on candidates for label errors in {self.title}",
            citation=_CITATION,
            home=_HOME,
            source=_SOURCE,
            files=tuple(map(_SOURCE.file, (self.path, *([self.whole] if self.whole else [])))),
            scale="nominal",
            categories=self.categories,
            parse=partial(_parse_votes, votes=self),
            simulate=partial(_simulate_votes, votes=self),
            calibration=(
                "numbers of candidates and of votes on each",
                "shares of the answers among all votes",
                "probability that two votes on a candidate agree (counted in the files), by how "
                "much candidates differ",
            ),
            targets={
                "n_items": self.n_items,
                "n_labels": n_labels,
                "n_annotators": max(self.more, default=5),
                **{
                    f"label:{name}": n / n_labels
                    for name, n in zip(self.categories, self.counts, strict=True)
                },
            },
        )


def _parse_votes(files: Mapping[str, Path], votes: _Votes) -> DataTables:
    path = files[votes.path]
    found = read_json(path)
    try:
        rows = [row for record in found for row in _rows(record, votes)]
        items = pd.DataFrame([row[:4] for row in rows], columns=list(_COLUMNS))
        counts = np.array([row[4:] for row in rows], dtype=np.int64)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"not a list of candidates with labels and counts of votes ({error})"
        raise wrong(path, what) from error
    if (counts < 0).any() or items["item"].duplicated().any():
        raise wrong(path, "a negative count, or a candidate that comes twice")
    n_test = 0
    if votes.whole:
        whole = files[votes.whole]
        n_test = len(read_json(whole) if whole.suffix == ".json" else _array(whole))
    return _vote_tables(items.astype("str"), counts, votes, n_test)


def _rows(record: Mapping[str, Any], votes: _Votes) -> list[tuple[Any, ...]]:
    """Return the items of a candidate, itself or its labels: columns, then counts of votes."""
    name, count = str(record["id"]), record["mturk"]
    if votes.name == "audioset":
        original = set(record["given_original_labels"])
        names = [(label, "") if label in original else ("", label) for label in count]
        return [
            (f"{name}/{label}", name, *pair, int(n), 5 - int(n))
            for (label, n), pair in zip(count.items(), names, strict=True)
        ]
    given, guessed = str(record["given_original_label"]), str(record["our_guessed_label"])
    answers = votes.categories
    if votes.name == "amazon":
        (other,) = {"positive", "negative", "neutral"} - {given.lower(), guessed.lower()}
        answers = (given.lower(), guessed.lower(), other, "off-topic")
    return [(name, name, given, guessed, *(int(count[each]) for each in answers))]


def _vote_tables(
    items: pd.DataFrame, counts: NDArray[np.int64], votes: _Votes, n_test: int
) -> DataTables:
    """Write counts as votes: the position of a vote is no person."""
    total = counts.sum(axis=1)
    item = np.repeat(np.arange(len(items)), total)
    position = np.arange(item.size) - np.repeat(total.cumsum() - total, total)
    label = np.tile(np.arange(counts.shape[1]), len(items)).repeat(counts.ravel())
    labels = pd.DataFrame(
        {
            "item": items["item"].to_numpy()[item],
            "annotator": numbered(position, "vote ").to_numpy(),
            "label": np.array(votes.categories, dtype=object)[label],
        }
    ).astype("str")
    gold = pd.Series([None] * len(items), dtype="str")
    return DataTables(labels, items.reset_index(drop=True).assign(gold=gold, n_test=n_test))


def _simulate_votes(
    rng: np.random.Generator, files: Mapping[str, Path], votes: _Votes
) -> DataTables:
    """Draw each candidate's chances of the answers, and its votes."""
    # A vote for the given label that is the guess, too, is counted as one for either.
    loads = np.array(votes.more, dtype=np.int64)
    twice = np.zeros((loads.size, len(votes.counts)), dtype=np.int64)
    twice[:, 0] = twice[:, 1] = loads // 2
    twice[:, -1] += loads % 2
    rest = np.array(votes.counts) - twice.sum(axis=0)
    share = rest / rest.sum()
    chance = float((share**2).sum())
    concentration = (1 - votes.agreement) / (votes.agreement - chance)
    chances = rng.dirichlet(concentration * share, size=votes.n_items - len(twice))
    counts = np.concatenate([twice, rng.multinomial(5, chances)])
    names = numbered(np.arange(votes.n_items), "candidate ")
    labels = {"given": "label a", "guessed": "label b"}
    return _vote_tables(
        pd.DataFrame({"item": names, "clip": names, **labels}).astype("str"),
        counts,
        votes,
        votes.n_test,
    )


@dataclass(frozen=True)
class _Predictions:
    """Given labels of a test set, and out-of-sample probabilities of a classifier."""

    name: str
    title: str
    n_items: int
    n_categories: int

    @property
    def categories(self) -> tuple[str, ...]:
        """Codes of the categories."""
        return tuple(map(str, range(self.n_categories)))

    @property
    def paths(self) -> tuple[str, str]:
        """The files of given labels and of probabilities."""
        return (
            f"original_test_labels/{self.name}_test_set_original_labels.npy",
            f"cross_validated_predicted_probabilities/{self.name}_test_set_pyx.npy",
        )

    def record(self) -> DataSet:
        """Return the record of the data set."""
        index = (_INDEX,) if self.name == "imdb" else ()
        return DataSet(
            id=f"label_errors_{self.name}_predictions",
            title=f"Given labels of {self.title}, and a classifier's probabilities",
            citation=_CITATION,
            home=_HOME,
            source=_SOURCE,
            files=tuple(_SOURCE.file(path) for path in (*self.paths, *index)),
            scale="nominal",
            categories=self.categories,
            parse=partial(_parse_predictions, of=self),
            simulate=partial(_simulate_predictions, of=self),
            calibration=(
                "numbers of items and categories alone: labels and probabilities fill the layout, "
                "and resemble no classifier's",
            ),
            targets={"n_items": self.n_items, "n_labels": self.n_items, "n_annotators": 1},
        )


def _parse_predictions(files: Mapping[str, Path], of: _Predictions) -> DataTables:
    given, probability = (_array(files[path]) for path in of.paths)
    if given.shape != (of.n_items,) or probability.shape != (of.n_items, of.n_categories):
        what = f"labels of shape {given.shape}, probabilities of shape {probability.shape}"
        raise wrong(files[of.paths[0]], what)
    names = numbered(np.arange(of.n_items) - 1)
    if of.name == "imdb":
        files_of = pd.Series(read_json(files[_INDEX]), dtype="str")
        names = "test/" + files_of.str.removesuffix(".txt")
        # Some names are there twice: which item is meant is not known.
        again = names.groupby(names).cumcount()
        names = names + again.map(lambda n: f" ({n + 1})" if n else "")
    return _prediction_tables(names, given.astype(np.int64), probability.astype(np.float64))


def _array(path: Path) -> NDArray[Any]:
    try:
        found: NDArray[Any] = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    except ValueError as error:
        raise wrong(path, f"not an array ({error})") from error
    return found


def _simulate_predictions(
    rng: np.random.Generator, files: Mapping[str, Path], of: _Predictions
) -> DataTables:
    """Fill the layout: what a classifier says is not simulated."""
    given = rng.integers(0, of.n_categories, of.n_items)
    probability = rng.dirichlet(np.ones(of.n_categories), size=of.n_items)
    return _prediction_tables(numbered(np.arange(of.n_items) - 1), given, probability)


def _prediction_tables(
    names: pd.Series[str], given: NDArray[np.int64], probability: NDArray[np.float64]
) -> DataTables:
    item = names.astype("str")
    columns = {f"p_{k}": probability[:, k] for k in range(probability.shape[1])}
    gold = pd.Series([None] * len(item), dtype="str")
    label = pd.Series(given).astype("str")
    labels = pd.DataFrame({"item": item, "annotator": "given", "label": label})
    return DataTables(labels.astype("str"), pd.DataFrame({"item": item, "gold": gold, **columns}))


#: Votes that were counted twice where the guess is the given label.
_MNIST_MORE = (10,) * 10 + (9,) * 3


def _labels(name: str) -> str:
    return f"original_test_labels/{name}_original_labels.npy"


_VOTES = (
    _Votes(
        "mnist",
        "MNIST",
        ("given", "guessed", "neither"),
        (410, 127, 25),
        100,
        0.7920,
        10_000,
        _labels("mnist_test_set"),
        _MNIST_MORE,
    ),
    _Votes(
        *("cifar10", "CIFAR-10", _IMAGE, (990, 187, 109, 89), 275, 0.6127),
        *(10_000, _labels("cifar10_test_set")),
    ),
    _Votes(
        *("cifar100", "CIFAR-100", _IMAGE, (7700, 2206, 592, 677), 2235, 0.6383),
        *(10_000, _labels("cifar100_test_set")),
    ),
    _Votes(
        *("caltech256", "Caltech-256", _IMAGE, (9031, 1617, 794, 358), 2360, 0.7504),
        *(29_780, _labels("caltech256")),
    ),
    _Votes(
        *("imagenet", "ImageNet", _IMAGE, (12510, 7939, 4302, 2449), 5440, 0.6058),
        *(50_000, _labels("imagenet_val_set")),
    ),
    _Votes("quickdraw", "QuickDraw", _IMAGE, (3751, 5452, 813, 2484), 2500, 0.4611),
    _Votes(
        *("20news", "20 Newsgroups", _IMAGE, (121, 164, 115, 65), 93, 0.2989),
        *(7_532, _labels("20news_test_set")),
    ),
    _Votes(
        "imdb",
        "IMDB",
        ("given", "guessed", "neutral", "off-topic"),
        (2920, 1520, 1854, 256),
        1310,
        0.4044,
        25_000,
        _labels("imdb_test_set"),
    ),
    _Votes(
        "amazon",
        "Amazon Reviews",
        ("given", "guessed", "other", "off-topic"),
        (1822, 1871, 1132, 175),
        1000,
        0.3484,
    ),
    _Votes(
        "audioset",
        "AudioSet, one item per label",
        ("present", "absent"),
        (2742, 3403),
        1229,
        0.5910,
        20_371,
        "dataset_indexing/audioset_eval_set_index_to_youtube_id.json",
    ),
)
_PREDICTIONS = (
    _Predictions("mnist", "MNIST", 10_000, 10),
    _Predictions("cifar10", "CIFAR-10", 10_000, 10),
    _Predictions("20news", "20 Newsgroups", 7_532, 20),
    _Predictions("imdb", "IMDB", 25_000, 2),
)
DATASETS = tuple(each.record() for each in (*_VOTES, *_PREDICTIONS))
