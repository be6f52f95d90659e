"""VariErr NLI: labels with explanations, judgements of the explanations, and scores of methods.

Weber-Genzel, Peng, de Marneffe and Plank (2024) had four annotators label 500 pairs of sentences of
MNLI, with an explanation for each label, and several labels where several hold. In a second round
all four judged whether each explanation makes sense for its label, their own included. A label
whose explanations all failed the judgement of their own authors is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json, read_json_lines, wrong

_REPOSITORY = "mainlp/VariErr-NLI"
_SOURCE = pinned(
    "varierr",
    repository=_REPOSITORY,
    commit="b2cbdd3bc3ca2a618fc16ac078f471623152c923",
    licence="none stated",
)
_CITATION = (
    "Weber-Genzel, Peng, de Marneffe and Plank (2024). VariErr NLI: Separating annotation error "
    "from human label variation. ACL. https://doi.org/10.48550/arXiv.2403.01931"
)
_HOME = (f"https://github.com/{_REPOSITORY}",)
_LABELS = _SOURCE.file("varierr.json")
_PREDICTIONS = tuple(file for file in _SOURCE.files if file.path.startswith("predictions/"))
CATEGORIES = ("entailment", "neutral", "contradiction")
_JUDGEMENTS = ("no", "yes")
_N_ANNOTATORS = 4

#: How many items have how many explanations of the three labels (counted in the release).
_PATTERNS = {
    **{(0, 4, 0): 65, (1, 3, 0): 43, (2, 2, 0): 37, (0, 3, 1): 37, (4, 0, 0): 29, (3, 1, 0): 24},
    **{(0, 2, 2): 24, (0, 0, 4): 23, (0, 1, 3): 16, (2, 1, 0): 14, (0, 3, 0): 14, (1, 2, 1): 13},
    **{(0, 2, 0): 11, (2, 1, 1): 9, (2, 3, 0): 8, (3, 0, 1): 8, (0, 2, 1): 8, (0, 4, 1): 7},
    **{(0, 3, 2): 7, (1, 2, 0): 7, (3, 0, 0): 7, (1, 4, 0): 6, (1, 1, 2): 6, (4, 1, 0): 5},
    **{(1, 0, 3): 5, (0, 0, 2): 5, (1, 1, 0): 5, (0, 1, 2): 5, (0, 0, 3): 4, (3, 2, 0): 4},
    **{(4, 0, 1): 4, (1, 0, 1): 3, (1, 3, 1): 3, (0, 2, 3): 3, (3, 1, 1): 3, (2, 1, 2): 3},
    **{(0, 1, 1): 3, (2, 0, 0): 3, (0, 1, 0): 3, (3, 3, 0): 2, (1, 2, 2): 2, (2, 2, 1): 2},
    **{(1, 0, 2): 2, (2, 0, 2): 2, (0, 1, 4): 1, (0, 2, 4): 1, (4, 1, 1): 1, (1, 0, 0): 1},
    **{(1, 1, 1): 1, (1, 0, 4): 1},
}
#: Judgements "yes", "no" and "I don't know" of the annotator's own explanations and of others',
#: by how many annotators gave the label.
_COUNTS = {
    (True, 1): (175, 110, 14),
    (False, 1): (328, 510, 59),
    (True, 2): (432, 55, 5),
    (False, 2): (1073, 366, 37),
    (True, 3): (545, 21, 4),
    (False, 3): (1553, 134, 23),
    (True, 4): (560, 9, 3),
    (False, 4): (1658, 45, 13),
}
#: Leniency of the judges, and shares of the variance that labels and explanations have: what judges
#: see in an explanation is correlated.
_LENIENCY = (0.0, 0.0, 1.6, 0.2)
_SHARED = (0.25, 0.25)


class _Explanation(NamedTuple):
    """An explanation of a label, with the judgements by judge; "I don't know" is left out."""

    item: str
    id: str
    label: str
    author: int
    judgements: Mapping[int, bool]


def _explanations(records: Iterable[dict[str, Any]], path: Path) -> Iterator[_Explanation]:
    try:
        for record in records:
            for label in CATEGORIES:
                for each in record[label]:
                    judged = {j["annotator"]: j["makes_sense"] for j in each["judgments"]}
                    yield _Explanation(record["id"], each["id"], label, each["annotator"], judged)
    except (KeyError, TypeError) as error:
        raise wrong(path, f"not items with explanations by label ({error!r})") from error


def _number(explanation: str) -> str:
    """Return the number of the item, with which the ids of explanations and scores begin."""
    return explanation.partition("-")[0]


def _judgement_tables(found: list[_Explanation]) -> DataTables:
    """Make tables in which the items are explanations, and the annotators judges."""
    rows = [
        (each.id, f"{judge}", _JUDGEMENTS[int(makes_sense)])
        for each in found
        for judge, makes_sense in each.judgements.items()
    ]
    about = [(each.id, None, each.item, each.label, f"{each.author}") for each in found]
    columns = ["item", "gold", "pair", "label", "author"]
    return DataTables(
        pd.DataFrame(rows, columns=["item", "annotator", "label"], dtype="str"),
        pd.DataFrame(about, columns=columns, dtype="str"),
    )


def _label_tables(found: list[_Explanation], votes: Mapping[str, NDArray[np.int64]]) -> DataTables:
    """Make tables in which the items are pairs of sentences, with the votes of ChaosNLI."""
    rows = [(each.item, f"{each.author}", each.label, each.id) for each in found]
    labels = pd.DataFrame(rows, columns=["item", "annotator", "label", "explanation"], dtype="str")
    items = pd.DataFrame({"item": list(votes), "gold": None}, dtype="str")
    chaos = pd.DataFrame(list(votes.values()), columns=[f"chaosnli_{name}" for name in CATEGORIES])
    return DataTables(labels, pd.concat([items, chaos.astype("int64")], axis=1))


def _parse_judgements(files: Mapping[str, Path]) -> DataTables:
    path = files[_LABELS.path]
    return _judgement_tables(list(_explanations(read_json_lines(path), path)))


def _parse_labels(files: Mapping[str, Path]) -> DataTables:
    path = files[_LABELS.path]
    records = list(read_json_lines(path))
    found = list(_explanations(records, path))
    votes = {
        record["id"]: np.array([record["chaosnli_labels"].get(name[0], 0) for name in CATEGORIES])
        for record in records
    }
    return _label_tables(found, votes)


def _parse_scores(files: Mapping[str, Path]) -> DataTables:
    """Read the scores of labels; labels are in the order in which the authors sort them."""
    path = files[_LABELS.path]
    rows: list[tuple[Any, ...]] = []
    for record in read_json_lines(path):
        numbers = {_number(each["id"]) for label in CATEGORIES for each in record[label]}
        for label, count in record["label_count_round_1"].items():
            if count:
                name = f"{'/'.join(numbers)}-{label[0]}"
                is_error = float(label in record["error_labels"])
                ambiguous = "yes" if record["has_ambiguity"] else "no"
                rows.append((name, is_error, record["id"], label, float(count), ambiguous))
    scores = []
    for file in _PREDICTIONS:
        found = read_json(files[file.path])
        folder, name = file.path.split("/")[1:]
        seed = name.removesuffix(".json")
        method = f"{folder}/{seed}" if seed.isdigit() else folder
        scores += [(item, method, float(score)) for item, score in found.items()]
    return _score_tables(rows, scores)


def _score_tables(rows: list[tuple[Any, ...]], scores: list[tuple[str, str, float]]) -> DataTables:
    labels = pd.DataFrame(scores, columns=["item", "annotator", "label"])
    known = {row[0] for row in rows}
    others = [name for name in labels["item"].unique() if name not in known]
    rows = [*rows, *((name, np.nan, None, None, np.nan, None) for name in others)]
    items = pd.DataFrame(rows, columns=["item", "gold", "pair", "label", "count", "ambiguous"])
    text = dict.fromkeys(("item", "pair", "label", "ambiguous"), "str")
    return DataTables(labels.astype({"item": "str", "annotator": "str"}), items.astype(text))


def _patterns(rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the explanations of each label that each item has, shape (500, 3)."""
    counts = np.array(list(_PATTERNS.values()))
    return rng.permutation(np.repeat(np.array(list(_PATTERNS)), counts, axis=0))


