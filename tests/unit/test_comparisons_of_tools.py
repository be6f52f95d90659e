"""Comparisons as AlpacaEval, FastChat and Arena-Hard write them, and winners as 0 and 1.

Files are made here, with a second reader for each: plain JSON or pandas, and formulas of the model.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import cycle, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import ReaderError
from annobench.io.pairs import read_comparisons
from annobench.pairwise import bradley_terry

MODELS = ("fern", "moss", "reed", "tarn")
#: How often a judge of FastChat gave the outcomes of games 1 and 2: 34 of 80 are one.
OUTCOMES = {
    ("model_1", "model_1"): 16,
    ("model_2", "model_2"): 16,
    ("tie", "tie"): 2,
    ("model_2", "model_1"): 16,
    ("model_1", "model_2"): 11,
    ("model_1", "tie"): 10,
    ("tie", "model_1"): 6,
    ("model_2", "tie"): 2,
    ("tie", "model_2"): 1,
}


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "160"})


def write(path, records):
    """Write records as a list, or one a line."""
    lines = map(json.dumps, records)
    path.write_text("\n".join(lines) if path.suffix == ".jsonl" else json.dumps(records))
    return path


def alpaca_eval():
    preferences = [1.5] * 12 + [0] * 4 + [2.0] * 15 + [1.97] * 13 + [1.02] * 12 + [1] * 4
    return [
        {
            "instruction": f"write {n}",
            "output_1": "one",
            "generator_1": "reed",
            "output_2": "two",
            "generator_2": "fern",
            "annotator": "weigher",
            "preference": preference,
        }
        for n, preference in enumerate(preferences)
    ]


def fastchat():
    outcomes = [pair for pair, n in OUTCOMES.items() for _ in range(n)]
    # 7 and 80 have no common divisor.
    outcomes = [outcomes[7 * n % 80] for n in range(80)]
    pairs = cycle(permutations(MODELS, 2))
    return [
        {
            "question_id": 81 + n // 2,
            "model_1": pair[0],
            "model_2": pair[1],
            "g1_winner": first,
            "g2_winner": second,
            "judge": ["gpt-x", "pair-v2"],
            "g1_judgment": "both answer\n\n[[A]]",
            "turn": 1 + n % 2,
        }
        for n, ((first, second), pair) in enumerate(zip(outcomes, pairs, strict=False))
    ]


def arena_hard():
    scores = ["A>B", "A>>B", "A=B", "B>A", "B>>A", None]
    return [
        {
            "question_id": f"q{n}",
            "model": MODELS[1 + n % 3],
            "judge": "gpt-x",
            "games": [{"judgment": "", "score": scores[(n * k + n // 7) % 6]} for k in (1, 5)],
        }
        for n in range(48)
    ]


def one_hot():
    pairs, outcomes = cycle(permutations(MODELS, 2)), cycle("aabtb")
    rows = [
        (n, *pair, "write, please", *(int(outcome == one) for one in "abt"))
        for n, pair, outcome in zip(range(60), pairs, outcomes, strict=False)
    ]
    marks = ["winner_model_a", "winner_model_b", "winner_tie"]
    return pd.DataFrame(rows, columns=["id", "model_a", "model_b", "prompt", *marks])


def test_the_win_rate_of_alpaca_eval_is_stated(tmp_path):
    path = write(tmp_path / "annotations.json", alpaca_eval())
    done = run("rank", path)
    assert done.exit_code == 0, done.output
    values = [
        1.5 if r["preference"] == 0 else r["preference"] for r in json.loads(path.read_text())
    ]
    rate = sum(value - 1 for value in values) / len(values)
    assert rate == pytest.approx(0.5975)
    said = " ".join(done.output.split())
    assert "AlpacaEval: 60 comparisons of 2 models by weigher." in said
    assert "Win rate of “fern” against “reed”: 0.5975 (60 comparisons;" in said
    table = pd.read_csv(tmp_path / "annotations_ranking" / "ranking.csv").set_index("item")
    assert table.loc["fern", ["n_comparisons", "wins", "ties", "losses"]].tolist() == [
        60,
        pytest.approx(60 * rate - 8),
        16,
        pytest.approx(60 * (1 - rate) - 8),
    ]
    page = (tmp_path / "annotations_ranking" / "ranking.html").read_text(encoding="utf-8")
    assert "0.5975 (60 comparisons;" in page


def test_a_probability_counts_as_that_share_of_a_win(tmp_path):
    """Without ties, the strengths are the log odds of the win rate, with a robust variance."""
    records = [r for r in alpaca_eval() if r["preference"] not in (0, 1.5)]
    found = bradley_terry(read_comparisons(write(tmp_path / "a.json", records)))
    wins = np.array([record["preference"] - 1 for record in records])
    n, p = wins.size, wins.mean()
    table = found.table.set_index("item")
    assert table.loc["fern", "strength"] == pytest.approx(math.log(p / (1 - p)) / 2)
    variance = n / (n - 1) * ((wins - p) ** 2).sum() / (n * p * (1 - p)) ** 2
    assert table.loc["fern", "standard_error"] == pytest.approx(math.sqrt(variance) / 2)
    # Where the judge is certain, the preferences are those of a table of winners.
    sure = [r for r in records if r["preference"] in (1, 2)]
    certain = bradley_terry(read_comparisons(write(tmp_path / "b.json", sure)))
    won = [r["generator_1"] if r["preference"] == 1 else r["generator_2"] for r in sure]
    pd.DataFrame({"left": "fern", "right": "reed", "winner": won}).to_csv(
        tmp_path / "b.csv", index=False
    )
    plain = bradley_terry(read_comparisons(tmp_path / "b.csv"))
    pd.testing.assert_frame_equal(certain.table, plain.table)


def test_which_output_is_the_first_is_no_position(tmp_path):
    records = alpaca_eval()
    swap = {"generator_1": "fern", "generator_2": "reed"}
    turned = [r | swap | {"preference": (3 - r["preference"]) % 3} for r in records[::2]]
    mixed = [*records[1::2], *turned]
    one, other = (
        bradley_terry(read_comparisons(write(tmp_path / f"{n}.json", rows)))
        for n, rows in enumerate((records, mixed))
    )
    np.testing.assert_allclose(one.table["strength"], other.table["strength"])
    assert math.isnan(other.first.estimate)


def games(path):
    """Read both games of each line: model shown first, model shown second, winner."""
    for line in path.read_text().splitlines():
        record = json.loads(line)
        names = {"model_1": record["model_1"], "model_2": record["model_2"]}
        first, second = names.values()
        yield first, second, names.get(record["g1_winner"], record["g1_winner"])
        yield second, first, names.get(record["g2_winner"], record["g2_winner"])


def test_both_games_of_fastchat_count_and_its_consistency_is_stated(tmp_path):
    path = write(tmp_path / "gpt-x_pair.jsonl", fastchat())
    done = run("rank", path)
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sum(line["g1_winner"] == line["g2_winner"] for line in lines) == 34
    assert "FastChat: 80 comparisons of 4 models by gpt-x, in 160 games." in said
    assert "34 of 80 comparisons have one outcome in both orders" in said
    played = list(games(path))
    decided = [game for game in played if game[2] != "tie"]
    first = sum(winner == left for left, _, winner in decided)
    assert f"shown first won {first} of {len(decided)} games without a tie" in said
    table = pd.read_csv(tmp_path / "gpt-x_pair_ranking" / "ranking.csv").set_index("item")
    assert table["wins"].to_dict() == Counter(winner for _, _, winner in decided)

    def loss(at):
        strength = dict(zip(MODELS, (*at[:3], -sum(at[:3])), strict=True))
        total = 0.0
        for left, right, winner in played:
            ahead = strength[left] - strength[right] + at[3]
            terms = {left: ahead, "tie": at[4] + ahead / 2, right: 0.0}
            total += math.log(sum(map(math.exp, terms.values()))) - terms[winner]
        return total

    best = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    expected = dict(zip(MODELS, (*best[:3], -sum(best[:3])), strict=True))
    assert table["strength"].to_dict() == pytest.approx(expected, abs=1e-5)
    found = bradley_terry(read_comparisons(path))
    assert found.first.estimate == pytest.approx(1 / (1 + math.exp(-best[3])), abs=1e-5)
    # The two games of a comparison depend on each other.
    assert found.n_clusters == 80


def test_failed_games_of_fastchat_are_left_out_by_reason(tmp_path):
    records = fastchat()
    records[3]["g2_winner"] = "error"
    said = read_comparisons(write(tmp_path / "p.jsonl", records)).remarks
    assert "Left out: 1 games that failed." in said
    assert any("of 79 comparisons have one outcome" in text for text in said)


def test_the_games_of_arena_hard_are_swapped(tmp_path):
    path = write(tmp_path / "judge.jsonl", arena_hard())
    done = run("rank", path)
    assert done.exit_code == 0, done.output
    points = {"A>>B": 1, "A>B": 1, "A=B": 0.5, "B>A": 0, "B>>A": 0}
    won, strong, empty = Counter(), 0, 0
    for line in path.read_text().splitlines():
        record = json.loads(line)
        for n, game in enumerate(record["games"]):
            if game["score"] is None:
                empty += 1
                continue
            of_a = points[game["score"]]
            won[record["model"]] += of_a if n == 1 else 1 - of_a
            won["baseline"] += 1 - of_a if n == 1 else of_a
            strong += ">>" in game["score"]
    said = " ".join(done.output.split())
    assert f"Left out: {empty} games without a verdict." in said
    assert f"Much better (>>): {strong} games. Each counts as one win" in said
    table = pd.read_csv(tmp_path / "judge_ranking" / "ranking.csv").set_index("item")
    assert (table["wins"] + table["ties"] / 2).to_dict() == won
    # Later versions name the baseline in each record, and write the question's name as uid.
    named = [{k: v for k, v in r.items() if k != "question_id"} for r in arena_hard()]
    named = [r | {"uid": f"u{n}", "baseline": "elm"} for n, r in enumerate(named)]
    later = read_comparisons(write(tmp_path / "later.jsonl", named))
    assert "elm" in later.items
    assert later.n_comparisons == 96 - empty


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_winners_in_columns_of_0_and_1(ending, tmp_path):
    table, path = one_hot(), tmp_path / f"train.{ending}"
    table.loc[7, ["winner_model_a", "winner_model_b", "winner_tie"]] = 0
    match ending:
        case "csv" | "tsv":
            table.to_csv(path, index=False, sep="," if ending == "csv" else "\t")
        case "json":
            table.to_json(path, orient="records")
        case "parquet":
            table.to_parquet(path, index=False)
    done = run("rank", path)
    assert done.exit_code == 0, done.output
    assert "Left out: 1 comparisons without a winner." in " ".join(done.output.split())
    plain = table.drop(index=7)
    words = plain[["winner_model_a", "winner_model_b", "winner_tie"]].idxmax(axis=1)
    plain = plain[["model_a", "model_b"]].assign(winner=words.str.removeprefix("winner_"))
    plain.to_csv(tmp_path / "plain.csv", index=False)
    assert run("rank", tmp_path / "plain.csv").exit_code == 0
    read = [
        pd.read_csv(tmp_path / f"{name}_ranking" / "ranking.csv") for name in ("train", "plain")
    ]
    pd.testing.assert_frame_equal(*read)


@pytest.mark.parametrize(
    ("make", "change", "message"),
    [
        (alpaca_eval, {"preference": 2.5}, "preference 2.5 is neither a number from 1 to 2 nor 0"),
        (alpaca_eval, {"preference": "x"}, "preference 'x' is neither"),
        (alpaca_eval, {"generator_1": "fern"}, "'fern' is compared with itself"),
        (alpaca_eval, {"generator_2": None}, "generator_2 is empty"),
        (fastchat, {"g1_winner": "model_3"}, "g1_winner 'model_3' is none of model_1"),
        (arena_hard, {"games": "A>B"}, "games 'A>B' are not a list"),
        (arena_hard, {"games": [{"score": "A>A"}]}, "score 'A>A' is no verdict"),
        (arena_hard, {"games": [{"score": 7}]}, "score 7 is no verdict"),
    ],
)
def test_records_that_cannot_be_read_are_named(make, change, message, tmp_path):
    records = make()
    records[4] |= change
    with pytest.raises(ReaderError) as error:
        read_comparisons(write(tmp_path / "pairs.json", records))
    assert f"record 5: {message}" in str(error.value)


def test_a_row_with_two_winners_is_refused(tmp_path):
    one_hot().assign(winner_tie=1).to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(ReaderError, match="record 1: more than one outcome is 1"):
        read_comparisons(tmp_path / "two.csv")
    one_hot().assign(winner_tie="maybe").to_csv(tmp_path / "word.csv", index=False)
    with pytest.raises(ReaderError, match="winner_tie 'maybe' is neither 0 nor 1"):
        read_comparisons(tmp_path / "word.csv")


def test_a_file_without_any_outcome_is_refused(tmp_path):
    records = [record | {"preference": None} for record in alpaca_eval()]
    with pytest.raises(ReaderError, match="no record has an outcome"):
        read_comparisons(write(tmp_path / "a.json", records))


def test_columns_may_be_named_for_these_files_too(tmp_path):
    path = write(tmp_path / "pair.jsonl", [r | {"who": f"j{r['turn']}"} for r in fastchat()])
    read = read_comparisons(path, annotator="who", clusters="question_id")
    assert read.annotators == ("j1", "j2")
    assert bradley_terry(read).n_clusters == 40
    done = run("rank", path, "--clusters", "topic")
    assert done.exit_code == 1
    assert "column 'topic', given with --clusters, is not among" in " ".join(done.output.split())
    missing = write(tmp_path / "none.jsonl", [r | {"who": None} for r in fastchat()])
    with pytest.raises(ReaderError, match=r"record 1: the cluster \(column 'who'\) is empty"):
        read_comparisons(missing, clusters="who")


def test_errors_name_options_of_the_command_line(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("a1,b1,winner\nx,y,x\n")
    said = " ".join(run("rank", path).output.split())
    assert "no column for left" in said
    assert "Name it with --left." in said


def test_reliabilities_of_judges_that_give_probabilities(tmp_path):
    records = [r | {"annotator": who} for r in alpaca_eval() for who in ("weigher", "second")]
    found = bradley_terry(read_comparisons(write(tmp_path / "a.json", records)), reliability=True)
    assert found.annotators["n_comparisons"].tolist() == [60, 60]
    assert found.annotators["reliability"].between(0, 1).all()
