"""The jury of `annobench judge`: what it is worth on new items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from annobench.judges.jury import assess_jury
from studies.intervals.case import Case

#: New items on which a jury is tried.
NEW = 10_000


@dataclass(frozen=True)
class Panel:
    """Judges of an accuracy each, and how often all of them copy one wrong label."""

    words: str
    n_gold: int
    accuracy: tuple[float, ...]
    shares: tuple[float, ...]
    copied: float = 0.0
    missing: float = 0.0
    budget: float | None = None

    def trial(self, quantity: str, rng: np.random.Generator) -> tuple[float, ...]:
        """Fit a jury to gold items, and try it on new ones."""
        n, k = self.n_gold + NEW, len(self.shares)
        category = rng.choice(k, size=n, p=self.shares)
        wrong = (category + rng.integers(1, k, size=n)) % k
        copies = rng.random(n) < self.copied
        judges = {}
        for j, accuracy in enumerate(self.accuracy):
            own = (category + rng.integers(1, k, size=n)) % k
            label = np.where(rng.random(n) < accuracy, category, np.where(copies, wrong, own))
            judges[f"judge {j}"] = np.where(rng.random(n) < self.missing, -1, label)
        gold = np.where(np.arange(n) < self.n_gold, category, -1)
        jury = assess_jury(judges, gold, k, budget=self.budget, rng=rng)
        new = np.arange(self.n_gold, n)
        posterior = jury.posterior[new]
        truth = {
            "accuracy": (posterior.argmax(axis=1) == category[new]).mean(),
            "log_loss": -np.log(posterior[np.arange(NEW), category[new]]).mean(),
        }
        row = jury.estimates.iloc[-1]
        return row[f"{quantity}_lower"], row[f"{quantity}_upper"], truth[quantity]


PANELS = (
    Panel(
        "100 gold items, 4 judges of accuracy .7 to .85", 100, (0.7, 0.75, 0.8, 0.85), (0.5, 0.5)
    ),
    Panel(
        "50 gold items, the best 2 of 3 judges of accuracy .7 to .85",
        50,
        (0.7, 0.8, 0.85),
        (0.5, 0.5),
        budget=2,
    ),
    Panel(
        "200 gold items, 3 categories of prevalence .1 and .05, 4 judges, a third of errors shared",
        200,
        (0.7, 0.75, 0.8, 0.85),
        (0.85, 0.1, 0.05),
        copied=1 / 3,
    ),
    Panel(
        "100 gold items, 4 judges of accuracy .6 to .9, 40% of labels missing",
        100,
        (0.6, 0.7, 0.8, 0.9),
        (0.6, 0.4),
        missing=0.4,
    ),
)


def cases() -> list[Case]:
    """List accuracy and log loss of each panel."""
    return [
        Case(
            f"judge.jury_{quantity}",
            panel.words,
            "coverage",
            (0.93, 0.97),
            partial(panel.trial, quantity),
            200,
        )
        for quantity in ("accuracy", "log_loss")
        for panel in PANELS
    ]
