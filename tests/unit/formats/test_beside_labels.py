"""What stands beside labels in a table: totals below them, confidences, what they resolved to."""

from __future__ import annotations

import itertools

import numpy as np
import openpyxl
import pytest

from annobench.agreement import krippendorff_alpha
from annobench.cli._shared import listed
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import select_labels
from annobench.labels.annotations import Annotations
from annobench.labels.doubts import doubtful_categories
from annobench.labels.item_column import resolved_columns

LABELS = [
    ["yes", "yes", "no"],
    ["no", "no", "no"],
    ["yes", "no", "yes"],
    ["maybe", "maybe", "yes"],
    ["no", "no", "yes"],
    ["yes", "yes", "yes"],
]
PEOPLE = ["Anna", "Ben", "Carla"]
RATERS = ["rater1", "rater2", "rater3"]


def alpha_of(rows):
    """Krippendorff's alpha from its definition: pairs of labels of an item, and of all items."""
    pairs = [
        (one != other, 1 / (len(row) - 1))
        for row in rows
        for one, other in itertools.permutations(row, 2)
    ]
    observed = np.average([p[0] for p in pairs], weights=[p[1] for p in pairs])
    every = [label for row in rows for label in row]
    return 1 - observed / np.mean([one != other for one, other in itertools.permutations(every, 2)])


ALPHA = alpha_of(LABELS)


def written(tmp_path, header, rows, below=()):
    path = tmp_path / "table.csv"
    lines = [header, *([f"i{n}", *row] for n, row in enumerate(rows)), *below]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines), encoding="utf-8")
    return path


def is_read_rightly(found):
    labels: Annotations = found.labels
    return (
        labels.n_items == len(LABELS)
        and labels.n_annotators == 3
        and krippendorff_alpha(labels).estimate == pytest.approx(ALPHA)
    )


FOOTERS = {
    "percent": [["Agreement %", "66%", "80%", "50%"]],
    "colon": [["Total:", 6, 6, 6]],
    "in brackets": [["total (n)", 6, 6, 6]],
    "points": [["Std. Dev.", "0.1", "0.1", "0.1"]],
    "of a category": [["Total yes", 3, 2, 3]],
    "share of a category": [["% yes", "50%", "33%", "50%"]],
    "Greek": [["Σ", 6, 6, 6]],
    "German": [["Durchschnitt", "1.2", "1.3", "1.4"]],
    "French": [["Moyenne", "1.2", "1.3", "1.4"]],
    "Spanish": [["Promedio", "1.2", "1.3", "1.4"]],
    "of whom": [["Krippendorff's alpha", "0.28", "", ""], ["Fleiss' kappa", "0.27", "", ""]],
    "above one without cells": [["Summe", 6, 6, 6], ["Mittelwert", "", "", ""]],
    "above an empty row": [["Total", 6, 6, 6], ["", "", "", ""]],
    "above a remark": [["Total", 6, 6, 6], ["", "", "", ""], ["Labelled in May", "", "", ""]],
    "without a name between": [["Total", 6, 6, 6], ["", "1", "2", "3"]],
}


@pytest.mark.parametrize("kind", FOOTERS)
def test_rows_that_sum_up_a_table_are_no_items(tmp_path, kind):
    found = select_labels(written(tmp_path, ["item", *RATERS], LABELS, FOOTERS[kind]))
    assert is_read_rightly(found)
    assert any("up the table" in note for note in found.remarks)


@pytest.mark.parametrize(
    "row",
    [
        ["Average joe", "yes", "no", "no"],
        ["alpha", "yes", "no", "no"],
        ["Sumatra", 6, 6, 6],
        ["Mean", "", "", ""],
    ],
)
def test_items_that_only_sound_like_sums_are_items(tmp_path, row):
    found = select_labels(written(tmp_path, ["item", *RATERS], LABELS, [row]))
    assert found.labels.n_items == len(LABELS) + any(row[1:])
    assert not any("up the table" in note for note in found.remarks)


@pytest.mark.parametrize(
    "name",
    [
        *("Final decision", "Gold standard", "GT", "ground_truth", "True class", "Consensus code"),
        *("Correct answer", "Reference label", "Decision", "Adjudicated rating", "Konsens"),
    ],
)
@pytest.mark.parametrize("people", [PEOPLE, RATERS])
def test_what_labels_were_resolved_to_is_no_annotator(tmp_path, name, people):
    rows = [[*row, max(row, key=row.count)] for row in LABELS]
    found = select_labels(written(tmp_path, ["id", *people, name], rows), format="wide")
    assert is_read_rightly(found)
    assert any(name in text for text in [*found.remarks, found.read_as])


