"""ChaosNLI: 100 votes on each item of three sets of inference, and RoBERTa's predictions of one.

Nie, Zhou and Bansal (2020) collected 100 labels of each of 4,645 items of SNLI, MNLI and
AbductiveNLI on which few annotators had agreed. The files have the number of votes for each
category and not who voted: annotators called "vote 1" to "vote 100" are places in a list that is
sorted by category, so that statistics of annotators mean nothing. Baan et al. (2022) added the
predictions of three RoBERTa models for SNLI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json_lines, wrong

_REPOSITORY = "jsbaan/calibration-on-disagreement-data"
_SOURCE = pinned(
    "chaosnli",
    repository=_REPOSITORY,
    commit="990e81cacadac5d0268160d1c02bad19d4ddb9a3",
    licence="CC BY-NC 4.0 (ChaosNLI); none stated for the predictions",
)
_CITATION = (
    "Nie, Zhou and Bansal (2020). What can we learn from collective human opinions on natural "
    "language inference data? EMNLP, 9131-9143. https://aclanthology.org/2020.emnlp-main.734/"
)
_HOME = (f"https://github.com/{_REPOSITORY}", "https://github.com/easonnie/ChaosNLI")
_N_VOTES = 100
_INFERENCE = ("entailment", "neutral", "contradiction")
#: Categories in the order of the logits.
_LOGITS = ("entailment", "contradiction", "neutral")
_SEEDS = ("0", "1", "2")
#: Halves of the development set of SNLI, in the order in which the notebook reads them.
_HALVES = ("test", "dev")


@dataclass(frozen=True)
class _Set:
    """One set, with what was counted in its file.

    By the label that the item had before: the number of items, the mean share of the votes of each
    category, and the concentration of a Dirichlet distribution that varies as the shares do; a
    share `at_random` of the votes is even, so that few items are unanimous.
    """

    name: str
    title: str
    file: SourceFile
    categories: tuple[str, ...]
    short: tuple[str, ...]
    groups: tuple[tuple[int, tuple[float, ...], float], ...]
    at_random: float = 0.0

    @property
    def n_items(self) -> int:
        return sum(n for n, _, _ in self.groups)

    def record(self) -> DataSet:
        """Return the record of the data set."""
        weights = np.array([n for n, _, _ in self.groups], dtype=float)
        share = weights @ np.array([mean for _, mean, _ in self.groups]) / self.n_items
        return DataSet(
            id=f"chaosnli_{self.name}",
            title=self.title,
            citation=_CITATION,
            home=_HOME,
            source=_SOURCE,
            files=(self.file,),
            scale="nominal",
            categories=self.categories,
            parse=partial(_parse, design=self),
            simulate=partial(_simulate, design=self),
            calibration=(
                "number of items by the label that they had before",
                "mean and variance of the votes' shares, by that label",
                "share of unanimous items, through votes at random (AbductiveNLI)",
            ),
            targets={
                "n_items": self.n_items,
                "n_annotators": _N_VOTES,
                "n_labels": _N_VOTES * self.n_items,
                "median_load": self.n_items,
                **{
                    f"label:{name}": float(each)
                    for name, each in zip(self.categories, share, strict=True)
                },
            },
        )


def _parse(files: Mapping[str, Path], design: _Set) -> DataTables:
    path = files[design.file.path]
    names, votes, before = [], [], []
    try:
        for record in read_json_lines(path):
            names.append(record["uid"])
            votes.append([record["label_counter"].get(key, 0) for key in design.short])
            earlier = record.get("old_labels", [record["old_label"]])
            before.append(
                [sum(str(label) == each for label in earlier) for each in design.categories]
            )
    except KeyError as error:
        raise wrong(path, f"an item has no {error}") from error
    return _tables(design, names, np.array(votes), np.array(before))


def _tables(
    design: _Set, names: list[str], votes: NDArray[np.int64], before: NDArray[np.int64]
) -> DataTables:
    """Write out the votes of each item, category by category."""
    code = np.repeat(np.tile(np.arange(votes.shape[1]), len(votes)), votes.ravel())
    n_votes = votes.sum(axis=1)
    if not (n_votes == _N_VOTES).all():
        raise ReaderError(f"chaosnli_{design.name}: an item has not {_N_VOTES} votes.")
    labels = pd.DataFrame(
        {
            "item": np.repeat(np.array(names, dtype=object), _N_VOTES),
            "annotator": np.tile(numbered(np.arange(_N_VOTES), "vote "), len(names)),
            "label": np.array(design.categories, dtype=object)[code],
        },
        dtype="str",
    )
    items = pd.DataFrame({"item": names, "gold": None}, dtype="str")
    earlier = pd.DataFrame(before, columns=[f"before_{name}" for name in design.categories])
    return DataTables(labels, pd.concat([items, earlier.astype("int64")], axis=1))


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], design: _Set) -> DataTables:
    """Draw each item's distribution, and the votes from it: annotators err together by item."""
    shares, before = [], []
    n_before = 5 if len(design.categories) == len(_INFERENCE) else 1
    for k, (n, mean, concentration) in enumerate(design.groups):
        even = design.at_random / len(mean)
        drawn = rng.dirichlet(concentration * (np.array(mean) - even) / (1 - design.at_random), n)
        shares.append((1 - design.at_random) * drawn + even)
        # Most of the earlier labels are the one that the item had.
        most = np.zeros((n, len(mean)), dtype=np.int64)
        most[:, k] = -(-n_before // 2)
        others = np.delete(np.arange(len(mean)), k)
        rest = n_before - most[:, k]
        most[np.arange(n), rng.choice(others, n)] += rest
        before.append(most)
    order = rng.permutation(design.n_items)
    votes = rng.multinomial(_N_VOTES, np.concatenate(shares))[order]
    names = list(numbered(np.arange(design.n_items), f"{design.name} "))
    return _tables(design, names, votes, np.concatenate(before)[order])


def _prediction_files() -> dict[tuple[str, str], SourceFile]:
    return {
        (half, seed): _SOURCE.file(f"data/predictions/SNLI_{half}_roberta-base_{seed}.json")
        for seed in _SEEDS
        for half in _HALVES
    }


def _parse_predictions(files: Mapping[str, Path]) -> DataTables:
    """Read the logits of the items of ChaosNLI; items are in the order of the prediction files."""
    known = {record["uid"] for record in read_json_lines(files[_SNLI.file.path])}
    logits: dict[str, dict[str, list[float]]] = {seed: {} for seed in _SEEDS}
    for (_, seed), file in _prediction_files().items():
        for record in read_json_lines(files[file.path]):
            if record["uid"] in known:
                logits[seed][record["uid"]] = record["logits"]
    order = list(logits[_SEEDS[0]])
    return _prediction_tables(
        order, {seed: np.array([own[uid] for uid in order]) for seed, own in logits.items()}
    )


def _prediction_tables(uids: list[str], logits: Mapping[str, NDArray[np.float64]]) -> DataTables:
    """Make tables in which an item is a category of an item of SNLI, and a label its logit."""
    names = [f"{uid}|{category}" for uid in uids for category in _LOGITS]
    labels = pd.concat(
        [
            pd.DataFrame({"item": names, "annotator": f"roberta-base/{seed}", "label": own.ravel()})
            for seed, own in logits.items()
        ],
        ignore_index=True,
    )
    items = pd.DataFrame(
        {
            "item": names,
            "gold": np.nan,
            "uid": np.repeat(np.array(uids, dtype=object), len(_LOGITS)),
            "category": np.tile(_LOGITS, len(uids)),
        }
    )
    return DataTables(
        labels.astype({"item": "str", "annotator": "str"}),
        items.astype({"item": "str", "uid": "str", "category": "str"}),
    )


def _simulate_predictions(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Draw noise: what the classifiers predicted is not known without the files."""
    uids = list(numbered(np.arange(_SNLI.n_items), f"{_SNLI.name} "))
    return _prediction_tables(
        uids, {seed: rng.standard_normal((len(uids), len(_LOGITS))) for seed in _SEEDS}
    )


_SNLI = _Set(
    name="snli",
    title="1,514 pairs of sentences of SNLI, 100 votes each",
    file=_SOURCE.file("data/chaosNLI_v1.0/chaosNLI_snli.jsonl"),
    categories=_INFERENCE,
    short=("e", "n", "c"),
    groups=(
        (486, (0.6261, 0.3256, 0.0483), 2.35),
        (677, (0.2028, 0.7029, 0.0943), 2.84),
        (351, (0.0277, 0.3609, 0.6114), 3.36),
    ),
)
_OTHERS = (
    _Set(
        name="mnli",
        title="1,599 pairs of sentences of MNLI, 100 votes each",
        file=_SOURCE.file("data/chaosNLI_v1.0/chaosNLI_mnli_m.jsonl"),
        categories=_INFERENCE,
        short=("e", "n", "c"),
        groups=(
            (513, (0.6821, 0.2490, 0.0689), 6.72),
            (721, (0.3482, 0.5030, 0.1488), 4.26),
            (365, (0.1173, 0.3772, 0.5055), 5.04),
        ),
    ),
    _Set(
        name="alphanli",
        title="1,532 choices between two explanations (AbductiveNLI), 100 votes each",
        file=_SOURCE.file("data/chaosNLI_v1.0/chaosNLI_alphanli.jsonl"),
        categories=("1", "2"),
        short=("1", "2"),
        groups=((781, (0.8310, 0.1690), 1.48), (751, (0.1523, 0.8477), 1.66)),
        at_random=0.03,
    ),
)

DATASETS = (
    *(design.record() for design in (_SNLI, *_OTHERS)),
    DataSet(
        id="chaosnli_predictions",
        title="Logits of three RoBERTa models for 1,514 pairs of sentences of SNLI",
        citation=(
            "Baan, Aziz, Plank and Fernandez (2022). Stop measuring calibration when humans "
            "disagree. EMNLP, 1892-1915. https://aclanthology.org/2022.emnlp-main.124/"
        ),
        home=_HOME,
        source=_SOURCE,
        files=(_SNLI.file, *_prediction_files().values()),
        scale="interval",
        categories=None,
        parse=_parse_predictions,
        simulate=_simulate_predictions,
        calibration=("numbers of items and models; the logits are not simulated but noise",),
        targets={"n_items": 4542, "n_annotators": 3, "n_labels": 13626, "max_load": 4542},
    ),
)
