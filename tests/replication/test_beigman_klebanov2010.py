"""Beigman Klebanov and Beigman (2010): what its numbers determine, and what the analysis writes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.stats
import yaml

from annobench import datasets
from annobench.compare import check, compare, read_computed, read_errata, read_published
from annobench.noise import mixtures
from annobench.noise.mixtures import BinomialMixture, Counts

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "beigman_klebanov2010"
TABLES = {path.stem: path for path in sorted((PAPER / "tables").glob("*.csv"))}
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())
BRTEA = [38, 97, 101, 83, 57, 48, 33, 54, 75, 113, 101]


@pytest.fixture(scope="module")
def printed(analysis):
    return analysis.Printed.read(TABLES)


@pytest.fixture(scope="module")
def brtea():
    return Counts.from_histogram(BRTEA, n_labels=10, n_items=800)


@pytest.fixture(scope="module")
def gaussians(analysis, brtea):
    return analysis.gaussians_table({"BRTEa": brtea})


def run(analysis, top, **source):
    datasets.prepare("snow2008_rte", top / "data", network=False, **source)
    analysis.main(
        rte_folder=top / "data", printed_tables=TABLES.values(), folder=top / "out", seed=3
    )
    return top / "out"


def compared(folder):
    return compare(
        read_published(PAPER / "published.csv"),
        read_computed(folder / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        paper="beigman_klebanov2010",
    )


@pytest.fixture
def quick(analysis, monkeypatch):
    """Few replicates; no printed value hangs on their number."""
    monkeypatch.setattr(analysis, "REPLICATES", 19)


# --------------------------------------------------------------------- the reconstruction


@pytest.fixture(scope="module")
def reconstruction(analysis, printed):
    """The histogram by a search of less reach; a slow test searches farther."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "UNITS_OFF", 0.75)
        return analysis.reconstruct(printed)


def test_one_histogram_has_the_printed_chi_squares(reconstruction):
    histogram, table = reconstruction
    assert histogram.tolist() == BRTEA
    assert len(table) > 50
    # The third chi-square was not used, and agrees to the printed digit.
    assert table["gaussian_chi_square"][0] == pytest.approx(36.77, abs=0.005)
    assert (table["gaussian_units_off"][1:] > 0.5).all()


@pytest.mark.slow
@pytest.mark.parametrize(("reach", "at_least"), [(0.7, 20), (1.0, 1000), (1.3, 10_000)])
def test_the_histogram_does_not_hang_on_the_reach_of_the_search(
    analysis, printed, monkeypatch, reach, at_least
):
    monkeypatch.setattr(analysis, "UNITS_OFF", reach)
    histogram, table = analysis.reconstruct(printed)
    assert histogram.tolist() == BRTEA
    assert len(table) > at_least
    assert (table["gaussian_units_off"][1:] > 0.5).all()


def test_numbers_that_found_the_histogram_are_not_reproduced(printed):
    """Every parameter and chi-square of the search, what is left of 800, and its repetition."""
    published = read_published(PAPER / "published.csv").set_index("target")
    noted = published[published["note"].str.startswith("Calibration target")]
    assert set(noted["basis"]) == {"none"}
    searched = {f"{model}.{name}" for model, names in {
        "two": "p_0 p_1 n_0 n_1 chi_square",
        "three": "p_1 p_2 p_3 n_1 n_2 n_3 chi_square",
        "gaussian": "mean_1 mean_2 sd_1 sd_2 n_1 n_2",
    }.items() for name in names.split()}  # fmt: skip
    assert set(noted.index) == searched | {"conservative.m_hard"}


def test_rounding_that_leaves_several_histograms_is_refused(analysis, printed, monkeypatch):
    monkeypatch.setattr(analysis, "UNITS_OFF", 0.75)
    vague = analysis.Printed(printed.models, printed.statistics.copy())
    vague.statistics.loc[["two_chi_square", "three_chi_square"], "unit"] = "10"
    with pytest.raises(ValueError, match="histograms have the printed chi-squares, not one"):
        analysis.reconstruct(vague)


