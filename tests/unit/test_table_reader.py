import csv
import json
import os

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annobench import Annotations
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.numbers import plain_number
from annobench.io import read_gold, read_labels, write_labels
from annobench.labels.columns import choose_columns

SHARED_FOLDER = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def table(tmp_path):
    def write(content, name="labels.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def triples(annotations):
    return list(annotations.to_frame().itertuples(index=False, name=None))


def test_a_plain_table_is_read_in_its_order(table):
    a = read_labels(table("item,annotator,label\nx,ann,yes\ny,bob,no\nx,bob,no\n"))
    assert triples(a) == [("x", "ann", "yes"), ("y", "bob", "no"), ("x", "bob", "no")]
    assert a.categories == ("no", "yes")


@pytest.mark.parametrize(
    "header",
    [
        "orig_id,worker_id,response",
        "Task,Worker,Answer",
        " Item-ID ,Rater,RATING",
        "label,item,annotator",
        "question,judge,value",
        "note,item,annotator,label",
    ],
)
def test_usual_column_names_are_recognised(table, header):
    cells = {"note": "n", "label": "l", "item": "i", "annotator": "a"}
    row = ["i", "a", "l"]
    if "label" in header:
        row = [cells[name] for name in header.split(",")]
    assert triples(read_labels(table(f"{header}\n{','.join(row)}\n"))) == [("i", "a", "l")]


def test_columns_can_be_named(table):
    path = table("id,category,id2,who\nx,c,y,w\n")
    a = read_labels(path, item="id2", annotator="who", label="id")
    assert triples(a) == [("y", "w", "x")]


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("a.tsv", "\t"), ("a.tab", "\t"), ("a.csv", ";"), ("a.txt", "\t"), ("a.txt", "|")],
)
def test_the_delimiter_follows_suffix_or_header(table, name, delimiter):
    text = "item,annotator,label\nx,a,1\n".replace(",", delimiter)
    assert triples(read_labels(table(text, name))) == [("x", "a", "1")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(table, end):
    text = "\ufeffitem,annotator,label\nx,a,1\n\ny,b,2".replace("\n", end)
    assert triples(read_labels(table(text))) == [("x", "a", "1"), ("y", "b", "2")]


def test_an_empty_label_is_a_label_not_given(table):
    a = read_labels(table("item,annotator,label\nx,a,\ny,a,1\n"))
    assert a.items == ("x", "y")
    assert a.n_labels == 1


def test_interval_labels_are_numbers(table):
    a = read_labels(table("item,annotator,label\nx,a,00\nx,b,-0\nx,c,7.5\n"), scale="interval")
    assert a.categories == ("0", "7.5")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \r\n", "the file is empty"),
        (b"item,annotator,label\n", "a header but no rows"),
        (b"item,annotator,label", "a header but no rows"),
        (b"item,annotator,label\nx,a,\xff\n", r"line 2 \(byte 25\): not UTF-8"),
        (b"item,annotator,label\nx,a,1\ny,\0,1\n", "line 3: a NUL byte"),
        (b"item,annotator,label\nx,a,1\ny,a\nz,a,1\n", "line 3: 2 fields where the header has 3"),
        (b"item,annotator,label\nx,a,1\ny,a,1,9\n", "line 3: 4 fields where the header has 3"),
        (b"item,annotator,label\nx,a,1\ny,b", "line 3: 2 fields .*cut off"),
        (b'item,annotator,label\nx,a,1\ny,b,"1', "line 3: unexpected end of data"),
        (b'item,annotator,label\nx,"a"b,1\n', "line 2: .* expected after"),
        (b'"item,annotator,label\n', "its header can't be read"),
        (b"item,annotator,label\n,a,1\nx,,1\n,,1\n", "2: no item\n.*3: no annotator\n.*4: no item"),
        (b"item,item,annotator,label\nx,y,a,1\n", "the header names 'item' twice"),
        (b"item,annotator\nx,a\n", "No column is the label; usual names are label, response"),
        (
            b"id,task,annotator,label\nx,y,a,1\n",
            r"'id', 'task' are all candidates for the item.*with item=.",
        ),
        (b"a,b,c\n1,2,3\n", "No column is the item.*The columns are 'a', 'b', 'c'"),
    ],
)
def test_a_malformed_file_is_an_error_that_says_where(table, content, message):
    path = table(content)
    with pytest.raises(ReaderError, match=f"(?s)labels.csv.*{message}"):
        read_labels(path)


def test_an_unknown_label_is_an_error_naming_its_line(table):
    path = table("item,annotator,label\nx,a,yes\nx,b,yess\n")
    with pytest.raises(ReaderError, match="line 3: label 'yess' is not one of 'no', 'yes'"):
        read_labels(path, categories=["no", "yes"])


