"""Beigman Klebanov and Beigman (2009): what the printed numbers depend on, and what is written."""

from fractions import Fraction
from math import ceil, comb

import pandas as pd
import pytest

from annobench.noise import easy_hard
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_errata, read_published
from annobench_replication.tracing import TracedPaper


@pytest.fixture(scope="module")
def printed(analysis, paper):
    return analysis.Printed.read(paper.study())


def test_what_comes_out_different_is_explained_and_nothing_else(paper, results):
    verdicts = paper.compared(results).set_index("target")["verdict"]
    assert "missing" not in set(verdicts)
    different = verdicts[verdicts.isin(["deviates", "unresolved"])].to_dict()
    assert different == {
        "two.rate": "deviates",
        "five.kappa_3_2": "deviates",
        "adding.rate": "unresolved",
    }
    assert set(read_errata(paper.folder / "errata.csv")["target"]) == set(different)


@pytest.mark.parametrize(
    ("name", "text", "refuted"),
    [
        ("text.csv, name coin (row 2), value", "0.6", ["two.upper", "five.chance", "five.rate"]),
        ("scenarios.csv, case two (row 1), n_agreed", "890", ["two.upper", "two.kappa_n_easy"]),
        ("text.csv, name level (row 1), value", "90", ["two.upper", "chebyshev.multiple"]),
    ],
)
def test_other_numbers_refute_what_is_printed(paper, name, text, refuted):
    traced = TracedPaper(paper.folder, {}, 1)
    number = next(number for number in traced.numbers if number.name == name)
    found = traced({number: text}, {})
    printed = read_published(paper.folder / "published.csv").set_index("target")
    for target in refuted:
        assert not agrees(*printed.loc[target, ["value", "relation"]], found[target])


@pytest.mark.parametrize(
    ("n", "d", "p", "bound"),
    [
        (1_000, 100, "1/2", 125),
        (992, 121, "47/100", 132),
        (1_000, 33, "1/2", 48),
        (1_000, 34, "1/2", 50),
        (1_000, 340, "1/16", 31),
        (1_000, 150, "1/4", 64),
    ],
)
def test_every_bound_holds_in_whole_numbers(analysis, n, d, p, bound):
    # Over the common denominator of p^j the weights C(d + j, d) p^j are integers.
    top, bottom = Fraction(p).as_integer_ratio()
    weights = [comb(d + j, d) * top**j * bottom ** (n - d - j) for j in range(n - d + 1)]
    total = sum(weights)
    below, at = (20 * sum(weights[t + 1 :]) for t in (bound - 1, bound))
    assert below >= total > at  # 20 tails above 1 - .95 and below it
    assert analysis.bounds.exact_tail(n, d, Fraction(p), bound) == Fraction(at, 20 * total)
    assert easy_hard.noise_bound(n, d, float(Fraction(p))).n_hard == bound


def test_33_disagreements_pass_and_34_do_not():
    assert Fraction(48, 967) < Fraction(5, 100) < Fraction(50, 966)


def test_no_whole_number_of_850_items_prints_as_7_7_percent():
    assert not [t for t in range(851) if agrees("7.7", "eq", 100 * t / 850)]
    assert agrees("13.8", "eq", 100 * 124 / 900)
    assert not agrees("13.8", "eq", 100 * 125 / 900)


def test_no_other_reading_gives_all_printed_bounds(results):
    table = pd.read_csv(results / "tables" / "readings.csv").set_index("reading")
    assert len(table) > 10
    two, three = "two annotators (3.1), percent", "three annotators (5.3), percent"
    tolerated = "in reverse (3.1), disagreements"
    for _, row in table.iterrows():
        assert not (agrees("13.8", "eq", row[two]) and agrees("7.7", "eq", row[three]))
    assert table.loc["as defined", tolerated] == 33
    normal = table.loc["normal approximation"]
    assert agrees("13.8", "eq", normal[two])
    assert (normal[tolerated], ceil(normal["two annotators (3.1), bound"])) == (33, 125)
    assert agrees("7.5", "eq", normal[three])


