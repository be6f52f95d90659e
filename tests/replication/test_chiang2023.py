"""ChatGPT's correlations with people: cells by scipy, the misplaced rows, how answers are read."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench import datasets
from annobench_datasets.chiang2023 import PROMPTS, first_and_last
from annobench_replication.ledger import read_published

ATTRIBUTES = ("naturalness", "coherence", "engagingness", "groundedness")


@pytest.fixture(scope="module")
def rated(analysis, real_folder):
    return {
        name: analysis.values.Rated.of(datasets.read(real_folder(f"chiang2023_{name}")))
        for name in ATTRIBUTES
    }


@pytest.fixture(scope="module")
def printed(paper):
    return read_published(paper.folder / "published.csv").set_index("target")["value"].astype(float)


@pytest.fixture(scope="module")
def verdicts(paper, real_results):
    return paper.compared(real_results).set_index("target")


def table(real_results, name):
    return pd.read_csv(real_results / "tables" / f"{name}.csv")


def test_the_records_of_the_files_are_those_of_the_360_responses(rated):
    for each in rated.values():
        for prompt in range(len(PROMPTS)):
            assert 353 <= np.unique(each.item[each.prompt == prompt]).size <= 360


@pytest.mark.parametrize("answer", ["2", " 2.5", "Rating: 1-3\nRating: 2", "1. Coherence: 3", "no"])
def test_an_answer_is_read_by_its_numbers(answer):
    expected = {
        "2": (2.0, 2.0),
        " 2.5": (2.5, 2.5),
        "Rating: 1-3\nRating: 2": (2.0, 2.0),
        "1. Coherence: 3": (1.0, 3.0),
        "no": None,
    }
    assert first_and_last(answer) == expected[answer]


def test_cells_of_tables_2_and_4_from_the_files_by_scipy(mirror, printed):
    folder = mirror / "chiang2023" / "results" / "topical_chat"
    records = json.loads((folder / "gpt3.5_eng_llm_eval_no_cot.json").read_text())
    rows = []
    for record in records:
        found = [first_and_last(answer) for answer in record["all_responses"]]
        digits = [int(numbers[0]) for numbers in found if numbers]
        rows.append((record["source"], np.mean(digits), record["scores"]["engagingness"]))
    scored = pd.DataFrame(rows, columns=["source", "judge", "people"])
    r = scipy.stats.pearsonr(scored["judge"], scored["people"]).statistic
    assert abs(r - printed["free_text.engagingness.r"]) <= 0.0005
    within = [
        (scipy.stats.pearsonr, "r_within"),
        (scipy.stats.kendalltau, "tau"),
    ]
    for coefficient, measure in within:
        each = [
            coefficient(own["judge"], own["people"]).statistic
            for _, own in scored.groupby("source")
            if np.ptp(own["judge"]) > 1e-9 and np.ptp(own["people"]) > 1e-9
        ]
        assert abs(np.mean(each) - printed[f"free_text.engagingness.{measure}"]) <= 0.0005


def test_both_last_rows_of_table_2_are_of_analyze_rate(real_results):
    misplaced = table(real_results, "misplaced").set_index("measure")
    assert len(misplaced) == 16
    of = misplaced["row of Table 2"]
    taus = misplaced.loc["tau"]
    assert (abs(taus["analyze_rate, tau"] - taus["printed"]) <= 0.0005 + 1e-9).all()
    assert (abs(taus["rate_explain, tau"] - taus["printed"]) > 0.005).all()
    for row, column in (
        ("rate_explain", "analyze_rate, r"),
        ("analyze_rate", "analyze_rate, r_within"),
    ):
        own = misplaced[(of == row) & (misplaced.index == "r")]
        assert (abs(own[column] - own["printed"]) <= 0.0005 + 1e-9).all()
        assert (abs(own["rate_explain, r"] - own["printed"]) > 0.0025).all()


def test_one_reading_gives_every_cell_but_the_added_row(real_results):
    found = table(real_results, "readings").set_index(["number", "without a number"])
    best = found.loc[("digit", "left out")]
    assert best["tables_2_and_4"] == best["of_tables_2_and_4"] == 52
    assert found.loc[("digit", "0"), "table_3"] == 8
    assert best["table_3"] == 5
    others = found.drop(index=[("digit", "left out")])
    assert others["tables_2_and_4"].max() == 38
    assert found.loc[("decimal", "left out"), "tables_2_and_4"] == 20
    assert found["share_by_chance"].max() < 0.05


def test_numbers_in_the_evidence_were_computed(rated, analysis, paper, real_results):
    tests = analysis.claims.tests(rated)
    p_value, one_sided = analysis.claims.p_value, analysis.claims.one_sided(tests)
    assert p_value(tests, "engagingness", "analyze_rate", "geval") == pytest.approx(0.56, abs=0.005)
    assert p_value(tests, "naturalness", "rate_explain", "analyze_rate") == pytest.approx(
        0.029, abs=0.0005
    )
    assert p_value(tests, "naturalness", "llm_eval_no_cot", "geval") == pytest.approx(
        0.071, abs=0.0005
    )
    assert one_sided["marked.llm_eval_no_cot.naturalness"] == pytest.approx(0.035, abs=0.0005)
    assert one_sided["free_text.naturalness.p_value"] == pytest.approx(0.0503, abs=0.00005)
    assert one_sided["marked.rate_explain_auto_cot.coherence"] == pytest.approx(0.075, abs=0.0005)
    against = {
        (name, prompt): p_value(tests, name, prompt, "geval_no_auto_cot")
        for name in ATTRIBUTES
        for prompt in ("rate_explain", "analyze_rate")
    }
    assert against["engagingness", "rate_explain"] == pytest.approx(0.76, abs=0.005)
    assert against["engagingness", "analyze_rate"] == pytest.approx(0.81, abs=0.005)
    assert against["coherence", "rate_explain"] == pytest.approx(0.04, abs=0.005)
    assert against["coherence", "analyze_rate"] == pytest.approx(0.20, abs=0.005)
    assert max(p for (name, _), p in against.items() if name[0] in "ng") <= 0.002
    mean = table(real_results, "correlations").groupby("prompt")["r"].mean()
    reasons = mean[["rate_explain", "analyze_rate"]]
    assert (abs(reasons - mean["llm_eval_no_cot"]) < 0.015).all()
    assert mean["llm_eval_no_cot"] - mean["geval_no_auto_cot"] > 0.09
    gains = table(real_results, "gains").set_index(["attribute", "comparison"])
    assert gains.loc[("naturalness", "free text"), "n_items"] == 352
    assert gains.loc[("naturalness", "rate-explain over analyze-rate"), "n_items"] == 358


def test_claims_fail_where_prompts_answer_otherwise(rated, analysis, paper):
    """No small change of the labels refutes them; other answers do."""
    published = read_published(paper.folder / "published.csv").set_index("target")
    rng = np.random.default_rng(1)

    def otherwise(noisy, perfect):
        changed = {}
        for name, each in rated.items():
            first = each.first.copy()
            for prompt in noisy:
                own = each.prompt == PROMPTS.index(prompt)
                first[own] = rng.permutation(first[own])
            for prompt in perfect:
                own = each.prompt == PROMPTS.index(prompt)
                first[own] = np.round(3 * each.people[each.item[own]])
            changed[name] = dataclasses.replace(each, first=first)
        claims = analysis.claims
        found = analysis.values.correlations(changed, analysis.values.PAPER)
        return claims.claims(found, claims.tests(changed))

    base, plain, *others = PROMPTS
    refuted = set()
    for noisy, perfect in (([base, *others], []), ([plain], [base]), ([base], [plain, *others])):
        for target, value in otherwise(noisy, perfect).items():
            row = published.loc[target]
            limit = float(row["value"])
            if not (value < limit if row["relation"] == "lt" else value > limit):
                refuted.add(target)
    standing = pd.read_csv(paper.folder / "standing.csv")
    claimed = standing[standing["test"].fillna("").str.endswith("answer_otherwise")]
    assert set(claimed["target"]) <= refuted
    assert len(claimed) > 10


def test_claims_on_summeval_fail_where_table_1_prints_otherwise(paper, analysis):
    printed = paper.study().printed("summeval").set_index("row")
    for target, row, column in (
        ("cot.fluency", "table1.auto_cot", "fluency"),
        ("free_text.relevance", "table1.free_text", "relevance"),
        ("gpt4.coherence", "table1.gpt4", "coherence"),
    ):
        changed = printed.copy()
        changed.loc[row, column] = 0.7
        before, after = (
            analysis.summeval.claims(table.reset_index())[f"summeval.{target}"]
            for table in (printed, changed)
        )
        assert before * after < 0


def test_the_part_of_table_5_that_repeats_table_1_differs_twice(paper, analysis, printed):
    again = analysis.summeval.printed_again(paper.study().printed("summeval"))
    differing = [target for target, value in again.items() if abs(value - printed[target]) > 1e-9]
    assert differing == ["table5c.rate_explain.fluency", "table5c.analyze_rate.consistency"]


def test_verdicts_on_real_answers(verdicts):
    assert verdicts.loc["summeval.cot.gain", "verdict"] == "reproduced"
    assert verdicts.loc["rate_explain.naturalness.r_within", "verdict"] == "reproduced"
    assert verdicts.loc["rate_explain.naturalness.r", "verdict"] == "deviates"
    assert verdicts.loc["free_text.naturalness.p_value", "verdict"] == "unresolved"
    assert "missing" not in set(verdicts["verdict"])


def test_who_wrote_a_response_says_more_than_any_prompt_on_three_attributes(real_results):
    writers = table(real_results, "writers")
    whole = writers[writers["responses"] == "all"].groupby("attribute")
    better = whole["r"].max() < whole["r_of_who_wrote_it"].first()
    assert better.sum() == 3
    assert not better["groundedness"]


def test_simulated_answers_make_no_claim(paper, results):
    found = paper.compared(results)
    of_answers = found[(found["kind"] == "result") & (found["basis"] == "public_data")]
    assert set(of_answers["verdict"]) <= {"stand_in", "restated"}