def test_the_delimiter_is_that_of_the_header_whatever_ends_its_line(table):
    a = read_labels(table("item,annotator,label\rx;;;;;y,a,1\r"))
    assert triples(a) == [("x;;;;;y", "a", "1")]


def test_a_cell_may_be_longer_than_pythons_reader_takes_by_default(table):
    csv.field_size_limit(131_072)
    text = "x" * 200_000
    a = read_labels(table(f'item,annotator,label,text\nx,a,1,"{text}"\n'))
    assert triples(a) == [("x", "a", "1")]


def test_lines_are_counted_right_behind_quoted_line_breaks(table):
    path = table('item,annotator,label\n"x\ny",a,yes\n\nx,b,yess\n')
    with pytest.raises(ReaderError, match="line 5: label 'yess'"):
        read_labels(path, categories=["no", "yes"])


@pytest.mark.parametrize(
    ("label", "message"), [("much", "is not a number"), ("inf", "is not a finite number")]
)
def test_an_interval_label_that_is_no_number_is_an_error(table, label, message):
    path = table(f"item,annotator,label\nx,a,{label}\n")
    with pytest.raises(ReaderError, match=f"line 2: label '{label}' {message}"):
        read_labels(path, scale="interval")


def test_an_interval_label_outside_the_categories_is_an_error(table):
    path = table("item,annotator,label\nx,a,1.0\nx,b,4\n")
    with pytest.raises(ReaderError, match="line 3: label '4' is not one of '1', '2'"):
        read_labels(path, scale="interval", categories=[1, 2])


def test_up_to_ten_faults_are_reported_together(table):
    for row, fault in ((",a,bad", "no item"), ("x,a,bad", "label 'bad' is not one of 'good'")):
        path = table("item,annotator,label\n" + f"{row}\n" * 12)
        with pytest.raises(ReaderError) as caught:
            read_labels(path, categories=["good"])
        message = str(caught.value)
        assert message.count(fault) == 10
        assert "line 11" in message
        assert "and 2 more" in message


def test_a_named_column_that_is_absent_or_used_twice_is_an_error(table):
    path = table("item,annotator,label\nx,a,1\n")
    with pytest.raises(ReaderError, match="Column 'unit', given as item, is not among"):
        read_labels(path, item="unit")
    with pytest.raises(ReaderError, match="Column 'item', given as annotator, is used twice"):
        read_labels(path, item="item", annotator="item")


def test_a_missing_file_and_a_folder_are_errors(tmp_path):
    with pytest.raises(ReaderError, match=r"none\.csv: does not exist"):
        read_labels(tmp_path / "none.csv")
    with pytest.raises(ReaderError, match="the folder has no files"):
        read_labels(tmp_path)


def test_a_long_file_is_read_across_blocks(table):
    rows = [(f"i{n % 5000}", f"a{n % 7}", str(n % 3)) for n in range(150_000)]
    a = read_labels(table("item,annotator,label\n" + "".join(f"{','.join(r)}\n" for r in rows)))
    assert (a.n_items, a.n_annotators, a.n_labels) == (5000, 7, 150_000)
    assert triples(a)[-3:] == rows[-3:]


def test_parquet_keeps_everything(tmp_path):
    a = Annotations.from_arrays(
        ["x", "y"],
        ["b", "a"],
        ["2", "1"],
        items=["w", "y", "x"],
        annotators=["a", "b", "c"],
        categories=["2", "1", "0"],
        scale="ordinal",
    )
    write_labels(a, tmp_path / "a.parquet")
    b = read_labels(tmp_path / "a.parquet")
    assert (b.items, b.annotators, b.categories) == (a.items, a.annotators, a.categories)
    assert b.scale == "ordinal"
    assert triples(b) == triples(a)


