"""The command `judge`: what it reads and writes, and what its page says."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.judges import assessment
from annobench.labels.annotations import Annotations
from annobench.reporting import judge_page, judge_sentences

RUN = CliRunner()


def frame(seed=1, n_items=80, prevailing=0.5, noise=0.15):
    """Draw labels of three humans, a good judge, and one that says anything."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_items) < prevailing
    rows = []
    for name in ("ann", "bob", "cy", "good", "random"):
        wrong = rng.random(n_items) < (0.5 if name == "random" else noise)
        for i, label in enumerate(truth ^ wrong):
            rows.append((f"i{i}", name, "yes" if label else "no"))
    found = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    return found, pd.DataFrame(
        {"item": [f"i{i}" for i in range(n_items)], "gold": np.where(truth, "yes", "no")}
    )


@pytest.fixture
def labels(tmp_path):
    table, gold = frame()
    table.to_csv(tmp_path / "labels.csv", index=False)
    gold.iloc[:40].to_csv(tmp_path / "gold.csv", index=False)
    return tmp_path / "labels.csv"


def run(*arguments):
    return RUN.invoke(app, ["judge", *map(str, arguments)])


def test_the_command_writes_a_page_and_tables_that_say_the_same(labels):
    done = run(labels, "--judge", "good", "--judge", "random", "--gold", labels.parent / "gold.csv")
    assert done.exit_code == 0, done.output
    folder = labels.parent / "labels_judges"
    judges = pd.read_csv(folder / "judges.csv").set_index("judge")
    assert judges.loc["good", "human_labels"] > 5 * judges.loc["random", "human_labels"]
    page = (folder / "judges.html").read_text()
    assert "<script" not in page
    for name in ("rates", "test", "agreement", "prevalence", "baselines", "plan"):
        assert len(pd.read_csv(folder / f"{name}.csv"))
    prevalence = pd.read_csv(folder / "prevalence.csv")
    cautioned = prevalence[prevalence["caution"].notna()]["judge"].unique()
    assert list(cautioned) == ["random"]
    assert "Don't use random" in page.replace("&#39;", "'")
    assert done.output.startswith("good: accuracy ")
    assert f"{judges.loc['good', 'human_labels']:.2f} of a human's" in done.output


def test_without_gold_rates_rest_on_the_humans_and_the_page_says_so(labels):
    done = run(labels, "--judge", "good", "--format", "json")
    assert done.exit_code == 0, done.output
    folder = labels.parent / "labels_judges"
    assert (folder / "judges.json").is_file()
    assert not (folder / "prevalence.json").exists()
    page = (folder / "judges.html").read_text()
    assert "by a model of the humans" in page
    assert "Check some items yourself" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "god"], "Did you mean 'good'"),
        (["--judge", "good", "--epsilon", "3"], "epsilon must be in"),
        (
            ["--judge", "good", "--score", "rmse"],
            "rmse needs labels that are numbers",
        ),
        ([], "Missing option '--judge'"),
    ],
)
def test_a_wrong_option_is_refused(labels, arguments, message):
    done = run(labels, *arguments)
    assert done.exit_code != 0
    assert message in re.sub(r"[\s│]+", " ", done.output)


def test_a_gold_category_that_is_no_label_is_refused(labels):
    pd.DataFrame({"item": ["i1"], "gold": ["maybe"]}).to_csv(labels.parent / "g.csv", index=False)
    done = run(labels, "--judge", "good", "--gold", labels.parent / "g.csv")
    assert done.exit_code == 1
    assert "maybe" in done.output


def test_one_human_and_no_gold_still_make_a_page():
    table, _ = frame(n_items=40)
    one = Annotations.from_frame(table[table["annotator"].isin(["ann", "good"])])
    found = assessment.assess(one, ["good"], replicates=20, rng=1)
    assert found.basis == ""
    assert not found.tests
    page = judge_page.render(found, source="one.csv")
    assert "accuracy and worth cannot be estimated" in page
    assert any("two humans" in step for step in judge_sentences.next_steps(found))


