"""Files that `partition` reads: what can't be read as it stands is refused, text with its row."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annobench.core.errors import ReaderError
from annobench.io import _pieces

HEADER = b"item,annotator,label\n"


@pytest.fixture
def copied(tmp_path):
    """Copy a text; return its rows."""

    def copy(data, name="labels.csv"):
        path, target = tmp_path / name, tmp_path / "copy.parquet"
        path.write_bytes(data)
        n_rows = _pieces.copy(str(path), dict.fromkeys(_pieces.ROLES), target)
        rows = [tuple(row.values()) for row in pq.read_table(target).to_pylist()]
        assert n_rows == len(rows)
        return rows

    return copy


FAULTS = {
    "behind a quote": (HEADER + b'\n"a\n""b",x,1\n\n"a"b,x,1\n', "row 2: text after a closing"),
    "open quote": (HEADER + b'a,x,1\na,x,"1\n', "row 2: a quote that is not closed"),
    "NUL": (HEADER + b"a,x,1\na,x\0y,1\n", "row 2: a NUL byte"),
    "not UTF-8": (b"note," + HEADER + b"\xff,a,x,1\n", "row 1: not UTF-8"),
    "half a character": (b"note," + HEADER + b",a,x,\xc3", "row 1: not UTF-8"),
    "UTF-16": ((HEADER + b"a,x,1\n").decode().encode("utf-16"), "a text in UTF-16"),
    "header": (b'"item"s,annotator,label\na,x,1\n', "header can't be read"),
    "long row": (HEADER + b'a,x,"' + b"1\n" * (1 << 22), "row 1: more than 4,194,304 bytes"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_cell_is_refused_with_its_row(copied, fault):
    data, message = FAULTS[fault]
    with pytest.raises(ReaderError, match=message):
        copied(data)


@pytest.mark.parametrize("block", [23, 32, 64, 1 << 22])
def test_faults_before_the_last_one_are_all_named_once(copied, monkeypatch, block):
    monkeypatch.setattr(_pieces, "_BLOCK", block)
    with pytest.raises(ReaderError) as caught:
        copied(HEADER + b'a,x\n\n"b","x",1\nc,x,1,2\r\nd,x,1\n"e"f,x\ng\n')
    assert str(caught.value).split("\n")[1:-1] == [
        "  row 1: 2 fields where the header has 3",
        "  row 3: 4 fields where the header has 3",
        "  row 5: text after a closing quote",
    ]


@pytest.mark.parametrize("block", [35, 64, 1 << 22])
def test_sound_text_is_read_as_it_stands(copied, monkeypatch, block):
    monkeypatch.setattr(_pieces, "_BLOCK", block)
    data = b'\xef\xbb\xbf\r\n\n"item",annotator,label\r"a\n,""",5" x,\n\r\nb,\xc3\xbcn\xc3\xa4l,1'
    assert copied(data) == [('a\n,"', '5" x', None), ("b", "ünäl", "1")]


def test_a_line_end_in_quotes_stays_whole_wherever_a_block_ends(copied, monkeypatch):
    monkeypatch.setattr(_pieces, "_BLOCK", 32)
    for width in range(1, 17):
        assert copied(HEADER + b'%s,x,"1\r\n"\r\n' % (b"a" * width))[0][2] == "1\r\n"


def test_endings_in_capitals_tell_the_delimiter(copied):
    assert copied(b"item\tannotator\tlabel\ta,b,c,d\na\tx\t1\t\n", "LABELS.TSV") == [
        ("a", "x", "1")
    ]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(gzip.compress(HEADER + b"a,x,1\n" * 999, mtime=0)[:-9], id="cut off"),
        pytest.param(HEADER + b"a,x,1\n", id="plain text"),
        pytest.param(b"\x1f\x8b\x08\0" * 9, id="nothing but the beginning"),
    ],
)
def test_damaged_gzip_is_refused(copied, data):
    with pytest.raises(ReaderError, match=r"labels.csv.gz: cut off, or not text"):
        copied(data, "labels.csv.gz")


def test_a_column_that_is_short_takes_nothing_from_the_next_row_group(tmp_path):
    path, target = tmp_path / "labels.parquet", tmp_path / "copy.parquet"
    columns = {"item": list("abcd"), "annotator": list("wxyz"), "label": list("1234")}
    pq.write_table(pa.table(columns), path, row_group_size=2, compression="none")
    # The footer says of a column of the first row group how many values it has: none now.
    stated, harmed = (b"\x19\x18\tannotator\x15\0\x16" + n for n in (b"\x04", b"\0"))
    content = path.read_bytes()
    assert content.count(stated) == 2
    path.write_bytes(content.replace(stated, harmed, 1))
    with pytest.raises(ReaderError, match="row group 1 states 2 rows and has 0"):
        _pieces.copy(str(path), dict.fromkeys(_pieces.ROLES), target)
    assert not target.exists()


SOUND = pa.array(["a", "b"])
COLUMNS = {
    "not UTF-8": (pa.array([b"a", b"\xff"]).view(pa.string()), "not text or numbers"),
    "infinite": (pa.array([1.0, float("inf")]), "Infinite numbers are not names"),
    "a list": (pa.array([["a"], ["b"]]), "not text or numbers"),
}


@pytest.mark.parametrize("role", _pieces.ROLES)
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_parquet_that_is_no_text_is_refused(tmp_path, kind, role):
    path = tmp_path / "labels.parquet"
    asked = dict.fromkeys(_pieces.ROLES)
    column, reason = COLUMNS[kind]
    pq.write_table(pa.table(dict.fromkeys(_pieces.ROLES, SOUND) | {role: column}), path)
    with pytest.raises(ReaderError, match=rf"labels.parquet: .*{reason}"):
        _pieces.pieces_of(str(path), str(path), asked)[0].table()
    with pytest.raises(ReaderError, match=rf"labels.parquet: .*{reason}"):
        _pieces.copy(str(path), asked, tmp_path / "copy.parquet")


@pytest.mark.parametrize("data", [b"", b"PAR1 PAR1", b"item,annotator,label"])
def test_what_is_no_parquet_is_refused(tmp_path, data):
    path = tmp_path / "labels.PARQUET"
    path.write_bytes(data)
    with pytest.raises(ReaderError, match=r"labels.PARQUET: truncated, not a Parquet file"):
        _pieces.outline(str(path), dict.fromkeys(_pieces.ROLES))
    with pytest.raises(ReaderError, match=r"labels.PARQUET: truncated, not a Parquet file"):
        _pieces.copy(str(path), dict.fromkeys(_pieces.ROLES), tmp_path / "copy.parquet")
