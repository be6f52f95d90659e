"""The command `judge`: what it reads and writes, and what its page says."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.judges import assessment
from annobench.labels.annotations import Annotations
from annobench.reporting import judge_page

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
    assert f"good: {judge_page.verdict(judges.loc['good'].to_dict())}" in done.output


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
        (["--judge", "good", "--score", "rmse"], "number"),
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
    assert "could not be done" in page
    assert any("two humans" in step for step in judge_page.next_steps(found))


def test_a_blind_judge_that_passes_is_said_first():
    table, _ = frame(n_items=300, prevailing=0.02, noise=0.04)
    found = assessment.assess(
        Annotations.from_frame(table), ["good", "random"], replicates=20, rng=1
    )
    blind = found.summary_table.set_index("judge").loc[assessment.CONSTANT]
    assert blind["passes"]
    assert blind["human_labels"] == pytest.approx(0, abs=1e-6)
    assert "always gives the most frequent label passes" in judge_page.next_steps(found)[0]


def test_a_judge_that_was_asked_again_is_measured():
    table, _ = frame()
    again = table[table["annotator"] == "random"].assign(
        label=lambda own: own["label"].sample(frac=1, random_state=1).to_numpy()
    )
    both = Annotations.from_frame(pd.concat([table, again]))
    found = assessment.assess(both, ["good", "random"], replicates=20, rng=1)
    assert found.consistency["annotator"].tolist() == ["random"]
    assert any(step.startswith("Asked again, random") for step in judge_page.next_steps(found))


def test_names_are_escaped():
    table, _ = frame(n_items=40)
    script = "<script>alert(1)</script>"
    table["annotator"] = table["annotator"].replace({"good": script})
    found = assessment.assess(Annotations.from_frame(table), [script], replicates=20, rng=1)
    assert script not in judge_page.render(found, source=script)