def test_a_foreign_parquet_file_is_read(tmp_path):
    frame = pd.DataFrame(
        {"item": [1, 2, 2], "coder": pd.Categorical(["a", "b", "a"]), "rating": [1.0, None, 3.0]}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    a = read_labels(tmp_path / "a.parquet")
    assert triples(a) == [("1", "a", "1"), ("2", "a", "3")]


def test_rows_of_a_parquet_file_are_named_in_errors(tmp_path):
    pd.DataFrame({"item": ["x", None], "coder": ["a", "a"], "label": ["1", "1"]}).to_parquet(
        tmp_path / "a.parquet"
    )
    with pytest.raises(ReaderError, match="row 2: no item"):
        read_labels(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "metadata",
    [
        *("[", "7", '{"items": [["x"]]}', '{"scale": "ratio"}', '{"scale": "set"}', "[" * 5_000),
        *('{"items": ["x", "x"]}', '{"items": ["y"]}', '{"categories": ["1", "1"]}'),
    ],
)
def test_damaged_metadata_of_a_parquet_file_is_an_error(tmp_path, metadata):
    path = tmp_path / "a.parquet"
    rows = pa.table({"item": ["x"], "annotator": ["a"], "label": ["1"]})
    pq.write_table(rows.replace_schema_metadata({"annobench": metadata}), path)
    with pytest.raises(ReaderError, match=r"a\.parquet"):
        read_labels(path)


def test_a_truncated_parquet_file_is_an_error(tmp_path):
    path = tmp_path / "a.parquet"
    write_labels(Annotations.from_contingency([[3, 1], [1, 3]]), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReaderError, match="truncated, not a Parquet file"):
        read_labels(path)


def test_a_nested_column_of_a_parquet_file_is_an_error(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"item": [["x"]], "annotator": ["a"], "label": ["1"]}), path)
    with pytest.raises(ReaderError, match="not text or numbers"):
        read_labels(path)


def test_a_parquet_file_that_is_not_utf_8_is_an_error_with_a_remedy(tmp_path):
    path = tmp_path / "a.parquet"
    label = pa.array([b"1", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"item": ["x", "y"], "annotator": ["a", "a"], "label": label}), path)
    with pytest.raises(ReaderError, match=r"not text or numbers .*Write it again"):
        read_labels(path)


def test_names_that_can_not_be_stored_are_refused(tmp_path):
    nul = Annotations.from_arrays(["x\0"], ["a"], ["1"])
    with pytest.raises(AnnotationError, match="has a NUL byte"):
        write_labels(nul, tmp_path / "a.csv")
    write_labels(nul, tmp_path / "a.parquet")
    assert read_labels(tmp_path / "a.parquet").items == ("x\0",)
    assert not (tmp_path / "a.csv").exists()


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def interrupt(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(OSError, match="disk full"):
        write_labels(Annotations.from_contingency([[1]]), path)
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
    assert path.read_text() == "old"


name = st.text(min_size=1, max_size=8).filter(lambda text: "\0" not in text) | st.sampled_from(
    [
        "=1+1",
        "+1",
        "-1",
        "@x",
        "<b>&amp;",
        '"',
        '""',
        "a,b",
        "a\nb",
        "\r",
        "\r\n",
        "\t",
        " ",
        "é\u2028",
    ]
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@SHARED_FOLDER
@given(rows=st.lists(st.tuples(name, name, name), min_size=1, max_size=8))
def test_any_names_survive_a_round_trip(tmp_path, suffix, rows):
    path = tmp_path / f"a.{suffix}"
    a = Annotations.from_arrays(*zip(*rows, strict=True))
    write_labels(a, path)
    b = read_labels(path)
    assert triples(b) == [(item, who, plain_number(label)) for item, who, label in rows]
    assert (b.items, b.annotators, b.categories) == (a.items, a.annotators, a.categories)


def outcome(path, **options):
    """Either annotations or a ReaderError; any other exception fails the test."""
    try:
        annotations = read_labels(path, **options)
    except ReaderError:
        return
    assert isinstance(annotations, Annotations)


SCALES = st.sampled_from([None, "nominal", "interval"])
CATEGORIES = st.none() | st.lists(st.sampled_from(["0", "1", "x", ""]), max_size=3)


@pytest.mark.parametrize("file", ["a.csv", "a.tsv", "a.txt", "a.parquet"])
@SHARED_FOLDER
@given(content=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path, file, content):
    (tmp_path / file).write_bytes(content)
    outcome(tmp_path / file)


@SHARED_FOLDER
@given(
    head=st.sampled_from(["item,annotator,label", "id\tworker\tvalue", "item;rater;answer;x"]),
    body=st.text(alphabet='01x,;\t"\n\r\u2028é=', max_size=60),
    scale=SCALES,
    categories=CATEGORIES,
)
def test_any_table_is_read_or_refused(tmp_path, head, body, scale, categories):
    path = tmp_path / "a.csv"
    path.write_bytes(f"{head}\n{body}".encode())
    outcome(path, scale=scale, categories=categories)


@SHARED_FOLDER
@given(
    metadata=st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=4)
)
def test_any_metadata_is_read_or_refused(tmp_path, metadata):
    path = tmp_path / "a.parquet"
    rows = pa.table({"item": ["x", "y"], "annotator": ["a", "a"], "label": ["1", "2"]})
    for kept in (metadata, {"items": metadata}, {"categories": metadata}, {"scale": metadata}):
        text = json.dumps(kept)
        pq.write_table(rows.replace_schema_metadata({"annobench": text}), path)
        outcome(path)


def test_sets_are_not_written_as_a_long_table(tmp_path):
    sets = Annotations.from_sets(["x", "x"], ["a", "b"], [{"p"}, {"p", "q"}])
    for suffix in ("csv", "parquet"):
        with pytest.raises(AnnotationError, match="labels that are sets"):
            write_labels(sets, tmp_path / f"s.{suffix}")
    assert not list(tmp_path.iterdir())


# Gold standards.


@pytest.mark.parametrize(
    "header", ["item,gold", "truth,item", "item_id,label,annotator", "Task,True label,note"]
)
def test_gold_is_read_from_usual_columns(tmp_path, header):
    rows = {"gold": "yes", "truth": "yes", "label": "yes", "True label": "yes"}
    cells = [rows.get(name, "01") for name in header.split(",")]
    path = tmp_path / "gold.csv"
    path.write_text(f"{header}\n{','.join(cells)}\n")
    assert read_gold(path) == {"01": "yes"}


def test_gold_keeps_names_and_leaves_out_empty_cells(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text('item,gold\n"x, ""y""",да\nNA,\n"żółw",NA\n"żółw",NA\n', encoding="utf-8")
    assert read_gold(path) == {'x, "y"': "да", "żółw": "NA"}


def test_gold_may_be_parquet(tmp_path):
    path = tmp_path / "gold.parquet"
    pd.DataFrame({"item": ["x", "y"], "gold": [1.0, None]}).to_parquet(path)
    assert read_gold(path) == {"x": "1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,gold\nx,a\ny,b\nx,b\n", r"line 4: item 'x' is 'b' here and 'a' above"),
        ("item,gold\n,a\n", "line 2: no item"),
        ("item,sense\nx,a\n", "No column is the gold; .* Name the column .* gold"),
        ("item,gold\nx\n", "line 2: 1 fields where the header has 2"),
        ("", "the file is empty"),
    ],
)
def test_gold_that_is_faulty_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "gold.csv"
    path.write_text(text)
    with pytest.raises(ReaderError, match=message):
        read_gold(path)


