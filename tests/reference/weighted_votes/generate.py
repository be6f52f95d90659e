"""Fit Wawa and zero-based skill by crowd-kit and store what it finds.

Run from a clone, in the environment made from requirements/peers.txt; a few seconds:

    .venv-peers/bin/python tests/reference/weighted_votes/generate.py

What crowd-kit does, as far as it matters here:

- Of categories with the most votes the first in the order of their names wins, where ours share.
  The labels below have no such item: those of the unweighted vote are left out, and weighted votes
  do not tie by chance.
- When agreement is counted, exact repeats (annotator, item and label) are one. There are none.
- Wawa's `skills_` are the weights of its second vote. ZeroBasedSkill does all of its rounds,
  updates its skills after the last vote, and votes once more.
- The last vote of either is `MajorityVote` with these skills. It is called here: `predict_proba` of
  crowd-kit 1.4.2 asks scikit-learn whether the object is fitted, and scikit-learn 1.9 finds that it
  is no estimator (`__sklearn_tags__`).
"""

from __future__ import annotations

import datetime
import hashlib
import random
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

HERE = Path(__file__).resolve().parent
DIGITS = 15


class Case(NamedTuple):
    """Simulated labels: sizes, labels an item at most, accuracies in turn, seed."""

    n_items: int
    n_annotators: int
    n_categories: int
    per_item: int
    accuracy: tuple[float, float, float]
    seed: int


CASES = {
    "first": Case(60, 12, 4, 5, (0.95, 0.2, 0.2), 16),
    "second": Case(60, 12, 4, 5, (0.95, 0.2, 0.2), 26),
}


def labels(case: Case) -> pd.DataFrame:
    """Draw the labels of a case by Python's own generator, the same in every version."""
    draw = random.Random(case.seed)
    rows = []
    for item in range(case.n_items):
        truth = draw.randrange(case.n_categories)
        of_item = []
        for annotator in draw.sample(range(case.n_annotators), draw.randint(2, case.per_item)):
            wrong = (truth + draw.randrange(1, case.n_categories)) % case.n_categories
            label = truth if draw.random() < case.accuracy[annotator % 3] else wrong
            of_item.append((f"i{item}", f"a{annotator}", f"c{label}"))
        most = Counter(label for _, _, label in of_item).most_common(2)
        if len(most) == 1 or most[0][1] > most[1][1]:
            rows += of_item
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def digest(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of the labels."""
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


def fit(frame: pd.DataFrame) -> Iterator[tuple[str, str, str, str, float]]:
    """Give what crowd-kit finds: model, quantity, name, label, value."""
    from crowdkit.aggregation import MajorityVote, Wawa, ZeroBasedSkill

    data = frame.rename(columns={"item": "task", "annotator": "worker"})
    for name, aggregator in (("wawa", Wawa()), ("zero_based_skill", ZeroBasedSkill())):
        skills = aggregator.fit(data).skills_
        for item, row in MajorityVote().fit_predict_proba(data, skills).iterrows():
            for label, value in row.items():
                yield name, "posterior", str(item), str(label), float(value)
        for annotator, value in skills.items():
            yield name, "accuracy", str(annotator), "", float(value)


def main() -> None:
    """Write one file a case."""
    packages = ("crowd-kit", "numpy", "pandas")
    for name, case in CASES.items():
        frame = labels(case)
        rows = [(*keys, f"{value:.{DIGITS}g}") for *keys, value in fit(frame)]
        header = {
            "note": "do not edit; written by the script",
            "script": "tests/reference/weighted_votes/generate.py",
            "packages": " ".join(f"{package}=={version(package)}" for package in packages),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "labels_sha256": digest(frame),
        }
        text = "".join(f"# {key}: {value}\n" for key, value in header.items())
        found = pd.DataFrame(rows, columns=["model", "quantity", "name", "label", "value"])
        (HERE / f"{name}.csv").write_text(
            text + found.to_csv(index=False, lineterminator="\n"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