@pytest.mark.parametrize(
    "names",
    [
        [*(f"label_{who}" for who in PEOPLE), "label_gold"],
        [*(f"label {who}" for who in PEOPLE), "Label majority vote"],
        [*(f"{who}_code" for who in PEOPLE), "gold_code"],
    ],
)
def test_what_labels_were_resolved_to_may_be_called_like_the_annotators(tmp_path, names):
    rows = [[*row, max(row, key=row.count)] for row in LABELS]
    assert is_read_rightly(select_labels(written(tmp_path, ["id", *names], rows), format="wide"))


@pytest.mark.parametrize(
    "names", [["a_first", "a_final", "b_first", "b_final"], ["label_a", "label_final"]]
)
def test_rounds_of_annotators_are_no_adjudication(names):
    assert resolved_columns(names) == ()


@pytest.mark.parametrize("name", ["gold", "Final", "annotations_majority"])
@pytest.mark.parametrize("header", [["item", "label"], ["PMCID", "pathway"]])
def test_a_file_of_what_labels_were_resolved_to_is_no_annotator(tmp_path, name, header):
    columns = [*zip(*LABELS, strict=True), ["yes"] * 6]
    prefix = name.partition("_")[0] + "_" if "_" in name else ""
    for who, own in zip([*(prefix + who for who in PEOPLE), name], columns, strict=True):
        lines = [header, *([f"i{n}", label] for n, label in enumerate(own))]
        (tmp_path / f"{who}.csv").write_text("\n".join(map(",".join, lines)))
    found = select_labels(tmp_path)
    assert is_read_rightly(found)
    assert found.ledger["what"].str.contains("known or adjudicated").any()


