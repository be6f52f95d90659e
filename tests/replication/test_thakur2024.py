"""Judges of trivia answers: what the public files give of a later version, and what is odd."""

import csv

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import sklearn.metrics

from annobench import datasets
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published

RULES = ("em", "contains")


@pytest.fixture(scope="module")
def judged(analysis, real_folder):
    return {
        version: analysis.values.Judged.of(datasets.read(real_folder(f"llm_eval_{version}")))
        for version in ("v1", "v2")
    }


@pytest.fixture(scope="module")
def published(paper):
    return read_published(paper.folder / "published.csv").set_index("target")


@pytest.fixture(scope="module")
def matches(published, real_results):
    """Which computed values print as printed."""
    computed = pd.read_csv(real_results / "computed.csv")
    own = computed[computed["method"] == "paper"].set_index("target")["value"]
    return pd.Series(
        {
            target: agrees(published.loc[target, "value"], published.loc[target, "relation"], value)
            for target, value in own.items()
        }
    )


def of(matches, *prefixes):
    return matches[matches.index.str.startswith(prefixes)]


def test_the_rules_and_all_but_a_few_human_verdicts_are_those_of_the_later_version(matches):
    assert of(matches, "table6.em.", "table6.contains.").sum() == 16
    assert of(matches, "figure1.em.", "figure1.contains.").all()
    assert matches[["figure3.em.tp", "figure3.contains.tp"]].all()
    assert of(matches, "figure9.").all()


def test_a_human_score_is_off_by_one_answer_at_most(published, judged):
    human = judged["v1"].scores(judged["v1"].human)
    for taker, key in {"llama2-7b-base": "llama2_7b_base", "gpt-4t": "gpt4"}.items():
        printed = float(published.loc[f"table6.human.{key}", "value"])
        assert abs(human[taker] - printed) == pytest.approx(0.25)


def test_the_language_models_were_run_again(matches):
    rows = of(matches, "table6.")
    models = rows[~rows.index.str.startswith(("table6.em", "table6.contains", "table6.human"))]
    assert models.mean() < 0.1


def test_table_7_keeps_two_cells_of_the_older_run(matches):
    own = of(matches, "table7.")
    models = own[own.index.str.contains("gpt4|llama3_70b")]
    assert models["table7.llama2_13b.gpt4.base"]
    assert models["table7.llama2_13b.llama3_70b.base"]
    assert models.sum() == 3


def test_figure_16_mixes_two_runs(real_results):
    found = pd.read_csv(real_results / "tables" / "figure16.csv").set_index("judge")
    older = ["gemma_2b", "llama3_8b", "judgelm_7b", "mistral_7b"]
    for name in ("p_c", "p_plus"):
        printed = found[f"printed {name}"]
        from_file = abs(found[f"{name} of the file"] - printed) <= 0.005 + 1e-9
        from_print = abs(found[f"{name} from Figure 3"] - printed) <= 0.005 + 1e-9
        assert from_file[older].all()
        assert not from_print[older].any()
        assert from_print[["llama31_8b", "llama31_70b", "llama3_70b", "llama2_70b"]].all()


def test_pi_and_kappa_of_the_file_by_scikit_learn(mirror, judged, published):
    path = mirror / "llm_eval" / "results" / "TriviaQA_Judges_w_HumanJudgement_V1.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = pd.DataFrame(csv.DictReader(file))
    rows = rows[rows["EM"] != ""]
    pi, kappa = [], []
    for _, own in rows.groupby("model"):
        said, truth = own["EM"] == "True", own["HumanJudgement"] == "True"
        kappa.append(sklearn.metrics.cohen_kappa_score(said, truth))
        chance = (said.mean() + truth.mean()) / 2
        expected = chance**2 + (1 - chance) ** 2
        pi.append(((said == truth).mean() - expected) / (1 - expected))
    found = judged["v1"].found["EM"]
    assert found.mean("scott_pi") == pytest.approx(np.mean(pi))
    assert found.mean("cohen_kappa") == pytest.approx(np.mean(kappa))
    # The printed value is pi; kappa is nine points higher.
    assert abs(100 * np.mean(pi) - float(published.loc["figure1.em.pi", "value"])) < 0.5
    assert 100 * np.mean(kappa) > 42


def test_ranks_of_samples_are_the_mean_over_all_choices_of_six(analysis, judged, rng):
    found = judged["v1"].found["Contains"]
    scores = found.by_group[["judge_score", "gold_score"]].to_numpy()
    drawn = []
    for _ in range(300):
        own = scores[rng.permutation(len(scores))[:6]]
        drawn.append(scipy.stats.spearmanr(own[:, 0], own[:, 1]).statistic)
    mean, sd = analysis.values.ranks_of_samples(found)
    # Four standard errors of the mean of 300.
    assert abs(np.mean(drawn) - mean) < 4 * sd / np.sqrt(300)


def test_the_verdicts_of_gpt_4_on_one_model_go_with_nobodys(real_results):
    odd = pd.read_csv(real_results / "tables" / "agreement_of_judges.csv")
    gpt4 = odd[odd["judge"] == "GPT-4"].set_index("exam_taker")
    assert gpt4.loc["llama2-13b-chat", "phi_with_human"] < 0.3
    others = gpt4.drop("llama2-13b-chat")
    assert (others["phi_with_human"] > 0.6).all()


def test_exact_match_without_contains_is_counted(real_results):
    found = pd.read_csv(real_results / "tables" / "impossible.csv").set_index("exam_taker")
    assert found["EM without Contains"].sum() == 49
    assert found.loc["mistral-7B", "EM"] > found.loc["mistral-7B", "Contains"]


def test_p_c_and_p_plus_solve_the_equations_of_the_appendix(analysis):
    score, knows, guesses = 70.0, 0.8, 0.75
    positive = score * (knows + (1 - knows) * guesses)
    negative = (100 - score) * (knows + (1 - knows) * (1 - guesses))
    numbers = [positive, negative, score]
    assert analysis.printed_sums.known(numbers) == pytest.approx(knows)
    assert analysis.printed_sums.guessed(numbers) == pytest.approx(guesses)


def test_nothing_of_this_paper_is_counted(paper, published):
    results = published[published["kind"] == "result"]
    assert set(results["source"]) <= set(paper.record.second_hand)


def test_checked_answers_help_every_judge_but_the_best(real_results):
    found = pd.read_csv(real_results / "tables" / "corrected.csv")
    error = found.groupby(["judge", "method"])["rms_error"].mean().unstack()
    assert (error["joint model"] < error["human alone"] + 0.02).all()
    assert (error["judge alone"] > error["joint model"]).sum() >= 7