def test_a_histogram_of_our_own_is_found_again(analysis, printed):
    """The search finds a histogram that it has never seen, from its printed fits alone."""
    truth = np.array([30, 101, 110, 80, 50, 49, 41, 47, 80, 110, 102])
    counts = Counts.from_histogram(truth)
    two, three = (mixtures.fit(counts, k, method="least_squares").mixture for k in (2, 3))
    normal = mixtures.fit_gaussians(counts, cells="interval")
    models = printed.models.copy()
    for name, found in (("two", two), ("three", three)):
        items = (800 * found.share).round()
        models.loc[name, "items"] = [f"{n:.0f}" for n in items]
        models.loc[name, "centre"] = [f"{p:.4f}" for p in found.rate]
    models.loc["gaussian", "items"] = [f"{800 * s:.0f}" for s in normal.share]
    models.loc["gaussian", "centre"] = [f"{m:.2f}" for m in normal.mean]
    models.loc["gaussian", "sd"] = [f"{s:.2f}" for s in normal.sd]
    statistics = printed.statistics.copy()
    ours = analysis.Printed(models, statistics)
    for name, unit in (("two", ".01"), ("three", ".001"), ("gaussian", ".01")):
        value = analysis.pearson(truth, ours.cells(name))
        statistics.loc[f"{name}_chi_square", ["value", "unit"]] = [f"{value:.3f}", unit]
    assert analysis.reconstruct(ours)[0].tolist() == truth.tolist()


def test_the_first_step_of_least_squares_is_the_fits_difference(analysis, printed):
    """The linear map says how far a fit moves; scipy's full fit says the same but for curvature."""
    histogram = np.array(BRTEA)
    for model in ("two", "three", "gaussian"):
        at = np.array([float(text) for text in printed.parameters(model)])
        step, target = analysis.shift_of(printed, model)
        units = np.array([float(analysis.parse_printed(t).unit) for t in printed.parameters(model)])
        full = scipy.optimize.least_squares(
            lambda v, model=model: printed.cells(model, v) - histogram, at, x_scale=units
        )
        np.testing.assert_allclose(step @ histogram - target, (full.x - at) / units, atol=0.2)


# ------------------------------------------------------------------------- closed forms


def test_printed_numbers_by_hand(analysis, printed):
    found = analysis.arithmetic(printed) | analysis.closed_forms(10)
    assert found["brte.total_cost"] == 800 * 20 / 2 / 100
    assert found["conservative.n_total"] == 373 + 110 + 327 == 810
    assert found["replication.agreement"] == pytest.approx(93.125)
    assert found["two.critical"] == pytest.approx(14.067, abs=5e-4)
    assert found["gaussian.critical"] == pytest.approx(11.070, abs=5e-4)
    assert found["lazy.critical"] == pytest.approx(15.507, abs=5e-4)
    assert found["model.hardest_coin"] == 0.5
    # The chi-square law with ten degrees of freedom has a finite sum for its tail.
    half = 13.13 / 2
    tail = np.exp(-half) * sum(half**k / float(np.prod(np.arange(1, k + 1))) for k in range(5))
    assert found["brteb.p_value"] == pytest.approx(tail)


def test_the_printed_models_have_the_printed_chi_squares(analysis, printed):
    for model, value in (("two", 73.66), ("three", 5.091), ("gaussian", 36.77)):
        found = analysis.pearson(np.array(BRTEA), printed.cells(model))
        assert round(found, 3 if model == "three" else 2) == value


def test_parts_add_up_to_their_model(printed):
    for model in ("two", "three", "gaussian"):
        np.testing.assert_allclose(printed.parts(model).sum(axis=0), printed.cells(model))


def test_the_displayed_sum_is_a_mixture_of_mean_coins(analysis, printed):
    m = printed.of("three")
    whole = analysis.displayed_sum(m, 0.21, 0.74, first=0)
    np.testing.assert_allclose(whole, mixtures.with_lazy(m, 0.21, 0.74).pmf(10), atol=1e-14)
    cut = analysis.displayed_sum(m, 0.21, 0.74, first=1)
    assert whole.sum() - cut.sum() == pytest.approx(0.21**10)


def test_the_two_normal_distributions_were_rejected_for_what_they_spill(gaussians):
    table = gaussians.set_index("cells")
    assert table.loc["interval", "expected_items"] == pytest.approx(716.7, abs=0.1)
    assert table.loc["interval", "p_value"] < 1e-5
    assert table.loc["normalised", "expected_items"] == pytest.approx(800)
    assert table.loc["normalised", "p_value"] > 0.05


def test_the_conservative_model_is_the_least_squares_fit_with_its_hard_items(analysis, brtea):
    n_first, *rates = analysis.fit_with_hard(brtea, 110)
    assert round(n_first) == 373
    assert round(800 - 110 - n_first) == 317  # printed as 327, which makes 810 items
    np.testing.assert_allclose(rates, [0.21, 0.563, 0.89], atol=0.002)
    # Given the hard items of the free fit, it is the free fit.
    free = mixtures.fit(brtea, 3, method="least_squares").mixture
    again = analysis.fit_with_hard(brtea, 800 * free.share[1])
    np.testing.assert_allclose(again, [800 * free.share[0], *free.rate], rtol=1e-4)


def test_a_hundred_hard_items_are_too_few_and_101_enough(brtea):
    assert mixtures.smallest_hard_count(brtea).n_hard == 101


