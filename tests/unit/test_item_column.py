"""An id column is not taken for an annotator, in a data frame or in a file."""

import warnings

import numpy as np
import pandas as pd
import pytest

from annobench import Annotations, agreement, read_labels
from annobench.core.errors import AnnotationError, ItemColumnWarning, ReaderError
from annobench.io import read_gold, select_labels
from annobench.labels.item_column import find_item_column

#: Three readers; the values are those of irrCAC 0.4.4 and krippendorff 0.9.0.
SCANS = pd.DataFrame(
    {
        "scan": [1, 2, 3, 4, 5],
        "reader_1": ["neg", "neg", "pos", "ind", "neg"],
        "reader_2": ["neg", "ind", "pos", "ind", "pos"],
        "reader_3": ["ind", "pos", "ind", "ind", "pos"],
    }
)
VALUES = {
    "krippendorff_alpha": 0.14865,
    "fleiss_kappa": 0.08784,
    "conger_kappa": 0.15094,
    "gwet_ac1": 0.10596,
}

ANN = ["yes", "no", "yes", "yes", "no", "no"]
BOB = ["yes", "no", "no", "yes", "no", "yes"]
SCORES = {"ann": [3, 1, 4, 2, 5, 3], "bob": [3, 2, 4, 2, 5, 4]}


def check(labels, values):
    for name, value in values.items():
        assert getattr(agreement, name)(labels).estimate == pytest.approx(value, abs=5e-6), name


