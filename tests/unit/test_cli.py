"""The command line, from a user's file to files on disk."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from panels import skilled
from typer.testing import CliRunner

from annobench import models
from annobench.cli import app
from annobench.io import write_labels
from annobench.labels.annotations import Annotations


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def labels(tmp_path):
    made = skilled(40, 6)
    path = tmp_path / "labels.csv"
    write_labels(made.annotations, path)
    return path


def binary(run, labels, out, *words, draws=200):
    """Fit the multilevel binary model from the command line."""
    options = ("--model", "hierarchical_binary", "--option", f"draws={draws}")
    return run("consensus", labels, "--out", out, *options, *words)


def test_a_sampler_writes_items_annotators_convergence_and_a_plot(run, labels, tmp_path):
    out = tmp_path / "deep" / "fitted"
    result = binary(run, labels, out)
    assert result.exit_code == 0, result.output
    assert "prevalence of '1'" in result.output
    items = pd.read_csv(out / "items.csv")
    assert len(items) == 40
    np.testing.assert_allclose(items["probability_0"] + items["probability_1"], 1)
    annotators = pd.read_csv(out / "annotators.csv")
    assert (annotators["sensitivity_lower95"] <= annotators["sensitivity"]).all()
    assert annotators["probability_better_than_chance"].between(0, 1).all()
    assert annotators["n_labels"].sum() == len(pd.read_csv(labels))
    assert {"parameter", "r_hat", "ess_bulk"} <= set(pd.read_csv(out / "convergence.csv"))
    assert (out / "consensus.svg").stat().st_size > 1_000
    assert not list(out.glob(".draft*")), "no temporary file may stay"


def test_the_positive_category_can_be_named(run, labels, tmp_path):
    ones, zeros = tmp_path / "ones", tmp_path / "zeros"
    binary(run, labels, ones, draws=400)
    binary(run, labels, zeros, "--categories", "1,0", draws=400)
    first, second = (
        pd.read_csv(f / "annotators.csv").set_index("annotator") for f in (ones, zeros)
    )
    # Exchanging the categories exchanges sensitivity and specificity; Monte Carlo noise of a
    # posterior mean from 1,600 draws of standard deviation at most 0.2 is below 0.03.
    np.testing.assert_allclose(first["sensitivity"], second["specificity"], atol=0.03)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,annotator,label\nx,ann,1\nx,bob\n", "line 3"),
        ("item,annotator,label\n", "a header but no rows"),
        (
            "item,annotator,label\nx,ann,1\ny,ann,2\nz,ann,3\n",
            "'1' (1 times), '2' (1 times), '3' (1 times)",
        ),
        ("thing,annotator,label\nx,ann,1\n", "item"),
        ("item,annotator,label\nx,ann,no\ny,ann,No\nz,ann,yes\n", "only by spaces or capitals"),
        ("item,annotator,label\nx,ann,1\ny,bob,1\nx,bob,1\n", "if only one occurs"),
    ],
)
def test_a_bad_file_gets_a_message_and_leaves_nothing(run, tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    result = binary(run, path, tmp_path / "out")
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_a_label_that_is_none_of_the_named_categories_is_refused(run, labels, tmp_path):
    result = binary(run, labels, tmp_path / "out", "--categories", "no,yes")
    assert result.exit_code == 1
    assert "is not one of 'no', 'yes'" in " ".join(result.output.split())


def test_an_output_folder_that_is_a_file_is_named(run, labels):
    result = run("consensus", labels, "--out", labels)
    assert result.exit_code == 1
    assert "labels.csv can't be written" in " ".join(result.output.split())


def test_a_category_that_never_occurs_can_be_named(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\nx,ann,yes\ny,ann,yes\nx,bob,yes\n")
    result = binary(run, path, tmp_path / "out", "--categories", "no,yes", draws=100)
    assert result.exit_code == 0, result.output
    assert "hardly distinguish annotators from chance" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("smooth=1",), "no option 'smooth'. Did you mean 'smoothing'?"),
        (("smoothing",), "no value. Write name=value"),
        (("smoothing=-1",), "smoothing must be above 0"),
        (("tie=coin",), "tie 'coin' is not one of none, category, one_coin"),
        (("smoothing=abc",), '--option smoothing="abc" is not a number, as dawid_skene needs'),
        (("max_iterations=abc",), '--option max_iterations="abc" is not a whole number'),
        (("max_iterations=2.5",), "--option max_iterations=2.5 is not a whole number"),
        (("tolerance=true",), "--option tolerance=true is not a number"),
        (("threads=many",), '--option threads="many" is not a whole number'),
        (("gold=gold.csv",), "--option gold has an option of its own. Use --gold"),
        (
            ("hierarchical=perhaps", "--model", "hierarchical_binary"),
            '--option hierarchical="perhaps" is not true or false',
        ),
        (("rng=3", "--model", "mace"), "--option rng has an option of its own. Use --seed"),
    ],
)
def test_an_option_that_the_model_does_not_take_is_refused(run, labels, tmp_path, words, message):
    model = "--model", "dawid_skene"
    result = run("consensus", labels, "--out", tmp_path / "out", *model, "--option", *words)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_options_reach_the_model_and_its_search_for_other_optima(run, labels, tmp_path):
    free, tied = tmp_path / "free", tmp_path / "tied"
    for out, words in ((free, ()), (tied, ("--option", "tie=one_coin", "--option", "smoothing=1"))):
        model = "--model", "dawid_skene"
        result = run("consensus", labels, "--out", out, "--replicates", 0, *model, *words)
        assert result.exit_code == 0, result.output
    table = pd.read_csv(tied / "confusion.csv", dtype={"category": str, "label": str})
    right = table[table["category"].eq(table["label"])]
    assert right.groupby("annotator")["probability"].nunique().eq(1).all()
    assert not table["probability"].equals(pd.read_csv(free / "confusion.csv")["probability"])


def test_a_negative_seed_is_refused_without_a_traceback(run, labels, tmp_path):
    result = run("consensus", labels, "--out", tmp_path / "out", "--seed", -1)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_consensus_writes_categories_with_certainty_beside_the_file(run, tmp_path):
    path = tmp_path / "labels.csv"
    rows = [f"{i},{j},{k}" for i, k in enumerate("aabbcc") for j in "xyz"]
    path.write_text("\n".join(["item,annotator,label", *rows]))
    result = run("consensus", path, "--replicates", 20)
    assert result.exit_code == 0, result.output
    assert "18 labels of 3 annotators for 6 items, by Dawid and Skene's model" in result.output
    items = pd.read_csv(tmp_path / "labels_consensus" / "items.csv")
    assert "".join(items["category"]) == "aabbcc"
    annotators = pd.read_csv(tmp_path / "labels_consensus" / "annotators.csv")
    assert (annotators["accuracy_lower95"] <= annotators["accuracy"]).all()


def test_consensus_lists_the_models_and_leaves_nothing(run, labels, tmp_path):
    result = run("consensus", labels, "--model", "magic", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert f"one of {', '.join(sorted(models.discover()))}" in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_data_list_names_every_data_set(run):
    result = run("data", "list")
    assert result.exit_code == 0
    assert "snow2008_rte" in result.output


def test_data_fetch_simulates_on_request(run, tmp_path):
    result = run("data", "fetch", "anesthesia", "--mode", "simulated", "--out", tmp_path / "a")
    assert result.exit_code == 0, result.output
    assert "SIMULATED, not real" in result.output


def test_data_fetch_suggests_the_nearest_name(run, tmp_path):
    result = run("data", "fetch", "snow2008_rt", "--out", tmp_path / "a")
    assert result.exit_code == 1
    assert "snow2008_rte" in result.output


# ---------------------------------------------------------------------------- annobench report

CLEAN = "item,annotator,label\nx,a,1\nx,b,1\ny,a,2\ny,b,1\nz,a,2\nz,b,2\n"
DOCS = Path(__file__).resolve().parents[2] / "docs"

#: The labels of CLEAN as users write them, and the options that they need.
MESSY = {
    "clean": (CLEAN.encode(), ()),
    "byte order mark and semicolons": (b"\xef\xbb\xbf" + CLEAN.replace(",", ";").encode(), ()),
    "spaces and capitals in the header": (
        CLEAN.replace("item,annotator,label", " Item ID , Worker-ID ,Response").encode(),
        (),
    ),
    "Windows line ends": (CLEAN.replace("\n", "\r\n").encode(), ()),
    "quotes": (CLEAN.replace("a,", '"a",').encode(), ()),
    "other columns": (
        CLEAN.replace("item,annotator,label", "thing,who,what").encode(),
        ("--item", "thing", "--annotator", "who", "--label", "what"),
    ),
    "a missing label": ((CLEAN + "w,a,\nw,b,2\n").encode(), ()),
    "a repeated row": ((CLEAN + "x,a,1\n").encode(), ("--repeats", "first")),
    "a second label": ((CLEAN + "x,a,2\n").encode(), ("--repeats", "first")),
}


@pytest.fixture
def report(run, tmp_path):
    """Write a file, report on it, and return the result, the table and the page."""

    def reported(content, *words, name="labels.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = run("report", path, "--out", tmp_path / "out", *words)
        assert "Traceback" not in result.output
        if result.exit_code:
            assert not (tmp_path / "out").exists()
            return result, None, None
        assert not list((tmp_path / "out").glob(".draft*")), "no temporary file may stay"
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        return result, pd.read_csv(tmp_path / "out" / "report.csv"), page

    return reported


def overall(table, coefficient):
    chosen = table["breakdown"].eq("overall") & table["coefficient"].eq(coefficient)
    return table.loc[chosen, "estimate"].iloc[0]


@pytest.mark.parametrize("case", MESSY)
def test_report_reads_what_users_write(report, case):
    content, words = MESSY[case]
    result, table, page = report(content, *words)
    assert result.exit_code == 0, result.output
    assert "Percent agreement" in result.output
    # x and z agree, y does not
    assert overall(table, "percent_agreement") == pytest.approx(2 / 3)
    assert "labels.csv" in page
    if "--repeats" in words:
        assert "the first was kept" in " ".join(result.output.split())
        assert "the first was kept" in page


def test_report_writes_beside_the_file_by_default(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(CLEAN)
    assert run("report", path).exit_code == 0
    written = sorted(file.name for file in (tmp_path / "mine_agreement").iterdir())
    assert written == [".annobench.json", "report.csv", "report.html", "to_discuss.csv"]


def test_report_escapes_names(report):
    names = ("<script>alert(1)</script>", "ünï & <b>", "a, b")
    text = "item,annotator,label\n" + "".join(
        f'"{i}","{names[j]}","{names[(i + j) % 3]}"\n' for i in range(6) for j in range(3)
    )
    result, table, page = report(text)
    assert result.exit_code == 0, result.output
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "ünï &amp; &lt;b&gt;" in page
    assert not re.search(r"https?://", page)
    assert set(names) <= set(table["of"].dropna())


def test_report_keeps_markup_of_the_terminal_literal(report):
    text = "item,annotator,label\nx,a,[red]1\nx,b,[/red]2\nx,c,1\n"
    result, _, _ = report(text)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("text", "words", "coefficient", "options"),
    [
        (
            "x,a,low\nx,b,mid\ny,a,high\ny,b,high\n",
            ("--order", "low,mid,high"),
            "cohen_kappa",
            "weights=quadratic",
        ),
        ("x,a,1\nx,b,2\ny,a,10\ny,b,9\n", ("--scale", "ordinal"), "krippendorff_alpha", ""),
        ("x,a,1.5\nx,b,2\ny,a,10\ny,b,9\nz,a,4\nz,b,4\n", ("--scale", "interval"), "pearson", ""),
        (
            "x,a,p|q\nx,b,p\ny,a,q\ny,b,|\n",
            ("--scale", "set", "--separator", "|"),
            "krippendorff_alpha",
            "metric=jaccard",
        ),
    ],
)
def test_report_takes_every_scale(report, text, words, coefficient, options):
    result, table, _ = report("item,annotator,label\n" + text, *words)
    assert result.exit_code == 0, result.output
    chosen = table["coefficient"].eq(coefficient) & table["options"].fillna("").eq(options)
    assert table.loc[chosen & table["breakdown"].eq("overall"), "estimate"].notna().all()
    assert chosen.any()


def test_report_takes_the_scale_that_a_parquet_file_keeps(run, tmp_path):
    a = Annotations.from_arrays(
        ["x", "x", "y", "y"],
        ["a", "b"] * 2,
        ["low", "mid", "high", "high"],
        categories=["low", "mid", "high"],
        scale="ordinal",
    )
    write_labels(a, tmp_path / "labels.parquet")
    result = run("report", tmp_path / "labels.parquet")
    assert result.exit_code == 0, result.output
    assert "2 annotators for 2 items, ordinal" in result.output
    assert run("report", tmp_path / "labels.parquet", "--scale", "ordinal").exit_code == 0


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("x,a,1\ny,a,2\n", "one annotator"),
        ("x,a,1\ny,b,2\nz,c,1\n", "nothing to compare"),
        ("x,a,1\nx,b,2\n", "Only 1 item"),
        ("x,a,s\nx,b,s\ny,a,s\ny,b,s\n", "most coefficients are undefined"),
        ("".join(f"{i},{a},{i}{a}\n" for i in range(60) for a in "ab"), "column of labels?"),
        ("".join(f"{i},{a},{3 * i % 5}\n" for i in range(60) for a in "ab"), "set the scale"),
    ],
)
def test_report_says_what_is_wrong_with_poor_data(report, text, note):
    result, table, page = report("item,annotator,label\n" + text)
    assert result.exit_code == 0, result.output
    assert note in " ".join(result.output.split())
    assert note in page
    assert not table.empty


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (
            CLEAN + "x,a,1\n",
            (),
            "1 of 7 labels is not the annotator's first for the item, 1 of "
            "them the same label again; such as that of 'a' on 'x' (line 8)",
        ),
        (CLEAN + "x,a,2\n", (), "--repeats first"),
        ("item,annotator,label\nx,André,1\n".encode("latin-1"), (), "Latin-1 or Windows-1252"),
        (b"PK\x03\x04\xff\xfe", (), "save the sheet as CSV"),
        (CLEAN.replace("item", "thing"), (), "Say which it is with --item."),
        (
            "item,annotator,label\nx,a,low\nx,b,high\n",
            ("--scale", "ordinal"),
            "with --order, lowest",
        ),
        (CLEAN, ("--order", "1,3"), "label '2' is not one of '1', '3'"),
        (CLEAN, ("--order", "1"), "two categories or more"),
        (CLEAN, ("--order", "1,1,2"), "listed twice"),
        (CLEAN, ("--order", "1,2", "--scale", "set"), "Drop one of them"),
        (CLEAN, ("--scale", "set"), "no label, such as '1', contains the separator ';'"),
        ("item,annotator,label\nx,a,yes\n", ("--scale", "interval"), "line 2: label 'yes'"),
        (CLEAN, ("--level", 95), "--level 95 is not between 0 and 1"),
        ("", (), "the file is empty"),
    ],
)
def test_report_refuses_with_a_remedy_and_leaves_nothing(report, content, words, message):
    result, _, _ = report(content, *words)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


def test_report_with_a_seed_repeats_itself(run, labels, tmp_path):
    for folder in ("once", "again"):
        assert run("report", labels, "--out", tmp_path / folder, "--seed", 3).exit_code == 0
    once, again = (tmp_path / folder / "report.csv" for folder in ("once", "again"))
    assert once.read_bytes() == again.read_bytes()
    assert "percentile" in once.read_text()
    pages = [(tmp_path / folder / "report.html").read_bytes() for folder in ("once", "again")]
    assert pages[0] == pages[1]


def test_intervals_without_width_are_explained_once_in_the_terminal(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,annotator,label\n" + "".join(f"i{i},{a},{i % 2}\n" for i in range(40) for a in "ab"),
        encoding="utf-8",
    )
    result = run("report", path)
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert said.count("have zero width") == 1
    assert (
        "have zero width, as the labels of each of the 40 items agree, and are uninformative."
        in said
    )
    # 1 - 0.05 ** (1 / 40)
    assert "Up to 7.2% of other items may show a disagreement (95% limit)" in said
    assert "IntervalWarning" not in said


def test_a_consensus_of_one_annotator_is_refused_in_words(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "item,annotator,label\n" + "".join(f"i{i},ann,{i % 3 // 2}\n" for i in range(30)),
        encoding="utf-8",
    )
    result = run("consensus", path)
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert said.startswith(
        "annobench: adjusted_dawid_skene: all labels are of one annotator, 'ann'"
    )
    assert "labelled by a second annotator" in said
    assert "Traceback" not in said
    assert not (tmp_path / "labels_consensus").exists()
    # A model that judges nobody takes them.
    assert run("consensus", path, "--model", "voting").exit_code == 0
