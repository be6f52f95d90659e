"""A classifier's probabilities in the pool: their weight, what they add, what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from typer.testing import CliRunner

from annobench.aggregation.consensus import consensus
from annobench.aggregation.predictions import added_value
from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.predictions import read_predictions
from annobench.labels.annotations import Annotations
from annobench.models import pool

N, K, GOLD = 240, 3, 80
NAMES = np.array(["cat", "dog", "emu"])


def crowd(seed=4):
    """Return labels of three of eight annotators, right twice in three times, and their truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(K, size=N)
    item = np.repeat(np.arange(N), 3)
    annotator = np.concatenate([rng.choice(8, 3, replace=False) for _ in range(N)])
    right = rng.random(item.size) < 0.5
    label = np.where(right, truth[item], rng.integers(K, size=item.size))
    names = [f"i{i}" for i in range(N)]
    labels = Annotations.from_arrays(
        [names[i] for i in item], annotator, NAMES[label], items=names, categories=NAMES
    )
    return labels, truth


def classifier(truth, signal, seed=5):
    """Return calibrated probabilities: those of a normal signal of the category."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(truth.size, K)) + signal * np.eye(K)[truth]
    odds = np.exp(signal * seen)
    return odds / odds.sum(axis=1, keepdims=True)


LABELS, TRUTH = crowd()
KNOWN = np.where(np.arange(N) < GOLD, TRUTH, -1)
GOOD = classifier(TRUTH, 1.5)
TABLE = pd.DataFrame(GOOD, index=LABELS.items, columns=NAMES)


def test_weights_are_those_of_another_solver_on_log_probabilities():
    members, _ = pool.fit_members(LABELS)
    shipped = pool.shipped_weights()
    features = np.stack([np.maximum(each, 0.001) for each in (*members, GOOD)], axis=2)[:GOLD]
    features = np.log(features / features.sum(axis=1, keepdims=True))
    centre = np.array([*shipped.mean, 0, 0, 0, 0])
    deviation = np.array([shipped.spread] * 7 + [1.0] + [shipped.offset_spread] * K)

    def penalised(theta):
        scores = features @ theta[:8] + theta[8:]
        q = np.exp(scores - scores.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        away = (theta - centre) / deviation
        return -np.log(q[np.arange(GOLD), TRUTH[:GOLD]]).sum() + 0.5 * away @ away

    other = optimize.minimize(penalised, centre, method="BFGS", options={"gtol": 1e-5}).x
    fitted = pool.fit(LABELS, gold=KNOWN, predictions=GOOD)
    found = np.concatenate([fitted.member_weights, fitted.offsets])
    # BFGS takes its gradient from finite differences.
    assert found == pytest.approx(other, abs=1e-3)


def test_rows_and_columns_are_found_by_name():
    shuffled = TABLE.sample(frac=1, random_state=1)[["emu", "cat", "dog"]]
    more = pd.concat([shuffled, pd.DataFrame(1 / 3, index=["new"], columns=NAMES)])
    by_name = pool.fit(LABELS, gold=KNOWN, predictions=more)
    by_place = pool.fit(LABELS, gold=KNOWN, predictions=GOOD)
    assert by_name.posterior == pytest.approx(by_place.posterior, abs=1e-12)
    assert by_name.member_weights.size == len(pool.MEMBERS) + 1


def test_a_refit_takes_predictions_and_leaves_them():
    plain = pool.fit(LABELS, gold=KNOWN)
    both = pool.fit(LABELS, gold=KNOWN, predictions=TABLE)
    assert pool.refit(LABELS, both, gold=KNOWN).posterior == pytest.approx(plain.posterior)
    again = pool.refit(LABELS, plain, gold=KNOWN, predictions=TABLE)
    assert again.posterior == pytest.approx(both.posterior)
    assert pool.refit(LABELS, both, predictions=TABLE).member_weights[-1] == 0
    assert both.item_intervals().shape == (2, N)
    assert pool.bootstrap(LABELS, both, rng=1, replicates=5).prevalence.shape == (5, K)


@pytest.mark.parametrize(
    ("signal", "gain", "adds"), [(2.5, (-np.inf, -0.1), True), (0.0, (-0.02, 0.05), False)]
)
def test_predictions_add_what_they_know(signal, gain, adds):
    rng = np.random.default_rng(1)
    predictions = classifier(TRUTH, signal) if signal else rng.dirichlet(np.ones(K), N)
    fitted = pool.fit(LABELS, gold=KNOWN, predictions=predictions)
    found = added_value(LABELS, fitted, predictions, rng=2)
    assert gain[0] < found.log_loss.estimate < gain[1]
    assert ("add to the labels" in found.verdict) == adds
    # On items that neither weights nor scores saw, the gain is of the same sign and size.
    rest = np.arange(GOLD, N)
    losses = [
        -np.log(pool.refit(LABELS, fitted, gold=KNOWN, **each).posterior[rest, TRUTH[rest]]).mean()
        for each in ({}, {"predictions": predictions})
    ]
    assert found.log_loss.estimate == pytest.approx(losses[1] - losses[0], abs=0.15)


def test_an_items_own_gold_does_not_move_its_score():
    """Predictions that are the gold of gold items, and of no others, would gain nothing real."""
    fitted = pool.fit(LABELS, gold=KNOWN, predictions=GOOD)
    found = added_value(LABELS, fitted, GOOD, rng=2)
    own = fitted.posterior[:GOLD][np.arange(GOLD), TRUTH[:GOLD]]
    assert (own == 1).all()
    assert found.table.loc[0, "with_predictions"] > 0.1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE.drop(index=["i7", "i9"]), "lack 2 of 240 items: 'i7', 'i9'. Add a row"),
        (TABLE.drop(columns="emu"), "lack 1 of 3 categories: 'emu'. Add a column"),
        (TABLE.assign(yak=0.0), "a column 'yak', which is not a category"),
        (TABLE * 2, "are not probabilities, such as"),
        (TABLE - 0.5, "are not probabilities, such as"),
        (pd.concat([TABLE, TABLE[:1]]), "two rows for the same item"),
        (GOOD[1:], "a row for each of the 240 items"),
        ("model.csv", "must be a table of probabilities"),
    ],
)
def test_what_are_no_predictions_of_these_items_is_refused(table, message):
    with pytest.raises(AnnotationError, match=message):
        pool.fit(LABELS, gold=KNOWN, predictions=table)


def test_without_gold_predictions_are_refused():
    with pytest.raises(AnnotationError, match=r"predictions need gold\..*\(--gold\)"):
        pool.fit(LABELS, predictions=GOOD)


def test_few_gold_items_weigh_predictions_and_do_not_judge_them():
    gold = {f"i{i}": str(NAMES[TRUTH[i]]) for i in range(9)}
    found = consensus(LABELS, model="pool", gold=gold, predictions=TABLE, rng=1, replicates=0)
    assert found.predictions is None
    assert any("9 gold items with labels are too few" in text for text in found.remarks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,no,yes\nx,0.2,0.8\ny,a,0.5\n", "line 3: 'a' in column 'no' is no probability"),
        ("item,no,yes\nx,0.2,0.8\nx,.5,.5\n", "line 3: item 'x' has a row above"),
        ("item,no,yes\n,0.2,0.8\n", "line 2: no item"),
        ("item,no,yes\nx,,0.8\n", "line 2: an empty cell in column 'no'"),
        ("item,no,yes\nx,a,0.8\n,1,0\n", "(?s)line 2: 'a' in.*line 3: no item"),
    ],
)
def test_a_faulty_file_is_refused_with_its_lines(tmp_path, text, message):
    path = tmp_path / "model.csv"
    path.write_text(text)
    with pytest.raises(ReaderError, match=message):
        read_predictions(path)


def test_the_command_reads_predictions_and_says_what_they_add(tmp_path):
    labels, gold, model = (tmp_path / f"{name}.csv" for name in ("labels", "gold", "model"))
    LABELS.to_frame().to_csv(labels, index=False)
    frame = pd.DataFrame({"item": LABELS.items[:GOLD], "gold": NAMES[TRUTH[:GOLD]]})
    frame.to_csv(gold, index=False)
    more = pd.concat([TABLE, TABLE[:1].set_axis(["new"])])
    more.rename_axis("item").to_csv(model)

    def run(*words):
        return CliRunner().invoke(app, ["consensus", *map(str, (labels, *words))])

    found = run("--model", "pool", "--gold", gold, "--predictions", model, "--replicates", 0)
    assert found.exit_code == 0, found.output
    assert "predictions: log loss" in found.output
    assert "1 of 241 predicted items have no labels: left out." in found.output
    folder = tmp_path / "labels_consensus"
    assert list(pd.read_csv(folder / "predictions.csv")["score"]) == ["log loss", "accuracy"]
    assert "What the predictions add" in (folder / "consensus.html").read_text(encoding="utf-8")
    for words, message in (
        (["--gold", gold], "has no effect on adjusted_dawid_skene"),
        (["--model", "pool"], "--predictions needs --gold"),
    ):
        refused = run(*words, "--predictions", model, "--force")
        assert refused.exit_code == 1
        assert message in " ".join(refused.output.split())
