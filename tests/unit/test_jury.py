"""A jury of judges: how many independent ones it is worth, its weights, the choice of it."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from typer.testing import CliRunner

from annobench import judges
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.judges import jury

K = 3


def panel(n=150, accuracy=(0.85, 0.75, 0.7, 0.6), shared=0.0, seed=1):
    """Return labels of judges by name, who copy the first one's error with a probability."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(K, size=n)
    right = rng.random((n, len(accuracy))) < accuracy
    copies = rng.random(right.shape) < shared
    right = np.where(copies, right[:, :1], right)
    wrong = (gold[:, None] + rng.integers(1, K, size=right.shape)) % K
    labels = np.where(right, gold[:, None], wrong)
    return {f"j{j}": labels[:, j] for j in range(len(accuracy))}, gold


def test_the_effective_number_is_that_of_the_mean_correlation_of_errors():
    labels, gold = panel(shared=0.5)
    # One category, so that the mean is one; correlations of errors weighted by their spread.
    errors = np.column_stack([codes != gold for codes in labels.values()]).astype(float)
    covariance = np.cov(errors.T)
    r = (covariance.sum() - np.trace(covariance)) / 3 / np.trace(covariance)
    found = judges.effective_judges({n: c != gold for n, c in labels.items()}, 0 * gold)
    assert found.estimate == pytest.approx(4 / (1 + 3 * r))
    assert found.lower < found.estimate < found.upper


def test_judges_that_agree_are_independent_if_their_errors_are():
    # They agree on 98 of 100 items, and err on different ones.
    gold = np.zeros(100, dtype=int)
    first, second = gold.copy(), gold.copy()
    first[0], second[1] = 1, 1
    found = judges.effective_judges({"a": first, "b": second}, gold)
    assert found.estimate == pytest.approx(2, abs=0.05)
    # The same two errors, made together.
    assert judges.effective_judges({"a": first, "b": first}, gold).estimate == pytest.approx(1)


def test_categories_that_are_hard_for_all_make_no_dependence():
    rng = np.random.default_rng(2)
    gold = np.repeat([0, 1], 4_000)
    right = rng.random((8_000, 3)) < np.where(gold == 0, 0.95, 0.5)[:, None]
    labels = np.where(right, gold[:, None], 1 - gold[:, None])
    found = judges.effective_judges({str(j): labels[:, j] for j in range(3)}, gold)
    assert found.lower < 3 < found.upper
    pooled = judges.effective_judges(
        {str(j): labels[:, j] != gold for j in range(3)}, np.zeros_like(gold)
    )
    assert pooled.upper < 2.5


def test_the_effective_number_depends_on_complete_gold_items_alone():
    labels, gold = panel(shared=0.3)
    found = judges.effective_judges(labels, gold)
    more = {name: np.append(codes, [0, -1, 2]) for name, codes in labels.items()}
    more["j0"][-2] = 1
    assert judges.effective_judges(more, np.append(gold, [-1, 1, -1])) == found


def test_items_of_a_cluster_tell_less():
    labels, gold = panel(shared=0.3)
    twice = {name: np.repeat(codes, 2) for name, codes in labels.items()}
    clusters = np.repeat(np.arange(gold.size), 2)
    once = judges.effective_judges(labels, gold)
    alone = judges.effective_judges(twice, np.repeat(gold, 2))
    clustered = judges.effective_judges(twice, np.repeat(gold, 2), clusters=clusters)
    assert alone.upper < once.upper
    assert clustered.upper == pytest.approx(once.upper, rel=0.01)


def test_judges_without_errors_have_no_effective_number():
    gold = np.arange(30) % K
    found = judges.effective_judges({"a": gold, "b": gold}, gold)
    assert np.isnan([found.estimate, found.lower, found.upper]).all()
    assert "errors are too few" in jury.assess_jury({"a": gold, "b": gold}, gold, K).sentence()


def test_weights_are_those_of_another_solver():
    labels, gold = panel()
    table = np.column_stack(list(labels.values()))
    deviation = np.array([2.0] * 4 + [1.0] * K)

    def penalised(theta):
        score = np.tile(theta[4:], (gold.size, 1))
        for j in range(4):
            score[np.arange(gold.size), table[:, j]] += theta[j]
        score -= np.log(np.exp(score).sum(axis=1, keepdims=True))
        return 0.5 * ((theta / deviation) ** 2).sum() - score[np.arange(gold.size), gold].sum()

    other = optimize.minimize(penalised, np.zeros(7), method="BFGS", options={"gtol": 1e-6}).x
    found = jury.assess_jury(labels, gold, K, rng=1)
    # BFGS takes its gradient from finite differences.
    assert found.weights["weight"].to_numpy() == pytest.approx(other[:4], abs=1e-4)
    # The curvature at the optimum, by second differences.
    steps, signs = 1e-3 * np.eye(7), [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    curvature = [
        [
            sum(s * t * penalised(other + s * one + t * two) for s, t in signs) / 4e-6
            for one in steps
        ]
        for two in steps
    ]
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))[:4]
    assert found.weights["standard_error"].to_numpy() == pytest.approx(errors, rel=1e-3)
    best = found.posterior.argmax(axis=1)
    assert (best == gold).mean() == found.juries.loc[0, "accuracy_in_sample"]


def test_judges_that_are_copies_share_a_weight():
    labels, gold = panel(accuracy=(0.8, 0.7))
    alone = jury.assess_jury(labels, gold, K, rng=1).weights["weight"]
    both = jury.assess_jury(labels | {"copy": labels["j0"]}, gold, K, rng=1).weights["weight"]
    assert both[0] == pytest.approx(both[2], abs=1e-9)
    assert both[0] + both[2] == pytest.approx(alone[0], rel=0.15)


