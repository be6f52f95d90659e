"""Reference posteriors: statistics of draws, exact sums, files, comparison, false alarms."""

from __future__ import annotations

import json
import re
from pathlib import Path

import arviz
import numpy as np
import pandas as pd
import pytest
import scipy.integrate
import scipy.stats
from scipy.special import betaln

from annobench.core.errors import AnnotationError, ReaderError
from annobench.labels.annotations import Annotations
from annobench.posteriors import enumeration, making, measures, records, relabelling, stored
from annobench.posteriors.comparison import FALSE_ALARMS, STATISTICS, compare
from annobench.posteriors.draws import Draws, flatten, join_name, read_draws, split_name

CAMPS = "two_camps-hierarchical_binary"


def autoregressive(rng, chains, draws, parameters, coefficient):
    """Draw standard normal values, each correlated with the one before."""
    noise = rng.standard_normal((chains, draws, parameters))
    x = noise.copy()
    for s in range(1, draws):
        x[:, s] = coefficient * x[:, s - 1] + np.sqrt(1 - coefficient**2) * noise[:, s]
    return x


# Statistics of draws and their Monte Carlo standard errors


def test_errors_are_those_of_the_published_formulas(rng, monkeypatch):
    # With numba arviz's error of the standard deviation fails on arrays of one element.
    monkeypatch.setattr(arviz.utils.Numba, "numba_flag", False)
    x = autoregressive(rng, 4, 500, 2, 0.6)
    found = measures.summarise(["a", "b"], x)
    for p, name in enumerate("ab"):
        row, y = found.loc[name], x[:, :, p]
        assert row["mean"] == pytest.approx(y.mean())
        assert row["mcse_mean"] == pytest.approx(np.squeeze(arviz.mcse(y)), rel=1e-3)
        assert row["mcse_sd"] == pytest.approx(np.squeeze(arviz.mcse(y, method="sd")), rel=1e-3)
        assert row["r_hat"] == pytest.approx(np.squeeze(arviz.rhat(y)))
        assert row["ess_bulk"] == pytest.approx(np.squeeze(arviz.ess(y)))
        assert row["ess_tail"] == pytest.approx(np.squeeze(arviz.ess(y, method="tail")), rel=0.02)
        for quantile, probability in measures.QUANTILES.items():
            theirs = np.squeeze(arviz.mcse(y, method="quantile", prob=probability))
            # arviz takes a quantile between other draws: one draw more or less at an end.
            assert row[f"mcse_{quantile}"] == pytest.approx(theirs, rel=0.15)


def test_draws_that_never_move_have_no_errors(rng):
    x = np.stack([rng.standard_normal((2, 50)), np.ones((2, 50))], axis=2)
    found = measures.summarise(["moves", "stays"], x)
    assert found.loc["stays", ["mean", "sd"]].tolist() == [1, 0]
    assert found.loc["stays", ["mcse_mean", "ess_bulk", "r_hat"]].isna().all()
    assert found.loc["moves"].notna().all()


def test_a_single_chain_has_an_r_hat(rng):
    x = rng.standard_normal((1, 400, 1))
    assert measures.summarise(["a"], x)["r_hat"].item() < 1.02
    x[0, 200:] += 3
    assert measures.summarise(["a"], x)["r_hat"].item() > 1.5


# Sums over all categories


def test_exact_means_of_one_item_are_those_of_an_integral():
    # One item, two annotators who say 1. With m and s integrated out over the half m0 + m1 > 1,
    # P(category 1) = E[P(both right)] / (E[P(both right)] + E[P(both wrong)]).
    a = Annotations.from_arrays(
        ["x", "x"], ["a", "b"], ["1", "1"], items=["x"], categories=["0", "1"]
    )

    def both(mean, log_s, right):
        s = np.exp(log_s)
        alpha, beta = mean * s, (1 - mean) * s
        shift = (1, 0) if right else (0, 1)
        one = np.exp(betaln(alpha + shift[0], beta + shift[1]) - betaln(alpha, beta))
        return one**2 * 1.5 * np.exp(-1.5 * log_s)

    def half(right, m):
        # Given m of this category the other's mean, of flat prior, is above 1 - m: mass m.
        return m * scipy.integrate.quad(lambda v: both(m, v, right), 0, 18)[0]

    yes = scipy.integrate.quad(lambda m: half(True, m), 0, 1)[0]
    no = scipy.integrate.quad(lambda m: half(False, m), 0, 1)[0]
    found = enumeration.exact_means(a, "hierarchical_binary", n_means=400)
    assert found["item_probability[1]"] == pytest.approx(yes / (yes + no), abs=1e-5)


