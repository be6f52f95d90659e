"""Rankings of pairwise judgements: degenerate graphs, ranks, annotators, and tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from annobench.core.errors import AnnotationError
from annobench.pairwise import Comparisons, _reliability, bradley_terry
from annobench.pairwise._order import order_of, why_no_side
from annobench.pairwise._posterior import Posterior


def of(*rows) -> Comparisons:
    return Comparisons.from_frame(pd.DataFrame(rows, columns=["left", "right", "winner"]))


def many(winner: str, loser: str, n: int, m: int) -> list[tuple[str, str, str]]:
    """One wins n times, the other m times."""
    return [(winner, loser, winner)] * n + [(loser, winner, loser)] * m


CIRCLE = [*many("b", "c", 6, 4), *many("c", "d", 7, 3), *many("b", "d", 8, 2)]


def test_of_two_items_the_strength_is_the_log_odds():
    found = bradley_terry(of(*many("x", "y", 30, 10)))
    table = found.table.set_index("item")
    assert table["strength"].tolist() == pytest.approx([math.log(3) / 2, -math.log(3) / 2])
    # The variance of a log odds is 1/30 + 1/10, that of half of it a quarter.
    assert table.loc["x", "standard_error"] == pytest.approx(math.sqrt(1 / 30 + 1 / 10) / 2)
    assert table["rank"].tolist() == [1, 2]
    assert table[["rank_best", "rank_worst"]].to_numpy().tolist() == [[1, 1], [2, 2]]


def test_of_two_items_a_tie_has_its_share():
    rows = [*many("x", "y", 10, 10), *[("x", "y", "tie")] * 5]
    found = bradley_terry(of(*rows))
    assert found.tie / (2 + found.tie) == pytest.approx(0.2)
    assert found.table["strength"].abs().max() == pytest.approx(0, abs=1e-9)


def test_a_system_that_won_all_is_first_and_leaves_the_others_as_they_were():
    alone = bradley_terry(of(*CIRCLE)).table.set_index("item")
    found = bradley_terry(of(*CIRCLE, *many("a", "b", 3, 0), *many("c", "e", 5, 0)))
    table = found.table.set_index("item")
    assert table.index.tolist() == ["a", "b", "c", "d", "e"]
    assert table.loc["a", "strength"] == math.inf
    assert table.loc["e", "strength"] == -math.inf
    for column in ("strength", "standard_error"):
        np.testing.assert_allclose(table.loc[list("bcd"), column], alone.loc[list("bcd"), column])
    assert table["rank"].tolist() == [1, 2, 3, 4, 5]
    assert table.loc["a", ["rank_best", "rank_worst"]].tolist() == [1, 5]
    assert "'a': never lost" in found.cautions[0]
    assert "'e': never won" in found.cautions[1]


def test_items_that_no_comparison_connects_have_no_strength():
    found = bradley_terry(of(*CIRCLE, *many("x", "y", 3, 2)))
    table = found.table.set_index("item")
    assert table.loc[["x", "y"], "strength"].isna().all()
    assert table.loc[["x", "y"], "rank"].isna().all()
    assert table["rank_worst"].max() <= 3
    assert "'x', 'y': not connected" in found.cautions[0]


def test_an_order_without_any_circle_is_refused():
    with pytest.raises(AnnotationError, match="every strength is infinite"):
        bradley_terry(of(*many("a", "b", 3, 0), *many("b", "c", 3, 0)))


def test_one_tie_makes_strengths_finite():
    rows = [*many("a", "b", 3, 0), ("a", "b", "tie")]
    assert np.isfinite(bradley_terry(of(*rows)).table["strength"]).all()


@pytest.mark.parametrize("rows", [[], many("c", "a", 3, 0)])
def test_ties_alone_do_not_tell_strengths(rows):
    with pytest.raises(AnnotationError, match=r"all 2 comparisons of items .* are ties"):
        bradley_terry(of(("a", "b", "tie"), ("b", "a", "tie"), *rows))


def test_the_other_order_gives_the_same_strengths_and_the_opposite_preference():
    rng = np.random.default_rng(3)
    rows = [*CIRCLE, ("b", "c", "tie"), ("c", "d", "tie")]
    rows = [(b, a, w) if rng.random() < 0.5 else (a, b, w) for a, b, w in rows]
    one, other = bradley_terry(of(*rows)), bradley_terry(of(*((b, a, w) for a, b, w in rows)))
    np.testing.assert_allclose(one.table["strength"], other.table["strength"], atol=1e-8)
    np.testing.assert_allclose(one.table["standard_error"], other.table["standard_error"])
    assert one.first.estimate == pytest.approx(1 - other.first.estimate)
    assert one.first.lower == pytest.approx(1 - other.first.upper)


def test_of_two_items_in_both_orders_the_effect_of_order_is_half_the_sum_of_log_odds():
    rows = [
        *[("x", "y", "x")] * 30,
        *[("x", "y", "y")] * 10,
        *[("y", "x", "y")] * 12,
        *[("y", "x", "x")] * 8,
    ]
    found = bradley_terry(of(*rows))
    # The log odds of the first one are ahead + order and -ahead + order.
    ahead, order = (math.log(3) - math.log(1.5)) / 2, (math.log(3) + math.log(1.5)) / 2
    error = math.sqrt(1 / 30 + 1 / 10 + 1 / 12 + 1 / 8) / 2
    assert found.table["strength"].tolist() == pytest.approx([ahead / 2, -ahead / 2])
    assert found.table["standard_error"].iloc[0] == pytest.approx(error / 2)
    z = 1.959963984540054
    expected = [1 / (1 + math.exp(-x)) for x in (order, order - z * error, order + z * error)]
    assert [found.first.estimate, found.first.lower, found.first.upper] == pytest.approx(expected)
    assert found.biased
    assert "one shown first wins 68%" in found.sentences[1]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([(*sorted(row[:2]), row[2]) for row in CIRCLE], "no pair was shown in both orders"),
        ([(a, b) if w == a else (b, a) for a, b, w in CIRCLE], "no item won that was shown second"),
        ([(b, a) if w == a else (a, b) for a, b, w in CIRCLE], "no item won that was shown first"),
        # x beats y if it is first, and ties say nothing else.
        (
            [tuple(row) for row in ("xyx", "yxy", "xzx", "zxz", "zyy", "zyy", "yzy")],
            "its effect would be infinite",
        ),
    ],
)
def test_an_effect_of_order_that_is_not_identified_is_left_out_and_said(rows, reason):
    second = "second" in reason
    rows = [row if len(row) == 3 else (*row, row[0] if second else row[1]) for row in rows]
    found = bradley_terry(of(*rows))
    assert math.isnan(found.first.estimate)
    assert not found.biased
    assert any(reason in text for text in found.cautions)


def test_the_condition_for_an_effect_of_order_is_that_of_a_linear_program():
    """Some strengths and an effect agree with each win, not all exactly: the effect is infinite."""
    rng = np.random.default_rng(11)
    verdicts = []
    for _ in range(300):
        n = int(rng.integers(5, 12))
        left = rng.integers(0, 3, n)
        right = (left + rng.integers(1, 3, n)) % 3
        sample = Comparisons(tuple("abc"), left, right, rng.choice(3, n, p=[0.5, 0.1, 0.4]))
        if not order_of(sample).core.all():
            continue
        x = np.zeros((n, 4))
        x[np.arange(n), left], x[np.arange(n), right], x[:, 3] = 1, -1, 1
        x *= (1 - sample.outcome)[:, None] + (sample.outcome == 1)[:, None]
        tied = sample.outcome == 1
        best = optimize.linprog(
            -x[~tied].sum(axis=0),
            A_ub=-x[~tied],
            b_ub=np.zeros((~tied).sum()),
            A_eq=x[tied] if tied.any() else None,
            b_eq=np.zeros(tied.sum()) if tied.any() else None,
            bounds=[(-1, 1)] * 4,
        )
        reason = why_no_side(sample)
        if not reason.startswith("no pair"):
            verdicts.append((best.fun < -1e-9, bool(reason)))
    infinite, left_out = np.array(verdicts).T
    assert (infinite == left_out).all()
    assert 0.1 < infinite.mean() < 0.9


def test_words_and_columns_of_arenas_are_recognised():
    table = pd.DataFrame(
        {
            "model_a": ["x", "y", "x", "x", "y"],
            "model_b": ["y", "x", "y", "y", "x"],
            "winner": ["model_a", "model_b", "tie (bothbad)", None, "y"],
            "judge": ["gpt", "gpt", "ann", "ann", "ann"],
        }
    )
    found = Comparisons.from_frame(table)
    assert found.outcome.tolist() == [0, 2, 1, 0]
    assert found.annotators == ("ann", "gpt")
    assert found.n_left_out == 1
    tally = found.tally().set_index("item")
    assert tally.loc["x"].tolist() == [4, 2, 1, 1]
    assert "1 row without a winner" in bradley_terry(found).cautions[-1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("x", "x", "x"), "'x' is compared with itself"),
        (("x", "", "x"), "the name of an item is empty"),
        (("x", "y", "z"), "winner 'z' is neither 'x' nor 'y'"),
    ],
)
def test_rows_that_are_no_comparisons_are_listed(row, message):
    with pytest.raises(AnnotationError, match=f"row 2: {message}"):
        of(("x", "y", "x"), row)


def test_missing_columns_are_named():
    table = pd.DataFrame({"left": ["x"], "right": ["y"], "who": ["x"]})
    with pytest.raises(AnnotationError, match="no column for winner among 'left', 'right', 'who'"):
        Comparisons.from_frame(table)
    with pytest.raises(AnnotationError, match="column 'better', given with winner="):
        Comparisons.from_frame(table, winner="better")
    with pytest.raises(AnnotationError, match="no row has a winner"):
        Comparisons.from_frame(table.assign(winner=""))


def panel(n: int, reliability, seed: int) -> tuple[Comparisons, np.ndarray]:
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1.5, 1.5, 6)
    left = rng.integers(0, 6, n)
    right = (left + rng.integers(1, 6, n)) % 6
    annotator = rng.integers(0, len(reliability), n)
    weights = np.exp(np.column_stack([strength[left], np.full(n, -9.0), strength[right]]))
    weights[:, 1] = 0.5 * np.sqrt(weights[:, 0] * weights[:, 2])
    chance = weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True)
    outcome = (rng.random((n, 1)) > chance).sum(axis=1)
    guess = rng.random(n) > np.asarray(reliability)[annotator]
    outcome = np.where(guess, rng.choice(3, n, p=[0.7, 0.1, 0.2]), outcome)
    names = tuple(f"a{j}" for j in range(len(reliability)))
    return Comparisons(tuple("abcdef"), left, right, outcome, names, annotator), strength


def test_guessing_annotators_are_found_and_no_longer_shrink_the_strengths():
    of, strength = panel(4_000, [0.95, 0.95, 0.9, 0.2], 4)
    plain, found = bradley_terry(of), bradley_terry(of, reliability=True)
    assert found.annotators["annotator"].iloc[0] == "a3"
    assert found.annotators["reliability"].iloc[0] < 0.5
    assert found.annotators["chose_left"].iloc[0] > 0.6
    ours, theirs = (fit.table.set_index("item").loc[list("abcdef")] for fit in (found, plain))
    # Each within four standard errors; without reliabilities the largest is beyond them.
    z = (ours["strength"] - strength) / ours["standard_error"]
    assert z.abs().max() < 4
    assert ((theirs["strength"] - strength) / theirs["standard_error"]).abs().max() > 4
    assert (ours["standard_error"] > theirs["standard_error"]).all()


def crowd(n: int, strength, reliability, seed: int) -> Comparisons:
    """Draw comparisons without ties by annotators who otherwise guess either side."""
    rng = np.random.default_rng(seed)
    k, j = len(strength), len(reliability)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    annotator = np.arange(n) % j
    won = rng.random(n) < special.expit(np.asarray(strength)[left] - np.asarray(strength)[right])
    won = np.where(rng.random(n) < np.asarray(reliability)[annotator], won, rng.random(n) < 0.5)
    names = tuple(f"a{i}" for i in range(j))
    return Comparisons(tuple("abcdefgh"[:k]), left, right, np.where(won, 0, 2), names, annotator)


@pytest.mark.parametrize("reliability", [(1.0,) * 9, (0.99, 0.9, 0.6) * 3])
def test_reliabilities_leave_the_scale_of_the_strengths(reliability):
    strength = np.array([0.67, 0.24, -0.25, -0.66])
    slopes, reliable = [], []
    for seed in range(16):
        found = bradley_terry(crowd(400, strength, reliability, seed), reliability=True)
        estimate = found.table.set_index("item").loc[list("abcd"), "strength"]
        slopes.append(estimate @ strength / (strength @ strength))
        people = found.annotators.set_index("annotator")["reliability"]
        reliable.append(people[[f"a{i}" for i in range(9)]])
    # The study of intervals holds the slope to .9 to 1.1; here within four standard errors.
    error = np.std(slopes, ddof=1) / 4
    assert 0.9 - 4 * error < np.mean(slopes) < 1.1 + 4 * error
    assert error < 0.08
    if reliability[2] == 1:
        # A maximum of the likelihood gives .29 to .70.
        assert np.mean(reliable) > 0.85
    else:
        assert np.mean(reliable, axis=0)[2::3].mean() < np.mean(reliable, axis=0)[::3].mean()


def test_annotators_in_small_blocks_give_the_same_fit(monkeypatch):
    of = crowd(300, [0.5, 0.0, -0.5], [0.9] * 7, 1)
    whole = bradley_terry(of, reliability=True)
    monkeypatch.setattr(_reliability, "_CELLS", 700)  # two annotators of seven at a time
    parts = bradley_terry(of, reliability=True)
    np.testing.assert_allclose(whole.covariance, parts.covariance, rtol=1e-9)
    np.testing.assert_allclose(whole.table["upper"], parts.table["upper"], rtol=1e-9)


def test_annotators_whose_comparisons_are_not_ranked_have_the_reliability_of_the_crowd():
    ranked = crowd(200, [0.5, 0.0, -0.5], [0.9] * 4, 2)
    more = Comparisons(
        (*ranked.items, "x"),
        np.append(ranked.left, 3),
        np.append(ranked.right, 0),
        np.append(ranked.outcome, 0),
        (*ranked.annotators, "z"),
        np.append(ranked.annotator, 4),
    )
    alone, found = (bradley_terry(of, reliability=True) for of in (ranked, more))
    np.testing.assert_allclose(found.table["strength"][1:], alone.table["strength"], atol=1e-4)
    people = found.annotators.set_index("annotator")
    assert people["reliability"].drop("z").min() - 0.1 < people.loc["z", "reliability"] < 1


def test_quantiles_and_p_values_of_a_mixture():
    weight, centre, error = np.array([0.3, 0.7]), np.array([[0.0], [2.0]]), np.array([1.0, 0.5])
    mixture = Posterior(weight, centre, error[:, None, None] ** 2, 7.0)
    for share in (0.025, 0.5, 0.975):
        x = mixture.quantiles(share)[0, 0]
        assert weight @ stats.t.cdf((x - centre[:, 0]) / error, 7) == pytest.approx(share)
    variance = weight @ error**2 + weight @ (centre[:, 0] - 1.4) ** 2
    assert mixture.total_covariance()[0, 0] == pytest.approx(variance)
    pair = Posterior(weight, np.array([[1.0, 0.0], [0.5, 0.5]]), np.stack([np.eye(2)] * 2), np.inf)
    expected = 0.3 * 2 * stats.norm.sf(1 / math.sqrt(2)) + 0.7
    assert pair.p_values(np.array([0]), np.array([1]))[0] == pytest.approx(expected)


def test_limits_contain_the_strengths_as_often_as_they_say():
    inside = [
        ((table["lower"] < strength) & (strength < table["upper"])).mean()
        for seed in range(40)
        for of, strength in [panel(300, [1.0], seed)]
        for table in [bradley_terry(of).table.set_index("item").loc[list("abcdef")]]
    ]
    # 240 limits, of which 95% are to hold: fewer than 90% in one of 2,000 runs.
    assert np.mean(inside) > 0.9


@pytest.mark.parametrize("annotators", [(), ("one",)])
def test_reliabilities_need_annotators(annotators):
    codes = np.zeros(2, dtype=int) if annotators else None
    of = Comparisons(
        ("a", "b"), np.array([0, 0]), np.array([1, 1]), np.array([0, 2]), annotators, codes
    )
    with pytest.raises(AnnotationError, match="reliabilities need two annotators"):
        bradley_terry(of, reliability=True)


def test_a_result_shows_itself():
    found = bradley_terry(of(*CIRCLE, *many("a", "b", 3, 0)))
    assert repr(found) == (
        "BradleyTerry: 33 comparisons. “a” never lost to the rest, even indirectly: first of 4 "
        "items, but without a test; the rank may be as low as 4."
    )
    assert found.summary().index[0] == "a"
    assert len(found.plot().get_yticklabels()) == 3


def test_the_headline_says_no_more_than_the_tests():
    clear = bradley_terry(of(*many("x", "y", 60, 10), *many("x", "z", 60, 10), ("y", "z", "tie")))
    assert clear.sentences == (
        "“x” is first, significantly better than each of the 2 other items (Wald tests of all "
        "pairs, Holm's adjustment, level 0.05).",
    )
    assert clear.table["rank_worst"].tolist() == [1, 3, 3]
    two = bradley_terry(of(*CIRCLE, *many("a", "b", 3, 0), *many("e", "b", 1, 0)))
    assert two.sentences[0].startswith("“a” and 1 other item never lost to the rest")
    close = bradley_terry(of(*many("x", "y", 5, 5)))
    assert "not significantly better" in close.sentences[0]
    assert close.table["rank"].tolist() == [1, 1]
