"""The posterior of kappa between two annotators, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from machinery import module_of

from annobench.agreement import cohen_kappa
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models.hierarchical_binary import Draws, HierarchicalBinaryFit

kappa_posterior = module_of("carpenter2008", "bayesian_kappa").kappa_posterior


def fit_of(prevalence: float, sensitivity: tuple, specificity: tuple) -> HierarchicalBinaryFit:
    """Return a fit of one chain whose two draws are both these values."""
    one = np.ones((1, 2))
    return HierarchicalBinaryFit(
        ("x",),
        ("ann", "bob"),
        ("0", "1"),
        hierarchical=True,
        posterior=np.array([[0.5, 0.5]]),
        draws=Draws(
            prevalence=prevalence * one,
            sensitivity=one[..., None] * np.array(sensitivity),
            specificity=one[..., None] * np.array(specificity),
            sensitivity_mean=one / 2,
            sensitivity_concentration=2 * one,
            specificity_mean=one / 2,
            specificity_concentration=2 * one,
            item_probability=np.full((1, 2, 1), 0.5, dtype=np.float32),
        ),
        label_switches=np.zeros(1, dtype=np.int64),
    )


def test_kappa_of_two_known_annotators_by_hand():
    # Both right or both wrong: 1/4 (.8 .6 + .2 .4) + 3/4 (.9 .7 + .1 .3) = .140 + .495 = .635.
    # Chance from the prevalence 1/16 + 9/16 = .625: (.635 - .625) / .375 = .02666...
    # Rates of label 1: .25 .8 + .75 .1 = .275 and .25 .6 + .75 .3 = .375; chance
    # .275 .375 + .725 .625 = .55625: (.635 - .55625) / .44375 = .07875 / .44375.
    posterior = kappa_posterior(fit_of(0.25, (0.8, 0.6), (0.9, 0.7)), "ann", "bob")
    assert posterior.agreement.shape == (1, 2)
    np.testing.assert_allclose(posterior.agreement, 0.635, rtol=1e-14)
    np.testing.assert_allclose(posterior.kappa_prevalence, 0.01 / 0.375, rtol=1e-12)
    np.testing.assert_allclose(posterior.kappa_margins, 0.07875 / 0.44375, rtol=1e-12)


def test_kappa_does_not_depend_on_the_order_of_the_annotators():
    fitted = fit_of(0.25, (0.8, 0.6), (0.9, 0.7))
    there, back = kappa_posterior(fitted, "ann", "bob"), kappa_posterior(fitted, "bob", "ann")
    np.testing.assert_allclose(there.kappa_margins, back.kappa_margins, rtol=1e-14)
    np.testing.assert_allclose(there.kappa_prevalence, back.kappa_prevalence, rtol=1e-14)


def test_infallible_annotators_have_kappa_one():
    posterior = kappa_posterior(fit_of(0.3, (1.0, 1.0), (1.0, 1.0)), "ann", "bob")
    np.testing.assert_allclose(posterior.kappa_prevalence, 1, rtol=1e-14)
    np.testing.assert_allclose(posterior.kappa_margins, 1, rtol=1e-14)


def test_guessers_have_kappa_zero_by_their_margins_only():
    # Labels that ignore the category (specificity = 1 - sensitivity): agreement .8 .6 + .2 .4 = .56
    # is the chance agreement of their margins; the prevalence alone gives .58.
    posterior = kappa_posterior(fit_of(0.3, (0.8, 0.6), (0.2, 0.4)), "ann", "bob")
    np.testing.assert_allclose(posterior.kappa_margins, 0, atol=1e-14)
    np.testing.assert_allclose(posterior.kappa_prevalence, (0.56 - 0.58) / 0.42, rtol=1e-12)


def test_margins_give_cohens_kappa_of_the_expected_table():
    # Prevalence 1/2, sensitivities 1 and 1/2, specificities 1 and 1: of 8 items, 2 (1, 1), 2 (1, 0)
    # and 4 (0, 0).
    posterior = kappa_posterior(fit_of(0.5, (1.0, 0.5), (1.0, 1.0)), "ann", "bob")
    expected = cohen_kappa(Annotations.from_contingency([[4, 0], [2, 2]])).estimate
    np.testing.assert_allclose(posterior.kappa_margins, expected, rtol=1e-14)


def test_annotators_who_always_give_one_label_have_no_kappa_by_their_margins():
    with pytest.warns(DegenerateWarning, match="2 of 2 draws .* margins"):
        posterior = kappa_posterior(fit_of(0.3, (1.0, 1.0), (0.0, 0.0)), "ann", "bob")
    assert np.isnan(posterior.kappa_margins).all()
    # Agreement 1, chance .58 from the prevalence
    np.testing.assert_allclose(posterior.kappa_prevalence, 1, rtol=1e-14)


def test_a_certain_category_leaves_no_kappa_by_the_prevalence():
    with pytest.warns(DegenerateWarning, match="2 of 2 draws .* prevalence"):
        posterior = kappa_posterior(fit_of(1.0, (0.8, 0.6), (0.9, 0.7)), "ann", "bob")
    assert np.isnan(posterior.kappa_prevalence).all()
    assert np.isfinite(posterior.kappa_margins).all()


def test_names_that_make_no_pair_are_refused():
    fitted = fit_of(0.3, (0.8, 0.6), (0.9, 0.7))
    with pytest.raises(AnnotationError, match="annotator 'eve' is not in the fit"):
        kappa_posterior(fitted, "ann", "eve")
    with pytest.raises(AnnotationError, match="'ann' is given twice"):
        kappa_posterior(fitted, "ann", "ann")
