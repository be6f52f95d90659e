"""What every annotation model promises, checked on each model that discovery finds."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench import models
from annobench.core.errors import AnnotationError, ConvergenceWarning
from annobench.labels.annotations import SCALES, Annotations
from annobench.models.base import CHANGES, OF_ANNOTATORS, ConfusionFit, Fit, SampledFit

MODELS = models.discover()

#: Functions of a module beside `fit`.
OFFERS = ("bootstrap", "fit_partitions", "refit", "restarts", "unseen")

#: Chance of a false alarm of one comparison of two random fits.
LEVEL = 1e-3


@functools.cache
def panel(
    n_categories: int = 2, *, n_items: int = 30, n_annotators: int = 6, seed: int = 1948
) -> Annotations:
    """Return a panel with missing labels whose annotators are right three times in four."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_categories, size=n_items)
    guess = rng.integers(n_categories, size=(n_items, n_annotators))
    labels = np.where(rng.random((n_items, n_annotators)) < 0.75, truth[:, None], guess)
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) < 0.7)
    return named(item, annotator, labels[item, annotator], n_items, n_annotators, n_categories)


def named(item, annotator, label, n_items, n_annotators, n_categories=2) -> Annotations:
    return Annotations.from_arrays(
        [f"i{i}" for i in item],
        [f"a{j}" for j in annotator],
        [f"c{k}" for k in label],
        items=[f"i{i}" for i in range(n_items)],
        annotators=[f"a{j}" for j in range(n_annotators)],
        categories=[f"c{k}" for k in range(n_categories)],
    )


def crowd_on_one_item(n_labels: int = 1_000) -> Annotations:
    """Return two items: one labelled "c1" by everybody, and one labelled "c0" by everybody."""
    each = np.arange(n_labels)
    item, annotator = np.repeat([0, 1], n_labels), np.concatenate([each, each])
    return named(item, annotator, np.repeat([1, 0], n_labels), 2, n_labels)


def crowd_in_disagreement(n_annotators: int = 20) -> Annotations:
    """Return an item a category; of its labels 600 are right and 200 for each other category."""
    item, each = np.repeat([0, 1, 2], 1_000), np.tile(np.arange(1_000), 3)
    shift = np.repeat([0, 1, 2], [600, 200, 200])[each]
    annotator = (each + 7 * item) % n_annotators
    return named(item, annotator, (item + shift) % 3, 3, n_annotators, 3)


def one_label_an_item() -> Annotations:
    each = np.arange(40)
    return named(each, each % 4, (each % 7 < 3).astype(int), 40, 4)


def unequal_numbers() -> Annotations:
    """Return items of 1, 2, ..., 12 labels, whose annotators gave 12, 11, ..., 1."""
    item, annotator = np.nonzero(np.tri(12, dtype=bool))
    label = (item + (annotator % 4 == 0)) % 2
    return named(item, annotator, label, 12, 12)


def with_idle_category() -> Annotations:
    a = panel()
    return named(a.item, a.annotator, 2 * a.label, 30, 6, 3)


#: Unusual data that a model must take, if it takes the number of categories.
CASES: dict[str, Callable[[], Annotations]] = {
    "missing labels": panel,
    "three categories": lambda: panel(3),
    "one annotator": lambda: panel(n_annotators=1),
    "one item": lambda: panel(n_items=1),
    "one category present": lambda: named([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1], 2, 2),
    "one category known": lambda: named([0, 0, 1], [0, 1, 0], [0, 0, 0], 2, 2, 1),
    "an item without labels": lambda: named([0, 0, 2], [0, 1, 0], [0, 1, 1], 3, 2),
    "an annotator without labels": lambda: named([0, 0, 1], [0, 2, 0], [0, 1, 1], 2, 3),
    "one label an item": one_label_an_item,
    "unequal numbers of labels": unequal_numbers,
    "a category nobody uses": with_idle_category,
    "repeated labels": lambda: named([0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0], 2, 2),
    "contradictory repeated labels": lambda: named([0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], 2, 2),
    "one annotator's labels repeated": lambda: named([0, 0, 1, 1], [0] * 4, [1, 1, 0, 1], 2, 1),
    "one label": lambda: named([0], [0], [1], 1, 1),
    "a thousand labels on one item": crowd_on_one_item,
    "a thousand labels that cancel": lambda: named(
        [0] * 1_000, [n % 10 for n in range(1_000)], [0, 1] * 500, 1, 10
    ),
    "three thousand labels on three items": crowd_in_disagreement,
    "a thousand labels of one annotator on one item": lambda: named(
        [0] * 1_000 + [0, 1], [0] * 1_000 + [1, 1], [1] * 1_001 + [0], 2, 2
    ),
}


