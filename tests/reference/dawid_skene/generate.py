"""Fit Dawid and Skene's model by crowd-kit and store what it finds.

Run from a clone, in the environment made from requirements/peers.txt:

    .venv-peers/bin/python tests/reference/dawid_skene/generate.py

crowd-kit starts from the shares of each item's labels, smooths nothing, and updates the parameters
after its last E-step as well; its n_iter counts E-steps. It clips counts and prevalence at 1e-10,
which is noted where it happens. Its error matrix has labels in rows and true categories in
columns; here it is stored our way, [annotator, category, label].
"""

from __future__ import annotations

import datetime
import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
CLIP = 1e-10


class Case(NamedTuple):
    """Simulated labels: sizes, labels an item at most, how often annotators are right, seed."""

    n_items: int
    n_annotators: int
    n_categories: int
    per_item: int
    accuracy: tuple[float, float]
    n_iter: int
    seed: int


CASES = {
    "binary": Case(200, 12, 2, 5, (0.55, 0.9), 25, 1),
    "three": Case(150, 8, 3, 6, (0.5, 0.8), 2, 2),
    "four": Case(300, 10, 4, 7, (0.4, 0.8), 20, 3),
    "nine": Case(400, 6, 9, 6, (0.6, 0.8), 5, 4),
    "crowd": Case(20, 500, 2, 300, (0.5, 0.7), 3, 5),
    "boundary": Case(60, 6, 3, 5, (0.9, 1.0), 30, 6),
}


def labels(case: Case) -> pd.DataFrame:
    """Simulate unequal numbers of labels; annotators who are wrong choose any other category."""
    rng = np.random.default_rng(case.seed)
    truth = rng.choice(case.n_categories, case.n_items, p=_falling(case.n_categories))
    accuracy = rng.uniform(*case.accuracy, case.n_annotators)
    rows = []
    for item, category in enumerate(truth):
        size = rng.integers(case.per_item // 2, case.per_item + 1)
        for annotator in rng.choice(case.n_annotators, size, replace=False):
            wrong = (category + rng.integers(1, case.n_categories)) % case.n_categories
            label = category if rng.random() < accuracy[annotator] else wrong
            rows.append((f"i{item}", f"a{annotator}", f"c{label}"))
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def _falling(k: int) -> np.ndarray:
    weight = 1 / np.arange(2, k + 2)
    return weight / weight.sum()


def digest(frame: pd.DataFrame) -> str:
    """Return a hash of the labels."""
    return hashlib.sha256(frame.to_csv(index=False, lineterminator="\n").encode()).hexdigest()


def answers(frame: pd.DataFrame, n_iter: int) -> tuple[pd.DataFrame, bool]:
    """Return crowd-kit's estimates as rows, and whether it clipped any."""
    from crowdkit.aggregation import DawidSkene

    data = frame.rename(columns={"item": "task", "annotator": "worker"})
    model = DawidSkene(n_iter=n_iter, tol=-np.inf).fit(data)
    rows = [
        ("posterior", item, "", category, value)
        for item, row in model.probas_.iterrows()
        for category, value in row.items()
    ]
    rows += [("prevalence", "", "", category, value) for category, value in model.priors_.items()]
    rows += [
        ("confusion", annotator, category, label, value)
        for (annotator, label), row in model.errors_.iterrows()
        for category, value in row.items()
    ]
    table = pd.DataFrame(rows, columns=["quantity", "name", "category", "label", "value"])
    parameters = table.loc[table["quantity"] != "posterior", "value"]
    # A count at the clip is divided by a row's sum, which is rarely far below 1.
    return table, bool((parameters < 2 * CLIP).any())


def write(name: str) -> None:
    """Fit one case and write its file."""
    frame = labels(CASES[name])
    table, clipped = answers(frame, CASES[name].n_iter)
    header = {
        "note": "do not edit; written by the script",
        "script": "tests/reference/dawid_skene/generate.py",
        "packages": " ".join(f"{p}=={version(p)}" for p in ("crowd-kit", "numpy", "pandas")),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "labels_sha256": digest(frame),
        "n_iter": CASES[name].n_iter,
        "clipped": clipped,
    }
    with (HERE / f"{name}.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in header.items())
        table.to_csv(file, index=False, float_format="%.12g", lineterminator="\n")
    print(f"{name}: {len(frame)} labels, clipped: {clipped}")


if __name__ == "__main__":
    for each in CASES:
        write(each)
