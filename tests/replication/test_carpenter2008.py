"""Carpenter (2008): every printed value is judged, and what needs no long run is exact."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.evaluation import scores
from annobench.models import hierarchical_binary, voting
from annobench.reporting.printed import agrees
from annobench_replication.ledger import (
    Computed,
    read_computed,
    read_errata,
    read_published,
    write_computed,
)
from annobench_replication.tracing import TracedPaper
from annobench_replication.verdicts import compare

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "carpenter2008"


@pytest.fixture(scope="module")
def design(analysis, paper):
    return analysis.printed.Design(paper.study().numbers("design"))


@pytest.fixture(scope="module")
def real(paper, mirror, tmp_path_factory):
    """The folders of the real data; the labels of MUC-6 are simulated."""
    top = tmp_path_factory.mktemp("carpenter2008_real")
    for name in paper.record.datasets:
        mode = "simulated" if name == "muc6_person" else "real"
        datasets.prepare(name, top / name, mode=mode, seed=3, mirror=mirror, network=False)
    return {name: top / name for name in paper.record.datasets}


@pytest.fixture(scope="module")
def rte(real):
    return datasets.read(real["snow2008_rte"])


@pytest.fixture(scope="module")
def rte_fit(rte):
    """A run long enough for two decimals of the population's intervals."""
    return hierarchical_binary.fit(rte.annotations, rng=np.random.default_rng(6), draws=1_000)


def judge(rows, folder, targets=None, *, explained=True):
    """Return verdicts by target of values written to a folder."""
    write_computed(rows, folder / "judged.csv")
    published, errata = (
        read_published(PAPER / "published.csv"),
        read_errata(PAPER / "errata.csv"),
    )
    if targets is not None:
        published = published[published["target"].isin(targets)]
        errata = errata[errata["target"].isin(targets) & explained]
    computed = read_computed(folder / "judged.csv")
    return compare(published, computed, errata).set_index("target")["verdict"]


def test_every_printed_result_is_computed_and_simulated_labels_claim_nothing(paper, results):
    comparison = paper.compared(results).set_index("target")
    assert "missing" not in set(comparison["verdict"])
    of_labels = comparison[comparison["basis"] == "public_data"].query("kind == 'result'")
    assert set(of_labels["verdict"]) == {"stand_in"}
    # Every converged run has such an R-hat, and every data set of the design such a prevalence.
    assert comparison.loc["sim.rhat", "verdict"] == "restated"
    assert comparison.loc["sim.fig4_sample_prevalence", "verdict"] == "inconclusive"


def test_figures_of_the_papers_own_simulation_are_no_stand_in(results):
    assert b"Simulated stand-in" not in (results / "figures" / "figure2.svg").read_bytes()


def test_the_printed_arithmetic_is_right_but_for_one_total_and_its_share(analysis, paper):
    derived = analysis.printed.arithmetic(paper.study().numbers("printed_counts"))
    assert derived["rte.voting.expected_errors"] == 82.5
    assert derived["rte.pruned.voting.expected_errors"] == 60  # printed: 59.5
    assert derived["muc.voting.expected_errors"] == 242.5


def test_the_entailed_shape_follows_from_the_power_and_can_be_the_printed_one(
    analysis, rng, tmp_path
):
    target = "model.scale_prior.pareto_shape.entailed"
    for power, verdict in ((1.5, "reproduced"), (2.0, "deviates")):
        shape = analysis.printed.pareto_shape(power)
        # If u is uniform on (0, 1), s = u^(-1/power) has u = s^-power. Hill's estimate of its
        # shape from 20,000 draws has the standard error power / sqrt(20,000).
        drawn = rng.random(20_000) ** (-1 / power)
        assert abs(shape - 1 / np.log(drawn).mean()) < 4 * power / np.sqrt(20_000)
        row = Computed(target, shape, provenance="closed_form")
        assert judge([row], tmp_path, [target], explained=power == 2)[target] == verdict


def test_a_check_interval_holds_one_more_draw_as_often_as_it_says(analysis, rng):
    # Level 1 - 0.05/m with m = 1; 4,000 trials, so the share lies within 0.95 +- 4 * 0.0034.
    held = 0
    for _ in range(4_000):
        low, high = analysis.values.check_interval(pd.Series(rng.normal(size=12)), 1)
        held += low <= rng.normal() <= high
    assert abs(held / 4_000 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4_000)


def test_the_check_interval_of_a_percentage_stays_within_0_and_100(analysis):
    repeats = pd.Series([95.0, 96.0, 97.0])
    assert analysis.values.check_interval(repeats, 36)[1] > 100
    low, high = analysis.values.check_interval(repeats, 36, percent=True)
    assert 0 < low < 95 < 97 < high < 100


