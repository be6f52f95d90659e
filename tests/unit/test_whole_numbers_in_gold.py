"""What names categories beside the labels may write 5 or 5.0: gold, checks, options, answers."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.aggregation.gold import fit_with_gold
from annobench.agreement import conditional_kappa, krippendorff_alpha, specific_agreement
from annobench.audit import assessment, design, planning
from annobench.benchmark.external_methods.answers import to_posterior
from annobench.benchmark.external_methods.data import own_case
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.io import read_gold, read_labels
from annobench.judges import assessment as judges
from annobench.judges.consistency import position_table
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import Hierarchy
from annobench.labels.merging import from_pairs
from annobench.models import dawid_skene

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(1, 4, 60)
GIVEN = np.where(RNG.random((60, 4)) < 0.8, TRUTH[:, None], RNG.integers(1, 4, (60, 4)))
WIDE = pd.DataFrame(GIVEN, index=[str(n) for n in range(60)], columns=["a", "b", "c", "llm"])
LABELS = Annotations.from_wide(WIDE)
#: Gold with gaps, as pandas saves it, and as it was.
GOLD = {name: str(k) for name, k in zip(WIDE.index, TRUTH, strict=True) if int(name) % 3}
FLOATS = {name: f"{k}.0" for name, k in GOLD.items()}


def test_a_gold_file_with_gaps_names_the_same_categories(tmp_path):
    frame = pd.DataFrame({"item": WIDE.index, "gold": [GOLD.get(name) for name in WIDE.index]})
    frame["gold"] = frame["gold"].astype(float)
    frame.to_csv(tmp_path / "gold.csv", index=False)
    assert "1.0" in (tmp_path / "gold.csv").read_text()
    frame.to_parquet(tmp_path / "gold.parquet")
    for name in ("gold.csv", "gold.parquet"):
        assert read_gold(tmp_path / name) == GOLD
    (tmp_path / "twice.csv").write_text("item,gold\nx,5\nx,5.0\ny,2.00\n")
    assert read_gold(tmp_path / "twice.csv") == {"x": "5", "y": "2"}


def test_models_take_gold_in_both_spellings():
    ours, other = (fit_with_gold(LABELS, gold, rng=1) for gold in (FLOATS, GOLD))
    assert np.array_equal(ours[0].posterior, other[0].posterior)
    assert ours[1].accuracy == other[1].accuracy
    assert ours[1].remarks == ()
    ours, other = (dawid_skene.fit(LABELS, gold=gold).posterior for gold in (FLOATS, GOLD))
    assert np.array_equal(ours, other)
    assert np.array_equal(own_case("own", LABELS, FLOATS).gold, own_case("own", LABELS, GOLD).gold)


def test_judges_take_gold_in_both_spellings():
    ours, other = (
        judges.assess(LABELS, ["llm"], gold=g, replicates=20, rng=1) for g in (FLOATS, GOLD)
    )
    assert ours.basis == other.basis == "gold"
    pd.testing.assert_frame_equal(ours.rates, other.rates)
    first = [str(1 + n % 2) for n in range(LABELS.n_labels)]
    ours, other = (position_table(LABELS, names) for names in ([f"{k}.0" for k in first], first))
    pd.testing.assert_frame_equal(ours, other)


def test_audits_take_checks_in_both_spellings():
    posterior = dawid_skene.fit(LABELS).posterior
    drawn = design.draw(LABELS.items, LABELS.categories, posterior, 20, rng=1)
    items = [name for name, is_drawn in zip(drawn.items, drawn.drawn, strict=True) if is_drawn]
    checks = {name: str(TRUTH[int(name)]) for name in items}
    ours, other = (
        assessment.assess(drawn, checked, rng=1)
        for checked in ({name: f"{k}.0" for name, k in checks.items()}, checks)
    )
    assert ours.accuracy == other.accuracy
    pd.testing.assert_frame_equal(ours.prevalence, other.prevalence)


def test_options_that_name_a_category_take_both_spellings():
    pair = LABELS.select(annotators=["a", "b"])
    for function in (specific_agreement, conditional_kappa):
        assert function(pair, "1.0").estimate == function(pair, "1").estimate
    distances = pd.DataFrame([[0, 1, 3], [1, 0, 1], [3, 1, 0]], [1.0, 2.0, 3.0], ["1", "2.0", 3])
    by_name, by_place = (
        krippendorff_alpha(LABELS, metric=table).estimate
        for table in (distances, distances.to_numpy())
    )
    assert by_name == by_place
    assert LABELS.binarize("2.0").categories == ("not 2", "2")
    assert planning.components(LABELS, "3.0") == planning.components(LABELS, "3")
    assert from_pairs(LABELS.categories, [("1.0", "2")]).tolist() == [0, 0, 2]
    levels = Hierarchy({"two": {"1.0": "low", "2.0": "low", "3.0": "9.0"}})
    assert levels.collapse(LABELS, "two").categories == ("low", "9")


def test_answers_of_methods_from_outside_name_categories_in_both_spellings():
    posterior = dawid_skene.fit(LABELS).posterior
    table = pd.DataFrame(posterior, index=LABELS.items, columns=["1.0", "2.0", "3.0"])
    assert np.allclose(to_posterior(table, LABELS), posterior)
    floats = table.set_axis([1.0, 2.0, 3.0], axis=1)
    assert np.allclose(to_posterior(floats, LABELS), posterior)
    named = pd.Series([f"{k}.0" for k in TRUTH], index=LABELS.items)
    assert to_posterior(named, LABELS).argmax(axis=1).tolist() == (TRUTH - 1).tolist()


@pytest.mark.parametrize(
    "use",
    [
        lambda gold: fit_with_gold(LABELS, gold),
        lambda gold: dawid_skene.fit(LABELS, gold=gold),
        lambda gold: own_case("own", LABELS, gold),
        lambda gold: judges.assess(LABELS, ["llm"], gold=gold, replicates=20, rng=1),
    ],
)
def test_gold_whose_items_have_a_decimal_point_is_refused_and_the_point_named(use):
    with pytest.raises(AnnotationError, match=r"'1\.0' is written '1' there: write such numbers"):
        use({f"{item}.0": category for item, category in GOLD.items()})
    with pytest.raises(AnnotationError) as caught:
        use({f"text {item}": category for item, category in GOLD.items()})
    assert "is written" not in str(caught.value)


@pytest.fixture
def files(tmp_path):
    """The labels with one gap as pandas saves them, and gold of float items and categories."""
    frame = WIDE.rename(columns=lambda name: f"annotator_{name}").rename_axis("item")
    frame.iloc[3, 1] = np.nan
    frame.to_csv(tmp_path / "labels.csv")
    gold = pd.DataFrame({"item": WIDE.index, "gold": [GOLD.get(name) for name in WIDE.index]})
    gold.astype({"gold": float}).to_csv(tmp_path / "gold.csv", index=False)
    gold.astype({"item": float}).to_csv(tmp_path / "float_items.csv", index=False)
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_commands_find_as_many_categories_as_there_are(files):
    from_wide = ("--from", "wide")
    shown = run("inspect", files / "labels.csv", *from_wide)
    assert shown.exit_code == 0, shown.output
    assert "1.0" not in shown.output
    assert " 1, 2, 3" in shown.output
    options = ("--gold", files / "gold.csv", "--replicates", "0", "--out", files / "consensus")
    found = run("consensus", files / "labels.csv", *from_wide, *options)
    assert found.exit_code == 0, found.output
    categories = pd.read_csv(files / "consensus" / "prevalence.csv", dtype=str)["category"]
    assert categories.tolist() == ["1", "2", "3"]
    assert "category without labels" not in found.output
    refused = run(
        *("consensus", files / "labels.csv", *from_wide, "--replicates", "0"),
        *("--gold", files / "float_items.csv", "--out", files / "other"),
    )
    assert refused.exit_code == 1
    assert "'1.0' is written '1' there" in refused.output.replace("\n", " ")


def test_an_audit_takes_checks_that_a_spreadsheet_made_floats(files):
    labels = (files / "labels.csv", "--from", "wide", "--out", files / "audit")
    drawn = run("audit", *labels, "--checks", "20")
    assert drawn.exit_code == 0, drawn.output
    path = files / "audit" / "to_check.csv"
    checks = pd.read_csv(path, dtype={"item": str})
    checks["gold"] = [float(TRUTH[int(item)]) for item in checks["item"]]
    checks.to_csv(files / "checked.csv", index=False)
    found = run("audit", labels[0], *labels[3:], "--checked", files / "checked.csv")
    assert found.exit_code == 0, found.output


def test_a_log_of_judges_may_hold_floats_and_gold_of_texts(tmp_path):
    records = [
        {"item": str(n), "judge": who, "verdict": given, "gold": f"{TRUTH[n]}.0"}
        for n in range(12)
        for who, given in (("m1", int(TRUTH[n])), ("m2", f"{TRUTH[n]}.00"), ("m3", float(TRUTH[n])))
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    labels = read_labels(path, scale="nominal")
    assert labels.n_categories == len(set(TRUTH[:12]))
    assert not labels.is_disputed.any()
