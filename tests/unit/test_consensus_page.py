"""The page of a consensus: what to do next, and nothing of a user's names runs."""

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import annobench as ab
from annobench.aggregation.consensus import consensus
from annobench.cli import app
from annobench.labels.annotations import Annotations
from annobench.reporting import consensus_page


def made(n_items=150, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n_items)
    rows = []
    for annotator, accuracy in (("a", 0.9), ("b", 0.9), ("c", 0.85), ("<guess>", 0.5)):
        right = rng.random(n_items) < accuracy
        rows += [
            (f"i{n}", annotator, "yn"[k if ok else 1 - k])
            for n, (k, ok) in enumerate(zip(truth, right, strict=True))
        ]
    return Annotations.from_arrays(*map(list, zip(*rows, strict=True)))


@pytest.fixture(scope="module")
def labels():
    return made()


@pytest.fixture(scope="module")
def found(labels):
    return consensus(labels, rng=1, replicates=20)


def text_of(page):
    body = page[page.index("<main") :]
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", body, flags=re.DOTALL).split())


def test_the_annotator_near_chance_is_named_with_the_share_of_labels(found, labels):
    page = text_of(consensus_page.render(found, labels, source="x.csv"))
    assert "Talk to “&lt;guess&gt;” (150 labels, 25%)" in page
    assert "gave 25% of all labels" in page


def test_rules_count_items_and_the_errors_that_the_model_expects(found, labels):
    page = text_of(consensus_page.render(found, labels, source="x.csv"))
    probability = found.items["probability"]
    kept = probability[probability >= 0.9]
    assert f"at least 0.9 {len(kept)} " in page
    assert f"{(1 - kept).sum():.1f} " in page.split("at least 0.9 ")[1][:40]


def test_doubtful_items_come_first_with_their_text(found, labels):
    least = found.items.sort_values("probability", kind="stable").iloc[0]
    texts = {least["item"]: "<script>alert(1)</script>" + "x" * 500}
    page = consensus_page.render(found, labels, source="x.csv", texts=texts)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "x" * 200 not in page
    rows = text_of(page).split("Doubtful items")[1]
    assert rows.index(least["item"]) < 60


def test_every_model_of_votes_has_a_page(labels):
    small = labels.select(items=labels.items[:30])
    for model in ("voting", "one_coin", "zero_based_skill"):
        found = consensus(small, model=model, rng=1, replicates=0)
        assert "What to do next" in consensus_page.render(found, small, source="x")


def test_a_single_category_has_a_page():
    a = Annotations.from_arrays(list("xxyy"), list("abab"), ["only"] * 4)
    page = consensus_page.render(consensus(a, replicates=0), a, source="x.csv")
    assert "only" in text_of(page)


def test_the_page_lists_labels_most_likely_wrong_and_accuracies(found, labels):
    page = consensus_page.render(found, labels, source="labels.csv", texts={"i1": "<i>text"})
    text = text_of(page)
    n = len(found.doubtful_labels)
    assert f"The 15 least probable of {n} labels with a probability below 0.5" in text
    section = page[page.index('id="labels"') :]
    shown = re.findall(r'<tr><td title="(i\d+)">', section)[:15]
    assert shown == found.doubtful_labels["item"].head(15).tolist()
    assert "&lt;guess&gt;" in section
    row = found.annotators.set_index("annotator").loc["a"]
    assert f"{row['accuracy']:.3f}" in page[page.index('id="annotators"') :]


@pytest.mark.parametrize("name", ["consensus", "certificate"])
def test_pages_name_the_next_command_as_it_is_typed_for_these_labels(labels, tmp_path, name):
    path = tmp_path / "labels.csv"
    ab.write_labels(labels, path)
    path.write_text(path.read_text().replace("item,", "scan,"))
    options = ["--item", "scan", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [name, str(path), *options])
    assert done.exit_code == 0, done.output
    page = (tmp_path / f"out/{name}.html").read_text()
    assert f"<code>annobench audit {path} --item scan</code>" in page
    assert "<code>annobench audit</code>" not in page