def test_gold_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ReaderError, match=r"is a folder\. Give the path of a table of gold"):
        read_gold(tmp_path)


@pytest.mark.parametrize("given", [None, 3, {"item": ["x"]}])
def test_what_is_no_path_is_refused_in_words(given):
    with pytest.raises(ReaderError, match=r"not from (NoneType|int|dict)"):
        read_labels(given)


def test_a_wide_table_is_met_with_what_can_be_done(tmp_path):
    frame = pd.DataFrame({"doc": ["x", "y"], "ann": ["n", "y"], "bob": ["y", "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    for source, hint in (
        (tmp_path / "t.csv", "'ann', 'bob' may be annotators.*format='wide'"),
        (tmp_path / "t.parquet", "labels, add --from wide"),
        (frame, "call Annotations.from_wide"),
    ):
        with pytest.raises(ReaderError, match=hint):
            read_labels(source)


def test_a_wide_table_to_be_partitioned_is_to_be_converted_first():
    wanted = dict.fromkeys(("item", "annotator", "label"))
    with pytest.raises(ReaderError, match="annobench convert TABLE --from wide"):
        choose_columns("memory://labels.csv", ["doc", "ann", "bob"], wanted)


def test_several_columns_name_the_items_together(tmp_path):
    rows = [("q1", "a", "ann", "x"), ("q1", "b", "ann", "y"), ("q1", "a", "bob", "x")]
    table = pd.DataFrame(rows, columns=["question", "system", "annotator", "label"])
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        labels = read_labels(tmp_path / name, item="question, system")
        assert labels.items == ("q1 | a", "q1 | b")
        assert labels.item.tolist() == [0, 1, 0]
    with pytest.raises(ReaderError, match=r"'question,sistem', given as item, is not among"):
        read_labels(tmp_path / "t.csv", item="question,sistem")


def test_different_items_stay_different_whatever_their_names_hold(tmp_path):
    rows = [("x | y", "z", "ann", "1"), ("x", "y | z", "ann", "2")]
    table = pd.DataFrame(rows, columns=["question", "system", "annotator", "label"])
    table.to_csv(tmp_path / "t.csv", index=False)
    assert read_labels(tmp_path / "t.csv", item="question,system").n_items == 2


def test_an_item_that_lacks_a_part_has_no_name(tmp_path):
    rows = [("q1", "", "ann", "1"), ("q1", "b", "ann", "2")]
    table = pd.DataFrame(rows, columns=["question", "system", "annotator", "label"])
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ReaderError, match="line 2: no item"):
        read_labels(tmp_path / "t.csv", item="question,system")
