"""Two systems by one judge: ppi-python on differences of pairs, and the paired t test."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from annobench.judges.systems import compare_systems

FOLDER = Path(__file__).resolve().parent / "prediction_powered"

#: What is stored has fifteen digits, and sums have few terms.
SAME = 1e-12


def load_script():
    spec = importlib.util.spec_from_file_location("generate_ppi", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()
STORED = pd.read_csv(FOLDER / "values.csv", comment="#").set_index(["case", "method"])


def paired(case, seed=1):
    """Make scores of two systems whose differences are a case of ppi-python's."""
    gold, predicted, others = SCRIPT.values(SCRIPT.CASES[case])
    n, n_others = gold.size, others.size
    rng = np.random.default_rng(seed)
    old_human, old_judge = rng.normal(size=n), rng.normal(size=n + n_others)
    judge = np.concatenate([np.concatenate([predicted, others]) + old_judge, old_judge])
    nothing = np.full(n_others, np.nan)
    human = np.concatenate([gold + old_human, nothing, old_human, nothing])
    questions = np.tile(np.arange(n + n_others), 2)
    systems = np.repeat(["new", "old"], n + n_others)
    return judge, human, systems, questions, n, n_others


@pytest.mark.parametrize("method", ["ppi", "half", "gold"])
@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_the_difference_of_pairs_is_that_of_ppi_python(case, method):
    judge, human, systems, questions, n, n_others = paired(case)
    # The peer's weight is ours times the share of the questions without human scores.
    weight = SCRIPT.WEIGHTS[method] * (1 + n / n_others)
    if weight > 1:
        weight, scale = 1.0, n_others / (n + n_others)
    else:
        scale = SCRIPT.WEIGHTS[method]
    found = compare_systems(
        judge, human, systems, clusters=questions, baseline="old", weight=weight
    ).differences.iloc[0]
    gold, predicted, others = SCRIPT.values(SCRIPT.CASES[case])
    if scale == SCRIPT.WEIGHTS[method]:
        theirs = STORED.loc[case, method]
        assert found["estimate"] == pytest.approx(theirs["estimate"], rel=1e-10)
    # Variances by the number less one, as test_prediction_powered.py has them of the peer's.
    variance = (gold - scale * predicted).var(ddof=1) / n + scale**2 * others.var(ddof=1) / n_others
    assert found["standard_error"] ** 2 == pytest.approx(variance, rel=1e-10)


@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_the_weight_is_that_of_ppi_plus(case):
    judge, human, systems, questions, n, n_others = paired(case)
    gold, predicted, others = SCRIPT.values(SCRIPT.CASES[case])
    found = compare_systems(judge, human, systems, clusters=questions, baseline="old")
    ours = found.differences["weight"].iloc[0] * n_others / (n + n_others)
    # The peer pools the variance of all predictions; ours takes that of each stratum.
    own = np.cov(gold, predicted)[0, 1] / n
    own /= predicted.var(ddof=1) / n + others.var(ddof=1) / n_others
    assert ours == pytest.approx(np.clip(own, 0, n_others / (n + n_others)), rel=1e-9, abs=1e-12)


def test_without_the_judge_it_is_the_paired_t_test():
    rng = np.random.default_rng(3)
    new, old = rng.normal(0.3, 1, (2, 40))
    human = np.concatenate([new, old])
    questions = np.tile(np.arange(40), 2)
    found = compare_systems(
        rng.normal(size=80), human, ["new"] * 40 + ["old"] * 40, clusters=questions, baseline="old"
    ).differences.iloc[0]
    theirs = ttest_rel(new, old)
    low, high = theirs.confidence_interval()
    # Where humans scored every answer the judge counts nothing.
    assert found["estimate"] == pytest.approx((new - old).mean(), rel=SAME)
    assert found["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)
    assert (found["lower"], found["upper"]) == pytest.approx((low, high), rel=1e-9)