def test_a_finer_grid_changes_nothing():
    a = records.get("small_panel-hierarchical_binary").annotations()
    points = 30, 60, 120
    rough, middle, fine = (
        enumeration.exact_means(a, "hierarchical_binary", n_means=n, n_concentrations=50)
        for n in points
    )
    # The midpoint rule errs by a constant over the square of the number of points.
    first, second = (middle - rough).abs().max(), (fine - middle).abs().max()
    assert first / second == pytest.approx(4, rel=0.2)
    assert second < 1e-4


def test_both_models_name_one_posterior():
    a = records.get("two_annotators-hierarchical_binary").annotations()
    grid = {"n_means": 40, "n_concentrations": 40}
    binary = enumeration.exact_means(a, "hierarchical_binary", **grid)
    matrices = enumeration.exact_means(a, "hierarchical_dawid_skene", **grid)
    assert matrices["confusion[2,2,2]"] == binary["sensitivity[2]"]
    assert matrices["confusion[2,1,2]"] == 1 - binary["specificity[2]"]
    assert matrices["prevalence[2]"] == binary["prevalence"]


def test_too_many_items_are_refused():
    a = Annotations.from_wide([["0", "1"]] * 13)
    with pytest.raises(AnnotationError, match="at most 12 items"):
        enumeration.exact_means(a, "hierarchical_binary")


# The stored draws


def test_there_are_ten_posteriors_of_two_to_five_categories_and_one_with_several_modes():
    index = stored.index()
    assert len(index) >= 10
    assert set(index["n_categories"]) == {2, 3, 4, 5}
    assert (index["modes"] > 1).any()
    assert index["priors"].str.contains("prevalence").all()


@pytest.mark.parametrize("name", records.names())
def test_stored_draws_meet_the_definition(name):
    info = stored.information(name)
    assert all(info["checks_made"].values())
    assert len(info["checks_made"]) == (5 if records.get(name).enumerated else 4)
    reference = stored.load(name)
    again = making.check(reference.table, 10, 1_000)
    assert again == {key: info["checks_made"][key] for key in again}
    assert info["inference"]["method_arguments"]["seed"] == records.get(name).seed
    assert set(info["versions"]) == {"python", *making.PACKAGES}


@pytest.mark.parametrize("name", records.names())
def test_stored_draws_are_of_the_posterior_that_is_summarised(name):
    reference = stored.load(name)
    n_draws = 100 if len(reference.draws.names) <= 250 else 50
    assert reference.draws.array.shape[:2] == (10, n_draws)
    of_items = reference.table["axes"].str.contains("item")
    assert list(reference.draws.names) == list(reference.table.index[~of_items])
    # n of N draws differ from all of them by a standard error of n / (1 - n / N) draws' worth.
    own = measures.summarise(reference.draws.names, making.on_scale(reference.draws))
    ref = reference.table.loc[list(own.index)]
    z = (own["mean"] - ref["mean"]) / ref["sd"] * np.sqrt(1 / (1 / (10 * n_draws) - 1e-4))
    assert z.abs().max() < scipy.stats.norm.isf(1e-4 / len(z))


@pytest.mark.parametrize("name", records.names())
def test_the_labels_are_those_that_were_fitted(name, request):
    record = records.get(name)
    if "id" in record.data:
        request.getfixturevalue("mirror")
    data = stored.information(name)["data"]
    annotations = record.annotations()
    assert records.fingerprint(annotations) == data["sha256"]
    assert annotations.n_labels == data["n_labels"]


def test_all_files_are_small():
    sizes = [path.stat().st_size for path in stored.folder().iterdir()]
    assert sum(sizes) < 5e6
    assert len(sizes) == 3 * len(records.names())