def test_a_judge_is_worth_nothing_known_by_gold_of_one_category():
    table, gold = frame(n_items=60)
    # So few that they may have been drawn at random.
    one = gold[gold["gold"] == "yes"].head(3).set_index("item")["gold"].to_dict()
    found = assessment.assess(
        Annotations.from_frame(table), ["good"], gold=one, replicates=20, rng=1
    )
    assert found.summary_table["human_labels"].isna().all()
    # Of three categories, two of which have gold, the judge's worth is that between the two.
    rare = table.copy()
    rare.loc[rare["item"].eq("i0"), "label"] = "never"
    known = gold.set_index("item")["gold"].drop("i0").to_dict()
    found = assessment.assess(
        Annotations.from_frame(rare), ["good"], gold=known, replicates=20, rng=1
    )
    rows = found.summary_table.set_index("judge")
    assert 0 < rows.loc["good", "human_labels"] < np.inf
    assert rows.loc[assessment.CONSTANT, "human_labels"] == 0


def test_a_blind_judge_that_passes_is_said_first():
    table, _ = frame(n_items=300, prevailing=0.02, noise=0.04)
    found = assessment.assess(
        Annotations.from_frame(table), ["good", "random"], replicates=20, rng=1
    )
    blind = found.summary_table.set_index("judge").loc[assessment.CONSTANT]
    assert blind["passes"]
    assert blind["human_labels"] == pytest.approx(0, abs=1e-6)
    assert "always gives the most frequent label passes" in judge_sentences.next_steps(found)[0]


def test_a_judge_that_was_asked_again_is_measured():
    table, _ = frame()
    again = table[table["annotator"] == "random"].assign(
        label=lambda own: own["label"].sample(frac=1, random_state=1).to_numpy()
    )
    both = Annotations.from_frame(pd.concat([table, again]))
    found = assessment.assess(both, ["good", "random"], replicates=20, rng=1)
    assert found.consistency["annotator"].tolist() == ["random"]
    assert any(step.startswith("Asked again, random") for step in judge_sentences.next_steps(found))


def test_names_are_escaped():
    table, _ = frame(n_items=40)
    script = "<script>alert(1)</script>"
    table["annotator"] = table["annotator"].replace({"good": script})
    found = assessment.assess(Annotations.from_frame(table), [script], replicates=20, rng=1)
    assert script not in judge_page.render(found, source=script)


def systems(folder, n=60):
    """Write grades of two systems by two people and a judge."""
    rng = np.random.default_rng(6)
    rows = []
    for q in range(n):
        for system, better in (("old", 0), ("new", 1)):
            truth = int(np.clip(rng.integers(1, 5) + better, 1, 5))
            words, own = int(2 ** rng.normal(7, 1)), "us" if system == "new" else "them"
            seen = int(np.clip(truth + rng.integers(0, 2), 1, 5))
            given = {"ann": truth, "bob": truth} if q < 30 else {}
            for who, label in (given | {"llm": seen}).items():
                rows.append((f"q{q}", system, who, label, "ab"[q % 2], words, own))
    columns = ["question", "system", "annotator", "label", "part", "words", "family"]
    table = pd.DataFrame(rows, columns=columns)
    table["role"] = np.where(table["annotator"] == "llm", "model", "person")
    table.to_csv(folder / "systems.csv", index=False)
    return table


def test_systems_are_compared_within_questions(tmp_path):
    table = systems(tmp_path)
    done = run(
        *(tmp_path / "systems.csv", "--judge", "llm", "--against", "system", "--baseline", "old"),
        *("--by", "part", "--require", "gain>=0", "--length", "words"),
        *("--family", "family", "--own", "llm=us"),
    )
    assert done.exit_code == 0, done.output
    folder = tmp_path / "systems_judges"
    row = pd.read_csv(folder / "differences.csv").iloc[0]
    assert (row["n_answers"], row["n_human"], row["n_clusters"]) == (120, 60, 30)
    means = table[table["annotator"] == "llm"].groupby("system")["label"].mean()
    assert row["judge_score"] == pytest.approx(means["new"] - means["old"])
    assert list(pd.read_csv(folder / "slices.csv")["slice"]) == ["a", "b"]
    bias = pd.read_csv(folder / "bias.csv").set_index("bias")
    assert list(bias.index) == ["score difference", "length", "own family"]
    assert bias.loc["length", "n_clusters"] == 30
    page = (folder / "judges.html").read_text()
    assert "new minus old" in page
    assert 'id="bias"' in page
    assert "gain of new over old, by llm >= 0 is supported" in done.output


