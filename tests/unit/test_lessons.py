"""Ten claims, each judged by the numbers of the run."""

import json
import math
from pathlib import Path

import pandas as pd
import pytest

from annobench_replication.ledger import read_published
from pages.findings import Results
from pages.lessons import LESSONS, OUTCOMES, lessons

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "workflow" / "papers"
NOTEBOOK = ROOT / "notebooks" / "what_we_learned.ipynb"
WINNING = pd.DataFrame({"role": ["none", "model"], "winning_rate": [0.6, 0.9], "dataset": "wax"})


def results(tmp_path, computed, verdict="reproduced", baselines=WINNING):
    """Results in which each number that carries a claim has a value."""
    rows = [
        {"paper": lesson.paper, "target": target, "label": target, "published": "1"}
        | {"relation": "eq", "unit": "", "verdict": verdict}
        | {"computed": computed.get((lesson.paper, name), 1.0)}
        for lesson in LESSONS
        for name, target in lesson.carried_by.items()
    ]
    folder = tmp_path / "papers" / "calderon2025" / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    baselines.to_csv(folder / "baselines.csv", index=False)
    return Results(pd.DataFrame(rows), tmp_path)


def test_ten_claims_stand_in_their_order_and_rest_on_printed_values():
    assert len(LESSONS) == 10
    years = [lesson.year for lesson in LESSONS]
    assert years == sorted(years)
    for lesson in LESSONS:
        published = read_published(PAPERS / lesson.paper / "published.csv")
        known = set(published["target"])
        assert lesson.carried_by
        assert set(lesson.carried_by.values()) <= known, lesson.paper


def test_the_notebook_has_the_same_claims_and_numbers():
    cells = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"]]
    for number, lesson in enumerate(LESSONS, start=1):
        heading = f"## {number}. {lesson.year}: {lesson.claim}\n"
        (at,) = [i for i, cell in enumerate(cells) if cell.startswith(heading)]
        numbers = ", ".join(f'"{target}"' for target in lesson.carried_by.values())
        assert f"shown = [{numbers}]\n" in cells[at + 1]


@pytest.mark.parametrize(
    ("computed", "paper", "outcome"),
    [
        ({("dawid1979", "lead"): -1.3}, "dawid1979", "in part"),
        ({("dawid1979", "lead"): 0.2}, "dawid1979", "stood"),
        ({("snow2008", "k"): 4.0}, "snow2008", "stood"),
        ({("snow2008", "k"): 7.0}, "snow2008", "fell"),
        (
            {("carpenter2008", "model"): 0.93, ("carpenter2008", "vote"): 0.9},
            "carpenter2008",
            "stood",
        ),
        (
            {("carpenter2008", "model"): 0.89, ("carpenter2008", "vote"): 0.9},
            "carpenter2008",
            "fell",
        ),
        ({("passonneau2014", "coefficient"): 0.25}, "passonneau2014", "fell"),
        (
            {("northcutt2021", "imagenet"): 5.8, ("northcutt2021", "mean"): 3.33},
            "northcutt2021",
            "in part",
        ),
        (
            {("northcutt2021", "imagenet"): 6.0, ("northcutt2021", "mean"): 3.33},
            "northcutt2021",
            "stood",
        ),
        (
            {("northcutt2021", "imagenet"): 5.8, ("northcutt2021", "mean"): 3.2},
            "northcutt2021",
            "fell",
        ),
        ({("baan2022", "lower"): -0.1}, "baan2022", "fell"),
        ({("weber2024", "gpt35"): -1.0}, "weber2024", "in part"),
        ({("weber2024", "gpt35"): -1.0, ("weber2024", "gpt4"): -1.0}, "weber2024", "fell"),
        ({("weber2024", "humans"): -1.0}, "weber2024", "in part"),
    ],
)
def test_the_outcome_follows_from_the_numbers(tmp_path, computed, paper, outcome):
    found = {each["paper"]: each for each in lessons(results(tmp_path, computed))}
    assert found[paper]["outcome"] == outcome
    assert found[paper]["outcome"] in OUTCOMES
    assert "{" not in found[paper]["found"]


def test_a_negative_number_has_a_true_minus_sign(tmp_path):
    computed = {("dawid1979", "lead"): -1.3, ("weber2024", "gpt35"): -1.0}
    found = {each["paper"]: each["found"] for each in lessons(results(tmp_path, computed))}
    assert "−1.3" in found["dawid1979"]
    assert "GPT-3.5 the end is −1.0" in found["weber2024"]


@pytest.mark.parametrize("verdict", ["stand_in", "missing"])
def test_of_simulated_labels_nothing_is_said(tmp_path, verdict):
    for each in lessons(results(tmp_path, {}, verdict)):
        assert (each["outcome"], each["found"], each["values"]) == ("open", "", [])


def test_without_its_number_a_claim_is_open(tmp_path):
    empty = results(tmp_path, {("snow2008", "k"): math.nan})
    found = {each["paper"]: each["outcome"] for each in lessons(empty)}
    assert found["snow2008"] == "open"
    assert found["calderon2025"] == "fell"


@pytest.mark.parametrize(("rate", "outcome"), [(0.6, "fell"), (0.5, "fell"), (0.4, "stood")])
def test_the_test_of_annotators_falls_if_a_constant_answer_passes(tmp_path, rate, outcome):
    baselines = WINNING.assign(winning_rate=[rate, 0.9])
    found = {each["paper"]: each for each in lessons(results(tmp_path, {}, baselines=baselines))}
    assert found["calderon2025"]["outcome"] == outcome
    assert f"{rate:.2f}" in found["calderon2025"]["found"]