@pytest.mark.parametrize("name", [n for n in records.names() if records.get(n).enumerated])
def test_stored_means_are_the_exact_ones(name):
    reference = stored.load(name)
    exact = enumeration.exact_means(
        reference.record.annotations(), reference.record.model, n_means=60, n_concentrations=50
    )
    error = making.enumeration_errors(reference.table, exact).abs()
    assert set(exact.index) == set(reference.table.index)
    assert error.max() < scipy.stats.norm.isf(1e-3 / 2 / error.size)


def test_two_samplers_of_one_posterior_agree():
    first = stored.load("bluebird-hierarchical_binary").table
    second = stored.load("bluebird-hierarchical_dawid_skene").table
    z = []
    for name, row in first.iterrows():
        parameter, index = split_name(name)
        other = {
            "prevalence": "prevalence[2]",
            "sensitivity": join_name("confusion", [*index, 2, 2]),
            "specificity": join_name("confusion", [*index, 1, 1]),
            "sensitivity_mean": "mean[2,2]",
            "specificity_mean": "mean[1,1]",
            "sensitivity_concentration": "concentration[2]",
            "specificity_concentration": "concentration[1]",
            "item_probability": join_name("item_probability", [*index, 2]),
        }[parameter]
        for statistic in ("mean", "q5", "q50", "q95"):
            difference = abs(row[statistic] - second.loc[other, statistic])
            error = np.hypot(row[f"mcse_{statistic}"], second.loc[other, f"mcse_{statistic}"])
            z.append(0.0 if difference <= measures.STORED_PRECISION else difference / error)
    z = np.array(z)
    assert (z > 0).sum() > 300
    assert z.max() < scipy.stats.norm.isf(1e-3 / 2 / z.size)


def test_a_reference_is_made_anew_to_the_byte(tmp_path):
    record = records.get("two_annotators-hierarchical_binary")
    small = records.Posterior(**{**vars(record), "thin": 2, "warmup": 50, "enumerated": False})
    for place in ("one", "two"):
        reference = making.make(small, chains=4, draws=40)
        written = stored.write(reference, tmp_path / place)
    for name in written:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    # Too few draws are said to be too few.
    assert not reference.information["checks_made"]["ndraws_is_10k"]
    assert stored.load(record.name, tmp_path / "one").draws.array.shape[:2] == (4, 4)


def test_rounded_draws_are_near(tmp_path):
    record = records.get("two_annotators-hierarchical_binary")
    small = records.Posterior(**{**vars(record), "thin": 1, "warmup": 50, "enumerated": False})
    reference = making.make(small, chains=2, draws=200)
    stored.write(reference, tmp_path)
    read = stored.load(record.name, tmp_path).draws
    exact = reference.draws.select(read.names).array[:, :: stored.STEP]
    spread = exact.std(axis=(0, 1))
    assert (np.abs(read.array - exact).max(axis=(0, 1)) <= spread / 100 + 1e-6).all()
    # Near the ends, too: of a probability near 1 the rest keeps its order of magnitude.
    rest = read.select(["sensitivity[1]"]).array, exact[:, :, read.names.index("sensitivity[1]")]
    np.testing.assert_allclose(1 - rest[0][..., 0], 1 - rest[1], rtol=1 / 256, atol=1e-6)


def test_an_unknown_posterior_is_named():
    with pytest.raises(AnnotationError, match="Did you mean 'two_camps-hierarchical_binary'"):
        records.get("two_camp-hierarchical_binary")


def test_inputs_are_numbered_from_one(tmp_path):
    stored.write_inputs(CAMPS, tmp_path)
    data = json.loads((tmp_path / "data.json").read_text())
    assert (data["I"], data["J"], data["K"], data["N"]) == (10, 5, 2, 50)
    assert min(data["label"]) == min(data["item"]) == min(data["annotator"]) == 1
    # The first row of the record is 11100.
    first = [label for item, label in zip(data["item"], data["label"], strict=True) if item == 1]
    assert first == [2, 2, 2, 1, 1]
    draws = pd.read_csv(tmp_path / "draws.csv")
    assert draws["chain"].nunique() == 10
    assert "sensitivity[5]" in draws


