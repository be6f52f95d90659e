"""The command rank: what it reads, writes and refuses."""

from __future__ import annotations

import html
import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app

ROWS = [
    *[("x", "y", "x", "ann")] * 6,
    *[("y", "x", "x", "bob")] * 3,
    *[("x", "y", "y", "ann")] * 4,
    ("x", "y", "tie", "bob"),
    ("x", "y", "", "bob"),
]
TABLE = pd.DataFrame(ROWS, columns=["left", "right", "winner", "annotator"])


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "160"})


def write(path, table=TABLE):
    match path.suffix:
        case ".csv":
            table.to_csv(path, index=False)
        case ".tsv":
            table.to_csv(path, index=False, sep="\t")
        case ".json":
            path.write_text(json.dumps(table.to_dict("records")))
        case ".jsonl":
            path.write_text("\n".join(map(json.dumps, table.to_dict("records"))))
        case ".parquet":
            table.to_parquet(path, index=False)
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_every_kind_of_file_gives_the_same_ranking(ending, tmp_path):
    path = write(tmp_path / f"pairs.{ending}")
    done = run("rank", path)
    assert done.exit_code == 0, done.output
    assert "1 row without a winner left out" in done.output
    table = pd.read_csv(tmp_path / "pairs_ranking" / "ranking.csv")
    assert table["item"].tolist() == ["x", "y"]
    assert table["wins"].tolist() == [9, 4]
    people = pd.read_csv(tmp_path / "pairs_ranking" / "annotators.csv")
    assert people["reliability"].isna().all()


def test_the_page_says_who_is_first_and_whether_the_position_matters(tmp_path):
    path = write(tmp_path / "pairs.csv")
    done = run("rank", path, "--reliability", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "ranking.html").read_text(encoding="utf-8")
    headline = (
        "“x” has the largest strength of 2 items, but is not significantly better than all others: "
        "its rank may be as low as 2 (Wald tests of all pairs, Holm&#39;s adjustment, level 0.05)."
    )
    assert headline in page
    assert html.unescape(headline) in " ".join(done.output.split())
    # Bob, who saw y first, never chose y.
    assert "Whether the position matters can't be estimated" in " ".join(done.output.split())
    assert 'id="position"' not in page
    assert pd.read_csv(tmp_path / "out" / "annotators.csv")["reliability"].between(0, 1).all()


def battles(rows: int) -> pd.DataFrame:
    """Three systems, of which the first of each row wins three in four comparisons."""
    pairs = [("x", "y"), ("y", "x"), ("y", "z"), ("z", "y"), ("x", "z"), ("z", "x")]
    table = pd.DataFrame([pairs[n % 6] for n in range(rows)], columns=["model_a", "model_b"])
    table["winner"] = ["model_b" if n // 6 % 4 == 3 else "model_a" for n in range(rows)]
    table["prompt"] = [f"p{n // 6 % 12}" for n in range(rows)]
    return table


def test_a_preference_for_the_first_is_in_the_headline_if_its_interval_excludes_one_half(tmp_path):
    path = write(tmp_path / "battles.csv", battles(288))
    pages = {}
    for name, words in {"alone": (), "prompts": ("--clusters", "prompt")}.items():
        done = run("rank", path, *words, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
        pages[name] = (tmp_path / name / "ranking.html").read_text(encoding="utf-8")
        headline = "Of equal items the one shown first wins 75%"
        assert (headline in " ".join(done.output.split())) == (name == "alone")
        assert headline in pages[name]
    # Wilson's limits of 216 of 288 are 70% and 80%, too.
    assert "interval 70% to 80%" in pages["alone"]
    assert "Judgements depend on the position" in pages["alone"]
    # In 9 of 12 prompts always the first won: the log odds have variance 1 / 12 / .75 / .25, times
    # 12 / 11 and 287 / 285, and t(11) is 2.201.
    assert "interval 39% to 93%" in pages["prompts"]
    assert "A preference for a position is not significant" in pages["prompts"]
    assert "within 12 clusters" in pages["prompts"]


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (["p"] * 12, "1 cluster for 3 strengths and other parameters"),
        (["p", "q"] * 6, "2 clusters for 3 strengths and other parameters"),
        (["p", ""] * 6, "row 2: the cluster (column 'prompt') is empty"),
    ],
)
def test_clusters_that_allow_no_interval_are_refused(prompts, message, tmp_path):
    path = write(tmp_path / "battles.csv", battles(36).assign(prompt=prompts * 3))
    done = run("rank", path, "--clusters", "prompt")
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())
    absent = run("rank", path, "--clusters", "topic")
    assert absent.exit_code == 1
    assert "'topic'" in absent.output