def test_a_3_2_split_has_four_agreeing_pairs_of_ten(analysis):
    # Observed (660 + 340 * 4/10) / 1000 = .796, and chance 1/2.
    right = (Fraction(660 + 136, 1_000) - Fraction(1, 2)) * 2
    assert right == Fraction(592, 1_000)
    assert analysis.kappa.without_minority(5, 660, {3: 340}) == pytest.approx(0.524)
    found = easy_hard.expected_kappa(0.637, 0.5, 0.5, 5)
    assert found.kappa == pytest.approx(0.637)
    # A third of .728 and two thirds of .592 is the printed .637; with .524 it were .592.
    assert agrees("0.637", "eq", (0.728 + 2 * 0.592) / 3)
    assert not agrees("0.637", "eq", (0.728 + 2 * 0.524) / 3)


def test_labels_are_made_with_the_majorities_asked_for(analysis):
    a = analysis.kappa.labels_of(4, {3: 2, 4: 1}, 5)
    ones = pd.Series(a.label).groupby(a.item).sum()
    assert sorted(ones) == [0, 0, 2, 3, 4, 5, 5]
    assert (a.n_items, a.n_annotators) == (7, 5)


def test_the_probability_of_a_negative_kappa_is_counted(analysis):
    # One hard item and none easy: two fair coins differ half of the time, and kappa is then -1.
    assert analysis.kappa.negative_kappa_probability(0, 1) == pytest.approx(0.5)
    # Two hard items: kappa is negative if both are disagreed on (1/4), or one is (0.75 < 0.625 no:
    # one agreed, one not: observed 1/2, expected (3/4)^2 + (1/4)^2 = 5/8): 1/2 more.
    assert analysis.kappa.negative_kappa_probability(0, 2) == pytest.approx(0.75)


def test_counts_that_print_as_the_papers_chance(analysis, printed):
    table = analysis.footnote3.guess_counts(printed)
    assert sorted(set(table["count"])) == [45, 46]
    least = table[table["estimate"] == "least"]
    assert (least["chance"] > 0.47).all()
    assert (least["rate_percent"] > 16).all()


def test_the_majority_of_five_keeps_every_hard_item(results):
    table = pd.read_csv(results / "tables" / "annotators.csv").set_index(["n_annotators", "rule"])
    five = table.loc[5]
    assert five.loc["majority", ["n_kept", "expected_percent"]].tolist() == [1_000, 20]
    # 200 * 12/32 guesses of 800 + 75 items, and 200 * 2/32 of 812.5.
    assert five.loc["all but one", "expected_percent"] == pytest.approx(100 * 75 / 875)
    assert five.loc["all", "expected_percent"] == pytest.approx(100 * 12.5 / 812.5)


def test_footnote_3_ruins_the_bound_where_annotators_lean_to_one_side(results):
    table = pd.read_csv(results / "tables" / "footnote3.csv")
    known = table[table["q"] == 0.5]
    leaning = table[table["q"] >= 0.8]
    assert (known["coverage"] >= 0.95).all()
    assert (leaning["coverage"] < 0.01).all()
    assert (table["footnote3"] <= table["true_chance"] + 1e-12).all()
    fitted = table.dropna(subset="fitted")
    assert fitted["fitted"].to_numpy() == pytest.approx(fitted["true_chance"].to_numpy(), abs=1e-9)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("1001,", "two: more of a kind than items"),
        (",1001", "two: more of a kind than items"),
        ("900,100", "two: give either n_agreed or n_disagreed"),
        (",", "two: give either n_agreed or n_disagreed"),
    ],
)
def test_projects_that_cannot_be_are_refused(analysis, paper, counts, message):
    text = (paper.folder / "tables" / "scenarios.csv").read_text()
    assert text.count("1000,900,,two,") == 1
    changed = text.replace("1000,900,,two,", f"1000,{counts},two,")
    with pytest.raises(ValueError, match=message):
        analysis.Printed.read(paper.study(tables={"scenarios": changed}))


def test_disagreed_items_are_those_not_agreed_on(printed):
    assert printed.scenarios["n_disagreed"].to_dict() == {
        "two": 100,
        "pv": 121,
        "five": 340,
        "adding": 150,
    }