def test_the_page_lists_all_posteriors():
    text = (Path(__file__).parents[2] / "docs/how-to/reference-posteriors.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| (\d) \| (\d+) \| (.+) \|$", text, flags=re.M)
    index = stored.index()
    assert rows == [
        (name, str(row["n_categories"]), str(row["n_parameters"]), row["title"])
        for name, row in index.iterrows()
    ]


# Files of draws


def test_names_of_cmdstan_and_of_others_are_one():
    for name in ("prevalence", "mean[1,2]", "confusion[3,1,2]"):
        assert join_name(*split_name(name)) == name
    assert split_name("a.b.1.2") == ("a.b", (1, 2))


def write_csv(path, array, names, **columns):
    table = pd.DataFrame(array.reshape(-1, len(names)), columns=names).assign(**columns)
    path.write_text("# a comment\n" + table.to_csv(index=False))
    return path


def test_draws_are_the_same_from_every_kind_of_file(tmp_path, rng):
    array = rng.random((3, 20, 5))
    names = ("prevalence", *(f"confusion[1,{k},{n}]" for k in (1, 2) for n in (1, 2)))
    dotted = [name.replace("[", ".").replace(",", ".").replace("]", "") for name in names]
    apart = [write_csv(tmp_path / f"{c}.csv", array[c], dotted, lp__=0) for c in range(3)]
    chain = np.repeat([1, 2, 3], 20)
    together = write_csv(tmp_path / "all.csv", array, list(names), chain=chain)
    arrays = {"prevalence": array[:, :, 0], "confusion": array[:, :, 1:].reshape(3, 20, 1, 2, 2)}
    np.savez(tmp_path / "all.npz", **arrays)
    arviz.from_dict(posterior=arrays).to_netcdf(str(tmp_path / "all.nc"))
    for paths in (apart, [together], [tmp_path / "all.npz"], [tmp_path / "all.nc"]):
        found = read_draws(paths)
        np.testing.assert_allclose(found.select(names).array, array, rtol=1e-12)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,x\n2,y\n3,z\n4,x\n", "column 'b' has other values than numbers"),
        ("a\n1\n2\n", "2 draws per chain"),
        ("a\n1\n2\n\n3\nnan\ninf\n", "not a finite number"),
    ],
)
def test_a_bad_file_is_refused(tmp_path, content, message):
    path = tmp_path / "draws.csv"
    path.write_text(content)
    with pytest.raises(ReaderError, match=message):
        read_draws([path])


def test_files_that_do_not_fit_are_refused(tmp_path):
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text("a\n" + "1\n" * 5)
    two.write_text("b\n" + "1\n" * 5)
    with pytest.raises(ReaderError, match="different columns"):
        read_draws([one, two])
    with pytest.raises(ReaderError, match="no such file"):
        read_draws([tmp_path / "nothing.csv"])
    np.savez(tmp_path / "flat.npz", a=np.zeros(9))
    with pytest.raises(ReaderError, match="first axes must be chains and draws"):
        read_draws([tmp_path / "flat.npz"])
    with pytest.raises(ReaderError, match="from CSV files"):
        read_draws([one, tmp_path / "flat.npz"])


def test_chains_are_cut_to_the_shortest(tmp_path):
    paths = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for path, n in zip(paths, (10, 8), strict=True):
        path.write_text("a\n" + "".join(f"{v}\n" for v in range(n)))
    found = read_draws(paths)
    assert found.array.shape == (2, 8, 1)
    assert "cut to the 8" in found.remarks[0]


# Comparison


@pytest.fixture(scope="module")
def anesthesia():
    return stored.load("anesthesia-hierarchical_dawid_skene")


def in_two_chains(draws):
    """Put thinned draws, which are nearly independent, in two chains in place of ten short ones."""
    return Draws(draws.names, draws.array.reshape(2, 500, -1))


def parametric(scale):
    """A reference of known distributions: normal, exponential, beta."""
    distributions = [scipy.stats.norm(), scipy.stats.expon(), scipy.stats.beta(0.8, 6)]
    rng = np.random.default_rng(1)
    array = np.stack([d.rvs((10, 1_000), random_state=rng) for d in distributions], axis=2)
    names = ("a", "b", "c")
    table = measures.summarise(names, array)
    table.insert(0, "axes", "")
    record = records.get(CAMPS)
    reference = making.Reference(record, Draws(names, array), table, {})

    def draw(rng, coefficient):
        uniform = scipy.stats.norm.cdf(autoregressive(rng, 4, 1_000, 3, coefficient))
        drawn = [d.ppf(uniform[:, :, p]) * scale for p, d in enumerate(distributions)]
        return Draws(names, np.stack(drawn, axis=2))

    return reference, draw