def _drawn(rng: np.random.Generator) -> list[_Explanation]:
    """Draw who explains which label, and how all judge the explanations."""
    names: list[tuple[str, str, str]] = []
    author, count, label = [], [], []
    for n, pattern in enumerate(_patterns(rng)):
        given = np.zeros(_N_ANNOTATORS)
        for k, size in enumerate(pattern):
            # Who has not labelled the item comes first, so that few are without a label.
            own = np.lexsort((rng.random(_N_ANNOTATORS), given))[:size]
            given[own] += 1
            for m, each in enumerate(own):
                names.append((f"pair {n + 1}", f"{n + 1}-{CATEGORIES[k]}-{m + 1}", CATEGORIES[k]))
                author.append(int(each))
                count.append(int(size))
                label.append(3 * n + k)
    judged = _judged(rng, np.array(author), np.array(count), np.array(label))
    return [
        _Explanation(*name, own, {j: bool(v) for j, v in enumerate(row) if not np.isnan(v)})
        for name, own, row in zip(names, author, judged, strict=True)
    ]


def _judged(
    rng: np.random.Generator,
    author: NDArray[np.int64],
    count: NDArray[np.int64],
    label: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Draw judgements, shape (N, 4): 1 for "yes", 0 for "no", NaN for "I don't know".

    Of each stratum, the explanations that appear best get the counted number of "yes".
    """
    of_label, of_explanation = np.sqrt(_SHARED)
    appeal = (
        of_label * rng.standard_normal(3 * sum(_PATTERNS.values()))[label][:, None]
        + of_explanation * rng.standard_normal((author.size, 1))
        + np.sqrt(1 - sum(_SHARED)) * rng.standard_normal((author.size, _N_ANNOTATORS))
        + np.array(_LENIENCY)
    )
    judged = np.full(appeal.shape, np.nan)
    own = author[:, None] == np.arange(_N_ANNOTATORS)
    for (is_own, size), (yes, no, _) in _COUNTS.items():
        place = np.flatnonzero(((own == is_own) & (count[:, None] == size)).ravel())
        said = rng.permutation(place)[: yes + no]
        best = said[np.argsort(-appeal.flat[said], kind="stable")]
        judged.flat[best] = np.arange(best.size) < yes
    return judged


def _simulate_judgements(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    return _judgement_tables(_drawn(rng))


def _simulate_labels(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Draw labels, and votes of a crowd that leans as the annotators do."""
    found = _drawn(rng)
    given = {f"pair {n + 1}": np.full(3, 0.5) for n in range(sum(_PATTERNS.values()))}
    for each in found:
        given[each.item][CATEGORIES.index(each.label)] += 1
    votes = {item: rng.multinomial(100, rng.dirichlet(each)) for item, each in given.items()}
    return _label_tables(found, votes)


#: Labels that some methods have a score of and the release does not have, and what each scored.
_STRAY = 17
_SCORED = {
    "baseline_chaosnli_prob": (877, 17),
    **{f"{name}/{seed}": (878, 0) for name in ("dm_mean", "dm_std") for seed in (42, 43, 44)},
    "gpt-3.5-turbo": (878, 0),
    "gpt-4-1106-preview": (878, 0),
    **{
        f"metadata_archaeology_{name}/{seed}": (878, 1)
        for name in ("knn", "lr")
        for seed in (42, 43, 44)
    },
    **dict.fromkeys(
        (
            *("peer_Heruistic_ratio_per_exp", "peer_heuristic_ratio_all_exp"),
            *("peer_heuristic_sum_all_exp", "peer_heuristic_sum_per_exp"),
        ),
        (877, 17),
    ),
}
#: Errors by how many annotators gave the label.
_ERRORS = {1: 124, 2: 5, 3: 0, 4: 0}


def _simulate_scores(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Draw errors and, as what the methods said is not known, scores that are noise."""
    pattern = _patterns(rng)
    pair, label = np.nonzero(pattern)
    count = pattern[pair, label]
    is_error = np.zeros(count.size)
    for size, n_errors in _ERRORS.items():
        is_error[rng.permutation(np.flatnonzero(count == size))[:n_errors]] = 1.0
    valid = np.bincount(pair, is_error == 0, minlength=len(pattern))
    rows: list[tuple[Any, ...]] = [
        (
            f"{n + 1}-{CATEGORIES[k][0]}",
            is_error[m],
            f"pair {n + 1}",
            CATEGORIES[k],
            float(count[m]),
            "yes" if valid[n] > 1 else "no",
        )
        for m, (n, k) in enumerate(zip(pair, label, strict=True))
    ]
    names = [row[0] for row in rows]
    stray = list(numbered(np.arange(_STRAY), "stray-"))
    scores = []
    for method, (scored, others) in _SCORED.items():
        given = [*names[len(names) - scored :], *stray[:others]]
        noise = rng.random(len(given))
        scores += [(item, method, float(each)) for item, each in zip(given, noise, strict=True)]
    return _score_tables(rows, scores)


DATASETS = (
    DataSet(
        id="varierr_labels",
        title="500 pairs of sentences of MNLI: labels, several where several hold",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(_LABELS,),
        scale="nominal",
        categories=CATEGORIES,
        parse=_parse_labels,
        simulate=_simulate_labels,
        calibration=("how many annotators gave each item each label",),
        targets={
            "n_items": 500,
            "n_annotators": 4,
            "n_labels": 1933,
            "label:entailment": 0.287,
            "label:neutral": 0.505,
            "label:contradiction": 0.208,
        },
    ),
    DataSet(
        id="varierr_judgements",
        title="1,933 explanations of labels: does each make sense?",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(_LABELS,),
        scale="nominal",
        categories=_JUDGEMENTS,
        parse=_parse_judgements,
        simulate=_simulate_judgements,
        calibration=(
            "how many annotators gave each item each label",
            "judgements of own explanations and of others', by how many annotators gave the label",
        ),
        targets={"n_items": 1933, "n_annotators": 4, "n_labels": 7574, "label:yes": 0.835},
    ),
    DataSet(
        id="varierr_scores",
        title="878 labels of MNLI: errors, and scores of methods that detect them",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(_LABELS, *_PREDICTIONS),
        scale="interval",
        categories=None,
        parse=_parse_scores,
        simulate=_simulate_scores,
        calibration=(
            "numbers of labels and errors, by how many annotators gave the label",
            "which method scored how many labels; the scores are not simulated but noise",
        ),
        targets={"n_items": 895, "n_annotators": 19, "n_labels": 16768, "gold_mean": 0.147},
    ),
)