def test_few_clusters_are_cautioned_against(tmp_path):
    table = battles(288).assign(prompt=[f"p{n % 8}" for n in range(288)])
    done = run("rank", write(tmp_path / "battles.csv", table), "--clusters", "prompt")
    assert "Only 8 clusters" in done.output


def test_a_system_that_won_all_is_shown_and_said(tmp_path):
    more = pd.DataFrame([("<b>z</b>", "x", "left", "ann")] * 3, columns=TABLE.columns)
    path = write(tmp_path / "pairs.csv", pd.concat([TABLE, more]))
    done = run("rank", path, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "never lost" in done.output
    page = (tmp_path / "out" / "ranking.html").read_text(encoding="utf-8")
    assert "∞" in page
    assert "<b>z</b>" not in page


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        ("left,right,winner\nx,y,z\n", (), "row 1: winner 'z' is neither"),
        ("left,right,winner\n", (), "no rows below the header"),
        ("a1,b1,winner\nx,y,x\n", (), "no column for left"),
        ("left,right,winner\nx,y,x\n", (), "every strength is infinite"),
        ("left,right,winner\nx,y,x\ny,x,y\n", ("--reliability",), "two annotators or more"),
        ("left,right,winner\nx,y,x\ny,x,y\n", ("--level", 2), "level"),
        ("", (), "empty"),
    ],
)
def test_files_that_give_no_ranking_are_refused(content, words, message, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(content)
    done = run("rank", path, *words)
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())
    assert not (tmp_path / "pairs_ranking").exists()


def test_a_folder_or_no_file_is_refused(tmp_path):
    assert "a folder" in run("rank", tmp_path).output
    done = run("rank", tmp_path / "nothing.csv")
    assert done.exit_code == 1
    assert "nothing.csv" in done.output


def test_a_table_that_pandas_wrote_by_columns_is_read(tmp_path):
    path = tmp_path / "pairs.json"
    TABLE.to_json(path)
    assert run("rank", path).exit_code == 0
    table = pd.read_csv(tmp_path / "pairs_ranking" / "ranking.csv")
    assert table["wins"].tolist() == [9, 4]


def test_two_spellings_of_an_item_are_said(tmp_path):
    table = TABLE.replace({"y": "System"})
    table.loc[:1] = table.loc[:1].replace({"System": "system "})
    done = run("rank", write(tmp_path / "pairs.csv", table))
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert (
        "The items that are ranked “System” and “system ” differ only by spaces or capitals" in said
    )


def test_words_for_outcomes_are_no_items_of_the_same_name(tmp_path):
    """An item may be called tie, left or a: the other outcomes show whether words are meant."""
    words = TABLE.copy()
    for row in words.index:
        left, winner = words.loc[row, "left"], words.loc[row, "winner"]
        if winner in ("x", "y"):
            words.loc[row, "winner"] = "left" if winner == left else "right"
    found = {}
    for name in ("y", "tie", "left"):
        called = words.replace({"left": {"y": name}, "right": {"y": name}})
        path = write(tmp_path / f"{name}.csv", called)
        assert run("rank", path).exit_code == 0
        found[name] = pd.read_csv(tmp_path / f"{name}_ranking" / "ranking.csv")
    for name in ("tie", "left"):
        renamed = found["y"].set_index("item").rename(index={"y": name}).sort_index()
        pd.testing.assert_frame_equal(found[name].set_index("item").sort_index(), renamed)
    # Names of items are names: the winner "left" is the item, whatever its position.
    named = TABLE.replace({"y": "left"})
    assert run("rank", write(tmp_path / "named.csv", named)).exit_code == 0
    table = pd.read_csv(tmp_path / "named_ranking" / "ranking.csv").set_index("item")
    assert table.loc["left", "wins"] == 4