@pytest.mark.parametrize("coefficient", [0.0, 0.6])
def test_false_alarms_are_as_rare_as_stated(coefficient):
    reference, draw = parametric(1.0)
    rng = np.random.default_rng(7)
    runs = [compare(draw(rng, coefficient), reference) for _ in range(25)]
    errors = np.concatenate([found.errors for found in runs])
    # No statistic is judged too strictly: runs and parameters are independent.
    for level in (0.3, 0.05):
        beyond = (np.abs(errors) > scipy.stats.norm.isf(level / 2)).sum(axis=0)
        most = scipy.stats.binom.isf(1e-3 / 10, len(errors), level)
        least = scipy.stats.binom.ppf(1e-3 / 10, len(errors), level)
        assert (beyond <= most).all()
        assert (beyond >= least).all()
    alarms = sum(found.n_different > 0 for found in runs)
    assert alarms <= scipy.stats.binom.isf(1e-3, len(runs), FALSE_ALARMS)


def test_sizes_of_independent_draws_are_within_the_bounds(rng):
    names = [f"x[{n}]" for n in range(40)]
    table = measures.summarise(names, rng.random((10, 1_000, 40)))
    assert all(making.check(table, 10, 1_000).values())
    # Neighbours with a correlation of 0.1 make of 10,000 draws 10,000 * 0.9 / 1.1 = 8,200.
    table = measures.summarise(names, autoregressive(rng, 10, 1_000, 40, 0.1))
    assert not making.check(table, 10, 1_000)["ess_within_bounds"]


@pytest.mark.parametrize("scale", [0.85, 1.2])
def test_a_wrong_spread_is_found(scale):
    reference, draw = parametric(scale)
    found = compare(draw(np.random.default_rng(3), 0.0), reference)
    assert found.verdict == "differ"
    assert found.n_different == 3
    errors = found.table["error_sd"]
    assert (np.sign(errors) == np.sign(scale - 1)).all()


def test_errors_of_a_normal_parameter_by_hand():
    reference, draw = parametric(1.0)
    drawn = draw(np.random.default_rng(4), 0.0)
    row = compare(drawn, reference).table.loc["a"]
    own, ref = measures.summarise(drawn.names, drawn.array).loc["a"], reference.table.loc["a"]
    difference = own["mean"] - ref["mean"]
    error = ref["sd"] * np.sqrt(1 / own["ess_mean"] + 1 / ref["ess_mean"])
    assert row["error_mean"] == pytest.approx(difference / error, abs=1e-4)
    ratio = np.log(own["sd"] / ref["sd"])
    error = np.sqrt((ref["kurtosis"] - 1) / 4 * (1 / own["ess_sd"] + 1 / ref["ess_sd"]))
    assert row["error_sd"] == pytest.approx(ratio / error)
    # About the error by its own standard errors, where draws are many.
    for name in STATISTICS:
        plain = (own[name] - ref[name]) / np.hypot(own[f"mcse_{name}"], ref[f"mcse_{name}"])
        assert row[f"error_{name}"] == pytest.approx(plain, abs=0.3)


def test_reference_draws_agree_with_themselves(anesthesia):
    found = compare(in_two_chains(anesthesia.draws), anesthesia)
    assert found.verdict == "agree", found.summary().head()
    assert "probability" in " ".join(found.remarks)  # of the items: not among the stored draws
    assert len(found.table) == len(anesthesia.draws.names)


def test_exchanged_classes_are_named(anesthesia):
    axes = anesthesia.table["axes"].to_dict()
    wrong = relabelling.relabel(in_two_chains(anesthesia.draws), axes, (1, 0, 2, 3))
    found = compare(wrong, anesthesia)
    assert found.verdict == "differ"
    remarks = " ".join(found.remarks)
    assert "Your classes 1 and 2 are exchanged." in remarks
    assert "With the classes named as in the reference no parameter differs." in remarks