def test_real_muc_labels_get_a_check_interval_and_a_verdict(analysis, design, simulated_folder):
    muc = datasets.read(simulated_folder("muc6_person"))
    real = dataclasses.replace(muc, meta=muc.meta | {"provenance": "real"})
    fitted = analysis.values.fit_muc(design, real, np.random.default_rng(1), "quick")
    values = analysis.values.muc_model_values(real, fitted)
    repeats = analysis.values.repeat_muc(design, real, np.random.default_rng(2), "quick")
    rows = analysis.values.sampled_rows(values, repeats, 2)
    assert {row.target for row in rows} == {"muc.model.errors", "muc.model.accuracy"}
    errors, accuracy = rows
    assert errors.check_lower < repeats["muc.model.errors"].min()
    assert accuracy.check_upper > repeats["muc.model.accuracy"].max()


def test_the_real_labels_give_the_printed_counts_and_refute_two_claims(real, tmp_path):
    found = TracedPaper(PAPER, real, 20081)({}, {})
    verdicts = {
        "rte.voting.errors": "reproduced",
        "rte.voting.ties": "reproduced",
        "rte.voting.expected_errors": "reproduced",
        "rte.n_labels_per_annotator_max": "reproduced",
        "rte.worst_annotator.kappa": "reproduced",
        "muc.n_tokens": "reproduced",
        "rte.n_annotators_at_chance_share": "deviates",
        "muc.n_person_tokens": "deviates",
    }
    rows = [Computed(target, found[target], provenance="real") for target in verdicts]
    assert judge(rows, tmp_path, verdicts).to_dict() == verdicts
    # Four of 164 annotators, where the paper says 39%.
    assert found["rte.n_annotators_at_chance_share"] == pytest.approx(100 * 4 / 164)


def test_the_real_labels_give_the_printed_intervals_to_two_decimals(rte_fit):
    # Half a unit of the last printed place, and as much for the error of 4,000 draws.
    for name, printed in {
        "prevalence": (0.45, 0.52),
        "specificity_mean": (0.81, 0.87),
        "sensitivity_mean": (0.82, 0.87),
    }.items():
        assert rte_fit.interval(name) == pytest.approx(printed, abs=0.01)


def test_removing_ten_or_eleven_annotators_gives_the_two_printed_totals(analysis, rte, rte_fit):
    table = analysis.tables.annotators(rte.annotations, rte.gold, rte_fit)
    pruning = analysis.tables.pruning(rte.annotations, rte.gold, table).set_index("removed")
    assert pruning.loc[10, ["voting_expected_errors", "voting_ties"]].tolist() == [59.5, 23]
    assert pruning.loc[11, ["voting_errors", "voting_ties"]].tolist() == [49, 22]
    assert pruning.loc[11, "percent_of_labels"] == 39.0


def test_other_labels_give_other_expected_errors_of_voting(rte):
    votes = voting.fit(rte.annotations).posterior
    right = (votes.argmax(axis=1) == rte.gold) & (votes.max(axis=1) > 0.5)
    without_errors = scores.count_errors(votes[right], rte.gold[right])
    assert without_errors.expected_errors == 0
    # One label of every item fewer leaves no tie of ten.
    first = np.sort(np.unique(rte.annotations.item, return_index=True)[1])
    fewer = rte.labels.drop(index=first)
    errors = scores.count_errors(
        voting.fit(dataclasses.replace(rte, labels=fewer).annotations).posterior, rte.gold
    )
    assert errors.ties == 0
    assert not agrees("82.5", "eq", errors.expected_errors)


@pytest.fixture(scope="module")
def drawings(real):
    return datasets.read(real["carpenter_figures"])


def test_every_value_of_a_figure_is_what_the_drawing_says(analysis, drawings):
    published = read_published(PAPER / "published.csv").set_index("target")
    drawn = analysis.drawn.read_off(drawings).set_index("target")["drawn"]
    of_figures = published.index[published["note"].str.startswith("Read off the author's drawing")]
    assert set(drawn.index) == set(of_figures)
    for target, value in drawn.items():
        assert agrees(published.loc[target, "value"], "eq", value), target


def test_circles_lie_where_the_labels_put_them_and_nowhere_else(analysis, drawings, rte, rte_fit):
    table = analysis.tables.annotators(rte.annotations, rte.gold, rte_fit)
    kept = analysis.drawn.shown(drawings, table)
    found = analysis.drawn.circle_values(drawings, table, kept)
    assert found == {
        "rte.fig5.specificity.circles": 164,
        "rte.fig5.sensitivity.circles": 164,
        "rte.fig6.circles": 164,
        "rte.fig6.pruned.circles": 154,
    }
    # The order of the annotators is that of the labels: in any other one few circles agree.
    shuffled = table.sample(frac=1, random_state=1, ignore_index=True)
    assert analysis.drawn.circle_values(drawings, shuffled, kept)["rte.fig6.circles"] < 50
    larger = table.assign(n_labels=table["n_labels"] + 1)
    assert analysis.drawn.circle_values(drawings, larger, kept)["rte.fig6.circles"] < 50


