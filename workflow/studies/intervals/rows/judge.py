"""Intervals and tests of judges, as `annobench judge` prints them.

A judge and humans know the category of a share of the items and guess the others, so that accuracy
and Youden's index are known; scores of systems are normal, or shares of a category.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import Annotations
from annobench.judges import rates
from annobench.judges.agreement import compare_agreement
from annobench.judges.alternative_annotators import alternative_annotator_test
from annobench.judges.bias import judge_bias
from annobench.judges.consistency import position_table, repeat_consistency
from annobench.judges.drift import judge_drift
from annobench.judges.jury import effective_judges
from annobench.judges.planning import plan_test
from annobench.judges.prevalence import METHODS, JudgedCounts
from annobench.judges.systems import compare_systems
from annobench.judges.worth import worth
from annobench.models import dawid_skene
from annobench.reporting.pages import records
from studies.intervals.case import Case

COVERED: Final = (0.93, 0.97)
#: Intervals that are wide on purpose, or of few distinct values, may cover more often.
AT_LEAST: Final = (0.93, 1.0)
LEVEL: Final = (0.03, 0.07)
#: Draws of a posterior distribution, and data sets of which each takes long.
DRAWS, FEWER = 200, 200
#: What humans and the judge know: those of the second panel alike, those of the first not.
PANELS: Final = {
    "300 items, humans who know .9, .9, .2 and .2, a judge who knows .45": (
        300,
        (0.9, 0.9, 0.2, 0.2),
        0.45,
    ),
    "100 items, three humans who know .7, a judge who knows .8": (100, (0.7, 0.7, 0.7), 0.8),
}
#: Of the last human, without gold.
OF_A_HUMAN: Final = ("human_beyond_chance", "human_accuracy")
Draw = Callable[[np.random.Generator], tuple[float, ...]]
Limits = tuple[float, float, float]


def cases() -> list[Case]:
    """List the intervals and tests."""
    return [*_by_gold(), *_by_humans(), *_agreement(), *_prevalence(), *_systems(), *_in_time()]


def _labels(
    rng: np.random.Generator, truth: NDArray[np.int64], proportion: float, n_categories: int = 2
) -> NDArray[np.int64]:
    """Label items: the share that is known correctly, the others at random."""
    guesses = rng.integers(0, n_categories, truth.size)
    return np.where(rng.random(truth.size) < proportion, truth, guesses)


def _limits(interval: Any, truth: float, place: int | None = None) -> Limits:
    lower, upper = (
        float(np.asarray(limit) if place is None else np.asarray(limit)[place])
        for limit in (interval.lower, interval.upper)
    )
    return lower, upper, truth


def _by_gold() -> list[Case]:
    results = []
    for n, proportion in ((30, 0.5), (100, 0.5), (100, 0.9)):
        design = f"{n} gold items, two equal categories, a judge who knows {proportion:g}"
        for quantity, wanted in (("accuracy", AT_LEAST), ("youden", AT_LEAST)):
            trial = partial(_gold_trial, quantity, n, proportion, (0.5, 0.5), 1)
            results.append(Case(f"judge.{quantity}", design, "coverage", wanted, trial))
    three = (0.7, 0.2, 0.1)
    results.append(
        Case(
            "judge.mean_youden",
            "100 gold items, prevalence .7, .2, .1, a judge who knows .5",
            "coverage",
            COVERED,
            partial(_gold_trial, "mean_youden", 100, 0.5, three, 1),
        )
    )
    results += [
        Case(
            f"judge.{quantity}",
            "100 gold items, category of prevalence .1 of three, a judge who knows .5",
            "coverage",
            AT_LEAST,
            partial(_gold_trial, quantity, 100, 0.5, three, 1),
        )
        for quantity in ("sensitivity", "specificity")
    ]
    results += [
        Case(
            f"judge.{quantity}",
            "40 clusters of 5 gold items, of which the judge knows all or none",
            "coverage",
            COVERED,
            partial(_gold_trial, quantity, 200, 0.5, (0.5, 0.5), 5),
        )
        for quantity in ("accuracy", "youden")
    ]
    return results


def _gold_trial(
    quantity: str,
    n: int,
    proportion: float,
    prevalence: tuple[float, ...],
    size: int,
    rng: np.random.Generator,
) -> Limits:
    k = len(prevalence)
    truth = rng.choice(k, n, p=prevalence)
    labels = _labels(rng, truth, proportion, k)
    clusters = np.arange(n) // size
    if size > 1:
        knows = rng.random(n // size)[clusters] < proportion
        labels = np.where(knows, truth, rng.integers(0, k, n))
    names = tuple("abc"[:k])
    results = rates.rates_by_gold(labels, truth, names, clusters=clusters if size > 1 else None)
    expected = {
        "accuracy": proportion + (1 - proportion) / k,
        "sensitivity": proportion + (1 - proportion) / k,
        "specificity": 1 - (1 - proportion) / k,
    }.get(quantity, proportion)
    place = {"youden": 0, "sensitivity": k - 1, "specificity": k - 1}.get(quantity)
    return _limits(getattr(results, quantity), expected, place)


def _panel(
    rng: np.random.Generator, n: int, humans: tuple[float, ...], judge: float
) -> tuple[Annotations, NDArray[np.int64], NDArray[np.int64]]:
    truth = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {f"h{j}": _labels(rng, truth, proportion) for j, proportion in enumerate(humans)}
    ).astype(str)
    return Annotations.from_wide(table), _labels(rng, truth, judge), truth


def _by_humans() -> list[Case]:
    results = []
    for words, panel in PANELS.items():
        for quantity in ("accuracy_by_humans", "worth", *OF_A_HUMAN):
            trial = partial(_posterior_trial, quantity, *panel)
            results.append(Case(f"judge.{quantity}", words, "coverage", COVERED, trial, FEWER))
    words = "100 gold items of 300, humans who know .9, .9, .2 and .2, a judge who knows .45"
    trial = partial(_worth_by_gold, 100, *PANELS[next(iter(PANELS))])
    results.append(Case("judge.worth", words, "coverage", COVERED, trial, FEWER))
    return results


def _knowing(share: float) -> NDArray[np.float64]:
    return np.array([[1 + share, 1 - share], [1 - share, 1 + share]]) / 2


@cache
def _true_worth(humans: tuple[float, ...], judge: float) -> float:
    pool = np.stack([_knowing(share) for share in humans])
    return worth([0.5, 0.5], pool, _knowing(judge), rng=1).human_labels


def _posterior_trial(
    quantity: str, n: int, humans: tuple[float, ...], judge: float, rng: np.random.Generator
) -> Limits:
    panel, labels, _ = _panel(rng, n, humans, judge)
    fit = dawid_skene.fit(panel)
    if quantity in OF_A_HUMAN:
        sampled = rates.sample_panel(panel, fit.posterior, draws=DRAWS, rng=rng)
        of_last = rates.human_rates(panel, fit.posterior, sampled)[-1]
        if quantity == "human_accuracy":
            return _limits(of_last.accuracy, (1 + humans[-1]) / 2)
        return _limits(of_last.mean_youden, humans[-1])
    draws = rates.sample_panel(panel, fit.posterior, labels, draws=DRAWS, rng=rng)
    results = rates.rates_by_posterior(labels, fit.posterior, panel.categories, sampled=draws)
    if quantity == "accuracy_by_humans":
        return _limits(results.accuracy, (1 + judge) / 2)
    return _worth(fit, results, results.draws, humans, judge, rng)


def _worth_by_gold(
    n_gold: int, n: int, humans: tuple[float, ...], judge: float, rng: np.random.Generator
) -> Limits:
    panel, labels, truth = _panel(rng, n, humans, judge)
    fit = dawid_skene.fit(panel)
    gold = np.where(np.arange(n) < n_gold, truth, -1)
    results = rates.rates_by_gold(labels, gold, panel.categories)
    sampled = rates.sample_panel(panel, fit.posterior, draws=DRAWS, rng=rng)
    of_judge = rates.dirichlet(np.broadcast_to(results.confusion, (DRAWS, 2, 2)), rng)
    return _worth(fit, results, sampled._replace(judge=of_judge), humans, judge, rng)


def _worth(
    fit: dawid_skene.DawidSkeneFit,
    results: rates.JudgeRates,
    draws: rates.PanelDraws | None,
    humans: tuple[float, ...],
    judge: float,
    rng: np.random.Generator,
) -> Limits:
    confusion = results.confusion / results.confusion.sum(axis=1, keepdims=True)
    value = worth(fit.prevalence, fit.confusion, confusion, draws=draws, rng=rng)
    return value.lower, value.upper, _true_worth(humans, judge)


def _agreement() -> list[Case]:
    words = "100 items, three humans who know .7, a judge who knows .5"
    results = [
        Case(
            f"judge.{quantity}",
            words,
            "coverage",
            COVERED,
            partial(_agreement_trial, quantity),
        )
        for quantity in ("agreement_difference", "kappa_with_humans", "kappa_of_humans")
    ]
    results.append(
        Case(
            "judge.difference_from_human",
            words,
            "coverage",
            COVERED,
            partial(_alternative, 0.7, 0.7, False),
        )
    )
    results.append(
        Case(
            "judge.alternative_annotator_test",
            "100 items, three humans who know .7, a judge who does, too; epsilon 0",
            "level",
            LEVEL,
            partial(_alternative, 0.7, 0.7, True),
        )
    )
    results.append(
        Case(
            "judge.picks_first",
            "60 comparisons, a judge without bias",
            "coverage",
            AT_LEAST,
            _first,
        )
    )
    results.append(
        Case("judge.unanimous", "60 items asked three times", "coverage", AT_LEAST, _unanimous)
    )
    results += [
        Case(f"judge.{bias}", f"{n} answers, noise that grows", "coverage", COVERED, trial)
        for bias in ("bias_by_length", "bias_adjusted", "score_difference")
        for n in (30, 100)
        for trial in [partial(_bias, bias, n)]
    ]
    results.append(
        Case(
            "judge.plan",
            "200 simulated studies of 50 items, three humans of accuracy .8, a judge of .8",
            "coverage",
            COVERED,
            _power,
            200,
        )
    )
    results.append(
        Case(
            "judge.effective_judges",
            "100 gold items, three judges, errors correlated by .2",
            "coverage",
            COVERED,
            _effective,
        )
    )
    return results


def _agreement_trial(quantity: str, rng: np.random.Generator) -> Limits:
    panel, labels, _ = _panel(rng, 100, (0.7, 0.7, 0.7), 0.5)
    table = compare_agreement(panel, labels, replicates=DRAWS, rng=rng)
    rows = {row["measure"]: row for row in table.to_dict("records")}
    if quantity == "agreement_difference":
        row = rows["agreement"]
        return row["difference_lower"], row["difference_upper"], 0.7 * (0.5 - 0.7) / 2
    row = rows["kappa"]
    if quantity == "kappa_of_humans":
        return row["human_human_lower"], row["human_human_upper"], 0.7**2
    return row["human_judge_lower"], row["human_judge_upper"], 0.7 * 0.5


def _alternative(
    human: float, judge: float, test: bool, rng: np.random.Generator
) -> tuple[float, ...]:
    panel, labels, _ = _panel(rng, 100, (human,) * 3, judge)
    results = alternative_annotator_test(panel, labels, epsilon=0.0)
    if test:
        return (float(results.p_value[0]),)
    half = 1.96 * results.standard_error[0]
    return results.difference[0] - half, results.difference[0] + half, 0.0


def _first(rng: np.random.Generator) -> Limits:
    n = 60
    first, label = rng.choice(["A", "B"], n), rng.choice(["A", "B"], n)
    labels = Annotations.from_arrays([f"p{i}" for i in range(n)], ["j"] * n, label)
    [row] = position_table(labels, first).to_dict("records")
    return row["lower"], row["upper"], 0.5


def _unanimous(rng: np.random.Generator) -> Limits:
    n, times = 60, 3
    steady = rng.random(n) < 0.8
    label = np.where(steady[:, None], "A", rng.choice(["A", "B"], (n, times)))
    items = np.repeat([f"i{i}" for i in range(n)], times)
    labels = Annotations.from_arrays(items, ["j"] * (n * times), label.ravel())
    [row] = repeat_consistency(labels).to_dict("records")
    return row["lower"], row["upper"], 0.8 + 0.2 / 4


def _bias(quantity: str, n: int, rng: np.random.Generator) -> Limits:
    """Let a judge score longer answers, and those of its family, higher."""
    length = rng.normal(8, 1, n)
    human = rng.normal(0, 1, n)
    judge = human + 0.2 * (length - 8) + rng.normal(0, 0.5 + 0.3 * abs(length - 8), n)
    family = None
    if quantity == "bias_adjusted":
        family = rng.random(n) < 0.3
        judge = judge + 0.5 * family
    table = judge_bias(judge, human, lengths=np.exp2(length), own=family)
    rows = {row["bias"]: row for row in records(table)}
    if quantity == "bias_adjusted":
        row = rows["own family"]
        return row["adjusted_lower"], row["adjusted_upper"], 0.5
    name, truth = ("length", 0.2) if quantity == "bias_by_length" else ("score difference", 0.0)
    return rows[name]["lower"], rows[name]["upper"], truth


def _plan(replicates: int, rng: np.random.Generator) -> dict[str, Any]:
    accurate = _knowing(0.6)
    table = plan_test(
        [0.5, 0.5],
        accurate[None],
        accurate,
        n_items=[50],
        n_humans=[3],
        replicates=replicates,
        rng=rng,
    )
    [row] = records(table)
    return row


@cache
def _true_power() -> float:
    return float(_plan(20_000, np.random.default_rng(1))["passes"])


def _power(rng: np.random.Generator) -> Limits:
    row = _plan(200, rng)
    return row["lower"], row["upper"], _true_power()


def _effective(rng: np.random.Generator) -> Limits:
    n, accuracy, shared = 100, 0.75, 0.2**0.5
    truth = rng.integers(0, 2, n)
    # An error of a common source with probability sqrt(.2), of the judge's own otherwise.
    common = rng.random(n) > accuracy
    judges = {}
    for name in "abc":
        wrong = np.where(rng.random(n) < shared, common, rng.random(n) > accuracy)
        judges[name] = np.where(wrong, 1 - truth, truth)
    return _limits(effective_judges(judges, truth), 3 / (1 + 2 * shared**2))


def _prevalence() -> list[Case]:
    return [
        Case(
            f"judge.prevalence_{method}",
            f"{n} gold items of 1,000 more, prevalence {share:g}, sensitivity .9, specificity .95",
            "coverage",
            AT_LEAST if method == "joint" else COVERED,
            partial(_share, method, n, share),
        )
        for n, share in ((30, 0.02), (30, 0.1), (100, 0.05), (100, 0.3))
        for method in ("gold", "rogan_gladen", "ppi", "ppi_plus", "joint")
    ]


def _share(method: str, n: int, share: float, rng: np.random.Generator) -> Limits:
    chance = [share * 0.9, share * 0.1, (1 - share) * 0.05, (1 - share) * 0.95]
    tp, fn, fp, tn = rng.multinomial(n, chance).tolist()
    positive = int(rng.binomial(1_000, chance[0] + chance[2]))
    results = METHODS[method](JudgedCounts(tp, fn, fp, tn, positive, 1_000 - positive), 0.95)
    return results.lower, results.upper, share


def _systems() -> list[Case]:
    designs = (
        *((n, m, paired) for n, m in ((5, 100), (5, 25), (10, 100)) for paired in (False, True)),
        (30, 30, True),
    )
    results = [
        Case(
            "judge.against",
            f"{n} and {m} of 300 answers scored by humans, "
            f"{'the same' if paired else 'different'} questions",
            "coverage",
            AT_LEAST if min(n, m) < 10 else COVERED,
            partial(_difference, n, m, paired),
            500,
        )
        for n, m, paired in designs
    ]
    results.append(
        Case(
            "judge.system",
            "30 and 30 of 300 answers scored by humans, the same questions",
            "coverage",
            COVERED,
            _mean_of_system,
            500,
        )
    )
    results.append(
        Case(
            "judge.against_slices",
            "three slices of 10, 10 and 40 questions, scored by humans",
            "level",
            LEVEL,
            _equal_slices,
            500,
        )
    )
    results.append(
        Case(
            "judge.humans_scored_at_random",
            "30 and 30 of 300 answers scored by humans, the same questions",
            "level",
            LEVEL,
            partial(_selection, 30),
            500,
        )
    )
    return results


def _answers(
    rng: np.random.Generator, n_new: int, n_old: int, paired: bool, n: int = 300
) -> dict[str, Any]:
    """Draw scores of two systems; the judge favours the first, whose mean is .3 above."""
    hard = rng.normal(0, 1, n)
    quality = np.concatenate(
        [
            hard + rng.normal(0.3, 1, n),
            (hard if paired else rng.normal(0, 1, n)) + rng.normal(0, 2, n),
        ]
    )
    judge = quality + np.repeat([0.2, 0.0], n) + rng.normal(0, 0.6, 2 * n)
    scored = np.concatenate([np.arange(n) < n_new, np.arange(n) < n_old])
    question = np.concatenate([np.arange(n), np.arange(n) + (0 if paired else n)])
    return {
        "judge": judge,
        "human": np.where(scored, quality, np.nan),
        "systems": np.repeat(["new", "old"], n),
        "clusters": question,
    }


def _difference(n_new: int, n_old: int, paired: bool, rng: np.random.Generator) -> Limits:
    results = compare_systems(**_answers(rng, n_new, n_old, paired), baseline="old")
    row = results.differences.iloc[0]
    return row["lower"], row["upper"], 0.3


def _mean_of_system(rng: np.random.Generator) -> Limits:
    results = compare_systems(**_answers(rng, 30, 30, True), baseline="old")
    [row] = records(results.systems[results.systems["system"] == "new"])
    return row["lower"], row["upper"], 0.3


def _selection(n: int, rng: np.random.Generator) -> tuple[float, ...]:
    results = compare_systems(**_answers(rng, n, n, True), baseline="old")
    return (results.selection["p_value"],)


def _equal_slices(rng: np.random.Generator) -> tuple[float, ...]:
    answers = _answers(rng, 60, 60, True, n=60)
    slices = np.tile(np.repeat(["a", "b", "c"], [10, 10, 40]), 2)
    results = compare_systems(**answers, baseline="old", slices=slices)
    return (float(results.slices["p_value_slices"].iloc[0]),)


def _in_time() -> list[Case]:
    sizes = ((40, 12), (40, 52), (100, 12), (100, 52))
    kinds = {"": 0.0, "a judge that repeats four of five labels": 0.8}
    results = [
        Case(
            "judge.drift_any",
            f"{n} anchors, {windows} windows{', ' + words if words else ''}",
            "level",
            LEVEL,
            partial(_drift, "p_any", n, windows, stays),
            FEWER if windows > 12 else 500,
        )
        for words, stays in kinds.items()
        for n, windows in sizes
    ]
    results += [
        Case(
            f"judge.drift_{contrast}",
            f"40 anchors, 12 windows{', ' + words if words else ''}",
            "coverage",
            COVERED,
            partial(_drift, contrast, 40, 12, stays),
            500,
        )
        for words, stays in kinds.items()
        for contrast in ("latest", "trend")
    ]
    results.append(
        Case(
            "judge.agreement_of_a_window",
            "40 anchors, 12 windows",
            "coverage",
            AT_LEAST,
            partial(_drift, "window", 40, 12, 0.0),
            500,
        )
    )
    return results


def _drift(
    quantity: str, n: int, windows: int, stays: float, rng: np.random.Generator
) -> tuple[float, ...]:
    """Let a judge label anchors that it labels correctly with a probability of their own."""
    right = rng.beta(4, 1, n)
    columns = [rng.random(n) < right]
    for _ in range(windows - 1):
        again = rng.random(n) < right
        columns.append(np.where(rng.random(n) < stays, columns[-1], again))
    item, window = np.repeat(np.arange(n), windows), np.tile(np.arange(windows), n)
    names = [f"i{i}" for i in item]
    labels = Annotations.from_arrays(
        names, ["j"] * item.size, np.column_stack(columns).ravel().astype(int).astype(str)
    )
    gold = dict.fromkeys(names, "1")
    results = judge_drift(labels, ["j"], window.astype(float), gold=gold, rng=rng)["j"]
    if quantity == "window":
        row = results.windows.to_dict("records")[0]
        return row["lower"], row["upper"], 0.8
    contrast = "latest" if quantity == "p_any" else quantity
    tests = results.tests
    [row] = tests[tests["contrast"].eq(contrast)].to_dict("records")
    return (row["p_any"],) if quantity == "p_any" else (row["lower"], row["upper"], 0.0)