def test_exchanged_classes_of_some_chains_are_named(anesthesia):
    axes = anesthesia.table["axes"].to_dict()
    # Their class 1 is the reference's class 3, their 2 its 1, their 3 its 2.
    moved = relabelling.relabel(anesthesia.draws, axes, (2, 0, 1, 3))
    array = anesthesia.draws.array.copy()
    array[[3, 6]] = moved.select(anesthesia.draws.names).array[[3, 6]]
    found = compare(Draws(anesthesia.draws.names, array), anesthesia)
    assert found.verdict == "not converged"
    remarks = " ".join(found.remarks)
    assert "Your classes 1, 2 and 3 should be called 3, 1 and 2 in chains 4, 7." in remarks
    assert "no parameter differs" in remarks


def test_exchanged_classes_of_the_binary_model_are_named():
    reference = stored.load("bluebird-hierarchical_binary")
    wrong = relabelling.relabel(reference.draws, reference.table["axes"].to_dict(), (1, 0))
    assert "Your classes 1 and 2 are exchanged." in compare(wrong, reference).remarks


@pytest.mark.parametrize("order", list(relabelling.orders(3)))
def test_relabelling_is_undone_by_its_inverse(rng, order):
    names = {f"mean[{k},{n}]": "category label" for k in (1, 2, 3) for n in (1, 2, 3)}
    draws = Draws(tuple(names), rng.random((2, 5, 9)))
    there = relabelling.relabel(draws, names, order)
    back = relabelling.relabel(there, names, np.argsort(order))
    np.testing.assert_array_equal(back.array, draws.array)


def test_chains_that_stay_in_one_mode_get_no_agreement():
    # Chains of a sampler that does not cross: in some camp A is always right, in others camp B.
    reference = stored.load(CAMPS)
    draws = reference.draws
    flat = draws.array.reshape(-1, len(draws.names))
    first = flat[:, draws.names.index("sensitivity[1]")]
    last = flat[:, draws.names.index("sensitivity[5]")]
    modes = [flat[first > last], flat[first < last]]
    assert min(map(len, modes)) > 50, "both modes have mass"
    n = 12 * (min(map(len, modes)) // 12)
    apart = np.concatenate([m[:n].reshape(2, n // 2, -1) for m in modes])
    assert compare(Draws(draws.names, apart), reference).verdict == "not converged"
    # All chains in one mode: R-hat is content, and the errors are not.
    one = np.resize(modes[0], (4, 250, len(draws.names)))
    found = compare(Draws(draws.names, one), reference)
    assert found.n_different > 0


def test_what_does_not_fit_the_reference_is_said(anesthesia, rng):
    draws = Draws(("prevalence[1]", "loglik"), rng.random((4, 100, 2)))
    found = compare(draws, anesthesia)
    assert "Not parameters of this posterior, and left out: loglik." in found.remarks
    assert any("effective draws of 400" in text for text in found.remarks)
    with pytest.raises(AnnotationError, match="Indices begin at 1"):
        compare(Draws(("prevalence[0]",), rng.random((4, 100, 1))), anesthesia)
    negative = Draws(("concentration[1]",), -rng.random((4, 100, 1)))
    with pytest.raises(AnnotationError, match="not its logarithm"):
        compare(negative, anesthesia)


def test_draws_that_are_stuck_differ(anesthesia):
    names = anesthesia.draws.names
    stuck = np.repeat(anesthesia.draws.array[:, :1], 100, axis=1)
    assert compare(Draws(names, stuck), anesthesia).verdict == "not converged"
    constant = np.broadcast_to(stuck[:1, :1] + 0.3, (4, 100, len(names)))
    found = compare(Draws(names, constant.copy()), anesthesia)
    assert found.verdict == "not converged"


def test_the_level_is_that_of_all_comparisons(anesthesia):
    found = compare(anesthesia.draws, anesthesia)
    n = np.isfinite(found.errors).sum()
    assert found.threshold == pytest.approx(scipy.stats.norm.isf(FALSE_ALARMS / 2 / n))


def test_components_are_named_in_order():
    assert flatten({"m": np.zeros((1, 4, 2, 2))}).names == ("m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]")
