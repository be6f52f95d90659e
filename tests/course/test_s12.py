"""Session 12: what its text says, and mistakes as students make them."""

import warnings
from itertools import combinations

import numpy as np
import pytest

import annobench as ab
from annobench import datasets
from annobench_course.draws import draw
from annobench_course.sessions.s12_judges import exercises as session

EXERCISES = {exercise.id: exercise for exercise in session.EXERCISES}
COUNTS = ab.judges.JudgedCounts(1, 3, 3, 21, 40, 208)


def test_one_set_of_counts_fits_what_the_page_prints(results):
    said = results.value("judge_arena", "judge.share").published
    n = int(results.value("judge_arena", "comparisons").printed)
    fitting = [
        (hits, right)
        for positives in range(1, 28)
        for hits in range(positives + 1)
        for right in range(28 - positives + 1)
        if f"{hits / positives:.3f}" == "0.250"
        and f"{right / (28 - positives):.3f}" == "0.875"
        and f"{(hits + 28 - positives - right + 40) / n:.3f}" == said
    ]
    assert fitting == [(COUNTS.true_positive, COUNTS.true_negative)]


def test_estimates_are_as_printed_but_for_one(results):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = ab.judges.estimate_prevalence(COUNTS, level=0.9).set_index("method")["estimate"]
    for method in ("ppi", "ppi_plus", "joint"):
        assert f"{ours[method]:.3f}" == results.value("judge_arena", f"{method}.estimate").published
    z = 1.6449
    s, t, p = 2 / 6, 22 / 26, (40 + z**2 / 2) / (248 + z**2)
    with_counts = (p + t - 1) / (s + t - 1)
    printed = results.value("judge_arena", "rogan_gladen.estimate").published
    assert (f"{ours['rogan_gladen']:.3f}", f"{with_counts:.3f}") == ("0.290", printed)


@pytest.fixture(scope="module")
def verdicts(real_folder):
    trivia = datasets.read(real_folder("llm_eval_v2"))
    labels = trivia.annotations
    table = np.full((labels.n_items, labels.n_annotators), -1)
    table[labels.item, labels.annotator] = labels.label
    return table, trivia.gold


def test_the_jury_is_as_the_text_says(verdicts):
    table, gold = verdicts
    accuracy = (table == gold[:, None]).mean(axis=0)
    mean = {
        size: np.mean(
            [
                ((table[:, jury].sum(axis=1) > size / 2) == gold).mean()
                for jury in map(list, combinations(range(9), size))
            ]
        )
        for size in (1, 3, 9)
    }
    assert mean[9] < accuracy.max()
    assert mean[9] - mean[3] < 0.02 < mean[3] - mean[1]
    errors = np.corrcoef((table != gold[:, None]).T)
    worst = accuracy.argmin()
    others = np.delete(errors, worst, axis=0)
    assert others.mean(axis=0).argmin() == worst
    middle = np.flatnonzero((accuracy > 0.75) & (accuracy < 0.9))
    between = errors[np.ix_(middle, middle)][np.triu_indices(len(middle), 1)].mean()
    assert len(middle) / (1 + (len(middle) - 1) * between) < 2
    unanimous = np.isin(table.sum(axis=1), (0, 9))
    assert (table[unanimous, 0] == gold[unanimous]).mean() > 0.95
    assert np.prod(1 - accuracy) < 1e-6


def test_only_the_judge_alone_misses(real_folder):
    arena = datasets.read(real_folder("arena_gemini_pro"))
    labels = arena.annotations
    claude = labels.categories.index("claude-opus-4-20250514")
    by_people = (arena.gold[labels.item] == claude).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ab.judges.estimate_prevalence(COUNTS, level=0.9).set_index("method")
    holds = (found["lower"] <= by_people) & (by_people <= found["upper"])
    assert holds[~holds].index.tolist() == ["judged"]
    assert found.eval("upper - lower").idxmin() == "judged"


@pytest.mark.parametrize("student", ["Ann", "Bob", "s3141592"])
def test_the_margin_is_where_the_test_turns(student):
    given = draw("12.1", EXERCISES, student)
    counts = [given["judge_better"], given["tied"], given["human_better"]]
    w = np.repeat([-1.0, 0.0, 1.0], counts)
    right = EXERCISES["12.1"].right_answer(given)
    t = (w.mean() - right) / (w.std(ddof=1) / np.sqrt(len(w)))
    assert t == pytest.approx(-1.645)
    # Who divides by n and not n - 1 is right to three decimals, or is told to be near
    biased = w.mean() + 1.645 * w.std() / np.sqrt(len(w))
    outcome = EXERCISES["12.1"].check(biased, given)
    assert outcome.passed or outcome.mistake == "rounding"


@pytest.mark.parametrize("student", ["Ann", "Bob", "s3141592"])
def test_ppi_is_the_share_plus_the_mean_error(student):
    given = draw("12.7", EXERCISES, student)
    tp, fn, fp, tn, positive, negative = given.values()
    by_hand = positive / (positive + negative) + (fn - fp) / (tp + fn + fp + tn)
    assert EXERCISES["12.7"].right_answer(given) == pytest.approx(by_hand)
