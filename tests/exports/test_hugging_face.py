"""Data sets of Hugging Face on disk: Arrow streams and Parquet, splits, names of categories."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise

LABELS = {"names": ["no", "yes"], "_type": "ClassLabel"}
VALUE = {"dtype": "string", "_type": "Value"}


def save(folder, columns, features=None, name="data-00000-of-00001.arrow"):
    """Write a split as `save_to_disk` does: a stream, and what the columns mean."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table)
    (folder / "dataset_info.json").write_text(json.dumps({"features": features or {}}))
    (folder / "state.json").write_text("{}")
    return folder


PLAIN = {"item_id": [1, 2, 2], "worker": ["a", "a", "b"], "label": [1, 0, -1], "text": list("xyy")}


def test_names_of_categories_replace_their_numbers(tmp_path):
    folder = save(tmp_path / "set", PLAIN, {"label": LABELS, "text": VALUE})
    assert recognise(folder) == {"hugging_face": "a row per label"}
    selection = read_export(folder).select()
    assert selection.labels.to_frame().values.tolist() == [["1", "a", "yes"], ["2", "a", "no"]]
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["rows read", 3],
        ["left out: empty labels", 1],
        ["labels", 2],
    ]
    assert selection.texts == {"1": "x", "2": "y"}


@pytest.mark.parametrize(
    "feature",
    [
        {"feature": LABELS, "_type": "Sequence"},
        {"feature": LABELS, "_type": "List"},
        [LABELS],
    ],
)
def test_lists_of_labels_and_annotators(tmp_path, feature):
    columns = {"id": ["x", "y"], "labels": [[0, 1], [1]], "annotators": [["a", "b"], ["a"]]}
    folder = save(tmp_path / "set", columns, {"labels": feature})
    assert recognise(folder) == {"hugging_face": "lists in cells"}
    assert read_export(folder).labels().to_frame().values.tolist() == [
        ["x", "a", "no"],
        ["x", "b", "yes"],
        ["y", "a", "yes"],
    ]


def test_classes_without_names_stay_numbers(tmp_path):
    folder = save(tmp_path / "set", PLAIN, {"label": {"num_classes": 2, "_type": "ClassLabel"}})
    assert read_export(folder).labels().to_frame().label.tolist() == ["1", "0", "-1"]


@pytest.mark.parametrize("form", ["list of records", "record of lists"])
def test_records_in_a_column(tmp_path, form):
    feature = {"annotator": VALUE, "label": LABELS}
    if form == "list of records":
        records = [[{"annotator": "a", "label": 0}, {"annotator": "b", "label": 1}]]
        features = {"annotations": [feature]}
    else:
        records = [{"annotator": ["a", "b"], "label": [0, 1]}]
        features = {"annotations": {"feature": feature, "_type": "Sequence"}}
    folder = save(tmp_path / "set", {"id": ["x"], "annotations": records}, features)
    assert read_export(folder).labels().to_frame().values.tolist() == [
        ["x", "a", "no"],
        ["x", "b", "yes"],
    ]


def test_splits_are_read_one_after_the_other(tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    save(tmp_path / "set" / "train", PLAIN, {"label": LABELS})
    save(tmp_path / "set" / "test", {**PLAIN, "item_id": [8, 9, 9]}, {"label": LABELS})
    assert recognise(tmp_path / "set") == {"hugging_face": "a row per label, 2 splits"}
    selection = read_export(tmp_path / "set").select()
    assert selection.labels.items == ("8", "9", "1", "2")
    place = selection.ledger.set_index("what")["first"]["left out: empty labels"]
    assert place == "test/data-00000-of-00001.arrow, row 3"


def test_parquet_with_the_metadata_of_a_data_set(tmp_path):
    info = {"info": {"features": {"label": LABELS}}}
    table = pa.table(PLAIN).replace_schema_metadata({"huggingface": json.dumps(info)})
    path = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(table, path)
    assert recognise(path) == {"hugging_face": "a row per label"}
    assert read_export(path).labels().to_frame().label.tolist() == ["yes", "no"]


def test_names_of_categories_that_contradict_their_copy_are_refused(tmp_path):
    info = {"info": {"features": {"label": LABELS}}}
    table = pa.table(PLAIN).replace_schema_metadata({"huggingface": json.dumps(info)})
    path = tmp_path / "labels.parquet"
    pq.write_table(table, path)
    path.write_bytes(path.read_bytes().replace(b'"yes"', b'"yet"', 1))
    with pytest.raises(ReaderError, match="two copies of the names of classes differ"):
        read_export(path, format="hugging_face")
    assert "hugging_face" not in recognise(path)


def test_a_plain_parquet_table_is_left_to_the_reader_of_tables(tmp_path):
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table(PLAIN), path)
    assert recognise(path) == {}
    wide = tmp_path / "wide.parquet"
    pq.write_table(pa.table({"id": [1, 2], "rater_1": [1.0, 2.0], "rater_2": [1.0, None]}), wide)
    assert recognise(wide) == {"hugging_face": "a column per annotator"}
    assert read_export(wide).labels().to_frame().label.tolist() == ["1", "1", "2"]


def test_a_data_set_in_no_layout_says_what_it_holds(tmp_path):
    folder = save(tmp_path / "set", {"a": [1], "b": [2]}, {"a": VALUE})
    assert recognise(folder) == {"hugging_face": "unknown columns"}
    with pytest.raises(ReaderError, match="The columns are 'a', 'b'"):
        read_export(folder)


def test_files_of_arrow_with_a_footer_are_read_too(tmp_path):
    path, table = tmp_path / "data.arrow", pa.table(PLAIN)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
        out.write_table(table)
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": {"label": LABELS}}))
    assert read_export(path).labels().n_labels == 2


@pytest.mark.parametrize("keep", [10, 200, -20])
def test_a_cut_off_file_is_refused(tmp_path, keep):
    folder = save(tmp_path / "set", PLAIN, {"label": LABELS})
    path = folder / "data-00000-of-00001.arrow"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ReaderError):
        read_export(folder, format="hugging_face").labels()
