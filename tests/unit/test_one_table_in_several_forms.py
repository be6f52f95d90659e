"""One table is read the same whatever file holds it."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.reading import select_labels

FORMS = ("csv", "tsv", "parquet", "xlsx", "json", "jsonl", "folder", "zip")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Labels with two repeats, five empty ones, a code for missing and an address."""
    rng = np.random.default_rng(1)
    names = ("ann@example.org", "bob", "cem")
    rows = [(f"i{i}", name, rng.choice(["bad", "good", "ok"])) for i in range(40) for name in names]
    table = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    table.loc[[5, 16, 27, 38, 49], "label"] = None
    table.loc[12, "label"] = "99"
    table = pd.concat([table, table.iloc[[0, 1]].assign(label="ok")], ignore_index=True)
    folder = tmp_path_factory.mktemp("forms")
    table["topic"] = table["item"].str[-1]
    table.to_csv(folder / "table.csv", index=False)
    table.to_csv(folder / "table.tsv", index=False, sep="\t")
    table.to_parquet(folder / "table.parquet")
    table.to_excel(folder / "table.xlsx", index=False)
    table.to_json(folder / "table.json", orient="records")
    table.to_json(folder / "table.jsonl", orient="records", lines=True)
    (folder / "table.folder").mkdir()
    table[:60].to_csv(folder / "table.folder" / "a.csv", index=False)
    table[60:].to_csv(folder / "table.folder" / "b.csv", index=False)
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.write(folder / "table.csv", "labels/table.csv")
    return folder


COLUMNS = {"item": "item", "annotator": "annotator", "label": "label"}


@pytest.mark.parametrize("columns", [{}, COLUMNS | {"item": "item,topic"}])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"keep_names": True},
        {"missing": ("99",)},
        {"missing": ("99", "98")},
        {"empty": "category"},
        {"scale": "ordinal", "categories": ["bad", "ok", "good", "99"]},
        {"text": "topic", "shown_first": "topic"},
    ],
    ids=str,
)
@pytest.mark.parametrize("repeats", ["first", "last", "all"])
def test_a_selection_is_the_same(files, repeats, choices, columns):
    options = {"repeats": repeats} | choices | columns
    # A folder of tables has the options of its files' names.
    forms = FORMS if columns == {} else [form for form in FORMS if form != "folder"]
    first, *others = (select_labels(files / f"table.{form}", **options) for form in forms)
    # `to_frame` sorts by nothing: rows stay in the order of the file.
    frame = first.labels.to_frame()
    n_empty = 5 * ("empty" not in choices)
    assert len(frame) == 122 - n_empty - 2 * (repeats != "all") - ("missing" in choices)
    for form, other in zip(forms[1:], others, strict=True):
        pd.testing.assert_frame_equal(other.labels.to_frame(), frame)
        assert other.labels.categories == first.labels.categories
        assert other.remarks == first.remarks
        assert other.question == first.question
        assert other.ledger[["what", "rows"]].equals(first.ledger[["what", "rows"]])
        assert other.pseudonyms == first.pseudonyms
        assert other.read_as == first.read_as
        if "text" in choices:
            assert other.texts == first.texts
            assert other.shown_first.tolist() == first.shown_first.tolist(), form
    assert any("of 1" in remark and "the same label again" in remark for remark in first.remarks)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("missing", [(), ("99",)])
@pytest.mark.parametrize("repeats", ["first", "all"])
def test_the_rows_read_are_labels_or_left_out(files, form, repeats, missing):
    selection = select_labels(files / f"table.{form}", repeats=repeats, missing=missing)
    ledger = selection.ledger.set_index("what")["rows"]
    left_out = ledger[ledger.index.str.startswith("left out: ")]
    assert left_out.sum() == 5 + 2 * (repeats == "first") + len(missing)
    assert ledger.iloc[0] == 122
    assert ledger["labels"] == 122 - left_out.sum() == selection.labels.n_labels


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "option", [{"status": ("done", "rejected")}, {"gold_items": "use"}, {"question": "tone"}]
)
def test_an_option_without_effect_is_refused(files, form, option):
    with pytest.raises((AnnotationError, ReaderError), match=r"no effect|no question"):
        select_labels(files / f"table.{form}", repeats="first", **option)


@pytest.mark.parametrize("form", FORMS)
def test_an_error_never_shows_an_address(files, form):
    with pytest.raises(AnnotationError, match=r"2 of 117 labels are not .* 'person-1'"):
        select_labels(files / f"table.{form}")


@pytest.mark.parametrize("name", ["table.parquet", "table.pq", "table.tab", "table.jsonl"])
def test_an_archive_may_hold_a_table_of_any_ending(files, tmp_path, name):
    same = {"table.pq": "table.parquet", "table.tab": "table.tsv"}.get(name, name)
    with zipfile.ZipFile(tmp_path / "table.zip", "w") as archive:
        archive.write(files / same, name)
    inside, outside = (
        select_labels(path, repeats="first") for path in (tmp_path / "table.zip", files / same)
    )
    pd.testing.assert_frame_equal(inside.labels.to_frame(), outside.labels.to_frame())
