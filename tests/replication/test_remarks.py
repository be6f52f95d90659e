"""What remarks.csv says of formulas: each number of its evidence that a formula gives."""

from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from annobench.noise import easy_hard
from annobench_replication.ledger import read_remarks

PAPERS = Path(__file__).parents[2] / "workflow" / "papers"


@pytest.fixture
def evidence(request):
    """The evidence of one remark, by paper and id."""
    paper, id = request.param
    return read_remarks(PAPERS / paper / "remarks.csv").set_index("id").loc[id, "evidence"]


def of(paper, id):
    return pytest.mark.parametrize("evidence", [(paper, id)], indirect=True, ids=[f"{paper}-{id}"])


def says(evidence, number, places):
    """Say whether the evidence has the number, written without the zero before its point."""
    text = f"{number:.{places}f}"
    return text.removeprefix("0") in evidence


@of("carpenter2008", "formula.chance_agreement")
def test_guessers_have_a_kappa_of_0_by_their_own_rates_alone(evidence):
    prevalence, rate = 0.5, 0.9
    agreement = rate**2 + (1 - rate) ** 2  # of two who give label 1 at this rate to any item
    by_prevalence = prevalence**2 + (1 - prevalence) ** 2
    assert says(evidence, agreement, 2)
    assert says(evidence, by_prevalence, 2)
    assert says(evidence, (agreement - by_prevalence) / (1 - by_prevalence), 2)


@of("carpenter2008", "prose.maximum_likelihood")
def test_the_posterior_mean_under_a_uniform_prior_is_not_the_mode(evidence):
    posterior = stats.beta(1 + 10, 1)  # 10 right of 10
    assert says(evidence, posterior.mean(), 2)


@of("beigman_klebanov2008", "prose.positive_instances")
def test_the_shares_of_marked_paragraphs(evidence):
    shares = [100 * n / 2364 for n in (194, 137, 258, 126)]
    assert all(says(evidence, share, 1) for share in shares)
    assert max(shares) > 4


@of("beigman_klebanov2009", "formula.footnote_3")
def test_disagreements_alone_make_the_chance_of_agreement_too_small(evidence):
    shared = easy_hard.agreement_chance(np.array([[0.9, 0.1], [0.9, 0.1]]))
    assert says(evidence, shared, 2)
    for count in (45, 46):
        share = count / 121
        found = easy_hard.guess_rate_from_disagreement([share, 1 - share])
        root = np.sqrt(share / (1 - share))
        assert found.min_chance == pytest.approx(2 * root / (1 + root) ** 2)
        assert found.chance < found.min_chance < 0.5
    least = easy_hard.guess_rate_from_disagreement([45 / 121, 76 / 121]).min_chance
    assert says(evidence, least, 3)
    assert says(evidence, 100 * easy_hard.noise_bound(992, 121, least).rate, 1)


@of("beigman_klebanov2010", "formula.beta_deviation")
def test_the_printed_deviation_is_not_that_of_the_count(evidence, rng):
    n, a, b = 10, 1, 1
    mean = a / (a + b)
    exact = np.sqrt(n * mean * (1 - mean))
    # A newly drawn annotator for every label of an item.
    counts = rng.binomial(1, rng.beta(a, b, size=(20_000, n))).sum(axis=1)
    assert counts.std() == pytest.approx(exact, rel=0.03)
    assert says(evidence, exact, 2)
    assert says(evidence, np.sqrt(a * b / (a + b) * n), 2)
    assert says(evidence, np.sqrt(n * stats.beta(a, b).var()), 2)


@of("passonneau2014", "formula.krippendorff_chance")
def test_krippendorff_draws_without_replacement(evidence):
    n, each = 200, 100
    assert says(evidence, 2 * (each / n) ** 2, 4)
    assert says(evidence, 2 * each * (each - 1) / (n * (n - 1)), 4)


@of("tetreault2008", "formula.without_replacement")
def test_a_sample_of_three_quarters_halves_the_standard_error(evidence):
    sampled, flagged = 750, 1000
    printed = np.sqrt(0.8 * 0.2 / sampled)
    hits = stats.hypergeom(flagged, int(0.8 * flagged), sampled)
    assert says(evidence, printed, 4)
    assert says(evidence, hits.std() / sampled, 4)
    assert says(evidence, hits.std() / sampled / printed, 3)


@of("tetreault2008", "prose.proportional_sampling")
def test_one_rate_for_both_parts_needs_more_errors_than_contexts(evidence):
    flagged = 22_000 * 250 / 750
    hits = 0.79 * flagged
    assert all(f"{count:,.0f}" in evidence for count in (flagged, hits, hits / 0.14))
    # Whatever the rounding of precision and recall.
    assert 0.785 * flagged / 0.145 > 22_000


@of("tetreault2008", "prose.ten_points")
def test_four_contexts_in_one_direction_are_not_significant(evidence):
    assert says(evidence, stats.binomtest(4, 4).pvalue, 3)


@of("bhowmick2008", "formula.pooled_combinations")
def test_independent_annotators_get_less_than_0(evidence):
    on_pair, expected = 1 / 4, 1 / 16 + 1 / 4 + 1 / 16
    assert says(evidence, (on_pair - expected) / (1 - expected), 1)
    assert "3/8" in evidence
    assert expected == 3 / 8


@of("bhowmick2008", "prose.table3_and_average")
def test_three_annotators_leave_a_gap_between_the_classes(evidence):
    # On a category nobody dissents (0) or one of three does.
    found = set()
    for dissents in combinations_with_replacement(range(4), 6):
        agreeing = sum(
            not {first, second} & set(pair)
            for first, second in combinations(dissents, 2)
            for pair in ((1, 2), (1, 3), (2, 3))
        )
        found.add(agreeing)
    assert len(found) == 20
    assert f"only {len(found)} values, none between 27/45 and 35/45" in evidence
    assert {27, 35} <= found
    assert not found & set(range(28, 35))
    # The largest of each class: up to .2, .4, .7 and 1.
    largest = [max(n for n in found if n <= 45 * edge + 1e-9) / 45 for edge in (0.2, 0.4, 0.7, 1)]
    assert largest == pytest.approx([0.2, 0.4, 0.6, 1])
    assert says(evidence, np.dot(largest, [14, 73, 198, 715]) / 1000, 4)
