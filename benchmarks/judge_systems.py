"""Coverage and length of intervals of two systems' difference by one judge: simulated studies.

Two systems answer the same questions. A judge scores all answers, and favours one system; humans
score some questions. Labels are right or wrong, or grades from 1 to 5. Prints for each design the
bias, the coverage of 95% intervals and their mean length, of the corrected difference, of humans
alone and of the judge alone; each study has 1,000 repetitions, whose standard error of a coverage
of .95 is .007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t, ttest_ind, ttest_rel

from annobench.judges.systems import compare_systems


@dataclass(frozen=True)
class Design:
    """A study: how many questions, how many of them scored by humans, grades, the judge's noise."""

    n_questions: int
    n_human: int
    grades: int
    noise: float
    paired: bool = True


DESIGNS = {
    "right or wrong, 30 by humans": Design(500, 30, 2, 0.5),
    "right or wrong, 100 by humans": Design(1_000, 100, 2, 0.5),
    "grades, 30 by humans": Design(500, 30, 5, 0.5),
    "grades, 100 by humans": Design(1_000, 100, 5, 0.5),
    "grades, poor judge": Design(1_000, 100, 5, 3.0),
    "grades, other questions": Design(1_000, 100, 5, 0.5, paired=False),
}


def draw(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw scores by the judge and by humans, systems and questions; humans' are the truth."""
    n = design.n_questions
    ease = rng.normal(size=n)
    ease = np.concatenate([ease, ease if design.paired else rng.normal(size=n)])
    new = np.repeat([1.0, 0.0], n)
    latent = ease + 0.3 * new + rng.normal(0, 0.7, 2 * n)
    seen = latent + 0.3 * new + rng.normal(0, design.noise, 2 * n)
    cuts = {2: [0.5], 5: [-1.5, -0.5, 0.5, 1.5]}[design.grades]
    truth, judge = (np.digitize(x, cuts).astype(float) for x in (latent, seen))
    chosen = rng.permutation(n) < design.n_human
    human = np.where(np.concatenate([chosen, chosen]), truth, np.nan)
    question = np.arange(2 * n) % n if design.paired else np.arange(2 * n)
    return judge, human, truth, np.where(new, "new", "old"), question


def true_difference(design: Design, rng: np.random.Generator) -> float:
    """Return the difference of the systems' expected scores, by a million answers."""
    large = Design(500_000, 0, design.grades, design.noise)
    _, _, truth, system, _ = draw(large, rng)
    return float(truth[system == "new"].mean() - truth[system == "old"].mean())


def measure(design: Design, *, repetitions: int, seed: int = 1) -> pd.DataFrame:
    """Repeat a study: bias, coverage and mean length by estimate."""
    rng = np.random.default_rng(seed)
    truth = true_difference(design, rng)
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repetitions):
        judge, human, _, system, question = draw(design, rng)
        options = {"clusters": question, "baseline": "old"}
        row = compare_systems(judge, human, system, **options).differences.iloc[0]
        half = t.ppf(0.975, row["n_clusters"] - 1)
        scores = judge[system == "new"], judge[system == "old"]
        test = (ttest_rel if design.paired else ttest_ind)(*scores)
        low, high = test.confidence_interval()
        for name, value, width in (
            ("corrected", row["estimate"], (row["upper"] - row["lower"]) / 2),
            ("humans alone", row["human_score"], half * row["human_standard_error"]),
            ("judge alone", (low + high) / 2, (high - low) / 2),
        ):
            found.setdefault(name, []).append((value - truth, width))
    rows = []
    for name, values in found.items():
        error, width = np.array(values).T
        rows.append((name, error.mean(), (np.abs(error) <= width).mean(), 2 * width.mean()))
    return pd.DataFrame(rows, columns=["estimate", "bias", "coverage", "length"])


def main() -> None:
    """Print the table."""
    tables = {name: measure(each, repetitions=1_000) for name, each in DESIGNS.items()}
    print(pd.concat(tables, names=["design"]).droplevel(1).round(3).to_string())


if __name__ == "__main__":
    main()