def test_the_simulated_study_is_calibrated_to_model_m(analysis, printed, monkeypatch):
    monkeypatch.setattr(analysis, "REPLICATES", 60)
    study = analysis.brte_study(printed, np.random.default_rng(1))
    # Chi-square of the fitted half has five degrees of freedom, give or take the simulation.
    assert scipy.stats.norm.cdf(abs(study["chi_square_a"].mean() - 5) / np.sqrt(10 / 60)) < 0.9999
    # The other half was not fitted, so it can only be farther away.
    assert study["chi_square_b"].mean() > study["chi_square_a"].mean()
    # Chance that the majority of ten is right, item by item, ties counted half.
    m = printed.of("three")
    law = scipy.stats.binom.pmf(np.arange(11)[:, None], 10, m.rate)
    above = law[6:].sum(axis=0) + law[5] / 2
    right = m.share @ np.array([1 - above[0], 0.5, above[2]])
    spread = study["accuracy_a"].std() / np.sqrt(60)
    assert abs(study["accuracy_a"].mean() - 100 * right) < 4 * spread


# ------------------------------------------------------------------------------ the lists


def test_an_example_without_an_item_is_refused(analysis, tmp_path):
    labels = pd.DataFrame({"item": ["a", "a"], "annotator": ["x", "y"], "label": ["0", "1"]})
    items = pd.DataFrame({"item": ["a"], "gold": ["1"], "hypothesis": ["Nothing."]})
    meta = {"provenance": "real", "scale": "nominal", "categories": ["0", "1"]}
    data = datasets.LoadedData("made", labels, items, meta)
    with pytest.raises(ValueError, match="example 1: 0 hypotheses hold its words"):
        analysis.example_table(data, TABLES["examples"])


# --------------------------------------------------------------------------- what is written


@pytest.fixture(scope="module")
def results(analysis, reconstruction, gaussians, tmp_path_factory):
    """The numbers that the analysis writes, from simulated labels; figures are drawn elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "reconstruct", lambda _: reconstruction)
        patch.setattr(analysis, "gaussians_table", lambda _: gaussians)
        patch.setattr(analysis, "REPLICATES", 9)
        patch.setattr(analysis, "DRAWS", 200)
        patch.setattr(analysis, "BANDS", (mixtures.HARD,))
        for name in vars(analysis):
            if name.startswith("figure"):
                patch.setattr(analysis, name, lambda *_, **__: None)
        top = tmp_path_factory.mktemp("bk2010")
        return run(analysis, top, mode="simulated", seed=3, mirror=None)


def test_simulated_labels_claim_nothing(results):
    comparison = compared(results)
    assert not (comparison["verdict"] == "missing").any()
    public = comparison[(comparison["basis"] == "public_data") & (comparison["kind"] == "result")]
    assert set(public["verdict"]) == {"stand_in"}
    assert check(comparison) == []


def test_every_table_announced_is_written(results):
    captions = json.loads((results / "captions.json").read_text())
    assert all(captions[figure["name"]]["caption"] for figure in RECORD["figures"])
    for table in RECORD["tables"]:
        assert f"tables/{table['name']}" in captions
        assert len(pd.read_csv(results / "tables" / f"{table['name']}.csv"))


@pytest.mark.slow
def test_real_labels_leave_nothing_missing_unexplained_or_stale(analysis, tmp_path, mirror, quick):
    folder = run(analysis, tmp_path, mode="real", mirror=mirror)
    comparison = compared(folder)
    assert check(comparison) == []
    verdicts = comparison["verdict"].value_counts()
    assert verdicts["deviates"] == len(read_errata(PAPER / "errata.csv"))
    assert "stand_in" not in verdicts
    for figure in RECORD["figures"]:
        for kind in ("svg", "png"):
            assert (folder / "figures" / f"{figure['name']}.{kind}").stat().st_size > 1000
    examples = pd.read_csv(folder / "tables" / "examples.csv")
    assert examples["positives"].between(4, 7).all()
    assert examples["gold"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0]


def test_two_types_are_enough_for_the_real_labels(analysis, tmp_path, mirror):
    datasets.prepare("snow2008_rte", tmp_path, network=False, mode="real", mirror=mirror)
    counts = Counts.from_annotations(datasets.read(tmp_path).annotations)
    assert counts.histogram.tolist() == [5, 25, 90, 105, 103, 65, 62, 59, 108, 105, 73]
    two = mixtures.fit(counts, 2, method="least_squares")
    assert two.chi_square().p_value == pytest.approx(0.0656, abs=5e-5)
    lazy = mixtures.fit_lazy(
        counts, BinomialMixture([343, 159, 298], [0.1978, 0.5487, 0.8942]), method="least_squares"
    )
    assert round(lazy.lazy_share, 2) == 0.21
    assert round(lazy.lazy_rate, 2) == 0.74