def test_bars_hold_their_right_edges_as_those_of_r(analysis):
    # 1 - 0.8 is a little less than 0.2, and 0.6 - 0.4 a little less, too; -1 is in the first bar.
    heights = analysis.drawn.bars(np.array([-1.0, -0.8, -0.75, 0.0, 1 - 0.8, 0.2, 0.21, 1.0]))
    assert heights.tolist() == [2, 1, 0, 0, 1, 2, 1, 0, 0, 1]


def test_the_drawn_bars_of_voting_are_those_of_all_and_of_eleven_fewer(
    analysis, drawings, rte, rte_fit
):
    def drawn(panel):
        return analysis.drawn.marks(drawings, f"figure7_{panel}", "bar")["height"].round().tolist()

    voted = list(analysis.drawn.voting_bars(rte).values())
    assert drawn("voting") == voted
    table = analysis.tables.annotators(rte.annotations, rte.gold, rte_fit)
    order = np.argsort(table[["sensitivity_median", "specificity_median"]].min(axis=1).to_numpy())
    wrong = {}
    for n_removed in (10, 11, 12):
        kept = rte.annotations.select(annotators=np.sort(order[n_removed:]))
        bars = analysis.drawn.bars(rte.gold - voting.fit(kept).posterior[:, 1])
        wrong[n_removed] = int((bars != drawn("voting_pruned")).sum())
    assert wrong[11] == 0
    assert wrong[10] == 5
    assert wrong[12] > 0


def test_drawn_intervals_are_those_of_the_hierarchical_model_alone(
    analysis, design, drawings, rte, rte_fit
):
    flat = hierarchical_binary.fit(
        rte.annotations, rng=np.random.default_rng(7), draws=1_000, hierarchical=False
    )
    fits = {"hierarchical": rte_fit, "flat": flat}
    table = analysis.drawn.readings(drawings, fits, "hierarchical")
    distance = table.set_index(["quantity", "reading"])["median_distance_in_sd"]
    for name in ("specificity", "sensitivity"):
        for part in ("lower80", "median", "upper80"):
            # A run of the author's length errs by about a tenth of a standard deviation.
            assert distance[f"{name}, {part}", "hierarchical"] < 0.13
            assert distance[f"{name}, {part}", "flat"] > 0.13
        means = distance[f"{name}, median", "posterior means in place of medians"]
        assert means > 3 * distance[f"{name}, median", "hierarchical"]


def test_a_drawn_number_is_inside_if_it_lies_in_its_own_check_interval(
    analysis, design, drawings, rte, rte_fit
):
    table = analysis.tables.annotators(rte.annotations, rte.gold, rte_fit)
    shown = analysis.drawn.shown(drawings, table)
    runs = analysis.drawn.shorter_runs(design, rte, shown, np.random.default_rng(1), "quick")
    # The drawing's own numbers as runs that hardly vary: all are inside, and none once moved.
    for name, axis in (("specificity", "y"), ("sensitivity", "x")):
        ends = analysis.drawn.marks(drawings, f"figure5_{name}", "segment")
        for run, noise in zip(runs._each, (0.999, 1.0, 1.001), strict=True):
            run[f"{name}.lower80"] = ends["y"].to_numpy() * noise
            both = analysis.drawn.marks(drawings, "figure6", "segment")
            run[f"{name}.median"] = np.clip(both[f"{axis}_end"].to_numpy() * noise, 0, 1 - 1e-9)
    points = analysis.drawn.points(drawings, table, shown, runs)
    own = points["drawn"].between(points["check_lower"] - 1e-4, points["check_upper"] + 1e-4)
    assert points["inside"].dtype == bool
    assert (points["inside"] <= own).all()
    given = points["quantity"].str.contains("lower80") | (points["figure"] == "figure6")
    assert points.loc[given, "inside"].all()
    counts = analysis.drawn.point_values(points)
    assert counts["rte.fig6.estimates"] == 164
    moved = points.assign(inside=False)
    assert set(analysis.drawn.point_values(moved).values()) == {0}


def test_judgements_that_are_no_errors_of_annotators_are_counted(analysis, paper, real):
    counts = paper.study().numbers("printed_counts")
    found = analysis.values.judged_errors(datasets.read(real["muc6_error_analysis"]), counts)
    assert found["muc.residual_errors_gold_share"] == pytest.approx(100 * 27 / 70)
    assert found["muc.gold_impurity"] == pytest.approx(100 * 233 * 27 / 70 / 6753)
    assert found["muc.true_accuracy"] == pytest.approx(100 * (1 - 233 * 43 / 70 / 6753))


def test_a_rate_that_is_rounded_to_1_has_a_finite_check_interval(analysis):
    runs = np.array([[0.9, 0.99], [0.92, 1.0], [0.91, 0.995]])
    low, high = analysis.drawn._check_intervals(runs, 2)
    assert (low < runs.min(axis=0)).all()
    assert np.isfinite(high).all()
    assert high[1] > high[0]
