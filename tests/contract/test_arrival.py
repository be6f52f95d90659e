"""Every search ends where its posterior has settled, or says that it has not."""

import inspect

import numpy as np
import pytest

from annobench import models
from annobench.core.errors import ConvergenceWarning
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene

MODELS = models.discover()
#: Models whose search has a tolerance.
SEARCHES = [
    name for name, model in MODELS.items() if "tolerance" in inspect.signature(model.fit).parameters
]
#: Of the default, how far a posterior may be from that of the tightest tolerance.
FAR = 1e-5


def crowd(seed, *, n_constant=3, k=2, n_items=638):
    """Simulate four labels of each item by five annotators, of whom some give one label alone.

    Two annotators that differ are hardly identified, and EM advances by a ten-thousandth of the
    distance at a time.
    """
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n_items, p=rng.dirichlet(np.full(k, 5.0)))
    item, annotator = np.divmod(np.arange(4 * n_items), 4)
    annotator = rng.permuted(np.tile(np.arange(5), (n_items, 1)), axis=1)[:, :4].ravel()
    wrong = (truth[item] + rng.integers(1, k, size=item.size)) % k
    label = np.where(rng.random(item.size) < 0.8, truth[item], wrong)
    favourite = rng.integers(k, size=5)
    label = np.where(annotator < n_constant, favourite[annotator], label)
    return Annotations.from_arrays(item, annotator, label, categories=range(k))


HARD = {
    **{f"two categories, seed {seed}": {"seed": seed} for seed in range(4)},
    "three categories": {"seed": 4, "k": 3},
    "ordinary": {"seed": 5, "n_constant": 0},
}


def fitted(model, annotations, **options):
    if not model.METHOD.deterministic:
        options["rng"] = 1
    return model.fit(annotations, **options)


def test_all_searches_with_a_tolerance_are_there():
    assert {"dawid_skene", "glad", "ebcc", "kos", "random_clumped"} <= set(SEARCHES)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("case", HARD)
def test_the_default_arrives(name, case):
    model, annotations = MODELS[name], crowd(**HARD[case])
    most = model.METHOD.max_categories
    if most is not None and annotations.n_categories > most:
        return
    default = fitted(model, annotations)
    exact = fitted(model, annotations, tolerance=1e-14, max_iterations=5_000)
    assert default.converged
    assert np.abs(default.posterior - exact.posterior).max() <= FAR


@pytest.mark.parametrize("case", HARD)
def test_plain_em_stays_where_the_default_has_arrived(case):
    annotations = crowd(**HARD[case])
    default = dawid_skene.fit(annotations)
    plain = {"tolerance": 0, "max_iterations": 3_000}
    further = dawid_skene.fit(annotations, start=default.parameters, **plain)
    assert np.abs(default.posterior - further.posterior).max() <= FAR
    # Negative control: from the votes as many plain updates do not arrive.
    if case != "ordinary":
        alone = dawid_skene.fit(annotations, **plain)
        assert np.abs(default.posterior - alone.posterior).max() > 100 * FAR


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_is_cut_short_warns_unless_all_updates_were_asked_for(name, recwarn):
    model, annotations = MODELS[name], crowd(5, n_constant=0)
    assert fitted(model, annotations, tolerance=0, max_iterations=2).converged is False
    assert not recwarn.list
    with pytest.warns(ConvergenceWarning, match=rf"{name}\.fit: The search stopped before the"):
        fitted(model, annotations, max_iterations=2)
