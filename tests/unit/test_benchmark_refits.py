"""Fits to parts of the labels: what parts there are, and what becomes of a design."""

import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench.benchmark.refits import (
    ANNOTATORS,
    LABELS,
    RESAMPLED,
    join_refits,
    parts_of,
    refit,
    resample_annotators,
)
from annobench.benchmark.regimes import simulate
from annobench.benchmark.scores import score
from annobench.core.errors import AnnotationError
from annobench.models import voting
from annobench.models.base import Conventions, Method

SETTINGS = {
    "datasets": ["good, K = 2, 5 labels"],
    "labels_per_item": [1, 3, 9],
    "annotators": [4, 99],
    "repeats": 2,
    "resamples": 3,
}


@pytest.fixture
def case():
    return simulate("good", n_categories=2, labels_per_item=5, n_items=80, n_annotators=12, seed=1)


def model(name, fit):
    conventions = Conventions("counted", "shared", "none", "none", "none")
    record = Method(name, "made up", frozenset({"nominal"}), frozenset(), True, conventions)
    return SimpleNamespace(METHOD=record, fit=fit)


def test_parts_are_of_the_stated_sizes(case):
    found = list(parts_of(case, SETTINGS, 1))
    assert [(part.design, part.size, part.repeat) for part in found] == [
        *((LABELS, size, repeat) for size in (1, 3) for repeat in (0, 1)),
        *((ANNOTATORS, 4, repeat) for repeat in (0, 1)),
        *((RESAMPLED, 12, repeat) for repeat in (0, 1, 2)),
    ]
    for part in found:
        labels = part.annotations
        assert (labels.n_items, labels.n_categories) == (80, 2)
        if part.design == LABELS:
            assert set(np.bincount(labels.item)) == {part.size}
        else:
            assert labels.n_annotators == part.size
    first, second = (part.annotations.label for part in found[2:4])
    assert first.tolist() != second.tolist()


def test_the_same_seed_draws_the_same_parts(case):
    def drawn(seed):
        return [part.annotations.label.tolist() for part in parts_of(case, SETTINGS, seed)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_an_annotator_drawn_twice_is_two(case):
    labels = case.annotations
    found = resample_annotators(labels, np.random.default_rng(3))
    drawn = np.random.default_rng(3).integers(12, size=12)
    assert len(set(drawn)) < 12
    for new, old in enumerate(drawn):
        kept, was = found.annotator == new, labels.annotator == old
        assert found.item[kept].tolist() == labels.item[was].tolist()
        assert found.label[kept].tolist() == labels.label[was].tolist()


def test_scores_are_of_all_items(case):
    table = refit(case, voting, settings=SETTINGS, limit=60, seed=1)
    assert len(table) == 9
    assert (table["note"] == "").all()
    parts = list(parts_of(case, SETTINGS, 1))
    for row, part in zip(table.itertuples(), parts, strict=True):
        expected = score(voting.fit(part.annotations).posterior, case.gold)
        assert row.accuracy == pytest.approx(expected["accuracy"])
        assert row.log_loss == pytest.approx(expected["log_loss"])
    by_size = table[table["design"] == LABELS].groupby("size")["accuracy"].mean()
    assert by_size[1] < by_size[3]


def test_only_named_cases_have_learning_curves(case):
    found = parts_of(case, SETTINGS | {"datasets": ["another"]}, 1)
    assert {part.design for part in found} == {RESAMPLED}


def test_errors_over_items_are_of_the_mean_over_repeats(case):
    table = refit(case, voting, settings=SETTINGS, limit=60, seed=1)
    parts = [
        part for part in parts_of(case, SETTINGS, 1) if (part.design, part.size) == (LABELS, 3)
    ]
    assert len(parts) == 2
    rows = table[(table["design"] == LABELS) & (table["size"] == 3)]
    shares = [voting.fit(part.annotations).posterior[np.arange(80), case.gold] for part in parts]
    mean = np.mean(-np.log(np.maximum(shares, 1e-6)), axis=0)
    assert rows["log_loss_error"].tolist() == pytest.approx([mean.std(ddof=1) / 80**0.5] * 2)
    assert table.loc[table["design"] == RESAMPLED, "accuracy_error"].isna().all()
    assert table.loc[table["design"] != RESAMPLED, "accuracy_error"].notna().all()


def test_a_refused_part_is_noted_and_the_others_stay(case):
    def picky(labels):
        if labels.n_labels == 80:
            raise AnnotationError("picky: one label each. Give more.")
        return voting.fit(labels)

    table = refit(case, model("picky", picky), settings=SETTINGS, limit=60, seed=1)
    refused = table["note"] != ""
    assert table.loc[refused, ["design", "size"]].to_numpy().tolist() == [[LABELS, 1]] * 2
    assert table.loc[refused, "accuracy"].isna().all()
    assert table.loc[~refused, "accuracy"].notna().all()


def test_a_design_that_fails_or_takes_too_long_has_a_note_alone(case):
    def slow(labels):
        if labels.n_annotators == 4:
            start = time.process_time()
            while time.process_time() < start + 0.4:
                sum(range(1000))
        if labels.n_annotators == 12 and labels.n_labels == 240:
            raise ZeroDivisionError("by zero")
        return voting.fit(labels)

    table = refit(case, model("slow", slow), settings=SETTINGS, limit=0.3, seed=1)
    notes = dict(zip(table["design"], table["note"], strict=True))
    assert notes == {
        LABELS: "failed: ZeroDivisionError: by zero",
        ANNOTATORS: "over budget: more than 0.3 s for all its fits",
        RESAMPLED: "",
    }
    assert (table["design"] != RESAMPLED).sum() == 2
    assert table.loc[table["design"] != RESAMPLED, "accuracy"].isna().all()


def test_a_design_ends_with_its_first_fit_if_there_is_no_hope(case):
    calls = []

    def slow(labels):
        if labels.n_annotators == 12 and labels.n_labels not in (80, 240):
            calls.append(labels)
            start = time.process_time()
            while time.process_time() < start + 0.25:
                sum(range(1000))
        return voting.fit(labels)

    # Three fits of .25 s: the first leaves time for the second, but not for all.
    table = refit(case, model("slow", slow), settings=SETTINGS, limit=0.3, seed=1)
    assert len(calls) == 1
    assert table.set_index("design").loc[RESAMPLED, "note"].startswith("over budget")


def test_tables_of_methods_stand_side_by_side(case):
    def refuses(labels):
        raise AnnotationError("no: never. Go.")

    tables = [
        refit(case, each, settings=SETTINGS, limit=60, seed=1)
        for each in (voting, model("no", refuses))
    ]
    values, errors, notes = join_refits(tables)
    assert list(values.columns) == ["problem", "design", "size", "repeat", "score", "voting"]
    assert len(values) == 9 * 2
    assert list(errors.columns) == ["problem", "design", "size", "score", "voting"]
    assert len(errors) == 3 * 2
    assert notes["method"].tolist() == ["no"] * 3
    assert set(notes["note"]) == {"no: never. Go."}
    assert all(each.empty for each in join_refits([pd.DataFrame()]))