def test_sheets_of_gold_and_of_notes_are_no_annotators(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Codebook"
    book.active.append(["label", "meaning"])
    book.active.append(["yes", "it is"])
    columns = [*zip(*LABELS, strict=True), ["yes"] * 6]
    for who, own in zip([*PEOPLE, "final"], columns, strict=True):
        sheet = book.create_sheet(who)
        for row in [["item", "label"], *([f"i{n}", label] for n, label in enumerate(own))]:
            sheet.append(row)
    book.save(tmp_path / "table.xlsx")
    found = select_labels(tmp_path / "table.xlsx")
    assert is_read_rightly(found)
    left_out = found.ledger["what"].str.extract("sheets (.*)")[0].dropna()
    assert sorted(left_out) == ["in no known layout", "of known or adjudicated labels"]


BESIDE = ["{}_conf", "{} confidence", "Certainty {}", "{} (sure?)", "{}_time", "{} notes"]


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("people", [PEOPLE, RATERS])
def test_a_column_that_goes_with_another_one_is_no_annotator(tmp_path, name, people):
    header = ["id", *(column for who in people for column in (who, name.format(who)))]
    rows = [
        [cell for j, label in enumerate(row) for cell in (label, (3 * i + 2 * j) % 5 + 1)]
        for i, row in enumerate(LABELS)
    ]
    found = select_labels(written(tmp_path, header, rows), format="wide")
    assert is_read_rightly(found)


def test_numbered_confidences_are_no_annotators(tmp_path):
    header = ["id", *(column for n, who in enumerate(PEOPLE, 1) for column in (who, f"conf{n}"))]
    rows = [[cell for label in row for cell in (label, 1 + len(label) % 3)] for row in LABELS]
    assert is_read_rightly(select_labels(written(tmp_path, header, rows), format="wide"))


def test_raters_who_are_named_twice_in_most_rows_are_labels(tmp_path):
    header = ["id", *(f"{what}{n}" for n in (1, 2, 3) for what in ("rater", "t"))]
    rows = [[cell for label in row for cell in (label, 1 + len(label) % 3)] for row in LABELS]
    path = written(tmp_path, header, rows)
    with pytest.raises(AnnotationError, match="2 questions: 'rater', 't'"):
        select_labels(path)
    assert is_read_rightly(select_labels(path, question="rater"))
    header = [name.replace("t", "conf") if name[0] == "t" else name for name in header]
    assert is_read_rightly(select_labels(written(tmp_path, header, rows)))


@pytest.mark.parametrize("options", [{"scale": "interval"}, {"categories": ["1", "2"]}])
@pytest.mark.parametrize("code", [" ", "NA", "n/a"])
def test_a_code_for_missing_labels_is_left_out_as_the_error_says(tmp_path, code, options):
    rows = [[1, 2, code], [2, 2, 2], [1, 1, 1], [2, code, 1]]
    path = written(tmp_path, ["item", *RATERS], rows)
    with pytest.raises(ReaderError, match="missing="):
        select_labels(path, **options)
    assert select_labels(path, missing=listed(code), **options).labels.n_labels == 10


def test_an_ordinal_code_for_missing_labels_is_refused_with_the_option(tmp_path):
    path = written(tmp_path, ["item", *RATERS], [[1, 2, "NA"], [2, 2, 2]])
    with pytest.raises(AnnotationError, match=r"unknown.*missing="):
        select_labels(path, scale="ordinal")


def test_totals_of_counts_are_no_item(tmp_path):
    rows = [[3, 0, 0], [0, 3, 0], [1, 2, 0], [0, 1, 2], [2, 0, 1]]
    expected = alpha_of(
        [[c for c, n in zip("xyz", row, strict=True) for _ in range(n)] for row in rows]
    )
    path = written(tmp_path, ["id", *"xyz"], rows, [["Total", 6, 6, 3], ["", "", "", ""]])
    found = select_labels(path, counts=True)
    assert krippendorff_alpha(found.labels).estimate == pytest.approx(expected)
    assert any("'Total', sums up the table" in note for note in found.remarks)


@pytest.mark.parametrize(
    "row", [["Total", *[6] * 6], ["gold", *LABELS[0], *LABELS[1]], ["Majority", *["yes"] * 6]]
)
def test_rows_beside_those_of_annotators_are_no_annotators(tmp_path, row):
    columns = list(zip(*LABELS, strict=True))
    path = tmp_path / "form.csv"
    lines = [
        ["annotator", *"abcdef"],
        *([who, *own] for who, own in zip(PEOPLE, columns, strict=True)),
    ]
    path.write_text("\n".join(",".join(map(str, line)) for line in [*lines, row]))
    found = select_labels(path, transpose=True)
    assert is_read_rightly(found)
    assert any(row[0] in note for note in found.remarks)


@pytest.mark.parametrize("name", ["Alpha", "N"])
def test_annotators_that_only_sound_like_sums_are_annotators(tmp_path, name):
    columns = zip([*PEOPLE[:2], name], *[zip(*LABELS, strict=True)], strict=True)
    lines = [["annotator", *"abcdef"], *([who, *own] for who, own in columns)]
    path = tmp_path / "form.csv"
    path.write_text("\n".join(map(",".join, lines)))
    assert is_read_rightly(select_labels(path, transpose=True))


@pytest.mark.parametrize(
    ("items", "people"),
    [
        (["a", "a ", "b", "b  c", "b c"], ["x"] * 5),
        (["caf\u00e9", "cafe\u0301"], ["x"] * 2),
        (["x"] * 3, ["ann", "Ann", "ben"]),
        (["x"] * 2, ["ann", "ann "]),
        (["x"] * 3, ["ann", "ann.1", "ben.1"]),
        (["x"] * 2, ["ann", "ann (1)"]),
        (["x"] * 2, ["Copy of ann", "ann"]),
    ],
)
def test_names_that_differ_only_in_spelling_are_remarked_on(items, people):
    labels = Annotations.from_arrays(items, people, ["yes"] * len(items))
    [text] = doubtful_categories(labels)
    assert "count as different" in text
    assert ("1 other pair" in text) == (len(items) == 5)


def test_categories_that_differ_in_the_width_of_letters_are_remarked_on():
    labels = Annotations.from_arrays(list("xy"), list("aa"), ["yes", "\uff59es"])
    assert "count as different" in doubtful_categories(labels)[0]


@pytest.mark.parametrize(
    ("items", "people"),
    [
        (["Polish", "polish"], ["x", "x"]),
        (["x"] * 3, ["gpt-4", "gpt-4.1", "gpt-4.5"]),
        (["x"] * 2, ["rater (1)", "rater (2)"]),
    ],
)
def test_names_that_differ_in_more_than_spelling_are_no_mistake(items, people):
    labels = Annotations.from_arrays(items, people, ["yes"] * len(items))
    assert doubtful_categories(labels) == []


def test_an_annotator_who_is_there_twice_is_named(tmp_path):
    path = written(tmp_path, ["item", "Anna", "Ben", "Anna"], LABELS)
    with pytest.raises(ReaderError, match="names 'Anna' twice"):
        select_labels(path, format="wide")


def test_what_was_shown_first_and_when_is_known_of_empty_labels_that_are_a_category(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "item,annotator,label,first,day\n"
        "x,Anna,good,A,2026-01-01\nx,Ben,,B,2026-01-02\ny,Anna,bad,B,2026-01-03\n"
    )
    found = select_labels(path, shown_first="first", empty="category")
    assert found.labels.n_labels == 3
    assert found.shown_first.tolist() == ["A", "B", "B"]
    assert select_labels(path, shown_first="first").shown_first.tolist() == ["A", "B"]