def takes(model: ModuleType, annotations: Annotations) -> bool:
    """Say whether a model's record allows the data's number of categories, and their design.

    A model that takes two categories at most needs both to be known. One that compares
    annotators needs an item with labels of two.
    """
    limit = model.METHOD.max_categories
    countable = limit is None or 1 < annotations.n_categories <= limit
    return countable and (not model.METHOD.compares or has_overlap(annotations))


def largest_panel(model: ModuleType) -> Annotations:
    """Return a panel of three categories, or of two for a model that takes no more."""
    return panel(3) if takes(model, panel(3)) else panel()


def has_overlap(annotations: Annotations) -> bool:
    """Say whether some item has labels of two annotators, the slow way."""
    who = {}
    for i, j in zip(annotations.item, annotations.annotator, strict=True):
        who.setdefault(i, set()).add(j)
    return any(len(annotators) > 1 for annotators in who.values())


@functools.cache
def run_case(name: str, case: str) -> Any:
    return run(MODELS[name], CASES[case]())


def run(model: ModuleType, annotations: Annotations, seed: int = 7, **options: Any) -> Any:
    if model.METHOD.deterministic:
        return model.fit(annotations, **options)
    return model.fit(annotations, rng=np.random.default_rng(seed), **options)


def fit_of_panel(model: ModuleType, n_categories: int = 2) -> Any:
    """Return the fit to `panel(n_categories)`, which tests that only read it share."""
    return run_case(model.METHOD.name, {2: "missing labels", 3: "three categories"}[n_categories])


def few_draws(model: ModuleType) -> dict[str, int]:
    """Return the options of a quick fit, where its estimates do not matter."""
    return {"draws": 20, "warmup": 20} if is_sampled(model) else {}


CASES = {case: functools.cache(make) for case, make in CASES.items()}
#: Every model with every case that it takes.
TAKEN = [
    (name, case) for name in MODELS for case, make in CASES.items() if takes(MODELS[name], make())
]


@pytest.fixture(params=MODELS)
def model(request) -> ModuleType:
    return MODELS[request.param]


