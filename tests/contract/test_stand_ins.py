"""Stand-ins are as hard as the real labels, within distances that stand here and nowhere else."""

import zlib

import numpy as np
import pytest

from annobench import datasets
from annobench.agreement import krippendorff_alpha
from annobench.datasets.base import LoadedData
from annobench.models import dawid_skene

#: Krippendorff's alpha, and the share of unanimous items among those of two labels or more: half
#: of a band of the scales on which such values are read ("moderate", "substantial"), which are
#: 0.2 wide (Landis and Koch 1977). A stand-in would be described in the same words, or the next.
SHARE = 0.1
#: Errors of the majority vote and of Dawid and Skene's model against the gold standard, E of the
#: real labels: two standard errors of a count of E, since another sample of items would give
#: another E, and a fifth of E, by which the simulators may be wrong, as methods that are compared
#: on benchmarks differ by as much.
ERRORS_SE, ERRORS_SHARE = 2.0, 0.2
#: Simulations whose mean is compared. What few annotators do who gave most labels does not
#: average out in one.
DRAWS = 5
#: Their real labels are in no mirror.
_NOT_MIRRORED = {"muc6_person", "masc_crowd_text", "masc_trained_rest"}
#: The marks of drawings, which nobody gave to items.
_NO_LABELS = {"carpenter_figures"}
#: What judges and classifiers said is not imitated: their simulated labels are noise, so that
#: nothing computed from them could be taken for a result. People are there as an average or gold.
_OF_JUDGES = {
    *(id for id in datasets.names() if id.startswith(("chiang2023_", "llm_eval_"))),
    *("varierr_scores", "chaosnli_predictions"),
}
#: Draws of these take seconds, and vary little.
_LARGE = 60_000


def statistics(data):
    """Return what a stand-in is compared by; what is not defined is left out."""
    a = data.annotations.first_labels()
    per_item = np.bincount(a.item, minlength=a.n_items)
    several = per_item > 1
    if not several.any() or a.n_annotators < 2:
        return {}
    found = {"alpha": float(krippendorff_alpha(a).estimate)}
    cells = np.unique(np.stack([a.item, a.label]), axis=1)[0]
    distinct = np.bincount(cells, minlength=a.n_items)
    found["unanimous"] = float((distinct[several] == 1).mean())
    if data.meta["scale"] == "interval" or not (data.gold >= 0).any():
        return found
    scored = np.flatnonzero((data.gold >= 0) & (per_item > 0))
    gold = data.gold[scored]
    votes = np.zeros((a.n_items, a.n_categories))
    np.add.at(votes, (a.item, a.label), 1)
    top = votes == votes.max(axis=1, keepdims=True)
    # Ties count by the chance of the right one.
    found["vote_errors"] = float((1 - top[scored, gold] / top[scored].sum(axis=1)).sum())
    fitted = dawid_skene.fit(data.annotations).posterior[scored].argmax(axis=1)
    found["model_errors"] = float((fitted != gold).sum())
    return found


def stand_in(id, seed):
    dataset = datasets.get(id)
    tables = dataset.simulate(np.random.default_rng([seed, zlib.crc32(id.encode())]), {})
    meta = {"categories": dataset.categories, "scale": dataset.scale}
    return LoadedData(id, tables.labels, tables.items, meta)


def allowed(name, real):
    """Return how far the mean of stand-ins may be from the real labels."""
    if name in ("alpha", "unanimous"):
        return SHARE
    return ERRORS_SE * np.sqrt(real) + ERRORS_SHARE * real


def too_far(real, drawn):
    """Return what is too far away: the real value, the mean of the draws, and what is allowed."""
    means = {name: float(np.mean([each[name] for each in drawn])) for name in real}
    return {
        name: (value, means[name], allowed(name, value))
        for name, value in real.items()
        if not abs(means[name] - value) <= allowed(name, value)
    }


@pytest.mark.parametrize(
    "id", [id for id in datasets.names() if id not in _NOT_MIRRORED | _NO_LABELS | _OF_JUDGES]
)
def test_a_stand_in_is_as_hard_as_the_real_labels(id, real_folder):
    data = datasets.read(real_folder(id))
    real = statistics(data)
    if not real:
        assert data.labels.groupby("item").size().max() == 1 or data.meta["n_annotators"] == 1
        return
    draws = 1 if data.meta["n_labels"] > _LARGE else DRAWS
    assert too_far(real, [statistics(stand_in(id, seed)) for seed in range(draws)]) == {}


@pytest.mark.parametrize("id", ["snow2008_rte", "ti_sp", "ti_dog"])
def test_a_stand_in_whose_items_are_all_alike_would_be_caught(id, real_folder, monkeypatch):
    from annobench.simulation.difficulty import EVEN
    from annobench_datasets import _simulators, truth_inference

    with_difficulty = _simulators.err_together

    def alike(*arguments):
        return with_difficulty(*arguments[:-1], EVEN)

    for module in (_simulators, truth_inference):
        monkeypatch.setattr(module, "err_together", alike)
    real = statistics(datasets.read(real_folder(id)))
    assert "model_errors" in too_far(real, [statistics(stand_in(id, seed)) for seed in range(3)])


def test_a_distance_is_a_small_part_of_large_counts_and_noise_of_small_ones():
    assert allowed("model_errors", 1.0) == pytest.approx(2.2)
    assert allowed("model_errors", 58.0) == pytest.approx(2 * np.sqrt(58) + 11.6)
