"""Fit the one-coin model, MACE and GLAD by crowd-kit and store what it finds.

Run from a clone, in the environment made from requirements/peers.txt; a few minutes:

    .venv-peers/bin/python tests/reference/vote_models/generate.py

What crowd-kit does, as far as it matters here:

- OneCoinDawidSkene starts from the shares of each item's labels, smooths nothing, and updates the
  parameters after its last E-step as well; its n_iter counts E-steps.
- MACE gives every restart the same random state, so that all are one; a single start is run, long
  enough to stand still. Its `spamming_` has the probability to spam in column 0. It keeps the
  spammers' strategies in the order of the names of annotators and labels, and looks them up by the
  order of their first appearance: with names in another order annotators get each other's
  strategies. It is therefore given names in the order of appearance.
- GLAD calls the logarithm of our easiness beta. Its M-steps are by conjugate gradients, whose
  tolerance is made tight here. Its stopping rule compares a sum with a mean and is switched off.
"""

from __future__ import annotations

import datetime
import hashlib
import random
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

HERE = Path(__file__).resolve().parent
#: Iterations: enough for MACE and GLAD to stand still, and few for the one-coin model, which is
#: compared step by step.
ITERATIONS = {"one_coin": 5, "mace_em": 500, "mace_variational": 500, "glad": 60}
#: Slope at which an M-step of GLAD stops.
M_STEP_TOLERANCE = 1e-7
DIGITS = 12


class Case(NamedTuple):
    """Simulated labels: sizes, labels an item at most, annotators' accuracies, seed."""

    n_items: int
    n_annotators: int
    n_categories: int
    per_item: int
    accuracy: tuple[float, float]
    seed: int


CASES = {
    "binary": Case(60, 8, 2, 5, (0.55, 0.95), 1),
    "three": Case(60, 8, 3, 6, (0.45, 0.95), 2),
    "sparse": Case(80, 12, 4, 3, (0.5, 0.95), 3),
}


def labels(case: Case) -> pd.DataFrame:
    """Draw the labels of a case by Python's own generator, the same in every version."""
    draw = random.Random(case.seed)
    low, high = case.accuracy
    accuracy = [draw.uniform(low, high) for _ in range(case.n_annotators)]
    rows = []
    for item in range(case.n_items):
        truth = draw.randrange(case.n_categories)
        number = draw.randint(2, case.per_item)
        for annotator in sorted(draw.sample(range(case.n_annotators), number)):
            wrong = (truth + draw.randrange(1, case.n_categories)) % case.n_categories
            label = truth if draw.random() < accuracy[annotator] else wrong
            rows.append((f"i{item}", f"a{annotator}", f"c{label}"))
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def digest(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of the labels."""
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


Row = tuple[str, str, str, str, float]


def table(model: str, quantity: str, found: pd.DataFrame) -> Iterator[Row]:
    for name, row in found.iterrows():
        for label, value in row.items():
            yield model, quantity, str(name), str(label), float(value)


def column(model: str, quantity: str, found: pd.Series) -> Iterator[Row]:
    for name, value in found.items():
        yield model, quantity, str(name), "", float(value)


def fit(frame: pd.DataFrame) -> Iterator[Row]:
    """Give what crowd-kit finds: model, quantity, name, label, value."""
    from crowdkit.aggregation import GLAD, MACE, OneCoinDawidSkene

    data = frame.rename(columns={"item": "task", "annotator": "worker"})
    coin = OneCoinDawidSkene(n_iter=ITERATIONS["one_coin"], tol=-1.0).fit(data)
    yield from table("one_coin", "posterior", coin.probas_)
    yield from column("one_coin", "accuracy", coin.skills_)
    yield from column("one_coin", "prevalence", coin.priors_)
    annotators, categories = pd.unique(data["worker"]), pd.unique(data["label"])
    in_order = data.assign(
        worker=pd.factorize(data["worker"])[0], label=pd.factorize(data["label"])[0]
    )
    for name, method in (("mace_em", "em"), ("mace_variational", "vb")):
        mace = MACE(n_restarts=1, n_iter=ITERATIONS[name], method=method).fit(in_order)
        yield from table(
            name, "posterior", mace.probas_.rename(columns=dict(enumerate(categories)))
        )
        yield from column(name, "know", pd.Series(mace.spamming_[:, 1], annotators))
    glad = GLAD(
        n_iter=ITERATIONS["glad"], tol=-1e9, m_step_tol=M_STEP_TOLERANCE, m_step_max_iter=40
    )
    glad.fit(data)
    yield from table("glad", "posterior", glad.probas_)
    yield from column("glad", "ability", glad.alphas_)
    yield from column("glad", "log_easiness", glad.betas_)


def main() -> None:
    """Write one file a case."""
    packages = ("crowd-kit", "numpy", "pandas", "scipy")
    for name, case in CASES.items():
        frame = labels(case)
        rows = [(*keys, f"{value:.{DIGITS}g}") for *keys, value in fit(frame)]
        header = {
            "note": "do not edit; written by the script",
            "script": "tests/reference/vote_models/generate.py",
            "packages": " ".join(f"{package}=={version(package)}" for package in packages),
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "labels_sha256": digest(frame),
            "iterations": " ".join(f"{model}={n}" for model, n in ITERATIONS.items()),
        }
        text = "".join(f"# {key}: {value}\n" for key, value in header.items())
        found = pd.DataFrame(rows, columns=["model", "quantity", "name", "label", "value"])
        (HERE / f"{name}.csv").write_text(
            text + found.to_csv(index=False, lineterminator="\n"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
