"""Every result of `annobench.noise` has a one-line repr, a summary, and a plot where sensible."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from annobench import noise
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.noise import easy_hard, mixtures
from annobench.noise.heterogeneity import fit_components
from annobench.noise.lazy import find_lazy
from annobench.noise.reliability_threshold import compare_cuts, deliberate, threshold

RTE = [5, 25, 90, 105, 103, 65, 62, 59, 108, 105, 73]
COUNTS = mixtures.Counts.from_histogram(RTE)
LABELS = Annotations.from_counts(
    [[5, 0]] * 30 + [[0, 5]] * 20 + [[3, 2]] * 5, categories=("0", "1")
)
CROSSED = Annotations.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]] * 4)
#: How each result is made, and whether it has a plot.
RESULTS = {
    "Certificate": (lambda: noise.certificate(LABELS), True),
    "Truth": (lambda: noise.certificate(LABELS).against([0] * 30 + [1] * 25), False),
    "LazyAnnotators": (lambda: find_lazy(CROSSED, [0, 1, 0, 1, 0] * 4), True),
    "ComponentFit": (lambda: fit_components(LABELS, hard=True, concentration=None), False),
    "ReliabilityThreshold": (lambda: threshold([0.04] * 9, level=0.999), True),
    "DeliberateItems": (lambda: deliberate(CROSSED, "1", level=0.9), True),
    "HardItems": (lambda: easy_hard.hard_given_agreed(100, 5, 0.5), True),
    "NoiseBound": (lambda: easy_hard.noise_bound(100, 5, 0.5), False),
    "ChanceDifference": (lambda: easy_hard.chance_difference(12, 90), False),
    "GuessRate": (lambda: easy_hard.guess_rate_from_disagreement([0.8, 0.2]), False),
    "GuessFit": (lambda: easy_hard.fit_guesses([0.5, 0.5, 0.5]), False),
    "ExpectedKappa": (lambda: easy_hard.expected_kappa(0.8, 0.5, 0.5), False),
    "Counts": (lambda: COUNTS, False),
    "BinomialMixture": (lambda: mixtures.fit(COUNTS, 2).mixture, False),
    "MixtureFit": (lambda: mixtures.fit(COUNTS, 2), True),
    "MixtureBootstrap": (lambda: mixtures.fit(COUNTS, 2).bootstrap(5, 1), True),
    "LazyFit": (lambda: mixtures.fit_lazy(COUNTS, mixtures.fit(COUNTS, 2).mixture), True),
    "GaussianFit": (lambda: mixtures.fit_gaussians(COUNTS), True),
    "ChiSquare": (lambda: mixtures.chi_square([8, 12], [10, 10], n_fitted=0), False),
    "BootstrapTest": (
        lambda: mixtures.goodness_of_fit(mixtures.fit(COUNTS, 2), replicates=5, rng=1),
        True,
    ),
    "ComponentSelection": (
        lambda: mixtures.select_n_components(COUNTS, max_components=2, replicates=5, rng=1),
        True,
    ),
    "ComponentStandardErrors": (lambda: mixtures.fit(COUNTS, 2).standard_error, False),
    "HardShareProfile": (
        lambda: mixtures.hard_share_profile(COUNTS, grid=np.linspace(0, 0.6, 13)),
        True,
    ),
    "HardCount": (lambda: mixtures.smallest_hard_count(COUNTS), False),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_show_and_summarise_themselves(name):
    make, plots = RESULTS[name]
    found = make()
    assert type(found).__name__ == name
    assert isinstance(found, Summarised)
    assert repr(found).startswith(f"{name}: ")
    assert "\n" not in repr(found)
    summary = found.summary()
    assert isinstance(summary, pd.DataFrame)
    assert not summary.empty
    assert "<table" in found._repr_html_()
    assert hasattr(found, "plot") == plots
    if plots:
        figure, axes = plt.subplots()
        assert found.plot(axes) is axes
        assert axes.has_data()
        assert axes.get_xlabel()
        assert axes.get_ylabel()
        plt.close(figure)
        with plt.rc_context({"backend": "agg"}):
            assert found.plot().has_data()
        plt.close("all")


def test_standard_errors_stand_beside_their_parameters():
    table = mixtures.fit(COUNTS, 2).summary()
    assert table.columns.tolist() == ["share", "share_error", "rate", "rate_error"]


def test_every_public_result_of_the_packages_is_covered():
    public = [*vars(noise).values(), *vars(mixtures).values(), *vars(easy_hard).values()]
    results = {c.__name__ for c in public if isinstance(c, type) and issubclass(c, Summarised)}
    assert results <= RESULTS.keys()


def test_frames_have_a_row_for_each_unit():
    fitted = mixtures.fit(COUNTS, 2)
    assert fitted.cells_frame()["items"].tolist() == RTE
    assert fitted.cells_frame()["expected"].sum() == pytest.approx(800)
    assert len(fitted.bootstrap(4, 1).replicates_frame()) == 8
    assert deliberate(CROSSED, "1", level=0.9).items_frame()["item"].tolist() == list(CROSSED.items)
    assert len(find_lazy(CROSSED, [0, 1, 0, 1, 0] * 4).annotators_frame()) == 3
    chosen = noise.certificate(LABELS).summary().query("chosen")
    assert chosen["keep"].tolist() == [0.5]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: mixtures.fit(COUNTS, 2).bootstrap(4, rng).rate,
        lambda rng: mixtures.likelihood_ratio_test(COUNTS, 1, replicates=4, rng=rng).draws,
        lambda rng: mixtures.goodness_of_fit(mixtures.fit(COUNTS, 1), replicates=4, rng=rng).draws,
        lambda rng: mixtures.fit(COUNTS, 2).mixture.simulate(COUNTS, rng).items,
        lambda rng: noise.heterogeneity(LABELS, rng=rng, folds=2)["score"].to_numpy(),
        lambda rng: noise.hard_share(LABELS, replicates=4, rng=rng)[["lower", "upper"]].to_numpy(),
        lambda rng: compare_cuts([0, 1, 2, 2], [1, 2, 3, 5], replicates=4, rng=rng)[["lower"]],
    ],
)
def test_a_seed_is_a_generator_and_none_is_fresh_randomness(draw):
    np.testing.assert_array_equal(draw(3), draw(np.random.default_rng(3)))
    assert np.shape(draw(None)) == np.shape(draw(3))