def contents(value: Any) -> Any:
    """Flatten a fit into bytes that are equal if and only if the fits are."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, pd.DataFrame):
        return list(value.index), list(value.columns), value.to_numpy(dtype=float).tobytes()
    if isinstance(value, tuple):
        return [contents(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {f.name: contents(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def allowance(fitted: Any, parameter: str, names: tuple[str, ...], level: float) -> np.ndarray:
    """Return how far a random fit's posterior means may be from the exact ones.

    A normal bound with the Monte Carlo error, and the mass of a region of the posterior that so
    many effective draws miss with the chance `level`: a mean of probabilities that are nearly all
    next to 0 does not show in its own spread what it has missed.
    """
    table = fitted.diagnostics.loc[parameter].loc[list(names)].fillna({"mcse_mean": 0.0})
    unseen = -np.log(level) / table["ess_bulk"].fillna(fitted.diagnostics["ess_bulk"].min())
    return (scipy.stats.norm.isf(level) * table["mcse_mean"] + unseen).to_numpy()


def disagreement(model: ModuleType, first: Any, second: Any, *, items, annotators, categories):
    """Return the largest difference of two fits as a share of what is allowed.

    `items`, `annotators` and `categories` are the indices of the second fit's that correspond to
    0, 1, ... of the first. If the fits agree, the share is at most 1.
    """
    if is_sampled(model):
        return sampled_disagreement(model, first, second, items, annotators, categories)
    allowed = 1e-9  # only the order of summation differs
    if not model.METHOD.deterministic:
        allowed += predicted_by_seed(model.METHOD.name, len(first.categories))
    return largest_difference(first, second, items, annotators, categories) / allowed


def is_sampled(model: ModuleType) -> bool:
    """Say whether a model gives draws; one without, if random, searches from random starts."""
    return "draws" in model.METHOD.returns


@functools.cache
def predicted_by_seed(name: str, n_categories: int) -> float:
    """Return how far another seed may take a model that searches from random starts.

    The bound of a new difference, normal with the spread of those that have been seen.
    """
    fits = [run(MODELS[name], panel(n_categories), seed) for seed in (11, 12, 13, 14, 15)]
    places = np.arange(30), np.arange(6), np.arange(n_categories)
    seen = np.array([largest_difference(fits[0], other, *places) for other in fits[1:]])
    return float(scipy.stats.t.isf(LEVEL / 2, df=seen.size) * np.sqrt(np.mean(seen**2)))


def largest_difference(first: Any, second: Any, items, annotators, categories) -> float:
    """Compare all that two fits have in common shapes, once their order is the same."""
    places = {
        "posterior": (items, categories),
        "prevalence": (categories,),
        "accuracy": (annotators,),
        "confusion": (annotators, categories, categories),
    }
    return max(
        np.abs(getattr(first, name) - getattr(second, name)[np.ix_(*place)]).max()
        for name, place in places.items()
        if hasattr(first, name)
    )


def sampled_disagreement(model: ModuleType, first: Any, second: Any, items, annotators, categories):
    """Compare posterior means with their Monte Carlo errors."""
    pairs = [
        (first.posterior, second.posterior[np.ix_(items, categories)], "item_probability", "items")
    ]
    rates = ["specificity", "sensitivity"]
    if set(rates) <= model.METHOD.returns:
        ours = np.stack([getattr(first, name) for name in rates], axis=1)
        theirs = np.stack([getattr(second, name) for name in rates], axis=1)
        for k, name in enumerate(rates):
            other = theirs[np.ix_(annotators, categories)][:, [k]]
            pairs.append((ours[:, [k]], other, name, "annotators"))
    shares = []
    for ours, theirs, parameter, kind in pairs:
        order = {"items": items, "annotators": annotators}[kind]
        names = getattr(second, kind)
        swap = {"sensitivity": "specificity", "specificity": "sensitivity"}
        other = swap.get(parameter, parameter) if list(categories) == [1, 0] else parameter
        level = LEVEL / 2 / (len(first.items) + 2 * len(first.annotators))
        allowed = np.hypot(
            allowance(first, parameter, getattr(first, kind), level),
            allowance(second, other, tuple(names[i] for i in order), level),
        )
        shares.append(np.abs(ours - theirs).max(axis=1) / allowed)
    return max(share.max() for share in shares)


def test_discovery_finds_models():
    assert MODELS


def test_no_model_is_skipped_by_every_case(model):
    assert model.METHOD.name in {name for name, _ in TAKEN}


# The record.


def test_the_record_is_complete_and_frozen(model):
    record = model.METHOD
    assert MODELS[record.name] is model
    assert record.name.isidentifier()
    assert record.reference.strip()
    assert record.accepts
    assert record.accepts <= set(SCALES)
    assert record.returns
    assert record.unchanged_by <= set(CHANGES)
    assert "repeated labels" in record.unchanged_by or not record.merges_repeats
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"


def test_the_record_says_every_convention(model):
    for name, phrase in dataclasses.asdict(model.METHOD.conventions).items():
        assert phrase.strip() == phrase, name
        assert len(phrase) > 3, name


def test_a_model_that_merges_repeats_is_unchanged_by_them(model):
    record = model.METHOD
    assert not record.merges_repeats or "repeated labels" in record.unchanged_by


def test_names_are_unique():
    assert len({m.METHOD.name for m in MODELS.values()}) == len(MODELS)
    assert len({m.__name__ for m in MODELS.values()}) == len(MODELS)


def parameters_of(model: ModuleType) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(model.fit).parameters)


def test_a_fit_takes_labels_and_options_by_name(model):
    first, *others = parameters_of(model).values()
    assert first.name == "annotations"
    assert all(p.kind is p.KEYWORD_ONLY for p in others)
    assert all(p.default is not inspect.Parameter.empty for p in others)


def test_only_random_models_take_a_source_of_randomness(model):
    parameters = parameters_of(model)
    assert ("rng" in parameters) == (not model.METHOD.deterministic)
    if "rng" in parameters:
        assert parameters["rng"].default is None
        short = few_draws(model)
        seed = model.fit(panel(), rng=7, **short)
        generator = model.fit(panel(), rng=np.random.default_rng(7), **short)
        assert seed.posterior.tobytes() == generator.posterior.tobytes()
        assert model.fit(panel(), **short).posterior.shape == seed.posterior.shape


#: The defaults that models share.
SHARED = {"tolerance": 1e-6, "max_iterations": 1_000}


def test_options_have_one_name_and_one_default_or_a_reason(model):
    parameters = parameters_of(model)
    if is_sampled(model):
        assert {"chains", "warmup", "draws", "thin"} <= set(parameters)
    described = dict(re.findall(r"^(\w+) : .*\n((?:    .*\n)+)", inspect.getdoc(model.fit), re.M))
    for name in SHARED.keys() & parameters.keys():
        if parameters[name].default != SHARED[name]:
            assert "than in other models" in described[name], name
    assert not {"n_draws", "n_samples", "n_warmup", "seed", "random_state"} & set(parameters)


def attributes(fitted: Any) -> set[str]:
    """Return the public attributes of a fit that are not methods."""
    return {
        name
        for name in dir(fitted)
        if not name.startswith("_")
        and not callable(inspect.getattr_static(type(fitted), name, None))
    }


def value_of(fitted: Any, name: str) -> Any:
    """Return an attribute; None for a criterion of maximum likelihood of a smoothed fit."""
    try:
        return getattr(fitted, name)
    except ValueError:
        return None


def test_a_fit_has_what_the_record_says_and_nothing_else(model):
    annotations = panel()
    fitted = fit_of_panel(model)
    assert fitted.items == annotations.items
    assert fitted.annotators == annotations.annotators
    assert fitted.categories == annotations.categories
    always = {"items", "annotators", "categories", "posterior", "parameter_draws"}
    assert attributes(fitted) - always == model.METHOD.returns
    assert isinstance(fitted, Fit)
    assert isinstance(fitted, ConfusionFit) == ("confusion" in model.METHOD.returns)
    assert isinstance(fitted, SampledFit) == is_sampled(model)
    if is_sampled(model):
        assert "diagnostics" in model.METHOD.returns
        assert not model.METHOD.deterministic
    shapes = {
        "prevalence": (2,),
        "accuracy": (6,),
        "sensitivity": (6,),
        "specificity": (6,),
        "confusion": (6, 2, 2),
    }
    for name in shapes.keys() & model.METHOD.returns:
        values = getattr(fitted, name)
        assert values.shape == shapes[name], name
        assert ((values >= 0) & (values <= 1)).all(), name


def test_a_module_has_the_functions_that_its_record_offers_and_no_others(model):
    offered = {name for name in OFFERS if hasattr(model, name)}
    assert offered == model.METHOD.offers


# The face.


def test_a_model_is_found_by_its_name(model):
    name = model.METHOD.name
    assert getattr(models, name) is model
    assert models.get(name) is model
    assert name in dir(models)
    assert name in models.__all__
    by_name = models.fit(panel(), name, rng=7)
    assert by_name.posterior.tobytes() == fit_of_panel(model).posterior.tobytes()


def test_a_model_is_imported_by_the_name_of_its_module():
    assert {name: each.__name__ for name, each in MODELS.items()} == {
        name: f"annobench.models.{name}" for name in models._MODELS
    }


def test_unknown_names_are_errors_with_the_closest():
    with pytest.raises(AttributeError, match="Did you mean 'dawid_skene'"):
        models.dawid_skeen  # noqa: B018
    with pytest.raises(AnnotationError, match=r"Did you mean 'dawid_skene'.*Name one of .*dawid"):
        models.fit(panel(), "dawid_skeen")
    with pytest.raises(AnnotationError, match=r"no option 'smothing'\. Did you mean 'smoothing'"):
        models.fit(panel(), "dawid_skene", smothing=1)


@pytest.mark.parametrize(("name", "case"), TAKEN)
def test_frames_hold_the_estimates_of_the_fit(name, case):
    fitted = run_case(name, case)
    items = fitted.items_frame()
    assert tuple(items["item"]) == fitted.items
    columns = [f"probability_{category}" for category in fitted.categories]
    np.testing.assert_array_equal(items[columns], fitted.posterior)
    np.testing.assert_array_equal(items["probability"], fitted.posterior.max(axis=1))
    annotators = fitted.annotators_frame()
    assert tuple(annotators["annotator"]) == fitted.annotators
    assert {*OF_ANNOTATORS} & MODELS[name].METHOD.returns <= set(annotators)
    for column in {*OF_ANNOTATORS} & set(annotators):
        np.testing.assert_array_equal(annotators[column], getattr(fitted, column))
    summary = fitted.summary()
    assert tuple(summary.index) == fitted.categories
    assert summary["n_items"].sum() == pytest.approx(len(fitted.items))
    assert hasattr(fitted, "confusion_frame") == ("confusion" in MODELS[name].METHOD.returns)
    if hasattr(fitted, "confusion_frame"):
        table = fitted.confusion_frame().set_index(["annotator", "category", "label"])
        np.testing.assert_array_equal(table["probability"], fitted.confusion.ravel())


def test_a_fit_shows_as_one_line_and_as_a_table(model):
    fitted = fit_of_panel(model)
    assert repr(fitted).startswith(f"{type(fitted).__name__}: 30 items, 6 annotators, 2 categories")
    assert "\n" not in repr(fitted)
    assert ("converged after" in repr(fitted)) == ("n_iterations" in model.METHOD.returns)
    shown = fitted._repr_html_()
    assert "<table" in shown
    assert "c1" in shown


def test_names_are_escaped_in_the_table(model):
    strange = dataclasses.replace(panel(), categories=("<b>no</b>", "yes & no"))
    shown = run(model, strange, **few_draws(model))._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;no" in shown


def test_a_fit_draws_itself_on_axes_that_are_given(model):
    figure, axes = plt.subplots()
    assert fit_of_panel(model).plot(axes) is axes
    assert axes.has_data()
    plt.close(figure)


def test_draws_give_intervals_that_hold_the_estimates(model):
    fitted = fit_of_panel(model)
    draws = None
    if "bootstrap" in model.METHOD.offers:
        draws = model.bootstrap(panel(), fitted, rng=1, replicates=50)
    elif not is_sampled(model):
        assert not any("lower" in name for name in fitted.annotators_frame())
        return
    for table, name in (
        (fitted.annotators_frame(draws, level=0.9), "accuracy_"),
        (fitted.confusion_frame(draws, level=0.9), ""),
        (fitted.prevalence_frame(draws, level=0.9), ""),
    ):
        estimate = table[name.rstrip("_") or table.columns[-3]]
        lower, upper = table[f"{name}lower90"], table[f"{name}upper90"]
        assert ((lower <= estimate) & (estimate <= upper) | lower.isna()).all()
        assert (lower < upper).any()
    with pytest.raises(AnnotationError, match="level must be between 0 and 1, got 90"):
        fitted.prevalence_frame(draws, level=90)


def test_draws_go_to_arviz(model):
    fitted = fit_of_panel(model)
    assert hasattr(fitted, "to_inference_data") == is_sampled(model)
    if not is_sampled(model):
        return
    posterior = fitted.to_inference_data().posterior
    assert set(posterior) == set(vars(fitted.draws))
    assert tuple(posterior["item"].to_numpy()) == fitted.items
    for name, draws in vars(fitted.draws).items():
        kept = draws[:, :: fitted.thin] if draws.shape[1] > posterior.sizes["draw"] else draws
        np.testing.assert_array_equal(posterior[name], kept)
        assert not [axis for axis in posterior[name].dims if "_dim_" in axis], name


def test_what_keeps_a_fit_from_being_used_is_said(model):
    # Thirty items of four labels may all be of one category, where items may differ.
    enough = panel(n_items=100, n_annotators=10)
    fitted = run(model, enough) if model.METHOD.bounded else fit_of_panel(model)
    assert fitted.cautions() == []
    if is_sampled(model):
        message = rf"{model.METHOD.name}\.fit: The chains have not converged \(R-hat up to"
        with pytest.warns(ConvergenceWarning, match=message):
            short = model.fit(panel(), rng=1, draws=40, warmup=0)
        assert not short.converged
        assert any("have not converged (R-hat up to" in text for text in short.cautions())
    elif "converged" in model.METHOD.returns:
        short = model.fit(largest_panel(model), max_iterations=1)
        assert short.cautions() == ([] if short.converged else [short._unconverged()])


#: What the fit of an iterative model says of its search; not all have a likelihood.
SEARCH = {"n_iterations", "converged"}


def test_a_random_model_has_draws_or_says_whether_its_search_converged(model):
    if not model.METHOD.deterministic:
        assert is_sampled(model) or model.METHOD.returns >= SEARCH


@pytest.mark.parametrize(("name", "case"), TAKEN)
def test_an_iterative_model_reports_convergence(name, case):
    if "n_iterations" not in MODELS[name].METHOD.returns:
        assert not {"n_iterations", "log_likelihood"} & MODELS[name].METHOD.returns
        return
    fitted = run_case(name, case)
    assert isinstance(fitted.converged, bool)
    assert isinstance(fitted.n_iterations, int)
    assert fitted.n_iterations >= 1
    if "log_likelihood" not in MODELS[name].METHOD.returns:
        return
    assert isinstance(fitted.log_likelihood, float)
    assert -np.inf < fitted.log_likelihood <= 0


@pytest.mark.parametrize(("name", "case"), TAKEN)
def test_what_a_search_maximises_never_falls(name, case):
    fitted = run_case(name, case)
    if hasattr(fitted, "history"):
        assert fitted.history.shape == (fitted.n_iterations + 1,)
        assert np.isfinite(fitted.history).all()
        # It is a sum over labels, whose terms may cancel.
        rounding = 1e-12 * (np.abs(fitted.history).max() + CASES[case]().n_labels)
        assert np.diff(fitted.history).min(initial=0) >= -rounding


def test_a_search_that_is_cut_short_says_so(model):
    if "max_iterations" not in inspect.signature(model.fit).parameters:
        assert "n_iterations" not in model.METHOD.returns
        return
    options = {} if model.METHOD.deterministic else {"rng": np.random.default_rng(7)}
    fitted = model.fit(largest_panel(model), max_iterations=1, **options)
    whole = fit_of_panel(model, max(numbers_taken(model)))
    assert whole.converged
    assert fitted.n_iterations == 1
    assert fitted.converged == (whole.n_iterations == 1)
    with pytest.raises(ValueError, match=rf"{model.METHOD.name}.*max_iterations.* -1"):
        model.fit(largest_panel(model), max_iterations=-1, **options)


def test_a_fit_cannot_be_changed_by_assignment(model):
    fitted = fit_of_panel(model)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fitted.posterior = None


# The posterior.


@pytest.mark.parametrize(("name", "case"), TAKEN)
def test_the_posterior_is_finite_and_rows_sum_to_one(name, case):
    annotations = CASES[case]()
    posterior = run_case(name, case).posterior
    assert posterior.shape == (annotations.n_items, annotations.n_categories)
    assert np.isfinite(posterior).all()
    assert (posterior >= 0).all()
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(("name", "case"), TAKEN)
def test_prevalence_and_confusion_are_distributions(name, case):
    fitted = run_case(name, case)
    for name in ("prevalence", "confusion"):
        rows = getattr(fitted, name, np.ones(1))
        assert (rows >= 0).all()
        # Draws of confusion matrices may be kept in single precision.
        rounding = 1e-6 if hasattr(fitted, "draws") else 1e-12
        np.testing.assert_allclose(rows.sum(axis=-1), 1, rtol=rounding)


def test_a_thousand_equal_labels_do_not_underflow(model):
    fitted = run_case(model.METHOD.name, "a thousand labels on one item")
    if model.METHOD.bounded:
        # Two items may differ though they are of one category; of which one, is even odds.
        right = fitted.posterior[[0, 1], [1, 0]]
        if is_sampled(model):
            right = right + allowance(fitted, "item_probability", fitted.items, LEVEL)
        assert (right > 0.5).all()
        return
    assert fitted.posterior.argmax(axis=1).tolist() == [1, 0]
    assert fitted.posterior.max(axis=1).min() > 0.99


def test_three_thousand_labels_of_which_most_are_right_do_not_underflow(model):
    if takes(model, panel(3)):
        posterior = run_case(model.METHOD.name, "three thousand labels on three items").posterior
        if model.METHOD.merges_repeats:  # every annotator named every category of every item
            np.testing.assert_allclose(posterior, 1 / 3)
        else:
            assert posterior.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_category_nobody_uses_is_the_least_probable(model):
    if takes(model, panel(3)):
        posterior = run_case(model.METHOD.name, "a category nobody uses").posterior
        assert posterior[:, 1].sum() < posterior[:, [0, 2]].sum(axis=0).min()


def test_an_item_without_labels_is_not_surer_than_the_surest_with_labels(model):
    posterior = run_case(model.METHOD.name, "an item without labels").posterior
    assert 0 < posterior[1, 1] < 1
    certainty = np.abs(posterior[:, 1] - 0.5)
    assert certainty[1] < certainty.max()


# Invariance. Every check has its negative control: the answer not permuted.


def numbers_taken(model: ModuleType) -> list[int]:
    return [n for n in (2, 3) if takes(model, panel(n))]


#: Every model with the numbers of categories on which its invariance is checked.
INVARIANCE = [(name, n) for name in MODELS for n in numbers_taken(MODELS[name])]


@pytest.mark.parametrize(("name", "n_categories"), INVARIANCE)
def test_renaming_and_reordering_items_and_annotators_permutes_the_answer(name, n_categories, rng):
    model, annotations = MODELS[name], panel(n_categories)
    items, annotators = rng.permutation(30), rng.permutation(6)
    rows = annotations.to_frame().sample(frac=1, random_state=1)
    other = Annotations.from_arrays(
        "new " + rows["item"],
        "new " + rows["annotator"],
        rows["label"],
        items=[f"new {annotations.items[i]}" for i in items],
        annotators=[f"new {annotations.annotators[j]}" for j in annotators],
        categories=annotations.categories,
    )
    first, second = fit_of_panel(model, n_categories), run(model, other, seed=8)
    places = {
        "items": np.argsort(items),
        "annotators": np.argsort(annotators),
        "categories": range(n_categories),
    }
    assert disagreement(model, first, second, **places) <= 1
    as_they_come = places | {"items": np.arange(30), "annotators": np.arange(6)}
    assert disagreement(model, first, second, **as_they_come) > 1


@pytest.mark.parametrize(("name", "n_categories"), INVARIANCE)
def test_the_order_of_the_labels_does_not_matter(name, n_categories, rng):
    model, annotations = MODELS[name], panel(n_categories)
    order = rng.permutation(annotations.n_labels)
    other = dataclasses.replace(
        annotations,
        **{part: getattr(annotations, part)[order] for part in ("item", "annotator", "label")},
    )
    first, second = fit_of_panel(model, n_categories), run(model, other)
    places = {"items": range(30), "annotators": range(6), "categories": range(n_categories)}
    assert disagreement(model, first, second, **places) <= 1


@pytest.mark.parametrize(("name", "n_categories"), INVARIANCE)
def test_permuting_the_categories_permutes_the_answer(name, n_categories):
    model, annotations = MODELS[name], panel(n_categories)
    # Category k of the first becomes category k + 1 of the second, the last one 0.
    new = np.roll(np.arange(n_categories), -1)
    other = named(
        annotations.item, annotations.annotator, new[annotations.label], 30, 6, n_categories
    )
    first, second = fit_of_panel(model, n_categories), run(model, other, seed=8)
    places = {"items": np.arange(30), "annotators": np.arange(6)}
    assert disagreement(model, first, second, **places, categories=new) <= 1
    assert disagreement(model, first, second, **places, categories=np.arange(n_categories)) > 1


def test_renaming_the_categories_changes_no_byte_of_the_posterior(model):
    annotations = panel()
    renamed = dataclasses.replace(annotations, categories=("no", "yes"))
    first, second = fit_of_panel(model), run(model, renamed)
    assert second.categories == ("no", "yes")
    assert first.posterior.tobytes() == second.posterior.tobytes()


# Changes of the labels. Each check has toy models on which it fails.


def altered(change: str, a: Annotations) -> Annotations:
    """Make the labels after a change; items, annotators and categories from before come first."""
    sizes = np.array([a.n_items, a.n_annotators, a.n_categories])
    if change.startswith("idle"):
        sizes += np.array(["item", "annotator", "category"]) == change.removeprefix("idle ")
        return named(a.item, a.annotator, a.label, *sizes)
    new = np.array([change != "repeated labels", change == "separate blocks"], dtype=int)
    other = panel(a.n_categories, n_items=20, n_annotators=8, seed=6) if new.all() else a
    item = np.r_[a.item, other.item + a.n_items * new[0]]
    annotator = np.r_[a.annotator, other.annotator + a.n_annotators * new[1]]
    sizes += np.r_[new, 0] * [other.n_items, other.n_annotators, 0]
    return named(item, annotator, np.r_[a.label, other.label], *sizes)


@functools.cache
def fit_after(model: ModuleType, change: str | None) -> Any:
    """Fit a panel of the most categories taken, without a tolerance that may stop too early."""
    options: dict[str, Any] = {}
    if "tolerance" in parameters_of(model):
        options |= {"tolerance": 0, "max_iterations": 300}
    if not model.METHOD.deterministic:
        options["rng"] = np.random.default_rng(7)
    annotations = panel(max(numbers_taken(model)))
    return model.fit(altered(change, annotations) if change else annotations, **options)


def is_unchanged(model: ModuleType, change: str) -> bool:
    """Say whether a change leaves what a model says of the items and annotators as it was."""
    first, second = fit_after(model, None), fit_after(model, change)
    k = len(first.categories)
    if is_sampled(model):
        places = [np.arange(n) for n in (30, 6, k)]
        return bool(sampled_disagreement(model, first, second, *places) <= 1)
    allowed = 1e-9
    if not model.METHOD.deterministic:
        allowed += predicted_by_seed(model.METHOD.name, k)
    for name in {"posterior"} | JUDGEMENTS & model.METHOD.returns:
        old, new = getattr(first, name), getattr(second, name)
        if np.abs(new[tuple(slice(n) for n in old.shape)] - old).max() > allowed:
            return False
    return True


#: Every model with every change of labels that it takes.
CHANGED = [
    (name, change)
    for name, model in MODELS.items()
    for change in (*CHANGES, "idle annotator", "idle item")
    if takes(model, altered(change, panel(max(numbers_taken(model)))))
]


@pytest.mark.parametrize(("name", "change"), CHANGED)
def test_a_change_of_the_labels_changes_the_answer_as_theory_says(name, change):
    model = MODELS[name]
    if change not in CHANGES or change in model.METHOD.unchanged_by:
        assert is_unchanged(model, change), f"mend {name}, or what its record has in unchanged_by"
    elif not is_sampled(model) and seed_matters_little(model):
        # Elsewhere a small difference is lost in the error of the draws.
        assert not is_unchanged(model, change), f"put {change!r} into the record of {name}"


def seed_matters_little(model: ModuleType) -> bool:
    """Say whether a difference that a change makes is not hidden by that of another seed."""
    k = max(numbers_taken(model))
    return model.METHOD.deterministic or predicted_by_seed(model.METHOD.name, k) < 1e-3


def toy(posterior: Callable[[Annotations], np.ndarray]) -> ModuleType:
    """Make a model of a function from labels to a posterior."""
    made = ModuleType("toy")
    made.METHOD = dataclasses.replace(models.voting.METHOD, returns=frozenset())
    made.fit = lambda annotations: SimpleNamespace(
        posterior=posterior(annotations), categories=annotations.categories
    )
    return made


def votes(a: Annotations) -> np.ndarray:
    return models.voting.fit(a).posterior


def smoothed_votes(a: Annotations) -> np.ndarray:
    return (a.counts + 1) / (a.counts + 1).sum(axis=1, keepdims=True)


def drawn_to_the_mean(a: Annotations) -> np.ndarray:
    """Average votes with a smoothed prevalence, in which items without labels count."""
    return (votes(a) + (votes(a).sum(axis=0) + 1) / (a.n_items + a.n_categories)) / 2


def weighed_by_the_number_of_annotators(a: Annotations) -> np.ndarray:
    return votes(a) + (1 / a.n_categories - votes(a)) / a.n_annotators


@pytest.mark.parametrize(
    ("fit", "change"),
    [
        (smoothed_votes, "repeated labels"),
        (smoothed_votes, "idle category"),
        (drawn_to_the_mean, "repeated items"),
        (drawn_to_the_mean, "separate blocks"),
        (drawn_to_the_mean, "idle item"),
        (weighed_by_the_number_of_annotators, "idle annotator"),
    ],
)
def test_a_model_that_a_change_should_not_change_is_found_out(fit, change):
    assert not is_unchanged(toy(fit), change)
    assert is_unchanged(toy(votes), change)


def test_a_model_that_drops_repeats_in_silence_is_found_out():
    # Smoothed votes are sharper when every label is there twice; without repeats they are not.
    assert is_unchanged(toy(lambda a: smoothed_votes(a.first_labels())), "repeated labels")


#: Models that add a number to all counts, and what they then maximise.
SMOOTHED = [
    name
    for name, module in MODELS.items()
    if "smoothing" in parameters_of(module) and "log_posterior" in module.METHOD.returns
]


@pytest.mark.parametrize("smoothing", [0, 0.25])
@pytest.mark.parametrize("name", SMOOTHED)
def test_items_twice_and_twice_the_smoothing_double_the_log_posterior(name, smoothing):
    # Both are sums over items and counts: the same parameters maximise either.
    model, a = MODELS[name], panel(3)
    options = {"tolerance": 0, "max_iterations": 50}
    first = model.fit(a, smoothing=smoothing, **options)
    second = model.fit(altered("repeated items", a), smoothing=2 * smoothing, **options)
    assert second.log_posterior == pytest.approx(2 * first.log_posterior, rel=1e-12)
    assert second.log_likelihood == pytest.approx(2 * first.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(second.confusion, first.confusion, atol=1e-10)
    np.testing.assert_allclose(second.posterior, np.tile(first.posterior, (2, 1)), atol=1e-10)
    # Negative control
    other = model.fit(altered("repeated items", a), smoothing=2 * smoothing + 0.1, **options)
    assert abs(other.log_posterior - 2 * first.log_posterior) > 1e-3


# Purity.


def test_the_same_seed_gives_the_same_bytes(model):
    def everything(fitted):
        return {name: contents(value_of(fitted, name)) for name in model.METHOD.returns} | {
            "fit": contents(fitted)
        }

    first = everything(fit_of_panel(model))
    assert everything(run(model, panel())) == first
    if is_sampled(model):
        assert everything(run(model, panel(), seed=8)) != first


def test_the_input_is_left_as_it_was(model):
    annotations = panel()
    before = contents(annotations)
    first = run(model, annotations)
    assert contents(annotations) == before
    assert run(model, annotations).posterior.tobytes() == first.posterior.tobytes()


def test_a_fit_prints_nothing(model, capfd):
    run(model, panel(), **few_draws(model))
    assert capfd.readouterr() == ("", "")


# What a model can't take.


def test_no_labels_are_refused(model):
    with pytest.raises(AnnotationError, match="no labels"):
        run(model, named([], [], [], 1, 1))


#: What a fit says of annotators, by one number or more.
JUDGEMENTS = {*OF_ANNOTATORS, "confusion", "strategy"}


@pytest.mark.parametrize(
    "case",
    [
        "one annotator",
        "one label",
        "one label an item",
        "one annotator's labels repeated",
    ],
)
def test_labels_without_two_annotators_on_an_item_tell_nothing_of_annotators(model, case):
    # The likelihood is the same for an annotator who is always right and for one who guesses.
    annotations = CASES[case]()
    if model.METHOD.compares:
        what = "no item has labels of two of the 4 annotators"
        if annotations.n_annotators == 1:
            what = "all labels are of one annotator, 'a0'"
        with pytest.raises(AnnotationError, match=f"{model.METHOD.name}: {what}.*by a second"):
            run(model, annotations)
    else:
        fitted = run(model, annotations)
        assert not JUDGEMENTS & (set(dir(fitted)) | model.METHOD.returns)


@pytest.mark.parametrize("n_categories", [1, 3, 4])
def test_a_number_of_categories_that_a_model_does_not_take_is_refused(model, n_categories):
    annotations = panel(n_categories)
    if takes(model, annotations):
        assert run(model, annotations).posterior.shape == (30, n_categories)
    else:
        message = rf"{model.METHOD.name}: needs .* categories, got {n_categories} \('c0'"
        with pytest.raises(AnnotationError, match=message):
            run(model, annotations)


def test_a_scale_that_a_model_does_not_accept_is_refused(model):
    annotations = Annotations.from_arrays(
        ["x", "x", "y"], ["a", "b", "a"], [0.5, 1.0, 0.5], scale="interval"
    )
    if "interval" in model.METHOD.accepts:
        assert run(model, annotations).posterior.shape[0] == 2
    else:
        with pytest.raises(AnnotationError, match=f"{model.METHOD.name}: takes .* interval scale"):
            run(model, annotations)