@pytest.mark.parametrize(
    ("model", "ends"),
    [("dawid_skene", r" \(95% interval 0\.\d{3} to \d\.\d{3}\)"), ("one_coin", "")],
)
def test_the_terminal_says_how_accurate_annotators_are_the_least_first(tmp_path, model, ends):
    path = tmp_path / "labels.csv"
    ab.write_labels(made(40), path)
    header, *rows = path.read_text().splitlines()
    copies = [row.replace(",", f",{k}", 1) for row in rows for k in "xyz"]
    path.write_text("\n".join([header, *copies]))
    done = CliRunner().invoke(app, ["consensus", str(path), "--model", model])
    assert done.exit_code == 0, done.output
    shown = re.findall(rf"^accuracy of '(.+)': (0\.\d{{3}}){ends}$", done.output, re.M)
    accuracies = [float(accuracy) for _, accuracy in shown]
    assert accuracies == sorted(accuracies)
    assert len(shown) == 10
    assert "2 more annotators have a higher accuracy, see annotators" in done.output


def test_labels_that_count_twice_are_remarked_on(labels, tmp_path):
    ab.write_labels(labels, path := tmp_path / "labels.csv")
    said = "not the annotator's first for the item, 1 of them the same label again: all count"
    assert said not in CliRunner().invoke(app, ["consensus", str(path), "--model", "voting"]).output
    text = path.read_text()
    path.write_text(text + text.splitlines()[1] + "\n")
    twice = CliRunner().invoke(app, ["consensus", str(path), "--model", "voting"]).output
    assert f"1 of {labels.n_labels + 1} labels is {said}" in twice
    words = ["consensus", str(path), "--model", "voting", "--repeats", "first"]
    assert "the first was kept" in CliRunner().invoke(app, words).output


def test_the_terminal_says_no_accuracy_where_the_model_estimates_none(labels, tmp_path):
    ab.write_labels(labels, path := tmp_path / "labels.csv")
    done = CliRunner().invoke(app, ["consensus", str(path), "--model", "voting"])
    assert "prevalence of" in done.output
    assert "accuracy" not in done.output


def test_the_page_and_the_terminal_say_that_gold_was_chosen(tmp_path):
    rows = [["1", "1", "1"]] * 113 + [["1", "1", "0"]] * 57 + [["0", "1", "0"]] * 10
    lines = [f"i{n},{','.join(row)},{'1' if n >= 113 else ''}" for n, row in enumerate(rows)]
    path = tmp_path / "clean.csv"
    path.write_text("\n".join(["item,Anna,Ben,Carla,Adjudicated", *lines]))
    command = ["consensus", str(path), "--from", "wide", "--gold", "Adjudicated"]
    done = CliRunner().invoke(app, [*command, "--model", "voting", "--sets", "0.9"])
    assert done.exit_code == 0, done.output
    printed = " ".join(done.output.split())
    assert "accuracy of the 67 items that gold represents 0.851" in printed
    assert "Gold is not a random sample" in printed
    assert "label 43 more items (43 of those with all labels agreeing)" in printed
    folder = tmp_path / "clean_consensus"
    to_label = (folder / "to_label.csv").read_text().splitlines()
    assert to_label[0] == "item,labels,gold"
    assert len(to_label) == 44
    page = text_of((folder / "consensus.html").read_text())
    assert "Of the 67 items that gold represents 85% have the right category" in page
    assert "post-stratified by the agreement of labels" in page
    assert not (folder / "calibration.csv").exists()


@pytest.mark.parametrize(("n", "words"), [(1, "1 has a probability"), (2, "2 have a probability")])
def test_items_in_doubt_are_counted_in_singular_and_plural(found, labels, n, words):
    items = found.items.assign(probability=1.0)
    items.loc[items.index[:n], "probability"] = 0.8
    page = consensus_page.render(replace(found, items=items), labels, source="x.csv")
    assert f"{words} below 0.99" in text_of(page)
