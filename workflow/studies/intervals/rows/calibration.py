"""Scores before and after calibration, as `annobench consensus --gold` and `audit` print them.

A model of three categories is overconfident: its log odds are twice the true ones. A
score after calibration is that of the map which the gold items gave, on new items.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from annobench.audit.assessment import assess
from annobench.audit.design import draw
from annobench.benchmark.scores import score
from annobench.core.choices import DEFAULT_SEED
from annobench.evaluation.calibration import calibrate
from annobench.reporting.pages import records
from studies.intervals.case import Case

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHARES: Final = (0.6, 0.3, 0.1)
#: By how much log odds are too large.
OVERCONFIDENCE: Final = 2.0
#: New items, and items of an audit.
NEW: Final = 20_000
AUDITED: Final = 3_000
#: Items for the scores of the model itself.
LONG_RUN: Final = 400_000
#: Resamples of the gold items.
REPLICATES: Final = 200
#: Of the five; confidence and Brier's score are means over items as the log loss is.
SCORES: Final = ("accuracy", "log_loss", "calibration_error")
WHEN: Final = ("before", "after", "change")


def cases() -> list[Case]:
    """List each score before and after calibration, and its change."""
    return [
        Case(
            f"{command}.calibration_{when}",
            f"{name.replace('_', ' ')}, {n} {what}, three categories, log odds twice the true ones",
            "coverage",
            (0.93, 0.97),
            partial(trial, name, when, n),
            200,
        )
        for command, what, n, trial in (
            ("consensus", "gold items", 60, _by_gold),
            ("consensus", "gold items", 300, _by_gold),
            ("audit", f"checks of {AUDITED:,} items", 200, _by_audit),
        )
        for when in (WHEN if n > 60 else ("after",))
        for name in (SCORES if n == 300 else SCORES[1:])
    ]


def _draw(n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Draw a model's probabilities, and the categories of the items."""
    category = rng.choice(len(SHARES), size=n, p=SHARES)
    evidence = rng.normal(1.5 * np.eye(len(SHARES))[category]) * 1.5 + np.log(SHARES)
    return softmax(OVERCONFIDENCE * log_softmax(evidence, axis=1), axis=1), category


@cache
def _before() -> dict[str, float]:
    return score(*_draw(LONG_RUN, np.random.default_rng(DEFAULT_SEED)))


def _limits(
    scores: pd.DataFrame, name: str, when: str, before: float, after: float
) -> tuple[float, ...]:
    [row] = records(scores[scores.index == name])
    truth = {"before": before, "after": after, "change": after - before}[when]
    return row[f"{when}_lower"], row[f"{when}_upper"], truth


def _by_gold(name: str, when: str, n: int, rng: np.random.Generator) -> tuple[float, ...]:
    result = calibrate(*_draw(n, rng), rng=rng, replicates=REPLICATES)
    new, category = _draw(NEW, rng)
    after = score(result.map(new), category)[name]
    return _limits(result.scores, name, when, _before()[name], after)


def _by_audit(name: str, when: str, n: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Audit items; scores are those of all of them."""
    posterior, category = _draw(AUDITED, rng)
    names = tuple(f"i{i}" for i in range(AUDITED))
    design = draw(names, tuple("abc"), posterior, n, rng=rng)
    checked = {names[i]: "abc"[category[i]] for i in np.flatnonzero(design.order >= 0)}
    result = assess(design, checked, rng=rng).calibration
    assert result is not None
    before, after = score(posterior, category), score(result.map(posterior), category)
    return _limits(result.scores, name, when, before[name], after[name])