def test_juries_within_the_budget_are_those_to_which_nobody_can_be_added():
    names, price = list("abc"), np.array([0.1, 0.2, 0.3])
    assert jury._candidates(names, price, 0.3) == [(2,), (0, 1)]
    assert jury._candidates(names, price, 1.0) == [(0, 1, 2)]
    assert jury._candidates(names, price, None) == [(0, 1, 2)]


def test_the_best_jury_for_a_budget_leaves_out_who_adds_nothing():
    labels, gold = panel(n=300, accuracy=(0.9, 0.9, 0.5, 0.5))
    # One who copies j0, with slips, adds nothing to j0; j2 and j3 are alone worth a vote.
    slips = np.random.default_rng(4).random(300) < 0.1
    labels["j3"] = np.where(slips, (gold + 1) % K, labels["j0"])
    found = jury.assess_jury(labels, gold, K, budget=2, rng=1)
    assert found.weights["chosen"].tolist() == [True, True, False, False]
    assert found.n_same >= 3
    dear = jury.assess_jury(labels, gold, K, costs={"j0": 2, "j3": 2}, budget=2, rng=1)
    assert dear.juries.loc[0, "cost"] <= 2
    assert "j0 + j1" not in set(dear.juries["judges"])


def test_a_jury_of_all_is_judged_as_it_is_cross_validated():
    labels, gold = panel()
    found = jury.assess_jury(labels, gold, K, rng=1).estimates
    assert found.loc[1, "log_loss"] == pytest.approx(found.loc[2, "log_loss"])
    assert found.loc[0, "log_loss"] < found.loc[2, "log_loss"]
    last = found.iloc[-1]
    assert last["accuracy_lower"] < last["accuracy"] < last["accuracy_upper"]


def test_folds_keep_clusters_together():
    groups = np.repeat(np.arange(20), [1, 5] * 10)
    fold = jury._folds(groups, np.random.default_rng(1))
    assert all(np.unique(fold[groups == each]).size == 1 for each in range(20))
    assert np.unique(fold).size == jury.FOLDS


LABELS, GOLD = panel()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gold": np.where(np.arange(150) < 19, GOLD, -1)}, "19 gold items have labels of judges"),
        ({"labels": {"j0": LABELS["j0"]}}, "1 judges, and 150 gold items"),
        ({"costs": {"j9": 1}}, "a cost names 'j9', which is not a judge"),
        ({"costs": {"j0": 0}}, "the cost of 'j0' is 0"),
        ({"costs": {"j0": float("inf")}}, "the cost of 'j0' is inf"),
        ({"budget": 0.5}, r"no judge is within a budget of 0\.5"),
        ({"budget": float("nan")}, "no judge is within a budget of nan"),
        ({"labels": {str(n): LABELS["j0"] for n in range(12)}, "budget": 6}, "too many juries"),
        ({"labels": {str(n): LABELS["j0"] for n in range(17)}, "budget": 6}, "too many juries"),
    ],
)
def test_what_cannot_be_weighed_is_refused(options, message):
    options = {"labels": LABELS, "gold": GOLD} | options
    labels, gold = options.pop("labels"), options.pop("gold")
    with pytest.raises(AnnotationError, match=message):
        jury.assess_jury(labels, gold, K, **options)


def run(*words):
    return CliRunner().invoke(app, ["judge", *map(str, words)])


@pytest.fixture
def files(tmp_path):
    humans, gold = panel(accuracy=(0.8, 0.8, 0.8), seed=3)
    of_judges = {"<b>j</b>": LABELS["j0"], "j1": LABELS["j1"], "j2": LABELS["j2"]}
    # The humans' gold is that of the judges, so that both label the same items.
    everyone = {f"h{n}": (c - gold + GOLD) % K for n, c in enumerate(humans.values())} | of_judges
    rows = [(i, name, codes[i]) for name, codes in everyone.items() for i in range(GOLD.size)]
    labels, known = tmp_path / "labels.csv", tmp_path / "gold.csv"
    pd.DataFrame(rows, columns=["item", "annotator", "label"]).to_csv(labels, index=False)
    pd.DataFrame({"item": range(60), "gold": GOLD[:60]}).to_csv(known, index=False)
    return labels, known


def test_the_command_finds_the_jury_for_a_budget(files):
    labels, gold = files
    named = ("--judge", "<b>j</b>", "--judge", "j1", "--judge", "j2", "--keep-names")
    plain = run(labels, *named, "--gold", gold)
    assert plain.exit_code == 0, plain.output
    assert "3 judges are worth" in plain.output
    folder = labels.parent / "labels_judges"
    before = pd.read_csv(folder / "judges.csv")
    found = run(labels, *named, "--gold", gold, "--cost", "j2=2", "--budget", 2, "--force")
    assert "within a budget of 2 per item" in found.output
    page = (folder / "judges.html").read_text(encoding="utf-8")
    assert "The judges as a jury" in page
    assert "<b>j</b>" not in page
    assert set(pd.read_csv(folder / "juries.csv")["judges"]) == {"<b>j</b> + j1", "j2"}
    # What is said of each judge does not depend on the jury.
    pd.testing.assert_frame_equal(before, pd.read_csv(folder / "judges.csv"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--budget", 2], "Give gold (--gold) and name several judges"),
        (["--cost", "j1"], "--cost 'j1' is not a cost. Write judge=cost"),
        (["--cost", "j1=1", "--cost", "j1=2"], "--cost names 'j1' twice"),
    ],
)
def test_the_command_refuses_costs_that_say_nothing(files, words, message):
    found = run(files[0], "--judge", "j1", "--judge", "j2", *words)
    assert found.exit_code == 1
    assert message in " ".join(found.output.split())