def read_both_ways(frame, tmp_path, item=None):
    """Read a frame and the file that pandas makes of it; return both labels, and what is noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels = Annotations.from_wide(frame, item=item)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    selection = select_labels(path, format="wide", item=item)
    # Items without a name are numbered from 0 in a frame, and by rows in a file.
    names = [str(w.message) for w in caught if issubclass(w.category, ItemColumnWarning)]
    assert tuple(names) == selection.remarks
    assert labels.annotators == selection.labels.annotators
    assert labels.label.tolist() == selection.labels.label.tolist()
    return labels, selection.remarks


@pytest.mark.parametrize("item", [None, "scan"])
def test_a_running_number_names_the_items(tmp_path, item):
    labels, notes = read_both_ways(SCANS, tmp_path, item)
    assert labels.items == tuple("12345")
    check(labels, VALUES)
    assert bool(notes) == (item is None)
    assert item is not None or "'scan'" in notes[0]


def test_an_id_does_not_change_alpha_of_scores(tmp_path):
    scores = pd.DataFrame(SCORES)
    right = agreement.krippendorff_alpha(Annotations.from_wide(scores, scale="interval"))
    with_id = scores.assign(Beleg=range(1, 7))[["Beleg", "ann", "bob"]]
    with pytest.warns(ItemColumnWarning, match="Beleg"):
        found = agreement.krippendorff_alpha(Annotations.from_wide(with_id, scale="interval"))
    assert found.estimate == right.estimate > 0.8


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("Unnamed: 0", [7, 3, 9, 4, 1, 12]),
        ("Beleg", ["b7", "b3", "b9", "b4", "b1", "b12"]),
        ("Satz", ["Der Hund.", "Die Katze.", "Das Huhn.", "Ein Pferd.", "Die Kuh.", "Das Schaf."]),
        ("nr", [107, 33, 91, 48, 11, 120]),
        ("nr", range(6)),
        ("Beleg", range(100, 106)),
    ],
)
@pytest.mark.parametrize("position", [0, 2])
def test_likely_ids_of_words_are_noted(tmp_path, name, ids, position):
    frame = pd.DataFrame({"ann": ANN, "bob": BOB})
    frame.insert(position, name, list(ids))
    labels, notes = read_both_ways(frame, tmp_path)
    assert labels.annotators == ("ann", "bob")
    assert labels.items == tuple(map(str, ids))
    assert len(notes) == 1


@pytest.mark.parametrize("ids", [["b7", "b3", "b9", "b4", "b1", "b12"], [8, 9, 10, 11, 12, 13]])
def test_likely_ids_of_scores_are_noted(tmp_path, ids):
    labels, notes = read_both_ways(pd.DataFrame({"Beleg": ids, **SCORES}), tmp_path)
    assert labels.annotators == ("ann", "bob")
    assert len(notes) == 1


@pytest.mark.parametrize("name", ["item", "ID", "doc_id", "Text ID"])
def test_a_usual_name_is_taken_without_a_note(tmp_path, name):
    labels, notes = read_both_ways(pd.DataFrame({name: list("uvwxyz"), **SCORES}), tmp_path)
    assert labels.items == tuple("uvwxyz")
    assert not notes


def test_the_index_that_pandas_saved_is_no_annotator_beside_an_item():
    frame = pd.DataFrame({"Unnamed: 0": range(6), "item": list("uvwxyz"), **SCORES})
    assert Annotations.from_wide(frame).annotators == ("ann", "bob")
    assert Annotations.from_wide(frame, item="item").annotators == ("ann", "bob")


@pytest.mark.parametrize(
    "columns",
    [
        # All distinct, as scores from 0 to 100 may be.
        {"ann": [70, 12, 95, 33, 48, 61], "bob": [66, 20, 90, 33, 40, 66]},
        {
            "ann": [70, 12, 95, 33, 48, 61],
            "bob": [65, 20, 90, 31, 40, 66],
            "cy": [7, 2, 5, 9, 1, 3],
        },
        # Items sorted by their scores.
        {"ann": [1, 2, 3, 4, 5], "bob": [1, 2, 3, 4, 5]},
        {"ann": [1, 2, 3], "bob": [1, 2, 2], "cy": [1, 2, 3]},
        # Named as an annotator.
        {
            "rater_1": [1, 2, 3, 4, 5, 6],
            "rater_2": [1, 2, 2, 4, 5, 5],
            "rater_3": [1, 1, 3, 4, 5, 6],
        },
        # Words in a column of numbers, free answers of everybody.
        {"ann": ["1", "2", "n/a", "1"], "bob": [1, 2, 2, 1], "cy": [1, 2, 2, 2]},
        {"ann": ["a cat", "a dog", "a hen"], "bob": ["one cat", "the dog", "hens"]},
        {"ann": ["x"], "bob": ["y"], "cy": ["z"]},
    ],
)
def test_annotators_stay_annotators(tmp_path, columns):
    frame = pd.DataFrame(columns)
    labels, notes = read_both_ways(frame, tmp_path)
    assert labels.annotators == tuple(columns)
    assert labels.n_items == len(frame)
    assert not notes


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        # One annotator would be left.
        ({"scan": range(1, 7), "ann": SCORES["ann"]}, "'scan' counts the rows.*1 annotator.*2"),
        # Two that may name the items.
        ({"nr": range(1, 7), "Beleg": list("uvwxyz"), **SCORES}, "'nr'.*'Beleg'"),
        # A running number all of whose values are labels, too.
        ({"nr": range(1, 6), "ann": [3, 1, 4, 2, 5], "bob": [3, 2, 4, 2, 5]}, "'nr' counts"),
        ({"nr": range(1, 4), "ann": [3, 1, 4], "bob": [3, 2, 4]}, "'nr' counts"),
        # Numbers like no other column's, in no order.
        ({"nr": [107, 33, 91, 48, 11, 120], **SCORES}, "'nr' has a different number in each row"),
        # The items are named, and a further column is unlike an annotator's.
        ({"id": list("uvwxyz"), "Satz": list("UVWXYZ"), "ann": ANN, "bob": BOB}, "'Satz'.*'id'"),
        # The only one of its kind, with repetitions.
        ({"genre": list("uuvvww"), **SCORES}, "in several rows|not the annotator's first"),
    ],
)
def test_where_two_readings_remain_both_are_shown(tmp_path, columns, said):
    frame = pd.DataFrame({name: list(values) for name, values in columns.items()})
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ItemColumnWarning)
        with pytest.raises(AnnotationError, match=f"(?s){said}"):
            Annotations.from_wide(frame)
    with pytest.raises((AnnotationError, ReaderError), match=f"(?s){said}"):
        select_labels(path, format="wide")


def test_a_choice_settles_the_reading(tmp_path):
    frame = pd.DataFrame({"nr": range(1, 6), "ann": [3, 1, 4, 2, 5], "bob": [3, 2, 4, 2, 5]})
    assert read_both_ways(frame, tmp_path, "nr")[0].annotators == ("ann", "bob")
    three = read_both_ways(frame.assign(item=list("vwxyz")), tmp_path, "item")[0]
    assert three.annotators == ("nr", "ann", "bob")
    # The index names the items, so that no column does.
    assert Annotations.from_wide(frame.rename_axis("nr of item")).n_annotators == 3
    assert Annotations.from_wide(frame.set_axis(list("vwxyz"))).n_annotators == 3


def test_item_must_be_a_column(tmp_path):
    with pytest.raises(AnnotationError, match="'scam', given as item, is not among the columns"):
        Annotations.from_wide(SCANS, item="scam")
    with pytest.raises(AnnotationError, match="not a data frame"):
        Annotations.from_wide(np.ones((2, 2)), item="scan")
    path = tmp_path / "table.csv"
    SCANS.to_csv(path, index=False)
    with pytest.raises(ReaderError, match="'scam', given with --item"):
        select_labels(path, format="wide", item="scam")


def test_numbered_annotators_are_recognised_and_their_items_named(tmp_path):
    path = tmp_path / "table.csv"
    pd.DataFrame({"scan": list("uvwxyz"), "rater_1": ANN, "rater_2": BOB}).to_csv(path, index=False)
    with pytest.warns(ItemColumnWarning, match="'scan'"):
        labels = read_labels(path)
    assert labels.items == tuple("uvwxyz")


@pytest.mark.parametrize("item", [None, "PMCID"])
def test_item_names_the_column_in_a_folder_of_tables(tmp_path, item):
    folder = tmp_path / "labels"
    folder.mkdir()
    for name, labels in (("ann", ANN), ("bob", BOB)):
        frame = pd.DataFrame({"PMCID": list("uvwxyz"), "id": list("aabbcc"), "label": labels})
        frame.to_csv(folder / f"{name}.csv", index=False)
    found = select_labels(folder, format="folder", item=item, repeats="first").labels
    assert found.items == tuple("uvwxyz" if item else "abc")
    with pytest.raises(ReaderError, match="no file has a column 'PMC', given as item"):
        select_labels(folder, format="folder", item="PMC")


def test_item_names_the_column_beside_columns_of_categories(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "id,scan,rater_id,joy,fear\n0,u,ann,1,0\n1,u,bob,1,0\n0,v,ann,0,1\n1,v,bob,1,0\n"
    )
    found = select_labels(path, format="category_columns", item="scan", question="categories")
    assert found.labels.items == ("u", "v")


def test_item_is_refused_where_no_column_names_items(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": 1, "text": "a", "label": ["x"]}\n')
    with pytest.raises(AnnotationError, match="--item has no effect on an export"):
        select_labels(path, format="doccano", item="scan")


@pytest.mark.parametrize("ids", [["i1", "i2", "i3", "i4", "i5"], [1, 2, 3, 4, 5]])
@pytest.mark.parametrize("name", ["item", "Unnamed: 0", "scan"])
def test_an_id_is_no_category_of_counts(ids, name):
    counts = pd.DataFrame(
        {"poor": [0, 0, 3, 2, 1], "fair": [0, 2, 0, 0, 1], "good": [3, 1, 0, 1, 1]}
    )
    right = agreement.fleiss_kappa(Annotations.from_counts(counts)).estimate
    with_id = counts.copy()
    with_id.insert(0, name, ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if name == "item" else "ignore")
        found = Annotations.from_counts(with_id)
    assert found.categories == ("poor", "fair", "good")
    assert found.items == tuple(map(str, ids))
    assert agreement.fleiss_kappa(found).estimate == right
    assert Annotations.from_counts(with_id, item=name).items == found.items


def test_counts_that_run_are_counts():
    table = pd.DataFrame({"no": [1, 2, 3, 4, 5], "yes": [4, 3, 2, 1, 0]})
    assert Annotations.from_counts(table).categories == ("no", "yes")
    with pytest.raises(AnnotationError, match="not a data frame"):
        Annotations.from_counts(np.ones((2, 2), dtype=int), item="scan")


def test_ids_that_share_a_value_with_the_labels_are_a_doubt():
    columns = {
        "scan": ["3", "7", "12", "19", "25", "31"],
        "ann": ["1", "2", "3", "1", "2", "3"],
        "ben": ["1", "2", "3", "3", "2", "1"],
        "cem": ["1", "2", "2", "1", "2", "3"],
    }
    assert "Does 'scan' name the items" in find_item_column(columns).doubt
    unordered = columns | {"scan": ["31", "3", "44", "12", "25", "2"]}
    assert "Does 'scan' name the items" in find_item_column(unordered).doubt
    year = columns | {"scan": ["2000", "2000", "2001", "2001", "2002", "2002"]}
    assert "has none of the numbers of the other columns" in find_item_column(year).doubt
    # Scores of annotators who use the same scale are no ids.
    scores = columns | {"scan": ["1", "3", "2", "1", "2", "3"]}
    assert not find_item_column(scores).doubt


def test_sentences_of_documents_are_two_columns_of_ids():
    columns = {
        "doc": ["d1", "d1", "d1", "d2", "d2", "d2"],
        "sent": ["1", "2", "3", "1", "2", "3"],
        "ann": ["x", "y", "x", "y", "x", "x"],
        "ben": ["x", "y", "y", "y", "x", "x"],
    }
    doubt = find_item_column(columns).doubt
    assert "'sent' numbers the rows of each 'doc'" in doubt
    assert "join them in one column item" in doubt
    assert not find_item_column(columns, "doc").doubt


@pytest.mark.parametrize("name", ["gold", "final", "Adjudicated", "majority_vote", "consensus"])
@pytest.mark.parametrize("raters", [["ann", "bob"], ["rater_1", "rater_2"]])
def test_known_and_adjudicated_labels_are_no_annotator(tmp_path, name, raters):
    frame = pd.DataFrame(
        {"item": list("uvwxyz"), **dict(zip(raters, [ANN, BOB], strict=True)), name: ANN}
    )
    labels, notes = read_both_ways(frame, tmp_path)
    assert labels.annotators == tuple(raters)
    assert len(notes) == 1
    assert repr(name) in notes[0]
    with pytest.warns(ItemColumnWarning, match=name):
        by_index = Annotations.from_wide(frame.set_index("item"))
    assert by_index.annotators == tuple(raters)


def test_one_annotator_is_compared_with_gold(tmp_path):
    frame = pd.DataFrame({"item": list("uvwxyz"), "ann": ANN, "gold": BOB})
    labels, notes = read_both_ways(frame, tmp_path)
    assert labels.annotators == ("ann", "gold")
    assert not notes


def test_labels_that_add_up_to_one_number_are_no_counts_where_annotators_are_named():
    def read(first, second):
        return Annotations.from_wide(
            pd.DataFrame({"item": list("wxyz"), first: [0, 1, 2, 2], second: [2, 1, 0, 0]})
        )

    a = read("annotator_1", "annotator_2")
    assert (a.n_annotators, a.n_labels) == (2, 8)
    with pytest.raises(AnnotationError, match=r"sum to 2\..*from_counts"):
        read("poor", "good")


def test_counts_of_categories_are_no_labels_of_annotators(tmp_path):
    frame = pd.DataFrame(
        {
            "item": ["i1", "i2", "i3", "i4", "i5"],
            "poor": [0, 0, 3, 13, 4],
            "fair": [0, 7, 9, 1, 4],
            "good": [14, 7, 2, 0, 6],
        }
    )
    path = tmp_path / "counts.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(ReaderError, match=r"sum to 14.*--counts"):
        select_labels(path, format="wide")
    for wide in (frame, frame.set_index("item")):
        with pytest.raises(AnnotationError, match=r"sum to 14.*from_counts"):
            Annotations.from_wide(wide)
    counted = agreement.fleiss_kappa(Annotations.from_counts(frame))
    assert counted.estimate == pytest.approx(0.40766, abs=5e-6)
    ratings = frame.rename(columns={"poor": "rater_1", "fair": "rater_2", "good": "rater_3"})
    assert Annotations.from_wide(ratings).n_annotators == 3
    # Of two who never agree on a yes every row adds up to one.
    opposite = pd.DataFrame({"item": list("xyz"), "ann": [0, 1, 0], "bob": [1, 0, 1]})
    assert Annotations.from_wide(opposite).n_annotators == 2


@pytest.fixture(scope="module")
def wide_files(tmp_path_factory):
    """One wide table with a gap, as every kind of file that may hold it."""
    folder = tmp_path_factory.mktemp("wide")
    frame = pd.DataFrame(
        {
            "doc_id": list("uvwxyz"),
            "ann": [1, 2, np.nan, 1, 2, 3],
            "bob": [1, 2, 3, 1, 2, 2],
            "cid": [1, 1, 3, 1, 2, np.nan],
            "final": [1, 2, 3, 1, 2, 3],
        }
    )
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.tsv", index=False, sep="\t")
    frame.to_csv(folder / "semicolons.csv", index=False, sep=";")
    frame.to_parquet(folder / "t.parquet")
    frame.to_parquet(folder / "unnamed.bin", index=True)
    frame.to_excel(folder / "t.xlsx", index=False)
    frame.to_json(folder / "t.json", orient="records")
    frame.to_json(folder / "t.jsonl", orient="records", lines=True)
    return folder, frame


@pytest.mark.parametrize(
    "name",
    ["t.csv", "t.tsv", "semicolons.csv", "t.parquet", "unnamed.bin", "t.xlsx", "t.json", "t.jsonl"],
)
def test_a_wide_table_is_read_whatever_holds_it(wide_files, name):
    folder, frame = wide_files
    with pytest.warns(ItemColumnWarning, match="'final'"):
        right = Annotations.from_wide(frame)
    selection = select_labels(folder / name, format="wide")
    found = selection.labels
    assert (found.items, found.annotators, found.categories) == (
        right.items,
        ("ann", "bob", "cid"),
        ("1", "2", "3"),
    )
    assert "'final'" in selection.remarks[0]
    by_name = agreement.krippendorff_alpha
    assert by_name(found).estimate == by_name(right).estimate


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "t.json", "t.jsonl"])
def test_gold_is_read_whatever_holds_it(wide_files, name):
    folder, _ = wide_files
    found = read_gold(folder / name, item="doc_id", gold="final")
    assert found == dict(zip("uvwxyz", "123123", strict=True))


def test_of_several_sheets_the_wide_one_is_read(tmp_path, wide_files):
    _, frame = wide_files
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"note": ["by phone"], "day": ["Monday"]}).to_excel(book, sheet_name="notes")
        frame.to_excel(book, sheet_name="labels", index=False)
    with pytest.raises(ReaderError, match=r"no sheet .*'notes', 'labels'.*--sheet"):
        select_labels(path, format="wide")
    numbered = frame.rename(columns={"ann": "rater_1", "bob": "rater_2", "cid": "rater_3"})
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"note": ["by phone"], "day": ["Monday"]}).to_excel(book, sheet_name="notes")
        numbered.to_excel(book, sheet_name="labels", index=False)
    assert select_labels(path, format="wide").labels.n_annotators == 3


@pytest.mark.parametrize("name", ["gold.json", "gold.jsonl", "gold.xlsx"])
def test_a_damaged_file_is_said_to_be_what_it_is(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 cut off" if name.endswith("xlsx") else b'{"item": "x", "gold": ')
    cause = "workbook that is damaged" if name.endswith("xlsx") else "not JSON"
    with pytest.raises(ReaderError, match=cause):
        read_gold(path)
    with pytest.raises(ReaderError, match=rf"{name}.*(not JSON|no table with a header)"):
        select_labels(path, format="wide")