def test_answers_with_ids_of_their_own_are_paired_by_clusters(tmp_path):
    table = systems(tmp_path)
    one = run(tmp_path / "systems.csv", "--judge", "llm", "--against", "system")
    table.insert(0, "item", table["question"] + "/" + table["system"])
    table.to_csv(tmp_path / "ids.csv", index=False)
    words = ("--judge", "llm", "--against", "system", "--item", "item")
    two = run(tmp_path / "ids.csv", *words, "--clusters", "question")
    three = run(tmp_path / "ids.csv", *words, "--out", tmp_path / "alone")
    assert [each.exit_code for each in (one, two, three)] == [0, 0, 0], two.output
    first, second, third = (
        pd.read_csv(tmp_path / folder / "differences.csv")
        for folder in ("systems_judges", "ids_judges", "alone")
    )
    pd.testing.assert_frame_equal(first, second)
    assert third["n_clusters"].iloc[0] == 60


def test_gold_of_answers_has_the_same_columns(tmp_path):
    table = systems(tmp_path)
    gold = table[table["annotator"] == "ann"][["question", "system", "label"]]
    gold.rename(columns={"label": "gold"}).to_csv(tmp_path / "gold.csv", index=False)
    words = ("--judge", "llm", "--against", "system", "--gold", tmp_path / "gold.csv")
    done = run(tmp_path / "systems.csv", *words)
    assert done.exit_code == 0, done.output
    row = pd.read_csv(tmp_path / "systems_judges" / "differences.csv").iloc[0]
    assert row["n_human"] == 60


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--against", "sistem"), "--against"),
        (("--against", "system", "--baseline", "odl"), "Did you mean 'old'"),
        (("--category", "5"), "--category has no effect without"),
        (("--require", "gain>=0"), "--baseline"),
        (("--require", "change>=0"), "--over"),
        (("--family", "family", "--own", "llm"), "--own gpt-4o=openai"),
        (("--family", "family", "--own", "ann=us"), "--own names 'ann', which is not a judge"),
        (("--against", "system", "--by", "role"), "describes annotators"),
        (("--against", "system", "--length", "family"), "Give the length of each answer"),
    ],
)
def test_options_of_judges_at_work_that_make_no_sense(tmp_path, words, message):
    systems(tmp_path)
    done = run(tmp_path / "systems.csv", "--judge", "llm", "--repeats", "all", *words)
    assert done.exit_code == 1
    assert message in re.sub(r"\s+", " ", done.output)


def test_what_could_not_be_estimated_is_not_supported(tmp_path):
    table, _ = frame(n_items=40)
    one = table[table["annotator"].isin(["ann", "good"])]
    one.to_csv(tmp_path / "one.csv", index=False)
    words = ("--judge", "good", "--require", "kappa>=0.1", "--force")
    done = run(tmp_path / "one.csv", *words)
    assert done.exit_code == 3
    assert "kappa of good >= 0.1 is not supported: it is undefined" in done.output


def test_a_judge_is_followed_over_time(tmp_path):
    table, gold = frame(n_items=60)
    judge = table[table["annotator"] == "good"]
    runs = [judge.assign(run=n) for n in range(5)]
    runs[-1]["label"] = runs[-1]["label"].map({"yes": "no", "no": "yes"})
    both = pd.concat([table[table["annotator"] == "ann"], *runs])
    both.to_csv(tmp_path / "runs.csv", index=False)
    gold.to_csv(tmp_path / "gold.csv", index=False)
    words = ("--judge", "good", "--over", "run", "--gold", tmp_path / "gold.csv")
    done = run(tmp_path / "runs.csv", *words, "--require", "change>=-0.1")
    assert done.exit_code == 3, done.output
    folder = tmp_path / "runs_judges"
    windows = pd.read_csv(folder / "over_time.csv")
    assert len(windows) == 5
    assert windows["agreement"].iloc[-1] < 0.5 < windows["agreement"].iloc[0]
    assert 'id="drift"' in (folder / "judges.html").read_text()


def test_names_of_systems_and_families_are_escaped(tmp_path):
    table = systems(tmp_path)
    script = "<script>alert(1)</script>"
    table["system"] = table["system"].replace({"new": script})
    table["family"] = script
    table.to_csv(tmp_path / "systems.csv", index=False)
    words = ("--judge", "llm", "--against", "system", "--by", "part", "--family", "family")
    done = run(tmp_path / "systems.csv", *words)
    assert done.exit_code == 0, done.output
    assert "<script" not in (tmp_path / "systems_judges" / "judges.html").read_text()
